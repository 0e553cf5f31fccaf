"""Explicit trees: the lecture's trees, and valid and invalid files."""

import json
import re
from math import inf
from pathlib import Path
from typing import Any

import pytest

from adsearch import CHANCE, alphabeta, expectimax, expectiminimax, games, minimax, pvs, quiescence
from adsearch.errors import BadOption, BadPosition
from adsearch.games.tree import shipped
from tests.kit.every_game import AnyState
from tests.kit.game_facts import facts, value

LECTURES = {name: fact for name, fact in facts("trees.json").items() if name != "about" and "tree" in fact}


def expected_value(state: AnyState) -> float:
    """The value to seat 0, with chance nodes averaged."""
    if state.turn is None:
        return float(state.utilities()[0])
    if state.turn == CHANCE:
        return float(sum(chance * expected_value(state.play(outcome)) for outcome, chance in state.chances()))
    values = [expected_value(state.play(move)) for move in state.moves()]
    return max(values) if state.turn == 0 else min(values)


@pytest.mark.parametrize("name", LECTURES)
def test_the_lectures_trees_are_as_drawn_and_have_their_value(name: str) -> None:
    assert shipped()[name]["tree"] == LECTURES[name]["tree"]
    start = games.start(f"tree:{name}")
    assert value(start) == LECTURES[name]["minimax"]
    best = [move for move in start.moves() if value(start.play(move)) == LECTURES[name]["minimax"]]
    assert best[0] == LECTURES[name]["best"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("textbook", 3),
        ("best_first", 6),
        ("worst_first", 6),
        ("coins", 3.5),
        ("bounded_below", 2),
        ("alone", 9),
        ("negascout", 4),
        ("unknown", 2),
        ("gamble", 10),
        ("unbounded", 2),
    ],
)
def test_built_in_trees_have_the_value_in_their_description(name: str, expected: float) -> None:
    assert expected_value(games.start(f"tree:{name}")) == expected
    assert re.search(rf"\b{expected:g}\b|reverse order|5 of 9", shipped()[name]["about"])


def test_best_first_and_worst_first_mirror_each_other() -> None:
    def mirrored(tree: Any) -> Any:
        return [(label, mirrored(tree[label])) for label in reversed(tree)] if isinstance(tree, dict) else tree

    def listed(tree: Any) -> Any:
        return [(label, listed(tree[label])) for label in tree] if isinstance(tree, dict) else tree

    assert listed(shipped()["worst_first"]["tree"]) == mirrored(shipped()["best_first"]["tree"])


def test_a_tree_may_be_bounded_on_one_side_only() -> None:
    start = games.start("tree:bounded_below")
    assert list(start.bounds) == [1, inf]
    assert [start.evaluate(seat) for seat in (0, 1)] == [2.0, -2.0]


def test_a_tree_tells_what_kind_of_game_it_is() -> None:
    kinds = {name: games.start(f"tree:{name}") for name in shipped()}
    assert {name for name, state in kinds.items() if state.chance} == {"coins", "bounded_below", "unbounded"}
    assert {name: state.players for name, state in kinds.items() if state.players != 2} == {
        "alone": 1,
        "three": 3,
        "routes": 1,
        "inconsistent": 1,
    }
    assert kinds["three"].play("B").play("D").play("d2").utilities() == (4, 3, 3)


def test_a_tree_is_shown_with_its_turns_and_values() -> None:
    assert str(games.start("tree:four_leaves")) == "\n".join(
        ["a MAX", "├─ b MIN", "│  ├─ d 2", "│  └─ e 7", "└─ c MIN", "   ├─ f 1", "   └─ g 8"]
    )


