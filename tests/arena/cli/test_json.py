"""docs/reference.md lists the fields of each document, and no others.

The fields of listings are those of their columns; other documents are asked for."""

import json
import re
from pathlib import Path

import pytest

from tests.kit import json_fields
from tests.kit.arena_program import arena
from tests.kit.places import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "reference.md").read_text("utf-8")
ASKED = {
    "results rank": ["cs101"],
    "results versus": ["ann", "bob", "--elo0", "0", "--elo1", "50"],
    "replay --show": ["last"],
}
"""The arguments of each command on a database."""
OF_GAMES = {
    "search solve": ["nap:5"],
    "climb": [str(EXAMPLES / "greedy.py"), "--game", "tictactoe", "--walls", "limits", "--clock", "none"],
}
"""The arguments of each command that reads no database, or an empty one."""


def listed(command: str) -> set[str]:
    """The fields in the first table of the command's section."""
    section = PAGE.partition(f"\n### `arena {command}`\n")[2]
    table = re.search(r"^\|.*(?:\n\|.*)*", section, re.MULTILINE)
    assert table
    return {name for row in table[0].split("\n") for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def printed(command: str, *arguments: str) -> set[str]:
    """The fields of the document, or of the first item of a listing."""
    found = json.loads(arena(*command.split(), *arguments, "--format", "json").out)
    return set(found[0] if isinstance(found, list) else found)


def test_the_tables_of_listings_are_as_declared() -> None:
    """`python -m tests.kit.json_fields` writes them."""
    assert json_fields.written(PAGE) == PAGE
    declared = [*json_fields.listings()]
    assert [one.command for one in declared if not one.about] == ["ladder final"]  # the fields of standings
    assert {one.command: one.listed ^ one.fields for one in declared if one.about and one.listed != one.fields} == {}
    assert [one.command for one in declared if one.table not in PAGE] == []


@pytest.mark.parametrize("command", ASKED)
def test_fields_of_documents_about_a_record(command: str, record: Path) -> None:
    also = listed("results history") if command == "replay --show" else set()
    assert printed(command, *ASKED[command], "--db", str(record)) == listed(command) | also


@pytest.mark.costly
@pytest.mark.parametrize("command", OF_GAMES)
def test_fields_of_other_documents(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed(command, *OF_GAMES[command]) == listed(command)


def test_fields_of_an_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert arena("play", "tictactoe", "random", "random", "--seed", "1", "--clock", "none", "--quiet").code == 0
    assert printed("replay --mistakes", "last") == listed("replay --mistakes")
