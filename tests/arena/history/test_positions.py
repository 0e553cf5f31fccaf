"""Games that begin from a position are played, recorded, read and checked as the rest of a game from its start."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from adsearch import CHANCE, games
from arena.errors import BadFixture, BadLeague
from arena.history import recorded_rules
from arena.history.exchange import spreadsheet
from arena.history.exchange.ndjson import line
from arena.history.exchange.ndjson import read as read_lines
from arena.history.exchange.pgn import read as read_pgn
from arena.history.exchange.pgn import text as pgn
from arena.history.exchange.sgf import text as sgf
from arena.history.replay import replay
from arena.history.verify import verify
from arena.match.openings import Book, position_read
from arena.players.submissions import Store
from arena.student.rerun import replay_turn
from arena.tournament.league import from_arguments
from db import games as recorded
from db import store
from db.database import Database
from db.records import PastGame, ScheduledGame, moves_hash
from tests.kit.judged_records import HOST, NOW
from tests.kit.match_table import NAMES, Table

BARE = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"
"""White has a pawn more, and Black is to move."""


def walked(rules: str, plies: int, random: Random) -> Any:
    """The position after some random plies, before the end."""
    state = games.start(rules)
    for _ in range(plies):
        chosen = random.choice(state.moves() if state.turn != CHANCE else [event for event, _ in state.chances()])
        after = state.play(chosen)
        if after.turn is None:
            break
        state = after
    return state


def played(rules: str, position: str, database: Database, random: Random) -> PastGame:
    """A game from that position between players who move at random, as it is on record."""
    table = Table(rules=rules, seats=games.start(rules).players, position=position, game=1).begin()
    while table.match.verdict is None:
        table.play(table.match.state.to_text(random.choice(table.match.state.moves())), spent=0)
    table.finish()
    names = NAMES[: len(table.fixture.seats)]
    with database.writing() as connection:
        seats = tuple((store.version(connection, name, "random", "random", NOW), name) for name in names)
        new = ScheduledGame(pair="p", game=rules, position=position, seats=seats)
        (id,) = store.schedule(connection, None, [new])
        store.finish(connection, id, table.match.record(), host=HOST, now=NOW, position=position)
        return recorded.game(connection, id)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rules", [name for name in games.names() if name != "tree"])
def test_a_game_from_any_position_is_the_rest_of_a_game(rules: str, seed: int, tmp_path: Path) -> None:
    random = Random(f"{rules} {seed}")
    state = walked(rules, random.randrange(1, 9), random)
    with Database(str(tmp_path / "arena.db")) as database:
        played(rules, games.start(rules).position(), database, random)
        game = played(rules, state.position(), database, random)
        checked = verify(database, Store(tmp_path / "arena.store"))
    assert checked.wrongs == []
    assert recorded_rules.start(game, trust=False).position() == state.position()
    found = replay(game)
    assert found.trouble == ""
    end = state
    for move in game.moves:
        end = end.play(end.from_text(move.move))
    assert found.steps[-1].state is not None
    assert found.steps[-1].state.position() == end.position()
    assert game.utilities == list(end.utilities())


def test_each_seat_is_sent_the_position_as_it_may_see_it() -> None:
    dealt = walked("leduc", 2, Random(1))
    table = Table(rules="leduc", position=dealt.position()).begin()
    starts = [post[0] for post in table.post]
    assert [getattr(start, "position", None) for start in starts] == [dealt.view(0), dealt.view(1)]
    assert dealt.view(0) != dealt.position()


def test_black_begins_and_its_clock_runs_first() -> None:
    table = Table(rules="chess", position=BARE, clock="10+1").begin()
    assert table.asked == 1
    table.play("e8d7", spent=3 * 10**9, after=3 * 10**9)
    first = table.match.moves[0]
    assert (first.ply, first.who, first.left) == (1, 1, 8 * 10**9)
    assert table.asked == 0


@pytest.mark.parametrize(
    ("rules", "position", "reason"),
    [
        ("chess", "zz", "expected a position in FEN"),
        ("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 7", "it is over"),
        ("tictactoe", "xxx/.../ooo", "tictactoe"),
        ("othello", "", "othello"),
    ],
)
def test_a_position_from_which_no_game_can_begin_is_refused(rules: str, position: str, reason: str) -> None:
    with pytest.raises(BadFixture, match=reason):
        position_read(rules, position)
    with pytest.raises(BadLeague, match=f"^position: .*{reason}"):
        from_arguments(rules, ["random", "random"], position=position or "x")


def test_fen_can_be_written_with_the_game() -> None:
    with_game = from_arguments(f"chess:fen={BARE}", ["random", "random"])
    beside = from_arguments("chess", ["random", "random"], position=BARE)
    assert (with_game.game, with_game.conditions.position) == ("chess", BARE)
    assert with_game.name == beside.name
    assert games.start(f"chess:fen={BARE}").position() == BARE
    with pytest.raises(BadLeague, match=r"^position: the game has a position already"):
        from_arguments(f"chess:fen={BARE}", ["random", "random"], position=BARE)


def test_openings_begin_at_the_position() -> None:
    opening = Book("chess", 2, seed=1, position=BARE).opening(0, "ann", "bob")
    state = games.load("chess", BARE)
    for text in opening.moves:
        state = state.play(state.from_text(text))
    assert (len(opening.moves), opening.position) == (2, BARE)


def test_the_same_moves_from_another_position_are_another_game(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        game = played("connect4", walked("connect4", 3, Random(1)).position(), database, Random(2))
    assert (
        len({moves_hash(game.moves), moves_hash(game.moves, (), game.position), moves_hash(game.moves, (), "x")}) == 3
    )


def test_debug_and_hints_see_the_position_that_the_agent_saw(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        game = played("connect4", walked("connect4", 4, Random(1)).position(), database, Random(2))
    turn = replay_turn(game, 1)
    assert turn.start.position == game.position


def read_back(game: PastGame, format: str) -> PastGame:
    if format == "ndjson":
        return next(read_lines(line(game), "file"))[1]
    if format == "pgn":
        return next(read_pgn(pgn(game), "file"))[1]
    from io import StringIO

    out = StringIO()
    spreadsheet.write([game], out)
    return next(spreadsheet.read(out.getvalue(), "file"))[1]


@pytest.mark.parametrize("format", ["csv", "ndjson", "pgn"])
@pytest.mark.parametrize("rules", ["chess", "othello"])
def test_files_keep_the_position(rules: str, format: str, tmp_path: Path) -> None:
    position = BARE if rules == "chess" else walked(rules, 5, Random(3)).position()
    with Database(str(tmp_path / "arena.db")) as database:
        game = played(rules, position, database, Random(4))
    again = read_back(game, format)
    assert (again.position, texts(again)) == (position, texts(game))


def test_pgn_says_it_as_other_programs_do(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        game = played("chess", BARE, database, Random(5))
    written = pgn(game)
    assert '[SetUp "1"]\n' in written
    assert f'[FEN "{BARE}"]\n' in written
    assert "\n7... " in written
    chess = pytest.importorskip("chess.pgn", reason="needs the package chess")
    from io import StringIO

    read = chess.read_game(StringIO(written))
    assert not read.errors
    assert [move.uci() for move in read.mainline_moves()] == [*texts(game)]


def test_sgf_sets_the_stones_up(tmp_path: Path) -> None:
    position = walked("go:size=5", 5, Random(6))
    with Database(str(tmp_path / "arena.db")) as database:
        game = played("go:size=5", position.position(), database, Random(7))
    root = sgf(game).partition("\n")[0]
    stones = [(row, column) for row in range(5) for column in range(5) if position.cell(row, column) == "x"]
    assert "AB" + "".join(f"[{'abcde'[column]}{'abcde'[row]}]" for row, column in stones) in root
    assert f"PL[{'BW'[position.turn]}]" in root


def texts(game: PastGame) -> Sequence[str]:
    return [move.move for move in game.moves]
