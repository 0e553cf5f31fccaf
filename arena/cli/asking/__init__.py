"""Arguments and options that several commands share, and how they are read.

It may import `terminal`, and no panel. Start at `record_options`: which database, which tournament, which game.
"""
