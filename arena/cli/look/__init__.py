"""The commands of the panel "Look at results": the record in tables, ratings, files and SQL. They change nothing but
`import`, which adds games.

Start at `history`; commands about ratings share `asking/rated_games`.
"""
