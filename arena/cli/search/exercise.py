"""`arena course exercise`: makes exercises on paper, such as a tree to search by hand, with their answer keys."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.terminal.files import check_folder, read_file, write_file


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
    from arena.errors import ArenaError

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
    from arena.course.lecture import class_sheets

    known = rosters.read(*read_file(roster, "a roster"))
    # A large number, so that no student finds it by trying.
    chosen = randbelow(10**15) if seed is None else seed
    class_sheets.check(out)
    class_sheets.write(class_sheets.files(kind, known, seed=chosen, depth=depth, width=branching), out)
    count = len(known.students)
    print(f"{out}: {count} sheet{'s' * (count != 1)}, their keys, and {class_sheets.INDEX} with all answers")
    if seed is None:
        print(f"to make the same exercises again: --seed {chosen} (keep it secret: it makes the keys)", file=sys.stderr)
