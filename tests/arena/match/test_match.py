"""The rules of refereeing, one by one: the course of a game, wrong answers, hidden information, the end.

The rules about time are tested in `test_match_time.py`, points in `test_points.py`.
"""

from __future__ import annotations

import pytest
from msgspec import UNSET

from adsearch import games
from agents.protocol import (
    MOST_DROPPED,
    Bye,
    Failed,
    Hello,
    Info,
    Move,
    Over,
    Ready,
    Report,
    Resign,
    Start,
    Turn,
    Verdict,
)
from arena.errors import BadFixture
from arena.match.match import Match, Phase
from tests.kit.match_model import MS, SECOND
from tests.kit.match_table import BEGAN, GAME, Table, new_fixture

WON_BY_SEAT_0 = ("a1", "b1", "a2", "b2", "a3")


# How a game goes.


def test_a_game_starts_when_all_are_connected_and_ready() -> None:
    table = Table()
    table.arrive(1)
    assert table.post == [[], []]
    table.arrive(0)
    assert [len(post) for post in table.post] == [1, 1]
    table.say(1, Ready(GAME))
    assert table.phase() is Phase.STARTING
    table.say(0, Ready(GAME))
    assert isinstance(table.post[0][-1], Turn)
    assert isinstance(table.post[1][-1], Start)


def test_start_has_the_names_of_all_seats() -> None:
    table = Table(clock="60+0.5").begin()
    start = table.post[1][0]
    assert isinstance(start, Start)
    assert (start.game, start.rules, start.seat, start.seed) == (GAME, "tictactoe", 1, 1001)
    assert start.seats == ("seat 0", "bob")
    assert (start.clock.text, start.clock.left) == ("60+0.5", (60_000, 60_000))
    assert games.load("tictactoe", start.position).position() == games.start("tictactoe").position()


def test_a_game_that_is_played_out_is_normal_and_has_its_utilities() -> None:
    table = Table().begin()
    table.play(*WON_BY_SEAT_0)
    assert table.result() == ("normal", None)
    assert (table.match.utilities, table.match.points) == ((1.0, -1.0), (1.0, 0.0))


def test_a_draw_is_half_a_point_for_each() -> None:
    table = Table().begin()
    table.play("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3")
    assert (table.match.utilities, table.match.points) == ((0.0, 0.0), (0.5, 0.5))


def test_the_events_of_all_turns_and_of_over_are_the_whole_game() -> None:
    table = Table().begin()
    table.play(*WON_BY_SEAT_0)
    whole = [(ply % 2, move) for ply, move in enumerate(WON_BY_SEAT_0)]
    assert table.events(0) == table.events(1) == whole
    assert table.question(0).events == ((0, "a2"), (1, "b2"))
    assert table.overs(0)[0].events == ((0, "a3"),)


def test_a_move_is_recorded_as_the_game_writes_it() -> None:
    table = Table().begin()
    table.play("  B2 ")
    assert table.match.moves[0].move == "b2"


def test_what_an_agent_tells_of_its_thinking_is_recorded() -> None:
    table = Table().begin()
    table.play("b2", info=Info(depth=4, score=0.5, nodes=99, line=("b2", "a1"), text="the middle"))
    told = table.match.moves[0]
    assert (told.depth, told.score, told.nodes, told.line, told.text) == (4, 0.5, 99, "b2 a1", "the middle")


def test_position_and_legal_moves_are_sent_where_they_are_wanted() -> None:
    table = Table()
    table.arrive(0, wants=("position",)).arrive(1, wants=("legal",))
    for seat in (0, 1):
        table.say(seat, Ready(GAME))
    table.play("b2")
    first, second = table.question(0), table.question(1)
    assert isinstance(first.position, str)
    assert not isinstance(first.legal, tuple)
    assert not isinstance(second.position, str)
    assert second.legal == ("a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3")


def test_who_asks_for_it_gets_the_board_as_numbers_and_where_each_move_ends() -> None:
    table = Table()
    table.arrive(0).arrive(1, wants=("legal",))
    table.say(0, Ready(GAME))
    table.say(1, Ready(GAME, board=True))
    table.play("b2")
    assert table.question(0).board is UNSET
    question = table.question(1)
    assert question.board == [[0, 0, 0], [0, -1, 0], [0, 0, 0]]
    assert isinstance(question.legal, tuple)
    assert isinstance(question.cells, list)
    assert dict(zip(question.legal, question.cells, strict=True))["c3"] == [2, 2, 2, 2]


def test_a_game_without_a_board_has_none_to_send() -> None:
    table = Table(rules="rps").arrive(0, 1)
    for seat in (0, 1):
        table.say(seat, Ready(GAME, board=True))
    assert table.question(0).board is UNSET


