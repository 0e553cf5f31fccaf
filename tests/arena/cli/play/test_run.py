"""`arena run` as its user sees it, and as a power cut does: every game is played exactly once."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import select
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Final, cast
from unittest import mock

import pytest
import typer
from msgspec import structs

from arena.cli.play import run
from arena.cli.play.run import STEPS, RunStep, _check_cores, play_course
from arena.cli.play.tournament_display import TournamentDisplay
from arena.course import example, roster
from arena.errors import ArenaError, BadLeague
from arena.match.seeds import GameSeeds
from arena.tournament import league as leagues
from arena.tournament.tournament import Tournament
from arena.walls import probe
from arena.walls.usage import descendants
from db import private
from db.database import Database
from tests.kit import shown_commands
from tests.kit.arena_program import arena, environment
from tests.kit.effort import PATIENCE, SOAK, tries
from tests.kit.places import GREEDY, ROOT

DESCRIPTION = f"""
name = "evening"
game = "tictactoe"
clock = "5"
seed = 7
openings = 1
games_at_once = 2
[[agent]]
name = "greedy"
player = "{GREEDY}"
[[agent]]
name = "random"
player = "random"
[[agent]]
name = "searcher"
player = "alphabeta:depth=2"
[[agent]]
name = "dice"
player = "mcts:simulations=20"
"""
GAMES = 12


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the tournament is run; what its processes leave in the temporary folder would be found."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        describe(Path(name))
        yield Path(name)


@pytest.fixture(scope="module")
def evening() -> Iterator[tuple[Path, str]]:
    """The folder of a tournament that was run to its end, only to be looked at, and what that printed."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        describe(Path(name))
        yield Path(name), finished(Path(name))


