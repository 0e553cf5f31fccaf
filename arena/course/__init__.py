"""An instructor's semester: who takes the course, what was handed in, the public report, exercises.

It may import all other rooms. Start with `collecting/`, which takes in the files of a learning system; `site.py` writes
the public report, and `lecture/` makes and grades exercises.
"""
