"""Commands about what was played: recorded games in tables, ratings, files and SQL.

Only `import` changes the database. Start at `history`, and at `modes` for one game; commands about ratings share
`asking/rated_games`.
"""
