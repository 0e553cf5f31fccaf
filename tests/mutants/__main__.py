"""`python -m tests.mutants`, or `make mutants`: draws small wrong changes and shows which tests find them.

Results are kept in build/mutants/results, with what pytest printed, and used again as long as the sources, the tests
and the options stay the same. So after Ctrl-C the same command continues.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from tests.kit.places import ROOT
from tests.mutants import recorder
from tests.mutants.changes import Change, changes
from tests.mutants.trial import Copy, Mutant, Outcome, attempt

ROOMS: Final = ("arena/match", "arena/ratings", "arena/tournament", "arena/players", "arena/walls", "db", "adsearch")
_RESULTS: Final = recorder.FOLDER / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Measures the power of the tests.")
    parser.add_argument("--number", type=positive_number, default=60, help="number of mutants (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw (default 1)")
    parser.add_argument("--tests", nargs="*", default=[], help="test files and folders (default: the whole suite)")
    parser.add_argument("--record", action="store_true", help="record again which tests execute which lines")
    parser.add_argument("--seconds", type=positive_number, default=300, help="limit per mutant and part (default 300)")
    parser.add_argument("--processes", type=positive_number, default=2, help="number of processes (default 2)")
    options = parser.parse_args()
    for test in options.tests:
        if not (ROOT / test.partition("::")[0]).exists():
            parser.error(f"--tests: no file or folder {test!r}")
    if options.record or not recorder.is_recorded(options.tests):
        recorder.record(options.tests, processes=options.processes)
    recording = recorder.Recording()
    reasons = _reasons()
    mutants: list[Mutant] = []
    table: list[str] = []
    for place, room in enumerate(ROOMS):
        left = options.number // len(ROOMS) + (place < options.number % len(ROOMS))
        drawn = draw(room, recording, random.Random(f"{options.seed} {room}"))
        while left and (mutant := next(drawn, None)):
            if reason := reasons.get(mutant.change.identity):
                table.append(f"{_shown(mutant)}: set aside: {reason}")
            else:
                mutants.append(mutant)
                left -= 1
    outcomes = _try_all(mutants, recording, options)
    table += [_line(mutant, outcome, recording) for mutant, outcome in outcomes.items()]
    report = "\n".join([*table, "", *_summary(outcomes)])
    (recorder.FOLDER / "report.txt").write_text(f"{report}\n", "utf-8")
    print(f"\n{report}")


def positive_number(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


def _reasons() -> dict[tuple[str, str, str], str]:
    """Why changes are equivalent."""
    rows = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text("utf-8")).get("equivalent", [])
    return {(row["function"], row["line"], row["change"]): row["reason"] for row in rows}


def draw(room: str, recording: recorder.Recording, dice: random.Random) -> Iterator[Mutant]:
    """Mutants of the room that some test executes, at most one per line, in random order."""
    places: dict[tuple[str, int, str], list[Change]] = {}
    for path in sorted((ROOT / room).rglob("*.py")):
        for change in changes(path.read_text("utf-8")):
            places.setdefault((path.relative_to(ROOT).as_posix(), change.first, change.text), []).append(change)
    for module, first, text in dice.sample(list(places), len(places)):
        change = dice.choice(places[module, first, text])
        tests = recording.tests(module, range(change.first, change.last + 1), on_import=change.runs_on_import)
        if tests:
            costly = tests & recording.costly
            yield Mutant(room, module, change, tuple(sorted(tests - costly)), tuple(sorted(costly)))


def _try_all(
    mutants: list[Mutant], recording: recorder.Recording, options: argparse.Namespace
) -> Mapping[Mutant, Outcome]:
    """Tries the mutants that have no result yet, as many at a time as there are processes."""
    _RESULTS.mkdir(parents=True, exist_ok=True)
    conditions = [recorder.tree(), *options.tests, str(options.seconds)]
    copies = SimpleQueue[Copy]()

    def outcome(mutant: Mutant) -> Outcome:
        identity = "\0".join([*conditions, mutant.module, *mutant.change.identity])
        result = _RESULTS / f"{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json"
        if not result.exists():
            copy = copies.get()
            try:
                found = attempt(mutant, copy, recording.seconds, most=options.seconds, log=result.with_suffix(".log"))
            finally:
                copies.put(copy)
            result.write_bytes(msgspec.json.encode(found))
        return msgspec.json.decode(result.read_bytes(), type=Outcome)

    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(options.processes) as pool:
        os.chmod(folder, 0o755)  # some tests run programs as an ordinary user
        made = [Copy(Path(folder) / str(number)) for number in range(options.processes)]
        for copy in made:
            copies.put(copy)
        tried = {pool.submit(outcome, mutant): mutant for mutant in mutants}
        try:
            for done in as_completed(tried):
                print(_line(tried[done], done.result(), recording), flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in made:
                copy.stop()
            raise
        return {mutant: future.result() for future, mutant in tried.items()}


def _shown(mutant: Mutant) -> str:
    module = mutant.module.removeprefix(f"{mutant.room}/").removesuffix(".py")
    change = mutant.change
    return f"{mutant.room:<16} {module}:{change.function}: {change.what} in `{change.text}`"


def _line(mutant: Mutant, outcome: Outcome, recording: recorder.Recording) -> str:
    by = {"quick": "found by quick", "costly": "found by costly only", "none": "NOT FOUND"}[outcome.by]
    test = f" ({outcome.test}, {recording.seconds[outcome.test]:.2f} s)" if outcome.test else ""
    return f"{_shown(mutant)}: {by}{test}{f'; ran {outcome.note}' if outcome.note else ''}"


def _summary(outcomes: Mapping[Mutant, Outcome]) -> Iterator[str]:
    for room in (*ROOMS, "all"):
        by = Counter(outcome.by for mutant, outcome in outcomes.items() if room in (mutant.room, "all"))
        both = by["quick"] + by["costly"]
        share = f" ({by['quick'] / both:.0%})" if both else ""
        yield f"{room:<16} quick finds {by['quick']} of {both}{share} of what both find; {by['none']} found by none"


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
