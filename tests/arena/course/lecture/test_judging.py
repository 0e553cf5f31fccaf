"""Every correct search passes; for a wrong one the first difference is named and explained."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from adsearch.games.tree import Tree, read
from adsearch.state import CHANCE
from arena.course.lecture import function_runner, judging, questions
from arena.course.lecture.function_runner import SearchLog, WatchedTree
from arena.course.lecture.judging import ValuesFor
from arena.course.lecture.questions import Question
from arena.course.lecture.student_process import StudentAnswer
from arena.errors import ArenaError
from tests.kit.student_searches import (
    RIGHT,
    alphabeta,
    answer,
    cause,
    expectiminimax,
    judged,
    minimax,
    negamax,
    negamax_with_bounds,
    negascout,
    pvs,
    soft_alphabeta,
    strict_alphabeta,
)

SMALL = {"tree": {"A": {"B": {"b1": 3, "b2": 12}, "C": {"c1": 2, "c2": 9}}}}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_search_passes_every_tree(name: str) -> None:
    function, algorithm = RIGHT[name]
    for seed in (1, 2):
        _, verdicts, _ = judged(function, algorithm, count=60, seed=seed)
        assert [verdict.difference for verdict in verdicts if not verdict.passed] == []


def test_every_algorithm_that_can_be_judged_is_tested() -> None:
    assert {algorithm for _, algorithm in RIGHT.values()} == set(questions.algorithm_names())


def test_the_point_of_view_of_values_is_detected() -> None:
    assert judged(negamax, "minimax")[2] is ValuesFor.MOVER
    assert judged(minimax, "negamax")[2] is ValuesFor.MAX


def difference(function: Callable[..., Any], name: str, description: dict[str, Any] = SMALL) -> str:
    """The difference reported for `function` on one tree."""
    algorithm, question = questions.find_algorithm(name), Question("small", description)
    (verdict,), _ = judging.judge(algorithm, [question], [answer(function, question)])
    return verdict.difference


def test_an_extra_leaf_is_reported_with_the_missed_cut_off() -> None:
    assert difference(minimax, "alphabeta") == (
        "at C continues with c2; alphabeta cuts off there: after c1 = 2, alpha 3 >= beta 2"
    )


def test_a_missing_leaf_is_reported_with_the_open_window() -> None:
    assert difference(alphabeta, "minimax") == "at C leaves out c2; minimax visits it"

    def hasty(state: Any, alpha: float = -inf, beta: float = inf) -> Any:
        if state.turn is None:
            return state.utilities()[0]
        value = hasty(state.play(state.moves()[0]))
        if state.turn == 1 and state.label == "B":
            return value
        for move in state.moves()[1:]:
            value = max(value, hasty(state.play(move))) if state.turn == 0 else min(value, hasty(state.play(move)))
        return value

    assert difference(hasty, "alphabeta") == "at B leaves out b2; alphabeta visits it: alpha -inf < beta 3"


def test_the_first_node_that_returns_a_wrong_value_is_named() -> None:
    def always_max(state: Any) -> Any:
        if state.turn is None:
            return state.utilities()[0]
        return max(always_max(state.play(move)) for move in state.moves())

    assert difference(always_max, "minimax") == "B returns 12; minimax returns 3"

    def always_min_for_mover(state: Any, color: int) -> Any:
        if state.turn is None:
            return color * state.utilities()[0]
        return min(-always_min_for_mover(state.play(move), -color) for move in state.moves())

    mirrored = {"root": "MIN", **SMALL}
    assert difference(always_min_for_mover, "negamax") == "B returns -12; negamax returns -3"
    assert difference(always_min_for_mover, "negamax", mirrored) == "B returns 3; negamax returns 12"


def test_a_wrong_value_only_at_the_root_is_reported() -> None:
    def worst(state: Any) -> Any:
        return minimax(state) - 1

    assert difference(worst, "minimax") == "value 2; minimax returns 3"


def test_another_order_is_reported() -> None:
    def backwards(state: Any) -> Any:
        if state.turn is None:
            return state.utilities()[0]
        values = [backwards(state.play(move)) for move in reversed(state.moves())]
        return max(values) if state.turn == 0 else min(values)

    assert difference(backwards, "minimax") == ("visits c2 before b1; moves are tried in the order of state.moves()")
    assert cause(backwards, "minimax") == "it tries moves from last to first: use the order of state.moves()"


def test_a_leaf_visited_twice_is_reported() -> None:
    def twice(state: Any) -> Any:
        minimax(state)
        return minimax(state)

    assert difference(twice, "minimax") == "visits b1 again, below B; minimax visits it once"


def test_an_estimate_inside_the_tree_is_reported() -> None:
    def estimating(state: Any) -> Any:
        state.evaluate(0)
        return minimax(state)

    assert difference(estimating, "minimax") == (
        "evaluates A, 0 plies deep; this tree is searched to the end of the game"
    )


def test_one_ply_too_deep_is_reported() -> None:
    def deeper(state: Any, depth: int) -> Any:
        if depth < 0 or state.turn is None:
            return state.evaluate(0)
        values = [deeper(state.play(move), depth - 1) for move in state.moves()]
        return max(values) if state.turn == 0 else min(values)

    question = Question("small", SMALL, depth=1)
    algorithm = questions.find_algorithm("minimax")
    (verdict,), _ = judging.judge(algorithm, [question], [answer(deeper, question)])
    assert verdict.difference == "evaluates b1, 2 plies deep; this tree is searched 1 ply deep"
    assert cause(deeper, "minimax") == "every failure is a tree with a depth limit"


def test_a_missed_cut_off_at_a_chance_node_is_reported() -> None:
    chance = {"@turn": "chance", "@chances": {"c1": 0.5, "c2": 0.5}, "c1": 1, "c2": 2}
    tree = {"bounds": [0, 10], "tree": {"A": {"B": 9, "C": chance}}}
    assert difference(expectiminimax, "star1", tree) == (
        "at C continues with c2; star1 cuts off there: after c1 = 1 the average is certain to be outside [9, +inf]"
    )


TIE = {"tree": {"A": {"B": {"b1": 3}, "C": {"c1": 3, "c2": 9}, "D": {"d1": 1, "d2": 7}}}}


def test_any_best_move_is_right() -> None:
    algorithm = questions.find_algorithm("minimax")
    question = Question("tie", {"tree": {"A": {"B": 3, "C": 3, "D": 1}}})
    ours = judging.our_search(algorithm, question)
    assert ours.best == ("B", "C")
    events: tuple[tuple[int, None], ...] = ((1, None), (2, None), (3, None))
    ((passed,), _), ((wrong,), _), ((strange,), _) = (
        judging.judge(algorithm, [question], [StudentAnswer(value=3.0, move=move, events=events)])
        for move in ("C", "D", "<b>\x1b[")
    )
    assert (passed.passed, passed.remark) == (True, "another best move (B is the first)")
    assert wrong.difference == "move D; minimax plays B or C"
    assert strange.difference == "move '<b>\\x1b[', which is not a move of the root; minimax plays B or C"


def test_a_move_whose_value_was_only_a_bound_is_reported() -> None:
    def last_of_equals(state: Any, alpha: float = -inf, beta: float = inf) -> Any:
        if state.turn is None:
            return state.utilities()[0], None
        chosen = None
        for move in state.moves():
            value, _ = last_of_equals(state.play(move), alpha, beta)
            if state.turn == 0 and value >= alpha:
                alpha, chosen = value, move
            if state.turn == 1 and value <= beta:
                beta, chosen = value, move
            if alpha >= beta:
                break
        return max(alpha, -100) if state.turn == 0 else beta, chosen

    tree = {"tree": {"A": {"B": {"b1": 3}, "C": {"c1": 3, "c2": 1}}}}
    assert difference(last_of_equals, "alphabeta", tree) == (
        "move C; alphabeta plays B (a cut-off returns only a bound: an equal value is not as good)"
    )


def test_a_chance_node_has_no_best_move() -> None:
    tree = {"tree": {"A": {"@turn": "chance", "B": 1, "C": 3}}}
    assert difference(expectiminimax, "expectiminimax", tree) == ""
    told = difference(lambda state: (expectiminimax(state), "B"), "expectiminimax", tree)
    assert told == "move 'B'; the root is a chance node without a move: return (value, None), or only the value"


def test_a_failure_is_reported_unchanged() -> None:
    assert difference(lambda _: None, "minimax") == (
        "expected a value, or (value, move), got None (is a return missing?)"
    )


# A common cause of all failures.


def with_cut(is_cut: Callable[[float, float], bool], turns: tuple[int, ...] = (0, 1)) -> Callable[..., Any]:
    """Fail-soft alpha-beta that cuts off if `is_cut` returns True, at the nodes of the seats `turns`."""

    def search(state: Any, alpha: float = -inf, beta: float = inf) -> Any:
        if state.turn is None:
            return state.utilities()[0]
        best = -inf if state.turn == 0 else inf
        for move in state.moves():
            value = search(state.play(move), alpha, beta)
            best = max(best, value) if state.turn == 0 else min(best, value)
            alpha, beta = (max(alpha, best), beta) if state.turn == 0 else (alpha, min(beta, best))
            if state.turn in turns and is_cut(alpha, beta):
                break
        return best

    return search


def shallow(state: Any, bound: float | None = None) -> Any:
    """Passes only the parent's best value down."""
    if state.turn is None:
        return state.utilities()[0]
    best: float | None = None
    better = max if state.turn == 0 else min
    for move in state.moves():
        value = shallow(state.play(move), best)
        best = value if best is None else better(best, value)
        if bound is not None and (best >= bound if state.turn == 0 else best <= bound):
            break
    return best


