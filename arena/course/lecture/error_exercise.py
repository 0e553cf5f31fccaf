"""The exercise `errors`: a program with one wrong line, and a small tree on which it goes wrong.

The program, its mistake and the tree are drawn from the seed; programs are Python texts as they are in circulation. The
key comes from running the wrong program and the right one on this tree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from random import Random
from textwrap import dedent
from typing import Any, Final

from adsearch.games.tree import Tree
from adsearch.pictures.tree_picture import Node, Picture, game_tree
from adsearch.state import CHANCE
from adsearch.trace import written
from arena.course.lecture import random_trees
from arena.course.lecture.exercise import Worksheet, title_of
from arena.errors import ArenaError

# Search programs as they are in circulation, each with the mistakes that are often made in them.


@dataclass(frozen=True, slots=True)
class ProgramError:
    """One line that is wrong."""

    line: int
    """Its number in the program, from 1."""
    wrong: str
    why: str
    """What the mistake does, in one or two sentences."""
    depth: int = 0
    """Depth limit of the call, if it is not the depth of the tree."""


@dataclass(frozen=True, slots=True)
class Program:
    """A right program, and its mistakes."""

    name: str
    """The name of its first function."""
    code: str
    call: str
    """The arguments of the call at the root; `{depth}` is replaced by the depth of the search."""
    mistakes: tuple[ProgramError, ...]
    chance: bool = False
    """Whether it is for trees with chance nodes."""

    def lines(self, mistake: ProgramError | None = None) -> list[str]:
        """The lines of the program; with a mistake, one of them is wrong."""
        lines = self.code.splitlines()
        if mistake is not None:
            right = lines[mistake.line - 1]
            indent = right[: len(right) - len(right.lstrip())]
            lines[mistake.line - 1] = mistake.wrong if mistake.wrong.startswith(" ") else indent + mistake.wrong
        return lines

    def called(self, root: str, depth: int) -> str:
        """The call at the root, as it is written."""
        return f"{self.name}({', '.join(filter(None, (root, self.call.format(depth=depth))))})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a program did with a tree."""

    returned: Any
    seen: tuple[str, ...]
    """The nodes whose value it read, in order."""


class ProgramNode:
    """A node of the tree, as the programs see it."""

    def __init__(self, state: Tree, name: str, seen: list[str], probability: float = 1.0) -> None:
        self.state = state
        self.name = name
        self.seen = seen
        self.probability = probability
        self.player = "" if state.turn is None else "chance" if state.turn == CHANCE else ("MAX", "MIN")[state.turn]

    @property
    def is_leaf(self) -> bool:
        """Whether the game is over."""
        return self.state.turn is None

    @property
    def value(self) -> float:
        """The utility of a leaf for MAX, or the estimate of another node."""
        self.seen.append(self.name)
        return self.state.evaluate(0)

    @property
    def children(self) -> list[ProgramNode]:
        """The children, from left to right."""
        chances = dict(self.state.chances())
        return [
            ProgramNode(self.state.play(move), move, self.seen, chances.get(move, 1.0)) for move in self.state.moves()
        ]


def run_program(program: Program, mistake: ProgramError | None, state: Tree, depth: int) -> Outcome:
    """What the program returns and sees, with this mistake or without one."""
    known: dict[str, Any] = {"infinity": inf}
    # The text is one of the programs below, never anything from outside.
    exec("\n".join(program.lines(mistake)), known)
    seen: list[str] = []
    root = ProgramNode(state, state.label, seen)
    returned = eval(program.called("root", depth), known, {"root": root})
    return Outcome(returned, tuple(seen))


_NOT_THE_OTHER: Final = "After a move of MAX it is MIN's turn. This line lets MAX move twice."
_RETURNS_EARLY: Final = "The return is inside the loop: only the first child is looked at."
_ONLY_GREATER: Final = "If alpha equals beta, no later child can change the result: the search must stop there too."

