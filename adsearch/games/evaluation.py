"""Functions that the games' evaluations share: they return estimates strictly between a loss and a win."""


def squash(score: float) -> float:
    """`score`, of any size, mapped into the open interval (-1, 1); order and sign are kept."""
    return score / (1.0 + abs(score))


def unsquash(value: float) -> float:
    """The score that `squash` maps to `value`, which is in the open interval (-1, 1)."""
    return value / (1.0 - abs(value))


def parity(left: int) -> float:
    """For games in which the player that cannot move loses: positive for the side to move if the number of moves `left`
    is odd, else negative; larger with fewer moves left."""
    return (1.0 if left % 2 else -1.0) / (1.0 + left)
