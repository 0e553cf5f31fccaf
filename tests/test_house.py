"""The house stands as it is drawn: who may import whom, and what importing costs."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adsearch
from arena import engines
from arena.tournament import formats
from tests.kit import declared_facts, parts, sample_record
from tests.kit.html_validity import HTML, SVG
from tests.kit.places import ROOT

BELOW = {"adsearch": set[str](), "agents": {"adsearch"}, "db": set[str](), "arena": {"adsearch", "agents", "db"}}
"""What each package may import of ours."""
ROOMS = {
    "match": set[str](),
    "languages": set[str](),
    "engines": {"match"},
    "ratings": set[str](),
    "walls": {"match", "languages", "engines"},
    "as_engine": {"match"},
    "play": {"match", "walls"},
    "players": {"match", "walls", "languages", "engines"},
    "tournament": {"match", "languages", "engines", "walls", "ratings", "players"},
    "history": {"match", "ratings", "players"},
    "results": {"ratings", "tournament", "history"},
    "pages": {"match", "ratings", "tournament", "history", "results"},
    "endgames": set[str](),
}
"""What each room of `arena` may import of the others; all may import what is in `EVERYWHERE`."""
EVERYWHERE = {"errors", "installation"}
ROOMS["student"] = {*ROOMS}
ROOMS["course"] = {*ROOMS}
ROOMS["hosts"] = {"match", "walls", "players", "play", "tournament", "history"}
ROOMS["accounts"] = {"course", "tournament"}
ROOMS["serve"] = {*ROOMS}
ROOMS["web"] = {*ROOMS}
ROOMS["cli"] = {*ROOMS}
CLI = {"terminal": set[str](), "asking": {"terminal"}}
"""The same within `arena/cli`; every panel may import these two."""
MODULES = {
    package: sorted(path for path in (ROOT / package).rglob("*.py") if "__pycache__" not in path.parts)
    for package in BELOW
}


@functools.cache
def modules_imported(path: Path) -> frozenset[str]:
    """The modules that a module imports, anywhere in it; with what it imports from them, which may be modules too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def imported(path: Path) -> set[str]:
    """The top-level packages that a module imports."""
    return {name.partition(".")[0] for name in modules_imported(path)}


def folders_imported(path: Path, within: str) -> set[str]:
    """What a module imports of the package `within`: the names of the folders and files that lie in it."""
    return {
        name.removeprefix(f"{within}.").partition(".")[0]
        for name in modules_imported(path)
        if name.startswith(f"{within}.")
    }


@pytest.mark.parametrize("package", BELOW)
def test_imports_only_go_down(package: str) -> None:
    assert MODULES[package]
    for path in MODULES[package]:
        assert imported(path) & set(BELOW) <= BELOW[package] | {package}, path


