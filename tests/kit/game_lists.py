"""Lists of games to try rating methods with."""

from __future__ import annotations

from hypothesis import strategies as st

from db.records import RatedGame


def won(*names: str, pair: int | None = None) -> RatedGame:
    """A game that ended in this order, best first."""
    others = max(1, len(names) - 1)
    return RatedGame(names, tuple((len(names) - 1 - place) / others for place in range(len(names))), pair=pair)


def drawn(*names: str, pair: int | None = None) -> RatedGame:
    """A game in which all are equal."""
    return RatedGame(names, (0.5,) * len(names), pair=pair)


def players(most: int) -> st.SearchStrategy[list[str]]:
    """From one to so many names."""
    return st.integers(1, most).map(lambda number: [f"player{place}" for place in range(number)])


@st.composite
def games(draw: st.DrawFn, most: int = 6, seats: int = 5, longest: int = 30) -> list[RatedGame]:
    """Any games, of any number of seats, with any points: ties, whole ranges, and what no rules would give."""
    names = draw(players(most))
    points = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-10.0, 10.0))
    found = []
    for _ in range(draw(st.integers(0, longest))):
        seated = draw(st.lists(st.sampled_from(names), min_size=1, max_size=min(seats, len(names)), unique=True))
        found.append(
            RatedGame(
                tuple(seated),
                tuple(draw(st.lists(points, min_size=len(seated), max_size=len(seated)))),
                pair=draw(st.sampled_from([None, 1, 2, 3])),
            )
        )
    return found
