"""An agent in another language, in the store as `arena submit` puts it there; it is never run."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from arena import languages
from arena.course.collecting.inbox import Inbox
from arena.match.allowance import Allowance, WallKind
from arena.players.build_commands import LanguageTable, default
from arena.players.submissions import Store

LANGUAGES: Final = {
    "sh": LanguageTable("sh", build=(), run=("sh", "{main}"), walls=WallKind.LIMITS, allowance=Allowance(threads=99))
}
"""Its language, whose agents have walls and limits of their own."""
DEFAULTS: Final = {
    one.name: found for one in languages.ours().values() if not one.hosted and (found := default(one.name))
}
"""The languages that need no key in their tables."""


def built_agent(store: Store, folder: Path) -> tuple[str, str]:
    """Its hash in the store, and how it is written."""
    path = folder / "agent.sh"
    path.write_text("true", "utf-8")
    taken = Inbox(store, LANGUAGES, folder / "scratch").take(path, "alice")
    return taken.source, taken.started_as