_MINIMAX: Final = Program(
    "minimax",
    dedent("""\
        def minimax(node, depth, maximizing):
            if depth == 0 or node.is_leaf:
                return node.value
            if maximizing:
                best = -infinity
                for child in node.children:
                    best = max(best, minimax(child, depth - 1, False))
                return best
            best = infinity
            for child in node.children:
                best = min(best, minimax(child, depth - 1, True))
            return best"""),
    "{depth}, True",
    (
        ProgramError(5, "best = 0", "With 0 at the start, MAX never gets a value below 0, even if all are negative."),
        ProgramError(7, "best = max(best, minimax(child, depth - 1, True))", _NOT_THE_OTHER),
        ProgramError(
            7,
            "best = max(best, minimax(child, depth, False))",
            "The depth is not reduced after a move of MAX, so the search goes below its limit.",
            depth=2,
        ),
        ProgramError(8, " " * 12 + "return best", _RETURNS_EARLY),
        ProgramError(9, "best = 0", "With 0 at the start, MIN never gets a value above 0, even if all are positive."),
        ProgramError(
            11,
            "best = max(best, minimax(child, depth - 1, True))",
            "MIN must take the smallest value; with max, its value stays infinite.",
        ),
        ProgramError(12, " " * 8 + "return best", _RETURNS_EARLY),
    ),
)
_BEST_MOVE: Final = Program(
    "best_move",
    dedent("""\
        def best_move(root):
            best = -infinity
            chosen = None
            for child in root.children:
                value = minimax(child, False)
                if value > best:
                    best = value
                    chosen = child.name
            return chosen

        def minimax(node, maximizing):
            if node.is_leaf:
                return node.value
            values = [minimax(child, not maximizing) for child in node.children]
            if maximizing:
                return max(values)
            return min(values)"""),
    "",
    (
        ProgramError(2, "best = 0", "If every move has a value below 0, no move is chosen."),
        ProgramError(
            5,
            "value = minimax(child, True)",
            "MAX has just moved, so MIN is to move at the child. This line asks as if MAX moved again.",
        ),
        ProgramError(6, "if value < best:", "No value is below -infinity, so no move is chosen."),
        ProgramError(7, "best = -infinity", "The best value is not kept, so the last move is always chosen."),
        ProgramError(
            14, "values = [minimax(child, maximizing) for child in node.children]", "The players never alternate."
        ),
    ),
)
_ALPHABETA: Final = Program(
    "alphabeta",
    dedent("""\
        def alphabeta(node, alpha, beta, maximizing):
            if node.is_leaf:
                return node.value
            if maximizing:
                best = -infinity
                for child in node.children:
                    best = max(best, alphabeta(child, alpha, beta, False))
                    alpha = max(alpha, best)
                    if alpha >= beta:
                        break
                return best
            best = infinity
            for child in node.children:
                best = min(best, alphabeta(child, alpha, beta, True))
                beta = min(beta, best)
                if alpha >= beta:
                    break
            return best"""),
    "-infinity, infinity, True",
    (
        ProgramError(
            7,
            "best = max(best, alphabeta(child, beta, alpha, False))",
            "alpha and beta are swapped: the child stops after its first move, because its alpha is above its beta.",
        ),
        ProgramError(7, "best = max(best, alphabeta(child, alpha, beta, True))", _NOT_THE_OTHER),
        ProgramError(9, "if alpha > beta:", _ONLY_GREATER),
        ProgramError(9, "if alpha <= beta:", "The sign is turned: the search stops while the window is still open."),
        ProgramError(12, "best = 0", "With 0 at the start, MIN never gets a value above 0, even if all are positive."),
        ProgramError(
            15, "beta = max(beta, best)", "MIN must lower beta. With max, beta is never lowered: MIN never stops."
        ),
        ProgramError(15, "alpha = max(alpha, best)", "MIN must lower beta; alpha belongs to MAX."),
        ProgramError(16, "if alpha > beta:", _ONLY_GREATER),
        ProgramError(18, "return alpha", "MIN must return its own best value, not what MAX has already."),
    ),
)
_NEGAMAX: Final = Program(
    "negamax",
    dedent("""\
        def negamax(node, alpha, beta, sign):
            if node.is_leaf:
                return sign * node.value
            best = -infinity
            for child in node.children:
                best = max(best, -negamax(child, -beta, -alpha, -sign))
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
            return best"""),
    "-infinity, infinity, 1",
    (
        ProgramError(3, "return node.value", "A leaf must have its value for the player to move: negative for MIN."),
        ProgramError(
            4,
            "best = 0",
            "With 0 at the start, a player never gets a value below 0, even if all children are negative.",
        ),
        ProgramError(
            6,
            "best = max(best, negamax(child, -beta, -alpha, -sign))",
            "The minus before the call is missing: what is good for one player is bad for the other.",
        ),
        ProgramError(
            6,
            "best = max(best, -negamax(child, -alpha, -beta, -sign))",
            "alpha and beta must change places: what one player has secured limits the other one.",
        ),
        ProgramError(
            6,
            "best = max(best, -negamax(child, alpha, beta, -sign))",
            "The window must be turned round for the other player: -beta, -alpha.",
        ),
        ProgramError(
            6, "best = max(best, -negamax(child, -beta, -alpha, sign))", "The sign must change with the player to move."
        ),
        ProgramError(8, "if alpha > beta:", _ONLY_GREATER),
    ),
)
_EXPECTIMINIMAX: Final = Program(
    "expectiminimax",
    dedent("""\
        def expectiminimax(node):
            if node.is_leaf:
                return node.value
            if node.player == "chance":
                total = 0
                for child in node.children:
                    total = total + child.probability * expectiminimax(child)
                return total
            values = [expectiminimax(child) for child in node.children]
            if node.player == "MAX":
                return max(values)
            return min(values)"""),
    "",
    (
        ProgramError(7, "total = total + expectiminimax(child)", "Each value must be multiplied by its probability."),
        ProgramError(
            7,
            "total = max(total, child.probability * expectiminimax(child))",
            "A chance node adds the values of its children; it does not choose.",
        ),
        ProgramError(8, " " * 12 + "return total", _RETURNS_EARLY),
        ProgramError(
            8,
            "return total / len(node.children)",
            "The probabilities already make the sum a mean: it must not be divided again.",
        ),
        ProgramError(12, "return max(values)", "MIN must take the smallest value."),
    ),
    chance=True,
)

