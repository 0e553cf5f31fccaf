"""The store: read-only copies of submitted agents, their files and games, named by the hash of their content.

Every agent and game that is not built in is copied into a Store before the first game, and players run only from there.
A folder in the store is always complete, and its name is the hash of its content: also if several processes write to
the store, and after a power cut.

    STORE/<hash>/my_agent.py, ...     a file, and its data files
    STORE/<hash>/agent.py, ...    a folder
    STORE/<hash>/command.json         a command: its program's name and hash, and its arguments;
    STORE/<hash>/2/book.bin           its second argument was a file
    STORE/<hash>/3/MyAgent.class      its third argument was a folder
    STORE/<hash>/command.json         an engine: also its settings;
    STORE/<hash>/options/1/book.bin   the value of its first option was a file
    STORE/<hash>/command.json         a built agent: also the command that built it
    STORE/<hash>/files/agent.c, ...   its sources, and what the build made of them

Each copy is also noted as this user's own (`own_sources.py`), because a database cannot prove that.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from errno import ENAMETOOLONG
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import convert, to_builtins

from adsearch.errors import quote
from adsearch.games import catalog
from arena import languages
from arena.engines import Engine
from arena.errors import ArenaError, BadFixture, BadPlayer
from arena.players import engines, own_sources
from arena.players.contents import COMMAND_FILE, CommandPart, Contents, Part, command_parts, command_setting
from arena.players.own_sources import OwnSource
from arena.players.player import MAIN_FILE, Player, PlayerKind, refuse_missing_script
from db import private
from db.sources import HASH, MOST_BYTES, MOST_FILES, StoredFile, hash_of

_VERSION_MANAGERS: Final = ("pyenv", "rbenv", "nodenv", "asdf", "mise")
"""Programs that choose the version of other programs. Each answers to `which NAME`."""
_ANSWERS_WITHIN: Final = 10
"""Seconds."""
_BUILT_FILES: Final = "files"
"""The folder of a built agent's files in the store. Nothing handed in can replace command.json, which is outside."""
_Argument: TypeAlias = Part | list[Part]
"""An argument of a stored command: a text, the path of a copy ({"copy": "2/book.bin"}), or a class path of both."""


@dataclass(frozen=True, slots=True)
class Submission:
    """An agent in the store."""

    hash: str
    kind: PlayerKind
    command: tuple[str, ...]
    """What a warden executes; for a Python agent: its file, which the agent kit then loads."""
    source: Path
    """The folder in the store."""
    engine: Engine | None = None
    """If it is an engine: its settings, with the files that they name in the store."""


@dataclass(frozen=True, slots=True)
class StoredPath:
    """Where a path leads in a store."""

    store: Path
    hash: str
    name: str
    """The path inside the folder named by the hash; empty: that folder itself."""


def in_store(path: Path) -> StoredPath | None:
    """Where in a store the path leads, from its text only (no file is read); None if it has no part that is a hash."""
    parts = path.absolute().parts
    for place in reversed(range(1, len(parts))):
        if HASH.fullmatch(parts[place]):
            return StoredPath(Path(*parts[:place]), parts[place], "/".join(parts[place + 1 :]))
    return None


