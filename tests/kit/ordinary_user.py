"""An ordinary user account for tests that root runs: which account it is, and how to run our programs as it.

Root's clone, environment and Python are often in a home folder of mode 0700, which other users cannot read. They are
then copied to a readable place. Users other than root need none of this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from tests.kit.places import ROOT

UID: Final = 12345
"""The number of a user who is not there, and has nothing."""
IDENTITY: Final[dict[str, Any]] = {"user": UID, "group": UID, "extra_groups": []} if os.getuid() == 0 else {}
"""What `subprocess` starts a program with that is to be this user's."""
_PACKAGES: Final = ("adsearch", "agents", "arena", "db", "tests")
_VERSION: Final = f"python{sys.version_info[0]}.{sys.version_info[1]}"
_INSTALLED: Final = Path(msgspec.__file__).parents[1]
_NOT_INSTALLED: Final = ("playwright", "mypy", "mypyc", "ruff", "hypothesis", "pip", "setuptools")
"""Large, and of no use to who plays."""
_NOT_IN_LIBRARY: Final = ("site-packages", "test", "idlelib", "ensurepip", "config-*", "lib2to3", "tkinter")


@dataclass(frozen=True, slots=True)
class Installation:
    """What somebody runs our programs with."""

    python: str
    sources: Path
    """The folder of our packages."""
    installed: Path
    """The folder of the packages that are installed."""

    def environment(self, home: Path) -> dict[str, str]:
        """Of a program whose files all lie in `home`; `python` finds our packages, whichever Python it is."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "PYTHONPATH": f"{self.sources}{os.pathsep}{self.installed}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


HERE: Final = Installation(sys.executable, ROOT, _INSTALLED)
"""What runs the tests."""


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that everybody can read."""
    with tempfile.TemporaryDirectory(prefix="at-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def installation(folder: Path) -> Installation:
    """What the ordinary user can run our programs with; what must be copied for that is copied into `folder`."""
    if os.getuid() != 0:
        return HERE
    for offered in _offers(folder):
        if _runs(offered, folder):
            return offered
    pytest.skip(
        f"an ordinary user can run neither {sys.executable}, nor a copy of it, nor a {_VERSION} of the system: "
        f"install {_VERSION} where all may read it"
    )


def _offers(folder: Path) -> Iterator[Installation]:
    """What there is, and then what there is when more and more has been copied."""
    pythons = (sys.executable, os.path.realpath(sys.executable), f"/usr/bin/{_VERSION}", f"/usr/local/bin/{_VERSION}")
    for python in pythons:
        yield replace(HERE, python=python)
    copied = _copied_packages(folder)
    for python in pythons:
        yield replace(copied, python=python)
    yield replace(copied, python=_copied_python(folder))


def _copied_packages(folder: Path) -> Installation:
    sources = folder / "sources"
    # Agents are given the packages of a folder of that name.
    installed = folder / "site-packages"
    for package in _PACKAGES:
        shutil.copytree(ROOT / package, sources / package, symlinks=True)
    shutil.copytree(_INSTALLED, installed, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_INSTALLED))
    _open(sources, installed)
    return Installation(sys.executable, sources, installed)


def _copied_python(folder: Path) -> str:
    """A copy of the interpreter; where it was built for one place alone it does not run."""
    base, copy = Path(sys.base_prefix), folder / "python"
    library = Path("lib", _VERSION)
    (copy / "bin").mkdir(parents=True)
    shutil.copy2(os.path.realpath(sys.executable), copy / "bin" / _VERSION)
    shutil.copytree(base / library, copy / library, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_IN_LIBRARY))
    for shared in (base / "lib").glob("libpython*"):
        shutil.copy2(shared, copy / "lib" / shared.name)
    _open(copy)
    return str(copy / "bin" / _VERSION)


def _open(*folders: Path) -> None:
    """Lets everybody read what lies in them, and run what its owner may run."""
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(mode | 0o444 | (mode & 0o100) // 0o100 * 0o111)


def _runs(offered: Installation, folder: Path) -> bool:
    """Whether the user can play with it."""
    try:
        done = subprocess.run(
            [offered.python, "-P", "-c", "import arena.play.director, tests.attacks"],
            capture_output=True,
            cwd=folder,
            env=offered.environment(folder),
            **IDENTITY,
        )
    except OSError:
        return False
    return done.returncode == 0


def said_as(user: str, *words: str) -> bytes:
    """What Python with these words says, run by "root" or an "ordinary" user in an empty home."""
    with open_folder() as base:
        home = base / "home"
        home.mkdir()
        used, identity = HERE, {}
        if user == "ordinary" and os.getuid() == 0:
            os.chown(home, UID, UID)
            used, identity = installation(base), IDENTITY
        done = subprocess.run(
            [used.python, "-P", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=home,
            env=used.environment(home),
            **identity,
        )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return bytes(done.stdout)
