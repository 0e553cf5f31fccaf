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
from itertools import islice
from pathlib import Path
from select import select
from time import monotonic
from typing import Final

from adsearch.errors import quote
from arena import languages
from arena.errors import ArenaError, BadPlayer
from arena.match.allowance import GIBIBYTE, MEBIBYTE, Allowance, WallKind
from arena.players import build_inside
from arena.players.build_commands import LanguageTable
from arena.players.player import Player, files_in
from arena.players.submissions import Store, Submission, built_player, find_program, is_built, is_command
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


def walls_of(store: Store, source: str, known: Mapping[str, LanguageTable]) -> tuple[WallKind | None, Allowance | None]:
    """The walls and limits of the agent whose hash in the store is `source`: those of its language. None: the defaults,
    as for an agent in Python."""
    if not is_command(store.folder / source):
        return None, None
    files = store.read(source)
    language = next((language for language in known.values() if language.spoken.sources(files)), None)
    return (language.walls, language.allowance) if language else (None, None)


def take(player: Player, store: Store, scratch: Path | None = None) -> Submission:
    """Copies `player` into the store; a source is built first. This is how every agent that is not built in gets there.

    `scratch`: a folder in which a build has its own folder for a while; by default the system's. BadPlayer says what is
    wrong with the agent, such as the first errors of the compiler. ArenaError if this machine cannot build it."""
    if player.path is not None and player.language is not None:
        player = _built(player.path, player.language, player, store, scratch)
    return store.take(player)


def _built(path: Path, language: LanguageTable, player: Player, store: Store, scratch: Path | None) -> Player:
    """The source as an agent that can run. The same files are built only once."""
    files = store.read_source(path, alone=player.handed_in)
    if player.handed_in or language.spoken.names_matter:
        files = language.spoken.renamed(files)
    for program in (*language.build[:1], *language.run[:1]):
        _refuse_missing(language, program)
    main = "" if player.handed_in or path.is_dir() else path.name
    build = language.build_command(files, main)
    run = language.run_command(files, main)
    note = _note(store, files, language, main)
    if there := _remembered(store, note):
        return there
    made, warnings = (
        _made(files, build, language, store, scratch, _walls_for(language, player)) if build else (files, "")
    )
    agent = store.keep_built(made, run, build, warnings)
    if agent.path is not None:
        note.parent.mkdir(exist_ok=True)
        begun = note.with_name(f"{note.name}.{os.getpid()}.part")
        begun.write_text(agent.path.name)
        os.replace(begun, note)
    return agent


def refuse_unlisted(player: Player, allowed: Mapping[str, LanguageTable]) -> None:
    """BadPlayer if the player is a source in a language that is not among those of its tournament's description."""
    if player.language is not None and player.language.name not in allowed and player.path is not None:
        spoken = player.language.spoken
        names = (
            [player.path.name]
            if player.path.is_file()
            else spoken.sources(map(os.path.basename, files_in(player.path)))
        )
        raise BadPlayer(
            f"{names[0]} is a {spoken.title} program; to collect such programs, the tournament's description needs the "
            f"table [languages.{spoken.name}]"
        )


def _note(store: Store, files: Mapping[str, StoredFile], language: LanguageTable, main: str) -> Path:
    """The file in the store that remembers the build of these files with these commands."""
    key = [hash_of(files), language.build, language.run, *([main] if main else [])]
    return store.folder / _BUILT / hashlib.sha256(json.dumps(key).encode()).hexdigest()


def _remembered(store: Store, note: Path) -> Player | None:
    """The agent that was built before, if the note of it and the agent are in the store."""
    try:
        source = store.verify(note.read_text())
    except (OSError, ArenaError):
        return None
    return built_player(source) if is_command(source) and is_built(source) else None


def _made(
    files: Mapping[str, StoredFile],
    command: Sequence[str],
    language: LanguageTable,
    store: Store,
    scratch: Path | None,
    kind: WallKind,
) -> tuple[dict[str, StoredFile], str]:
    """The files after the build, in walls of that kind, and the compiler's first warnings."""
    compiler = str(find_program(command[0])) if "/" not in command[0] else command[0]
    folder = Path(tempfile.mkdtemp(prefix="build-", dir=scratch))
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
            return _result(confined, how, language, store)
        finally:
            confined.kill_all()
            confined.remove()
    finally:
        clear(folder)


def _result(confined: Confined, how: str, language: LanguageTable, store: Store) -> tuple[dict[str, StoredFile], str]:
    """The files that the build leaves, and its warnings; BadPlayer if it failed."""
    packed, messages, wrong = _outputs(confined, most=2 * store.most_bytes)
    code = confined.exit()
    confined.kill_all()
    if wrong:
        raise BadPlayer(f"the build {wrong}")
    said = messages.decode("utf-8", "replace")
    for folder in (confined.folder, file_access.OWN):
        said = said.replace(f"{folder}/", "")
    if code != 0:
        told = _first(said, language.spoken.build_error) or _last_lines(said) or f"the build failed ({code})"
        advice = (advice for pattern, advice in language.spoken.build_advice if re.search(pattern, said))
        raise BadPlayer("; ".join([told, *islice(advice, 1)]))
    made = store.read_source(confined.folder) if how == build_inside.STAY else _unpacked(packed, store)
    return made, _first(said, language.spoken.build_warning, "warnings")


def _refuse_missing(language: LanguageTable, program: str) -> None:
    """ArenaError if this machine does not have the program, which is not a file of the agent."""
    if not program.startswith("./") and shutil.which(program) is None:
        of = f"programs in {language.spoken.title}" if language.spoken.title else f"[languages.{language.name}]"
        how = languages.how_to_install(program)
        raise ArenaError(f"{of} need {quote(program)}, which is not on this machine; {how}")


def _walls_for(language: LanguageTable, player: Player) -> WallKind:
    """The walls of its builds. Where they do not hold, limits for what was not handed in, as for agents that play; else
    ArenaError."""
    try:
        return probe.chosen(language.build_walls).kind
    except ArenaError as error:
        if not player.handed_in:
            return probe.chosen(WallKind.LIMITS).kind
        raise ArenaError(
            f"cannot build agents in {language.spoken.title or language.name}: {error}. Or write build_walls = "
            f'"limits" into the table [languages.{language.name}] of a description: a source can then read this '
            "user's files while it is built"
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


def _first(messages: str, pattern: str, what: str = "errors") -> str:
    """The compiler's first errors or warnings, with file and line; can be empty. `pattern`: one as it prints it."""
    found = [*re.finditer(pattern, "\n".join(_lines(messages)), re.MULTILINE)]
    texts = [f"{one['file'].removeprefix('./')}, line {one['line']}: {one['what']}" for one in found]
    more = f" ({len(found)} {what})" if len(found) > _MOST_ERRORS else ""
    return " / ".join(text[:_LONGEST_LINE] for text in texts[:_MOST_ERRORS]).replace("; ", ", ") + more


def _last_lines(messages: str) -> str:
    return " / ".join(line[:_LONGEST_LINE] for line in _lines(messages)[-_MOST_ERRORS:]).replace("; ", ", ")


def _lines(messages: str) -> list[str]:
    return [line.strip() for line in messages.splitlines() if line.strip()]
