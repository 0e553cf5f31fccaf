"""`arena --help`: every command, by who uses it, with an example, at once; mistyped ones are told what was meant."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_group

import arena.cli
from arena.cli import PANELS
from arena.cli.terminal import completion
from tests.kit.arena_program import arena as run_arena

LISTED = [(f"{folder}.{file}", name) for folder, commands in PANELS.values() for name, file in commands.items()]
FILES = sorted({file for file, _ in LISTED})
HEAVY = {"sqlalchemy", "alembic", "numpy", "zmq"}
"""What takes longer to import than most commands take."""


TELLS_WHAT_IT_IMPORTS = """if True:
    import sys
    from arena.__main__ import main
    try:
        main()
    finally:
        print(*sys.modules, file=sys.stderr)
"""


def added(file: str) -> dict[str, Any]:
    """The commands that a file adds."""
    app = typer.Typer()
    import_module(f"arena.cli.{file}").add_to(app)
    return dict(get_group(app).commands)


@pytest.mark.parametrize("file", FILES)
def test_the_commands_of_every_file_are_listed_and_no_others(file: str) -> None:
    assert sorted(added(file)) == sorted(name for its_file, name in LISTED if its_file == file)


def test_every_file_with_commands_is_listed() -> None:
    cli = Path(arena.cli.__file__).parent
    there = [path for path in cli.glob("*/*.py") if "def add_to(" in path.read_text("utf-8")]
    assert sorted(f"{path.parent.name}.{path.stem}" for path in there) == FILES


def test_help_shows_every_command_in_its_group_and_fits_a_terminal() -> None:
    shown = run_arena("--help").out
    assert max(map(len, shown.splitlines())) <= 80
    at = 0
    for title, (_, commands) in PANELS.items():
        at = shown.index(f"─ {title} ─", at)
        for name in commands:
            at = shown.index(f"│ {name} ", at)


@pytest.mark.parametrize("file", FILES)
def test_the_help_of_every_command_has_an_example_and_fits_a_terminal(file: str) -> None:
    for name, command in added(file).items():
        for words in [[name, inner] for inner in getattr(command, "commands", {})] or [[name]]:
            shown = run_arena(*words, "--help").out
            assert max(map(len, shown.splitlines())) <= 80
            assert re.search(rf"Examples?: arena {' '.join(words)}\b", " ".join(shown.split())), words


@pytest.mark.parametrize(
    ("mistyped", "meant"), [("gamse", "games"), ("stnadings", "standings"), ("anaylse", "analyse")]
)
def test_a_mistyped_command_is_told_what_was_meant(mistyped: str, meant: str) -> None:
    ended = run_arena(mistyped)
    assert ended.code == 2
    assert f"; did you mean '{meant}'" in ended.err


def test_no_command_imports_what_is_heavy_before_it_is_needed() -> None:
    for arguments in (["--help"], ["games"], ["agents"], ["new", "my_agent.py"], ["play", "--help"]):
        run = subprocess.run(
            [sys.executable, "-c", TELLS_WHAT_IT_IMPORTS, *arguments], capture_output=True, text=True, check=False
        )
        loaded = set(run.stderr.split())
        assert "arena.cli" in loaded, run.stderr
        assert not loaded & HEAVY, arguments


def test_a_command_imports_no_file_of_another_one() -> None:
    run = subprocess.run(
        [sys.executable, "-c", TELLS_WHAT_IT_IMPORTS, "games"], capture_output=True, text=True, check=True
    )
    assert {f"arena.cli.{file}" for file in FILES} & set(run.stderr.split()) == {"arena.cli.play.games"}


# Completion.


def completed(monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """What bash is offered at the end of the line."""
    words = line.split(" ")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    monkeypatch.setenv("_ARENA_COMPLETE", "complete_bash")
    ended = run_arena()
    assert ended.err == ""
    return ended.out.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("arena cross", ["crosstable"]),
        ("arena play con", ["connect4"]),
        ("arena play connect4 alp", ["alphabeta"]),
        ("arena play connect4 pvs hu", ["human"]),
        ("arena agents --game ot", ["othello"]),
        ("arena new my_agent.py --game ki", []),
        ("arena new my_agent.py --game ku", ["kuhn"]),
        ("arena new my_agent.py --style se", ["search"]),
        ("arena trace connect4 pv", ["pvs"]),
        ("arena run tict", ["tictactoe"]),
        ("arena replay la", ["last"]),
    ],
)
def test_the_shell_completes_what_is_ours(monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]) -> None:
    assert completed(monkeypatch, line) == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("arena standings ", "cs101"),
        ("arena versus an", "ann"),
        ("arena history --agent an", "ann"),
        ("arena history --tournament c", "cs101"),
        ("arena show cs101-", "cs101-1"),
        ("arena play connect4 an", "ann"),
    ],
)
def test_the_shell_completes_what_is_on_record(
    monkeypatch: pytest.MonkeyPatch, record: Path, line: str, offered: str
) -> None:
    monkeypatch.setenv("ARENA_DB", str(record))
    assert offered in completed(monkeypatch, line)
    command, rest = line.split(" ", 2)[1], line.split(" ", 2)[2]
    if command in ("standings", "show"):
        monkeypatch.delenv("ARENA_DB")
        assert offered in completed(monkeypatch, f"arena {command} --db {record} {rest}")


def test_completion_never_fails_and_makes_no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed(monkeypatch, "arena standings ") == []
    assert list(Path().iterdir()) == []
    Path("arena.db").write_text("no database", "utf-8")
    assert completed(monkeypatch, "arena standings ") == []
    assert completed(monkeypatch, "arena show ") == ["last"]


def test_every_parameter_that_names_something_of_ours_is_completed() -> None:
    """By what it is called, so a new command's is completed as soon as it is called as others are."""
    names = {"game", "player", "agent", "opponent", "tournament", "id", "algorithm"}
    assert names <= set(completion._WORDS)
    missing = []
    for file in FILES:
        for name, command in added(file).items():
            completion.complete(command)
            for parameter in command.params:
                if completion._called(parameter) in names and "shell_complete" not in vars(parameter):
                    missing.append((name, parameter.name))
    assert missing == []


def test_nothing_is_offered_that_a_shell_or_a_terminal_would_obey(
    monkeypatch: pytest.MonkeyPatch, record: Path
) -> None:
    monkeypatch.setenv("ARENA_DB", str(record))
    offered = completed(monkeypatch, "arena versus ")
    assert "eve" in offered
    assert not any("mallory" in word or "\x1b" in word for word in offered)
