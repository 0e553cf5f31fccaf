"""`arena rule`: an instructor's recorded decisions about games and agents.

`arena.tournament.rulings` decides which rulings are allowed and what follows from them; this module reads the arguments
and prints the outcome.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch.errors import nearly
from arena.cli.asking import recorded_game
from arena.cli.asking.game_filters import filtered, refuse_unknown_game
from arena.cli.asking.record_options import DatabaseOption, GameIdArgument, by_name, reading, submissions
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import answer, is_interactive
from arena.errors import BadRuling
from arena.history import words
from arena.history.words import printable
from arena.results.columns import PROGRAMS, Column, Medium, fields
from db.records import ACTS, MAX_INTEGER, game_name

if TYPE_CHECKING:
    from db.database import Connection
    from db.records import PastGame
    from db.rulings import StoredRuling
    from db.search import GameFilter

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="Name of the agent in the tournament.")]
TournamentOption = Annotated[
    str | None,
    by_name(typer.Option, help="Tournament, needed if the agent takes part in several."),
]
ReasonOption = Annotated[str, typer.Option(metavar="TEXT", help="Reason, shown with the ruling everywhere.")]
_SHOWN: Final = 5
"""Number of games shown before the user confirms."""
_ALL: Final = 1_000_000
_UPDATES: Final = "updates the games that this affects"


_IdArgument = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="Recorded game: its id, 'last', or demo-12. Without it, filters choose."),
]
_YesOption = Annotated[bool, typer.Option("--yes", help="No confirmation before several games are annulled.")]


@filtered()
def void(
    wanted: GameFilter, reason: ReasonOption, id: _IdArgument = None, yes: _YesOption = False, db: DatabaseOption = None
) -> None:
    """Annul a game, so that its result does not count; filters annul several games.

    The game stays recorded, with the ruling. `arena rule again` annuls a game and plays it again.

    Example: arena rule void demo-12 --reason "the machine was busy with a backup"

    Example: arena rule void --tournament demo --verdict time --reason "a backup ran"
    """
    _annul(wanted, "void", reason=reason, id=id, yes=yes, db=db)


@filtered()
def again(
    wanted: GameFilter, reason: ReasonOption, id: _IdArgument = None, yes: _YesOption = False, db: DatabaseOption = None
) -> None:
    """Annul a game and play it again; filters do so with several games.

    The game stays recorded, with the ruling. The new attempt is played in the next run of the tournament, or in a
    ladder by `arena serve`.

    Example: arena rule again demo-12 --reason "the machine was busy with a backup"

    Example: arena rule again --tournament demo --verdict time --reason "a backup ran"
    """
    _annul(wanted, "again", reason=reason, id=id, yes=yes, db=db)


def _annul(wanted: GameFilter, what: str, *, reason: str, id: str | None, yes: bool, db: str | None) -> None:
    from db.search import GameFilter

    if (id is None) == (wanted == GameFilter()):
        raise typer.BadParameter("expected either a game's ID, or filters such as --tournament demo --verdict time")
    if id is not None:
        _rule_on_game(id, what, reason=reason, db=db)
    else:
        _rule_on_games(wanted, what, reason=reason, yes=yes, db=db)


def award(
    id: GameIdArgument,
    to: Annotated[str, typer.Option("--to", metavar="NAME|SEAT", help="Winner: a player, or a seat (0 is the first).")],
    reason: ReasonOption,
    db: DatabaseOption = None,
) -> None:
    """Award a game to one of its players, as if that player had won it.

    The original result stays recorded, with the ruling.

    Example: arena rule award demo-12 --to random --reason "the opponent was not its author's own work"
    """
    _rule_on_game(id, "award", reason=reason, db=db, to=to)


def withdraw(
    agent: AgentArgument, reason: ReasonOption, tournament: TournamentOption = None, db: DatabaseOption = None
) -> None:
    """Withdraw an agent from a tournament: it forfeits the games that have not started.

    Example: arena rule withdraw mcts --tournament demo --reason "at its author's request"
    """
    _rule_on_entry(agent, "withdraw", reason=reason, tournament=tournament, db=db)


def quarantine(
    agent: AgentArgument, reason: ReasonOption, tournament: TournamentOption = None, db: DatabaseOption = None
) -> None:
    """Put an agent aside: it forfeits games until it is released, or on a ladder until its author hands in again.

    Example: arena rule quarantine mcts --tournament demo --reason "it wrote 2 GB of logs"
    """
    _rule_on_entry(agent, "quarantine", reason=reason, tournament=tournament, db=db)


def release(
    agent: AgentArgument, reason: ReasonOption, tournament: TournamentOption = None, db: DatabaseOption = None
) -> None:
    """Release an agent that was withdrawn or quarantined, so that it plays again.

    Example: arena rule release mcts --reason "fixed and tested"
    """
    _rule_on_entry(agent, "release", reason=reason, tournament=tournament, db=db)


def revoke(
    ruling: Annotated[
        int,
        typer.Argument(
            metavar="RULING", min=1, max=MAX_INTEGER, help="Number of the ruling; `arena rule list` lists them."
        ),
    ],
    reason: ReasonOption,
    db: DatabaseOption = None,
) -> None:
    """Revoke a ruling: what was in force before applies again.

    Both rulings stay recorded. If the ruling was `arena rule again`, the new attempt is cancelled; if it was already
    played, the ruling cannot be revoked. Nor can it be if the next round of a knockout has been paired since.

    Example: arena rule revoke 1 --reason "it was another game"
    """
    from arena.tournament import rulings as deciding
    from db import games, lookup
    from db import rulings as record

    reason = deciding.reason_in(reason)
    with reading(db) as connection:
        old = record.ruling(connection, ruling)
    with _writing(db, old.what, [] if old.tournament is None else [old.tournament]) as connection:
        new = deciding.revoke(connection, ruling, reason, datetime.now(UTC))
        if old.game is None:
            statuses = {row.tournament: row.status for row in lookup.entries_of(connection, old.players[0])}
            now = f"{old.players[0]} is {statuses[old.tournament or '']} in {old.tournament}"
        else:
            (game,) = games.games(connection, [old.game])
            as_it_ended = f"counts as it ended, {words.result(game.counted or [None])}"
            holds = f"is {words.ruled(game.ruling, game.players)}" if game.ruling else as_it_ended
            now = f"{_called(game)} {holds}"
    print(printable(f"ruling {new} revokes ruling {ruling}: {now}: {reason}"))
    if old.what == "again":
        print("its replay is cancelled")
    elif old.game is None:
        _say_what_follows(old.tournament, _UPDATES, db=db)


@listed(
    lambda: RULINGS,
    about={
        "id": "the number for `arena rule revoke`",
        "what": "`void`, `again`, `award`, `withdraw`, `quarantine`, `release` or `revoke`",
        "tournament, game, number, reason, when": "`game`: its id; `number`: in the tournament",
        "players, seat": "an array: the players of the game, or the agent; the winner's seat",
        "revokes, revoked": "the ruling that it takes back; that took it back",
    },
)
def rulings(
    shown: Shown,
    tournament: Annotated[
        str | None, by_name(typer.Argument, help="Tournament whose rulings to list.", show_default="all")
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """List the rulings about games and agents, newest first.

    Example: arena rule list demo
    """
    from db import lookup
    from db import rulings as record

    with reading(db) as connection:
        number = None if tournament is None else lookup.find_tournament(connection, tournament)
        found = record.rulings(connection, number)
    show(found, RULINGS, shown)


def _about(row: StoredRuling) -> str:
    """The game or agent of the ruling."""
    players = " - ".join(row.players)
    if row.game is None:
        return f"{players} in {row.tournament}"
    name = game_name(row.game, row.tournament, row.number)
    return f"{name} ({players})"


RULINGS: Final[tuple[Column[StoredRuling], ...]] = (
    Column("id", "ruling"),
    Column("made", "made (UTC)", value=lambda row: row.when[:10], on=Medium.TABLE),
    Column(
        "what", "decided", text=lambda row: words.ruled(row, row.players) + " (revoked)" * (row.revoked is not None)
    ),
    Column("about", value=_about, on=Medium.TABLE, narrow=7),
    *fields(("tournament", "game", "number"), on=PROGRAMS),
    Column("players", value=lambda row: list(row.players), on=PROGRAMS),
    Column("seat", on=PROGRAMS),
    Column("reason"),
    *fields(("when", "revokes", "revoked"), on=PROGRAMS),
)


# Games.


def _rule_on_game(text: str, what: str, *, reason: str, db: str | None, to: str | None = None) -> None:
    from arena.tournament import rulings as deciding
    from db import games, lookup

    reason = deciding.reason_in(reason)
    with reading(db) as connection:
        id = lookup.find_game(connection, text)
        (game,) = games.games(connection, [id])
        if why := deciding.refusal(connection, game, what):
            raise BadRuling(why)
    with _writing(db, what, _titles([game])) as connection:
        (game,) = games.games(connection, [id])
        seat = None if to is None else _seat(to, game)
        ruling = deciding.rule(connection, game, what, reason, datetime.now(UTC), seat=seat)
    to = "" if seat is None else f" to {game.players[seat]}"
    print(printable(f"ruling {ruling}: {_called(game)} is {ACTS[what].done}{to}: {reason}"))
    if what == "again":
        _say_what_follows(game.tournament, "plays it", db=db)


def _rule_on_games(wanted: GameFilter, what: str, *, reason: str, yes: bool, db: str | None) -> None:
    """Record the same ruling for all games found, in one transaction."""
    from arena.tournament import rulings as deciding
    from db import games, search

    reason = deciding.reason_in(reason)
    with reading(db) as connection:
        found = search.page(connection, wanted, limit=_ALL)
        if not found:
            refuse_unknown_game(connection, wanted)
            raise BadRuling("no game matches these filters; `arena results history` has the same filters")
        refusals = {game.id: deciding.refusal(connection, game, what) for game in found}
    chosen = [game for game in found if refusals[game.id] is None]
    refused = [why for why in refusals.values() if why is not None]
    if not chosen:
        raise BadRuling(f"none of {_games(len(found))} can be annulled: {refused[0]}")
    print(f"{_games(len(chosen))} to be annulled{' and played again' * (what == 'again')}:")
    for game in chosen[:_SHOWN]:
        print(f"  {recorded_game.header(game)[0]}   {printable(game.verdict or '')}")
    if len(chosen) > _SHOWN:
        print(f"  ... and {len(chosen) - _SHOWN} more; `arena results history` with the same filters lists them")
    if refused:
        print(printable(f"left out: {_games(len(refused))} ({refused[0]}{', and so on' * (len(refused) > 1)})"))
    if not yes and not _agreed("annul them? [y/N]"):
        print("nothing was changed")
        raise typer.Exit(1)
    ids = sorted(game.id for game in chosen)
    with _writing(db, what, _titles(chosen)) as connection:
        now = datetime.now(UTC)
        made = [deciding.rule(connection, game, what, reason, now) for game in games.games(connection, ids)]
    numbers = f"ruling {made[0]}" if len(made) == 1 else f"rulings {made[0]} to {made[-1]}"
    print(printable(f"{numbers}: {_games(len(made))} annulled: {reason}"))
    if what == "again":
        for tournament in _titles(chosen):
            _say_what_follows(tournament, "plays them again", db=db)


def _agreed(question: str) -> bool:
    if not is_interactive():
        raise BadRuling("several games would be annulled, and there is no terminal to confirm it: add --yes")
    return answer(question).lower() in ("y", "yes")


def _titles(chosen: Sequence[PastGame]) -> list[str]:
    """The tournaments of the games."""
    return sorted({game.tournament for game in chosen if game.tournament is not None})


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


def _called(game: PastGame) -> str:
    """The name of the game for a message."""
    attempt = f"attempt {game.attempt}, " if game.attempt > 1 else ""
    return f"game {game.name} ({attempt}{' - '.join(game.players)})"


def _seat(to: str, game: PastGame) -> int:
    """The seat that `to` means, by the player's name or by the number of the seat."""
    names = game.players
    if names.count(to) == 1:
        return names.index(to)
    if to.isascii() and to.isdigit() and len(to) < 3 and int(to) < len(names):
        return int(to)
    seats = ", ".join(f"{seat} ({name})" for seat, name in enumerate(names))
    raise BadRuling(f"expected a seat or player of game {game.name}: {seats}; got {to!r}")


