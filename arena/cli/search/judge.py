"""`arena course judge`: compares a student's search function with ours on the same trees, and gives points."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from adsearch.errors import nearly, quote
from arena.cli.asking.playing_options import WallsOption
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show, show_json
from arena.errors import BadPlayer
from arena.history.words import number, printable
from arena.results.columns import Column, Medium, worded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.course.lecture.assignment import Grade
    from arena.course.lecture.judging import TreeVerdict, ValuesFor
    from arena.course.lecture.questions import JudgedAlgorithm
    from arena.course.lecture.student_process import Cost
    from arena.match.allowance import WallKind

    _Judged = tuple[TreeVerdict, tuple[Cost, Cost] | None]
    """A verdict, and what the function and our own search cost."""

_MOST_SHOWN: Final = 12
"""Number of leaves printed on a line."""
_MOST_PRINTED: Final = 50


@listed(
    lambda: _columns(None),
    about={
        "tree, depth": "`depth`: the limit, or null",
        "passed, difference": "whether value, move and leaves are right; the first difference in words",
        "value, expected_value, move, expected_moves": "`expected_moves`: all best moves",
        "leaves, expected_leaves": "arrays: visited ones, and those of the algorithm, in order",
        "nodes, time": "positions that it created with `state.play`, and the root; null if it failed",
        "expected_nodes, expected_time": "of our search",
    },
)
def judge(
    shown: Shown,
    function: Annotated[
        str,
        typer.Argument(
            metavar="FILE:FUNCTION",
            help="Python file and function, or FILE:CLASS.METHOD; without :FUNCTION the one of --as.",
        ),
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="ALGORITHM",
            help="Algorithm: minimax, negamax, negamax_bounds, alphabeta, alphabeta_strict, alphabeta_strict_soft, "
            "pvs, negascout, expectiminimax, star1, expectimax, maxn or paranoid.",
            show_default="the name of the function or class",
        ),
    ] = None,
    questions_file: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE", help="TOML file with the questions of an assignment, with points."),
    ] = None,
    trees: Annotated[int, typer.Option(metavar="N", min=0, max=1000, help="Number of random trees.")] = 20,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the random trees.")] = 1,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, max=600, help="Time limit for each tree.")
    ] = 5.0,
    walls: WallsOption = None,
) -> None:
    """Judge a student's search function: are its value, move and visited leaves right?

    The function runs in a sandbox on trees from lectures and random trees, and is compared with our search. It gets a
    position (a State) and returns its value, or (value, move). It can have these parameters too: depth (in plies),
    alpha, beta, maximizing (True if MAX moves), color (1 for MAX, -1 for MIN), seat (the seat to move). It cannot
    import our searches. The exit code is 1 if it is wrong on any tree.

    A method gets a game state as in Berkeley's Pacman project, and returns its move. Its class has index, depth and
    evaluationFunction. MinimaxAgent, AlphaBetaAgent and ExpectimaxAgent need no --as.

    With --questions FILE.toml each question is a function or method of one file, and has points. --format json is then
    what Gradescope reads as results.json.

    A function that is asked as negamax can be plain negamax or negamax with bounds. Nodes are the positions that a
    search creates with state.play, and the root. Times are for the same trees, each searched once.

    Example: arena course judge examples/my_search.py:alphabeta

    Example: arena course judge my_search.py:minimax --trees 50 --seconds 2

    Example: arena course judge multiAgents.py:AlphaBetaAgent.getAction

    Example: arena course judge multiAgents.py --questions project.toml --format json
    """
    from arena.course.lecture import questions
    from arena.course.lecture.student_process import file_and_function

    file, name = file_and_function(function)
    asker = _Asker(file, trees, seed, seconds, walls)
    if questions_file is not None:
        if name or algorithm is not None:
            raise BadPlayer(f"expected only FILE.py with --questions, which names functions, got {quote(function)}")
        _judge_assignment(asker, questions_file, shown)
        return
    wanted = algorithm or questions.named_after(name) or name
    names = questions.algorithm_names()
    if algorithm is None and wanted not in names and ("." in name or not nearly(name, names)):
        got = f", got {quote(name)}" if name else ""
        raise BadPlayer(f"expected --as ALGORITHM, or a function named after one ({', '.join(names)}){got}")
    subject = questions.find_algorithm(wanted)
    judged = asker.judged(name or subject.name, subject, costs=True)
    compared = [
        None if cost is None else (cost, _our_cost(verdict))
        for cost, verdict in zip(judged.costs, judged.verdicts, strict=True)
    ]
    if not shown.is_table:
        show([*zip(judged.verdicts, compared, strict=True)], _columns(judged.convention), shown)
    elif judged.unloaded:
        _show_unloaded(judged.unloaded, judged.verdicts[0].answer.traceback)
    else:
        _show_verdicts(judged.verdicts, judged.printed)
        _show_costs(judged.verdicts[0].ours.name, [each for each in compared if each])
    if not all(verdict.passed for verdict in judged.verdicts):
        raise typer.Exit(1)


class _Asked(NamedTuple):
    """What one function answered, and the verdicts."""

    verdicts: list[TreeVerdict]
    convention: ValuesFor
    costs: list[Cost | None]
    unloaded: str
    """Why the file cannot be loaded; empty if it was."""
    printed: str


class _Asker(NamedTuple):
    """A file, and how its functions are asked."""

    file: Path
    trees: int
    seed: int
    seconds: float
    walls: WallKind | None

    def judged(self, name: str, subject: JudgedAlgorithm, *, costs: bool) -> _Asked:
        """The verdicts on the function or method `name`, asked in a process of its own."""
        from arena.course.lecture import judging, questions
        from arena.course.lecture.student_process import StudentProcess

        by_seed = {"seed": self.seed, "count": self.trees}
        with StudentProcess(self.file, name, walls=self.walls, seconds=self.seconds) as examiner:
            if "." in name:
                asked = questions.questions_for_method(subject, **by_seed)
            else:
                asked = questions.questions_for(subject, **by_seed, with_depth=examiner.takes_depth)
            unloaded = examiner.loaded().failed
            answers = [examiner.ask(question) for question in asked]
            spent = [
                examiner.cost(question) if costs and not answer.failed else None
                for question, answer in zip(asked, answers, strict=True)
            ]
        verdicts, convention = judging.judge(subject, asked, answers)
        return _Asked(verdicts, convention, spent, unloaded, examiner.printed)


def _judge_assignment(asker: _Asker, questions_file: Path, shown: Shown) -> None:
    """Print the points of a file for each question of an assignment."""
    from arena.course.lecture import assignment

    if shown.format is OutputFormat.JSON and shown != Shown(OutputFormat.JSON):
        raise typer.BadParameter("with --questions, --format json has all questions: leave out --columns, --sort, ...")
    grades = []
    for question in assignment.read(questions_file):
        judged = asker.judged(question.function, question.algorithm, costs=False)
        grades.append(assignment.graded(question, judged.verdicts))
    if shown.format is OutputFormat.JSON:
        show_json(assignment.results_json(grades))
    else:
        show(grades, _QUESTION_COLUMNS, shown)
        if shown.is_table:
            print(f"\n{assignment.total(grades)}")
    if any(grade.why for grade in grades):
        raise typer.Exit(1)


_QUESTION_COLUMNS: Final[tuple[Column[Grade], ...]] = (
    Column("question", value=lambda grade: grade.question.name),
    Column("points", value=lambda grade: grade.points, text=lambda grade: number(grade.points), number=True),
    Column("of", value=lambda grade: grade.question.points, text=lambda grade: number(grade.question.points)),
    Column("right", value=lambda grade: grade.right, text=lambda grade: f"{grade.right} of {grade.trees}"),
    Column("trees", value=lambda grade: grade.trees, on=Medium.CSV),
    Column("what", value=lambda grade: grade.why or None, text=lambda grade: grade.why),
)


def _our_cost(verdict: TreeVerdict) -> Cost:
    """The cost of our own search of the same tree."""
    from arena.course.lecture.judging import our_call
    from arena.course.lecture.student_process import Cost

    call = our_call(verdict.ours)
    begun = perf_counter()
    nodes = call()
    return Cost(nodes, perf_counter() - begun)


def _columns(convention: Any) -> tuple[Column[_Judged], ...]:
    return (
        *worded(
            Column("tree", value=lambda row: row[0].ours.question.name),
            Column("passed", value=lambda row: row[0].passed, text=lambda row: "yes" if row[0].passed else "no"),
            Column("value", value=lambda row: row[0].answer.value, text=lambda row: _written(row[0].answer.value)),
            Column("move", value=lambda row: row[0].answer.move, text=lambda row: row[0].answer.move or "-"),
            _ends("leaves", "leaves", lambda verdict: verdict.leaves),
            _ends("expected_leaves", "expected", lambda verdict: verdict.ours.leaves),
            Column("difference", value=lambda row: row[0].difference or None),
        ),
        Column("depth", value=lambda row: row[0].ours.question.depth, on=Medium.JSON),
        Column("expected_value", value=lambda row: row[0].ours.value(convention), on=Medium.JSON),
        Column("expected_moves", value=lambda row: list(row[0].ours.best), on=Medium.JSON),
        Column("nodes", value=lambda row: row[1] and row[1][0].nodes, on=Medium.JSON),
        Column("time", value=lambda row: row[1] and round(row[1][0].seconds * 1000, 3), on=Medium.JSON),
        Column("expected_nodes", value=lambda row: row[1] and row[1][1].nodes, on=Medium.JSON),
        Column("expected_time", value=lambda row: row[1] and round(row[1][1].seconds * 1000, 3), on=Medium.JSON),
    )


def _ends(name: str, title: str, leaves: Callable[[TreeVerdict], Sequence[Any]]) -> Column[_Judged]:
    return Column(
        name, title, value=lambda row: [leaf[-1] for leaf in leaves(row[0])], text=lambda row: str(len(leaves(row[0])))
    )


def _written(value: Any) -> str:
    from adsearch.trace import written

    return "-" if value is None else written(tuple(value) if isinstance(value, list) else value)


def _show_unloaded(failed: str, traceback: Sequence[str]) -> None:
    print(f"the function cannot be judged: {printable(failed)}")
    for line in traceback:
        print(f"  {printable(line)}")


def _show_costs(name: str, compared: Sequence[tuple[Cost, Cost]]) -> None:
    """Print the nodes and the time of the function and of our search, for the trees that both searched."""
    if not compared:
        return
    costs = [
        f"{sum(cost.nodes for cost in each):,} nodes in {sum(cost.seconds for cost in each):.4f} s"
        for each in zip(*compared, strict=True)
    ]
    print(f"your function: {costs[0]}; our {name}: {costs[1]}")


def _show_verdicts(verdicts: Sequence[TreeVerdict], printed: str) -> None:
    """Print a line for each tree, then draw the smallest tree on which the function is wrong."""
    from arena.course.lecture.judging import common_cause, smallest_failed

    subject = verdicts[0].ours.algorithm
    trees = Counter(verdict.difference for verdict in verdicts)
    first: dict[str, str] = {}
    rows = []
    for verdict in verdicts:
        what, name = verdict.difference, _name(verdict)
        # A finding is written once, with the number of its trees; below, the first of these trees is named.
        if what and first.setdefault(what, name) != name:
            what = f"as {first[what]}"
        elif trees[what] > 1 and what:
            what = f"on {trees[what]} trees: {what}"
        right = "right" if verdict.passed else "WRONG"
        rows.append({"tree": name, "leaves": f"{len(verdict.leaves)}", "": right, "what": what or verdict.remark})
    show(rows, [Column(title, number=title == "leaves") for title in ("tree", "", "leaves", "what")])
    if failed := smallest_failed(verdicts):
        _explain(subject, failed)
    if printed.strip():
        print(f"\nthe last line that it printed: {printable(printed.rstrip().rpartition(chr(10))[2][:_MOST_PRINTED])}")
    print(f"\n{sum(verdict.passed for verdict in verdicts)} of {len(verdicts)} trees are right")
    if why := common_cause(subject, verdicts):
        print(f"common cause: {why}")


def _name(verdict: TreeVerdict) -> str:
    question = verdict.ours.question
    return question.name if question.depth is None else f"{question.name}, depth {question.depth}"


def _explain(subject: JudgedAlgorithm, verdict: TreeVerdict) -> None:
    """Print the tree with our search, and the leaves that the function visited."""
    from adsearch.pictures.tree_drawing import as_text
    from adsearch.pictures.tree_picture import search_tree

    ours = verdict.ours
    if verdict.leaves:
        print(f"\n{_name(verdict)}, as {subject.name} searches it:\n")
        print(as_text(search_tree(ours.state, ours.trace, ours.result)))
        print(f"\nvisited    {_listed([leaf[-1] for leaf in verdict.leaves])}")
        print(f"expected   {_listed([leaf[-1] for leaf in ours.leaves])}")
    print(f"{'' if verdict.leaves else chr(10)}{printable(verdict.difference)}")
    for line in verdict.answer.traceback:
        print(f"  {printable(line)}")


def _listed(leaves: Sequence[str]) -> str:
    more = f" ... ({len(leaves)} in total)" if len(leaves) > _MOST_SHOWN else ""
    return (" ".join(leaves[:_MOST_SHOWN]) or "nothing") + more
