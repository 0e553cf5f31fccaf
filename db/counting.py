"""Which games count, and for how many points: the SQL that the views and all other queries about it are made of.

A game counts if it has a result that was not annulled and if no later attempt was made at it. The last ruling about a
game that was not revoked is the one that holds. A game is of the present if everybody played it with the version that
takes part now.

The views ask this of one game at a time (`COUNTS`, `PRESENT`, `POINTS`). Queries over a million games are faster when
they first collect the few games that do not count (`superseded`, `outdated`, `ruled`) and leave those out. Both are
made of the same conditions.
"""

from __future__ import annotations

from typing import Final

ANOTHER_ATTEMPT: Final = """later.tournament = game.tournament AND later.pair = game.pair
                                   AND later.leg = game.leg AND later.attempt > game.attempt"""
"""That the game `later` is a later attempt at `game`, or was to be."""
LATER_ATTEMPT: Final = f"{ANOTHER_ATTEMPT} AND later.status <> 'cancelled'"
"""That it was not cancelled."""
ENTERED: Final = "entry.tournament = game.tournament AND entry.name = seat.name"
"""That `entry` is the one of the player of `seat`."""
ANOTHER_VERSION: Final = "seat.version <> entry.version"
"""That the player of `seat` has entered another version since."""


ANNULS: Final = ("void", "again")
"""The rulings after which a game has no result."""


def holds(game: str, at: str | None = None) -> str:
    """That `ruling` is the last one about `game` that was not revoked; with `at`, as it was at that moment."""
    made, revoked = (f" AND {one}.made < {at}" if at else "" for one in ("last", "revoking"))
    return f"""ruling.id = (
        SELECT MAX(last.id) FROM ruling AS last
        WHERE last.game = {game} AND last.what <> 'revoke'{made}
              AND NOT EXISTS (SELECT 1 FROM ruling AS revoking WHERE revoking.revokes = last.id{revoked}))"""


# Of one game, for the views. `ruling` is the ruling that holds.

COUNTS: Final = f"""CASE WHEN ruling.what IN {ANNULS} THEN 0
                    WHEN game.status <> 'finished'
                         AND (game.status <> 'void' OR ruling.what IS NULL OR ruling.what <> 'award') THEN 0
                    WHEN EXISTS (SELECT 1 FROM game AS later
                                 WHERE {LATER_ATTEMPT}) THEN 0
                    ELSE 1 END"""
"""1 or 0 for `game`."""
STATUS: Final = f"CASE WHEN ruling.what IN {ANNULS} THEN 'void' ELSE game.status END"
"""Of `game`, as everybody sees it: void if it was annulled, however it ended."""
PRESENT: Final = f"""CASE WHEN EXISTS (SELECT 1 FROM seat
                                 JOIN entry ON {ENTERED}
                                 WHERE seat.game = game.id AND {ANOTHER_VERSION}) THEN 0
                    ELSE 1 END"""
"""1 or 0 for `game`."""
POINTS: Final = f"""CASE WHEN v_game.ruling IN {ANNULS} THEN NULL
                    WHEN v_game.ruling = 'award' THEN CASE WHEN seat.seat = v_game.awarded_to THEN 1.0 ELSE 0.0 END
                    ELSE seat.points END"""
"""What `seat` is given for its game."""


# Of all games, to leave them out. `which` narrows the search.

SEVERAL_VERSIONS: Final = "SELECT EXISTS (SELECT 1 FROM version WHERE number > 1)"
"""Whether any game can be outdated."""


def superseded(which: str = "") -> str:
    """The query for games that were played again; `which` is about `later`."""
    return f"""
        SELECT game.id FROM game AS later JOIN game ON {LATER_ATTEMPT}
        WHERE later.attempt > 1 {which}
    """


def outdated(which: str = "") -> str:
    """The query for games of somebody who has entered another version since; `which` is about `game`."""
    # The sum makes SQLite read seats in order: those of one version after the other take five times as long where
    # there are many.
    return f"""
        SELECT seat.game FROM game JOIN seat ON seat.game = game.id JOIN entry ON {ENTERED}
        WHERE {ANOTHER_VERSION} {which} AND seat.version + 0 IN (
            SELECT id FROM version WHERE agent IN (SELECT agent FROM version WHERE number > 1))
    """


def ruled(*what: str, at: str | None = None, seat: bool = False) -> str:
    """The query for games about which such a ruling holds (`ANNULS`, "award"), perhaps at a moment; with `seat`, and
    whom it is about."""
    kinds = ", ".join(f"'{each}'" for each in what)
    columns = "ruling.game, ruling.seat" if seat else "ruling.game"
    return f"SELECT {columns} FROM ruling WHERE ruling.what IN ({kinds}) AND {holds('ruling.game', at)}"
