"""`arena new`: what it writes plays at once and beats random; what is there already stays; awkward names are told."""

import errno
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest

from adsearch import games
from adsearch.games.go import Go
from agents import loading
from agents.practice import practice
from arena.student.starter import FOLDER, Style, with_templates
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.behind_walls import need
from tests.kit.built_agent import DEFAULTS
from tests.kit.places import COUNTDOWN
from tests.kit.starter_programs import TOOLS

ENDINGS = [language.ending for language in with_templates().values()]
SURE = 2.33
"""So many standard errors above one half: 99 % sure."""


def share_of_points(utilities: tuple[float, ...], seat: int) -> float:
    """How many of the others the seat has beaten; a tie is half."""
    others = [worth for other, worth in enumerate(utilities) if other != seat]
    return sum((utilities[seat] > worth) + (utilities[seat] == worth) / 2 for worth in others) / len(others)


def score_against_random(file: str, game: str, number: int) -> float:
    """The mean share of points in so many games, each seat in turn."""
    agent, seats = loading.load(file), games.start(game).players
    total = 0.0
    for seed in range(number):
        players: list[Any] = ["random"] * seats
        players[seed % seats] = agent()
        played = practice(game, *players, seed=seed)
        assert played.utilities is not None
        total += share_of_points(played.utilities, seed % seats)
    return total / number


BEATEN = {
    **dict.fromkeys(games.names(), 40),
    **dict.fromkeys(("nap", "grundy", "kuhn"), 240),
    "ludo": 60,
    "maze": 60,
    "go:size=5,komi=0.5": 40,
    "words:rack=4,tiles=AABDEEEGIILMNOOPRSTU": 40,
    f"{COUNTDOWN}:Countdown": 60,
}
"""The games, and how many of each tell enough."""
del BEATEN["rps"]  # which nobody can be better at than random
# These games are long; tests/arena/cli/test_chess_and_go.py plays some.
del BEATEN["chess"], BEATEN["go"], BEATEN["words"]


@pytest.mark.parametrize("game", BEATEN, ids=lambda game: Path(game).name)
def test_what_it_writes_beats_random_as_it_is(game: str) -> None:
    assert arena("new", "my_agent.py", "--game", game).code == 0
    assert score_against_random("my_agent.py", game, BEATEN[game]) > 0.5 + SURE * 0.5 / BEATEN[game] ** 0.5


@pytest.mark.costly
@pytest.mark.parametrize(
    ("game", "search", "number"),
    [
        ("connect4", "deepening", 10),
        ("dots", "deepening", 10),
        ("pig", "expectiminimax", 30),
        ("ludo:players=3", "maxn", 24),
        ("maze", "maxn", 30),
        ("leduc", "mcts", 200),
    ],
)
def test_with_a_search_it_beats_random_too_and_the_search_fits_the_game(game: str, search: str, number: int) -> None:
    assert arena("new", "my_agent.py", "--game", game, "--style", "search").code == 0
    assert f"from adsearch import Budget, {search}\n" in Path("my_agent.py").read_text("utf-8")
    assert score_against_random("my_agent.py", game, number) > 0.5 + SURE * 0.5 / number**0.5


@pytest.mark.parametrize(
    ("game", "answered"), [("connect4", True), ("leduc", True), ("backgammon", False), ("words", False)]
)
def test_it_looks_at_answers_only_if_no_chance_comes_before_each(game: str, answered: bool) -> None:
    arena("new", "my_agent.py", "--game", game)
    text = Path("my_agent.py").read_text("utf-8")
    assert all((part in text) == answered for part in ("CHANCE", "def after_answer", "at the opponent's answers")), text


def test_a_game_without_an_estimate_is_said_to_have_none() -> None:
    arena("new", "my_agent.py", "--game", f"{COUNTDOWN}:Countdown")
    assert "This game has no estimate: the value is the same" in Path("my_agent.py").read_text("utf-8")


