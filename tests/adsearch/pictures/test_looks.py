"""How games say that their players are shown: names, letters and colours, of ours alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from adsearch import games
from adsearch.pictures.boards.paper import SEATS, colour
from adsearch.state import Looks


@pytest.mark.parametrize("name", games.names())
def test_every_seat_has_a_colour_and_the_letters_are_those_of_the_board(name: str) -> None:
    found = games.names()[name]
    looks, most = games.looks(f"{name}:anything"), max(found.seats)
    assert {colour(name, seat) for seat in range(most)} <= {*SEATS}
    for each in (looks.sides, looks.pieces, looks.colours):
        assert len(each) in (0, most)
    assert len({*looks.sides}) == len(looks.sides)


def test_of_games_that_are_not_ours_nothing_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("raise SystemExit('it was loaded')\n", "utf-8")
    for rules in (f"{file}:Mine", str(file), "openspiel:go", "no such game"):
        assert games.looks(rules) == Looks()
        assert colour(rules, 0) == "full-x"
