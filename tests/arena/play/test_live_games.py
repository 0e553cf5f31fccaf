"""Live games: anyone who watches gets every ply and nothing private, and what nobody watches is not reported."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any, Final

import msgspec
import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from adsearch import State, games
from agents.protocol import Info, Move, Over, Ready, Report, Start, Turn, Want, Welcome
from arena.match import live
from arena.match.conditions import Conditions
from arena.match.live import GameNews, LiveEnd, LiveGame, LivePly, NotLive
from arena.match.schedule import Entrant, Finished, Planned
from arena.play import control
from arena.play.director import LiveGames
from arena.play.follower import Follower, InOrder
from arena.walls import run_folder
from arena.walls.run_folder import RunFolder
from db.records import GameRecord
from tests.kit.effort import PATIENCE
from tests.kit.every_game import EVERY
from tests.kit.referee_room import Room, ScriptedPlayer, fixture

NUMBERS: Final = count(1)
SECRET: Final = "do not publish"
WIN = ["a1", "b1", "a2", "b2", "a3"]
"""Tic-tac-toe: the first seat wins."""
MOST_PLIES: Final = 12


class Stage:
    """A referee's process and the director's end of live games; the test plays the director and all players."""

    def __init__(self, room: Room) -> None:
        self.room = room
        # Of its own: followers of an earlier stage may still be connected to the room's.
        self.folder = RunFolder()
        self.live = LiveGames(room.context, self.folder.path, room.say)
        self.playing: dict[int, Planned] = {}

    def begin(
        self, rules: str = "tictactoe", wants: tuple[Want, ...] = (), clock: str = "none", **settings: Any
    ) -> tuple[int, list[ScriptedPlayer]]:
        """A game of new players, who are all ready."""
        game, players = next(NUMBERS), [ScriptedPlayer(self.room) for _ in range(games.start(rules).players)]
        for player in players:
            assert isinstance(player.sit_down(*wants), Welcome)
        self.room.say(control.Play(fixture(game, players, rules, clock=clock, **settings)))
        for player in players:
            assert isinstance(player.hear(), Start)
            player.send(Ready(game))
        names = tuple(Entrant(f"player{seat}", str(seat)) for seat in range(len(players)))
        self.playing[game] = Planned(
            game, rules, rules, names, seed=1, identity=(game,), conditions=Conditions(clock=clock)
        )
        self.live.note_begun(game)
        return game, players

    def read(self, *, times: int = 1) -> None:
        """Reads this number of subscriptions, or ends of them, which are on their way."""
        for _ in range(times):
            assert self.live.socket.poll(1000 * PATIENCE), "nobody subscribed"
            self.live.read(self.playing)

    def settle(self) -> None:
        """Passes messages on until the referee has read all that it was told: moves come to it by another socket."""
        self.room.say(control.Ping())
        while self.hear() != control.Pong():
            pass

    def hear(self) -> Any:
        """Passes the referee's next message on, as a director does."""
        match message := self.room.hear():
            case control.GameBegan():
                self.live.note_began(message)
            case control.PlyPlayed():
                self.live.note_ply(message)
            case control.GameOver():
                planned = self.playing.pop(message.record.game)
                self.live.note_finished(Finished(planned, message.record, None, None))  # type: ignore[arg-type]
                self.room.say(control.Stored(message.record.game))
        return message

    def finish(self) -> GameRecord:
        """Passes messages on until a game is over; its record."""
        while not isinstance(message := self.hear(), control.GameOver):
            pass
        return message.record


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    with Room() as room:
        yield room


@pytest.fixture
def stage(room: Room) -> Iterator[Stage]:
    stage = Stage(room)
    yield stage
    stage.live.close()
    stage.folder.remove()
    room.empty()


@pytest.fixture
def follower(stage: Stage) -> Iterator[Follower]:
    with Follower(stage.folder.path) as follower:
        yield follower


def play(players: list[ScriptedPlayer], game: int, moves: list[str], *, first: int = 0) -> None:
    for ply, move in enumerate(moves, start=first):
        turn = players[ply % 2].hear()
        assert isinstance(turn, Turn)
        players[ply % 2].send(Move(game, turn.id, move))


def received(follower: Follower, most: int = 1) -> list[Any]:
    """The follower's next messages, `most` of them."""
    found: list[Any] = []
    while len(found) < most:
        found += (came := follower.receive(PATIENCE))
        assert came, f"only {found} came"
    return found


def received_by(socket: Any) -> Any:
    assert socket.poll(1000 * PATIENCE)
    return live.of_game(socket.recv_multipart()[1])


def test_a_game_that_nobody_watches_is_not_reported(stage: Stage) -> None:
    game, players = stage.begin()
    play(players, game, WIN)
    assert isinstance(stage.room.hear(), control.GameOver)


