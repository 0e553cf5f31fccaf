"""Commands for instructors: descriptions, submissions, grades, a website, rulings.

Start at `init` and `collect`.
"""
