"""Who may see what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from arena.course import roster
from arena.course.aliases import ShownNames
from arena.history import words
from arena.web.permissions import MEMBER, VISITOR, Names, Role, Viewer, What, may, sees_board, shown_game
from db import store
from db.database import Connection, Database
from db.errors import NotFound
from db.records import MoveRecord, PastGame, PastRuling, PastSeat
from tests.kit import sample_record

NAMES = ShownNames({"ann": "Blue", "bob": "Red", "ann.second": "Green"}, ("ann", "bob"))
GAME = PastGame(
    id=1,
    number=1,
    pair="ann bob",
    game="tictactoe",
    verdict="crashed",
    fault=0,
    detail="secret detail",
    seats=(
        PastSeat(seat=0, player="ann", stderr="secret of ann"),
        PastSeat(seat=1, player="bob", stderr="secret of bob"),
    ),
    moves=(
        MoveRecord(1, 0, "a1", score=0.5, line="secret of ann", text="secret of ann", marks={"secret of ann": "good"}),
        MoveRecord(2, 1, "b2", score=0.5, line="secret of bob", text="secret of bob", marks={"secret of bob": 0.5}),
    ),
    rulings=(PastRuling("award", 1, "secret reason", ""),),
)
ANN = Viewer(Role.STUDENT, 1, "ann")
OTHER = Viewer(Role.STUDENT, 2, "carl")
INSTRUCTOR = Viewer(Role.INSTRUCTOR, 3)
PUBLIC = {What.RESULTS, What.MOVES, What.OPEN_BOARD, What.WAITING}
OWN = {What.HIDDEN_BOARD, What.SAID, What.CHECK, What.SOURCE}


@pytest.mark.parametrize("what", What)
def test_the_table_of_who_may_what(what: What) -> None:
    """The table of docs/ladder.md, row by row."""
    assert not may(VISITOR, what)
    assert may(VISITOR, what, public=True) is (what in PUBLIC)
    assert may(VISITOR, what, public=True, own=True) is (what in PUBLIC)
    assert may(ANN, what) is (what in PUBLIC | {What.PLAY})
    assert may(ANN, what, own=True) is (what in PUBLIC | OWN | {What.PLAY})
    assert may(INSTRUCTOR, what) is (what is not What.HIDDEN_BOARD)


def test_an_agent_is_its_authors_own_and_nobody_elses() -> None:
    assert ANN.owns("ann")
    assert ANN.owns("ann.second")
    assert not ANN.owns("anna")
    assert not VISITOR.owns("")
    assert not INSTRUCTOR.owns("ann")


def test_the_board_of_a_game_in_progress_is_seen_unless_it_hides_something() -> None:
    assert sees_board(VISITOR, hides=False, public=True)
    for viewer in (VISITOR, ANN, INSTRUCTOR):
        assert not sees_board(viewer, hides=True, public=True)


@pytest.mark.parametrize(
    ("viewer", "seen"),
    [(VISITOR, ()), (OTHER, ()), (ANN, ("of ann", "detail")), (INSTRUCTOR, ("of ann", "of bob", "detail", "reason"))],
)
def test_a_game_has_moves_public_names_and_of_what_was_said_only_what_the_viewer_may_see(
    viewer: Viewer, seen: tuple[str, ...]
) -> None:
    shown = shown_game(viewer, GAME, NAMES, "cup")
    assert [move.move for move in shown.moves] == ["a1", "b2"]
    assert shown.players == ["Blue", "Red"]
    assert shown.tournament == "cup"
    for word in ("of ann", "of bob", "detail", "reason"):
        assert (f"secret {word}" in repr(shown)) is (word in seen), word


def test_that_a_person_had_a_hint_is_seen_by_all() -> None:
    helped = PastRuling("void", None, "human got a hint", "")
    shown = shown_game(VISITOR, replace(GAME, rulings=(helped,)), NAMES, "cup")
    assert [words.ruled(one, shown.players) for one in shown.rulings] == ["with a hint, not rated"]


@pytest.mark.parametrize("status", ["scheduled", "playing", "cancelled"])
def test_a_game_that_is_not_over_has_no_moves(status: str) -> None:
    assert shown_game(INSTRUCTOR, replace(GAME, status=status), NAMES, "cup").moves == ()


# The public names of agents: aliases with a roster, and never a name that nobody has cleared.


NOW = datetime(2026, 5, 1, tzinfo=UTC)
FILE = "f" * 64
ROSTER = "id,name,group,alias\n17,ann,A,Blue\n18,bob,A,Red\n19,cleo,B,\n20,Dan Rand,B,Green\n"


@pytest.fixture
def connection(where: str) -> Iterator[Connection]:
    with Database(where) as database, database.writing() as connection:
        yield connection


def names_with_roster() -> Names:
    return Names(roster.read(ROSTER, "roster.csv"))


def add(connection: Connection, *names: str, source: str = FILE) -> None:
    for name in names:
        store.version(connection, name, source, "agent.py", NOW)


def test_without_a_roster_agents_have_their_own_names_without_control_characters(connection: Connection) -> None:
    add(connection, "ann", sample_record.HOSTILE)
    shown = Names().read(connection).shown
    assert shown["ann"] == "ann"
    assert shown[sample_record.HOSTILE].isprintable()


def test_with_a_roster_agents_have_aliases_and_others_are_numbered(connection: Connection) -> None:
    add(connection, "ann", "zoe", "bob", "cleo")
    add(connection, "random", source="random")
    shown = names_with_roster().read(connection).shown
    assert (shown["ann"], shown["bob"], shown["random"]) == ("Blue", "Red", "random")
    assert (shown["zoe"], shown["cleo"]) == ("agent 2", "agent 4")
    assert shown["ann@2"] == "an agent", "a name that is not recorded could be a student's"


def test_of_two_agents_with_one_alias_the_first_that_was_recorded_has_it(connection: Connection) -> None:
    add(connection, "bob", "Red", "18")
    names = names_with_roster()
    assert [*names.read(connection).shown.values()] == ["Red", "agent 2", "agent 3"]
    add(connection, "ann")
    assert [*names.read(connection).shown.values()] == ["Red", "Blue", "agent 2", "agent 3"]


def test_an_engine_whose_name_would_reveal_a_student_is_numbered(connection: Connection) -> None:
    add(connection, "random of Dan Rand", source="random")
    assert [*names_with_roster().read(connection).shown.values()] == ["agent 1"]


def test_a_built_in_agent_is_not_ready_made_any_more_when_a_file_plays_under_its_name(connection: Connection) -> None:
    names = names_with_roster()
    add(connection, "zoe", source="random")
    assert names.read(connection).shown["zoe"] == "zoe"
    add(connection, "zoe")
    assert names.read(connection).shown["zoe"] == "agent 1"


def test_the_names_of_tournaments_are_redacted_and_lead_back(connection: Connection) -> None:
    book = sample_record.Book(connection)
    ids = {name: book.tournament(name, "tictactoe") for name in ("cs101", "for ann", "for bob", "a\x1bb")}
    names = names_with_roster()
    titles = names.titles(connection)
    seen = names.seen_by(MEMBER)
    assert titles == dict(zip(ids.values(), ["cs101", "for …", "for … (2)", titles[ids["a\x1bb"]]], strict=True))
    assert titles[ids["a\x1bb"]].isprintable()
    for id, title in titles.items():
        assert seen.find_tournament(connection, title) == id
    with pytest.raises(NotFound) as refused:
        seen.find_tournament(connection, "for ann")
    assert "bob" not in str(refused.value)


def test_where_a_date_is_missing_the_newest_tournaments_are_named_that_the_viewer_may_see(
    connection: Connection,
) -> None:
    book = sample_record.Book(connection)
    ids = {name: book.tournament(name, "tictactoe") for name in ("lab-1", "lab-2", "lab-3", "lab-4", "lab-5", "labs")}
    store.change_settings(connection, ids["lab-2"], {"public": True})
    for viewer, named in ((MEMBER, "lab-3 or lab-4 or lab-5"), (VISITOR, "lab-2")):
        with pytest.raises(NotFound, match=f"Did you mean {named}[?]$"):
            Names().seen_by(viewer).find_tournament(connection, "lab")


def test_a_tournament_that_is_not_public_does_not_exist_for_visitors(connection: Connection) -> None:
    book, names = sample_record.Book(connection), Names()
    ids = {name: book.tournament(name, "tictactoe") for name in ("open", "closed")}
    store.change_settings(connection, ids["open"], {"public": True})
    store.change_settings(connection, ids["closed"], {"public": False})
    assert names.seen_by(VISITOR).titles(connection) == {ids["open"]: "open"}
    with pytest.raises(NotFound):
        names.seen_by(VISITOR).find_tournament(connection, "closed")
    assert names.seen_by(MEMBER).find_tournament(connection, "closed") == ids["closed"]


def test_standings_are_kept_until_something_has_changed(connection: Connection) -> None:
    book, names = sample_record.Book(connection), Names(clock=lambda: 0.0)
    cup = book.tournament("cup", "tictactoe")
    book.enter(cup, "ann", "bob")
    shown = names.read(connection).shown
    before = names.standings(connection, cup, shown)
    assert names.standings(connection, cup, shown) is before
    game = book.play(cup, "tictactoe", ("ann", "bob"), moves=sample_record.X_WINS)
    played = names.standings(connection, cup, shown)
    assert played.results.players["ann"].points == 1.0
    store.rule_on_game(connection, game, "award", "x", NOW, seat=1)
    assert names.standings(connection, cup, shown).results.players["ann"].points == 0.0
    store.rule_on_entry(connection, cup, "bob", "withdraw", "x", NOW)
    assert names.standings(connection, cup, shown).statuses["bob"] == "withdrawn"


def test_standings_that_took_long_are_not_computed_again_at_once(connection: Connection) -> None:
    times = iter((0.0, 2.0, 41.9, 42.0, 44.0))
    book, names = sample_record.Book(connection), Names(clock=lambda: next(times))
    cup = book.tournament("cup", "tictactoe")
    book.enter(cup, "ann", "bob")
    shown = names.read(connection).shown
    before = names.standings(connection, cup, shown)
    book.play(cup, "tictactoe", ("ann", "bob"), moves=sample_record.X_WINS)
    assert names.standings(connection, cup, shown) is before
    assert names.standings(connection, cup, shown).results.players["ann"].points == 1.0