class Store:
    """The submissions of one arena, in one folder."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES, most_files: int = MOST_FILES) -> None:
        self.folder = folder.absolute()
        # The limits of one submission.
        self.most_bytes = most_bytes
        self.most_files = most_files

    def take(self, player: Player) -> Submission:
        """Copies `player`, a file, folder or command, into the store; BadPlayer if that cannot be done. `builder.take`
        does it for a source too, which is built first."""
        if player.kind is PlayerKind.COMMAND:
            return self._take_command(player) if player.path is None else self._take_built(player, player.path)
        if player.path is None or not player.is_python:
            raise BadPlayer(f"expected a file, a folder or a command to store, got {quote(player.text)}")
        contents = self._no_contents()
        if player.kind is PlayerKind.FOLDER:
            contents.add_folder(player.path)
            if MAIN_FILE not in contents.files:
                raise BadPlayer(f"expected a file {MAIN_FILE} in the folder {quote(player.path.name)}")
            main = MAIN_FILE
        else:
            main = player.path.name
            if player.handed_in:
                contents.add_file(player.path, main)
            else:
                contents.add_agent_file(player.path)
        source = self._keep(contents.files)
        # A recorded version ("alice@2") comes from a store, which may be another user's.
        if in_store(player.path) is None:
            own_sources.note(OwnSource.AGENT, source.name)
        agent = f"{source / main}:{player.class_name}" if player.class_name else str(source / main)
        return Submission(source.name, player.kind, (agent,), source)

    def take_game(self, text: str) -> str:
        """The rules that `text` names, with each file copied to the store and its path replaced.

        A game of ours or of a package is returned unchanged, except for files in its options ("tree:file=my.json").
        UnknownGame, BadOption or BadFixture says what is wrong with `text`."""
        game, options = catalog.find(text)
        given = {option.name: str(options[option.name]) for option in game.options}
        files = {name: value for name, value in given.items() if _names_a_file(name, value)}
        is_file = catalog.file_of(text) is not None
        if (source := own_sources.of_package(text)) is not None:
            own_sources.note(OwnSource.RULES, source)
        if not (is_file or files):
            return text
        name = game.name
        if is_file:
            path, _, class_name = name.rpartition(":")
            frozen = self._take_file(path)
            own_sources.note(OwnSource.RULES, frozen.parent.name)
            name = f"{frozen}:{class_name}"
        given |= {option: str(self._take_file(value)) for option, value in files.items()}
        defaults = {option.name: str(option.default) for option in game.options}
        changed = [f"{option}={value}" for option, value in given.items() if value != defaults[option]]
        return f"{name}:{','.join(changed)}" if changed else name

    def verify(self, submission_hash: str) -> Path:
        """The folder with that hash, checked to be complete and unchanged; ArenaError if it is not."""
        self.read(submission_hash)
        return self.folder / submission_hash

    def read(self, submission_hash: str) -> dict[str, StoredFile]:
        """The files of that hash, checked to be complete and unchanged; ArenaError if they are not.

        The returned content is what was hashed: later changes to the files have no effect."""
        if not HASH.fullmatch(submission_hash):
            raise ArenaError(f"expected the hash of a submission, 64 hex digits, got {quote(submission_hash)}")
        source = self.folder / submission_hash
        if not os.path.isdir(source):
            raise ArenaError(f"no submission {submission_hash[:12]} in {self.folder}: enter it again")
        contents = self._no_contents()
        try:
            contents.add_folder(source, everything=True)
        except BadPlayer as error:
            raise ArenaError(f"the stored submission is damaged: {error}. Delete {source} and enter it again") from None
        if hash_of(contents.files) != submission_hash:
            raise ArenaError(f"the stored submission was changed: delete {source} and enter it again")
        return contents.files

    def keep(self, submission_hash: str, files: Mapping[str, StoredFile]) -> None:
        """Stores files that were sent with their hash; ArenaError if they have another one, or names that lead out."""
        if hash_of(files) != submission_hash or any(os.path.normpath(f"/{name}") != f"/{name}" for name in files):
            raise ArenaError(f"expected the files of the submission {quote(submission_hash)}, got others")
        self._keep(dict(files))

    def check_has(self, sources: Iterable[str]) -> None:
        """ArenaError unless the store has all submissions among the sources of versions."""
        lacking = {found for found in sources if HASH.fullmatch(found) and not (self.folder / found).is_dir()}
        if lacking:
            raise ArenaError(
                f"the folder {self.folder} does not have {len(lacking)} of the submissions of this database; give the "
                "command where they are, or name their folder with the environment variable ARENA_STORE"
            )

    def copy_to(self, other: Store) -> int:
        """Copies all submissions to the other store; returns their number. ArenaError if one was changed."""
        hashes = sorted(found.name for found in self.folder.glob("*") if HASH.fullmatch(found.name))
        for found in hashes:
            if not (other.folder / found).is_dir():
                other.keep(found, self.read(found))
        return len(hashes)

    def line(self, submission_hash: str, file: str, number: int) -> str:
        """A line of a stored file, counted from 1; empty if there is none. `file` can be any text: only files of
        the submission are read."""
        folder = (self.folder / submission_hash).resolve()
        try:
            path = (folder / file).resolve()
            if number < 1 or not path.is_relative_to(folder):
                return ""
            return path.read_text("utf-8", "replace").splitlines()[number - 1]
        except (OSError, IndexError, ValueError, RuntimeError):
            return ""

    def _take_command(self, player: Player) -> Submission:
        path = find_program(player.command[0], engine=player.engine is not None)
        if player.engine is None:
            refuse_missing_script(player.command)
        contents = self._no_contents()
        arguments: list[_Argument] = []
        for number, parts in enumerate(command_parts(player.command, Path()), 1):
            if len(parts) == 1:
                arguments.append(contents.add_part(parts[0], f"{number}/"))
            else:
                arguments.append([contents.add_part(part, f"{number}/{place}/") for place, part in enumerate(parts, 1)])
        command: dict[str, Any] = {"program": path.name, "sha256": _hash_of_program(path), "arguments": arguments}
        if (engine := player.engine) is not None:
            options = {
                name: contents.add_part(_setting(name, value), f"options/{number}/")
                for number, (name, value) in enumerate(engine.options.items(), 1)
            }
            command["engine"] = {**to_builtins(engine), "options": options}
        contents.files[COMMAND_FILE] = StoredFile(json.dumps(command, indent=1).encode(), executable=False)
        source = self._keep(contents.files)
        return Submission(
            source.name, player.kind, (str(path), *command_arguments(source)), source, stored_engine(source)
        )

    def _take_built(self, player: Player, folder: Path) -> Submission:
        """Copies a built agent, which is in the `folder` of a store."""
        contents = self._no_contents()
        contents.add_folder(folder, everything=True)
        source = self._keep(contents.files)
        return Submission(source.name, player.kind, _built_command(source), source)

    def read_source(self, path: Path, *, alone: bool = True) -> dict[str, StoredFile]:
        """The content of an agent's folder, or of its file; unless `alone`, with the files beside it that it includes.
        BadPlayer if that cannot be done."""
        contents = self._no_contents()
        if path.is_dir():
            contents.add_folder(path)
        elif alone:
            contents.add_file(path, path.name)
        else:
            contents.add_agent_file(path)
        return contents.files

    def keep_built(
        self, files: Mapping[str, StoredFile], run: Sequence[str], built_by: Sequence[str], warnings: str = ""
    ) -> Player:
        """Stores a built agent: its sources and what `built_by` made of them, run with the words `run`.

        Words that name files are relative to the agent's folder; `warnings` are the compiler's. BadPlayer if the
        program is not in the folder."""
        contents = self._no_contents()
        kept = contents.files
        for name, file in files.items():
            contents.add_content(f"{_BUILT_FILES}/{name}", file)
        program: Part = Path(run[0]).name
        if "/" in run[0]:
            name = f"{_BUILT_FILES}/{os.path.normpath(run[0])}"
            if name not in kept:
                raise BadPlayer(f"the build made no file {quote(os.path.normpath(run[0]))}, which starts the agent")
            kept[name] = StoredFile(kept[name].content, executable=True)  # the walls refuse chmod
            program = {"copy": name}
        else:
            find_program(run[0])
        arguments: list[_Argument] = [
            [_built_part(entry, kept) for entry in word.split(os.pathsep)]
            if before in languages.path_options()
            else _built_part(word, kept)
            for before, word in pairwise(run)
        ]
        command = {"program": program, "built": shlex.join(built_by), "arguments": arguments}
        if warnings:
            command["warnings"] = warnings
        written = json.dumps(command, indent=1).encode()
        contents.add_content(COMMAND_FILE, StoredFile(written, executable=False))
        source = self._keep(kept)
        own_sources.note(OwnSource.AGENT, source.name)
        return built_player(source)

    def _take_file(self, path: str) -> Path:
        """The path of a game's file in the store, where it is copied."""
        file, contents = Path(path), self._no_contents()
        try:
            contents.add_file(file, file.name)
        except BadPlayer as error:
            raise BadFixture(str(error)) from None
        return self._keep(contents.files) / file.name

    def _no_contents(self) -> Contents:
        return Contents(self.most_bytes, self.most_files, leave_out=self.folder)

    def _keep(self, files: dict[str, StoredFile]) -> Path:
        """The folder in the store with these files; written if it does not exist."""
        target = self.folder / hash_of(files)
        if not os.path.exists(target):
            temporary: Path | None = None
            try:
                private.make_folder(self.folder)
                temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
                _write(temporary, files)
                os.rename(temporary, target)
                sync_folder(self.folder)
            except OSError as error:
                # Another process may have stored the same files at the same time.
                if not os.path.exists(target):
                    if error.errno == ENAMETOOLONG:
                        raise BadPlayer("the name of a file, with its folders, is too long for this system") from None
                    raise ArenaError(f"cannot write to the store {self.folder}: {error.strerror}") from None
            finally:
                _remove(temporary)
        return self.verify(target.name)


