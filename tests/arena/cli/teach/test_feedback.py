"""`arena course feedback`: a private folder that says to each student why an agent lost, and gives away nobody else."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.course.feedback import write
from arena.play import cores
from arena.walls.run_folder import clear
from tests.kit.arena_program import Ended, arena
from tests.kit.hand_ins import folder
from tests.kit.html_validity import check_html
from tests.kit.lost_games import SECRET, STUDENTS, make
from tests.kit.places import COUNTDOWN

A_GAME = """Game cs101-1 against staff (your agent: o)
    At ply 2 your agent played b1, a serious mistake. Better was b2, which
    leads to c1 b1 b3 a3 c2 c3 a2.
    Before this move the position was a draw, after it lost (proven).

    played at ply 2: b1
        a b c
      1 x[o].
      2 . . .
      3 . . .

    better at ply 2: b2
        a b c
      1 x . .
      2 .[o].
      3 . . .

    arena replay cs101-1 --ply 2 --db kestrel.arena
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    make(folder)
    return folder


@pytest.fixture(scope="module")
def feedback(course: Path) -> Path:
    """The feedback, written with the description alone."""
    ended = arena("course", "feedback", "cs101.toml", "feedback", cwd=course)
    assert ended.code == 0, ended.err
    assert ended.err == ""
    assert re.fullmatch(
        r"written: feedback \(4 agents, \d+\.\d s\); it is private\n"
        r"to send it: feedback/mail\.csv \(5 students, 1 of them without an agent\)\n",
        ended.out,
    )
    return course / "feedback"


