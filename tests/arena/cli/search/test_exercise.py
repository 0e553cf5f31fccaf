"""`arena course exercise` as its user sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.course.lecture import kinds
from tests.kit.arena_program import arena


def test_without_files_the_sheet_is_printed(tmp_path: Path) -> None:
    ended = arena("course", "exercise", "alphabeta", "--seed", "7", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Exercise: alphabeta, tree 7\n\nMAX (triangle up)")
    assert "A MAX  = ____\n├─ B MIN  = ____\n" in ended.out
    assert ended.out.endswith("\nLeaves not visited: ________________________\n")
    assert "pruned" not in ended.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", kinds.names())
def test_every_line_fits_a_terminal(kind: str) -> None:
    ended = arena("course", "exercise", kind, "--seed", "1", "--text", "--key")
    assert ended.code == 0
    assert max(map(len, ended.out.split("\n"))) <= 80
    assert ended.out.startswith(f"Exercise: {kind}, ")
    assert " 1, solved\n" in ended.out


def test_files_are_written_and_named(tmp_path: Path) -> None:
    ended = arena(
        *("exercise", "star1", "--seed", "2", "--svg", "sheet.svg", "--answers", "key.svg", "--tree", "tree.json"),
        cwd=tmp_path,
    )
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "written: sheet.svg\nwritten: key.svg\nwritten: tree.json\n"
    assert "solved" in (tmp_path / "key.svg").read_text("utf-8")
    assert "solved" not in (tmp_path / "sheet.svg").read_text("utf-8")
    assert set(json.loads((tmp_path / "tree.json").read_text())) == {"players", "bounds", "tree"}
    traced = arena("search", "trace", "tree:file=tree.json", "expectiminimax:pruning=star1", cwd=tmp_path)
    assert traced.code == 0
    assert "cut-off" in traced.out


def test_without_a_seed_it_is_said_how_to_have_the_same_tree_again() -> None:
    ended = arena("course", "exercise", "minimax")
    assert ended.code == 0
    seed = ended.err.strip().rpartition(" ")[2]
    assert ended.err == f"to make the same exercise again: --seed {seed}\n"
    assert arena("course", "exercise", "minimax", "--seed", seed).out == ended.out


def test_a_class_gets_the_same_sheets_again_from_the_seed_that_is_printed(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,alias\n1,kestrel\n2,merlin\n")
    asked = ("exercise", "minimax", "--roster", "roster.csv", "--out")
    ended = arena(*asked, "week", cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "week: 2 sheets, their keys, and index.csv with all answers\n")
    seed = ended.err.partition("--seed ")[2].split()[0]
    assert ended.err == f"to make the same exercises again: --seed {seed} (keep it secret: it makes the keys)\n"
    assert arena(*asked, "again", "--seed", seed, cwd=tmp_path).code == 0
    first, second = (
        {file.relative_to(tmp_path / folder): file.read_text() for file in (tmp_path / folder).rglob("*.*")}
        for folder in ("week", "again")
    )
    assert first == second
    assert len(first) == 7
    refused = arena(*asked, "week", "--seed", "1", cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "'week' has files already; choose another name" in refused.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nim",), "expected an exercise, got 'nim'; did you mean 'minimax'?"),
        (("<script>\x1b[31m",), "expected an exercise, got '<script>\\x1b[31m'; there is minimax, alphabeta"),
        (("minimax", "--depth", "6", "--branching", "6"), "at most 64 leaves, got 46,656"),
        (("minimax", "--depth", "1"), "--depth: expected at least 2, got '1'"),
        (("minimax", "--svg", "nowhere/sheet.svg"), "there is no folder 'nowhere'"),
        (("minimax", "--svg", "x.svg", "--answers", "x.svg"), "'x.svg' is given for two files"),
        (("minimax", "--answers", "."), "it is a folder; name a file in it"),
        (("minimax", "--roster", "roster.csv"), "--roster needs --out FOLDER too"),
        (("minimax", "--out", "week"), "--out needs --roster FILE.csv too"),
        (("minimax", "--roster", "roster.csv", "--out", "week", "--key"), "leave out --text, --key, --svg"),
        (("minimax", "--roster", "roster.csv", "--out", "week"), "cannot read 'roster.csv': No such file"),
        (("ucb1", "--tree", "tree.json"), "the exercise ucb1 has no tree to write: leave out --tree"),
    ],
    ids=[
        "name",
        "awkward",
        "large",
        "flat",
        "folder",
        "twice",
        "directory",
        "roster",
        "out",
        "text",
        "missing",
        "no tree",
    ],
)
def test_what_cannot_be_done_is_told(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    ended = arena("course", "exercise", *arguments, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err
