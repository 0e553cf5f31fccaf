"""The commands of the panel "Look at results": recorded games in tables, ratings, files and SQL.

Only `import` changes the database. Start at `history`; commands about ratings share `asking/rated_games`.
"""
