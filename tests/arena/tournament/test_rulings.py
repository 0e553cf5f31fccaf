"""Rulings: every order of rulings and runs leaves a consistent database, with the points of an independent model."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import text

from agents.protocol import Verdict
from arena.errors import BadRuling
from arena.history.verify import verify
from arena.match.schedule import Finished, Planned
from arena.players.submissions import Store
from arena.tournament import rulings
from db import games, lookup, running, store
from db import rulings as record
from db.audit import entries
from db.database import Connection, Database
from db.records import ScheduledGame
from db.scores import scores
from tests.arena.tournament.test_tournament import Course, ann_wins, describe_match
from tests.kit.effort import tries
from tests.kit.judged_records import NOW, played

FORMATS: dict[str, dict[str, Any]] = {
    "round-robin": {},
    "swiss": {"format": "swiss", "rounds": 3},
    "knockout": {"format": "knockout", "best_of": 3, "seeds": ["ann", "bob"]},
}


class Event(Course):
    """A tournament of four agents with real matches, and an instructor's rulings."""

    def __init__(self, folder: Path, seed: int, *, most: int = 1000, **keys: Any) -> None:
        super().__init__(folder)
        self.write_agent("dan")
        self.random = Random(seed)
        self.describe(clock="none", quarantine=0, **keys)
        self.play_on(most)

    def play_on(self, most: int = 1000) -> None:
        """A run of up to `most` games; it ends as with Ctrl-C."""
        with self.opened() as tournament:
            for _ in range(most):
                if (game := tournament.next()) is None:
                    break
                tournament.note(self.judged(game))
            tournament.close()

    def judged(self, game: Planned) -> Finished:
        """The game between players who move at random."""
        seats = tuple((0, entrant.name) for entrant in game.entrants)
        new = ScheduledGame(
            pair=str(game.identity[0]),
            leg=game.leg,
            attempt=game.attempt,
            game=game.rules,
            clock=game.conditions.clock,
            seed=game.seed,
            seats=seats,
        )
        return Finished(game, played(game.number, new, game.opening, self.random), NOW, NOW)

    def write(self, action: Callable[[Connection], Any]) -> Any:
        with Database(str(self.folder / "arena.db")) as database, database.writing() as connection:
            return action(connection)

    def rule(self, game: int, what: str, seat: int | None = None) -> int:
        def act(connection: Connection) -> int:
            (found,) = games.games(connection, [game])
            return rulings.rule(connection, found, what, "because", datetime.now(UTC), seat=seat)

        return int(self.write(act))

    def revoke(self, ruling: int) -> int:
        return int(self.write(lambda connection: rulings.revoke(connection, ruling, "because", datetime.now(UTC))))

    def rule_on_entry(self, name: str, what: str) -> int:
        return int(
            self.write(lambda connection: store.rule_on_entry(connection, 1, name, what, "because", datetime.now(UTC)))
        )

    def wrongs(self) -> list[Any]:
        """The contradictions that `arena data verify` finds."""
        with Database(str(self.folder / "arena.db"), read_only=True) as database:
            return verify(database, Store(self.folder / "arena.store")).wrongs

    def stands(self) -> dict[str, Any]:
        """Everything that a ruling can change."""
        with (
            Database(str(self.folder / "arena.db"), read_only=True) as database,
            database.reading() as connection,
        ):
            return {
                "points": points(scores(connection, 1)),
                "games": [(one.number, one.id, one.status) for one in running.outcomes(connection, 1)],
                "counting": [one.id for one in games.games(connection, games.ids(connection, 1)) if one.counts],
                "entries": entries(connection),
                "tournament": running.status(connection, 1),
                "listed": [(row.played, row.games, row.status) for row in lookup.tournaments(connection)],
            }


def points(counted: Any) -> dict[str, tuple[int, float]]:
    return {name: (one.games, one.points) for name, one in counted.players.items() if one.games}


