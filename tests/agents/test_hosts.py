"""Players as real processes, over JSON lines and over ZeroMQ: good and bad agents, and how their processes end."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adsearch.form import form
from agents.protocol import Bye, Hello, Move, Ready, Refuse, Report, Resign, Welcome
from tests.kit.agent_hosts import TOKEN, OverStdio, over, over_stdio, over_zmq, start, turn
from tests.kit.effort import PATIENCE
from tests.kit.places import GREEDY, ROOT

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes an agent whose `choose` has this body, and returns its path."""

    def write(body: str) -> str:
        path = tmp_path / "my_agent.py"
        indented = "\n".join(f"        {line}" for line in body.splitlines())
        path.write_text(
            "import os, subprocess, sys\nfrom agents import Agent, Resign\nprint('loaded')\nclass Mine(Agent):\n"
            "    def end(self, utilities, verdict):\n        print('over', verdict)\n"
            f"    def choose(self, state, clock):\n{indented}\n"
        )
        return str(path)

    return write


def greet(player: Any) -> Hello:
    """Hello, start and ready."""
    hello = player.hear()
    assert isinstance(hello, Hello)
    player.say(Welcome(1, {}), start())
    assert player.hear() == Ready(1, adsearch=form())
    return hello


def moved(player: Any, *events: tuple[Any, str], game: int = 1) -> Move:
    """The answer to the next turn."""
    player.say(turn(*events, game=game))
    move = player.hear()
    assert isinstance(move, Move)
    return move


# Over stdin and stdout.


def test_a_student_plays_game_after_game_over_json_lines() -> None:
    with over_stdio(str(GREEDY)) as player:
        hello = greet(player)
        assert (hello.name, hello.token, hello.wants) == ("Greedy", "", ())
        assert moved(player).move == "b2"
        assert moved(player, (0, "b2"), (1, "a1")).spent
        player.say(over(), start(game=2))
        assert player.hear() == Ready(2, adsearch=form())
        assert moved(player, (1, "b2"), game=2).move != "b2"
        player.say(over(game=2), Bye())
        assert player.ended() == (0, "", "")


def test_a_view_is_all_that_a_host_needs_in_a_game_with_secrets() -> None:
    with over_stdio("mcts:simulations=20") as player:
        assert isinstance(player.hear(), Hello)
        player.say(start("kuhn", seat=1))
        assert player.hear() == Ready(1, adsearch=form())
        player.say(turn(("chance", "?"), ("chance", "K"), (0, "bet"), position="?K bet"))
        move = player.hear()
        assert isinstance(move, Move)
        assert move.move == "call"


def test_what_an_agent_prints_goes_to_the_log_alone(write: Write) -> None:
    body = "print('one')\nos.write(1, b'two\\n')\nsubprocess.run(['echo', 'three'])\nsys.__stdout__.flush()\n"
    with over_stdio(write(body + "return state.moves()[0]")) as player:
        greet(player)
        assert moved(player).move == "a1"
        player.say(over())
        assert player.ended() == (0, "", "loaded\none\ntwo\nthree\nover normal\n")


def test_an_agent_that_reads_the_keyboard_is_told_that_there_is_none(write: Write) -> None:
    with over_stdio(write("return input('your move? ')")) as player:
        greet(player)
        player.say(turn())
        code, out, log = player.ended()
    assert (code, out) == (1, "")
    assert "EOFError: an agent has no keyboard" in log


@pytest.mark.parametrize(
    ("body", "words"),
    [("return 1 / 0", "ZeroDivisionError: division by zero"), ("sys.exit()", "SystemExit"), ("exit(0)", "SystemExit")],
)
def test_a_failing_agent_ends_with_a_traceback_of_its_own_code(write: Write, body: str, words: str) -> None:
    path = write(body)
    with over_stdio(path) as player:
        greet(player)
        player.say(turn())
        code, out, log = player.ended()
    assert (code, out) == (1, "")
    assert log.startswith(f'loaded\nTraceback (most recent call last):\n  File "{path}"')
    assert words in log.splitlines()[-1]
    assert "agents/" not in log


def test_a_failing_agent_ends_whatever_it_has_left_running(write: Write) -> None:
    body = "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,)).start()\nraise RuntimeError"
    with over_stdio(write(body)) as player:
        greet(player)
        player.say(turn())
        assert player.ended()[0] == 1


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("return None", "choose returned None"),
        ("return 'b2'", "choose returned 'b2'"),
        ("return {}", "choose returned {}"),
        ("return 'x' * 10**6", "choose returned 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."),
    ],
)
def test_what_is_no_move_is_sent_as_words(write: Write, body: str, text: str) -> None:
    with over_stdio(write(body)) as player:
        greet(player)
        assert moved(player).move == text


def test_an_agent_can_resign(write: Write) -> None:
    with over_stdio(write("raise Resign")) as player:
        greet(player)
        player.say(turn())
        assert isinstance(player.hear(), Resign)


def test_a_player_whose_warden_is_gone_ends_quietly(write: Write) -> None:
    with over_stdio(write("return state.moves()[0]")) as player:
        greet(player)
        assert player.process.stdout
        player.process.stdout.close()
        player.say(turn())
        assert player.process.wait(PATIENCE) == 0
        assert player.process.stderr
        assert player.process.stderr.read() == b"loaded\n"


def test_a_line_that_is_no_message_is_told_and_ends_the_player() -> None:
    with over_stdio("random") as player:
        assert isinstance(player.hear(), Hello)
        player.say(b"{}\n")
        code, _, log = player.ended()
    assert code == 2
    assert log.startswith("agents: expected a 'type'")
    assert log.count("\n") == 1