def test_every_question_has_another_id_that_a_secret_makes() -> None:
    fixture = new_fixture()
    ids = set()
    for secret in (b"one", b"two"):
        table = Table(fixture)
        table.match = Match(fixture, BEGAN, secret=secret)
        table.begin()
        for move in WON_BY_SEAT_0:
            ids.add(table.question().id)
            table.play(move)
    assert len(ids) == 10
    assert all(len(bytes.fromhex(id)) == 4 for id in ids)


# Openings, chance, the most moves.


def test_the_opening_is_nobodys_and_is_told_to_both() -> None:
    table = Table(opening=("b2", "a1")).begin()
    assert [(ply.who, ply.move, ply.spent) for ply in table.match.moves] == [
        ("opening", "b2", None),
        ("opening", "a1", None),
    ]
    assert (table.asked, table.question().ply) == (0, 3)
    assert table.question().events == (("opening", "b2"), ("opening", "a1"))
    start = table.post[0][0]
    assert isinstance(start, Start)
    assert start.position == games.start("tictactoe").position()


def test_an_opening_may_end_the_game() -> None:
    table = Table(opening=WON_BY_SEAT_0).begin()
    assert table.result() == ("normal", None)


def test_an_opening_that_chance_makes_impossible_is_the_servers_fault() -> None:
    table = Table(rules="pig:goal=5", opening=("hold", "nonsense")).begin()
    assert table.result() == ("void", None)
    assert "opening, ply" in table.match.detail


def test_chance_is_drawn_by_the_referee_and_is_nobodys() -> None:
    table = Table(rules="kuhn").begin()
    assert [ply.who for ply in table.match.moves] == ["chance", "chance"]
    again = Table(rules="kuhn").begin()
    assert again.match.moves == table.match.moves
    deals = {str(Table(rules="kuhn", key=bytes([key])).begin().match.state.position()) for key in range(60)}
    assert len(deals) == 6


@pytest.mark.parametrize("most", [1, 2, 4])
def test_the_most_moves_of_a_tournament_count_moves_only(most: int) -> None:
    table = Table(rules="pig:goal=50", max_plies=most, opening=("roll",)).begin()
    for _ in range(most):
        assert table.result() == (None, None)
        table.play("roll")
    assert table.result() == ("adjudicated", None)
    made = [ply.who for ply in table.match.moves]
    assert sum(who in (0, 1) for who in made) == most
    assert {"chance", "opening"} <= set(made)
    assert (table.match.utilities, table.match.points) == ((0.0, 0.0), (0.5, 0.5))


def test_a_game_that_ends_with_its_last_allowed_move_is_normal() -> None:
    table = Table(max_plies=5).begin()
    table.play(*WON_BY_SEAT_0)
    assert table.result() == ("normal", None)


# Wrong answers.


def test_a_move_that_is_not_legal_loses_at_once() -> None:
    table = Table().begin()
    table.play("b2", "b2")
    assert table.result() == ("illegal", 1)
    expected = "expected a legal move (a1, b1, c1, a2, c2, a3, b3, c3; move 0 in Python is written a1)"
    assert table.match.detail == f"bob, ply 2: {expected}, got 'b2'"


def test_a_player_that_resigns_has_lost() -> None:
    table = Table().begin()
    table.play("b2")
    table.resign()
    assert table.result() == ("resigned", 1)
    assert table.match.points == (1.0, 0.0)


def after_one_ply() -> Table:
    table = Table().begin()
    table.play("b2")
    return table


def wrong_answers(table: Table) -> dict[str, tuple[int, Move | Resign | Ready | Report]]:
    """Messages that answer nothing, after one ply, and their senders."""
    earlier, now = table.question(0).id, table.question(1).id
    return {
        "an earlier turn's move": (0, Move(GAME, earlier, "c3")),
        "a move for another's question": (0, Move(GAME, now, "c3")),
        "a move before the question": (1, Move(GAME, "00000000", "c3")),
        "another game's move": (1, Move(8, now, "c3")),
        "a resignation out of turn": (0, Resign(GAME, now)),
        "an earlier turn's resignation": (0, Resign(GAME, earlier)),
        "ready once more": (1, Ready(GAME)),
        "a report in the middle": (1, Report(GAME)),
    }


@pytest.mark.parametrize("name", wrong_answers(after_one_ply()))
def test_what_answers_nothing_is_dropped_and_the_101st_is_flooded(name: str) -> None:
    table = after_one_ply()
    seat, message = wrong_answers(table)[name]
    for _ in range(MOST_DROPPED):
        table.say(seat, message)
    assert table.result() == (None, None)
    assert len(table.match.moves) == 1
    table.say(seat, message)
    assert table.result() == ("flooded", seat)


@pytest.mark.parametrize("message", [Hello(1), Failed(GAME, Verdict.CRASHED, "the other one")], ids=["hello", "failed"])
def test_a_message_that_players_never_send_is_garbage_in_any_turn(message: Hello | Failed) -> None:
    table = Table().begin()
    table.say(1, message)
    assert table.result() == ("garbage", 1)
    assert f"sent a '{type(message).__name__.lower()}'" in table.match.detail


