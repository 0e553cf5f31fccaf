"""The scripts by which bash, zsh and fish complete `arena` and `arena-referee`, and where they are installed.

Typer's own scripts are for one name. In zsh they are never called: a completion that comes with zsh is for a browser
called arena, and is found first, unless the script says `compdef` when the shell starts.
The shells give a script words as they were typed, with a backslash before each space of a path.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Final

import shellingham
import typer

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
