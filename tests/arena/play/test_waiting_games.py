"""A game that waits at the referee begins when the one before it is over, or it is dropped."""

from collections.abc import Iterator
from itertools import count
from time import monotonic_ns
from typing import Final, TypeVar

import msgspec
import pytest

from agents.protocol import Move, Over, Ready, Report, Resign, Start, Turn, Verdict
from arena.play import control
from tests.kit.referee_room import Room, ScriptedPlayer, fixture

WIN = ["a1", "b1", "a2", "b2", "a3"]
"""Tic-tac-toe: the first seat wins."""
NUMBERS: Final = count(1)
Message = TypeVar("Message")


class Table:
    """A referee, and games between hosted players that the test plays."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def give(self, players: list[ScriptedPlayer], *, after: int | None = None, guarded: bool = False) -> int:
        """Gives the referee a game; returns its number when the referee has read it."""
        game = fixture(next(NUMBERS), players)
        seats = tuple(msgspec.structs.replace(seat, hosted=True, guarded=guarded) for seat in game.seats)
        self.room.say(control.Play(msgspec.structs.replace(game, seats=seats), after=after))
        self.room.say(control.Ping())
        assert self.room.hear() == control.Pong()
        return game.game

    def start(self, players: list[ScriptedPlayer], game: int) -> None:
        """All players hear `start` and are ready."""
        for player in players:
            assert hear(player, Start).game == game
            player.send(Ready(game))

    def play(self, players: list[ScriptedPlayer], game: int, moves: list[str] = WIN) -> None:
        """Plays these moves; then the game is over."""
        for ply, move in enumerate(moves):
            turn = hear(players[ply % 2], Turn)
            players[ply % 2].send(Move(game, turn.id, move))
        for player in players:
            assert hear(player, Over).game == game

    def over(self) -> control.GameOver:
        """The referee's next `GameOver`; ended connections before it are ignored."""
        while isinstance(message := self.room.hear(), control.Gone):
            pass
        assert isinstance(message, control.GameOver), message
        self.room.say(control.Stored(message.record.game))
        return message

    def cancel(self, game: int) -> control.Cancelled:
        self.room.say(control.Cancel(game))
        while isinstance(message := self.room.hear(), control.Gone):
            pass
        assert isinstance(message, control.Cancelled)
        return message


def hear(player: ScriptedPlayer, kind: type[Message]) -> Message:
    message = player.hear()
    assert isinstance(message, kind), message
    return message


def begun_by(over: control.GameOver) -> int | None:
    """The number of the waiting game that has begun."""
    return None if over.begun is None else over.begun.game


def report(game: int, *players: ScriptedPlayer) -> None:
    for player in players:
        player.send(Report(game, stderr=""))


@pytest.fixture(scope="module")
def shared_room() -> Iterator[Room]:
    with Room() as room:
        yield room


@pytest.fixture
def table(shared_room: Room) -> Iterator[Table]:
    yield Table(shared_room)
    shared_room.empty()


def test_it_begins_with_the_verdict_if_it_has_the_same_players(table: Table) -> None:
    players = table.room.players()
    first = table.give(players)
    second = table.give(players[::-1], after=first)
    table.start(players, first)
    before = monotonic_ns()
    table.play(players, first)
    for player in players:
        assert hear(player, Start).game == second  # before it has reported
    after = monotonic_ns()
    for player in players:
        report(first, player)
        player.send(Ready(second))
    over = table.over()
    assert (over.record.game, over.record.verdict, begun_by(over)) == (first, Verdict.NORMAL, second)
    assert [seat.stderr for seat in over.record.seats] == ["", ""]
    assert over.begun is not None
    assert before <= over.begun.at <= after
    assert table.cancel(second).begun == over.begun
    table.play(players[::-1], second)
    report(second, *players)
    over = table.over()
    assert (over.record.game, over.record.verdict, begun_by(over)) == (second, Verdict.NORMAL, None)
    assert [seat.stderr for seat in over.record.seats] == ["", ""]


