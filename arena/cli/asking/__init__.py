"""Arguments and options that several commands share, and the functions that read them.

These modules can import `terminal`, but no other folder. Start at `record_options`: database, tournament and game.
"""
