"""`arena replay --debug`: runs an agent again at one turn of a recorded game, so that a debugger and print work.

The agent is not confined: it has the user's permissions. It gets the same messages as in the game, so it plays the same
moves if its only source of randomness is its seed.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from time import monotonic, monotonic_ns
from typing import TYPE_CHECKING

import typer

from adsearch.state import in_both
from agents import builtin
from arena.cli.asking.record_options import submissions
from arena.cli.terminal.wrapping import wrapped
from arena.errors import BadPlayer, UntrustedCode
from arena.history import recorded_rules
from arena.players import own_sources
from arena.players.own_sources import OwnSource
from arena.players.player import PlayerKind, loaded, read_player
from arena.players.submissions import in_store

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.player import Answer
    from agents.player import Player as Host
    from agents.strict import Mistake
    from arena.players.player import Player
    from arena.student.recorded_turn import RecordedTurn
    from db.records import PastGame


def debug(id: str, *, turn: int | None, file: str | None, trust_rules: bool, db: str | None) -> None:
    """Run an agent again at one turn, the ply `turn` of a recorded game, with `breakpoint()` and `print`."""
    from agents import hosting
    from agents.strict import StrictPlayer
    from arena.cli.asking import recorded_game
    from arena.student.recorded_turn import default_ply, replay_turn

    game = recorded_game.read_game(id, db)
    chosen = turn is None
    ply = turn
    if ply is None:
        ply = default_ply(game, _seats_of_user_agents(game, db), trust=trust_rules)
    recorded = replay_turn(game, ply, trust=trust_rules)
    player, called = _player(game, recorded, file=file, db=db, trust=trust_rules)
    make = _maker(player, called, recorded)
    for line in _introduction(game, recorded, ply=ply, called=called, chosen=chosen, trust=trust_rules):
        print(line, flush=True)
    mistakes: list[Mistake] = []
    try:
        host = StrictPlayer(make, name=game.players[recorded.seat], report=mistakes.append)
        host.answer(recorded.start, monotonic_ns())
        differed = _replay_earlier_turns(host, recorded, game)
        begun = monotonic()
        answer = host.answer(recorded.turns[-1], monotonic_ns())
        seconds = monotonic() - begun
    except (Exception, SystemExit) as error:
        if _left_debugger(error):
            raise typer.Exit from None
        # Skip the frames of this file at the start of the traceback: the user needs the agent's lines.
        begin = error.__traceback__
        while begin is not None and begin.tb_frame.f_code.co_filename == __file__:
            begin = begin.tb_next
        hosting.show(error.with_traceback(begin))
        for line in _mistakes_shown(mistakes):
            print(line, file=sys.stderr)
        print(_retry_hint(game, ply, file, db), file=sys.stderr)
        raise typer.Exit(1) from None
    for line in _compared(game, recorded, ply=ply, answer=answer, seconds=seconds):
        print(line)
    if differed:
        print(wrapped(_why_different(differed, another=file is not None)))
    for line in _mistakes_shown(mistakes):
        print(line)
    if mistakes or not _is_legal(recorded, answer):
        raise typer.Exit(1)


# The agent.


def _player(
    game: PastGame, recorded: RecordedTurn, *, file: str | None, db: str | None, trust: bool
) -> tuple[Player, str]:
    """The agent to run, and its name: the file, or the version that played."""
    if file is not None:
        return read_player(file), file
    player, called = _recorded_player(game, recorded.seat, db)
    if not trust and player.path is not None and not _is_own(game, player.path):
        raise UntrustedCode(
            f"{called} was not recorded by this account, and debug runs it without a sandbox; if you trust its author, "
            "add --trust-rules, or run your own file with --file FILE"
        )
    return player, called


def _is_own(game: PastGame, path: Path) -> bool:
    """Whether a command of this account put the source at `path` into the store."""
    stored = in_store(path)
    return not game.from_outside and stored is not None and own_sources.is_noted(OwnSource.AGENT, stored.hash)


def _recorded_player(game: PastGame, seat: int, db: str | None) -> tuple[Player, str]:
    """The version that played in that seat, and its name."""
    from arena.players import versions
    from db.database import Database

    with Database(db, create=False) as database, database.reading() as connection:
        version = versions.of_seat(connection, game.seats[seat])
        return versions.player(version, submissions(database)), f"{version.agent}@{version.number}"


def can_debug(game: PastGame, seat: int, db: str | None) -> bool:
    """Whether `arena replay --debug` can run the agent in that seat."""
    try:
        player, _ = _recorded_player(game, seat, db)
    except BadPlayer:
        return False
    return player.kind in (PlayerKind.BUILTIN, PlayerKind.FILE, PlayerKind.FOLDER)


def _seats_of_user_agents(game: PastGame, db: str | None) -> list[int]:
    """The seats of agents that are not built in, nor engines, nor people, nor "wait"."""
    from arena.players import versions
    from db.database import Database

    if any(seat.version is None for seat in game.seats):
        return []  # the game has not started
    with Database(db, create=False) as database, database.reading() as connection:
        played = [versions.of_seat(connection, seat) for seat in game.seats]
    return [
        seat
        for seat, version in enumerate(played)
        if not versions.is_ready_made(version.source, version.started_as)
        and version.source not in (PlayerKind.HUMAN, PlayerKind.WAIT)
    ]


def _maker(player: Player, called: str, recorded: RecordedTurn) -> Callable[[], Agent]:
    """The function that creates the agent; the agent's file is executed now."""

    if player.kind is PlayerKind.BUILTIN:
        builtin.check_can_play(player.text, recorded.state)
        return builtin.find(player.text).make
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT):
        raise BadPlayer(f"expected an agent's file, a folder or a built-in, got {player.text!r}")
    if player.engine is not None:
        raise BadPlayer(
            f"{called} is an engine ({player.text}), which Python's debugger cannot enter; --turn N chooses a turn of "
            "another player"
        )
    if player.kind is PlayerKind.COMMAND:
        seat = recorded.state.view(recorded.seat)
        raise BadPlayer(
            f"{called} is an external program ({player.text}), which Python's debugger cannot enter: start it in a "
            f"debugger for its language and send it this position: {seat}"
        )
    return loaded(player)