def modelled(event: Event, rulings_made: dict[int, list[tuple[int, str, int | None]]]) -> dict[str, tuple[int, float]]:
    """All players' games and points, counted one by one: the last attempt of each game that was not cancelled, unless
    its last ruling that was not revoked annuls it."""
    attempts: dict[tuple[str, int], list[int]] = {}
    status: dict[int, str] = {}
    seats: dict[int, list[tuple[int, str, float]]] = {}
    for id, pair, leg, how in event.sql("SELECT id, pair, leg, status FROM game ORDER BY attempt"):
        status[id] = how
        if how != "cancelled":
            attempts.setdefault((pair, leg), []).append(id)
    for id, seat, name, share in event.sql("SELECT game, seat, name, points FROM seat ORDER BY game, seat"):
        seats.setdefault(id, []).append((seat, name, share))
    totals: dict[str, tuple[int, float]] = {}
    for tries_at_it in attempts.values():
        last = tries_at_it[-1]
        ruling = rulings_made.get(last, [])[-1:]
        for seat, name, share in seats[last]:
            if ruling and ruling[0][1] == "award":
                given = float(seat == ruling[0][2])
            elif ruling or status[last] != "finished":
                continue
            else:
                given = share
            games_so_far, so_far = totals.get(name, (0, 0.0))
            totals[name] = (games_so_far + 1, so_far + given)
    return totals


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("seed", range(tries(5, soak=100)))
def test_any_order_of_rulings_and_runs_is_consistent(format: str, seed: int, tmp_path: Path) -> None:
    event = Event(tmp_path, seed, **FORMATS[format])
    random = Random(seed)
    made: dict[int, list[tuple[int, str, int | None]]] = {}
    about: dict[int, int] = {}
    refused = 0
    acts = tries(6, soak=25)
    for _ in range(acts):
        act = random.choice(("void", "again", "again", "award", "revoke", "revoke", "entry", "run"))
        known = [id for (id,) in event.sql("SELECT id FROM game")]
        before = event.stands()
        try:
            if act == "revoke":
                there = [id for (id,) in event.sql("SELECT id FROM ruling")]
                ruling = random.choice(there or [1])
                if there:
                    event.revoke(ruling)
                    if ruling in about:
                        assert made[about[ruling]].pop()[0] == ruling
            elif act == "entry":
                event.rule_on_entry(random.choice(("ann", "bob", "cid", "dan")), random.choice(("withdraw", "release")))
            elif act == "run":
                event.play_on(random.choice((0, 1, 3, 1000)))
            else:
                game, seat = random.choice(known), random.randrange(2) if act == "award" else None
                ruling = event.rule(game, act, seat)
                made.setdefault(game, []).append((ruling, act, seat))
                about[ruling] = game
        except BadRuling:
            refused += 1
            assert event.stands() == before
        assert event.wrongs() == []
        assert event.stands()["points"] == modelled(event, made)
    assert refused < acts
    for name in ("ann", "bob", "cid", "dan"):
        event.rule_on_entry(name, "release")
    event.play_on()
    assert event.stands()["tournament"] == "finished"
    assert event.wrongs() == []
    assert event.sql("SELECT COUNT(*) FROM game WHERE status IN ('scheduled', 'playing')") == [(0,)]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("what", ["void", "again", "award", "withdraw", "release"])
@pytest.mark.parametrize("most", [5, 1000])
def test_a_ruling_that_is_revoked_immediately_changes_nothing(
    format: str, what: str, most: int, tmp_path: Path
) -> None:
    event = Event(tmp_path, 1, most=most, **FORMATS[format])
    if what == "release":
        event.rule_on_entry("ann", "withdraw")
    last = event.sql("SELECT MAX(id) FROM game WHERE status = 'finished'")[0][0]
    before = event.stands()
    if what in ("withdraw", "release"):
        ruling = event.rule_on_entry("ann", what)
    else:
        loser = event.sql(f"SELECT seat FROM seat WHERE game = {last} ORDER BY points")[0][0]
        ruling = event.rule(last, what, loser if what == "award" else None)
    assert event.stands() != before
    event.revoke(ruling)
    assert event.stands() == before
    event.play_on()
    if most == 1000:
        assert {key: event.stands()[key] for key in ("points", "counting")} == {
            key: before[key] for key in ("points", "counting")
        }


@pytest.fixture
def event(tmp_path: Path) -> Event:
    return Event(tmp_path, 1)


def test_a_game_that_is_played_again_is_the_next_attempt_and_counts(event: Event) -> None:
    event.rule(3, "again")
    assert event.stands()["tournament"] == "stopped"
    assert event.sql("SELECT attempt, status FROM game WHERE number = 3 ORDER BY 1") == [
        (1, "finished"),
        (2, "scheduled"),
    ]
    event.play_on()
    assert event.stands()["tournament"] == "finished"
    assert event.sql("SELECT attempt, status FROM game WHERE number = 3 ORDER BY 1") == [
        (1, "finished"),
        (2, "finished"),
    ]
    assert event.sql("SELECT attempt FROM v_game WHERE number = 3 AND counts") == [(2,)]
    event.play_on()
    assert len(event.sql("SELECT id FROM game WHERE number = 3")) == 2


