"""Strict states: each mistake is named with its line, and an agent without a mistake is never accused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsearch import CHANCE, games
from agents import loading, strict
from agents.player import Player
from agents.protocol import ClockInfo, Move, Start, Turn
from agents.strict import Mistake, StrictPlayer
from arena.student import starter
from arena.student.starter import Style
from tests.kit.every_game import SMALL
from tests.kit.places import COUNTDOWN, EXAMPLES

OWN_GAME = f"{COUNTDOWN}:Countdown"


def agent_file(folder: Path, choose: str, *, top: str = "", name: str = "my_agent") -> Path:
    """An agent with these lines in `choose`; the first of them is line 8 if `top` has one line."""
    lines = "\n".join(f"        {line}" for line in choose.splitlines())
    path = folder / f"{name}.py"
    path.write_text(
        f"from agents import Agent\nimport copy, pickle\n{top}\n\n\nclass MyAgent(Agent):\n"
        f"    def choose(self, state, clock):\n{lines}\n        return self.random.choice(state.moves())\n"
    )
    return path


def played(path: Path, rules: str, *, most: int = 12, kind: type[Player] = StrictPlayer) -> tuple[list[Mistake], str]:
    """The mistakes of the agent in a game against itself of at most `most` plies, and the moves."""
    mistakes: list[Mistake] = []
    state, random = games.start(rules), Random(1)
    make = loading.load(str(path))
    hosts = [
        StrictPlayer(make, report=mistakes.append) if kind is StrictPlayer else Player(make)
        for _ in range(state.players)
    ]
    for seat, host in enumerate(hosts):
        names = tuple(f"player {number}" for number in range(state.players))
        host.answer(Start(1, rules, seat, names, ClockInfo("none", None), seat, state.view(seat)), 0)
    moves: list[str] = []
    unseen: list[list[tuple[int | str, str]]] = [[] for _ in hosts]
    while state.turn is not None and len(moves) < most:
        if state.turn == CHANCE:
            move = random.choice(state.moves())
        else:
            told = {"position": state.view(state.turn)} if state.hidden else {}
            turn = Turn(1, "id", len(moves) + 1, tuple(unseen[state.turn]), None, None, **told)  # type: ignore[arg-type]
            unseen[state.turn].clear()
            answer = hosts[state.turn].answer(turn, 0)
            assert isinstance(answer, Move)
            move = state.from_text(answer.move)
        for seat, events in enumerate(unseen):
            events.append(("chance" if state.turn == CHANCE else state.turn, state.view_move(seat, move)))
        moves.append(state.to_text(move))
        state = state.play(move)
    return mistakes, " ".join(moves)


@pytest.fixture(autouse=True)
def _forgotten_modules() -> Iterator[None]:
    before = {*sys.modules}
    path = [*sys.path]
    yield
    sys.path[:] = path
    for name in {*sys.modules} - before:
        if name.startswith(("my_", "search", "simple")):
            del sys.modules[name]


WRONG = {
    "thrown away": ("state.play(state.moves()[0])", 8, "the result of state.play(state.moves()[0]) is thrown away"),
    "on several lines": ("if True:\n    (state\n        .play(\n            state.moves()[0]))", 10, "is thrown away"),
    "with stars": ("state.play(*[state.moves()[0]])", 8, "is thrown away"),
    "by name": ("state.play(move=state.moves()[0])", 8, "is thrown away"),
    "of a child": (
        "children = [state]\nchildren[0].play(children[0].moves()[0])",
        9,
        "the result of children[0].play(children[0].moves()[0]) is thrown away",
    ),
    "kept in a name that nothing reads": (
        "child = state.play(state.moves()[0])\nbest = state.evaluate(0)",
        8,
        "the result of state.play(state.moves()[0]) is never used: nothing reads child",
    ),
    "assigned": ("state.turn = state.turn", 8, "the attribute turn of a position is assigned"),
    "assigned in a child": (
        "child = state.play(state.moves()[0])\nchild.turn = 1",
        9,
        "the attribute turn of a position is assigned",
    ),
    "added to": ("state.turn += 0", 8, "the attribute turn of a position is assigned"),
    "assigned by setattr": ("setattr(state, 'turn', state.turn)", 8, "the attribute turn of a position is assigned"),
}
"""Lines of an agent, the line with the mistake, and what is said of it."""


@pytest.mark.parametrize("game", ["connect4", "othello", "pig:goal=20", OWN_GAME], ids=lambda game: Path(game).stem)
@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named_with_its_line_and_the_cure(name: str, game: str, tmp_path: Path) -> None:
    choose, line, what = WRONG[name]
    mistakes, moves = played(agent_file(tmp_path, choose), game)
    assert {mistake.place for mistake in mistakes} == {f"my_agent.py, line {line}"}
    assert all(what in mistake.what and mistake.cure for mistake in mistakes), mistakes
    assert moves


ILLEGAL = {
    "a full column": (
        "connect4:rows=4,columns=4",
        "child = state\nfor _ in range(5):\n    child = child.play(0)",
        "play(0): this is not a legal move there",
        "one of state.moves(): 1, 2, 3",
    ),
    "after the end": (
        f"{OWN_GAME}:n=4",
        "child = state\nfor _ in range(9):\n    child = child.play(1)",
        "play(1): the game is over there",
        "no move",
    ),
    "a text": (
        "connect4",
        "try:\n    state.play('4')\nexcept TypeError:\n    pass",
        "play('4'): this is not a legal move there",
        "one of state.moves(): 0, 1, 2, 3, 4, 5, 6",
    ),
    "no move": (
        "othello",
        "try:\n    _ = state.play(None)\nexcept Exception:\n    pass",
        "play(None): this is not a legal move there",
        "one of state.moves(): 19, 26, 37, 44",
    ),
    "a user-supplied game": (
        OWN_GAME,
        "_ = state.play(9)",
        "play(9): this is not a legal move there",
        "one of state.moves(): 1, 2, 3",
    ),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_an_illegal_move_that_is_played_is_named_with_the_legal_ones(name: str, tmp_path: Path) -> None:
    game, choose, what, expected = ILLEGAL[name]
    mistakes, _ = played(agent_file(tmp_path, choose), game, most=1)
    mistake = next(one for one in mistakes if "thrown away" not in one.what)
    assert (mistake.what, mistake.expected) == (what, expected)
    assert mistake.place.startswith("my_agent.py, line ")


FINE = {
    "all children": "children = [state.play(move) for move in state.moves()]",
    "mapped": "children = []\nchildren.extend(map(state.play, state.moves()))",
    "sorted": "sorted(state.moves(), key=state.play(state.moves()[0]).evaluate) if False else None",
    "in a call": "print(state.play(state.moves()[0]))",
    "in a condition": "if state.play(state.moves()[0]).turn is None: pass",
    "attribute of the result": "state.play(state.moves()[0]).evaluate(0)",
    "assigned to _": "_ = state.play(state.moves()[0])",
    "copied": "copy.copy(state); copy.deepcopy(state)",
    "pickled": "assert pickle.loads(pickle.dumps(state)).position() == state.position()",
    "own attributes": "self.turn = 1\nself.best: int = 2",
    "own class with play": (
        "class Board:\n    def play(self, move): self.state = state.play(move)\nBoard().play(state.moves()[0])"
    ),
    "own position": "type(state).load(state.view(self.seat), **OPTIONS)",
    "own subclass with its own moves": (
        "class None_(type(state)):\n    def moves(self): return ()\n"
        "own = None_.load(state.view(self.seat), **OPTIONS)\n_ = own.play(state.moves()[0])"
    ),
    "numpy's kind of number": "class Int(int): pass\nmove = state.moves()[0]\n"
    "if isinstance(move, int): _ = state.play(Int(move))",
    "in a thread": (
        "from threading import Thread\nthread = Thread(target=state.play, args=state.moves()[:1])\n"
        "thread.start()\nthread.join()"
    ),
}
"""Lines that are no mistake, though some look like one."""


@pytest.mark.parametrize("game", ["connect4", "kuhn", OWN_GAME], ids=lambda game: Path(game).stem)
@pytest.mark.parametrize("name", FINE)
def test_correct_lines_are_not_accused(name: str, game: str, tmp_path: Path) -> None:
    options = games.find(game)[1]
    path = agent_file(tmp_path, FINE[name], top=f"OPTIONS = {options}")
    mistakes, moves = played(path, game)
    assert mistakes == []
    assert moves


def fits_a_search(game: str) -> bool:
    start = games.start(game)
    return start.players <= 2 and start.zero_sum and not start.chance and not start.hidden


GAMES = [*SMALL, "connect4", "othello", "checkers", "ludo:players=3", "maze:ghosts=2"]


@pytest.mark.parametrize(
    ("style", "game"),
    [
        *((Style.SIMPLE, game) for game in GAMES),
        *((Style.SEARCH, game) for game in GAMES if fits_a_search(game)),
    ],
    ids=lambda value: Path(value).name,
)
def test_a_template_is_not_accused_and_plays_as_without(style: Style, game: str, tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(starter.agent(path, game, games.start(game), style, None).files[path.name])
    mistakes, moves = played(path, game, most=6)
    assert mistakes == []
    assert played(path, game, most=6, kind=Player)[1] == moves


@pytest.mark.parametrize("game", ["connect4", "othello", "pig:goal=20", "kuhn", "ludo:players=3"])
def test_the_example_is_not_accused(game: str) -> None:
    mistakes, moves = played(EXAMPLES / "greedy.py", game)
    assert mistakes == []
    assert moves


@pytest.mark.costly
@pytest.mark.parametrize("path", sorted((EXAMPLES / "web-ladder").glob("*.py")), ids=lambda path: path.stem)
def test_an_agent_of_the_ladder_of_make_serve_is_not_accused(path: Path) -> None:
    mistakes, moves = played(path, "othello", most=2)
    assert mistakes == []
    assert moves


def test_the_class_of_the_game_is_as_before_after_each_turn(tmp_path: Path) -> None:
    kind = type(games.start("connect4"))
    before = dict(vars(kind))
    failing = agent_file(tmp_path, "state.play(0)\nraise ValueError")
    with pytest.raises(ValueError, match=r"^$"):
        played(failing, "connect4")
    assert dict(vars(kind)) == before


def test_a_method_that_the_agent_puts_into_the_class_of_the_game_stays_there(tmp_path: Path) -> None:
    kind = type(games.start("connect4"))
    before = kind.play
    lines = [
        "kind = type(state)",
        "first, self.count = kind.play, 0",
        "if not getattr(first, 'own', False):",
        "    def play(state, move): return first(state, move)",
        "    play.own = True",
        "    kind.play = play",
    ]
    try:
        mistakes, _ = played(agent_file(tmp_path, "\n".join(lines)), "connect4", most=3)
        assert (mistakes, kind.play.__name__) == ([], "play")
        assert getattr(kind.play, "own", False)
    finally:
        kind.play = before  # type: ignore[method-assign]


def test_the_file_of_an_agent_is_not_parsed_for_lines_that_use_their_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = agent_file(tmp_path, "children = [state.play(move) for move in state.moves()]")
    parsed: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr("agents.strict.ast.parse", parsed.append)
        mistakes, moves = played(path, "connect4", most=2)
    assert (mistakes, parsed, len(moves.split())) == ([], [], 2)


def test_play_of_a_user_supplied_game_can_take_more_than_a_move(tmp_path: Path) -> None:
    game = tmp_path / "my_game.py"
    game.write_text(LISTS.replace("def play(self, move):", "def play(self, move, undone=0, *, twice=False):"))
    choose = "children = [state.play(1, 2), state.play(1, twice=True), state.play(move=1, undone=3)]"
    mistakes, moves = played(agent_file(tmp_path, choose), f"{game}:Lists", most=2)
    assert (mistakes, moves) == ([], "1 1")


def test_the_game_is_not_taken_for_the_agent_if_it_is_a_dataclass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = tmp_path / "my_game.py"
    start = LISTS.index("    def __init__"), LISTS.index("    @classmethod")
    fields = "    left: int = 5\n    turn: int | None = 0\n"
    text = LISTS[: start[0]] + fields + LISTS[start[1] :].replace("self.left[0]", "self.left")
    text = text.replace("class Lists", "from dataclasses import dataclass\n@dataclass\nclass Lists")
    game.write_text(text.replace("1 - self.turn)", "1 - self.turn if self.left > move else None)"))
    monkeypatch.chdir(tmp_path)  # the __init__ of a dataclass has the file name "<string>"
    mistakes, moves = played(agent_file(tmp_path, "_ = state.play(1)"), f"{game}:Lists", most=9)
    assert (mistakes, moves) == ([], "1 1 1 1 1")


def test_many_plays_in_a_turn_end_the_tests_of_moves_but_not_of_thrown_results(tmp_path: Path) -> None:
    choose = "for _ in range(19_000):\n    _ = state.play(state.moves()[0])\nstate.play(state.moves()[0])"
    mistakes, _ = played(agent_file(tmp_path, choose), "connect4", most=1)
    assert [mistake.place for mistake in mistakes] == ["my_agent.py, line 10"]


def test_after_very_many_plays_in_a_turn_the_game_is_as_fast_as_in_a_tournament(tmp_path: Path) -> None:
    kind = type(games.start("connect4"))
    own = [
        f"from adsearch.games.connect4 import {kind.__name__}",
        "before = Connect4.play, Connect4.__setattr__",
        "for _ in range(20_000):",
        "    _ = state.play(state.moves()[0])",
        "self.notes = before, (Connect4.play, Connect4.__setattr__)",
        "assert all(one is not other for one, other in zip(*self.notes))",
    ]
    mistakes, moves = played(agent_file(tmp_path, "\n".join(own)), "connect4", most=3)
    assert (mistakes, len(moves.split())) == ([], 3)


def test_a_tournament_does_not_load_strict_states() -> None:
    code = "import agents.__main__, agents.over_stdio, agents.over_zmq, sys; print('agents.strict' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout == "False\n"


def test_a_list_in_a_position_that_is_changed_is_noticed(tmp_path: Path) -> None:
    game = tmp_path / "my_game.py"
    game.write_text(LISTS)
    (mistake, *_), _ = played(agent_file(tmp_path, "state.left[0] -= 1"), f"{game}:Lists", most=1)
    assert (mistake.place, mistake.what) == ("", "choose changed the position `state`")
    assert (mistake.expected, mistake.got) == ("'5' with 0 to move", "'4' with 0 to move")


LISTS = """
from adsearch import State

class Lists(State[int]):
    def __init__(self, left=5, turn=0):
        self.left = [left]
        self.turn = turn if left else None
    @classmethod
    def load(cls, text):
        return cls(int(text))
    def moves(self):
        return (1,) if self.turn is not None else ()
    def play(self, move):
        return Lists(self.left[0] - move, 1 - self.turn)
    def utilities(self):
        return (1.0, -1.0)
    def position(self):
        return str(self.left[0])
"""


@pytest.mark.costly
@given(st.text(), st.lists(st.builds(Mistake, st.text(), st.text(), st.text(), st.text(), st.text())))
def test_mistakes_are_read_from_any_log(noise: str, mistakes: list[Mistake]) -> None:
    lines = [strict.MISTAKE + msgspec.json.encode(mistake).decode() for mistake in mistakes]
    log = "\n".join([noise, strict.MISTAKE + noise, *lines])
    found = strict.mistakes_in(log)
    assert [mistake for mistake in found if mistake in mistakes] == [*dict.fromkeys(mistakes)]
