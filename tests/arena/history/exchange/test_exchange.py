"""Export and import: the same games and results come back, and errors have the line."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import BadImport
from arena.history import exchange
from arena.history.exchange import FileFormat
from arena.history.exchange.spreadsheet import joined, parted, points, result
from arena.ratings.points import crosstable, standings
from db import bundles, games, lookup, plain_sql, store
from db.database import Database
from db.errors import DatabaseError
from db.records import MoveRecord, PastGame, PastRuling, PastSeat, instant
from db.scores import scores
from tests.kit import sample_record
from tests.kit.arena_program import arena
from tests.kit.effort import tries
from tests.kit.judged_records import store_tournament
from tests.kit.page_games import past_game

NOW = datetime(2026, 6, 1, tzinfo=UTC)

ANY_GAME = [form for form in FileFormat if form is not FileFormat.SGF]
"""The formats for any game, which contain what ratings need."""

# Any text that a database can hold: no lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAME = TEXT.filter(bool)
TIME = st.none() | st.integers(0, 2**62)
MOMENT = st.none() | st.datetimes(timezones=st.just(UTC)).map(instant)
WORTH = st.none() | st.floats(-1e300, 1e300)


@st.composite
def past_games(draw: st.DrawFn, *, seats: int | None = None) -> PastGame:
    """A random recorded game."""
    count = draw(st.integers(1, 5)) if seats is None else seats
    status = draw(st.sampled_from(("finished", "void")))
    shares = st.sampled_from((0.0, 0.5, 1.0, 1 / 3, 2 / 3, 1e-7)) | st.floats(0, 1)
    moves = draw(st.lists(plies(count), max_size=5))
    return PastGame(
        id=0,
        tournament=draw(st.none() | st.sampled_from(("one", 'the "other"\n'))),
        round=draw(st.none() | st.integers(0, 2**62)),
        number=draw(st.integers(0, 2**62)),
        pair=draw(NAME),
        leg=draw(st.integers(0, 2**40)),
        attempt=draw(st.integers(1, 2**40)),
        game=draw(NAME),
        clock=draw(st.sampled_from(("none", "10+0.1", "move=0.1"))),
        seed=draw(st.integers(0, 2**128)),
        opening=draw(st.none() | NAME),
        status=status,
        verdict="void" if status == "void" else draw(st.sampled_from(("normal", "time", "forfeit"))),
        fault=draw(st.none() | st.integers(0, count - 1)),
        detail=draw(st.none() | NAME),
        plies=len(moves),
        started=draw(MOMENT),
        finished=draw(MOMENT),
        lag=draw(TIME),
        host=draw(st.none() | st.dictionaries(TEXT, TEXT, max_size=2)),
        counts=draw(st.none() | st.booleans()),
        seats=tuple(
            PastSeat(
                seat=seat,
                player=draw(NAME),
                version=draw(st.none() | st.integers(1, 99)),
                current=draw(st.booleans()),
                anchor=draw(WORTH),
                points=None if status == "void" else draw(shares),
                utility=draw(WORTH),
                spent=draw(TIME),
                longest=draw(TIME),
                cpu=draw(TIME),
                memory=draw(TIME),
                stderr=draw(st.none() | TEXT),
            )
            for seat in range(count)
        ),
        moves=tuple(replace(move, ply=number) for number, move in enumerate(moves, 1)),
        rulings=numbered(draw(st.lists(rulings(count), max_size=4))),
    )


def numbered(found: list[PastRuling]) -> tuple[PastRuling, ...]:
    """The rulings with numbers; each "revoke" revokes the ruling before it, if possible."""
    made: list[PastRuling] = []
    for id, ruling in enumerate(found, 7):
        before = made[-1] if made and made[-1].what != "revoke" else None
        if ruling.what != "revoke":
            made.append(replace(ruling, id=id))
        elif before is not None:
            made.append(replace(ruling, id=id, revokes=before.id))
    return tuple(made)


def plies(seats: int) -> st.SearchStrategy[MoveRecord]:
    """A random ply of a game with that number of seats."""
    return st.builds(
        MoveRecord,
        st.just(1),
        st.integers(0, seats - 1) | st.sampled_from(("chance", "opening")),
        TEXT,
        *[TIME] * 6,
        score=WORTH,
        depth=TIME,
        nodes=TIME,
        line=st.none() | TEXT,
        text=st.none() | TEXT,
        marks=st.none()
        | st.dictionaries(st.sampled_from(("e4", "3,4")), st.just("good") | st.floats(-1, 1), min_size=1),
    )


def rulings(seats: int) -> st.SearchStrategy[PastRuling]:
    """A random ruling about such a game."""
    return st.builds(PastRuling, st.just("award"), st.integers(0, seats - 1), TEXT, TEXT) | st.builds(
        PastRuling, st.sampled_from(("void", "again", "revoke")), st.none(), TEXT, TEXT
    )


def written(games: Sequence[PastGame], form: FileFormat) -> str:
    """The text of an export of the games."""
    out = io.StringIO()
    most = max(len(game.seats) for game in games)
    assert exchange.write(games, form, out, most_seats=most) == len(games)
    return out.getvalue()


def unique_names(games: list[PastGame]) -> list[PastGame]:
    """The games, each with a unique pair."""
    return [replace(game, pair=f"{game.pair}{number}") for number, game in enumerate(games)]


def as_far_as(form: FileFormat, game: PastGame) -> PastGame:
    """The game with only the fields of that format."""
    game = replace(game, seats=tuple(replace(seat, seed=None) for seat in game.seats))
    if form is FileFormat.NDJSON:
        return game
    lost: dict[str, Any] = {"cpu": None, "memory": None, "stderr": None}
    game = replace(game, host=None, seats=tuple(replace(seat, **lost) for seat in game.seats))
    game = replace(game, moves=tuple(replace(move, marks=None) for move in game.moves))
    if form is FileFormat.PGN:
        return game
    if any(seat.utility is None for seat in game.seats):
        game = replace(game, seats=tuple(replace(seat, utility=None) for seat in game.seats))
    lost = {"spent": None, "longest": None}
    moves = tuple(MoveRecord(move.ply, move.who, move.move) for move in game.moves)
    seats = tuple(replace(seat, **lost) for seat in game.seats)
    rulings = () if game.ruling is None else (replace(game.ruling, id=0),)
    return replace(game, lag=None, moves=moves, seats=seats, rulings=rulings)


@pytest.mark.costly
@pytest.mark.parametrize("form", ANY_GAME)
@settings(max_examples=tries(25))
@given(data=st.data())
def test_what_was_exported_is_imported_again(form: FileFormat, data: st.DataObject) -> None:
    games = unique_names(data.draw(st.lists(past_games(), min_size=1, max_size=3)))
    assert exchange.read(written(games, form), "file") == [as_far_as(form, game) for game in games]


@pytest.mark.parametrize("move", [" {", "x {[%who 0]}", '"', "", "1. a1 {}"])
def test_a_move_that_looks_like_the_end_of_a_move_is_imported_again(move: str) -> None:
    game = past_game("tictactoe", moves="a1 b1")
    game = replace(game, moves=(replace(game.moves[0], move=move), game.moves[1]))
    (found,) = exchange.read(written([game], FileFormat.PGN), "file")
    assert [one.move for one in found.moves] == [move, "b1"]


@settings(max_examples=tries(100))
@given(st.lists(TEXT))
def test_joined_moves_are_parted_again(texts: list[str]) -> None:
    assert parted(joined(texts)) == texts


@settings(max_examples=tries(100))
@given(st.none() | st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_a_result_is_read_as_it_was_written(shares: list[float] | None) -> None:
    assert points(result(shares)) == shares


# From one database into another.


def whole_record(file: Path) -> list[PastGame]:
    """All finished games of a database, in order."""
    with Database(str(file), create=False) as database, database.reading() as connection:
        return games.games(connection, games.ids(connection, None, every=True), whole=True)


def bring(found: list[PastGame], file: Path) -> None:
    """An import of these games."""
    with Database(str(file)) as database, database.writing() as connection:
        bundles.add_imported(connection, found, NOW)


def tables(file: Path) -> dict[str | None, Any]:
    """The standings and crosstables of every tournament of a database, and of all games."""
    with Database(str(file), create=False) as database, database.reading() as connection:
        named = {row.name: lookup.find_tournament(connection, row.name) for row in lookup.tournaments(connection)}
        counted = {name: scores(connection, id) for name, id in named.items()} | {None: scores(connection)}
    return {name: (standings(came), crosstable(came)) for name, came in counted.items()}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The sample."""
    sample_record.make(tmp_path / "arena.db")
    return tmp_path / "arena.db"


