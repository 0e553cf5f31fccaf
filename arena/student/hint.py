"""A hint for a person who plays: the move that a short search finds, and its value, in words.

The search gets the position as the person sees it. With hidden information it plays out random positions that are
consistent with that view, so that a hint says nothing about what is hidden. If the evaluation is made of features, it
evaluates the view after each move instead, and there is no value to tell.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from adsearch import Budget, Result, State, games
from adsearch.state import texts
from adsearch.terms import root_seat
from agents import builtin
from agents.builtin.thinker import NODES, Thinker
from arena.history import words

if TYPE_CHECKING:
    from arena.play.helper import Asker

_SEARCHES: Final = ("pvs", "expectiminimax", "maxn")
"""The built-in agents that are asked: the first that can play the game."""
_WITHOUT_ESTIMATE: Final = "mcts"
"""The one for games with hidden information or without an evaluation: it needs neither."""
_MOST_SECONDS: Final = 3.0
"""Time limit, for user-supplied games that are slow."""
_MOST_SHOWN: Final = 5
"""Number of moves shown of the line."""


class Hint(NamedTuple):
    """A move, and why."""

    move: str
    """Its text as programs write it."""
    text: str
    """The hint: "hint: Nf3 (then Nc6): its value for you is about +0.31"."""


def hint(state: State[Any]) -> Hint:
    """The move that a search of `NODES` nodes prefers for the seat to move, with its value."""
    if state.hidden and state.evaluation:
        # As in `greedy`: in `words` that is far better than random games, of which each move gets one or two.
        seat = root_seat(state)
        best = max(state.moves(), key=lambda move: state.play(move).evaluate(seat))
        return Hint(state.to_text(best), words.printable(f"hint: {state.shown(best)}"))
    estimates = not state.hidden and type(state).evaluate is not State.evaluate
    name = (builtin.first_that_can_play(_SEARCHES, state) if estimates else None) or _WITHOUT_ESTIMATE
    agent = cast("Thinker", builtin.find(name).make())
    result = agent.think(state, None, Budget.seconds(_MOST_SECONDS, time.monotonic, nodes=NODES))
    move = result.move if result.move is not None else state.moves()[0]
    line = () if state.hidden else words.shown_moves(state, texts(state, result.line))[1:_MOST_SHOWN]
    then = f" (then {' '.join(line)})" if line else ""
    text = words.printable(f"hint: {state.shown(move)}{then}: {_worth(state, result)}")
    return Hint(state.to_text(move), text)


def answer(asker: Asker) -> None:
    """Answers one job, the position of a game; in a helper."""
    rules, position = asker.job(tuple[str, str])
    asker.answer(hint(games.load(rules, position)))


def _worth(state: State[Any], result: Result[Any]) -> str:
    """The value in words, for the seat to move."""
    low, high = state.bounds if state.turn == 0 or not state.zero_sum else (-state.bounds[1], -state.bounds[0])
    if result.exact and not state.chance and state.zero_sum and low < 0.0 < high:
        within = "" if result.distance is None else f" in {words.plies(result.distance)}"
        return {1: f"you win{within}", 0: "a draw", -1: f"you lose{within} against best play"}[
            (result.value > 0.0) - (result.value < 0.0)
        ]
    scale = "" if high - low == float("inf") else f" (from {words.number(low)} to {words.number(high)})"
    return f"its value for you is about {result.value:+z.2f}{scale}"
