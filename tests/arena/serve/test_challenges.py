"""Challenges: who may start one and when, in which order they are played, and that they change nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.errors import BadChallenge
from arena.match.schedule import Planned
from arena.serve import challenges as serve
from arena.serve.challenges import Challenges
from arena.serve.ladder_games import LadderGames
from arena.serve.open_ladders import OpenLadder, opened
from arena.serve.priority_schedule import PrioritySchedule
from arena.serve.rating import LadderRatings
from db import ladder, store
from db import ladder as challenges
from db.database import Database
from db.records import GameKind
from tests.arena.serve.test_ladder_games import NOW, Stand
from tests.arena.tournament.test_tournament import Play, first_wins, record
from tests.kit.effort import tries

LATER = NOW + timedelta(days=3)


@dataclass
class Run:
    """A director's schedules in their order, without processes."""

    games: LadderGames
    challenges: Challenges
    turns: PrioritySchedule

    def begin(self) -> Planned:
        game = self.turns.next()
        assert game is not None
        return game

    def play(self, how: Play = first_wins) -> Planned:
        game = self.begin()
        self.turns.note(record(game, how))
        return game


class Room(Stand):
    """A ladder whose authors challenge."""

    now = LATER
    terms: dict[str, Any]

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(folder, **options)
        self.terms = {}
        for name in ("ann", "bob", "cid"):
            self.hand_in(name)

    def ladder(self, database: Database) -> OpenLadder:
        with database.reading() as connection:
            found = opened(connection)
        return replace(found, ladder=replace(found.ladder, **self.terms))

    def challenge(self, agent: str, opponent: str = "bob", *, author: str = "") -> int:
        with self.database() as database:
            ladder = self.ladder(database)
            return serve.challenge(database, ladder, author or agent, agent, opponent, self.now)

    def refusal(self, agent: str, opponent: str = "bob", *, author: str = "") -> str:
        with pytest.raises(BadChallenge) as refused:
            self.challenge(agent, opponent, author=author)
        return str(refused.value)

    @contextmanager
    def run(self, seed: int = 1) -> Iterator[Run]:
        """Leaving it is a kill."""
        with self.running(seed) as games, self.database() as database:
            ladder = self.ladder(database)
            found = Challenges(ladder, database, games.player, wait=pytest.fail, now=lambda: self.now)
            yield Run(games, found, PrioritySchedule([found, games.placements, games, found.otherwise]))

    def end(self, game: int) -> None:
        """The challenge is over."""
        self.sql_now(f"UPDATE game SET status = 'finished', verdict = 'normal' WHERE id = {game}")

    def sql_now(self, statement: str) -> None:
        with self.database() as database, database.writing() as connection:
            connection.exec_driver_sql(statement)

    def became(self, game: int) -> tuple[str, str]:
        """The status of the game, and why it was not played."""
        ((status, words),) = self.sql(
            f"SELECT game.status, challenge.words FROM game JOIN challenge ON game = game.id WHERE game.id = {game}"
        )
        return status, words


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


# Who may start one.


CLOSES = NOW + timedelta(days=30)


@pytest.mark.parametrize(
    ("prepare", "agent", "opponent", "why"),
    [
        (lambda room: room.terms.update(challenges=0), "ann", "bob", "challenges are turned off on this ladder"),
        (lambda room: setattr(room, "now", NOW - timedelta(1)), "ann", "bob", "the ladder is not open yet: it opens"),
        (
            lambda room: setattr(room, "now", CLOSES - timedelta(hours=24)),
            *(
                "ann",
                "bob",
                "there are no challenges in the last 24 hours of a ladder, and this one closes on",
            ),
        ),
        (lambda room: setattr(room, "now", CLOSES + timedelta(1)), "ann", "bob", "there are no challenges in the last"),
        (
            lambda room: room.sql_now(
                "INSERT INTO tournament (name, format, rules, clock, seed, settings, status, created) "
                "VALUES ('cs101 final', 'swiss', 'nim', 'none', '1', '{}', 'running', '')"
            ),
            *("ann", "bob", "the final has begun, so there are no more challenges"),
        ),
        (lambda _: None, "dan", "bob", "no version of your agent plays on this ladder yet: hand one in first"),
        (
            lambda room: room.set_status("ann", "quarantined"),
            *(
                "ann",
                "bob",
                "your agent was put aside after faults in a row; hand in a version without the fault",
            ),
        ),
        (lambda room: room.set_status("ann", "withdrawn"), "ann", "bob", "your agent was withdrawn by the instructor"),
        (lambda _: None, "ann", "ann", "choose an opponent other than your agent"),
        (
            lambda room: room.set_status("bob", "quarantined"),
            *("ann", "bob", "the opponent was put aside after faults in a row, so it cannot play now"),
        ),
        (lambda _: None, "ann", "zoe", "there is no such opponent"),
        (lambda _: None, "ann", "alphabeta:depth=30", "there is no such opponent"),
        (lambda _: None, "ann", "cfr", "there is no such opponent"),
        (
            lambda room: room.challenge("ann"),
            "ann",
            "cid",
            "you can have one challenge at a time, and game 1 is",
        ),
    ],
)
def test_a_challenge_that_is_not_possible_says_why(
    room: Room, prepare: Callable[[Room], object], agent: str, opponent: str, why: str
) -> None:
    prepare(room)
    before = room.sql("SELECT COUNT(*) FROM challenge")
    assert room.refusal(agent, opponent).startswith(why)
    assert room.sql("SELECT COUNT(*) FROM challenge") == before