def test_nobody_is_told_that_rps_can_be_won() -> None:
    assert "Nobody beats random at rps" in arena("new", "my_agent.py", "--game", "rps").out
    assert "Nobody" not in arena("new", "other.py", "--game", "kuhn").out


@pytest.mark.parametrize(
    ("file", "style", "game"),
    [
        ("my_agent.py", "simple", "tictactoe"),
        ("my_agent.py", "search", "tictactoe"),
        ("my_agent.py", "bare", "tictactoe"),
        ("my_agent/", "simple", "tictactoe"),
        ("sub folder/日本/", "search", "pig"),
        ("my_agent.js", "bare", "kuhn"),
        ("my_agent.c", "bare", "ludo:tokens=1"),
        pytest.param("bot.cpp", "bare", "othello", marks=pytest.mark.costly),
        pytest.param("bot.rs", "bare", "kuhn", marks=pytest.mark.costly),
        pytest.param("bot.go", "bare", "kuhn", marks=pytest.mark.costly),
        pytest.param("String.java", "bare", "connect4", marks=pytest.mark.costly),
        pytest.param("sub folder/日本.java", "bare", "dots", marks=pytest.mark.costly),
        ("2nd-try.py", "simple", "rps"),
        ("sub folder/日本.py", "bare", "tictactoe"),
    ],
)
def test_the_commands_that_it_tells_of_work(file: str, style: str, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")  # as activated
    Path("sub folder").mkdir()
    ended = arena("new", file, "--style", style, "--game", game)
    assert ended.code == 0, ended.err
    told = [shlex.split(line) for line in ended.out.splitlines() if line.startswith("  ")]
    needed = {command[0] for command in told if command[0] != "arena"}
    if not file.endswith(("/", ".py")):
        needed.add(TOOLS[Path(file).suffix])
        need(DEFAULTS[Path(file).suffix[1:]].build_walls)
    needs.program(*needed)
    played = next(command for command in told if command[:2] == ["arena", "play"])
    ended = arena(*played[1:], "--quiet", "--no-record", "--clock", "none")
    assert ended.code == 0, ended.err
    assert not any(fault in ended.out for fault in ("illegal", "crashed", "protocol", "ready")), ended.out
    listed = next(command for command in told if command[:2] == ["arena", "games"])
    assert arena(*listed[1:]).code == 0


@pytest.mark.parametrize("style", [Style.SIMPLE, Style.SEARCH])
def test_the_text_is_the_one_that_stands_among_the_starters(style: str) -> None:
    arena("new", "my_agent.py", "--style", style)
    text, starter = (path.read_text("utf-8") for path in (Path("my_agent.py"), FOLDER / f"{style}.py"))
    method = "    def worth("
    assert text.partition(method)[0] == starter.partition(method)[0]
    assert text.partition(method)[2] in (FOLDER / "worth.py").read_text("utf-8")


@pytest.mark.parametrize("ending", ENDINGS)
def test_without_our_library_only_the_first_comment_depends_on_the_game(ending: str) -> None:
    arena("new", f"my_agent{ending}", "--style", "bare", "--game", "kuhn")
    _, change_it, program = Path(f"my_agent{ending}").read_text("utf-8").partition("change it.")
    assert change_it + program in (FOLDER / f"bare{ending}").read_text("utf-8")


OWN_WORTH = ("connect4", "tictactoe", "othello", "checkers", "chess", "go")


@pytest.mark.parametrize(
    "game", [*games.names(), "connect4:rows=12,columns=4", "tictactoe:m=1,n=2", "othello:size=4", "go:size=19"]
)
@pytest.mark.parametrize("style", ["simple", "search"])
def test_its_evaluation_is_within_the_bounds_and_fair_to_both_seats(game: str, style: str) -> None:
    assert arena("new", "my_agent.py", "--game", game, "--style", style).code == 0
    assert ("state.evaluate(" in Path("my_agent.py").read_text("utf-8")) is (game.partition(":")[0] not in OWN_WORTH)
    agent: Any = loading.load("my_agent.py")()
    random = Random(7)
    state = games.start(game)
    for _ in range(60):
        values = [agent.worth(state, seat) for seat in range(state.players)]
        low, high = state.bounds
        if state.turn is None:
            assert values == list(state.utilities())
            state = games.start(game)
        else:
            assert all(low < value < high for value in values)
            assert not state.zero_sum or values[0] == -values[1]
            state = state.play(random.choice(state.moves()))


def test_in_a_game_with_very_many_moves_it_looks_only_one_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a board of 19 x 19 points, 131,000 moves and answers would take a second or more for each move."""
    assert arena("new", "my_agent.py", "--game", "go:size=19").code == 0
    played = 0
    play = Go.play

    def counted(state: Go, move: int) -> Go:
        nonlocal played
        played += 1
        return play(state, move)

    monkeypatch.setattr(Go, "play", counted)
    agent: Any = loading.load("my_agent.py")()
    state = games.start("go:size=19")
    assert agent.choose(state, None) in state.moves()
    assert played == len(state.moves()) == 362


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_text_names_the_file_the_class_and_the_game(ending: str) -> None:
    arena("new", f"grand_plan{ending}", "--game", "othello:size=6")
    text = Path(f"grand_plan{ending}").read_text("utf-8")
    assert "plays othello:size=6" in text
    assert "arena play othello:size=6 " in text
    assert f"grand_plan{ending}" in text
    assert "my_agent" not in text
    assert "MyAgent" not in text
    assert "connect4" not in text
    assert len(text.splitlines()) < 180


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("my_agent.py", "MyAgent"),
        ("class.py", "Class"),
        ("None.py", "NonePlayer"),
        ("agent.py", "AgentPlayer"),
        ("budget.py", "BudgetPlayer"),
        ("2nd-try.py", "Agent2ndTry"),
        ("日本.py", "日本"),
        ("étude_3.py", "Étude3"),
    ],
)
@pytest.mark.parametrize("style", ["simple", "search"])
def test_the_class_is_called_after_the_file(file: str, name: str, style: str) -> None:
    assert arena("new", file, "--game", "tictactoe", "--style", style).code == 0
    agent = loading.load(file)
    assert agent.__name__ == name
    assert practice("tictactoe", agent(), "random").verdict == "normal"


def test_a_game_of_ones_own_is_found_by_its_path() -> None:
    shutil.copy(COUNTDOWN, "my game.py")
    ended = arena("new", "my_agent.py", "--game", "my game.py:Countdown:n=9")
    assert "arena play 'my game.py:Countdown:n=9' my_agent.py random" in ended.out
    assert practice("my game.py:Countdown:n=9", loading.load("my_agent.py")(), "random").verdict == "normal"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["my agent.py"], "expected a file name of letters, digits, '_' and '-'"),
        (['""".py'], "expected a file name of letters"),
        ([".py"], "ends in .py"),
        (["_x.py"], "starts with a letter or a digit"),
        ([f"{'W' * 65}.py"], "at most 64 characters"),
        (
            ["my_agent.txt"],
            "a file name that ends in .py, .c, .cpp, .go, .java, .js, .rs, or / for a folder, got 'my_agent.txt'",
        ),
        (["my_agent"], "or / for a folder"),
        (["my agent/"], "expected a folder name of letters"),
        (["my_agent.py/"], "expected a folder name of letters"),
        (["./"], "expected a folder name of letters"),
        (["random/"], "'import random'"),
        (["nowhere/my_agent/"], "there is no folder 'nowhere'"),
        (["my_agent/", "--style", "bare"], "a folder is only for agents in Python"),
        (["my_agent/", "--language", "java"], "a folder is only for agents in Python"),
        (["."], "ends in .py"),
        ([""], "ends in .py"),
        (["nowhere/my_agent.py"], "there is no folder 'nowhere'"),
        (["random.py"], "'import random'"),
        (["agents.py"], "'import agents'"),
        (["my_agent.py", "--language", "c"], "ends in .c for C"),
        (["my_agent.js", "--style", "search"], "for Python"),
        (["my_agent.py", "--game", "conect4"], "did you mean 'connect4'?"),
        (["my_agent.py", "--game", "connect4:rows=2"], "rows must be 4..12"),
        (["my_agent.py", "--game", 'a".py:X'], "no game in"),
    ],
)
def test_what_it_cannot_write_is_told_in_a_line_and_leaves_no_file(arguments: list[str], message: str) -> None:
    ended = arena("new", *arguments)
    assert ended.code == 2
    assert message in ended.err
    if ended.err.startswith("arena: "):
        assert ended.err.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_a_game_whose_path_would_break_the_text_is_refused() -> None:
    shutil.copy(COUNTDOWN, 'quo"te.py')
    ended = arena("new", "my_agent.py", "--game", 'quo"te.py:Countdown')
    assert ended.code == 2
    assert "expected a game without quotes" in ended.err
    assert not Path("my_agent.py").exists()


