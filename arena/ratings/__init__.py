"""From results to numbers, tables and plots. Everything here takes values and returns values.

It imports no other room. Start with `ranking.py`, which makes a table in any rating system; docs/ratings.md says
what the numbers mean.

    bradley_terry       all games fitted at once, with their 95 % bars: the default
    elo                 game after game, in the order of play
    glicko2             by periods of time, for players who change
    plackett_luce       games of more than two
    points, tiebreaks   standings and crosstables
    match_statistics    two players: Elo difference, likelihood of superiority, sequential test
    pools               who can be compared with whom
    versus, progress, grades   tables made of all that
    plots/              the same as pictures
"""