@pytest.mark.parametrize("opponent", ["bob", "random", "alphabeta:depth=2", "minimax"])
def test_opponents_are_agents_of_the_ladder_anchors_and_built_in_agents(room: Room, opponent: str) -> None:
    with room.database() as database, database.reading() as connection:
        agents, built_in = serve.opponents(connection, opened(connection))
    assert opponent in (*agents, *built_in)
    assert {*agents} == {"ann", "bob", "cid", "random", "alphabeta:depth=2"}
    game = room.challenge("ann", opponent)
    with room.run() as run:
        planned = run.play()
    assert (planned.number, {one.name for one in planned.entrants}) == (game, {"ann", opponent})
    assert room.became(game) == ("finished", "")


def test_nobody_challenges_with_the_agent_of_another_author(room: Room) -> None:
    assert room.refusal("bob", "cid", author="ann").startswith("no version of your agent plays")
    room.hand_in("ann.two")
    room.challenge("ann.two", "ann", author="ann")


def test_the_limit_is_that_of_a_day_in_the_time_zone_of_the_ladder(room: Room) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    room.terms = {"challenges": 2, "closes": datetime(2026, 11, 30, 23, 59, tzinfo=berlin)}
    room.now = datetime(2026, 11, 5, 22, 58, tzinfo=UTC)  # 23:58 in Berlin
    for _ in range(2):
        room.end(room.challenge("ann"))
    assert room.refusal("ann") == (
        "at most 2 challenges a day: the next one is possible in 2 min, on 2026-11-05 at 23:00:00 UTC"
    )
    room.challenge("bob", "ann")  # each person has an own limit
    room.now = datetime(2026, 11, 5, 23, 0, tzinfo=UTC)
    room.challenge("ann")


def test_the_limit_is_that_of_a_plain_count(room: Room) -> None:
    """Random starts over days, one of which has 25 hours, each against a count of the dates in the ladder's zone."""
    berlin = ZoneInfo("Europe/Berlin")
    room.terms = {"closes": datetime(2026, 11, 30, tzinfo=berlin), "opens": datetime(2026, 10, 1, tzinfo=UTC)}
    for seed in range(tries(3)):
        drawn = Random(seed)
        author = f"author{seed}"
        room.hand_in(author)
        room.now = datetime(2026, 10, 24, tzinfo=UTC)
        room.terms |= {"challenges": drawn.randint(1, 4)}
        made: list[Any] = []
        for _ in range(25):
            room.now += timedelta(minutes=drawn.randint(1, 400))
            today = room.now.astimezone(berlin).date()
            if made.count(today) >= room.terms["challenges"]:
                assert room.refusal(author).startswith("at most ")
                continue
            game = room.challenge(author)
            if drawn.random() < 0.2:  # it was not played, so it does not count
                room.sql_now(f"UPDATE game SET status = 'cancelled' WHERE id = {game}")
            else:
                made.append(today)
                room.end(game)


# When they are played.


def test_a_challenge_comes_before_the_next_rated_game_and_then_a_rated_game_comes(room: Room) -> None:
    first, second = room.challenge("ann"), room.challenge("cid")
    with room.run() as run:
        kinds = [run.play().conditions.kind for _ in range(5)]
    assert kinds == [GameKind.CHALLENGE, GameKind.LADDER, GameKind.CHALLENGE, GameKind.LADDER, GameKind.LADDER]
    finished = [game for (game,) in room.sql("SELECT id FROM game WHERE kind = 'challenge' ORDER BY finished, id")]
    assert finished == [first, second]


