"""Kinds of exercise: the same seed and student give the same worksheet, and every key is true."""

from __future__ import annotations

from math import inf, log, sqrt
from random import Random
from xml.etree import ElementTree

import pytest

from adsearch import Trace, algorithms
from adsearch.games.tree import Tree
from adsearch.pictures.tree_picture import Node, Picture
from arena.course.lecture import error_exercise, exercise_sheet, kinds
from arena.course.lecture.error_exercise import Program, ProgramError
from arena.course.lecture.questions import leaves_seen
from arena.course.lecture.random_trees import opened
from arena.errors import ArenaError

OTHER_KINDS = ("ucb1", "proof", "errors")
MISTAKES = [(program, mistake) for program in error_exercise.PROGRAMS for mistake in program.mistakes]


@pytest.mark.parametrize("kind", kinds.names())
def test_each_student_and_each_seed_has_another_worksheet(kind: str) -> None:
    first, again, other, seed = (
        kinds.make(kind, seed=seed, student=student)
        for seed, student in ((7, "kestrel"), (7, "kestrel"), (7, "merlin"), (8, "kestrel"))
    )
    assert exercise_sheet.as_text(first, solved=True) == exercise_sheet.as_text(again, solved=True)
    assert first.title == f"Exercise: {kind}, kestrel"
    texts = {exercise_sheet.as_text(one, solved=True).partition("\n")[2] for one in (first, other, seed)}
    assert len(texts) == 3


@pytest.mark.parametrize("kind", OTHER_KINDS)
@pytest.mark.parametrize("solved", [False, True])
def test_every_figure_is_inside_the_page(kind: str, solved: bool) -> None:
    for seed in range(3):
        made = kinds.make(kind, seed=seed)
        root = ElementTree.fromstring(exercise_sheet.drawn(made, solved=solved))
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for figure in root.findall("{*}svg"):
            assert float(figure.attrib["x"]) >= 0
            assert float(figure.attrib["x"]) + float(figure.attrib["width"]) <= width
            assert float(figure.attrib["y"]) + float(figure.attrib["height"]) <= height
        words = " ".join(element.text or "" for element in root.findall("{*}text"))
        assert made.task in words
        assert all(answer in words for _, answer in made.answers if solved)


