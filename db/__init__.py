"""The database of games (SQLAlchemy on SQLite or PostgreSQL). All SQL is in this package; it imports no other of ours.

Start with `schema` (tables and views) and `store` (every write). Nearly all functions take an open `Connection`.

    database     opens a database, creates and migrates its tables; gives read connections and write transactions
    schema       the tables, and the views for other programs
    records      games as plain values, without SQL
    counting     SQL fragments: which games count, and for how many points
    store        writes tournaments, entries, games and rulings

    lookup       finds tournaments, games and entries by name
    games        reads whole games, with seats, moves and rulings; finds values of the wrong type
    search       filters the history of games
    running      queries of a running tournament
    rulings      reads the rulings, and which of them were revoked
    scores       points and faults of each player, for standings and crosstables
    rated_games  reads the games that ratings are computed from
    plain_sql    runs a query that a user wrote
    audit        reads everything: for verification and for `arena data info`

    dialect      connections, PRAGMAs and errors of SQLite; read-only queries of PostgreSQL
    sources      the files of a submission, and their hash
    bundles      games of one agent and its submissions in one file; games from elsewhere
    errors       DatabaseError and its subclasses
"""
