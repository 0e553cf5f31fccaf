"""Builder: makes an agent of a source in a compiled language, behind walls, and puts it into the store.

Compilers are no safer than agents: a source can include any file that its compiler can read, and an annotation
processor of Java is code of the student. So each build runs in a jail of its own, without network, and can read only
its source, the system and the compiler. Whatever it does, it changes only this agent.

The store remembers what was built of which source, so a source is built once: the same source is the same version of an
agent, also if a compiler writes the time into its output.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from select import select
from time import monotonic
from typing import Final

from adsearch.errors import quote
from arena import languages
from arena.errors import ArenaError, BadPlayer
from arena.match.allowance import GIBIBYTE, MEBIBYTE, Allowance, WallKind
from arena.players import build_inside
from arena.players.build_commands import Language
from arena.players.player import MAIN_FILE, Player
from arena.players.submissions import Store, built_player, is_built, is_command, started_as
from arena.walls import file_access, jail, probe, seccomp
from arena.walls.jail import Confined, Excess, Walls
from arena.walls.run_folder import clear
from db.sources import StoredFile, hash_of

_ALLOWANCE: Final = Allowance(memory=2 * GIBIBYTE, threads=256, open_files=256, disk=256 * MEBIBYTE)
_WITHIN: Final = 60.0
"""Time limit of a build, in seconds."""
_HEADERS: Final = ("/usr/include", "/usr/local/include")
_LOOK_EVERY: Final = 0.05
"""Seconds between two looks at what a build uses."""
_CHUNK: Final = 64 * 1024
_MESSAGES_KEPT: Final = 64 * 1024
"""Bytes of a compiler's messages that are kept: the first ones."""
_MOST_ERRORS: Final = 3
_LONGEST_LINE: Final = 200
_ERROR: Final = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+)(:\d+)?: *(fatal )?error: *(?P<what>.+)")
"""An error as most compilers print it."""
_PACKED: Final = re.compile(rb"(\d{1,9}) ([01]) (\d{1,9})\n")
"""The line before each file that a build writes to its stdout."""
_BUILT: Final = ".built"
"""The folder in the store that remembers builds: a file for each, with the hash of the agent."""
_TOO_MUCH: Final = {
    Excess.MEMORY: f"used more than {(_ALLOWANCE.memory or 0) // MEBIBYTE} MiB of memory",
    Excess.THREADS: f"had more than {_ALLOWANCE.threads} threads and processes",
    Excess.OPEN_FILES: "had too many sockets and pipes open",
    Excess.HIDDEN: "ran a program that cannot be read",
    Excess.WATCHES: "watched too many files with epoll",
    Excess.DISK: f"wrote more than {_ALLOWANCE.disk // MEBIBYTE} MiB",
}


def walls_of(store: Store, source: str, known: Mapping[str, Language]) -> tuple[WallKind | None, Allowance | None]:
    """The walls and limits of the agent whose hash in the store is `source`: those of its language. None: the defaults,
    as for an agent in Python."""
    if not is_command(store.folder / source):
        return None, None
    files = store.read(source)
    language = next((language for language in known.values() if language.spoken.sources(files)), None)
    return (language.walls, language.allowance) if language else (None, None)