def describe(folder: Path) -> None:
    (folder / "evening.toml").write_text(DESCRIPTION, "utf-8")
    (folder / "tmp").mkdir()


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """`arena run` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", *(arguments or ("evening.toml",))],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(80) | {"PYTHONUNBUFFERED": "1", "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(ROOT)},
        cwd=folder,
    )


def finished(folder: Path, *arguments: str) -> str:
    """What a whole run prints; it runs in this process, which starts sooner."""
    temporary = str(folder / "tmp")
    with (
        mock.patch.dict(os.environ, {"TMPDIR": temporary, "PYTHONPATH": str(ROOT)}),
        mock.patch.object(tempfile, "tempdir", temporary),
    ):
        ended = arena("run", *(arguments or ("evening.toml",)), cwd=folder)
    assert ended.code == 0, ended.err
    return ended.out


def sql(folder: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "arena.db")) as connection:
        return connection.execute(query).fetchall()


def assert_whole(folder: Path, *, games: int = GAMES) -> None:
    """Every game was played exactly once, all of it is on record, and nothing else is left."""
    assert sql(folder, "SELECT status, COUNT(*) FROM game WHERE status <> 'void' GROUP BY status") == [
        ("finished", games)
    ]
    counted = "SELECT COUNT(*), COUNT(DISTINCT pair || leg) FROM game WHERE status = 'finished'"
    assert sql(folder, counted) == [(games, games)]
    assert sql(folder, "SELECT COUNT(*) FROM game WHERE plies <> (SELECT COUNT(*) FROM move WHERE game = id)") == [(0,)]
    verified = arena("data", "verify", "--db", str(folder / "arena.db"))
    assert verified.code == 0, verified.out + verified.err
    assert [path for path in (folder / "tmp").iterdir() if not left_by_python(path)] == []


def left_by_python(file: Path) -> bool:
    """Whether Python wrote this file to find out if the folder is writable (`tempfile.gettempdir`), and was killed
    before it removed the file."""
    return file.is_file() and file.read_bytes() in (b"", b"blat")


def test_a_tournament_is_announced_played_line_by_line_and_concluded(evening: tuple[Path, str]) -> None:
    folder, printed = evening
    lines = printed.splitlines()
    assert lines[0] == ("evening: tictactoe, round-robin, 4 players, clock 5: 6 pairings, 12 games, about 60 s")
    games = [line for line in lines if re.match(r" *\d+/12  ", line)]
    assert [line.split("/")[0].strip() for line in games] == [str(number) for number in range(1, 13)]
    how = r"\d plies   (three in a row|a full board)   \(\S+ \d\.\d s, \S+ \d\.\d s\)"
    pattern = rf" *\d+/12  \S+ (1-0|0-1|½-½) \S+   tictactoe   {how}"
    assert all(re.fullmatch(pattern, line) for line in games)
    assert re.fullmatch(r"1 agent confined: \w+", lines[1])
    ((key,),) = sql(folder, "SELECT seats_key FROM tournament")
    assert lines[2] == f"to repeat agents' random choices too: seats_key = {key}"
    assert lines[15].split()[:3] == ["rank", "name", "games"]
    assert "evening is finished: 12 games. Next:" in lines
    assert_whole(folder)


def test_a_short_seed_does_not_tell_an_agent_by_its_own_seed(evening: tuple[Path, str]) -> None:
    folder, _ = evening
    ((key,),) = sql(folder, "SELECT seats_key FROM tournament")
    seats = sql(folder, "SELECT pair, leg, seat, seat.seed FROM seat JOIN game ON game.id = seat.game")
    for pair, leg, seat, seed in seats:
        assert _seat_seed(int(str(key)), pair, leg, seat) == seed
        assert all(_seat_seed(short, pair, leg, seat) != seed for short in range(20))


def test_run_and_doctor_name_what_other_users_can_read(folder: Path) -> None:
    folder.chmod(0o755)
    finished(folder)
    opened = [folder / "arena.db", folder / "arena.store"]
    assert not list(filter(private.why_open, opened))
    for path in opened:
        path.chmod(path.stat().st_mode | 0o055)
    again = arena("run", "evening.toml", cwd=folder)
    told = "other users of this machine can read arena.{}: chmod {} arena.{}"
    for line in (told.format("db", 600, "db"), told.format("store", 700, "store")):
        assert f"warning: {line}" in again.err.splitlines()
    found = json.loads(arena("doctor", "--format", "json", cwd=folder).out)
    assert [one["advice"] for one in found if one["name"] == "private"] == [
        "chmod 600 arena.db",
        "chmod 700 arena.store",
    ]


def test_with_seed_and_seats_key_every_move_is_repeated(folder: Path) -> None:
    players = ("tictactoe", "random", "random", "--clock", "none", "--seed", "7")
    printed = finished(folder, *players, "--name", "one")
    (key,) = re.findall(r"seats_key = (\d+)", printed)
    finished(folder, *players, "--name", "two", "--seats-key", key)
    finished(folder, *players, "--name", "three")
    played = [
        sql(folder, f"SELECT moves_hash FROM game WHERE tournament = {number} ORDER BY number") for number in (1, 2, 3)
    ]
    assert played[0] == played[1]
    assert played[0] != played[2]


def _seat_seed(key: int, pair: object, leg: object, seat: object) -> int:
    return GameSeeds.of(key, (pair,), leg=int(str(leg)), attempt=1).for_seat(int(str(seat)))


@pytest.mark.costly
def test_the_demo_is_a_tournament_of_the_built_in_searchers(tmp_path_factory: pytest.TempPathFactory) -> None:
    _, ended = shown_commands.demo(tmp_path_factory)
    assert ended.code == 0, ended.err
    assert "6 players" in ended.out
    assert "demo is finished: 30 games. Next:" in ended.out


def test_a_finished_tournament_is_only_shown_again(evening: tuple[Path, str]) -> None:
    folder, _ = evening
    again = finished(folder)
    assert "continuing: 12 of 12 games are over" in again
    assert not re.search(r"^ *\d+/12 ", again, re.MULTILINE)
    assert_whole(folder)


def test_a_game_in_which_the_server_failed_is_played_once_more(
    evening: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(evening[0], tmp_path / "evening")
    with closing(sqlite3.connect(folder / "arena.db")) as connection, connection:
        connection.execute("UPDATE game SET status = 'void', verdict = 'void', detail = 'killed' WHERE number = 3")
        connection.execute(
            "UPDATE seat SET points = NULL, utility = NULL WHERE game IN (SELECT id FROM game WHERE number = 3)"
        )
    with Database(str(folder / "arena.db")) as database:
        display = TournamentDisplay(leagues.read(folder / "evening.toml"))
        display._say_what_failed(cast("Tournament", SimpleNamespace(id=1)), database)
    said = capsys.readouterr().out
    assert said.startswith("no result, because the server failed: evening-3. `arena replay evening-3 --show` says why")
    assert "; the same command plays 1 game once more\n" in said
    printed = finished(folder)
    assert "continuing: 11 of 12 games are over" in printed
    assert "played once more, because the server failed: 1 game (evening-3)\n" in printed
    assert "no result" not in printed
    assert_whole(folder)


def test_the_plan_alone_plays_nothing(folder: Path) -> None:
    planned = finished(folder, "evening.toml", "--plan")
    assert "6 pairings, 12 games" in planned
    assert not (folder / "arena.db").exists()


def test_the_plan_compares_formats(folder: Path) -> None:
    printed = finished(folder, "evening.toml", "--plan").splitlines()
    (header,) = (line for line in printed if line.startswith("format"))
    assert header.split() == ["format", "rounds", "games", "time", "±"]
    own = next(line for line in printed if line.endswith("this description"))
    assert re.fullmatch(r"round-robin +1 +12 +60 s +197  this description", own)
    assert any(re.match(r"knockout +best of 1 +at most 24 +2 minutes +-$", line) for line in printed)


LONG = 'game = "connect4"  # the game\nclock = "140"  # slow\ngames_at_once = 1\n\n'
LONG += "".join(f'[[agent]]  # {number}\nname = "p{number}"\nplayer = "random"\n' for number in range(8))


def test_the_plan_of_a_long_tournament_ends_with_advice_that_is_true(folder: Path) -> None:
    (folder / "long.toml").write_text(LONG, "utf-8")
    *_, advice, command = finished(folder, "long.toml", "--plan").splitlines()
    assert (advice, command) == (
        'in 2 hours: format = "swiss", rounds = 3',
        "  arena run long.toml --fit 2h   (writes this into the file)",
    )
    fitted = finished(folder, "long.toml", "--fit", "2h").splitlines()
    assert fitted[0] == 'changed: format = "swiss", rounds = 3'
    assert fitted[1].startswith("long: connect4, swiss, 8 players, clock 140: 12 pairings, 24 games, about ")
    assert not any(line.startswith("in 2 hours") for line in fitted)
    first, rest = LONG.split("\n", 1)
    assert (folder / "long.toml").read_text("utf-8") == f'{first}\nformat = "swiss"\nrounds = 3\n{rest}'
    assert finished(folder, "long.toml", "--plan").splitlines() == fitted[1:]
    assert "\nlong.toml fits as it is\n" in "\n" + finished(folder, "long.toml", "--fit", "2h")
    assert not (folder / "arena.db").exists()


def test_the_time_that_the_refusal_of_a_fit_names_is_enough_and_the_least(folder: Path) -> None:
    (folder / "long.toml").write_text(LONG, "utf-8")
    refused = arena("run", "long.toml", "--fit", "1m", cwd=folder)
    assert refused.code == 2
    named = re.search(r"--fit (\d+)m;", " ".join(refused.err.split()))
    assert named is not None
    minutes = int(named[1])
    assert arena("run", "long.toml", "--fit", f"{minutes - 1}m", cwd=folder).code == 2
    assert finished(folder, "long.toml", "--fit", f"{minutes}m").startswith("changed: ")


def test_the_advice_without_a_file_is_the_options(folder: Path) -> None:
    arguments = ("connect4", "random", "pvs", "--rounds", "99", "--clock", "300", "--games-at-once", "1", "--plan")
    (advice,) = (line for line in finished(folder, *arguments).splitlines() if line.startswith("in 2 hours: "))
    options = advice.removeprefix("in 2 hours: ").split()
    assert options[0] == "--rounds"
    games = int(options[1]) * 2
    again = finished(folder, *arguments, *options)
    assert f" {games} games, " in again
    assert "in 2 hours" not in again


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("long.toml", "--fit", "2x"), "--fit: expected a time such as '90s', '5m' or '2h'"),
        (("long.toml", "--fit", "1m"), "too few for 8 players: 24 is the least, which fit into --fit "),
        (("quick.toml", "--fit", "1m"), "the time of quick.toml is not known, because there is no clock"),
        (("odd.toml", "--fit", "2h"), 'cannot change odd.toml: write this into it: format = "swiss", rounds = 3'),
        (("connect4", "random", "random", "--fit", "2h"), "--fit: expected a description FILE.toml"),
        (("long.toml", "--fit", "2h", "--until", "06:00"), "--until: not allowed with --fit"),
    ],
)
def test_what_cannot_be_fitted_is_one_error_and_changes_nothing(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    texts = {
        "long.toml": LONG,
        "quick.toml": LONG.replace("140", "none"),
        "odd.toml": LONG.replace("game =", '"game" ='),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    ended = arena("run", *arguments, cwd=folder)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert {name: (folder / name).read_text("utf-8") for name in texts} == texts


@pytest.mark.costly
def test_a_tournament_that_has_begun_is_not_fitted(folder: Path) -> None:
    text = 'game = "nap"\n' + "".join(f'[[agent]]\nname = "p{n}"\nplayer = "random"\n' for n in range(2))
    (folder / "begun.toml").write_text(text, "utf-8")
    finished(folder, "begun.toml")
    ended = arena("run", "begun.toml", "--fit", "1s", cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "arena: --fit: begun has begun: its format stays, and rounds can only be added\n"
    assert (folder / "begun.toml").read_text("utf-8") == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("connect4", "random", "random", "--clock", "0+60x1"), "1 pairing, 2 games, about "),
        (("ludo", "random", "random", "random", "random", "--clock", "9"), "1 pairing, 4 games, about 2 minutes"),
        (
            ("connect4", *["random"] * 6, "--format", "knockout", "--clock", "move=1"),
            "at most 20 pairings, 40 games, about",
        ),
        (("connect4", "random", "pvs", "--rounds", "9", "--sprt", "0,50"), "at most 9 pairings, 18 games, about"),
    ],
    ids=["byo-yomi", "four seats", "a knockout", "a match with a test"],
)
def test_the_plan_says_about_or_at_most(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    first = finished(folder, *arguments, "--plan", "--games-at-once", "1").splitlines()[0]
    assert said in first


@pytest.mark.costly
def test_games_on_record_tell_how_long_the_others_will_take_and_how_many_repeat(folder: Path) -> None:
    arguments = ("connect4", "minimax:depth=1", "minimax:depth=1", "--rounds", "6", "--clock", "30", "--seed", "1")
    planned = arena("run", *arguments, "--plan", cwd=folder)
    assert "if players use all their time in games of" in planned.out
    assert planned.err.startswith(
        "warning: the same players meet up to 6 times without openings: deterministic players"
    )
    finished(folder, *arguments)
    planned_again = finished(folder, *arguments, "--plan")
    assert "the mean of the last 12 such games" in planned_again
    assert "continuing: 12 of 12 games are over" in planned_again
    assert "10 of 12 games repeat another game move for move" in planned_again
    # The run expects the same as the plan.
    assert finished(folder, *arguments).splitlines()[0] == planned_again.splitlines()[0]


@pytest.mark.parametrize("arguments", [("--plan",), ()])
def test_a_module_that_is_not_here_is_told_before_anything_else(folder: Path, arguments: tuple[str, ...]) -> None:
    described = (folder / "evening.toml").read_text("utf-8")
    (folder / "typo.toml").write_text(f'modules = ["numpi"]\n{described}', "utf-8")
    ended = arena("run", "typo.toml", *arguments, cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert "modules: " in ended.err
    assert "cannot import 'numpi'" in ended.err
    assert not (folder / "arena.db").exists()


def test_without_a_file_the_same_arguments_go_on(folder: Path) -> None:
    arguments = ("tictactoe", "random", "alphabeta:depth=1", "--clock", "none", "--seed", "4", "--rounds", "2")
    first = finished(folder, *arguments)
    assert "4 games" in first
    assert "continuing: 4 of 4" in finished(folder, *arguments)


DUEL = (
    "tictactoe",
    "alphabeta:depth=2",
    "random",
    "--rounds",
    "60",
    "--clock",
    "none",
    "--seed",
    "4",
    "--name",
    "duel",
)


BY_STATUS = "SELECT status, COUNT(*) FROM game GROUP BY status ORDER BY status"


@pytest.mark.costly
def test_a_match_ends_as_soon_as_its_test_is_decided(folder: Path) -> None:
    arguments = (*DUEL, "--openings", "1", "--games-at-once", "2", "--sprt", "0,100")
    lines = finished(folder, *arguments).splitlines()
    better, not_better = (
        f"alphabeta:depth=2 is {how} random" for how in ("at least 100 Elo better than", "not better than")
    )
    assert lines[:2] == [
        "duel: tictactoe, match, 2 players, clock none: at most 60 pairings, 120 games, time not known",
        f"SPRT, stops when it accepts H0: {not_better}; or H1: {better} (alpha 0.05, beta 0.05, logistic)",
    ]
    outcome = next(line for line in lines[2:] if line.startswith("SPRT"))
    told = rf"SPRT: H1 accepted: {better} \(LLR (\d\.\d\d), bounds -2\.94 and 2\.94\) after (\d+) of 120 games"
    found = re.fullmatch(told, outcome)
    assert found, outcome
    assert float(found[1]) >= 2.94
    (_, cancelled), (_, played) = games = sql(folder, BY_STATUS)
    assert [status for status, _ in games] == ["cancelled", "finished"]
    assert isinstance(played, int)
    assert isinstance(cancelled, int)
    assert cancelled + played == 120
    assert int(found[2]) <= played <= int(found[2]) + 2
    assert f"duel is finished: {played} games. Next:" in lines
    assert sum(bool(re.match(r" *\d+/\d+  ", line)) for line in lines) == played
    again = finished(folder, *arguments).splitlines()
    assert f"continuing: {played} of {played} games are over" in again
    assert outcome in again
    assert sql(folder, BY_STATUS) == games
    assert arena("data", "verify", "--db", str(folder / "arena.db")).code == 0


def test_a_match_whose_test_is_not_decided_says_so(folder: Path) -> None:
    lines = finished(folder, *DUEL, "--rounds", "2", "--sprt", "-2,2").splitlines()
    undecided = r"SPRT: undecided \(LLR -?0\.\d\d, bounds -2\.94 and 2\.94\) after 4 of 4 games"
    assert any(re.fullmatch(undecided, line) for line in lines)
    assert "duel is finished: 4 games. Next:" in lines


@pytest.mark.costly
@pytest.mark.parametrize("line", [3, 9, 16] if SOAK else [9])
def test_a_match_that_is_killed_goes_on_until_its_test_is_decided(folder: Path, line: int) -> None:
    arguments = (*DUEL, "--openings", "1", "--games-at-once", "3", "--sprt", "0,100")
    with start(folder, *arguments) as process:
        wait_for_lines(process, line)
        process.kill()
        process.communicate(timeout=PATIENCE)
    assert "SPRT: H1 accepted: alphabeta:depth=2" in finished(folder, *arguments)
    assert sql(folder, "SELECT COUNT(*) FROM game WHERE status NOT IN ('finished', 'cancelled')") == [(0,)]
    assert sql(folder, "SELECT COUNT(*), COUNT(DISTINCT pair || leg) FROM game") == [(120, 120)]
    verified = arena("data", "verify", "--db", str(folder / "arena.db"))
    assert verified.code == 0, verified.out + verified.err


UNHURRIED = """
import time
from agents import Agent