def test_at_most_one_challenge_is_in_progress(room: Room) -> None:
    room.challenge("ann"), room.challenge("cid")
    with room.run() as run:
        playing = [run.begin() for _ in range(5)]
        assert [game.conditions.kind for game in playing].count(GameKind.CHALLENGE) == 1
        idle = [not run.challenges.is_playing]
        run.turns.note(record(playing[0], first_wins))
        assert [*idle, not run.challenges.is_playing] == [False, True]
        assert run.begin().conditions.kind is GameKind.CHALLENGE


def test_challenges_are_played_one_after_the_other_if_no_rated_game_can_be(room: Room) -> None:
    games = [room.challenge("ann"), room.challenge("cid")]
    with room.run() as run:
        run.games.is_closed = True
        assert [run.play().number for _ in games] == games
        assert run.turns.next() is None


def test_one_that_was_made_later_is_found(room: Room) -> None:
    with room.run() as run:
        assert run.play().conditions.kind is GameKind.LADDER
        game = room.challenge("ann")
        run.challenges.look(opened_now(room))
        assert run.play().number == game


def opened_now(room: Room) -> OpenLadder:
    with room.database() as database:
        return room.ladder(database)


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        (lambda room: room.terms.update(challenges=0), "challenges are turned off on this ladder"),
        (lambda room: setattr(room, "now", CLOSES), "there are no challenges in the last 24 hours of a ladder"),
        (lambda room: room.set_status("ann", "withdrawn"), "your agent could not play any more"),
        (lambda room: room.set_status("bob", "quarantined"), "the opponent could not play any more"),
    ],
)
def test_one_that_is_not_possible_any_more_is_not_played_and_says_why(
    room: Room, happens: Callable[[Room], object], words: str
) -> None:
    game, other = room.challenge("ann"), room.challenge("cid", "random")
    happens(room)
    with room.run() as run:
        run.play()
    status, why = room.became(game)
    assert (status, why.startswith(words)) == ("cancelled", True)
    assert room.became(other)[0] == ("cancelled" if room.terms or room.now == CLOSES else "finished")
    with room.database() as database, database.reading() as connection:
        assert challenges.challenges_since(connection, 1, "ann", NOW) == 0


def test_it_is_played_with_the_version_that_plays_then(room: Room) -> None:
    game = room.challenge("ann")
    room.hand_in("ann", "newer = True")
    with room.run() as run:
        source = next(one.source for one in run.play().entrants if one.name == "ann")
    played = f"FROM seat JOIN version ON version = version.id WHERE game = {game} AND name = 'ann'"
    assert room.sql(f"SELECT source, number {played}") == [(source, 2)]


def test_whatever_is_killed_a_challenge_is_played_once(room: Room) -> None:
    """Random kills of the server and losses of the referee, at any time."""
    drawn, games = Random(7), [room.challenge(name) for name in ("ann", "bob", "cid") if name != "bob"]
    ends = 0
    while any(room.became(game)[0] != "finished" for game in games):
        with room.run(ends) as run:
            for _ in range(drawn.randint(0, 2)):
                game = run.begin()
                if drawn.random() < 0.4:
                    run.turns.interrupted()
                    continue
                if drawn.random() < 0.4:
                    break  # killed during the game
                run.turns.note(record(game, first_wins))
        ends += 1
    assert ends > 2
    assert room.sql("SELECT COUNT(*) FROM game WHERE kind = 'challenge'") == [(2,)]
    assert room.sql("SELECT COUNT(DISTINCT game) FROM move WHERE game IN (SELECT game FROM challenge)") == [(2,)]
    assert room.refusal("ann", "ann") == "choose an opponent other than your agent"
    room.challenge("ann")  # nothing is left over


# What they change.


def crashes(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...] | None]:
    """In a challenge ann crashes; in all other games the first player wins."""
    if game.conditions.kind is not GameKind.CHALLENGE:
        return first_wins(game)
    fault = [one.name for one in game.entrants].index("ann")
    return Verdict.CRASHED, fault, (float(fault), 1.0 - fault)