def test_joining_in_the_middle_gets_all_plies_so_far_and_then_each_one(stage: Stage, follower: Follower) -> None:
    game, players = stage.begin()
    play(players, game, WIN[:2])
    assert isinstance(players[0].hear(), Turn)  # both moves have been played
    follower.subscribe(game)
    stage.read()
    for _ in range(3):
        stage.hear()
    empty, began, *plies = received(follower, 4)
    assert empty == LiveGame(game, "tictactoe", ("player0", "player1"), ("none", "none"), (), None)
    assert began == msgspec.structs.replace(empty, since=began.since)
    assert [(ply.ply, ply.who, ply.move) for ply in plies] == [(1, 0, "a1"), (2, 1, "b1")]
    with Follower(stage.folder.path) as second:
        second.subscribe(game)
        stage.read()
        assert received(second) == [msgspec.structs.replace(began, plies=tuple(plies))]


def test_everyone_gets_the_same_plies_and_the_end(stage: Stage, follower: Follower) -> None:
    game, players = stage.begin()
    with Follower(stage.folder.path) as second:
        for each in (follower, second):
            each.subscribe(game)
            stage.read()
        stage.settle()
        play(players, game, WIN)
        record = stage.finish()
        for each in (follower, second):
            *_, end = messages = received(each, 2 + len(WIN) + 1)
            assert [ply.move for ply in messages if isinstance(ply, LivePly)] == WIN
            assert end == LiveEnd(game, "normal", (1.0, 0.0))
    assert [move.move for move in record.moves] == WIN


def test_the_referee_reports_until_the_last_one_has_left_and_again_for_the_next(
    stage: Stage, follower: Follower
) -> None:
    game, players = stage.begin()
    with Follower(stage.folder.path) as second:
        for each in (follower, second):
            each.subscribe(game)
            stage.read()
        assert isinstance(stage.hear(), control.GameBegan)
        follower.unsubscribe(game)
        play(players, game, WIN[:1])
        assert isinstance(stage.hear(), control.PlyPlayed)  # `second` still watches
    stage.read()  # now the last one has left
    stage.room.say(control.Ping())
    assert stage.room.hear() == control.Pong()
    play(players, game, WIN[1:3], first=1)
    assert isinstance(players[1].hear(), Turn)
    stage.room.say(control.Ping())
    assert stage.room.hear() == control.Pong()
    follower.subscribe(game)
    stage.read()
    assert isinstance(stage.hear(), control.GameBegan)
    assert [stage.hear().move.move for _ in range(3)] == WIN[:3]


def test_a_game_that_is_not_played_is_not_live(stage: Stage, follower: Follower) -> None:
    follower.subscribe(10**9)
    stage.read()
    assert received(follower) == [NotLive(10**9)]


@pytest.mark.parametrize("topic", [b"", b"news/", b"game/", b"game/1", b"game/01/", b"game/-1/", b"game/1//", b"\xff"])
def test_only_the_topic_of_a_game_begins_a_report(topic: bytes) -> None:
    assert live.game_of(topic) is None
    assert live.game_of(live.topic(10**17)) == 10**17


def test_a_topic_that_is_too_long_ends_its_connection_and_no_other_one(stage: Stage, follower: Follower) -> None:
    follower.subscribe_news()
    stage.read()
    socket = stage.room.context.socket(zmq.SUB)
    socket.set(zmq.RECONNECT_IVL, -1)
    monitor = socket.get_monitor_socket(zmq.Event.DISCONNECTED)
    socket.connect(run_folder.live_address(stage.folder.path))
    socket.subscribe(live.topic(10**17))
    stage.read()
    assert received_by(socket) == NotLive(10**17)
    socket.subscribe(b"x" * 10_000)
    assert monitor.poll(1000 * PATIENCE), "the connection did not end"
    socket.disable_monitor()
    monitor.close()
    socket.close()
    stage.live.publish_news(live.RatingNews(1))
    assert received(follower) == [live.RatingNews(1)]


def test_a_flood_of_subscriptions_is_read_in_parts_so_that_the_director_plays_on(stage: Stage) -> None:
    socket, answered = stage.live.socket, list[bytes]()
    stage.live.socket = SimpleNamespace(
        recv=lambda _: b"\1" + live.topic(next(NUMBERS)),  # it never ends
        send_multipart=lambda frames, _: answered.append(frames[0]),
    )
    stage.live.read({})
    stage.live.read({})
    stage.live.socket = socket
    assert len(set(answered)) == len(answered) > 0


def test_news_are_ids_alone(stage: Stage, follower: Follower) -> None:
    follower.subscribe_news()
    stage.read()
    game, players = stage.begin()
    play(players, game, WIN)
    stage.finish()
    assert received(follower, 2) == [GameNews(game, over=False), GameNews(game, over=True)]


def test_the_end_of_the_director_is_seen(stage: Stage, follower: Follower) -> None:
    game, _ = stage.begin()
    follower.subscribe(game)
    stage.read()
    stage.live.close()
    assert [type(message) for message in received(follower)] == [LiveGame]
    assert follower.receive(PATIENCE) == []
    assert follower.ended


