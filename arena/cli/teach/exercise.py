"""`arena exercise`: a tree to be searched by hand, with its key."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.terminal.files import check_folder, write_file


def exercise(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="minimax, alphabeta, expectiminimax, star1, bounds or maxn."),
    ],
    seed: Annotated[
        int | None, typer.Option(min=0, help="Which tree: the same seed, the same tree. Usual: one that is drawn now.")
    ] = None,
    depth: Annotated[int | None, typer.Option(min=2, max=6, help="How many plies deep it is.")] = None,
    branching: Annotated[int | None, typer.Option(min=2, max=6, help="How many children each node has.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the sheet into an SVG file.")] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="Draw the key into an SVG file.")
    ] = None,
    tree: Annotated[
        Path | None, typer.Option("--tree", metavar="FILE", help="Write the tree itself, for `tree:file=FILE`.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the sheet (the default where no file is named).")] = False,
    key: Annotated[bool, typer.Option("--key", help="Print the key.")] = False,
) -> None:
    """A tree to search by hand: a sheet with the task and room for the answers, and a key.

    minimax and maxn ask for values, alphabeta for cut-offs too. expectiminimax
    has chance; star1 asks what a chance node need not look at when it is known
    how little and how much a leaf can be worth, bounds when only how little is.
    In every tree there is one right answer.

    Example: arena exercise alphabeta --seed 7 --svg sheet.svg --answers key.svg

    Example: arena exercise minimax --seed 3 --key
    """
    from secrets import randbelow

    from arena.course.lecture import exercise as exercises
    from arena.course.lecture import exercise_sheet

    for path in (svg, answers, tree):
        check_folder(path)
    chosen = randbelow(10_000) if seed is None else seed
    made = exercises.make(kind, seed=chosen, depth=depth, width=branching)
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
        print(f"the same tree again: --seed {chosen}", file=sys.stderr)
