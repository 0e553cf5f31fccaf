"""A ladder in the database is the one that was described; what may change while it stands can change, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adsearch import form
from arena.errors import BadLeague
from arena.players.submissions import Store
from arena.serve import open_ladders as ladders
from arena.serve.ladder import Ladder, read
from arena.serve.open_ladders import OpenLadder
from db import ladder as record
from db import lookup, running, store
from db.database import Connection, Database
from db.errors import NotFound
from tests.kit.arena_program import arena
from tests.kit.places import COUNTDOWN

NOON = datetime(2099, 11, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SMALL = """
game = "connect4"
[ladder]
closes = "2099-12-20T23:59+00:00"
anchors = { "random" = 0, "minimax:depth=2" = 420.5 }
"""
WHOLE = """
name = "club"
game = "game.py:Countdown"
clock = "40/300+3"
margin = 0.07
seed = 12345678901234567890123456789
openings = "openings.txt"
max_plies = 40
games_at_once = 1
names = "shown"
quarantine = 3
reuse = true
walls = "sandbox"
memory = "512M"
modules = ["numpy"]
[limits]
move = 2.5
[ladder]
opens = "2099-11-01T09:00+00:00"
closes = "2099-12-20T23:59+01:00"
anchors = { "random" = 0.25 }
agents = 2
[ladder.limits]
pause = "90s"
[ladder.final]
format = "knockout"
best_of = 3
[[ladder.tournament]]
name = "friday"
starts = "2099-11-20T18:00+01:00"
format = "swiss"
rounds = 3
openings = 2
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty one."""
    with Database(str(tmp_path / "arena.db")) as database:
        yield database


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    """A transaction, for a whole test."""
    with database.writing() as connection:
        yield connection


def described(folder: Path, text: str = SMALL, *, name: str = "cs101") -> Ladder:
    """The ladder of this description."""
    (folder / "game.py").write_text(COUNTDOWN.read_text("utf-8"), "utf-8")
    (folder / "openings.txt").write_text("1\n2 1\n", "utf-8")
    path = folder / f"{name}.toml"
    path.write_text(text, "utf-8")
    return read(path)


def begun(connection: Connection, ladder: Ladder, *, rules: str | None = None) -> OpenLadder:
    """The ladder, open."""
    ratings = {anchor.name: anchor.rating or 0.0 for anchor in ladder.anchors}
    return ladders.open_ladder(connection, ladder, rules=rules or ladder.league.game, ratings=ratings, now=NOON)


def updated(connection: Connection, folder: Path, text: str) -> OpenLadder:
    """The ladder with another description, read again."""
    ladder = described(folder, text)
    found = ladders.updated(connection, ladder, rules=ladder.league.game, now=NOON)
    assert ladders.opened(connection, found.name) == found
    return found


@pytest.mark.parametrize("text", [SMALL, WHOLE])
def test_what_is_read_from_the_database_is_what_was_described(
    connection: Connection, tmp_path: Path, text: str
) -> None:
    ladder = described(tmp_path, text)
    rules = Store(tmp_path / "store").take_game(ladder.league.game)
    found = begun(connection, ladder, rules=rules)
    for path in tmp_path.glob("*.*"):
        if path.suffix in (".toml", ".py", ".txt"):
            path.unlink()  # nothing is read from the files again
    assert ladders.opened(connection) == found
    assert found.rules == rules
    assert {one.game for one in (found.ladder.league, found.ladder.final)} == {rules}
    assert found.ladder.limits == ladder.limits
    assert found.ladder.final.format == ladder.final.format
    assert found.closes == ladder.closes
    assert found.opens == (ladder.opens or NOON)
    if ladder.league.seed is not None:
        assert found.seed == ladder.league.seed


def test_anchors_are_entered_with_ratings_without_error(connection: Connection, tmp_path: Path) -> None:
    found = begun(connection, described(tmp_path))
    lines = record.standings(connection, found.id)
    assert [(line.name, line.rating, line.error, line.games) for line in lines] == [
        ("minimax:depth=2", 420.5, 0.0, 0),
        ("random", 0.0, 0.0, 0),
    ]
    assert found.anchors == {"random": 0.0, "minimax:depth=2": 420.5} == lookup.anchors(connection, [found.id])
    assert [(row.format, row.status) for row in lookup.tournaments(connection)] == [("ladder", "stopped")]


# The form of adsearch.


def forms(found: OpenLadder) -> set[str | None]:
    """In which the ladder and all its tournaments are played."""
    ladder = found.ladder
    leagues = (ladder.league, ladder.final, *(one.league for one in ladder.tournaments))
    return {league.conditions.adsearch for league in leagues}


def test_a_ladder_keeps_the_form_that_it_was_opened_with_until_its_description_changes_it(
    connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form, "form", lambda: "compiled")
    assert forms(begun(connection, described(tmp_path, WHOLE))) == {"compiled"}
    monkeypatch.setattr(form, "form", lambda: "interpreted")
    assert forms(ladders.opened(connection)) == {"compiled"}
    assert forms(updated(connection, tmp_path, WHOLE)) == {"compiled"}
    assert forms(updated(connection, tmp_path, f'adsearch = "interpreted"\n{WHOLE}')) == {"interpreted"}
    assert forms(updated(connection, tmp_path, WHOLE)) == {"interpreted"}


def test_a_ladder_that_was_opened_before_there_were_two_forms_is_interpreted(
    connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = begun(connection, described(tmp_path))
    settings = json.loads(json.dumps(running.settings(connection, found.id)).replace('"adsearch"', '"unknown"'))
    store.change_settings(connection, found.id, settings)
    monkeypatch.setattr(form, "form", lambda: "compiled")
    assert forms(ladders.opened(connection)) == {"interpreted"}
    assert forms(updated(connection, tmp_path, SMALL)) == {"interpreted"}


def test_a_ladder_does_not_run_without_the_form_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form, "form", lambda: "interpreted")
    described(tmp_path, f'adsearch = "compiled"\n{SMALL}')
    ended = arena("serve", "cs101.toml", cwd=tmp_path)
    assert ended.code == 2
    assert "this installation cannot search compiled" in " ".join(ended.err.split())


# Which ladder is meant.


def test_without_a_name_the_only_ladder_is_meant_or_the_only_one_that_goes_on(
    connection: Connection, tmp_path: Path
) -> None:
    with pytest.raises(NotFound, match="there is no ladder in this database; `arena ladder open"):
        ladders.opened(connection)
    first = begun(connection, described(tmp_path, name="autumn"))
    assert ladders.opened(connection).name == "autumn"
    begun(connection, described(tmp_path, name="winter"))
    with pytest.raises(NotFound, match="expected the name of a ladder, because there are several: 'autumn', 'winter'"):
        ladders.opened(connection)
    with pytest.raises(NotFound, match="no ladder 'wintr'; did you mean 'winter'"):
        ladders.opened(connection, "wintr")
    tournament(connection, first.final)
    with pytest.raises(NotFound):
        ladders.opened(connection)
    row = running.tournament(connection, first.final)
    assert row is not None
    store.set_status(connection, row["id"], "finished", NOON)
    assert ladders.opened(connection).name == "winter"
    assert ladders.opened(connection, "autumn").id == first.id


def test_a_tournament_with_the_name_of_a_ladder_is_refused(connection: Connection, tmp_path: Path) -> None:
    assert not ladders.exists(connection, "cs101")
    tournament(connection, "cs101")
    with pytest.raises(BadLeague, match="'cs101' in this database is not a ladder"):
        ladders.exists(connection, "cs101")
    begun(connection, described(tmp_path, name="cs102"))
    assert ladders.exists(connection, "cs102")


@pytest.mark.parametrize("name", [None, "cs101"])
def test_a_ladder_whose_anchors_still_play_is_being_prepared(
    connection: Connection, tmp_path: Path, name: str | None
) -> None:
    tournament(connection, "cs101 anchors")
    with pytest.raises(NotFound, match=r"'cs101' is being prepared: 0 of 0 games that rate its anchors.*; try again"):
        ladders.opened(connection, name)
    with pytest.raises(NotFound, match="there is no ladder in this database"):
        ladders.opened(connection, "cs102")
    begun(connection, described(tmp_path))
    assert ladders.opened(connection, name).name == "cs101"


def tournament(connection: Connection, name: str) -> None:
    """Another tournament."""
    store.create_tournament(
        connection, name, format="swiss", rules="connect4", clock="1", seed=1, settings={}, now=NOON
    )


def test_a_ladder_is_finished_with_its_final(connection: Connection, tmp_path: Path) -> None:
    found = begun(connection, described(tmp_path))
    tournament(connection, found.final)

    def statuses() -> list[str]:
        return [row.status for row in ladders.with_finals(lookup.tournaments(connection))]

    assert statuses() == ["running", "stopped"]
    store.set_status(connection, lookup.find_tournament(connection, found.final), "finished", NOON)
    store.set_status(connection, found.id, "running", NOON)
    assert statuses() == ["finished", "finished"]


# Changes while it stands.


@pytest.mark.parametrize(
    "added",
    [
        "agents = 3",
        "challenges = 0",
        "opens = 2099-11-02",
        "[ladder.limits]\nper_day = 1",
        '[ladder.final]\nformat = "swiss"\nclock = "60"',
        '[[ladder.tournament]]\nname = "friday"\nstarts = 2099-12-01',
    ],
)
def test_times_limits_and_tournaments_can_change(connection: Connection, tmp_path: Path, added: str) -> None:
    before = begun(connection, described(tmp_path))
    assert updated(connection, tmp_path, SMALL) == before
    after = updated(connection, tmp_path, SMALL + added)
    assert after.ladder != before.ladder
    assert (after.id, after.seed, after.anchors, after.rules) == (before.id, before.seed, before.anchors, before.rules)


def test_a_description_without_its_opening_time_opens_the_ladder_now(connection: Connection, tmp_path: Path) -> None:
    before = begun(connection, described(tmp_path, SMALL + "opens = 2099-11-02"))
    assert before.opens > NOON
    assert updated(connection, tmp_path, SMALL).opens == NOON


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("connect4", "tictactoe", "game: connect4 -> tictactoe"),
        ("[ladder]", "clock = 3\n[ladder]".replace("clock", "[limits]\nmove"), "move: 60 -> 3"),
        ('game = "connect4"', 'game = "connect4"\nclock = "5"', "clock: 10[+]0.1 -> 5"),
        ('game = "connect4"', 'game = "connect4"\nopenings = 1', "openings: 4 -> 1"),
        ('game = "connect4"', 'game = "connect4"\nseed = 1', "seed: "),
        ("420.5", "421", "anchors"),
        ('"random" = 0, ', "", "anchors"),
        ('{ "random" = 0, "minimax:depth=2" = 420.5 }', '["random"]', "anchors"),
    ],
)
def test_what_decides_results_cannot_change(
    connection: Connection, tmp_path: Path, before: str, after: str, words: str
) -> None:
    found = begun(connection, described(tmp_path))
    with pytest.raises(BadLeague, match=f"'cs101' was opened with another description.*{words}"):
        updated(connection, tmp_path, SMALL.replace(before, after))
    assert ladders.opened(connection) == found


def test_changed_rules_of_the_same_name_are_refused(connection: Connection, tmp_path: Path) -> None:
    ladder = described(tmp_path, WHOLE)
    begun(connection, ladder, rules="store/1/game.py:Countdown")
    with pytest.raises(BadLeague, match="game: its rules have changed"):
        ladders.updated(connection, ladder, rules="store/2/game.py:Countdown", now=NOON)


def test_anchors_without_given_ratings_keep_those_of_the_opening(connection: Connection, tmp_path: Path) -> None:
    before = begun(connection, described(tmp_path))
    unrated = SMALL.replace('{ "random" = 0, "minimax:depth=2" = 420.5 }', '["minimax:depth=2", "random"]')
    assert updated(connection, tmp_path, unrated).anchors == before.anchors


def test_closing_stands_until_the_description_gives_another_time(connection: Connection, tmp_path: Path) -> None:
    before = begun(connection, described(tmp_path))
    closed = ladders.close(connection, before, NOON + DAY)
    assert closed.closes == NOON + DAY
    assert ladders.opened(connection) == closed
    assert ladders.close(connection, closed, NOON + 2 * DAY) == closed
    assert updated(connection, tmp_path, SMALL).closes == NOON + DAY
    assert updated(connection, tmp_path, SMALL + "agents = 2").closes == NOON + DAY
    assert updated(connection, tmp_path, SMALL.replace("12-20", "12-21")).closes.day == 21
    assert updated(connection, tmp_path, SMALL).closes == before.closes


def test_a_ladder_closed_twice_early_keeps_the_time_of_its_description(connection: Connection, tmp_path: Path) -> None:
    begun(connection, described(tmp_path))
    ladders.close(connection, ladders.opened(connection), NOON + 2 * DAY)
    ladders.close(connection, ladders.opened(connection), NOON + DAY)
    assert updated(connection, tmp_path, SMALL).closes == NOON + DAY


def test_a_ladder_that_was_closed_early_is_open_again_until_the_time_of_its_description(
    connection: Connection, tmp_path: Path
) -> None:
    before = begun(connection, described(tmp_path))
    closed = ladders.close(connection, before, NOON + DAY)
    assert ladders.is_closed_early(connection, closed)
    assert ladders.reopen(connection, closed, NOON + 2 * DAY) == before
    assert ladders.opened(connection) == before
    assert not ladders.is_closed_early(connection, before)
    assert updated(connection, tmp_path, SMALL) == before


def test_what_an_instructor_has_turned_off_stays_off(connection: Connection, tmp_path: Path) -> None:
    before = begun(connection, described(tmp_path))
    off = ladders.allow_challenges(connection, before, False)
    assert off.no_challenges
    closed = ladders.close(connection, off, NOON + DAY)
    assert ladders.opened(connection) == closed
    assert ladders.reopen(connection, closed, NOON + 2 * DAY) == off
    assert updated(connection, tmp_path, SMALL) == off
    assert ladders.allow_challenges(connection, off, True) == ladders.opened(connection) == before


def test_a_ladder_is_not_opened_again_where_that_is_not_possible(connection: Connection, tmp_path: Path) -> None:
    before = begun(connection, described(tmp_path))
    with pytest.raises(BadLeague, match="the ladder 'cs101' is open until 2099-12-2"):
        ladders.reopen(connection, before, NOON)
    with pytest.raises(BadLeague, match=r"the time to hand in to ladder 'cs101' ended on .* give a later time"):
        ladders.reopen(connection, before, before.closes + DAY)
    closed = ladders.close(connection, before, NOON)
    with pytest.raises(BadLeague, match=r"the time to hand in to ladder 'cs101' ended on .* give a later time"):
        ladders.reopen(connection, closed, before.closes)
    tournament(connection, closed.final)
    with pytest.raises(BadLeague, match="opening again: not possible any more, because the tournament 'cs101 final'"):
        ladders.reopen(connection, closed, NOON + DAY)
    assert ladders.opened(connection) == closed


def test_nothing_is_given_after_the_final_has_begun(connection: Connection, tmp_path: Path) -> None:
    found = ladders.close(connection, begun(connection, described(tmp_path)), NOON)
    tournament(connection, found.final)
    with pytest.raises(BadLeague, match="closes: not possible any more, because the tournament 'cs101 final'"):
        updated(connection, tmp_path, SMALL.replace("12-20", "12-21"))
    with pytest.raises(BadLeague, match="extensions: not possible any more"):
        ladders.extend(connection, found, "alice", NOON + DAY, reason="ill", now=NOON)
    assert updated(connection, tmp_path, SMALL + "agents = 2").ladder.agents == 2


# Extensions.


def test_an_extension_is_a_row_for_one_author(connection: Connection, tmp_path: Path) -> None:
    found = begun(connection, described(tmp_path))
    until = found.closes + DAY
    ladders.extend(connection, found, "alice", until, reason=" ill ", now=NOON)
    assert record.extension(connection, found.id, "alice") == until
    assert record.extension(connection, found.id, "bob") is None


def test_an_extension_that_was_taken_back_does_not_count_after_an_early_close(
    connection: Connection, tmp_path: Path
) -> None:
    found = begun(connection, described(tmp_path))
    ladders.extend(connection, found, "alice", found.closes + DAY, reason="ill", now=NOON)
    ladders.extend(connection, found, "alice", found.closes, reason="well", now=NOON)
    closed = ladders.close(connection, found, NOON + DAY)
    assert record.extensions(connection, found.id)["alice"] < closed.closes


def test_after_the_close_its_time_takes_an_extension_back(connection: Connection, tmp_path: Path) -> None:
    found = ladders.close(connection, begun(connection, described(tmp_path)), NOON)
    ladders.extend(connection, found, "alice", NOON + 3 * DAY, reason="ill", now=NOON)
    ladders.extend(connection, found, "alice", found.closes, reason="well", now=NOON + DAY)
    assert record.extension(connection, found.id, "alice") == found.closes


def test_after_an_early_close_the_time_that_is_shown_takes_an_extension_back(
    connection: Connection, tmp_path: Path
) -> None:
    closes = NOON + timedelta(seconds=17, milliseconds=4)
    found = ladders.close(connection, begun(connection, described(tmp_path)), closes)
    ladders.extend(connection, found, "alice", NOON + 3 * DAY, reason="ill", now=NOON + DAY)
    ladders.extend(connection, found, "alice", NOON, reason="well", now=NOON + DAY)
    assert found.until(record.extension(connection, found.id, "alice")) == closes


def test_where_authors_are_invited_nobody_else_gets_time(connection: Connection, tmp_path: Path) -> None:
    found = begun(connection, described(tmp_path))
    until = found.closes + DAY
    with pytest.raises(BadLeague, match=r"has no author 'alcie'.*; did you mean 'alice'"):
        ladders.extend(connection, found, "alcie", until, reason="ill", now=NOON, invited=["alice"])
    ladders.extend(connection, found, "alice", until, reason="ill", now=NOON, invited=["alice"])
    ladders.extend(connection, found, "ben", until, reason="ill", now=NOON)
    assert ladders.authors(connection, found) == {"alice", "ben"}


@pytest.mark.parametrize(
    ("author", "days", "reason", "words"),
    [
        ("al@ice", 1, "ill", "author: expected a name without '#' and '@'"),
        ("random", 1, "ill", "expected the name of an author, got 'random'"),
        ("alice.second", 1, "ill", "expected the name of an author, got 'alice.second'"),
        ("alice", -1, "ill", "until: expected a time to come, not before the ladder closes"),
        ("alice", 1, "  ", "reason: expected a text"),
    ],
)
def test_an_extension_that_makes_no_sense_is_refused(
    connection: Connection, tmp_path: Path, author: str, days: int, reason: str, words: str
) -> None:
    found = begun(connection, described(tmp_path))
    with pytest.raises(BadLeague, match=words):
        ladders.extend(connection, found, author, found.closes + days * DAY, reason=reason, now=NOON)
