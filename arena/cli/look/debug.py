"""`arena replay --debug`: runs an agent again at one turn of a recorded game, and compares its answer with the game."""

from __future__ import annotations

import shlex
import sys
from bdb import BdbQuit
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from adsearch.state import in_both
from agents import hosting
from agents.protocol import Info, Move
from arena.cli.asking import recorded_game
from arena.cli.asking.record_options import submissions
from arena.cli.terminal.board import board_lines
from arena.cli.terminal.notes import wrapped
from arena.history import recorded_rules, words
from arena.history.replay import replay
from arena.student import rerun
from db.database import Database
from db.records import MoveRecord

if TYPE_CHECKING:
    from agents.player import Answer
    from agents.strict import Mistake
    from arena.student.rerun import RecordedTurn
    from db.records import PastGame


def debug(id: str, *, turn: int | None, file: str | None, trust_rules: bool, db: str | None) -> None:
    """Run an agent again at one turn, the ply `turn` of a recorded game, with `breakpoint()` and `print`."""
    game = recorded_game.read_game(id, db)
    with Database(db, create=False) as database, database.reading() as connection:
        ply = turn
        if ply is None:
            ply = rerun.default_ply(game, rerun.seats_of_user_agents(connection, game), trust=trust_rules)
        recorded = rerun.replay_turn(game, ply, trust=trust_rules)
        player, called = rerun.chosen_player(
            connection, submissions(database), game, recorded.seat, file=file, trust=trust_rules
        )
    make = rerun.maker(player, called, recorded)
    for line in _introduction(game, recorded, ply=ply, called=called, chosen=turn is None, trust=trust_rules):
        print(line, flush=True)
    again = rerun.Rerun(make, game, recorded)
    try:
        answer, seconds = again.answer()
    except (Exception, SystemExit) as error:
        if isinstance(error, BdbQuit):  # the user left the debugger
            raise typer.Exit from None
        hosting.show(error.with_traceback(rerun.agents_lines(error)))
        for line in _mistakes_shown(again.mistakes):
            print(line, file=sys.stderr)
        again_at = ["arena", "replay", game.name, "--debug", "--turn", str(ply), "--file", file or "FILE"]
        print(f"after correcting it: {shlex.join([*again_at, *(['--db', db] if db else [])])}", file=sys.stderr)
        raise typer.Exit(1) from None
    for line in _compared(game, recorded, ply=ply, answer=answer, seconds=seconds):
        print(line)
    if again.differed:
        print(wrapped(_why_different(again.differed, another=file is not None)))
    for line in _mistakes_shown(again.mistakes):
        print(line)
    if again.mistakes or not _is_legal(recorded, answer):
        raise typer.Exit(1)


def _introduction(
    game: PastGame, recorded: RecordedTurn, ply: int, called: str, *, chosen: bool, trust: bool
) -> Iterator[str]:
    """The position and how the agent is run; also why at this ply, if the user did not choose it (`chosen`)."""
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


def _compared(game: PastGame, recorded: RecordedTurn, ply: int, answer: Answer | None, seconds: float) -> Iterator[str]:
    """The agent's answer now, and its move in the game."""
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
    for mistake in mistakes:
        yield ""
        yield wrapped(words.printable(f"mistake {mistake}"), more=" " * 8)
        if mistake.expected:
            yield wrapped(words.printable(f"        expected {mistake.expected}"), more=" " * 8)
        yield wrapped(words.printable(f"advice  {mistake.cure}"), more=" " * 8)


def _is_legal(recorded: RecordedTurn, answer: Answer | None) -> bool:

    state = recorded.state
    return not isinstance(answer, Move) or answer.move in map(state.to_text, state.moves())