@pytest.mark.parametrize("guarded", [False, True])
def test_it_begins_after_the_reports_if_a_player_changes_or_has_a_warden(table: Table, guarded: bool) -> None:
    players = table.room.players(3)
    others = players[:2] if guarded else players[1:]
    first = table.give(players[:2], guarded=guarded)
    second = table.give(others, after=first, guarded=guarded)
    for player in players[:2]:
        table.start([player], first)
    table.play(players[:2], first)
    report(first, players[0])
    table.room.say(control.Ping())
    assert table.room.hear() == control.Pong()
    assert players[1].hears_nothing()
    report(first, players[1])
    assert begun_by(table.over()) == second
    table.start(others, second)
    table.play(others, second)


@pytest.mark.parametrize("end", ["illegal", "resigned", "lost", "cancelled", "late"])
def test_what_happens_to_it_is_said_with_the_end_of_the_first(table: Table, end: str) -> None:
    players = table.room.players()
    first = table.give(players)
    table.start(players, first)
    second = None if end == "late" else table.give(players, after=first)
    turn = hear(players[0], Turn)
    if end == "cancelled":
        assert second is not None
        assert table.cancel(second) == control.Cancelled(second, begun=None)
    if end == "lost":
        players[1].close()
    players[0].send(Resign(first, turn.id) if end == "resigned" else Move(first, turn.id, "z9"))
    if end != "lost":
        report(first, *players)
    over = table.over()
    assert over.record.verdict == (Verdict.RESIGNED if end == "resigned" else Verdict.ILLEGAL)
    assert begun_by(over) == (second if end == "resigned" else None)
    if end == "late":  # the director had not read yet that the game is over: it plans again
        second = table.give(players, after=first)
    assert second is not None
    assert (table.cancel(second).begun is not None) is (end == "resigned")


def test_it_does_not_begin_without_its_player(table: Table) -> None:
    players = table.room.players(3)
    first = table.give(players[:2])
    table.give(players[1:], after=first)
    players[2].close()
    assert isinstance(table.room.hear(), control.Gone)
    table.start(players[:2], first)
    table.play(players[:2], first)
    report(first, *players[:2])
    assert table.over().begun is None


def test_it_does_not_begin_after_a_game_whose_player_is_silent(table: Table) -> None:
    players = table.room.players(3)
    first = table.give(players[:2])
    table.give(players[1:], after=first)
    table.start(players[:2], first)
    table.play(players[:2], first)
    report(first, players[0])
    over = table.over()
    assert (over.record.verdict, over.begun) == (Verdict.NORMAL, None)


def test_a_player_lost_between_two_games_loses_neither(table: Table) -> None:
    players = table.room.players()
    first = table.give(players)
    second = table.give(players, after=first)
    table.start(players, first)
    table.play(players, first)
    players[0].close()
    report(first, players[1])
    ended = [table.over(), table.over()]
    assert [(over.record.game, over.record.verdict) for over in ended] == [
        (first, Verdict.NORMAL), (second, Verdict.VOID)
    ]  # fmt: skip
    assert [begun_by(over) for over in ended] == [second, None]


def test_it_ends_if_its_player_is_dismissed_just_after_it_has_begun(table: Table) -> None:
    players = table.room.players(3)
    first = table.give(players[:2])
    second = table.give(players[1:], after=first)
    table.start(players[:2], first)
    table.play(players[:2], first)
    report(first, *players[:2])
    assert begun_by(table.over()) == second
    table.room.say(control.Dismiss(players[2].token))
    over = table.over()
    assert (over.record.game, over.record.verdict) == (second, Verdict.VOID)
    assert over.record.detail.endswith("was dismissed")


def test_a_game_that_waits_and_cannot_be_played_is_declined(table: Table) -> None:
    players = table.room.players()
    first = table.give(players)
    table.room.say(control.Play(fixture(next(NUMBERS), players, rules="chess:size=3"), after=first))
    assert isinstance(table.room.hear(), control.Declined)
