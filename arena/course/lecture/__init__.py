"""Exercises for lectures: exercises on paper with their keys, and a judge of search functions that students wrote.

Trees are computed from a seed: the same seed gives the same sheet, key and grade. Only `function_runner.py` runs a
student's code, in a confined process of its own. Start with `judging.py` or `kinds.py`.

    arena course judge                                         arena course exercise
    questions.py        the algorithms and the trees    kinds.py            the kinds by name; ucb1 and proof
    student_process.py  starts and asks the process     exercise.py         a worksheet; trees to search by hand
    function_runner.py  the program in that process     error_exercise.py   programs with one wrong line
    pacman_names.py     what a course's file imports    exercise_sheet.py   draws a worksheet, to print; a class
    judging.py          compares with our own search
    assignment.py       questions with points
    both: random_trees.py makes trees
"""
