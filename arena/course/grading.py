"""`arena course grades`: from the results of agents to the marks of students.

Reading the record and computing from it are two steps, so that a reader of the database does not wait for a fit of
ratings. Games that a player forfeited without playing count for no mark and for no fault.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from adsearch.errors import meant, nearly, one_of, quote
from agents.protocol import Verdict
from arena.course.course import Marks, written
from arena.course.roster import Roster, Student, folded
from arena.errors import BadRating, BadRoster
from arena.ratings import grades, points, ranking, systems
from arena.ratings.grades import Against, Bar, reasons
from arena.ratings.points import Order
from arena.tournament import collected_file, formats, standings
from db import ladder, lookup, rated_games, running, search
from db.database import Connection
from db.lookup import TournamentRow
from db.rated_games import Scope
from db.records import PastGame, RatedGame
from db.search import GameFilter

# The results of agents that marks depend on.


class AgentResults(Struct, frozen=True, kw_only=True):
    """The results of one agent that marks depend on."""

    played: bool
    """Whether it played a game; forfeited games are not played."""
    bars: Mapping[str, Against | None] = {}
    """The verdict of each bar; None if the agent is the bar, or has no rated game."""
    faults: int = 0
    """Number of games that it played and lost by a fault."""
    late_days: int = 0


def results_of(
    agents: Iterable[str],
    verdicts: Mapping[str, Mapping[str, Bar]],
    games: Sequence[RatedGame],
    faults: Sequence[PastGame],
    late: Mapping[str, int],
) -> dict[str, AgentResults]:
    """The results of each agent that marks depend on. `games`: all that give points."""
    played = [game for game in games if game.verdict != Verdict.FORFEIT]
    players = {player for game in played for player in game.names}
    at_fault = reasons(faults, {game.id for game in played})
    return {
        agent: AgentResults(
            played=agent in players,
            bars={title: bar.stands for title, bar in verdicts.get(agent, {}).items()},
            faults=len(at_fault.get(agent, ())),
            late_days=late.get(agent, 0),
        )
        for agent in agents
    }


def late_days(description: Path) -> dict[str, int]:
    """The days by which each collected agent was late; agents that were in time are left out."""
    found: dict[str, int] = {}
    for file in collected_file.named_in(description):
        collected, _ = collected_file.read(file)
        found |= {one.name: one.late_days for one in collected if one.late_days}
    return found


# What results are worth.


NOT_ENTERED: Final = "not entered"
"""The status of a student without an agent in the tournament."""


def marked(scheme: Marks, results: AgentResults) -> tuple[float, str]:
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


def columns(scheme: Marks, results: AgentResults | None) -> dict[str, Any]:
    """The columns of a list: the marks for these results, why, and with a scale the grade. `results`: None if the
    student is not entered, and so has 0 marks."""
    marks, why = (0.0, NOT_ENTERED) if results is None else marked(scheme, results)
    grade = {"grade": scheme.grade(marks)} if scheme.scale else {}
    return {"marks": int(marks) if marks == int(marks) else marks, **grade, "marks_why": why}


def _deducted(times: int, what: str, each: float, most: float | None, ending: str = "") -> list[tuple[str, float]]:
    """The deduction for something that happened `times`; empty if it costs nothing."""
    if not times or not each:
        return []
    value = times * each if most is None else max(times * each, most)
    return [(f"{times} {what}{'s' if times != 1 else ''}{ending}", value)]


# The grades of a tournament: what is read from the record, and the row of each agent.


_MOST: Final = 1_000_000
"""Largest number of faults that are read."""


class RecordedTournament(Struct, frozen=True, kw_only=True):
    """What grades are computed from."""

    about: TournamentRow
    games: Sequence[RatedGame]
    """Those that count for ratings."""
    for_points: Sequence[RatedGame]
    """Those that give points."""
    anchors: Mapping[str, float]
    entered: Mapping[str, str]
    """Each player with its status."""
    order: Order
    """How players with the same points are ordered."""
    byes: Mapping[str, float]
    faults: Sequence[PastGame]


class Graded(Struct, frozen=True, kw_only=True):
    """The grades."""

    rows: list[dict[str, Any]]
    statuses: Mapping[str, str]
    bars: Mapping[str, Mapping[str, Bar]]
    results: Mapping[str, AgentResults]
    is_over: bool
    """Whether the tournament is over; else these are not the last grades."""
    left: int
    """Number of games that are still to be played, as far as they are scheduled."""
    pools: int
    """Number of pools with no games between them."""
    rounds: bool
    """Whether the tournament can have more rounds."""
    repeated: int
    """Number of pairings that repeat an earlier one move for move."""


def recorded(connection: Connection, scope: Scope) -> RecordedTournament:
    """What the record says about the one tournament in `scope`; BadRating if it is a ladder."""
    (tournament,) = scope.tournaments
    name = lookup.tournament_name(connection, tournament)
    if running.format(connection, tournament) == ladder.FORMAT:
        raise BadRating(
            f"{name!r} is a ladder, in which agents meet different opponents; grade its final, with the command "
            f"that `arena ladder final` prints"
        )
    wanted = scope.wanted or GameFilter()
    games, for_points = rated_games.for_ratings_and_points(connection, scope)
    described = lookup.anchors(connection, scope.tournaments)
    entered = lookup.entry_statuses(connection, tournament)
    order = standings.order(connection, tournament)
    byes = lookup.byes(connection, tournament) if scope.wanted is None and scope.at is None else {}
    narrowed = replace(wanted, tournament=name, fault=search.ANYBODY, until=scope.at or wanted.until)
    faults = search.page(connection, narrowed, limit=_MOST)
    (row,) = lookup.tournaments(connection, tournament)
    names = {player for game in games for player in game.names}
    return RecordedTournament(
        about=row,
        games=games,
        for_points=for_points,
        anchors={player: rating for player, rating in described.items() if player in names},
        entered=entered,
        order=order,
        byes=byes,
        faults=faults,
    )


def graded(found: RecordedTournament, *, bars: Mapping[str, str], late: Mapping[str, int]) -> Graded:
    """The row of each agent. `bars`: the agent of each bar; `late`: the days by which each agent was late."""
    # One fit for both: anchors move all ratings together, and a bar depends on differences only.
    settings = ranking.RankingSettings(anchors=found.anchors)
    ranked, fit = systems.default(found.games).fitted(found.games, (), settings)
    verdicts = grades.bars(found.games, fit, bars, found.about.name)
    rows = grades.table(
        standings=points.standings(points.of(found.for_points), found.entered, found.byes, found.order),
        ranking=ranked,
        bars=verdicts,
        faults=grades.reasons(found.faults, {game.id for game in found.for_points}),
        wanted=tuple(bars),
        statuses=found.entered,
    )
    return Graded(
        rows=rows,
        statuses=found.entered,
        bars=verdicts,
        results=results_of([row["agent"] for row in rows], verdicts, found.for_points, found.faults, late),
        is_over=found.about.status == "finished",
        left=found.about.games - found.about.played,
        pools=ranked.pools,
        rounds=(kind := formats.ours(found.about.format)) is not None and "rounds" in kind.own_keys(),
        repeated=ranked.repeated,
    )


# A preview of grades: which are undecided, and what the next round would change if it went as the ratings predict.


def preview(
    agents: Iterable[str],
    bars: Mapping[str, Mapping[str, Bar]],
    results: Mapping[str, AgentResults],
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


def _marks(scheme: Marks, now: AgentResults, undecided: Mapping[str, Bar]) -> dict[str, Any]:
    """The columns of marks: as they are, if all bars were decided for the agent, and after the next round."""
    best = replace(now, bars={**now.bars, **dict.fromkeys(undecided, Against.BETTER)})
    later = replace(now, bars={**now.bars, **{title: bar.next for title, bar in undecided.items()}})
    return {
        f"{title}{ending}": value
        for ending, results in (("", now), ("_most", best), ("_next", later))
        for title, value in columns(scheme, results).items()
        if title != "marks_why"
    }


# The grade list of a course: the rows of agents beside the lines of the roster, and the columns that a user chose.


Line = Mapping[str, str]
"""A line of the roster: its cells by column."""
_SAME: Final = ("id", "email", "name")
"""What a student has in two rosters."""


def agents_of(roster: Roster, agents: Collection[str]) -> dict[int, str]:
    """The agent of each student, by line number: the one that has the student's alias as its name, else the name, else
    the id. Students without an agent have the empty name. BadRoster if two students who are no team have one agent."""
    called = {folded(name): name for name in agents}
    found = {
        one.line: next((called[each] for each in map(folded, (one.alias, one.name, one.id)) if each in called), "")
        for one in roster.students
    }
    owners: dict[str, Student] = {}
    for one in roster.students:
        owner = owners.setdefault(found[one.line], one)
        if found[one.line] and not roster.is_one_team((owner, one)):
            raise BadRoster(
                f"{roster.file}, lines {owner.line} and {one.line}: both students would get the marks of the agent "
                f"{quote(found[one.line])}; write its name as the alias of the student who handed it in, "
                "and another alias for the other one"
            )
    return found


def students_of(roster: Roster, course: Roster) -> dict[int, Student]:
    """The student of the `course` in each line of another `roster`, by line number: the one with the same id, else the
    same e-mail address, else the same name. Lines that match nobody are left out.

    BadRoster if a line matches two students, also if one has its id and another its name; or if two lines match one."""
    having: dict[tuple[str, str], list[Student]] = {}
    for student in course.students:
        for column in _SAME:
            having.setdefault((column, folded(getattr(student, column))), []).append(student)
    found: dict[int, Student] = {}
    line_of: dict[Student, int] = {}
    for one in roster.students:
        keys = [(column, text) for column in _SAME if (text := folded(getattr(one, column)))]
        matches = [having[key] for key in keys if key in having]
        if not matches:
            continue
        same = [student for student in matches[0] if all(student in each for each in matches)]
        if len(same) != 1:
            both = same or {student for each in matches for student in each}
            first, second, *_ = sorted(student.line for student in both)
            raise BadRoster(
                f"{roster.file}, line {one.line}: expected one student of {course.file}, but lines {first} and "
                f"{second} there both match by id, e-mail address or name; correct one of the two files"
            )
        other = line_of.setdefault(same[0], one.line)
        if other != one.line:
            raise BadRoster(
                f"{roster.file}, lines {other} and {one.line}: both match line {same[0].line} of {course.file} by id, "
                "e-mail address or name; correct one of the two files"
            )
        found[one.line] = same[0]
    return found


def agents_in_column(lines: Sequence[Line], agents: Collection[str], on: str | None) -> list[str]:
    """The agent in each line, in the column `on`; by default, in the column with the most names of agents."""
    columns = list(lines[0]) if lines else []
    if on is not None and on not in columns:
        raise BadRating(f"--on: no column {quote(on)} in the roster{nearly(on, columns)}")
    names_in = {
        column: sum(line[column].strip() in agents for line in lines) for column in columns if on in (None, column)
    }
    on = max(names_in, key=names_in.__getitem__, default=None)
    if on is None or not names_in[on]:
        raise BadRating(
            f"the roster has no column with agents' names (it has {', '.join(columns) or 'none'}); "
            f"agents are {one_of(sorted(agents), most=5)}"
        )
    return [line[on].strip() for line in lines]


def joined(
    rows: Sequence[Mapping[str, Any]],
    roster: Sequence[tuple[Line, str]],
    of_missing: Mapping[str, Any],
    *,
    others: bool = True,
) -> list[dict[str, Any]]:
    """The lines of the `roster`, each with the name of its agent, followed by the columns of this agent in `rows`.

    `of_missing`: columns of students without an agent, whose status is "not entered". `others`: agents that are not on
    the roster come last. If the roster has a column of the same name as one of `rows`, the latter is renamed to
    "arena_..."."""
    columns = list(roster[0][0]) if roster else []
    agents = {str(row["agent"]): row for row in rows}
    titles = _beside(columns, list(rows[0] if rows else ("agent", "status", *of_missing)))
    missing = dict.fromkeys(titles, "") | {"status": NOT_ENTERED} | dict(of_missing)

    def beside(line: Line, row: Mapping[str, Any]) -> dict[str, Any]:
        return {**line, **{title: row[key] for key, title in titles.items()}}

    listed = [beside(line, agents.get(agent, missing)) for line, agent in roster]
    known = {agent for _, agent in roster}
    empty = dict.fromkeys(columns, "")
    return listed + [beside(empty, row) for name, row in agents.items() if others and name not in known]


def chosen(rows: Sequence[Mapping[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """The rows with only the columns that `wanted` lists: "id,Grade=marks" is the column id, and marks as Grade.

    A title with a comma is written in double quotes."""
    columns = list(rows[0]) if rows else []
    source: dict[str, str] = {}
    for text in _parts(wanted):
        # A column of the roster can have "=" in its own name.
        title, _, name = (text, "", text) if text in columns else text.rpartition("=")
        title, name = title.strip() or name.strip(), name.strip()
        if name not in columns:
            raise BadRating(f"--columns: no column {quote(name)}{meant(name, columns)}")
        if title in source:
            raise BadRating(f"--columns: {quote(title)} is given twice")
        source[title] = name
    return [{title: row[name] for title, name in source.items()} for row in rows]


def _parts(wanted: str) -> list[str]:
    """The parts of a text that are separated by commas."""
    try:
        (parts,) = csv.reader([wanted], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError):
        parts = []
    parts = [part.strip() for part in parts]
    if not parts or not all(parts):
        raise BadRating(f"--columns: expected columns such as id,Grade=marks, got {quote(wanted)}")
    return parts


def _beside(columns: Collection[str], own: Sequence[str]) -> dict[str, str]:
    """A unique title for each of our `own` columns: "arena_" is put in front of titles that are in `columns`."""
    found: dict[str, str] = {}
    for title in own:
        free = title
        while free in columns or free in found.values() or (free != title and free in own):
            free = f"arena_{free}"
        found[title] = free
    return found