def fresh_at_root(state: Any) -> Any:
    values = {
        move: soft_alphabeta(state.play(move), 99, -inf, inf, 1 - 2 * (state.turn == 0)) for move in state.moves()
    }
    chosen = min(values, key=lambda move: values[move])
    return -values[chosen], chosen


@pytest.mark.parametrize(
    ("function", "told"),
    [
        pytest.param(minimax, "it never cuts off", id="never"),
        pytest.param(
            with_cut(lambda alpha, beta: alpha > beta),
            "right as alphabeta_strict: use --as alphabeta_strict",
            id="strict",
        ),
        pytest.param(shallow, "there are no deep cut-offs", id="shallow"),
        pytest.param(with_cut(lambda alpha, beta: alpha >= beta, (0,)), "only at the nodes of MAX", id="max"),
        pytest.param(with_cut(lambda alpha, beta: alpha >= beta, (1,)), "only at the nodes of MIN", id="min"),
        pytest.param(fresh_at_root, "with a fresh window", id="root"),
    ],
)
def test_a_common_cause_of_all_failures_is_named(function: Callable[..., Any], told: str) -> None:
    assert told in cause(function, "alphabeta")


def test_alphabeta_is_not_accepted_as_pvs() -> None:
    assert "without null windows" in cause(soft_alphabeta, "pvs")
    assert not all(verdict.passed for verdict in judged(pvs, "alphabeta")[1])


