"""`arena debug`: an agent asked again in a game on record, here, so that a debugger and print work.

Nothing confines it: it runs as any program of the user's. It is sent what it was sent in the game, so it answers as it
did then, if it draws from nothing but its own seed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from time import monotonic, monotonic_ns
from typing import TYPE_CHECKING, Annotated

import typer

from agents import builtin
from agents.errors import BadAgent
from arena.cli.asking.record_options import DatabaseOption, GameIdArgument, TrustOption, submissions
from arena.cli.terminal.wrapping import wrapped
from arena.errors import BadPlayer, UntrustedCode
from arena.history import recorded_rules
from arena.players import own_sources
from arena.players.own_sources import OwnSource
from arena.players.player import PlayerKind, read_player
from arena.players.submissions import in_store

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.player import Answer
    from agents.player import Player as Host
    from arena.players.player import Player
    from arena.student.recorded_turn import RecordedTurn
    from db.records import PastGame


def debug(
    id: GameIdArgument,
    ply: Annotated[
        int | None,
        typer.Option(
            "--ply",
            metavar="N",
            min=1,
            help="Which ply, a turn of the agent's. Usual: where it failed, else the last turn of an agent of yours.",
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="Ask this agent instead, such as the mended file."),
    ] = None,
    trust_rules: TrustOption = False,
    db: DatabaseOption = None,
) -> None:
    """Ask an agent again at one ply of a game: `breakpoint()` and `print` work.

    It runs here as a program of yours, from the source that played, without
    walls and with the clock off. First it goes through its earlier turns, so that
    it knows what it knew then: there nothing is shown and no breakpoint stops.

    Example: arena debug last --ply 14

    Example: arena debug cs101-812 --ply 14 --file my_agent.py
    """
    from agents import hosting
    from agents.player import Player as Host
    from arena.cli.asking import recorded_game
    from arena.student.recorded_turn import default_ply, replay_turn

    game = recorded_game.read_game(id, db)
    chosen = ply is None
    if ply is None:
        ply = default_ply(game, _own_seats(game, db), trust=trust_rules)
    recorded = replay_turn(game, ply, trust=trust_rules)
    player, called = _player(game, recorded, file=file, db=db, trust=trust_rules)
    make = _maker(player, called, recorded)
    for line in _introduction(game, recorded, ply=ply, called=called, chosen=chosen, trust=trust_rules):
        print(line, flush=True)
    try:
        host = Host(make, name=game.players[recorded.seat])
        host.answer(recorded.start, monotonic_ns())
        differed = _go_through(host, recorded, game)
        begun = monotonic()
        answer = host.answer(recorded.turns[-1], monotonic_ns())
        seconds = monotonic() - begun
    except (Exception, SystemExit) as error:
        if _left_debugger(error):
            raise typer.Exit from None
        # Its own lines alone: the first are ours.
        begin = error.__traceback__
        while begin is not None and begin.tb_frame.f_code.co_filename == __file__:
            begin = begin.tb_next
        hosting.show(error.with_traceback(begin))
        print(_mend(game, ply, file), file=sys.stderr)
        raise typer.Exit(1) from None
    for line in _compared(game, recorded, ply=ply, answer=answer, seconds=seconds):
        print(line)
    if differed:
        print(wrapped(_why_different(differed, another=file is not None)))
    if not _is_legal(recorded, answer):
        raise typer.Exit(1)


# Who is asked.


def _player(
    game: PastGame, recorded: RecordedTurn, *, file: str | None, db: str | None, trust: bool
) -> tuple[Player, str]:
    """Who is asked, and what to call it: the file, or the version that played."""
    if file is not None:
        return read_player(file), file
    player, called = _as_then(game, recorded.seat, db)
    if not trust and player.path is not None and not _is_own(game, player.path):
        raise UntrustedCode(
            f"{called} was not entered on this account, and debug runs it without walls; if you trust its author, add "
            "--trust-rules, or ask a file of yours with --file FILE"
        )
    return player, called


def _is_own(game: PastGame, path: Path) -> bool:
    """Whether the user's own commands have frozen what lies at that path in the store."""
    stored = in_store(path)
    return not game.from_outside and stored is not None and own_sources.is_noted(OwnSource.AGENT, stored.hash)


def _as_then(game: PastGame, seat: int, db: str | None) -> tuple[Player, str]:
    """The version that played in that seat, and what to call it."""
    from arena.players import versions
    from db.database import Database

    with Database(db, create=False) as database, database.reading() as connection:
        version = versions.of_seat(connection, game.seats[seat])
        return versions.player(version, submissions(database)), f"{version.agent}@{version.number}"


def can_be_asked(game: PastGame, seat: int, db: str | None) -> bool:
    """Whether the agent in that seat can be asked again."""
    try:
        player, _ = _as_then(game, seat, db)
    except BadPlayer:
        return False
    return player.kind in (PlayerKind.BUILTIN, PlayerKind.FILE, PlayerKind.FOLDER)


def _own_seats(game: PastGame, db: str | None) -> list[int]:
    """Where agents of somebody's own sat."""
    from arena.players import versions
    from db.database import Database

    if any(seat.version is None for seat in game.seats):
        return []  # it has not begun
    with Database(db, create=False) as database, database.reading() as connection:
        sources = [versions.of_seat(connection, seat).source for seat in game.seats]
    return [
        seat
        for seat, source in enumerate(sources)
        if not builtin.is_builtin(source) and source not in (PlayerKind.HUMAN, PlayerKind.WAIT)
    ]


