"""Evaluations as weighted sums of features, for all games that have them, with the game's weights and with others."""

import re
from math import isclose
from random import Random

import pytest

from adsearch import games, minimax
from adsearch.errors import BadSetting
from adsearch.features import evaluation, read_weights, weights_for
from tests.kit.every_game import LARGE, SMALL

WITH_FEATURES = [spec for spec in [*SMALL, *LARGE] if games.start(spec).evaluation]


def test_these_games_have_features() -> None:
    names = {"tictactoe", "connect4", "dots", "othello", "checkers", "chess", "go", "backgammon", "maze", "words"}
    assert {spec.partition(":")[0] for spec in WITH_FEATURES} == names


@pytest.mark.parametrize("spec", WITH_FEATURES)
def test_the_evaluation_is_the_weighted_sum_of_the_features(spec: str) -> None:
    for seed in range(3):
        state, random = games.start(spec), Random(seed)
        again = evaluation(state)
        while state.turn is not None:
            for seat in range(state.players):
                found = state.features(seat)
                assert [*found] == [feature.name for feature in state.evaluation]
                score = sum(feature.weight * found[feature.name] for feature in state.evaluation)
                assert isclose(state.scaled(score), state.evaluate(seat), abs_tol=1e-9), state.position()
                assert isclose(again(state, seat), state.evaluate(seat), abs_tol=1e-9), state.position()
            state = state.play(random.choice(state.moves()))
        assert again(state, 0) == state.utilities()[0]


def test_a_single_feature_is_used_alone_and_a_weight_is_replaced() -> None:
    state = games.start("maze:1,map=thrashing").play(1)
    own = {feature.name: feature.weight for feature in state.evaluation}
    assert weights_for(state) == own
    assert weights_for(state, only="pellets") == dict.fromkeys(own, 0.0) | {"pellets": own["pellets"]}
    assert weights_for(state, weights="score:3+danger:0") == own | {"score": 3.0, "danger": 0.0}
    assert evaluation(state, only="score")(state, 0) == state.features(0)["score"] == 9
    assert evaluation(state, only="score")(state, 1) == -9
    assert evaluation(state, only="score", weights="score:-2")(state, 0) == -18


def test_an_evaluation_with_other_weights_stays_inside_the_bounds() -> None:
    state = games.start("maze:1,map=thrashing").play(1)
    assert evaluation(state, weights="score:1e9")(state, 0) < state.bounds[1]
    state = games.start("connect4").play(3)
    assert -1 < evaluation(state, weights="centre:1e9")(state, 1) < 1


def test_a_search_takes_such_an_evaluation() -> None:
    state = games.start("maze:1,map=thrashing")
    found = [minimax.search(state, depth=4, evaluate=evaluation(state, only=only)) for only in (None, "score")]
    assert [state.to_text(one.line[0]) for one in found] == ["e", "n"]


@pytest.mark.parametrize(
    ("spec", "only", "weights", "words"),
    [
        ("maze", "scor", None, "no feature 'scor'; did you mean 'score'?"),
        ("maze", None, "zzz:1", "no feature 'zzz'; there is score, pellets, nearest, danger, scared"),
        ("nap", "score", None, "no feature 'score'; the evaluation of this game has no features"),
        ("maze", None, "score", "expected weights such as pellets:-2+nearest:9, got 'score'"),
        ("maze", None, ":1", "expected weights such as pellets:-2+nearest:9, got ':1'"),
        ("maze", None, "score:inf", "expected weights such as pellets:-2+nearest:9, got 'score:inf'"),
        ("maze", None, "score:1+score:2", "the weight of score is given twice"),
    ],
)
def test_a_wrong_feature_or_weight_says_what_is_possible(spec: str, only: str, weights: str, words: str) -> None:
    with pytest.raises(BadSetting, match=f"^{re.escape(words)}$"):
        evaluation(games.start(spec), only=only, weights=weights)


def test_weights_are_read_with_their_signs_and_spaces() -> None:
    assert read_weights("a:-2 + b: 9.5+c:1e1") == {"a": -2.0, "b": 9.5, "c": 10.0}
