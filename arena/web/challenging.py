"""What a student sees of challenges: with what and against whom one can be started, and what became of the last ones.

Every function takes a connection, the names as the viewer sees them, and the ladder that is served. Names that come in
and go out are public ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from agents import builtin
from arena.serve import challenges as serve
from db import ladder
from db.ladder import author_of

if TYPE_CHECKING:
    from arena.serve.opened import OpenLadder
    from arena.web.sight import SeenNames
    from db.database import Connection
    from db.ladder import StoredChallenge

_LATEST: Final = 10
"""Challenges that are listed."""


class Challenged(Struct, frozen=True, kw_only=True):
    """A challenge of the viewer."""

    game: int
    agent: str
    opponent: str
    made: datetime
    status: str
    """That of its game."""
    verdict: str | None
    points: float | None
    """Of the viewer's agent."""
    words: str
    """Why it was not played; empty unless it was cancelled."""


class Challenging(Struct, frozen=True, kw_only=True):
    """What the page of an author shows of challenges."""

    closed: str
    """Why nobody can start one now; empty if somebody can."""
    left: int
    """How many the author can still start today."""
    agents: Sequence[str]
    """The author's agents that play."""
    opponents: Sequence[tuple[str, Sequence[str]]]
    """The opponents in groups, the agents of the ladder first, the best one first."""
    latest: Sequence[Challenged]
    """The newest first."""


def challenging(
    connection: Connection, names: SeenNames, opened: OpenLadder, author: str, now: datetime
) -> Challenging | None:
    """What the page of this author shows; None if challenges are turned off and the author has none."""
    shown = names.read(connection).shown
    agents, built_in = serve.opponents(connection, opened)
    own = [name for name in agents if author_of(name) == author]
    others = [name for name in agents if name not in own or len(own) > 1]
    latest = ladder.latest_challenges(connection, opened.id, author, most=_LATEST)
    if not opened.ladder.challenges and not latest:
        return None
    return Challenging(
        closed=serve.closed(connection, opened, now),
        left=serve.left(connection, opened, author, serve.day(opened, now)[0]),
        agents=[shown[name] for name in own],
        opponents=[("Agents of the ladder", [shown[name] for name in others]), ("Built-in agents", built_in)],
        latest=[_challenged(one, shown) for one in latest],
    )


def _challenged(one: StoredChallenge, shown: Mapping[str, str]) -> Challenged:
    own = next(seat for seat, name in enumerate(one.game.names) if author_of(name) == one.author)
    agent, opponent = one.game.names[own], one.game.names[1 - own]
    return Challenged(
        game=one.game.id,
        agent=shown[agent],
        opponent=shown[opponent],
        made=one.made,
        status=one.game.status,
        verdict=one.verdict,
        points=one.points[own],
        words=one.words,
    )


def challengers(
    connection: Connection, names: SeenNames, opened: OpenLadder, tournament: int, opponent: str, now: datetime
) -> list[str]:
    """The viewer's agents that can challenge the agent with this name in the tournament; none if that is not the
    ladder, or if there are no challenges now."""
    author = names.viewer.author
    if not author or tournament != opened.id or serve.closed(connection, opened, now):
        return []
    shown = names.read(connection).shown
    agents, _ = serve.opponents(connection, opened)
    own = [shown[name] for name in agents if author_of(name) == author and shown[name] != opponent]
    return own if opponent in {shown[name] for name in agents} else []


def recorded(
    connection: Connection, names: SeenNames, opened: OpenLadder, author: str, agent: str, opponent: str
) -> tuple[str, str]:
    """The names in the record of the author's agent, by default the only one, and of the opponent; empty if there is no
    such agent."""
    shown = names.read(connection).shown
    lines = {shown[line.name]: line.name for line in ladder.standings(connection, opened.id)}
    own = {public: name for public, name in lines.items() if author_of(name) == author}
    if not agent and len(own) == 1:
        (agent,) = own
    return own.get(agent, ""), lines.get(opponent, opponent if builtin.is_builtin(opponent) else "")
