"""The names of a game's fields in listings, JSON and files; all of these use the same lists."""

from typing import Final

LISTED: Final = (
    *("id", "tournament", "round", "number", "attempt", "game", "players", "opening", "clock", "seed", "status"),
    *("points", "utilities", "verdict", "fault", "plies", "started", "finished", "ruling", "kind", "position"),
)
"""The fields in a listing, in JSON and in CSV."""
TEXTS: Final = (
    *("tournament", "game", "pair", "clock", "opening", "status", "verdict", "detail", "started", "finished"),
    *("kind", "position"),
)
"""The fields that are strings in files."""
NUMBERS: Final = ("round", "number", "attempt", "leg", "seed", "fault", "plies")
"""The fields that are whole numbers in files."""
SEAT: Final = ("seat", "player", "version", "spent", "longest", "cpu", "memory", "stderr", "clock")
"""The fields of a seat in the JSON of a game."""
MOVE: Final = ("ply", "who", "move", "spent", "left", "cpu", "delay", "lag", "score", "depth", "nodes", "line", "text")
"""The fields of a ply in the JSON of a game."""
SHOWN: Final = ("ply", "who", "player", "move", "spent", "left", "score", "depth", "nodes", "line", "text", "marks")
"""The columns of the plies of a game in CSV."""
BEFORE_PLAYERS: Final = ("id", "tournament", "number", "attempt", "pair", "leg", "game", "round")
AFTER_PLAYERS: Final = (
    *("result", "counts", "utilities", "versions", "outdated", "anchors", "opening", "clock", "seed"),
    *("status", "verdict", "fault", "plies", "started", "finished"),
    *("detail", "ruling", "ruling_seat", "ruling_reason", "ruling_when", "movers", "moves", "kind", "position"),
)
"""The columns of a CSV file of games, before and after those of the players."""