def _setting(name: str, value: str) -> CommandPart:
    """The value of the engine's setting `name`; BadPlayer if it names a file that does not exist."""
    part = command_setting(value, Path())
    if part.path is None and value.startswith(("/", "./", "../", "~/")):
        raise BadPlayer(f"{name}= names {quote(value)}: there is no such file or folder")
    return part


def is_command(source: Path) -> bool:
    """Whether the folder `source` in the store contains a command.

    A Python agent never does, whatever its files are called: a hand-in with a command.json of its own could name
    any program, and any file of this user to be copied beside it. Copies of a command are in folders, never at the top.
    """
    own = source / COMMAND_FILE
    return own.is_file() and [entry.name for entry in os.scandir(source) if entry.is_file()] == [own.name]


def command_arguments(source: Path) -> list[str]:
    """The arguments of the command in the folder `source` of the store; a file is replaced by its copy there."""
    arguments: list[_Argument] = _read_command_file(source)["arguments"]
    return [_located(argument, source) for argument in arguments]


def stored_engine(source: Path) -> Engine | None:
    """The settings of the engine in the folder `source` of the store; None if the command is not an engine."""
    kept = _read_command_file(source).get("engine")
    if kept is None:
        return None
    return convert(
        {**kept, "options": {name: _located(part, source) for name, part in kept["options"].items()}}, Engine
    )


