"""`arena data verify` accepts a correct database, and reports every change with its place and reason."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.history.verify import Verification, verify
from arena.players.player import read_player
from arena.players.submissions import Store
from db import games, store
from db.bundles import store_beside
from db.database import Database
from db.records import JudgedPly, PositionValue, ScheduledGame
from tests.kit.effort import tries
from tests.kit.judged_records import NOW, store_evening, store_tournament
from tests.kit.match_table import Table


@pytest.fixture(scope="module")
def true_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two tournaments, one with dice."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    with Database(str(file)) as database:
        store_tournament(database)
        store_tournament(database, "pig:goal=20", name="dice", openings=0, clock="60+2x5")
    return file


@pytest.fixture
def record(true_record: Path, tmp_path: Path) -> Path:
    """A copy of the database, to be changed."""
    return Path(shutil.copy(true_record, tmp_path / "arena.db"))


def found(file: Path) -> Verification:
    """The verification of the database."""
    with Database(str(file), read_only=True) as database:
        return verify(database, Store(store_beside(database.file)))


def change(file: Path, *statements: str) -> None:
    """Changes the database with an SQL statement."""
    with closing(sqlite3.connect(file)) as plain:
        for statement in statements:
            assert plain.execute(statement).rowcount != 0, statement
        plain.commit()


def one(file: Path, query: str) -> int:
    with closing(sqlite3.connect(file)) as plain:
        return int(plain.execute(query).fetchone()[0])


def test_a_correct_database_has_no_contradictions(record: Path) -> None:
    verification = found(record)
    assert verification.wrongs == []
    assert (verification.games, verification.versions) == (12, 3)
    assert verification.moves == one(record, "SELECT COUNT(*) FROM move")


@pytest.mark.parametrize("first", range(0, tries(60), 20))
def test_simulated_games_with_faults_have_no_contradictions(tmp_path: Path, first: int) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        games = sum(len(store_evening(database, seed)) for seed in range(first, first + 20))
        verification = verify(database, Store(tmp_path / "arena.store"))
    assert verification.wrongs == []
    assert verification.games == games


GAME = "game = 1"
FIRST = "(SELECT MIN(ply) FROM move WHERE game = 1 AND who = '0')"
LAST = "(SELECT MAX(ply) FROM move WHERE game = 1)"
DICE = "(SELECT MIN(game) FROM move WHERE who = 'chance')"
ROLL = f"(SELECT MIN(ply) FROM move WHERE who = 'chance' AND game = {DICE})"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        # Moves.
        (f"UPDATE move SET move = '9' WHERE {GAME} AND ply = {FIRST}", r"ply 3: '9': expected a legal move"),
        (
            f"UPDATE move SET who = '1' WHERE {GAME} AND ply = {FIRST}",
            "ply 3: seat 0 was to move, got a move of seat 1",
        ),
        (f"UPDATE move SET who = 'chance' WHERE {GAME} AND ply = {FIRST}", "seat 0 was to move, got a move of chance"),
        (
            f"UPDATE move SET who = 'opening' WHERE {GAME} AND ply = {LAST}",
            "an opening move after the end of the opening",
        ),
        (
            f"DELETE FROM move WHERE {GAME} AND ply = {LAST}",
            "by the rules the game is not over in its last position",
        ),
        (f"DELETE FROM move WHERE {GAME} AND ply = 4", "expected ply 4, got ply 5"),
        (f"DELETE FROM move WHERE {GAME}", r"\d+ plies are recorded, but 0 moves are stored"),
        (f"DELETE FROM move WHERE {GAME} AND ply > 1", r"expected the opening '. .', got '.'"),
        (
            f"INSERT INTO move (game, ply, who, move, spent) SELECT 1, {LAST} + 1, '0', '4', 1",
            r"ply \d+: expected no move after the end of the game, got '4'",
        ),
        ("UPDATE game SET opening = '1 1' WHERE id = 1", "expected the opening '1 1', got '. .'"),
        ("UPDATE game SET opening = NULL WHERE id = 1", "expected the opening '', got '. .'"),
        ("UPDATE game SET plies = plies + 1 WHERE id = 1", r"\d+ plies are recorded, but \d+ moves are stored"),
        (
            f"UPDATE move SET move = 1 + move % 6 WHERE game = {DICE} AND ply = {ROLL}",
            r"expected the seed's chance outcome '\d', got '\d'",
        ),
        # Results.
        ("UPDATE seat SET points = 0.25 WHERE game = 1 AND seat = 0", r"expected the points \d.\d, \d.\d, got 0.25, "),
        ("UPDATE seat SET points = NULL WHERE game = 1", r"expected the points \d.\d, \d.\d, got none, none"),
        ("UPDATE seat SET utility = 0.125 WHERE game = 1 AND seat = 1", "expected the utilities .*, got .*, 0.125"),
        ("UPDATE game SET verdict = 'time', fault = 0 WHERE id = 1", "over by the rules, but its verdict is time"),
        ("UPDATE game SET verdict = 'adjudicated' WHERE id = 1", "over by the rules, but its verdict is adjudicated"),
        ("UPDATE game SET verdict = 'won' WHERE id = 1", "expected a verdict, got 'won'"),
        ("UPDATE game SET verdict = NULL WHERE id = 1", "expected a verdict, got 'None'"),
        ("UPDATE game SET fault = 1 WHERE id = 1", "expected no seat at fault with the verdict normal, got 1"),
        ("UPDATE game SET fault = 5 WHERE id = 1", "expected a seat from 0 to 1 at fault, got 5"),
        ("UPDATE game SET status = 'void' WHERE id = 1", "its verdict is normal, but its status is 'void'"),
        ("UPDATE game SET status = 'scheduled' WHERE id = 1", "the game is scheduled, but has a result or moves"),
        ("UPDATE game SET verdict = 'forfeit', fault = 1 WHERE id = 1", "the game was forfeited, but has moves"),
        ("UPDATE game SET rules = 'shogi' WHERE id = 1", "the game 'shogi' cannot be played: .*shogi"),
        ("DELETE FROM seat WHERE game = 1 AND seat = 0", r"expected 2 players for connect4, got the seats \[1\]"),
        # Clocks.
        (
            f'UPDATE move SET "left" = "left" - 1 WHERE {GAME} AND ply = {FIRST}',
            r"ply 3: expected \d+ ns left, got \d+",
        ),
        (f'UPDATE move SET "left" = NULL WHERE {GAME} AND ply = {FIRST}', r"ply 3: expected \d+ ns left, got none"),
        (f"UPDATE move SET spent = spent + 1 WHERE {GAME} AND ply = {FIRST}", r"ply 3: expected \d+ ns left, got \d+"),
        (f"UPDATE move SET spent = -1 WHERE {GAME} AND ply = {FIRST}", "ply 3: expected the time of the move, got -1"),
        ("UPDATE game SET clock = '10+0.2' WHERE id = 1", r"ply 3: expected \d+ ns left, got \d+"),
        (
            "UPDATE seat SET spent = spent + 1 WHERE game = 1 AND seat = 0",
            "its moves took .* ns, but the recorded sum is .*",
        ),
        (
            "UPDATE seat SET spent = 5 WHERE game = 1 AND seat = 1",
            "seat 1: its moves took .* ns, but the recorded sum is 5",
        ),
        (
            "UPDATE seat SET longest = 1 WHERE game = 1 AND seat = 0",
            "seat 0: expected .* ns for its longest turn, got 1",
        ),
        ("UPDATE game SET lag = lag + 1 WHERE id = 1", "the lag of its moves is .* ns, but the recorded sum is .*"),
        (
            f"UPDATE move SET delay = NULL WHERE {GAME} AND ply = {FIRST}",
            "ply 3: expected its delay and its lag, got none",
        ),
        (
            f"UPDATE move SET cpu = spent + 1, delay = 1 WHERE {GAME} AND ply = {FIRST}",
            r"ply 3: \d+ ns were charged, but \d+ ns of CPU time were used in \d+ ns",
        ),
        (
            f"UPDATE move SET delay = 3600000000000 WHERE {GAME} AND ply = {FIRST}",
            r"its moves took \d+ ns, but the game lasted 3600000000000 ns",
        ),
        # Times.
        *(
            (
                f"UPDATE game SET {column} = '{text}' WHERE id = 1",
                f"^{column}: expected a time with a time zone, .*'{text}'",
            )
            for column in ("started", "finished")
            for text in ("x", "9999-99-99T", "2026-05-01T18:30:00")
        ),
        # Tournaments.
        ("UPDATE game SET number = 7 WHERE number = 6 AND tournament = 1", "expected a game number 6, got number 7"),
        ("UPDATE game SET number = 2 WHERE number = 1 AND tournament = 1", "expected a game number 1, got number 2"),
        ("UPDATE game SET attempt = 2 WHERE id = 1", "expected the attempts 1 to 1, got 2"),
        (
            "UPDATE entry SET status = 'lost' WHERE name = 'ann'",
            "'ann' is 'lost', expected active, withdrawn or quarant",
        ),
        # Who played.
        ("UPDATE version SET source = 'no such agent' WHERE id = 1", "no .*'no such agent'"),
        (f"UPDATE version SET source = '{'a' * 64}' WHERE id = 1", "no submission aaaaaaaaaaaa in .*arena.store"),
        # The file.
        ("UPDATE seat SET version = 99 WHERE game = 1", "row .* of the table 'seat' refers to a row that is not in"),
    ],
)
def test_every_change_of_the_database_is_found(record: Path, statement: str, reason: str) -> None:
    change(record, statement)
    assert any(re.search(reason, wrong.reason) for wrong in found(record).wrongs), found(record).wrongs


def test_a_contradiction_is_reported_only_for_its_game(record: Path) -> None:
    change(record, "UPDATE seat SET points = 0.5 WHERE game IN (3, 9)")
    wrongs = {(wrong.where, wrong.game) for wrong in found(record).wrongs}
    assert wrongs == {("cs101-3", 3), ("dice-3", 9)}


def test_a_broken_analysis_is_found_and_the_game_is_still_checked(record: Path) -> None:
    with Database(str(record)) as database, database.writing() as connection:
        worth = PositionValue((0.5, -0.5), exact=False)
        moves = games.game(connection, 3).moves
        judged = [
            JudgedPly(ply=one.ply, who=one.who, move=one.move, before=worth, after=worth, depth=1) for one in moves
        ]
        store.keep_analysis(connection, 3, judged)
    assert found(record).wrongs == []
    change(record, "UPDATE analysis SET after_values = '0.5' WHERE ply = 2", "UPDATE game SET plies = 99 WHERE id = 3")
    reasons = [wrong.reason for wrong in found(record).wrongs if wrong.game == 3]
    assert reasons[0] == (
        "its analysis is broken at ply 2: expected 2 values, got 1; `arena replay 3 --mistakes` makes it again"
    )
    assert reasons[1].startswith("99 plies are recorded")


@pytest.mark.costly
def test_every_change_of_a_moves_time_is_found(record: Path) -> None:
    for ply in range(3, one(record, "SELECT MAX(ply) FROM move WHERE game = 1") + 1):
        change(record, f"UPDATE move SET spent = spent + 1000 WHERE game = 1 AND ply = {ply}")
        assert [wrong.game for wrong in found(record).wrongs][:1] == [1]
        change(record, f"UPDATE move SET spent = spent - 1000 WHERE game = 1 AND ply = {ply}")
    assert found(record).wrongs == []


def test_games_of_earlier_versions_are_not_checked_for_delays(record: Path) -> None:
    change(record, f"UPDATE move SET cpu = spent + 1, delay = 1 WHERE {GAME} AND ply = {FIRST}")
    change(record, "UPDATE game SET host = '{}' WHERE id = 1")
    assert found(record).wrongs == []


# Attempts.


@pytest.fixture
def database(record: Path) -> Iterator[Database]:
    with Database(str(record)) as opened:
        yield opened


def wrongs(database: Database) -> list[tuple[str, str]]:
    assert database.file is not None
    return [(wrong.where, wrong.reason) for wrong in verify(database, Store(store_beside(database.file))).wrongs]


def test_a_void_game_that_is_played_again_is_no_contradiction(database: Database) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE game SET status = 'void', verdict = 'void' WHERE id = 1")
        connection.exec_driver_sql("UPDATE seat SET points = NULL, utility = NULL WHERE game = 1")
        store.set_status(connection, 1, "running", NOW)
        again = store.repeat(connection, 1)
    assert wrongs(database) == []
    with database.writing() as connection:
        store.forfeit(connection, {again: 0}, "withdrawn", NOW)
        store.set_status(connection, 1, "finished", NOW)
    assert wrongs(database) == []


def test_a_finished_tournament_has_a_result_for_every_game(database: Database) -> None:
    with database.writing() as connection:
        again = store.repeat(connection, 1)
    (where, reason) = wrongs(database)[0]
    assert where == "cs101-1 (attempt 2)"
    assert reason == "the tournament is finished, but this game is scheduled and no attempt at it counts"
    with database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE game SET status = 'cancelled' WHERE id = {again}")
    assert wrongs(database) == []


def test_a_game_that_was_void_three_times_or_by_a_ruling_needs_no_result(database: Database) -> None:
    with database.writing() as connection:
        store.rule_on_game(connection, 2, "void", "why", NOW)
        connection.exec_driver_sql("UPDATE game SET status = 'void', verdict = 'void' WHERE id = 1")
        connection.exec_driver_sql("UPDATE seat SET points = NULL, utility = NULL WHERE game = 1")
    assert [where for where, _ in wrongs(database)] == ["cs101-1"]
    with database.writing() as connection:
        for _ in range(2):
            again = store.repeat(connection, 1)
            connection.exec_driver_sql(
                f"UPDATE game SET status = 'void', verdict = 'void', plies = 0 WHERE id = {again}"
            )
    assert wrongs(database) == []


def test_an_unplayed_attempt_before_a_later_one_is_found(database: Database) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE game SET status = 'scheduled' WHERE id = 1")
        store.repeat(connection, 1)
    assert ("cs101-1 (attempt 2)", "attempt 1 has not been played, but there is a later attempt") in wrongs(database)


def test_two_numbers_for_the_same_pairing_are_found(database: Database) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE game SET pair = (SELECT pair FROM game WHERE id = 1), attempt = 9 WHERE id = 3"
        )
    pair = json.dumps(["ann", "bob", 0])
    assert any("the same pairing and leg as game 1" in reason and pair in reason for _, reason in wrongs(database))


def test_attempts_that_differ_in_their_seed_are_found(database: Database) -> None:
    with database.writing() as connection:
        again = store.repeat(connection, 1)
        connection.exec_driver_sql(f"UPDATE game SET seed = '8' WHERE id = {again}")
    assert any("its attempts differ in pairing" in reason for _, reason in wrongs(database))


# Submissions.


def test_every_source_is_hashed_again(tmp_path: Path) -> None:
    agent = tmp_path / "greedy.py"
    agent.write_text("# an agent\n")
    entered = Store(tmp_path / "arena.store").take(read_player(str(agent)))
    with Database(str(tmp_path / "arena.db")) as database:
        store_tournament(database, sources={"ann": entered.hash, "bob": "alphabeta:depth=3"})
        assert wrongs(database) == []
        stored = entered.source / "greedy.py"
        stored.chmod(0o644)
        stored.write_text("# another agent\n")
        ((where, reason),) = wrongs(database)
        assert where == "ann@1"
        assert reason.startswith("the stored submission was changed")


def test_a_user_supplied_game_is_loaded_from_the_store(tmp_path: Path) -> None:
    game = tmp_path / "own.py"
    game.write_text(
        "from adsearch.games.tictactoe import TicTacToe\n\n\n"
        "class Own(TicTacToe):\n    '''Mine.'''\n\n    __slots__ = ()\n"
    )
    submissions = Store(tmp_path / "arena.store")
    rules = submissions.take_game(f"{game}:Own")
    with Database(str(tmp_path / "arena.db")) as database:
        store_tournament(database, rules, openings=0)
        assert wrongs(database) == []
        stored = Path(rules.partition(":")[0])
        stored.chmod(0o644)
        stored.write_text("raise SystemExit('changed rules are not run')\n")
        assert all("the stored submission was changed" in reason for _, reason in wrongs(database))
        assert len(wrongs(database)) == 6


def test_a_void_game_whose_rules_failed_is_no_contradiction(tmp_path: Path) -> None:
    game = tmp_path / "own.py"
    game.write_text(
        "from adsearch.games.tictactoe import TicTacToe\n\n\n"
        "class Own(TicTacToe):\n    '''Mine.'''\n\n    __slots__ = ()\n\n"
        "    def play(self, move):\n        if move == 4:\n            raise ZeroDivisionError\n"
        "        return super().play(move)\n"
    )
    rules = Store(tmp_path / "arena.store").take_game(f"{game}:Own")
    ended = Table(rules=rules)
    ended.begin()
    ended.play("a1")
    with pytest.raises(ZeroDivisionError):
        ended.play("b2")
    ended.abort()
    ended.finish()
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        version = store.version(connection, "ann", "random", "random", NOW)
        new = ScheduledGame(pair="own", game=rules, seed=7, seats=((version, "ann"), (version, "bob")))
        (id,) = store.schedule(connection, None, [new])
        store.finish(connection, id, ended.match.record(), host=None, now=NOW)
    with Database(str(tmp_path / "arena.db")) as database:
        assert wrongs(database) == []
        with database.writing() as connection:
            connection.exec_driver_sql("UPDATE game SET verdict = 'normal', status = 'finished'")
        assert [reason for _, reason in wrongs(database)] == ["ply 2: 'b2': "]


def test_imported_results_without_moves_are_not_checked(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        store_tournament(database, sources=dict.fromkeys(("ann", "bob", "cid"), "imported"))
        assert wrongs(database) == []
        with database.writing() as connection:
            connection.exec_driver_sql('UPDATE move SET spent = NULL, "left" = NULL WHERE game = 1')
            connection.exec_driver_sql("DELETE FROM move WHERE game = 2")
            connection.exec_driver_sql("UPDATE move SET move = '9' WHERE game = 3 AND ply = 5")
        ((where, reason),) = wrongs(database)
        assert where == "cs101-3"
        assert reason.startswith("ply 5: ")


def test_people_and_agents_that_were_started_by_hand_have_no_source(record: Path) -> None:
    change(
        record, "UPDATE version SET source = 'human' WHERE id = 1", "UPDATE version SET source = 'wait' WHERE id = 2"
    )
    assert not found(record).wrongs


def test_progress_is_reported(tmp_path: Path) -> None:
    told = list[tuple[int, int]]()
    with Database(str(tmp_path / "arena.db")) as database:
        for seed in range(11):
            store_evening(database, seed)
        verify(database, Store(tmp_path / "arena.store"), progress=lambda done, total: told.append((done, total)))
    assert told == [(50, 110), (100, 110)]


@pytest.mark.parametrize(
    "statement", ["UPDATE game SET host = 'not JSON' WHERE id = 1", f"UPDATE game SET seed = 'abc' WHERE id = {DICE}"]
)
def test_unreadable_values_hide_no_game(record: Path, statement: str) -> None:
    change(record, statement)
    verification = found(record)
    assert verification.games == 12
    assert not [wrong for wrong in verification.wrongs if "the seed's chance outcome" in wrong.reason]
    assert statement.startswith("UPDATE game SET seed") or verification.wrongs == []
