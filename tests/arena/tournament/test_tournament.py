"""A run of a tournament: exactly the described games are played and recorded, even with faults and crashes."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents.protocol import Verdict
from arena.errors import BadLeague, TournamentBusy
from arena.match.schedule import RULES_FAILED, Finished, Planned
from arena.players.submissions import Store
from arena.ratings.match_statistics import Hypothesis, sprt
from arena.tournament import league as leagues
from arena.tournament.lock import collecting_lock, tournament_lock
from arena.tournament.tournament import Tournament
from db import store as writing
from db.database import Database
from db.errors import DiskFull
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.kit.effort import tries

NOW = datetime(2026, 1, 2, tzinfo=UTC)

Play = Callable[[Planned], tuple[Verdict, int | None, tuple[float, ...] | None]]
"""The result of a game: its verdict, the seat at fault, the points."""


def first_wins(_: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    return Verdict.NORMAL, None, (1.0, 0.0)


def record(game: Planned, play: Play, detail: str = "") -> Finished:
    """The finished game, as a referee would report it."""
    verdict, fault, points = play(game)
    seats = tuple(
        SeatRecord(seat, entrant.name, None if points is None else points[seat], None, 0, 0)
        for seat, entrant in enumerate(game.entrants)
    )
    return Finished(
        game, GameRecord(game.number, verdict, fault, detail, seats, (MoveRecord(1, 0, "a1", 0, 0, 0),), 0), NOW, NOW
    )


class Course:
    """A folder with a description, and runs of it without processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waits: list[str] = []
        for name in ("ann", "bob", "cid"):
            self.write_agent(name)

    def write_agent(self, name: str, text: str = "pass") -> None:
        (self.folder / "students").mkdir(exist_ok=True)
        (self.folder / "students" / f"{name}.py").write_text(text, "utf-8")

    def describe(self, **keys: Any) -> None:
        described = {"name": "cs101", "game": "tictactoe", "players": "students/*.py", "seed": 7} | keys
        lines = [f"{key} = {_toml(value)}" for key, value in described.items()]
        (self.folder / "cs101.toml").write_text("\n".join(lines), "utf-8")

    @contextmanager
    def opened(self, **settings: Any) -> Iterator[Tournament]:
        with Database(str(self.folder / "arena.db")) as database:
            yield Tournament.begin(
                leagues.read(self.folder / "cs101.toml"),
                database,
                Store(self.folder / "arena.store"),
                scratch=self.folder,
                wait=self.waits.append,
                **settings,
            )

    def run(self, play: Play = first_wins, *, most: int = 10_000, detail: str = "", **settings: Any) -> Tournament:
        """Plays up to `most` games, one after the other, and then ends as with Ctrl-C."""
        with self.opened(**settings) as tournament:
            for _ in range(most):
                game = tournament.next()
                if game is None:
                    break
                tournament.note(record(game, play, detail))
            tournament.close()
        return tournament

    def sql(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(self.folder / "arena.db")) as connection:
            return connection.execute(query).fetchall()

    def games(self) -> list[tuple[str, int, int, str]]:
        """Pair, leg, attempt and status of every game."""
        return self.sql("SELECT pair, leg, attempt, status FROM game ORDER BY number, attempt")


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


@pytest.fixture
def course(tmp_path: Path) -> Course:
    course = Course(tmp_path)
    course.describe()
    return course


def test_everybody_meets_everybody_once_in_each_seat(course: Course) -> None:
    tournament = course.run()
    assert tournament.is_over
    assert [status for *_, status in course.games()] == ["finished"] * 6
    assert course.sql("SELECT name, COUNT(*), SUM(seat) FROM seat GROUP BY name") == [
        ("ann", 4, 2), ("bob", 4, 2), ("cid", 4, 2)
    ]  # fmt: skip
    assert course.sql("SELECT status, finished IS NULL FROM tournament") == [("finished", 0)]


@pytest.mark.parametrize("stop", range(7))
def test_a_stopped_tournament_resumes(course: Course, stop: int) -> None:
    first = course.run(most=stop)
    assert (first.over, first.is_over) == (stop, stop == 6)
    games = course.games()
    second = course.run()
    assert second.is_over
    assert [game[:3] for game in course.games()] == [game[:3] for game in games]
    assert course.sql("SELECT COUNT(*), COUNT(DISTINCT game) FROM move") == [(6, 6)]


