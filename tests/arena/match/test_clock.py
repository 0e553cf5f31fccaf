"""Time controls as texts, and their effect on a seat's time, compared with tables made by hand.

A row of a table is one move: the time charged, and the time left afterwards, in seconds.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.errors import BadClock
from arena.match.clock import MILLISECOND, SECOND, Clock, TimeControl
from tests.kit.effort import tries

TIMES = (
    st.integers(1, 30 * 24 * 3600 * SECOND) | st.integers(1, 5 * MILLISECOND) | st.integers(1, 600).map(SECOND.__mul__)
)
COUNTS = st.integers(1, 100_000) | st.integers(1, 60)
CONTROLS = st.one_of(
    st.just(TimeControl()),
    st.builds(TimeControl, move=TIMES),
    st.builds(TimeControl, base=TIMES, increment=st.just(0) | TIMES, moves=st.just(0) | COUNTS),
    st.builds(TimeControl, base=st.just(0) | TIMES, periods=COUNTS, period=TIMES),
)


def seconds(time: float) -> int:
    return round(time * SECOND)


# As text.


@settings(max_examples=tries(300))
@given(CONTROLS)
@example(TimeControl(base=1))
@example(TimeControl(base=100 * SECOND))
@example(TimeControl(base=0, periods=1, period=1))
def test_every_time_control_is_read_back_from_its_own_text(control: TimeControl) -> None:
    text = str(control)
    assert TimeControl.parse(text) == control
    assert str(TimeControl.parse(text)) == text
    assert TimeControl.parse(f"  {text.upper()} ") == control


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("60", TimeControl(base=60 * SECOND)),
        ("60+0.5", TimeControl(base=60 * SECOND, increment=seconds(0.5))),
        ("40/300+3", TimeControl(base=300 * SECOND, increment=3 * SECOND, moves=40)),
        ("60+5x10", TimeControl(base=60 * SECOND, periods=5, period=10 * SECOND)),
        ("0+5x10", TimeControl(periods=5, period=10 * SECOND)),
        ("move=0.1", TimeControl(move=seconds(0.1))),
        ("none", TimeControl()),
        ("1+0.01", TimeControl(base=SECOND, increment=10 * MILLISECOND)),
        ("0.000000001", TimeControl(base=1)),
        ("2592000", TimeControl(base=30 * 24 * 3600 * SECOND)),
    ],
)
def test_the_texts_of_the_documentation_mean_what_they_say(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert str(control) == text


@pytest.mark.parametrize(
    ("text", "plain"), [("60.0", "60"), ("060", "60"), (".5", "0.5"), ("60+0", "60"), ("1.50+0.0", "1.5")]
)
def test_what_can_be_written_in_several_ways_is_printed_in_one(text: str, plain: str) -> None:
    assert str(TimeControl.parse(text)) == plain


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "-1", "+1", "0", "0+5", "move=0", "1e9", "inf", "nan", "60+", "60+-1", "60+5x", "60+x10", "60+5x0"),
        *("60+0x10", "0/60", "40/", "40/60+5x10", "100001/60", "60+100001x1", "2592001", "60s", "1:00", "60 + 1"),
        *("move=", "move=1+1", "0.0000000001", "٦٠", "6０", "60\n+1", "none0", "9" * 400, "1" + "0" * 12),
    ],
)
def test_any_other_text_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadClock) as caught:
        TimeControl.parse(text)
    words = str(caught.value)
    assert "expected" in words
    assert "got" in words
    assert "\n" not in words
    assert len(words) < 250


@pytest.mark.parametrize("text", [None, 60, 0.5, b"60", ["60"]])
def test_what_is_no_text_at_all_is_refused_in_words(text: object) -> None:
    with pytest.raises(BadClock, match="expected a clock such as"):
        TimeControl.parse(text)  # type: ignore[arg-type]


@settings(max_examples=tries(300))
@given(st.text(alphabet="0123456789+x/.=moven -", max_size=14))
def test_a_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    try:
        control = TimeControl.parse(text)
    except BadClock:
        return
    assert TimeControl.parse(str(control)) == control


def test_only_none_is_no_clock() -> None:
    assert not TimeControl.parse("none")
    assert all(TimeControl.parse(text) for text in ("60", "0+1x1", "move=0.1", "1/1"))


# What each kind does.

TABLES: dict[str, list[tuple[float, float]]] = {
    "60": [(10, 50), (0, 50), (49.5, 0.5), (0.5, 0), (0, 0)],
    "60+0.5": [(10, 50.5), (0, 51), (51, 0.5), (0.5, 0.5), (0.25, 0.75)],
    "3/30+1": [(10, 21), (5, 17), (16, 32), (1, 32), (1, 32), (2, 61)],
    "1/5": [(5, 5), (1, 9), (0, 14)],
    "0+3x10": [(9.999, 30), (10, 20), (19, 10), (9, 10), (10, 10)],
    "60+2x10": [(59, 21), (1, 20), (5, 20), (12, 10), (10, 10)],
    "5+3x10": [(6, 30), (24, 10), (0, 10)],
    "15+3x10": [(14, 31), (31, 10)],
    "move=0.1": [(0.1, 0.1), (0, 0.1), (0.05, 0.1)],
}
"""In byo-yomi a period that is used up is gone, except the last; a period used in part is renewed."""


@pytest.mark.parametrize("text", TABLES)
def test_each_kind_keeps_time_as_worked_out_by_hand(text: str) -> None:
    clock = Clock([TimeControl.parse(text)] * 2)
    other = clock.left(1)
    for charged, left in TABLES[text]:
        assert charged <= (clock.left(0) or 0) / SECOND
        clock.charge(0, seconds(charged))
        assert clock.left(0) == seconds(left)
        assert clock.left(1) == other


def test_the_margin_may_be_used_but_is_not_there_twice() -> None:
    clock = Clock([TimeControl.parse("1+0.5")] * 2, margins=[50 * MILLISECOND] * 2)
    assert clock.limit(0) == seconds(1.05)
    clock.charge(0, seconds(1.05))
    assert clock.left(0) == seconds(0.5)
    assert clock.limit(0) == seconds(0.55)


def test_the_margin_does_not_take_the_last_period_away() -> None:
    clock = Clock([TimeControl.parse("0+2x10")], margins=[50 * MILLISECOND])
    clock.charge(0, seconds(20.05))
    assert clock.left(0) == seconds(10)
    clock.charge(0, seconds(10.05))
    assert clock.left(0) == seconds(10)


def test_without_a_clock_there_is_only_the_limit_of_a_move() -> None:
    clock = Clock([TimeControl()] * 2, margins=[50 * MILLISECOND] * 2, move_limit=7 * SECOND)
    assert clock.left(0) is None
    assert clock.milliseconds() is None
    assert clock.budget(0) is None
    clock.charge(0, 100 * SECOND)
    clock.stop(0, 100 * SECOND)
    assert clock.limit(0) == 7 * SECOND


def test_players_get_whole_milliseconds_rounded_down() -> None:
    clock = Clock([TimeControl.parse("1+2x0.0015")] * 2)
    clock.charge(0, 1)
    assert clock.milliseconds() == (1002, 1003)


@pytest.mark.parametrize("text", TABLES)
def test_a_turn_that_ended_without_a_move_brings_nothing_back(text: str) -> None:
    clock = Clock([TimeControl.parse(text)])
    before = clock.left(0) or 0
    clock.stop(0, before // 3)
    assert clock.left(0) == before - before // 3
    clock.stop(0, 10**20)
    assert clock.left(0) == 0


@settings(max_examples=tries(200))
@given(CONTROLS, st.lists(st.integers(0, 10**18) | st.integers(0, SECOND), max_size=12), st.integers(0, SECOND))
def test_a_seats_time_is_never_negative_whatever_is_charged(
    control: TimeControl, charges: list[int], margin: int
) -> None:
    clock = Clock([control] * 2, margins=[margin] * 2)
    for charged in charges:
        clock.charge(0, charged)
        left = clock.left(0)
        assert left is None or left >= 0
        assert all(time >= 0 for time in clock.milliseconds() or ())
        assert clock.limit(0) >= 0


# The budget.


@pytest.mark.costly
@settings(max_examples=tries(300))
@given(
    CONTROLS,
    st.lists(st.sampled_from([0, 1, 1, 1, 1]), min_size=1, max_size=120),
    st.none() | st.integers(1, 200),
    st.integers(0, 10 * MILLISECOND),
)
@example(TimeControl(base=1000), [1], None, 0)
@example(TimeControl(base=SECOND, increment=10 * MILLISECOND), [1] * 100, None, 0)
@example(TimeControl(periods=1, period=10), [1] * 10, None, 0)
@example(TimeControl(base=60 * SECOND, moves=40), [1] * 100, None, 0)
def test_an_agent_that_uses_its_budget_never_loses_on_time(
    control: TimeControl, spends: list[int], moves_left: int | None, before: int
) -> None:
    """Without a margin; `before`: the time of a first move."""
    clock = Clock([control])
    clock.charge(0, min(before, clock.left(0) or 0))
    for spend in spends:
        budget, told = clock.budget(0, moves_left), clock.milliseconds()
        if budget is None or told is None:
            assert not control
            return
        assert 0 <= budget <= clock.limit(0)
        assert budget // MILLISECOND <= told[0]
        clock.charge(0, spend * budget)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("60", 1, 4),
        ("60+0.5", 1.5, 4),
        ("40/300", 6, 14),
        ("60+5x10", 9, 15),
        ("0+5x10", 9, 10),
        ("move=0.1", 0.06, 0.09),
        ("0.05", 0.001, 0.01),
    ],
)
def test_the_budget_is_a_sensible_share(text: str, least: float, most: float) -> None:
    clock = Clock([TimeControl.parse(text)])
    assert least <= (clock.budget(0) or 0) / SECOND <= most


def test_with_few_moves_left_the_budget_is_larger() -> None:
    clock = Clock([TimeControl.parse("60")])
    budgets = [clock.budget(0, moves) or 0 for moves in (50, 10, 3, 1)]
    assert budgets == sorted(budgets)
    assert budgets[-1] > 59 * SECOND


def test_the_last_moves_before_more_time_comes_may_use_what_is_left() -> None:
    clock = Clock([TimeControl.parse("3/30")])
    clock.charge(0, 10 * SECOND)
    clock.charge(0, 10 * SECOND)
    assert (clock.budget(0) or 0) > 9 * SECOND


def test_in_byo_yomi_the_budget_does_not_leap_when_the_first_time_is_nearly_gone() -> None:
    clock = Clock([TimeControl.parse("60+5x10")])
    budgets = []
    for _ in range(12):
        budgets.append(clock.budget(0) or 0)
        clock.charge(0, budgets[-1])
    assert budgets == sorted(budgets, reverse=True)
    assert clock.left(0) == 50 * SECOND


@settings(max_examples=tries(200))
@given(CONTROLS, st.integers(1, 200))
def test_no_seat_can_think_longer_than_the_longest_and_one_that_uses_everything_thinks_as_long(
    control: TimeControl, moves: int
) -> None:
    clock = Clock([control])
    thought = 0
    for number in range(moves):
        left = clock.left(0) or 0
        # In byo-yomi a turn that ends just within a period does not use it up.
        all_periods_but_a_moment = left - 1 if control.periods else left
        charge = all_periods_but_a_moment if clock.left(0) is not None else 0
        assert charge >= 0, number
        clock.charge(0, charge)
        thought += charge
    assert control.longest(moves) - moves <= thought <= control.longest(moves)
