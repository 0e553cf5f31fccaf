"""The referee's process: whatever players send, the games of others are judged correctly."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq

from agents import protocol
from agents.protocol import Bye, Hello, Move, Over, Ready, Refuse, Report, Resign, Start, Turn, Verdict
from arena.match.conditions import Limits
from arena.match.schedule import RULES_FAILED, error_line
from arena.play import control
from arena.play.referee import Referee
from tests.kit import referee_room
from tests.kit.broken_games import written
from tests.kit.effort import PATIENCE, tries
from tests.kit.referee_room import Room, ScriptedPlayer, fixture

WIN = ["a1", "b1", "a2", "b2", "a3"]
"""Tic-tac-toe: the first seat wins."""
SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def shared_room() -> Iterator[Room]:
    with Room() as room:
        yield room


@pytest.fixture
def room(shared_room: Room) -> Iterator[Room]:
    yield shared_room
    shared_room.empty()


class Numbers:
    """Games of the shared referee never have the same number."""

    last = 0

    @classmethod
    def next(cls) -> int:
        cls.last += 1
        return cls.last


def begin(room: Room, players: list[ScriptedPlayer], **settings: object) -> int:
    """A game in which all players have sent ready."""
    game = Numbers.next()
    room.say(control.Play(fixture(game, players, **settings)))  # type: ignore[arg-type]
    for player in players:
        start = player.hear()
        assert isinstance(start, Start)
        assert start.game == game
        player.send(Ready(game))
    return game


def answer(player: ScriptedPlayer, move: str) -> Turn:
    turn = player.hear()
    assert isinstance(turn, Turn)
    player.send(Move(turn.game, turn.id, move))
    return turn


def play_out(room: Room, players: list[ScriptedPlayer], moves: list[str] = WIN, first: int = 0) -> control.GameOver:
    """Plays the rest of the moves; the referee's `GameOver`."""
    for number, move in enumerate(moves, first):
        answer(players[number % 2], move)
    for player in players:
        assert isinstance(player.hear(), Over)
    return verdict(room)


def verdict(room: Room) -> control.GameOver:
    """The referee's `GameOver`; ended connections before it are ignored."""
    word = room.hear()
    while isinstance(word, control.Gone):
        word = room.hear()
    assert isinstance(word, control.GameOver), word
    room.say(control.Stored(word.record.game))
    return word


def test_a_game_is_played_and_recorded(room: Room) -> None:
    players = room.players()
    game = begin(room, players, clock="5+0.1")
    record = play_out(room, players).record
    assert (record.game, record.verdict, record.fault) == (game, Verdict.NORMAL, None)
    assert [move.move for move in record.moves] == WIN
    assert [seat.points for seat in record.seats] == [1.0, 0.0]
    assert all(move.spent is not None and move.lag == 0 for move in record.moves)


def test_players_stay_for_their_next_game(room: Room) -> None:
    players = room.players()
    for _ in range(3):
        begin(room, players)
        assert play_out(room, players).record.verdict == Verdict.NORMAL


def test_a_watched_game_is_reported_ply_by_ply(room: Room) -> None:
    players = room.players()
    game = begin(room, players, watched=True)
    assert isinstance(room.hear(), control.GameBegan)
    for ply, move in enumerate(WIN, 1):
        answer(players[(ply - 1) % 2], move)
        word = room.hear()
        assert isinstance(word, control.PlyPlayed)
        assert (word.move.ply, word.move.move) == (ply, move)
    assert verdict(room).record.game == game


class RefereeInThread(threading.Thread):
    """A referee in this process, which notes the type of every message that it sends."""

    def __init__(self, arguments: list[str], *, folder: object) -> None:
        super().__init__()
        self.sent: list[str] = []
        self._folder = Path(arguments[-1])
        self.start()

    def run(self) -> None:
        referee = Referee(self._folder)
        referee.serve()
        referee.close()

    def note(self, data: bytes) -> None:
        if threading.current_thread() is self and len(data) > 20:
            self.sent.append(msgspec.msgpack.decode(data)["type"])

    def end(self, *, asked: bool) -> None:
        assert asked
        self.join(PATIENCE)


