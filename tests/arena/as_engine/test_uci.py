"""An agent of chess as a UCI engine: what is answered to each command, in order; a stranger's client plays games."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from adsearch import State, games
from adsearch.games.chess_rules import value_of_pawns
from adsearch.mcts import SIMULATIONS
from agents import Agent, Clock, Resign, builtin
from agents.builtin.thinker import NODES
from arena.as_engine.host import EngineHost, Thought
from arena.as_engine.uci import Uci, score
from tests.kit import engines
from tests.kit.effort import tries
from tests.kit.engine_talk import Script, our_engine

SCHOLAR = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6"
"""White mates with h5f7."""


class First(Agent):
    """Plays the first move, and notes what is asked."""

    made: ClassVar[list["First"]] = []

    def __init__(self) -> None:
        self.asked: list[tuple[int, float, float]] = []
        self.began: list[tuple[str, int]] = []
        self.ends = 0
        First.made.append(self)

    def begin(self, state: State[Any], seat: int) -> None:
        self.began.append((state.position(), seat))

    def choose(self, state: State[Any], clock: Clock) -> Any:
        self.asked.append((self.seat, clock.left, clock.budget))
        return state.moves()[0]

    def end(self, utilities: tuple[float, ...] | None, verdict: str) -> None:
        assert (utilities, verdict) == (None, "void")
        self.ends += 1


@pytest.fixture(autouse=True)
def _none_made() -> None:
    First.made.clear()


def talk(*lines: str, make: Callable[[], Agent] = First, builtin_agent: builtin.BuiltIn | None = None) -> list[str]:
    """What the engine writes."""
    script = Script(*lines)
    make = builtin_agent.make if builtin_agent else make
    Uci(EngineHost(make, "mine"), script, builtin=builtin_agent).run()  # type: ignore[arg-type]
    return script.written


def bests(lines: list[str]) -> list[str]:
    return [line.split()[1] for line in lines if line.startswith("bestmove")]


def test_it_introduces_itself_and_ignores_what_it_does_not_know() -> None:
    lines = talk("uci", "", "nonsense", "joho isready", "register later", "debug on", "stop", "ponderhit", "quit", "d")
    assert lines[0] == "id name mine"
    assert lines[-2:] == ["uciok", "readyok"]


def test_each_game_has_its_own_agent_which_sees_one_seat() -> None:
    talk(
        "position startpos",
        "go",
        "position startpos moves a2a3 a7a5",
        "go",
        "ucinewgame",
        "position startpos",
        "go",
        "position startpos moves e2e4",
        "go",
        "quit",
    )
    start = games.start("chess").position()
    assert [len(agent.asked) for agent in First.made] == [2, 1, 1]
    assert [agent.began for agent in First.made] == [[(start, 0)], [(start, 0)], [(start, 1)]]
    assert [agent.ends for agent in First.made] == [1, 1, 0]


@pytest.mark.parametrize(
    ("go", "left", "budget"),
    [
        ("go", float("inf"), 1.0),
        ("go depth 3", float("inf"), 1.0),
        ("go movetime 1000", 1, 0.97),
        ("go wtime 60000 btime 1000 winc 400 binc 0", 60, 59.97 / 25 + 0.3),
        ("go wtime 60000 btime 1000 movestogo 4", 60, 59.97 / 4),
        ("go wtime -50 btime 1000", 0.001, 0.001),
        ("go wtime 99999999999999999999 btime x", float("inf"), 1.0),
    ],
)
def test_the_agent_gets_the_time_that_go_gives(go: str, left: float, budget: float) -> None:
    talk(go)
    ((seat, *time),) = First.made[0].asked
    assert seat == 0
    assert time == pytest.approx([left, budget], abs=0.002)


def test_a_built_in_agent_obeys_limits_and_options_that_the_program_sets() -> None:
    lines = talk(
        "uci",
        "position startpos",
        "go depth 2",
        "go nodes 40",
        "setoption name depth value 1",
        "go movetime 60000",
        "setoption name depth value <empty>",
        "setoption name Move Overhead value 10",
        "setoption name nodes value no",
        "setoption name Hash value 16",
        "go depth 3",
        builtin_agent=builtin.find("pvs:ordering=false"),
    )
    assert "option name ordering type check default false" in lines
    assert "option name depth type string default <empty>" in lines
    depths = [line.split()[2] for line in lines if line.startswith("info depth")]
    assert [depths[0], *depths[2:]] == ["2", "1", "3"]
    nodes = [int(line.split("nodes ")[1].split()[0]) for line in lines if " nodes " in line and "info depth" in line]
    assert nodes[1] <= 41
    refused = [line for line in lines if line.startswith("info string")]
    assert ["'no'" in line for line in refused] == [True, False]


def test_a_sure_mate_is_shown_in_moves_and_the_finished_game_has_none() -> None:
    pvs = builtin.find("pvs:depth=3")
    won = talk(f"position startpos moves {SCHOLAR}", "go", builtin_agent=pvs)
    assert " score mate 1 " in won[-2]
    assert won[-1] == "bestmove h5f7"
    over = talk(f"position startpos moves {SCHOLAR} h5f7", "go", builtin_agent=pvs)
    assert over == ["info string the game is over", "bestmove (none)"]
    # The king moves along its rank, and b8b1 mates.
    lost = talk("position fen 1r5k/8/8/8/8/8/r7/5K2 w - - 0 1", "go", builtin_agent=pvs)
    assert " score mate -1 " in lost[-2]


@pytest.mark.parametrize("hundredths", [-9000, -950, -100, -1, 0, 34, 320, 5000])
def test_an_evaluation_of_chess_is_shown_in_hundredths_of_a_pawn(hundredths: int) -> None:
    state = games.start("chess")
    assert score(Thought(state, state.moves()[0], {"score": value_of_pawns(hundredths / 100)})) == f"cp {hundredths}"


def test_scores_on_another_scale_count_as_hundredths_of_a_pawn() -> None:
    state = games.start("chess")
    shown = [score(Thought(state, state.moves()[0], {"score": value})) for value in (35.4, -1e30, 1, -1.0)]
    assert shown == ["cp 35", "cp -10000", "cp 10000", "cp -10000"]


def test_wrong_positions_are_reported_and_have_no_move() -> None:
    lines = talk(
        "position startpos moves e2e4 e2e4",
        "go",
        "position fen 8/8",
        "go",
        "position",
        "go",
        "position startpos moves e2e4",
        "go",
    )
    assert bests(lines) == ["(none)", "(none)", "(none)", bests(lines)[-1]]
    assert "got 'e2e4'" in lines[0]
    assert games.start("chess").play(games.start("chess").from_text("e2e4")).from_text(bests(lines)[-1])


def test_draws_that_must_be_claimed_do_not_end_the_game() -> None:
    shuffle = "g1f3 g8f6 f3g1 f6g8 "
    lines = talk(
        f"position startpos moves {shuffle * 2}",
        "go",
        f"position startpos moves {shuffle * 6} e2e4",
        "go",
        "position fen 7k/8/8/8/8/8/R7/K7 w - - 99 80 moves a1b1",
        "go",
        "position fen 7k/8/8/8/8/8/8/K7 w - - 0 1",
        "go",
    )
    assert "(none)" not in bests(lines)[:3]
    assert bests(lines)[3] == "(none)"


def test_an_agent_that_fails_or_resigns_has_no_move_and_the_reason_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    answers: list[Any] = [ZeroDivisionError("what now"), "e9", Resign(), SystemExit(3), 4]

    class Wrong(Agent):
        def choose(self, state: State[Any], clock: Clock) -> Any:
            answer = answers.pop(0)
            if isinstance(answer, BaseException):
                raise answer
            return state.moves()[0] if answer == 4 else answer

    lines = talk(*["go"] * 5, make=Wrong)
    assert bests(lines)[:4] == ["(none)"] * 4
    assert bests(lines)[4] == games.start("chess").to_text(games.start("chess").moves()[0])
    said = [line.removeprefix("info string ") for line in lines if line.startswith("info string")]
    assert said == [
        "mine failed: ZeroDivisionError: what now",
        "mine: choose returned 'e9', which is not one of state.moves()",
        "mine resigns",
        "mine failed: SystemExit: 3",
    ]
    errors = capsys.readouterr().err
    assert "ZeroDivisionError: what now" in errors
    assert "hint: " in errors
    assert "host.py" not in errors


def test_what_the_agent_tells_is_sent_while_it_thinks_and_not_twice() -> None:
    class Telling(Agent):
        def choose(self, state: State[Any], clock: Clock) -> Any:
            moves = state.moves()
            self.tell(depth=1, score=0.2, nodes=7, line=[moves[3], "rubbish"])
            self.tell(depth=2, line=[moves[5]], text="sure\nof it")
            return moves[5]

    lines = talk("go", make=Telling)
    state = games.start("chess")
    third, fifth = (state.to_text(state.moves()[at]) for at in (3, 5))
    assert [line.split(" time ")[0].split(" nps ")[0] for line in lines] == [
        "info depth 1 score cp 100 nodes 7",
        "info string sure of it",
        "info depth 2 score cp 100 nodes 7",
        f"bestmove {fifth}",
    ]
    assert [line.split(" pv ")[1] for line in lines if " pv " in line] == [third, fifth]


# Real processes.


def test_stop_gets_the_best_move_so_far_and_isready_does_not_wait() -> None:
    with our_engine("uci", "pvs") as engine:
        engine.say("position startpos", "go infinite", "isready")
        assert engine.hear("readyok", "bestmove") == ["readyok"]
        engine.say("stop")
        lines = engine.hear("bestmove")
        assert lines[-2].startswith("info depth")
        # It was an instant's work, but the answer is held back.
        engine.say("position startpos moves e2e4", "go ponder depth 1", "isready")
        assert engine.hear("readyok", "bestmove")[-1] == "readyok"
        engine.say("ponderhit")
        assert engine.hear("bestmove")
        engine.say("go infinite", "quit")
        assert engine.ended() == (0, "")


@pytest.mark.parametrize("agent", ["pvs:depth=40", "mcts:simulations=100000"])
def test_a_search_without_a_clock_can_be_stopped(agent: str) -> None:
    with our_engine("uci", agent) as engine:
        engine.say("position fen 4k3/8/8/3q4/8/4N3/8/4K3 w - - 0 1", "go", "isready")
        assert engine.hear("readyok", "bestmove") == ["readyok"]
        engine.say("stop")
        assert " nodes " in engine.hear("bestmove")[-2]
        engine.say("quit")
        assert engine.ended() == (0, "")


def test_without_a_clock_and_a_limit_a_search_has_its_default_limits() -> None:
    def nodes(agent: str, quiet: int) -> int:
        fen = f"4k3/8/8/8/8/8/7R/4K3 w - - {quiet} 60"
        line = talk(f"position fen {fen}", "go", builtin_agent=builtin.find(agent))[-2]
        return int(line.split(" nodes ")[1].split()[0])

    assert 0 < nodes("pvs", 0) <= NODES + 1
    # Five plies before a draw: a simulation is short.
    assert SIMULATIONS < nodes("mcts", 95) <= 6 * SIMULATIONS


def test_an_agent_that_does_not_stop_is_interrupted_and_plays_what_it_told_last(tmp_path: Path) -> None:
    agent = tmp_path / "endless.py"
    agent.write_text(
        "import time\nfrom agents import Agent\nclass Endless(Agent):\n"
        "    def choose(self, state, clock):\n        print('I think')\n        self.tell(line='e2e4 e7e5')\n"
        "        while True:\n            try:\n                time.sleep(1000)\n            except Exception:\n"
        "                pass\n"
    )
    with our_engine("uci", str(agent)) as engine:
        engine.say("go infinite")
        assert " pv e2e4 e7e5" in engine.hear("info")[-1]
        engine.say("stop")
        assert engine.hear("bestmove")[-1] == "bestmove e2e4 ponder e7e5"
        engine.say("go movetime 10")
        engine.hear("info")
        engine.close_input()
        code, errors = engine.ended()
        assert code == 0
        assert errors.count("I think") == 2


def test_stop_ends_every_search_that_was_asked_for() -> None:
    with our_engine("uci", "pvs") as engine:
        engine.say("position startpos", "go infinite", "go infinite", "stop")
        assert engine.hear("bestmove")
        assert engine.hear("bestmove")


def test_quit_ends_the_process_whatever_its_agent_does(tmp_path: Path) -> None:
    agent = tmp_path / "stays.py"
    agent.write_text(
        "import threading, time\nfrom agents import Agent\nclass Stays(Agent):\n"
        "    def choose(self, state, clock):\n        threading.Thread(target=time.sleep, args=(1000,)).start()\n"
        "        return state.moves()[0]\n    def end(self, utilities, verdict):\n        time.sleep(1000)\n"
    )
    with our_engine("uci", str(agent)) as engine:
        engine.say("go")
        assert engine.hear("bestmove")
        engine.say("quit")
        assert engine.ended() == (0, "")


def test_a_number_with_5000_digits_is_not_an_error() -> None:
    assert talk(f"setoption name Move Overhead value {'9' * 5000}", "isready", "quit") == ["readyok"]


@pytest.mark.costly
def test_a_strangers_client_plays_games_against_stockfish_without_a_fault() -> None:
    import chess
    from chess.engine import Limit, SimpleEngine

    stockfish = engines.need("stockfish")
    limits = (Limit(nodes=60), Limit(time=0.01), Limit(depth=1), Limit(white_clock=1, black_clock=1, black_inc=0.01))
    ours = SimpleEngine.popen_uci([sys.executable, "-m", "arena", "uci", "pvs"])
    theirs = SimpleEngine.popen_uci(stockfish)
    try:
        for game in range(tries(2, soak=100)):
            board = chess.Board()
            while not board.is_game_over(claim_draw=True):
                if board.turn == (game % 2 == 0):
                    move = _analysed(ours, board, game) if board.ply() % 10 < 2 else None
                    move = move or ours.play(board, limits[board.ply() // 2 % 4], game=game).move
                else:
                    move = theirs.play(board, Limit(nodes=50), game=game).move
                assert move is not None
                assert move in board.legal_moves
                board.push(move)
    finally:
        ours.quit()
        theirs.quit()


def _analysed(engine: Any, board: Any, game: int) -> Any:
    """The move after `go infinite` and `stop`."""
    with engine.analysis(board, game=game) as analysis:
        analysis.stop()
        return analysis.wait().move
