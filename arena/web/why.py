"""Why an author's agents lost in the last round: reads and judges their games for the page of feedback.

A round is the ladder's final, or a tournament at a time, or the ladder's games so far. Opponents have their public
names, and what they wrote is not read by what is shown. The record is read in one short transaction; judging follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.course.feedback.agent_feedback import Author, agent_feedback, read_games
from arena.players.submissions import Store
from arena.web.drawn import NotThere
from arena.web.results import Titled, report, titled
from arena.web.sight import What, may
from db import ladder, running, web

if TYPE_CHECKING:
    from pathlib import Path

    from arena.course.feedback.sentences import AgentFeedback
    from arena.serve.opened import OpenLadder
    from arena.web.names import SeenNames
    from db.database import Connection, Database


class AskedFor(Struct, frozen=True, kw_only=True):
    """An agent of the viewer, and the round that its feedback is about."""

    ladder: Titled
    agent: str
    """Its name in the record; empty if the viewer has none."""
    further: Sequence[str]
    """The second parts of the names of the viewer's agents; "" is the agent with the author's own name."""
    round: int | None
    """The row id of the tournament; None: no game is over."""
    has_lost: bool
    """Whether the agent lost a game of that round, with the version that plays now."""


def asked_for(connection: Connection, names: SeenNames, opened: OpenLadder, further: str = "") -> AskedFor:
    """What the viewer asks for who looks through these names. `further`: the second part of the agent's name; empty:
    the first one. NotThere if the viewer has no such agent."""
    own = sorted(line.name for line in ladder.standings(connection, opened.id) if names.viewer.owns(line.name))
    wanted = f"{names.viewer.author}{ladder.SECOND_AGENT}{further}" if further else next(iter(own), "")
    if further and wanted not in own:
        raise NotThere("You have no such agent.")
    round = last_round(connection, opened, wanted) if wanted else None
    return AskedFor(
        ladder=titled(connection, names, opened.id),
        agent=wanted,
        further=[name.partition(ladder.SECOND_AGENT)[2] for name in own],
        round=round,
        has_lost=round is not None and bool(web.losses(connection, round, wanted)),
    )


def last_round(connection: Connection, opened: OpenLadder, agent: str) -> int | None:
    """The row id of the last round in which the agent has played; None if there is none.

    That is the final, or else the last tournament, if it is over; else the ladder."""
    latest_first = sorted(opened.ladder.tournaments, key=lambda dated: dated.starts, reverse=True)
    for name in (opened.final, *(dated.league.name for dated in latest_first)):
        row = running.tournament(connection, name)
        if row is not None and row["status"] == "finished" and web.games_of(connection, row["id"], agent):
            return int(row["id"])
    return opened.id if web.games_of(connection, opened.id, agent) else None


def feedback(
    database: Database, store: Path, names: SeenNames, tournament: int, agent: str, *, now: datetime
) -> tuple[Titled, AgentFeedback]:
    """The feedback for the viewer's agent with this name in the record; NotThere if it is not the viewer's own."""
    if not may(names.viewer, What.SAID, own=names.viewer.owns(agent)):
        raise NotThere("You have no such agent.")
    with database.reading() as connection:
        shown = names.read(connection).shown
        found = report(connection, names, tournament, now=now)
        line = next(one for one in found.agents if one.name == shown[agent])
        author = Author(agent=line, name=agent, games=web.games_of(connection, tournament, agent))
        read = read_games(connection, found, author, shown, Store(store))
        about = titled(connection, names, tournament)
    return about, agent_feedback(found, read, shown)
