"""A recorded turn: the exact messages of a recorded game."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agents.protocol import Turn, pack
from arena.errors import ArenaError
from arena.history import documents
from arena.match.conditions import Conditions
from arena.match.fixture import Fixture, SeatPlan
from arena.match.schedule import Entrant, Finished, Planned
from arena.match.seeds import GameSeeds
from arena.student.rerun import default_ply, replay_turn
from arena.tournament.host import host
from db.records import PastGame
from tests.kit.match_model import MS
from tests.kit.match_table import Table

COUNTDOWN = "examples/countdown.py:Countdown"
NOW = datetime(2026, 5, 1, tzinfo=UTC)
PAIR = '["ann", "bob", 3]'


def played(
    rules: str,
    count: int,
    *,
    clock: str = "10+0.1",
    opening: tuple[str, ...] = (),
    most: int = 30,
    max_plies: int | None = None,
    names_shown: bool = True,
    seats_key: int = 99,
) -> tuple[PastGame, Table]:
    """A recorded game of random moves, and all messages sent to its players."""
    random, names = Random(rules), ("ann", "bob", "cid", "dee")[:count]
    key, seats = (GameSeeds.of(number, (PAIR,), leg=1, attempt=2) for number in (7, seats_key))
    entrants = tuple(Entrant(name, name) for name in names)
    planned = Planned(
        *(5, rules, rules, entrants, 7, (PAIR,)),
        leg=1,
        attempt=2,
        conditions=Conditions(clock=clock, max_plies=max_plies, names="shown" if names_shown else "hidden"),
        opening=opening,
    )
    plans = tuple(
        SeatPlan(name, planned.shown(seat), f"{seat:064x}", seats.for_seat(seat)) for seat, name in enumerate(names)
    )
    table = Table(Fixture(5, rules, plans, key.key, planned.conditions, opening=opening))
    table.begin(wants=("position", "legal"))
    while table.match.verdict is None and len(table.match.moves) < most:
        spent = random.randrange(100 * MS)
        table.play(table.match.state.to_text(random.choice(table.match.state.moves())), after=spent + MS, spent=spent)
    if table.match.verdict is None:
        table.resign()
    table.finish()
    past = documents.past(Finished(planned, table.match.record(), NOW, NOW))
    return replace(past, pair=PAIR, host=host(planned)), table


@pytest.mark.parametrize(
    ("rules", "seats", "opening"),
    [
        ("connect4", 2, ("4", "4", "1")),
        ("tictactoe", 2, ()),
        ("pig:goal=15", 2, ()),
        ("kuhn", 2, ()),
        ("rps", 2, ()),
        ("ludo", 4, ()),
        ("maze:ghosts=2,map=tiny", 3, ()),
        ("examples/countdown.py:Countdown", 2, ("1",)),
    ],
    ids=lambda value: value.partition(":")[0].rpartition("/")[2] if isinstance(value, str) else "",
)
def test_every_turn_is_restored_word_for_word(rules: str, seats: int, opening: tuple[str, ...]) -> None:
    game, table = played(rules, seats, opening=opening)
    assert questions_restored(game, table) >= len([move for move in game.moves if isinstance(move.who, int)])


@settings(max_examples=60)
@given(
    st.sampled_from(
        [
            *(("connect4", 2), ("othello:size=4", 2), ("pig:goal=15", 2), ("kuhn", 2), ("ludo:tokens=1", 4)),
            *(("maze:map=tiny,ghosts=1,steps=9", 2), (COUNTDOWN, 2)),
        ]
    ),
    st.sampled_from(["none", "10", "0.5+0.1", "3/2+0.2", "0.3+5x0.1", "move=0.2", "0+2x0.2"]),
    st.one_of(st.none(), st.integers(1, 20)),
    st.booleans(),
    st.booleans(),
)
def test_the_limit_of_moves_the_clock_and_the_names_are_those_of_the_game(
    rules: tuple[str, int], clock: str, max_plies: int | None, names_shown: bool, tournament: bool
) -> None:
    game, table = played(*rules, clock=clock, max_plies=max_plies, names_shown=names_shown, most=12)
    assert questions_restored(replace(game, tournament="cs101" if tournament else None), table)


def questions_restored(game: PastGame, table: Table) -> int:
    """How many turns were sent in the game; each is compared with what is restored, apart from the turns' ids."""
    questions = 0
    for seat, post in enumerate(table.post):
        start, turns = post[0], [message for message in post if isinstance(message, Turn)]
        for number, turn in enumerate(turns, 1):
            recorded = replay_turn(game, turn.ply, trust=True)
            questions += 1
            assert recorded.seat == seat
            assert pack(recorded.start) == pack(start)
            restored = [pack(replace(one, id="")) for one in recorded.turns]
            assert restored == [pack(replace(one, id="")) for one in turns[:number]]
            assert recorded.state.view(seat) == turn.position
    return questions


