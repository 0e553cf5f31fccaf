"""The rules of refereeing about time: what is charged, who is late, lost players, void games."""

from __future__ import annotations

import pytest

from agents.protocol import (
    Bye,
    Move,
    Ready,
    Start,
    Verdict,
)
from arena.match.conditions import Limits, OwnTime
from arena.match.match import BACKSTOP, GRACE, Phase
from tests.kit.match_model import MS, SECOND
from tests.kit.match_table import GAME, Table

WON_BY_SEAT_0 = ("a1", "b1", "a2", "b2", "a3")


# Time.


def test_left_is_what_was_left_less_what_was_charged_and_then_the_increment() -> None:
    table = Table(clock="60+0.5").begin()
    table.play("b2", after=10 * SECOND)
    assert table.match.moves[0].left == 50 * SECOND + 500 * MS
    assert table.question().left == (50_500, 60_000)


def test_a_seat_can_have_a_clock_and_a_margin_of_its_own() -> None:
    table = Table(clock="60", margin=50 * MS, own_times=(OwnTime("bob", "10+1", 2 * SECOND),)).begin()
    assert [post[0].clock.text for post in table.post if isinstance(post[0], Start)] == ["60", "10+1"]
    assert table.question().left == (60_000, 10_000)
    table.play("b2", "a1", after=9 * SECOND)
    assert table.question().left == (51_000, 2_000)
    table.play("b1", after=SECOND)
    table.play("c3", after=4 * SECOND)  # the whole margin
    table.play("b3", after=50 * SECOND + 50 * MS)
    assert table.result() == ("normal", None)
    assert [seat.clock for seat in table.match.record().seats] == [None, "10+1"]


def test_a_hosts_own_measurement_is_charged_and_the_rest_is_lag() -> None:
    table = Table(clock="60").begin()
    table.play("b2", after=2 * SECOND, spent=1_500 * MS)
    ply = table.match.moves[0]
    assert (ply.spent, ply.lag, ply.left) == (1_500 * MS, 500 * MS, 58_500 * MS)


@pytest.mark.parametrize("spent", [-1, 2 * SECOND + 1, 2**63 - 1], ids=["below 0", "above the interval", "far above"])
def test_a_measurement_that_cannot_be_is_not_believed(spent: int) -> None:
    table = Table(clock="60").begin()
    table.play("b2", after=2 * SECOND, spent=spent)
    ply = table.match.moves[0]
    assert (ply.spent, ply.lag) == (2 * SECOND, 0)


@pytest.mark.parametrize("spent", [0, 2 * SECOND], ids=["nothing", "the whole interval"])
def test_a_measurement_within_the_interval_is_accepted(spent: int) -> None:
    table = Table(clock="60").begin()
    table.play("b2", after=2 * SECOND, spent=spent)
    ply = table.match.moves[0]
    assert (ply.spent, ply.lag) == (spent, 2 * SECOND - spent)


def test_a_player_that_we_did_not_start_is_not_believed_in_anything() -> None:
    table = Table(clock="60", hosted=(1,)).begin()
    table.play("b2", after=2 * SECOND, spent=1, cpu=5, delay=6, log=7)
    ply = table.match.moves[0]
    assert (ply.spent, ply.lag, ply.cpu, ply.delay, ply.log) == (2 * SECOND, 0, None, 0, None)


def test_a_move_at_the_very_end_of_time_and_margin_still_counts() -> None:
    table = Table(clock="1").begin()
    table.play("b2", after=SECOND + 50 * MS)
    assert table.match.moves[0].left == 0
    assert table.result() == (None, None)


def test_a_move_a_nanosecond_later_loses_on_time() -> None:
    table = Table(clock="1").begin()
    table.play("b2", after=SECOND + 50 * MS + 1)
    assert table.result() == ("time", 0)
    assert table.match.detail == "ann used 1.050 s of 1.000 s at ply 1"


def test_a_move_that_came_late_over_the_network_but_was_made_in_time_counts() -> None:
    table = Table(clock="1").begin()
    table.play("b2", after=1_900 * MS, spent=900 * MS)
    assert table.result() == (None, None)