def everything(room: Room) -> dict[str, list[Any]]:
    """All that is computed of the ladder, and all its rows, without the ids of games."""
    with room.database() as database:
        with database.reading() as connection:
            ratings = LadderRatings(connection, 1)
            ratings.read(connection)
        ratings.write(database, ratings.fitted({4, 5, 3}), NOW)
    games = "FROM game WHERE tournament = 1 ORDER BY number, attempt"
    return {
        query: room.sql(query)
        for query in (
            *(
                "SELECT * FROM v_standing WHERE tournament IS NOT NULL",
                "SELECT * FROM entry",
                "SELECT agent, number, source FROM version",
            ),
            *("SELECT * FROM v_head_to_head WHERE tournament IS NOT NULL", "SELECT * FROM v_rating"),
            f"SELECT number, round, pair, leg, attempt, seed, opening, status, verdict, plies {games}",
            "SELECT * FROM v_standing WHERE tournament IS NULL",
            "SELECT * FROM v_head_to_head WHERE tournament IS NULL",
        )
    }


def test_ratings_and_standings_are_the_same_with_challenges_and_without(tmp_path: Path) -> None:
    found = []
    for challenged in (False, True):
        folder = tmp_path / str(challenged)
        folder.mkdir()
        room = Room(folder, quarantine=3)
        with room.run() as run:
            for _ in range(20):
                if challenged:
                    room.challenge("ann")
                    run.challenges.look(opened_now(room))
                    assert run.play(crashes).conditions.kind is GameKind.CHALLENGE
                    room.now += timedelta(hours=3)
                assert run.play(crashes).conditions.kind is GameKind.LADDER
            assert run.games.quarantined == []
        found.append(everything(room))
    assert found[0] == found[1]
    assert any("ann" in row for row in found[0]["SELECT * FROM v_standing WHERE tournament IS NOT NULL"])


def test_a_void_challenge_is_over_and_is_not_played_again(room: Room) -> None:
    game = room.challenge("ann")
    with room.run() as run:
        run.play(lambda _: (Verdict.VOID, None, None))
        assert run.play().conditions.kind is GameKind.LADDER
    assert room.became(game) == ("void", "")
    assert room.sql("SELECT COUNT(*) FROM game WHERE kind = 'challenge'") == [(1,)]


def test_players_cannot_tell_a_challenge_from_a_rated_game(room: Room) -> None:
    """All that a director is told of the two games is the same, except what is drawn for each, and their kind."""
    room.challenge("ann", "random")
    room.sql_now("UPDATE entry SET status = 'withdrawn' WHERE name IN ('bob', 'cid')")
    with room.run() as run:
        challenge, rated = run.play(), run.play()
        while {one.name for one in rated.entrants} != {"ann", "random"}:
            rated = run.play()
    own = {"number", "seed", "seats_key", "identity", "leg", "opening", "entrants"}
    as_rated = challenge.under(kind=GameKind.LADDER)
    for field in fields(Planned):
        if field.name not in own:
            assert getattr(as_rated, field.name) == getattr(rated, field.name), field.name
    assert len(challenge.opening) == len(rated.opening)
    assert {one.name: one for one in challenge.entrants} == {one.name: one for one in rated.entrants}


def test_the_seats_and_the_openings_are_drawn_for_each_challenge(room: Room) -> None:
    first, openings = set(), set()
    with room.run() as run:
        run.games.is_closed = True
        for _ in range(40):
            room.challenge("ann")
            run.challenges.look(opened_now(room))
            game = run.play()
            first.add(game.entrants[0].name)
            openings.add(game.opening)
            room.now += timedelta(hours=6)
    assert first == {"ann", "bob"}
    assert len(openings) > 3


def test_the_rows_are_read_back(room: Room) -> None:
    game = room.challenge("ann")
    with room.database() as database, database.reading() as connection:
        (one,) = challenges.latest_challenges(connection, 1, "ann", most=5)
        assert challenges.latest_challenges(connection, 1, "bob", most=5) == []
        assert (one.game.id, one.made, one.game.status, {*one.game.names}) == (game, LATER, "scheduled", {"ann", "bob"})
        assert challenges.challenge_of_game(connection, game) == ("cs101", "")
        assert challenges.challenge_of_game(connection, 99) is None
        assert ladder.standings(connection, 1)
    with room.database() as database, database.writing() as connection:
        assert not challenges.begin_challenge(connection, 99, {}, None, LATER)
        store.begin(connection, game, LATER)
        challenges.cancel_challenge(connection, game, "too late")
    assert room.became(game) == ("playing", "")
