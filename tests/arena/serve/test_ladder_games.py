"""The games of a ladder: every pair's two games are recorded exactly once, whatever happens in between."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace as replace_struct
from sqlalchemy import Pool, event

from agents.protocol import Verdict
from arena.errors import BadFixture
from arena.match.openings import Book, Opening
from arena.match.schedule import MOST_ATTEMPTS, Finished, Planned
from arena.players.entrants import Confinement
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.ratings import scale
from arena.serve.ladder import Anchor, Ladder
from arena.serve.ladder_games import LadderGames
from arena.serve.open_ladders import open_ladder, opened
from arena.tournament import league as leagues
from db import ladder, ladder_results, running, store
from db.database import Database
from tests.arena.tournament.test_tournament import Play, first_wins, record
from tests.kit import broken_games
from tests.kit.built_agent import LANGUAGES, built_agent
from tests.kit.effort import tries

NOW = datetime(2026, 11, 1, tzinfo=UTC)
ANCHORS = {"random": 0.0, "alphabeta:depth=2": 400.0}


class Stand:
    """An open ladder, runs of it without processes, and authors who hand in."""

    def __init__(self, folder: Path, *, quarantine: int = 3, openings: int = 1, game: str = "tictactoe") -> None:
        self.folder = folder
        self.waits: list[str] = []
        self.said: list[str] = []
        self.store = Store(folder / "arena.store")
        league = leagues.from_arguments(
            game, [*ANCHORS], name="cs101", seed=7, quarantine=quarantine, openings=openings
        )
        league = replace(league, agents=())
        ladder = Ladder(
            league=league,
            opens=None,
            closes=NOW + timedelta(days=30),
            anchors=tuple(Anchor(name, name, rating) for name, rating in ANCHORS.items()),
            final=league,
        )
        with self.database() as database, database.writing() as connection:
            open_ladder(connection, ladder, rules=self.store.take_game(game), ratings=ANCHORS, now=NOW)

    def database(self) -> Database:
        return Database(str(self.folder / "arena.db"))

    def hand_in(self, name: str, text: str = "pass") -> None:
        """A submission of `name` that has passed its check."""
        path = self.folder / f"{name}.py"
        path.write_text(f"# {name}\n{text}", "utf-8")
        source = self.store.take(read_player(str(path))).hash
        with self.database() as database, database.writing() as connection:
            version = store.version(connection, name, source, str(path), NOW)
            store.enter(connection, 1, name, version)
            store.set_entry_status(connection, 1, name, "active")
            ladder_results.cancel_replaced(connection, 1)

    def set_status(self, name: str, status: str) -> None:
        with self.database() as database, database.writing() as connection:
            store.set_entry_status(connection, 1, name, status)

    @contextmanager
    def running(self, seed: int = 1) -> Iterator[LadderGames]:
        """The ladder, as a process has it; leaving without `close` is a kill."""
        with self.database() as database:
            with database.reading() as connection:
                ladder = opened(connection)
            confinement = Confinement(self.folder / "scratch", ladder.rules)
            yield LadderGames(
                *(ladder, database, self.store, confinement),
                wait=self.waits.append,
                say=self.said.append,
                random=Random(seed),
            )

    def sql(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(self.folder / "arena.db")) as connection:
            return connection.execute(query).fetchall()

    def statuses(self) -> dict[str, int]:
        return dict(self.sql("SELECT status, COUNT(*) FROM game GROUP BY status"))


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    stand = Stand(tmp_path)
    for name in ("ann", "bob", "cid"):
        stand.hand_in(name)
    return stand


def begin(games: LadderGames) -> Planned:
    """The next game, in the order in which the standing director asks."""
    game = games.placements.next() or games.next()
    assert game is not None
    return game


def play(games: LadderGames, how: Play = first_wins, *, most: int = 1) -> list[Planned]:
    """Plays that many games, one after the other."""
    played = []
    for _ in range(most):
        played.append(begin(games))
        games.note(record(played[-1], how))
    return played


def names(game: Planned) -> tuple[str, ...]:
    return tuple(entrant.name for entrant in game.entrants)


def crashes(name: str) -> Play:
    """This agent crashes in all its games."""

    def result(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
        if name not in names(game):
            return first_wins(game)
        seat = names(game).index(name)
        return Verdict.CRASHED, seat, tuple(float(at != seat) for at in range(2))

    return result


def void(_: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    return Verdict.VOID, None, None


def rules_fail(games: LadderGames, game: Planned) -> None:
    """The game ends because the rules failed."""
    over = record(game, void)
    games.note(replace(over, record=replace_struct(over.record, detail="the rules failed: ZeroDivisionError")))


def test_a_pair_is_two_games_with_the_same_opening_and_swapped_seats(stand: Stand) -> None:
    with stand.running() as games:
        for _ in range(30):
            first, second = play(games, most=2)
            assert names(first) == names(second)[::-1]
            assert first.identity == second.identity
            assert (first.leg, second.leg) == (0, 1)
            assert first.opening == second.opening
            assert len(first.opening) == 1
        assert games.is_idle
    assert stand.statuses() == {"finished": 60}
    assert stand.sql("SELECT MIN(number), MAX(number), COUNT(DISTINCT number) FROM game") == [(1, 60, 60)]


def test_the_same_agents_do_not_get_an_opening_twice_until_they_had_all(stand: Stand) -> None:
    with stand.running() as games:
        play(games, most=160)
    openings: dict[str, list[str]] = {}
    for pair, opening in stand.sql("SELECT pair, opening FROM game WHERE leg = 0 ORDER BY number"):
        openings.setdefault(str(json.loads(pair)[:2]), []).append(opening)
    assert max(map(len, openings.values())) >= 4
    for seen in openings.values():
        assert len(set(seen)) == min(len(seen), 9)


def test_new_versions_play_anchors_first_and_both_schedules_share_the_pairs(stand: Stand) -> None:
    with stand.running() as games:
        assert games.next() is None
        while (game := games.placements.next()) is not None:
            assert set(names(game)) & ANCHORS.keys()
            games.note(record(game, first_wins))
        assert stand.statuses() == {"finished": 3 * 8 * 2}
        first = games.next()
        assert first is not None
        second = games.next()
        assert second is not None
        assert first.identity == second.identity
        games.placements.note(record(first, first_wins))
        games.note(record(second, first_wins))
        assert games.is_idle


def test_a_killed_run_goes_on_with_the_games_in_progress_as_the_same_attempts(stand: Stand) -> None:
    with stand.running() as games:
        begun = [begin(games) for _ in range(3)]
    with stand.running() as games:
        again = play(games, most=4)
        assert games.is_idle
    assert [game.number for game in again[:3]] == [game.number for game in begun]
    assert {game.attempt for game in again} == {1}
    assert stand.statuses() == {"finished": 4}


def test_a_closed_run_leaves_no_game_in_progress(stand: Stand) -> None:
    with stand.running() as games:
        begin(games)
        games.close()
    assert stand.statuses() == {"scheduled": 2}
    assert stand.sql("SELECT status FROM tournament") == [("stopped",)]


def test_after_finish_only_the_pairs_in_progress_are_played(stand: Stand) -> None:
    with stand.running() as games:
        game = begin(games)
        games.is_closed = True
        over = [games.is_over]
        games.note(record(game, first_wins))
        over.append(games.is_over)
        play(games)
        over.append(games.is_over)
        assert over == [False, False, True]
        assert games.placements.next() is None
        assert games.next() is None
        games.is_closed = False
        assert not games.is_over
        assert begin(games).identity != game.identity


def test_a_closed_ladder_is_over_also_if_another_process_cancelled_its_last_game(stand: Stand) -> None:
    with stand.running() as games:
        game = begin(games)
        games.is_closed = True
        games.note(record(game, first_wins))
        with stand.database() as database, database.writing() as connection:
            store.cancel_attempts(connection, [one.id for one in running.scheduled(connection, 1, 9)])
        assert not games.is_over, "it does not know yet"
        assert games.next() is None
        assert games.is_over


def test_the_errors_of_ratings_are_half_intervals_in_the_database_and_standard_errors_for_the_pairing(
    stand: Stand,
) -> None:
    with stand.running() as games:
        version = games._versions["ann"]
        with stand.database() as database, database.writing() as connection:
            ladder.add_ratings(connection, 1, [ladder.NewRating(version, 50.0, scale.WIDTH * 100.0, 8)], NOW)
        games.reload()
        (ann,) = (one for one in games._state().candidates if one.name == "ann")
        assert ann.rating == 50.0
        assert ann.error == pytest.approx(100.0)


def test_a_new_version_cancels_what_has_not_begun_and_games_in_progress_count_for_the_old_one(stand: Stand) -> None:
    with stand.running() as games:
        game = begin(games)
        (author,) = set(names(game)) - ANCHORS.keys()
        stand.hand_in(author, "x = 2")
        games.reload()
        assert stand.statuses() == {"playing": 1, "cancelled": 1}
        games.note(record(game, first_wins))
        assert games.is_idle
        old = f"SELECT version.number FROM seat JOIN version ON version.id = seat.version WHERE name = '{author}'"
        assert stand.sql(f"{old} AND points IS NOT NULL") == [(1,)]
        while author not in names(later := begin(games)):
            games.note(record(later, first_wins))
        assert stand.sql(f"{old} AND game = {later.number}") == [(2,)]


@pytest.mark.parametrize("lost", ["void", "interrupted", "killed"])
def test_a_game_of_a_replaced_version_that_was_lost_is_not_played_again(stand: Stand, lost: str) -> None:
    with stand.running() as games:
        game = begin(games)
        (author,) = set(names(game)) - ANCHORS.keys()
        stand.hand_in(author, "x = 2")
        if lost != "killed":
            games.reload()
            if lost == "void":
                games.note(record(game, void))
            else:
                games.interrupted()
            assert games.is_idle
    with stand.running() as games:
        assert games.is_idle
        assert stand.statuses() == ({"void": 1, "cancelled": 2} if lost == "void" else {"cancelled": 2})


def test_a_void_game_is_played_again_at_most_three_times(stand: Stand) -> None:
    with stand.running() as games:
        attempts = [game.attempt for game in play(games, void, most=2 * MOST_ATTEMPTS)]
        assert games.is_idle
    assert sorted(attempts) == [1, 1, 2, 2, 3, 3]
    assert stand.statuses() == {"void": 2 * MOST_ATTEMPTS}


def test_a_game_whose_rules_fail_is_not_played_again_and_the_ladder_goes_on(stand: Stand) -> None:
    with stand.running() as games:
        game = begin(games)
        rules_fail(games, game)
        (other_leg,) = play(games, most=1)
        assert (other_leg.identity, other_leg.leg) == (game.identity, 1)
        assert games.is_idle
    with stand.running() as games:
        assert games.is_idle
        assert begin(games).identity != game.identity
    assert stand.statuses() == {"void": 1, "finished": 1, "playing": 1, "scheduled": 1}


def test_rules_that_fail_in_every_game_begin_no_pair_after_three_games_until_the_next_run(stand: Stand) -> None:
    for run in range(1, 3):
        with stand.running() as games:
            played = 0
            while (game := games.placements.next() or games.next()) is not None:
                rules_fail(games, game)
                played += 1
                assert played < 10
            assert games.is_idle
            assert games.next() is None
        assert len(stand.said) == run
        assert stand.said[-1].startswith("the rules failed 3 times in a row, so no more pairs begin. Start the server")
        assert stand.said[-1].endswith("(the rules failed: ZeroDivisionError)")
    assert stand.statuses() == {"void": 8}, "both games of each pair that was begun"


def test_rules_that_fail_now_and_then_stop_nothing(stand: Stand) -> None:
    with stand.running() as games:
        for number in range(30):
            game = begin(games)
            if number % 3:
                rules_fail(games, game)
            else:
                games.note(record(game, first_wins))
    assert stand.said == []
    assert stand.statuses()["void"] == 20


def test_rules_that_fail_in_every_opening_neither_end_the_server_nor_keep_it_busy(tmp_path: Path) -> None:
    stand = Stand(tmp_path, game=broken_games.written(tmp_path, "Leaves"), openings=2)
    for name in ("ann", "bob", "cid"):
        stand.hand_in(name)
    with stand.running() as games:
        assert games.placements.next() is None
        assert games.next() is None
        assert games.is_idle
    *aside, broken = stand.said
    assert len(aside) == 3
    assert all("do not meet in this run: the rules failed: SystemExit: 3 (odd.py" in text for text in aside)
    assert broken.startswith("the rules failed 3 times in a row")
    assert stand.statuses() == {}


def test_a_pair_without_an_opening_is_put_aside_and_all_others_play(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = Book.opening

    def fails_for_ann_and_bob(book: Book, cycle: int, *players: str) -> Opening:
        if {*players} == {"ann", "bob"}:
            raise BadFixture("the rules failed: ZeroDivisionError, in an opening")
        return opening(book, cycle, *players)

    monkeypatch.setattr(Book, "opening", fails_for_ann_and_bob)
    with stand.running() as games:
        met = Counter(frozenset(names(game)) for game in play(games, most=150))
    assert frozenset({"ann", "bob"}) not in met
    assert {frozenset({"ann", "cid"}), frozenset({"bob", "cid"})} <= met.keys()
    (said,) = stand.said
    assert sorted(said.partition(" do")[0].split(" and ")) == ["ann", "bob"]


def test_a_new_ruling_is_followed_at_the_next_look(stand: Stand) -> None:
    with stand.running() as games:
        begin(games)
        with stand.database() as database, database.writing() as connection:
            for name in ("ann", "bob", "cid"):
                store.rule_on_entry(connection, 1, name, "withdraw", "left the course", NOW)
        assert games._lines.keys() == {"ann", "bob", "cid", *ANCHORS}
        games.look(games.opened)
        assert games._lines.keys() == {*ANCHORS}
        with stand.database() as database, database.writing() as connection:
            store.rule_on_entry(connection, 1, "bob", "release", "came back", NOW)
        games.look(games.opened)
        assert games._lines.keys() == {"bob", *ANCHORS}


def test_faults_in_a_row_put_an_agent_aside_until_its_next_submission(stand: Stand) -> None:
    with stand.running() as games:
        play(games, crashes("ann"), most=40)
        assert games.quarantined == ["ann"]
    faults = "SELECT COUNT(*) FROM game JOIN seat ON seat.game = game.id AND seat.seat = game.fault WHERE name = 'ann'"
    assert stand.sql(faults) == [(3,)]
    assert stand.sql("SELECT COUNT(*) FROM game WHERE verdict = 'forfeit'") == [(0,)]
    assert stand.statuses()["cancelled"] == 1
    assert stand.sql("SELECT name, status FROM entry WHERE status <> 'active'") == [("ann", "quarantined")]
    with stand.running() as games:
        assert not any("ann" in names(game) for game in play(games, most=20))
        stand.hand_in("ann", "mended = True")
        games.reload()
        assert any("ann" in names(game) for game in play(games, crashes("ann"), most=2))
        assert games.quarantined == []  # the faults of the old version do not count


def test_faults_are_counted_across_restarts(stand: Stand) -> None:
    for _ in range(3):
        with stand.running() as games:
            while "ann" not in names(play(games, crashes("ann"))[0]):
                pass
    assert games.quarantined == ["ann"]


def test_faults_of_a_replaced_version_and_of_anchors_put_nobody_aside(tmp_path: Path) -> None:
    stand = Stand(tmp_path, quarantine=1)
    for name in ("ann", "bob", "cid"):
        stand.hand_in(name)
    with stand.running() as games:
        for name in ANCHORS:
            play(games, crashes(name), most=20)
        begun = [begin(games) for _ in range(8)]
        assert any("ann" in names(game) for game in begun)
        stand.hand_in("ann", "x = 2")
        games.reload()
        for game in begun:
            games.note(record(game, crashes("ann")))
        assert games.quarantined == []


def test_an_agent_that_another_process_has_withdrawn_is_not_paired(stand: Stand) -> None:
    with stand.running() as games:
        for name in ("ann", "bob"):
            stand.set_status(name, "withdrawn")
        assert {name for game in play(games, most=20) for name in names(game)} == {"cid", *ANCHORS}
    assert "cancelled" not in stand.statuses()


def test_an_agent_that_was_withdrawn_meanwhile_is_not_put_aside_instead(tmp_path: Path) -> None:
    stand = Stand(tmp_path, quarantine=1)
    stand.hand_in("ann")
    with stand.running() as games:
        game = begin(games)
        stand.set_status("ann", "withdrawn")
        games.note(record(game, crashes("ann")))
        assert games.is_idle
    assert stand.sql("SELECT status FROM entry WHERE name = 'ann'") == [("withdrawn",)]


def test_an_agent_that_another_process_has_released_plays_again(stand: Stand) -> None:
    for name in ("ann", "bob", "cid"):
        stand.set_status(name, "withdrawn")
    with stand.running() as games:
        assert games.next() is None
        stand.set_status("bob", "active")
        asked = [part.next() for part in (games.placements, games, games.placements)]
        assert [game is not None and "bob" in names(game) for game in asked] == [False, False, True]


def test_agents_in_other_languages_have_the_walls_and_limits_of_their_language(stand: Stand, tmp_path: Path) -> None:
    source, started_as = built_agent(stand.store, tmp_path)
    with stand.running() as games:
        games.opened = replace_struct(games.opened, ladder=replace_struct(games.opened.ladder, languages=LANGUAGES))
        with stand.database() as database, database.writing() as connection:
            store.enter(connection, 1, "dan", store.version(connection, "dan", source, started_as, NOW))
        games.reload()
        assert games.left_out == {}
        entrant = games._entrants[games._versions["dan"]]
    assert entrant.walls == LANGUAGES["sh"].walls
    assert entrant.settings is not None
    assert entrant.settings["walls"]["allowance"]["threads"] == 99


def test_a_built_in_agent_that_is_no_anchor_plays_too(stand: Stand) -> None:
    with stand.database() as database, database.writing() as connection:
        store.enter(connection, 1, "dan", store.version(connection, "dan", "random", "random", NOW))
    with stand.running() as games:
        assert any("dan" in names(game) for game in play(games, most=10))


def test_an_agent_whose_copy_is_damaged_is_left_out_and_others_play(stand: Stand) -> None:
    with stand.running() as games:
        begun = begin(games)
        (author,) = set(names(begun)) - ANCHORS.keys()
    ((source,),) = stand.sql(f"SELECT source FROM version WHERE started_as LIKE '%{author}.py'")
    (stand.store.folder / source).chmod(0o700)
    shutil.move(stand.store.folder / source, stand.folder / "away")
    with stand.running() as games:
        assert "enter it again" in games.left_out[author]
        assert games.is_idle
        assert not any(author in names(game) for game in play(games, most=10))
        shutil.move(stand.folder / "away", stand.store.folder / source)
        games.reload()
        assert games.left_out == {}
        assert begin(games).number == begun.number


def test_when_the_store_is_lost_nobody_loses_a_game_and_all_play_when_it_is_back(stand: Stand) -> None:
    with stand.running() as games:
        play(games, most=1)
        shutil.move(stand.store.folder, stand.folder / "away")
        assert games.placements.next() is None
        assert games.next() is None
        # An agent whose second game waits is not chosen for another one.
        assert len(games.left_out) >= len(games._versions.keys() - ANCHORS.keys()) - 1
        shutil.move(stand.folder / "away", stand.store.folder)
        games.reload()  # as after new ratings
        assert games.left_out == {}
        assert len(play(games, most=5)) == 5


def test_two_agents_of_an_author_never_meet(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    for name in ("ann", "ann.second", "bob"):
        stand.hand_in(name)
    with stand.running() as games:
        met = {frozenset(names(game)) for game in play(games, most=120)}
    assert frozenset({"ann", "ann.second"}) not in met
    assert frozenset({"ann.second", "bob"}) in met


def test_a_game_costs_the_database_the_same_after_sixty_games_and_after_six_thousand(tmp_path: Path) -> None:
    steps = []
    for number in (60, 6000):
        folder = tmp_path / str(number)
        folder.mkdir()
        stand = Stand(folder)
        for name in ("ann", "bob", "cid"):
            stand.hand_in(name)
        played_before(stand, number)
        with counting_steps() as counted, stand.running() as games:
            counted.clear()
            play(games, most=40)
        steps.append(len(counted))
    few, many = steps
    assert 1000 < many < 1.2 * few


def played_before(stand: Stand, number: int) -> None:
    """Records that many games, without moves."""
    versions = dict(stand.sql("SELECT name, version FROM entry WHERE name IN ('ann', 'bob', 'cid')"))
    meetings = Counter[tuple[str, str]]()
    with closing(sqlite3.connect(stand.folder / "arena.db")) as connection, connection:
        for game in range(1, number + 1, 2):
            both = (("ann", "bob"), ("ann", "cid"), ("bob", "cid"))[game % 3]
            for leg, seated in enumerate((both, both[::-1])):
                pair = json.dumps([*both, meetings[both]])
                connection.execute(
                    "INSERT INTO game (id, tournament, number, pair, leg, attempt, rules, clock, seed, status, verdict,"
                    " finished) VALUES (?, 1, ?, ?, ?, 1, 'tictactoe', '10', '7', 'finished', 'normal', '2026')",
                    (game + leg, game + leg, pair, leg),
                )
                seats = [(game + leg, seat, versions[name], name) for seat, name in enumerate(seated)]
                connection.executemany("INSERT INTO seat (game, seat, version, name) VALUES (?, ?, ?, ?)", seats)
            meetings[both] += 1


@contextmanager
def counting_steps() -> Iterator[list[None]]:
    """Counts what SQLite's virtual machine executes on connections that are opened inside: an element for every ten
    instructions."""
    steps: list[None] = []

    def connected(connection: Any, *_: object) -> None:
        connection.set_progress_handler(lambda: steps.append(None), 10)

    event.listen(Pool, "checkout", connected)
    try:
        yield steps
    finally:
        event.remove(Pool, "checkout", connected)


class Life:
    """A ladder in which anything happens: kills, lost referees, new versions, faults, void games, withdrawals."""

    def __init__(self, stand: Stand, number: int) -> None:
        self.stand = stand
        self.random = Random(number)
        self.noted = Counter[tuple[str, int]]()
        self.versions = 0

    def run(self, events: int) -> None:
        """One process, up to its kill."""
        with self.stand.running(self.random.randrange(1000)) as games:
            playing: list[Planned] = []
            for _ in range(events):
                self.happens(games, playing)
            games.interrupted()
            fresh = state_of(games)
        with self.stand.running() as games:
            assert state_of(games) == fresh

    def happens(self, games: LadderGames, playing: list[Planned]) -> None:
        what = self.random.random()
        if what < 0.04:
            playing.clear()
            games.interrupted()
        elif what < 0.1:
            self.versions += 1
            name = self.random.choice(("ann", "bob", "cid", "dan"))
            self.stand.hand_in(name, f"x = {self.versions}")
            games.reload()
        elif what < 0.13:
            self.stand.set_status("bob", self.random.choice(("active", "withdrawn")))
        elif what < 0.55 and len(playing) < 4:
            part = self.random.choice((games.placements, games))
            if (game := part.next()) is not None:
                playing.append(game)
        elif playing:
            self.ends(games, playing.pop(self.random.randrange(len(playing))))

    def ends(self, games: LadderGames, game: Planned) -> None:
        verdict = self.random.choices([Verdict.NORMAL, Verdict.CRASHED, Verdict.VOID], [7, 2, 1])[0]
        points = None if verdict is Verdict.VOID else (1.0, 0.0)
        fault = 1 if verdict is Verdict.CRASHED else None
        end: Callable[[Planned], Any] = lambda _: (verdict, fault, points)  # noqa: E731
        finished: Finished = record(game, end)
        games.note(finished)
        if verdict is not Verdict.VOID:
            self.noted[str(game.identity[0]), game.leg] += 1


def state_of(games: LadderGames) -> object:
    """What decides who plays next, in a form that can be compared."""
    games.reload()
    state = games._state()
    candidates = sorted(state.candidates, key=lambda one: one.name)
    return candidates, state.met, state.now, games._open, games._scheduled


@pytest.mark.parametrize("number", range(tries(6, soak=300)))
def test_every_game_is_recorded_once_whatever_happens(stand: Stand, number: int) -> None:
    life = Life(stand, number)
    for _ in range(4):
        life.run(40)
    with stand.running() as games:
        games.is_closed = True
        while (game := games.placements.next() or games.next()) is not None:
            life.ends(games, game)
        assert games.is_idle
        games.close()
    finished = stand.sql("SELECT pair, leg FROM game WHERE status = 'finished'")
    assert Counter(finished) == life.noted == Counter(set(life.noted))
    assert not {"playing", "scheduled"} & stand.statuses().keys()
    # Of every pair both games were played; or one was cancelled, or void three times.
    attempts: dict[tuple[str, int], list[str]] = {}
    for pair, leg, status in stand.sql("SELECT pair, leg, status FROM game ORDER BY pair, leg, attempt"):
        attempts.setdefault((pair, leg), []).append(status)
    assert {(pair, 1 - leg) for pair, leg in attempts} == attempts.keys()
    for *before_last, last in attempts.values():
        assert set(before_last) <= {"void"}
        assert last in ("finished", "cancelled") or (last == "void" and len(before_last) == MOST_ATTEMPTS - 1)
    assert stand.sql("SELECT COUNT(*) FROM game WHERE verdict = 'forfeit'") == [(0,)]
