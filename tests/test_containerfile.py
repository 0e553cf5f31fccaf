"""The Containerfile holds without a daemon: each line is one that builders know, and its steps run in a folder."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit import package
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT

KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "ENTRYPOINT", "CMD", "ARG", "LABEL"}
TEXT = (ROOT / "Containerfile").read_text("utf-8")
AS_ROOT = ("apt-get ", "useradd ")
"""How the steps begin that change the system; they are read, not run."""


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction with its argument, with continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in whole.splitlines() if line.strip()]


STEPS = instructions(TEXT)


def arguments(name: str) -> list[str]:
    return [argument for instruction, argument in STEPS if instruction == name]


def copied() -> list[tuple[list[str], str]]:
    """What is copied from the repository, and where to."""
    found = [argument.split() for argument in arguments("COPY") if not argument.startswith("--from")]
    return [(words[:-1], words[-1]) for words in found]


def is_sent(path: str) -> bool:
    """Whether .dockerignore lets the builder see a file: the last pattern that matches decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.lstrip("!")
        parts = path.split("/")
        tops = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        matched = any(fnmatch.fnmatchcase(top, pattern) for top in tops)
        matched |= pattern.startswith("**/") and any(fnmatch.fnmatchcase(part, pattern[3:]) for part in parts)
        if matched:
            sent = line.startswith("!")
    return sent


def test_every_instruction_is_known() -> None:
    assert {name for name, _ in STEPS} <= KNOWN
    assert [name for name, _ in STEPS][:2] == ["ARG", "FROM"]


def test_every_stage_begins_with_one_image_that_has_a_version_and_can_be_pinned() -> None:
    (base,) = arguments("ARG")
    assert re.fullmatch(r"BASE=python:3\.\d+-slim", base)
    assert all(re.fullmatch(r"\$\{BASE\}( AS \w+)?", image) for image in arguments("FROM"))
    assert f"docker build --build-arg {base}@sha256:" in TEXT
    assert "://" not in TEXT


def test_it_runs_as_an_ordinary_user() -> None:
    (user,) = arguments("USER")
    assert user not in ("root", "0")
    assert any(f" {user}" in step for step in arguments("RUN") if step.startswith("useradd "))
    names = [name for name, _ in STEPS]
    assert names.index("USER") > max(place for place, name in enumerate(names) if name in ("RUN", "COPY"))


def test_there_is_no_secret_in_it() -> None:
    for argument in (*arguments("ENV"), *arguments("ARG")):
        assert not re.search(r"PASS|SECRET|TOKEN|KEY", argument, re.IGNORECASE)


def test_what_is_copied_exists_and_reaches_the_builder() -> None:
    for sources, _ in copied():
        for source in sources:
            assert (ROOT / source).exists(), source
            files = package.files_below(source) if (ROOT / source).is_dir() else {source}
            assert files
            assert all(is_sent(file) for file in files), source
    for file in (".git/config", "arena.db", "arena.store/x", "tests/conftest.py", ".venv/x", "arena/__pycache__/x.pyc"):
        assert not is_sent(file), file


def test_the_wheel_built_there_is_whole() -> None:
    """What is copied is what pyproject.toml names for the wheel."""
    sources = {source for several, _ in copied() for source in several}
    assert sources >= {*package.PACKAGES, "pyproject.toml", "README.md", "LICENSE", "constraints.txt"}


def test_every_package_of_python_is_pinned() -> None:
    pinned = {line.partition("==")[0].lower() for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    installs = [step for step in arguments("RUN") if "pip install" in step]
    assert installs
    for step in installs:
        assert "--constraint constraints.txt" in step
    assert "hatchling" in pinned


def test_commands_of_the_shell_are_well_formed() -> None:
    for step in arguments("RUN"):
        subprocess.run(["sh", "-n", "-c", step], check=True)


@pytest.mark.costly(seconds=40)
def test_its_steps_make_an_environment_that_plays(tmp_path: Path) -> None:
    """In a folder instead of `/`, with a fresh environment as the image's Python; what needs root is left out."""
    base = tmp_path / "base"
    subprocess.run([sys.executable, "-m", "venv", str(base)], check=True, timeout=PATIENCE)
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment |= {"PATH": f"{base / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    environment |= package.WITHOUT_COMPILING  # the image compiles; this test has no use for it

    def inside(text: str) -> str:
        return re.sub(r"(?<![\w.])/(opt/arena|src|wheel|data)\b", rf"{tmp_path}/\1", text)

    folder = tmp_path
    for name, argument in STEPS:
        if name == "WORKDIR":
            folder = Path(inside(argument))
            folder.mkdir(parents=True, exist_ok=True)
        elif name == "COPY" and not argument.startswith("--from"):
            *sources, target = argument.split()
            for source in sources:
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / source, folder / target)
        elif name == "RUN" and not argument.startswith(AS_ROOT):
            done = subprocess.run(
                ["sh", "-c", inside(argument)], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
            )
            assert done.returncode == 0, f"{argument}\n{done.stderr}"
    assert not list((tmp_path / "opt" / "arena").glob("lib/python3*/site-packages/alembic/**/*.pyc"))
    assert arguments("ENTRYPOINT") == ['["arena"]']
    game = [inside("/opt/arena/bin/arena"), "play", "tictactoe", "minimax", "random", "--quiet"]
    played = subprocess.run(game, cwd=folder, env=environment, capture_output=True, encoding="utf-8")
    assert "minimax - random" in played.stdout, played.stderr
