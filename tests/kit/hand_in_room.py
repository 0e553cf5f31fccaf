"""A ladder that is open, without its process: for the tests of handing in and of checks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.players.submissions import Store
from arena.serve import ladder as ladders
from arena.serve import submissions
from arena.serve.open_ladders import OpenLadder, open_ladder
from arena.serve.spool import Spool
from db import ladder
from db.database import Database
from db.ladder import StoredSubmission

OPENS = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 20, 23, 59, tzinfo=UTC)
AGENT = """\
from agents import Agent

# {number}
class Mine(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""


@dataclass
class HandInRoom:
    """The ladder, and a clock that stands still."""

    folder: Path
    database: Database
    store: Store
    opened: OpenLadder
    now: datetime = OPENS

    def receive(self, path: Path, author: str = "alice", *, agent: str = "", after: float = 0) -> StoredSubmission:
        """Hand in what is at `path`, `after` that many seconds."""
        self.now += timedelta(seconds=after)
        return submissions.receive(self.database, self.store, self.opened, path, author, self.now, agent=agent)

    def upload(
        self,
        content: bytes,
        author: str = "alice",
        *,
        label: str = "my_agent.py",
        agent: str = "",
        after: float = 0,
        takes: float = 0,
    ) -> StoredSubmission:
        """Upload a file with this content as the web does, `after` that many seconds; that `takes` some, too."""
        begun = self.now + timedelta(seconds=after)
        self.now = begun + timedelta(seconds=takes)
        with Spool(self.store).begin() as upload:
            upload.write(content)
            upload.finish()
            return submissions.announce(
                self.database, self.opened, author, label, self.now, begun=begun, agent=agent, keep=upload.keep_as
            )

    def file(self, number: int = 0, *, code: str = AGENT, name: str = "my_agent.py") -> Path:
        """A file with an agent; another number is another content."""
        path = self.folder / f"files-{number}" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(code.replace("{number}", str(number)))
        return path

    def rows(self) -> list[StoredSubmission]:
        """All submissions, oldest first."""
        with self.database.reading() as connection:
            return ladder.submissions(connection, self.opened.id)[::-1]


def hand_in_room(
    folder: Path,
    *,
    game: str = "nap",
    limits: str = "pause = 0\nper_day = 0",
    agents: int = 1,
    opens: datetime = OPENS,
    closes: datetime = CLOSES,
    more: str = "",
    where: str | None = None,
) -> HandInRoom:
    """A ladder in a new database, in this folder or at the address `where`; `more`: the end of its description."""
    description = folder / "cs101.toml"
    description.write_text(
        f'name = "cs101"\ngame = "{game}"\nclock = "5+0.1"\n[ladder]\nopens = "{opens.isoformat()}"\n'
        f'closes = "{closes.isoformat()}"\nanchors = {{ "random" = 0 }}\nagents = {agents}\n'
        f"[ladder.limits]\n{limits}\n{more}"
    )
    described = ladders.read(description)
    database = Database(where or str(folder / "arena.db"))
    store = Store(folder / "arena.store")
    rules = store.take_game(described.league.game)
    with database.writing() as connection:
        opened = open_ladder(connection, described, rules=rules, ratings={"random": 0.0}, now=opens)
    return HandInRoom(folder, database, store, opened)
