"""The file that says who plays with which submission: written by `arena course collect`, named by a tournament."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from stat import S_IMODE
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from arena.errors import ArenaError
from arena.players.player import Player
from arena.players.submissions import Store
from arena.tournament.description import Table, read_toml, what_is_wrong_with
from db import private

ENDING: Final = ".collected.toml"
_ABOUT: Final = """\
# Who plays with which submission. `arena course collect` writes this file; the description of a tournament names it:
#
#     players = "{name}"

"""


class Collected(Struct, frozen=True):
    """An agent and the submission that it plays with."""

    name: str
    """The agent's name."""
    version: int
    """The number of the agent's version in the database."""
    source: str
    """The submission's hash in the store."""
    started_as: str
    """The name of its file or folder."""
    submission: str
    """The path where it was found."""
    handed_in: str
    """When it was handed in, in ISO 8601; empty if not known."""
    light: str
    """The result of its check: good or warning."""
    told: str
    checked: str
    """A hash of the conditions of its check."""
    late_days: int = 0
    """How many days late it was handed in, counting each day that had started; 0: in time."""
    language: str = ""
    """The table [languages.NAME] that it was built with; empty for Python."""

    @property
    def when(self) -> datetime | None:
        """The time of the hand-in; None if not known."""
        return datetime.fromisoformat(self.handed_in) if self.handed_in else None

    def player(self, store: Store) -> Player:
        """The agent as it is in the store; BadPlayer if files of it are missing or changed."""
        from arena.players.versions import player_of as player  # imported late: it loads the database's modules
        from db.audit import StoredVersion

        return player(StoredVersion(self.name, self.version, self.source, self.started_as), store)


class Refused(Struct, frozen=True):
    """The latest submission for an agent, if it does not play."""

    name: str
    """The agent's name."""
    submission: str
    """The path where it was found."""
    why: str
    """What is wrong with it, and what to do."""


def named_in(description: Path) -> list[Path]:
    """The existing files of this kind that the key `players` of a description matches."""
    folder = description.absolute().parent
    return [
        folder / match
        for pattern in Table(read_toml(description), str(description)).texts("players")
        for match in sorted(glob.glob(os.path.expanduser(pattern), root_dir=folder, recursive=True))
        if match.endswith(ENDING) and (folder / match).is_file()
    ]


def read(path: Path) -> tuple[list[Collected], Store]:
    """The agents in the file, and the store of their submissions; BadLeague says what is wrong with the file."""
    keys = Table(read_toml(path), str(path))
    keys.only(("store", "deadline", "agent", "refused"))
    kept = []
    for number, table in enumerate(keys.tables("agent"), 1):
        agent = Table(table, f"{path}: agent {number}")
        agent.only(Collected.__struct_fields__)
        if wrong := what_is_wrong_with(table.get("name")):
            agent.fail(wrong, "name")
        texts = {name: agent.text(name, "") for name in ("submission", "told", "checked", "language")}
        handed_in = agent.text("handed_in", "") if table.get("handed_in") else ""
        try:
            datetime.fromisoformat(handed_in or "2026-01-01")
        except ValueError:
            agent.fail(f"expected a time such as 2026-05-01T23:59:00+00:00, got {handed_in!r}", "handed_in")
        kept.append(
            Collected(
                name=table["name"],
                version=agent.whole("version", 1, 10**9, 1),
                source=agent.text("source"),
                started_as=agent.text("started_as"),
                handed_in=handed_in,
                light=agent.word("light", ("good", "warning"), "good"),
                late_days=agent.whole("late_days", 0, 10**9, 0),
                **texts,
            )
        )
    folder = path.parent / os.path.expanduser(keys.text("store", "arena.store"))
    return kept, Store(folder)


def read_deadline(path: Path) -> str:
    """The deadline of the last run for everybody, as that run wrote it; empty if there was none, or no run."""
    return Table(read_toml(path), str(path)).text("deadline", "") if path.exists() else ""


def read_refused(path: Path) -> list[Refused]:
    """The submissions in the file that do not play; BadLeague says what is wrong with the file."""
    found = []
    for number, table in enumerate(Table(read_toml(path), str(path)).tables("refused"), 1):
        one = Table(table, f"{path}: refused {number}")
        one.only(Refused.__struct_fields__)
        found.append(Refused(**{name: one.text(name) for name in Refused.__struct_fields__}))
    return found


def write(
    path: Path,
    kept: Mapping[str, Collected],
    store: Store,
    refused: Mapping[str, Refused] = MappingProxyType({}),
    *,
    deadline: str = "",
) -> None:
    """Writes the agents and the refused submissions into the file, each in the order of their names."""
    here = path.absolute().parent
    place = os.path.relpath(store.folder, here) if store.folder.is_relative_to(here) else str(store.folder)
    lines = [_ABOUT.format(name=path.name), f"store = {_text(place)}\n"]
    if deadline:
        lines.append(f"deadline = {_text(deadline)}\n")
    tables: list[tuple[str, Collected | Refused]] = [("agent", one) for _, one in sorted(kept.items())]
    tables += [("refused", one) for _, one in sorted(refused.items())]
    for title, one in tables:
        lines.append(f"\n[[{title}]]\n")
        lines += [
            f"{name} = {_text(getattr(one, name))}\n"
            for name in one.__struct_fields__
            if getattr(one, name) not in ("", 0)
        ]
    begun = path.with_name(f"{path.name}.part")
    try:
        begun.unlink(missing_ok=True)
        with open(private.new_file(begun), "w", encoding="utf-8", newline="\n") as file:
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), S_IMODE(path.stat().st_mode))
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(begun, path)
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from None
    finally:
        begun.unlink(missing_ok=True)


def _text(value: Any) -> str:
    """A value in TOML's notation: its strings are those of JSON, except for the DEL character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