# Agents.


def _rule_on_entry(agent: str, what: str, *, reason: str, tournament: str | None, db: str | None) -> None:
    from arena.tournament import rulings as deciding
    from db import lookup

    reason = deciding.reason_in(reason)
    with reading(db) as connection:
        title = _meant(connection, agent, what, tournament)
    with _writing(db, what, [title]) as connection:
        number = lookup.find_tournament(connection, title)
        ruling = deciding.rule_on_entry(connection, number, agent, what, reason, datetime.now(UTC))
    print(printable(f"ruling {ruling}: {agent} in {title} is {ACTS[what].done}: {reason}"))
    _say_what_follows(title, _UPDATES, db=db)


def _meant(connection: Connection, agent: str, what: str, tournament: str | None) -> str:
    """The tournament of a ruling about the agent: the named one, the only one in which the ruling would change
    anything, or the one that the user chooses."""
    from db import lookup
    from db.errors import NotFound

    number = None if tournament is None else lookup.find_tournament(connection, tournament)
    entries = [row for row in lookup.entries_of(connection, agent) if tournament in (None, row.tournament)]
    if not entries:
        where = "any tournament" if tournament is None else repr(tournament)
        names = lookup.entered(connection) if number is None else [*lookup.entry_statuses(connection, number)]
        hint = nearly(agent, names) or "; `arena results` lists the agents"
        raise NotFound(f"no agent {agent!r} in {where}{hint}")
    able = [row for row in entries if row.status != ACTS[what].status]
    if not able:
        there = ", ".join(row.tournament for row in entries)
        raise BadRuling(f"{agent!r} is already {entries[0].status} in {there}")
    if len(able) == 1:
        return able[0].tournament
    return _asked(agent, {row.tournament: row.tournament_status for row in able})