class Builder:
    """Builds agents in the languages of one description."""

    def __init__(self, known: Mapping[str, Language], store: Store, scratch: Path) -> None:
        """`known`: by name; `scratch`: a folder in which each build has its own folder for a while."""
        self._known = known
        self._store = store
        self._scratch = scratch

    @property
    def endings(self) -> tuple[str, ...]:
        """The extensions of files that can be built."""
        return tuple(language.spoken.ending for language in self._known.values())

    def build(self, path: Path) -> tuple[Player, Language] | None:
        """The agent of the file or folder `path`, built and stored; None if it is in Python, or in no known language.

        BadPlayer says what is wrong with the agent, such as the first errors of the compiler. ArenaError if this
        machine cannot build it."""
        if path.suffix == ".py" or (path / MAIN_FILE).is_file():
            return None
        files = self._store.read_agent(path)
        if any(name.endswith(".py") for name in files):
            return None
        used = [language for language in self._known.values() if language.spoken.sources(files)]
        if not used:
            self._refuse_unknown(files)
            return None
        if len(used) > 1:
            shown = " and ".join(quote(language.spoken.sources(files)[0]) for language in used[:2])
            raise BadPlayer(f"expected files in one language, got {shown}")
        (language,) = used
        files = language.spoken.renamed(files)
        for program in (*language.build[:1], *language.run[:1]):
            _refuse_missing(language, program)
        return self._remembered(files, language) or self._built(files, language), language

    def _refuse_unknown(self, files: Mapping[str, StoredFile]) -> None:
        for name in sorted(files):
            if language := languages.ours().get(Path(name).suffix):
                raise BadPlayer(
                    f"{name} is a {language.title} program; to collect such programs, the tournament's "
                    f"description needs the table [languages.{language.name}]"
                )

    def _remembered(self, files: Mapping[str, StoredFile], language: Language) -> Player | None:
        """The agent that was built of these files before, with the same commands."""
        try:
            source = self._store.verify(self._note(files, language).read_text())
        except (OSError, ArenaError):
            return None
        if not (is_command(source) and is_built(source)):
            return None
        return built_player(source, started_as(language.run_command(files)))

    def _built(self, files: Mapping[str, StoredFile], language: Language) -> Player:
        run, command = language.run_command(files), language.build_command(files)
        made = self._made(files, command, language) if command else files
        player = self._store.keep_built(made, run, command)
        note = self._note(files, language)
        if player.path is not None:
            note.parent.mkdir(exist_ok=True)
            begun = note.with_name(f"{note.name}.{os.getpid()}.part")
            begun.write_text(player.path.name)
            os.replace(begun, note)
        return player

    def _note(self, files: Mapping[str, StoredFile], language: Language) -> Path:
        key = json.dumps([hash_of(files), language.build, language.run])
        return self._store.folder / _BUILT / hashlib.sha256(key.encode()).hexdigest()

    def _made(
        self, files: Mapping[str, StoredFile], command: Sequence[str], language: Language
    ) -> dict[str, StoredFile]:
        """The files after the build."""
        compiler = shutil.which(command[0]) or command[0]
        kind = _walls_for(language)
        folder = Path(tempfile.mkdtemp(prefix="build-", dir=self._scratch))
        try:
            source = folder / "source"
            for name, file in files.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_bytes(file.content)
            how = build_inside.STAY if kind is WallKind.SANDBOX else build_inside.PACK
            words = [os.path.realpath(sys.executable), "-I", "-S", build_inside.__file__, str(source), how]
            own = (str(source), build_inside.__file__, *_HEADERS)
            readable = (*own, *file_access.interpreter(), *file_access.of_program([compiler]))
            walls = Walls(
                kind,
                _ALLOWANCE,
                cpu=int(_WITHIN) + 1,
                environment={"SOURCE_DATE_EPOCH": "0"},  # the time that gcc writes for __DATE__
                readable=tuple(dict.fromkeys(readable)),
                filter=seccomp.compiled(kind),
            )
            confined = jail.start([*words, compiler, *command[1:]], walls, folder)
            try:
                return self._result(confined, how)
            finally:
                confined.kill_all()
                confined.remove()
        finally:
            clear(folder)

    def _result(self, confined: Confined, how: str) -> dict[str, StoredFile]:
        """The files that the build leaves; BadPlayer if it failed."""
        packed, messages, wrong = _outputs(confined, most=2 * self._store.most_bytes)
        code = confined.exit()
        confined.kill_all()
        if wrong:
            raise BadPlayer(f"the build {wrong}")
        if code != 0:
            own = (f"{confined.folder}/", f"{file_access.OWN}/")
            raise BadPlayer(_first_errors(messages.decode("utf-8", "replace"), own) or f"the build failed ({code})")
        if how == build_inside.STAY:
            return self._store.read_agent(confined.folder)
        return _unpacked(packed, self._store)


