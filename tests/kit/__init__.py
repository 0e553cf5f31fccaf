"""Shared code of the tests: databases, folders and games to test with, and ways to run the program and read its output.

There are no tests here. Each module is named after what it makes or does. Start with `arena_program.py`, which runs a
command as a user does, and `sample_record.py`, the database of most tests of commands.
"""
