"""The handshake: real engines are ready and play; what cannot play is refused before the first game."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from arena.match.allowance import WallKind
from arena.players.player import read_player
from tests.kit import behind_walls, engines
from tests.kit.arena_program import arena
from tests.kit.effort import SOAK, tries

PYTHON = shlex.quote(sys.executable)
"""Programs of one line, which speak no protocol of engines."""


@pytest.mark.costly
@pytest.mark.parametrize(
    ("player", "game"),
    [
        ("uci:stockfish?nodes=100&Hash=4", "chess"),
        ("uci:gnuchess?depth=1&OwnBook=false", "chess"),
        ("gtp:gnugo --level 1?set_random_seed=3", "go:size=5"),
        ("gnubg:gnubg?plies=0", "backgammon"),
    ],
)
def test_a_real_engine_wins_a_game_and_plays_again_from_the_record(player: str, game: str, tmp_path: Path) -> None:
    read = read_player(player)
    engines.need(read.command[0])
    for entered in (player, f"{read.name}@1"):
        database = ("--db", str(tmp_path / "arena.db"))
        ended = arena("play", game, entered, "random", "--seed", "3", "--format", "json", *database)
        assert ended.code == 0, ended.err
        (played,) = json.loads(ended.out)
        assert (played["verdict"], played["points"]) == ("normal", [1.0, 0.0])


@pytest.mark.parametrize(
    ("player", "game", "needs", "says"),
    [
        ("uci:stockfish?Hsh=3", "chess", "stockfish", "the engine has no option 'Hsh'; did you mean 'Hash'?"),
        (
            "uci:stockfish?Threads=0",
            "chess",
            "stockfish",
            "option Threads: expected an integer from 1 to 1024, got '0'",
        ),
        ("uci:stockfish?hash=1025", "chess", "stockfish", "more than half of the memory limit; expected at most 1024"),
        ("uci:/bin/echo?EvalFile=./my.nnue", "chess", "", "EvalFile= names './my.nnue': there is no such file"),
        ("uci:stockfish", "connect4", "", "'uci:stockfish' is an engine for chess: it cannot play connect4"),
        ("gtp:gnugo?levle=3", "go:size=5", "gnugo", "answered 'levle 3' with an error: 'unknown command'"),
        ("gtp:gnugo", "chess", "", "'gtp:gnugo' is an engine for go: it cannot play chess"),
        (f"uci:{PYTHON} -c pass", "chess", "", "does not speak UCI: it exited with code 0"),
        ("uci:/bin/echo unknown command", "chess", "", "write 'gtp:' if it is an engine for go"),
        (
            f"gtp:{PYTHON} -c 'import none'",
            "go:size=5",
            "",
            "does not speak GTP: it exited with code 1: M",
        ),
    ],
)
def test_what_cannot_play_is_refused_before_the_first_game(player: str, game: str, needs: str, says: str) -> None:
    if needs:
        engines.need(needs)
    ended = arena("play", game, player, "random", "--no-record")
    assert (ended.code, ended.out) == (2, "")
    assert says in " ".join(ended.err.split())
    assert len(ended.err.splitlines()) == 1


@pytest.mark.costly
@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("while True: print('x')", "wrote more than 1048576 bytes that nobody asked for"),
        (
            "import os, time; [os.fork() or time.sleep(60) for _ in range(200)]; time.sleep(60)",
            "more than the 64 threads and processes",
        ),
        (
            "print('option name Hash type string default', 5000 * '9'); print('uciok')",
            "not ready for a game: it exited",
        ),
    ],
)
def test_the_limits_hold_in_the_handshake_too(program: str, says: str) -> None:
    ended = arena(
        "play", "chess", f"uci:{PYTHON} -c {shlex.quote(program)}", "random", "--walls", "limits", "--no-record"
    )
    assert ended.code == 2
    assert says in " ".join(ended.err.split())


@pytest.mark.parametrize("answer", ["Invalid move: uci", "Illegal move: uci", "Error (unknown command): uci"])
def test_an_engine_for_xboard_is_told_so_by_name(answer: str) -> None:
    program = shlex.quote(f"input(); print({answer!r}, flush=True); input()")
    ended = arena("play", "chess", f"uci:{PYTHON} -c {program}", "random", "--walls", "limits", "--no-record")
    assert ended.code == 2
    assert f"answered '{answer}', as engines for xboard do, which arena does not speak" in " ".join(ended.err.split())


def test_a_program_that_never_answers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(
        f"""
        name = "Silent"
        game = "chess"
        limits.start = 0.1
        limits.ready = 0.1
        agent = [
          {{ name = "silent", player = "uci:{PYTHON} -c 'input(); input()'" }},
          {{ name = "random", player = "random" }},
        ]
        """
    )
    ended = arena("run", str(tmp_path / "t.toml"), "--db", str(tmp_path / "arena.db"))
    assert ended.code == 2
    assert "does not speak UCI: it did not answer within" in ended.err


@pytest.mark.costly
def test_more_nodes_play_better_chess_in_a_sandbox(tmp_path: Path) -> None:
    engines.need("stockfish")
    behind_walls.need(WallKind.SANDBOX)
    players = {
        "1,000 nodes": "uci:stockfish?nodes=1000",
        "100 nodes": "uci:stockfish?nodes=100",
        "two plies": "pvs:depth=2",
        "random": "random",
    }
    if SOAK:
        players = {"10,000 nodes": "uci:stockfish?nodes=10000", **players}
    agents = "".join(f'[[agent]]\nname = "{name}"\nplayer = "{player}"\n' for name, player in players.items())
    (tmp_path / "t.toml").write_text(
        f'name = "Order"\ngame = "chess"\nwalls = "sandbox"\nrounds = {tries(1, soak=4)}\nseed = 1\n{agents}'
    )
    database = str(tmp_path / "arena.db")
    assert arena("run", str(tmp_path / "t.toml"), "--db", database).code == 0
    standings = json.loads(arena("results", "Order", "--db", database, "--format", "json").out)
    assert [row["name"] for row in standings] == list(players)