def test_a_watched_ply_is_reported_after_the_next_turn_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee_room, "Process", RefereeInThread)
    send: Any = zmq.Socket.send

    def noted(self: Any, data: bytes, *arguments: int) -> object:
        referee.note(data)
        return send(self, data, *arguments)

    with Room() as room:
        referee: Any = room.referee
        players = room.players()
        begin(room, players, watched=True)
        monkeypatch.setattr(zmq.Socket, "send", noted)
        assert isinstance(room.hear(), control.GameBegan)
        turn = players[0].hear()
        for ply, move in enumerate(WIN[:-1]):
            referee.sent.clear()
            players[ply % 2].send(Move(turn.game, turn.id, move))
            assert isinstance(room.hear(), control.PlyPlayed)
            turn = players[1 - ply % 2].hear()
            assert referee.sent == ["turn", "plyplayed"]
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        (Hello(1, "0" * 64), "no player is expected with the token"),
        (Hello(1), "no player is expected with the token ''"),
        (Hello(2, "0" * 64), "speaks protocol 1, got 2"),
        (Ready(1), "expected hello first, got ready"),
        (Bye(), "expected hello first, got bye"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__.lower(),
)
def test_a_stranger_is_refused_with_the_reason(room: Room, hello: object, words: str) -> None:
    stranger = ScriptedPlayer(room, expected=False)
    stranger.send(hello)
    answer = stranger.hear()
    assert isinstance(answer, Refuse)
    assert words in answer.reason


def test_a_stranger_that_sends_no_message_at_all_is_refused(room: Room) -> None:
    stranger = ScriptedPlayer(room, expected=False)
    stranger.socket.send(b"\xff\xff\xff")
    assert isinstance(stranger.hear(), Refuse)


def test_bytes_that_are_not_zeromq_cost_only_their_own_connection(room: Room) -> None:
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
    shaken = greeting + b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
    players = room.players()
    strangers = [socket.socket(socket.AF_UNIX) for _ in range(7)]
    for stranger, sent in zip(
        strangers,
        [
            b"",
            greeting[:40],
            b"GET / HTTP/1.1\r\n" * 10,
            greeting.replace(b"NULL", b"XXXX"),
            shaken + b"\x00\x09half",
            shaken + b"\x02" + b"\xff" * 8,
            shaken + b"\x04\x07\x04PING\x00\x00" * 100 + b"\x01\x01x" * 100,
        ],
        strict=True,
    ):
        stranger.connect(room.folder.players.removeprefix("ipc://"))
        stranger.sendall(sent)
    begin(room, players)
    assert play_out(room, players).record.verdict == Verdict.NORMAL
    for stranger in strangers:
        stranger.close()
    begin(room, players)
    assert play_out(room, players).record.verdict == Verdict.NORMAL


def test_a_routing_id_set_by_the_player_is_refused(room: Room) -> None:
    player = ScriptedPlayer(room, routing_id=b"mine")
    answer = player.sit_down()
    assert isinstance(answer, Refuse)
    assert "without a routing id" in answer.reason


def test_a_token_is_valid_once_and_its_players_game_continues(room: Room) -> None:
    players = room.players()
    begin(room, players)
    thief = ScriptedPlayer(room, expected=False)
    thief.token = players[0].token
    assert isinstance(thief.sit_down(), Refuse)
    assert play_out(room, players).record.verdict == Verdict.NORMAL


def test_a_second_hello_is_garbage(room: Room) -> None:
    players = room.players()
    begin(room, players)
    players[1].send(Hello(1, players[1].token))
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.GARBAGE, 1)
    assert "hello" in record.detail


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x93\x01\x02\x03", b"\x81\xa4type\xa5ready", b"{}", b"\x91" * 5000])
def test_bytes_that_are_no_message_lose_the_game(room: Room, data: bytes) -> None:
    players = room.players()
    begin(room, players)
    players[0].hear()
    players[1].socket.send(data)  # also while the other player thinks
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.GARBAGE, 1)
    assert "broke the protocol" in record.detail


def test_a_message_of_several_frames_loses_the_game(room: Room) -> None:
    players = room.players()
    begin(room, players)
    players[0].socket.send_multipart([b"one"] * 1000)
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.GARBAGE, 0)


def test_a_message_of_ten_megabytes_costs_the_connection_and_so_the_game(room: Room) -> None:
    players = room.players()
    begin(room, players)
    players[0].hear()
    players[0].socket.send(b"x" * 10_000_000)
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.CRASHED, 0)


def test_more_than_a_hundred_answers_to_nothing_are_a_flood(room: Room) -> None:
    players = room.players()
    game = begin(room, players)
    for _ in range(101):
        players[1].send(Move(game, "00000000", "a1"))
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.FLOODED, 1)


def test_a_hundred_are_none(room: Room) -> None:
    players = room.players()
    game = begin(room, players)
    for _ in range(100):
        players[1].send(Move(game, "00000000", "a1"))
    assert play_out(room, players).record.verdict == Verdict.NORMAL


def test_answers_written_before_the_question_do_not_count(room: Room) -> None:
    players = room.players()
    game = begin(room, players)
    first = players[0].hear()
    players[1].send(Move(game, first.id, "c3"))
    players[0].send(Move(game, first.id, "a1"))
    assert play_out(room, players, WIN[1:], first=1).record.verdict == Verdict.NORMAL


def test_an_illegal_move_loses_at_once(room: Room) -> None:
    players = room.players()
    begin(room, players)
    answer(players[0], "e9")
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.ILLEGAL, 0)
    assert "got 'e9'" in record.detail