def test_a_tree_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "my tree, the second.json"
    file.write_text(json.dumps({"root": "MIN", "tree": {"S": {"x": {"y": 1, "z": 2.5}, "w": 2}}}))
    start = games.start(f"tree:file={file}")
    assert (start.turn, start.moves(), value(start)) == (1, ("x", "w"), 2)
    assert games.load(f"tree:file={file}", "S x z").utilities() == (2.5, -2.5)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ([], 'expected an object with "tree"'),
        ({"tree": {}}, 'expected an object with "tree"'),
        ({"tree": {"A": {"B": 1}, "C": 2}}, 'expected an object with "tree"'),
        ({"tree": {"A": {}}}, "node 'A': expected a number, or children"),
        ({"tree": {"A": {"B": "x"}}}, "node 'A B': expected a number for each of 2 seats, or children, got 'x'"),
        ({"tree": {"A": {"B": True}}}, "node 'A B': expected a number"),
        ({"tree": {"A": {"B": [1, 2, 3]}}}, "node 'A B': expected a number for each of 2 seats"),
        ({"tree": {"A": {"b c": 1}}}, "node 'A': expected a name"),
        ({"tree": {"A": {"B": 1}}, "root": "MOX"}, "node 'root': expected MAX, MIN, chance or a seat from 0 to 1"),
        ({"tree": {"A": {"@turn": 2, "B": 1}}}, "node 'A': expected MAX, MIN, chance or a seat from 0 to 1, got 2"),
        ({"tree": {"A": {"B": 1}}, "players": 9}, "expected 1 to 8 players, got 9"),
        ({"tree": {"A": {"B": 1}}, "bounds": [2, 3]}, "expected bounds [low, high] around every leaf"),
        (
            {"tree": {"A": {"@turn": "chance", "@chances": {"B": 0.5}, "B": 1}}},
            'expected a probability for each child, sum 1, such as {"B": 1.0}',
        ),
        (
            {"tree": {"A": {"@turn": "chance", "@chances": {"B": -1}, "B": 1}}},
            'expected a probability for each child, sum 1, such as {"B": 1.0}',
        ),
        ({"tree": {"A": {"@estimate": 99, "B": 1}}}, "node 'A': expected an @estimate inside -1..1, got 99"),
        ({"tree": {"A": {"b": 1, "B": 2}}}, "node 'A': expected children of different names, got b, B"),
        ({"tree": {"a root": {"b": 1}}}, "node 'root': expected a name of 1 to 64 characters without spaces"),
        ({"tree": {"A": {"b": 10**400}}}, "node 'A b': expected a number"),
        ({"tree": {"A": {"@trun": "MIN", "b": 1}}}, "node 'A': no key '@trun'; did you mean '@turn'?"),
        ({"tree": {"A": {"b": 1}}, "rot": "MIN"}, "no entry 'rot'; did you mean 'root'?"),
        ({"tree": {"A": {"b": 1}}, "bounds": [True, 3]}, "expected bounds [low, high] around every leaf"),
        ({"tree": {"A": {"@noisy": ["C"], "B": 1}}}, "node 'A': expected a list of children as @noisy"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(tmp_path: Path, description: object, message: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(description))
    with pytest.raises(BadOption, match=re.escape(message)) as refusal:
        games.start(f"tree:file={file}")
    assert "bad.json" in str(refusal.value)


def test_a_name_given_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "twice.json"
    file.write_text('{"tree": {"A": {"x": 1, "x": 2}}}')
    with pytest.raises(BadOption, match="expected each name once in an object, got x, x"):
        games.start(f"tree:file={file}")


def test_name_and_file_at_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="expected name or file, got both: window"):
        games.start(f"tree:window,file={tmp_path}")


@pytest.mark.parametrize(("file", "message"), [("/dev/zero", "a device"), (".", "a folder"), ("a\0b", "null")])
def test_what_is_no_file_is_refused(file: str, message: str) -> None:
    with pytest.raises(BadOption, match=message):
        games.start(f"tree:file={file}")


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '{"tree": ' * 5000])
def test_a_file_that_is_no_json_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(BadOption, match="expected JSON"):
        games.start(f"tree:file={file}")


def test_a_tree_whose_paths_take_all_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file can describe many nodes, each with the names of all above it."""
    monkeypatch.setattr("adsearch.games.tree._MOST_LETTERS", 100)
    file = tmp_path / "small.json"
    file.write_text(json.dumps({"tree": {"A": {"b": {"c": 1}}}}))
    assert games.start(f"tree:file={file}").turn == 0
    file.write_text(json.dumps({"tree": {"A": {"b" * 60: {"c": 1}}}}))
    with pytest.raises(BadOption, match="expected a smaller tree: its paths have more than 100 letters together"):
        games.start(f"tree:file={file}")


def test_a_tree_too_deep_is_refused(tmp_path: Path) -> None:
    tree: Any = 1
    for _ in range(300):
        tree = {"x": tree}
    file = tmp_path / "deep.json"
    file.write_text(json.dumps({"tree": {"A": tree}}))
    with pytest.raises(BadOption, match="expected a tree of at most 200 plies"):
        games.start(f"tree:file={file}")


def test_a_missing_file_or_name_is_refused() -> None:
    with pytest.raises(BadOption, match=re.escape("tree: file 'nowhere.json': No such file")):
        games.start("tree:file=nowhere.json")
    with pytest.raises(BadOption, match="tree: name must be one of professors, four_leaves"):
        games.start("tree:nothing")


@pytest.mark.parametrize("text", ["", "B", "A X", "A B E M N", "A  B", "A B "])
def test_an_impossible_path_is_refused(text: str) -> None:
    with pytest.raises(BadPosition):
        games.load("tree:professors", text)


PATH_PROBLEMS = ("routes", "inconsistent")
"""Trees in which nodes of the same name are the same place."""


def names_of(tree: Any) -> list[str]:
    """The names of all nodes of a tree's description."""
    if not isinstance(tree, dict):
        return []
    return [name for label in tree if label[0] != "@" for name in (label, *names_of(tree[label]))]


