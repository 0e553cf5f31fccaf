"""The built-in agents by name, with their options: "pvs", "alphabeta:depth=6,table=false".

Each is a short file here that is also an example to read, and is imported only when its agent is asked for.
`find("mcts:share=0.5")` returns what makes that agent, and `check_can_play("minimax", state)` says whether it can play.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, get_type_hints

from adsearch import State, settings, terms
from adsearch.errors import BadSearch, BadSetting, meant, quote
from agents.agent import Agent
from agents.errors import BadAgent, CannotPlay

_CLASSES: Final = {
    "random": ("random_moves", "RandomMoves"),
    "minimax": ("minimax", "Minimax"),
    "negamax": ("more", "Negamax"),
    "alphabeta": ("alphabeta", "AlphaBeta"),
    "pvs": ("pvs", "Pvs"),
    "mtdf": ("more", "Mtdf"),
    "selective": ("more", "Selective"),
    "expectiminimax": ("expectiminimax", "Expectiminimax"),
    "expectimax": ("more", "Expectimax"),
    "maxn": ("more", "Maxn"),
    "paranoid": ("more", "Paranoid"),
    "mcts": ("mcts", "Mcts"),
}
"""Every built-in agent: its name, its file and its class."""

_DRAW: Final = ("random", "mcts")
"""Those whose moves are drawn from the game's seed."""
_ABOUT: Final = {
    "depth": "look at most so many plies ahead",
    "seconds": "think at most so long about a move",
    "nodes": "look at most at so many positions for a move",
    "share": "use so much of the clock's budget for a move",
    "shuffle": "of equal moves take any, not the first",
    "seed": "draw from this seed instead of the game's",
    "table": "remember positions, for when another order of moves leads to them",
    "ordering": "try first what was good elsewhere",
    "width": "look at so many moves of each position",
    "pruning": "how to leave out throws that cannot matter",
    "simulations": "play so many games at random for a move",
    "exploration": "how curious to be about moves that were tried little",
}


@dataclass(frozen=True, slots=True)
class AgentSetting:
    """One option of a built-in agent."""

    name: str
    default: object
    """None: no such limit."""
    expected: str
    """What may stand for its value, in words."""
    about: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A built-in agent with the options that a text gave it."""

    name: str
    agent: type[Agent]
    given: tuple[tuple[str, Any], ...] = ()

    @property
    def about(self) -> str:
        """What it does, in a line."""
        return inspect.cleandoc(self.agent.__doc__ or "").partition("\n")[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it plays besides games for one, or for two with opposed interests: "chance", "several", "hidden"."""
        return getattr(self.agent, "kinds", ("chance", "several", "hidden"))

    @property
    def settings(self) -> tuple[AgentSetting, ...]:
        """Its options: first its own, then those of all."""
        return tuple(
            AgentSetting(name, default, settings.expected(settings.kinds(hint)), _ABOUT[name])
            for name, (hint, default) in _options(self.agent)
        )

    def repeats(self, *, clocked: bool) -> bool:
        """Whether it always plays the same moves in the same positions; `clocked`: in games with a clock, by which it
        may think longer one day than the other."""
        given = dict(self.given)
        if (self.name in _DRAW or given.get("shuffle")) and given.get("seed") is None:
            return False
        bounded = self.name == "random" or any(given.get(limit) for limit in ("depth", "nodes", "simulations"))
        return bounded or not clocked

    def make(self) -> Agent:
        """The agent, for one game."""
        return self.agent(**dict(self.given))


def names() -> tuple[str, ...]:
    """The names of the built-in agents."""
    return tuple(_CLASSES)


def is_builtin(spec: str) -> bool:
    """Whether `spec` names one of them, rightly or wrongly configured."""
    return spec.partition(":")[0] in _CLASSES


def every() -> tuple[BuiltIn, ...]:
    """All of them, with the options that they have by default."""
    return tuple(map(_named, _CLASSES))


def find(spec: str) -> BuiltIn:
    """The agent that `spec` names; BadAgent says which agents, options or values there are."""
    name, _, text = spec.partition(":")
    if name not in _CLASSES:
        raise BadAgent(f"no agent {quote(name)}{meant(name, names())}")
    agent = _named(name).agent
    hints = {option: hint for option, (hint, _) in _options(agent)}
    try:
        found = BuiltIn(name, agent, tuple(settings.read_all(text, hints, example="seed=7").items()))
        found.make()
    except (BadSetting, BadAgent) as error:
        raise BadAgent(f"{name}: {error}") from None
    return found


def check_can_play(spec: str, state: State[Any]) -> None:
    """CannotPlay unless the built-in agent that `spec` names can play the game that `state` belongs to."""
    found = find(spec)
    reason = _why_not(found, state)
    if reason:
        able = [other.name for other in every() if not _why_not(other, state)]
        raise CannotPlay(f"{found.name} cannot play {_called(state)}: {reason}; these can: {', '.join(able)}")


def _why_not(found: BuiltIn, state: State[Any]) -> str:
    """Why the agent cannot play such a game; empty where it can."""
    kinds = found.kinds
    if state.hidden and "hidden" not in kinds:
        return "something in it is hidden from the players"
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
    """Name, type and default of every option that the agent, or the class that it extends, takes by keyword."""
    for kind in agent.__mro__:
        if "__init__" in vars(kind) and issubclass(kind, Agent):
            hints = get_type_hints(kind.__init__)
            for name, parameter in inspect.signature(kind.__init__).parameters.items():
                if parameter.kind is parameter.KEYWORD_ONLY:
                    yield name, (hints[name], parameter.default)
