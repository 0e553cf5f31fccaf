"""What a run remembers of its tournament changes nothing: it schedules what reading everything again schedules."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents.protocol import Verdict
from arena.match.schedule import Planned
from arena.tournament import rulings
from arena.tournament.tournament import Tournament
from db import games, running, store
from db.database import Database
from db.errors import Busy
from tests.arena.tournament.test_tournament import Course, record
from tests.kit.effort import tries

NAMES = ("ann", "bob", "cid", "dan", "eve", "fay", "gil", "hal")
NOW = datetime(2026, 1, 2, tzinfo=UTC)
FORMATS: dict[str, dict[str, Any]] = {
    "gauntlet": {"gauntlet": ["ann", "bob"]},
    "swiss": {"rounds": 5},
    "knockout": {"best_of": 5},
    "match": {"rounds": 60, "sprt": {"elo0": 30, "elo1": 150, "alpha": 0.2, "beta": 0.2}},
}


class Season:
    """A random tournament with faults, void games, rulings, busy databases and restarts; two seasons of the same number
    differ only in what the run remembers."""

    def __init__(self, folder: Path, format: str, number: int, *, remembers: bool) -> None:
        folder.mkdir()
        self.course = Course(folder)
        (folder / "students").rename(folder / "unused")
        for name in NAMES[: 2 if format == "match" else len(NAMES)]:
            self.course.write_agent(name)
        self.course.describe(format=format, quarantine=4, **FORMATS[format])
        self._remembers = remembers
        self._random = Random(f"{format} {number}")
        # How many games there were.
        self.played = 0

    def play(self) -> None:
        """Plays to the end, with restarts."""
        while not self._run():
            pass

    def _run(self) -> bool:
        random = self._random
        with self.course.opened() as tournament:
            started: list[Planned] = []
            while True:
                while len(started) < 3 and (game := tournament.next()) is not None:
                    started.append(game)
                if not started or random.random() < 0.02:
                    break
                if random.random() < 0.15:
                    self._rule()
                if not self._remembers:
                    tournament._consequences.forget()
                self._note(tournament, started.pop(random.randrange(len(started))))
            if started:
                return False  # killed
            tournament.close()
            return tournament.is_over

    def _note(self, tournament: Tournament, game: Planned) -> None:
        result = self._result(game)
        finished = record(game, lambda _: result)
        if self._random.random() < 0.1:  # the first transaction fails at its end
            upcoming, failures = tournament._begin_next, [Busy("locked")]

            def fails(connection: Any) -> Any:
                found = upcoming(connection)
                if failures:
                    raise failures.pop()
                return found

            tournament._begin_next = fails  # type: ignore[method-assign]
        tournament.note(finished)
        self.played += 1

    def _result(self, game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        kind = self._random.random()
        if kind < 0.1:
            return Verdict.VOID, None, None
        if kind < 0.2:
            fault = self._random.randrange(2)
            return Verdict.ILLEGAL, fault, (float(fault), 1.0 - fault)
        first, second = (entrant.name for entrant in game.entrants)
        stronger = float(first < second)
        won = self._random.choice((stronger, stronger, 0.5, 1 - stronger))
        return Verdict.NORMAL, None, (won, 1 - won)

    def _rule(self) -> None:
        """What an instructor decides meanwhile, in another process."""
        random = self._random
        with Database(str(self.course.folder / "arena.db")) as database, database.writing() as connection:
            if random.random() < 0.1:
                name = random.choice([one.name for one in running.entries(connection, 1)])
                store.rule_on_entry(connection, 1, name, random.choice(("withdraw", "release")), "why not", NOW)
                return
            over = [one.id for one in running.outcomes(connection, 1) if one.status in ("finished", "void")]
            if not over:
                return
            (game,) = games.games(connection, [random.choice(over)])
            what = random.choice(("void", "again", "award"))
            is_new = what != "award" or game.ruling is None or game.ruling.what != "award"
            if is_new and rulings.refusal(connection, game, what) is None:
                rulings.rule(connection, game, what, "why not", NOW, seat=0 if what == "award" else None)

    def record(self) -> list[Any]:
        """All games with their players, and everything that was decided about them."""
        games = self.course.sql(
            "SELECT number, attempt, round, pair, leg, status, verdict, detail FROM game ORDER BY number, attempt"
        )
        seats = self.course.sql("SELECT game, seat, name, points FROM seat ORDER BY game, seat")
        return [games, seats, self.course.sql("SELECT name, status FROM entry ORDER BY name")]


@pytest.mark.parametrize("number", range(tries(2, soak=60)))
@pytest.mark.parametrize("format", FORMATS)
def test_what_a_run_remembers_changes_nothing(tmp_path: Path, format: str, number: int) -> None:
    remembering = Season(tmp_path / "one", format, number, remembers=True)
    reading = Season(tmp_path / "other", format, number, remembers=False)
    remembering.play()
    reading.play()
    assert remembering.record() == reading.record()
    assert remembering.played == reading.played > 5
