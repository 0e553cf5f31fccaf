"""What a test needs beyond what `make test` installs: an extra of the package, or a program of the system.

A test that needs something which is not here is skipped. The reason names what is missing, and the command that
installs it.
"""

import shutil
from typing import Final

import pytest

_PACKAGES: Final = {
    "c++": "g++",
    "cc": "gcc libc6-dev",
    "flock": "util-linux",
    "gcc": "gcc libc6-dev",
    "go": "golang-go",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "ls": "coreutils",
    "node": "nodejs",
    "systemd-analyze": "systemd",
}
"""The package of Debian that has a program, where it has another name."""


def extra(name: str) -> str:
    """Why a test is skipped that needs this extra: the `reason` for `pytest.importorskip`."""
    return f"needs the extra `{name}`: make extras"


def package(what: str, name: str) -> str:
    """Why a test is skipped that needs this package of the system."""
    return f"needs {what}: apt install {name}"


def program(*names: str) -> str:
    """The rest of the test, or of the module, needs these programs; returns the path of the last one."""
    found = ""
    for name in names:
        found = shutil.which(name) or ""
        if not found:
            pytest.skip(package(f"the program {name}", _PACKAGES.get(name, name)), allow_module_level=True)
    return found
