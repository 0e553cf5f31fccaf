"""Our games as environments of PettingZoo, the library for learning with several agents: `env("connect4")`.

An environment is an AECEnv: its agents act one after the other. It needs the packages `pettingzoo` and `numpy`, so
nothing in adsearch imports this module. Chance nodes are played by the environment, with the seed of `reset`.

An agent observes a dictionary. `observation` is `state.array(seat)` in a game with a board of pieces; in any other game
it is the text `state.view(seat)`, a number for each character, with zeros up to a fixed length. Neither has what the
rules hide from the seat. `action_mask` is 1 for each legal action of the agent that is to act, else 0.

An action is the number of a move in `state.all_moves()` of the start position. In a game that does not say all its
moves, it is the number of the move in `state.moves()`.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

try:
    import numpy as np
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as error:
    raise ImportError(
        f"adsearch.pettingzoo needs the package {error.name}: pip install pettingzoo", name=error.name
    ) from None

from adsearch import games
from adsearch.errors import BadCell, BadGame, BadMove, meant, quote
from adsearch.state import CHANCE, State

_MOST_MOVES: Final = 4096
"""Number of actions in a game that does not say all its moves."""
_MOST_LETTERS: Final = 512
"""Length of an observation that is a text."""


def env(game: str, **options: Any) -> OrderEnforcingWrapper:
    """The environment of a game, such as "connect4:rows=5", with the options of `GameEnv`. A call in a wrong order is
    an error."""
    return OrderEnforcingWrapper(GameEnv(game, **options))


class GameEnv(AECEnv):  # type: ignore[misc]
    """The environment of a game. Agent `player_0` is seat 0."""

    def __init__(
        self,
        game: str,
        *,
        render_mode: str | None = None,
        most_plies: int | None = None,
        most_moves: int = _MOST_MOVES,
        most_letters: int = _MOST_LETTERS,
    ) -> None:
        """`render_mode`: "ansi" returns the board as text, "human" prints it. `most_plies`: length at which a game is
        truncated. `most_moves`: number of actions in a game that does not say all its moves. `most_letters`: length of
        an observation that is a text."""
        super().__init__()
        if render_mode not in (None, "ansi", "human"):
            raise ValueError(f"expected render_mode 'ansi' or 'human', got {quote(render_mode)}")
        self.metadata = {"name": game, "render_modes": ["ansi", "human"], "is_parallelizable": False}
        self.render_mode = render_mode
        self._start = games.start(game)
        self.game_state: State[Any] = self._start
        # All moves by their actions; empty if the game does not say.
        self.all_moves = self.game_state.all_moves()
        self._game = game
        self._most_plies = most_plies
        self._letters = most_letters
        self._actions = len(self.all_moves) or most_moves
        self._numbers = {move: number for number, move in enumerate(self.all_moves)}
        self._random = Random()
        self._plies = 0
        self._has_array = not self.game_state.hidden and _has_array(self.game_state)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game_state.players)]
        self.agents: list[str] = []
        self.action_spaces = {agent: Discrete(self._actions) for agent in self.possible_agents}
        seen = self._board_space() if self._has_array else Box(0, 0x10FFFF, (most_letters,), np.int32)
        mask = Box(0, 1, (self._actions,), np.int8)
        self.observation_spaces = {
            agent: Dict({"observation": seen, "action_mask": mask}) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Dict:
        """What the agent observes: always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The actions of the agent: always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. Without a seed the random numbers go on; there are no options."""
        if seed is not None:
            self._random = Random(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._plies = 0
        self.agent_selection = self.agents[0]
        self._goes_on_from(self._start)

    def step(self, action: int | None) -> None:
        """Play the action of the agent that is to act. After the end of the game it must be None."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._plies += 1
        self._goes_on_from(self.game_state.play(self.move(self.game_state, action)))
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """What the agent sees of the position, and its legal actions if it is to act."""
        if agent not in self.possible_agents:
            raise ValueError(f"no agent {quote(agent)}{meant(agent, self.possible_agents)}")
        return self.observation(self.game_state, self.possible_agents.index(agent))

    def observation(self, state: State[Any], seat: int) -> dict[str, Any]:
        """The same for any position of the game and a seat, for a policy that plays as an agent of ours."""
        mask = np.zeros(self._actions, np.int8)
        if state.turn == seat:
            mask[self._legal(state)] = 1
        seen = np.array(state.array(seat), np.int8) if self._has_array else self._text(state.view(seat))
        return {"observation": seen, "action_mask": mask}

    def move(self, state: State[Any], action: Any) -> Any:
        """The move of a legal action; BadMove if it is not legal."""
        legal = self._legal(state)
        if isinstance(action, int | np.integer) and int(action) in legal:
            return self.all_moves[int(action)] if self._numbers else state.moves()[int(action)]
        raise BadMove(f"player_{state.turn}: expected an action whose action_mask is 1, got {action!r}")

    def render(self) -> str | None:
        """The board as text, with all that a seat does not see; printed in the mode "human"."""
        if self.render_mode == "human":
            print(self.game_state)
            return None
        return str(self.game_state)

    def close(self) -> None:
        """Nothing has to be closed."""

    def _goes_on_from(self, state: State[Any]) -> None:
        """Let chance play, then say who is to act, or that the game is over."""
        while state.turn == CHANCE:
            outcomes, weights = zip(*state.chances(), strict=True)
            state = state.play(self._random.choices(outcomes, weights)[0])
        self.game_state = state
        if state.turn is None:
            self.rewards = {f"player_{seat}": float(won) for seat, won in enumerate(state.utilities())}
            self.terminations = dict.fromkeys(self.agents, True)
            return
        self.agent_selection = self.possible_agents[state.turn]
        if self._most_plies is not None and self._plies >= self._most_plies:
            self.truncations = dict.fromkeys(self.agents, True)

    def _legal(self, state: State[Any]) -> list[int]:
        """The legal actions."""
        moves = state.moves()
        if self._numbers:
            return [self._numbers[move] for move in moves]
        if len(moves) > self._actions:
            more = f"make it with env({quote(self._game)}, most_moves={2 * len(moves)})"
            raise BadGame(
                f"{self._game}: expected at most {self._actions} moves in a position, got {len(moves)}; {more}"
            )
        return list(range(len(moves)))

    def _board_space(self) -> Box:
        start = np.array(self.game_state.array(0), np.int8)
        kinds = max(map(len, self.game_state.looks.pieces), default=127)
        return Box(-kinds, kinds, start.shape, np.int8)

    def _text(self, text: str) -> Any:
        if len(text) > self._letters:
            more = f"make it with env({quote(self._game)}, most_letters={2 * len(text)})"
            raise BadGame(
                f"{self._game}: expected at most {self._letters} characters in a view, got {len(text)}; {more}"
            )
        seen = np.zeros(self._letters, np.int32)
        seen[: len(text)] = [ord(letter) for letter in text]
        return seen


def _has_array(state: State[Any]) -> bool:
    try:
        state.array(0)
    except BadCell:
        return False
    return True
