"""Whether error bars and grades are right as often as they claim, in simulated tournaments with known strengths.

    python benchmarks/ratings_errors.py                       all tables of docs/developers/ratings.md (half an hour)
    python benchmarks/ratings_errors.py --share 0.05          a quick look
    python benchmarks/ratings_errors.py g40 --pairs 1 --pairs 10

Four designs: in g40, 40 students each play against three bars at -200, 0 and 200 Elo; g2 has two students; r6 and r40
are round-robins of 6 and 40 players. Each pairing is a pair of games with the same opening and swapped seats. Each
design has nine scenarios: openings that favour a seat by 0, 87 or 174 Elo (standard deviation), and 0, 30 or 60 %
draws between equal players. The first seat is worth 26 Elo more.

    wrong       share of equally strong players of whom one is graded "better" or "not better"; at most 10 %
    worst       the same in the worst of the nine scenarios
    coverage    how often the 95 % error bar of `arena results rank` contains the true rating, by standard deviation
    ±           the median error bar
    +100, +200  how often a player who is 100 or 200 Elo stronger is graded "better"

Then Plackett-Luce in games for four, and the error of `arena results versus`. All figures are computed by the product's
code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import ceil
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.random import Generator, default_rng

from arena.ratings import bradley_terry
from arena.ratings.duels import Duels, Numbers, Places
from arena.ratings.estimates import Estimates, logistic
from arena.ratings.grades import SURE
from arena.ratings.match_statistics import versus
from arena.ratings.scale import ELO
from arena.ratings.systems import plackett_luce
from benchmarks.arguments import Reader, positive
from db.records import RatedGame

PAIRS: Final = (1, 2, 3, 5, 10, 30, 100)
OPENINGS: Final = (0.0, 87.0, 174.0)
DRAWS: Final = (0.0, 0.3, 0.6)
FIRST: Final = 26.0
ROUNDS: Final = (1, 2, 3, 5, 10, 30)
"""Games of each player, for Plackett-Luce."""
BARS: Final = 3


class Design(Struct, frozen=True):
    """Who plays whom, and the true strengths."""

    truth: Numbers
    """True strengths in Elo."""
    one: Places
    other: Places
    judged: list[tuple[int, int]]
    """Pairs to be graded: a player and the bar."""
    tournaments: int
    """Tournaments of each scenario, enough to know a share to about half a percentage point."""


class Seen(Struct):
    """Counts over all tournaments of a scenario."""

    equal: int = 0
    wrong: int = 0
    bars: int = 0
    held: int = 0
    errors: list[float] = []
    stronger: dict[int, int] = {}
    """For each true lead in Elo, how many players were compared with a bar ..."""
    found: dict[int, int] = {}
    """... and how many of them were graded better."""


def _gauntlet(students: Sequence[float], tournaments: int) -> Design:
    truth = np.array([-200.0, 0.0, 200.0, *students])
    one, other = (np.array(side) for side in zip(*product(range(BARS, len(truth)), range(BARS)), strict=True))
    return Design(truth, one, other, list(zip(one.tolist(), other.tolist(), strict=True)), tournaments)


def _round_robin(truth: Sequence[float], tournaments: int) -> Design:
    one, other = np.triu_indices(len(truth), 1)
    stronger_first = [(i, j) if truth[i] >= truth[j] else (j, i) for i, j in combinations(range(len(truth)), 2)]
    return Design(np.array(truth), one, other, stronger_first, tournaments)


DESIGNS: Final = {
    "g40": _gauntlet([-200.0, -100.0, 0.0, 100.0, 200.0, -200.0, 0.0, 200.0] * 5, 600),
    "g2": _gauntlet([0.0, 200.0], 4000),
    "r6": _round_robin([-100.0, -100.0, 0.0, 0.0, 100.0, 100.0], 2500),
    "r40": _round_robin([-200.0, -100.0, 0.0, 100.0, 200.0] * 8, 160),
}


def tournament(random: Generator, design: Design, *, pairs: int, opening: float, draws: float) -> Duels:
    """Simulate `pairs` pairs of games for each pairing; the two games share an opening, which favours a seat."""
    one, other = np.repeat(design.one, pairs), np.repeat(design.other, pairs)
    favour = (FIRST + random.normal(0.0, opening, len(one))) / ELO
    scores = []
    for first, second in ((one, other), (other, one)):
        expected = logistic((design.truth[first] - design.truth[second]) / ELO + favour)
        drawn = 2.0 * draws * np.minimum(expected, 1.0 - expected)
        luck = random.random(len(one))
        scores.append(np.where(luck < drawn, 0.5, (luck < drawn + expected - drawn / 2.0).astype(float)))
    pair = np.arange(len(one))
    return Duels(
        names=tuple(f"player{number:02}" for number in range(len(design.truth))),
        kinds=("",),
        first=np.r_[one, other],
        second=np.r_[other, one],
        kind=np.zeros(2 * len(one), dtype=np.intp),
        score=np.concatenate(scores),
        pair=np.r_[pair, pair],
        often=np.ones(len(one)),
        repeats=np.ones(len(one)),
    )


def see(seen: Seen, found: Estimates, truth: Numbers, judged: Sequence[tuple[int, int]]) -> None:
    """Add the estimates of a tournament to the counts."""
    errors = found.errors()
    seen.held += int(np.sum(np.abs(found.ratings - (truth - truth.mean())) <= errors))
    seen.bars += len(errors)
    seen.errors.append(float(np.median(errors)))
    for one, other in judged:
        lead = round(float(truth[one] - truth[other]))
        if lead not in (0, 100, 200):
            continue
        los = found.superiority(one, other)
        if lead:
            seen.stronger[lead] = seen.stronger.get(lead, 0) + 1
            seen.found[lead] = seen.found.get(lead, 0) + (los >= SURE)
        else:
            seen.equal += 1
            seen.wrong += los >= SURE or los <= 1.0 - SURE


def simulate(
    design: Design, *, pairs: int, opening: float, draws: float, tournaments: int | None = None, seed: int = 1
) -> Seen:
    """The counts of a number of tournaments of one scenario."""
    random, seen = default_rng([seed, pairs, round(opening), round(100 * draws)]), Seen()
    for _ in range(tournaments or design.tournaments):
        games = tournament(random, design, pairs=pairs, opening=opening, draws=draws)
        see(seen, bradley_terry.fit(games), design.truth, design.judged)
    return seen


# Games for four.


def simulate_tables(*, rounds: int, opening: float, ties: bool, tournaments: int, seed: int = 1) -> Seen:
    """Twelve players in two groups of equal strength play games for four; each plays `rounds` games, rated by
    Plackett-Luce. `opening`: standard deviation of the worth of a seat; `ties`: only the winner is known."""
    random, seen = default_rng([seed, rounds, round(opening), ties]), Seen()
    truth = np.array([-100.0, 0.0, 100.0, 0.0] * 3)
    judged = [(i, j) for i, j in product(range(12), repeat=2) if i != j and (truth[i] > truth[j] or i < j)]
    for _ in range(tournaments):
        games = [
            _table(random, truth, group, opening=opening, ties=ties)
            for _ in range(rounds)
            for group in np.split(random.permutation(12), 3)
        ]
        found = plackett_luce.fit(games)
        see(seen, found, truth[[int(name[1:]) for name in found.names]], judged)
    return seen


def _table(random: Generator, truth: Numbers, seated: Places, *, opening: float, ties: bool) -> RatedGame:
    # Strengths plus Gumbel noise order the players with the probabilities of the model.
    strength = (truth[seated] + random.normal(0.0, opening, 4)) / ELO - np.log(-np.log(random.random(4)))
    place = np.argsort(np.argsort(-strength))
    points = (place == 0).astype(float) if ties else 1.0 - place / 3.0
    return RatedGame(tuple(f"p{number:02}" for number in seated), tuple(points.tolist()))


# Two players.


def versus_covers(pairs: int, *, opening: float, draws: float, matches: int, seed: int = 1) -> float:
    """How often the error of `arena results versus` contains a true difference of 0, in percent; without an error it
    does."""
    random = default_rng([seed, pairs, round(opening), round(100 * draws)])
    design = Design(np.zeros(2), np.array([0]), np.array([1]), [], matches)
    held = 0
    for _ in range(matches):
        games = tournament(random, design, pairs=pairs, opening=opening, draws=draws)
        played = [
            RatedGame(("ab"[first], "ab"[1 - first]), (score, 1.0 - score), pair=pair)
            for first, score, pair in zip(games.first, games.score.tolist(), games.pair.tolist(), strict=True)
        ]
        found = versus(played, "a", "b").difference
        held += found.error is None or found.elo is None or abs(found.elo) <= found.error
    return 100.0 * held / matches


# Tables.


def percent(part: float, whole: float) -> str:
    return f"{100.0 * part / whole:.1f}" if whole else ""


def row(cells: Sequence[object]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(map(str, cells))} |"


def lines(name: str, pairs: Sequence[int], share: float) -> Iterator[str]:
    """The table of one design, one line for each number of pairs."""
    design = DESIGNS[name]
    for number in pairs:
        times = max(2, ceil(share * design.tournaments * (1.0 if number < 30 else 0.5 if number < 100 else 0.25)))
        seen = {
            (opening, draws): simulate(design, pairs=number, opening=opening, draws=draws, tournaments=times)
            for opening, draws in product(OPENINGS, DRAWS)
        }
        wrong = [one.wrong / one.equal for one in seen.values()]
        held = [
            100.0 * np.mean([one.held / one.bars for (opening, _), one in seen.items() if opening == worth])
            for worth in OPENINGS
        ]
        power = [
            percent(sum(one.found.get(lead, 0) for one in seen.values()), whole)
            for lead in (100, 200)
            for whole in [sum(one.stronger.get(lead, 0) for one in seen.values())]
        ]
        error = np.median([error for one in seen.values() for error in one.errors])
        coverage = " / ".join(f"{one:.1f}" for one in held)
        cells = [
            name,
            number,
            percent(float(np.mean(wrong)), 1),
            percent(max(wrong), 1),
            coverage,
            f"{error:.0f}",
            *power,
        ]
        yield row(cells)


def table_lines(share: float) -> Iterator[str]:
    """The table of games for four."""
    for ties, opening, rounds in product((False, True), (0.0, 87.0), ROUNDS):
        seen = simulate_tables(rounds=rounds, opening=opening, ties=ties, tournaments=max(2, ceil(share * 400)))
        ends = "only the winner" if ties else "all places"
        power = [percent(seen.found.get(lead, 0), seen.stronger.get(lead, 0)) for lead in (100, 200)]
        shares = percent(seen.wrong, seen.equal), percent(seen.held, seen.bars)
        yield row([ends, f"{opening:.0f}", rounds, *shares, f"{np.median(seen.errors):.0f}", *power])


def main() -> None:
    """Simulate, and print the tables of docs/developers/ratings.md."""
    parts = [*DESIGNS, "tables", "versus"]
    reader = Reader(__doc__, parts=parts)
    reader.add_argument("--pairs", action="append", type=positive, help="pairs of games for each pairing")
    reader.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="fraction of the tournaments to simulate; all of them give shares to 0.5 %%",
    )
    asked = reader.parse_args()
    chosen = asked.parts or parts
    if any(name in DESIGNS for name in chosen):
        print("| | pairs | wrong | worst | coverage, openings of 0 / 87 / 174 | ± | +100 | +200 |")
        print("|---|---|---|---|---|---|---|---|")
    for name in chosen:
        if name in DESIGNS:
            for line in lines(name, asked.pairs or PAIRS, asked.share):
                print(line, flush=True)
    if "tables" in chosen:
        print("\n| known | seats worth | games each | wrong | coverage | ± | +100 | +200 |")
        print("|---|---|---|---|---|---|---|---|")
        for line in table_lines(asked.share):
            print(line, flush=True)
    if "versus" in chosen:
        print("\n| pairs | coverage of `arena results versus`, lowest and highest of the nine |\n|---|---|")
        for number in (2, 3, 4, 7, 20):
            matches = ceil(asked.share * 4000)
            held = [
                versus_covers(number, opening=opening, draws=draws, matches=matches)
                for opening, draws in product(OPENINGS, DRAWS)
            ]
            print(f"| {number} | {min(held):.1f} to {max(held):.1f} |", flush=True)


if __name__ == "__main__":
    main()
