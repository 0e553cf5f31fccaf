"""One agent's part of the record is one file that every command opens; nothing of anybody else's is in its bytes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.walls.run_folder import clear
from tests.kit.arena_program import Ended, arena
from tests.kit.hand_ins import folder
from tests.kit.places import COUNTDOWN

HERS, THEIRS = "HERS" * 4, "SECRET" * 3
TALKATIVE = """\
from agents import Agent

class Mine(Agent):
    "{word}"
    def choose(self, state, clock):
        print("printed {word}")
        self.tell(text="thought {word}", depth=3, nodes=777777, score=0.125)
        {end}
        return state.moves()[0]
"""
FAILS = f"self.turns = getattr(self, 'turns', 0) + 1; assert self.turns < 3, '{THEIRS}'"
DESCRIPTION = """\
name = "cs101"
game = "countdown.py:Countdown"
clock = "5+0.1"
walls = "limits"
seed = 123454321
players = "*/*_agent.py"
[[agent]]
name = "staff"
player = "random"
anchor = 1234.5
[[agent]]
name = "<script>"
player = "alphabeta:depth=1"
anchor = 1777.25
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that has played a tournament of a game of its own; bob fails now and then."""
    place = tmp_path_factory.mktemp("course")
    files = {
        "theirs/alice_agent.py": TALKATIVE.format(word=HERS, end=""),
        "theirs/bob_agent.py": TALKATIVE.format(word=THEIRS, end=FAILS),
        "cs101.toml": DESCRIPTION,
        "countdown.py": COUNTDOWN.read_text(),
    }
    folder(place, files)
    ended = arena("run", "cs101.toml", cwd=place)
    assert ended.code == 0, ended.err
    return place


@pytest.fixture
def bundle(record: Path, tmp_path: Path) -> Path:
    """Alice's, in a folder where there is nothing else."""
    ended = arena("course", "bundle", "alice_agent", str(tmp_path / "alice.arena"), "--db", str(record / "arena.db"))
    assert ended.code == 0, ended.err
    assert "6 games of alice_agent, 2 sources" in ended.out
    assert [path.name for path in tmp_path.iterdir()] == ["alice.arena"]
    return tmp_path / "alice.arena"


def asked(file: Path, *arguments: str) -> Ended:
    """What a command answers about it."""
    return arena(*arguments, "--db", str(file))


@pytest.mark.costly
def test_no_byte_of_it_tells_anything_of_opponents(record: Path, bundle: Path) -> None:
    content = bundle.read_bytes()
    assert content.count(HERS.encode()) > 10
    with closing(sqlite3.connect(record / "arena.db")) as connection:
        theirs = connection.execute("SELECT source FROM version JOIN agent ON agent.id = version.agent "
                                    "WHERE agent.name <> 'alice_agent'").fetchall()  # fmt: skip
    secrets = [THEIRS, str(record), "alphabeta:depth=1", "AssertionError", "theirs/", *(source for (source,) in theirs)]
    for secret in secrets:
        if secret != "random":  # a word that stands in other texts too
            assert secret.encode() not in content, secret
    with closing(sqlite3.connect(bundle)) as connection:
        others = connection.execute(
            "SELECT who, score, depth, nodes, line, text, marks, log, move.cpu, seat.stderr, seat.memory FROM move "
            "JOIN seat ON seat.game = move.game AND CAST(seat.seat AS TEXT) = move.who WHERE seat.name <> 'alice_agent'"
        ).fetchall()
        assert others
        assert all(set(row[1:]) == {None} for row in others)
        hers = connection.execute("SELECT COUNT(*) FROM move WHERE nodes = 777777").fetchone()
        assert hers[0] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("history",), "alice_agent - bob_agent"),
        (("standings",), "alice_agent"),
        (("crosstable",), "alice_agent"),
        (("tournaments",), "cs101"),
        (("rank",), "alice_agent"),
        (("versus", "alice_agent", "bob_agent"), "alice_agent"),
        (("progress", "alice_agent"), "alice_agent"),
        (("grades", "cs101"), "alice_agent"),
        (("export", "--format", "pgn"), "alice_agent"),
        (("sql", "select count(*) as n from v_game"), "6"),
        (("db", "info"), "games finished"),
        (("db", "verify", "--trust-rules"), "no errors"),
    ],
)
def test_every_command_opens_it(bundle: Path, arguments: tuple[str, ...], said: str) -> None:
    ended = asked(bundle, *arguments)
    assert ended.code == 0, ended.err
    assert said in ended.out


