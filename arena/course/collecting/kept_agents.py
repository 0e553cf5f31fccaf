"""KeptAgents: the submission that each agent plays with, in the database and in the file that a description names.

The file is written after each change, so an interrupted `arena course collect` loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from arena.course.collecting.hand_in import HandIn
from arena.course.roster import replace_unprintable
from arena.errors import BadSubmission
from arena.players.submissions import Store
from arena.tournament import collected_file
from arena.tournament.collected_file import Collected
from db import audit, store
from db.database import Database


class KeptAgents:
    """The submission that each agent plays with."""

    def __init__(self, file: Path, *, submissions: Store, database: Database, now: Callable[[], datetime]) -> None:
        """`file`: the collected file, which need not exist yet; BadSubmission if it belongs to another store."""
        self._file = file
        self._submissions = submissions
        self._database = database
        self._now = now
        # By the names of the agents.
        self.by_name = self._read()
        # The latest submission of each agent, if it does not play.
        self.refused = {one.name: one for one in collected_file.read_refused(file)} if file.exists() else {}

    def _read(self) -> dict[str, Collected]:
        if not self._file.exists():
            return {}
        kept, place = collected_file.read(self._file)
        if place.folder.resolve() != self._submissions.folder.resolve():
            raise BadSubmission(
                f"{self._file} lists submissions in {place.folder}, expected {self._submissions.folder}; "
                "give its database with --db, or another file with --to"
            )
        return {one.name: one for one in kept}

    def write(self) -> None:
        """Writes the file."""
        collected_file.write(self._file, self.by_name, self._submissions, self.refused)

    def keep(
        self,
        agent: str,
        source: str,
        *,
        started_as: str,
        language: str,
        hand_in: HandIn,
        late_days: int,
        light: str,
        message: str,
        conditions: str,
    ) -> Collected:
        """Let the agent play with this submission. `light`, `message`: its check; `conditions`: their hash."""
        with self._database.writing() as connection:
            store.version(connection, agent, source, started_as, self._now())
            numbers = {(one.agent, one.source): one.number for one in audit.versions(connection)}
        kept = Collected(
            name=agent,
            version=numbers[agent, source],
            source=source,
            started_as=started_as,
            submission=replace_unprintable(hand_in.label),
            handed_in=_time_text(hand_in),
            light=light,
            told=replace_unprintable(message),
            checked=conditions,
            late_days=late_days,
            language=language,
        )
        self.put(kept)
        return kept

    def put(self, kept: Collected) -> None:
        """Replace what is known of the agent."""
        self.by_name[kept.name] = kept
        self.write()

    def drop(self, agent: str) -> None:
        """Remove the agent: it no longer plays."""
        del self.by_name[agent]
        self.write()


def is_of(kept: Collected, hand_in: HandIn) -> bool:
    """Whether `kept`, of the same agent, is this hand-in: the same time, and the same name in its folder.

    The rest of the label is different if the command names other downloads, or one in another folder."""
    name = replace_unprintable(hand_in.label).rpartition("/")[2]
    return (kept.submission.rpartition("/")[2], kept.handed_in) == (name, _time_text(hand_in))


def is_older(hand_in: HandIn, kept: Collected) -> bool:
    """Whether the hand-in is older than `kept`; False if one of the times is not known."""
    return hand_in.when is not None and kept.when is not None and hand_in.when < kept.when


def _time_text(hand_in: HandIn) -> str:
    """The time of the hand-in as written to the file; empty if not known."""
    return "" if hand_in.when is None else hand_in.when.isoformat(timespec="seconds")
