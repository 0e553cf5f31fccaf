"""Gauntlet: some players, the challengers, each meet all the others; there are no other pairings.

It measures new agents against known ones, or many agents against a few. Challengers do not meet each other.
"""

from __future__ import annotations

from arena.tournament.formats.tournament_state import Terms, TournamentState


def meetings(terms: Terms, so_far: TournamentState) -> list[list[tuple[str, str]]]:
    """Who meets whom in each round. Withdrawn players are in it too: their games are forfeited."""
    order = so_far.draw("order")
    challengers = [name for name in order if name in terms.gauntlet]
    field = [name for name in order if name not in terms.gauntlet]
    most = max(len(challengers), len(field))
    rounds = []
    for at in range(most):
        pairs = [(challenger, (at + number) % most) for number, challenger in enumerate(challengers)]
        rounds.append([(challenger, field[other]) for challenger, other in pairs if other < len(field)])
    return rounds
