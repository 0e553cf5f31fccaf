"""The package is complete: what is in wheel and sdist, and that a student can do all from a wheel, without a clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.kit import needs, package
from tests.kit.effort import SOAK
from tests.kit.package import Installed
from tests.kit.places import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]


@pytest.mark.costly
def test_the_wheel_has_every_file_of_the_packages_and_nothing_else(tmp_path_factory: pytest.TempPathFactory) -> None:
    wheel, _ = package.built(tmp_path_factory)
    about = f"arena_referee-{PROJECT['version']}.dist-info"
    noted = {f"{about}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    docs = {f"arena/{name}" for name in package.files_below("docs")}
    assert package.in_wheel(wheel) == package.files_below(*package.PACKAGES) | docs | noted


@pytest.mark.costly
def test_the_wheel_has_both_scripts_and_needs_no_extra_to_play(tmp_path_factory: pytest.TempPathFactory) -> None:
    wheel, _ = package.built(tmp_path_factory)
    with zipfile.ZipFile(wheel) as opened:
        about = f"arena_referee-{PROJECT['version']}.dist-info"
        scripts = opened.read(f"{about}/entry_points.txt").decode()
        metadata = opened.read(f"{about}/METADATA").decode()
    assert re.findall(r"^(.+) = (.+)$", scripts, re.MULTILINE) == [
        ("arena", "arena.__main__:main"),
        ("arena-referee", "arena.__main__:main"),
    ]
    always = [line for line in re.findall(r"^Requires-Dist: (.+)$", metadata, re.MULTILINE) if "extra" not in line]
    assert len(always) == len(PROJECT["dependencies"])


@pytest.mark.costly
def test_the_sdist_has_what_the_tests_need(tmp_path_factory: pytest.TempPathFactory) -> None:
    _, sdist = package.built(tmp_path_factory)
    named = [name.removeprefix("/") for name in PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    folders = [name for name in named if (ROOT / name).is_dir()]
    single = {name for name in named if name not in folders}
    always = {"PKG-INFO", "pyproject.toml", ".gitignore"}
    assert package.in_sdist(sdist) == package.files_below(*folders) | single | always
    assert {*package.PACKAGES, "tests", "benchmarks", "docs", "examples"} <= set(folders)


@pytest.mark.costly
def test_two_builds_of_the_same_sources_are_the_same_to_the_byte(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Wherever the sources are, whenever their files were written and whatever their modes are."""
    copy = tmp_path / "copy"
    for name in package.in_sdist(package.built(tmp_path_factory)[1]) - {"PKG-INFO"}:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
        (copy / name).chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)
        os.utime(copy / name, (0, 0))
    package.build(copy, tmp_path / "again")
    for first in package.built(tmp_path_factory):
        assert (tmp_path / "again" / first.name).read_bytes() == first.read_bytes()


def plays(installed: Installed, *, everything: bool = False) -> None:
    """A student's first game, in an empty folder; with `everything` the commands of the first day."""

    def asked(*arguments: str, script: str = "arena") -> str:
        done = installed.run(script, *arguments)
        assert done.returncode == 0, f"{arguments}: {done.stderr}{done.stdout}"
        return done.stdout

    where = installed.run("python", "-P", "-c", "import adsearch, agents, arena, db; print(arena.__file__)").stdout
    assert Path(where).is_relative_to(installed.bin.parent)
    assert asked("--version", script="arena-referee") == f"arena-referee {PROJECT['version']}\n"
    asked("new", "my_agent.py", "--game", "connect4")
    assert "my_agent wins" in asked("play", "connect4", "my_agent.py", "random", "--seed", "4", "--quiet")
    asked("replay", "last", "--html", "game.html")
    assert asked("docs", "install") == (ROOT / "docs" / "install.md").read_text("utf-8").rstrip() + "\n"
    written = ["game.html"]
    if everything:
        assert "demo is finished: 30 games" in asked("demo", script="arena-referee")
        assert "Ready to play" in asked("check", "my_agent.py", "--game", "connect4")
        asked("course", "report", "demo", "site")
        asked("search", "trace", "tree:four_leaves", "alphabeta", "--svg", "tree.svg")
        written += ["site/index.html", "tree.svg"]
    for name in written:
        assert (installed.home / name).stat().st_size > 0


@pytest.mark.costly(seconds=40)
@pytest.mark.parametrize("place", range(-1, 4 if SOAK else 1))
def test_what_pip_installs_plays_on_every_python(place: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """On the newest and the oldest that are here; with SOAK=1 on one of each version."""
    pythons = package.pythons()
    if place >= len(pythons) - 1:
        pytest.skip(f"only {len(pythons)} Pythons here can make environments: install another version")
    wheel, _ = package.built(tmp_path_factory)
    with package.with_pip(wheel, pythons[place]) as installed:
        plays(installed, everything=pythons[place] == pythons[0])


# make release.


@pytest.fixture
def repository(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit of these sources."""
    needs.program("git")
    folder = tmp_path / "repository"
    for name in package.in_sdist(package.built(tmp_path_factory)[1]) - {"PKG-INFO"}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> None:
    who = {f"GIT_{role}_{what}": "tests@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *words], cwd=folder, env=os.environ | who, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "all")


def release(folder: Path) -> subprocess.CompletedProcess[str]:
    words = [str(folder / ".ci" / "release"), sys.executable]
    environment = os.environ | package.WITHOUT_COMPILING
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=False, cwd=folder, env=environment)


@pytest.mark.costly
def test_a_release_is_refused_while_something_is_missing(repository: Path) -> None:
    (repository / "new.txt").touch()
    assert "changes that are not committed" in release(repository).stderr
    shutil.rmtree(repository / "tests" / "truths" / "written_before" / PROJECT["version"])
    commit(repository)
    assert "python -m tests.kit.write_record" in release(repository).stderr
    (repository / "CHANGELOG.md").write_text("# Changelog\n", "utf-8")
    commit(repository)
    refused = release(repository)
    assert (refused.returncode, "CHANGELOG.md has no section" in refused.stderr) == (1, True)
    assert not (repository / "dist").exists()


@pytest.mark.costly(seconds=120)
def test_a_release_is_built_twice_checked_and_tried(repository: Path) -> None:
    pytest.importorskip("twine", reason=needs.extra("release"))
    needs.program("gcc")
    done = release(repository)
    assert done.returncode == 0, done.stderr + done.stdout
    wheels = sorted((repository / "dist").glob("*.whl"), key=lambda path: path.name.endswith("-py3-none-any.whl"))
    assert len(wheels) == len(list((repository / "dist").iterdir())) - 1 == 2
    for_this_machine, for_all = wheels
    assert for_all.stat().st_size < for_this_machine.stat().st_size < 5_000_000
    assert done.stdout.count("PASSED") == 3


def test_the_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    assert versions[0] == PROJECT["version"]
    assert versions == sorted(versions, key=lambda version: [*map(int, version.split("."))], reverse=True)
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
