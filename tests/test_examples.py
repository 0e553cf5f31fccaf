"""The agents without our kit that `arena new` writes play over pipes; docs/languages.md tells the protocol as it is.

A Match judges, the test carries its messages as JSON lines to the agent's process and back. The clock is the test's
own, so that what the page shows can be made again to the letter.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, get_args

import msgspec
import pytest
from msgspec import Struct

from adsearch import games
from agents.protocol import (
    LIMITS,
    ClockInfo,
    FromPlayer,
    Info,
    Message,
    Move,
    Over,
    Ready,
    Start,
    Turn,
    Verdict,
    from_player,
    from_referee,
    read_line,
    to_line,
)
from arena.match import Match
from arena.match.clock import MILLISECOND
from arena.match.conditions import Conditions
from arena.match.fixture import Fixture, SeatPlan
from arena.student.starter import FOLDER
from tests.kit.places import ROOT
from tests.kit.starter_programs import TOOLS, command

PAGE = (ROOT / "docs" / "languages.md").read_text("utf-8")
OWN = (ROOT / "docs" / "developers" / "protocol.md").read_text("utf-8")
"""What only our own processes say."""
MESSAGES: dict[str, type[Struct]] = {kind.__struct_config__.tag: kind for kind in get_args(Message)}
GAMES = ("tictactoe", "connect4", "kuhn", "rps", "ludo:players=3,tokens=1", "tree:professors")


class Spoken:
    """An agent's process, and everything that was said to it and by it, in order."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.stdin: IO[bytes] = process.stdin
        self.stdout: IO[bytes] = process.stdout
        self.said: list[str] = []

    def tell(self, line: bytes) -> None:
        self.stdin.write(line)
        self.stdin.flush()
        self.said.append("referee  " + line.decode().rstrip("\n"))

    def hear(self) -> FromPlayer:
        line = self.stdout.readline()
        self.said.append("agent    " + line.decode().rstrip("\n"))
        return from_player(read_line(line))


