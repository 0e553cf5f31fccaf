"""The commands of version 1.0 work under their old names: the same JSON, CSV, files and exit code."""

import re
import shutil
from pathlib import Path

import pytest

from arena.cli import COMMANDS, GROUPS, OLD_NAMES, renamed
from tests.kit.arena_program import Ended, arena
from tests.kit.places import EXAMPLES

WITH = {
    "analyse": "cs101-1",
    "award": "cs101-1 --to 0 --reason why",
    "bundle": "ann ann.arena",
    "collect": "moodle --roster nowhere.csv --game connect4",
    "compare": "tictactoe alphabeta minimax --depth 2 --positions 1",
    "crosstable": "cs101",
    "db": "info",
    "debug": "cs101-1",
    "exercise": "alphabeta --seed 1",
    "export": "cs101 --format csv",
    "feedback": "nowhere.toml",
    "grades": "cs101",
    "gtp": "pvs --game connect4",
    "history": "--agent ann",
    "hosts": "cs101",
    "import": f"{EXAMPLES / 'results.csv'} --tournament club",
    "init": "lab",
    "invite": "nowhere.toml --list",
    "judge": "nowhere.py",
    "logs": "cs101-1",
    "progress": "ann",
    "rank": "cs101",
    "release": "ann --reason why",
    "report": "nowhere.toml",
    "revoke": "1 --reason why",
    "rulings": "",
    "show": "cs101-1",
    "similar": "nowhere.toml",
    "size": "tictactoe --depth 3",
    "solve": "nap:5",
    "sql": "SELECT\tcount(*)\tFROM\tv_game",
    "standings": "cs101",
    "tables": "connect4",
    "tournaments": "",
    "trace": "nap:4 minimax",
    "tree": "nap:3",
    "uci": "pvs --game connect4",
    "versus": "ann eve",
    "void": "cs101-1 --reason why",
    "void --again": "cs101-1 --again --reason why",
    "watch": "999",
    "withdraw": "ann --tournament cs101 --reason why",
}
"""Arguments for each old name, separated by spaces."""
LISTINGS = {
    *(
        "analyse",
        "crosstable",
        "db",
        "grades",
        "history",
        "hosts",
        "logs",
        "progress",
        "rank",
        "rulings",
        "show",
        "sql",
    ),
    *("standings", "tournaments", "versus"),
}
"""The commands with JSON and CSV about the sample."""


def given(words: list[str], record: Path, folder: Path) -> tuple[Ended, dict[str, bytes]]:
    """How the command ends in a new folder with a copy of the record, and the files that it wrote there. The seconds
    that it took are left out."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(record, folder / "arena.db")
    ended = arena(*words, cwd=folder)
    ended = Ended(ended.code, re.sub(r"\d+\.\d+ s\b", "TIME", ended.out), ended.err)
    wrote = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    return ended, {name: content for name, content in wrote.items() if name.endswith((".csv", ".toml", ".svg"))}


def test_every_command_of_version_1_is_here() -> None:
    assert {*WITH} == {*OLD_NAMES}
    for new in OLD_NAMES.values():
        first, *rest = new.split()
        assert first in COMMANDS or (first in GROUPS and {*rest} <= {*GROUPS[first].commands}), new


@pytest.mark.parametrize("old", WITH)
def test_an_old_name_does_what_the_new_one_does(old: str, record: Path, tmp_path: Path) -> None:
    words = WITH[old].split(" ") if WITH[old] else []
    new = [*OLD_NAMES[old].split(), *(word for word in words if word != "--again")]
    for format in ("json", "csv") if old in LISTINGS else (None,):
        more = [] if format is None else ["--format", format]
        by_old = given([old.split()[0], *words, *more], record, tmp_path / "here")
        by_new = given([*new, *more], record, tmp_path / "here")
        assert by_old == by_new
        assert format is None or by_old[0].code == 0, by_old[0].err


def test_an_old_option_keeps_its_meaning() -> None:
    assert renamed(["debug", "last", "--ply", "3"]) == ["replay", "--debug", "last", "--turn", "3"]
    assert renamed(["debug", "last", "--ply=3"]) == ["replay", "--debug", "last", "--turn=3"]
    assert renamed(["show", "last", "--ply", "3"]) == ["replay", "--show", "last", "--ply", "3"]


def test_a_new_name_is_never_renamed() -> None:
    for words in (["replay", "last", "--debug", "--ply", "3"], ["rule", "void", "1"], ["results", "rank"], ["games"]):
        assert renamed(words) == words
    assert not {*OLD_NAMES} & {*COMMANDS, *GROUPS}
