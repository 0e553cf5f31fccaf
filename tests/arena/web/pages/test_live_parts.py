"""A game in progress that hides cards: its author's own seat is seen, and nobody sees more."""

from __future__ import annotations

import re
from itertools import permutations

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from adsearch import games
from arena.accounts.people import Account
from arena.history import recorded_rules
from arena.match.live import LiveGame, LivePly
from arena.match.seeds import GameSeeds
from arena.web.events import Change, event
from arena.web.live import SECOND, LiveHub
from arena.web.live_record import LiveRecord
from arena.web.pages.live_parts import OwnSeatGame
from arena.web.permissions import MEMBER, Names
from db import games as record
from db import store
from tests.kit.account_room import sign_in
from tests.kit.managed_ladder import NOW, ManagedLadder
from tests.kit.pages_in_process import pages_in_process
from tests.kit.sample_record import Book

DEALS = [*permutations("JQK", 2)]
HIDDEN = "do not see everything"


def play_cards(room: ManagedLadder) -> int:
    """A game of the final is in progress: alice has seat 0, and bob seat 1."""
    with room.record.writing() as connection:
        book = Book(connection)
        final = book.tournament("cs101 final", "kuhn")
        book.enter(final, "alice", "bob")
        game = book.plan(final, "kuhn", ("alice", "bob"))
        store.begin(connection, game, book.now)
    return game


def published(id: int, *said: str, rules: str = "kuhn") -> LiveGame:
    """What the director publishes of a game: nothing of the cards."""
    moves: list[tuple[int | str, str | None]] = [("chance", None), ("chance", None)]
    moves += [(turn % 2, move) for turn, move in enumerate(said)]
    plies = (LivePly(id, ply, who, move, 0, SECOND, ply) for ply, (who, move) in enumerate(moves, start=1))
    return LiveGame(id, rules, ("alice", "bob"), ("5", "5"), tuple(plies), 0)


def cards_of(seeds: GameSeeds) -> str:
    """What chance deals with these seeds."""
    state = games.start("kuhn")
    for ply in (1, 2):
        state = state.play(seeds.outcome(ply, state.chances()))
    return state.position()


def seeds_of(deal: tuple[str, ...]) -> GameSeeds:
    """Seeds with which chance deals these cards."""
    return next(seeds for seeds in map(GameSeeds, (b"%d" % n for n in range(999))) if cards_of(seeds) == "".join(deal))


@pytest.mark.parametrize("deal", DEALS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_sees_its_own_card_and_what_was_said(deal: tuple[str, ...], seat: int) -> None:
    followed = OwnSeatGame(seat, seeds_of(deal))
    followed.take(published(7, "check"))
    followed.take(LivePly(7, 4, 1, "bet", 0, SECOND, 4))
    seen = [card if owner == seat else "?" for owner, card in enumerate(deal)]
    assert followed.texts == [*seen, "check", "bet"]
    assert followed.state is not None
    assert followed.state.position() == f"{''.join(seen)} check bet"
    assert followed.turn == 0, "its clock runs"


def test_from_a_hidden_move_of_a_player_on_there_is_no_position() -> None:
    followed = OwnSeatGame(0, GameSeeds(b"x"))
    followed.take(LiveGame(7, "rps", ("alice", "bob"), ("5", "5"), (LivePly(7, 1, 0, None, 0, SECOND, 1),), 0))
    assert (followed.texts, followed.state) == (["?"], None)


def test_a_game_that_hides_nothing_is_seen_as_by_everyone() -> None:
    followed = OwnSeatGame(1, GameSeeds(b"x"))
    ply = LivePly(7, 1, 0, "a1", 0, SECOND, 1)
    followed.take(LiveGame(7, "tictactoe", ("alice", "bob"), ("5", "5"), (ply,), 0))
    assert followed.texts == ["a1"]
    assert followed.state is not None
    assert followed.state.position() == "x../.../..."


def test_only_the_page_of_an_own_seat_has_a_board(room: ManagedLadder) -> None:
    id = play_cards(room)
    hub = LiveHub(LiveRecord(room.record, Names(accounts=room.accounts).seen_by(MEMBER), "cs101"))
    hub.follow({f"g={id}", f"g={id}/0", f"g={id}/1"})
    hub.tick(0)
    hub.take(published(id, "check"))
    drawn = {change.topic: change.data for change in hub.tick(SECOND)}
    with room.record.reading() as connection:
        seeds = recorded_rules.seeds(record.games(connection, [id])[0])
    assert seeds is not None
    first, second = [*cards_of(seeds)]
    assert HIDDEN in drawn[f"g={id}"]["board"]
    assert HIDDEN not in drawn[f"g={id}/0"]["board"]
    for topic, texts in ((f"g={id}", "??"), (f"g={id}/0", f"{first}?"), (f"g={id}/1", f"?{second}")):
        moves = drawn[topic]["moves"]
        assert ">1–2.<" in moves, topic
        assert re.findall('title="chance"><b>(.)</b>', moves) == [*texts], topic


def test_each_viewer_gets_the_page_of_the_own_seat_or_that_of_everyone(room: ManagedLadder) -> None:
    id = play_cards(room)
    alice, bob = (sign_in(room.accounts, link, now=NOW)[0] for link in room.links[:2])
    dan, _ = sign_in(room.accounts, room.links[3], now=NOW)
    viewers: list[tuple[Account | None, str]] = [(alice, "0"), (bob, "1"), (dan, ""), (room.instructor, "")]
    with pages_in_process(room) as pages:
        for seat in ("", "/0", "/1"):
            parts = dict.fromkeys(("state", "seats", "last", "moves", "board"), f"planted{seat}")
            topic = f"g={id}{seat}"
            pages.site.streams.publish([Change(topic, "parts", parts, event("parts", parts, now=0))])
        for viewer, seat in viewers:
            text = pages.ask(f"/g/{id}", by=viewer).text
            assert ("planted/" in text, f"planted/{seat}" in text) == (seat != "", seat != ""), viewer
            assert "planted" in text
        assert pages.ask(f"/g/{id}").status == 404
        for viewer, _ in viewers:
            assert pages.ask(f"/events?g={id}/0", by=viewer).status == 404
