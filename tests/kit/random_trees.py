"""Random game trees, as positions of `adsearch.games.tree`, and Hypothesis strategies for them.

Values are few and often equal, some are fractions; seats need not alternate; inner nodes have their own estimates.
"""

from random import Random
from typing import Any

from hypothesis import strategies as st

from adsearch.games.tree import Tree, read

LEAVES = (-2, -1, -0.5, 0, 0, 0.25, 1, 1, 2)
MOST = 3.0
"""The bounds are wider than any leaf, except in trees of wins and losses."""


def random_tree(
    random: Random,
    *,
    depth: int = 4,
    width: int = 3,
    players: int = 2,
    chance: bool = False,
    leaves: tuple[float, ...] = LEAVES,
    most: float = MOST,
    alternate: bool = False,
) -> Tree:
    """A tree of at most that depth and width, whose root has children."""

    def number() -> Any:
        return random.choice(leaves) if players <= 2 else [random.choice(leaves) for _ in range(players)]

    def node(left: int, root: bool = False) -> Any:
        if left == 0 or (not root and random.random() < 0.15):
            return number()
        made: dict[str, Any] = {str(at): node(left - 1) for at in range(random.randint(1, width))}
        if chance and random.random() < 0.35:
            made["@turn"] = "chance"
            weights = [random.randint(1, 4) for _ in made if _ != "@turn"]
            labels = [label for label in made if label != "@turn"]
            made["@chances"] = {label: weight / sum(weights) for label, weight in zip(labels, weights, strict=True)}
        elif not alternate and random.random() < 0.3:
            made["@turn"] = random.randrange(players)
        if players <= 2:
            made["@estimate"] = random.choice((-0.75, -0.5, 0, 0.125, 0.5))
        return made

    description = {
        "players": players,
        "root": 0 if players == 1 else random.randrange(players),
        "bounds": [-most, most],
    }
    drawn = read(description | {"tree": {"root": node(depth, root=True)}})
    return Tree.at(drawn, drawn.root)


def uniform_tree(depth: int, width: int, random: Random) -> Tree:
    """A tree of that depth and width everywhere, MAX at the root, all its leaves different."""
    values = random.sample(range(10**6), width**depth)

    def node(left: int) -> Any:
        return values.pop() if left == 0 else {str(at): node(left - 1) for at in range(width)}

    drawn = read({"tree": {"root": node(depth)}})
    return Tree.at(drawn, drawn.root)


def trees(**options: Any) -> st.SearchStrategy[Tree]:
    """Random trees with those options."""
    return st.integers(0, 2**32).map(lambda seed: random_tree(Random(seed), **options))


def wins_and_losses(**options: Any) -> st.SearchStrategy[Tree]:
    """Random trees in which every leaf is a win, a loss or a draw."""
    return trees(leaves=(-1, -1, 0, 1, 1), most=1.0, **options)