@pytest.mark.parametrize("form", [FileFormat.NDJSON, FileFormat.PGN])
def test_a_record_in_another_database_has_the_same_games_and_standings(form: FileFormat, record: Path) -> None:
    before = whole_record(record)
    other = record.with_name("other.db")
    bring(exchange.read(written(before, form), "file"), other)
    expected = [replace(as_far_as(form, game), id=0, from_outside=True) for game in before]
    found = [replace(game, id=0) for game in whole_record(other)]
    key = lambda game: (game.tournament or "", game.number, game.attempt)  # noqa: E731
    for game, came in zip(sorted(expected, key=key), sorted(found, key=key), strict=True):
        same = [replace(seat, version=None) for seat in game.seats]
        assert [replace(seat, version=None) for seat in came.seats] == same
        assert replace(came, seats=()) == replace(game, seats=())
    assert tables(other) == tables(record)


def test_a_spreadsheet_in_another_database_has_the_same_games_and_results(record: Path) -> None:
    before = whole_record(record)
    other = record.with_name("other.db")
    bring(exchange.read(written(before, FileFormat.CSV), "file"), other)
    told = [(game.tournament, game.number, game.attempt, game.players, game.counted) for game in before]
    key = str
    assert sorted(
        ((game.tournament, game.number, game.attempt, game.players, game.counted) for game in whole_record(other)),
        key=key,
    ) == sorted(told, key=key)


