"""Marks for a course: the table [marks] of a description, and what an agent's results are worth by it.

Pure. Marks are a sum of numbers of the table, so nothing is rounded; they are at least 0 and at most `most`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from arena.course.grading.grades import Results
from arena.ratings.grades import Against, Bar
from arena.tournament.description import Table, shown

MARKS_KEYS: Final = ("plays", "fault", "most_faults", "late_day", "most_late", "most", "scale", "bars")
BAR_KEYS: Final = ("agent", "marks")
NOT_ENTERED: Final = "not entered"
"""The status of a student without an agent in the tournament."""
_MOST: Final = 100
"""Default of `most`."""
_LARGEST: Final = 1_000_000


class Marks(Struct, frozen=True, kw_only=True):
    """What the table [marks] says. Deductions are 0 or negative."""

    plays: float = 0.0
    """For an agent that played a game."""
    fault: float = 0.0
    """For each game lost by a fault."""
    most_faults: float | None = None
    """Limit of the deduction for faults."""
    late_day: float = 0.0
    """For each day late."""
    most_late: float | None = None
    """Limit of the deduction for being late."""
    most: float = _MOST
    """The largest number of marks."""
    scale: Mapping[str, float] = {}
    """Grades, each with the marks that it needs, highest first. Empty, or one of them needs 0 marks."""
    bars: Mapping[str, str] = {}
    """The agent of each bar."""
    bar_marks: Mapping[str, float] = {}
    """For being better than each bar."""

    def grade(self, marks: float) -> str | None:
        """The grade for these marks; None without a scale."""
        return next((grade for grade, least in self.scale.items() if marks >= least), None)


def read(table: Table) -> Marks:
    """The table [marks]; BadLeague says what is wrong in it."""
    table.only(MARKS_KEYS)
    most = _award(table, "most", _MOST)
    every = table.table("bars")
    bars = {title: every.table(title) for title in table.value("bars") or ()}
    for bar in bars.values():
        bar.only(BAR_KEYS)
    return Marks(
        plays=_award(table, "plays", 0.0),
        fault=_deduction(table, "fault") or 0.0,
        most_faults=_deduction(table, "most_faults"),
        late_day=_deduction(table, "late_day") or 0.0,
        most_late=_deduction(table, "most_late"),
        most=most,
        scale=_scale(table, most),
        bars={title: bar.text("agent") for title, bar in bars.items()},
        bar_marks={title: _award(bar, "marks", 0.0) for title, bar in bars.items()},
    )


def marked(scheme: Marks, results: Results) -> tuple[float, str]:
    """The marks for these results, and their explanation: "plays 40, better than random 20, 3 faults -6"."""
    parts = [("plays", scheme.plays) if results.played else ("played no game", 0.0)]
    for title, agent in scheme.bars.items():
        worth = scheme.bar_marks.get(title, 0.0)
        match results.bars.get(title):
            case Against.BETTER:
                parts.append((f"better than {agent}", worth))
            case Against.NOT_BETTER:
                parts.append((f"not better than {agent}", 0.0))
            case Against.UNDECIDED:
                parts.append((f"undecided against {agent}", 0.0))
    parts += _deducted(results.faults, "fault", scheme.fault, scheme.most_faults)
    parts += _deducted(results.late_days, "day", scheme.late_day, scheme.most_late, " late")
    total = round(sum(value for _, value in parts), 6)
    limited = min(max(total, 0.0), scheme.most)
    why = ", ".join(f"{what} {written(value)}" for what, value in parts)
    limit = "" if limited == total else f" (at {'least 0' if total < 0.0 else f'most {written(scheme.most)}'})"
    return limited, why + limit


def columns(scheme: Marks, results: Results | None) -> dict[str, Any]:
    """The columns of a list: the marks for these results, why, and with a scale the grade. `results`: None if the
    student is not entered, and so has 0 marks."""
    marks, why = (0.0, NOT_ENTERED) if results is None else marked(scheme, results)
    grade = {"grade": scheme.grade(marks)} if scheme.scale else {}
    return {"marks": int(marks) if marks == int(marks) else marks, **grade, "marks_why": why}


def written(value: float) -> str:
    """A number without trailing zeros."""
    return f"{value:.10g}"


def _deducted(times: int, what: str, each: float, most: float | None, ending: str = "") -> list[tuple[str, float]]:
    """The deduction for something that happened `times`; empty if it costs nothing."""
    if not times or not each:
        return []
    value = times * each if most is None else max(times * each, most)
    return [(f"{times} {what}{'s' if times != 1 else ''}{ending}", value)]


def _award(table: Table, key: str, default: float) -> float:
    """A number of marks to be gained."""
    value = table.number(key)
    if value is not None and not 0.0 <= value <= _LARGEST:
        table.fail(f"expected a number of marks from 0 to {_LARGEST}, got {shown(table.value(key))}", key)
    return default if value is None else value


def _deduction(table: Table, key: str) -> float | None:
    """A number of marks to be lost: 0 or negative; None if it is absent."""
    value = table.number(key)
    if value is not None and not -_LARGEST <= value <= 0.0:
        table.fail(f"expected a deduction, a number from -{_LARGEST} to 0, got {shown(table.value(key))}", key)
    return value


def _scale(table: Table, most: float) -> dict[str, float]:
    """The grades, highest first."""
    grades = table.table("scale")
    needed = {grade: _award(grades, grade, 0.0) for grade in table.value("scale") or ()}
    if not needed:
        return {}
    by_marks = dict(sorted(needed.items(), key=lambda one: -one[1]))
    values = list(by_marks.values())
    if len(set(values)) < len(values):
        table.fail("expected different marks for each grade", "scale")
    if values[-1] != 0.0:
        table.fail("expected one grade that needs 0 marks, such as F = 0", "scale")
    if values[0] > most:
        table.fail(f"expected grades that need at most {written(most)} marks, got {written(values[0])}", "scale")
    return by_marks


# A preview of grades: which are undecided, and what the next round would change if it went as the ratings predict.


def preview(
    agents: Iterable[str],
    bars: Mapping[str, Mapping[str, Bar]],
    results: Mapping[str, Results],
    scheme: Marks | None,
    *,
    out: Collection[str] = (),
) -> list[dict[str, Any]]:
    """A row for each of the agents with an undecided bar; with a `scheme`, also the marks now, at most, and next.

    `out`: agents that play no more games, so that their bars stay undecided."""
    rows = []
    for agent in agents:
        undecided = {title: bar for title, bar in bars.get(agent, {}).items() if bar.stands is Against.UNDECIDED}
        if agent in out:
            undecided = {title: replace(bar, next=bar.stands, more=None) for title, bar in undecided.items()}
        if undecided:
            listed = [{"bar": title, "more": bar.more, "next": str(bar.next)} for title, bar in undecided.items()]
            marks = {} if scheme is None else _marks(scheme, results[agent], undecided)
            rows.append({"agent": agent, **marks, "undecided": listed})
    return rows


def _marks(scheme: Marks, now: Results, undecided: Mapping[str, Bar]) -> dict[str, Any]:
    """The columns of marks: as they are, if all bars were decided for the agent, and after the next round."""
    best = replace(now, bars={**now.bars, **dict.fromkeys(undecided, Against.BETTER)})
    later = replace(now, bars={**now.bars, **{title: bar.next for title, bar in undecided.items()}})
    return {
        f"{title}{ending}": value
        for ending, results in (("", now), ("_most", best), ("_next", later))
        for title, value in columns(scheme, results).items()
        if title != "marks_why"
    }
