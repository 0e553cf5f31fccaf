"""The contract of a game: every built-in game fulfils it, and errors in user-supplied games are reported clearly."""

from pathlib import Path

import pytest

from adsearch import games
from adsearch.errors import BadGame, UnknownGame
from adsearch.games import contract
from tests.kit.places import EXAMPLES

OWN = (
    f"{EXAMPLES}/countdown.py:Countdown",
    f"{EXAMPLES}/auction.py:Auction",
    f"{EXAMPLES}/auction.py:Auction:players=2",
)
STICKS = """
from adsearch import CHANCE, State

class Sticks(State):
    max_plies = 10
    def __init__(self, left=4, mover=0):
        self.left, self.mover = left, mover
        self.turn = mover if left else None
    @classmethod
    def load(cls, text):
        left, mover = text.split()
        return cls(int(left), int(mover))
    def moves(self):
        return tuple(range(1, min(3, self.left) + 1))
    def play(self, move):
        return type(self)(self.left - move, 1 - self.mover)
    def utilities(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
    def position(self):
        return f"{self.left} {self.mover}"
"""


SLOW = ("backgammon", "words")


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, marks=[pytest.mark.costly] if spec in SLOW else [], id=Path(spec).name)
        for spec in (*games.names(), "ludo:players=2", "maze:ghosts=1", "tree:three", *OWN)
    ],
)
def test_every_built_in_game_fulfils_the_contract(spec: str) -> None:
    assert contract.check(spec) >= 10


def checked(folder: Path, source: str, of: str = "Sticks") -> str:
    """What is wrong with that game, without its name."""
    path = folder / "odd.py"
    path.write_text(source, "utf-8")
    with pytest.raises(BadGame) as found:
        contract.check(f"{path}:{of}")
    assert str(found.value).startswith(f"{path}:{of}")
    assert len(str(found.value)) < 500
    assert "\n" not in str(found.value)
    return str(found.value).removeprefix(f"{path}:{of}").lstrip(",: ")


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("def utilities(self): return 1.0", "expected utilities() to be 2 numbers, one per seat, got 1.0"),
        ("def utilities(self): return (1.0,)", "expected utilities() to be 2 numbers, one per seat, got (1.0,)"),
        ("def utilities(self): return ('a', 'b')", "expected utilities() to be numbers, got ('a', 'b')"),
        ("def utilities(self): return (1.0, 0.0)", "the class needs: zero_sum = False"),
        ("def utilities(self): return (5.0, -5.0)", "the class needs: bounds = (smallest, largest)"),
        ("def utilities(self): pass", "got None"),
        (
            "def utilities(self): return 1 / 0",
            "utilities() fails: ZeroDivisionError: division by zero (odd.py, line 23)",
        ),
        ("def moves(self): return ()", "at the start: it is seat 0's turn, but moves() is empty"),
        ("def moves(self): return (1,)", "the game is over (turn is None), so that moves() must be empty"),
        ("def moves(self): return None", "moves() fails: TypeError: 'NoneType' object is not iterable"),
        ("def moves(self): return (1, 1)", "expected moves() without repeats, got (1, 1)"),
        ("def moves(self): return ([1],)", "a move's hash fails: TypeError: unhashable type: 'list'"),
        ("def moves(self): return {object(): 1}", "expected moves() to return the same each time"),
        ("def play(self, move): self.left -= move; return self", "has changed the position; it must return"),
        ("def play(self, move): pass", "to return the next position, got None"),
        ("def play(self, move): return Odd(4, 1 - self.mover)", "after max_plies = 10 plies, but it is not"),
        ("def play(self, move): raise SystemExit(3)", "fails: SystemExit: 3 (odd.py, line 23)"),
        ("def evaluate(self, seat): pass", "expected evaluate(0) to be a number, got None"),
        ("def evaluate(self, seat): return 7", "expected evaluate(0) between the bounds -1 and 1, got 7"),
        ("def evaluate(self, seat): return 0.5", "expected evaluate(0) to be -1, as the game is over, got 0.5"),
        ("def evaluate(self): return 0.5", "evaluate(0) fails: TypeError"),
        ("def position(self): return 5", "expected position() to be one line of text, got 5"),
        ("key = 'same'", "must contain everything that the rest of the game depends on"),
        ("canonical = 'same'", "but not the same turn and number of moves: they are not equal up to symmetry"),
        ("def position(self): return f'{self.left}\\n{self.mover}'", "expected position() to be one line of text"),
        ("def load(self, text): return Sticks()", "load must be a method of the class: write @classmethod above it"),
        (
            "@classmethod\n    def load(cls, text): return cls()",
            "expected load(position()) to be the same position, got '4 0'",
        ),
        (
            "@classmethod\n    def load(cls, text): raise ValueError('no')",
            "expected load() to read what position() has written",
        ),
        ("def to_text(self, move): return 'take'", "to_text() gives 'take' for two moves: 1 and 2"),
        ("def to_text(self, move): return move", "expected to_text(1) to be 1 to 64 characters, got 1"),
        ("def from_text(self, text): return text", "expected from_text('1') to be the move 1, got '1'"),
        ("def __str__(self): raise ValueError('no board')", "the board, str(state), fails: ValueError: no board"),
        ("def bounds(self): return (0, 1)", "bounds is a method: write @property above it"),
        ("bounds = 5", "expected bounds to be two numbers, the smallest and the largest utility, got 5"),
        ("max_plies = 'many'", "expected max_plies to be a whole number or None, got 'many'"),
        ("players = 3", "zero_sum is only for two players"),
        ("def view(self, seat): return '?'", "differs from position(), so that the class needs: hidden = True"),
        ("def chances(self): return ((1, 1.0),)", "expected chances() to be empty if turn is not CHANCE"),
    ],
)
def test_each_error_in_a_game_is_reported(tmp_path: Path, method: str, told: str) -> None:
    zero_sum = "\n    zero_sum = True" if method == "players = 3" else ""
    assert told in checked(tmp_path, f"{STICKS}\nclass Odd(Sticks):\n    {method}{zero_sum}\n", "Odd")


