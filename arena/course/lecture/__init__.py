"""Exercises for lectures: trees to search by hand, and a judge of search functions that students wrote.

Trees are computed from a seed: the same seed gives the same sheet, key and grade. Only `function_runner.py` runs a
student's code, in a confined process of its own. Start with `judging.py` or `exercise.py`.

    arena judge                                         arena exercise
    questions.py        the algorithms and the trees    exercise.py         a tree to solve by hand, and its key
    student_process.py  starts and asks the process     exercise_sheet.py   both as pictures to print
    function_runner.py  the program in that process
    judging.py          compares with our own search    both
    search_variants.py  common wrong searches           random_trees.py     makes trees
"""