def test_the_referee_gives_up_on_a_host_a_second_after_the_longest_that_a_turn_may_take() -> None:
    table = Table(clock="1").begin()
    table.wait(10 * (SECOND + 50 * MS) + 60 * SECOND + BACKSTOP - 1)
    assert table.result() == (None, None)
    table.wait(1)
    assert table.result() == ("void", None)
    assert table.match.detail == "ann did not answer in time: the machine was too busy with other programs"


def test_a_delayed_referee_reads_the_move_before_it_calls_time() -> None:
    table = Table(clock="1").begin()
    question = table.question()
    table.stall(5 * SECOND)
    table.say(0, Move(GAME, question.id, "b2", spent=300 * MS))
    table.tick()
    assert table.result() == (None, None)
    assert table.match.moves[0].lag == 4_700 * MS


def test_without_a_clock_a_move_has_its_own_limit() -> None:
    table = Table().begin()
    assert (table.question().left, table.question().budget) == (None, None)
    table.play("b2", after=60 * SECOND)
    table.play("a1", after=60 * SECOND + 50 * MS + 1)
    assert table.result() == ("time", 1)


def test_a_warden_is_told_when_it_must_have_failed_its_agent_and_nobody_else_is() -> None:
    table = Table(clock="1", guarded=(1,)).begin()
    table.play("b2")
    assert not isinstance(table.question(0).limit, int)
    assert table.question(1).limit == SECOND + 50 * MS


def test_a_wardens_word_that_time_is_up_ends_the_game() -> None:
    table = Table(clock="1", guarded=(0,)).begin()
    table.wait(SECOND + 52 * MS)
    table.fail(0, Verdict.TIME, spent=SECOND + 51 * MS)
    assert table.result() == ("time", 0)
    record = table.match.record()
    assert (record.seats[0].spent, record.lag) == (SECOND + 51 * MS, MS)


@pytest.mark.parametrize("verdict", [Verdict.NORMAL, Verdict.RESIGNED, Verdict.ILLEGAL, Verdict.FORFEIT])
def test_a_warden_cannot_give_verdicts_that_are_the_referees(verdict: Verdict) -> None:
    table = Table(guarded=(0,)).begin()
    table.fail(0, verdict)
    assert table.result() == ("garbage", 0)


@pytest.mark.parametrize("how", ["moves on", "abort", "garbage of the other"])
def test_the_last_unfinished_turn_is_charged_too(how: str) -> None:
    table = Table(clock="60").begin()
    table.play("b2", after=2 * SECOND)
    table.wait(3 * SECOND)
    if how == "moves on":
        table.resign()
    elif how == "abort":
        table.abort()
    else:
        table.refuse(0)
    record = table.match.record()
    assert [(seat.spent, seat.longest) for seat in record.seats] == [(2 * SECOND, 2 * SECOND), (3 * SECOND, 3 * SECOND)]
    assert record.lag == 0


# Sitting down and being ready.


HELLO = 10 * 10 * SECOND + 60 * SECOND + BACKSTOP
"""The absolute limit for a process of ours to connect, whose default time is 10 s."""


def test_a_process_of_ours_that_never_sits_down_makes_the_game_void() -> None:
    table = Table().arrive(0)
    table.wait(HELLO - 1)
    assert table.result() == (None, None)
    table.wait(1)
    assert table.result() == ("void", None)
    assert table.match.detail == "bob did not connect in time: the machine was too busy with other programs"


def test_a_guest_that_never_connects_is_unready() -> None:
    table = Table(hosted=(0,)).arrive(0)
    table.wait(10 * SECOND - 1)
    assert table.result() == (None, None)
    table.wait(1)
    assert table.result() == ("unready", 1)
    assert table.match.detail == "bob did not connect in time"


def test_a_guest_that_never_says_ready_is_unready() -> None:
    table = Table(hosted=(1,)).arrive(0, 1)
    table.say(1, Ready(GAME))
    table.wait(5 * SECOND)
    assert table.result() == ("unready", 0)
    assert table.match.detail == "ann did not say ready in time"


