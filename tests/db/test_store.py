"""Each transaction is stored completely or not at all, whatever happens to the process, the disk or the lock."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from msgspec import structs
from msgspec.structs import replace
from sqlalchemy import event, select, text

from db import dialect, lookup, running, store
from db.database import Database
from db.errors import Busy, DatabaseError, DiskFull, NotFound
from db.records import SEAT_RESULT, GameRecord, storable
from db.schema import Game, Move, Seat
from tests.kit.effort import tries
from tests.kit.places import ROOT
from tests.kit.postgres_server import Server
from tests.kit.small_record import (
    NOW,
    begun_game,
    counted,
    finish,
    is_whole_or_absent,
    planned,
    program,
    record,
    tournament,
)

HOSTILE = [
    "Robert'); DROP TABLE game;--",
    'say "hi"',
    "two\nlines\r\tand a tab",
    "nul\0inside",
    "lone \ud800 surrogate",
    "\x1b[2J\x1b[31mred",
    "名前🎲‮",
    "x" * 10_000,
    "%s {} :name ?",
    "",
]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(str(tmp_path / "arena.db"))


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs the program in a process of its own, from the project's folder."""
    return subprocess.run(
        [sys.executable, "-c", program(code), *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


# All or nothing.


@pytest.mark.costly
def test_a_process_killed_at_any_statement_stores_a_whole_game_or_nothing(tmp_path: Path) -> None:
    done = run(
        """
        folder, tries = Path(sys.argv[1]), int(sys.argv[2])

        def die():
            os.kill(os.getpid(), signal.SIGKILL)

        def finish_and_die(file, game, statement, steps):
            count = 0
            def traced(sql):
                nonlocal count
                count += 1
                if count == statement:
                    die()
            database = Database(str(file))
            with database.writing() as connection:
                plain = connection.connection.driver_connection
                if statement:
                    plain.set_trace_callback(traced)
                else:
                    plain.set_progress_handler(die, steps)
                store.finish(connection, game, record(game), host=None, now=NOW)
            os._exit(7)

        for name, points in (("statement", range(1, 40)), ("steps", [n * n * 5 + 1 for n in range(tries)])):
            for point in points:
                file = folder / f"{name}-{point}.db"
                with Database(str(file)) as database:
                    game = begun_game(database)
                    database.close()
                statement, steps = (point, 0) if name == "statement" else (0, point)
                code = ended(forked(lambda: finish_and_die(file, game, statement, steps)))
                print(name, point, code, flush=True)
                if code == 7:
                    break
        """,
        tmp_path,
        tries(20),
    )
    assert done.returncode == 0, done.stderr
    whole, killed = 0, 0
    for line in done.stdout.splitlines():
        name, point, code = line.split()
        assert code in ("-9", "7"), done.stderr
        killed += code == "-9"
        stored = is_whole_or_absent(tmp_path / f"{name}-{point}.db", 1)
        assert stored or code == "-9"
        whole += stored
    assert killed > 25
    assert whole >= 1


def test_a_transaction_that_raises_writes_nothing(database: Database) -> None:
    game = begun_game(database)

    def finish_and_fail() -> None:
        with database.writing() as connection:
            store.finish(connection, game, record(game), host=None, now=NOW)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finish_and_fail()
    assert counted(database, "move") == 0
    finish(database, game)
    assert counted(database, "move") == 12


def test_a_game_that_is_over_is_never_finished_again(database: Database) -> None:
    game = begun_game(database)
    finish(database, game)
    with pytest.raises(DatabaseError, match="expected a game that is not over, got game 1"):
        finish(database, game, GameRecord(game, "normal", None, "", (), (), 0))
    with pytest.raises(DatabaseError, match="expected a game that is not over, got game 99"):
        finish(database, 99)
    assert counted(database, "game", "verdict = 'time'") == 1


# Several at once.


def test_a_second_writer_waits_until_the_first_is_done(database: Database) -> None:
    assert database.file is not None
    other = Database(str(database.file))
    about_to, seen = threading.Event(), list[int]()

    def write() -> None:
        about_to.set()
        with other.writing() as connection:
            seen.append(connection.execute(text("SELECT COUNT(*) FROM agent")).scalar_one())
            store.version(connection, "bob", "random", "random", NOW)

    second = threading.Thread(target=write)
    with database.writing() as connection:
        store.version(connection, "ann", "random", "random", NOW)
        second.start()
        about_to.wait()
        store.version(connection, "cid", "random", "random", NOW)
    second.join()
    assert seen == [2]
    assert counted(database, "agent") == 3


def test_a_file_locked_for_too_long_is_a_readable_busy_error(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialect, "BUSY_TIMEOUT", 20)
    other = Database(str(database.file))
    with (
        database.writing(),
        pytest.raises(Busy, match=r"arena\.db is locked by another program; try again when that program has finished"),
        other.writing(),
    ):
        pass
    with other.writing() as connection:
        store.version(connection, "ann", "random", "random", NOW)
    assert counted(database, "agent") == 1


def test_a_reader_sees_one_snapshot_and_blocks_no_writer(database: Database) -> None:
    with database.reading() as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM agent")).scalar_one() == 0
        with database.writing() as writing:
            store.version(writing, "ann", "random", "random", NOW)
        assert connection.execute(text("SELECT COUNT(*) FROM agent")).scalar_one() == 0
    assert counted(database, "agent") == 1


# The disk.


@pytest.mark.costly
def test_a_full_disk_is_a_readable_error_and_the_game_can_be_stored_later(tmp_path: Path) -> None:
    done = run(
        """
        import resource
        database = Database(sys.argv[1])
        game = begun_game(database)
        most, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = sum(file.stat().st_size for file in Path(sys.argv[1]).parent.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8192, hard))
        for _ in range(2):
            try:
                finish(database, game, record(game, plies=2000))
            except DiskFull as error:
                print(error)
            print(counted(database, "move"), counted(database, "game", "status = 'playing'"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        finish(database, game, record(game, plies=2000))
        """,
        tmp_path / "arena.db",
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert told[1::2] == ["0 1", "0 1"]
    for line in told[::2]:
        assert line.startswith(f"{tmp_path}/arena.db cannot be written: ")
        assert line.endswith("Free some space on its disk; nothing that was stored is lost")
    assert is_whole_or_absent(tmp_path / "arena.db", 1, plies=2000)


def test_a_database_that_cannot_grow_has_nothing_half_written(database: Database) -> None:
    game = begun_game(database)

    def finish_within(pages: int) -> None:
        with database.writing() as connection:
            there = connection.execute(text("PRAGMA page_count")).scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {there + pages}")
            store.finish(connection, game, record(game, plies=500), host=None, now=NOW)

    with pytest.raises(DiskFull, match="database or disk is full"):
        finish_within(4)
    assert counted(database, "move") == counted(database, "seat", "points IS NOT NULL") == 0
    finish_within(1000)
    assert counted(database, "move") == 500


# What is stored.


@pytest.mark.parametrize("name", HOSTILE)
def test_any_text_comes_back_as_it_was(database: Database, name: str) -> None:
    with database.writing() as connection:
        number = tournament(connection, name, settings={"note": name})
        version = store.version(connection, name, "random", name, NOW)
        store.enter(connection, number, name, version)
        (game,) = store.schedule(connection, number, [planned((version, version), pair=name, names=(name, "other"))])
        store.rule_on_game(connection, game, "void", name, NOW)
        store.rule_on_entry(connection, number, name, "withdraw", name, NOW)
    for query in (
        "SELECT name FROM agent",
        "SELECT name FROM tournament",
        "SELECT name FROM entry WHERE status = 'withdrawn'",
        "SELECT pair FROM v_game",
        "SELECT player FROM v_seat WHERE seat = 0",
        "SELECT reason FROM ruling WHERE entry IS NOT NULL",
        "SELECT reason FROM v_game",
    ):
        with database.reading() as connection:
            assert connection.execute(text(query)).scalar_one() == storable(name), query


def test_text_with_unstorable_characters_is_found_by_the_text_given(database: Database) -> None:
    with database.writing() as connection:
        number = tournament(connection, "lone \ud800\0")
        assert lookup.find_tournament(connection, "lone \ud800\0") == number
        assert lookup.tournament_name(connection, number) == "lone \ufffd\ufffd"


def test_a_number_over_64_bits_is_a_readable_error(database: Database) -> None:
    with pytest.raises(DatabaseError, match="64-bit integers"), database.writing() as connection:
        store.enter(connection, 2**63, "ann", 1)


@pytest.mark.costly
def test_thousands_of_agents_take_part(database: Database) -> None:
    agents = tries(1000, soak=10_000)
    with database.writing() as connection:
        number = tournament(connection)
        for agent in range(agents):
            store.enter(connection, number, f"a{agent}", store.version(connection, f"a{agent}", "random", "", NOW))
    assert counted(database, "entry") == agents


def test_an_agent_s_new_source_is_its_next_version_and_a_known_one_stays_what_it_was(database: Database) -> None:
    with database.writing() as connection:
        versions = [store.version(connection, "ann", source, "ann.py", NOW) for source in ("a", "b", "a", "c")]
    assert versions[0] == versions[2]
    with database.reading() as connection:
        rows = connection.execute(text("SELECT source, number FROM version ORDER BY number")).all()
    assert [tuple(row) for row in rows] == [("a", 1), ("b", 2), ("c", 3)]


def test_added_games_take_numbers_after_the_last_and_a_repeated_one_keeps_its_own(database: Database) -> None:
    game = begun_game(database)
    finish(database, game, structs.replace(record(game, plies=0), verdict="void", fault=None))
    with database.writing() as connection:
        again = store.repeat(connection, game)
        more = store.schedule(connection, 1, [planned((1, 2), pair="another"), planned((1, 2), pair="a third")])
    with database.reading() as connection:
        rows = connection.execute(text("SELECT id, number, attempt, status, seed FROM game ORDER BY id")).all()
    seed = str(2**128 - 1)
    assert [tuple(row) for row in rows] == [
        (game, 1, 1, "void", seed),
        (again, 1, 2, "scheduled", seed),
        (more[0], 2, 1, "scheduled", seed),
        (more[1], 3, 1, "scheduled", seed),
    ]


def test_a_game_that_was_interrupted_is_to_be_played_with_the_same_attempt(database: Database) -> None:
    begun_game(database)
    with database.writing() as connection:
        store.interrupt(connection, 1)
    assert counted(database, "game", "status = 'scheduled' AND attempt = 1 AND started IS NULL") == 1


def test_the_same_pairing_leg_and_attempt_cannot_be_scheduled_twice(database: Database) -> None:
    begun_game(database)
    with pytest.raises(DatabaseError, match="UNIQUE"), database.writing() as connection:
        store.schedule(connection, 1, [planned((1, 2))])
    assert counted(database, "game") == 1


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO seat (game, seat, version, name) VALUES (99, 0, 1, 'ann')",
        "INSERT INTO move (game, ply, who, move) VALUES (99, 1, '0', 'a1')",
        "INSERT INTO version (agent, number, source, started_as, created) VALUES (99, 1, 'x', 'x', 'x')",
        "INSERT INTO ruling (game, what, reason, made) VALUES (99, 'void', 'x', 'x')",
        "DELETE FROM game",
        "DELETE FROM agent",
    ],
)
def test_references_to_missing_rows_are_refused(database: Database, statement: str) -> None:
    finish(database, begun_game(database))
    with pytest.raises(DatabaseError, match="FOREIGN KEY"), database.writing() as connection:
        connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE game SET status = 'lost'",
        "INSERT INTO ruling (what, reason, made) VALUES ('void', 'about nothing', 'x')",
        "INSERT INTO ruling (game, entry, what, reason, made) VALUES (1, 1, 'void', 'about two things', 'x')",
    ],
)
def test_invalid_statuses_and_rulings_are_refused(database: Database, statement: str) -> None:
    begun_game(database)
    with pytest.raises(DatabaseError, match="CHECK"), database.writing() as connection:
        connection.exec_driver_sql(statement)


