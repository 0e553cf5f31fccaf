"""Commands that explain search: searches step by step, whole trees, algorithms side by side.

Start at `trace`; no database is opened here. `judge` and `exercise` are about search algorithms in a lecture.
"""