def test_the_key_of_the_seats_seeds_is_one_from_the_first_game_to_the_last_attempt(course: Course) -> None:
    course.run(most=0)  # ended after the tournament was made, and before its first game
    ((key,),) = course.sql("SELECT seats_key FROM tournament")
    seen = []

    def first_void(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        seen.append(game.seats_from)
        return (Verdict.VOID, None, None) if game.attempt == 1 else first_wins(game)

    course.run(first_void, most=2)
    course.write_agent("dan")
    assert course.run(first_void).is_over
    assert seen == [int(key)] * 24
    assert course.sql("SELECT DISTINCT attempt FROM game") == [(1,), (2,)]


def test_a_tournament_of_an_older_version_goes_on_with_the_seats_seeds_of_its_seed(course: Course) -> None:
    course.run(most=3)
    with closing(sqlite3.connect(course.folder / "arena.db")) as connection, connection:
        connection.execute("UPDATE tournament SET seats_key = NULL")
    seen = []

    def noted(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        seen.append(game.seats_from)
        return first_wins(game)

    assert course.run(noted).is_over
    assert seen == [7] * 3
    course.describe(seats_key=9)
    with pytest.raises(BadLeague, match="seats_key: none -> 9"):
        course.run()


def test_another_seed_or_seats_key_than_the_one_that_was_drawn_is_refused(course: Course) -> None:
    course.describe(seats_key=8)
    course.run(most=1)
    course.describe(seats_key=9)
    with pytest.raises(BadLeague, match="seats_key: 8 -> 9"):
        course.run()
    course.describe()
    assert course.run().is_over


def test_games_in_progress_are_played_again_as_the_same_attempt(course: Course) -> None:
    with course.opened() as tournament:
        begun = [tournament.next() for _ in range(2)]
        assert course.sql("SELECT COUNT(*) FROM game WHERE status = 'playing'") == [(2,)]
    again = []

    def noting(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        again.append(game)
        return first_wins(game)

    course.run(noting)
    assert [game.number for game in again[:2]] == [game.number for game in begun if game]
    assert {game.attempt for game in again} == {1}


def test_games_that_end_at_the_same_moment_are_all_followed_by_another(course: Course) -> None:
    with course.opened() as tournament:
        running = [tournament.next(), tournament.next()]
        while any(running):
            for game in running:
                if game is not None:
                    tournament.note(record(game, first_wins))
            running = [tournament.next(), tournament.next()]
        tournament.close()
    assert tournament.is_over
    assert [status for *_, status in course.games()] == ["finished"] * 6


def test_a_void_game_is_played_again_up_to_three_times_and_listed(course: Course) -> None:
    tournament = course.run(void_at_first)
    assert tournament.is_over
    attempts = [game for game in course.games() if "ann" in game[0] and "bob" in game[0] and game[1] == 0]
    assert [(attempt, status) for _, _, attempt, status in attempts] == [(1, "void"), (2, "void"), (3, "void")]
    assert len(course.games()) == 8


def void_at_first(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    """The server fails in the first game of ann and bob."""
    names = {entrant.name for entrant in game.entrants}
    return (Verdict.VOID, None, None) if names == {"ann", "bob"} and game.leg == 0 else first_wins(game)


@pytest.mark.parametrize("killed", [False, True])
def test_the_next_run_plays_a_void_game_once_more_and_the_one_after_it_again(course: Course, killed: bool) -> None:
    assert course.run(void_at_first).tried_again == []
    (number,) = {number for (number,) in course.sql("SELECT number FROM game WHERE status = 'void'")}
    if killed:  # the run that plays it once more
        with course.opened() as tournament:
            assert tournament.next() is not None
    assert course.run(void_at_first).tried_again == ([] if killed else [number])
    assert statuses(course) == {"finished": 5, "void": 4}
    tournament = course.run()
    assert (tournament.tried_again, tournament.is_over) == ([number], True)
    assert statuses(course) == {"finished": 6, "void": 4}
    assert course.run().tried_again == []
    assert statuses(course) == {"finished": 6, "void": 4}


def test_a_game_whose_rules_failed_is_not_tried_again(course: Course) -> None:
    course.run(lambda _: (Verdict.VOID, None, None), detail=f"{RULES_FAILED}: moves", if_rules_fail=course.waits.append)
    assert course.run().tried_again == []
    assert statuses(course) == {"void": 6}


def test_a_void_game_with_an_agent_that_is_out_or_with_an_award_is_not_tried_again(course: Course) -> None:
    course.run(lambda _: (Verdict.VOID, None, None))
    last = "SELECT MAX(game.id) FROM game JOIN seat ON seat.game = game.id GROUP BY number ORDER BY number"
    with Database(str(course.folder / "arena.db")) as database, database.writing() as connection:
        writing.rule_on_entry(connection, 1, "ann", "withdraw", "left", NOW)
        for (game,) in course.sql(last):
            if ("ann",) not in course.sql(f"SELECT name FROM seat WHERE game = {game}"):
                writing.rule_on_game(connection, game, "award", "a reason", NOW, seat=0)
                break
    assert len(course.run().tried_again) == 1
    assert statuses(course) == {"finished": 1, "void": 18}


def test_a_void_game_of_a_knockout_is_tried_again_only_in_the_last_round(course: Course) -> None:
    course.write_agent("dot")
    course.describe(format="knockout")

    def void_in_the_first_seat(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        return (Verdict.VOID, None, None) if game.leg == 0 else first_wins(game)

    assert course.run(void_in_the_first_seat).is_over
    (final,) = {number for (number,) in course.sql("SELECT number FROM game WHERE round = 2 AND status = 'void'")}
    assert course.run().tried_again == [final]


def test_after_n_faults_in_a_row_the_remaining_games_are_forfeited(course: Course) -> None:
    course.describe(quarantine=2, rounds=3)

    def ann_crashes(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        seat = next((seat for seat, entrant in enumerate(game.entrants) if entrant.name == "ann"), None)
        if seat is None:
            return first_wins(game)
        return Verdict.CRASHED, seat, tuple(float(place != seat) for place in range(2))

    tournament = course.run(ann_crashes)
    assert tournament.is_over
    verdicts = course.sql(
        "SELECT verdict, COUNT(*) FROM game JOIN seat ON seat.game = game.id WHERE name = 'ann' GROUP BY verdict"
    )
    assert dict(verdicts) == {"crashed": 2, "forfeit": 10}
    assert course.sql("SELECT name, status FROM entry WHERE status <> 'active'") == [("ann", "quarantined")]
    assert course.sql("SELECT SUM(points) FROM seat WHERE name = 'ann'") == [(0.0,)]


def test_a_game_for_which_there_is_no_room_yet_is_forfeited_too(course: Course) -> None:
    course.describe(quarantine=1)
    with course.opened() as tournament:
        first, second = tournament.next(), tournament.next()
        assert first is not None
        assert second is not None
        tournament.note(record(first, first_wins))
        (next_one,) = tournament._marked
        fault, out = next((seat, one.name) for seat, one in enumerate(second.entrants) if one.name in next_one.names)
        tournament.note(record(second, lambda _: (Verdict.CRASHED, fault, (float(fault == 1), float(fault == 0)))))
        assert tournament.quarantined == [out]
        while game := tournament.next():
            assert out not in {entrant.name for entrant in game.entrants}
            tournament.note(record(game, first_wins))
        assert tournament.is_over


def test_an_agent_that_another_process_has_withdrawn_is_not_quarantined_instead(course: Course) -> None:
    course.describe(quarantine=1)
    with course.opened() as tournament:
        game = tournament.next()
        assert game is not None
        out = game.entrants[0].name
        with Database(str(course.folder / "arena.db")) as database, database.writing() as connection:
            writing.rule_on_entry(connection, tournament.id, out, "withdraw", "asked for it", NOW)
        tournament.note(record(game, lambda _: (Verdict.CRASHED, 0, (0.0, 1.0))))
    assert course.sql("SELECT name, status FROM entry WHERE status <> 'active'") == [(out, "withdrawn")]


@pytest.mark.parametrize("void", [False, True])
@pytest.mark.parametrize("format", ["round-robin", "swiss"])
def test_a_game_whose_player_was_quarantined_meanwhile_is_not_played_again(
    course: Course, format: str, void: bool
) -> None:
    course.write_agent("dan")
    course.describe(quarantine=1, format=format)
    with course.opened() as tournament:
        games = [tournament.next() for _ in range(4)]
        first, *others = [game for game in games if game is not None]
        out = first.entrants[0].name
        assert any(out in {entrant.name for entrant in game.entrants} for game in others)
        tournament.note(record(first, lambda _: (Verdict.CRASHED, 0, (0.0, 1.0))))
        if void:
            for other in others:
                tournament.note(record(other, lambda _: (Verdict.VOID, None, None)))
        else:
            tournament.interrupted()
        while game := tournament.next():
            assert out not in {entrant.name for entrant in game.entrants}
            tournament.note(record(game, first_wins))
        assert tournament.is_over


def test_a_released_agent_plays_the_forfeited_games(course: Course) -> None:
    course.describe(quarantine=1)

    def cid_hangs(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        seat = next((seat for seat, entrant in enumerate(game.entrants) if entrant.name == "cid"), None)
        return first_wins(game) if seat is None else (Verdict.TIME, seat, tuple(float(at != seat) for at in range(2)))

    course.run(cid_hangs)
    assert course.sql("SELECT COUNT(*) FROM game WHERE verdict = 'forfeit'") == [(3,)]
    with Database(str(course.folder / "arena.db")) as database, database.writing() as connection:
        writing.rule_on_entry(connection, 1, "cid", "release", "it was our network", NOW)
    tournament = course.run()
    assert tournament.is_over
    assert course.sql("SELECT COUNT(*) FROM game WHERE verdict = 'normal'") == [(2 + 3,)]
    assert course.sql("SELECT COUNT(*) FROM game WHERE verdict = 'forfeit'") == [(3,)]  # they stay on record


def test_a_quarantined_agent_with_a_new_submission_plays_the_forfeited_games(course: Course) -> None:
    course.describe(quarantine=1)

    def cid_hangs(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        seat = next((seat for seat, entrant in enumerate(game.entrants) if entrant.name == "cid"), None)
        return first_wins(game) if seat is None else (Verdict.TIME, seat, tuple(float(at != seat) for at in range(2)))

    course.run(cid_hangs)
    course.write_agent("cid", "# mended")
    tournament = course.run()
    assert tournament.is_over
    assert course.sql("SELECT status FROM entry WHERE name = 'cid'") == [("active",)]
    again = (
        "SELECT DISTINCT verdict, version.number FROM game JOIN seat ON seat.game = game.id "
        "JOIN version ON version.id = seat.version WHERE seat.name = 'cid' AND game.attempt = 2"
    )
    assert course.sql(again) == [("normal", 2)]


def test_agents_and_rounds_can_be_added(course: Course) -> None:
    course.run()
    before = course.games()
    course.write_agent("dot")
    course.describe(rounds=2)
    tournament = course.run()
    assert tournament.is_over
    assert course.games()[: len(before)] == before
    assert len(course.games()) == 2 * 12
    assert len({game[:2] for game in course.games()}) == 24


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"clock": "5"}, r"clock: 10\+0.1 -> 5"),
        ({"game": "connect4"}, "game: tictactoe -> connect4"),
        ({"seed": 8}, "seed: 7 -> 8"),
        ({"rounds": 0.5}, "rounds"),
        ({"openings": 1}, "openings: 0 -> 1"),
    ],
)
def test_another_description_is_refused_with_what_has_changed(
    course: Course, change: dict[str, Any], words: str
) -> None:
    course.run(most=2)
    course.describe(**change)
    with pytest.raises(BadLeague, match=words):
        course.run()
    course.describe()
    assert course.run().is_over


def test_a_changed_source_is_a_new_version_that_plays_what_is_left(course: Course) -> None:
    course.run(most=3)
    course.write_agent("ann", "x = 1")
    tournament = course.run()
    assert tournament.changed == ["ann"]
    assert course.sql("SELECT number FROM version WHERE started_as LIKE '%ann%'") == [(1,), (2,)]
    assert len(course.games()) == 6


def test_the_games_of_a_changed_source_are_played_again_if_wanted(course: Course) -> None:
    course.run()
    course.write_agent("ann", "x = 1")
    tournament = course.run(rerun_changed=True)
    assert tournament.is_over
    again = [game for game in course.games() if game[2] == 2]
    assert len(again) == 4
    assert all("ann" in pair for pair, *_ in again)
    counted = course.sql("SELECT COUNT(*) FROM v_game WHERE counts = 1")
    assert counted == [(6,)]


def test_a_pairings_games_share_an_opening_drawn_from_its_players(course: Course) -> None:
    def openings() -> dict[str, str]:
        found = course.sql("SELECT pair, COUNT(DISTINCT opening), MIN(opening) FROM game GROUP BY pair")
        assert all(count == 1 for _, count, _ in found)
        return {pair: opening for pair, _, opening in found}

    course.describe(openings=1, rounds=9)
    course.run()
    before = openings()
    for two in (("ann", "bob"), ("ann", "cid"), ("bob", "cid")):
        assert len({before[json.dumps([*two, meeting])] for meeting in range(9)}) == 9
    course.write_agent("dot")
    course.describe(openings=1, rounds=10)
    course.run()
    after = openings()
    assert after.items() > before.items()
    assert after['["ann", "bob", 9]'] == before['["ann", "bob", 0]']


def test_a_swiss_tournament_pairs_its_next_round_when_one_is_over(course: Course) -> None:
    for name in ("dot", "eve"):
        course.write_agent(name)
    course.describe(format="swiss", rounds=3)
    for stopped in (3, 2):
        assert not course.run(most=stopped).is_over
    assert course.run().is_over
    assert course.sql("SELECT round, COUNT(*) FROM game WHERE status = 'finished' GROUP BY round") == [
        (1, 4),
        (2, 4),
        (3, 4),
    ]
    assert course.sql("SELECT MIN(games), MAX(games) FROM (SELECT COUNT(*) AS games FROM seat GROUP BY name)") == [
        (4, 6)
    ]


def test_a_knockout_continues_with_the_winners(course: Course) -> None:
    course.write_agent("dot")
    course.describe(format="knockout")

    def the_later_name_wins(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        names = [entrant.name for entrant in game.entrants]
        return Verdict.NORMAL, None, tuple(float(name == max(names)) for name in names)

    assert not course.run(the_later_name_wins, most=3).is_over
    assert course.run(the_later_name_wins).is_over
    (final,) = course.sql("SELECT pair FROM game WHERE round = 2 AND leg = 0")
    assert "dot" in final[0]


def test_games_that_a_decided_series_does_not_need_are_cancelled(course: Course) -> None:
    course.write_agent("dot")
    course.describe(format="knockout", best_of=3)

    def the_later_name_wins(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        names = [entrant.name for entrant in game.entrants]
        return Verdict.NORMAL, None, tuple(float(name == max(names)) for name in names)

    assert course.run(the_later_name_wins).is_over
    played = "SELECT status, COUNT(*) FROM game GROUP BY status ORDER BY status"
    assert dict(course.sql(played))["cancelled"] == 3 * 2  # of three series the third pairing
    assert dict(course.sql(played))["finished"] == 3 * 4


def test_a_full_disk_pauses_the_tournament_and_loses_nothing(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    full = [True, True]
    finish = writing.finish

    def failing(*arguments: Any, **settings: Any) -> None:
        finish(*arguments, **settings)
        if full:
            full.pop()
            raise DiskFull("no room")

    monkeypatch.setattr(writing, "finish", failing)
    tournament = course.run()
    assert course.waits == ["no room", "no room"]
    assert tournament.is_over
    assert [status for *_, status in course.games()] == ["finished"] * 6


def test_two_runs_of_a_tournament_at_the_same_time_are_refused(tmp_path: Path) -> None:
    with tournament_lock(tmp_path, "cs101"):
        with (
            pytest.raises(TournamentBusy, match="another process is running tournament 'cs101'"),
            tournament_lock(tmp_path, "cs101"),
        ):
            pass
        with tournament_lock(tmp_path, "cs102"):
            pass
    with tournament_lock(tmp_path, "cs101"):
        pass


def test_two_collects_into_one_file_at_the_same_time_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "cs101.collected.toml"
    with collecting_lock(tmp_path, file), tournament_lock(tmp_path, "cs101"):
        (tmp_path / "in").mkdir()
        same = tmp_path / "in" / ".." / file.name
        with pytest.raises(TournamentBusy, match="another process collects into"), collecting_lock(tmp_path, same):
            pass
        with collecting_lock(tmp_path, tmp_path / "cs102.collected.toml"):
            pass
    with collecting_lock(tmp_path, file):
        pass


# A match that ends when its test is decided.

BOUNDS = (0.0, 100.0)
ROUNDS = 40
NEEDED = next(pairs for pairs in count(1) if sprt([0, 0, 0, 0, pairs], *BOUNDS).verdict)
"""Number of pairs won by one player that decide the test."""


def ann_wins(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    return Verdict.NORMAL, None, tuple(float(entrant.name == "ann") for entrant in game.entrants)


def bob_wins(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    return Verdict.NORMAL, None, tuple(float(entrant.name == "bob") for entrant in game.entrants)


def drawn(_: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    return Verdict.NORMAL, None, (0.5, 0.5)


def describe_match(course: Course, *names: str, of: str | None = None, rounds: int = ROUNDS) -> None:
    """A match between these, in this order."""
    course.describe(
        format="match",
        players=[f"students/{name}.py" for name in names or ("ann", "bob")],
        rounds=rounds,
        sprt={"elo0": BOUNDS[0], "elo1": BOUNDS[1]} | ({} if of is None else {"of": of}),
    )


def statuses(course: Course) -> dict[str, int]:
    """The number of games of each status."""
    return dict(course.sql("SELECT status, COUNT(*) FROM game GROUP BY status"))


def decision(course: Course) -> Any:
    """The recorded decision."""
    return json.loads(course.sql("SELECT settings FROM tournament")[0][0]).get("decided")


@pytest.fixture
def match(course: Course) -> Course:
    describe_match(course)
    return course


def test_a_match_ends_when_its_test_is_decided(match: Course) -> None:
    tournament = match.run(ann_wins)
    assert tournament.is_over
    assert tournament.test is not None
    assert (tournament.test.verdict, tournament.test.pairs) == (Hypothesis.H1, NEEDED)
    assert (tournament.all, tournament.over) == (2 * NEEDED, 2 * NEEDED)
    assert statuses(match) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS - NEEDED)}
    assert match.sql("SELECT status FROM tournament") == [("finished",)]


@pytest.mark.parametrize(
    ("names", "of", "verdict"),
    [
        (("ann", "bob"), None, Hypothesis.H1),
        (("bob", "ann"), None, Hypothesis.H0),
        (("bob", "ann"), "ann", Hypothesis.H1),
        (("ann", "bob"), "bob", Hypothesis.H0),
    ],
    ids=["ann first", "bob first", "of ann", "of bob"],
)
def test_the_test_is_about_the_first_or_the_named_agent(
    course: Course, names: tuple[str, str], of: str | None, verdict: Hypothesis
) -> None:
    describe_match(course, *names, of=of)
    tournament = course.run(ann_wins)
    assert tournament.test is not None
    assert tournament.test.verdict is verdict


def test_a_match_that_is_never_decided_is_played_to_its_end(course: Course) -> None:
    describe_match(course, rounds=NEEDED - 1)
    tournament = course.run(ann_wins)
    assert tournament.is_over
    assert tournament.test is not None
    assert (tournament.test.verdict, tournament.test.pairs, decision(course)) == (None, NEEDED - 1, None)
    assert statuses(course) == {"finished": 2 * (NEEDED - 1)}
    describe_match(course, rounds=ROUNDS)  # one pairing more decides it
    assert course.run(ann_wins).is_over
    assert statuses(course) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS - NEEDED)}


@pytest.mark.parametrize("stop", range(2 * NEEDED + 1))
def test_a_match_that_is_killed_at_any_moment_ends_where_it_would_have(match: Course, stop: int) -> None:
    with match.opened() as tournament:
        for _ in range(stop):
            game = tournament.next()
            assert game is not None
            tournament.note(record(game, ann_wins))
        begun = [tournament.next() for _ in range(3)]  # in progress when it is killed, unless all is decided
    assert (begun == [None] * 3) is (stop == 2 * NEEDED)
    resumed = match.run(ann_wins)
    assert resumed.is_over
    assert resumed.test is not None
    assert (resumed.test.verdict, resumed.test.pairs) == (Hypothesis.H1, NEEDED)
    assert statuses(match) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS - NEEDED)}
    assert {attempt for _, _, attempt, _ in match.games()} == {1}


def test_a_decision_is_recorded_together_with_the_game_that_caused_it(
    match: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    match.run(ann_wins, most=2 * NEEDED - 1)
    with monkeypatch.context() as patched:
        patched.setattr(writing, "cancel", _killed)
        with pytest.raises(KeyboardInterrupt):
            match.run(ann_wins)
    assert decision(match) is None
    assert statuses(match) == {"finished": 2 * NEEDED - 1, "playing": 1, "scheduled": 2 * (ROUNDS - NEEDED)}
    assert match.run(ann_wins).is_over
    assert statuses(match) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS - NEEDED)}


def _killed(_: Any, __: int, pairs: list[str]) -> None:
    if pairs:
        raise KeyboardInterrupt


def test_a_disk_that_is_full_at_the_moment_of_decision_changes_nothing(
    match: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = [True, True]
    cancel = writing.cancel

    def failing(connection: Any, tournament: int, pairs: list[str]) -> None:
        cancel(connection, tournament, pairs)
        if pairs and full:
            full.pop()
            raise DiskFull("no room")

    monkeypatch.setattr(writing, "cancel", failing)
    assert match.run(ann_wins).is_over
    assert match.waits == ["no room", "no room"]
    assert statuses(match) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS - NEEDED)}


def test_games_in_progress_are_finished_and_do_not_change_the_decision(match: Course) -> None:
    match.run(ann_wins, most=2 * NEEDED - 1)
    with match.opened() as tournament:
        last, *others = [tournament.next() for _ in range(5)]
        assert last is not None
        tournament.note(record(last, ann_wins))
        decided = decision(match)
        assert decided["verdict"] == "H1"
        assert (tournament.over, tournament.all) == (2 * NEEDED, 2 * NEEDED + 4)
        for game in others:
            assert game is not None
            tournament.note(record(game, drawn))
        assert [tournament.next() for _ in range(5)] == [None] * 5
        tournament.close()
    assert tournament.is_over
    assert decision(match) == decided
    assert statuses(match) == {"finished": 2 * NEEDED + 4, "cancelled": 2 * (ROUNDS - NEEDED) - 4}
    assert match.run(ann_wins).is_over
    assert statuses(match)["finished"] == 2 * NEEDED + 4


def test_games_that_were_in_progress_when_a_referee_was_lost_are_cancelled_once_it_is_decided(match: Course) -> None:
    match.run(ann_wins, most=2 * NEEDED - 1)
    with match.opened() as tournament:
        last, *_ = [tournament.next() for _ in range(5)]
        assert last is not None
        tournament.note(record(last, ann_wins))
        tournament.interrupted()
        assert tournament.is_over
        assert tournament.next() is None
        tournament.close()
    assert statuses(match) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS - NEEDED)}


