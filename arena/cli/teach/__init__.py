"""The commands of the panel "Teach a course": descriptions, submissions, grades, a website, rulings.

Start at `init` and `collect`.
"""