def test_alphabeta_is_named_even_if_its_trees_have_no_deep_cutoffs() -> None:
    algorithm, verdicts, _ = judged(soft_alphabeta, "negascout", count=15)
    assert "without null windows" in judging.common_cause(algorithm, verdicts)


def test_a_second_search_with_the_whole_window_is_pvs_and_not_negascout() -> None:
    def whole_again(state: Any, alpha: float, beta: float, color: int) -> Any:
        if state.turn is None:
            return color * state.utilities()[0]
        for number, move in enumerate(state.moves()):
            high = alpha + 1 if number else beta
            value = -whole_again(state.play(move), -high, -alpha, -color)
            if number and alpha < value < beta:
                value = -whole_again(state.play(move), -beta, -alpha, -color)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return alpha

    assert all(verdict.passed for verdict in judged(whole_again, "pvs")[1])
    assert cause(whole_again, "negascout") == "right as pvs: use --as pvs"


def test_an_average_without_the_probabilities_is_never_accepted() -> None:
    def unweighted(state: Any) -> Any:
        if state.turn is None:
            return state.utilities()[0]
        values = [unweighted(state.play(move)) for move in state.moves()]
        return sum(values) / len(values) if state.turn == CHANCE else max(values) if state.turn == 0 else min(values)

    for seed in range(1, 11):
        assert sum(not verdict.passed for verdict in judged(unweighted, "expectiminimax", count=15, seed=seed)[1]) >= 3


