"""Compares a student's answer with our own search of the same tree, and names the first difference.

Pure: starts no process and reads no file. A move is right if it is one of the best; leaves are right if the algorithm
visits the same leaves in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf, isclose
from typing import Any, Final

from adsearch import Result, Trace, searches
from adsearch.errors import quote
from adsearch.games.tree import Tree
from adsearch.pictures.tree_picture import Path
from adsearch.state import CHANCE
from adsearch.trace import Backup, Event, EventKind, Value, ends, window_text, written
from arena.course.lecture.function_runner import SearchLog, WatchedTree, walk
from arena.course.lecture.questions import (
    JudgedAlgorithm,
    Question,
    SearchVariant,
    accepted_variants,
    all_leaves,
    find_algorithm,
    leaves_seen,
    without_repeats,
    wrong_variants,
)
from arena.course.lecture.random_trees import below, opened
from arena.course.lecture.student_process import StudentAnswer
from arena.history import words

_CLOSE: Final = 1e-9
"""Tolerance for rounding errors in values."""


class ValuesFor(StrEnum):
    """Whose point of view a function's values are from."""

    MAX = "MAX"
    MOVER = "the side to move"


@dataclass(frozen=True, slots=True)
class OurSearch:
    """The result of our own search of a question's tree."""

    algorithm: JudgedAlgorithm
    question: Question
    state: Tree
    result: Result[str]
    trace: Trace
    leaves: list[Path]
    best: tuple[str, ...]
    """All best moves."""

    @property
    def name(self) -> str:
        """The algorithm's name."""
        return self.algorithm.name

    def value(self, values_for: ValuesFor) -> Value:
        """The root's value as a correct function returns it."""
        if self.result.values is not None:
            return self.result.values
        return -self.result.value if values_for is ValuesFor.MAX and self.state.turn == 1 else self.result.value


@dataclass(frozen=True, slots=True)
class TreeVerdict:
    """The verdict on a function's answer for one tree."""

    ours: OurSearch
    answer: StudentAnswer
    leaves: list[Path] = field(default_factory=list)
    """The leaves that the function visited, in order."""
    difference: str = ""
    """The first thing that is wrong; empty if the function passed."""
    remark: str = ""
    """An additional remark; may be empty."""

    @property
    def passed(self) -> bool:
        """Whether value, move and leaves are right."""
        return not self.difference


def our_search(algorithm: JudgedAlgorithm, question: Question) -> OurSearch:
    """Runs our own search of this tree."""
    state = opened(question.description)
    search, options = searches.configured(algorithm.search)
    trace = Trace()
    result = search(state, depth=question.depth, trace=trace, **options)
    best = []
    for move in state.moves() if state.turn != CHANCE else ():
        # The tree in which this is the only move.
        single_move = replace(state.node, children={move: state.node.children[move]}, noisy=())
        if _same(search(Tree.at(state.tree, single_move), depth=question.depth, **options).value, result.value):
            best.append(move)
    return OurSearch(algorithm, question, state, result, trace, leaves_seen(trace), tuple(best))


def our_call(ours: OurSearch) -> Callable[[], int]:
    """Our search of the tree, as a function to measure: it returns the number of nodes, counted as for the student's
    function."""
    search, options = searches.configured(ours.algorithm.search)
    log = SearchLog(ours.state.node)
    state = WatchedTree(ours.state, log)

    def call() -> int:
        search(state, depth=ours.question.depth, **options)
        return log.nodes

    return call


def judge(
    algorithm: JudgedAlgorithm, questions: Sequence[Question], answers: Sequence[StudentAnswer]
) -> tuple[list[TreeVerdict], ValuesFor]:
    """A verdict for each tree, and the point of view of the function's values: that with which more trees pass.

    If lectures call several algorithms by this name, the function is judged as the one with which more trees pass."""
    named = [algorithm, *map(find_algorithm, algorithm.also)]
    judged = [_judged_as(each, questions, answers) for each in named]
    return max(judged, key=lambda verdicts: sum(verdict.passed for verdict in verdicts[0]))


def _judged_as(
    algorithm: JudgedAlgorithm, questions: Sequence[Question], answers: Sequence[StudentAnswer]
) -> tuple[list[TreeVerdict], ValuesFor]:
    ours = [our_search(algorithm, question) for question in questions]
    possible = [ValuesFor.MAX, ValuesFor.MOVER]
    if algorithm.for_mover is not None:
        possible = [ValuesFor.MOVER if algorithm.for_mover else ValuesFor.MAX]
    elif algorithm.name.startswith("negamax"):
        possible.reverse()
    judged = [
        ([_verdict(each, answer, values_for) for each, answer in zip(ours, answers, strict=True)], values_for)
        for values_for in possible
    ]
    return max(judged, key=lambda verdicts: sum(verdict.passed for verdict in verdicts[0]))


