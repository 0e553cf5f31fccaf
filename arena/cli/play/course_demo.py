"""`arena demo --course`: writes a course to try, and gives every command of its instructor.

The commands are given as a user types them, each in a process of its own, and are printed first. They can all be given
again: after an interruption the same demo continues.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from adsearch.errors import quote
from arena.cli.terminal.wrapping import wrapped
from arena.errors import ArenaError


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the instructor."""

    why: str
    arguments: tuple[str, ...]
    to: str = ""
    """The file into which the output is redirected, if any."""

    def __str__(self) -> str:
        return shlex.join(("arena", *self.arguments)) + (f" > {self.to}" if self.to else "")


STEPS: Final = (
    Step(
        "Collect the submissions from three learning systems: each is matched with a student and checked.",
        ("course", "collect", "cs101.toml", "moodle.zip", "canvas.zip", "blackboard"),
    ),
    Step(
        "Who copied? The page shows similar sources side by side.",
        ("course", "similar", "cs101.toml", "--html", "similar.html"),
    ),
    Step("Play the tournament.", ("run", "cs101.toml")),
    Step("Which grades are still undecided?", ("course", "grades", "cs101.toml", "--preview")),
    Step(
        "The grades, in the columns that a learning system imports.",
        ("course", "grades", "cs101.toml", "--columns", "id,Grade=marks,Why=marks_why"),
        to="grades.csv",
    ),
    Step(
        "For each student, a private page that says why games were lost.",
        ("course", "feedback", "cs101.toml", "feedback"),
    ),
    Step("The public web page: students are shown by alias.", ("course", "report", "cs101.toml", "site")),
)
RESULTS: Final = (
    ("site/index.html", "the public page: standings, crosstable and all games"),
    ("feedback/finch/index.html", "what one student gets; feedback/mail.csv is for mail merge"),
    ("similar.html", "similar sources, side by side"),
    ("grades.csv", "a line for each student"),
)
"""What the commands wrote: each file, and what it is."""

Give = Callable[[Step, Path], int]
"""Gives the command of a step in a folder; returns its exit code."""


def play_course(folder: Path, *, give: Give | None = None) -> None:
    """Writes the course into `folder`, or continues the course there, and gives all commands in that folder."""
    from arena.course.example import example_course

    if example_course.is_there(folder):
        print(f"{folder} is there already: the demo continues in it.")
    elif folder.exists():
        raise ArenaError(
            f"{quote(str(folder))} already exists: name a new folder, such as arena demo --course my-course"
        )
    else:
        example_course.write(folder, example_course.languages_here())
        print(
            wrapped(f"{folder} is a new folder: a course of 45 students with 40 submissions; README.txt explains it.")
        )
    print(f"{len(STEPS)} commands follow. Together they take about two minutes on two processor cores.")
    print(f"\n$ cd {shlex.quote(str(folder))}")
    if os.environ.get("ARENA_DB"):
        print("$ unset ARENA_DB")
    began = time.monotonic()
    for number, step in enumerate(STEPS, 1):
        print(f"\n{wrapped(f'# {number} of {len(STEPS)}: {step.why}', more='# ')}\n$ {step}", flush=True)
        _check(give(step, folder) if give else _give(step, folder), folder)
    print(f"\nThe demo is over; it took {time.monotonic() - began:.0f} s. Now look at:")
    for file, what in RESULTS:
        print(f"  {folder / file}\n      {what}")
    print(f"Delete {folder} when you have seen enough; the demo changed nothing else.")


def _give(step: Step, folder: Path) -> int:
    """Gives the command in a process of its own; after Ctrl-C waits for its end, and returns 130."""
    environment = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
    with (
        _counting_ctrl_c() as pressed,
        open(folder / step.to if step.to else os.devnull, "w", encoding="utf-8") as file,
    ):
        # -P: a file in the folder cannot be imported in place of a module.
        code = subprocess.run(
            [sys.executable, "-P", "-m", "arena", *step.arguments],
            cwd=folder,
            env=environment,
            stdout=file if step.to else None,
            check=False,
        ).returncode
    return 130 if pressed else code


@contextmanager
def _counting_ctrl_c() -> Iterator[list[int]]:
    """Inside, Ctrl-C is only noted, because the terminal also sends it to the command, which decides what to finish."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _check(code: int, folder: Path) -> None:
    """Ends the demo if a command did not end well."""
    again = f"arena demo --course {shlex.quote(str(folder))}"
    if code == 130:
        print(f"\nThe demo was interrupted; to continue: {again}", file=sys.stderr)
        raise typer.Exit(130)
    if code:
        raise ArenaError(f"the command above ended with exit code {code}; when its problem is solved: {again}")
