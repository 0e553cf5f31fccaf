"""Runs a benchmark in this checkout and in another one, in turn, and prints medians and their ratio.

    python benchmarks/interleaved.py OTHER_CHECKOUT benchmarks/tournament.py games
    python benchmarks/interleaved.py --rounds 7 OTHER_CHECKOUT benchmarks/referee.py ply

Each run uses one checkout's own Python (.venv/bin/python) and packages, but always this checkout's benchmarks. Run
`make .venv/ready` in the other checkout first. The machine's speed changes from minute to minute, so compare
two commits only in one such run: the ratio is the figure.

A line whose numbers are the same in all runs is printed as it is. The other lines are printed three times: medians of
the other checkout, medians of this one, and this one divided by the other. With --arrows they are printed once, with
"other → this" in place of each number, to be copied into a page.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from argparse import REMAINDER
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.arguments import Reader, positive

HERE: Final = Path(__file__).resolve().parents[1]
NUMBER: Final = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")


def run(checkout: Path, command: Sequence[str]) -> list[str]:
    """The lines that the benchmark prints with the packages of `checkout`."""
    # Both checkouts write bytecode. Otherwise every process compiles what has changed since it was last written.
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as first:
        # Before the packages of `checkout`, so that a benchmark finds the modules beside it in any case.
        Path(first, "benchmarks").symlink_to(HERE / "benchmarks")
        done = subprocess.run(
            [checkout / ".venv/bin/python", HERE / command[0], *command[1:]],
            cwd=checkout,
            env=environment | {"PYTHONPATH": first},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{command[0]} failed with the packages of {checkout} (exit code {done.returncode})")
    return done.stdout.splitlines()


def numbers(line: str) -> list[float]:
    """The numbers in a line. Digits at the end of a word, as in `p1`, are text."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(line)]


def filled(line: str, figures: Sequence[str]) -> str:
    """The line with other numbers, each as wide as before."""
    rest = iter(figures)
    return NUMBER.sub(lambda found: next(rest).rjust(len(found[0])), line)


def written(figure: float, like: str) -> str:
    """The figure with as many decimals as `like`."""
    decimals = len(like.partition(".")[2])
    return f"{figure:,.{decimals}f}" if "," in like else f"{figure:.{decimals}f}"


def compared(other: Sequence[Sequence[str]], this: Sequence[Sequence[str]], *, arrows: bool) -> list[str]:
    """The lines to print, from the lines of all runs. SystemExit if the runs did not print the same but for numbers."""
    shown = list[str]()
    for versions in zip(*other, *this, strict=True):
        if len({NUMBER.sub("#", line) for line in versions}) > 1:
            raise SystemExit("lines differ in more than numbers:\n  " + "\n  ".join(dict.fromkeys(versions)))
        columns = list(zip(*map(numbers, versions), strict=True))
        if all(len({*column}) == 1 for column in columns):
            shown.append(versions[0])
            continue
        texts = NUMBER.findall(versions[0])
        medians = [(statistics.median(each[: len(other)]), statistics.median(each[len(other) :])) for each in columns]
        fixed = [len({*column}) == 1 for column in columns]
        before = [written(old, text) for (old, _), text in zip(medians, texts, strict=True)]
        after = [written(new, text) for (_, new), text in zip(medians, texts, strict=True)]
        if arrows:
            pairs = zip(before, after, fixed, strict=True)
            shown.append(filled(versions[0], [old if same else f"{old} → {new}" for old, new, same in pairs]))
            continue
        ratios = [
            text if same else f"x{new / old:.2f}" if old else "-"
            for text, same, (old, new) in zip(texts, fixed, medians, strict=True)
        ]
        for who, figures in (("other", before), ("this", after), ("ratio", ratios)):
            shown.append(f"{who:6} {filled(versions[0], figures)}")
    return shown


def main() -> None:
    """Run, compare, print."""
    reader = Reader(__doc__)
    reader.add_argument("other", type=Path, help="the other checkout, with an environment in .venv")
    reader.add_argument("--rounds", type=positive, default=5, help="runs in each checkout (default 5)")
    reader.add_argument("--arrows", action="store_true", help="print each line once, with 'other → this'")
    reader.add_argument("command", nargs=REMAINDER, help="a script of this checkout, and its arguments")
    options = reader.parse_args()
    if not options.command or not (HERE / options.command[0]).is_file():
        reader.error(f"expected a script of {HERE}, such as benchmarks/tournament.py, got {options.command}")
    if not (options.other / ".venv/bin/python").is_file():
        reader.error(f"{options.other} has no environment: run `make .venv/ready` there")
    runs: dict[Path, list[list[str]]] = {options.other.resolve(): [], HERE: []}
    for number in range(options.rounds):
        for checkout, lines in runs.items():
            print(f"run {number + 1} of {options.rounds}: {checkout}", file=sys.stderr)
            lines.append(run(checkout, options.command))
    print(f"other: {options.other}; this: {HERE}; medians of {options.rounds} runs each")
    print("\n".join(compared(*runs.values(), arrows=options.arrows)))


if __name__ == "__main__":
    main()
