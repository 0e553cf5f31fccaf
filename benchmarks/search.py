"""How fast the searches are, compared with easyAI's Negamax and OpenSpiel's alpha-beta in the same run.

    python benchmarks/search.py

The first table is plain alpha-beta on Connect-4. All three search 8 plies from the empty board, columns from left to
right, every estimate 0, so they search the same tree. They take turns, and each figure is a median. easyAI plays a
bitboard game with undo. easyAI and OpenSpiel are in the extras `bench` and `openspiel`. The second table has our
searches with the games' own evaluations, in both forms in turn (`make fast`).
"""

import os
import platform
import statistics
import tracemalloc
from collections.abc import Callable
from math import inf
from time import perf_counter, process_time
from typing import Any

from adsearch import State, Table, alphabeta, deepening, form, games, mcts, minimax, pvs
from adsearch.form import Form
from adsearch.registry import Search
from adsearch.result import Bound
from adsearch.table import Entry
from benchmarks.arguments import Reader

DEPTH = 8
RUNS = 5
SIMULATIONS = 15_000
MIDDLE_GAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
"""A position of chess in which most pieces can still move; it is often used to count moves."""


def seconds(run: Callable[[], object], *, times: int = 1) -> float:
    """The mean time of `run` over several calls, in seconds."""
    began = perf_counter()
    for _ in range(times):
        run()
    return (perf_counter() - began) / times


def ours() -> int:
    """Run our plain alpha-beta; the number of nodes."""
    return alphabeta.search(games.start("connect4"), depth=DEPTH, evaluate=lambda _state, _seat: 0.0).nodes


def in_easy_ai() -> int | None:
    """Run easyAI's Negamax on a bitboard game; the number of moves it makes."""
    try:
        from easyAI import Negamax, TwoPlayerGame
    except ImportError:
        return None

    class Connect4(TwoPlayerGame):  # type: ignore[misc]
        """Bitboards as in adsearch: seven bits per column, the highest always empty."""

        def __init__(self) -> None:
            self.players = [None, None]
            self.current_player = 1
            self.discs = [0, 0]
            self.free = sum(1 << 7 * column for column in range(7))
            self.made = 0

        def possible_moves(self) -> list[int]:
            return [column for column in range(7) if self.free & 0b111111 << 7 * column]

        def make_move(self, column: int) -> None:
            cell = self.free & 0b1111111 << 7 * column
            self.discs[self.current_player - 1] |= cell
            self.free += cell
            self.made += 1

        def unmake_move(self, column: int) -> None:
            cell = (self.free & 0b1111111 << 7 * column) >> 1
            self.discs[self.current_player - 1] ^= cell
            self.free -= cell

        def lose(self) -> bool:
            discs = self.discs[2 - self.current_player]
            for step in (1, 6, 7, 8):
                pairs = discs & discs >> step
                if pairs & pairs >> 2 * step:
                    return True
            return False

        def is_over(self) -> bool:
            return self.lose() or not self.possible_moves()

    game = Connect4()
    Negamax(DEPTH, scoring=lambda game: -100 if game.lose() else 0)(game)
    return game.made


def in_open_spiel() -> bool:
    """Run OpenSpiel's alpha-beta in Python on its own states; False if it is not installed."""
    try:
        import pyspiel
        from open_spiel.python.algorithms import minimax as theirs
    except ImportError:
        return False
    theirs.alpha_beta_search(pyspiel.load_game("connect_four"), value_function=lambda _: 0.0, maximum_depth=DEPTH)
    return True


def compare_alphabeta() -> None:
    """Print nodes per second of the three."""
    nodes, moves, there = ours(), in_easy_ai(), in_open_spiel()
    searches: dict[str, tuple[int, Callable[[], object]]] = {"ours": (nodes, ours)}
    if moves is not None:
        searches["easyAI"] = (moves, in_easy_ai)
    if there:
        searches["OpenSpiel"] = (nodes, in_open_spiel)
    if len(searches) < 3:
        print("Not all libraries to compare with are installed (pip install '.[bench,openspiel]').")
    times: dict[str, list[float]] = {name: [] for name in searches}
    for _ in range(RUNS):
        for name, (_, run) in searches.items():
            times[name].append(seconds(run, times=20))
    print(
        f"\nplain alpha-beta, Connect-4, depth {DEPTH}\n{'':<12}{'nodes':>10}{'seconds':>9}{'nodes/s':>10}{'ours':>9}"
    )
    best = nodes / statistics.median(times["ours"])
    for name, (count, _) in searches.items():
        rate = count / statistics.median(times[name])
        print(f"{name:<12}{count:>10,}{statistics.median(times[name]):>9.4f}{rate:>10,.0f}{best / rate:>8.1f}x")


