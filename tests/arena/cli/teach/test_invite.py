"""`arena course invite`: a file of links that only its owner can read; who was invited, and the end of an account."""

from __future__ import annotations

import csv
import io
import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.accounts.audit import Act, entries
from arena.accounts.people import use_invitation
from db import accounts
from db.accounts import AccountsDatabase
from tests.arena.cli.test_json import listed as documented
from tests.kit.account_room import ROSTER
from tests.kit.arena_program import arena
from tests.kit.hand_in_room import hand_in_room


@pytest.fixture(autouse=True)
def _with_a_ladder_and_a_roster(tmp_path: Path) -> None:
    hand_in_room(tmp_path).database.close()
    Path("roster.csv").write_text(ROSTER, "utf-8")


def links(text: str) -> list[dict[str, str]]:
    """The lines of a file of links."""
    return list(csv.DictReader(io.StringIO(text)))


def use(link: str) -> bool:
    """Signs in with the link."""
    with AccountsDatabase() as database, database.writing() as connection:
        return use_invitation(connection, link.rpartition("/")[2], datetime.now(UTC)) is not None


def listed() -> list[dict[str, str | None]]:
    """What --list prints in JSON."""
    found: list[dict[str, str | None]] = json.loads(
        arena("course", "invite", "cs101", "--list", "--format", "json").out
    )
    return found


