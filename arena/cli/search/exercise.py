"""`arena course exercise` and `judge`: exercises on paper with their answer keys, and a student's search function,
compared with our own.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from adsearch.errors import nearly, quote
from arena.cli.asking.game_options import WallsOption
from arena.cli.terminal.files import check_folder, read_file, write_file
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show, show_json
from arena.errors import ArenaError, BadPlayer
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


def exercise(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="Kind: minimax, alphabeta, window, right-to-left, negascout, expectiminimax, star1, bounds, maxn, "
            "ucb1, proof or errors.",
        ),
    ],
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed: the same seed makes the same exercise.", show_default="random"),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=2, max=6, help="Depth in plies.", show_default="by KIND")
    ] = None,
    branching: Annotated[
        int | None, typer.Option(metavar="N", min=2, max=6, help="Children of each node.", show_default="by KIND")
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="SVG file for the exercise sheet.")] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="SVG file for the answer key.")
    ] = None,
    tree: Annotated[
        Path | None, typer.Option("--tree", metavar="FILE", help="JSON file for the tree, for the game tree:file=FILE.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Sheet as text (the default without a file or --key).")] = False,
    key: Annotated[bool, typer.Option("--key", help="Answer key as text.")] = False,
    roster: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="Roster (columns id, name, group, alias): a sheet for each student."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="New folder for the files of --roster.")
    ] = None,
) -> None:
    """Create an exercise on paper, such as a tree to search by hand, with the task and an answer key.

    minimax and maxn ask for the values of nodes, alphabeta also for cut-offs, window for alpha-beta with a given
    window, right-to-left for alpha-beta from the last child to the first, negascout for the nodes that NegaScout
    searches again, expectiminimax for values with chance nodes. star1 asks for the cut-offs at chance nodes if the
    lowest and highest leaf values are known, bounds if only the lowest is known. ucb1 asks which child Monte Carlo
    tree search chooses, proof for proof numbers, errors for the wrong line of a program. Each exercise has exactly one
    right answer.

    With --roster, each student has an exercise, which depends on the seed and on the alias. FOLDER has the sheets, the
    keys, both as one page to print (sheets.html, keys.html), and index.csv with all answers. Keep the seed secret:
    it makes the keys.

    Example: arena course exercise alphabeta --seed 7 --svg sheet.svg --answers key.svg

    Example: arena course exercise errors --seed 3 --key

    Example: arena course exercise alphabeta --roster roster.csv --out week-3
    """
    from secrets import randbelow

    from arena.course.lecture import exercise_sheet, kinds

    if roster is not None or out is not None:
        if roster is None or out is None:
            missing, given = ("--roster FILE.csv", "--out") if roster is None else ("--out FOLDER", "--roster")
            raise ArenaError(f"{given} needs {missing} too")
        if text or key or svg or answers or tree:
            raise ArenaError(
                "with --roster every sheet and key is a file: leave out --text, --key, --svg, --answers, --tree"
            )
        _for_class(kind, roster, out, seed=seed, depth=depth, branching=branching)
        return
    check_folder(svg, answers, tree)
    chosen = randbelow(10_000) if seed is None else seed
    made = kinds.make(kind, seed=chosen, depth=depth, width=branching)
    if tree and made.description is None:
        raise ArenaError(f"the exercise {kind} has no tree to write: leave out --tree")
    if text or not (svg or answers or tree or key):
        print(exercise_sheet.as_text(made, solved=False))
    if key:
        print(exercise_sheet.as_text(made, solved=True))
    if svg:
        write_file(svg, exercise_sheet.drawn(made, solved=False))
    if answers:
        write_file(answers, exercise_sheet.drawn(made, solved=True))
    if tree:
        write_file(tree, json.dumps(made.description, indent=1) + "\n")
    if seed is None:
        print(f"to make the same exercise again: --seed {chosen}", file=sys.stderr)


def _for_class(
    kind: str, roster: str, out: Path, *, seed: int | None, depth: int | None, branching: int | None
) -> None:
    """Write a sheet and a key for each student of the roster."""
    from secrets import randbelow

    from arena.course import roster as rosters
    from arena.course.lecture import exercise_sheet

    known = rosters.read(*read_file(roster, "a roster"))
    # A large number, so that no student finds it by trying.
    chosen = randbelow(10**15) if seed is None else seed
    exercise_sheet.check_folder(out)
    exercise_sheet.write_class(exercise_sheet.class_files(kind, known, seed=chosen, depth=depth, width=branching), out)
    count = len(known.students)
    print(f"{out}: {count} sheet{'s' * (count != 1)}, their keys, and {exercise_sheet.INDEX} with all answers")
    if seed is None:
        print(f"to make the same exercises again: --seed {chosen} (keep it secret: it makes the keys)", file=sys.stderr)


# `arena course judge`: compares a student's search function with ours on the same trees, and gives points.


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
        print(f"the function cannot be judged: {printable(judged.unloaded)}")
        for line in judged.verdicts[0].answer.traceback:
            print(f"  {printable(line)}")
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
