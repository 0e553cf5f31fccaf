"""Games by name, with options, and by path; and the errors for wrong names."""

import re
from pathlib import Path
from typing import Any

import pytest

from adsearch import games
from adsearch.errors import BadGame, BadOption, BadPosition, UnknownGame

COUNTDOWN = '''
from adsearch import Option, State

class Countdown(State):
    """Take one or two; who takes the last wins."""

    options = (Option("n", 5, "how many there are", 1, 100),)

    def __init__(self, n, turn=0):
        self.n, self.mover = n, turn
        self.turn = turn if n else None

    def moves(self):
        return tuple(range(1, min(2, self.n) + 1))

    def play(self, move):
        return Countdown(self.n - move, 1 - self.mover)

    def utilities(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
'''


@pytest.fixture
def countdown(tmp_path: Path) -> Path:
    file = tmp_path / "countdown.py"
    file.write_text(COUNTDOWN)
    return file


def test_the_catalogue_names_every_game() -> None:
    assert list(games.names()) == [
        *("backgammon", "checkers", "chess", "connect4", "dots", "go", "grundy", "kuhn", "leduc", "ludo"),
        *("maze", "nap", "othello", "pig", "rps", "tictactoe", "tree", "words"),
    ]


def test_every_game_tells_its_rules_options_and_notation() -> None:
    for name, game in games.names().items():
        assert game.name == name
        assert len(game.rules) > 60
        assert game.state.notation
        assert all(option.about for option in game.options)
        for option in game.options:
            if option.default != "":
                assert option.read(str(option.default)) == option.default


def test_options_are_read_and_the_first_may_go_without_its_name() -> None:
    assert games.start("connect4:rows=5,columns=6").max_plies == 30
    assert games.start("connect4: rows = 5 ,columns=6").max_plies == 30
    assert games.start("connect4:5").max_plies == 35
    assert games.start("nap:11").max_plies == games.start("nap:n=11").max_plies == 11
    assert games.start("tree:window").position() == "root"
    assert games.start("connect4:").position() == games.start("connect4").position()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("conect4", "no game 'conect4'; did you mean 'connect4'?"),
        ("", "no game ''; there is backgammon, checkers, chess"),
        ("zzz", "no game 'zzz'; there is backgammon, checkers, chess"),
        ("Connect4", "no game 'Connect4'; did you mean 'connect4'?"),
    ],
)
def test_an_unknown_game_is_refused_with_what_there_is(spec: str, message: str) -> None:
    with pytest.raises(UnknownGame, match=re.escape(message)):
        games.start(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("connect4:rows=2", "connect4: rows must be 4..12, got 2"),
        ("connect4:rows=x", "connect4: rows must be a whole number, 4..12, got 'x'"),
        ("connect4:rows=", "connect4: rows must be a whole number, 4..12, got ''"),
        ("connect4:rows=5.5", "connect4: rows must be a whole number, 4..12, got '5.5'"),
        ("connect4:rows=999999999999", "connect4: rows must be a whole number, 4..12, got '999999999999'"),
        ("connect4:rows=٥", "connect4: rows must be a whole number, 4..12, got '٥'"),
        ("connect4:rowz=5", "connect4: no option 'rowz'; did you mean 'rows'?"),
        ("connect4:rows=5,rows=6", "connect4: rows is given twice"),
        ("connect4:5,6", "connect4: rows must be a whole number, 4..12, got '5,6'"),
        ("kuhn:3", "kuhn: the game has no options, got '3'"),
        ("kuhn:cards=3", "kuhn: no option 'cards'; there is none"),
        ("pig:points=many", "pig: points must be one of face, fixed, got 'many'"),
    ],
)
def test_a_bad_option_is_refused_with_its_limits(spec: str, message: str) -> None:
    with pytest.raises(BadOption, match=re.escape(message)):
        games.start(spec)
    with pytest.raises(BadOption, match=re.escape(message)):
        games.load(spec, "-")


def test_a_bad_position_is_refused_in_the_games_name() -> None:
    with pytest.raises(BadPosition, match=re.escape("nap: expected marked numbers, such as '3 7', or '-' for none")):
        games.load("nap", "three")


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UnknownGame, match="expected a game as text"):
        games.start(4)  # type: ignore[arg-type]
    with pytest.raises(BadPosition, match="nap: expected a position as text, got None"):
        games.load("nap", None)  # type: ignore[arg-type]


def test_a_game_is_found_by_its_path(countdown: Path) -> None:
    for spec, left in (("", 5), (":Countdown", 5), (":Countdown:n=7", 7), (":Countdown:7", 7), ("::n=3", 3)):
        state: Any = games.start(f"{countdown}{spec}")
        assert state.moves() == (1, 2)
        assert state.n == left
    game, options = games.find(f"{countdown}:Countdown:n=9")
    assert (game.name, game.rules, options) == (
        f"{countdown}:Countdown",
        "Take one or two; who takes the last wins.",
        {"n": 9},
    )


