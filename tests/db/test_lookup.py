"""Queries about recorded games agree with the views, and with what was recorded."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from db import games, lookup, plain_sql, scores, search
from db.database import Database
from db.errors import NotFound
from db.records import PastGame
from db.search import GameFilter
from tests.kit import sample_record
from tests.kit.postgres_server import Server


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, int]]:
    """Where the sample is, and its special games."""
    if request.param == "sqlite":
        where = str(tmp_path_factory.mktemp("record") / "arena.db")
    else:
        server: Server = request.getfixturevalue("postgres")
        where = server.new_database()
    return where, sample_record.make(where)


@pytest.fixture(scope="module")
def special(made: tuple[str, dict[str, int]]) -> dict[str, int]:
    """The sample's special games."""
    return made[1]


@pytest.fixture(scope="module")
def connection(made: tuple[str, dict[str, int]]) -> Iterator[Connection]:
    """Open for reading."""
    with Database(made[0], create=False) as database, database.reading() as opened:
        yield opened


@pytest.fixture(scope="module")
def everything(connection: Connection) -> list[PastGame]:
    """All games, whole, by id."""
    ids = connection.exec_driver_sql("SELECT id FROM game ORDER BY id").scalars().all()
    return games.games(connection, ids, whole=True)


def viewed(connection: Connection, query: str) -> list[Any]:
    return [tuple(row) for row in connection.exec_driver_sql(query)]


# Results.


@pytest.mark.parametrize("tournament", ["cs101", "evening"])
def test_the_scores_of_a_tournament_are_those_of_the_views(connection: Connection, tournament: str) -> None:
    counted = scores.scores(connection, lookup.find_tournament(connection, tournament))
    standing = "SELECT name, games, wins, draws, losses, points FROM v_standing WHERE tournament = "
    assert sorted(
        (name, one.games, one.wins, one.draws, one.losses, one.points) for name, one in counted.players.items()
    ) == sorted(viewed(connection, f"{standing} '{tournament}'"))
    meetings = f"SELECT name, opponent, games, points FROM v_head_to_head WHERE tournament = '{tournament}'"
    assert sorted((*pair, met.games, met.points) for pair, met in counted.head_to_head.items()) == sorted(
        viewed(connection, meetings)
    )


def test_the_scores_of_all_games_are_the_sum_of_tournaments_and_other_games(connection: Connection) -> None:
    counted = scores.scores(connection)
    standing = "SELECT name, SUM(games), SUM(wins), SUM(points) FROM v_standing GROUP BY name"
    assert sorted((name, one.games, one.wins, one.points) for name, one in counted.players.items()) == sorted(
        viewed(connection, standing)
    )
    meetings = "SELECT name, opponent, SUM(games), SUM(points) FROM v_head_to_head GROUP BY name, opponent"
    assert sorted((*pair, met.games, met.points) for pair, met in counted.head_to_head.items()) == sorted(
        viewed(connection, meetings)
    )
    assert counted.players["ann"].games == 7 + 3 + 1


def test_faults_are_counted_by_verdict_and_resigning_is_not_one(connection: Connection) -> None:
    counted = scores.scores(connection, lookup.find_tournament(connection, "cs101"))
    faults = {name: score.faults for name, score in counted.players.items() if score.faults}
    assert faults == {"cleo": {"time": 1}, "dan": {"forfeit": 1}}
    assert scores.scores(connection).players["bob"].faults == {"time": 1, "crashed": 1}


def test_a_game_with_one_player_counts_for_that_player_only(tmp_path: Path) -> None:
    with Database(str(tmp_path / "a.db")) as database, database.writing() as connection:
        book = sample_record.Book(connection)
        maze = book.tournament("alone", "maze")
        book.enter(maze, "ann")
        game = book.plan(maze, "maze", ("ann",))
        book.finish(game, "maze", ("ann",), moves="", verdict="time", fault=0)
        counted = scores.scores(connection, maze)
        assert counted.head_to_head == {}
        assert (counted.players["ann"].games, counted.players["ann"].losses) == (1, 1)
        assert counted.players["ann"].faults == {"time": 1}