def test_her_games_can_be_looked_at_and_asked_again_with_a_game_of_somebodys_own(bundle: Path) -> None:
    listed = json.loads(asked(bundle, "history", "--format", "json").out)
    lost = next(game["id"] for game in listed if game["players"] == ["alice_agent", "staff"])
    logs = asked(bundle, "logs", str(lost))
    assert f"printed {HERS}" in logs.out
    shown = asked(bundle, "show", str(lost))
    assert "countdown.py:Countdown" in shown.out
    assert f"thought {HERS}" in shown.out
    assert "no board: the rules 'countdown.py:Countdown' came in a bundle" in shown.out
    assert "no board" not in asked(bundle, "show", str(lost), "--trust-rules").out
    debugged = asked(bundle, "debug", str(lost), "--ply", "1", "--trust-rules")
    assert debugged.code == 0, debugged.err
    assert "the same move" in debugged.out


def test_wherever_it_is_taken_its_sources_go_along(bundle: Path, tmp_path: Path) -> None:
    assert asked(bundle, "db", "verify", "--trust-rules").code == 0
    other = tmp_path / "far away" / "her own.arena"
    other.parent.mkdir()
    shutil.move(bundle, other)
    assert asked(other, "show", "cs101-1").code in (0, 2)
    clear(tmp_path / "alice.store")
    ended = asked(other, "db", "verify", "--trust-rules")
    assert ended.code == 0, ended.out + ended.err
    assert (other.parent / "her own.store").is_dir()


def test_a_bundle_of_a_bundle_is_the_same_again(bundle: Path, tmp_path: Path) -> None:
    again = tmp_path / "again" / "x.arena"
    again.parent.mkdir()
    assert asked(bundle, "bundle", "alice_agent", str(again)).code == 0
    clear(tmp_path / "alice.store")
    bundle.unlink()
    assert asked(again, "db", "verify", "--trust-rules").code == 0


def test_with_a_roster_everybody_is_called_by_the_alias(record: Path, tmp_path: Path) -> None:
    folder(tmp_path, {"roster.csv": "name,alias\nalice_agent,Deep\nbob_agent,田中\nstaff,bar\n<script>,other\n"})
    file = tmp_path / "a.arena"
    given = ("bundle", "alice_agent", str(file), "--roster", str(tmp_path / "roster.csv"), "--tournament", "cs101")
    assert arena(*given, "--db", str(record / "arena.db")).code == 0
    for name in ("bob_agent", "alice_agent@", "<script>"):
        assert name.encode() not in file.read_bytes()
    assert "Deep - 田中" in asked(file, "history").out
    assert asked(file, "db", "verify", "--trust-rules").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("alice_agent", "taken.arena"), "taken.arena already exists and is not overwritten"),
        (("alice_agent", "no/x.arena"), "there is no folder 'no' for 'x.arena'"),
        (("alice_agent", "x.store"), "expected another file extension, such as x.arena"),
        (("nobody", "x.arena"), "there is no agent 'nobody'"),
        (("alice_agnt", "x.arena"), "there is no agent 'alice_agnt' in the database; did you mean 'alice_agent'?"),
        (("alice_agent", "x.arena", "--tournament", "cs102"), "there is no tournament 'cs102'"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_left(
    record: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    folder(tmp_path, {"taken.arena": "mine"})
    ended = arena("course", "bundle", *arguments, "--db", str(record / "arena.db"))
    assert ended.code == 2
    assert said in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["taken.arena"]
    assert (tmp_path / "taken.arena").read_text() == "mine"
