"""Real shells complete both names after `--install-completion`, and nothing is written twice."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.terminal import completion
from tests.kit import needs
from tests.kit.arena_program import arena

PRESS = {
    # bash calls the function that `complete` has noted, as it does at a press of the Tab key.
    "bash": """
        complete_line() {
            COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
            noted=$(complete -p "${COMP_WORDS[0]##*/}"); noted=${noted##*-F }
            "${noted%% *}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" ""
            echo "${COMPREPLY[@]}"
        }
        source ~/.bashrc
    """,
    # What zsh is told to offer is printed: it offers nothing where there is no terminal.
    "zsh": """
        source ~/.zshrc
        _arguments() { print -r -- "$@" }
        complete_line() { words=("$@"); CURRENT=$#words; "${_comps[${words[1]:t}]}" }
    """,
    "fish": """
        function complete_line; complete -C "$argv"; end
    """,
}


@pytest.fixture(params=PRESS)
def shell(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A shell with an empty home, in which `arena` can be called."""
    needs.program(request.param)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR", "BASH_ENV"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "a user's home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return str(request.param)


def run(shell: str, commands: str) -> str:
    done = subprocess.run(
        # The last command does not replace the shell, which --install-completion looks for.
        [shell, "-c", f"{commands}\ntrue"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.costly
@pytest.mark.parametrize("program", completion.NAMES.split())
def test_what_is_installed_completes_words(shell: str, program: str, tmp_path: Path) -> None:
    assert "written: " in run(shell, f"{program} --install-completion")
    (tmp_path / "my bin").symlink_to(Path(sys.executable).parent)
    lines = {
        f"{program} cross": "crosstable",
        f"{program} play con": "connect4",
        f"{program} play connect4 pvs hu": "human",
        # As it is typed: a shell gives the script its words with their backslashes.
        rf"{tmp_path}/my\ bin/{program} new my_agent.py --game ku": "kuhn",
    }
    words = [re.split(r"(?<!\\) ", line) for line in lines]
    pressed = "\n".join(f"complete_line {shlex.join(line)}; echo ." for line in words)
    shown = run(shell, f"{PRESS[shell]}\n{pressed}").split("\n.\n")
    for expected, offered in zip(lines.values(), shown, strict=False):
        assert expected in offered


def test_installing_twice_writes_once_and_keeps_what_was_there(shell: str) -> None:
    settings = Path.home() / f".{shell}rc"
    settings.write_text("# mine", "utf-8")
    run(shell, "arena --install-completion")
    once = {path: path.read_bytes() for path in Path.home().rglob("*") if path.is_file()}
    run(shell, "arena --install-completion")
    assert {path: path.read_bytes() for path in Path.home().rglob("*") if path.is_file()} == once
    assert settings.read_text("utf-8").startswith("# mine")


def test_what_is_shown_is_what_is_installed(shell: str) -> None:
    shown = run(shell, "arena --show-completion")
    assert shown == completion.SCRIPTS[shell]
    run(shell, "arena --install-completion")
    assert shown in {path.read_text("utf-8") for path in Path.home().rglob("*") if path.is_file()}


def test_another_shell_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    ended = arena("--install-completion")
    assert ended.code == 2
    assert "expected to be run by one of bash, zsh, fish, got tcsh" in ended.err