@pytest.mark.parametrize(
    ("kind", "depth", "width", "message"),
    [
        ("errors", 3, None, "errors has no depth to choose: leave out --depth"),
        ("proof", None, 3, "proof has no branching to choose: leave out --branching"),
        ("ucb1", None, 2, "expected 3 or more children for ucb1, got 2"),
        ("ucb", None, None, "got 'ucb'; did you mean 'ucb1'"),
    ],
)
def test_what_a_kind_cannot_do_is_refused(kind: str, depth: int | None, width: int | None, message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        kinds.make(kind, seed=1, depth=depth, width=width)


def test_ucb1_chooses_the_child_with_the_greatest_sum() -> None:
    for seed in range(20):
        made = kinds.make("ucb1", seed=seed, width=3 + seed % 4)
        (table,) = made.key
        assert isinstance(table, str)
        rows = [line.split() for line in table.split("\n")[1:]]
        children = {row[0]: (int(row[1]), int(row[2])) for row in rows}
        answers = dict(made.answers)
        for question, child in (
            ("Child that is chosen next", ""),
            ("Child that is chosen after a loss there", answers["Child that is chosen next"]),
        ):
            if child:
                children[child] = (children[child][0] + 1, children[child][1])
            total = sum(visits for visits, _ in children.values())
            values = {name: won / n + 1.4 * sqrt(log(total) / n) for name, (n, won) in children.items()}
            assert answers[question] == max(values, key=lambda name: values[name])
            if not child:
                assert [row[5] for row in rows] == [f"{values[row[0]]:.3f}" for row in rows]
        means = {row[0]: float(row[3]) for row in rows}
        assert means[answers["Child that is chosen next"]] < max(means.values())


def numbers(node: Node) -> tuple[float, float, str]:
    """The proof and disproof number of a drawn node and its most-proving node, by their definition."""
    if not node.children:
        return {"won": (0, inf, ""), "lost": (inf, 0, ""), "?": (1, 1, node.label)}[node.window]
    below = [numbers(child) for child in node.children]
    if node.seat == 0:
        easiest = min(below, key=lambda child: child[0])
        return easiest[0], sum(child[1] for child in below), easiest[2]
    easiest = min(below, key=lambda child: child[1])
    return sum(child[0] for child in below), easiest[1], easiest[2]


@pytest.mark.costly
def test_proof_numbers_are_right_at_every_node() -> None:
    for seed in range(12):
        made = kinds.make("proof", seed=seed)
        (sheet,), (key,) = made.sheet, made.key
        assert isinstance(sheet, Picture)
        assert isinstance(key, Picture)
        for node in key.root.walk():
            if node.children:
                proof, disproof, _ = numbers(node)
                assert node.window == f"pn {proof} dn {disproof}"
        assert dict(made.answers)["Most-proving node"] == numbers(key.root)[2]
        assert {node.window for node in sheet.root.walk() if node.children} == {"pn ___ dn ___"}
        assert not any(node.best for node in sheet.root.walk())


def outcome(program: Program, state: Tree) -> tuple[object, list[str]]:
    """What our own search of the same kind finds: the value for MAX or the move, and the leaves."""
    name = {"best_move": "minimax", "negamax": "alphabeta"}.get(program.name, program.name)
    trace = Trace()
    result = algorithms[name].search(state, trace=trace)
    return result.move if program.name == "best_move" else result.value, [path[-1] for path in leaves_seen(trace)]


@pytest.mark.parametrize("program", error_exercise.PROGRAMS, ids=lambda program: program.name)
def test_a_right_program_agrees_with_our_own_search(program: Program) -> None:
    for seed in range(40):
        state = opened(error_exercise.described(program, program.mistakes[0], Random(seed)))
        ran = error_exercise.run_program(program, None, state, 9)
        assert (ran.returned, list(ran.seen)) == outcome(program, state)


@pytest.mark.parametrize(("program", "mistake"), MISTAKES, ids=lambda one: getattr(one, "line", ""))
def test_every_mistake_shows_in_its_tree(program: Program, mistake: ProgramError) -> None:
    right = program.lines()[mistake.line - 1]
    for seed in range(2):
        made = error_exercise.worksheet(program, mistake, seed=seed)
        answers = dict(made.answers)
        (code, tree) = made.sheet
        assert isinstance(code, str)
        assert isinstance(tree, Picture)
        assert answers["Wrong line"] == f"line {mistake.line}"
        assert answers["Right line"].startswith(right.strip())
        assert answers["Right line"] != code.split("\n")[mistake.line - 1][4:].strip()
        shown = [line[4:] for line in code.split("\n")]
        assert shown != program.lines()
        shown[mistake.line - 1] = right
        assert shown == program.lines()
        wrong = {question: answer for question, answer in made.answers if "wrong program" in question}
        assert any(answers[question.replace("wrong", "right")] != answer for question, answer in wrong.items())
        assert all(node.value is None or not node.children for node in tree.root.walk())


def test_a_line_that_is_only_indented_wrong_is_answered_with_its_indentation() -> None:
    program = error_exercise.PROGRAMS[0]
    mistake = next(one for one in program.mistakes if one.wrong.strip() == program.lines()[one.line - 1].strip())
    answers = dict(error_exercise.worksheet(program, mistake, seed=1).answers)
    assert answers["Right line"] == "return best, indented by 8 spaces"


@pytest.mark.costly
def test_most_mistakes_change_the_value() -> None:
    """Only a mistake that costs nothing but effort is shown on a tree with the same value."""
    same = {
        mistake.wrong
        for program, mistake in MISTAKES
        for answers in [dict(error_exercise.worksheet(program, mistake, seed=1).answers)]
        if answers["The wrong program returns"] == answers["The right program returns"]
    }
    assert same == {
        *("if alpha > beta:", "beta = max(beta, best)", "alpha = max(alpha, best)"),
        "best = max(best, -negamax(child, alpha, beta, -sign))",
    }
