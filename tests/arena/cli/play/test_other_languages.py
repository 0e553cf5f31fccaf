"""A file in another language is a player of every command; what is wrong with it is told in one line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from unittest import mock

import pytest

from arena.match.allowance import WallKind
from arena.players import builder
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.behind_walls import need
from tests.kit.starter_programs import TOOLS

STARTERS = Path(__file__).parents[4] / "arena" / "student" / "starters"
IN_JS = (STARTERS / "bare.js").read_text("utf-8")
IN_C = (STARTERS / "bare.c").read_text("utf-8")
QUICK = ("--clock", "5+0.1", "--quiet")


@pytest.fixture(autouse=True)
def tools() -> None:
    need(WallKind.CONTAINER)
    needs.program("gcc", "node")


def test_ten_games_are_one_build_and_its_version_plays_again() -> None:
    Path("bot.c").write_text(IN_C, "utf-8")
    with mock.patch.object(builder, "_made", side_effect=builder._made) as made:
        for _ in range(2):
            ended = arena("play", "tictactoe", "bot.c", "random", "--games", "10", *QUICK)
            assert (ended.code, ended.err) == (0, "")
        assert made.call_count == 1
        assert arena("play", "tictactoe", "bot@1", "bot.c", *QUICK).code == 0
        assert made.call_count == 1
        Path("bot.c").write_text(f"{IN_C}/* better */\n", "utf-8")
        assert arena("play", "tictactoe", "bot.c", "random", *QUICK).code == 0
        assert made.call_count == 2
    counts = "SELECT count(*) AS n FROM version JOIN agent ON agent.id = version.agent WHERE agent.name = 'bot'"
    assert json.loads(arena("data", "sql", counts, "--format", "json").out)[0]["n"] == 2
    assert "no errors" in arena("data", "verify").out


def test_a_compile_error_is_one_line_with_file_and_line() -> None:
    Path("bot.c").write_text(IN_C.replace("int main", "imt main"), "utf-8")
    for words in (("play", "connect4", "bot.c", "random"), ("climb", "bot.c", "--game", "connect4")):
        ended = arena(*words)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert ended.err.startswith("arena: bot.c, line ")
    ended = arena("check", "bot.c", "--game", "connect4")
    assert (ended.code, "bot.c, line " in ended.out) == (1, True)


@pytest.mark.parametrize(
    ("name", "text", "advice"),
    [
        (
            "bot.c",
            "int other(int);\nint main(void) { return other(1); }\n",
            "if it is in another file: put all into a folder",
        ),
        ("bot.cpp", '#include "other.hpp"\nint main() {}\n', "a header of yours must be in the agent's folder"),
        ("bot.cpp", "#include <span>\nint main() { std::span<int> s; }\n", "put a Makefile with g++ -std=c++20"),
        ("bot.go", 'package main\nimport "github.com/x/y"\nfunc main() { y.Z() }\n', "there is only Go's own library"),
        ("Bot.java", "class Bot { public static void main(String[] a) { Other o; } }\n", "other classes must be in"),
        ("bot.rs", "use rand::Rng;\nfn main() {}\n", "a file of yours is a module (mod NAME;)"),
    ],
)
def test_what_a_build_does_not_find_comes_with_advice(name: str, text: str, advice: str) -> None:
    needs.program(TOOLS[Path(name).suffix])
    Path(name).write_text(text, "utf-8")
    ended = arena("play", "connect4", name, "random")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert re.search(rf"^arena: .*; .*{re.escape(advice)}", ended.err)


def test_a_missing_compiler_is_one_line_that_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("bot.c").write_text(IN_C, "utf-8")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    for words in (("play", "connect4", "bot.c", "random"), ("check", "bot.c", "--game", "connect4")):
        ended = arena(*words)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "programs in C need 'gcc', which is not on this machine; install a C compiler" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("play", "connect4", "bott.js", "random"), "no file 'bott.js'; did you mean 'bot.js'?"),
        (("play", "connect4", "no/bot.js", "random"), "there is no folder"),
        (("play", "connect4", "two", "random"), "expected files in one language, got 'two/a.c' and 'two/b.js'"),
        (("engine", "uci", "bot.js"), "bot.js: build it first, and write cmd:"),
        (("check", "bott.js", "--game", "connect4"), "no file 'bott.js'; did you mean 'bot.js'?"),
    ],
)
def test_what_is_not_a_player_is_told_in_one_line(words: tuple[str, ...], said: str) -> None:
    for name in ("bot.js", "two/a.c", "two/b.js"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("", "utf-8")
    ended = arena(*words)
    assert (ended.code, ended.err.count("\n")) == (2, 1), ended
    assert said.replace("two/", "") in ended.err.replace("two/", "")


DESCRIPTION = """\
name = "cup"
game = "tictactoe"
clock = "5+0.1"
players = ["agents/*"]

[languages.js]
memory = "512M"

[[agent]]
name = "in-c"
player = "bot.c"

[[agent]]
name = "dice"
player = "random"
"""


def test_a_description_names_files_in_other_languages() -> None:
    Path("agents").mkdir()
    for name, text in {"bot.c": IN_C, "agents/one.js": IN_JS, "agents/two.c": IN_C, "cup.toml": DESCRIPTION}.items():
        Path(name).write_text(text, "utf-8")
    ended = arena("run", "cup.toml")
    assert ended.code == 0, ended.err
    assert "'agents/two.c' (a C program, without the table [languages.c])" in ended.out + ended.err
    rows = json.loads(arena("results", "cup", "--format", "json").out)
    assert {row["name"] for row in rows} == {"in-c", "one", "dice"}
    Path("bot.c").write_text(f"{IN_C}/* better */\n", "utf-8")
    assert "in-c" in arena("run", "cup.toml").out


def test_of_a_folder_of_hand_ins_no_agent_includes_the_file_of_another_one() -> None:
    Path("in").mkdir()
    Path("in/alice.c").write_text(IN_C, "utf-8")
    Path("in/bob.c").write_text('#include "alice.c"\n', "utf-8")
    ended = arena("check", "--all", "in", "--game", "tictactoe", "--positions", "2", "--format", "json")
    checked = {row["agent"]: (row["light"], row["told"]) for row in json.loads(ended.out)}
    assert checked["alice"][0] == "good"
    assert checked["bob"] == ("failed", "agent.c, line 1: alice.c: No such file or directory")
