"""The commands of the panel "Teach a course": from the description of a tournament to grades and a site; rulings.

Start at `init` and `collect`; `judge` and `exercise` are about searches by hand.
"""
