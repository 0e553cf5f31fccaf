"""Runs an agent again at one turn of a recorded game, in this process, so that a debugger and print work.

The agent is not confined: it has the user's permissions. It gets the same messages as in the game (the recorded moves
are played again through a `Match`), so it plays the same moves if its only source of randomness is its seed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from time import monotonic, monotonic_ns
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from adsearch import CHANCE, State
from agents import builtin
from agents.protocol import Move, Over, Ready, Start, Turn, Verdict
from agents.strict import StrictPlayer
from arena.errors import ArenaError, BadPlayer, UntrustedCode
from arena.history.replay import positions
from arena.match import Match
from arena.match.conditions import Conditions, Limits, OwnTime
from arena.match.fixture import Fixture, SeatPlan
from arena.match.seeds import GameSeeds
from arena.players import own_sources, versions
from arena.players.own_sources import OwnSource
from arena.players.player import Player, PlayerKind, loaded, read_player
from arena.players.submissions import Store, in_store
from db.records import PastGame

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.player import Answer
    from agents.strict import Mistake
    from db.database import Connection


class Rerun:
    """An agent that is run again, and what it does."""

    def __init__(self, make: Callable[[], Agent], game: PastGame, recorded: RecordedTurn) -> None:
        """`make`: as `maker` finds it."""
        self.mistakes: list[Mistake] = []
        self.differed: list[int] = []
        """The earlier plies at which its answer differs from the game."""
        self._game, self._recorded = game, recorded
        self._host = StrictPlayer(make, name=game.players[recorded.seat], report=self.mistakes.append)

    def answer(self) -> tuple[Answer | None, float]:
        """Plays its earlier turns again, and then this one; returns the answer and the seconds it took. Raises what the
        agent raises."""
        self._host.answer(self._recorded.start, monotonic_ns())
        for turn in self._recorded.turns[:-1]:
            with _silently():
                answer = self._host.answer(turn, monotonic_ns())
            if not isinstance(answer, Move) or answer.move != self._game.moves[turn.ply - 1].move:
                self.differed.append(turn.ply)
        begun = monotonic()
        answer = self._host.answer(self._recorded.turns[-1], monotonic_ns())
        return answer, monotonic() - begun


def agents_lines(error: BaseException) -> TracebackType | None:
    """The traceback below the frames of this file: its reader needs the agent's lines."""
    found = frame = error.__traceback__
    while frame is not None:
        found = frame.tb_next if frame.tb_frame.f_code.co_filename == __file__ else found
        frame = frame.tb_next
    return found


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


# Which agent.


def chosen_player(
    connection: Connection, store: Store, game: PastGame, seat: int, *, file: str | None, trust: bool
) -> tuple[Player, str]:
    """The agent to run, and its name: the file, or the version that played. UntrustedCode if another account recorded
    that, unless the user trusts it."""
    if file is not None:
        return read_player(file), file
    player, called = _recorded_player(connection, store, game, seat)
    if not trust and player.path is not None:
        stored = in_store(player.path)
        if game.from_outside or stored is None or not own_sources.is_noted(OwnSource.AGENT, stored.hash):
            raise UntrustedCode(
                f"{called} was not recorded by this account, and debug runs it without a sandbox; if you trust its "
                "author, add --trust-rules, or run your own file with --file FILE"
            )
    return player, called


def _recorded_player(connection: Connection, store: Store, game: PastGame, seat: int) -> tuple[Player, str]:
    """The version that played in that seat, and its name."""
    version = versions.version_of_seat(connection, game.seats[seat])
    return versions.player_of(version, store), f"{version.agent}@{version.number}"


def can_run(connection: Connection, store: Store, game: PastGame, seat: int) -> bool:
    """Whether the agent in that seat can be run again."""
    try:
        player, _ = _recorded_player(connection, store, game, seat)
    except BadPlayer:
        return False
    return player.kind is PlayerKind.BUILTIN or player.is_python


def seats_of_user_agents(connection: Connection, game: PastGame) -> list[int]:
    """The seats of agents that are not built in, nor engines, nor people, nor "wait"."""
    if any(seat.version is None for seat in game.seats):
        return []  # the game has not started
    played = [versions.version_of_seat(connection, seat) for seat in game.seats]
    return [
        seat
        for seat, version in enumerate(played)
        if not versions.is_ready_made(version.source, version.started_as)
        and version.source not in (PlayerKind.HUMAN, PlayerKind.WAIT)
    ]


def maker(player: Player, called: str, recorded: RecordedTurn) -> Callable[[], Agent]:
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
    if not player.is_python:
        seat = recorded.state.view(recorded.seat)
        raise BadPlayer(
            f"{called} is an external program ({player.text}), which Python's debugger cannot enter: start it in a "
            f"debugger for its language and send it this position: {seat}"
        )
    return loaded(player)


# Restores the exact messages that a seat received in a recorded game, up to one of its turns.


_EVER: Final = 10**18
"""A margin so large that no move is late, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn in a recorded game, with all messages that its seat received up to it."""

    seat: int
    state: State[Any]
    """The whole position at this turn."""
    start: Start
    turns: tuple[Turn, ...]
    """The seat's turns so far; this turn is the last."""