def test_a_ruling_about_a_missing_game_or_player_is_refused(database: Database) -> None:
    begun_game(database)
    with pytest.raises(NotFound, match="there is no game 7"), database.writing() as connection:
        store.rule_on_game(connection, 7, "void", "why", NOW)
    with pytest.raises(NotFound, match="no player 'zoe' takes part"), database.writing() as connection:
        store.rule_on_entry(connection, 1, "zoe", "withdraw", "why", NOW)


def test_the_last_ruling_is_in_force_and_the_first_stays_recorded(database: Database) -> None:
    game = begun_game(database)
    finish(database, game)
    with database.writing() as connection:
        store.rule_on_game(connection, game, "void", "first thought", NOW)
        store.rule_on_game(connection, game, "award", "second thought", NOW, seat=1)
    with database.reading() as connection:
        points = connection.execute(text("SELECT points FROM v_seat ORDER BY seat")).scalars().all()
    assert points == [0.0, 1.0]
    assert counted(database, "ruling") == 2
    assert counted(database, "seat", "points = 1.0 AND seat = 0") == 1


def test_the_player_that_forfeits_loses_to_all_others(database: Database) -> None:
    game = begun_game(database)
    with database.writing() as connection:
        store.forfeit(connection, {game: 0}, "ann is withdrawn", NOW)
    with database.reading() as connection:
        points = connection.execute(text("SELECT points FROM v_seat ORDER BY seat")).scalars().all()
    assert points == [0.0, 1.0]