def play_anything(game: int, players: list[ScriptedPlayer], random: Random) -> None:
    """Plays legal moves, and says things about each of them that only its author may read."""
    poller = zmq.Poller()
    for player in players:
        poller.register(player.socket, zmq.POLLIN)
    playing = {player.socket: player for player in players}
    while playing:
        for socket, _ in poller.poll(1000 * PATIENCE):
            match message := playing[socket].hear():
                case Turn():
                    said = Info(depth=7654321, score=7654321.0, nodes=7654321, line=SECRET, text=SECRET)
                    move = random.choice(message.legal)  # type: ignore[arg-type]
                    playing[socket].send(Move(game, message.id, move, info=said))
                case Over():
                    playing[socket].send(Report(game, stderr=SECRET))
                    poller.unregister(socket)
                    del playing[socket]


def views(rules: str, record: GameRecord) -> list[str | None]:
    """The text of each ply if all seats may see it, else None: from the rules and the record alone."""
    state: State[Any] = games.start(rules)
    found: list[str | None] = []
    for move in record.moves:
        played = state.from_text(move.move)
        seen = {state.view_move(seat, played) for seat in range(state.players)}
        found.append(move.move if seen == {move.move} else None)
        state = state.play(played)
    return found


@pytest.mark.parametrize("rules", EVERY)
def test_every_field_that_is_published_is_public_and_as_recorded(stage: Stage, rules: str) -> None:
    socket = stage.room.context.socket(zmq.SUB)
    socket.connect(run_folder.live_address(stage.folder.path))
    game, players = stage.begin(rules, wants=("legal",), clock="60", max_plies=MOST_PLIES)
    socket.subscribe(live.topic(game))
    stage.read()
    stage.settle()
    play_anything(game, players, Random(rules))
    record = stage.finish()
    assert all(move.text == SECRET for move in record.moves if isinstance(move.who, int))
    published = list[Any]()
    while not published or not isinstance(published[-1], LiveEnd):
        assert socket.poll(1000 * PATIENCE)
        topic, data = socket.recv_multipart()
        assert topic == live.topic(game)
        assert SECRET.encode() not in data
        assert b"7654321" not in data
        published.append(live.of_game(data))
    socket.close()
    names = tuple(seat.player for seat in record.seats)
    began = next(message.since for message in published if isinstance(message, LiveGame) and message.since)
    games_so_far = [message for message in published if isinstance(message, LiveGame)]
    assert games_so_far == [LiveGame(game, rules, names, ("60",) * len(names), (), since) for since in (None, began)]
    plies = [message for message in published if isinstance(message, LivePly)]
    assert plies == [
        LivePly(game, move.ply, move.who, text, move.spent, move.left, ply.at)
        for move, text, ply in zip(record.moves, views(rules, record), plies, strict=True)
    ]
    assert began <= min(ply.at for ply in plies)
    assert published[-1] == LiveEnd(game, record.verdict, tuple(seat.points for seat in record.seats))
    assert len(published) == len(games_so_far) + len(plies) + 1


@given(st.data())
def test_whatever_is_lost_what_a_follower_passes_on_is_in_order(data: st.DataObject) -> None:
    """A model of the director: it sends each ply, and the game so far to each new subscription; messages get lost."""
    follower, plies, sent = InOrder(), list[LivePly](), list[live.OfGame]()
    shown: int | None = None

    def so_far() -> LiveGame:
        return LiveGame(1, "tictactoe", ("a", "b"), ("none", "none"), tuple(plies), since=5 if plies else None)

    sent.append(so_far())
    for ply in range(1, data.draw(st.integers(1, 12)) + 1):
        plies.append(LivePly(1, ply, 0, "a1", None, None, 0))
        sent.append(plies[-1])
        for _ in range(data.draw(st.integers(0, len(sent)))):
            message = sent.pop(0)
            if data.draw(st.booleans(), label="is lost"):
                continue
            passes, asks = follower.take(message)
            if asks:
                sent.append(so_far())
            if passes and isinstance(message, LiveGame):
                assert shown is None or len(message.plies) >= shown
                shown = len(message.plies)
            elif passes and isinstance(message, LivePly):
                assert shown is not None
                shown += 1
                assert message.ply == shown
    # A new subscription whose answer arrives brings everything.
    for message in (*sent, so_far()):
        passes, _ = follower.take(message)
        shown = (len(message.plies) if isinstance(message, LiveGame) else message.ply) if passes else shown  # type: ignore[union-attr]
    assert shown == len(plies)


def test_a_follower_that_has_stopped_reading_catches_up(stage: Stage, follower: Follower) -> None:
    game, players = stage.begin()
    with Follower(stage.folder.path) as second:
        for each in (second, follower):
            each.subscribe(game)
            stage.read()
        follower.subscribe_news()
        stage.read()
        assert isinstance(stage.hear(), control.GameBegan)
        for number in range(50_000):  # far more than wait for one subscriber: what comes after them is lost
            stage.live.publish_news(live.RatingNews(number))
        play(players, game, WIN[:4])
        for _ in range(4):
            stage.hear()
        shown = list[Any]()
        while not shown or len(getattr(shown[-1], "plies", ())) < 4:
            shown += [message for message in follower.receive(0.01) if isinstance(message, LiveGame | LivePly)]
            stage.live.read(stage.playing)
        assert all(isinstance(message, LiveGame) for message in shown), "no ply came by itself"
        assert [ply.move for ply in shown[-1].plies] == WIN[:4]
