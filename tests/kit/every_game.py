"""The games for tests that run over every game: with default and other options, and small variants.

Small: all positions can be visited quickly.
"""

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Any

from adsearch import games
from adsearch.games.tree import shipped
from tests.kit.places import EXAMPLES

AnyState = Any
"""A State, of which a test may also ask what only its own game has."""


SMALL = [
    "tictactoe",
    "tictactoe:m=2,n=4,k=2",
    "connect4:rows=4,columns=4,line=3",
    "nap:n=9",
    "grundy:pile=10",
    "grundy:piles=5+4",
    "dots:rows=1,columns=2",
    "dots:rows=2,columns=2",
    "othello:size=4",
    "go:size=1,komi=0",
    "pig:goal=5",
    "pig:goal=3,sides=2,bust=1,points=fixed",
    "maze:map=tiny,ghosts=1,steps=4",
    "maze:map=tiny,ghosts=random,steps=3",
    "maze:map=tiny,ghosts=0,steps=5",
    "ludo:players=2,tokens=1",
    "kuhn",
    "leduc",
    "words:tiles=AAT,rack=1",
    "words:tiles=ANT_,rack=2",
    "rps:rounds=1",
    "rps:rounds=2",
    *(f"tree:{name}" for name in shipped()),
    f"{EXAMPLES}/countdown.py:Countdown:n=9",
]

LARGE = [
    "tictactoe:m=5,n=7,k=4",
    "connect4",
    "connect4:rows=5,columns=6",
    "connect4:rows=12,columns=12,line=5",
    "nap",
    "nap:n=60",
    "grundy",
    "grundy:pile=30",
    "dots",
    "dots:rows=4,columns=2",
    "othello",
    "othello:size=6",
    "othello:size=10",
    "checkers",
    "chess",
    "go:size=5,komi=24.5",
    "go:size=2",
    "pig",
    "pig:goal=20,sides=8,bust=3",
    "ludo",
    "ludo:players=2",
    "ludo:players=3",
    "backgammon",
    "maze",
    "maze:ghosts=4",
    "maze:ghosts=random",
    "maze:ghosts=0",
    "rps",
    "words",
    "words:players=3,tiles=AAEEINORSTDLG_,rack=4",
]

EVERY = SMALL + LARGE


def playout(spec: str, seed: object) -> Iterator[tuple[AnyState, Any]]:
    """A random game: each position with the move played there, and the last with None.
    Outcomes of chance are drawn evenly, so that rare ones are met too."""
    random = Random(f"{spec} {seed}")
    state = games.start(spec)
    while state.turn is not None:
        move = random.choice(state.moves())
        yield state, move
        state = state.play(move)
    yield state, None


def positions(spec: str, *, most: int = 20_000) -> Iterator[AnyState]:
    """Every position of a game, or the first `most`, breadth first; two that differ in their text are two."""
    start = games.start(spec)
    seen, queue = {start.position()}, deque([start])
    while queue and most:
        state = queue.popleft()
        most -= 1
        yield state
        for move in state.moves():
            child = state.play(move)
            text = child.position()
            if text not in seen:
                seen.add(text)
                queue.append(child)