# Games.


def test_a_game_is_read_as_it_was_written(everything: list[PastGame], special: dict[str, int]) -> None:
    game = next(game for game in everything if game.id == special["win"])
    assert (game.tournament, game.number, game.players, game.opening) == ("cs101", 1, ["ann", "bob"], "a1 b1")
    assert game.seed == 2**100
    assert game.points == game.counted == [1.0, 0.0]
    record = sample_record.played(game.id, "tictactoe", ("ann", "bob"), moves=sample_record.X_WINS, opening=2)
    assert game.moves == record.moves
    assert [(seat.spent, seat.longest, seat.cpu, seat.memory) for seat in game.seats] == [
        (seat.spent, seat.longest, seat.cpu, seat.memory) for seat in record.seats
    ]
    assert game.host == {"python": "3.11", "cpu": "any"}


@pytest.mark.parametrize(
    ("which", "played", "counted"),
    [
        ("annulled", [1.0, 0.0], None),
        ("awarded", [1.0, 0.0], [0.0, 1.0]),
        ("rescued", None, [1.0, 0.0]),
        ("void", None, None),
        ("forfeit", [1.0, 0.0], [1.0, 0.0]),
        ("scheduled", None, None),
    ],
)
def test_rulings_change_the_points_that_count_but_not_the_recorded_points(
    everything: list[PastGame],
    special: dict[str, int],
    which: str,
    played: list[float] | None,
    counted: list[float] | None,
) -> None:
    game = next(game for game in everything if game.id == special[which])
    assert (game.points, game.counted) == (played, counted)


def test_all_rulings_are_kept_and_the_last_one_is_in_force(everything: list[PastGame], special: dict[str, int]) -> None:
    game = next(game for game in everything if game.id == special["annulled"])
    assert [ruling.what for ruling in game.rulings] == ["award", "void"]
    assert game.ruling is not None
    assert (game.ruling.what, game.ruling.reason) == ("void", "the machine was busy")


def test_points_that_count_are_those_of_the_views(connection: Connection, everything: list[PastGame]) -> None:
    points: dict[int, list[Any]] = {}
    for game, share in viewed(connection, "SELECT game, points FROM v_seat ORDER BY game, seat"):
        points.setdefault(game, []).append(share)
    for game in everything:
        counted: list[Any] = game.counted or [None] * len(game.seats)
        assert points[game.id] == counted, game.id


# The history.


def who(game: PastGame) -> dict[str, int]:
    return {seat.player: seat.seat for seat in game.seats}


def loses_by_a_fault(game: PastGame) -> bool:
    return game.fault is not None and game.verdict != "resigned"


def anything(_: PastGame) -> bool:
    return True


def nothing(_: PastGame) -> bool:
    return False


