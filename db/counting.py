"""Which games count, and for how many points: SQL fragments for the views and for all other queries.

A game counts if it has a result that was not annulled, if there is no later attempt at it, and if it is not a
challenge. The ruling in force is
the last one about the game that was not revoked. A game is of current versions (`v_game.present`) if each player played
it with the version that it has entered now.

The views of games and seats test one game at a time (`COUNTS`, `CURRENT_VERSIONS`, `POINTS`). Those of standings ask
for what counts as conditions (`COUNTED`): PostgreSQL expects of `CASE ... = 1` that it is nearly never true, and joins
accordingly. Queries over a million games are faster when they first collect the few games that do not count
(`superseded`, `outdated`, `ruled`) and exclude them. All use the same conditions.
"""

from __future__ import annotations

from typing import Final

from db.records import ANNULS, GameKind

ANOTHER_ATTEMPT: Final = """later.tournament = game.tournament AND later.pair = game.pair
                                   AND later.leg = game.leg AND later.attempt > game.attempt"""
"""Condition: row `later` is a later attempt at the same game as row `game`, cancelled or not."""
LATER_ATTEMPT: Final = f"{ANOTHER_ATTEMPT} AND later.status <> 'cancelled'"
"""Condition: row `later` is a later attempt that was not cancelled."""
ENTERED: Final = "entry.tournament = game.tournament AND entry.name = seat.name"
"""Condition: row `entry` belongs to the player of row `seat`."""
ANOTHER_VERSION: Final = "seat.version <> entry.version"
"""Condition: the player of row `seat` has entered another version since."""


UNRATED: Final = f"kind IN ('{GameKind.CHALLENGE}', '{GameKind.WITH_A_PERSON}')"
"""Condition: the game is of a kind that is never rated. It is that of the partial index `game_unrated`."""
NEVER_COUNTS: Final = f"kind = '{GameKind.CHALLENGE}'"
"""Condition: the game is of a kind that never counts, for no points either."""


def in_force(game: str, at: str | None = None) -> str:
    """Condition: row `ruling` is the ruling in force about the game with id `game`; with `at`, at that moment."""

    def stands(ruling: str) -> str:
        made, revoked = (f" AND {one}.made < {at}" if at else "" for one in (ruling, "revoking"))
        return f"""{ruling}.what <> 'revoke'{made}
        AND NOT EXISTS (SELECT 1 FROM ruling AS revoking WHERE revoking.revokes = {ruling}.id{revoked})"""

    return f"""ruling.game = {game} AND {stands("ruling")}
        AND NOT EXISTS (SELECT 1 FROM ruling AS newer
                        WHERE newer.game = ruling.game AND newer.id > ruling.id AND {stands("newer")})"""


# Expressions for one game, for the views. Row `ruling` is the ruling in force.

_SUPERSEDED: Final = f"EXISTS (SELECT 1 FROM game AS later WHERE {LATER_ATTEMPT})"
_OUTDATED: Final = f"""EXISTS (SELECT 1 FROM seat, entry
                                WHERE seat.game = game.id AND {ENTERED} AND {ANOTHER_VERSION})"""
COUNTS: Final = f"""CASE WHEN ruling.what IN {ANNULS} THEN 0
                    WHEN game.status <> 'finished'
                         AND (game.status <> 'void' OR ruling.what IS NULL OR ruling.what <> 'award') THEN 0
                    WHEN game.{NEVER_COUNTS} OR {_SUPERSEDED} THEN 0
                    ELSE 1 END"""
"""1 if `game` counts, else 0."""
STATUS: Final = f"CASE WHEN ruling.what IN {ANNULS} THEN 'void' ELSE game.status END"
"""The status of `game` as users see it: "void" if a ruling annulled the game."""
CURRENT_VERSIONS: Final = f"CASE WHEN {_OUTDATED} THEN 0 ELSE 1 END"
"""1 if each player of `game` played with the version that it has entered now, else 0."""
POINTS: Final = f"""CASE WHEN v_game.ruling IN {ANNULS} THEN NULL
                    WHEN v_game.ruling = 'award' THEN CASE WHEN seat.seat = v_game.awarded_to THEN 1.0 ELSE 0.0 END
                    ELSE seat.points END"""
"""Points of `seat`, after rulings."""


# For many games. PostgreSQL plans these well: no condition is about a row that can be missing.


def points_of(seat: str) -> str:
    """Expression: points of row `seat` of a game that counts; `AWARD` is joined."""
    return f"""CASE WHEN award.game IS NULL THEN {seat}.points
                    WHEN award.seat = {seat}.seat THEN 1.0 ELSE 0.0 END"""


def _of(what: str) -> str:
    return f"SELECT ruling.game FROM ruling WHERE ruling.what {what} AND {in_force('ruling.game')}"


AWARD: Final = f"""LEFT JOIN (SELECT ruling.game AS game, ruling.seat AS seat FROM ruling
                              WHERE ruling.what = 'award' AND {in_force("ruling.game")}) AS award
                   ON award.game = game.id"""
"""Joins row `award`, the ruling in force that decided `game`."""
COUNTED: Final = f"""(game.status = 'finished' OR (game.status = 'void' AND game.id IN ({_of("= 'award'")})))
    AND game.id NOT IN ({_of(f"IN {ANNULS}")})
    AND NOT game.{NEVER_COUNTS} AND NOT {_SUPERSEDED} AND NOT {_OUTDATED}"""
"""Condition: `game` counts, with the versions that its players have entered now."""


# Queries for games to exclude. `which` is one more condition ("AND ...").

SEVERAL_VERSIONS: Final = "SELECT EXISTS (SELECT 1 FROM version WHERE number > 1)"
"""Query: whether any agent has several versions; if not, no game is outdated."""


def superseded(which: str = "") -> str:
    """Query: ids of games with a later attempt. `which` is a condition on row `later`."""
    return f"""
        SELECT game.id FROM game AS later JOIN game ON {LATER_ATTEMPT}
        WHERE later.attempt > 1 {which}
    """


def outdated(which: str = "") -> str:
    """Query: ids of games of a player that has entered another version since. `which` is a condition on row `game`."""
    # "+ 0" keeps SQLite from using the index on seat.version: scanning the seats in order is five times faster when
    # there are many.
    return f"""
        SELECT seat.game FROM game JOIN seat ON seat.game = game.id JOIN entry ON {ENTERED}
        WHERE {ANOTHER_VERSION} {which} AND seat.version + 0 IN (
            SELECT id FROM version WHERE agent IN (SELECT agent FROM version WHERE number > 1))
    """


def ruled(*what: str, at: str | None = None, seat: bool = False) -> str:
    """Query: ids of games whose ruling in force is one of `what` (`ANNULS`, "award"); with `at`, at that moment; with
    `seat`, also the seat that the ruling names."""
    kinds = ", ".join(f"'{each}'" for each in what)
    columns = "ruling.game, ruling.seat" if seat else "ruling.game"
    return f"SELECT {columns} FROM ruling WHERE ruling.what IN ({kinds}) AND {in_force('ruling.game', at)}"
