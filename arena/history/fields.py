"""The fields of a game, by the names that listings, JSON and files have for them. All of these use the same lists."""

from typing import Final

LISTED: Final = (
    *("id", "tournament", "round", "number", "attempt", "game", "players", "opening", "clock", "seed", "status"),
    *("points", "utilities", "verdict", "fault", "plies", "started", "finished", "ruling"),
)
"""What a listing says of a game, in JSON and in CSV."""
TEXTS: Final = (
    *("tournament", "game", "pair", "clock", "opening", "status", "verdict", "detail", "started", "finished"),
)
"""The fields of a game that files hold as texts."""
NUMBERS: Final = ("round", "number", "attempt", "leg", "seed", "fault", "plies")
"""The fields of a game that files hold as whole numbers."""
