"""Countdown: the player who leaves a multiple of four wins."""

from adsearch import games


def test_a_multiple_of_four_is_lost() -> None:
    state = games.start("countdown:8")
    assert all(4 in [after.play(reply).n for reply in after.moves()] for after in map(state.play, state.moves()))