def test_a_void_game_is_not_played_again_once_it_is_decided(match: Course) -> None:
    match.run(ann_wins, most=2 * NEEDED - 1)
    with match.opened() as tournament:
        last, other = tournament.next(), tournament.next()
        assert last is not None
        assert other is not None
        tournament.note(record(last, ann_wins))
        tournament.note(record(other, lambda _: (Verdict.VOID, None, None)))
        assert tournament.is_over
        assert tournament.next() is None
        tournament.close()
    assert statuses(match) == {"finished": 2 * NEEDED, "void": 1, "cancelled": 2 * (ROUNDS - NEEDED)}


@pytest.mark.parametrize("what", ["void", "award"])
def test_a_pair_with_a_ruling_does_not_count(match: Course, what: str) -> None:
    match.run(ann_wins, most=2 * NEEDED - 1)
    with Database(str(match.folder / "arena.db")) as database, database.writing() as connection:
        writing.rule_on_game(connection, 1, what, "a reason", NOW, seat=0 if what == "award" else None)
    tournament = match.run(ann_wins)
    assert tournament.test is not None
    assert (tournament.test.verdict, tournament.test.pairs) == (Hypothesis.H1, NEEDED)
    assert statuses(match)["finished"] == 2 * NEEDED + 2


def test_no_later_ruling_undoes_a_decision(match: Course) -> None:
    before = match.run(ann_wins).test
    with Database(str(match.folder / "arena.db")) as database, database.writing() as connection:
        for game in range(1, 7):
            writing.rule_on_game(connection, game, "void", "a reason", NOW)
    again = match.run(drawn)
    assert again.is_over
    assert again.test == before
    assert statuses(match)["finished"] == 2 * NEEDED