def test_where_several_are_late_the_lowest_seat_is_at_fault() -> None:
    table = Table(rules="ludo", seats=4, hosted=(0,)).arrive(0, 2)
    table.wait(10 * SECOND)
    assert table.result() == ("unready", 1)


def starts(table: Table) -> list[int]:
    """The seats that were sent `start` so far."""
    return [seat for seat, post in enumerate(table.post) if post]


def test_agents_with_wardens_start_one_after_the_other_and_others_at_once() -> None:
    table = Table(rules="ludo", seats=4, guarded=(0, 2, 3)).arrive(0, 1, 2, 3)
    assert starts(table) == [0, 1]
    table.wait(SECOND)
    table.say(1, Ready(GAME))
    assert starts(table) == [0, 1]
    table.say(0, Ready(GAME))
    assert starts(table) == [0, 1, 2]
    table.say(3, Ready(GAME))  # nobody has asked it
    assert starts(table) == [0, 1, 2]


def test_ready_for_another_game_is_not_ready() -> None:
    table = Table().arrive(0, 1)
    table.say(0, Ready(GAME))
    table.say(1, Ready(8))
    assert table.phase() is Phase.STARTING


@pytest.mark.parametrize(("liable", "result"), [((), ("void", None)), ((1,), ("crashed", 1))])
def test_a_warden_that_is_silent_for_longer_than_any_agent_may_start_is_as_good_as_lost(
    liable: tuple[int, ...], result: tuple[str | None, int | None]
) -> None:
    table = Table(guarded=(1,), liable=liable).arrive(0, 1)
    table.say(0, Ready(GAME))
    table.wait(HELLO - 1)
    assert table.result() == (None, None)
    table.wait(1)
    assert table.result() == result
    assert table.match.detail == "bob: its warden did not say ready in time"


def test_a_player_that_is_started_by_hand_may_take_any_time() -> None:
    table = Table(limits=Limits(hello=None)).arrive(0)
    assert table.match.wake is None
    table.wait(3600 * SECOND)
    table.arrive(1)
    assert table.phase() is Phase.STARTING


# Losing a player.


def test_a_lost_player_whose_turn_it_is_has_crashed_20_ms_later() -> None:
    table = Table().begin()
    table.lose(0)
    table.wait(GRACE - 1)
    assert table.result() == (None, None)
    table.wait(1)
    assert table.result() == ("crashed", 0)
    assert table.match.detail == "ann: ended"
    assert GRACE == 20 * MS


def test_a_lost_players_last_move_counts_when_it_comes_within_20_ms() -> None:
    table = Table().begin()
    table.play("a1", "b1", "a2", "b2")
    table.lose(0)
    table.play("a3", after=GRACE - 1)
    assert table.result() == ("normal", None)
    assert table.overs(0) == []
    assert len(table.overs(1)) == 1


def test_a_player_lost_after_its_move_has_crashed_when_its_turn_comes() -> None:
    table = Table().begin()
    table.lose(0)
    table.play("b2", after=MS)
    table.wait(30 * SECOND)
    assert table.result() == (None, None)
    table.play("a1")
    assert table.result() == ("crashed", 0)
    assert len(table.match.moves) == 2


def test_a_player_lost_while_the_other_thinks_wins_if_the_other_loses_first() -> None:
    table = Table().begin()
    table.lose(1)
    table.wait(SECOND)
    table.play("z9")
    assert table.result() == ("illegal", 0)
    assert table.match.points == (0.0, 1.0)


@pytest.mark.parametrize("arrived", [False, True])
def test_a_guest_lost_before_the_start_has_crashed(arrived: bool) -> None:
    table = Table(hosted=(0,))
    table.arrive(*([1] if arrived else []))
    table.lose(1)
    table.wait(GRACE)
    assert table.result() == ("crashed", 1)