QUESTIONS: list[tuple[GameFilter, Callable[[PastGame], bool]]] = [
    (GameFilter(), anything),
    (GameFilter(agent="ann"), lambda game: "ann" in who(game)),
    (GameFilter(agent=sample_record.HOSTILE), lambda game: sample_record.HOSTILE in who(game)),
    (GameFilter(agent="ann", seat=1), lambda game: who(game).get("ann") == 1),
    (GameFilter(agent="ann", opponent="bob"), lambda game: {"ann", "bob"} <= set(who(game))),
    (
        GameFilter(agent="bob", result="win"),
        lambda game: "bob" in who(game) and game.counted is not None and game.counted[who(game)["bob"]] == 1,
    ),
    (
        GameFilter(agent="ann", result="draw"),
        lambda game: "ann" in who(game) and game.counted is not None and 0 < game.counted[who(game)["ann"]] < 1,
    ),
    (
        GameFilter(agent="ann", opponent="bob", result="loss"),
        lambda game: (
            {"ann", "bob"} <= set(who(game)) and game.counted is not None and game.counted[who(game)["ann"]] == 0
        ),
    ),
    (GameFilter(game="tictactoe"), lambda game: game.game == "tictactoe"),
    (GameFilter(game="ludo"), lambda game: game.game == "ludo:players=3"),
    (GameFilter(game="ludo:players=3"), lambda game: game.game == "ludo:players=3"),
    (GameFilter(game="lud"), nothing),
    (GameFilter(tournament="evening"), lambda game: game.tournament == "evening"),
    (GameFilter(verdict="normal"), lambda game: game.verdict == "normal"),
    (GameFilter(verdict="time"), lambda game: game.verdict == "time"),
    (GameFilter(fault="any"), loses_by_a_fault),
    (GameFilter(fault="bob"), lambda game: loses_by_a_fault(game) and who(game).get("bob") == game.fault),
    (GameFilter(fault="ann"), nothing),
    (GameFilter(opening="a1"), lambda game: (game.opening or "").startswith("a1")),
    (GameFilter(opening=" a1  b1 "), lambda game: game.opening == "a1 b1"),
    (GameFilter(opening="a"), nothing),
    (GameFilter(since="2026-05-01T12:10:00.000Z"), lambda game: (game.finished or "") >= "2026-05-01T12:10:00.000Z"),
    (GameFilter(until="2026-05-01T12:10:00.000Z"), lambda game: (game.finished or "z") < "2026-05-01T12:10:00.000Z"),
    (GameFilter(min_plies=5), lambda game: game.plies is not None and game.plies >= 5),
    (GameFilter(max_plies=2, verdict="time"), lambda game: game.verdict == "time" and (game.plies or 0) <= 2),
    (GameFilter(statuses=()), anything),
    (GameFilter(statuses=("scheduled",)), lambda game: game.status == "scheduled"),
    (GameFilter(statuses=("void",), agent="cleo"), lambda game: game.status_shown == "void" and "cleo" in who(game)),
    (GameFilter(statuses=("finished",)), lambda game: game.status_shown == "finished"),
]


@pytest.mark.parametrize(("wanted", "fits"), QUESTIONS, ids=[str(number) for number in range(len(QUESTIONS))])
def test_the_history_is_exactly_the_games_that_fit(
    connection: Connection, everything: list[PastGame], wanted: GameFilter, fits: Callable[[PastGame], bool]
) -> None:
    statuses = wanted.statuses or ("scheduled", "playing", "finished", "void", "cancelled")
    expected = {game.id for game in everything if game.status_shown in statuses and fits(game)}
    assert {game.id for game in search.page(connection, wanted, limit=1000)} == expected
    assert search.count(connection, wanted, most=1000) == len(expected)


def test_the_history_starts_with_the_newest_game_and_has_at_most_limit_games(connection: Connection) -> None:
    whole = search.page(connection, GameFilter(), limit=1000)
    moments = [game.finished for game in whole]
    assert moments == sorted(moments, key=lambda moment: moment or "", reverse=True)
    assert search.page(connection, GameFilter(), limit=3) == whole[:3]


def test_counting_stops_at_one_more_than_most(connection: Connection) -> None:
    assert search.count(connection, GameFilter(), most=3) == 4
    assert search.count(connection, GameFilter(), most=0) == 1


@pytest.mark.parametrize("options", ["", ":rows=5"])
def test_user_supplied_rules_are_found_by_their_file_name_in_any_folder(tmp_path: Path, options: str) -> None:
    sample_record.make(tmp_path / "arena.db")
    kept = f"/home/ann/arena.store/0a/mine.py:Mine{options}"
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        connection.exec_driver_sql("UPDATE game SET rules = ? WHERE id = 1", (kept,))
        assert kept in search.rules_on_record(connection)
        for name in ("mine.py", "mine.py:Mine", "games/mine.py:Mine", f"mine.py:Mine{options}", kept):
            assert [game.id for game in search.page(connection, GameFilter(game=name), limit=9)] == [1], name
        for name in ("ine.py", "mine.py:Min", "mine", "Mine", "mine.py:Mine:rows=6", "mine_py:Mine"):
            assert search.page(connection, GameFilter(game=name), limit=9) == [], name


