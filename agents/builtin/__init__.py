"""The built-in agents by name, with their options: "pvs", "alphabeta:depth=6,table=false".

Each is a short file in this folder, also meant as an example to read; it is imported only when it is used.
`find("mcts:share=0.5")` returns that agent with its options; `check_can_play("minimax", state)` raises if it cannot
play the game.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, get_type_hints

from adsearch import State, features, terms
from adsearch.errors import BadSearch, BadSetting, BadTable, meant, quote
from adsearch.option import expected_setting, read_settings, setting_kinds
from agents.agent import Agent
from agents.errors import BadAgent, CannotPlay

_CLASSES: Final = {
    "random": ("random_moves", "RandomMoves"),
    "greedy": ("greedy", "Greedy"),
    "minimax": ("minimax", "Minimax"),
    "negamax": ("more", "Negamax"),
    "alphabeta": ("alphabeta", "AlphaBeta"),
    "pvs": ("pvs", "Pvs"),
    "mtdf": ("more", "Mtdf"),
    "quiescence": ("more", "Quiescence"),
    "selective": ("more", "Selective"),
    "expectiminimax": ("expectiminimax", "Expectiminimax"),
    "expectimax": ("more", "Expectimax"),
    "maxn": ("more", "Maxn"),
    "paranoid": ("more", "Paranoid"),
    "mcts": ("mcts", "Mcts"),
    "cfr": ("cfr", "Cfr"),
}
"""Every built-in agent: its name, its file and its class."""

_RANDOM: Final = ("random", "mcts", "cfr")
"""The agents whose moves depend on random numbers from the game's seed."""
_ABOUT: Final = {
    "depth": "largest search depth, in plies",
    "rounds": "largest search depth, in rounds: in a round each player moves once, and chance too",
    "seconds": "longest time for a move, in seconds",
    "nodes": "largest number of nodes for a move",
    "share": "part of the clock's budget to use for a move",
    "evaluate": "the only feature of the evaluation to use, such as score (arena games GAME lists them)",
    "weights": "other weights of features, such as pellets:-2+nearest:9",
    "endgames": "in checkers: use endgame tables with up to that many pieces (arena search tables builds them)",
    "shuffle": "choose randomly among equal moves, instead of the first",
    "seed": "seed for random numbers, instead of the game's",
    "table": "use a transposition table",
    "ordering": "search good moves first (killer moves and history)",
    "width": "number of moves to search in each position",
    "pruning": "how to prune chance nodes",
    "simulations": "number of simulations for a move",
    "iterations": "how often the game is played against itself before the first move",
    "exploration": "exploration constant of UCB1: higher tries little-visited moves more often",
}
"""What each option means, for `arena agents`."""


@dataclass(frozen=True, slots=True)
class AgentSetting:
    """One option of a built-in agent."""

    name: str
    default: object
    """None: no limit."""
    expected: str
    """The allowed values, in words."""
    about: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A built-in agent, with the options that were given."""

    name: str
    agent: type[Agent]
    given: tuple[tuple[str, Any], ...] = ()

    @property
    def about(self) -> str:
        """What the agent does, in one line."""
        return inspect.cleandoc(self.agent.__doc__ or "").partition("\n")[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of games it can play besides deterministic games for one player or two-player zero-sum games:
        "chance", "several" (players, or not zero-sum), "hidden" (information)."""
        return getattr(self.agent, "kinds", ("chance", "several", "hidden"))

    @property
    def settings(self) -> tuple[AgentSetting, ...]:
        """The agent's options: first its own, then those of all built-in agents."""
        return tuple(
            AgentSetting(name, default, expected_setting(setting_kinds(hint)), _ABOUT[name])
            for name, (hint, default) in _options(self.agent)
        )

    def repeats(self, *, clocked: bool) -> bool:
        """Whether the agent always plays the same move in the same position; `clocked`: in games with a clock, where
        its search depends on the machine's speed."""
        given = dict(self.given)
        if (self.name in _RANDOM or given.get("shuffle")) and given.get("seed") is None:
            return False
        limits = ("depth", "rounds", "nodes", "simulations")
        bounded = self.name in ("random", "greedy", "cfr") or any(given.get(limit) for limit in limits)
        return bounded or not clocked

    def make(self) -> Agent:
        """Create the agent for one game."""
        return self.agent(**dict(self.given))