def students_alphabeta() -> int:
    """Run alpha-beta as a student writes it, on our positions; the number of nodes."""
    nodes = 0

    def value_of(state: State[Any], depth: int, alpha: float, beta: float) -> float:
        nonlocal nodes
        nodes += 1
        if state.turn is None or depth == 0:
            return state.evaluate(0)
        for move in state.moves():
            value = value_of(state.play(move), depth - 1, alpha, beta)
            if state.turn == 0:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
        return alpha if state.turn == 0 else beta

    value_of(games.start("connect4"), DEPTH, -inf, inf)
    return nodes


def compare_forms() -> None:
    """Print what our searches do in a second, interpreted and (if it is there) compiled."""
    connect4, chess = games.start("connect4"), games.load("chess", MIDDLE_GAME)

    def nodes(search: Search, state: State[Any], **options: Any) -> Callable[[Form], int]:
        chosen = {"compiled": search, "interpreted": form.interpreted(search)}
        return lambda which: chosen[which](state, **options).nodes

    def simulations(game: str, number: int) -> Callable[[Form], int]:
        search = nodes(mcts.search, games.start(game), simulations=number)
        return lambda which: number if search(which) else 0

    rows: dict[str, Callable[[Form], int]] = {
        "Connect-4, alpha-beta, 8 plies, nodes": nodes(alphabeta.search, connect4, depth=DEPTH),
        **{
            f"Connect-4, deepening, {plies} plies, nodes": nodes(deepening.search, connect4, depth=plies)
            for plies in (10, 12, 14)
        },
        "tic-tac-toe, minimax, to the end, nodes": nodes(minimax.search, games.start("tictactoe")),
        "chess, PVS, middle game, nodes": nodes(pvs.search, chess, depth=4, table=True, ordering=True),
        "Connect-4, MCTS, simulations": simulations("connect4", SIMULATIONS),
        "9x9 Go, MCTS, simulations": simulations("go", SIMULATIONS // 30),
        "a student's own alpha-beta, Connect-4, nodes": lambda _: students_alphabeta(),
    }
    forms: tuple[Form, ...] = ("interpreted", "compiled") if form.form() == "compiled" else ("interpreted",)
    print(f"\n{'a second of processor time':<48}" + "".join(f"{which:>14}" for which in forms))
    for name, run in rows.items():
        rates: dict[Form, list[float]] = {which: [] for which in forms}
        for _ in range(RUNS):
            for which in forms:
                began = process_time()
                count = run(which)
                rates[which].append(count / (process_time() - began))
        medians = [statistics.median(rates[which]) for which in forms]
        times = f"{medians[1] / medians[0]:>7.1f}x" if len(forms) > 1 else ""
        print(f"{name:<48}" + "".join(f"{rate:>14,.0f}" for rate in medians) + times)
    if len(forms) == 1:
        print(f"compiled: {form.why_interpreted()}")


def mcts_in_open_spiel() -> None:
    """Print the simulations a second of OpenSpiel's MCTS in C++."""
    try:
        import pyspiel
    except ImportError:
        return
    game = pyspiel.load_game("connect_four")
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 1.4, SIMULATIONS, 1000, True, 1, False)
    began = process_time()
    for _ in range(RUNS):
        bot.mcts_search(game.new_initial_state())
    print(f"{'the same MCTS in C++, by OpenSpiel':<48}{RUNS * SIMULATIONS / (process_time() - began):>14,.0f}")


def main() -> None:
    """Print the tables."""
    Reader(__doc__).parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; medians of {RUNS} runs")
    compare_alphabeta()
    compare_forms()
    mcts_in_open_spiel()
    tracemalloc.start()
    table = Table(2_000_000)
    for key in range(1_000_000):
        table.put((1 << 48) + key * 977, Entry(key / 977, Bound.EXACT, 7, False, 3))
    print(f"{'a table with a million entries':<48}{tracemalloc.get_traced_memory()[0] / 1e6:>11.0f} MB")
    tracemalloc.stop()


if __name__ == "__main__":
    main()
