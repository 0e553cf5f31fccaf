"""Whole checks of real agents, confined."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from adsearch import form
from adsearch.errors import AdsearchError
from adsearch.form import INTERPRETED
from arena.errors import ArenaError, BadFixture, BadPlayer
from arena.match.allowance import WallKind
from arena.match.clock import SECOND
from arena.match.conditions import Conditions, Limits
from arena.match.schedule import Entrant, Finished, Planned
from arena.play import cores
from arena.student.checking import (
    NUMBERED_STEPS,
    CheckReport,
    CheckStep,
    Exam,
    Light,
    StepName,
    check_maker,
    played_games,
)
from arena.student.checking.agent_lookup import submissions_in
from arena.student.checking.check_maker import Candidate, CheckSchedule, Examiner, RunningCheck, games_at_once
from arena.student.checking.played_games import CheckGame
from arena.student.checking.steps import GameBatch, GameRequests
from arena.walls import meter
from arena.walls.run_folder import RunFolder
from arena.walls.usage import descendants
from db.records import GameRecord, SeatRecord
from tests.kit.places import COUNTDOWN, ROOT

GREEDY = """from agents import Agent


class Greedy(Agent):
    def choose(self, state, clock):
        return max(state.moves(), key=lambda move: state.play(move).evaluate(state.turn))
