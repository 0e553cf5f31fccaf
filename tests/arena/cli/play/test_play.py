"""`arena play`: games on the terminal, in JSON, with people, and what happens when something goes wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena.walls.usage import descendants
from tests.kit.arena_program import arena, environment
from tests.kit.broken_games import written
from tests.kit.effort import PATIENCE
from tests.kit.places import GREEDY

HISTORY = {
    *("id", "tournament", "round", "number", "attempt", "game", "players", "opening", "clock", "seed", "status"),
    *("points", "utilities", "verdict", "fault", "plies", "started", "finished"),
}
SEAT = {"seat", "player", "version", "spent", "longest", "cpu", "memory", "stderr", "clock", "adsearch"}
MOVE = {"ply", "who", "move", "spent", "left", "cpu", "delay", "lag", "score", "depth", "nodes", "line", "text"}

FAILING = """
from agents import Agent

class Failing(Agent):
    def choose(self, state, clock):
        print("I am about to fail")
        return state.moves()[99]
"""


def played(*arguments: str) -> list[dict[str, Any]]:
    """The games that a command played, read from its JSON."""
    ended = arena("play", *arguments, "--format", "json")
    assert ended.code == 0, ended.err
    document: list[dict[str, Any]] = json.loads(ended.out)
    return document


def start(*arguments: str, temporary: str = "") -> subprocess.Popen[str]:
    """`arena play` in a process of its own, with a keyboard, and if wanted with its own folder for temporary files."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "play", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(80) | {"PYTHONUNBUFFERED": "1"} | ({"TMPDIR": temporary} if temporary else {}),
    )


def until(process: subprocess.Popen[str], words: str) -> str:
    """What the process prints, up to the first line that holds `words`."""
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if words in line:
            return printed
    raise AssertionError(f"{words!r} was not printed: {printed}")