class Unhurried(Agent):
    def choose(self, state, clock):
        time.sleep(0.1)
        return state.moves()[0]
"""


@pytest.mark.costly
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_finish_the_games_in_progress(folder: Path, number: signal.Signals) -> None:
    (folder / "unhurried.py").write_text(UNHURRIED, "utf-8")  # no game is over right after it has begun
    arguments = ("tictactoe", "unhurried.py", "random", "--format=match", "--rounds=6", "--clock=5")
    with start(folder, *arguments) as process:
        assert process.stdout is not None
        assert any(line.lstrip().startswith("2/12") for line in process.stdout)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number, err
    assert out.count("finishing the games in progress") == 1
    assert re.search(r"^stopped after \d+ of 12 games, about .* left; the same command continues$", out, re.MULTILINE)
    assert not set(out + err) & set("\x1b\r"), "control characters in a pipe"
    assert sql(folder, "SELECT COUNT(*) FROM game WHERE status = 'playing'") == [(0,)]
    assert os.listdir(folder / "tmp") == []
    finished(folder, *arguments)
    assert_whole(folder)


@pytest.mark.journey
def test_ctrl_c_again_and_again_does_not_interrupt_the_end(folder: Path) -> None:
    """From the second game on, once for each printed line, and in quick succession until the process has ended."""
    with start(folder) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        for line in process.stdout:
            lines.append(line)
            process.send_signal(signal.SIGINT)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    recorded = sql(folder, "SELECT COUNT(*) FROM game WHERE status = 'finished'")[0][0]
    assert lines[-1].startswith(f"stopped after {recorded} of 12 games")
    assert lines[-1].endswith("the same command continues\n")
    assert sum("/12  " in line for line in lines) == recorded


@pytest.mark.costly
def test_a_second_run_of_the_same_tournament_is_refused(folder: Path) -> None:
    slow = ("connect4", "mcts:seconds=50", "random", "--clock", "none", "--seed", "1")
    with start(folder, *slow) as process:
        assert process.stdout is not None
        process.stdout.readline()  # what there is to come: printed before the lock is taken
        while not sql_if_there(folder, "SELECT COUNT(*) FROM game WHERE status = 'playing'"):
            pass
        with start(folder, *slow) as second:
            _, err = second.communicate(timeout=PATIENCE)
        process.kill()
        process.communicate(timeout=PATIENCE)
    assert second.returncode == 1
    assert "another process is running tournament" in err


def sql_if_there(folder: Path, query: str) -> object:
    """The one number that the query gives; None where there are no tables yet."""
    try:
        return sql(folder, query)[0][0] if (folder / "arena.db").exists() else None
    except sqlite3.OperationalError:
        return None


@pytest.mark.costly
@pytest.mark.parametrize("number", range(tries(2, soak=100)))
def test_whoever_is_killed_when_every_game_is_played_exactly_once(folder: Path, number: int) -> None:
    drawn = random.Random(number)
    victims = ("director", "referee", "player", "all")
    for attempt in range(3):
        with start(folder) as process:
            wait_for_lines(process, drawn.randrange(6))
            kill(process, victims[(number + attempt) % 4], drawn)
            process.communicate(timeout=PATIENCE)
    finished(folder)
    assert_whole(folder)


SHORT_GAMES: Final = 300 if SOAK else 40


@pytest.mark.journey
@pytest.mark.parametrize("number", range(tries(1, soak=40)))
def test_short_games_that_follow_each_other_are_played_once_with_any_kills(folder: Path, number: int) -> None:
    drawn = random.Random(number)
    players = ("random", "random:seed=1")
    options = ("--rounds", str(SHORT_GAMES // 2), "--clock", "none", "--seed", "4", "--name", "short")
    arguments = ("tictactoe", *players, *options, "--games-at-once", str(1 + number % 4))
    for victim in drawn.sample(("director", "referee", "player", "all"), 4 if SOAK else 2):
        with start(folder, *arguments) as process:
            wait_for_lines(process, drawn.randrange(SHORT_GAMES // 4))
            kill(process, victim, drawn)
            process.communicate(timeout=PATIENCE)
    finished(folder, *arguments)
    assert_whole(folder, games=SHORT_GAMES)


def wait_for_lines(process: subprocess.Popen[str], count: int) -> None:
    """Until the process has printed so many lines, or ended."""
    assert process.stdout is not None
    for _ in range(count):
        if not process.stdout.readline():
            return


def kill(process: subprocess.Popen[str], victim: str, drawn: random.Random) -> None:
    """Kills one of the run's processes, or all; whatever is left ends with them or goes on."""
    children = [child for child in descendants(process.pid) if "arena.confine" not in command_line(child)]
    handles = dict[int, int]()
    for child in children:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            handles[child] = os.pidfd_open(child)
    referees = [child for child in handles if "arena.play.referee" in command_line(child)]
    players = [child for child in handles if child not in referees]
    targets = {
        "director": [],
        "referee": referees,
        "player": [drawn.choice(players)] if players else [],
        "all": [*handles],
    }[victim]
    for child in targets:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(handles[child], signal.SIGKILL)
    if victim in ("director", "all"):
        process.kill()
        for handle in handles.values():
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            assert poll.poll(1000 * PATIENCE), "a process lives on"
    for handle in handles.values():
        os.close(handle)


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.toml"], "absent.toml"),
        (
            ["my_agent.py"],
            "my_agent.py is an agent; name a game and at least two players, for example: arena run connect4 ",
        ),
        (["tictactoe", "random"], "expected at least 2 agents"),
        (["tictactoe", "random", "randm"], "did you mean 'random'"),
        (["tictactoe", "random", "pvs", "--clock", "soon"], "expected a clock"),
        (["tictactoe", "random", "pvs", "--format", "robin"], "robin"),
        (["pig", "random", "minimax"], "minimax cannot play pig"),
        (["tictactoe", "random", "human"], "human"),
        (["tictactoe", "random", "pvs", "--sprt", "50"], "--sprt: expected ELO0,ELO1, such as 0,50, got '50'"),
        (["tictactoe", "random", "pvs", "--sprt", "0,x"], "--sprt: expected ELO0,ELO1, such as 0,50, got '0,x'"),
        (["tictactoe", "random", "pvs", "--sprt", "0,nan"], "sprt: elo1: expected a number, got nan"),
        (["tictactoe", "random", "pvs", "--sprt", "5,-5"], "sprt: expected elo0 below elo1, got 5 and -5"),
        (["tictactoe", "random", "pvs", "mcts", "--sprt", "0,5"], "expected 2 agents for a match, got 3"),
        (
            ["tictactoe", "random", "pvs", "--format", "swiss", "--sprt", "0,5"],
            "not used with the format swiss, only with match",
        ),
        (["absent.toml", "--sprt", "0,5"], "--sprt: not allowed with a description"),
        (["absent.toml", "--rounds", "1"], "--rounds: not allowed with a description"),
        (["absent.toml", "--games-at-once", "1"], "--games-at-once: not allowed with a description"),
    ],
)
def test_a_wrong_argument_is_one_clear_error(tmp_path: Path, arguments: list[str], words: str) -> None:
    ended = arena("run", *arguments, cwd=tmp_path)
    assert ended.code == 2
    assert words in " ".join(ended.err.split())
    assert os.listdir(tmp_path) == []


