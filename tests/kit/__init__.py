"""What several tests use: records, folders and games to test with, and ways to run and read the program.

Nothing here is a test. The name of a module says what it makes or does; start with `arena_program.py`, which runs a
command as its user does, and `sample_record.py`, the database that most tests of commands ask.
"""