# Running it.


def _replay_earlier_turns(host: Host, recorded: RecordedTurn, game: PastGame) -> list[int]:
    """Play the agent's earlier turns again; return the plies at which its answer differs from the game."""
    from agents.protocol import Move

    differed = []
    for turn in recorded.turns[:-1]:
        with _silently():
            answer = host.answer(turn, monotonic_ns())
        if not isinstance(answer, Move) or answer.move != game.moves[turn.ply - 1].move:
            differed.append(turn.ply)
    return differed


@contextmanager
def _silently() -> Iterator[None]:
    """Inside, nothing is printed and breakpoints are ignored."""
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


# Output.


def _introduction(
    game: PastGame, recorded: RecordedTurn, ply: int, called: str, *, chosen: bool, trust: bool
) -> Iterator[str]:
    """The position and how the agent is run; also why at this ply, if the user did not choose it (`chosen`)."""
    from arena.cli.asking import recorded_game
    from arena.cli.terminal.coloured_board import board_lines
    from arena.history import words
    from arena.history.replay import replay

    seat, state = recorded.seat, recorded.state
    replayed = replay(game, trust=trust)
    yield from map(wrapped, recorded_game.header(replayed.game))
    if state.hidden:
        state, last = recorded_rules.load(game, state.view(seat), trust=trust), None
    else:
        last = replayed.steps[ply - 1].last
    yield from board_lines(state, last)
    earlier = len(recorded.turns) - 1
    first = f", after {earlier} earlier turn{'s' * (earlier != 1)}" if earlier else ""
    yield wrapped(f"ply {ply}: running {words.printable(called)} in seat {seat}{first}")
    if chosen:
        ended = "gave up" if game.verdict == "resigned" else "failed"
        which = "its last turn" if ply <= len(game.moves) else f"the turn in which it {ended}"
        yield wrapped(f"This is {which}; --turn N chooses another turn.")
    yield wrapped("The agent runs without a sandbox and without a clock. Its output follows.")


def _retry_hint(game: PastGame, ply: int, file: str | None, db: str | None) -> str:
    named = ["--file", file or "FILE", *(["--db", db] if db else [])]
    return f"after correcting it: {shlex.join(['arena', 'replay', game.name, '--debug', '--turn', str(ply), *named])}"


def _compared(game: PastGame, recorded: RecordedTurn, ply: int, answer: Answer | None, seconds: float) -> Iterator[str]:
    """The agent's answer now, and its move in the game."""
    from agents.protocol import Info, Move
    from arena.cli.asking import recorded_game
    from arena.history import words
    from db.records import MoveRecord

    now = "resigns"
    thinking = ""
    if isinstance(answer, Move):
        info = answer.info or Info()
        now = answer.move if _is_legal(recorded, answer) else f"not a legal move: {answer.move}"
        thinking = words.thinking(
            MoveRecord(ply, 0, now, score=info.score, depth=info.depth, nodes=info.nodes, text=info.text)
        )
    yield ""
    yield wrapped(
        words.printable(f"now     {_in_both(recorded, now)}   {seconds:.2f} s   {thinking}".rstrip()), more=" " * 8
    )
    if ply <= len(game.moves):
        then = game.moves[ply - 1]
        compared = "the same move" if then.move == now else "another move"
        took = words.seconds(then.spent)
        yield wrapped(
            words.printable(f"then    {_in_both(recorded, then.move)}   {took}   {words.thinking(then)}".rstrip()),
            more=" " * 8,
        )
        yield compared
    else:
        ended = [*recorded_game.ending(game)[:1], *recorded_game.busy(game.verdict, game.fault, game.seats)]
        yield wrapped(f"then    no move: {'; '.join(ended)}", more=" " * 8)


def _why_different(plies: list[int], *, another: bool) -> str:
    """The plies at which earlier answers differ, and the likely reason."""
    at = ", ".join(map(str, plies[:8])) + (", ..." if len(plies) > 8 else "")
    why = "" if another else ": its moves depend on time, or on random numbers that are not from the game's seed"
    return f"earlier answers differ from the game, at ply {at}{why}"


def _in_both(recorded: RecordedTurn, text: str) -> str:
    """The text of a legal move, with its Python value if that is different; any other text as it is."""
    state = recorded.state
    return next((in_both(state, move) for move in state.moves() if state.to_text(move) == text), text)


def _mistakes_shown(mistakes: Sequence[Mistake]) -> Iterator[str]:
    """Each mistake with positions in this turn and the earlier ones, and what to do."""
    from arena.history import words

    for mistake in mistakes:
        yield ""
        yield wrapped(words.printable(f"mistake {mistake}"), more=" " * 8)
        if mistake.expected:
            yield wrapped(words.printable(f"        expected {mistake.expected}"), more=" " * 8)
        yield wrapped(words.printable(f"advice  {mistake.cure}"), more=" " * 8)


def _is_legal(recorded: RecordedTurn, answer: Answer | None) -> bool:
    from agents.protocol import Move

    state = recorded.state
    return not isinstance(answer, Move) or answer.move in map(state.to_text, state.moves())
