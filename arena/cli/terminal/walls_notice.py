"""The paragraph that says how an agent is confined: printed once a day, and again if the walls or limits change.

The user's state folder has an empty file for each kind of walls and each day. If it cannot be written, the paragraph is
printed before every game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Final

from arena.players.own_sources import state_folder

_PREFIX: Final = "walls-shown-"


def due(paragraphs: Mapping[str, str], today: date) -> list[str]:
    """Those of the paragraphs, by agent, that were not printed today; notes that they are. The name of the agent makes
    no difference."""
    about = {agent: text.removeprefix(agent) for agent, text in paragraphs.items()}
    new = {text for text in {*about.values()} if _note(text, today)}
    return [paragraphs[agent] for agent, text in about.items() if text in new]


def _note(text: str, today: date) -> bool:
    """Notes that `text` is printed today; False if it was before."""
    folder = state_folder()
    if folder is None:
        return True
    note = folder / f"{_PREFIX}{today}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    try:
        if note.exists():
            return False
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in folder.glob(f"{_PREFIX}*"):
            if not old.name.startswith(f"{_PREFIX}{today}-"):
                old.unlink(missing_ok=True)
        note.touch(mode=0o600)
    except OSError:
        pass  # then it is printed again
    return True