def test_every_folder_of_arena_is_a_room() -> None:
    assert {path.parent.name for path in (ROOT / "arena").glob("*/__init__.py")} == {*ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    paths = [path for path in MODULES["arena"] if path.is_relative_to(ROOT / "arena" / room)]
    assert paths
    for path in paths:
        assert folders_imported(path, "arena") <= ROOMS[room] | {room} | EVERYWHERE, path


def test_a_forbidden_import_is_found_wherever_it_stands(tmp_path: Path) -> None:
    for source in (
        "from arena.play import director",
        "from arena import play",
        "import arena.play.director",
        "def late():\n    from arena.play.director import Director",
        "if TYPE_CHECKING:\n    from arena.play.director import Director",
    ):
        module = tmp_path / "module.py"
        module.write_text(source)
        assert folders_imported(module, "arena") == {"play"}, source


def test_panels_of_the_command_line_import_no_other_panel() -> None:
    for path in {*(ROOT / "arena" / "cli").rglob("*.py")} - {ROOT / "arena" / "cli" / "__init__.py"}:
        folder = path.relative_to(ROOT / "arena" / "cli").parts[0]
        allowed = CLI.get(folder, {"terminal", "asking"}) | {folder}
        assert folders_imported(path, "arena.cli") <= allowed, path


NAMED: dict[str, set[str]] = {
    "arena/ratings/points.py": {"gauntlet"},  # what players who are ranked separately are called
    "arena/cli/__init__.py": {"tables"},
    "arena/play/referee.py": {"match"},
}
"""Where a word that is also the name of a format means something else."""


def texts_in(path: Path) -> set[str]:
    """The texts in a module."""
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_no_other_module_names_a_format() -> None:
    folder = ROOT / "arena" / "tournament" / "formats"
    for path in [path for paths in MODULES.values() for path in paths if path.parent != folder]:
        named = texts_in(path) & {*formats.names()} - NAMED.get(path.relative_to(ROOT).as_posix(), set())
        loaded = {name for name in modules_imported(path) if name.startswith("arena.tournament.formats.")}
        assert (named, loaded) == (set(), set()), path


def test_no_format_names_another() -> None:
    for path in (ROOT / "arena" / "tournament" / "formats").glob("[!_]*.py"):
        own = path.stem.replace("_", "-")
        assert texts_in(path) & {*formats.names()} <= {own}, path


WEB = {"starlette", "uvicorn", "httptools", "uvloop"}


def test_the_web_is_loaded_by_its_own_processes_and_by_serve_and_play_with_their_option() -> None:
    cli = ROOT / "arena" / "cli"
    with_option = (cli / "ladder" / "serve.py", cli / "play" / "web_window.py")
    for path in MODULES["arena"]:
        is_web = path.is_relative_to(ROOT / "arena" / "web")
        if not is_web or path.name == "web_process.py":
            assert not imported(path) & WEB, path
        if not is_web and path not in with_option:
            assert "web" not in folders_imported(path, "arena"), path


def test_dask_is_loaded_by_the_hosts_alone_and_they_by_the_command_line() -> None:
    for path in MODULES["arena"]:
        is_host = path.is_relative_to(ROOT / "arena" / "hosts")
        assert is_host or not imported(path) & {"dask", "distributed"}, path
        assert is_host or path.is_relative_to(ROOT / "arena" / "cli") or "hosts" not in folders_imported(path, "arena")


@pytest.mark.sees_extras
def test_no_command_loads_dask_without_its_option_nor_numpy_to_play() -> None:
    code = (
        "import sys, arena.cli.play.run, arena.cli.machine, arena.cli.play.tournament_display, "
        "arena.cli.write.check, arena.cli.teach.collect; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"dask", "distributed", "arena.hosts", "numpy"} & set(loaded)


def test_the_accounts_are_opened_by_few() -> None:
    """So that no other command can show what is in them."""
    modules = {"db.accounts"}
    opening = {path for package in MODULES for path in MODULES[package] if modules_imported(path) & modules}
    rooms = ("db", "arena/accounts", "arena/web", "arena/cli/teach/invite.py", "arena/cli/ladder/serve.py")
    assert [path for path in opening if not any(path.is_relative_to(ROOT / room) for room in rooms)] == []


def test_serve_and_play_load_the_web_only_with_their_option() -> None:
    modules = "arena.cli.ladder.serve, arena.cli.play.play, arena.cli.play.web_window"
    code = f"import sys, {modules}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {*WEB, "arena.web"} & set(loaded)


def test_the_rules_in_a_record_are_loaded_by_one_module_alone() -> None:
    """Whoever else loads rules is named here, with where it has them from."""
    loading = {
        str(path.relative_to(ROOT))
        for path in MODULES["arena"]
        if modules_imported(path) & {"adsearch.games", "adsearch.games.catalog"}
    }
    of_the_game_being_played = {
        *("arena/match/fixture.py", "arena/match/openings.py", "arena/walls/guard.py"),
        *("arena/engines/gtp.py", "arena/engines/gnubg.py", "arena/players/entrants.py"),
        *("arena/cli/play/game_screen.py", "arena/cli/play/human_player.py"),
        *("arena/student/analysis.py", "arena/student/checking/planned_games.py", "arena/play/followed_game.py"),
        "arena/play/director.py",
        *(
            "arena/web/persons_game.py",
            "arena/student/hint.py",
            "arena/web/pages/play_pages.py",
            "arena/web/pages/live_parts.py",
        ),
    }
    of_a_description = {
        "arena/serve/ladder_games.py",
        *("arena/tournament/league.py", "arena/tournament/tournament.py", "arena/tournament/duration.py"),
        "arena/tournament/described_openings.py",
        *("arena/tournament/duration.py", "arena/student/checking/check_maker.py", "arena/players/submissions.py"),
        *(
            "arena/serve/ladder.py",
            "arena/serve/invited_games.py",
            "arena/serve/challenges.py",
            "arena/web/play_routes.py",
        ),
        "arena/hosts/travelling.py",
    }
    typed = {
        *(
            "arena/cli/play/play.py",
            "arena/cli/play/games.py",
            "arena/cli/play/matrix.py",
            "arena/cli/play/as_engine.py",
            "arena/course/lecture/comparison.py",
        ),
        *("arena/cli/asking/game_options.py", "arena/course/lecture/function_runner.py", "arena/cli/teach/init.py"),
        *(
            "arena/cli/write/new.py",
            "arena/student/climb_run.py",
            "arena/student/matrix.py",
            "arena/cli/asking/game_filters.py",
        ),
        *("arena/cli/terminal/completion.py", "arena/cli/terminal/usage_errors.py", "arena/cli/play/run.py"),
    }
    name = {"arena/installation.py", "arena/players/own_sources.py"}  # whether a game is a package's: none is loaded
    built_in = {
        *("arena/history/words.py", "arena/pages/game.py"),  # `looks` loads only our own
        *("arena/as_engine/gtp.py", "arena/as_engine/uci.py"),
        *("arena/tournament/host.py", "arena/student/checking/agent_lookup.py"),
        "arena/history/exchange/chess_openings.py",
    }
    on_record = {"arena/history/recorded_rules.py"}
    assert loading == of_the_game_being_played | of_a_description | typed | name | built_in | on_record


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = {_name(path): path for package in MODULES for path in MODULES[package]}
    imports = {name: modules_imported(path) for name, path in paths.items()}
    known = {
        name: {one if one in paths else one.rpartition(".")[0] for one in taken} & {*paths} - {name}
        for name, taken in imports.items()
    }
    assert [*TopologicalSorter(known).static_order()]  # CycleError names those of a circle


def _name(path: Path) -> str:
    """The name by which a module is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_module_is_longer_than_a_reader_takes_in_one_go() -> None:
    for path in (path for package in MODULES for path in MODULES[package]):
        assert len(path.read_text("utf-8").splitlines()) <= 900, path


OWN_FILES = {
    "agents/over_stdio.py": "a way to play, loaded where it is asked for, as the next two",
    "agents/quick_start.py": "",
    "agents/builtin/mcts.py": "an agent, as the next one",
    "agents/builtin/random_moves.py": "",
    "arena/course/lecture/pacman_names.py": "copied to where a student's file imports it",
    "arena/players/build_inside.py": "runs by itself, behind walls",
    "db/plain_sql.py": "the only way in which a user's SQL is run",
}
"""Small modules that a single other one imports, and why they are files."""
REGISTERED = ("adsearch", "adsearch/dialects", "adsearch/pictures/boards", "arena/play/machine")
"""Folders in which each file is one thing of a kind: an algorithm, a board, an area of the machine."""


def test_a_small_module_with_one_importer_is_a_part_of_that_module() -> None:
    paths = {_name(path): path for package in MODULES for path in MODULES[package]}
    importers: dict[str, set[str]] = {name: set() for name in paths}
    for name, path in paths.items():
        for one in modules_imported(path):
            found = one if one in paths else one.rpartition(".")[0]
            if found in paths and found != name:
                importers[found].add(name)
    small = {
        path.relative_to(ROOT).as_posix()
        for name, path in paths.items()
        if len(importers[name]) == 1 and len(path.read_text("utf-8").splitlines()) < 60 and path.stem != "__init__"
    }
    assert {path for path in small if path.rpartition("/")[0] not in REGISTERED} == {*OWN_FILES}


def test_adsearch_uses_the_standard_library_alone() -> None:
    """Except OpenSpiel, which is imported only where a game of it is asked for, as a test below shows; and PettingZoo,
    whose module no other imports."""
    for path in MODULES["adsearch"]:
        more = {"pyspiel"} if path.name.startswith("openspiel") else set()
        more |= {"gymnasium", "numpy", "pettingzoo"} if path.name == "pettingzoo.py" else set()
        assert path.name == "pettingzoo.py" or "adsearch.pettingzoo" not in path.read_text("utf-8"), path
        assert imported(path) <= set(sys.stdlib_module_names) | {"adsearch"} | more, path


def test_rules_and_searches_know_nothing_of_pictures() -> None:
    """Only `adsearch/__init__.py` does, which sets what draws positions and traces. Nor do they import by a text."""
    package = ROOT / "adsearch"
    others = [path for path in MODULES["adsearch"] if not path.is_relative_to(package / "pictures")]
    assert {package / "state.py", package / "pvs.py", package / "games" / "connect4.py"} <= {*others}
    importing = [path for path in others if "pictures" in folders_imported(path, "adsearch")]
    assert importing == [package / "__init__.py"]
    assert not [path for path in others if "adsearch.pictures" in path.read_text("utf-8") and path not in importing]


def html_written(source: str) -> set[str]:
    """The HTML elements, and the attribute style (style=), that stand in the texts of a module or are given to a
    function `element`. Docstrings and groups of regular expressions (?P<a>) are not markup."""
    tree = ast.parse(source)
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            found |= {*re.findall(r"(?<!\?P)</?([a-z][a-z0-9]*)(?=[ />]|$)", node.value)}
            found |= {*re.findall(r" (style=)[\"']", node.value)}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "element":
            found |= {str(one.value) for one in node.args[:1] if isinstance(one, ast.Constant)}
            found |= {"style="} & {f"{keyword.arg}=" for keyword in node.keywords}
    return found & (HTML - SVG | {"style="})


def test_html_is_written_in_one_room_alone() -> None:
    """All others give values to its templates; pictures are SVG, everywhere without the attribute style."""
    for path in (path for package in MODULES for path in MODULES[package]):
        written = html_written(path.read_text("utf-8"))
        assert not written & {"style="} if path.is_relative_to(ROOT / "arena" / "pages") else not written, path


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ('x = "<p>one</p>"', {"p"}),
        ('x = f"<td {y}>"', {"td"}),
        ('x = "<br/>" + "</div>"', {"br", "div"}),
        ('element("table", x)', {"table"}),
        ("""svg.element("rect", style="fill: red")""", {"style="}),
        ("""x = '<rect style="fill: red"/>'""", {"style="}),
        ('"""Writes <p>."""', set[str]()),
        ('x = "<rect/>" + "(?P<a>.)" + "a <b"', {"b"}),
        ('svg.element("text", "x")', set[str]()),
    ],
)
def test_html_is_found_wherever_it_is_written(source: str, written: set[str]) -> None:
    assert html_written(source) == written


LANGUAGE_NAMES = re.compile(
    r"(?<![\w./-])(?:JavaScript|Java|Rust|C\+\+|Node\.js|javac?|nodejs|npm|gcc|g\+\+|cc -O2|rustc)(?!\w)"
    r"|^node$|cmd:node|(?<!\w)\.(?:js|java|cpp|rs|go)(?!\w)",
    re.MULTILINE,
)
NAMED_ELSEWHERE = {
    "arena/course/similar.py": "how a text is split into words, for many languages that we do not run",
    "arena/walls/file_access.py": "a folder of the system",
}
"""Modules that name a language, and what the word means there."""


@functools.cache
def words_written(source: str) -> str:
    """The texts in a module that are not docstrings."""
    tree = ast.parse(source)
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in docstrings)
    return "\n".join(node.value for node in constants if isinstance(node.value, str))


def test_a_language_is_named_in_its_file_alone() -> None:
    rooms = [ROOT / "arena" / room for room in ("languages", "pages", "web")]  # browsers run our own scripts
    others = [path for path in MODULES["arena"] if not any(path.is_relative_to(room) for room in rooms)]
    naming = {
        str(path.relative_to(ROOT)): found
        for path in others
        if (found := LANGUAGE_NAMES.findall(words_written(path.read_text("utf-8"))))
    }
    assert naming.keys() == NAMED_ELSEWHERE.keys(), naming


def test_a_protocol_of_engines_is_named_in_its_file_alone() -> None:
    """`arena engine uci` and `arena engine gtp` are the other direction: our agents as engines."""
    exempt = {ROOT / "arena" / name for name in ("engines", "as_engine", "cli/play/as_engine.py", "cli/__init__.py")}
    exempt.add(ROOT / "arena" / "cli" / "asking" / "record_options.py")  # which commands have --trust-rules
    programs = {engine.program for protocol in engines.ours().values() for engine in protocol.known}
    pattern = re.compile(rf"\b(?:{'|'.join([*engines.names(), *programs])})\b", re.IGNORECASE)
    others = [path for path in MODULES["arena"] if not any(path.is_relative_to(room) for room in exempt)]
    naming = {path: found for path in others if (found := pattern.findall(words_written(path.read_text("utf-8"))))}
    assert naming == {}


def test_the_map_of_adsearch_names_every_module_that_is_no_algorithm() -> None:
    modules = {path.stem for path in (ROOT / "adsearch").glob("*.py")} - {"__init__"}
    _, _, table = (adsearch.__doc__ or "").partition("are:")
    named = re.findall(r"\w+", re.sub(r"\([^)]*\)|^ {4}(\w+ )+ ", "", table, flags=re.MULTILINE))
    assert sorted(named) == sorted(modules - {*adsearch.algorithms})


@pytest.mark.sees_extras
def test_importing_all_of_adsearch_loads_nothing_outside_the_standard_library() -> None:
    modules = [path for path in MODULES["adsearch"] if path.name != "pettingzoo.py"]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in modules]
    code = f"""if True:
        import sys
        before = set(sys.modules)
        for name in {names}:
            __import__(name.removesuffix(".__init__"))
        for name in sorted(set(sys.modules) - before):
            print(name.partition(".")[0])
    """
    loaded = set(
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    )
    assert "adsearch" in loaded
    assert loaded <= set(sys.stdlib_module_names) | {"adsearch"}


def test_importing_what_an_agent_needs_stays_light() -> None:
    code = "import sys, agents, adsearch.games; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"sqlalchemy", "alembic", "typer", "rich", "numpy"} & set(loaded)


@pytest.mark.costly
def test_listings_load_neither_pydantic_nor_the_orm_nor_tables_of_rich(tmp_path: Path) -> None:
    sample_record.make(tmp_path / "arena.db")
    code = """if True:
        import sys
        from typer.testing import CliRunner
        from arena.cli import app
        slow = {"sqlalchemy.orm", "pydantic", "rich.table"}
        for command in sys.stdin.read().splitlines():
            ran = CliRunner().invoke(app, command.split())
            print(command, ran.exit_code, *(slow & {*sys.modules}))
    """
    commands = ["standings", "crosstable", "rank", "grades", "history", "show last", "versus ann bob", "progress ann"]
    commands += ["tournaments", "games", "agents"]
    started, asked = [sys.executable, "-c", code], "\n".join(commands)
    ran = subprocess.run(started, check=True, capture_output=True, text=True, cwd=tmp_path, input=asked)
    assert ran.stdout.splitlines() == [f"{command} 0" for command in commands]


def test_a_fresh_agent_loads_little_and_finds_python_as_usual(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("""if True:
        import gc, sys
        print("loaded", *sys.modules)
        import adsearch, typing_extensions
        print(adsearch.table.Table is adsearch.Table, adsearch.trace.Backup.__name__, hasattr(adsearch, "tables"))
        from adsearch import Budget, Trace, algorithms
        from agents import Agent
        print(gc.isenabled(), typing_extensions.__name__, Budget.__module__, Trace.__module__, "pvs" in algorithms)

        class Mine(Agent):
            def choose(self, state, clock):
                return state.moves()[0]
    """)
    command = [sys.executable, "-P", "-m", "agents", str(agent)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=ROOT)
    loaded, by_module, found = ran.stderr.splitlines()
    slow = {"argparse", "dataclasses", "hashlib", "inspect", "json", "pathlib", "threading", "traceback", "zmq"}
    ours = {"adsearch.budget", "adsearch.trace", "agents.builtin", "agents.strict", "agents.over_zmq"}
    assert not (slow | ours | {"typing_extensions"}) & set(loaded.split())
    assert by_module == "True Backup False"
    assert found == "True typing_extensions adsearch.budget adsearch.trace True"


def test_a_fact_of_a_game_is_declared_in_three_places() -> None:
    """As a column, a field of a record, and a name in documents; the match is where it comes about."""
    where = {"db/schema.py", "db/records.py", "arena/history/documents.py"}
    for table, modules in declared_facts.declared().items():
        assert modules.keys() <= where | ({"arena/match/match.py"} if table == "seat" else set()), table


def test_every_module_opens_with_what_it_is_for() -> None:
    for paths in (*MODULES.values(), (ROOT / "tests").rglob("*.py"), (ROOT / "benchmarks").rglob("*.py")):
        for path in paths:
            source = path.read_text("utf-8")
            assert not source or re.match(r'"""\s*[^\s"]', source), path


def test_the_pinned_versions_are_names_and_versions_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines())
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["test"], *extras["browser"], *extras["web"], *extras["scale"]]
    wanted += extras["openspiel"] + extras["pettingzoo"]
    names = {requirement.split()[0].rstrip(";").lower() for requirement in wanted}
    assert names <= {name.lower() for name in pinned}
    assert all(version.replace(".", "").isalnum() for version in pinned.values())


@given(st.integers(1, 60), st.integers(1, 5), st.dictionaries(st.integers(0, 59), st.integers(1, 9)))
def test_every_test_is_handed_out_once(count: int, processes: int, long: dict[int, int]) -> None:
    costs = [long.get(place, 0) for place in range(count)]
    order = parts.dealt([f"tests/test_{place % 7}.py::test" for place in range(count)], costs, processes)
    assert sorted(order) == list(range(count))


def test_long_tests_begin_every_part() -> None:
    costs = {3: 5, 7: 9, 20: 1, 31: 2, 32: 3}
    order = parts.dealt(["tests/test_a.py::test"] * 40, [costs.get(place, 0) for place in range(40)], 4)
    assert [order[0], order[10], order[20], order[30], order[1]] == [7, 3, 32, 31, 20]