def smallest_failed(verdicts: Sequence[TreeVerdict]) -> TreeVerdict | None:
    """The verdict on the smallest tree on which the function is wrong; None if it is right on all."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    return min(failed, key=lambda verdict: (not verdict.answer.tried, len(verdict.ours.leaves)), default=None)


def common_cause(algorithm: JudgedAlgorithm, verdicts: Sequence[TreeVerdict]) -> str:
    """A common mistake that explains all failures; empty if no known mistake does."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if not failed or any(verdict.answer.failed for verdict in failed):
        return ""
    questions, answers = [verdict.ours.question for verdict in verdicts], [verdict.answer for verdict in verdicts]
    for name in algorithm.similar:
        others, _ = judge(find_algorithm(name), questions, answers)
        if all(verdict.passed for verdict in others):
            return f"right as {name}: use --as {name}"
    if any(verdict.leaves != verdict.ours.leaves for verdict in failed):
        fits: dict[SearchVariant, bool] = {}
        for verdict in verdicts:
            variants = wrong_variants(algorithm, verdict.ours.state, verdict.ours.question.depth)
            for variant, leaves in variants.items():
                fits[variant] = fits.get(variant, True) and leaves == verdict.leaves
        for variant in fits:
            if fits[variant]:
                return variant.words
    if len(failed) > 1 and all(verdict.ours.state.turn == 1 for verdict in failed):
        return "every failure is a tree in which MIN (seat 1) moves first"
    if len(failed) > 1 and all(verdict.ours.question.depth is not None for verdict in failed):
        return "every failure is a tree with a depth limit"
    return ""


def _verdict(ours: OurSearch, answer: StudentAnswer, values_for: ValuesFor) -> TreeVerdict:
    paths = [tuple(node.path.split(" ")) for node in walk(ours.state.node)]
    leaves = without_repeats([paths[number] for number, value in answer.events if value is None])
    given = TreeVerdict(ours, answer, leaves)
    if answer.failed:
        return replace(given, difference=answer.failed)
    also = accepted_variants(ours.algorithm, ours.state, ours.question.depth)
    same_leaves = leaves == ours.leaves or leaves in also
    value = ours.value(values_for)
    only_move = answer.value is None and ours.question.agents > 0
    right = (
        only_move or _same(answer.value, value) or (isinstance(value, tuple) and _same(answer.value, ours.result.value))
    )
    difference = ""
    if not (same_leaves and right):
        first = None if same_leaves else _first_difference(ours.leaves, leaves)
        difference = _wrong_return(ours, answer, paths, first, values_for)
        if not difference and first is not None:
            difference = _leaf_difference(ours, leaves, first)
        difference = difference or f"value {_written(answer.value)}; {ours.name} returns {written(value)}"
    elif answer.move is not None and answer.move not in ours.best:
        difference = _wrong_move(ours, answer.move)
    elif ours.question.agents:
        difference = _not_searched(ours, [paths[number] for number in answer.created], leaves)
    remark = ""
    if not difference and answer.move is not None and answer.move != ours.result.move:
        remark = f"another best move ({ours.result.move} is the first)"
    return replace(given, difference=difference, remark=remark)


def _wrong_move(ours: OurSearch, move: str) -> str:
    best = " or ".join(ours.best)
    if not ours.best:
        return f"move {quote(move)}; the root is a chance node without a move: return (value, None), or only the value"
    if move not in ours.state.moves():
        return f"move {quote(move)}, which is not a move of the root; {ours.name} plays {best}"
    bound = " (a cut-off returns only a bound: an equal value is not as good)" if ours.algorithm.prunes else ""
    return f"move {move}; {ours.name} plays {best}{bound}"


def _not_searched(ours: OurSearch, created: Sequence[Path], leaves: Sequence[Path]) -> str:
    """The first node that the method generated and did not search, in words; empty if there is none."""
    searched = {leaf[:length] for leaf in leaves for length in range(1, len(leaf) + 1)}
    extra = next((path for path in created if path not in searched), None)
    if extra is None:
        return ""
    return f"generates {extra[-1]} at {extra[-2]}, and does not search it; {ours.name} generates only what it searches"


def _first_difference(one: Sequence[object], other: Sequence[object]) -> int:
    """The first index at which the two sequences differ."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


# Values that nodes returned.


def _wrong_return(
    ours: OurSearch, answer: StudentAnswer, paths: Sequence[Path], first: int | None, values_for: ValuesFor
) -> str:
    """The first node that returned an impossible value before the leaf number `first`, in words; empty if none did."""
    if not ours.algorithm.steady:
        return ""
    right = _right_returns(ours)
    last: Path = ()
    count = 0
    for number, value in answer.events:
        path = paths[number]
        if value is None:
            count += path != last
            last = path
            if first is not None and count > first:
                return ""
        elif count == first and ours.leaves[count:] and ours.leaves[count][: len(path)] == path:
            return ""  # it returned without visiting the next leaf
        elif path in right and len(path) > 1 and not any(_same(value, each) for each in _signed(right[path])):
            wanted = right[path][0]
            if ours.algorithm.for_mover is None and values_for is ValuesFor.MOVER and below(ours.state, path).turn == 1:
                wanted = _negated(wanted)
            return f"{path[-1]} returns {_written(value)}; {ours.name} returns {written(wanted)}"
    return ""


def _right_returns(ours: OurSearch) -> dict[Path, list[Value]]:
    """The values that each visited inner node can return, for MAX: that of our search, or the end of its window."""
    right: dict[Path, list[Value]] = {}
    for call in ours.trace.calls():
        if call.value is None or call.path in ours.leaves:
            continue
        # Negamax returns a node's value for the player to move there.
        mirrored = ours.trace.backup is Backup.NEGAMAX and below(ours.state, call.path).turn == 1
        values = right.setdefault(call.path, [])
        values.append(_negated(call.value) if mirrored else call.value)
        if isinstance(call.value, float) and call.alpha is not None and call.beta is not None:
            values.append(min(max(call.value, call.alpha), call.beta))
    return right


def _signed(values: Sequence[Value]) -> Iterator[Value]:
    """`values` and their negatives, for a function with values from the other side's point of view."""
    for value in values:
        yield value
        yield _negated(value)


