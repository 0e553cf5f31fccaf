"""Hand-ins in C and JavaScript are collected, play, get new versions and go into bundles, as agents in Python do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.tournament import league
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.behind_walls import need
from tests.kit.hand_ins import ROSTER, folder
from tests.kit.places import ROOT

DESCRIPTION = """\
name = "cs101"
game = "tictactoe"
clock = "5+0.1"
players = "cs101.collected.toml"

[languages.c]
memory = "64M"

[languages.js]

[[agent]]
name = "dice"
player = "random"
"""
COLLECT = ("collect", "in", "--roster", "roster.csv", "--tournament", "cs101.toml")
STARTERS = ROOT / "arena" / "student" / "starters"
IN_C, IN_JS = (STARTERS / "bare.c").read_text(), (STARTERS / "bare.js").read_text()


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with hand-ins in three languages; one does not compile."""
    need(WallKind.CONTAINER)
    needs.program("gcc", "node")
    wrong = IN_C.replace("return", "retrun")
    folder(tmp_path / "in", {"1001.js": IN_JS, "1002/bot.c": IN_C, "1005.c": wrong, "s-77.rs": "fn main() {}"})
    return folder(tmp_path, {"roster.csv": ROSTER, "cs101.toml": DESCRIPTION})


def collected() -> dict[str, dict[str, object]]:
    """The hand-ins by the id of their student, after another `arena course collect`."""
    ended = arena(*COLLECT, "--format", "json")
    assert ended.code == 0, ended.err
    return {row["id"]: row for row in json.loads(ended.out)}


@pytest.mark.costly
def test_from_a_hand_in_to_a_bundle(course: Path) -> None:
    rows = collected()
    assert [rows[each]["light"] for each in ("1001", "1002", "1005", "s-77")] == ["good", "good", "failed", "failed"]
    assert str(rows["1005"]["told"]).startswith("agent.c, line ")
    assert str(rows["s-77"]["told"]).startswith("s-77.rs is a Rust program")
    assert "retrun" in str(rows["1005"]["told"])
    in_c, in_js, _ = league.read(course / "cs101.toml").agents
    assert (in_c.player_text, in_c.allowance) == ("cmd:./agent", Allowance(memory=64 * MEBIBYTE))
    assert (in_js.player_text, in_js.allowance) == ("cmd:node ./agent.js", None)
    assert arena("run", "cs101.toml").code == 0
    assert arena("course", "feedback", "cs101", "feedback").code == 0
    pages = "".join(page.read_text() for page in Path("feedback").glob("*/feedback.txt"))
    assert all(f"{player} --game" in pages for player in ("cmd:./agent", "'cmd:node agent.js'"))

    assert [collected()[each]["new"] for each in ("1001", "1002")] == [False, False]
    folder(course / "in", {"1002/bot.c": f"{IN_C}// better\n"})
    rows = collected()
    assert [rows[each]["version"] for each in ("1001", "1002")] == [1, 2]
    ended = arena("run", "cs101.toml", "--rerun-changed")
    assert "6/6  " in ended.out, ended.err
    assert "4 versions checked: no errors" in arena("data", "verify").out
    assert arena("course", "bundle", "Bob Brown", "bob.arena", "--tournament", "cs101").code == 0

    elsewhere = folder(course / "elsewhere", {"bob.arena": (course / "bob.arena").read_bytes()})
    for program in (course / "arena.store").glob("*/files/agent"):
        program.parent.chmod(0o700)
        program.unlink()
    ended = arena("play", "tictactoe", "Bob Brown@2", "random", "--db", "bob.arena", cwd=elsewhere)
    assert ended.code == 0, ended.err
    assert "Bob Brown@2" in ended.out


@pytest.mark.costly
def test_a_student_checks_as_the_course_does(course: Path) -> None:
    (course / "cs101.toml").write_text(f'{DESCRIPTION}[[agent]]\nname = "two"\nplayer = "greedy"\n')
    good = arena("check", "in/1002", "--tournament", "cs101.toml", "--positions", "5")
    assert (good.code, "Ready to play" in good.out) == (0, True)
    wrong = arena("check", "in/1005.c", "--tournament", "cs101.toml")
    assert wrong.code == 1
    assert "1005.c, line" in wrong.out


def test_a_course_without_the_table_says_which_to_add(course: Path) -> None:
    (course / "cs101.toml").write_text(DESCRIPTION.replace("languages.c]", "languages.cpp]"))
    shutil.rmtree(course / "in" / "1002")
    (course / "in" / "1001.js").unlink()
    row = collected()["1005"]
    assert (row["light"], row["told"]) == ("failed", "1005.c is a C program")
    assert "needs the table [languages.c]" in str(row["advice"])
