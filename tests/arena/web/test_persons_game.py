"""People play against agents: whole games, moves taken back, hints, limits, and whatever is killed meanwhile."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from adsearch import games
from adsearch.errors import BadMove
from agents.protocol import Verdict
from arena.errors import BadFixture
from arena.match.clock import MILLISECOND
from arena.serve.messages import Complaint, GotHint, WantGame
from arena.student.hint import hint
from arena.web.persons_game import GameStatus, PersonsGame, SeenGame, _Table
from db import ladder
from tests.kit.effort import PATIENCE
from tests.kit.hand_in_room import hand_in_room
from tests.kit.people_room import CLOCK, PeopleRoom

OF_PEOPLE = "SELECT id, verdict, status FROM game WHERE tournament IS NULL"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[PeopleRoom]:
    """A ladder of tictactoe with one anchor, so that it plays no games."""
    hand_ins = hand_in_room(tmp_path, game="tictactoe")
    with hand_ins.database, PeopleRoom(hand_ins) as room:
        yield room


def best(seen: SeenGame) -> str:
    """The move of a hint."""
    return hint(games.load(seen.rules, seen.position)).move


def test_a_whole_game_is_played_and_recorded_without_a_name(room: PeopleRoom) -> None:
    game = room.play(game="connect4", seat=1)
    seen = room.play_on(game)
    assert seen.end is not None
    assert room.rows(OF_PEOPLE) == [(seen.end.id, "normal", "finished")]
    seats = room.rows("SELECT name FROM seat ORDER BY seat")
    assert seats == [("random",), ("human",)]
    assert seen.names == ("random", "human")
    assert [ply.text for ply in seen.plies] == [text for (text,) in room.rows("SELECT move FROM move ORDER BY ply")]
    timed = [ply.spent is not None for ply in seen.plies]
    assert all(timed[:-1])  # of a last move of the opponent's no turn tells when it came
    state = games.load("connect4", seen.position)
    assert state.turn is None
    assert re.match("(kestrel|you) wins|draw", seen.result(("kestrel", "you")))
    assert len(seen.left) == 2
    assert room.rows("SELECT * FROM ruling") == []


@pytest.mark.parametrize("seat", [0, 1])
def test_a_hidden_card_is_never_shown(room: PeopleRoom, seat: int) -> None:
    seen = room.play_on(room.play(game="kuhn", seat=seat), lambda seen: seen.choices[-1].text)
    during = [view for view in room.views if view.position and view.status is not GameStatus.OVER]
    # The rules themselves show both cards after a call.
    cards = {view.position[:2] for view in during if games.load("kuhn", view.position).turn is not None}
    dealt = [ply.text for ply in seen.plies if ply.who == "chance"]
    assert all(text[1 - seat] in "?-" for text in cards), cards
    assert any(text[seat] == dealt[seat] for text in cards)
    assert all([ply.text for ply in view.plies[:2]].count("?") == 1 for view in during if len(view.plies) >= 2)
    assert seen.position.startswith("".join(dealt))


def test_after_the_end_the_person_sees_what_was_hidden(room: PeopleRoom) -> None:
    game = room.play(game="kuhn", seat=1)
    while (seen := room.turn(game)).status is GameStatus.YOURS:
        game.move("fold" if "fold" in [choice.text for choice in seen.choices] else seen.choices[0].text)
    dealt = [text for (text,) in room.rows("SELECT move FROM move WHERE who = 'chance' ORDER BY ply")]
    assert [ply.shown for ply in seen.plies[:2]] == dealt
    assert seen.position.startswith("".join(dealt))


def test_of_a_game_with_very_many_moves_all_are_known_and_a_typo_is_explained(room: PeopleRoom) -> None:
    game = room.play(game="words")
    seen = room.turn(game)
    state: Any = games.load(seen.rules, seen.position)
    assert [choice.text for choice in seen.choices] == list(state.moves())
    tiles = state.racks[0]
    why = f"'8H-{tiles[:2]}{tiles[:1]}.*' is not a legal move: the rack has not enough .[.] Legal moves: "
    with pytest.raises(BadMove, match=why):
        game.move(f"8H-{tiles[:2]}{tiles[:1] * (tiles.count(tiles[0]))}")
    with room.without_answers():
        game.move(f"exchange-{tiles[:2]}".lower())
    assert [ply.text for ply in game.seen.plies if ply.who == 0] == [f"exchange-{tiles[:2]}"]


def test_the_other_players_word_is_marked_although_its_rack_is_hidden(room: PeopleRoom) -> None:
    word = "exchange-"
    while word.startswith("exchange-"):  # with these letters it can lay no word
        game = room.play(game="words", opponent="greedy")
        room.turn(game)
        game.move("pass")
        seen = room.turn(game)
        (word,) = [ply.text for ply in seen.plies if ply.who == 1]
        game.resign()
        room.over(game)
    assert seen.plies[-1].text == "?"
    assert seen.last == word
    state: Any = games.load(seen.rules, seen.position)
    assert state.last_cells(seen.last)


def test_chess_is_shown_in_the_notation_of_people(room: PeopleRoom) -> None:
    game = room.play(game="chess")
    seen = room.turn(game)
    assert {choice.shown: choice.text for choice in seen.choices}["Nf3"] == "g1f3"
    for text in ("Nf9", "", "x" * 300):
        with pytest.raises(BadMove, match=r"is not a legal move\. Legal moves: a3, b3,"):
            game.move(text)
    with room.without_answers():
        game.move("Nf3")
        with pytest.raises(BadMove, match="it is not your turn"):
            game.move("e4")
    assert (game.seen.plies[0].shown, game.seen.plies[0].text) == ("Nf3", "g1f3")
    room.turn(game)
    game.move("  E2E4 ")
    seen = room.turn(game)
    assert [ply.shown for ply in seen.plies][::2] == ["Nf3", "e4"]
    assert seen.running == 0
    game.resign()
    seen = room.over(game)
    assert seen.result(seen.names) == "human resigned; random wins"
    assert room.rows("SELECT move FROM move WHERE who = '0' ORDER BY ply") == [("g1f3",), ("e2e4",)]


def test_the_clock_of_the_opponent_runs_from_its_first_move_on(room: PeopleRoom) -> None:
    room.turn(room.play(game="connect4", seat=1))
    waits = [view for view in room.views if view.rules and view.status is GameStatus.THEIRS]
    assert waits
    assert {view.running for view in waits} == {0}


def test_the_times_of_the_opponent_are_those_of_the_record(room: PeopleRoom) -> None:
    game = room.play(game="connect4", opponent="pvs:seconds=0.05", seat=1, clock="300+2")
    for _ in range(2):
        room.turn(game)
        game.move(game.seen.choices[0].text)
    seen = room.turn(game)
    game.resign()
    room.over(game)
    recorded = room.rows("SELECT spent FROM move WHERE who = '0' ORDER BY ply")
    shown = [ply.spent for ply in seen.plies if ply.who == 0]
    # Nobody has seen how the first turn began. A clock is told in milliseconds.
    apart = [abs(one - (other or 0)) for (one,), other in zip(recorded[1:], shown[1:], strict=True)]
    assert len(apart) == 2
    assert max(apart) < 2 * MILLISECOND


def test_the_time_of_a_move_that_was_taken_back_is_not_that_of_another(room: PeopleRoom) -> None:
    game = room.play(game="connect4")
    for move in ("4", "5"):
        room.turn(game)
        game.move(move)
    before = room.turn(game).plies
    game.take_back()
    seen = room.turn(game)
    assert seen.plies == before[:2]
    game.move("1")
    assert room.turn(game).plies[2].spent != before[2].spent


@pytest.mark.costly
def test_after_two_moves_taken_back_the_game_is_won_and_recorded_once(room: PeopleRoom) -> None:
    game = room.play(game="connect4")
    assert room.turn(game).take_backs == 0
    with pytest.raises(BadMove, match="there is no move of yours to take back"):
        game.take_back()
    positions = list[str]()
    for move in ("1", "2", "3"):
        positions.append(room.turn(game).position)
        game.move(move)
    for position in positions[:0:-1]:
        assert room.turn(game).take_backs > 0
        game.take_back()
        seen = room.when(game, lambda seen: seen.status is GameStatus.YOURS)
        assert seen.position == position
        assert seen.notice == ""
    assert seen.take_backs == 18
    seen = room.play_on(game, best)
    assert seen.end is not None
    assert seen.result(seen.names).startswith("human wins")
    assert room.rows(OF_PEOPLE) == [(seen.end.id, "normal", "finished")]
    assert room.rows("SELECT what, reason FROM ruling") == [("void", "human took back a move")]
    assert room.rows("SELECT opening FROM game WHERE tournament IS NULL") == [(None,)]
    assert room.rows("SELECT DISTINCT who FROM move ORDER BY who") == [("0",), ("1",)]
    assert {ply.who for ply in seen.plies} == {0, 1}


def test_what_is_sent_twice_is_done_once(room: PeopleRoom) -> None:
    game = room.play(game="connect4")
    seen = room.turn(game)
    game.move("1", seen.turn)
    assert len(room.turn(game).plies) == 2
    with pytest.raises(BadMove, match="the position has changed: look at the board again"):
        game.move("1", seen.turn)
    with pytest.raises(BadMove, match="the position has changed"):
        game.take_back(seen.turn)
    with pytest.raises(BadMove, match="the position has changed"):
        game.find_hint(seen.turn)
    before = game.seen.turn
    game.take_back(before)
    assert room.when(game, lambda seen: seen.status is GameStatus.YOURS).turn not in (before, seen.turn)
    with pytest.raises(BadMove, match="the position has changed"):
        game.move("1", seen.turn)


def test_after_a_take_back_the_clocks_are_those_of_the_turn_that_comes_again(room: PeopleRoom) -> None:
    game = room.play(game="connect4", clock="300")
    lefts = [room.turn(game).left]
    for move in ("1", "2"):
        game.move(move)
        lefts.append(room.turn(game).left)
    assert lefts[1][0] < lefts[0][0]
    game.take_back()
    assert room.when(game, lambda seen: seen.status is GameStatus.YOURS).left == lefts[1]
    views = room.views[[view.status for view in room.views].index(GameStatus.YOURS) :]
    assert all(view.plies or view.left == lefts[0] for view in views)


def test_a_person_is_told_how_often_a_move_can_be_taken_back(room: PeopleRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.persons_game._MOST_TAKEN_BACK", 2)
    game = room.play(game="connect4")
    room.turn(game)
    for left in (2, 1):
        game.move("1")
        assert room.turn(game).take_backs == left
        game.take_back()
        room.when(game, lambda seen: seen.status is GameStatus.YOURS)
    game.move("1")
    assert room.turn(game).take_backs == 0
    with pytest.raises(BadMove, match="you have taken back 2 moves in this game, which is the most"):
        game.take_back()


def test_after_a_take_back_to_the_first_turn_no_move_is_marked(room: PeopleRoom) -> None:
    game = room.play(game="backgammon")
    room.turn(game)
    game.move(game.seen.choices[0].text)
    assert room.turn(game).last is not None
    game.take_back()
    seen = room.when(game, lambda seen: seen.status is GameStatus.YOURS)
    assert ([ply.who for ply in seen.plies], seen.last) == (["chance"], None)


def test_the_same_dice_fall_after_a_move_is_taken_back(room: PeopleRoom) -> None:
    game = room.play(game="pig", opponent="random")
    first = room.turn(game)
    game.move("roll")
    before = room.turn(game)
    game.take_back()
    assert room.when(game, lambda seen: seen.status is GameStatus.YOURS).position == first.position
    game.move("roll")
    assert [ply.text for ply in room.turn(game).plies][:2] == [ply.text for ply in before.plies][:2]
    game.give_up()
    assert room.over(game).result(("human", "random")) == "given up, and not recorded"


def test_a_hint_is_a_legal_move_in_words_and_annuls_the_game(room: PeopleRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.persons_game._HINT_WITHIN", PATIENCE)
    game = room.play(game="tictactoe")
    room.turn(game)
    game.find_hint()
    found = game.seen.hint
    assert found is not None
    assert found.text.startswith(f"hint: {found.move} (then ")
    room.when_heard(GotHint)
    game.move(found.move)
    assert game.seen.hint is None
    room.turn(game)
    game.resign()
    room.over(game)
    assert room.rows("SELECT reason FROM ruling") == [("human got a hint",)]
    with pytest.raises(BadMove, match="it is not your turn"):
        game.find_hint()


def test_a_person_has_one_game_and_no_third_one_is_played(room: PeopleRoom) -> None:
    ann, bob = room.play("ann"), room.play("bob")
    for game in (ann, bob):
        room.turn(game)
    with pytest.raises(BadFixture, match="you are playing a game already"):
        room.play("ann")
    with pytest.raises(BadFixture, match="2 people are playing now"):
        room.play("eve")
    answers: list[object] = []
    before, room.people._send = room.people._send, answers.append
    room.people.hear(WantGame("k" * 20, "", "random", 0, CLOCK))
    room.people._send = before
    (answer,) = answers
    assert "2 games with people are being played" in str(answer)
    # A place in which nobody has played for long is free, unless a page shows its game.
    room.tables._clock = lambda: monotonic() + 181
    with pytest.raises(BadFixture, match="2 people are playing now"):
        room.play("eve")
    room.tables.is_watched = lambda game: game is bob
    begins = PersonsGame(bob.wanted, lambda _: True, lambda _: None, lambda _: None, players=2)
    assert not room.tables._is_left(_Table("dan", begins))
    eve = room.play("eve")
    room.over(ann)
    room.tables.is_watched, room.tables._clock = (lambda _: True), monotonic
    for game in (bob, eve):
        room.play_on(game)
    assert room.tables.games("ann") == [ann]
    assert room.tables.find("ann", bob.seen.key) is None
    assert room.tables.find("bob", bob.seen.key) is bob
    assert len(room.rows(OF_PEOPLE)) == 2


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"game": "no-such-game"}, "no game 'no-such-game'"),
        ({"game": "connect4:rows=1000000,columns=1000000"}, "no game"),
        ({"game": "/etc/passwd.py:X"}, "no game"),
        ({"game": "maze", "seat": 3}, "maze is for 3 players, so nobody"),
        ({"seat": 2}, "tictactoe is for 2 players, so nobody can take seat 2"),
        ({"clock": "none"}, "games with people have a clock"),
        ({"clock": "soon"}, "expected a clock such as"),
        ({"opponent": "nobody"}, "the opponent cannot play on this ladder now"),
        ({"opponent": "cmd:touch /tmp/x"}, "no built-in agent"),
        ({"opponent": "pvs:depth=no"}, "depth"),
        ({"opponent": "alphabeta", "game": "kuhn"}, "cannot play"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(room: PeopleRoom, wanted: dict[str, Any], why: str) -> None:
    seen = room.over(room.play(**wanted))
    assert why in seen.notice
    assert seen.result(()) == ""
    assert room.people._tables == {}


def test_texts_that_are_too_long_are_refused_at_once(room: PeopleRoom) -> None:
    with pytest.raises(BadFixture, match="expected the game, the opponent and the clock as short texts"):
        room.play(opponent="x" * 2000)


def test_an_agent_of_the_ladder_plays_behind_its_walls_and_its_rating_stays(tmp_path: Path) -> None:
    hand_ins = hand_in_room(tmp_path, game="tictactoe")
    with hand_ins.database:
        room = PeopleRoom(hand_ins)
        room.enter_file("alice")
        with room:
            with hand_ins.database.reading() as connection:
                before = [(line.name, line.rating) for line in ladder.standings(connection, hand_ins.opened.id)]
            refused = room.over(room.play(game="connect4", opponent="alice"))
            assert refused.notice == "an agent of this ladder plays tictactoe only, got 'connect4'"
            game = room.play(opponent="alice")
            seen = room.play_on(game)
            assert seen.names == ("human", "alice")
            assert seen.end is not None
            (host,) = room.rows(f"SELECT host FROM game WHERE id = {seen.end.id}")
            assert '"walls": null' not in str(host)
            assert room.rows("SELECT COUNT(*) FROM version") == [(3,)]
            with hand_ins.database.reading() as connection:
                after = [(line.name, line.rating) for line in ladder.standings(connection, hand_ins.opened.id)]
            assert before == after


def test_the_ladder_goes_on_while_people_think_and_stops_without_waiting_for_them(tmp_path: Path) -> None:
    hand_ins = hand_in_room(tmp_path, game="tictactoe")
    with hand_ins.database:
        room = PeopleRoom(hand_ins, at_once=1)
        room.enter_builtin("alphabeta:depth=1")
        with room:
            ann, bob = room.play("ann"), room.play("bob")
            for game in (ann, bob):
                room.turn(game)
            room.when_finished(lambda finished: len(finished) >= 4)
            assert ann.seen.status is bob.seen.status is GameStatus.YOURS
            room.stop()
        assert room.rows(OF_PEOPLE) == []
        assert room.rows("SELECT id FROM game WHERE status = 'playing'") == []


def test_after_the_loss_of_the_referee_the_game_begins_again_and_the_person_is_told(room: PeopleRoom) -> None:
    game = room.play()
    room.turn(game)
    game.move("b2")
    room.turn(game)
    room.kill_referee()
    seen = room.when(game, lambda seen: seen.notice != "")
    assert seen.notice == "the game was interrupted, so it begins again"
    seen = room.when(game, lambda seen: seen.status is GameStatus.YOURS and not seen.plies)
    assert room.play_on(game).notice == seen.notice
    assert [verdict for _, verdict, _ in room.rows(OF_PEOPLE)] == ["normal"]


def test_the_games_of_a_page_server_that_is_killed_are_given_up_and_the_next_one_plays(tmp_path: Path) -> None:
    hand_ins = hand_in_room(tmp_path, game="tictactoe")
    with hand_ins.database, PeopleRoom(hand_ins, in_a_process=True) as room:
        room.when_heard(Complaint)
        os.kill(room.end.pid, signal.SIGKILL)
        room.when_finished(lambda finished: len(finished) == 1)
        assert room.until is not None
        assert room.until.finished[0].record.verdict == Verdict.CRASHED
        assert room.people._tables == {}
    assert room.rows(OF_PEOPLE) == []