def test_the_record_tells_on_what_it_was_played(evening: tuple[Path, str]) -> None:
    folder, _ = evening
    hosts = [json.loads(str(host)) for (host,) in sql(folder, "SELECT DISTINCT host FROM game")]
    machine = {"name", "processor", "cores", "speed", "system", "python", "software"}
    assert all(set(host) == machine | {"walls", "waits_charged", "max_plies", "names"} for host in hosts)
    assert all(host["name"] and host["processor"] and host["speed"] > 0 for host in hosts)
    assert {host["walls"] for host in hosts} == {None, str(probe.chosen(None).kind)}


@pytest.mark.parametrize(
    ("there", "at_once", "words"),
    [
        (2, None, "3 in total, but this machine has 2: use a machine with 3, or leave ponder out"),
        (4, 2, "5 in total, but this machine has 4: use games_at_once = 1, or leave ponder out"),
        (3, None, ""),
        (5, 2, ""),
    ],
)
def test_who_may_think_in_the_others_time_needs_a_core_of_its_own(
    there: int, at_once: int | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.play.cores.count", lambda: there)
    league = leagues.from_arguments("tictactoe", ["random", "pvs"], games_at_once=at_once)
    _check_cores(league)
    ponders = replace(league, conditions=structs.replace(league.conditions, ponder=True))
    if not words:
        _check_cores(ponders)
        return
    with pytest.raises(BadLeague, match=re.escape(words)):
        _check_cores(ponders)


# `arena demo --course` prints each command, gives it, and stops at the first that fails.


def test_all_commands_are_printed_as_they_are_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given: list[RunStep] = []

    def give(step: RunStep, folder: Path) -> int:
        assert capsys.readouterr().out.endswith(f"\n$ {step}\n")  # printed before it begins
        given.append(step)
        return 0

    play_course(tmp_path / "my course", give=give)
    assert given == list(STEPS)
    assert "The demo is over" in capsys.readouterr().out


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_every_command_is_one_of_ours_with_its_options(step: RunStep) -> None:
    words, _, file = str(step).partition(" > ")
    assert tuple(shlex.split(words)) == ("arena", *step.arguments)
    assert file == step.to
    command = step.arguments[: 2 if step.arguments[0] == "course" else 1]
    text = arena(*command, "--help", columns=200).out
    assert text
    for option in re.findall(r"--[a-z-]+", words):
        assert option in text


def test_a_command_that_fails_ends_the_demo_and_says_how_to_continue(tmp_path: Path) -> None:
    given: list[RunStep] = []

    def give(step: RunStep, folder: Path) -> int:
        given.append(step)
        return 3 if len(given) == 2 else 0

    with pytest.raises(ArenaError, match=r"exit code 3; .* arena demo --course .*course-demo"):
        play_course(tmp_path / "course-demo", give=give)
    assert len(given) == 2


def test_an_interrupted_demo_continues_in_the_same_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "course-demo"
    with pytest.raises(typer.Exit) as ended:
        play_course(folder, give=lambda *_: 130)
    assert ended.value.exit_code == 130
    assert f"to continue: arena demo --course {folder}" in capsys.readouterr().err
    (folder / "cs101.toml").write_text("changed")
    play_course(folder, give=lambda *_: 0)
    assert "continues in it" in capsys.readouterr().out
    assert (folder / "cs101.toml").read_text() == "changed"


def test_a_folder_of_the_user_is_refused_and_unchanged(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    ended = arena("demo", "--course", "mine", cwd=tmp_path)
    assert ended.code == 2
    assert "'mine' already exists: name a new folder" in ended.err
    assert [*(tmp_path / "mine").iterdir()] == []


def test_a_folder_or_a_database_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    ended = arena("demo", "my-course", cwd=tmp_path)
    assert (ended.code, "for a course: arena demo --course my-course" in ended.err) == (2, True)
    ended = arena("demo", "--course", "--db", "x.db", cwd=tmp_path)
    assert (ended.code, "not with --course" in ended.err) == (2, True)
    assert [*tmp_path.iterdir()] == []


def test_the_output_of_a_command_goes_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "arena.py").write_text("raise SystemExit(9)")  # must not be imported
    assert run._give(RunStep("The games.", ("games",), to="games.txt"), tmp_path) == 0
    assert "connect4" in (tmp_path / "games.txt").read_text("utf-8")


def smaller(folder: Path) -> None:
    """Leaves four submissions, of which two pass, and one round."""
    students = roster.read((folder / "roster.csv").read_text("utf-8"), "roster.csv")
    by_system = example.hand_ins(students)
    few = {
        system: [one for one in theirs if one.student.alias in ("heron", "lynx", "finch")]
        for system, theirs in by_system.items()
    }
    example.moodle_zip(folder / "moodle.zip", few["moodle"])
    example.canvas_zip(folder / "canvas.zip", few["canvas"], deadline=few["canvas"][0].when)
    for path in (folder / "blackboard").iterdir():
        if "_3007_attempt_2026-04-30" not in path.name:  # it has no class
            path.unlink()
    text = (folder / "cs101.toml").read_text("utf-8")
    (folder / "cs101.toml").write_text(text.replace("rounds = 4", "rounds = 1"), "utf-8")


@pytest.mark.journey
def test_a_smaller_course_goes_from_downloads_to_grades_and_pages(tmp_path: Path) -> None:
    folder = tmp_path / "course-demo"
    example.write(folder)
    smaller(folder)

    def give(step: RunStep, folder: Path) -> int:
        ended = arena(*step.arguments, cwd=folder)
        assert ended.code == 0, (str(step), ended.err)
        if step.to:
            (folder / step.to).write_text(ended.out, "utf-8")
        return ended.code

    play_course(folder, give=give)
    assert_results(folder, played={"heron", "finch"})


@pytest.mark.skipif(not SOAK, reason="two minutes: SOAK=1")
def test_the_whole_demo_goes_from_downloads_to_grades_and_pages(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "arena", "demo", "--course"],
        cwd=tmp_path,
        env=os.environ | {"ARENA_DB": str(tmp_path / "other.db")},
        check=False,
    )
    assert ended.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course-demo"]
    assert_results(tmp_path / "course-demo", played={"heron", "finch", "quail", "otter", "lemur", "raven", "puffin"})
    marks = grades(tmp_path / "course-demo")
    assert marks["1004"] == marks["1005"] | {"id": "1004"}  # a team
    assert "late" in marks["2007"]["Why"]
    assert "faults" in marks["2012"]["Why"]


def grades(folder: Path) -> dict[str, dict[str, str]]:
    """The lines of grades.csv by the student's id."""
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {line["id"]: line for line in csv.DictReader(file)}


def assert_results(folder: Path, *, played: set[str]) -> None:
    """All files are there that the demo names, and each student has a grade; those who played have marks."""
    for file, _ in run.RESULTS:
        assert (folder / file).stat().st_size > 0, file
    students = roster.read((folder / "roster.csv").read_text("utf-8"), "roster.csv").students
    marks = grades(folder)
    assert [*marks] == [one.id for one in students]
    for one in students:
        if one.alias in played:
            assert float(marks[one.id]["Grade"]) > 0, one
        elif one.alias in ("lynx", "panda"):
            assert float(marks[one.id]["Grade"]) == 0, one
    page = (folder / "site" / "index.html").read_text("utf-8")
    assert "heron" in page
    assert "Ben Costa" not in page
