"""Evaluations that are weighted sums of features, with other weights than the game's own.

`evaluation(state, only="score")` and `evaluation(state, weights="pellets:-2+nearest:9")` return a function for the
option `evaluate` of any search. Without changes it has the same values as the game's own `evaluate`, but is slower.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from adsearch.errors import BadSetting, meant, quote
from adsearch.searcher import Evaluate
from adsearch.state import State

EXAMPLE: Final = "pellets:-2+nearest:9"


def read_weights(text: str) -> dict[str, float]:
    """The weights in a text such as "pellets:-2+nearest:9", by the feature's name; BadSetting for any other text."""
    weights: dict[str, float] = {}
    for part in text.split("+"):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        try:
            weight = float(number)
        except ValueError:
            weight = float("nan")
        if not (name and colon and isfinite(weight)):
            raise BadSetting(f"expected weights such as {EXAMPLE}, got {quote(text)}")
        if name in weights:
            raise BadSetting(f"the weight of {name} is given twice")
        weights[name] = weight
    return weights


def weights_for(state: State[Any], *, only: str | None = None, weights: str | None = None) -> dict[str, float]:
    """The weight of each feature of the game: its own, or as `weights` says; with `only`, those of all other features
    are 0. BadSetting if the game has no such feature."""
    own = {feature.name: feature.weight for feature in state.evaluation}
    changed = {} if weights is None else read_weights(weights)
    for name in [*([] if only is None else [only]), *changed]:
        if not own:
            raise BadSetting(f"no feature {quote(name)}; the evaluation of this game has no features")
        if name not in own:
            raise BadSetting(f"no feature {quote(name)}{meant(name, tuple(own))}")
    return {name: changed.get(name, weight if only in (None, name) else 0.0) for name, weight in own.items()}


def evaluation(state: State[Any], *, only: str | None = None, weights: str | None = None) -> Evaluate[Any]:
    """An evaluation function for the game of `state`, with the weights that `weights_for` returns."""
    chosen = [(name, weight) for name, weight in weights_for(state, only=only, weights=weights).items() if weight]

    def evaluate(state: State[Any], seat: int) -> float:
        if state.turn is None:
            return state.utilities()[seat]
        found = state.features(seat)
        return state.scaled(sum([weight * found[name] for name, weight in chosen]))

    return evaluate
