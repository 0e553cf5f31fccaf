"""Match: two players meet `rounds` times, or until a sequential test (SPRT) is decided.

It is the smallest round-robin. The first seat changes from pairing to pairing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final, Self

from arena.ratings.match_statistics import FARTHEST, Model
from arena.tournament import formats
from arena.tournament.format import DEFAULT_RISK, Scheduled, SprtTerms, TournamentState

if TYPE_CHECKING:
    from arena.tournament.description import Table

_MOST_RISK: Final = 0.5


@dataclass(frozen=True, kw_only=True)
class Match(Scheduled):
    """The format."""

    name = "match"
    every_two_meet = True
    plan_rounds = (10, 30, 100, 300)
    most_players = 2
    agent_keys = ("sprt",)

    sprt: SprtTerms | None = None

    @classmethod
    def read(cls, table: Table, agents: Sequence[str]) -> Self:
        return replace(super().read(table, agents), sprt=_sprt(table, agents))

    def check(self, table: Table, players: int) -> None:
        if players != 2:
            table.fail(f"expected 2 agents for a match, got {players}; use {formats.FOR_TWO!r}", "format")

    def agents_named(self) -> Iterator[tuple[str, Collection[str]]]:
        if self.sprt is not None:
            yield "[sprt]: of", (self.sprt.of,)

    @property
    def test(self) -> SprtTerms | None:
        return self.sprt

    def meetings(self, so_far: TournamentState) -> list[list[tuple[str, str]]]:
        first, second = so_far.names
        return [[(first, second)]]


FORMAT = Match


def _sprt(table: Table, agents: Sequence[str]) -> SprtTerms | None:
    """The sequential test; by default of the agent that is listed first."""
    if "sprt" not in table:
        return None
    keys = table.table("sprt")
    keys.only([each.name for each in fields(SprtTerms)])
    test = SprtTerms(
        of=keys.text("of", agents[0] if agents else ""),
        elo0=_elo(keys, "elo0"),
        elo1=_elo(keys, "elo1"),
        alpha=_risk(keys, "alpha"),
        beta=_risk(keys, "beta"),
        model=Model(keys.word("model", Model, Model.LOGISTIC)),
    )
    if test.elo0 >= test.elo1:
        keys.fail(f"expected elo0 below elo1, got {test.elo0:g} and {test.elo1:g}")
    return test


def _elo(keys: Table, key: str) -> float:
    elo = keys.number(key)
    if elo is None:
        keys.fail("missing; expected a number", key)
    if abs(elo) > FARTHEST:
        keys.fail(f"expected a number from {-FARTHEST:g} to {FARTHEST:g}, got {elo:g}", key)
    return elo


def _risk(keys: Table, key: str) -> float:
    risk = keys.number(key)
    if risk is not None and not 0 < risk < _MOST_RISK:
        keys.fail(f"expected a number between 0 and {_MOST_RISK}, got {risk:g}", key)
    return DEFAULT_RISK if risk is None else risk