@pytest.fixture(scope="module", params=TOOLS)
def words(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the agent in one of the languages."""
    return command(FOLDER / f"bare{request.param}", tmp_path_factory.mktemp("compiled"))


@pytest.fixture
def started(words: list[str]) -> Iterator[Callable[[], Spoken]]:
    """Starts the agent in one of the languages, as often as wanted; all are ended afterwards."""
    processes: list[subprocess.Popen[bytes]] = []

    def start() -> Spoken:
        pipe = subprocess.PIPE
        processes.append(subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL))
        return Spoken(processes[-1])

    yield start
    for process in processes:
        process.kill()
        with process:
            pass


def fixture(rules: str, names: Sequence[str], **more: Any) -> Fixture:
    """A game of those players."""
    seats = tuple(SeatPlan(name, name, "", seed=100 + seat) for seat, name in enumerate(names))
    return Fixture(12, rules, seats, key=b"dice", **more)


def play(match: Match, agents: Sequence[Spoken | None], script: Iterator[str]) -> None:
    """The game to its end; a seat without an agent answers from the script, and every turn takes 1.5 seconds."""
    now = 0
    waiting = [sent for seat in range(len(agents)) for sent in match.arrive(seat, ("position", "legal"), now)]
    while waiting:
        seat, message = waiting.pop(0)
        agent = agents[seat]
        if agent is not None:
            agent.tell(to_line(message))
        if isinstance(message, Over):
            continue
        if agent is not None:
            answer = agent.hear()
        elif isinstance(message, Turn):
            answer = Move(message.game, message.id, next(script))
        else:
            answer = Ready(message.game)
        now += 1500 * MILLISECOND if isinstance(message, Turn) else 0
        waiting += match.receive(seat, answer, now)


@pytest.mark.parametrize("rules", GAMES)
def test_the_same_agent_in_every_language_plays_every_kind_of_game_to_its_end(
    started: Callable[[], Spoken], rules: str
) -> None:
    players = games.start(rules).players
    agents = [started() for _ in range(players)]
    match = Match(fixture(rules, [f"bare#{seat}" for seat in range(players)]), 0, secret=b"secret")
    play(match, agents, iter(()))
    assert match.verdict is Verdict.NORMAL, match.detail
    for agent in agents:
        agent.tell(b'{"type":"bye"}\n')
        assert agent.process.wait() == 0


def test_it_ends_when_its_input_ends(started: Callable[[], Spoken]) -> None:
    agent = started()
    agent.stdin.close()
    assert agent.process.wait() == 0


def test_it_reads_any_json_whatever_its_order_its_blanks_and_its_letters(started: Callable[[], Spoken]) -> None:
    agent = started()
    agent.tell(b'{"type":"welcome","protocol":1,"limits":{"message":65536},"later":[{"type":"turn"}]}\n')
    names = ['"type":"turn"', "]}\\"]
    start = Start(7, "tictactoe", 1, tuple(names), ClockInfo("none", None), 2**53 - 1, '"game": 8')
    agent.tell(
        json.dumps(dict(reversed(msgspec.to_builtins(start).items())), separators=(" , ", " : ")).encode() + b"\n"
    )
    assert agent.hear() == Ready(7, board=True)
    for middle in ("a", 'quote " inside', "back\\slash\\", "ü €", "]", ", "):
        turn = Turn(7, "0123abcd", 2, ((0, '"id":"no"'),), None, None, '\\"legal": ["x"]', ("first", middle, "last"))
        for text in (
            json.dumps(dict(reversed(msgspec.to_builtins(turn).items())), separators=(" , ", " : ")),
            json.dumps(msgspec.to_builtins(turn) | {"new": {"id": 1, "legal": [[]]}}, ensure_ascii=False),
        ):
            agent.tell(text.encode() + b"\r\n")
            assert agent.hear() == Move(7, "0123abcd", middle)


# docs/languages.md.


def fenced(kind: str) -> list[str]:
    """The lines of all blocks of that kind."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def table(heading: str) -> list[tuple[str, ...]]:
    """The rows of the tables below that heading, on both pages."""
    parts = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", PAGE + OWN, re.MULTILINE | re.DOTALL)
    assert parts, f"docs/languages.md has no heading {heading}"
    rows = [line for part in parts for line in part.splitlines() if line.startswith("| `")]
    assert rows, f"docs/languages.md has no table below {heading}"
    return [tuple(cell.strip(" `") for cell in row.strip("|").split("|")) for row in rows]


def fields(kind: type[Struct]) -> set[str]:
    """The fields of a message; those of a value in it with its name before."""
    nested: dict[str, type[Struct]] = {"info": Info, "clock": ClockInfo}
    names = set(kind.__struct_fields__)
    return names | {f"{name}.{field}" for name in names & set(nested) for field in nested[name].__struct_fields__}


def test_the_transcript_is_what_is_really_said() -> None:
    words, pipe = (sys.executable, FOLDER / "bare.py"), subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        agent = Spoken(process)
        match = Match(
            fixture("tictactoe", ("alice", "bare"), conditions=Conditions(clock="60+0.5"), opening=("a1",)),
            0,
            secret=b"transcript",
        )
        play(match, [None, agent], iter(["b1", "c1"]))
        agent.tell(b'{"type":"bye"}\n')
        assert process.wait() == 0
    assert fenced("text") == agent.said


def test_every_line_shown_is_a_message_of_the_side_that_says_it() -> None:
    lines = fenced("text") + [f"agent    {line}" for line in fenced("json")]
    assert len(fenced("json")) == 4
    for line in lines:
        side, text = line.split(maxsplit=1)
        {"agent": from_player, "referee": from_referee}[side](read_line(text.encode()))


@pytest.mark.parametrize("kind", MESSAGES.values(), ids=MESSAGES)
def test_every_message_is_documented_with_all_its_fields(kind: type[Struct]) -> None:
    told = [row[0] for row in table(f"`{kind.__struct_config__.tag}`")] if fields(kind) else []
    assert sorted(told) == sorted(fields(kind))


def test_no_message_is_documented_that_there_is_not() -> None:
    assert set(re.findall(r"^### `(\w+)`$", PAGE + OWN, re.MULTILINE)) == set(MESSAGES)


def test_every_verdict_is_documented() -> None:
    assert [row[0] for row in table("Verdicts")] == [verdict.value for verdict in Verdict]


def test_the_limits_are_as_documented() -> None:
    assert {row[0]: int(row[1].replace(",", "")) for row in table("Limits")} == LIMITS