def names() -> tuple[str, ...]:
    """The names of the built-in agents."""
    return tuple(_CLASSES)


def is_builtin(spec: str) -> bool:
    """Whether `spec` names a built-in agent, with valid or invalid options."""
    return spec.partition(":")[0] in _CLASSES


def every() -> tuple[BuiltIn, ...]:
    """All built-in agents, with default options."""
    return tuple(map(_named, _CLASSES))


def find(spec: str) -> BuiltIn:
    """The agent that `spec` names; BadAgent lists the valid agents, options or values."""
    name, _, text = spec.partition(":")
    if name not in _CLASSES:
        raise BadAgent(f"no agent {quote(name)}{meant(name, names())}")
    agent = _named(name).agent
    hints = {option: hint for option, (hint, _) in _options(agent)}
    try:
        found = BuiltIn(name, agent, tuple(read_settings(text, hints, example="seed=7").items()))
        found.make()
    except (BadSetting, BadAgent) as error:
        raise BadAgent(f"{name}: {error}") from None
    return found


def check_can_play(spec: str, state: State[Any]) -> None:
    """Raise CannotPlay unless the built-in agent that `spec` names can play the game of `state` with its options."""
    found = find(spec)
    reason = _why_not(found, state)
    if reason:
        these = ", ".join(able(state))
        raise CannotPlay(f"{found.name} cannot play {_called(state)}: {reason}; these can: {these}")
    given = dict(found.given)
    try:
        features.weights_for(state, only=given.get("evaluate"), weights=given.get("weights"))
        if (pieces := given.get("endgames")) is not None:
            from agents.endgames import tables_for  # here: few agents use tables

            tables_for(state, pieces)
    except (BadSetting, BadTable) as error:
        raise CannotPlay(f"{spec} cannot play {_called(state)}: {error}") from None


def able(state: State[Any]) -> list[str]:
    """The names of the built-in agents that can play the game of `state`."""
    return [one.name for one in every() if not _why_not(one, state)]


def first_that_can_play(names: Iterable[str], state: State[Any]) -> str | None:
    """The first of these built-in agents that can play the game of `state`; None if none of them can."""
    return next((name for name in names if not _why_not(find(name), state)), None)


def _why_not(found: BuiltIn, state: State[Any]) -> str:
    """Why the agent cannot play the game of `state`; empty if it can."""
    if refuses := getattr(found.agent, "refuses", None):
        return str(refuses(state))
    kinds = found.kinds
    if state.hidden and "hidden" not in kinds:
        return "it has hidden information"
    if "several" not in kinds:
        try:
            terms.zero_sum(state, found.name, chance="chance" in kinds)
        except BadSearch as error:
            return str(error).partition(";")[0]
    return ""


def _called(state: State[Any]) -> str:
    """The name of the game that a state belongs to."""
    kind = type(state)
    package, _, module = kind.__module__.rpartition(".")
    return module if package == "adsearch.games" else kind.__name__


def _named(name: str) -> BuiltIn:
    module, kind = _CLASSES[name]
    return BuiltIn(name, getattr(importlib.import_module(f"agents.builtin.{module}"), kind))


def _options(agent: type[Agent]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Name, type and default of every keyword-only parameter of the agent's class and of its base classes."""
    for kind in agent.__mro__:
        if "__init__" in vars(kind) and issubclass(kind, Agent):
            hints = get_type_hints(kind.__init__)
            for name, parameter in inspect.signature(kind.__init__).parameters.items():
                if parameter.kind is parameter.KEYWORD_ONLY:
                    yield name, (hints[name], parameter.default)
