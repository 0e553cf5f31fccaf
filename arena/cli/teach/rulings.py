"""`arena void`, `award`, `withdraw` and `release`: what an instructor decides, on record with its reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from arena.cli.asking.record_options import DatabaseOption, GameIdArgument
from arena.errors import BadRuling
from arena.history.words import printable

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="Its name in the tournament.")]
TournamentOption = Annotated[str | None, typer.Option(help="Usual: the one that was made last.")]
ReasonOption = Annotated[str, typer.Option(help="Why. It is shown wherever the ruling is.")]


def void(id: GameIdArgument, reason: ReasonOption, db: DatabaseOption = None) -> None:
    """Let a game count for nothing. What happened in it stays on record.

    Example: arena void cs101-812 --reason "the machine was busy with a backup"
    """
    _rule_on_game(id, "void", reason=reason, db=db)


def award(
    id: GameIdArgument,
    to: Annotated[str, typer.Option("--to", metavar="NAME|SEAT", help="Who has won it: a player, or a seat from 0.")],
    reason: ReasonOption,
    db: DatabaseOption = None,
) -> None:
    """Give a game to one of its players. What happened in it stays on record.

    Example: arena award cs101-812 --to alice --reason "bob's agent was not his own work"
    """
    _rule_on_game(id, "award", reason=reason, db=db, to=to)


def withdraw(
    agent: AgentArgument, reason: ReasonOption, tournament: TournamentOption = None, db: DatabaseOption = None
) -> None:
    """Take an agent out of a tournament: it forfeits the games that it has not begun.

    Example: arena withdraw mallory --tournament cs101 --reason "asked to"
    """
    _rule_on_entry(agent, "withdraw", reason=reason, tournament=tournament, db=db)


def release(
    agent: AgentArgument, reason: ReasonOption, tournament: TournamentOption = None, db: DatabaseOption = None
) -> None:
    """Let an agent that was withdrawn, or quarantined for its faults, play again.

    Example: arena release alice --reason "fixed and tested"
    """
    _rule_on_entry(agent, "release", reason=reason, tournament=tournament, db=db)


def _rule_on_game(text: str, what: str, *, reason: str, db: str | None, to: str | None = None) -> None:
    from db import lookup, store
    from db.database import Database

    reason = _given(reason)
    with Database(db, create=False) as database, database.writing() as connection:
        game = lookup.seating(connection, lookup.find_game(connection, text))
        if game.status != "finished" and (what, game.status) != ("award", "void"):
            raise BadRuling(f"expected a finished game, game {game.id} is {game.status}")
        seat = None if to is None else _seat(to, game.names, game.id)
        store.rule_on_game(connection, game.id, what, reason, datetime.now(UTC), seat=seat)
    players = " - ".join(game.names)
    done = "counts for nothing" if seat is None else f"is awarded to {game.names[seat]}"
    print(f"game {game.id} ({printable(players)}) {printable(done)}: {printable(reason)}")


def _rule_on_entry(agent: str, what: str, *, reason: str, tournament: str | None, db: str | None) -> None:
    from db import lookup, store
    from db.database import Database

    reason = _given(reason)
    with Database(db, create=False) as database, database.writing() as connection:
        number = lookup.find_tournament(connection, tournament)
        status = lookup.entry_status(connection, number, agent)
        if status == ("withdrawn" if what == "withdraw" else "active"):
            raise BadRuling(f"{agent!r} is {status} already")
        store.rule_on_entry(connection, number, agent, what, reason, datetime.now(UTC))
    done = "is withdrawn" if what == "withdraw" else "plays again"
    print(f"{printable(agent)} {done}: {printable(reason)}")
    print("`arena run` on its description settles the games that this concerns")


def _given(reason: str) -> str:
    if not reason.strip():
        raise BadRuling("expected a reason after --reason, got an empty one")
    return reason.strip()


def _seat(to: str, names: tuple[str, ...], game: int) -> int:
    """The seat that `to` means: by the name that sits there, or by its number."""
    if names.count(to) == 1:
        return names.index(to)
    if to.isascii() and to.isdigit() and len(to) < 3 and int(to) < len(names):
        return int(to)
    seats = ", ".join(f"{seat} ({name})" for seat, name in enumerate(names))
    raise BadRuling(f"expected a seat of game {game} or who sits there, {seats}; got {to!r}")