def test_forfeits_decide_nothing(match: Course) -> None:
    match.run(ann_wins, most=4)
    with Database(str(match.folder / "arena.db")) as database, database.writing() as connection:
        writing.rule_on_entry(connection, 1, "bob", "withdraw", "left", NOW)
    tournament = match.run(ann_wins)
    assert tournament.is_over
    assert tournament.test is not None
    assert (tournament.test.verdict, tournament.test.pairs) == (None, 2)
    assert statuses(match) == {"finished": 2 * ROUNDS}


@pytest.mark.parametrize("quarantine", [0, 2 * NEEDED], ids=["none", "at once"])
def test_a_game_lost_by_a_fault_counts_like_any_other(match: Course, quarantine: int) -> None:
    match.describe(
        format="match", players=["students/ann.py", "students/bob.py"], rounds=ROUNDS, quarantine=quarantine,
        sprt={"elo0": BOUNDS[0], "elo1": BOUNDS[1]},
    )  # fmt: skip

    def bob_crashes(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        return Verdict.CRASHED, [entrant.name for entrant in game.entrants].index("bob"), ann_wins(game)[2]

    tournament = match.run(bob_crashes)
    assert tournament.test is not None
    assert (tournament.test.verdict, tournament.test.pairs) == (Hypothesis.H1, NEEDED)
    assert statuses(match) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS - NEEDED)}


