"""The options that select games (--agent, --game, --since, ...), shared by all listings of games and ratings.

The decorator `@filtered` adds them to a command, and passes their values as one argument, `wanted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch.errors import meant, nearly, quote
from agents.protocol import Verdict
from arena.cli.asking.record_options import NAME_OR_FILE, tournament_name
from arena.cli.terminal.options import with_options
from arena.history.words import without_store
from db.errors import NotFound

if TYPE_CHECKING:
    from db.database import Connection
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