def _maker(player: Player, called: str, recorded: RecordedTurn) -> Callable[[], Agent]:
    """What makes the agent; its file is run now."""
    from agents import builtin, hosting, loading

    if player.kind is PlayerKind.BUILTIN:
        builtin.check_can_play(player.text, recorded.state)
        return builtin.find(player.text).make
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT):
        raise BadPlayer(f"expected an agent's file, a folder or a built-in, got {player.text!r}")
    if player.kind is PlayerKind.COMMAND:
        seat = recorded.state.view(recorded.seat)
        raise BadPlayer(
            f"{called} is a program of its own ({player.text}), into which Python's debugger cannot look: start it in "
            f"its own debugger and send it this position: {seat}"
        )
    try:
        return loading.load(f"{player.path}:{player.class_name}" if player.class_name else str(player.path))
    except BadAgent as error:
        if error.__cause__ is not None:
            hosting.show(error.__cause__)
        raise


# Asking.


def _go_through(host: Host, recorded: RecordedTurn, game: PastGame) -> list[int]:
    """The agent's earlier turns; at which plies it answered something else than in the game."""
    from agents.protocol import Move

    differed = []
    for turn in recorded.turns[:-1]:
        with _undisturbed():
            answer = host.answer(turn, monotonic_ns())
        if not isinstance(answer, Move) or answer.move != game.moves[turn.ply - 1].move:
            differed.append(turn.ply)
    return differed


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Inside, nothing is printed and no breakpoint stops."""
    import pdb

    def pass_by(*_: object, **__: object) -> None:
        pass

    places = ((sys, "breakpointhook"), (pdb, "set_trace"))
    before = [getattr(owner, name) for owner, name in places]
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for owner, name in places:
            setattr(owner, name, pass_by)
        try:
            yield
        finally:
            for (owner, name), hook in zip(places, before, strict=True):
                setattr(owner, name, hook)


def _left_debugger(error: BaseException) -> bool:
    from bdb import BdbQuit

    return isinstance(error, BdbQuit)


# What is printed.


def _introduction(
    game: PastGame, recorded: RecordedTurn, ply: int, called: str, *, chosen: bool, trust: bool
) -> Iterator[str]:
    """Where the game stands, and how the agent is run; why at this ply, where we have `chosen` it."""
    from arena.cli.asking import recorded_game
    from arena.history import words

    seat, state = recorded.seat, recorded.state
    yield from map(wrapped, recorded_game.header(game))
    yield words.drawn(recorded_rules.load(game, state.view(seat), trust=trust) if state.hidden else state)
    earlier = len(recorded.turns) - 1
    first = f", after {earlier} earlier turn{'s' * (earlier != 1)}" if earlier else ""
    yield wrapped(f"ply {ply}: asking {words.printable(called)} in seat {seat}{first}")
    if chosen:
        ended = "gave up" if game.verdict == "resigned" else "failed"
        which = "its last turn" if ply <= len(game.moves) else f"the turn in which it {ended}"
        yield wrapped(f"That is {which}; with --ply N it is asked at another.")
    yield wrapped("It runs here, without walls, and no clock ends the game. What it prints follows.")


def _mend(game: PastGame, ply: int, file: str | None) -> str:
    return f"once it is mended: arena debug {game.id} --ply {ply} --file {file or 'FILE'}"


def _compared(game: PastGame, recorded: RecordedTurn, ply: int, answer: Answer | None, seconds: float) -> Iterator[str]:
    """What it answers now beside what was played."""
    from agents.protocol import Info, Move
    from arena.cli.asking import recorded_game
    from arena.history import words
    from db.records import MoveRecord

    now = "resigns"
    thinking = ""
    if isinstance(answer, Move):
        info = answer.info or Info()
        now = answer.move if _is_legal(recorded, answer) else f"no legal move: {answer.move}"
        thinking = words.thinking(
            MoveRecord(ply, 0, now, score=info.score, depth=info.depth, nodes=info.nodes, text=info.text)
        )
    yield ""
    yield wrapped(words.printable(f"now     {now}   {seconds:.2f} s   {thinking}".rstrip()), more=" " * 8)
    if ply <= len(game.moves):
        then = game.moves[ply - 1]
        compared = "the same move" if then.move == now else "another move"
        took = words.seconds(then.spent)
        yield wrapped(words.printable(f"then    {then.move}   {took}   {words.thinking(then)}".rstrip()), more=" " * 8)
        yield compared
    else:
        ended = [*recorded_game.ending(game)[:1], *recorded_game.busy(game.verdict, game.fault, game.seats)]
        yield wrapped(f"then    no move: {'; '.join(ended)}", more=" " * 8)


def _why_different(plies: list[int], *, another: bool) -> str:
    """What it means that it answered otherwise on the way."""
    at = ", ".join(map(str, plies[:8])) + (", ..." if len(plies) > 8 else "")
    why = "" if another else ": it measures time, or draws from something else than self.random"
    return f"on the way it answered otherwise than in the game, at ply {at}{why}"


def _is_legal(recorded: RecordedTurn, answer: Answer | None) -> bool:
    from agents.protocol import Move

    state = recorded.state
    return not isinstance(answer, Move) or answer.move in map(state.to_text, state.moves())
