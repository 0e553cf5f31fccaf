"""Classic demonstrations of search in a pursuit game, with the simplest search."""

from collections.abc import Callable
from random import Random
from typing import Any

from adsearch import games
from adsearch.games.maze import Maze
from adsearch.games.maze_map import HEADINGS
from adsearch.state import CHANCE, State

Judge = Callable[[Maze, int], float]
Policy = Callable[[Maze], int]


def score(state: Maze, seat: int) -> float:
    return float(-state.score if seat else state.score)


def evaluation(state: Maze, seat: int) -> float:
    return state.evaluate(seat)


def values(state: State[Any], depth: int, judge: Callable[[Any, int], float], root: int) -> tuple[float, ...]:
    """What the position is worth to each seat, when every player maximises its own and `root` moves `depth` times more:
    minimax where the ghosts play (their values are all minus the runner's), expectimax where chance moves them."""
    if state.turn is None:
        return state.utilities()
    if state.turn == CHANCE:
        outcomes = [(values(state.play(move), depth, judge, root), p) for move, p in state.chances()]
        return tuple(sum(value[seat] * p for value, p in outcomes) for seat in range(state.players))
    if state.turn == root:
        if not depth:
            return tuple(judge(state, seat) for seat in range(state.players))
        depth -= 1
    seat = state.turn
    return max((values(state.play(move), depth, judge, root) for move in state.moves()), key=lambda value: value[seat])


def searching(depth: int, judge: Judge, *, believing: str = "") -> Policy:
    """Searches `depth` moves of its own deep, the first of equal moves; if told so, as though the game was another."""

    def choose(state: Maze) -> int:
        seen = games.load(believing, state.position()) if believing else state
        seat = seen.turn
        assert seat is not None
        return max(seen.moves(), key=lambda move: values(seen.play(move), depth - 1, judge, seat)[seat])

    return choose


def greedy(state: Maze) -> int:
    """A ghost's step that brings it nearest to the runner."""
    ghost = (state.turn or 0) - 1

    def distance(move: int) -> int:
        child = state.play(move)
        return child.setting.board.distances[child.runner][child.ghosts[ghost] // HEADINGS]

    return min(state.moves(), key=distance)


def pursuit(spec: str, runner: Policy, ghosts: Policy = greedy, *, seed: int = 0) -> tuple[Maze, list[str]]:
    """The end of a game, and the runner's moves."""
    state, moves, random = games.start(spec), [], Random(seed)
    assert isinstance(state, Maze)
    while state.turn is not None:
        if state.turn == CHANCE:
            move = random.choice(state.moves())
        elif state.turn:
            move = ghosts(state)
        else:
            move = runner(state)
            moves.append(state.to_text(move))
        state = state.play(move)
    return state, moves


def is_caught(state: Maze) -> bool:
    return state.turn is None and any(ghost // HEADINGS == state.runner for ghost in state.ghosts) and state.pellets > 0


def test_a_runner_that_looks_two_moves_ahead_at_the_score_alone_goes_back_and_forth_between_two_pellets() -> None:
    # Eating now and eating with the next move look the same: from either cell the way to the other comes first.
    state, moves = pursuit("maze:1,map=thrashing,steps=20", searching(2, score))
    assert moves[:18] == ["n", "s"] * 9
    assert state.pellets
    assert state.score < 0


def test_with_our_evaluation_the_same_runner_eats_both() -> None:
    state, moves = pursuit("maze:1,map=thrashing,steps=20", searching(2, evaluation))
    assert moves == ["e", "w", "n", "w"]
    assert state.score == 2 * 10 + 500 - 4


def test_one_ghost_alone_never_catches_a_runner_on_a_ring() -> None:
    for ghost in (greedy, searching(3, score), searching(4, score), searching(4, evaluation)):
        state, _ = pursuit("maze:1,map=ring,steps=60", searching(2, evaluation), ghost)
        assert not state.pellets


def test_two_ghosts_that_each_take_the_shortest_way_never_catch_it_either() -> None:
    for depth in (2, 3):
        state, _ = pursuit("maze:2,map=ring,steps=60", searching(depth, evaluation), greedy)
        assert not state.pellets


def test_two_ghosts_that_search_for_the_least_score_come_from_two_sides_and_trap_it() -> None:
    for depth in (2, 3):
        for ahead in (3, 4):
            state, _ = pursuit("maze:2,map=ring,steps=60", searching(depth, evaluation), searching(ahead, score))
            assert is_caught(state)


MINIMAX = searching(3, score, believing="maze:2,map=trap")
EXPECTIMAX = searching(3, score, believing="maze:random2,map=trap")


def test_on_the_trap_map_a_minimax_runner_gives_up_at_once_and_an_expectimax_runner_mostly_wins() -> None:
    games_of_minimax = [pursuit("maze:random2,map=trap", MINIMAX, seed=seed) for seed in range(40)]
    games_of_expectimax = [pursuit("maze:random2,map=trap", EXPECTIMAX, seed=seed) for seed in range(40)]
    assert all(moves == ["w"] and state.score == -501 for state, moves in games_of_minimax)
    assert sum(not state.pellets for state, _ in games_of_expectimax) >= 28


def test_on_the_trap_map_against_ghosts_that_play_their_best_minimax_loses_less() -> None:
    best = searching(4, score)
    minimax, _ = pursuit("maze:2,map=trap", MINIMAX, best)
    expectimax, _ = pursuit("maze:2,map=trap", EXPECTIMAX, best)
    assert is_caught(minimax)
    assert is_caught(expectimax)
    assert minimax.score > expectimax.score
