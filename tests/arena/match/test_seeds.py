"""The randomness of a tournament: always the same for its seed, and independent for each purpose."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from arena.match.seeds import GameSeeds, fresh_seed, number

DIE = tuple((face, 1 / 6) for face in range(1, 7))
PAIR = ("alice", "bob", 0)


def dice(seeds: GameSeeds, plies: int = 40) -> list[int]:
    return [seeds.outcome(ply, DIE) for ply in range(1, plies + 1)]


def test_the_same_game_has_the_same_dice_and_seeds_on_every_machine() -> None:
    seeds = GameSeeds.of(1, PAIR, leg=0, attempt=1)
    assert dice(seeds, 12) == [5, 5, 2, 3, 6, 4, 4, 5, 3, 2, 1, 2]
    assert seeds.for_seat(0) == 5_580_357_824_652_753
    assert number(1, "order") == 13_541_554_696_137_285_639


@pytest.mark.parametrize(
    "other",
    [
        GameSeeds.of(2, PAIR, leg=0, attempt=1),
        GameSeeds.of(1, PAIR, leg=1, attempt=1),
        GameSeeds.of(1, PAIR, leg=0, attempt=2),
        GameSeeds.of(1, ("alice", "bob", 1), leg=0, attempt=1),
        GameSeeds.of(1, ("alice", "carl", 0), leg=0, attempt=1),
    ],
    ids=["seed", "leg", "attempt", "cycle", "names"],
)
def test_any_other_game_has_other_dice_and_seeds(other: GameSeeds) -> None:
    seeds = GameSeeds.of(1, PAIR, leg=0, attempt=1)
    assert dice(seeds) != dice(other)
    assert seeds.for_seat(0) != other.for_seat(0)


def test_every_seats_seed_is_its_own_and_below_2_to_the_53rd() -> None:
    drawn = [GameSeeds.of(1, PAIR, leg=leg, attempt=1).for_seat(seat) for leg in range(200) for seat in range(4)]
    assert len(set(drawn)) == len(drawn)
    assert min(drawn) >= 0
    assert 2**52 < max(drawn) < 2**53


def test_parts_of_a_purpose_are_kept_apart() -> None:
    purposes = [("a", "bc"), ("ab", "c"), ("abc",), ("a", "b", "c"), ("1:a,", "bc"), ("a", 1, "bc")]
    assert len({number(7, *purpose) for purpose in purposes}) == len(purposes)


def test_dice_fall_as_their_probabilities_say() -> None:
    counts = Counter(itertools.chain.from_iterable(dice(GameSeeds(bytes([key]))) for key in range(150)))
    assert set(counts) == set(range(1, 7))
    assert all(850 < count < 1150 for count in counts.values())
    loaded = [GameSeeds(b"k").outcome(ply, (("often", 0.9), ("seldom", 0.1))) for ply in range(2000)]
    assert 120 < loaded.count("seldom") < 280


def test_probabilities_that_fall_short_of_1_by_rounding_still_have_an_outcome() -> None:
    for ply in range(100):
        assert GameSeeds(b"k").outcome(ply, (("a", 0.0), ("b", 1e-12))) == "b"


def test_a_fresh_seed_has_128_bits() -> None:
    seeds = [fresh_seed() for _ in range(50)]
    assert len(set(seeds)) == 50
    assert 2**120 < max(seeds) < 2**128