@pytest.mark.parametrize("how_far", ["sitting down", "saying ready", "thinking", "while the other thinks"])
@pytest.mark.parametrize(("liable", "result"), [((), ("void", None)), ((1,), ("crashed", 1))])
def test_a_lost_warden_makes_the_game_void_unless_its_seat_is_liable(
    how_far: str, liable: tuple[int, ...], result: tuple[str | None, int | None]
) -> None:
    table = Table(guarded=(1,), liable=liable)
    if "think" in how_far:
        table.begin()
        table.play(*["b2"] * (how_far == "thinking"))
    else:
        table.arrive(*([0, 1] if how_far == "saying ready" else [1]))
    table.lose(1)
    table.wait(GRACE)
    table.play(*["b2"] * (how_far == "while the other thinks"))
    assert table.result() == result
    assert table.match.detail == "bob: ended"


@pytest.mark.parametrize("how_far", ["sitting down", "saying ready"])
def test_a_player_of_ours_that_is_lost_before_it_is_ready_makes_the_game_void(how_far: str) -> None:
    table = Table()
    table.arrive(1)
    if how_far == "saying ready":
        table.arrive(0)
        table.say(0, Ready(GAME))
    table.lose(1)
    table.wait(GRACE)
    assert table.result() == ("void", None)
    assert table.match.detail == "bob: ended"


def test_a_player_of_ours_that_was_ready_and_is_lost_has_crashed() -> None:
    table = Table().arrive(0, 1)
    table.say(1, Ready(GAME))
    table.lose(1)
    table.say(0, Ready(GAME))
    table.play("b2")
    assert table.result() == ("crashed", 1)


def test_bye_in_the_middle_is_as_good_as_being_lost() -> None:
    table = Table().begin()
    table.say(0, Bye())
    table.wait(GRACE)
    assert table.result() == ("crashed", 0)
    assert "said bye" in table.match.detail


def test_of_two_lost_players_the_one_that_is_needed_has_crashed() -> None:
    table = Table().begin()
    table.lose(1)
    table.lose(0)
    table.wait(GRACE)
    assert table.result() == ("crashed", 0)


def test_a_delayed_referee_decides_as_if_on_time() -> None:
    """Seat 0 is late for ready before seat 1, lost a moment ago, is given up."""
    for held_up in (False, True):
        table = Table(hosted=()).arrive(0, 1)
        table.wait(5 * SECOND - 10 * MS)
        table.lose(1)
        if held_up:
            table.stall(SECOND)
            table.tick()
        table.wait(SECOND)
        assert table.result() == ("unready", 0)


@pytest.mark.parametrize("verdict", [Verdict.CRASHED, Verdict.MEMORY])
def test_an_agent_that_fails_while_the_other_thinks_has_lost_when_its_turn_comes(verdict: Verdict) -> None:
    table = Table(guarded=(1,)).begin()
    table.fail(1, verdict)
    table.fail(1, Verdict.TIME)
    assert table.result() == (None, None)
    table.play("b2")
    assert table.result() == (verdict, 1)
    assert table.match.detail == "bob: its agent failed"


def test_a_wardens_failed_counts_even_if_the_warden_is_lost_later() -> None:
    table = Table(guarded=(1,)).begin()
    table.fail(1, Verdict.MEMORY)
    table.lose(1)
    table.play("b2")
    assert table.result() == ("memory", 1)


@pytest.mark.parametrize("verdict", [Verdict.GARBAGE, Verdict.FLOODED])
def test_an_agent_that_breaks_the_protocol_loses_at_once(verdict: Verdict) -> None:
    table = Table(guarded=(1,)).begin()
    table.fail(1, verdict)
    assert table.result() == (verdict, 1)


def test_an_agent_that_fails_before_the_game_begins_loses_at_once() -> None:
    table = Table(guarded=(1,)).arrive(1)
    table.fail(1, Verdict.CRASHED)
    assert table.result() == ("crashed", 1)


def test_a_warden_whose_server_fails_makes_the_game_void() -> None:
    table = Table(guarded=(1,)).begin()
    table.fail(1, Verdict.VOID)
    assert table.result() == ("void", None)


# What a turn costs.


