"""From what a person wants to play to the game for the director: which games and opponents there are.

The opponent is an agent of the ladder, behind the same walls as there, or a built-in agent. It never has a core for
itself, and is paused while the person thinks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec import structs

from adsearch import games
from adsearch.errors import meant, quote
from agents.builtin import is_builtin
from arena.errors import BadClock, BadFixture, BadPlayer
from arena.history import words
from arena.match.clock import SECOND, TimeControl
from arena.match.schedule import Entrant, Planned
from arena.match.seeds import fresh_seed
from arena.players.entrants import built_in
from arena.players.player import unique_names
from arena.serve.opened import OpenLadder
from arena.serve.page_link import WantGame
from db.records import HUMAN, GameKind

_PATIENCE: Final = 30 * SECOND
"""Time for the page server, which has a low priority, to take the seat and to be ready."""

Find = Callable[[str], tuple[Entrant, str] | None]
"""The agent of the ladder with this name, and what it was started as; None if it cannot play."""


class Invitation(NamedTuple):
    """A game that can be played."""

    game: Planned
    """The person's entrant has no `invite` yet."""
    started_as: Mapping[str, str]
    """By name, the text of each player."""
    agents: Mapping[str, str]
    """By name, the name of its agent."""


def planned(wanted: WantGame, ladder: OpenLadder, find: Find, *, number: int) -> Invitation:
    """The game; an ArenaError, AgentsError or AdsearchError says why it cannot be played."""
    league = ladder.ladder.league
    terms = league.conditions
    is_of_ladder = wanted.game in ("", league.game, ladder.rules)
    if not is_of_ladder and wanted.game not in games.names():
        raise BadFixture(f"no game {quote(wanted.game)}{meant(wanted.game, [*games.names()])}")
    game, rules = (league.game, ladder.rules) if is_of_ladder else (wanted.game, wanted.game)
    start = games.start(rules)
    if wanted.seat >= start.players or start.players == 1:
        players = words.counted(start.players, "player")
        raise BadFixture(f"{game} is for {players}, so nobody can take seat {wanted.seat} against an agent")
    if not TimeControl.parse(wanted.clock):
        raise BadClock("games with people have a clock, got none")
    if (found := find(wanted.opponent)) is not None and is_of_ladder:
        opponent, started_as = found
    elif is_builtin(wanted.opponent):
        opponent, started_as = built_in(wanted.opponent, wanted.opponent, start), wanted.opponent
    elif found is not None:
        raise BadPlayer(f"an agent of this ladder plays {league.game} only, got {quote(game)}")
    else:
        # Without the name: the person may know this agent by another one.
        raise BadPlayer("the opponent cannot play on this ladder now, and is no built-in agent")
    person, *others = unique_names((HUMAN, *[opponent.name] * (start.players - 1)))
    entrants = [_beside(opponent, name) for name in others]
    entrants.insert(wanted.seat, Entrant(person, person, source=HUMAN))
    return Invitation(
        Planned(
            number=number,
            game=game,
            rules=rules,
            entrants=tuple(entrants),
            seed=fresh_seed(),
            identity=(json.dumps([person, *others, number]),),
            conditions=structs.replace(
                terms,
                kind=GameKind.WITH_A_PERSON,
                clock=wanted.clock,
                names="shown",
                max_plies=terms.max_plies if is_of_ladder else None,
                limits=structs.replace(terms.limits, hello=_PATIENCE, ready=max(terms.limits.ready, _PATIENCE)),
            ),
        ),
        {person: HUMAN, **dict.fromkeys(others, started_as)},
        dict.fromkeys(others, opponent.name),
    )


def _beside(entrant: Entrant, name: str) -> Entrant:
    """The same program in a process of its own: one that has played on the ladder is bound to a core."""
    settings = {**entrant.settings, "ponder": False} if entrant.guarded else entrant.settings
    return replace(entrant, name=name, key=f"{entrant.key} beside", settings=settings)
