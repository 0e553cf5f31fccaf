"""Plays random games of OpenSpiel in a process of its own: `python openspiel_trial.py "mnk(m=5,n=5,k=4)"`.

OpenSpiel is written in C++. Some of its games crash, take all memory or never end, most of them with unusual
parameters. So `openspiel.py` tries such a game here first. The exit code is 0 if the games were played, or if the kind
of the game is refused anyway; after an error the output says what is wrong.
"""

import sys
from contextlib import suppress
from random import Random
from time import process_time
from typing import Any, Final

SECONDS: Final = 10
"""Processor time after which the process is ended."""
_PLAYS: Final = 0.1
"""Processor time for playing, in seconds; the first game may take longer."""
_BYTES: Final = 3 * 2**30
"""Memory that it can take."""


def play(game: Any, random: Random) -> None:
    """Play one random game, and ask it for all that a player may ask for; ValueError if it breaks a promise."""
    state = game.new_initial_state()
    plies = 0
    while not state.is_terminal():
        player, actions = state.current_player(), state.legal_actions()
        for action in actions:
            state.action_to_string(player, action)
        str(state)
        for seat in range(game.num_players()):
            for see in (state.information_state_string, state.observation_string):
                with suppress(RuntimeError):  # not every game has both
                    see(seat)
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(actions, chances)[0])
        else:
            state.apply_action(random.choice(actions))
        plies += 1
    low, high = game.min_utility(), game.max_utility()
    if any(not low <= utility <= high for utility in state.returns()):
        raise ValueError(f"the utilities {state.returns()} are not between {low:g} and {high:g}")
    with suppress(RuntimeError):  # not every game knows the number of its chance events
        longest = game.max_game_length() + game.max_chance_nodes_in_history()
        if plies > longest:
            raise ValueError(f"a game took {plies} plies, not at most {longest}")


def main(text: str) -> None:
    """Play for a while; the process ends with an error message if that fails."""
    with suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        with suppress(ValueError, OSError):  # macOS has none for memory
            resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    import pyspiel

    try:
        game = pyspiel.load_game(text)
        kind = game.get_type()
        if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
            return
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            return
        if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        random = Random(0)
        began = process_time()
        while process_time() - began < _PLAYS:
            play(game, random)
    except UnicodeDecodeError:  # of its own error message
        sys.exit("a game fails")
    except Exception as error:  # OpenSpiel raises errors of several types
        sys.exit(str(error) or type(error).__name__)


if __name__ == "__main__":
    main(sys.argv[1])
