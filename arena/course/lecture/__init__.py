"""What a lecture's exercises need: trees to search by hand, and a judge of algorithms that students wrote.

Trees come from a seed, so a seed is all that sheet, key and grade have in common. Only `examined.py` ever runs a
student's code, in a process of its own behind walls.

    trees.py      random trees                       exercise.py   a tree to solve by hand, its sheet and its key
    subjects.py   what can be judged, on which trees sheet.py      both as pictures to print
    judging.py    one answer against our search      examiner.py   asks the process that holds the student's function
    habits.py     other ways to walk a tree          examined.py   that process
"""
