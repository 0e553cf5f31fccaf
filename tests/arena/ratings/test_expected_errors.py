"""The expected errors of a schedule agree with those of the fit after simulated tournaments."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arena.ratings import bradley_terry
from arena.ratings.duels import Numbers, duels
from arena.ratings.estimates import PRIOR
from arena.ratings.scale import ELO, WIDTH
from arena.tournament.choices import expected_errors, information
from db.records import RatedGame


def everybody(players: int, games: int) -> Numbers:
    return games * (1.0 - np.eye(players))


def gauntlet(inside: int, outside: int, games: int) -> Numbers:
    found: Numbers = np.zeros((inside + outside, inside + outside))
    found[:inside, inside:] = found[inside:, :inside] = games
    return found


def played(together: Numbers, random: Random) -> list[RatedGame]:
    """A tournament of equal players without draws, in pairs of games."""
    return [
        RatedGame(
            (f"p{seats[0]:02}", f"p{seats[1]:02}"), random.choice([(1.0, 0.0), (0.0, 1.0)]), pair=(one, other, at)
        )
        for one, other in zip(*np.nonzero(np.triu(together)), strict=True)
        for at in range(int(together[one, other]) // 2)
        for seats in ((one, other), (other, one))
    ]


@pytest.mark.parametrize(
    "together", [everybody(12, 4), gauntlet(3, 15, 10), everybody(2, 60)], ids=["round-robin", "gauntlet", "match"]
)
def test_tournaments_of_equals_have_the_errors_that_their_schedule_leads_to(together: Numbers) -> None:
    """Both the errors of the fit, and the real distance of its ratings from the true ratings, which are all 0."""
    random = Random(3)
    fits = [bradley_terry.fit(duels(played(together, random))) for _ in range(40)]
    expected = expected_errors(together)
    told = np.mean([fit.errors() for fit in fits], axis=0)
    real = WIDTH * np.sqrt(np.mean([fit.ratings**2 for fit in fits], axis=0))
    for group in np.unique(expected.round(6)):
        alike = np.isclose(expected, group)
        assert np.mean(told[alike]) == pytest.approx(group, rel=0.12)
        assert np.sqrt(np.mean(real[alike] ** 2)) == pytest.approx(group, rel=0.2)


def test_errors_of_two_players_have_the_textbook_formula() -> None:
    """The difference of two players after n games has the variance 4/n in log odds; each rating is half of the
    difference from the mean. The prior adds one draw of each player with the phantom."""
    n = 50
    each = WIDTH * ELO * np.sqrt(1.0 / (n / 4.0 + PRIOR / 8.0)) / 2.0
    assert expected_errors(everybody(2, n)) == pytest.approx([each, each])


def test_against_anchors_errors_are_those_of_the_difference_from_them() -> None:
    errors = expected_errors(gauntlet(2, 3, 20), anchors=[0, 1])
    assert errors[0] == errors[1]
    assert min(errors[2:]) > max(expected_errors(gauntlet(2, 3, 20))[2:])
    assert expected_errors(gauntlet(1, 3, 20), anchors=[0])[0] == pytest.approx(0.0, abs=1e-6)


def test_the_information_of_a_game_of_several_is_that_of_plackett_luce() -> None:
    """The Fisher information by brute force: the variance of the score over all final orders of equal players."""
    from itertools import permutations

    for seats in (2, 3, 4, 5):
        scores = np.zeros((0, seats))
        for order in permutations(range(seats)):
            score = np.zeros(seats)
            for place, chosen in enumerate(order[:-1]):
                score[list(order[place:])] -= 1.0 / (seats - place)
                score[chosen] += 1.0
            scores = np.vstack([scores, score])
        fisher = scores.T @ scores / len(scores)
        assert fisher[0, 1] == pytest.approx(-information(seats))
        assert fisher[0, 0] == pytest.approx(information(seats) * (seats - 1))
