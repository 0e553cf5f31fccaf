"""The commands of the panel "Teach a course": descriptions, submissions, grades, a website, rulings, exercises.

Start at `init` and `collect`; `judge` and `exercise` are about search algorithms in a lecture.
"""
