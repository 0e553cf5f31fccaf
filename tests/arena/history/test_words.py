"""Texts for people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from adsearch import games
from arena.history import words
from arena.history.replay import replay
from db.records import JudgedPly, Mark, MoveRecord, PastGame, PastSeat, PositionValue


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0.01 s"),
        (0.036, "0.04 s"),
        (3, "3 s"),
        (200, "3 minutes"),
        (9000, "2.5 hours"),
        (5 * 24 * 3600, "5.0 days"),
    ],
)
def test_rough_durations(seconds: float, said: str) -> None:
    assert words.rough_duration(seconds) == said


BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (datetime(2026, 12, 25, 22, 59, tzinfo=UTC), "2026-12-25 22:59 UTC"),
        (datetime(2026, 12, 25, 23, 59, tzinfo=BERLIN), "2026-12-25 23:59 Europe/Berlin (22:59 UTC)"),
        (datetime(2026, 7, 1, 0, 30, tzinfo=BERLIN), "2026-07-01 00:30 Europe/Berlin (2026-06-30 22:30 UTC)"),
        (datetime(2026, 7, 1, 12, 0, tzinfo=timezone(timedelta(hours=-5))), "2026-07-01 12:00 UTC-05:00 (17:00 UTC)"),
        (datetime(2026, 1, 1, 12, 0, tzinfo=ZoneInfo("Europe/London")), "2026-01-01 12:00 UTC"),
    ],
)  # fmt: skip
def test_a_moment_is_shown_with_its_zone_and_in_utc(time: datetime, said: str) -> None:
    assert words.moment(time) == said
    assert words.local_time(time) == f"{time.astimezone():%Y-%m-%d %H:%M} {time.astimezone().tzname()}"


def test_a_recorded_time_is_shown_with_its_zone() -> None:
    assert words.recorded_moment("2026-12-25T22:59:03.000Z") == "2026-12-25 22:59 UTC"
    assert (words.recorded_moment(None), words.recorded_moment("2026-12-25")) == ("", "2026-12-25")


def test_a_time_without_a_zone_is_no_moment() -> None:
    for show in (words.moment, words.local_time):
        with pytest.raises(ValueError, match="expected a time with its zone, got 2026-12-25 23:59:00"):
            show(datetime(2026, 12, 25, 23, 59))


def test_the_time_that_is_left() -> None:
    assert words.time_left(1, 11, 60) == "about 10 minutes left"
    assert words.time_left(0, 10, 60) == words.time_left(10, 10, 60) == ""


def shown(*plies: tuple[int | str, str]) -> tuple[list[str], list[str]]:
    """The lines of a list of these plies, and the latest ones."""
    found = words.lines(plies, "words", first=3, deals=True)
    texts = [f"{line.number} {line.who}: {line.moves}" for line in found]
    return texts, [texts[found.index(line)] for line in words.latest(found)]


def test_chance_events_in_a_row_share_a_line_and_moves_in_a_row_do_not() -> None:
    listed, latest = shown(("chance", "E"), ("chance", "?"), (0, "8H-AT"), (0, "pass"), ("chance", "31"))
    assert listed == ["3–4. chance: E ?", "5. 0: 8H-AT", "6. 0: pass", "7. chance: 31"]
    assert latest == ["6. 0: pass", "7. chance: 31"]


def test_a_move_before_the_first_chance_event_has_a_line_of_its_own() -> None:
    for deals in (True, False):
        found = words.lines([(0, "roll"), ("chance", "6"), (1, "roll"), (1, "hold")], "pig", deals=deals)
        assert [line.number for line in found] == ["1.", "2.", "3.", "4."]


def test_throws_in_a_row_do_not_share_a_line_because_between_them_a_player_has_lost_the_turn() -> None:
    found = words.lines([(0, "24/18"), ("chance", "62"), ("chance", "42")], "backgammon", deals=False)
    assert [line.moves for line in found] == ["24/18", "62", "42"]


def test_the_latest_move_stays_when_chance_does_what_nobody_sees() -> None:
    assert shown((1, "8H-AT"), ("chance", "?"), ("chance", "?"))[1] == ["3. 1: 8H-AT"]
    assert shown(("chance", "?"), ("chance", "?"))[1] == ["3–4. chance: ? ?"]
    assert shown(("opening", "a1"), (1, "b2"))[1] == ["4. 1: b2"]
    assert shown() == ([], [])


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(188, "3:08"), (9.49, "0:09.4"), (10, "0:10"), (59.9, "0:59"), (3725, "1:02:05"), (0, "0:00.0"), (-1, "0:00.0")],
)
def test_a_clock(seconds: float, shown: str) -> None:
    assert words.clock(round(seconds * 1_000_000_000)) == shown


def test_marks_of_cells_are_listed_and_numbers_have_two_decimals() -> None:
    marks: dict[str, str | float] = {"e4": "good", "d5": -0.0, "c6": 0.029126, "b7": -0.004, "a8": -1.0, "h1": 0.5}
    assert words.marks(marks) == "e4 good, d5 0, c6 +0.03, b7 0, a8 -1, h1 +0.5"
    assert words.marks({"\x1b": "note"}) == "\\x1b note"
    assert words.marks(None) == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (PositionValue((1.0, -1.0), True, 5), PositionValue((0.0, 0.0), True), "A win in 5 plies became a draw."),
        (PositionValue((1.0, -1.0), True, 1), PositionValue((-1.0, 1.0), True), "A win in 1 ply became a loss."),
        (PositionValue((0.5, -0.5), False), PositionValue((-0.25, 0.25), False), "The value fell from 0.5 to -0.25."),
        (PositionValue((3.0, -3.0), True), PositionValue((1.0, -1.0), True), "The value fell from 3 to 1."),
        (PositionValue((0.5, -0.5), False, known=False), PositionValue((0.0, 0.0), True), ""),
    ],
)  # fmt: skip
def test_what_a_mistake_cost(before: PositionValue, after: PositionValue, said: str) -> None:
    ply = JudgedPly(ply=3, who=0, move="a1", before=before, after=after, depth=4, mark=Mark.MISTAKE)
    assert words.cost(ply) == said
    assert words.cost(replace(ply, mark=Mark.NONE)) == ""
    assert words.cost(replace(ply, who="chance")) == ""


# Recorded moves as people write them, tested with chess.


FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def recorded(*moves: str, rules: str = "chess", analysis: tuple[JudgedPly, ...] = ()) -> PastGame:
    """A game of ann and bob with these moves."""
    return PastGame(
        id=1,
        number=1,
        pair="p",
        game=rules,
        seats=(PastSeat(seat=0, player="ann"), PastSeat(seat=1, player="bob")),
        moves=tuple(MoveRecord(ply, (ply - 1) % 2, move) for ply, move in enumerate(moves, 1)),
        analysis=analysis,
    )


def test_a_line_is_shown_move_by_move() -> None:
    assert words.shown_moves(games.start("chess"), FOOLS_MATE) == ["f3", "e5", "g4", "Qh4#"]


def test_what_is_not_a_legal_move_and_all_after_it_stay_as_they_are() -> None:
    line = ["e2e4", "mate", "g1f3"]
    assert words.shown_moves(games.start("chess"), line) == ["e4", "mate", "g1f3"]
    assert words.shown_moves(None, line) == line


def test_a_game_without_another_form_keeps_its_moves_even_if_they_are_not_legal() -> None:
    game = recorded("99", rules="connect4")
    assert replay(game).game is game


def test_the_steps_of_a_replay_have_moves_expected_lines_and_better_moves_in_this_form() -> None:
    value = PositionValue((0.0, 0.0), exact=False)
    judged = JudgedPly(
        ply=3, who=0, move="g2g4", before=value, after=value, depth=1, mark=Mark.BLUNDER, better=("e2e4", "g8f6")
    )
    game = recorded(*FOOLS_MATE, analysis=(judged,))
    moves = (*game.moves[:3], MoveRecord(4, 1, "d8h4", line="d8h4 or so"))
    found = replay(PastGame(**{name: getattr(game, name) for name in game.__struct_fields__} | {"moves": moves}))
    assert [step.move and step.move.move for step in found.steps] == [None, "f3", "e5", "g4", "Qh4#"]
    assert found.steps[4].move is not None
    assert found.steps[4].move.line == "Qh4# or so"
    assert found.steps[3].judged is not None
    assert (found.steps[3].judged.move, found.steps[3].judged.better) == ("g4", ("e4", "Nf6"))
    assert found.game.moves == tuple(step.move for step in found.steps[1:])


def test_the_opening_is_shown_in_this_form() -> None:
    game = replace(recorded(*FOOLS_MATE), opening="f2f3 e7e5")
    assert replay(game).game.opening == "f3 e5"


def test_moves_after_an_illegal_one_are_shown_as_they_were_recorded() -> None:
    found = replay(recorded("e2e4", "e2e4", "g8f6"))
    assert [move.move for move in found.game.moves] == ["e4", "e2e4", "g8f6"]