def _refuse_missing(language: Language, program: str) -> None:
    """ArenaError if this machine does not have the program, which is not a file of the agent."""
    if not program.startswith("./") and shutil.which(program) is None:
        how = languages.how_to_install(program)
        raise ArenaError(f"[languages.{language.name}]: no program {quote(program)} on this machine; {how}")


def _walls_for(language: Language) -> WallKind:
    """The walls of its builds; ArenaError if they do not hold here."""
    try:
        return probe.chosen(language.build_walls).kind
    except ArenaError as error:
        raise ArenaError(
            f'[languages.{language.name}]: {error}. Or write build_walls = "limits" into the table: a source '
            "can then read this user's files while it is built"
        ) from None


def _outputs(confined: Confined, most: int) -> tuple[bytes, bytes, str]:
    """What the build writes to stdout and to stderr until it ends, and what it did that is not allowed, if it did."""
    confined.stdin.close()
    packed, messages = bytearray(), bytearray()
    pipes = {confined.stdout.fileno(): packed, confined.stderr.fileno(): messages}
    give_up = monotonic() + _WITHIN
    look_at = 0.0
    while True:
        over = confined.exit() is not None  # before the last reads, so that they read everything
        ready = select(list(pipes), [], [], 0 if over else _LOOK_EVERY)[0]
        for pipe in ready:
            data = os.read(pipe, _CHUNK)
            if not data:
                del pipes[pipe]
            elif pipes[pipe] is packed:
                packed += data
            else:
                messages += data[: _MESSAGES_KEPT - len(messages)]
        if len(packed) > most:
            return b"", b"", f"made more than {most} bytes"
        if over and not ready:
            return bytes(packed), bytes(messages), ""
        if monotonic() > give_up:
            return b"", b"", f"took longer than {_WITHIN:.0f} s"
        if monotonic() > look_at:
            look_at = monotonic() + _LOOK_EVERY
            confined.usage.look()
            if excess := confined.excess():
                return b"", b"", _TOO_MUCH[excess]


def _unpacked(packed: bytes, store: Store) -> dict[str, StoredFile]:
    """The files that a build wrote to its stdout, which can be anything; hidden ones are left out."""
    files: dict[str, StoredFile] = {}
    left = store.most_bytes
    at = 0
    while at < len(packed):
        head = _PACKED.match(packed, at)
        name_ends = head.end() + int(head[1]) if head else 0
        ends = name_ends + int(head[3]) if head else 0
        try:
            name = packed[head.end() : name_ends].decode() if head else ""
        except UnicodeDecodeError:
            name = ""
        if head is None or not name or ends > len(packed):
            raise BadPlayer("the files that the build made cannot be read")
        if not any(part.startswith(".") for part in name.split("/")):
            left -= int(head[3])
            if left < 0 or len(files) >= store.most_files:
                raise BadPlayer("the build made too many files, or too large ones")
            files[name] = StoredFile(packed[name_ends:ends], head[2] == b"1")
        at = ends
    return files


def _first_errors(messages: str, own: Sequence[str]) -> str:
    """The compiler's first errors, with file and line; without such errors, the end of its messages."""
    for folder in own:
        messages = messages.replace(folder, "")
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    found = [error for line in lines if (error := _ERROR.match(line))]
    if not found:
        return " / ".join(line[:_LONGEST_LINE] for line in lines[-_MOST_ERRORS:]).replace("; ", ", ")
    texts = [f"{error['file'].removeprefix('./')}, line {error['line']}: {error['what']}" for error in found]
    more = f" ({len(found)} errors)" if len(found) > _MOST_ERRORS else ""
    return " / ".join(text[:_LONGEST_LINE] for text in texts[:_MOST_ERRORS]).replace("; ", ", ") + more