@pytest.fixture
def temporary() -> Iterator[str]:
    """A folder whose path is short enough for sockets; nothing may be left in it."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        yield folder
        assert os.listdir(folder) == []


@pytest.mark.costly
def test_a_game_is_shown_move_by_move_with_clocks_and_thinking_and_the_verdict_in_words() -> None:
    ended = arena("play", "tictactoe", "alphabeta:depth=3", "random", "--clock", "5+0.1", "--seed", "1")
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[:5] == [
        "tictactoe   alphabeta:depth=3 - random   clock 5+0.1",
        "  a b c",
        "1 . . .",
        "2 . . .",
        "3 . . .",
    ]
    assert re.fullmatch(r"  1  alphabeta:depth=3 \w\d   \d\.\d\d s   depth 3, score \S+, \d+ nodes", lines[5])
    assert any(re.fullmatch(r" +alphabeta:depth=3 5\.\d\d s   random 5\.\d\d s", line) for line in lines)
    assert re.search(
        r"^1  alphabeta:depth=3 - random  1-0  alphabeta:depth=3 wins, three in a row  \d plies", lines[-2]
    )


def test_quiet_prints_the_results_alone() -> None:
    ended = arena("play", "tictactoe", "random", "random", "--games", "3", "--quiet", "--seed", "4")
    *results, score = ended.out.splitlines()
    assert len(results) == 3
    assert all(re.match(rf"{number}  random - random#2  ", line) for number, line in enumerate(results, 1))
    assert re.fullmatch(r"3 games, points: random [\d.]+   random#2 [\d.]+", score)


def test_json_is_one_array_of_whole_games() -> None:
    (game,) = played("connect4", "alphabeta:depth=2", "random", "--clock", "10", "--seed", "7")
    assert set(game) >= HISTORY
    assert game["players"] == ["alphabeta:depth=2", "random"]
    assert (game["game"], game["clock"], game["seed"], game["verdict"]) == ("connect4", "10", 7, "normal")
    assert (game["tournament"], game["opening"], game["fault"], game["status"]) == (None, None, None, "finished")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", game["started"])
    assert all(set(seat) == SEAT for seat in game["seats"])
    assert all(set(move) == MOVE for move in game["moves"])
    assert game["plies"] == len(game["moves"])
    first = game["moves"][0]
    assert (first["ply"], first["who"], first["depth"]) == (1, 0, 2)
    assert isinstance(first["spent"], int)
    assert 0 < first["left"] <= 10_000


def test_a_listing_as_csv_has_a_line_a_game() -> None:
    ended = arena("play", "tictactoe", "random", "random", "--games", "2", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [row["players"] for row in rows] == ["random - random#2"] * 2


@pytest.mark.costly
@pytest.mark.parametrize("game", ["connect4", "pig:goal=20", "kuhn"])
def test_the_same_seed_and_players_that_repeat_themselves_give_the_same_games(game: str) -> None:
    arguments = (game, "random", "mcts:simulations=30", "--games", "2", "--seed", "11")
    first, again = played(*arguments), played(*arguments)
    assert [[move["move"] for move in game["moves"]] for game in first] == [
        [move["move"] for move in game["moves"]] for game in again
    ]
    other = played(*arguments[:-1], "12")
    assert [game["moves"] for game in first] != [game["moves"] for game in other]


def test_swapping_changes_seats_and_pairs_share_their_opening() -> None:
    games = played("connect4", "random", "random", "--games", "4", "--swap", "--openings", "3", "--seed", "5")
    assert [game["players"][0] for game in games] == ["random", "random#2"] * 2
    openings = [game["opening"] for game in games]
    assert openings[0] == openings[1] != openings[2] == openings[3]
    for game in games:
        assert [move["who"] for move in game["moves"][:4]] == ["opening"] * 3 + [1]
        assert " ".join(move["move"] for move in game["moves"][:3]) == game["opening"]


def test_a_game_that_is_too_long_is_a_draw() -> None:
    (game,) = played("connect4", "random", "random", "--max-plies", "3")
    assert (game["verdict"], game["points"], game["plies"]) == ("adjudicated", [0.5, 0.5], 3)


def test_an_agent_of_ones_own_plays_from_a_copy(tmp_path: Path) -> None:
    (game,) = played("connect4", str(GREEDY), "random", "--seed", "3")
    assert game["players"] == ["greedy", "random"]
    assert game["verdict"] == "normal"
    assert game["seats"][0]["memory"]


def test_the_end_of_a_failing_agents_log_is_shown(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING, "utf-8")
    ended = arena("play", "tictactoe", "failing.py", "random", cwd=tmp_path)
    assert ended.code == 0
    assert "failing crashed; random wins" in ended.out
    assert "| I am about to fail" in ended.out
    assert "IndexError: tuple index out of range" in ended.out


@pytest.mark.costly
def test_without_a_seed_the_way_to_the_same_game_is_told() -> None:
    ended = arena("play", "tictactoe", "random", "random", "--quiet")
    seed = re.search(r"^to repeat with the same random numbers: --seed (\d+)$", ended.out, re.MULTILINE)
    assert seed is not None
    again = arena("play", "tictactoe", "random", "random", "--quiet", "--seed", seed[1])
    # In front is the id, which is another one.
    same = ended.out.replace(seed[0], "").rstrip() + "\n"
    assert without_times(again.out).removeprefix("2") == without_times(same).removeprefix("1")


def without_times(printed: str) -> str:
    return re.sub(r"\d+\.\d\d s", "TIME", printed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kuhn", "human", "human"], "kuhn has hidden information, so only one human can play at this terminal, got 2"),
        (["conect4", "random", "random"], "did you mean 'connect4'"),
        (["connect4", "randm", "random"], "did you mean 'random'"),
        (["connect4", "random"], "connect4 needs 2 players, got 1; for example: arena play connect4 random random"),
        (
            ["connect4", "random", "random", "random"],
            "connect4 needs 2 players, got 3; for example: arena play connect4 random random",
        ),
        (["connect4:rows=99", "random", "random"], "rows"),
        (["connect4", "random", "alphabeta:deep=3"], "did you mean 'depth'"),
        (["connect4", "random", "my_agent.py"], "no file 'my_agent.py'"),
        (["connect4", "random", "cmd:"], "expected a program after 'cmd:'"),
        (["connect4", "random", "cmd:./no_such_program"], "no_such_program"),
        (["connect4", "random", "random", "--clock", "fast"], "expected a clock such as"),
        (["pig", "random", "minimax"], "minimax cannot play pig"),
        (["pig", "random", "random", "--openings", "2"], "openings are for games without chance"),
        (["connect4", "human", "random", "--format", "json"], "shows no boards, which a human player needs"),
        (["connect4", "random", "random", "--games", "0"], "--games"),
        (["connect4", "random", "random", "--margin", "-1"], "--margin"),
        (["connect4", "random", "random", "--seed", "x"], "--seed"),
        (["connect4", "random", "random", "--format", "xml"], "--format"),
    ],
    ids=lambda value: "-".join(value).replace("/", "_") if isinstance(value, list) else "",
)
def test_a_wrong_argument_is_one_clear_error(arguments: list[str], words: str) -> None:
    before = descendants(os.getpid())
    ended = arena("play", *arguments)
    assert ended.code == 2
    assert words in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
    assert descendants(os.getpid()) <= before


@pytest.mark.parametrize(
    "arguments",
    [
        ["conect4", "random", "random"],
        ["connect4", "random"],
        ["connect4", "random", "nofile.py"],
        ["kuhn", "minimax", "random"],
        ["kuhn", "human", "human"],
    ],
    ids=" ".join,
)
def test_where_the_arguments_are_wrong_nothing_is_made(arguments: list[str], tmp_path: Path) -> None:
    assert arena("play", *arguments).code == 2
    assert not [*tmp_path.iterdir()]


@pytest.mark.journey
def test_a_person_plays_from_the_keyboard() -> None:
    with start("tictactoe", "human", "alphabeta:depth=9", "--seed", "1") as process:
        out, err = process.communicate("?\nz9\n\nb2\nresign\n", timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "human (x), your move (? for help): legal moves: a1, b1, c1, a2, b2, c2, a3, b3, c3" in out
    assert "a move is the cell: its column's letter" in out
    assert "'z9' is not a legal move. Legal moves: a1, b1, c1, a2, b2, c2, a3, b3, c3\n" in out
    assert "1  human b2" in out
    assert "human resigned; alphabeta:depth=9 wins" in out


@pytest.mark.costly
def test_a_person_may_mistype_in_a_game_whose_rules_stumble_over_it(tmp_path: Path) -> None:
    with start(written(tmp_path, "ReadsWithInt"), "human", "random", "--seed", "1") as process:
        out, err = process.communicate("b2\n7\nresign\n", timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "'b2' is not a legal move. Legal moves: " in out
    assert "'7' is not a legal move. Legal moves: " in out
    assert "human resigned; random wins" in out


def test_a_game_that_cannot_draw_its_board_shows_its_positions(tmp_path: Path) -> None:
    ended = arena("play", written(tmp_path, "WithoutBoard"), "random", "random", "--seed", "1")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[1] == "4 0"


def test_errors_name_files_as_their_author_knows_them(tmp_path: Path) -> None:
    ended = arena("play", written(tmp_path, "NoTexts"), "random", "random")
    assert ended.code == 2
    assert ended.err.startswith("arena: odd.py:NoTexts: the rules failed for seat 0 at the start")


@pytest.mark.costly
def test_a_person_who_has_nothing_more_to_say_resigns() -> None:
    with start("tictactoe", "random", "human") as process:
        out, _ = process.communicate("", timeout=PATIENCE)
    assert process.returncode == 0
    assert "no more input: resigned" in out
    assert "human resigned; random wins" in out


@pytest.mark.costly
def test_a_last_line_need_not_have_an_end() -> None:
    with start("tictactoe", "human", "random", "--clock", "60") as process:
        out, _ = process.communicate("b2", timeout=PATIENCE)
    assert "1  human b2" in out
    assert "no more input: resigned" in out


@pytest.mark.costly
def test_a_person_does_not_see_what_is_hidden_from_the_seat() -> None:
    with start("kuhn", "human", "random", "--seed", "2") as process:
        out, _ = process.communicate("check\nfold\nfold\n", timeout=PATIENCE)
    assert "  1–2  chance Q ?\n" in out
    assert "seat 1: ?" in out


PLACE = '''
from adsearch import State

class Place(State):
    """Each player hides a stone in one of three cells."""
    hidden = True
    def __init__(self, stones=()):
        self.stones = tuple(stones)
        self.turn = len(self.stones) if len(self.stones) < 2 else None
    @classmethod
    def load(cls, text):
        return cls(text.split()[1:])
    def moves(self):
        return ("a", "b", "c") if self.turn is not None else ()
    def play(self, move):
        return Place((*self.stones, move))
    def utilities(self):
        return (-1.0, 1.0) if self.stones[0] == self.stones[1] else (1.0, -1.0)
    @property
    def key(self):
        return self.stones
    def position(self):
        return " ".join(("stones", *self.stones))
    def view(self, seat):
        seen = (stone if self.turn is None or owner == seat else "?" for owner, stone in enumerate(self.stones))
        return " ".join(("stones", *seen))
    def view_move(self, seat, move):
        return move if seat == self.turn else "placed"
    def sample(self, seat, random):
        return Place(stone if owner == seat else random.choice("abc") for owner, stone in enumerate(self.stones))
    def __str__(self):
        return " a  b  c "
    def spots(self, last):
        return () if last is None else ((0, 3 * "abc".index(last), 3 * "abc".index(last) + 3, False),)
'''


@pytest.mark.costly
def test_a_move_that_a_person_sees_only_in_part_is_not_marked(tmp_path: Path) -> None:
    (tmp_path / "place.py").write_text(PLACE, "utf-8")
    with start(f"{tmp_path / 'place.py'}:Place", "random", "human", "--seed", "5") as process:
        out, _ = process.communicate("a\n", timeout=PATIENCE)
    theirs, own = out.partition("random placed")[2].split("human a")
    assert "[" not in theirs
    assert "[a]" in own


@pytest.mark.costly
def test_a_player_that_is_started_by_hand_sits_down(tmp_path: Path) -> None:
    with start("tictactoe", "wait", "random") as process:
        told = until(process, "--connect")
        file = told.split()[-1]
        assert Path(file).stat().st_mode & 0o777 == 0o600
        command = [sys.executable, "-m", "agents", "alphabeta:depth=2", "--connect", file]
        by_hand = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        out, err = process.communicate(timeout=PATIENCE)
    assert by_hand.returncode == 0, by_hand.stderr
    assert process.returncode == 0, err
    assert re.search(r"1  wait - random  ", out)


@pytest.mark.costly
def test_ctrl_c_ends_everything(temporary: str) -> None:
    with start("connect4", "mcts:seconds=0.2", "mcts:seconds=0.2", "--games", "100", temporary=temporary) as process:
        until(process, "  1  mcts")
        children = descendants(process.pid)
        assert len(children) >= 3
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.strip() == "interrupted"
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


@pytest.mark.costly
@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_whoever_ends_it_from_outside_finds_everything_ended(how: signal.Signals, code: int, temporary: str) -> None:
    with start("connect4", "mcts:seconds=0.2", "mcts:seconds=0.2", temporary=temporary) as process:
        until(process, "  1  mcts")
        children = descendants(process.pid)
        process.send_signal(how)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (code, "")
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


def test_ctrl_c_while_it_starts_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "arena.cli", Interrupted("arena.cli"))
    ended = arena("games")
    assert (ended.code, ended.out, ended.err) == (130, "", "")


DAEMON = """
import subprocess, time
from agents import Agent

