"""The record of what was played, in a database. Only this package knows SQL, and it imports nothing of ours.

Start with `schema` (the tables and the views) and `store` (every change). All functions take an open connection.

    database     opens a database and hands out connections
    schema       the tables, and the views for other programs
    records      games as plain values
    counting     which games count, in SQL
    store        writes: tournaments, entries, games, rulings
    imports      writes games that were played elsewhere

    lookup       tournaments, games and entries by name
    games        whole games, with seats, moves and rulings
    search       the history of games, filtered
    running      what a running tournament asks
    scores       points and faults of everybody, for standings and crosstables
    rated_games  the games that ratings are made of
    plain_sql    answers a query that a user wrote
    audit        reads everything, to verify and to measure it
    stored_types values of a wrong type, which SQLite stores all the same

    dialect      what only SQLite has
    upgrade      creates and migrates the tables
    sources      the files of a submission, and the hash that names them
    bundles      a record and its submissions in one file
    errors       DatabaseError and its kinds
"""
