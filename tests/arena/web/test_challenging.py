"""What students see of challenges: with what and against whom, what became of them, and the game itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.serve.challenges import challenge
from arena.serve.opened import OpenLadder
from arena.web.challenging import Challenging, challengers, challenging, recorded
from arena.web.live_record import LiveRecord
from arena.web.pages import live_parts
from arena.web.sight import VISITOR, Names, Role, Viewer
from db import store
from db.database import Database
from db.games import game as recorded_game
from db.ladder import cancel_challenge
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.kit import ladder_record

NOW = ladder_record.OPENED + timedelta(days=20)
VIEWERS = {name: Viewer(Role.STUDENT, author=name, account=1) for name in ("alice", "bob", "carol", "dan")}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(str(tmp_path / "arena.db")) as database:
        yield database


@pytest.fixture
def ladder(database: Database, tmp_path: Path) -> OpenLadder:
    return ladder_record.store_ladder(database, tmp_path)


def of(database: Database, ladder: OpenLadder, author: str = "alice") -> Challenging:
    with database.reading() as connection:
        found = challenging(connection, Names().seen_by(VIEWERS[author]), ladder, author, NOW)
    assert found is not None
    return found


def test_the_own_page_lists_opponents_and_what_became_of_challenges(database: Database, ladder: OpenLadder) -> None:
    found = of(database, ladder)
    assert (found.agents, found.left, found.closed, found.latest) == (["alice"], 10, "", [])
    (_, agents), (_, built_in) = found.opponents
    assert {*agents} == {"bob", "carol", "random", "alphabeta:depth=1"}
    assert "minimax" in built_in
    assert not {*agents} & {*built_in}
    game = challenge(database, ladder, "alice", "alice", "minimax", NOW)
    found = of(database, ladder)
    (one,) = found.latest
    assert (one.game, one.agent, one.opponent, one.status, found.left) == (game, "alice", "minimax", "scheduled", 9)
    assert of(database, ladder, "bob").latest == []
    assert of(database, ladder, "dan").agents == []


def test_challenges_that_are_turned_off_are_on_no_page(database: Database, ladder: OpenLadder) -> None:
    off = replace(ladder, ladder=replace(ladder.ladder, challenges=0))
    names = Names().seen_by(VIEWERS["alice"])
    with database.reading() as connection:
        assert challenging(connection, names, off, "alice", NOW) is None
        assert challengers(connection, names, off, off.id, "bob", NOW) == []


@pytest.mark.parametrize(
    ("viewer", "opponent", "own"),
    [
        (VIEWERS["alice"], "bob", ["alice"]),
        (VIEWERS["alice"], "random", ["alice"]),
        (VIEWERS["alice"], "alice", []),
        (VIEWERS["dan"], "bob", []),
        (VISITOR, "bob", []),
        (Viewer(Role.INSTRUCTOR, account=2), "bob", []),
    ],
)
def test_the_page_of_an_agent_has_a_button_for_each_own_agent(
    database: Database, ladder: OpenLadder, viewer: Viewer, opponent: str, own: list[str]
) -> None:
    names = Names().seen_by(viewer)
    with database.reading() as connection:
        assert challengers(connection, names, ladder, ladder.id, opponent, NOW) == own
        assert challengers(connection, names, ladder, ladder.id + 1, opponent, NOW) == []
        assert challengers(connection, names, ladder, ladder.id, opponent, ladder.closes - timedelta(hours=1)) == []


def test_names_that_are_sent_are_those_of_the_record_or_nobodys(database: Database, ladder: OpenLadder) -> None:
    names = Names().seen_by(VIEWERS["alice"])
    with database.reading() as connection:

        def found(agent: str, opponent: str) -> tuple[str, str]:
            return recorded(connection, names, ladder, "alice", agent, opponent)

        assert found("", "bob") == found("alice", "bob") == ("alice", "bob")
        assert found("bob", "minimax") == ("", "minimax")
        assert found("alice", "zoe") == ("alice", "")


def test_each_author_sees_in_a_challenge_what_the_own_agent_said(database: Database, ladder: OpenLadder) -> None:
    game = challenge(database, ladder, "alice", "alice", "bob", NOW)
    seen = {name: LiveRecord(database, Names().seen_by(viewer), "cs101") for name, viewer in VIEWERS.items()}
    waiting = seen["alice"].game(game)
    assert waiting is not None
    assert (waiting.tournament, waiting.shown.status, waiting.is_over) == ("cs101", "scheduled", False)
    drawn = live_parts.page(waiting.shown, None, of=None).text
    assert "not begun yet" in drawn
    assert "challenge, which counts nowhere" in drawn
    assert 'data-stream="/events?g=' in drawn
    with database.writing() as connection:
        players = recorded_game(connection, game).players
        store.begin(connection, game, NOW)
        seats = tuple(
            SeatRecord(seat, name, 0.5, 0.0, 1, 1, stderr=f"said by {name}") for seat, name in enumerate(players)
        )
        moves = (MoveRecord(1, 0, "a1", text=f"thought by {players[0]}"),)
        store.finish(connection, game, GameRecord(game, "normal", None, "", seats, moves, 0), host=None, now=NOW)
    for name, record in seen.items():
        found = record.whole_game(game)
        assert found is not None
        said = {seat.player: seat.stderr for seat in found.shown.seats}
        assert said == {player: f"said by {player}" if player == name else None for player in players}
        assert record.beside(found) == (None, None)
    assert LiveRecord(database, Names().seen_by(VISITOR), "cs101").game(game) is None
    everything = LiveRecord(database, Names().seen_by(Viewer(Role.INSTRUCTOR, account=2)), "cs101").whole_game(game)
    assert everything is not None
    assert all(seat.stderr for seat in everything.shown.seats)


def test_the_page_of_one_that_was_not_played_says_why(database: Database, ladder: OpenLadder) -> None:
    game = challenge(database, ladder, "alice", "alice", "bob", NOW)
    with database.writing() as connection:
        cancel_challenge(connection, game, "the opponent could not play any more")
    found = LiveRecord(database, Names().seen_by(VIEWERS["alice"]), "cs101").game(game)
    assert found is not None
    drawn = live_parts.page(found.shown, None, of=None).text
    assert "cancelled: it was not played: the opponent could not play any more" in drawn
    (one,) = of(database, ladder).latest
    assert (one.status, one.words) == ("cancelled", "the opponent could not play any more")