def replay_turn(game: PastGame, ply: int, *, trust: bool = False) -> RecordedTurn:
    """The turn at `ply`, with all messages that its seat received; it can be the turn in which the game ended.

    ArenaError if no player moved at that ply, or the record cannot be played again; UntrustedCode if the code of its
    rules must not run."""
    states = list(positions(game, trust=trust))
    seat = _seat_at(game, states, ply)
    match, sent = _judged_again(game, ply)
    own = [message for to, message in sent if to == seat]
    start, *turns = own
    played = [(move.who, move.move) for move in game.moves[: ply - 1]]
    same = [(move.who, move.move) for move in match.moves] == played
    if not (same and isinstance(start, Start) and turns and all(isinstance(turn, Turn) for turn in turns)):
        raise ArenaError(f"game {game.name} cannot be played again as recorded; see: arena data verify")
    return RecordedTurn(seat, states[ply - 1], start, tuple(turn for turn in turns if isinstance(turn, Turn)))


def default_ply(game: PastGame, own: Collection[int], *, trust: bool = False) -> int:
    """The default ply: the last turn of the agent that failed or resigned, else of the seats `own`, else of any seat.
    ArenaError if there was no turn."""
    asked = _asked(game, list(positions(game, trust=trust)))
    if game.fault is None:
        asked.pop(len(game.moves) + 1, None)
    for seats in ([game.fault], own, range(len(game.seats))):
        if turns := [ply for ply, seat in asked.items() if seat in seats]:
            return max(turns)
    raise ArenaError(f"game {game.name}: no agent was asked for a move")


def _asked(game: PastGame, states: Sequence[State[Any]]) -> dict[int, int]:
    """The seat that was asked at each ply, including the ply in which the game ended."""
    not_asked = {move.ply for move in game.moves if move.who == "opening"}
    if game.verdict == Verdict.ADJUDICATED:
        not_asked.add(len(game.moves) + 1)
    return {
        number: state.turn
        for number, state in enumerate(states, 1)
        if state.turn is not None and state.turn != CHANCE and number not in not_asked
    }


def _seat_at(game: PastGame, states: Sequence[State[Any]], ply: int) -> int:
    """The seat that was asked at `ply`."""
    asked = _asked(game, states)
    if ply in asked:
        return asked[ply]
    if not asked:
        raise ArenaError(f"game {game.name}: no agent was asked for a move")
    if ply > len(states):
        what = f"the game has {len(game.moves)} plies"
    elif states[ply - 1].turn is None or ply > len(game.moves):
        what = "the game was over"
    else:
        opening = states[ply - 1].turn != CHANCE or (ply <= len(game.moves) and game.moves[ply - 1].who == "opening")
        what = "this ply is part of the opening" if opening else "this ply is a chance event"
    nearest = min(asked, key=lambda number: abs(number - ply))
    raise ArenaError(f"game {game.name}, ply {ply}: {what}; the nearest ply at which an agent was asked is {nearest}")


def _names_shown(game: PastGame) -> bool:
    """Whether the players got the names of their opponents; in games of older versions, outside tournaments only."""
    return bool((game.host or {}).get("names", "shown" if game.tournament is None else "hidden") == "shown")


def _max_plies(game: PastGame) -> int | None:
    """The game's limit of moves; in games of older versions it is known only if it ended the game."""
    made = sum(isinstance(move.who, int) for move in game.moves)
    limit = (game.host or {}).get("max_plies", made if game.verdict == Verdict.ADJUDICATED else None)
    return limit if isinstance(limit, int) and limit > 0 else None


def _judged_again(game: PastGame, ply: int) -> tuple[Match, list[tuple[int, Start | Turn | Over]]]:
    """Plays the game again up to `ply`; returns it with all messages sent, each with its seat."""
    seeds = GameSeeds.of(game.seed, (game.pair,), leg=game.leg, attempt=game.attempt)
    shown = _names_shown(game)
    plans = tuple(
        SeatPlan(
            seat.player,
            seat.player if shown else f"seat {number}",
            token=f"{number:064x}",
            seed=seeds.for_seat(number) if seat.seed is None else seat.seed,
        )
        for number, seat in enumerate(game.seats)
    )
    fixture = Fixture(
        game=game.id,
        rules=game.game,
        seats=plans,
        key=seeds.key,
        conditions=Conditions(
            clock=game.clock,
            margin=_EVER,
            max_plies=_max_plies(game),
            limits=Limits(hello=None, move=_EVER),
            own_times=tuple(OwnTime(seat.player, seat.clock, _EVER) for seat in game.seats if seat.clock),
        ),
        position=game.position or "",
        opening=tuple((game.opening or "").split()),
    )
    now = 0
    match = Match(fixture, now, secret=b"")
    sent: list[tuple[int, Start | Turn | Over]] = []
    for number in range(len(plans)):
        sent += match.arrive(number, ("position", "legal"), now)
    for number in range(len(plans)):
        sent += match.receive(number, Ready(game.id), now)
    for move in game.moves[: ply - 1]:
        if isinstance(move.who, int) and isinstance(question := sent[-1][1], Turn) and sent[-1][0] == move.who:
            now += move.spent or 0
            sent += match.receive(move.who, Move(game.id, question.id, move.move, spent=move.spent), now)
    return match, sent