def _located(argument: _Argument, source: Path) -> str:
    """The text of an argument; a file is replaced by its copy in the folder `source` of the store."""
    if isinstance(argument, list):
        return os.pathsep.join(_located(part, source) for part in argument)
    return argument if isinstance(argument, str) else f"{source}/{argument['copy']}"


def _built_command(source: Path) -> tuple[str, ...]:
    """The words of the command of the built agent in the folder `source` of the store. Its program was built and is in
    the store too, or it is a program of this machine."""
    kept = _read_command_file(source)["program"]
    first = f"{source}/{kept['copy']}" if isinstance(kept, dict) else str(find_program(kept))
    return first, *command_arguments(source)


def built_as(source: Path) -> str:
    """How the built agent in the folder `source` of the store is written."""
    kept = _read_command_file(source)
    return f"cmd:{shlex.join(_in_files(word) for word in (kept['program'], *kept['arguments']))}"


def _in_files(word: _Argument) -> str:
    """A word of a built agent's command as it is written in the folder of its files."""
    if isinstance(word, list):
        return os.pathsep.join(map(_in_files, word))
    if isinstance(word, str):
        return word
    name = os.path.relpath(word["copy"], _BUILT_FILES)
    return name if name == "." else f"./{name}"


def built_player(source: Path, text: str = "", name: str = "agent") -> Player:
    """The built agent in the folder `source` of the store; `text`: how it was written, by default its command."""
    return Player(PlayerKind.COMMAND, text or built_as(source), name, path=source, command=_built_command(source))


def is_built(source: Path) -> bool:
    """Whether the folder `source` in the store, which contains a command, is a built agent."""
    return "built" in _read_command_file(source)


def build_warnings(source: Path) -> str:
    """The first warnings of the compiler that made the agent in the folder `source` of the store; can be empty."""
    return str(_read_command_file(source).get("warnings", "")) if is_command(source) else ""


def _built_part(text: str, kept: Mapping[str, StoredFile]) -> Part:
    """A word of a built agent's run command; a path of its files or of its folder is replaced by the copy."""
    name = os.path.normpath(f"{_BUILT_FILES}/{text}")
    is_folder = ("/" in text or text == ".") and any(each.startswith(f"{name}/") for each in kept)
    return {"copy": name} if text and (name in kept or is_folder) else text


