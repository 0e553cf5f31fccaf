"""Commands about ladders: open and run a ladder, hand in an agent, and watch the games.

Start at `ladder`, whose commands only read and write the database.
"""