CHANCE = """
class Dice(Sticks):
    chance = True
    def __init__(self, left=4, mover=0, thrown=False):
        super().__init__(left, mover)
        self.thrown = thrown
        self.turn = None if not left else mover if thrown else CHANCE
    @classmethod
    def load(cls, text):
        left, mover, thrown = map(int, text.split())
        return cls(left, mover, bool(thrown))
    def chances(self):
        return tuple((move, 1 / len(self.moves())) for move in self.moves()) if self.turn == CHANCE else ()
    def play(self, move):
        return Dice(self.left - move * self.thrown, abs(self.mover - self.thrown), not self.thrown)
    def position(self):
        return f"{self.left} {self.mover} {int(self.thrown)}"
"""


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("    chance = True\n", "", "turn is CHANCE, so that the class needs: chance = True"),
        ("1 / len(self.moves())", "0.5", "expected probabilities above 0 that sum to 1, got [0.5, 0.5, 0.5]"),
        ("(move, 1 /", "(move + 1, 1 /", "expected chances() to have the outcomes of moves() in their order"),
        (
            "(move, 1 / len(self.moves()))",
            "move",
            "expected chances() to be pairs (outcome, probability), got (1, 2, 3)",
        ),
    ],
)
def test_each_error_in_chance_nodes_is_reported(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    assert right in CHANCE
    assert told in checked(tmp_path, STICKS + CHANCE.replace(right, wrong), "Dice")


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("    hidden = True\n", "", "differs from position(), so that the class needs: hidden = True"),
        ('f"{self.prize} bids=', 'f"{self.prize}! bids=', "expected load() to read what position() has written"),
        ("random.choice(COINS) if bid == HIDDEN else bid", "0", "expected sample("),
    ],
)
def test_each_error_in_hidden_information_is_reported(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    source = (EXAMPLES / "auction.py").read_text("utf-8")
    assert right in source
    assert told in checked(tmp_path, source.replace(right, wrong), "Auction")


def test_a_game_without_an_end_is_reported(tmp_path: Path) -> None:
    source = STICKS.replace("max_plies = 10", "max_plies = None").replace("self.left - move", "self.left")
    assert "the game has not ended after 10,000 plies" in checked(tmp_path, source)


def test_an_unknown_game_is_the_usual_error() -> None:
    with pytest.raises(UnknownGame, match="did you mean 'connect4'"):
        contract.check("conect4")