PROGRAMS: Final = (_MINIMAX, _BEST_MOVE, _ALPHABETA, _NEGAMAX, _EXPECTIMINIMAX)
"""All programs."""


_DEPTH: Final = 3
_WIDTH: Final = 2
_TRIES: Final = 300
"""Number of random trees drawn to find one on which the program goes wrong."""
_CASES: Final = tuple((program, mistake) for program in PROGRAMS for mistake in program.mistakes)
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


def worksheet(program: Program, mistake: ProgramError, *, seed: int, student: str = "") -> Worksheet:
    """The program with this mistake, on a tree where both versions differ: in the value if there is such a tree, else
    in the nodes whose values they read."""
    depth = mistake.depth or _DEPTH
    found: tuple[dict[str, Any], Tree, Outcome, Outcome] | None = None
    for number in range(_TRIES):
        description = described(program, mistake, Random(f"{seed} {student} {number}"))
        state = random_trees.opened(description)
        right = run_program(program, None, state, depth)
        wrong = run_program(program, mistake, state, depth)
        differs = wrong.returned != right.returned
        if differs or (wrong.seen != right.seen and found is None):
            found = description, state, right, wrong
        if differs:
            break
    if found is None:
        raise ArenaError(f"found no tree on which line {mistake.line} of {program.name} matters; try another seed")
    description, state, right, wrong = found
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


def described(program: Program, mistake: ProgramError, random: Random) -> dict[str, Any]:
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


def _right_line(program: Program, mistake: ProgramError) -> str:
    """The line without the mistake. If only its indentation is wrong, the indentation is said in words."""
    right = program.lines()[mistake.line - 1]
    text = right.strip()
    if text != mistake.wrong.strip():
        return text
    return f"{text}, indented by {len(right) - len(text)} spaces"


def _text(returned: Any) -> str:
    """What a program returned, as text."""
    return written(returned, digits=4) if isinstance(returned, int | float) else str(returned)
