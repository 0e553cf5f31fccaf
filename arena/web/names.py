"""The public names of agents and tournaments, for as long as the web runs.

With a roster, agents are shown by their aliases; an agent without a line is "agent 12", so that a name which nobody has
cleared is never published. Names do not change, so they are computed once and kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.course.aliases import ShownNames
    from arena.course.roster import Roster
    from db.database import Connection


class Names:
    """The public names of all agents in one database; shared by all threads."""

    def __init__(self, roster: Roster | None = None) -> None:
        self._roster = roster

    def read(self, connection: Connection) -> ShownNames:
        """The public names of all agents that are recorded now."""
        raise NotImplementedError
