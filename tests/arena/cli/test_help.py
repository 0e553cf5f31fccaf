"""`arena --help`: every command, by who uses it, with an example, at once; mistyped ones are told what was meant."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena.cli
from arena.cli import PANELS, Commands, guide
from arena.cli.terminal import completion
from tests.kit.arena_program import arena as run_arena
from tests.kit.places import EXAMPLES

LISTED = {
    name: (f"{folder}.{place.rpartition('.')[0]}", place.rpartition(".")[2])
    for folder, commands in PANELS.values()
    for name, place in commands.items()
}
"""The file and the function of each command."""
FILES = sorted({file for file, _ in LISTED.values()})
HEAVY = {"sqlalchemy", "alembic", "numpy", "zmq", "multiprocessing", "adsearch.parallel", "adsearch.pictures"}
"""What takes longer to import than most commands take."""


TELLS_WHAT_IT_IMPORTS = """if True:
    import sys
    from arena.__main__ import main
    try:
        main()
    finally:
        print(*sys.modules, file=sys.stderr)
"""


def command(name: str) -> Any:
    """The command of that name."""
    return Commands().get_command(None, name)


def inner(name: str) -> list[list[str]]:
    """The words of that command; of a group, those of each of its commands."""
    return [[name, each] for each in getattr(command(name), "commands", {})] or [[name]]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["serve"], "only ladders and tournaments with public = true"), (["ladder", "extend"], "the final waits for it")],
)
def test_help_says_what_is_built(words: list[str], said: str) -> None:
    assert said in " ".join(run_arena(*words, "--help").out.split())


def test_every_function_with_the_help_of_a_command_is_listed_once() -> None:
    """A command's help has an example: so a command that nobody listed is found."""
    functions = []
    for path in Path(arena.cli.__file__).parent.glob("*/*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "Example" in (ast.get_docstring(node) or ""):
                functions.append((f"{path.parent.name}.{path.stem}", node.name))
    listed = [
        (one.callback.__module__.removeprefix("arena.cli."), one.callback.__name__)
        for group in map(command, LISTED)
        for one in getattr(group, "commands", {"": group}).values()
    ]
    assert sorted(functions) == sorted(listed)


def test_a_panel_and_its_folder_have_the_same_name() -> None:
    assert all(folder in title.lower().split() for title, (folder, _) in PANELS.items())


def test_without_a_command_a_short_guide_is_printed() -> None:
    ended = run_arena()
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80
    assert {line.split()[1] for line in lines if line.startswith("  arena ")} <= set(LISTED)
    assert "arena --help" in lines[-1]


def test_help_shows_every_command_in_its_group_and_fits_a_terminal() -> None:
    shown = run_arena("--help").out
    assert max(map(len, shown.splitlines())) <= 80
    at = 0
    for title, (_, commands) in PANELS.items():
        at = shown.index(f"─ {title} ─", at)
        for name in commands:
            at = shown.index(f"│ {name} ", at)


@pytest.mark.parametrize("name", LISTED)
def test_the_help_of_every_command_has_an_example_and_fits_a_terminal(name: str) -> None:
    for words in inner(name):
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


@pytest.mark.costly
def test_no_command_imports_what_is_heavy_before_it_is_needed() -> None:
    for arguments in (["--help"], ["games"], ["agents"], ["new", "my_agent.py"], ["play", "--help"]):
        run = subprocess.run(
            [sys.executable, "-c", TELLS_WHAT_IT_IMPORTS, *arguments], capture_output=True, text=True, check=False
        )
        loaded = set(run.stderr.split())
        assert "arena.cli" in loaded, run.stderr
        assert not loaded & HEAVY, arguments


@pytest.mark.costly
def test_commands_that_fit_no_ratings_load_no_numpy(tmp_path: Path) -> None:
    results = ["import", str(EXAMPLES / "results.csv"), "--tournament", "small"]
    for arguments in (results, ["versus", "alice", "bob"], ["standings"], ["history"], ["show", "1"]):
        run = subprocess.run(
            [sys.executable, "-c", TELLS_WHAT_IT_IMPORTS, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "arena.cli" in run.stderr.split()
        assert "numpy" not in run.stderr.split(), arguments


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
        ("arena exercise neg", ["negascout"]),
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
    _, asked, rest = line.split(" ", 2)
    if asked in ("standings", "show"):
        monkeypatch.delenv("ARENA_DB")
        assert offered in completed(monkeypatch, f"arena {asked} --db {record} {rest}")


def test_where_a_description_can_be_given_it_is_offered(monkeypatch: pytest.MonkeyPatch, record: Path) -> None:
    monkeypatch.setenv("ARENA_DB", str(record))
    for name in ("cs101.toml", "cs101.collected.toml", "notes.txt"):
        Path(name).touch()
    for line in ("collect all.zip --tournament c", "run cs"):
        assert completed(monkeypatch, f"arena {line}") == ["cs101.toml"]
    for line in ("grades c", "report c", "similar c", "feedback c", "bundle ann ann.arena --tournament c"):
        assert completed(monkeypatch, f"arena {line}") == ["cs101.toml", "cs101"]


def test_completion_never_fails_and_makes_no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed(monkeypatch, "arena standings ") == []
    assert list(Path().iterdir()) == []
    Path("arena.db").write_text("no database", "utf-8")
    assert completed(monkeypatch, "arena standings ") == []
    assert completed(monkeypatch, "arena show ") == ["last"]


def test_every_parameter_that_names_something_of_ours_is_completed() -> None:
    """By what it is called, so a new command's is completed as soon as it is called as others are."""
    names = {"game", "player", "agent", "opponent", "tournament", "tournament|file.toml", "id", "algorithm"}
    assert names <= set(completion._WORDS)
    missing = []
    for name in LISTED:
        for parameter in command(name).params:
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


@pytest.mark.parametrize("columns", [41, 60, 75])
def test_the_guide_of_a_narrow_terminal_breaks_no_line_and_no_command(columns: int) -> None:
    lines = guide(columns).splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) <= 24
    wide = [line.split("   ")[0] for line in guide(80).splitlines()]
    assert [line for line in lines if line.startswith("  arena")] == wide[2:10]
