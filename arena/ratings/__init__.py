"""Ratings: from results to numbers, one file a method. Pure functions of values; docs/ratings.md says what they mean.

bradley_terry       all games fitted at once, with honest error bars: the usual one
elo                 game after game, in the order of play
glicko2             by periods of time, for those who change
plackett_luce       games of more than two
points              points and tie-breaks, as in standings
match_statistics    two players: difference, likelihood of superiority, sequential test
"""
