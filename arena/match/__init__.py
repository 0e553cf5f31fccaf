"""One game, judged, and the plain values that describe it: clock, seeds, fixture, openings, schedule.

It imports no other room, and nothing in it reads a clock, opens a socket or draws a random number of its own, so every
rule can be tested in microseconds. Start with `match.py`, which holds all rules of refereeing; `clock.py` says what a
turn costs.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.match.match import Match

__all__ = ["Match"]


def __getattr__(name: str) -> Any:
    """`from arena.match import Match`. A warden needs only the clock, so it does not wait for the rules."""
    if name == "Match":
        from arena.match.match import Match

        return Match
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