def test_the_replay_is_played_by_the_version_that_takes_part_now(event: Event) -> None:
    event.write_agent("ann", "other")
    event.play_on()
    mine = event.sql("SELECT game FROM seat WHERE name = 'ann' ORDER BY game")[0][0]
    event.rule(mine, "again")
    event.play_on()
    query = "SELECT version.number FROM seat JOIN version ON version.id = seat.version WHERE name = 'ann' AND game = "
    assert event.sql(query + str(mine)) == [(1,)]
    assert event.sql(query + "(SELECT MAX(id) FROM game)") == [(2,)]
    assert event.wrongs() == []


def test_a_game_that_stayed_void_can_be_played_again(tmp_path: Path) -> None:
    event = Event(tmp_path, 1)
    for _ in range(3):
        event.write(_void)
    assert event.sql("SELECT MAX(attempt) FROM game WHERE number = 1") == [(4,)]
    last = event.sql("SELECT MAX(id) FROM game")[0][0]
    event.rule(last, "again")
    event.play_on()
    assert event.sql("SELECT attempt FROM v_game WHERE number = 1 AND counts") == [(5,)]


def _void(connection: Connection) -> None:
    """The first game is played again, and fails."""
    from db.records import GameRecord, SeatRecord

    id = store.repeat(connection, 1)
    seats = tuple(SeatRecord(seat, "", None, None, 0, 0) for seat in range(2))
    store.finish(connection, id, GameRecord(id, "void", None, "", seats, (), 0), host=None, now=NOW)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_killed_ruling_is_recorded_whole_or_not_at_all(when: str, event: Event) -> None:
    before = event.stands()
    child = os.fork()
    if not child:
        with Database(str(event.folder / "arena.db")) as database:
            with database.writing() as connection:
                (game,) = games.games(connection, [3])
                rulings.rule(connection, game, "again", "because", NOW)
                if when == "before":
                    os.kill(os.getpid(), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    if when == "before":
        assert event.stands() == before
        return
    assert event.wrongs() == []
    with event.opened() as tournament:  # a run that is killed while it plays the replay
        begun = tournament.next()
        assert begun is not None
        assert begun.attempt == 2
    event.play_on()
    assert event.sql("SELECT attempt, status FROM game WHERE number = 3") == [(1, "finished"), (2, "finished")]
    assert event.wrongs() == []


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(BadRuling) as error:
        act()
    return str(error.value)


def test_a_replay_that_was_played_cannot_be_undone(event: Event) -> None:
    ruling = event.rule(3, "again")
    event.play_on()
    assert refusal(lambda: event.revoke(ruling)) == (
        "game cs101-3 was played again, as attempt 2, which counts now: rule on that one, cs101-3"
    )
    assert refusal(lambda: event.rule(3, "void")) == (
        "game cs101-3 was played again, as attempt 2: rule on that one, cs101-3"
    )


def test_only_the_latest_ruling_can_be_revoked_and_only_once(event: Event) -> None:
    first, second = event.rule(3, "award", 0), event.rule(3, "void")
    assert refusal(lambda: event.revoke(first)) == ("ruling 2 has replaced ruling 1: revoke ruling 2 first")
    third = event.revoke(second)
    assert refusal(lambda: event.revoke(second)) == "ruling 2 was already revoked by ruling 3"
    assert (
        refusal(lambda: event.revoke(third))
        == "ruling 3 revoked ruling 2 and cannot be revoked itself: make a new ruling"
    )
    assert event.sql("SELECT ruling, awarded_to FROM v_game WHERE id = 3") == [("award", 0)]
    event.revoke(first)
    assert event.sql("SELECT ruling FROM v_game WHERE id = 3") == [(None,)]
    assert [one.what for one in event.write(record.rulings)] == ["revoke", "revoke", "void", "award"]


def test_a_withdrawn_player_forfeits_no_replay(event: Event) -> None:
    event.rule_on_entry("ann", "withdraw")
    mine = event.sql("SELECT game FROM seat WHERE name = 'ann' ORDER BY game")[0][0]
    assert refusal(lambda: event.rule(mine, "again")) == (
        f"game cs101-{mine} would be forfeited: ann is withdrawn; `arena rule release` lets it play"
    )


def test_a_revoked_withdrawal_restores_a_quarantine(event: Event) -> None:
    event.write(lambda connection: store.set_entry_status(connection, 1, "ann", "quarantined"))
    event.revoke(event.rule_on_entry("ann", "withdraw"))
    assert event.sql("SELECT status FROM entry WHERE name = 'ann'") == [("quarantined",)]


def test_in_a_knockout_a_ruling_that_a_later_round_depends_on_cannot_be_revoked(tmp_path: Path) -> None:
    event = Event(tmp_path, 3, **FORMATS["knockout"])
    assert event.sql("SELECT MAX(round) FROM game") == [(2,)]
    assert refusal(lambda: event.rule(1, "again")) == (
        "game cs101-1 is in round 1, and round 2 of the knockout is already paired"
    )
    # A ruling after the final was paired does not change who plays in it.
    event.revoke(event.rule(1, "void"))
    final = event.sql("SELECT MAX(id) FROM game WHERE status = 'finished'")[0][0]
    event.revoke(event.rule(final, "again"))
    assert event.wrongs() == []


def the_later_name_wins(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    names = [entrant.name for entrant in game.entrants]
    return Verdict.NORMAL, None, tuple(float(name == max(names)) for name in names)


@pytest.fixture
def cup(tmp_path: Path) -> Event:
    """A knockout in which nothing was played yet; "dan" would win it."""
    return Event(tmp_path, 1, most=0, **FORMATS["knockout"])


@pytest.mark.parametrize("what", ["void", "award", "withdraw"])
def test_in_a_knockout_a_ruling_before_a_pairing_cannot_be_revoked(cup: Event, what: str) -> None:
    cup.run(the_later_name_wins, most=2)
    if what == "withdraw":
        ruling = cup.rule_on_entry("ann", what)
    else:
        done = cup.sql("SELECT id FROM game WHERE status = 'finished'")[0][0]
        ruling = cup.rule(done, what, 0 if what == "award" else None)
    cup.run(the_later_name_wins)
    told = f"round 2 of cs101 is already paired: ruling {ruling} cannot be undone"
    assert refusal(lambda: cup.revoke(ruling)).startswith(told)


def test_a_series_continues_when_the_games_that_decided_it_are_annulled(cup: Event) -> None:
    """The final ends 4-0, and its third pairing is cancelled; without two of the games the pairing is needed."""
    cup.run(the_later_name_wins)
    third = "SELECT attempt, status FROM game WHERE round = 2 AND pair LIKE '%, 2]' ORDER BY attempt, leg"
    assert cup.sql(third) == [(1, "cancelled")] * 2
    for (game,) in cup.sql("SELECT id FROM game WHERE round = 2 AND status = 'finished' LIMIT 2"):
        ruling = cup.rule(game, "void")
    cup.run(the_later_name_wins)
    assert cup.sql(third) == [(1, "cancelled")] * 2 + [(2, "finished")] * 2
    cup.revoke(ruling)
    assert cup.run(the_later_name_wins).is_over
    assert len(cup.sql(third)) == 4


def test_a_series_waits_for_a_replay(cup: Event) -> None:
    cup.run(the_later_name_wins)
    final = cup.sql("SELECT MIN(id) FROM game WHERE round = 2")[0][0]
    cup.rule(final, "again")
    assert cup.run(the_later_name_wins).is_over
    replay = "SELECT attempt, status FROM game WHERE number = (SELECT number FROM game WHERE id = {}) ORDER BY 1"
    assert cup.sql(replay.format(final)) == [(1, "finished"), (2, "finished")]
    assert cup.sql("SELECT COUNT(*) FROM game WHERE round = 2 AND pair LIKE '%, 2]' AND status = 'finished'") == [(0,)]
    assert cup.sql("SELECT status FROM tournament") == [("finished",)]


def test_a_decided_match_plays_no_game_again(tmp_path: Path) -> None:
    match = Event(tmp_path, 1, most=0)
    (tmp_path / "arena.db").unlink()
    describe_match(match)
    assert match.run(ann_wins).is_over
    assert (
        refusal(lambda: match.rule(1, "again"))
        == "the sequential test of cs101 is decided: its games are not played any more"
    )


@pytest.mark.parametrize("column", ["revokes", "game"])
def test_a_revocation_of_an_unrelated_ruling_is_reported(column: str, event: Event) -> None:
    event.revoke(event.rule(3, "void"))
    assert event.wrongs() == []
    event.write(lambda connection: connection.execute(text(f"UPDATE ruling SET {column} = 2 WHERE id = 2")))
    assert [wrong.reason for wrong in event.wrongs()] == [
        f"ruling 2 revokes ruling {2 if column == 'revokes' else 1}, which is not an earlier ruling about the same"
    ]