def test_resigning_loses(room: Room) -> None:
    players = room.players()
    game = begin(room, players)
    turn = players[0].hear()
    players[1].send(Resign(game, turn.id))  # out of turn: the second seat was not asked
    players[0].send(Resign(game, turn.id))
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.RESIGNED, 0)


def test_an_agent_that_hangs_loses_on_time(room: Room) -> None:
    players = room.players()
    begin(room, players, clock="move=0.05", margin=0)
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.TIME, 0)
    assert (record.seats[0].spent or 0) >= 0.05 * SECOND


def test_a_turn_may_take_a_month(room: Room) -> None:
    patient = room.players()
    month = Limits(hello=None, ready=SECOND // 20, move=30 * 24 * 3600 * SECOND)
    begin(room, patient, limits=month)
    # When somebody else has been waited for in vain, the first timers of the patient game have run out long ago.
    late = [*room.players(1), ScriptedPlayer(room)]
    room.say(control.Play(fixture(Numbers.next(), late, limits=Limits(hello=SECOND // 10))))
    assert verdict(room).record.verdict == Verdict.UNREADY
    assert play_out(room, patient).record.verdict == Verdict.NORMAL


def test_a_player_that_does_not_connect_is_unready(room: Room) -> None:
    players = [*room.players(1), ScriptedPlayer(room)]
    room.say(control.Play(fixture(Numbers.next(), players, limits=Limits(hello=SECOND // 20))))
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.UNREADY, 1)


def test_a_player_that_does_not_say_ready_is_unready(room: Room) -> None:
    players = room.players()
    game = Numbers.next()
    room.say(control.Play(fixture(game, players, limits=Limits(ready=SECOND // 20))))
    players[1].send(Ready(game))
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.UNREADY, 0)


def test_a_connection_that_ends_loses_the_game_when_its_turn_comes(room: Room) -> None:
    players = room.players()
    begin(room, players)
    first = players[0].hear()
    players[1].close()
    word = room.hear()
    assert word == control.Gone(players[1].token)
    players[0].send(Move(first.game, first.id, "a1"))
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.CRASHED, 1)
    assert len(record.moves) == 1


def test_a_last_move_sent_just_before_the_end_counts(room: Room) -> None:
    players = room.players()
    begin(room, players)
    for number, move in enumerate(WIN[:-1]):
        answer(players[number % 2], move)
    players[0].socket.set(zmq.LINGER, 5000)
    answer(players[0], WIN[-1])
    players[0].close()
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.NORMAL, None)


def test_the_news_of_a_lost_process_ends_its_game(room: Room) -> None:
    players = room.players()
    begin(room, players)
    room.say(control.Lost(players[0].token, "exited with code 3"))
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.CRASHED, 0)
    assert "exited with code 3" in record.detail


def test_a_player_that_says_bye_has_left(room: Room) -> None:
    players = room.players()
    begin(room, players)
    players[0].send(Bye())
    assert verdict(room).record.verdict == Verdict.CRASHED


def test_a_dismissed_player_is_told_bye(room: Room) -> None:
    (player,) = room.players(1)
    room.say(control.Dismiss(player.token))
    assert isinstance(player.hear(), Bye)


def test_reports_of_hosts_are_recorded(room: Room) -> None:
    players = room.players()
    game = Numbers.next()
    plan = fixture(game, players)
    hosted = tuple(msgspec.structs.replace(seat, hosted=True) for seat in plan.seats)
    room.say(control.Play(msgspec.structs.replace(plan, seats=hosted)))
    for player in players:
        player.hear()
        player.send(Ready(game))
    for number, move in enumerate(WIN):
        answer(players[number % 2], move)
    for player in players:
        assert isinstance(player.hear(), Over)
        player.send(Report(game, cpu=5, memory=7, stderr="well"))
    record = verdict(room).record
    assert [(seat.cpu, seat.memory, seat.stderr) for seat in record.seats] == [(5, 7, "well")] * 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rules": "connect5"}, "did you mean 'connect4'"),
        ({"rules": "ludo:players=4"}, "is for 4 players, got 2"),
        ({"clock": "fast"}, "expected a clock such as"),
        ({"opening": ("z9",)}, "opening, move 1"),
        ({"max_plies": 0}, "max_plies"),
    ],
)
def test_a_game_that_cannot_be_played_is_declined(room: Room, settings: dict[str, object], words: str) -> None:
    players = room.players()
    game = Numbers.next()
    room.say(control.Play(fixture(game, players, **settings)))  # type: ignore[arg-type]
    word = room.hear()
    assert isinstance(word, control.Declined)
    assert word.game == game
    assert words in word.reason


def test_a_player_plays_one_game_at_a_time(room: Room) -> None:
    players = room.players()
    begin(room, players)
    other = Numbers.next()
    room.say(control.Play(fixture(other, [players[0], *room.players(1)])))
    word = room.hear()
    assert isinstance(word, control.Declined)
    assert play_out(room, players).record.verdict == Verdict.NORMAL


FAILING = '''
"""A game whose rules fail after two moves."""
from adsearch import State

class Failing(State):
    def __init__(self, plies=0):
        self.plies = plies
        self.turn = plies % 2
    def moves(self):
        return (1, 2)
    def play(self, move):
        if self.plies == 2:
            raise ZeroDivisionError("in the rules")
        return Failing(self.plies + 1)
    def position(self):
        return str(self.plies)
    @classmethod
    def load(cls, text):
        return cls(int(text))
'''


def test_rules_that_fail_make_the_game_void_and_end_no_other(room: Room, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING, "utf-8")
    players, others = room.players(), room.players()
    begin(room, others)
    begin(room, players, rules=f"{tmp_path}/failing.py")
    for number in range(3):
        answer(players[number % 2], "1")
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.VOID, None)
    assert "ZeroDivisionError: in the rules" in record.detail
    assert play_out(room, others).record.verdict == Verdict.NORMAL


@pytest.mark.parametrize("name", ["Leaves", "Interrupts", "LongPositionLater", "LongInJson"])
def test_rules_that_leave_or_say_too_much_make_the_game_void_and_end_no_other(
    room: Room, tmp_path: Path, name: str
) -> None:
    players, others = [ScriptedPlayer(room) for _ in range(2)], room.players()
    for player in players:
        player.sit_down("position")
    begin(room, others)
    begin(room, players, rules=written(tmp_path, name))
    answer(players[0], "1")
    for player in players:
        assert isinstance(player.hear(), Over)
    record = verdict(room).record
    assert (record.verdict, record.fault) == (Verdict.VOID, None)
    assert record.detail.startswith(RULES_FAILED)
    assert play_out(room, others).record.verdict == Verdict.NORMAL


def test_a_referee_answers_whether_it_is_there(room: Room) -> None:
    room.say(control.Ping())
    assert isinstance(room.hear(), control.Pong)


def test_whatever_bytes_come_other_games_are_played_to_their_end(room: Room) -> None:
    rng = random.Random(20)
    good = room.players()
    begin(room, good)
    alphabet = [
        protocol.pack(message) for message in (Hello(1, "x"), Ready(1), Move(1, "0", "a1"), Bye(), Resign(1, "0"))
    ]
    for _ in range(tries(60)):
        strangers = [ScriptedPlayer(room, expected=False) for _ in range(2)]
        for stranger in strangers:
            for _ in range(5):
                data = bytearray(rng.choice(alphabet))
                for _ in range(rng.randrange(4)):
                    data[rng.randrange(len(data))] = rng.randrange(256)
                stranger.socket.send_multipart([bytes(data)] * rng.choice([1, 1, 1, 3]))
            assert isinstance(stranger.hear(), Refuse)
            stranger.close()
    assert play_out(room, good).record.verdict == Verdict.NORMAL


def test_many_players_are_connected_at_once(room: Room) -> None:
    players = room.players(tries(100, soak=1000))
    begin(room, players[:2])
    assert play_out(room, players[:2]).record.verdict == Verdict.NORMAL
    for player in players:
        player.close()
    for _ in players:
        assert isinstance(room.hear(), control.Gone)


def test_ctrl_c_is_for_the_director(room: Room) -> None:
    os.kill(room.referee.pid, signal.SIGINT)
    players = room.players()
    begin(room, players)
    assert play_out(room, players).record.verdict == Verdict.NORMAL


def test_it_ends_at_the_directors_word_and_tells_everybody() -> None:
    with Room() as room:
        (player,) = room.players(1)
        room.say(control.Stop())
        assert isinstance(player.hear(), Bye)
        assert room.referee.how_it_ended() == "exited with code 0"


DIRECTOR = """
import sys, time
from tests.kit.referee_room import Room
room = Room()
print(room.referee.pid, room.folder.path, flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_its_director_and_leaves_no_file(how: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", DIRECTOR], stdout=subprocess.PIPE, text=True) as director:
        assert director.stdout is not None
        pid, folder = director.stdout.readline().split()
        gone = os.pidfd_open(int(pid)) if hasattr(os, "pidfd_open") else None
        director.send_signal(how)
        director.wait()
    if gone is not None:
        poller = zmq.Poller()
        poller.register(gone, zmq.POLLIN)
        assert poller.poll(1000 * PATIENCE), "the referee lives on"
        os.close(gone)
        assert not Path(folder).exists()


def test_an_error_that_cannot_say_what_it_is_does_not_end_the_referee() -> None:
    class Speechless(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert error_line(Speechless()) == "Speechless: (its message cannot be shown)"
