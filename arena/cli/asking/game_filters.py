"""The options that select games (--agent, --game, --since, ...), shared by all listings of games and ratings; and the
games to rate, from the record or a file.

The decorator `@filtered` adds them to a command, and passes their values as one argument, `wanted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch.errors import meant, nearly, quote
from agents.protocol import Verdict
from arena.cli.asking.record_options import NAME_OR_FILE, tournament_name
from arena.cli.terminal.files import read_file
from arena.cli.terminal.listings import with_options
from arena.history.words import without_store
from db.errors import NotFound

if TYPE_CHECKING:
    from db.database import Connection
    from db.rated_games import Scope
    from db.records import RatedGame
    from db.search import GameFilter


class GameResult(StrEnum):
    """The result of a game for one player."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


def _option(kind: Any, help: str, **more: Any) -> Any:
    return Annotated[kind | None, typer.Option(help=help, rich_help_panel="Filters", **more)]


OPTIONS: Final = {
    "agent": _option(str, "Games of this player.", metavar="AGENT"),
    "opponent": _option(str, "Games of --agent against this player.", metavar="AGENT"),
    "seat": _option(int, "Games of --agent in this seat (0 is the first).", metavar="N", min=0),
    "result": _option(GameResult, "Games with this result for --agent."),
    "game": _option(str, "Games of this kind, such as connect4 or connect4:rows=5.", metavar="GAME"),
    "tournament": _option(
        str, "Games of this tournament, or of its description.", metavar=NAME_OR_FILE, callback=tournament_name
    ),
    "verdict": _option(Verdict, f"Games with this verdict: {', '.join(Verdict)}.", metavar="VERDICT"),
    "fault": _option(str, "Games lost by a fault of this player; any: of any player.", metavar="NAME|any"),
    "opening": _option(str, "Games with these opening moves, separated by spaces.", metavar="MOVES"),
    "since": _option(str, "Games that ended on this date or time (UTC) or later.", metavar="DATE"),
    "until": _option(str, "Games that ended by this date (inclusive) or time (UTC).", metavar="DATE"),
    "min_plies": _option(int, "Games of at least N plies.", metavar="N", min=0),
    "max_plies": _option(int, "Games of at most N plies.", metavar="N", min=0),
}
"""The filter options: each is a field of db.search.GameFilter."""

AtOption = Annotated[
    str | None,
    typer.Option("--at", metavar="DATE", help="Results as they were on this date: games, rulings, agent versions."),
]


def filtered(*, without: Collection[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the command's parameter `wanted` by the filter options, except those in `without`."""
    options = {name: (OPTIONS[name], None) for name in OPTIONS if name not in without}
    return lambda command: with_options(command, "wanted", options, _wanted)


def _wanted(options: dict[str, Any]) -> Any:
    from db.search import GameFilter

    if options.get("agent") is None and any(options.get(name) is not None for name in ("opponent", "seat", "result")):
        raise typer.BadParameter("--opponent, --seat and --result need --agent NAME too")
    for name, end in (("since", False), ("until", True)):
        if options.get(name) is not None:
            options[name] = moment_of(f"--{name}", options[name], end=end)
    return GameFilter(**options)


def refuse_unknown_game(connection: Connection, wanted: GameFilter) -> None:
    """Raise NotFound for a game that is neither built in nor recorded: the name is probably a typo."""
    from adsearch.games import catalog
    from db.search import rules_on_record

    if wanted.game is None:
        return
    name, ours = _without_options(wanted.game), list(catalog.names())
    if name in ours:
        catalog.find(wanted.game)  # raises for an option that the game does not have
        return
    recorded = list(dict.fromkeys(_without_options(without_store(rules)) for rules in rules_on_record(connection)))
    if name.rpartition("/")[2] not in {known for rules in recorded for known in (rules, rules.partition(":")[0])}:
        there_is = nearly(name, [*recorded, *ours]) or (
            meant(name, recorded) if recorded else "; no game is recorded yet"
        )
        raise NotFound(f"no recorded game {quote(name)}{there_is}")


def _without_options(rules: str) -> str:
    """The game without options: "connect4" for "connect4:rows=5", "mine.py:Mine" for "mine.py:Mine:rows=5",
    "openspiel:hex" for "openspiel:hex(board_size=5)"."""
    found = re.match(r"openspiel:\w*|.*?\.py(:[^:=,]*(?=:|$))?|[^:]*", rules)
    return found[0] if found else rules


def moment_of(option: str, text: str, *, end: bool = False) -> str:
    """The moment that `text` names, as the database stores it; with `end`, the first moment after it."""
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).astimezone(UTC)
        if end:
            whole_day = len(text.strip()) <= len("2026-05-01")
            moment += timedelta(days=1) if whole_day else timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        raise typer.BadParameter(
            f"{option}: expected a date such as 2026-05-01, or 2026-05-01T18:30, got {text!r}"
        ) from None
    from db.records import instant

    return instant(moment)


# Options and functions that the commands about ratings share: games to read, anchors, lists of results.


AnchorOption = Annotated[
    list[str] | None,
    typer.Option("--anchor", metavar="NAME=RATING", help="Fixed rating of a player; can be repeated."),
]
PriorOption = Annotated[
    float | None,
    typer.Option(
        "--prior",
        metavar="N",
        min=0.0,
        max=1e6,
        help="Virtual draws added to the results of each player; 0 adds none.",
        show_default="1",
    ),
]
SvgOption = Annotated[
    str | None, typer.Option("--svg", metavar="FILE", help="SVG file to draw the results into as well.")
]


def rated_scope(
    connection: Connection,
    tournaments: Sequence[str | None],
    *,
    wanted: GameFilter,
    at: str | None,
    versions: bool = False,
    for_points: bool = False,
) -> Scope:
    """The games of `tournaments` (empty: all; [None]: the newest) that match `wanted`, as they were `at` a date."""
    from db import lookup, rated_games
    from db.search import GameFilter

    refuse_unknown_game(connection, wanted)
    return rated_games.Scope(
        tournaments=tuple(lookup.find_tournament(connection, name) for name in tournaments),
        wanted=None if wanted == GameFilter() else wanted,
        at=None if at is None else moment_of("--at", at, end=True),
        versions=versions,
        for_points=for_points,
    )


def named_numbers(given: Sequence[str] | None, option: str, form: str, *, last: bool = False) -> dict[str, str]:
    """The values of an option such as --bar pass=random, by name; split at the first "=", or at the `last` one."""
    found = {}
    for text in given or ():
        name, sign, value = text.rpartition("=") if last else text.partition("=")
        if not sign or not name or not value:
            raise typer.BadParameter(f"{option}: expected {form}, got {text!r}")
        if name in found:
            raise typer.BadParameter(f"{option}: {name!r} is given twice")
        found[name] = value
    return found


def read_anchors(given: Sequence[str] | None) -> dict[str, float]:
    """The rating of each --anchor, by player."""
    found = {}
    for name, text in named_numbers(given, "--anchor", "NAME=RATING", last=True).items():
        try:
            found[name] = float(text)
        except ValueError:
            found[name] = float("nan")
        if not abs(found[name]) <= 1e6:
            raise typer.BadParameter(f"--anchor: expected a rating after {name}=, such as 1500, got {text!r}")
    return found


def listed_results(file: str) -> list[RatedGame]:
    from arena.history.exchange.result_files import read

    return read(*read_file(file, "a list of results"))
