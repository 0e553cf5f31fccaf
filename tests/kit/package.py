"""The package as its user gets it: wheel and sdist, and an environment with the wheel, far from the clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.kit import once
from tests.kit.effort import PATIENCE
from tests.kit.ordinary_user import IDENTITY, UID
from tests.kit.places import ROOT

PACKAGES: Final = ("adsearch", "agents", "arena", "db")
_OLDEST: Final = 11
_NEWEST: Final = 30
"""Minor versions of Python 3 that are looked for."""
WITHOUT_COMPILING: Final = {"PIP_NO_COMPILE": "0"}
"""In the environment of pip: it compiles nothing, because it takes the value for that of `compile`."""
_NOT_FOUND: Final = (
    "Could not find a version",
    "No matching distribution",
    "NewConnectionError",
    "Network is unreachable",
)
"""What pip says where it cannot install: no network, or no wheel for this Python."""


def built(temporary: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist of the sources that are tested."""
    folder = once.folder(temporary, "package", lambda folder: build(ROOT, folder))
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def build(sources: Path, folder: Path) -> None:
    """Builds both into `folder`, with what is installed: without network."""
    words = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    environment["SOURCE_DATE_EPOCH"] = "1700000000"
    subprocess.run(words, cwd=sources, env=environment, capture_output=True, check=True, timeout=PATIENCE)


def in_wheel(wheel: Path) -> set[str]:
    """The files in a wheel."""
    with zipfile.ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if not name.endswith("/")}


def in_sdist(sdist: Path) -> set[str]:
    """The files in a sdist, without its top folder."""
    with tarfile.open(sdist) as opened:
        return {member.name.partition("/")[2] for member in opened.getmembers() if member.isfile()}


def files_below(*folders: str) -> set[str]:
    """The files in these folders of the repository that are part of it."""
    return {
        str(path.relative_to(ROOT))
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with the wheel, and who runs it."""

    bin: Path
    home: Path
    """An empty folder of its user."""
    identity: dict[str, Any]

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs one of the environment's programs in `home`, with nothing of the clone in sight."""
        kept = ("PATH", "LANG", "XDG_STATE_HOME")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {"HOME": str(self.home), "TMPDIR": str(self.home), "COLUMNS": "80", "PYTHONUTF8": "1"}
        if self.identity:
            environment.pop("XDG_STATE_HOME", None)
        return subprocess.run(
            [str(self.bin / script), *arguments],
            cwd=self.home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=PATIENCE,
            **self.identity,
        )


def pythons() -> list[str]:
    """One installed Python of each version that is not too old, the oldest first."""
    found: dict[int, str] = {}
    for minor in range(_OLDEST, _NEWEST):
        name = f"python3.{minor}"
        # The system's first: an ordinary user can run it.
        offered = [f"/usr/bin/{name}", shutil.which(name)]
        offered += sorted(str(path) for path in Path.home().glob(f".pyenv/versions/*/bin/{name}"))
        if minor == sys.version_info[1]:
            offered.append(sys.executable)
        for program in offered:
            if program is not None and minor not in found and _makes_environments(program):
                found[minor] = program
    return list(found.values())


def _makes_environments(program: str) -> bool:
    if not os.path.exists(program):
        return False
    done = subprocess.run([program, "-c", "import ensurepip, sqlite3, ssl, venv"], capture_output=True, check=False)
    return done.returncode == 0


@contextmanager
def with_pip(wheel: Path, python: str) -> Iterator[Installed]:
    """The wheel and what it depends on, installed by pip in a folder of mode 0700. Skips where pip finds no packages.

    The folder is an ordinary user's, unless root alone can run this Python. As with uv, nothing is compiled."""
    identity = IDENTITY if IDENTITY and _runs(python, IDENTITY) else {}
    with tempfile.TemporaryDirectory(prefix="a user's ", dir="/tmp") as name:  # of mode 0700
        folder = Path(name)
        environment = folder / "environment"
        words = [python, "-m", "venv", "--without-pip", str(environment)]
        subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE)
        inside = str(environment / "bin" / "python")
        _pip("--python", inside, "install", "--no-compile", "--constraint", str(ROOT / "constraints.txt"), str(wheel))
        home = folder / "home"
        home.mkdir(mode=0o700)
        if identity:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, UID, UID, follow_symlinks=False)
        yield Installed(environment / "bin", home, identity)


def _runs(python: str, identity: dict[str, Any]) -> bool:
    try:
        return subprocess.run([python, "-c", ""], capture_output=True, check=False, cwd="/", **identity).returncode == 0
    except OSError:
        return False


def _pip(*words: str) -> None:
    """Runs pip; the test is skipped where there is no network, or no package for this Python."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    if done.returncode != 0 and (why := next((each for each in _NOT_FOUND if each in done.stderr), None)):
        pytest.skip(f"pip cannot install the dependencies: {why}")
    assert done.returncode == 0, done.stderr