def test_a_search_that_assumes_max_at_the_root_is_named() -> None:
    def for_max(state: Any, maximizes: bool = True) -> Any:
        if state.turn is None:
            return state.utilities()[0]
        return (max if maximizes else min)(for_max(state.play(move), not maximizes) for move in state.moves())

    assert cause(for_max, "minimax") == "every failure is a tree in which MIN (seat 1) moves first"


def test_failures_without_a_common_cause_are_not_explained() -> None:
    assert cause(lambda _: 0, "alphabeta") == ""
    algorithm, verdicts, _ = judged(soft_alphabeta, "alphabeta")
    assert judging.common_cause(algorithm, verdicts) == ""


def test_a_name_for_two_algorithms_is_judged_as_the_one_that_fits_better() -> None:
    assert {verdict.ours.name for verdict in judged(negamax_with_bounds, "negamax")[1]} == {"negamax_bounds"}
    assert {verdict.ours.name for verdict in judged(negamax, "negamax")[1]} == {"negamax"}
    assert not all(verdict.passed for verdict in judged(negamax_with_bounds, "minimax")[1])
    assert not all(verdict.passed for verdict in judged(negamax, "negamax_bounds")[1])


def test_a_function_that_is_right_under_another_name_is_told_the_name_only_if_it_is_right() -> None:
    assert cause(strict_alphabeta, "alphabeta") == "right as alphabeta_strict: use --as alphabeta_strict"
    assert cause(alphabeta, "alphabeta_strict") == "right as alphabeta: use --as alphabeta"

    def one_too_many(state: Any, depth: int) -> Any:
        return strict_alphabeta(state, depth) + 1

    assert "right as" not in cause(one_too_many, "alphabeta")


def test_our_call_counts_nodes_as_a_students_function_is_counted() -> None:
    for name, function in (("minimax", minimax), ("alphabeta", alphabeta), ("negascout", negascout)):
        for verdict in judged(function, name)[1]:
            drawn = read(verdict.ours.question.description)
            log = SearchLog(drawn.root)
            function(WatchedTree(Tree.at(drawn, drawn.root), log))
            ours = judging.our_call(verdict.ours)()
            assert ours <= log.nodes if name == "negascout" else ours == log.nodes


# The method of a class.


class Agent:
    """What `function_runner` gives to an object."""

    depth: int
    evaluationFunction: Any  # noqa: N815

    def is_leaf(self, state: Any, depth: int) -> bool:
        return state.isWin() or state.isLose() or depth == self.depth

    def cuts(self, value: float, bound: float) -> bool:
        return value > bound

    def getAction(self, state: Any) -> Any:  # noqa: N802
        return self.search(state, 0, 0, -inf, inf)[1]

    def children(self, state: Any, agent: int) -> Any:
        return ((action, state.generateSuccessor(agent, action)) for action in state.getLegalActions(agent))

    def search(self, state: Any, agent: int, depth: int, alpha: float, beta: float) -> Any:
        """Alpha-beta in the words of CS 188."""
        if agent == state.getNumAgents():
            agent, depth = 0, depth + 1
        if self.is_leaf(state, depth):
            return self.evaluationFunction(state), None
        best, chosen = (-inf if agent == 0 else inf), None
        for action, child in self.children(state, agent):
            value, _ = self.search(child, agent + 1, depth, alpha, beta)
            if (value > best) if agent == 0 else (value < best):
                best, chosen = value, action
            if self.cuts(best, beta) if agent == 0 else self.cuts(-best, -alpha):
                break
            alpha, beta = (max(alpha, best), beta) if agent == 0 else (alpha, min(beta, best))
        return best, chosen


