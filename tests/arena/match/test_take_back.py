"""What stays of a game when a move is taken back. That every game goes on from there is tested in `arena play`."""

import pytest

from arena.match.schedule import Entrant, Planned
from arena.match.take_back import TakenBack, before_last_move

PLIES = ("3", "roll", "4", "hold", "5", "roll", "2", "roll")
"""Of a game of pig: seat 0 rolls and holds, seat 1 rolls twice; the throws are chance."""


@pytest.mark.parametrize(
    ("seats", "fixed", "stays"),
    [
        ({0}, 0, TakenBack(3, ("roll",), 1)),
        ({1}, 0, TakenBack(7, ("roll", "hold", "roll"), 1)),
        ({0, 1}, 0, TakenBack(7, ("roll", "hold", "roll"), 3)),
        ({0}, 1, TakenBack(3, ("roll",), 0)),
        ({1}, 3, TakenBack(7, ("roll", "hold", "roll"), 0)),
        ({0}, 2, None),
    ],
)
def test_the_last_move_of_a_seat_is_taken_back_with_all_that_followed(
    seats: set[int], fixed: int, stays: TakenBack | None
) -> None:
    assert before_last_move("pig", PLIES, seats, fixed=fixed) == stays


def test_the_game_that_continues_has_its_moves_as_opening_and_fewer_to_come() -> None:
    entrants = (Entrant("a", "a"), Entrant("b", "b"))
    game = Planned(1, "connect4", "connect4", entrants, seed=1, identity=(), opening=("1",), max_plies=10)
    again = TakenBack(3, ("1", "2", "3"), 1).continued(game)
    assert (again.opening, again.max_plies, again.number) == (("1", "2", "3"), 8, 1)
