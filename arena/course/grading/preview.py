"""A preview of grades: which are undecided, and what the next round would change if it went as the ratings predict.

Pure. The next round is every pairing so far once more. It leaves ratings as they are and makes their errors smaller;
nobody is expected to make a fault in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from arena.course.grading.marks import Marks, columns
from arena.course.grading.results import Results
from arena.ratings.grades import Against, Bar


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
