"""`arena course grades`: from the results of agents to the marks of students.

grades.py        what is read from the record, and what marks depend on: faults, verdicts, days late
marks.py         the table [marks] of a description, and the marks of an agent
grade_list.py    the rows of agents beside the lines of the roster
"""