class EqualToo(Agent):
    def cuts(self, value: float, bound: float) -> bool:
        return value >= bound


class NeverCuts(Agent):
    def cuts(self, value: float, bound: float) -> bool:
        return False


class GeneratesAll(Agent):
    def children(self, state: Any, agent: int) -> Any:
        return list(super().children(state, agent))


class OneRoundLess(Agent):
    def is_leaf(self, state: Any, depth: int) -> bool:
        return super().is_leaf(state, depth + 1)


class FirstMove(Agent):
    def getAction(self, state: Any) -> Any:  # noqa: N802
        super().getAction(state)
        return state.getLegalActions(0)[-1]


def of_method(kind: type, name: str, count: int = 60, seed: int = 1) -> list[judging.TreeVerdict]:
    algorithm = questions.find_algorithm(name)
    asked = questions.questions_for_method(algorithm, seed=seed, count=count)
    answers = [answer(function_runner.Method(kind, "getAction"), question) for question in asked]
    return judging.judge(algorithm, asked, answers)[0]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("kind", "name"),
    [(Agent, "alphabeta_strict_soft"), (EqualToo, "alphabeta"), (NeverCuts, "minimax"), (Agent, "alphabeta_strict")],
)
def test_a_right_method_passes_every_tree(kind: type, name: str, seed: int) -> None:
    assert [verdict.difference for verdict in of_method(kind, name, seed=seed) if not verdict.passed] == []


def test_the_trees_of_methods_have_max_first_and_once_a_round() -> None:
    asked = questions.questions_for_method(questions.find_algorithm("minimax"), seed=1, count=30)
    assert {question.agents for question in asked} == {2, 3}
    assert any(question.depth is not None and question.depth >= question.agents for question in asked)
    for question in asked:
        assert question.depth is None or question.depth % question.agents == 0
        for path in questions.all_leaves(read_tree(question), None):
            state = read_tree(question)
            for ply, move in enumerate(path[1:]):
                assert state.turn == min(1, ply % question.agents)
                state = state.play(move)


def read_tree(question: Question) -> Tree:
    drawn = read(question.description)
    return Tree.at(drawn, drawn.root)


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        (EqualToo, "alphabeta_strict_soft", "it cuts off where values are equal, too"),
        (NeverCuts, "alphabeta_strict_soft", "it never cuts off: it visits every leaf"),
        (Agent, "alphabeta", "right as alphabeta_strict: use --as alphabeta_strict"),
    ],
)
def test_the_mistake_of_a_method_is_named(kind: type, name: str, told: str) -> None:
    verdicts = of_method(kind, name)
    assert told in judging.common_cause(questions.find_algorithm(name), verdicts)


def test_a_node_that_is_generated_and_not_searched_is_reported() -> None:
    verdicts = of_method(GeneratesAll, "alphabeta_strict_soft")
    first = next(verdict for verdict in verdicts if not verdict.passed)
    assert first.difference == (
        "generates g at c, and does not search it; alphabeta_strict_soft generates only what it searches"
    )
    assert all(verdict.passed for verdict in of_method(type("M", (GeneratesAll, NeverCuts), {}), "minimax"))


def test_a_wrong_depth_and_a_wrong_move_are_reported() -> None:
    depths = [verdict.difference for verdict in of_method(OneRoundLess, "alphabeta_strict_soft")]
    assert any("this tree is searched" in difference for difference in depths)
    moves = [verdict.difference for verdict in of_method(FirstMove, "alphabeta_strict_soft", count=0)]
    assert (
        moves[0]
        == "move c; alphabeta_strict_soft plays b (a cut-off returns only a bound: an equal value is not as good)"
    )


@pytest.mark.parametrize("name", ["maxn", "paranoid", "expectiminimax", "star1"])
def test_an_algorithm_for_other_trees_cannot_be_asked_of_a_method(name: str) -> None:
    with pytest.raises(
        ArenaError, match=f"expected an algorithm for MAX and MIN, because a method is judged, got {name}"
    ):
        questions.questions_for_method(questions.find_algorithm(name), seed=1, count=1)