@pytest.mark.parametrize("verdict", [Verdict.GARBAGE, Verdict.FLOODED])
def test_a_player_that_breaks_the_protocol_loses_in_any_turn(verdict: Verdict) -> None:
    for seat in (0, 1):
        table = Table().begin()
        table.refuse(seat, verdict)
        assert table.result() == (verdict, seat)


def test_nothing_that_comes_after_the_end_changes_it() -> None:
    table = Table().begin()
    question = table.question()
    table.resign()
    for message in (Move(GAME, question.id, "b2"), Ready(GAME), Hello(1), Failed(GAME, Verdict.TIME, ""), Bye()):
        for seat in (0, 1):
            table.say(seat, message)
    table.refuse(1)
    table.abort()
    assert table.result() == ("resigned", 0)
    assert table.match.moves == []


# What a seat may see.


def test_in_kuhn_a_seat_sees_its_own_card_and_never_the_others() -> None:
    table = Table(rules="kuhn").begin()
    cards = table.match.state.position()
    table.play("check", "bet", "fold")
    assert table.events(0) == [("chance", cards[0]), ("chance", "?"), (0, "check"), (1, "bet"), (0, "fold")]
    assert table.events(1) == [("chance", "?"), ("chance", cards[1]), (0, "check"), (1, "bet"), (0, "fold")]
    assert (table.question(0).position, table.question(1).position) == (f"{cards[0]}? check bet", f"?{cards[1]} check")


def test_in_rock_paper_scissors_seat_1_chooses_without_having_seen() -> None:
    table = Table(rules="rps:rounds=2").begin()
    table.play("rock")
    question = table.question(1)
    assert (question.position, question.events) == ("?", ((0, "?"),))
    table.play("paper")
    assert table.question(0).position == "rp"
    table.play("scissors")
    assert table.question(1).position == "rp ?"


def test_a_position_is_always_sent_where_something_is_hidden() -> None:
    table = Table(rules="rps").begin(wants=())
    assert table.question().position == "-"


# The end, and after.


def test_every_connected_seat_gets_over_once() -> None:
    table = Table(rules="ludo:players=3", seats=3).arrive(0, 1)
    table.refuse(0)
    assert [len(table.overs(seat)) for seat in range(3)] == [1, 1, 0]


def test_the_referee_waits_for_reports_a_second_at_most() -> None:
    table = Table().begin()
    table.resign()
    assert table.phase() is Phase.REPORTING
    table.say(0, Report(GAME, cpu=5, memory=6, stderr="a word"))
    table.wait(SECOND - 1)
    assert table.phase() is Phase.REPORTING
    table.wait(1)
    assert table.phase() is Phase.DONE
    first, second = table.match.record().seats
    assert (first.cpu, first.memory, first.stderr) == (5, 6, "a word")
    assert (second.cpu, second.memory, second.stderr) == (None, None, None)


def test_a_match_is_done_when_all_have_reported() -> None:
    table = Table().begin()
    table.resign()
    table.finish()
    assert table.phase() is Phase.DONE
    assert table.match.wake is None


def test_a_report_counts_once_and_only_for_this_game() -> None:
    table = Table().begin()
    table.resign()
    table.say(0, Report(8, cpu=1))
    table.say(0, Report(GAME, cpu=2))
    table.say(0, Report(GAME, cpu=3))
    assert table.match.record().seats[0].cpu == 2


def test_nobody_waits_for_reports_of_players_that_we_did_not_start_or_lost() -> None:
    table = Table(hosted=(0,)).begin()
    table.resign()
    assert table.phase() is Phase.REPORTING
    table.lose(0)
    assert table.phase() is Phase.DONE


def test_the_form_of_adsearch_is_taken_from_players_that_we_started() -> None:
    table = Table(hosted=(0,)).arrive(0, 1)
    for seat in (0, 1):
        table.say(seat, Ready(GAME, adsearch="compiled"))
    table.resign()
    table.lose(0)
    assert [seat.adsearch for seat in table.match.record().seats] == ["compiled", None]


def test_there_is_no_record_before_the_end() -> None:
    with pytest.raises(RuntimeError, match="not over"):
        Table().begin().match.record()


def test_a_game_that_cannot_be_played_as_described_is_refused() -> None:
    with pytest.raises(BadFixture, match="is for 2 players, got 3"):
        Match(new_fixture(seats=3), 0, secret=b"s")


def test_the_same_key_and_moves_make_the_same_record() -> None:
    records = []
    for _ in range(2):
        table = Table(rules="pig:goal=20").begin()
        while table.phase() is Phase.PLAYING:
            table.play("hold", after=MS)
        records.append(table.match.record())
    assert records[0] == records[1]
    assert isinstance(table.post[0][-1], Over)