def test_a_pair_with_a_game_that_stays_void_does_not_count(match: Course) -> None:
    def first_void(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        return (Verdict.VOID, None, None) if json.loads(str(game.identity[0]))[-1] == 0 and game.leg else ann_wins(game)

    tournament = match.run(first_void)
    assert tournament.is_over
    assert tournament.test is not None
    assert (tournament.test.verdict, tournament.test.pairs) == (Hypothesis.H1, NEEDED)
    at_the_end = {"finished": 2 * NEEDED + 1, "void": 3, "cancelled": 2 * (ROUNDS - NEEDED - 1)}
    assert statuses(match) == at_the_end
    assert match.run(ann_wins).tried_again == []  # the test is decided
    assert statuses(match) == at_the_end


def test_more_rounds_add_no_games_to_a_decided_match(match: Course) -> None:
    match.run(ann_wins)
    describe_match(match, rounds=ROUNDS + 5)
    assert match.run(ann_wins).is_over
    assert statuses(match) == {"finished": 2 * NEEDED, "cancelled": 2 * (ROUNDS + 5 - NEEDED)}


def test_a_changed_source_leaves_a_decision_as_it_is_unless_its_games_are_played_again(match: Course) -> None:
    match.run(ann_wins)
    match.write_agent("ann", "x = 1")
    assert match.run(drawn).is_over
    assert statuses(match)["finished"] == 2 * NEEDED
    tournament = match.run(bob_wins, rerun_changed=True)
    assert tournament.is_over
    assert tournament.test is not None
    assert tournament.test.verdict is Hypothesis.H0
    assert match.sql("SELECT status, COUNT(*) FROM game WHERE attempt = 2 GROUP BY status") == [
        ("cancelled", 2 * (ROUNDS - tournament.test.pairs)),
        ("finished", 2 * tournament.test.pairs),
    ]


def test_another_test_is_refused(match: Course) -> None:
    match.run(ann_wins, most=2)
    describe_match(match, "bob", "ann")
    with pytest.raises(BadLeague, match=r"sprt: of ann, .* -> of bob, "):
        match.run(ann_wins)


@pytest.mark.parametrize("number", range(tries(12, soak=200)))
def test_several_games_at_once_in_any_order_with_any_interruption_end_when_the_test_says_so(
    match: Course, number: int
) -> None:
    random = Random(number)
    at_once, strength = random.randint(1, 5), random.uniform(0.3, 0.9)
    noted: dict[tuple[str, int], float] = {}
    decided_after: int | None = None

    def outcome(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        drawn_for = Random(f"{number} {game.identity} {game.leg}")
        ann = 0.5 if drawn_for.random() < 0.2 else float(drawn_for.random() < strength)
        return Verdict.NORMAL, None, tuple(ann if entrant.name == "ann" else 1 - ann for entrant in game.entrants)

    def is_decided() -> bool:
        pairs = Counter(pair for pair, _ in noted)
        sums = Counter(noted[pair, 0] + noted[pair, 1] for pair, games in pairs.items() if games == 2)
        return sprt([sums[half / 2] for half in range(5)], *BOUNDS).verdict is not None

    for _ in range(1000):
        with match.opened() as tournament:
            running: list[Planned] = []
            while True:
                while len(running) < at_once and (game := tournament.next()) is not None:
                    assert decided_after is None or len(noted) == decided_after
                    running.append(game)
                if not running or random.random() < 0.05:
                    break  # the end, or killed
                game = running.pop(random.randrange(len(running)))
                points = outcome(game)[2]
                assert points is not None
                pair = str(game.identity[0])
                assert (pair, game.leg) not in noted
                noted[pair, game.leg] = points[[entrant.name for entrant in game.entrants].index("ann")]
                tournament.note(record(game, outcome))
                if decided_after is None and is_decided():
                    decided_after = len(noted)
            if tournament.is_over:
                break
    assert tournament.is_over
    played = {(pair, leg) for pair, leg, _, status in match.games() if status == "finished"}
    assert played == set(noted)
    assert statuses(match).get("cancelled", 0) == 2 * ROUNDS - len(noted)
    assert (decision(match) is None) is (decided_after is None)
    assert len(noted) == 2 * ROUNDS if decided_after is None else len(noted) < decided_after + at_once


@pytest.mark.parametrize("number", range(tries(6, soak=300)))
def test_games_that_wait_for_others_are_played_once_whatever_happens(course: Course, number: int) -> None:
    random = Random(number)
    for name in ("dan", "eve"):
        course.write_agent(name)
    course.describe(quarantine=2, rounds=2)
    noted = Counter[tuple[str, int]]()
    for _ in range(1000):
        with course.opened() as tournament:
            _play_with_waiting_games(tournament, random, noted)
            if tournament.is_over:
                tournament.close()
                break
    assert tournament.is_over
    finished = course.sql("SELECT pair, leg FROM game WHERE status = 'finished' AND verdict <> 'forfeit'")
    assert Counter(finished) == noted == Counter(set(noted))
    assert course.sql("SELECT COUNT(DISTINCT pair || leg) FROM game WHERE status IN ('finished', 'void')") == [(40,)]
    assert course.sql("SELECT COUNT(*) FROM game WHERE status IN ('playing', 'scheduled')") == [(0,)]
    assert course.sql("SELECT COUNT(*) FROM game WHERE verdict <> 'forfeit' AND started IS NULL") == [(0,)]


def _play_with_waiting_games(tournament: Tournament, random: Random, noted: Counter[tuple[str, int]]) -> None:
    """Does what a director does, with any results, until nothing is left or the run is killed."""
    at_once = random.randint(1, 4)
    running: list[Planned] = []
    waiting: dict[int, Planned] = {}
    while random.random() > 0.02:
        while len(running) < at_once:
            if (game := tournament.next()) is not None:
                assert not {entrant.name for entrant in game.entrants} & set(tournament.quarantined)
                running.append(game)
            elif waiting:
                _give_back(tournament, waiting)
            else:
                break
        for game in running:
            if game.number not in waiting and (ahead := tournament.ahead()) is not None:
                waiting[game.number] = ahead
        if not running:
            return
        if random.random() < 0.05:
            running.clear()
            waiting.clear()
            tournament.interrupted()
            continue
        game = running.pop(random.randrange(len(running)))
        verdict = random.choices([Verdict.NORMAL, Verdict.CRASHED, Verdict.VOID], [8, 1, 1])[0]
        waited = waiting.pop(game.number, None)
        if verdict is Verdict.NORMAL and waited is not None:
            running.append(waited)
            tournament.begun(waited, datetime.now(UTC))
        elif waited is not None:
            tournament.give_back(waited)
        if verdict is not Verdict.NORMAL:
            for before in random.sample(sorted(waiting), random.randint(0, len(waiting))):
                running.append(waiting[before])  # it has begun, and the end of the game before it is not read yet
                tournament.begun(waiting.pop(before), datetime.now(UTC))
            _give_back(tournament, waiting)
        points = None if verdict is Verdict.VOID else (1.0, 0.0)
        fault = 1 if verdict is Verdict.CRASHED else None
        tournament.note(record(game, lambda _, end=(verdict, fault, points): end))  # type: ignore[misc]
        if verdict is not Verdict.VOID:
            noted[str(game.identity[0]), game.leg] += 1


def _give_back(tournament: Tournament, waiting: dict[int, Planned]) -> None:
    for game in reversed(waiting.values()):
        tournament.give_back(game)
    waiting.clear()