def test_a_game_by_path_needs_little_and_gets_the_rest_by_default(countdown: Path) -> None:
    state = games.start(f"{countdown}:Countdown")
    assert (state.players, state.zero_sum, state.chance, state.hidden, state.bounds) == (2, True, False, False, (-1, 1))
    assert state.from_text("2") == 2
    assert state.evaluate(0) == 0.0
    assert state.play(2).play(2).play(1).evaluate(0) == 1.0
    with pytest.raises(BadGame, match=re.escape("Countdown must define position()")):
        state.position()
    with pytest.raises(BadGame, match=re.escape("Countdown must define load(text)")):
        games.load(f"{countdown}:Countdown", "5")


def test_a_file_is_run_once_and_again_when_it_has_changed(countdown: Path) -> None:
    before = games.find(f"{countdown}:Countdown")[0].state
    assert games.find(f"{countdown}:Countdown")[0].state is before
    countdown.write_text(COUNTDOWN.replace('"n", 5', '"n", 6'))
    changed: Any = games.start(f"{countdown}:Countdown")
    assert changed.n == 6


@pytest.mark.parametrize(
    ("source", "spec", "message"),
    [
        (COUNTDOWN, ":Countdwn", "no game 'Countdwn'; there is Countdown"),
        ("x = 1", "", "is not a game: it has no subclass of State; if it is an agent, write the game"),
        (COUNTDOWN + "\nclass Other(Countdown): pass", "", "expected one subclass of State; there is Countdown, Other"),
        ("def", ":X", "SyntaxError: invalid syntax"),
        ("import nowhere_to_be_found", ":X", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("1 / 0", ":X", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_without_that_game_is_refused(tmp_path: Path, source: str, spec: str, message: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(source)
    with pytest.raises(UnknownGame, match=re.escape(message)) as refusal:
        games.start(f"{file}{spec}")
    assert "bad.py" in str(refusal.value)


OWN = "from adsearch import State\nclass Own(State):\n    turn = 0\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (OWN + "    def __init__(self): raise RuntimeError('not ready')", "Own: RuntimeError: not ready"),
        (OWN + "    def __init__(self, n): pass", "Own: TypeError: Own.__init__() missing 1 required positional"),
        (
            "from adsearch import State\nclass Own(State): pass",
            "Own: expected a turn from 0 to 1, CHANCE or None, got 'nothing'",
        ),
    ],
)
def test_a_game_that_cannot_start_is_refused(tmp_path: Path, source: str, message: str) -> None:
    file = tmp_path / "own.py"
    file.write_text(source)
    with pytest.raises(BadGame, match=re.escape(message)):
        games.start(f"{file}:Own")


def test_a_game_that_cannot_load_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN + "    @classmethod\n    def load(cls, text): return cls.of[text]")
    with pytest.raises(BadGame, match=r"own\.py:Own: AttributeError: type object 'Own' has no attribute 'of'"):
        games.load(f"{file}:Own", "x")


def test_a_file_that_exits_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "exits.py"
    file.write_text("raise SystemExit(3)")
    with pytest.raises(UnknownGame, match="SystemExit: 3"):
        games.start(f"{file}:Game")


def test_a_name_of_ours_comes_before_a_path() -> None:
    with pytest.raises(BadOption, match="maze: map must be one of"):
        games.start("maze:map=nowhere.py")
    with pytest.raises(UnknownGame, match=re.escape("expected your own game as FILE.py:CLASS, got 'games/chess'")):
        games.start("games/chess")


def test_whether_a_game_has_chance_or_secrets_is_told_by_the_catalogue() -> None:
    assert [name for name, game in games.names().items() if game.chance] == [
        "backgammon",
        "kuhn",
        "leduc",
        "ludo",
        "pig",
        "words",
    ]
    assert [name for name, game in games.names().items() if game.hidden] == ["kuhn", "leduc", "rps", "words"]
    assert games.names()["maze"].start(ghosts="random").chance


def test_a_game_is_started_with_options_by_keyword() -> None:
    assert games.names()["connect4"].start(rows=5).max_plies == 35
    with pytest.raises(BadOption, match=re.escape("connect4: rows must be 4..12, got 99")):
        games.names()["connect4"].start(rows=99)
    with pytest.raises(BadOption, match="connect4: no option 'rowz'; did you mean 'rows'"):
        games.names()["connect4"].start(rowz=5)


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(UnknownGame, match=re.escape("no game in 'nowhere.py': No such file or directory")):
        games.start("nowhere.py:Game")
    with pytest.raises(UnknownGame, match="no game in"):
        games.start("a\0b.py:Game")


@pytest.mark.parametrize(("text", "value"), [("7.5", 7.5), ("7", 7), ("7.0", 7), (" -0.50 ", -0.5), ("361", 361)])
def test_an_option_in_halves_is_read_and_whole_values_are_integers(text: str, value: float) -> None:
    read = games.find(f"go:komi={text}")[1]["komi"]
    assert read == value
    assert str(read) == str(value)


@pytest.mark.parametrize("text", ["7.3", "7.25", "x", "", "1e2", "nan", "361.5", "-400", "9" * 30])
def test_another_value_for_an_option_in_halves_is_refused(text: str) -> None:
    with pytest.raises(BadOption, match=r"komi must be .*-361\.\.361, got"):
        games.find(f"go:komi={text}")