def test_imported_agents_have_versions_without_a_program(record: Path) -> None:
    other = record.with_name("other.db")
    bring(exchange.read(written(whole_record(record), FileFormat.NDJSON), "file"), other)
    with Database(str(other), read_only=True) as database, database.reading() as connection:
        _, rows = plain_sql.answer(
            connection,
            "SELECT agent.name, version.source FROM version JOIN agent ON agent.id = version.agent "
            "WHERE agent.name IN ('ann', 'dan') ORDER BY 1, 2",
        )
        assert list(rows) == [["ann", "imported"], ["dan", "imported"], ["dan", "imported@1"]]


def test_an_import_into_an_existing_tournament_changes_nothing(record: Path) -> None:
    before = whole_record(record)
    with pytest.raises(DatabaseError, match=r"a tournament '\w+' already; .*--tournament"):
        bring(before, record)
    assert whole_record(record) == before


# Plain lists.


def test_a_plain_list_is_a_tournament_called_like_the_file() -> None:
    text = "round,first,second,result\n1,alice,bob,1-0\n1,cleo,dan,1/2-1/2\n\n2,alice,bob,0.25-0.75\n2,dan,cleo,*\n"
    found = exchange.read(text, "some/where/club.csv")
    assert {game.tournament for game in found} == {"club"}
    assert [(game.round, game.number, game.players, game.points, game.status) for game in found] == [
        (1, 1, ["alice", "bob"], [1, 0], "finished"),
        (1, 2, ["cleo", "dan"], [0.5, 0.5], "finished"),
        (2, 3, ["alice", "bob"], [0.25, 0.75], "finished"),
        (2, 4, ["dan", "cleo"], None, "void"),
    ]
    assert len({game.pair for game in found}) == 4


