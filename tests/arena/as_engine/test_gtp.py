"""An agent of Go as a GTP engine: what is answered to each command, and whole games against gnugo."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adsearch import State
from agents import Agent, Clock, Resign
from arena.as_engine.gtp import Gtp
from arena.as_engine.host import EngineHost
from arena.players.engines import known
from tests.kit import engines
from tests.kit.effort import tries
from tests.kit.engine_talk import EngineProcess, Script, engine, our_engine


class Planned(Agent):
    """Plays the moves of `plan`, and notes the time that it gets."""

    plan: tuple[Any, ...] = ()
    clocks: list[tuple[float, float]]

    def choose(self, state: State[Any], clock: Clock) -> Any:
        self.clocks.append((clock.left, clock.budget))
        text = self.plan[(len(self.clocks) - 1) % len(self.plan)]
        if text is None:
            raise Resign
        return state.from_text(text) if isinstance(text, str) else text


def talk(*lines: str, plan: tuple[Any, ...] = ("pass",)) -> tuple[list[str], list[tuple[float, float]]]:
    """The engine's answers, and the clocks of its agent's turns."""
    clocks: list[tuple[float, float]] = []
    kind = type("Mine", (Planned,), {"plan": plan, "clocks": clocks})
    script = Script(*lines)
    Gtp(EngineHost(kind, "mine"), script).run()  # type: ignore[arg-type]
    assert script.written[1::2] == [""] * (len(script.written) // 2)
    return script.written[::2], clocks


def test_every_command_gets_one_answer_with_its_number() -> None:
    answers, _ = talk(
        "7 protocol_version",
        "# nothing",
        "",
        "name",
        "8 nonsense",
        "known_command play # yes",
        "known_command no",
        "\t9 quit",
    )
    assert answers == ["=7 2", "= mine", "?8 unknown command", "= true", "= false", "=9"]


def test_moves_are_played_taken_back_and_refused() -> None:
    answers, _ = talk(
        "boardsize 5",
        "komi 0.5",
        "play B c3",
        "play white D4",
        "play w C3",
        "play x A1",
        "play b Z9",
        "play b",
        "undo",
        "play w pass",
        "play b E5",
        "final_score",
        "undo",
        "undo",
        "undo",
        "undo",
    )
    assert answers[:4] == ["="] * 4
    assert answers[4:8] == ["? illegal move", "? invalid color", "? illegal move", "? syntax error"]
    assert answers[8:] == ["=", "=", "=", "= B+24.5", "=", "=", "=", "? cannot undo"]


def test_a_colour_that_moves_twice_moves_after_a_pass() -> None:
    answers, _ = talk(
        "boardsize 5", "komi 0", "play b C3", "play b D4", "genmove b", "undo", "undo", "final_score", plan=("B2",)
    )
    assert answers[4:] == ["= B2", "=", "=", "= B+25"]


def test_sizes_and_komi_that_the_game_does_not_have_are_refused() -> None:
    answers, _ = talk("boardsize 20", "boardsize 0", "boardsize x", "boardsize 1", "komi 7.3", "komi 1000", "komi no")
    assert answers[:4] == ["? unacceptable size", "? unacceptable size", "? syntax error", "="]
    assert [answer.partition(" ")[0] for answer in answers[4:]] == ["?"] * 3


def test_numbers_beyond_all_bounds_are_not_an_error() -> None:
    huge = "9" * 400
    answers, clocks = talk(f"time_settings 5 10 {huge}", "genmove b", f"time_left w 1e400 {huge}", "time_left b nan 1")
    assert [answer[0] for answer in answers] == ["=", "=", "=", "?"]
    assert clocks


def test_komi_can_be_set_after_moves() -> None:
    answers, _ = talk("boardsize 3", "play b B2", "komi 3.5", "final_score", "undo", "final_score")
    assert answers[2:] == ["=", "= B+5.5", "=", "= W+3.5"]


def test_handicap_stones_are_placed_and_white_is_next() -> None:
    answers, _ = talk(
        "boardsize 9", "fixed_handicap 5", "fixed_handicap 2", "genmove w", "clear_board", "fixed_handicap 12",
        "set_free_handicap C3 C3", "set_free_handicap C3 D4", "play w E5", plan=("A1",),
    )  # fmt: skip
    assert answers[1] == "= C3 G7 C7 G3 E5"
    assert answers[2:4] == ["? board not empty", "= A1"]
    assert answers[5:] == ["? invalid number of stones", "? invalid vertex list", "=", "="]


@pytest.mark.parametrize(
    ("commands", "left", "budget"),
    [
        ((), float("inf"), 1.0),
        (("time_settings 0 1 0",), float("inf"), 1.0),
        (("time_settings 100 0 0",), 100, 99.97 / 25),
        (("time_settings 0 20 10",), 20, 19.97 / 10),
        (("time_settings 50 20 10",), 52, 50 / 25 + 2 - 0.03),
        (("time_settings 50 20 10", "time_left b 30 0"), 32, 30 / 25 + 2 - 0.03),
        (("time_settings 50 20 10", "time_left b 12 3"), 12, 11.97 / 3),
        (("time_left b 9 0",), 9, 8.97 / 25),
    ],
)
def test_the_agent_gets_the_time_that_the_program_gives(commands: tuple[str, ...], left: float, budget: float) -> None:
    _, clocks = talk(*commands, "genmove b")
    assert clocks[0] == pytest.approx((left, budget))


def test_without_time_left_the_engine_counts_its_own_time() -> None:
    settings = ("time_settings 10 0 0", "time_settings 0 20 2")
    plan = ("A1", "B1", "C1", "D1", "E1")
    _, clocks = talk(settings[0], *["genmove b"] * 2, settings[1], *["genmove b"] * 3, plan=plan)
    assert 9 < clocks[1][0] < 10
    assert clocks[2][0] == 20
    assert 19 < clocks[3][0] < 20
    assert clocks[4][0] == 20


def test_each_game_has_its_own_agent() -> None:
    made: list[Agent] = []

    class Counted(Agent):
        def __init__(self) -> None:
            made.append(self)

        def choose(self, state: State[Any], clock: Clock) -> Any:
            return state.moves()[0]

    Gtp(EngineHost(Counted, "mine"), Script("genmove b", "genmove b", "clear_board", "genmove b", "genmove w")).run()  # type: ignore[arg-type]
    assert len(made) == 3


@pytest.mark.parametrize("answer", [None, 999, "nonsense"])
def test_an_agent_that_fails_or_resigns_resigns(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answers, _ = talk("play b C3", "genmove b", "genmove w", "final_score", plan=(answer,))
    assert answers[1:3] == ["= resign", "= resign"]
    assert answers[3] == "= B+73.5"
    assert "arena: mine" in capsys.readouterr().err


def test_after_two_passes_it_passes_and_refuses_moves() -> None:
    answers, _ = talk("play b pass", "play w pass", "genmove b", "play b A1")
    assert answers[2:] == ["= pass", "? illegal move"]


# Real processes.


def test_the_end_of_the_go_program_ends_a_thinking_agent() -> None:
    with our_engine("gtp", "mcts:seconds=80000") as ours:
        ours.say("showboard", "time_settings 80000 0 0", "genmove b")
        ours.hear("= ")
        ours.hang_up()
        assert ours.ended()[0] == 0


def test_commands_from_a_file_are_answered_into_a_file_although_the_input_ends_at_once(tmp_path: Path) -> None:
    """At that moment the agent still thinks; one that is interrupted plays its first move, A5."""
    agent, commands, answers = (tmp_path / name for name in ("slow.py", "commands.gtp", "answers.gtp"))
    agent.write_text(
        "from agents import Agent\nclass Slow(Agent):\n    def choose(self, state, clock):\n"
        "        for _ in range(10**7):\n            pass\n        return state.moves()[-2]\n"
    )
    commands.write_text("boardsize 5\ngenmove b\n")
    with commands.open() as read, answers.open("w") as written:
        subprocess.run([sys.executable, "-m", "arena", "gtp", str(agent)], stdin=read, stdout=written, check=True)
    assert answers.read_text() == "=\n\n= E1\n\n"


def test_games_against_gnugo_end_with_the_same_score() -> None:
    gnugo = (engines.need("gnugo"), *known()["gnugo"][1].arguments, "--level", "1")
    with (
        our_engine("gtp", "mcts:simulations=20") as ours,
        engine(*gnugo) as theirs,
    ):
        for game in range(tries(2, soak=40)):
            for each in (ours, theirs):
                for command in ("boardsize 5", "komi 7.5", "clear_board"):
                    each.ask(command)
            _play(*((ours, theirs) if game % 2 else (theirs, ours)))
            assert ours.ask("final_score") == theirs.ask("final_score")


def _play(black: EngineProcess, white: EngineProcess) -> None:
    """A game to two passes."""
    passes = ply = 0
    while passes < 2:
        colour, mover, other = ("w", white, black) if ply % 2 else ("b", black, white)
        move = mover.ask(f"genmove {colour}").lower()
        assert move != "resign"
        other.ask(f"play {colour} {move}")
        passes = passes + 1 if move == "pass" else 0
        ply += 1
