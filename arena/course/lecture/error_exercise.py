"""The exercise `errors`: a program with one wrong line, and a small tree on which it goes wrong.

The program, its mistake and the tree are drawn from the seed. The key comes from running the wrong program and the
right one on this tree.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

from adsearch.games.tree import Tree
from adsearch.pictures.tree_picture import Node, Picture, game_tree
from adsearch.state import CHANCE
from adsearch.trace import written
from arena.course.lecture import random_trees, wrong_programs
from arena.course.lecture.worksheet import Worksheet, title_of
from arena.course.lecture.wrong_programs import Mistake, Program
from arena.errors import ArenaError

_DEPTH: Final = 3
_WIDTH: Final = 2
_TRIES: Final = 300
"""Number of random trees drawn to find one on which the program goes wrong."""
_CASES: Final = tuple((program, mistake) for program in wrong_programs.PROGRAMS for mistake in program.mistakes)
_TASK: Final = (
    "One line of this program is wrong. The call is {call}; node A is the root, and MAX moves there. "
    "{estimates}Find the line, write it right, and say what the program does with this tree: the wrong version and the "
    "right one."
)
_ESTIMATES: Final = "The value of an inner node is its estimate. "


def make(*, seed: int, student: str = "") -> Worksheet:
    """The exercise of this seed, for this student."""
    program, mistake = Random(f"{seed} {student}").choice(_CASES)
    return worksheet(program, mistake, seed=seed, student=student)


def worksheet(program: Program, mistake: Mistake, *, seed: int, student: str = "") -> Worksheet:
    """The program with this mistake, on a tree where both versions differ: in the value if there is such a tree, else
    in the nodes whose values they read."""
    depth = mistake.depth or _DEPTH
    fallback = None
    for number in range(_TRIES):
        description = described(program, mistake, Random(f"{seed} {student} {number}"))
        state = random_trees.opened(description)
        right = wrong_programs.run(program, None, state, depth)
        wrong = wrong_programs.run(program, mistake, state, depth)
        if wrong.returned != right.returned:
            break
        if wrong.seen != right.seen and fallback is None:
            fallback = description
    else:
        if fallback is None:
            raise ArenaError(f"found no tree on which line {mistake.line} of {program.name} matters; try another seed")
        description = fallback
        state = random_trees.opened(description)
        right = wrong_programs.run(program, None, state, depth)
        wrong = wrong_programs.run(program, mistake, state, depth)
    title = title_of("errors", seed, student, "program")
    tree = Picture(_bare(game_tree(state, title=title).root, state, bool(mistake.depth)), title)
    answers = [
        ("Wrong line", f"line {mistake.line}"),
        ("Right line", _right_line(program, mistake)),
        ("The wrong program returns", _text(wrong.returned)),
        ("The right program returns", _text(right.returned)),
        ("The wrong program reads the values of", " ".join(wrong.seen) or "none"),
        ("The right program reads the values of", " ".join(right.seen)),
    ]
    task = _TASK.format(call=program.called(state.label, depth), estimates=_ESTIMATES if mistake.depth else "")
    numbered = "\n".join(f"{number:>2}  {line}".rstrip() for number, line in enumerate(program.lines(mistake), 1))
    return Worksheet(
        title, task, (numbered, tree), (numbered, tree), tuple(answers), note=mistake.why, description=description
    )


def described(program: Program, mistake: Mistake, random: Random) -> dict[str, Any]:
    """A small random tree; half of them have leaves that can be equal, because some mistakes matter only then."""
    count = _WIDTH**_DEPTH
    if random.random() < 0.5:
        leaves = [random.randint(-4, 4) for _ in range(count)]
    else:
        leaves = random.sample(range(-9, 10), count)

    def turn(ply: int) -> int:
        return CHANCE if program.chance and ply == 1 else (ply if not program.chance else ply // 2) % 2

    tree = random_trees.regular(
        _DEPTH, _WIDTH, turn, lambda: random_trees.probabilities(random, _WIDTH), list[random_trees.Value](leaves)
    )
    if mistake.depth:
        tree = _estimated(tree, random, mistake.depth)
    return random_trees.described(tree, bounds=(-20, 20))


def _estimated(branch: random_trees.Branch, random: Random, plies: int) -> random_trees.Branch:
    """The same tree with a random estimate at each node that is this many plies deep."""
    if plies == 0:
        return replace(branch, estimate=random.randint(-9, 9))
    return replace(
        branch,
        children=tuple(
            _estimated(child, random, plies - 1) if isinstance(child, random_trees.Branch) else child
            for child in branch.children
        ),
    )


def _bare(node: Node, state: Tree, estimates: bool) -> Node:
    """The node and all below: leaves with their values, other nodes only with their estimates."""
    if state.turn is None:
        return replace(node, best=False)
    has = estimates and state.node.estimate is not None
    return replace(
        node,
        value=None,
        window=f"estimate {written(state.evaluate(0))}" if has else "",
        best=False,
        children=tuple(_bare(child, state.play(child.label), estimates) for child in node.children),
    )


def _right_line(program: Program, mistake: Mistake) -> str:
    """The line without the mistake. If only its indentation is wrong, the indentation is said in words."""
    right = program.lines()[mistake.line - 1]
    text = right.strip()
    if text != mistake.wrong.strip():
        return text
    return f"{text}, indented by {len(right) - len(text)} spaces"


def _text(returned: Any) -> str:
    """What a program returned, as text."""
    return written(returned, digits=4) if isinstance(returned, int | float) else str(returned)
