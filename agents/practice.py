"""Practice: play one game in this process, without a clock or a referee, for debuggers, tests and notebooks.

Each seat sees only what it would see in an arena. Chance events come from the seed, so that agents whose only random
numbers are `self.random` always play the same game. An exception of an agent is passed on to the caller of `practice`.
"""

from __future__ import annotations

from math import inf, isinf
from random import Random
from typing import Any, NamedTuple

from adsearch import CHANCE, State, games
from adsearch.errors import BadMove, one_of, quote
from adsearch.notebook import ShownInNotebook
from agents import hosting
from agents.agent import Agent, Clock, Resign
from agents.errors import BadAgent


class Played(NamedTuple):
    """A game that was played. `print` shows it as text, a notebook with a drawn board."""

    game: str
    players: tuple[str, ...]
    moves: tuple[tuple[int | str, str], ...]
    """Every ply: a seat or "chance", and the move as text."""
    states: tuple[State[Any], ...]
    """The position before each move, and the last position."""
    utilities: tuple[float, ...] | None
    """The utility of each seat; None if not known."""
    verdict: str
    """Why the game ended: "normal", "resigned" or "adjudicated" (stopped after `max_plies`)."""
    fault: int | None = None
    """The seat that resigned."""

    @property
    def state(self) -> State[Any]:
        """The last position."""
        return self.states[-1]

    def __str__(self) -> str:
        return "\n".join([self._heading(), self._plies(), str(self.state), *self._endings()])

    def __repr__(self) -> str:
        return f"<Played {'; '.join([self._heading(), f'{len(self.moves)} plies', *self._endings()])}>"

    @property
    def picture(self) -> str:
        """The last board as an SVG document, with the last move marked."""
        return self.state.svg(self.states[-2].from_text(self.moves[-1][1]) if self.moves else None)

    @property
    def texts(self) -> list[str]:
        """The players, the result and the moves, in sentences."""
        return [self._heading(), *self._endings(), self._plies()]

    def _repr_html_(self) -> str | None:
        """The game as a notebook shows it, once `arena` is imported: the picture and the texts."""
        return ShownInNotebook.write_html(self)

    def _repr_svg_(self) -> str:
        """The game as a notebook shows it without `arena`."""
        return self.picture

    def _heading(self) -> str:
        return f"{self.game}: {', '.join(self._names())}"

    def _names(self) -> list[str]:
        return [f"{seat} {name}" for seat, name in enumerate(self.players)]

    def _plies(self) -> str:
        """The number of moves, and all of them."""
        played = " ".join(text if who != "chance" else f"({text})" for who, text in self.moves)
        return f"{len(self.moves)} plies: {played}"

    def _endings(self) -> list[str]:
        """Why the game ended if its rules did not end it, and its result if there is one."""
        names, lines = self._names(), []
        if self.fault is not None:
            lines.append(f"{names[self.fault]} resigned")
        elif self.verdict == "adjudicated":
            lines.append("stopped: too many plies (max_plies)")
        if self.utilities is not None:
            worth = (f"{name}: {utility:+g}" for name, utility in zip(names, self.utilities, strict=True))
            lines.append(", ".join(worth))
        return lines


def practice(
    game: str,
    *players: Agent | str,
    seed: int = 0,
    position: str | None = None,
    max_plies: int | None = None,
) -> Played:
    """Play `game` ("connect4", "my_game.py") and return the result. Give one player for each seat: an object of your
    Agent class, or a text such as "alphabeta:depth=2" or "my_agent.py".

    `position`: start from this position; `max_plies`: stop after this many plies. Raises BadMove if a player chooses an
    illegal move, and BadAgent or CannotPlay if a player cannot play this game."""
    rules, options = games.find(game)
    state = rules.start(**options) if position is None else rules.load(position, **options)
    agents = _seated(game, state, players, seed)
    names = tuple(agent.name for agent in agents)

    def seen(seat: int) -> State[Any]:
        return rules.load(state.view(seat), **options) if state.hidden else state

    for seat, agent in enumerate(agents):
        agent.begin(seen(seat), seat)
    dice = Random(f"{seed} chance")
    moves: list[tuple[int | str, str]] = []
    states = [state]
    resigned: int | None = None
    while state.turn is not None and len(moves) < (inf if max_plies is None else max_plies):
        if state.turn == CHANCE:
            outcomes, weights = zip(*state.chances(), strict=True)
            move = dice.choices(outcomes, weights)[0]
            moves.append(("chance", state.to_text(move)))
        else:
            try:
                move = _chosen(agents[state.turn], seen(state.turn), f"{game}, ply {len(moves) + 1}")
            except Resign:
                resigned = state.turn
                break
            moves.append((state.turn, state.to_text(move)))
        state = state.play(move)
        states.append(state)
    over = state.turn is None
    verdict = "normal" if over else "adjudicated" if resigned is None else "resigned"
    utilities = tuple(state.utilities()) if over else None if resigned is None else _resigned(state, resigned)
    for agent in agents:
        agent.end(utilities, verdict)
    return Played(game, names, tuple(moves), tuple(states), utilities, verdict, resigned)


def _seated(game: str, state: State[Any], players: tuple[Agent | str, ...], seed: int) -> list[Agent]:
    """The players as Agent objects, each with its name, seat and seed set."""
    if len(players) != state.players:
        raise BadAgent(f"{game} is for {state.players} players, got {len(players)}")
    agents: list[Agent] = []
    for number, player in enumerate(players):
        agent, name = _made(player, state, f"{game}, seat {number}")
        if any(agent is other for other in agents):
            raise BadAgent(f"{game}, seat {number}: an Agent object can have only one seat; create another {name}()")
        agents.append(agent)
        hosting.seat(agent, name, number, Random(f"{seed} seat {number}").getrandbits(53))
    return agents


def _made(player: object, state: State[Any], where: str) -> tuple[Agent, str]:
    """The Agent object that `player` is or names, and its name."""
    if isinstance(player, Agent):
        return player, player.name or type(player).__name__
    if not isinstance(player, str):
        such = f", such as {player.__name__}()" if isinstance(player, type) else ""
        raise BadAgent(f"{where}: expected an Agent{such} or a text, got {quote(player)}")
    from agents import builtin, loading

    make = loading.find(player)
    if builtin.is_builtin(player):
        builtin.check_can_play(player, state)
    return make(), player


def _chosen(agent: Agent, state: State[Any], where: str) -> Any:
    """The move that the agent chooses; BadMove if it is not legal."""
    choice = agent.choose(state, Clock())
    move = hosting.legal(choice, state)
    if move is None:
        legal = one_of([repr(move) for move in state.moves()])
        raise BadMove(f"{agent.name}: {hosting.described(choice)}, expected one of {legal} ({where})")
    hosting.reported(agent, state)
    return move


def _resigned(state: State[Any], seat: int) -> tuple[float, ...] | None:
    """The utilities of a game that `seat` resigned, computed as the referee computes them."""
    if state.players != 2:
        return None
    low, high = state.bounds
    low = -high if state.zero_sum and seat == 1 else low
    low = -1.0 if isinf(low) else float(low)
    return (low, 0.0 - low) if seat == 0 else (0.0 - low, low)
