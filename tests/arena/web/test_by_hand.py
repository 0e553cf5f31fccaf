"""Games that people play by hand: who has played them, for those who may know it, and where their players find them."""

from __future__ import annotations

import re
from threading import Event
from typing import Any, Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.accounts.people import Account
from arena.course import roster
from arena.serve.messages import GameRecorded
from arena.web import server
from arena.web.permissions import MEMBER, Names
from arena.web.persons_game import PersonsGames
from db import store
from db.records import HUMAN
from tests.kit.effort import PATIENCE
from tests.kit.html_validity import check_html
from tests.kit.managed_ladder import NOW, ManagedLadder
from tests.kit.pages_in_process import PagesInProcess
from tests.kit.sample_record import Book

BUTTON: Final = "Find the mistakes</button>"


def played(room: ManagedLadder, pages: PagesInProcess, by: Account, rules: str = "tictactoe", **how: Any) -> int:
    """A game of this person, at the second seat, against an agent: its id."""
    with room.record.writing() as connection:
        game = Book(connection).play(None, rules, ("random", HUMAN), sources={HUMAN: HUMAN}, **how)
    server.note_played(pages.site, by.id, game)
    return game


def text(markup: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", markup).split())


def heading(pages: PagesInProcess, game: int, by: Account) -> str:
    """The players of a game as its page has them."""
    found = re.search("<h1[^>]*>random – (.*)</h1>", pages.ask(f"/g/{game}", by=by).text)
    return found[1] if found else ""


def test_a_game_by_hand_has_the_name_of_its_player_for_the_player_and_for_instructors(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    bob, cid, dan = (room.student(number) for number in (1, 2, 3))
    game = played(room, pages, bob)
    assert heading(pages, game, bob) == heading(pages, game, room.instructor) == "Bob Lind"
    assert heading(pages, game, cid) == "a person", "those of a team do not see each other's names either"
    assert heading(pages, game, dan) == "a person"
    assert "Bob Lind" not in pages.ask(f"/g/{game}", by=dan).everything
    assert [name in pages.ask(f"/g/{game}/pgn", by=bob).text for name in ("Bob Lind", "human")] == [True, False]
    assert "a person" in pages.ask(f"/api/v1/g/{game}", by=dan).text


def test_the_board_is_seen_from_the_seat_of_the_person_who_can_have_the_mistakes_found(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    bob, dan = room.student(1), room.student(3)
    game = played(room, pages, bob)
    mine, others = (pages.ask(f"/g/{game}", by=one).text for one in (bob, dan))
    assert re.search(r'class="seat [\w-]+ lower[^>]*>.{,80}Bob Lind', mine)
    assert (BUTTON in mine, BUTTON in others) == (True, False)


def test_people_find_their_last_games_by_hand_on_their_page_and_nobody_elses(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    bob, cid = room.student(1), room.student(2)
    assert "Your games against agents" not in pages.ask("/me", by=bob).text
    first, *others = [played(room, pages, bob) for _ in range(6)]
    helped = played(room, pages, bob, "connect4", verdict="resigned", fault=1)
    with room.record.writing() as connection:
        store.rule_on_game(connection, helped, "void", "human got a hint", NOW)
    answer = pages.ask("/me", by=bob).text
    check_html(answer)
    at = text(answer).index("Your games against agents")
    shown = text(answer)[at : text(answer).index("Hand in from a terminal")]
    assert f"Game {helped} connect4 random lost with a hint, not rated" in shown
    assert [f"Game {one} " in shown for one in (first, *others)] == [False, False, True, True, True, True]
    assert "Your games against agents" not in pages.ask("/me", by=cid).text


def test_whose_game_it_was_is_noted_before_its_page_says_that_it_is_recorded(
    room: ManagedLadder,
) -> None:
    seen: list[str] = []
    bob, over, tables = room.student(1), Event(), PersonsGames(lambda _: True)
    tables.changed = lambda game: over.set() if game.is_over else None
    tables.recorded = lambda account, game: seen.append(f"{account} {game}, {over.is_set()}")
    game = tables.open(bob.id, game="tictactoe", opponent="random", seat=0, clock="60")
    tables.take(GameRecorded(game.seen.key, 12, "normal", None, (1.0, 0.0), ""))
    assert over.wait(PATIENCE)
    assert seen == [f"{bob.id} 12, False"]


@pytest.mark.parametrize("has_roster", [False, True])
def test_a_person_is_a_person_with_a_roster_and_without(room: ManagedLadder, *, has_roster: bool) -> None:
    names = Names(roster.read("id,name,alias\n1,Ann A.,Blue\n", "roster.csv") if has_roster else None)
    with room.record.writing() as connection:
        for name in (HUMAN, f"{HUMAN}#2"):
            store.version(connection, name, HUMAN, HUMAN, NOW)
        shown = names.seen_by(MEMBER).read(connection).shown
    assert [shown[HUMAN], shown[f"{HUMAN}#2"]] == ["a person", "a person (2)"]