def _asked(agent: str, titles: dict[str, str]) -> str:
    """The tournament that the user chooses."""
    listed = ", ".join(f"{title} ({status})" for title, status in titles.items())
    if not is_interactive():
        raise BadRuling(f"{agent!r} takes part in {listed}: choose one with --tournament")
    chosen = answer(printable(f"{agent} takes part in {listed}. Which tournament?"))
    if chosen not in titles:
        raise BadRuling(f"expected one of {', '.join(titles)}, got {chosen!r}; nothing was changed")
    return chosen


def _say_what_follows(tournament: str | None, what: str, *, db: str | None) -> None:
    """Print what plays the tournament's games, and when it does `what`."""
    from arena.serve.open_ladders import ladder_of

    with reading(db) as connection:
        ladder = None if tournament is None else ladder_of(connection, tournament)
    if ladder is None:
        print(printable(f"the next run of {tournament} {what}"))
    elif what == _UPDATES and tournament != ladder.name:  # a running tournament keeps its schedule
        print(f"`arena serve` {what} when it is started the next time")
    else:
        print(f"`arena serve` {what}: within seconds if it is running, otherwise when it is started")


# The database.


@contextmanager
def _writing(db: str | None, what: str, tournaments: Sequence[str]) -> Iterator[Connection]:
    """A transaction for such a ruling in these tournaments, as `arena.tournament.rulings.writing`."""
    from arena.tournament import rulings as deciding
    from db.database import Database

    with (
        Database(db, create=False) as database,
        deciding.writing(database, submissions(database).folder, what, tournaments) as connection,
    ):
        yield connection
