"""The docs as they come with the program: the pages, their parts, the search, and the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.pages import manual
from tests.kit.html_validity import check_html
from tests.kit.places import ROOT

MESSAGES = re.compile(r"`arena docs ([a-z-]+)`")
LINKS = re.compile(r"\]\((?:([\w-]+)\.md)?#([\w-]+)\)")


def test_the_pages_are_those_of_the_folder() -> None:
    assert {path.stem for path in manual.folder().glob("*.md")} == {*manual.PAGES, "README"}
    assert {*manual.OLD_NAMES.values()} <= {*manual.PAGES}
    assert not {*manual.OLD_NAMES} & {*manual.PAGES}


def test_pages_that_messages_name_are_there() -> None:
    sources = [path for folder in ("agents", "arena", "examples") for path in (ROOT / folder).rglob("*.*")]
    named = [
        name
        for path in sources
        if path.suffix in (".py", ".toml", ".c", ".cpp", ".go", ".java", ".js", ".rs")
        for name in MESSAGES.findall(path.read_text("utf-8"))
    ]
    assert len(named) > 20
    assert {*named} <= {*manual.PAGES}


@pytest.mark.parametrize("page", manual.PAGES)
def test_links_lead_to_headings(page: str) -> None:
    for other, at in LINKS.findall(manual.text(page)):
        assert at in {manual.anchor(part.heading) for part in manual.sections(other or page)}, f"{page}: {other}#{at}"


@pytest.mark.parametrize("page", manual.PAGES)
def test_the_first_sentence_says_what_a_page_is_for(page: str) -> None:
    assert 3 <= len(manual.about(page).split()) <= 18


def test_a_heading_in_code_is_none() -> None:
    assert "#!/bin/bash" not in [part.heading for page in manual.PAGES for part in manual.sections(page)]
    assert manual.sections("course")[0].anchor == ""
    assert manual.anchor("Read `results.json`, and more!") == "read-resultsjson-and-more"


def test_a_search_finds_the_heading_first_and_all_words_together() -> None:
    assert manual.found("copied work")[0].name == "course#copied-work"
    assert all("resign" in part.text.lower() for part in manual.found("resign"))
    assert manual.found("resign qwertz") == manual.found("") == []
    assert "resign" in manual.excerpt(manual.found("resign")[0], "resign").lower()


def test_a_site_of_files_is_whole(tmp_path: Path) -> None:
    """Each page is valid, and leads to pages of the site alone; what it shows is in it."""
    files = dict(manual.files())
    assert {*files} == {"index.html", *(f"{name}.html" for name in (*manual.PAGES, *manual.OLD_NAMES))}
    for name, text in files.items():
        check_html(text)
        for target in re.findall(r'(?:href|src)="([^"#]*)', text):
            assert target in files or target.startswith(("data:", "https://")) or target == "", f"{name}: {target}"
    assert files["student.html"].count("first-evening.html") == 1