@pytest.mark.parametrize(
    "text",
    [
        "1,alice,bob,1-0\n",
        "\ufeffRound,First,Second,Result\r\n1,alice,bob,1-0\r\n",
        "result,second,first\n1-0,bob,alice",
        'round,first,second,result\n1,"alice","bob", 1-0 \n',
    ],
)
def test_a_plain_list_needs_no_header(text: str) -> None:
    (game,) = exchange.read(text, "list.csv", tournament="club")
    assert (game.tournament, game.players, game.points) == ("club", ["alice", "bob"], [1, 0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected games, got none"),
        ("round,first,second,result\n", "expected games, got none"),
        ("1,alice,bob,1-0\n1,alice,bob,win\n", "line 2: expected a result such as 1-0"),
        ("1,alice,bob,1-0-0\n", "line 1: expected the points of 2 players"),
        ("1,alice,bob,2-0\n", "line 1: expected points from 0 to 1"),
        ("1,alice,bob,nan-0\n", "line 1: expected points from 0 to 1"),
        ("one,alice,bob,1-0\n", "line 1: round: expected a whole number, got 'one'"),
        ("1,alice,bob\n", "line 1: expected a header line with the names of the columns"),
        ("1,,bob,1-0\n", "line 1: expected a player"),
        ("first,second,reslt\na,b,1-0\n", "line 1: unknown column 'reslt'; did you mean 'result'"),
        ("first,second\na,b\n", "line 1: expected a column 'result'"),
        ("first,second,result,result\na,b,1-0,1-0\n", "line 1: expected each column once"),
        ("first,second,result\na,b,1-0,5\n", "line 2: expected 3 cells"),
        ('first,second,result\n"a,b,1-0\n', "expected CSV"),
        ("first,second,result,moves\na,b,1-0,x y\n", "line 2: expected as many moves as movers"),
        ("first,second,result,moves,movers\na,b,1-0,x,7\n", "line 2: ply 1: expected a seat from 0 to 1"),
        ("first,second,result,seed\na,b,1-0,-1\n", "line 2: seed: expected a whole number"),
        ("first,second,result,clock\na,b,1-0,fast\n", "line 2: expected a clock such as"),
        ("first,second,result,verdict\na,b,1-0,won\n", "line 2: expected a verdict"),
        ("first,second,result,status\na,b,1-0,playing\n", "line 2: expected a game that is finished or void"),
        *(
            (
                f"first,second,result,{column}\na,b,1-0,{moment}\n",
                f"line 2: {column}: expected a time with a time zone, such as 2026-05-01T18:30:00Z, got '{moment}",
            )
            for column in ("started", "finished")
            for moment in ("x", "9999-99-99T", "2026-05-01", "2026-05-01T18:30:00", "9999-12-31T23:00:00-05:00")
        ),
        ("first,second,result,pair\na,b,1-0,p\na,b,1-0,p\n", "line 3: the same game as in line 2"),
        ('{"number": 1}\n', "line 1: expected a game as JSON: Object missing required field `pair`"),
        ("{}x\n", "line 1: expected a game as JSON"),
        ('{"number": "1", "pair": "p", "game": "g", "seats": []}\n', r"line 1: .*Expected `int`, got `str`"),
        ('{"number": 1, "pair": "p", "game": "g", "seats": [], "verdict": "normal"}\n', "line 1: expected players"),
        ("[Event \n", r"line 1: expected a tag such as \[First"),
        ('[First "a"]\n[First "b"]\n', "line 2: expected each tag once, got First twice"),
        ('[Game "g"]\n[Pair "p"]\n\n1-0\n', "line 4: expected a move such as"),
        ('[Game "g"]\n[Pair "p"]\n[Result "*"]\n\n*\n', "line 1: expected players"),
        ('[Game "g"]\n[Pair "p"]\n[First "a"]\n1. d1 {[%who 0] [%emt soon]}\n', "line 4: expected seconds, got 'soon'"),
        *(
            (
                f'[Game "g"]\n[Pair "p"]\n[First "a"]\n1. d1 {{[%who 0] [%emt {seconds}]}}\n',
                "line 4: expected seconds, got",
            )
            for seconds in ("9e999999999999999999", "1e999999", "-1e999999", "1e99999999999999999999", "inf", "nan")
        ),
        ('[Game "g"]\n[Pair "p"]\n[First "a"]\n[Spent "1e999999"]\n', "line 1: expected seconds, got '1e999999'"),
        *(
            (f'[Game "g"]\n[Pair "p"]\n[First "a"]\n[Ruling "{ruling}"]\n', f"line 4: {words}")
            for ruling, words in (
                ("[" * 100_000, r"expected a ruling \[what"),
                ("[" * 800 + "]" * 800, r"expected a ruling \[what"),
                (rf"[\"void\", {'[' * 800 + ']' * 800}, \"\", \"\"]", "expected a ruling about a seat"),
            )
        ),
        *(
            (
                f'{{"number": 1, "pair": "p", "game": "g", "seats": [{{"seat": 0, "player": "a", "points": 1}}], '
                f'"verdict": "normal", "plies": 0, "host": {{"z": {"[" * depth + "]" * depth}}}}}\n',
                words,
            )
            for depth, words in (
                (20, "line 1: host: expected values nested at most 20 deep"),
                (800, "line 1: host: expected values nested at most 20 deep"),
                (100_000, "line 1: expected a game as JSON: its values are nested too deeply"),
            )
        ),
        ('[Game "g"]\n[Pair "p"]\n[First "a"]\n1. d1 {quickly}\n', "line 4: expected comments"),
        ('[Game "g"]\n[Pair "p"]\n[First "a"]\n1. d1\n', "line 4: expected who moved"),
        ('[Game "g"]\n[Pair "p"]\n[First "a"]\n[Seed "x"]\n', "Seed: expected a whole number"),
    ],
)
def test_errors_in_a_file_have_its_line(text: str, words: str) -> None:
    with pytest.raises(BadImport, match=words) as error:
        exchange.read(text, "file")
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("file")


def test_times_of_other_zones_are_stored_in_utc() -> None:
    row = "first,second,result,started,finished\na,b,1-0,2026-05-01T01:00+02:00,2026-04-30T23:30:00.5Z\n"
    (game,) = exchange.read(row, "list.csv")
    assert (game.started, game.finished) == ("2026-04-30T23:00:00.000Z", "2026-04-30T23:30:00.500Z")