def test_a_game_against_two_opponents_of_that_name_is_listed_once(connection: Connection) -> None:
    ids = [
        game.id for game in search.page(connection, GameFilter(agent="ann", opponent=sample_record.HOSTILE), limit=99)
    ]
    assert len(ids) == len(set(ids)) == 3


def test_an_unknown_name_is_not_found_and_a_similar_one_is_suggested(connection: Connection) -> None:
    with pytest.raises(NotFound, match="no player called 'anne' has played; did you mean 'ann'"):
        search.page(connection, GameFilter(agent="anne"), limit=1)
    with pytest.raises(NotFound, match="no tournament 'cs102'; did you mean 'cs101'"):
        search.page(connection, GameFilter(tournament="cs102"), limit=1)
    with pytest.raises(NotFound, match="no tournament 'nothing'; `arena results tournaments` lists all tournaments"):
        search.page(connection, GameFilter(tournament="nothing"), limit=1)


@pytest.mark.parametrize(
    "wanted", [GameFilter(), GameFilter(verdict="time"), GameFilter(fault="any")], ids=["all", "by verdict", "by fault"]
)
def test_a_page_is_found_with_an_index_and_not_with_a_full_scan(
    tmp_path: Path, wanted: GameFilter, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.db"
    sample_record.make(file)
    asked: list[tuple[str, Any]] = []
    execute = Connection.execute

    def noted(self: Connection, statement: Any, *given: Any, **more: Any) -> Any:
        compiled = statement.compile(self.engine, compile_kwargs={"literal_binds": True})
        asked.append((str(compiled), None))
        return execute(self, statement, *given, **more)

    with Database(str(file), create=False) as database, database.reading() as connection:
        monkeypatch.setattr(Connection, "execute", noted)
        search.page(connection, wanted, limit=50)
    with closing(sqlite3.connect(file)) as plain:
        plan = " ".join(row[3] for row in plain.execute(f"EXPLAIN QUERY PLAN {asked[0][0]}"))
    assert "USING INDEX game_" in plan or "USING COVERING INDEX game_" in plan, plan


# Tournaments, and anything else.


def test_tournaments_are_listed_with_their_status_and_games(connection: Connection) -> None:
    course, evening = lookup.tournaments(connection)
    assert (course.name, course.entries, course.played, course.games, course.status) == ("cs101", 5, 13, 14, "running")
    assert (evening.name, evening.entries, evening.played, evening.games) == ("evening", 3, 4, 4)
    assert lookup.entry_statuses(connection, lookup.find_tournament(connection, "cs101"))["dan"] == "withdrawn"


def test_a_game_is_found_by_number_by_name_and_as_the_last(connection: Connection, special: dict[str, int]) -> None:
    assert lookup.find_game(connection, str(special["draw"])) == special["draw"]
    assert lookup.find_game(connection, "cs101-2") == special["draw"]
    assert lookup.find_game(connection, "cs101-6") == special["again"]
    assert lookup.find_game(connection, "last") == special["forfeit"]


def test_sql_answers_with_columns_and_rows(made: tuple[str, dict[str, int]]) -> None:
    with Database(made[0], read_only=True) as database, database.reading() as connection:
        columns, rows = plain_sql.answer(
            connection, "SELECT MAX(player) AS last, MAX(points) AS best FROM v_seat WHERE player = 'eve'"
        )
        assert (columns, list(rows)) == (["last", "best"], [[None, None]])