def cost_of(
    wall: int, *, lag: int = 0, hosted: tuple[int, ...] = (0, 1), **told: int
) -> tuple[int, int | None, int, str | None]:
    """A move after `wall` milliseconds of 10 s: the time charged, its delay, its lag, and the verdict."""
    table = Table(clock="10", hosted=hosted, margin=0).begin()
    table.stall((wall + lag) * MS)
    table.play("b2", spent=wall * MS, **{what: time * MS for what, time in told.items()})
    record = table.match.record() if table.match.verdict else None
    if record is not None:
        return (record.seats[0].spent or 0) // MS, None, record.lag // MS, record.verdict
    ply = table.match.moves[0]
    return (ply.spent or 0) // MS, (ply.delay or 0) // MS, (ply.lag or 0) // MS, None


def test_waiting_is_not_charged_and_comes_off_no_clock() -> None:
    assert cost_of(2000, cpu=100, delay=1900) == (100, 1900, 0, None)
    assert cost_of(2000, cpu=100, delay=1500, lag=700) == (500, 1500, 700, None)


def test_an_agent_that_only_waited_continues() -> None:
    assert cost_of(30_000, cpu=9_000, delay=21_000) == (9_000, 21_000, 0, None)


def test_a_millisecond_too_much_loses_however_long_the_wait() -> None:
    assert cost_of(30_000, cpu=10_001, delay=21_000) == (10_001, None, 0, "time")
    assert cost_of(30_000, cpu=0, delay=19_999) == (10_001, None, 0, "time")


def test_no_less_is_charged_than_was_computed() -> None:
    assert cost_of(2000, cpu=1500, delay=1900) == (1500, 500, 0, None)
    assert cost_of(2000, cpu=60_000, delay=1900) == (2000, 0, 0, None)


def test_impossible_measurements_give_no_credit_for_waiting() -> None:
    assert cost_of(2000, cpu=100, delay=-5) == (2000, 0, 0, None)
    assert cost_of(2000, cpu=-5, delay=5000) == (0, 2000, 0, None)
    assert cost_of(2000, delay=1900) == (2000, 0, 0, None)
    assert cost_of(2000, cpu=100) == (2000, 0, 0, None)


def test_a_player_that_we_did_not_start_is_charged_all() -> None:
    assert cost_of(2000, cpu=100, delay=1900, hosted=(1,)) == (2000, 0, 0, None)


def test_for_a_player_that_we_did_not_start_time_is_called_at_once() -> None:
    table = Table(clock="1", hosted=(1,), margin=50 * MS).begin()
    table.wait(1_050 * MS)
    assert table.match.verdict is None
    table.wait(1)
    assert table.result() == ("time", 0)


def test_a_loss_on_time_mentions_the_wait() -> None:
    table = Table(clock="1", guarded=(0,)).begin()
    table.wait(3 * SECOND)
    table.fail(0, Verdict.TIME, spent=3 * SECOND, cpu=1_060 * MS, delay=1_900 * MS)
    assert table.result() == ("time", 0)
    assert table.match.detail == (
        "ann used 1.100 s of 1.000 s at ply 1 (it also waited 1.900 s for a processor, which is not charged)"
    )


# Void.


def test_waiting_until_the_absolute_limit_with_time_left_makes_the_game_void() -> None:
    table = Table(clock="1", guarded=(0,)).begin()
    table.wait(70 * SECOND + 500 * MS)
    table.fail(0, Verdict.TIME, spent=70 * SECOND + 500 * MS, cpu=200 * MS, delay=70 * SECOND)
    assert table.result() == ("void", None)
    assert table.match.detail == (
        "ann used 0.500 s of 1.000 s at ply 1, and waited 70.000 s for a processor: "
        "the machine was too busy with other programs"
    )


def test_a_void_game_has_no_result_but_keeps_its_evidence() -> None:
    table = Table().begin()
    table.play("b2")
    table.abort()
    record = table.match.record()
    assert (record.verdict, record.fault, len(record.moves)) == ("void", None, 1)
    assert [(seat.points, seat.utility) for seat in record.seats] == [(None, None), (None, None)]
    assert table.overs(0)[0].utilities is None
