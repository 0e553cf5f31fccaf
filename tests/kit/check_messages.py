"""All messages of `arena check` in one file: check_messages.txt, one paragraph per case, sorted by name.

    python -m tests.kit.check_messages        writes the file again, and check_faults.json

check_faults.json records how each confined agent lost, because the test suite examines only one of each family. Folders
and times, which depend on the machine, are replaced.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final
from unittest import mock

import msgspec
from msgspec import Struct

from agents.protocol import Verdict
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.match.clock import MILLISECOND, SECOND
from arena.match.conditions import Conditions, Limits
from arena.match.schedule import Finished
from arena.student.checking import CheckReport, Exam, Light, agent_lookup, explanations
from arena.student.checking.check_maker import Candidate, Examiner
from arena.student.checking.explanations import Explanation, Failure, explain
from arena.walls.run_folder import RunFolder
from tests.attacks import ATTACKS
from tests.attacks.attack_run import AttackRun
from tests.bad_agents import OVER_STDIO, OVER_ZEROMQ
from tests.kit.broken_submissions import BEHIND_WALLS, HOSTED, NO_FILES, Broken
from tests.kit.hosted_agent import failure_of, stored
from tests.kit.places import ROOT

FILE: Final = Path(__file__).with_suffix(".txt")
FAULTS: Final = FILE.with_name("check_faults.json")
_REPLACED: Final = (
    (re.escape(str(ROOT)), ""),
    (r"(?<=[\s('\"])/(?:[^\s/'\"]+/)+", ""),
    (r"\d+\.\d+ s\b", "N s"),
    (r"\(and in \d+ of \d+ other positions\)", "(and in N of N other positions)"),
    (r"child \d+", "child N"),
    (r"repeated \d+ more times", "repeated N more times"),
    (r"\"id\": \"\w+", '"id": "...'),
    (r"at move \d+ the agent played \w+ the first time and \w+", "at move N the agent played M the first time and M"),
)


def plain(text: str) -> str:
    """`text` with everything that depends on the machine replaced."""
    for pattern, instead in _REPLACED:
        text = re.sub(pattern, instead, text)
    return text


def of_explanation(why: Explanation | None) -> str:
    """The message, one line for each part."""
    if why is None:
        return "good"
    lines = [why.message, *(f"{what}: {words}" for what, words in _parts(why) if words)]
    return plain("\n".join([*lines, *(f"| {line}" for line in why.stderr.splitlines())]))


def _parts(why: Explanation) -> Sequence[tuple[str, str]]:
    return (("advice", why.advice), ("expected", why.expected), ("got", why.got))


def of_checked(checked: CheckReport) -> str:
    """The message of the worst step of a whole check."""
    step = checked.worst
    if step is None:
        return "good"
    why = Explanation(f"[{step.name}] {step.message}", step.advice, step.expected, step.got, step.stderr)
    told = of_explanation(why)
    return told if checked.light is Light.FAILED else f"{checked.light}: {told}"


def of_file(broken: Broken, folder: Path) -> str:
    """The message for a submission that cannot be run, or that is hosted in this process."""
    text = broken.lay_out(folder / "handed-in")
    found = agent_lookup.find(text)
    if isinstance(found, Explanation):
        return of_explanation(found)
    if warning := agent_lookup.name_warning(found):
        return f"warning: {warning}"
    alone = stored(folder) / Path(text.partition(":")[0]).name
    alone.write_bytes(Path(text.partition(":")[0]).read_bytes())
    failure = failure_of(f"{alone}{text[text.find('.py') + 3 :]}")
    if failure is None:
        return "good"
    why = explain(failure)
    return of_explanation(replace(why, advice=agent_lookup.neighbour_advice(found, why.message) or why.advice))


def behind_walls(folder: Path, broken: Sequence[Broken] = BEHIND_WALLS) -> Mapping[str, str]:
    """The messages for these submissions after a whole check, by name."""
    told = {}
    groups: dict[tuple[str, bool, tuple[str, ...] | None], list[Broken]] = {}
    for each in broken:
        groups.setdefault((each.game, each.hangs, each.modules), []).append(each)
    for (game, hangs, modules), group in groups.items():
        conditions = Exam(
            game=game,
            conditions=Conditions(
                clock="0.4" if hangs else "60",
                modules=modules,
                walls=WallKind.SANDBOX,
                limits=Limits(ready=500 * MILLISECOND) if hangs else Limits(),
                allowance=Allowance(memory=256 * MEBIBYTE, start=2 * SECOND if hangs else None),
            ),
            positions=3,
        )
        with RunFolder() as run, Examiner(conditions, run, at_once=3) as examiner:
            candidates = []
            for each in group:
                own = folder / each.name.replace(" ", "-")
                own.mkdir()
                candidates.append(Candidate("", each.lay_out(own)))
            for place, checked in examiner.each(candidates):
                told[group[place].name] = of_checked(checked)
    return told


class Lost(Struct, frozen=True):
    """How an agent lost: the input of `explain`."""

    verdict: Verdict
    detail: str
    stderr: str
    python: bool
    asked: bool
    code: dict[str, str]
    """The lines of its files that `explain` read, by file and number."""

    def failure(self) -> Failure:
        """The input of `explain`."""
        code = self.code
        return Failure(
            self.verdict,
            self.detail,
            self.stderr,
            python=self.python,
            asked=self.asked,
            source_line=lambda file, line: code.get(f"{file}:{line}", ""),
        )


def lost() -> dict[str, Lost]:
    """How the confined agents lost, by name; agents that did not lose are not included."""
    return msgspec.json.decode(FAULTS.read_bytes(), type=dict[str, Lost])


def _losing(folder: Path, broken: Broken) -> Lost | None:
    """How the agent loses in a whole check."""
    found: list[Lost] = []

    def noted(failure: Failure) -> Explanation:
        code: dict[str, str] = {}

        def line(file: str, number: int) -> str:
            return code.setdefault(f"{file}:{number}", failure.source_line(file, number))

        why = explain(replace(failure, source_line=line))
        lost = Lost(
            failure.verdict,
            failure.detail,
            failure.stderr,
            python=failure.python,
            asked=failure.asked,
            code=code,
        )
        found.append(lost)
        return why

    with mock.patch.object(explanations, "explain", noted):
        told = behind_walls(folder, [broken])[broken.name]
    return next((one for one in found if is_message_of(one, told)), None)


def is_message_of(one: Lost, message: str) -> bool:
    """Whether `message`, from a whole check, is the message for this loss; a check adds the step and the count."""
    first, *others = of_explanation(explain(one.failure())).splitlines()
    of_check, *of_others = message.splitlines()
    return first in of_check and others == of_others


def write_faults() -> None:
    """Writes check_faults.json."""
    found = {}
    for broken in BEHIND_WALLS:
        with tempfile.TemporaryDirectory() as folder:
            if one := _losing(Path(folder), broken):
                found[str(broken)] = one
    text = msgspec.json.format(msgspec.json.encode(found), indent=1).decode()
    for place, instead in ((sys.base_prefix, "/usr"), (str(ROOT), "/home/arena-referee")):
        text = text.replace(place, instead)
    FAULTS.write_text(text + "\n", "utf-8")


def of_verdict(verdict: str, detail: str, stderr: str, *, python: bool) -> str:
    """The message for a game with this end."""
    if verdict in (Verdict.NORMAL, Verdict.ADJUDICATED):
        return "good"
    if verdict == Verdict.VOID and detail.startswith("used "):
        verdict = Verdict.TIME
    return of_explanation(explain(Failure(Verdict(verdict), detail, stderr, python=python)))


def of_bad_agents(finished: Iterable[Finished]) -> dict[str, str]:
    """The message for each misbehaving agent that speaks the protocol itself; games are numbered like these agents."""
    last = {event.game.number: event.record for event in finished}
    told = {}
    for number, agent in enumerate((*OVER_STDIO, *OVER_ZEROMQ), 1):
        record = last[number]
        detail = record.detail.removeprefix(f"{agent}: ").removeprefix(f"{agent} ").removeprefix(f"{agent}, ply 1: ")
        stderr = (record.seats[0].stderr or "") if agent.at_fault else ""
        told[f"{agent.transport}: {agent}"] = of_verdict(record.verdict, detail, stderr, python=False)
    return told


def of_attacks(spent: AttackRun) -> dict[str, str]:
    """The message for each attack in a sandbox; if it can end in several ways, the verdict is part of the name."""
    last = {played.name: played for played in spent.played}
    told = {}
    for attack in ATTACKS:
        played = last[attack.name]
        several = len(attack.may_end_in(WallKind.SANDBOX)) > 1
        name = f"attack: {attack} ({played.verdict})" if several else f"attack: {attack}"
        detail = played.detail.removeprefix(f"{attack}: ").removeprefix(f"{attack} ")
        stderr = played.stderr if played.fault == 0 else ""
        told[name] = of_verdict(played.verdict, detail, stderr, python=attack.way != "bare")
    return told


def recorded() -> dict[str, str]:
    """The messages of the file, by the name of the case."""
    found = {}
    for paragraph in FILE.read_text("utf-8").split("\n\n"):
        name, _, words = paragraph.strip().partition("\n")
        if name:
            found[name.removeprefix("== ")] = words
    return found


def write(messages: Mapping[str, str]) -> None:
    """Writes the file."""
    paragraphs = [f"== {name}\n{words}" for name, words in sorted(messages.items())]
    FILE.write_text("\n\n".join(paragraphs) + "\n", "utf-8")


def main() -> None:
    """Makes all messages again."""
    from tests.arena.play import test_bad_agents
    from tests.attacks import attack_run

    messages: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as base:
        for number, broken in enumerate((*NO_FILES, *HOSTED)):
            messages[f"file: {broken}"] = of_file(broken, Path(base, str(number)))
        walled = Path(base, "walled")
        walled.mkdir()
        messages |= {f"walls: {name}": told for name, told in behind_walls(walled).items()}
    messages |= of_bad_agents(test_bad_agents.play())
    messages |= of_attacks(attack_run.run_attacks(WallKind.SANDBOX))
    write(messages)
    write_faults()


if __name__ == "__main__":
    main()
