"""`arena --help`: every command, by who uses it, with an example, at once; mistyped ones are told what was meant."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena.cli
from arena.cli import COMMANDS, GROUPS, MAIN, Commands, guide
from arena.cli.terminal import completion
from db.store import COMMANDS_OF_RESULTS
from tests.kit.arena_program import arena as run_arena
from tests.kit.places import EXAMPLES

PLACES = {(name,): place for name, place in COMMANDS.items()} | {
    (name, each): place for name, group in GROUPS.items() for each, place in group.commands.items()
}
"""The folder, module and function of each command, by its words."""
FILES = sorted({place.rpartition(".")[0] for place in PLACES.values()})
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


def command(*words: str) -> Any:
    """The command of these words."""
    found: Any = Commands()
    for word in words:
        found = found.get_command(None, word)
    return found


@pytest.mark.parametrize(
    ("words", "said"),
    [(["serve"], "only ladders and tournaments with public = true"), (["ladder", "extend"], "the final waits for it")],
)
def test_help_says_what_is_built(words: list[str], said: str) -> None:
    assert said in " ".join(run_arena(*words, "--help").out.split())


def test_every_function_with_the_help_of_a_command_is_listed_once() -> None:
    """A command's help has an example: so a command that nobody listed is found."""
    functions = []
    folder = Path(arena.cli.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "Example" in (ast.get_docstring(node) or ""):
                functions.append((".".join(path.relative_to(folder).with_suffix("").parts), node.name))
    assert sorted(functions) == sorted(
        (file, name) for file, _, name in (place.rpartition(".") for place in PLACES.values())
    )


def test_without_a_command_a_short_guide_is_printed() -> None:
    ended = run_arena()
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80
    assert {line.split()[1] for line in lines if line.startswith("  arena ")} <= {*COMMANDS, *GROUPS}
    assert "arena --help" in lines[-1]


def test_help_describes_ten_commands_and_names_all_others() -> None:
    lines = run_arena("--help").out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert len(MAIN) == 10
    described = [line.split()[0] for line in lines if re.match(r"  \w", line)]
    assert [name for name in described if name in MAIN] == [*MAIN]
    assert {name for name in GROUPS if name not in MAIN} == {*described} - {*MAIN, "server."}
    shown = " ".join(lines)
    for name, group in GROUPS.items():
        assert name in MAIN or " ".join(group.commands) in shown
    assert ", ".join(name for name in COMMANDS if name not in MAIN) in shown


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_lists_its_commands_with_an_example_each(name: str) -> None:
    group = GROUPS[name]
    shown = run_arena(name, "--help").out
    for each in group.commands:
        words = " ".join((name,) if each == group.default else (name, each))
        assert re.search(rf"^  {each} .*(\n +.*?)*?\n +arena {words}\b", shown, re.MULTILINE), each
    if group.default is None:
        assert run_arena(name) == run_arena(name, "--help")


@pytest.mark.parametrize("words", PLACES)
def test_the_help_of_every_command_has_an_example_and_fits_a_terminal(words: tuple[str, ...]) -> None:
    shown = run_arena(*words, "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    example = words[:1] if words == ("results", "show") else words
    assert re.search(rf"Examples?: arena {' '.join(example)}\b", " ".join(shown.split())), words


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [
        ("gamse", "games"),
        ("stnadings", "results show"),
        ("anaylse", "replay --mistakes"),
        ("crosstabel", "results crosstable"),
        ("open", "ladder open"),
        ("rule viod", "void"),
        ("db inof", "info"),
    ],
)
def test_a_mistyped_command_is_told_what_was_meant(mistyped: str, meant: str) -> None:
    ended = run_arena(*mistyped.split())
    assert ended.code == 2
    assert f"; did you mean '{meant}'?" in ended.err


# Results: a word is a command, or else a name.


def test_a_word_after_results_is_a_command_or_else_a_tournament(record: Path) -> None:
    def results(*words: str) -> Any:
        ended = run_arena("results", *words, "--format", "json", "--db", str(record))
        assert ended.code == 0, ended.err
        return json.loads(ended.out)

    assert results("cs101") == results("show", "cs101") != results("--all")
    assert results("rank", "cs101")["players"]
    assert results() == results("show")


def test_a_word_that_is_neither_a_command_nor_a_tournament_is_told_so(record: Path) -> None:
    for word, advice in (("rnak", "did you mean 'rank'?"), ("cs10", "did you mean 'cs101'?")):
        ended = run_arena("results", word, "--db", str(record))
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == f"arena: '{word}' is neither a tournament nor a command of arena results; {advice}\n"
    ended = run_arena("results", "show", "rank", "--db", str(record))
    assert ended.err.startswith("arena: there is no tournament 'rank'; ")


def test_no_new_tournament_is_called_like_a_command_of_results() -> None:
    assert {*GROUPS["results"].commands} == {*COMMANDS_OF_RESULTS}
    ended = run_arena("data", "import", str(EXAMPLES / "results.csv"), "--tournament", "rank")
    assert ended.code == 2
    assert "a tournament cannot be called 'rank', because `arena results rank` is a command" in ended.err


def test_a_tournament_is_named_by_its_description_too(record: Path) -> None:
    Path("friday.toml").write_text('name = "cs101"\n', "utf-8")
    for words in (["results"], ["results", "rank"], ["results", "crosstable"], ["results", "history", "--tournament"]):
        named, described = (
            run_arena(*words, text, "--format", "json", "--db", str(record)) for text in ("cs101", "friday.toml")
        )
        assert named.code == 0
        assert described == named


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
    results = ["data", "import", str(EXAMPLES / "results.csv"), "--tournament", "small"]
    for arguments in (
        results,
        ["results", "versus", "alice", "bob"],
        ["results", "--format", "json"],
        ["results", "history"],
        ["replay", "1", "--show"],
        ["run", "tictactoe", "random", "random:seed=1"],
    ):
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
        ("arena re", ["replay", "results"]),
        ("arena results cross", ["crosstable"]),
        ("arena rule a", ["again", "award"]),
        ("arena play con", ["connect4"]),
        ("arena play connect4 alp", ["alphabeta"]),
        ("arena play connect4 pvs hu", ["human"]),
        ("arena agents --game ot", ["othello"]),
        ("arena new my_agent.py --game ki", []),
        ("arena new my_agent.py --game ku", ["kuhn"]),
        ("arena new my_agent.py --style se", ["search"]),
        ("arena search trace connect4 pv", ["pvs"]),
        ("arena course exercise neg", ["negascout"]),
        ("arena run tict", ["tictactoe"]),
        ("arena replay la", ["last"]),
    ],
)
def test_the_shell_completes_what_is_ours(monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]) -> None:
    assert completed(monkeypatch, line) == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("arena results ", "cs101"),
        ("arena results versus an", "ann"),
        ("arena results history --agent an", "ann"),
        ("arena results history --tournament c", "cs101"),
        ("arena replay --show cs101-", "cs101-1"),
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
    assert completed(monkeypatch, "arena results show ") == []
    assert list(Path().iterdir()) == []
    Path("arena.db").write_text("no database", "utf-8")
    assert completed(monkeypatch, "arena results show ") == []
    assert completed(monkeypatch, "arena replay --show ") == ["last"]


