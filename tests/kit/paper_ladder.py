"""A ladder without games: results are drawn from known strengths, and the real pairing and the real fit do the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

import numpy as np

from arena.ratings.bradley_terry import fit
from arena.ratings.duels import duels
from arena.ratings.scale import WIDTH
from arena.serve.ladder_games import UNRATED_ERROR, LadderPair, PairCandidate, PairingState, pick
from db.records import PairCount

ANCHORS = {"anchor 1": -600.0, "anchor 2": -300.0, "anchor 3": 0.0, "anchor 4": 300.0, "anchor 5": 600.0}


@dataclass(slots=True)
class Agent:
    """A player, with what the ladder knows about it."""

    strength: float
    author: str
    anchor: bool = False
    version: int = 1
    rating: float = 0.0
    error: float = UNRATED_ERROR
    pairs: int = 0
    last: int = 0
    begun: list[int] = field(default_factory=list)
    """The numbers of its pairs."""


class PaperLadder:
    """One pair after the other is picked and played; ratings are fitted after every 20 games."""

    def __init__(self, seed: int, anchors: Mapping[str, float] = ANCHORS) -> None:
        self.random = Random(seed)
        self.now = 0
        # Agents that do not play, but are still rated.
        self.aside: set[str] = set()
        self.agents = {
            name: Agent(rating, "", anchor=True, rating=rating, error=0.0) for name, rating in anchors.items()
        }
        self._held = {f"{name}@1": rating for name, rating in anchors.items()}
        self._met: dict[tuple[str, str], int] = {}
        self._results: dict[tuple[str, str, float, float], int] = defaultdict(int)

    def enter(self, name: str, strength: float, author: str = "") -> None:
        """A new agent, or a new version of one."""
        self.aside.discard(name)
        before = self.agents.get(name)
        agent = self.agents[name] = Agent(strength, author or name)
        if before is not None:
            agent.version, agent.last, agent.begun = before.version + 1, before.last, before.begun
            self._met = {names: number for names, number in self._met.items() if name not in names}

    def leave(self, name: str) -> None:
        """The agent plays no more."""
        del self.agents[name]

    def state(self) -> PairingState:
        """What the pairing is given."""
        return PairingState(
            [
                PairCandidate(name, one.author, one.anchor, one.rating, one.error, one.pairs, one.last)
                for name, one in self.agents.items()
                if name not in self.aside
            ],
            self._met,
            self.now,
        )

    def play(self) -> LadderPair:
        """One pair."""
        state = self.state()
        pair = pick(state, self.random, placement=True) or pick(state, self.random, placement=False)
        assert pair is not None
        self.now += 1
        one, other = self.agents[pair.one], self.agents[pair.other]
        for agent in (one, other):
            agent.pairs, agent.last = agent.pairs + 1, self.now
            agent.begun.append(self.now)
        low, high = sorted((pair.one, pair.other))
        self._met[low, high] = self.now
        chance = 1.0 / (1.0 + 10.0 ** ((other.strength - one.strength) / 400.0))
        own, others = (float(self.random.random() < chance) for _ in range(2))
        names = (f"{pair.one}@{one.version}", f"{pair.other}@{other.version}")
        self._results[(*names, own, 1.0 - others)] += 1
        if self.now % 10 == 0:
            self.rate()
        return pair

    def rate(self) -> None:
        """Fits all results."""
        counts = [PairCount(a, b, "", own, others, n) for (a, b, own, others), n in self._results.items()]
        found = fit(duels([], counts), held=self._held)
        errors = found.errors() / WIDTH
        place = {name: number for number, name in enumerate(found.names)}
        for name, agent in self.agents.items():
            number = place.get(f"{name}@{agent.version}")
            if number is not None and not agent.anchor:
                agent.rating, agent.error = float(found.ratings[number]), float(errors[number])

    def players(self) -> dict[str, Agent]:
        """All but the anchors."""
        return {name: agent for name, agent in self.agents.items() if not agent.anchor}


def kendall(estimates: list[float], truths: list[float]) -> float:
    """Kendall's tau of two lists without ties."""
    i, j = np.triu_indices(len(truths), 1)
    a, b = np.array(estimates), np.array(truths)
    return float(np.mean(np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])))
