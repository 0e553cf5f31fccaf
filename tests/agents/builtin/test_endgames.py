"""Built-in agents with endgame tables: they win what is won, and are refused if the tables are not there."""

from pathlib import Path

import pytest

from adsearch import games
from adsearch.games.checkers import Checkers
from adsearch.games.checkers_endgames import as_file, path_of
from agents import BadAgent, CannotPlay, builtin, endgames, practice
from tests.kit.few_pieces import tables

WON = "B:WK1:BK28,K32"
"""Two kings against one: won in 31 plies."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tables, with those for up to 3 pieces."""
    monkeypatch.setenv("ARENA_TABLES", str(tmp_path))
    for pieces, table in enumerate(tables(3), 2):
        path_of(tmp_path, pieces).write_bytes(as_file(pieces, table))
    return tmp_path


def test_with_tables_two_kings_win_against_one_and_without_them_they_dither() -> None:
    """The tables are there for both: only an agent that names them uses them."""
    plain = practice("checkers", "alphabeta:depth=3", "alphabeta:depth=3", position=WON)
    assert (plain.utilities, len(plain.moves)) == ((0.0, 0.0), 80)
    won = practice("checkers", "alphabeta:depth=3,endgames=3", "alphabeta:depth=3", position=WON)
    assert (won.utilities, len(won.moves)) == ((1.0, -1.0), 31)


@pytest.mark.parametrize("name", [name for name in builtin.names() if name not in ("random", "greedy", "cfr")])
def test_every_agent_that_searches_wins_with_tables(name: str) -> None:
    played = practice("checkers", f"{name}:nodes=50,endgames=3", f"{name}:nodes=50,endgames=3", position=WON)
    assert (played.utilities, len(played.moves)) == ((1.0, -1.0), 31)


def test_an_agent_is_refused_without_its_tables(folder: Path) -> None:
    builtin.check_can_play("pvs:endgames=3", games.start("checkers"))
    with pytest.raises(CannotPlay, match=r"^pvs:endgames=4 cannot play checkers: there is no endgame table .*; arena"):
        builtin.check_can_play("pvs:endgames=4", games.start("checkers"))
    path_of(folder, 2).write_bytes(b"")
    with pytest.raises(
        CannotPlay, match=r"checkers-2.table is damaged.*; arena search tables checkers --pieces 2 builds it, or set"
    ):
        builtin.check_can_play("pvs:endgames=2", games.start("checkers"))


def test_an_agent_with_tables_is_refused_in_other_games() -> None:
    class Backwards(Checkers):
        """Rules derived from checkers, which are others."""

    for state in (games.start("connect4"), Backwards.start()):
        with pytest.raises(CannotPlay, match="there are endgame tables for checkers only"):
            builtin.check_can_play("pvs:endgames=3", state)


@pytest.mark.parametrize(("value", "said"), [("1", "from 2 to 4, got 1"), ("5", "got 5"), ("true", "a whole number")])
def test_the_number_of_pieces_is_checked(value: str, said: str) -> None:
    with pytest.raises(BadAgent, match=f"pvs: endgames: .*{said}"):
        builtin.find(f"pvs:endgames={value}")


def test_the_folder_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert endgames.folder() == tmp_path
    monkeypatch.delenv("ARENA_TABLES")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert endgames.folder() == Path("/cache/arena")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/ann")
    assert endgames.folder() == Path("/home/ann/.cache/arena")
