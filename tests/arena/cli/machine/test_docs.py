"""`arena docs`: lists, reads, searches and writes the pages."""

from __future__ import annotations

from pathlib import Path

from arena.pages import manual
from tests.kit.arena_program import arena


def test_without_a_word_all_pages_are_listed() -> None:
    printed = arena("docs").out
    assert [line.split()[0] for line in printed.splitlines() if line[:1].strip()][: len(manual.PAGES)] == [
        *manual.PAGES
    ]


def test_a_page_and_a_part_of_it_are_printed_as_they_are() -> None:
    assert arena("docs", "install").out == manual.text("install").rstrip() + "\n"
    part = next(part for part in manual.sections("course") if part.anchor == "copied-work")
    assert arena("docs", "course#copied-work").out == part.text + "\n"
    assert arena("docs", "docs/instructor.md").out == arena("docs", "course").out


def test_words_are_searched() -> None:
    printed = arena("docs", "copied", "work").out
    assert printed.startswith("course#copied-work ")
    assert printed.endswith("\narena docs course#copied-work reads the first one\n")


def test_what_is_not_there_is_one_error(tmp_path: Path) -> None:
    for arguments, said in (
        (["course#nothing"], "arena: the page course has no part 'nothing'; its parts: "),
        (["qwertz", "uiop"], "arena: no page has 'qwertz uiop'; `arena docs` lists the pages"),
        (["tournamnets"], "arena: no page has 'tournamnets'; did you mean 'tournaments'?"),
        (["tournamnets#chess"], "arena: no page has 'tournamnets#chess'; did you mean 'tournaments'?"),
        (["--write", str(tmp_path)], f"arena: {tmp_path}: the pages cannot be written: File exists"),
        (["install", "--write", "site"], "--write writes all pages: leave out the page"),
    ):
        ended = arena("docs", *arguments)
        assert ended.code == 2
        assert said in " ".join(ended.err.split())


def test_a_site_is_written(tmp_path: Path) -> None:
    assert arena("docs", "--write", "site", cwd=tmp_path).out == "site/index.html: 13 pages\n"
    assert len([*(tmp_path / "site").iterdir()]) == 1 + len(manual.PAGES) + len(manual.OLD_NAMES)