def test_every_parameter_that_names_something_of_ours_is_completed() -> None:
    """By what it is called, so a new command's is completed as soon as it is called as others are."""
    names = {"game", "player", "agent", "opponent", "tournament|file.toml", "id", "algorithm"}
    assert names <= set(completion._WORDS)
    missing = []
    for words in PLACES:
        for parameter in command(*words).params:
            if completion._called(parameter) in names and "shell_complete" not in vars(parameter):
                missing.append((words, parameter.name))
    assert missing == []


def test_nothing_is_offered_that_a_shell_or_a_terminal_would_obey(
    monkeypatch: pytest.MonkeyPatch, record: Path
) -> None:
    monkeypatch.setenv("ARENA_DB", str(record))
    offered = completed(monkeypatch, "arena results versus ")
    assert "eve" in offered
    assert not any("mallory" in word or "\x1b" in word for word in offered)


@pytest.mark.parametrize("columns", [41, 60, 75])
def test_the_guide_of_a_narrow_terminal_breaks_no_line_and_no_command(columns: int) -> None:
    lines = guide(columns).splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) <= 24
    wide = [line.split("   ")[0] for line in guide(80).splitlines()]
    assert [line for line in lines if line.startswith("  arena")] == wide[2:10]


def test_help_can_be_a_word_in_front() -> None:
    assert run_arena("help", "rule", "void").out == run_arena("rule", "void", "--help").out
    assert run_arena("help").out == run_arena("--help").out
