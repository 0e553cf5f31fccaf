"""What a person reads is in plain English: some phrases are always wrong, wherever they are written."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.kit.places import ROOT

WRONG = {
    "usual:": "default:",
    "what is usual": "the default",
    "so many": "N, or at most N",
    "whoever": "anyone who",
    "somebody's own": "user-supplied",
    "of one's own": "your own",
    "is no file": "is not a file",
    "is no folder": "is not a folder",
    "is no agent": "is not an agent",
    "typing error": "typo",
    "nobody knows": "it is not known",
    "stands still": "is paused",
    "it held more": "it used more memory",
}
"""Each phrase with what to say instead."""
READ_BY_PEOPLE = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(
        path
        for folder in ("adsearch", "agents", "arena", "db", "examples", "benchmarks")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".html", ".js", ".c", ".toml", ".css", ".txt", ".ipynb")
        and "__pycache__" not in path.parts
        and path.name != "words.txt"  # the word list of a game
    ),
]
"""Pages, and the files of the product: help, errors, templates and docstrings are in them."""


@cache
def texts() -> dict[Path, str]:
    """All texts, by file."""
    return {path: path.read_text("utf-8") for path in READ_BY_PEOPLE}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_phrase_that_is_always_wrong_is_nowhere(wrong: str) -> None:
    # "There is no file" is right, "it is no file" is not.
    phrase = re.compile(r"(?<!there )\b" + re.sub(" ", r"[\\s#]+", re.escape(wrong).replace(r"\ ", " ")), re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
        for path, text in texts().items()
        for match in phrase.finditer(text)
    ]
    assert found == [], f"say instead: {WRONG[wrong]}"
