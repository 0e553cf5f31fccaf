"""The house stands as it is drawn: who may import whom, and what importing costs."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BELOW = {"adsearch": set[str](), "agents": {"adsearch"}, "db": set[str](), "arena": {"adsearch", "agents", "db"}}
"""What each package may import of ours."""
MODULES = {
    package: sorted(path for path in (ROOT / package).rglob("*.py") if "__pycache__" not in path.parts)
    for package in BELOW
}


def imported(path: Path) -> set[str]:
    """The top-level packages that a module imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("package", BELOW)
def test_imports_only_go_down(package: str) -> None:
    assert MODULES[package]
    for path in MODULES[package]:
        assert imported(path) & set(BELOW) <= BELOW[package] | {package}, path


def test_adsearch_uses_the_standard_library_alone() -> None:
    for path in MODULES["adsearch"]:
        assert imported(path) <= set(sys.stdlib_module_names) | {"adsearch"}, path


def test_importing_all_of_adsearch_loads_nothing_outside_the_standard_library() -> None:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES["adsearch"]]
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


def test_every_module_opens_with_what_it_is_for() -> None:
    for paths in (*MODULES.values(), (ROOT / "tests").rglob("*.py"), (ROOT / "benchmarks").rglob("*.py")):
        for path in paths:
            source = path.read_text("utf-8")
            assert not source or ast.get_docstring(ast.parse(source)), path


def test_the_pinned_versions_are_names_and_versions_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines())
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["test"], *extras["browser"]]
    names = {requirement.split()[0].lower() for requirement in wanted}
    assert names <= {name.lower() for name in pinned}
    assert all(version.replace(".", "").isalnum() for version in pinned.values())
