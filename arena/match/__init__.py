"""One refereed game, and the values that describe it: clock, seeds, fixture, openings, schedule.

This package imports no other package of `arena`. No code here reads the time, opens a socket or draws an unseeded
random number (except for new seeds), so every rule can be tested in microseconds. Start with `match.py`, which has all
rules of refereeing; `clock.py` says what a turn costs.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.match.match import Match

__all__ = ["Match"]


def __getattr__(name: str) -> Any:
    """Makes `from arena.match import Match` work; a warden needs only the clock and does not load the rules."""
    if name == "Match":
        from arena.match.match import Match

        return Match
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
