"""What the search finds, and that nobody finds what they may not see."""

from __future__ import annotations

import pytest

from arena.web import results
from arena.web.permissions import VISITOR, Names, Role, Viewer
from arena.web.results import Thing
from tests.kit.managed_ladder import INSTRUCTOR, ManagedLadder


@pytest.fixture
def place(where: str) -> str:
    return where


def things_found(room: ManagedLadder, words: str, viewer: Viewer = INSTRUCTOR) -> list[Thing]:
    names = Names(accounts=room.accounts).seen_by(viewer)
    with room.record.reading() as connection:
        return results.find(connection, names, words)


def test_agents_and_tournaments_are_found_by_parts_of_their_names(room: ManagedLadder) -> None:
    assert [(one.kind, one.name, one.of) for one in things_found(room, "ALI")] == [("agent", "alice", "cs101")]
    assert [one.href for one in things_found(room, "alice")] == ["/t/cs101/a/alice"]
    assert ("tournament", "cs101") in [(one.kind, one.name) for one in things_found(room, "cs")]


def test_a_number_finds_the_game_that_is_called_so_and_the_one_with_that_id(room: ManagedLadder) -> None:
    rows = room.sql("SELECT id, number FROM game WHERE tournament IS NOT NULL")
    for number in (1, 7, 10**17):
        expected = {f"/g/{id}" for id, called in rows if number in (id, called)}
        assert {one.href for one in things_found(room, f" {number} ") if one.kind == "game"} == expected


@pytest.mark.parametrize("words", ["", " ", "nobody", "alice nobody", "1" * 19, "²"])
def test_what_is_not_there_is_not_found(room: ManagedLadder, words: str) -> None:
    assert things_found(room, words) == []


@pytest.mark.parametrize("words", ["alice", "cs101", "1"])
def test_a_visitor_finds_nothing_that_is_not_public(room: ManagedLadder, words: str) -> None:
    assert things_found(room, words)
    assert things_found(room, words, VISITOR) == []


def test_no_more_than_some_are_listed(room: ManagedLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_FOUND", 2)
    assert len(things_found(room, "a")) == 2


def test_an_instructor_finds_an_agent_by_its_author_and_a_student_does_not(room: ManagedLadder) -> None:
    assert [(one.name, one.person) for one in things_found(room, "bob lind")] == [("bob", "Bob Lind, Cid Voss")]
    assert things_found(room, "bob lind", Viewer(Role.STUDENT, 2, "alice")) == []


def test_pages_and_games_are_found_as_people_call_them(room: ManagedLadder) -> None:
    assert [(one.kind, one.href) for one in things_found(room, "hand in")] == [("page", "/me/submit")]
    assert [one.href for one in things_found(room, "crosstable")] == ["/t/cs101/crosstable"]
    assert [one.href for one in things_found(room, "manage cs101")] == ["/t/cs101/manage"]
    assert things_found(room, "manage", Viewer(Role.STUDENT, 2, "alice")) == []
    assert things_found(room, "crosstable", VISITOR) == []
    assert things_found(room, "Game 7") == [one for one in things_found(room, "7") if one.kind == "game"]
