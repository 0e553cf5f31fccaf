"""`arena judge`: an algorithm that a student wrote, against ours on the same trees."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.terminal.listings import FormatOption, OutputFormat, show
from arena.errors import BadPlayer
from arena.history.words import printable
from arena.walls.kinds import WallKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.course.lecture.judging import TreeVerdict
    from arena.course.lecture.questions import JudgedAlgorithm

_MOST_SHOWN: Final = 12
"""So many leaves fit on a line."""
_MOST_PRINTED: Final = 50


def judge(
    function: Annotated[
        str,
        typer.Argument(
            metavar="FILE:FUNCTION", help="A Python file and a function in it; usually the one called as the algorithm."
        ),
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="ALGORITHM",
            help="minimax, negamax, alphabeta, pvs, expectiminimax, star1, expectimax, maxn or paranoid. "
            "Usual: the function's name.",
        ),
    ] = None,
    trees: Annotated[int, typer.Option(min=0, max=1000, help="How many random trees, besides those of lectures.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="The random trees of this seed.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="How long the function has for each tree.")] = 5.0,
    walls: Annotated[
        WallKind | None, typer.Option(help="How the function is confined. Usual: the best that this machine offers.")
    ] = None,
    format: FormatOption = OutputFormat.TABLE,
) -> None:
    """Judge a search that somebody wrote: its value, its move, and which leaves it looks at, compared with ours.

    The function gets a position, as agents do, and returns its value, or
    (value, move). Other parameters are told by their names: depth (plies to look
    ahead), alpha, beta, maximizing (whether MAX moves), color (1 for MAX, -1 for
    MIN), seat (who moves). It runs alone, behind walls, without our searches.

    Exit code 1 unless all trees are right.

    Example: arena judge examples/my_search.py:alphabeta

    Example: arena judge my_search.py:best_value --as minimax --trees 50 --format csv
    """
    from arena.course.lecture import judging, questions
    from arena.course.lecture.student_process import StudentProcess, file_and_function

    file, name = file_and_function(function)
    wanted = algorithm or name
    if not wanted:
        raise BadPlayer(
            f"expected --as ALGORITHM, or a function named after one ({', '.join(questions.algorithm_names())})"
        )
    subject = questions.find_algorithm(wanted)
    with StudentProcess(file, name or subject.name, walls=walls, seconds=seconds) as examiner:
        asked = questions.ask_about(subject, seed=seed, count=trees, with_depth=examiner.takes_depth)
        unloaded = examiner.loaded().failed
        answers = [examiner.ask(question) for question in asked]
    ours = [judging.our_search(subject, question) for question in asked]
    verdicts, convention = judging.judge(subject, ours, answers)
    if format is not OutputFormat.TABLE:
        show([_row(verdict, convention) for verdict in verdicts], _COLUMNS, format=format)
    elif unloaded:
        _show_unloaded(unloaded, answers[0].traceback)
    else:
        _show_verdicts(subject, verdicts, examiner.printed)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(1)


def _row(verdict: TreeVerdict, convention: Any) -> dict[str, Any]:
    ours = verdict.ours
    return {
        "tree": ours.question.name,
        "depth": ours.question.depth,
        "passed": verdict.passed,
        "value": verdict.answer.value,
        "expected_value": ours.value(convention),
        "move": verdict.answer.move,
        "expected_moves": list(ours.best),
        "leaves": [leaf[-1] for leaf in verdict.leaves],
        "expected_leaves": [leaf[-1] for leaf in ours.leaves],
        "difference": verdict.difference or None,
    }


_COLUMNS: Final = {
    "tree": lambda row: row["tree"],
    "passed": lambda row: "yes" if row["passed"] else "no",
    "value": lambda row: _written(row["value"]),
    "move": lambda row: row["move"] or "-",
    "leaves": lambda row: f"{len(row['leaves'])}",
    "expected": lambda row: f"{len(row['expected_leaves'])}",
    "difference": lambda row: row["difference"] or "",
}
"""Of the CSV, and of the table, which leaves out what is as it should be."""


def _written(value: Any) -> str:
    from adsearch.trace import written

    return "-" if value is None else written(tuple(value) if isinstance(value, list) else value)


def _show_unloaded(failed: str, traceback: Sequence[str]) -> None:
    print(f"cannot be judged: {printable(failed)}")
    for line in traceback:
        print(f"  {printable(line)}")


def _show_verdicts(subject: JudgedAlgorithm, verdicts: Sequence[TreeVerdict], printed: str) -> None:
    """The verdicts for people: a line a tree, then the smallest tree that is wrong, drawn."""
    from arena.course.lecture.judging import common_cause

    rows = [
        {
            "tree": _name(verdict),
            "leaves": f"{len(verdict.leaves)}",
            "": "right" if verdict.passed else "WRONG",
            "what": verdict.difference or verdict.remark,
        }
        for verdict in verdicts
    ]
    columns = {title: itemgetter(title) for title in ("tree", "", "leaves", "what")}
    show(rows, columns, format=OutputFormat.TABLE, numbers=("leaves",))
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if failed:
        _explain(subject, min(failed, key=lambda verdict: (not verdict.answer.tried, len(verdict.ours.leaves))))
    if printed.strip():
        print(f"\nit prints, at the end: {printable(printed.rstrip().rpartition(chr(10))[2][:_MOST_PRINTED])}")
    print(f"\n{len(verdicts) - len(failed)} of {len(verdicts)} trees are right")
    if why := common_cause(subject, verdicts):
        print(f"what they have in common: {why}")


def _name(verdict: TreeVerdict) -> str:
    question = verdict.ours.question
    return question.name if question.depth is None else f"{question.name}, depth {question.depth}"


def _explain(subject: JudgedAlgorithm, verdict: TreeVerdict) -> None:
    """The tree as our search sees it, and what the function did."""
    from adsearch.pictures.tree_drawing import as_text
    from adsearch.pictures.tree_picture import search_tree

    ours = verdict.ours
    if verdict.leaves:
        print(f"\n{_name(verdict)}, as {subject.name} searches it:\n")
        print(as_text(search_tree(ours.state, ours.trace, ours.result)))
        print(f"\nlooked at  {_listed([leaf[-1] for leaf in verdict.leaves])}")
        print(f"expected   {_listed([leaf[-1] for leaf in ours.leaves])}")
    print(f"{'' if verdict.leaves else chr(10)}{printable(verdict.difference)}")
    for line in verdict.answer.traceback:
        print(f"  {printable(line)}")


def _listed(leaves: Sequence[str]) -> str:
    more = f" ... ({len(leaves)} in all)" if len(leaves) > _MOST_SHOWN else ""
    return (" ".join(leaves[:_MOST_SHOWN]) or "nothing") + more
