"""Ratings, standings, statistics and plots, computed from results. All functions are pure: values in, values out.

It imports no other room. Start with `ranking.py`, which makes a table in any rating system; docs/results.md explains
the numbers.

    bradley_terry       maximum-likelihood fit of all games, with 95 % confidence intervals: the default
    systems/            the rating systems, a file each
    points              standings, tie-breaks and crosstables
    match_statistics    two players: Elo difference, likelihood of superiority (LOS), sequential test (SPRT)
    recorded            ratings computed earlier, and the progress of versions
    grades              comparison of students with bars
    duels               games of two players as columns of numbers
    estimates           ratings that were estimated together; players that games connect, so that these can be compared
    plots, chart        SVG plots, and what all of them share
"""
