"""What the games' evaluations share: estimates strictly inside the bounds of a won or lost game.

Only games use it; no search does.
"""


def squash(score: float) -> float:
    """`score`, of any size, brought strictly inside (-1, 1); order and sign are kept."""
    return score / (1.0 + abs(score))


def parity(left: int) -> float:
    """For games in which who cannot move loses: an odd number of moves `left` is good for the side to move, the more so
    the fewer they are."""
    return (1.0 if left % 2 else -1.0) / (1.0 + left)
