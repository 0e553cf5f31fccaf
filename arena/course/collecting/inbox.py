"""Inbox: finds the agent in what was handed in (a file, a folder or a zip), builds it, and copies it to the store.

`arena course collect` and a ladder take agents in here. No code of an agent is run, except its build, which is behind
walls.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from arena import languages
from arena.course.collecting.unzip import SUBMISSION, is_junk, is_zip, unpack
from arena.errors import BadSubmission
from arena.players import builder
from arena.players.build_commands import LanguageTable
from arena.players.player import MAIN_FILE, Player, PlayerKind
from arena.players.submissions import Store, built_player
from arena.student.checking.agent_lookup import find
from arena.student.checking.explanations import Explanation


@dataclass(frozen=True, slots=True)
class StoredAgent:
    """An agent that was handed in, and is in the store now."""

    player: Player
    source: str
    """The hash of its submission in the store."""
    started_as: str
    language: LanguageTable | None
    """The language that it was built in; None for Python."""


class Inbox:
    """Takes agents in, one after the other."""

    def __init__(self, store: Store, languages: Mapping[str, LanguageTable], scratch: Path) -> None:
        """`scratch`: a folder in which zips are unpacked and agents are built; it must be removed by its owner."""
        self._store = store
        self._languages = languages
        self._scratch = scratch
        self._numbers = count(1)

    def take(self, path: Path, name: str) -> StoredAgent:
        """The agent in the file or folder `path`, stored; BadSubmission or BadPlayer says what is wrong with it.

        `name`: the name of the agent."""
        endings = [language.spoken.ending for language in self._languages.values()]
        found = find_agent(path, self._new_folder, endings)
        there = find(str(found.absolute()), self._languages)
        if isinstance(there, Explanation):
            raise BadSubmission("; ".join(filter(None, (there.message, there.advice))))
        if there.language is not None:
            builder.refuse_unlisted(there, self._languages)
            source = builder.take(replace(there, handed_in=True), self._store, self._scratch).source
            player = built_player(source)
            return StoredAgent(player, source.name, player.text, there.language)
        if ":" in found.name:  # such as cmd:agent.py, which would be read as a command
            raise BadSubmission(f"{quote(found.name)}: expected the name of a file without a colon; rename it")
        started_as = found.name if there.kind is PlayerKind.FILE else f"{name}/"
        there = replace(there, handed_in=not found.is_relative_to(self._scratch))
        return StoredAgent(there, self._store.take(there).hash, started_as, None)

    def _new_folder(self) -> Path:
        return self._scratch / f"submission-{next(self._numbers):06}"

    def without_scratch(self, text: str) -> str:
        """`text` with paths inside the hand-in, without the scratch folder."""
        if str(self._scratch) in text:
            for path in sorted(self._scratch.glob("*-*"), reverse=True):
                text = text.replace(f"{path}/", "")
        return text


_DEEPEST: Final = 8
"""Levels of folders and zips that are searched."""


# The agent in a hand-in is its file, or the folder with agent.py, inside any number of folders and zips. If there are
# several Python files, none is chosen: the folder is returned, and the check says what is missing in it.


def find_agent(path: Path, new_folder: Callable[[], Path], endings: Collection[str] = ()) -> Path:
    """The agent's file or folder in the file or folder `path`; BadSubmission if a zip cannot be unpacked.

    `endings`: the extensions of other languages in which agents can be."""
    in_languages = {".ipynb", *languages.ours(), *endings}
    for _ in range(_DEEPEST):
        if is_zip(path):
            folder = new_folder() / path.stem
            unpack(path, folder, SUBMISSION)
            path = folder
        if not path.is_dir() or (path / MAIN_FILE).is_file():
            return path
        inside = [each for each in sorted(path.iterdir()) if not is_junk(each.name) and not each.is_symlink()]
        programs = [each for each in inside if each.suffix == ".py" and each.is_file()]
        others = [each for each in inside if each.suffix in in_languages and each.is_file()]
        wrapped = [each for each in inside if each.is_dir() or is_zip(each)]
        if len(programs) == 1:
            return programs[0]
        if programs or len(wrapped) != 1:
            return path
        if others and wrapped[0].is_dir() and not any(wrapped[0].rglob("*.py")):
            return path
        path = wrapped[0]
    return path
