"""Positions per second of each game, compared with OpenSpiel's Python states where OpenSpiel has the game.

    python benchmarks/games.py            every game
    python benchmarks/games.py othello    some games

A position counts when `play` has made it and its `moves()` were called. Each figure is the median of several runs. The
two libraries take turns, so that a change in the machine's speed affects both. OpenSpiel is in the extra `openspiel`;
`compiled` are our positions in the compiled form (`make fast`).

The first plies of `words` are draws. So with `words`, a second table follows: how long its word list takes to read, and
how long all moves of a position take, in games of greedy players.
"""

import os
import platform
import statistics
import sys
from collections.abc import Callable
from random import Random
from time import perf_counter
from types import ModuleType
from typing import Any

from adsearch import State, form, games
from adsearch.games.words_board import dawg_of, placements
from benchmarks.arguments import Reader

PLIES = {
    "tictactoe": 9,
    "connect4": 7,
    "nap": 4,
    "grundy:pile=24": 6,
    "dots": 4,
    "othello": 6,
    "checkers": 6,
    "chess": 4,
    "go": 2,
    "pig": 9,
    "ludo": 7,
    "backgammon": 3,
    "maze": 8,
    "kuhn": 5,
    "leduc": 11,
    "rps": 6,
    "words": 3,
    "tree": 3,
}
"""Each game with a number of plies that takes about a second, or ends the game."""
OPEN_SPIEL = {
    "tictactoe": "tic_tac_toe",
    "connect4": "connect_four",
    "dots": "dots_and_boxes(num_rows=3,num_cols=3)",
    "othello": "othello",
    "checkers": "checkers",
    "chess": "chess",
    "go": "go(board_size=9,komi=7.5)",
    "pig": "pig",
    "backgammon": "backgammon",
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
}
RUNS = 5
DEBIAN_LIST = "/usr/share/dict/american-english"
SHORTEST = 0.3
"""Least time of a measurement, in seconds: shorter runs are repeated."""


def reach(state: State[Any], plies: int) -> int:
    """The number of positions made by playing every sequence of `plies` plies."""
    count = 0
    for move in state.moves():
        child = state.play(move)
        count += 1
        if plies > 1:
            count += reach(child, plies - 1)
        else:
            child.moves()
    return count


def reach_in_open_spiel(state: Any, plies: int) -> int:
    """As `reach`, with OpenSpiel's states."""
    count = 0
    for action in state.legal_actions():
        child = state.child(action)
        count += 1
        if plies > 1:
            count += reach_in_open_spiel(child, plies - 1)
        else:
            child.legal_actions()
    return count


def rate(run: Callable[[], int]) -> float:
    """Positions per second."""
    count, began = 0, perf_counter()
    while (seconds := perf_counter() - began) < SHORTEST:
        count += run()
    return count / seconds


def bytes_of(state: State[Any]) -> int:
    """Bytes of a child of `state`, without the objects that it shares with `state`."""
    child, shared = state.play(state.moves()[0]), {id(value) for value in _slots(state)}
    return sys.getsizeof(child) + sum(sys.getsizeof(value) for value in _slots(child) if id(value) not in shared)


def _slots(state: State[Any]) -> list[object]:
    names = [name for kind in type(state).__mro__ for name in getattr(kind, "__slots__", ())]
    values = [getattr(state, name) for name in names]
    return [value for value in values if isinstance(value, int | float | str | tuple)]


def middle(state: State[Any]) -> State[Any]:
    """A position from the middle of a game."""
    for _ in range(20):
        child = state.play(state.moves()[-1]) if state.moves() else state
        state = state if child.turn is None else child
    return state


def open_spiel() -> ModuleType | None:
    """The module of OpenSpiel; None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    module: ModuleType = pyspiel
    return module


def words_of_games(spec: str, *, played: int = 10) -> str:
    """A row of the second table, for that word list."""
    dawg_of.cache_clear()
    began = perf_counter()
    start: Any = games.start(spec)
    read = perf_counter() - began
    times: dict[bool, list[float]] = {False: [], True: []}
    moves = []
    for seed in range(played):
        random, state = Random(seed), start
        while state.turn is not None:
            if state.turn == games.CHANCE:
                state = state.play(random.choice(state.unseen))
                continue
            began = perf_counter()
            found = placements(state.board, state.racks[state.turn], state.dawg)
            times["_" in state.racks[state.turn]].append((perf_counter() - began) * 1000)
            moves.append(len(found))
            state = state.play(max(state.moves(), key=state.points))
    spans = "".join(
        f"{statistics.median(some):>9.1f}{statistics.quantiles(some, n=10)[-1]:>7.1f}{max(some):>7.1f}"
        for some in times.values()
    )
    return f"{len(start.dawg):>8,}{read:>9.2f}{len(moves):>11,}{statistics.median(moves):>8.0f}{max(moves):>8,}{spans}"


def print_words() -> None:
    """Print the second table: for the list of `words` and, where it is installed, that of Debian's `wamerican`."""
    print("\nall moves of a position of words, in ms: median, 90 %, most")
    print(
        f"{'words':>8}{'read, s':>9}{'positions':>11}{'moves':>8}{'most':>8}{'without a blank':>23}{'with a blank':>23}"
    )
    print(words_of_games("words"))
    if os.path.exists(DEBIAN_LIST):
        print(words_of_games(f"words:list={DEBIAN_LIST}"))


def main() -> None:
    """Print the table."""
    specs = Reader(__doc__, parts=PLIES).parse_args().parts or PLIES
    peer = open_spiel()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; positions per second, median of {RUNS} runs")
    if peer is None:
        print("OpenSpiel is not installed (pip install '.[openspiel]'); its column is empty")
    titles = f"{'ours':>12}{'OpenSpiel':>12}{'ratio':>7}{'bytes':>7}{'compiled':>12}"
    print(f"\n{'game':<16}{'plies':>6}{'positions':>12}{titles}")
    for spec in specs:
        plies = PLIES[spec]
        start = games.start(spec)
        theirs = peer.load_game(OPEN_SPIEL[spec]).new_initial_state() if peer and spec in OPEN_SPIEL else None
        compiled = form.copied(start)
        rates: tuple[list[float], list[float], list[float]] = ([], [], [])
        for _ in range(RUNS):
            rates[0].append(rate(lambda start=start, plies=plies: reach(start, plies)))  # type: ignore[misc]
            if theirs is not None:
                rates[1].append(rate(lambda theirs=theirs, plies=plies: reach_in_open_spiel(theirs, plies)))  # type: ignore[misc]
            if compiled is not None:
                rates[2].append(rate(lambda start=compiled, plies=plies: reach(start, plies)))  # type: ignore[misc]
        ours = statistics.median(rates[0])
        beside = (
            f"{statistics.median(rates[1]):>12,.0f}{ours / statistics.median(rates[1]):>7.1f}" if rates[1] else " " * 19
        )
        fast = f"{statistics.median(rates[2]):>12,.0f}" if rates[2] else ""
        print(f"{spec:<16}{plies:>6}{reach(start, plies):>12,}{ours:>12,.0f}{beside}{bytes_of(middle(start)):>7}{fast}")
    if "words" in specs:
        print_words()


if __name__ == "__main__":
    main()