def test_all_scheduled_games_of_a_player_are_forfeited(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_PART", 3)
    begun_game(database)
    with database.writing() as connection:
        versions = {entry.name: entry.version for entry in running.entries(connection, 1)}
        ann, bob = versions["ann"], versions["bob"]
        new = [planned((ann, bob), f"pair {number}") for number in range(4)]
        new += [planned((bob, ann), f"pair {number}", names=("bob", "ann")) for number in range(4, 7)]
        games = store.schedule(connection, 1, new)
        losers = running.scheduled_of(connection, 1, "ann")
        assert losers == {game: int(at >= 4) for at, game in enumerate(games)}
        store.forfeit(connection, losers, "ann is withdrawn", NOW)
        assert not running.scheduled_of(connection, 1, "ann")
    with database.reading() as connection:
        points = connection.execute(text("SELECT player, points FROM v_seat WHERE points IS NOT NULL")).all()
    assert sorted(map(tuple, points)) == [("ann", 0.0)] * 7 + [("bob", 1.0)] * 7


# Statements that the driver runs write and fail as those that SQLAlchemy runs.


def hostile(game: int) -> GameRecord:
    """A game with all these texts in its moves; in some rows other values are unknown."""
    played = record(game, plies=len(HOSTILE))
    moves = tuple(
        replace(move, move=text, text=text, line=text if place % 2 else None, score=None if place % 3 else 0.25)
        for place, (move, text) in enumerate(zip(played.moves, HOSTILE, strict=True))
    )
    seats = (replace(played.seats[0], stderr=HOSTILE[3], points=None), replace(played.seats[1], stderr=None))
    return replace(played, moves=moves, seats=seats, detail=HOSTILE[4])


def test_every_value_comes_back_as_it_was(where: str) -> None:
    with Database(where) as database:
        played = hostile(begun_game(database))
        host = {"cpu": HOSTILE[3], HOSTILE[4]: [1, None, {"walls": HOSTILE[8]}]}
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=host, now=NOW)
        with database.reading() as connection:
            game = connection.execute(select(Game.__table__)).mappings().one()
            seats = connection.execute(select(Seat.__table__).order_by(Seat.seat)).mappings().all()
            moves = connection.execute(select(Move.__table__).order_by(Move.ply)).mappings().all()
    assert (game["status"], game["verdict"], game["detail"]) == ("finished", "time", storable(HOSTILE[4]))
    assert game["host"] == {
        "cpu": storable(HOSTILE[3]),
        storable(HOSTILE[4]): [1, None, {"walls": HOSTILE[8]}],
    }

    def stored(value: object) -> object:
        return storable(value) if isinstance(value, str) else value

    for seat, row in zip(played.seats, seats, strict=True):
        assert {name: stored(getattr(seat, name)) for name in SEAT_RESULT} == {name: row[name] for name in SEAT_RESULT}
    for move, row in zip(played.moves, moves, strict=True):
        names = move.__struct_fields__
        expected = {name: stored(getattr(move, name)) for name in names} | {"who": str(move.who)}
        assert expected == {name: row[name] for name in names}


