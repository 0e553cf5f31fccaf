"""Commands about what was played: recorded games in tables, ratings, files and SQL.

Only `import`, `upgrade` and `copy` change a database. Start at `history`, and at `modes` for one game.
"""