def mails(feedback: Path) -> dict[str, dict[str, str]]:
    """The lines of mail.csv, by id."""
    with (feedback / "mail.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_every_author_gets_a_page_a_text_and_a_bundle(feedback: Path) -> None:
    names = {path.relative_to(feedback).as_posix() for path in feedback.rglob("*") if path.is_file()}
    both = {f"{name}/{file}" for name in STUDENTS for file in ("index.html", "feedback.txt")}
    bundles = {f"{name}/{name}.arena" for name in STUDENTS if name != "newt"}
    assert names == both | bundles | {"mail.csv", "PRIVATE.txt", "arena-feedback.txt"}
    assert feedback.stat().st_mode & 0o777 == 0o700
    for name in STUDENTS:
        page = (feedback / name / "index.html").read_text("utf-8")
        check_html(page)
        assert f"for the author of {name} only" in page


def test_a_game_is_shown_with_the_mistake_and_the_better_move(feedback: Path) -> None:
    assert A_GAME in (feedback / "kestrel" / "feedback.txt").read_text("utf-8")


def test_the_list_for_mails_has_every_student_once(feedback: Path) -> None:
    rows = mails(feedback)
    assert [*rows] == ["s1001", "s1002", "s1003", "s1004", "s1005"]
    anna = rows["s1001"]
    assert (anna["name"], anna["email"], anna["agent"]) == ("Anna Berger", "anna@uni.example", "kestrel")
    assert anna["subject"] == "cs101: feedback for kestrel"
    assert anna["text"] == (feedback / "kestrel" / "feedback.txt").read_text("utf-8")
    assert all((feedback / anna[kind]).is_file() for kind in ("page", "text_file", "bundle"))
    assert rows["s1003"]["name"] == "'=Cleo"
    assert (rows["s1004"]["agent"], rows["s1004"]["bundle"]) == ("newt", "")
    assert (rows["s1005"]["agent"], rows["s1005"]["page"]) == ("", "")
    assert rows["s1005"]["text"].startswith("You have no agent in cs101. Either you handed in nothing, or it did not")


def test_nobody_else_is_given_away(feedback: Path) -> None:
    """Real names are in mail.csv alone, and what opponents printed is nowhere."""
    private = rb"s100\d|Anna|Berger|Costa|Cleo|Dan Ek|Eve\b|uni\.example|Foxes"
    for path in feedback.rglob("*"):
        if path.is_file() and path.name != "mail.csv":
            content = path.read_bytes()
            assert not re.search(private, content), path
            assert SECRET.encode() not in content, path
            words = {name for name in STUDENTS if (name * 3).encode() in content}
            assert words <= {path.parent.name}, f"the source of another agent is in {path}"


def commands(text: str) -> list[list[str]]:
    """The commands of a text."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("    arena ")]


def test_the_commands_run_where_the_student_is(feedback: Path, course: Path, tmp_path: Path) -> None:
    kestrel = feedback / "kestrel"
    shutil.copy(kestrel / "kestrel.arena", tmp_path)
    shutil.copy(course / "kestrel" / "agent.py", tmp_path)
    typed = commands((kestrel / "feedback.txt").read_text("utf-8"))
    assert [words[0] for words in typed] == ["replay", "replay", "replay", "replay", "check"]
    assert ["--debug" in words for words in typed] == [False, False, False, True, False]
    replayed, debugged = (arena(*words) for words in typed[2:4])
    assert (replayed.code, replayed.err) == (0, "")
    assert debugged.code == 1
    assert "running agent.py in seat 0, after 1 earlier turn" in debugged.out
    assert "KeyError: 'middle'" in debugged.err
    assert typed[-1] == ["check", "agent.py", "--game", "tictactoe", "--clock", "10+0.1"]


def test_without_a_roster_agents_have_their_own_names(course: Path) -> None:
    ended = arena("course", "feedback", "cs101", "own", "--db", str(course / "arena.db"))
    assert ended.out.endswith("own/mail.csv has no addresses: add --roster FILE\n")
    with Path("own/mail.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert {row["name"] for row in rows} == {*STUDENTS}
    assert {row["email"] for row in rows} == {""}


@pytest.mark.costly
def test_several_processes_write_what_one_writes(
    course: Path, feedback: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "count", lambda: 2)
    monkeypatch.setattr(write, "_FEW", 0)
    options = ("--roster", str(course / "roster.csv"), "--db", str(course / "arena.db"))
    assert arena("course", "feedback", "cs101", "two", *options).code == 0
    for name in STUDENTS:
        two = (tmp_path / "two" / name / "feedback.txt").read_text("utf-8")
        assert two == (feedback / name / "feedback.txt").read_text("utf-8")


def test_it_replaces_earlier_feedback_and_is_never_in_a_report(course: Path, tmp_path: Path) -> None:
    db = ("--db", str(course / "arena.db"))
    assert arena("course", "report", "cs101", "site", "--no-games", *db).code == 0
    for place in ("site", "site/feedback"):
        ended = arena("course", "feedback", "cs101", place, *db)
        assert (ended.code, ended.out) == (2, "")
        assert "expected a folder outside '" in ended.err
    assert arena("course", "feedback", "cs101", "feedback", *db).code == 0
    assert arena("course", "feedback", "cs101", "feedback", *db).code == 0
    (tmp_path / "feedback" / "notes.txt").write_text("mine")
    ended = arena("course", "feedback", "cs101", "feedback", *db)
    assert (ended.code, ended.out) == (2, "")
    assert "'feedback' has other files: notes.txt" in ended.err


def test_ctrl_c_leaves_nothing(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write, "page", interrupt)
    monkeypatch.setattr(cores, "count", lambda: 1)
    ended = arena("course", "feedback", "cs101", "feedback", "--db", str(course / "arena.db"))
    assert (ended.code, ended.err) == (130, "interrupted; no feedback was written\n")
    assert [*tmp_path.iterdir()] == []


def test_a_report_and_a_bundle_take_the_description_too(course: Path, tmp_path: Path) -> None:
    ended = arena("course", "report", "cs101.toml", str(tmp_path / "site"), "--no-games", cwd=course)
    assert ended.code == 0, ended.err
    ended = arena("course", "bundle", "kestrel", str(tmp_path / "k.arena"), "--tournament", "cs101.toml", cwd=course)
    assert ended.code == 0, ended.err
    (course / "wrong.csv").write_text("id,name,alias\ns1,Ann,ann\n")
    ended = arena("course", "report", "cs101.toml", str(tmp_path / "b"), "--roster", "wrong.csv", cwd=course)
    assert (ended.code, ended.out) == (2, "")
    assert "wrong.csv: expected a line for every agent" in ended.err


# One agent's part of the record is one file that every command opens; nothing of anybody else's is in its bytes.


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