@pytest.mark.parametrize("name", [name for name in shipped() if name not in PATH_PROBLEMS])
def test_no_two_nodes_of_a_built_in_tree_share_a_name(name: str) -> None:
    names = names_of(shipped()[name]["tree"])
    assert len(names) == len(set(names)), "rows of the event table could not be told apart"


@pytest.mark.parametrize("name", PATH_PROBLEMS)
def test_nodes_of_the_same_name_are_the_same_in_a_path_problem(name: str) -> None:
    below: dict[str, Any] = {}

    def visit(tree: dict[str, Any]) -> None:
        for label in tree:
            if label[0] != "@":
                assert below.setdefault(label, tree[label]) == tree[label]
                if isinstance(tree[label], dict):
                    visit(tree[label])

    visit(shipped()[name]["tree"])
    assert len(below) < len(names_of(shipped()[name]["tree"]))


def test_the_text_of_a_path_problem_has_its_costs_and_heuristics() -> None:
    assert str(games.start("tree:inconsistent")).splitlines() == [
        "S h=2",
        "├─ A h=4   cost 1",
        "│  └─ C h=1   cost 1",
        "│     └─ G 1   cost 3",
        "└─ B h=1   cost 1",
        "   └─ C h=1   cost 2",
        "      └─ G 1   cost 3",
    ]


def test_the_lectures_first_tree_has_the_nodes_a_to_v() -> None:
    assert sorted(names_of(shipped()["professors"]["tree"])) == list("ABCDEFGHIJKLMNOPQRSTUV")


def decisions(spec: str, algorithm: Any, **options: Any) -> tuple[str, float, int]:
    """The move, the value and the number of visited nodes."""
    result = algorithm.search(games.start(spec), **options)
    return result.move, result.value, result.nodes


def test_a_gamble_is_for_expectimax_and_not_for_minimax() -> None:
    assert decisions("tree:gamble", minimax)[:2] == ("left", 10)
    assert decisions("tree:gamble", expectimax)[:2] == ("right", 54.5)


def test_depth_three_takes_the_pawn_and_depth_four_sees_the_queen_lost() -> None:
    assert decisions("tree:queen", minimax, depth=3)[:2] == ("pawn", 3)
    assert value(games.start("tree:queen").play("pawn")) == -6
    assert decisions("tree:queen", minimax, depth=4)[:2] == ("queen", 50)
    assert decisions("tree:queen", quiescence, depth=3)[:2] == ("castle", 0)


def test_a_null_window_cuts_what_alpha_beta_looks_at() -> None:
    assert decisions("tree:negascout", alphabeta) == ("L", 4, 11)
    assert decisions("tree:negascout", pvs) == ("L", 4, 10)


def test_nothing_is_pruned_where_utilities_are_unbounded() -> None:
    assert decisions("tree:bounded_below", expectiminimax, pruning="star1")[1:] == (-2, 8)
    assert decisions("tree:unbounded", expectiminimax, pruning="star1")[1:] == (-2, 11)


@pytest.mark.parametrize("number", [-1000, 0, 2, 1000])
def test_the_unknown_leaf_does_not_change_the_value(tmp_path: Path, number: int) -> None:
    description = json.loads(json.dumps(shipped()["unknown"]))
    description["tree"]["A"]["C"]["?"] = number
    file = tmp_path / "tree.json"
    file.write_text(json.dumps(description))
    assert value(games.start(f"tree:file={file}")) == 2