def test_a_file_or_folder_that_is_there_stays_as_it_is() -> None:
    Path("my_agent.py").write_text("mine", "utf-8")
    Path("folder.py").mkdir()
    Path("link.py").symlink_to("nothing.py")
    Path("file").touch()
    for name, what in (("my_agent.py", "file"), ("folder.py", "folder"), ("link.py", "file"), ("file", "file")):
        ended = arena("new", f"{name}/" if name == "file" else name)
        assert ended.code == 2
        assert f"the {what} {name!r} already exists and is not overwritten" in ended.err
    assert Path("my_agent.py").read_text("utf-8") == "mine"
    assert not Path("nothing.py").exists()


@pytest.mark.parametrize("game", ["go:size=5" if game == "go" else game for game in games.names()])
@pytest.mark.parametrize("style", ["simple", "search"])
def test_the_agent_in_a_folder_plays_as_the_one_in_a_file(game: str, style: str) -> None:
    for name in ("my_agent.py", "my_agent/"):
        assert arena("new", name, "--game", game, "--style", style).code == 0
    assert {path.name for path in Path("my_agent").iterdir()} == {"agent.py", "evaluation.py"}
    for file in (Path("my_agent.py"), Path("my_agent", "agent.py")):
        file.write_text(file.read_text("utf-8").replace("50_000", "1_000"), "utf-8")  # fewer nodes: it is fast
    code = "import sys; from agents import loading; from agents.practice import practice; from adsearch import games\n"
    code += "game, agent = sys.argv[1], loading.load(sys.argv[2])\n"
    code += "others = ['random'] * (games.start(game).players - 1)\n"
    code += "print(practice(game, agent(), *others, seed=3, max_plies=4).moves)"
    # In processes of their own, because each folder has another module `evaluation`.
    played = [
        subprocess.run([sys.executable, "-c", code, game, name], capture_output=True, text=True, check=True).stdout
        for name in ("my_agent.py", "my_agent")
    ]
    assert played[0] == played[1] != "()\n"


def test_a_folder_that_exists_stays_as_it_is() -> None:
    Path("my_agent").mkdir()
    ended = arena("new", "my_agent/")
    assert ended.code == 2
    assert "the folder 'my_agent' already exists and is not overwritten" in ended.err
    assert list(Path("my_agent").iterdir()) == []


@pytest.mark.parametrize(("name", "written"), [("my_agent.py", 0), ("my_agent/", 1)])
def test_a_full_disk_leaves_no_half_file_and_no_half_folder(name: str, written: int) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with mock.patch("arena.student.starter._put", side_effect=[None] * written + [full]):
        ended = arena("new", name)
    assert ended.code == 2
    assert "No space left on device" in ended.err
    assert list(Path().iterdir()) == []