@pytest.mark.costly
@settings(max_examples=tries(40))
@given(data=st.data())
def test_a_damaged_file_is_refused_or_read_but_nothing_else_happens(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(ANY_GAME))
    text = written([data.draw(past_games())], form)
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(TEXT) + text[at + data.draw(st.integers(0, 5)) :]
    try:
        exchange.read(damaged, "file")
    except BadImport as error:
        assert str(error).startswith("file")  # noqa: PT017


def test_an_import_ignores_ids_and_rounded_durations() -> None:
    move = MoveRecord(1, 0, "5", spent=1_000_000, cpu=7, delay=8, lag=9)
    seats = tuple(PastSeat(seat=seat, player=player, points=0.5) for seat, player in enumerate(("ann", "bob")))
    game = PastGame(
        id=3, number=1, pair="p", game="tictactoe", verdict="normal", plies=1, lag=10, seats=seats, moves=(move,)
    )
    document = json.loads(written([game], FileFormat.NDJSON))
    document |= {"id": "game-x", "lag": 1.5}
    document["moves"][0] |= {"lag": 1.5, "cpu": 2**70, "delay": "long"}
    (found,) = exchange.read(json.dumps(document), "games.ndjson")
    assert found == replace(game, id=0)
    for name in ("cpu", "delay", "lag"):
        del document["moves"][0][f"{name}_ns"]
        document["moves"][0][name] = 5
    (found,) = exchange.read(json.dumps(document), "games.ndjson")
    assert found.moves == (replace(move, cpu=None, delay=None, lag=None),)


@pytest.mark.parametrize("form", ANY_GAME)
def test_ratings_are_the_same_from_a_file(form: FileFormat, tmp_path: Path) -> None:
    """With anchors, replaced submissions and revoked rulings, which all change ratings."""
    record = tmp_path / "course.db"
    with Database(str(record)) as database:
        id = store_tournament(database, "tictactoe", names=("ann", "bob", "cid", "dan"), openings=0)
    with Database(str(record)) as database, database.writing() as connection:
        store.change_settings(connection, id, {"agents": [{"name": "bob", "anchor": 1500.0}, {"name": "ann"}]})
        store.enter(connection, id, "dan", store.version(connection, "dan", "minimax", "minimax", NOW))
        first, second, *_ = games.ids(connection, id)
        wrong = store.rule_on_game(connection, first, "void", "the wrong game", NOW)
        store.revoke(connection, wrong, "of another tournament", NOW)
        store.rule_on_game(connection, second, "void", '=cmd|"/C calc"!A0', NOW)
    other = record.with_name("other.db")
    with Database(str(record), create=False) as database, database.reading() as connection:
        found = games.games(connection, games.ids(connection, id), whole=True)
    bring(exchange.read(written(found, form), "file"), other)

    def rated(file: Path) -> Any:
        return json.loads(arena("results", "rank", "cs101", "--format", "json", "--db", str(file)).out)

    assert rated(other) == rated(record)
    assert {player["name"]: player["games"] for player in rated(other)["players"]} == {"ann": 3, "bob": 3, "cid": 4}
    assert [player["rating"] for player in rated(other)["players"] if player["name"] == "bob"] == [1500.0]
    assert arena("data", "verify", "--db", str(other)).code == 0


@pytest.mark.parametrize("form", ANY_GAME)
def test_an_export_has_versions_counts_and_anchors(form: FileFormat) -> None:
    seats = tuple(
        PastSeat(seat=seat, player=player, version=3 - seat, current=not seat, anchor=anchor, points=0.5, utility=0.0)
        for seat, (player, anchor) in enumerate((("ann", None), ("@bob\x1b[31m", 0.0)))
    )
    game = PastGame(id=3, tournament="cs101", number=1, pair="p", game="tictactoe", verdict="normal", counts=False)
    text = written([replace(game, plies=0, seats=seats)], form)
    assert "\x1b" not in text
    assert {
        FileFormat.CSV: ",'@bob\\x1b[31m,1/2-1/2,0,0.0 0.0,3 2,- 1,- 0.0,",
        FileFormat.PGN: '[Versions "3 2"]\n[Outdated "- 1"]\n[Anchors "- 0.0"]\n[Counts "0"]\n',
        FileFormat.NDJSON: '"counts": false',
    }[form] in text
    (found,) = exchange.read(text, "file")
    assert found.seats == seats
    assert found.counts is False