def test_in_games_of_older_versions_the_seats_seeds_come_from_the_seed_of_the_game() -> None:
    game, table = played("pig:goal=15", 2, seats_key=7)
    game = replace(game, seats=tuple(replace(seat, seed=None) for seat in game.seats))
    assert questions_restored(game, table) > 0


def test_in_games_of_older_versions_a_limit_is_known_if_it_ended_the_game() -> None:
    game, table = played("connect4", 2, max_plies=6)
    assert game.verdict == "adjudicated"
    assert questions_restored(replace(game, host=None), table) == 6
    with pytest.raises(ArenaError, match="ply 7: the game was over; the nearest ply at which an agent was asked is 6"):
        replay_turn(game, 7)


def test_the_turn_in_which_the_game_ended_is_included() -> None:
    game, _ = played("connect4", 2, most=4)
    assert game.verdict == "resigned"
    assert replay_turn(game, len(game.moves) + 1).seat == game.fault


@pytest.mark.parametrize(
    ("rules", "seats"),
    [
        ("connect4", 2),
        ("pig:goal=15", 2),
        ("kuhn", 2),
        ("ludo:players=3,tokens=1", 3),
        ("examples/countdown.py:Countdown", 2),
    ],
    ids=["connect4", "pig", "kuhn", "ludo", "countdown"],
)
def test_the_default_is_the_last_turn_of_the_users_agent(rules: str, seats: int) -> None:
    game, _ = played(rules, seats, most=500)
    assert game.verdict == "normal"
    last = {move.who: move.ply for move in game.moves if isinstance(move.who, int)}
    for seat in range(seats):
        assert default_ply(game, [seat], trust=True) == last[seat]
        assert replay_turn(game, default_ply(game, [seat], trust=True), trust=True).seat == seat
    assert default_ply(game, [], trust=True) == max(last.values())


def test_the_default_is_the_turn_of_the_fault() -> None:
    game, _ = played("connect4", 2, most=4)
    assert default_ply(game, [1 - (game.fault or 0)]) == 5
    # An agent that fails during the opponent's turn: its own last turn.
    assert default_ply(replace(game, fault=1 - (game.fault or 0), verdict="crashed"), []) == 4
    # In a game that was cut short, no agent was asked after the last move.
    assert default_ply(replace(game, fault=None, verdict="adjudicated"), []) == 4


def test_a_game_in_which_no_agent_was_asked_has_no_default_ply() -> None:
    game, _ = played("connect4", 2, opening=("4", "4"), most=2)
    with pytest.raises(ArenaError, match="no agent was asked for a move"):
        default_ply(replace(game, fault=None, verdict="void"), [0])


@pytest.mark.parametrize(
    ("rules", "ply", "words"),
    [
        ("pig:goal=15", 1, "this ply is a chance event; the nearest ply at which an agent was asked is 2"),
        ("connect4", 1, "this ply is part of the opening; the nearest ply at which an agent was asked is 3"),
        ("connect4", 999, "plies; the nearest"),
    ],
)
def test_a_ply_at_which_no_agent_was_asked_is_an_error(rules: str, ply: int, words: str) -> None:
    game, _ = played(rules, 2, opening=() if rules.startswith("pig") else ("4", "4"))
    with pytest.raises(ArenaError, match=words):
        replay_turn(game, ply)


def test_a_record_that_contradicts_its_seed_is_not_played_again() -> None:
    game, _ = played("pig:goal=15", 2)
    with pytest.raises(ArenaError, match="cannot be played again as recorded"):
        replay_turn(replace(game, seed=8), max(move.ply for move in game.moves if isinstance(move.who, int)))


def test_a_game_without_a_turn_is_an_error() -> None:
    game, _ = played("tictactoe", 2)
    with pytest.raises(ArenaError, match="nearest"):
        replay_turn(game, 30)


def test_in_tournaments_of_older_versions_agents_do_not_see_the_names_of_others() -> None:
    game, _ = played("connect4", 2)
    assert replay_turn(replace(game, tournament="cs101", host=None), 1).start.seats == ("ann", "seat 1")
