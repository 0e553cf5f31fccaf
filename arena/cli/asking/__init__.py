"""Arguments and options that several commands share, and how they are read.

It may import `terminal`, and no panel. Start at `database`: which database, which tournament, which game.
"""
