"""What the games' evaluations share: how a weighted sum of features is brought inside the bounds of a won or lost game.

Only games use it; no search does.
"""


def squash(score: float) -> float:
    """`score`, of any size, brought strictly inside (-1, 1); order and sign are kept."""
    return score / (1.0 + abs(score))
