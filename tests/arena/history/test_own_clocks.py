"""A clock of a seat's own is recorded, verified, exported and read again; a description and a command can give it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import BadLeague
from arena.history.exchange.ndjson import line
from arena.history.exchange.ndjson import read as read_lines
from arena.history.exchange.pgn import read as read_pgn
from arena.history.exchange.pgn import text as pgn
from arena.history.replay import replay
from arena.match.clock import SECOND
from arena.match.conditions import OwnTime
from arena.tournament.league import changes_between as changes
from arena.tournament.league import from_arguments, read
from db import games as recorded
from db import store
from db.database import Database
from db.records import PastGame, ScheduledGame
from tests.kit.arena_program import arena
from tests.kit.judged_records import HOST, NOW
from tests.kit.match_table import Table

DESCRIPTION = """
name = "odds"
game = "tictactoe"
clock = 60
[[agent]]
name = "a"
player = "random"
clock = "5+0.05"
margin = 0.2
[[agent]]
name = "b"
player = "random"
"""


@pytest.fixture
def game(tmp_path: Path) -> PastGame:
    """Of ann, who has 60 s, and bob, who has 10 s and 1 s more after each move."""
    table = Table(clock="60", own_times=(OwnTime("bob", "10+1", 0),), game=1).begin()
    for move in ("a1", "b1", "a2", "b2", "a3"):
        table.play(move, spent=1_500_001, cpu=1, delay=0, after=2 * SECOND)
    table.finish()
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        seats = tuple((store.version(connection, name, "random", "random", NOW), name) for name in ("ann", "bob"))
        (id,) = store.schedule(connection, None, [ScheduledGame(pair="p", game="tictactoe", clock="60", seats=seats)])
        store.finish(connection, id, table.match.record(), host=HOST, now=NOW)
        return recorded.game(connection, id)


def test_the_record_has_the_clock_of_each_seat(game: PastGame) -> None:
    assert game.clocks == ["60", "10+1"]
    assert replay(game).steps[0].left == (60 * SECOND, 10 * SECOND)


def test_files_have_it_and_give_it_back(game: PastGame) -> None:
    for written, reader in ((line(game), read_lines), (pgn(game), read_pgn)):
        ((_, again),) = reader(written, "file")
        assert again.clocks == game.clocks


def test_a_description_gives_an_agent_its_own_time(tmp_path: Path) -> None:
    file = tmp_path / "odds.toml"
    file.write_text(DESCRIPTION)
    conditions = read(file).conditions
    assert conditions.own_times == (OwnTime("a", "5+0.05", SECOND // 5),)
    assert conditions.time_of("b") == OwnTime("b", "60", SECOND // 20)


@pytest.mark.parametrize("after", [("5+0.05", "6"), ('clock = "5+0.05"\n', ""), ("0.2", "0.3")])
def test_it_cannot_be_changed_once_games_are_played(after: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "odds.toml"
    file.write_text(DESCRIPTION)
    before = read(file).settings()
    file.write_text(DESCRIPTION.replace(*after))
    (refused,) = changes(before, read(file).settings()).refused
    assert refused.startswith("agent 'a': ")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ('clock = "none"', "agent 'a': clock: expected a clock, as the others have 60, got none"),
        ('clock = "soon"', "agent 1 ('a'): clock: expected a clock such as 60"),
        ("clock = 5\nmargin = -1", "agent 1 ('a'): margin: expected"),
    ],
)
def test_what_is_no_clock_for_one_is_refused(given: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "odds.toml"
    file.write_text(DESCRIPTION.replace('clock = "5+0.05"\nmargin = 0.2', given))
    with pytest.raises(BadLeague) as error:
        read(file)
    assert str(error.value).startswith(f"{file}: {told}")


def test_a_tournament_without_them_keeps_its_name() -> None:
    plain = from_arguments("tictactoe", ["random", "greedy"], clock="60")
    own = from_arguments("tictactoe", ["random", "greedy"], clock="60", own_clocks={"random": "5"})
    assert plain.name == "tictactoe-6c936ada"
    assert own.name != plain.name


def test_a_tournament_at_odds_is_played_and_its_results_say_so(tmp_path: Path) -> None:
    db = str(tmp_path / "arena.db")
    run = ("run", "tictactoe", "alphabeta:depth=2", "random", "--name", "odds", "--seed", "1", "--db", db)
    ended = arena(*run, "--clock", "alphabeta:depth=2=move=0.5", "--clock", "60")
    assert ended.code == 0, ended.err
    note = "not all have the same clock: alphabeta:depth=2 move=0.5; their strengths with that are compared"
    assert note in arena("results", "odds", "--db", db).out
    assert note in arena("results", "rank", "odds", "--db", db).out
    assert "clocks move=0.5, 60" in arena("replay", "last", "--show", "--db", db).out
    assert arena("data", "verify", "--db", db).code == 0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--clock", "rndom=5"), "arena: clock: no agent 'rndom'; the agents are 'random', 'greedy'"),
        (("--clock", "5", "--clock", "6"), "arena: --clock: expected one clock for all, got 5 and 6"),
        (("--clock", "random=soon"), "arena: expected a clock such as 60"),
    ],
)
def test_a_wrong_clock_of_one_player_is_told(given: tuple[str, ...], told: str, tmp_path: Path) -> None:
    ended = arena("run", "tictactoe", "random", "greedy", *given, "--db", str(tmp_path / "arena.db"))
    assert (ended.code, ended.err.startswith(told)) == (2, True), ended.err