"""
NOW = datetime(2026, 1, 1, tzinfo=UTC)
BARE = ROOT / "arena" / "student" / "starters" / "bare.py"


def examine(
    text: str, conditions: Exam, folder: RunFolder, *, report: Callable[[CheckStep], None] = lambda _: None
) -> CheckReport:
    with Examiner(conditions, folder) as examiner:
        ((_, found),) = examiner.each([Candidate("", text, report=report)])
    return found


def checked(text: object, game: str = "connect4", **others: Any) -> CheckReport:
    terms = {key: others.pop(key) for key in [*others] if key in Conditions.__struct_fields__}
    conditions = Exam(
        **{"game": game, "positions": 8, **others, "conditions": replace(Exam(game=game).conditions, **terms)}
    )
    with RunFolder() as folder:
        return examine(str(text), conditions, folder)


@pytest.mark.costly
def test_agents_and_opponents_search_in_the_form_of_the_conditions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = tmp_path / "asks.py"
    agent.write_text(
        GREEDY.replace("return", "assert __import__('sys')._xoptions['adsearch'] == 'interpreted'; return")
    )
    found = checked(agent, "tictactoe", positions=2, adsearch="interpreted")
    assert found.plays, found
    assert check_maker._opponent("interpreted", None).arguments[:2] == ("-X", INTERPRETED)
    monkeypatch.setattr(form, "form", lambda: "interpreted")
    with pytest.raises(BadPlayer, match="this installation cannot search compiled"):
        checked(agent, "tictactoe", adsearch="compiled")


def lights(checked: CheckReport) -> dict[str, Light]:
    return {step.name: step.light for step in checked.steps}


def advice(checked: CheckReport, name: StepName) -> str:
    return next(step.advice for step in checked.steps if step.name is name)


@pytest.fixture
def greedy(tmp_path: Path) -> Path:
    path = tmp_path / "greedy.py"
    path.write_text(GREEDY)
    return path


@pytest.mark.costly
def test_a_good_agent_passes_every_step_in_order_and_no_process_is_left(greedy: Path) -> None:
    before = descendants(os.getpid())
    told: list[CheckStep] = []
    with RunFolder() as folder:
        found = examine(str(greedy), Exam(game="connect4", positions=12), folder, report=told.append)
        assert not list(folder.scratch.iterdir())
    assert found.light is Light.GOOD, found.worst
    assert found.worst is None
    assert tuple(told) == found.steps
    assert tuple(step.name for step in found.steps) == NUMBERED_STEPS
    assert descendants(os.getpid()) <= before


@pytest.mark.costly
@pytest.mark.parametrize("game", ["ludo:players=3", "kuhn", f"{COUNTDOWN}:Countdown"])
def test_games_of_every_kind_are_checked(greedy: Path, game: str) -> None:
    found = checked(greedy, game, max_plies=12)
    assert found.light is Light.GOOD, found.worst


@pytest.mark.costly
def test_several_agents_are_examined_at_the_same_time_independently(tmp_path: Path, greedy: Path) -> None:
    (tmp_path / "none.py").write_text(GREEDY.replace("return", ""))
    (tmp_path / "empty").mkdir()
    (tmp_path / ".hidden").mkdir()
    awkward = tmp_path / f"{'W' * 64}日本<script>.py"
    awkward.write_text(GREEDY)
    wanted = submissions_in(tmp_path)
    assert [name for name, _ in wanted] == [awkward.stem, "empty", "greedy", "none"]
    told: list[tuple[int, list[int]]] = []
    with RunFolder() as folder, Examiner(Exam(game="nap", positions=4), folder, at_once=2, many=True) as examiner:
        candidates = [Candidate(name, text) for name, text in wanted]
        found = dict(examiner.each(candidates, lambda ended, places: told.append((ended, list(places)))))
    assert [0, 2] in [places for _, places in told]
    assert told[-1] == (4, [])
    assert [found[place].light for place in range(4)] == [Light.GOOD, Light.FAILED, Light.GOOD, Light.FAILED]
    assert [found[place].agent for place in range(4)] == [name for name, _ in wanted]


def test_all_cores_are_used_for_many_agents_only_if_none_pays_for_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "count", lambda: 8)
    monkeypatch.setattr(meter, "counts_waits", lambda kind: kind is WallKind.SANDBOX)
    assert games_at_once(WallKind.SANDBOX, many=True) == 8
    assert games_at_once(WallKind.SANDBOX, many=False) == games_at_once(WallKind.LIMITS, many=True) == 4
    monkeypatch.setattr(cores, "count", lambda: 1)
    assert games_at_once(WallKind.SANDBOX, many=True) == games_at_once(WallKind.LIMITS, many=True) == 1


@pytest.mark.costly
def test_a_missing_agent_among_several_is_reported_like_any_other(greedy: Path) -> None:
    conditions = Exam(game="nap:4", positions=1)
    with RunFolder() as folder, Examiner(conditions, folder) as examiner:
        found = dict(examiner.each([Candidate("", str(greedy.with_name("gredy.py"))), Candidate("", str(greedy))]))
    step = found[0].worst
    assert step is not None
    assert (step.name, step.advice, found[1].light) == (StepName.FOUND, f"did you mean '{greedy}'?", Light.GOOD)
    assert step.message.startswith("no file '")


def test_a_program_whose_file_is_missing_is_reported(tmp_path: Path) -> None:
    step = checked(f"cmd:{shlex.join([sys.executable, '-I', str(tmp_path / 'agnt.py')])}", "nap").worst
    assert step is not None
    assert step.name == StepName.FOUND
    assert re.match("no file '.*agnt.py': expected a program", step.message)


@pytest.mark.costly
def test_a_program_of_any_language_is_checked() -> None:
    found = checked(f"cmd:{shlex.join([sys.executable, '-I', '-S', str(BARE)])}")
    assert found.light is not Light.FAILED, found.worst


@pytest.mark.costly
def test_the_failing_position_is_drawn_and_can_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(
        GREEDY.replace("        return", "        if len(state.moves()) < 9:\n            return 99\n        return")
    )
    found = checked(path, "tictactoe")
    step = found.worst
    assert step is not None
    assert step.name == StepName.LEGAL
    assert step.got == "99"
    where, _, drawn = step.board.partition("\n")
    number = int(where.split()[1].rstrip(","))
    assert "a b c" in drawn
    assert step.again == f"arena check {path} --game tictactoe --position {number}"
    again = checked(path, "tictactoe", only=number).worst
    assert again is not None
    assert (again.board, again.message) == (step.board, "choose returned 99, which is not a legal move")


@pytest.mark.costly
def test_a_slow_agent_gets_fewer_positions(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(GREEDY.replace("        return", "        import time\n        time.sleep(0.2)\n        return"))
    with RunFolder() as folder:
        found = examine(str(path), Exam(game="connect4", conditions=Conditions(clock="60"), seconds=0.7), folder)
    assert found.light is Light.GOOD, found.worst
    told = {step.name: step.message for step in found.steps}
    assert re.search(r"no more, because a move took 0\.\d+ s", told[StepName.LEGAL])
    assert "cut short after" in told[StepName.WHOLE]


@pytest.mark.costly
def test_an_agent_too_slow_for_a_whole_game_gets_a_warning_unless_it_uses_its_clock(
    tmp_path: Path,
) -> None:
    sleeps = "        import time\n        time.sleep({})\n        return"
    (tmp_path / "steady.py").write_text(GREEDY.replace("        return", sleeps.format("0.4")))
    (tmp_path / "clever.py").write_text(GREEDY.replace("        return", sleeps.format("clock.left * 0.15")))
    conditions = Exam(game="connect4", conditions=Conditions(clock="2+0.01"), seconds=0.6)
    with RunFolder() as folder, Examiner(conditions, folder, at_once=2) as examiner:
        found = dict(examiner.each([Candidate(name, text) for name, text in submissions_in(tmp_path)]))
    clever, steady = found[0], found[1]
    assert clever.light is Light.GOOD, clever.worst
    assert steady.worst is not None
    assert (steady.light, steady.worst.name) == (Light.WARNING, StepName.CLOCK)
    told = r"at this pace the agent loses on time at its move [4-6], and a game can have \d\d;"
    assert re.search(told, steady.worst.message), steady.worst
    assert "clock.budget" in steady.worst.advice


@pytest.mark.costly
def test_a_program_that_is_too_slow_is_told_of_the_budget_in_its_messages(tmp_path: Path) -> None:
    program = tmp_path / "bare.py"
    program.write_text(BARE.read_text("utf-8").replace("legal[len(legal) // 2]", "(time.sleep(0.4), legal[0])[1]"))
    assert "time.sleep" in program.read_text("utf-8")
    program.write_text(f"import time\n{program.read_text('utf-8')}")
    found = checked(f"cmd:{shlex.join([sys.executable, '-I', '-S', str(program)])}", "connect4", clock="2+0.01")
    assert lights(found)[StepName.CLOCK] is Light.WARNING, found.worst
    assert advice(found, StepName.CLOCK) == (
        "use at most the milliseconds in 'budget' of the message 'turn' for each move: then the agent never loses on "
        "time"
    )


def test_advice_about_a_move_that_nearly_took_all_the_time_names_the_budget_of_the_agent() -> None:
    move = SimpleNamespace(spent=SECOND, left=0)
    game = cast("CheckGame", SimpleNamespace(own_moves=[move]))
    found = played_games.time_used([game], [game], "1", budget="my budget")
    assert (found.light, found.advice) == (Light.WARNING, "another machine can be slower: use less than my budget")


@pytest.mark.costly
def test_an_agent_that_fails_on_a_nearly_full_board_is_found(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    late = "        won = [move for move in state.moves() if state.play(move).turn is None]\n"
    late += "        if len(state.moves()) < 5:\n            return won[0] if won else None\n"
    path.write_text(GREEDY.replace("        return max", f"{late}        return max"))
    found = checked(path)
    assert found.worst is not None
    assert (found.worst.name, found.worst.got) == (StepName.LEGAL, "None")


def test_a_late_agent_fails_only_the_step_of_the_clock(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(GREEDY.replace("        return", "        import time\n        time.sleep(9)\n        return"))
    found = checked(path, clock="0.3")
    light = lights(found)
    assert (light[StepName.FOUND], light[StepName.CLOCK], light[StepName.WHOLE]) == (
        Light.GOOD,
        Light.FAILED,
        Light.SKIPPED,
    )
    assert tuple(step.name for step in found.steps) == NUMBERED_STEPS
    assert next(step.message for step in found.steps if step.name == StepName.LEGAL) == "no move in time"
    assert next(step.seconds for step in found.steps if step.name == StepName.CLOCK) >= 0.3


@pytest.mark.costly
def test_if_no_game_was_finished_the_step_of_whole_games_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(GREEDY.replace("        return", "        import time\n        time.sleep(0.08)\n        return"))
    found = checked(path, "othello", clock="0.5")
    told = {step.name: (step.light, step.message) for step in found.steps}
    assert told[StepName.WHOLE] == (Light.SKIPPED, "no game was finished")
    assert told[StepName.CLOCK][0] is Light.FAILED


@pytest.mark.costly
def test_leftovers_of_the_last_game_are_a_failure_only_if_processes_are_reused(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(
        "games = []\n" + GREEDY + "\n    def begin(self, state, seat):\n        games.append(1)\n"
        "        self.choose = self.choose if len(games) == 1 else lambda state, clock: 99\n"
    )
    found = checked(path, limits=Limits())
    assert (lights(found)[StepName.AGAIN], lights(found)[StepName.LEGAL], found.light) == (
        Light.WARNING,
        Light.GOOD,
        Light.WARNING,
    )
    assert checked(path, reuse=True).light is Light.FAILED


@pytest.mark.costly
def test_unseeded_randomness_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(
        GREEDY.replace("return max", "import os\n        return min").replace(
            "state.play(move).evaluate(state.turn)", "os.urandom(8)"
        )
    )
    found = checked(path, "othello")  # it can lose all games by chance, which is a warning too
    assert (found.light, lights(found)[StepName.SEED]) == (Light.WARNING, Light.WARNING)
    assert "use self.random" in advice(found, StepName.SEED)


@pytest.mark.costly
def test_a_program_gets_its_seed_from_the_message_start(tmp_path: Path) -> None:
    program = tmp_path / "bare.py"
    program.write_text(
        BARE.read_text("utf-8").replace("len(legal) // 2", "__import__('os').urandom(1)[0] % len(legal)")
    )
    found = checked(f"cmd:{shlex.join([sys.executable, '-I', '-S', str(program)])}", "othello")
    assert lights(found)[StepName.SEED] is Light.WARNING
    assert "'seed' of the message 'start'" in advice(found, StepName.SEED)
    assert "self.random" not in advice(found, StepName.SEED)


def test_a_missing_position_is_refused_with_the_existing_numbers() -> None:
    from adsearch import games
    from arena.student.checking.planned_games import draw_positions

    numbers = [position.number for position in draw_positions(games.start("kuhn"), 0)]
    gap = next(number for number in range(1, numbers[-1]) if number not in numbers)
    for only, words in ((51, "from 1 to 50"), (gap, f"this game has few, with the numbers {numbers[0]}, ")):
        with pytest.raises(BadFixture, match=f"no position {only}: .*{words}"):
            checked(BARE, "kuhn", only=only, positions=50)


def test_impossible_conditions_are_not_blamed_on_the_agent(greedy: Path) -> None:
    with pytest.raises(AdsearchError, match="did you mean 'connect4'"):
        checked(greedy, "conect4")
    with pytest.raises(ArenaError, match="expected a clock"):
        checked(greedy, clock="soon")
    for text, words in (("pvs", "built in"), ("human", "nothing to check")):
        with pytest.raises(BadPlayer, match=words):
            checked(text)


def test_games_are_returned_in_the_order_of_the_requests() -> None:
    guarded, opponent = Entrant("mine", "mine", guarded=True), Entrant("random", "random")
    asked = [Planned(number, "nap", "nap", (guarded, opponent), 1, ("check", number)) for number in (1, 2, 3)]
    received: list[list[CheckGame]] = []

    def requests() -> GameRequests:
        received.append((yield GameBatch(asked, seconds=60)))

    coming = [RunningCheck(0, Candidate("mine", "mine.py"), requests=requests())]
    schedule = CheckSchedule(lambda: coming.pop() if coming else None, many=False)
    assert [schedule.next() for _ in asked] == asked
    for game in reversed(asked):
        seats = tuple(
            SeatRecord(seat, entrant.name, points=0.5, utility=0.0, spent=0, longest=0)
            for seat, entrant in enumerate(game.entrants)
        )
        record = GameRecord(game.number, "normal", None, "", seats, (), lag=0)
        schedule.note(Finished(game, record, started=NOW, finished=NOW))
    assert schedule.next() is None
    assert [[game.planned for game in batch] for batch in received] == [asked]


def test_many_checks_play_one_game_each_and_say_which_are_in_progress() -> None:
    """Whatever ends first, no check has two games in progress."""
    random = Random(7)
    numbers = count(1)

    def game() -> Planned:
        return Planned(next(numbers), "nap", "nap", (Entrant("a", "a", ()),), 0, ("x",))

    def requests() -> GameRequests:
        for _ in range(random.randint(0, 3)):
            yield GameBatch([game() for _ in range(random.randint(1, 3))], seconds=60)

    told: list[tuple[int, tuple[int, ...]]] = []
    checks = [RunningCheck(place, Candidate("mine", "mine.py"), requests=requests()) for place in range(30)]
    coming = iter(checks)
    schedule = CheckSchedule(
        lambda: next(coming, None), lambda ended, places: told.append((ended, tuple(places))), many=True
    )
    playing: list[Planned] = []
    done: list[int] = []
    while True:
        while len(playing) < 4 and (planned := schedule.next()) is not None:
            playing.append(planned)
            assert all(check.in_progress <= 1 for check in checks)
        done += [place for place, _ in schedule.finished()]
        if not playing:
            break
        ended = playing.pop(random.randrange(len(playing)))
        seats = (SeatRecord(0, "a", points=0.5, utility=0.0, spent=0, longest=0),)
        record = GameRecord(ended.number, "normal", None, "", seats, (), lag=0)
        schedule.note(Finished(ended, record, started=NOW, finished=NOW))
    assert sorted(done) == list(range(30))
    assert told[-1] == (30, ())
    assert max(len(places) for _, places in told) == 4
    assert [ended for ended, _ in told] == sorted(ended for ended, _ in told)


@pytest.mark.costly
def test_mistakes_with_positions_are_steps_of_their_own_with_line_and_cure(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    lines = (
        "        child = state.play(state.moves()[0])\n        child.play(state.moves()[-1])\n        child.turn = 0\n"
    )
    path.write_text(GREEDY.replace("        return", f"{lines}        print('hello')\n        return"))
    found = checked(path, "tictactoe")
    mistakes = [step for step in found.steps if step.name is StepName.UNNOTICED]
    assert [step.light for step in found.steps if step not in mistakes] == [Light.GOOD] * len(NUMBERED_STEPS)
    assert [(step.light, step.message) for step in mistakes[:2]] == [
        (Light.FAILED, "my_agent.py, line 7: the result of child.play(state.moves()[-1]) is thrown away"),
        (Light.FAILED, "my_agent.py, line 8: the attribute turn of a position is assigned"),
    ]
    assert "write child = child.play(state.moves()[-1])" in mistakes[0].advice
    assert (found.light, found.plays) == (Light.FAILED, True)
    printed = next(step for step in found.steps if step.name is StepName.PRINTED)
    assert (printed.stderr, "mistake" in printed.message) == ("hello\nhello\nhello", False)


@pytest.mark.costly
def test_a_late_agent_with_a_mistake_that_makes_it_late_is_told_of_both(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    loop = "        while state.turn is not None:\n            state.play(state.moves()[0])\n"
    path.write_text(GREEDY.replace("        return", f"{loop}        return"))
    found = checked(path, "tictactoe", clock="0.3")
    wrong = [(step.name, step.message) for step in found.steps if step.light is Light.FAILED]
    assert [name for name, _ in wrong] == [StepName.CLOCK, StepName.UNNOTICED]
    assert wrong[1][1] == "my_agent.py, line 7: the result of state.play(state.moves()[0]) is thrown away"
    assert not found.plays
