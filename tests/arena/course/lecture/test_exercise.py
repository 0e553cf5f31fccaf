"""Exercises: the same seed gives the same tree, which has a unique answer; sheet and key can be drawn."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

from adsearch import Trace, algorithms, games
from adsearch.games.tree import Tree
from adsearch.trace import EventKind
from arena.course.lecture import exercise, exercise_sheet, questions
from arena.course.lecture.exercise import Exercise
from arena.errors import ArenaError

SEEDS = range(8)
PRUNED = ("alphabeta", "window", "right-to-left", "negascout", "star1", "bounds")


def inner(state: Tree) -> list[Tree]:
    """The nodes with children."""
    below = [each for move in state.moves() for each in inner(state.play(move))]
    return [state, *below] if state.moves() else []


@pytest.mark.parametrize("name", exercise.names())
def test_the_same_seed_is_the_same_tree(name: str) -> None:
    first, again, other = (exercise.make(name, seed=seed) for seed in (7, 7, 8))
    assert first.description == again.description != other.description
    assert exercise_sheet.drawn(first.worksheet(), solved=True) == exercise_sheet.drawn(again.worksheet(), solved=True)


@pytest.mark.parametrize("name", exercise.names())
def test_no_choice_is_between_equal_values(name: str) -> None:
    """Solved with a different search from the one that checked the tree."""
    search = algorithms["maxn"].search
    for seed in SEEDS:
        for state in inner(exercise.make(name, seed=seed).state):
            if state.turn in range(state.players):
                children = [state.play(move) for move in state.moves()]
                worths = [search(child).values[state.turn] for child in children]
                assert len(set(worths)) == len(worths)


@pytest.mark.parametrize("name", PRUNED)
def test_at_least_two_cut_offs_leave_something_out(name: str) -> None:
    for seed in SEEDS:
        made = exercise.make(name, seed=seed)
        cuts = [event for event in made.trace.events if event.cutoff]
        assert len(cuts) >= 2
        assert len(dict(made.answers())["Leaves not visited"].split()) >= 2


def test_one_of_the_cut_offs_of_alphabeta_is_deep() -> None:
    """A node is cut off by a value found at least three plies above it."""
    for seed in SEEDS:
        made = exercise.make("alphabeta", seed=seed)
        calls = {call.path: call for call in made.trace.calls()}
        deep = []
        for event in made.trace.events:
            node = event.path[:-1]
            if event.cutoff and len(node) > 3 and event.alpha is not None and event.beta is not None:
                parent = calls[node[:-1]]
                # The parent already had the bound that causes the cut-off.
                is_max = len(node) % 2 == 1
                deep.append(event.beta == parent.beta if is_max else event.alpha == parent.alpha)
        assert any(deep)


@pytest.mark.costly
@pytest.mark.parametrize("name", [name for name in PRUNED if name != "window"])
def test_the_best_move_is_not_the_first_that_is_searched(name: str) -> None:
    found = [exercise.make(name, seed=seed) for seed in SEEDS]
    first = -1 if name == "right-to-left" else 0
    later = [made.result.move != made.state.moves()[first] for made in found]
    assert all(later)


def test_a_window_leaves_out_more_and_the_key_says_what_the_result_means() -> None:
    said = set()
    for seed in range(30):
        made = exercise.make("window", seed=seed)
        answers = dict(made.answers())
        sign, true = answers["True value"].split()[:-1], algorithms["minimax"].search(made.state).value
        returned = float(answers["Returned value"])
        assert f"[{made.window[0]}, {made.window[1]}]" in made.task
        assert {"at most": true <= returned, "at least": true >= returned, "exactly": true == returned}[" ".join(sign)]
        whole = Trace()
        algorithms["alphabeta"].search(made.state, trace=whole)
        assert questions.leaves_seen(made.trace) != questions.leaves_seen(whole)
        said.add(" ".join(sign))
    assert said == {"at most", "at least", "exactly"}


@pytest.mark.costly
def test_negascout_searches_something_again_and_leaves_out_something_that_alphabeta_sees() -> None:
    for seed in SEEDS:
        made = exercise.make("negascout", seed=seed)
        again = dict(made.answers())["Nodes searched again"].split()
        visits = Counter(call.path[-1] for call in made.trace.calls())
        assert again
        assert all(visits[label] == 2 for label in again)
        assert max(visits.values()) == 2
        whole = Trace()
        algorithms["alphabeta"].search(made.state, trace=whole)
        assert {*questions.leaves_seen(made.trace)} != {*questions.leaves_seen(whole)}
        assert made.result.value == algorithms["minimax"].search(made.state).value


def test_right_to_left_looks_at_the_last_leaf_first_and_is_drawn_as_the_sheet() -> None:
    made = exercise.make("right-to-left", seed=3)
    assert questions.leaves_seen(made.trace)[0][-1] == "o2"
    assert [node.label for node in made.sheet().root.children] == [node.label for node in made.key().root.children]
    order = [event.path[-1] for event in made.trace.events if event.kind is EventKind.LEAF]
    assert order == sorted(order, reverse=True)


@pytest.mark.parametrize("name", ["star1", "bounds"])
def test_no_expected_value_just_reaches_the_window(name: str) -> None:
    """Computed with fractions: where 3/10 of 7 and the rest are exactly alpha, floating-point numbers miss it."""
    for seed in range(60):
        made = exercise.make(name, seed=seed)
        sign = 1 if made.state.turn == 0 else -1
        limit = made.state.bounds[1] if sign == 1 else made.state.bounds[0]
        best: Fraction | None = None
        left_out = []
        for move in made.state.moves():
            node = made.state.play(move)
            known, rest = Fraction(0), Fraction(1)
            cut = False
            for outcome, chance in node.chances():
                if cut:
                    left_out.append(outcome)
                    continue
                share = Fraction(round(chance * 10), 10)
                known, rest = known + share * int(node.play(outcome).utilities()[0]), rest - share
                cut = best is not None and rest > 0 and sign * (known + rest * int(limit)) <= sign * best
            if not cut:
                best = known if best is None else max(best, known) if sign == 1 else min(best, known)
        assert dict(made.answers())["Leaves not visited"].split() == left_out, seed


@pytest.mark.parametrize(("depth", "width"), [(2, 2), (2, 6), (3, 4), (6, 2)])
@pytest.mark.parametrize("name", exercise.names())
def test_other_sizes_can_be_made(name: str, depth: int, width: int) -> None:
    made = exercise.make(name, seed=1, depth=depth, width=width)
    assert {len(state.moves()) for state in inner(made.state)} == {width}
    assert made.state.max_plies == depth


def test_impossible_trees_are_refused() -> None:
    with pytest.raises(ArenaError, match="at most 64 leaves, got 46,656"):
        exercise.make("minimax", seed=1, depth=6, width=6)
    with pytest.raises(ArenaError, match="got 'alfabeta'; did you mean 'alphabeta'"):
        exercise.make("alfabeta", seed=1)


@pytest.fixture(params=exercise.names())
def made(request: pytest.FixtureRequest) -> Exercise:
    return exercise.make(request.param, seed=3)


def test_the_sheet_shows_only_the_leaves(made: Exercise) -> None:
    for node in made.sheet().root.walk():
        assert (node.best, node.cut, node.visits) == (False, False, 1)
        assert (node.value is None) == bool(node.children)
        assert node.window.startswith("=") if node.children else node.window == ""
    for text in (
        exercise_sheet.as_text(made.worksheet(), solved=False),
        exercise_sheet.drawn(made.worksheet(), solved=False),
    ):
        assert all(f"{question}: {exercise_sheet.BLANK}" in text for question, _ in made.answers())


def test_the_key_shows_the_result_of_the_search(made: Exercise) -> None:
    picture = made.key()
    told = dict(made.answers())
    if made.name != "window":
        assert told["Best move"] == made.result.move
    pruned = [node for node in picture.root.walk() if not node.visits]
    assert bool(pruned) == ("Leaves not visited" in told)
    text = exercise_sheet.as_text(made.worksheet(), solved=True)
    assert all(f"{question}: {answer}" in text for question, answer in told.items())
    assert max(map(len, text.split("\n"))) <= 80


def test_a_bound_is_shown_as_a_bound() -> None:
    made = exercise.make("alphabeta", seed=7)
    for node in made.key().root.walk():
        is_bound = any(not below.visits for below in node.walk()) and ("<=" in node.window or ">=" in node.window)
        if is_bound:
            true = minimax_value(made.state, node.label)
            assert node.value is not None
            assert true <= node.value if "<=" in node.window else true >= node.value


def minimax_value(state: Tree, label: str) -> Any:
    """The value of the node with this label, for MAX."""
    (found,) = [each for each in inner(state) if each.label == label]
    value = algorithms["minimax"].search(found).value
    return -value if found.turn == 1 else value


def test_pictures_are_complete_and_have_a_text_description(made: Exercise) -> None:
    for solved in (False, True):
        root = ElementTree.fromstring(exercise_sheet.drawn(made.worksheet(), solved=solved))
        assert root.find("{*}title") is not None
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        (tree,) = root.findall("{*}svg")
        assert float(tree.attrib["x"]) + float(tree.attrib["width"]) <= width
        assert float(tree.attrib["y"]) + float(tree.attrib["height"]) <= height
        words = " ".join(element.text or "" for element in root.findall("{*}text"))
        assert made.task in words


def test_the_tree_can_be_loaded_and_searched(made: Exercise, tmp_path: Any) -> None:
    import json

    file = tmp_path / "tree.json"
    file.write_text(json.dumps(made.description))
    state = games.start(f"tree:file={file}")
    search = algorithms["maxn"].search
    assert search(state).value == pytest.approx(made.result.value)