class Daemon(Agent):
    def choose(self, state, clock):
        orphan = "sleep 1000 > /dev/null 2>&1 & echo $!"
        helper = subprocess.run(["sh", "-c", orphan], stdout=subprocess.PIPE, text=True).stdout
        with open(TOLD, "w") as file:
            file.write(helper)
        time.sleep(1000)
"""


@pytest.mark.costly
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_an_agent_has_left_running_ends_with_the_director(
    how: signal.Signals, tmp_path: Path, temporary: str
) -> None:
    told = tmp_path / "helper"
    os.mkfifo(told)
    (tmp_path / "daemon.py").write_text(DAEMON.replace("TOLD", repr(str(told))), "utf-8")
    daemon = str(tmp_path / "daemon.py")
    with start("connect4", daemon, "random", "--walls", "limits", temporary=temporary) as process:
        helper = int(told.read_text())
        children = descendants(process.pid)
        assert helper in children
        handles = [os.pidfd_open(child) for child in children]
        process.send_signal(how)
        process.communicate(timeout=PATIENCE)
    for handle in handles:
        assert is_over(handle), "a process lives on"
        os.close(handle)


@pytest.mark.costly
def test_a_killed_referee_is_told_and_no_process_is_left(temporary: str) -> None:
    with start("connect4", "mcts:seconds=0.2", str(GREEDY), "--games", "100", temporary=temporary) as process:
        until(process, "  2  greedy")
        children = descendants(process.pid)
        (referee,) = (child for child in children if "arena.play.referee" in command_line(child))
        os.kill(referee, signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "the referee's process was killed by SIGKILL; the games in progress have no result" in err
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


@pytest.mark.journey
def test_a_killed_director_leaves_no_process_and_no_file(temporary: str) -> None:
    with start("connect4", "mcts:seconds=0.2", str(GREEDY), "--games", "100", temporary=temporary) as process:
        until(process, "  2  greedy")
        handles = [os.pidfd_open(child) for child in descendants(process.pid)]
        process.kill()
        process.communicate(timeout=PATIENCE)
    for handle in handles:
        assert is_over(handle), "a process lives on"
        os.close(handle)


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def is_over(handle: int) -> bool:
    """Whether the process of this pidfd ends."""
    import select

    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(1000 * PATIENCE))


@pytest.mark.costly
def test_each_line_begins_with_the_id_by_which_the_game_is_replayed(tmp_path: Path) -> None:
    first = arena("play", "tictactoe", "random", "random", "--clock", "none", "--seed", "1", cwd=tmp_path)
    assert first.out.splitlines()[-1] == "to step through this game: arena replay 1"
    options = ("--games", "2", "--clock", "none", "--seed", "1")
    second = arena("play", "tictactoe", "random", "random", *options, "--db", "arena.db", cwd=tmp_path)
    lines = second.out.splitlines()
    assert [line.split()[0] for line in lines if " wins" in line or "draw" in line] == ["2", "3"]
    assert lines[-1] == "to step through the last game: arena replay 3 --db arena.db (another game: its number)"
    assert arena("replay", "3", "--db", "arena.db", cwd=tmp_path).code == 0


def test_what_is_not_on_record_has_no_replay() -> None:
    ended = arena("play", "tictactoe", "random", "random", "--clock", "none", "--seed", "1", "--no-record")
    assert "arena replay" not in ended.out


@pytest.mark.costly
def test_games_that_repeat_another_are_counted() -> None:
    same = ("play", "tictactoe", "minimax:depth=1", "minimax:depth=2", "--clock", "none", "--quiet", "--seed", "1")
    played = arena(*same, "--games", "6", "--swap")
    advice = "--openings 4 gives each game a different start"
    assert f"4 of 6 games repeat another game move for move; {advice}\n" in played.out
    assert "repeat" not in arena(*same, "--games", "6", "--swap", "--openings", "2").out
    assert "repeat" not in arena(*same, "--games", "2", "--swap").out


@pytest.mark.parametrize(("game", "player"), [("kuhn", "greedy"), ("rps", "random")])
def test_repeated_games_say_nothing_if_chance_or_hidden_moves_decide(game: str, player: str) -> None:
    played = arena("play", game, player, "random", "--clock", "none", "--quiet", "--seed", "1", "--games", "40")
    assert "40 games, points" in played.out
    assert "repeat another" not in played.out


@pytest.mark.parametrize(
    ("players", "said"),
    [
        ("maze random random", "or for 2 players maze:ghosts=1"),
        ("words random random random", "or for 3 players words:players=3"),
        ("ludo random random", "or for 2 players ludo:players=2"),
    ],
)
def test_for_other_numbers_of_players_the_option_is_named(players: str, said: str, tmp_path: Path) -> None:
    ended = arena("play", *players.split(), cwd=tmp_path)
    assert ended.code == 2
    assert " ".join(ended.err.split()).endswith(said)