def _negated(value: Value) -> Value:
    return value if isinstance(value, tuple) else 0.0 - value


# Leaves that were visited.


def _leaf_difference(ours: OurSearch, theirs: Sequence[Path], at: int) -> str:
    """Explains why the leaf number `at`, which differs from ours, is wrong."""
    leaf = theirs[at] if at < len(theirs) else None
    wanted = ours.leaves[at] if at < len(ours.leaves) else None
    depth = ours.question.depth
    if leaf is not None and leaf not in all_leaves(ours.state, depth):
        limit = "to the end of the game" if depth is None else f"{words.plies(depth)} deep"
        return f"evaluates {leaf[-1]}, {words.plies(len(leaf) - 1)} deep; this tree is searched {limit}"
    if leaf is not None and leaf in theirs[:at]:
        return f"visits {leaf[-1]} again, below {leaf[-2]}; {ours.name} visits it once"
    if leaf is not None:
        cut = _cut_before(ours, leaf, at)
        if cut is not None:
            return _missed_cut_off(ours, cut, leaf)
    if wanted is not None and wanted not in theirs:
        return _left_out(ours, theirs[:at], wanted)
    if leaf is not None and wanted is not None:
        return f"visits {leaf[-1]} before {wanted[-1]}; moves are tried in the order of state.moves()"
    return f"visits {leaf[-1] if leaf else 'no leaf'}, which {ours.name} does not"


def _position(ours: OurSearch, at: int) -> int:
    """The index of the event in which our search visited its leaf number `at`; the number of events if it never did."""
    events = ours.trace.events
    seen = -1
    last: Path = ()
    for number, event in enumerate(events):
        if event.kind is EventKind.LEAF:
            seen += event.path != last
            last = event.path
            if seen == at:
                return number
    return len(events)


def _cut_before(ours: OurSearch, leaf: Path, at: int) -> Event | None:
    """The cut-off in our search, between its leaves number `at` - 1 and `at`, that skips `leaf`."""
    for event in ours.trace.events[max(0, _position(ours, at - 1)) : _position(ours, at)]:
        node = event.path[:-1]
        if event.cutoff and leaf[: len(node)] == node and leaf[len(node)] != event.path[-1]:
            return event
    return None


def _missed_cut_off(ours: OurSearch, cut: Event, leaf: Path) -> str:
    node, child = cut.path[:-1], cut.path[-1]
    goes = leaf[len(node)]
    place = (
        f"at {node[-1]} continues with {goes}; {ours.name} cuts off there: after {child} = {written(cut.value or 0.0)}"
    )
    if below(ours.state, node).turn == CHANCE:
        return f"{place} the average is certain to be outside {window_text(cut.alpha, cut.beta)}"
    return f"{place}, {_window(cut.alpha, cut.beta)}"


def _left_out(ours: OurSearch, before: Sequence[Path], wanted: Path) -> str:
    """Explains that `wanted` was not visited after the leaves `before`."""
    shared = max((_first_difference(wanted, leaf) for leaf in before), default=1)
    node, child = wanted[:shared], wanted[shared]
    window = _window_at(ours, node, _position(ours, len(before)))
    still = f": {window}" if ours.algorithm.prunes and window and below(ours.state, node).turn != CHANCE else ""
    return f"at {node[-1]} leaves out {child}; {ours.name} visits it{still}"


def _window_at(ours: OurSearch, node: Path, until: int) -> str:
    """The window of `node` before the event number `until`."""
    found = ""
    for event in ours.trace.events[:until]:
        down = event.kind in (EventKind.INIT, EventKind.DESCEND) and event.path == node
        back = event.kind in (EventKind.LEAF, EventKind.RETURN) and event.path[:-1] == node
        if (down or back) and event.alpha is not None and event.beta is not None:
            found = _window(event.alpha, event.beta)
    return found


def _window(alpha: float | None, beta: float | None) -> str:
    """A window in words: "alpha 3 < beta 5"."""
    low, high = ends(alpha, beta)
    sign = "<" if (-inf if alpha is None else alpha) < (inf if beta is None else beta) else ">="
    return f"alpha {low} {sign} beta {high}"


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal except for rounding errors."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return False


def _written(value: Value | None) -> str:
    return "none" if value is None else written(value)