def refusal(*arguments: str) -> str:
    """The one line of a command that does nothing."""
    ended = arena("course", "invite", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("arena: ")
    assert ended.err.count("\n") == 1
    return ended.err


def test_links_are_written_for_everybody_on_the_roster() -> None:
    ended = arena("course", "invite", "cs101", "--roster", "roster.csv", "--address", "https://arena.example.org/")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("invitations.csv: 3 links; each works once, until 20")
    file = Path("invitations.csv")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    ann, bob, cid = links(file.read_text("utf-8"))
    assert list(ann) == ["id", "name", "email", "alias", "link", "expires"]
    assert (ann["id"], ann["name"], ann["email"], ann["alias"]) == ("1", "Ann Berg", "ann@example.org", "kestrel")
    assert bob["alias"] == cid["alias"] == "otter"
    assert ann["link"].startswith("https://arena.example.org/in/ai_")
    assert [use(one["link"]) for one in (ann, bob, ann)] == [True, True, False]


def test_a_description_names_the_ladder_and_its_roster() -> None:
    with Path("cs101.toml").open("a", encoding="utf-8") as file:
        file.write('[course]\nroster = "roster.csv"\n')
    ended = arena("course", "invite", "cs101.toml", "--author", "kestrel", "--out", "-")
    assert ended.code == 0
    (ann,) = links(ended.out)
    assert ann["link"].startswith("http://127.0.0.1:8000/in/ai_")
    assert "works on this machine only; give the address with --address URL" in ended.err
    assert not Path("invitations.csv").exists()
    assert use(ann["link"])


def test_links_begin_with_the_address_that_the_server_has_noted() -> None:
    with AccountsDatabase() as database, database.writing() as connection:
        accounts.note_address(connection, "http://192.0.2.1:8000")
    ended = arena("course", "invite", "cs101", "--instructor", "Eva", "--out", "-")
    assert ended.err == ""
    (eva,) = links(ended.out)
    assert eva["link"].startswith("http://192.0.2.1:8000/in/ai_")
    assert (eva["name"], eva["alias"]) == ("Eva", "")


def test_an_older_file_is_not_overwritten_and_nobody_is_invited() -> None:
    Path("invitations.csv").write_text("older links", "utf-8")
    assert "'invitations.csv' already exists, perhaps with links that still work" in refusal(
        "cs101", "--roster", "roster.csv"
    )
    assert Path("invitations.csv").read_text("utf-8") == "older links"
    assert listed() == []


def test_a_roster_with_a_mistake_leaves_no_file_and_no_account() -> None:
    Path("roster.csv").write_text(f"{ROSTER}4,Dan,dan@example.org,random\n", "utf-8")
    assert "roster.csv, line 5: the alias cannot be the name of an author" in refusal("cs101", "--roster", "roster.csv")
    assert not Path("invitations.csv").exists()
    assert listed() == []


def test_the_list_shows_everybody_and_a_deactivated_account_gets_no_link() -> None:
    arena("course", "invite", "cs101", "--instructor", "Eva", "--out", "eva.csv")
    ended = arena("course", "invite", "cs101", "--roster", "roster.csv", "--out", "-")
    use(links(ended.out)[0]["link"])
    eva, ann, bob, _ = listed()
    assert (eva["role"], eva["alias"], ann["role"], ann["status"]) == ("instructor", "", "student", "active")
    assert ann["signed_in"] is not None
    assert ann["seen"] is not None
    assert bob["signed_in"] is None
    assert set(eva) == documented("course invite --list")
    table = arena("course", "invite", "cs101", "--list").out
    assert table.splitlines()[0].split() == [
        *("name", "id", "alias", "role", "status", "invited", "signed", "in", "last", "seen")
    ]
    ended = arena("course", "invite", "cs101", "--deactivate", "otter")
    assert ended.out == "otter: 2 accounts deactivated; links, sessions and tokens do not work now\n"
    assert [one["status"] for one in listed()] == ["active", "active", "deactivated", "deactivated"]
    ended = arena("course", "invite", "cs101", "--roster", "roster.csv", "--out", "-")
    assert [one["alias"] for one in links(ended.out)] == ["kestrel"]
    assert "deactivated, so without a link: 'otter'; --author ALIAS invites them again" in ended.err
    with AccountsDatabase() as database, database.reading() as connection:
        acts = [one.what for one in entries(connection)]
    assert acts == [Act.INVITED, *[Act.DEACTIVATED] * 2, Act.SIGNED_IN, *[Act.INVITED] * 4]


def test_who_is_not_on_the_roster_any_more_is_named() -> None:
    arena("course", "invite", "cs101", "--roster", "roster.csv", "--out", "-")
    Path("roster.csv").write_text("id,name,alias\n2,Bob Lind,otter\n3,Cid Voss,otter\n", "utf-8")
    ended = arena("course", "invite", "cs101", "--roster", "roster.csv", "--out", "-")
    assert "not on roster.csv any more, but can still sign in: 'kestrel'; --deactivate ALIAS ends this" in ended.err
    assert len(listed()) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cs102", "--roster", "roster.csv"], "there is no ladder 'cs102'; did you mean 'cs101'?"),
        (["cs101"], "expected a roster: --roster FILE, or roster = in the table [course] of the description"),
        (["cs101", "--roster", "nothing.csv"], "expected a roster, cannot read 'nothing.csv'"),
        (["cs101", "--roster", "roster.csv", "--author", "wren"], "expected the alias of a student on it, got 'wren'"),
        (["cs101", "--roster", "roster.csv", "--out", "no/x.csv"], "cannot write 'no/x.csv': No such file"),
        (["cs101", "--roster", "roster.csv", "--address", "example.org"], "--address: expected an address such as"),
        (["cs101", "--roster", "roster.csv", "--address", "javascript:x"], "--address: expected an address such as"),
        (["cs101", "--list", "--deactivate", "otter"], "expected --list or --deactivate, got both"),
        (["cs101", "--list"], "nobody was invited yet, so there are no accounts: `arena course invite` makes them"),
        (["cs101", "--deactivate", "otter"], "nobody was invited yet"),
        (["cs101", "--instructor", "a\nb"], "expected a name of printable characters"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], words: str) -> None:
    assert words in refusal(*arguments)
    assert not Path("invitations.csv").exists()


def test_what_other_commands_read_has_no_accounts_in_it() -> None:
    """All of them read the record, and neither a key nor a person is in its files."""
    made = arena("course", "invite", "cs101", "--roster", "roster.csv", "--out", "-")
    keys = [one["link"].rpartition("/")[2] for one in links(made.out)]
    assert use(f"/{keys[0]}")
    read = b"".join(path.read_bytes() for path in Path().glob("arena.*") if path.is_file())
    assert b"cs101" in read
    for secret in (*keys, "kestrel", "Ann Berg", "bob@example.org"):
        assert secret.encode() not in read
    assert "no such table: account" in arena("data", "sql", "select * from account").err
    for command in (["sql", "select * from account"], ["standings"], ["db", "verify"], ["export"], ["ladder", "show"]):
        ended = arena(*command, "--db", "arena-accounts.db")
        assert (ended.code, ended.out) == (2, "")
        assert "expected a database of arena, got other tables" in ended.err
