"""Drawings of trees as text, DOT and SVG, with any labels."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import ClassVar
from xml.etree import ElementTree

import pytest

from adsearch import State, alphabeta, expectiminimax, games, pvs
from adsearch.games.tree import Tree, read
from adsearch.pictures.svg import width_of
from adsearch.pictures.tree_drawing import Placed, as_dot, as_svg, as_text, tidy
from adsearch.pictures.tree_picture import Node, Picture, game_tree, search_tree
from adsearch.trace import Trace
from adsearch.trace_calls import Nodes
from tests.kit.every_game import AnyState
from tests.kit.random_trees import random_tree

SVG = "{http://www.w3.org/2000/svg}"


def searched(spec: str, algorithm: AnyState = alphabeta, **options: AnyState) -> Picture:
    state, trace = games.start(spec), Trace()
    return search_tree(state, trace, algorithm.search(state, trace=trace, **options), title=f"{spec} searched")


def drawn(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(as_svg(picture))


def classes(picture: Picture, kind: str) -> list[str]:
    return [element.get("class", "") for element in drawn(picture).iter(SVG + kind)]


class Nasty(State[str]):
    """A game whose moves are called what breaks markup."""

    LABELS: ClassVar[tuple[str, ...]] = ("<g>", "a&b", "\"q\" 'q'", "]]>", "\x00\x1b", "\\n", "\ud800", "日本", "-->")

    def __init__(self, turn: int | None = 0) -> None:
        self.turn = turn

    def moves(self) -> tuple[str, ...]:
        return () if self.turn is None else self.LABELS

    def play(self, move: str) -> "Nasty":
        return Nasty(None)

    def utilities(self) -> tuple[float, ...]:
        return (0.5, -0.5)


def test_a_search_as_text_marks_the_best_line_and_what_was_pruned() -> None:
    assert as_text(searched("tree:professors")).splitlines() == [
        "A MAX = 1  [-inf, +inf]",
        "├─ B MIN = -9  [-inf, +inf]",
        "│  ├─ E MAX = -9  [-inf, +inf]",
        "│  │  ├─ M = -10",
        "│  │  └─ N = -9",
        "│  └─ F = -4",
        "├─ C MIN = -3  [-9, +inf]",
        "│  ├─ G MAX = 8  [-9, +inf]",
        "│  │  ├─ O = 7",
        "│  │  └─ P = 8",
        "│  ├─ H = -3",
        "│  ├─ I = 5",
        "│  └─ J MAX ≥ 15  [-9, -3]",
        "│     ├─ Q = 15",
        "│     ├╌ R  pruned",
        "│     └╌ S  pruned",
        "┕━ D MIN = 1  [-3, +inf]",
        "   ├─ K MAX = 2  [-3, +inf]",
        "   │  └─ T = 2",
        "   ┕━ L MAX = 1  [-3, 2]",
        "      ┝━ U = 1",
        "      └─ V = -6",
    ]


def test_a_game_as_text_tells_chances_and_where_it_goes_on() -> None:
    pig = as_text(game_tree(games.start("pig"), depth=1)).splitlines()
    assert pig[:3] == ["root chance", "├─ 1 chance  p=0.166667  ...", "├─ 2 MAX  p=0.166667  ..."]
    assert as_text(game_tree(games.start("tree:three"))).startswith("A seat 0 = (1, 2, 6)\n┝━ B seat 1")


def test_text_says_how_often_a_node_was_visited() -> None:
    assert "├─ C MIN = 3  [3, +inf]  2 visits" in as_text(searched("tree:worst_first", pvs)).splitlines()


@pytest.mark.parametrize("spec", ["tree:professors", "tree:binary", "tree:window", "nap:4", "grundy:pile=7"])
def test_text_fits_eighty_columns(spec: str) -> None:
    assert max(map(len, as_text(searched(spec)).splitlines())) <= 80


def test_dot_has_every_node_and_edge_and_the_marks() -> None:
    dot = as_dot(searched("tree:professors"))
    assert len(re.findall(r"^  n\d+ \[", dot, re.MULTILINE)) == 22
    assert len(re.findall(r"^  n\d+ -> n\d+ \[", dot, re.MULTILINE)) == 21
    assert 'label="R", style=dashed, color=gray' in dot
    assert 'label="D", style=bold' in dot
    assert "shape=triangle" in dot
    assert "shape=invtriangle" in dot
    assert "shape=circle" in as_dot(game_tree(games.start("tree:coins")))
    assert "shape=square" in as_dot(game_tree(games.start("tree:three")))


def test_dot_quotes_what_would_end_a_string() -> None:
    dot = as_dot(game_tree(Nasty()))
    assert r'label="\"q\" ' in dot
    assert r'label="\\n"' in dot
    assert all(len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0 for line in dot.splitlines())


def test_svg_has_a_text_alternative() -> None:
    root = drawn(searched("tree:professors"))
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [SVG + "title", SVG + "desc"]
    assert root[0].text == "tree:professors searched"
    assert root[1].text == "20 nodes. The value of A is 1. Best play: D, L, U. Not visited: R, S."


def test_svg_points_max_up_and_min_down() -> None:
    for polygon in drawn(searched("tree:professors")).iter(SVG + "polygon"):
        corners = [tuple(map(float, corner.split(","))) for corner in polygon.get("points", "").split()]
        tip, *base = [y for _, y in corners]
        assert base[0] == base[1]
        assert (tip < base[0]) == ("max" in polygon.get("class", "").split())


def test_svg_draws_chance_round_and_other_seats_square() -> None:
    assert classes(game_tree(games.start("tree:coins")), "circle").count("node chance") == 5
    three = drawn(game_tree(games.start("tree:three")))
    squares = [rect for rect in three.iter(SVG + "rect") if "seat" in rect.get("class", "").split()]
    assert len(squares) == 7
    assert all(square.get("width") == square.get("height") for square in squares)
    texts = [text.text for text in three.iter(SVG + "text")]
    assert {"0", "1", "2", "(1, 2, 6)"} <= set(texts)


def test_svg_marks_the_best_line_and_what_was_pruned() -> None:
    edges = classes(searched("tree:professors"), "line")
    assert len(edges) == 21
    assert edges.count("edge pruned") == 2
    assert edges.count("edge best") == 3
    style = next(drawn(searched("tree:professors")).iter(SVG + "style")).text or ""
    assert re.search(r"\.pruned \{[^}]*stroke-dasharray", style)
    assert "prefers-color-scheme: dark" in style


def test_svg_writes_moves_probabilities_values_and_windows() -> None:
    texts = [text.text for text in drawn(searched("tree:coins", expectiminimax, pruning="star1")).iter(SVG + "text")]
    assert {"heads", "0.5", "3.5", "b1", "[-inf, +inf]"} <= set(texts)


def test_any_label_gives_well_formed_markup() -> None:
    root = drawn(game_tree(Nasty(), title='<&">'))
    texts = [text.text for text in root.iter(SVG + "text")]
    assert {"<g>", "a&b", "\"q\" 'q'", "]]>", "\\n", "日本", "-->", "\ufffd\ufffd"} <= set(texts)
    assert root[0].text == '<&">'
    as_svg(game_tree(Nasty())).encode("utf-8")


def test_every_shape_is_inside_the_picture() -> None:
    for spec in ("tree:professors", "tree:coins", "tree:three", "nap:4", "nap:1", "tictactoe"):
        root = drawn(game_tree(games.start(spec), depth=3 if spec != "tictactoe" else 2))
        left, top, width, height = map(float, root.get("viewBox", "").split())
        assert (left, top) == (0.0, 0.0)
        for line in root.iter(SVG + "line"):
            assert 0 < float(line.get("x1", "nan")) < width
            assert 0 < float(line.get("x2", "nan")) < width
            assert 0 < float(line.get("y2", "nan")) < height


def reach(node: Node) -> tuple[float, float]:
    """Some nodes are wider than others, and not to both sides."""
    return -5.0 - len(node.children), 5.0 + (7.0 if node.best else 0.0)


def places(placed: Placed[Node], x: float = 0.0, depth: int = 0) -> Iterator[tuple[int, float, Placed[Node]]]:
    """The depth of every node, from left to right, and where it stands."""
    yield depth, x, placed
    for child in placed.children:
        yield from places(child, x + child.shift, depth + 1)


def test_no_two_nodes_of_a_generation_touch() -> None:
    for seed in range(60):
        placed, contour = tidy(game_tree(random_tree(Random(seed), depth=6, width=4)).root, reach, gap=3.0)
        for depth, (least, most) in enumerate(contour):
            xs = [(x, reach(place.node)) for at, x, place in places(placed) if at == depth]
            spans = [(x + left, x + right) for x, (left, right) in xs]
            assert all(right + 3.0 <= left + 1e-9 for (_, right), (left, _) in pairwise(spans))
            assert spans[0][0] == pytest.approx(least)
            assert spans[-1][1] == pytest.approx(most)


def test_long_labels_of_siblings_do_not_touch() -> None:
    long = ("x" * 60, "y" * 50, "z")
    found = read({"tree": {"root": dict.fromkeys(long, 0)}})
    texts = {text.text: text for text in drawn(game_tree(Tree.at(found, found.root))).iter(SVG + "text")}
    for left, right in pairwise(long):
        between = float(texts[right].get("x", "")) - float(texts[left].get("x", ""))
        assert between >= (width_of(left, 13.0) + width_of(right, 13.0)) / 2


def test_parents_stand_above_the_middle_of_their_children() -> None:
    for seed in range(60):
        placed, _ = tidy(game_tree(random_tree(Random(seed), depth=6, width=4)).root, reach, gap=3.0)
        for _, _, place in places(placed):
            shifts = [child.shift for child in place.children]
            assert shifts == sorted(shifts)
            assert not shifts or shifts[0] + shifts[-1] == pytest.approx(0.0)


def test_leaves_alike_are_evenly_spaced() -> None:
    for spec in ("tree:binary", "tree:textbook"):
        placed, _ = tidy(game_tree(games.start(spec)).root, lambda _: (-5.0, 5.0), gap=2.0)
        leaves = [x for _, x, place in places(placed) if not place.children]
        assert {round(right - left, 6) for left, right in pairwise(leaves)} == {12.0}


def with_boards(spec: str, depth: int = 1) -> Picture:
    return game_tree(games.start(spec), depth=depth, nodes=Nodes.BOARDS, fold=True)


@pytest.mark.parametrize("spec", sorted({*games.names()} - {"tree"}))
def test_every_game_draws_its_board_in_each_node(spec: str) -> None:
    picture = with_boards(spec)
    root = drawn(picture)
    count = sum(1 for _ in picture.root.walk())
    boards = [element for element in root.iter(SVG + "svg") if element is not root]
    assert len(boards) == count > 1
    assert all(board.get("class") == "board" for board in boards)
    assert ".board" in (next(root.iter(SVG + "style")).text or "")
    whole = tuple(map(float, (root.get("width", ""), root.get("height", ""))))
    for board in boards:
        x, y, width, height = (float(board.get(name, "")) for name in ("x", "y", "width", "height"))
        assert 0 < x < x + width < whole[0]
        assert 0 < y < y + height < whole[1]
        part = [float(number) for number in board.get("viewBox", "").split()]
        assert width / height == pytest.approx(part[2] / part[3], rel=0.02)


def test_frames_of_boards_do_not_touch() -> None:
    frames = [rect for rect in drawn(with_boards("tictactoe", 2)).iter(SVG + "rect") if "node" in rect.get("class", "")]
    assert len(frames) == 16
    spans = sorted(tuple(float(frame.get(name, "")) for name in ("y", "x", "width", "height")) for frame in frames)
    for (above, left, width, height), (below, right, *_) in pairwise(spans):
        assert above + height < below or (above == below and left + width < right)


def test_a_picture_of_a_user_supplied_game_is_an_image_in_the_tree() -> None:
    class Painted(Nasty):
        def svg(self, last: str | None = None) -> str:
            return '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="20"><script>1</script></svg>'

        def play(self, move: str) -> "Painted":
            return Painted(None)

        def position(self) -> str:
            return "nasty"

    root = drawn(game_tree(Painted(), nodes=Nodes.BOARDS))
    images = [*root.iter(SVG + "image")]
    assert len(images) == 1 + len(Nasty.LABELS)
    assert all(image.get("href", "").startswith("data:image/svg+xml;base64,") for image in images)
    assert [*root.iter(SVG + "script")] == []


def test_boards_as_text_stand_below_their_nodes() -> None:
    assert as_text(with_boards("tictactoe")).splitlines()[:9] == [
        "root MAX = 0",
        "│    a b c",
        "│  1 . . .",
        "│  2 . . .",
        "│  3 . . .",
        "┝━ a1 MIN = 0  4 alike",
        "│       a b c",
        "│     1 x . .",
        "│     2 . . .",
    ]
    dot = as_dot(with_boards("tictactoe"))
    assert r"1 x . .\l2 . . .\l3 . . .\l0\l" in dot


def test_a_drawing_with_names_has_the_gates_of_problem_reduction() -> None:
    state = games.start("grundy:7")
    picture = game_tree(state, nodes=Nodes.PROBLEMS)
    lines = as_text(picture).splitlines()
    assert lines[:2] == ["W(7+) OR = -1", "┝━ W(6-1-) AND = -1"]
    texts = [text.text for text in drawn(picture).iter(SVG + "text")]
    assert {"W(7+)", "OR", "AND", "1+6", "W(2-2-2-1-)"} <= set(texts)
    assert 'xlabel="W(7+)"' in as_dot(picture)


def test_a_name_that_is_the_move_is_drawn_once() -> None:
    picture = game_tree(games.start("tree:four_leaves"), nodes=Nodes.POSITIONS)
    texts = [text.text for text in drawn(picture).iter(SVG + "text")]
    assert [texts.count(name) for name in "abcdefg"] == [1] * 7


def test_the_root_of_an_explicit_tree_shows_its_name_and_the_start_of_a_game_does_not() -> None:
    assert ">A</text>" in as_svg(game_tree(games.start("tree:professors")))
    assert ">root</text>" not in as_svg(game_tree(games.start("nap:3")))
