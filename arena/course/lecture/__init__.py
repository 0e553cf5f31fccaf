"""What a lecture's exercises need: trees to search by hand, and a judge of searches that students wrote.

Trees come from a seed, so a seed is all that sheet, key and grade have in common. Only `function_runner.py` ever runs a
student's code, in a process of its own behind walls. Start with `judging.py` or with `exercise.py`.

    arena judge                                         arena exercise
    questions.py        which algorithms, which trees   exercise.py         a tree to solve by hand, and its key
    student_process.py  starts the process, asks it     exercise_sheet.py   both as pictures to print
    function_runner.py  the program in that process
    judging.py          one answer against our search   both
    search_variants.py  other ways to search a tree     random_trees.py     trees as descriptions
"""