def test_a_game_is_over_once(where: str) -> None:
    with Database(where) as database:
        played = record(begun_game(database))
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with pytest.raises(DatabaseError, match="never changed"), database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)


@pytest.mark.parametrize("wrong", [{"ply": 2**70}, {"ply": 2}], ids=["more than 64 bits", "the same ply twice"])
def test_after_a_value_that_is_refused_nothing_is_stored_and_the_next_transaction_is_whole(
    where: str, wrong: dict[str, int]
) -> None:
    with Database(where) as database:
        played = record(begun_game(database))
        refused = replace(played, moves=(*played.moves[:-1], replace(played.moves[-1], **wrong)))
        with pytest.raises(DatabaseError), database.writing() as connection:
            store.finish(connection, played.game, refused, host=None, now=NOW)
        with database.reading() as connection:
            assert connection.execute(select(Game.status)).scalar_one() == "playing"
            assert connection.execute(select(Move.ply)).all() == []
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with database.reading() as connection:
            assert len(connection.execute(select(Move.ply)).all()) == len(played.moves)


def test_after_ctrl_c_within_a_transaction_the_next_one_is_whole(where: str) -> None:
    with Database(where) as database:
        played = record(begun_game(database))
        with pytest.raises(KeyboardInterrupt), database.writing() as connection:  # noqa: PT012
            store.finish(connection, played.game, played, host=None, now=NOW)
            raise KeyboardInterrupt
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with database.reading() as connection:
            assert len(connection.execute(select(Move.ply)).all()) == len(played.moves)


def test_after_ctrl_c_at_the_beginning_of_a_transaction_the_next_one_is_whole(where: str) -> None:
    with Database(where) as database:
        played = record(begun_game(database))

        @event.listens_for(database._engine, "begin", once=True)
        def interrupt(_: object) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), database.writing():
            pass
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)


def test_a_connection_that_the_server_has_ended_is_replaced(postgres: Server) -> None:
    where = postgres.new_database()
    with Database(where) as database:
        played = record(begun_game(database))
        name = postgres.name_of(where)
        postgres.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        with pytest.raises(DatabaseError), database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
