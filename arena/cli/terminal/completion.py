"""Shell completion of games, players, algorithms, exercises, tournaments, descriptions and recorded games.

The metavar of a parameter (GAME, AGENT, ...) decides what is offered, so parameters of new commands are completed too.
Completion reads the database and never fails: if nothing can be read, nothing is offered.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import shellingham
import typer

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MOST_GAMES: Final = 20
"""Number of recorded games that are offered."""
_PLAIN: Final = re.compile(r"[\w@%+=:,./-]+")
"""A word that needs no quoting in a shell; other names are not offered, because a shell could execute them."""


class Completion(NamedTuple):
    """One offered word, with the attributes that Typer's completion scripts read."""

    value: str
    help: str | None = None
    type: str = "plain"


def complete(command: Any) -> None:
    """Enable completion for the parameters of `command`."""
    for parameter in command.params:
        words = _WORDS.get(_called(parameter))
        if words is not None:
            parameter.shell_complete = partial(_offers, words)


def _called(parameter: Any) -> str:
    """The kind of a parameter: "game" for GAME as well as for --game; "file.toml|game" for FILE.toml | GAME ..."""
    return str(parameter.metavar or parameter.name).replace(" | ", "|").split()[0].rstrip(".").lower()


def _offers(words: Callable[[str | None], Iterator[str]], ctx: Any, incomplete: str) -> list[Completion]:
    found: dict[str, Completion] = {}
    with suppress(Exception):  # an error message would appear in the middle of the user's line
        for word in words(ctx.params.get("db")):
            if word.startswith(incomplete) and _PLAIN.fullmatch(word):
                found[word] = Completion(word)
    return list(found.values())


def _games(_: str | None) -> Iterator[str]:
    from adsearch.games import catalog

    yield from catalog.GAMES.names()
    yield from catalog.GAMES.packages()


def _algorithms(_: str | None) -> Iterator[str]:
    from adsearch import searches

    yield from searches.names()


def _exercises(_: str | None) -> Iterator[str]:
    from arena.course.lecture import kinds

    yield from kinds.names()


def _players(db: str | None) -> Iterator[str]:
    yield from ("human", "wait")
    yield from _agents(db)


def _agents(db: str | None) -> Iterator[str]:
    from agents import builtin
    from db import audit

    yield from builtin.names()

    with _reading(db) as connection:
        yield from (version.agent for version in audit.versions(connection))


def _tournaments(db: str | None) -> Iterator[str]:
    from db import lookup

    with _reading(db) as connection:
        yield from (row.name for row in lookup.tournaments(connection))


def _descriptions(_: str | None) -> Iterator[str]:
    """In the current folder; the lists that `arena course collect` writes are none."""
    yield from sorted(str(file) for file in Path().glob("*.toml") if not file.name.endswith(".collected.toml"))


def _ids(db: str | None) -> Iterator[str]:
    from db import search

    yield "last"
    with _reading(db) as connection:
        for game in search.page(connection, search.GameFilter(), limit=_MOST_GAMES):
            yield game.name


@contextmanager
def _reading(db: str | None) -> Iterator[Connection]:
    from db.database import Database

    with Database(db, create=False, read_only=True) as database, database.reading() as connection:
        yield connection


_WORDS: Final[dict[str, Callable[[str | None], Iterator[str]]]] = {
    "game": _games,
    "player": _players,
    "file.toml": _descriptions,
    "file.toml|game": lambda db: chain(_descriptions(db), _games(db)),
    "tournament|file.toml": lambda db: chain(_descriptions(db), _tournaments(db)),  # the first need no database
    "agent": _agents,
    "opponent": _agents,
    "a": _agents,
    "b": _agents,
    "algorithm": _algorithms,
    "kind": _exercises,
    "id": _ids,
}
"""The words offered for a parameter, by the kind of the parameter."""


# The scripts by which bash, zsh and fish complete `arena` and `arena-referee`, and where they are installed.


NAMES: Final = "arena arena-referee"
_BASH: Final = f"""\
_arena_completion() {{
    local IFS=$'\\n'
    COMPREPLY=( $(COMP_WORDS="${{COMP_WORDS[*]}}" COMP_CWORD=$COMP_CWORD \\
        _ARENA_COMPLETE=complete_bash "${{1//\\\\/}}" 2>/dev/null) )
}}
complete -o default -F _arena_completion {NAMES}
"""
_ZSH: Final = f"""\
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
_arena_completion() {{
    eval $(_TYPER_COMPLETE_ARGS="${{words[1,$CURRENT]}}" _ARENA_COMPLETE=complete_zsh "${{(Q)words[1]}}" 2>/dev/null)
}}
compdef _arena_completion {NAMES}
"""
_FISH: Final = f"""\
function __arena_completion
    set -lx _ARENA_COMPLETE complete_fish
    set -lx _TYPER_COMPLETE_FISH_ACTION $argv[1]
    set -lx _TYPER_COMPLETE_ARGS (commandline -cp)
    set -l program (commandline -opc)[1]
    $program 2>/dev/null
end
for name in {NAMES}
    complete --command $name --no-files --arguments "(__arena_completion get-args)" \\
        --condition "__arena_completion is-args"
end
"""
SCRIPTS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def show() -> None:
    """Prints the script of the shell that runs this, and exits."""
    print(SCRIPTS[_shell()], end="")
    raise typer.Exit


def install() -> None:
    """Writes the script, and the line in the shell's settings that reads it; then exits."""
    shell = _shell()
    home = Path.home()
    if shell == "fish":
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "conf.d" / "arena.fish"
        _write(settings, SCRIPTS[shell])
        print(f"written: {settings}")
    else:
        script = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "arena" / f"completion.{shell}"
        _write(script, SCRIPTS[shell])
        settings = (Path(os.environ.get("ZDOTDIR") or home) if shell == "zsh" else home) / f".{shell}rc"
        line = f"source {shlex.quote(str(script))}"
        before = settings.read_text("utf-8", "surrogateescape") if settings.exists() else ""
        if line not in before.splitlines():
            start = "\n" if before and not before.endswith("\n") else ""
            with settings.open("a", encoding="utf-8") as file:
                file.write(f"{start}{line}\n")
        print(f"written: {script}, and a line in {settings}")
    print(f"Open a new {shell} to use it.")
    raise typer.Exit


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _shell() -> str:
    """The name of the shell that runs this."""
    try:
        name, _ = shellingham.detect_shell()
    except shellingham.ShellDetectionFailure:
        name = os.path.basename(os.environ.get("SHELL", ""))
    if name not in SCRIPTS:
        raise typer.BadParameter(f"expected to be run by one of {', '.join(SCRIPTS)}, got {name or 'an unknown shell'}")
    return str(name)
