"""`arena run --pgn`, `--sgf` and `--every`: what engine testers get while games are played."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kit.arena_program import arena
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT

MATCH = (
    "run",
    "chess",
    "minimax:depth=1",
    "random",
    "--max-plies",
    "30",
    "--clock",
    "60",
    "--seed",
    "1",
    "--name",
    "m",
)


def names(file: Path) -> list[str]:
    """The games in the file, by their numbers."""
    return [line for line in file.read_text().splitlines() if line.startswith("[Number ")]


def test_a_match_writes_its_games_and_how_it_stands(tmp_path: Path) -> None:
    file, db = tmp_path / "out.pgn", str(tmp_path / "arena.db")
    run = (*MATCH, "--rounds", "2", "--db", db, "--pgn", str(file), "--event", "Test", "--every", "2")
    ended = arena(*run, columns=200)
    assert ended.code == 0, ended.err
    stands = [line for line in ended.out.splitlines() if line.startswith("minimax:depth=1 vs random, ")]
    assert [line.partition(" games in pairs: Elo ")[0][-1] for line in stands] == ["2", "4"]
    text = file.read_text()
    assert text.count('[Event "Test"]\n') == text.count('[Tournament "m"]\n') == text.count('[PlyCount "') == 4
    assert '[TimeControl "60"]\n' in text
    assert "[%nodes " in text
    before = text
    assert arena(*run).code == 0
    assert file.read_text() == before
    assert arena("data", "import", str(file), "--tournament", "again", "--db", db).code == 0


@pytest.mark.costly
def test_after_kills_every_game_is_in_the_file_once(tmp_path: Path) -> None:
    file, db = tmp_path / "out.pgn", str(tmp_path / "arena.db")
    run = (*MATCH, "--rounds", "15", "--db", db, "--pgn", str(file))
    for kills in range(1, 4):
        process = subprocess.Popen([sys.executable, "-m", "arena", *run], stdout=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while not file.exists() or len(names(file)) < 6 * kills:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
        process.wait()
    assert arena(*run).code == 0
    assert sorted(names(file)) == sorted(f'[Number "{number}"]' for number in range(1, 31))


@pytest.mark.parametrize(
    ("players", "given", "told"),
    [
        (("random", "minimax"), ("--sgf", "x.sgf"), "--sgf is for games of go; for chess: --pgn FILE"),
        (("random", "minimax", "greedy"), ("--every", "2"), "--every is for a match of two agents, got 3"),
        (("random", "minimax"), ("--site", "here"), "--event and --site are for the file of --pgn"),
        (
            ("random", "minimax"),
            ("--pgn", "nowhere/x.pgn"),
            "cannot write 'nowhere/x.pgn': there is no folder 'nowhere'",
        ),
    ],
)
def test_what_cannot_be_written_is_told_before_the_first_game(
    players: tuple[str, ...], given: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    ended = arena("run", "chess", *players, *given, "--db", "arena.db", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert not (tmp_path / "arena.db").exists()


def test_a_file_of_something_else_stays(tmp_path: Path) -> None:
    file = tmp_path / "thesis.pgn"
    file.write_text("my thesis")
    ended = arena(*MATCH, "--pgn", str(file), "--db", str(tmp_path / "arena.db"))
    assert (ended.code, file.read_text()) == (2, "my thesis")
    assert "expected games that arena has added here, or a name that is still free" in ended.err
    assert not (tmp_path / "arena.db").exists()


def test_the_whole_traffic_with_an_engine_is_kept(tmp_path: Path) -> None:
    engine = f"uci:{shlex.join([sys.executable, '-S', str(ROOT / 'benchmarks' / 'scripted_engine.py')])}"
    db = str(tmp_path / "arena.db")
    ended = arena("run", "chess", engine, "random", "--log", "engine", "--walls", "limits", "--seed", "1", "--db", db)
    assert ended.code == 0, ended.err
    assert {one.stat().st_mode & 0o777 for one in (tmp_path / "arena.logs").iterdir()} == {0o600}
    (file, other) = sorted((tmp_path / "arena.logs").iterdir())
    assert [file.name, other.name] == ["1-0.log", "2-1.log"]
    lines = [line.split(maxsplit=2)[1:] for line in file.read_text().splitlines()]
    assert [mark for mark, *_ in lines[:2]] == ["#", ">"]
    assert lines[1] == [">", "uci"]
    assert ["<", "uciok"] in lines
    assert [mark for mark, text in lines if text.startswith(("go ", "bestmove "))][:4] == [">", "<", ">", "<"]
    assert f"the whole traffic with this engine: {file}" in arena("replay", "1", "--logs", "--db", db, columns=300).out


@pytest.mark.costly
def test_an_engine_does_not_suffer_from_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    engine = f"uci:{shlex.join([sys.executable, '-S', str(ROOT / 'benchmarks' / 'scripted_engine.py')])}"
    (tmp_path / "arena.logs").write_text("")
    run = ("run", "chess", engine, engine, "--log", "engine", "--walls", "limits", "--db", str(tmp_path / "arena.db"))
    ended = arena(*run, columns=300)
    assert ended.code == 0, ended.err
    assert ended.out.count("checkmate") == 2