def _read_command_file(source: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((source / COMMAND_FILE).read_text("utf-8"))
    return read


def _hash_of_program(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadPlayer(f"cannot read the program {quote(str(path))}: {error.strerror}") from None


def find_program(name: str, *, engine: bool = False) -> Path:
    """The path of the program: as given, or found on the PATH; an `engine` also where systems install games."""
    if "/" not in name:
        found = engines.find_program(name) if engine else shutil.which(name)
        if found is None and engine:
            raise BadPlayer(f"no engine {quote(name)} on this machine; {engines.how_to_install(name)}")
        if found is None:
            raise BadPlayer(f"no program {quote(name)} on the PATH; {_how_to_have(name)}")
        return _behind_shim(Path(found).absolute())
    path = Path(os.path.expanduser(name)).absolute()
    if not os.path.isfile(path):
        sources = (f"{name}{ending}" for ending in languages.ours() if os.path.isfile(f"{path}{ending}"))
        meant = next((f"; did you mean the file '{source}'?" for source in sources), "")
        raise BadPlayer(f"no program {quote(name)}: expected an executable file (looked for {path}){meant}")
    if not os.access(path, os.X_OK):
        raise BadPlayer(f"{quote(name)} is not executable; {_how_to_run(name)}")
    return _behind_shim(path)


def _behind_shim(path: Path) -> Path:
    """The program that a shim of a version manager starts; other programs are themselves. Behind walls no shim works:
    it reads the manager's files."""
    manager = next((name for name in _VERSION_MANAGERS if name in path.parent.parent.name), None)
    beside = path.parent.parent / "bin" / (manager or "")
    if path.resolve().name == "rustup":  # its shims are links to itself
        manager, beside = "rustup", path.resolve()
    elif path.parent.name != "shims" or manager is None:
        return path
    program = str(beside) if os.access(beside, os.X_OK) else manager
    try:
        asked = subprocess.run([program, "which", path.name], capture_output=True, text=True, timeout=_ANSWERS_WITHIN)
        found = asked.stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        found = ""
    if not os.access(found, os.X_OK):
        raise BadPlayer(
            f"{quote(str(path))} is a shim of {manager}, which does not say what it starts; write the path of the "
            f"program itself ({manager} which {path.name})"
        )
    return Path(found)


def _how_to_have(name: str) -> str:
    """What to do if the program `name` is not on the PATH."""
    if not os.path.isfile(name):
        return languages.how_to_install(name)
    if not os.access(name, os.X_OK):
        return _how_to_run(name)
    return f"for the one in this folder write 'cmd:./{name}'"


def _how_to_run(name: str) -> str:
    """What to do with the file `name`, which is not executable."""
    language = languages.find(os.path.splitext(name)[1])
    if language is not None and language.build:
        return f"write the file itself, without 'cmd:': {name}"
    interpreter = (language and language.run_by) or "python3"
    return f"run chmod +x on it, or write its interpreter ('cmd:{interpreter} {name}')"


def _names_a_file(option: str, value: str) -> bool:
    """Whether a game's option names a file. A plain word does not: it can name something that the game ships."""
    return (option == "file" or "/" in value or "." in value) and bool(value) and os.path.isfile(value)


def _write(folder: Path, files: dict[str, StoredFile]) -> None:
    """Writes `files` and syncs them to the disk, before the folder gets its final name."""
    folders = {folder}
    for name, file in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        folders.update(parent for parent in path.parents if parent.is_relative_to(folder))
        with path.open("xb") as written:
            written.write(file.content)
            written.flush()
            os.fchmod(written.fileno(), 0o555 if file.executable else 0o444)
            os.fsync(written.fileno())
    for each in sorted(folders, reverse=True):
        each.chmod(0o555)
        sync_folder(each)


def sync_folder(folder: Path) -> None:
    """Syncs the names in the folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(folder: Path | None) -> None:
    """Removes the temporary folder, if it was not renamed."""
    if folder is not None and folder.exists():
        for inner, _, _ in os.walk(folder):
            os.chmod(inner, 0o700)
        shutil.rmtree(folder, ignore_errors=True)