def refusal(*arguments: str) -> str:
    """What a player that cannot start says: one line, and code 2."""
    player = OverStdio(*arguments)
    code, out, log = player.ended()
    assert (code, out) == (2, "")
    assert log.count("\n") == 1
    return log


def test_a_mistyped_agent_is_one_line() -> None:
    assert refusal("alphabta:depth=2").startswith("agents: no agent 'alphabta:depth=2'; did you mean 'alphabeta'?")
    assert refusal("pvs:dept=2") == "agents: pvs: no option 'dept'; did you mean 'depth'?\n"


def test_a_file_that_fails_is_shown_where_it_does(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text("print(1)\ny = x\n")
    code, out, log = OverStdio(str(path)).ended()
    assert (code, out) == (2, "")
    assert log.startswith(f'1\nTraceback (most recent call last):\n  File "{path}", line 2')
    assert log.splitlines()[-1] == f"agents: {path}, line 2: NameError: name 'x' is not defined"


def test_help_shows_examples() -> None:
    shown = subprocess.run([sys.executable, "-m", "agents", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert "python -m agents my_agent.py --connect FILE" in shown.stdout


# Over ZeroMQ.


def test_a_built_in_plays_over_zmq_and_reports() -> None:
    with over_zmq("alphabeta:depth=3") as player:
        hello = greet(player)
        assert (hello.name, hello.token, hello.wants) == ("alphabeta:depth=3", TOKEN, ())
        move = moved(player)
        assert move.info is not None
        assert (move.info.depth, len(move.info.line or ())) == (3, 3)
        assert move.spent is not None
        assert move.cpu is not None
        assert move.log == 0
        player.say(over())
        report = player.hear()
        assert isinstance(report, Report)
        assert (report.game, report.stderr) == (1, "")
        player.say(start(game=2))
        assert player.hear() == Ready(2, adsearch=form())
        player.say(Bye())
        assert player.ended() == (0, "", "")


def test_a_log_is_counted_and_its_end_reported(write: Write) -> None:
    with over_zmq(write("print('ä' * 5000)\nreturn state.moves()[0]")) as player:
        greet(player)
        assert moved(player).log == 10_001
        player.say(over())
        report = player.hear()
        assert isinstance(report, Report)
        assert report.stderr.endswith("ää\nover normal\n")
        assert len(report.stderr.encode()) <= 4096 + 2


def test_a_refused_player_says_why_and_ends() -> None:
    with over_zmq("random") as player:
        assert isinstance(player.hear(), Hello)
        player.say(Refuse("no such seat"))
        assert player.ended() == (1, "", "agents: the referee refused this player: no such seat\n")


def test_a_player_ends_at_once_with_its_director_even_while_it_thinks(write: Write) -> None:
    with over_zmq(write("print('thinking')\nwhile True: pass")) as player:
        greet(player)
        player.say(turn())
        process = player.process
        assert process.stdin
        assert process.stderr
        assert [process.stderr.readline() for _ in range(2)] == [b"loaded\n", b"thinking\n"]
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


def test_a_player_ends_quietly_when_the_referee_is_gone() -> None:
    with over_zmq("random") as player:
        greet(player)
        player.socket.close()
        assert player.ended() == (0, "", "agents: the connection to the referee is closed\n")


def test_an_interrupt_belongs_to_the_director() -> None:
    with over_zmq("random") as player:
        greet(player)
        player.process.send_signal(signal.SIGINT)
        moved(player)
        player.say(Bye())
        assert player.ended() == (0, "", "")


def test_a_failing_player_ends_with_code_1(write: Write) -> None:
    with over_zmq(write("return 1 / 0")) as player:
        greet(player)
        player.say(turn())
        code, _, log = player.ended()
    assert code == 1
    assert log.endswith("ZeroDivisionError: division by zero\n")


def test_a_player_started_by_hand_keeps_its_streams(write: Write, tmp_path: Path) -> None:
    body = "print('typed', input())\nreturn state.moves()[0]"
    with over_zmq(write(body), file=tmp_path / "seat") as player:
        assert greet(player).token == TOKEN
        player.say(turn())
        assert player.process.stdin
        player.process.stdin.write(b"n\n")
        player.process.stdin.close()
        assert isinstance(player.hear(), Move)
        player.say(over())
        assert isinstance(player.hear(), Report)
        player.process.send_signal(signal.SIGINT)
        assert player.ended() == (130, "loaded\ntyped n\nover normal\n", "")


@pytest.mark.parametrize(
    "content", ["", "secret", '{"address": "ipc://x"}', '{"address": 1, "token": "secret"}', "[" * 9999]
)
def test_a_file_without_a_seat_is_told_but_not_shown(tmp_path: Path, content: str) -> None:
    path = tmp_path / "seat"
    path.write_text(content)
    words = refusal("random", "--connect", str(path))
    assert words.startswith(f'agents: {path}: expected {{"address": ..., "token": ...}}')
    assert "secret" not in words


def test_a_seat_must_be_somewhere(tmp_path: Path) -> None:
    assert refusal("random", "--connect", str(tmp_path)).startswith("agents: expected a file with address and token")
    assert refusal("random", "--connect", str(tmp_path / "none")).endswith("none': No such file or directory\n")
    path = tmp_path / "seat"
    path.write_text('{"address": "nowhere", "token": ""}')
    assert refusal("random", "--connect", str(path)).startswith("agents: expected the referee's address, got 'nowhere'")
