"""How arena itself is installed: its version, its extras, and the command that installs one of them.

All of it is read from the metadata of the installed package, so it holds for a wheel and for a clone. The version is
written in pyproject.toml and nowhere else.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from adsearch.games import catalog

NAME: Final = "arena-referee"
"""The name of the package."""
_EXTRA: Final = re.compile(r"""\bextra\s*==\s*["']([\w.-]+)["']""")
"""In a requirement's marker, the extra that it belongs to."""
_PACKAGE: Final = re.compile(r"[\w.-]+")
"""At the beginning of a requirement."""


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part: the name of the extra and the packages that it adds."""

    name: str
    requirements: tuple[str, ...]
    missing: tuple[str, ...]
    """Those of the requirements that are not installed."""


def version() -> str:
    """The version of arena-referee, as semantic versioning counts it."""
    return metadata.version(NAME)


def software(game: str = "") -> str:
    """Name and version, as each recorded game keeps them; also those of the package that brings the game."""
    return ", ".join(filter(None, (f"{NAME} {version()}", catalog.package_of(game))))


def extras() -> list[Extra]:
    """All extras of pyproject.toml."""
    found: dict[str, list[str]] = {name: [] for name in metadata.metadata(NAME).get_all("Provides-Extra") or ()}
    for line in metadata.requires(NAME) or ():
        requirement, _, marker = line.partition(";")
        if named := _EXTRA.search(marker):
            found[named[1]].append(requirement.strip())
    return [
        Extra(name, tuple(required), tuple(each for each in required if not _is_installed(each)))
        for name, required in found.items()
    ]


def is_clone() -> bool:
    """Whether the sources that run are a clone of the repository, with its tests and benchmarks."""
    return bool(_origin().get("dir_info", {}).get("editable"))


def command(extra: str) -> str:
    """The command that installs what is missing of the extra into the environment that runs this."""
    missing = next(each.missing or each.requirements for each in extras() if each.name == extra)
    return command_for(missing, prefix=Path(sys.prefix), python=sys.executable)


def command_for(requirements: Sequence[str], *, prefix: Path, python: str) -> str:
    """The command that installs these into the environment in the folder `prefix`, which runs `python`."""
    if (prefix / "pipx_metadata.json").exists():
        return shlex.join(["pipx", "inject", NAME, *requirements])
    if (prefix / "uv-receipt.toml").exists():
        more = [word for each in requirements for word in ("--with", each)]
        return shlex.join(["uv", "tool", "install", *more, _source()])
    if find_spec("pip") is None:
        return shlex.join(["uv", "pip", "install", "--python", python, *requirements])
    return shlex.join([python, "-m", "pip", "install", *requirements])


def _is_installed(requirement: str) -> bool:
    named = _PACKAGE.match(requirement)
    if named is None:
        return False
    with suppress(metadata.PackageNotFoundError):
        return bool(metadata.version(named[0]))
    return False


def _source() -> str:
    """The wheel that this was installed from, if it is still there; otherwise the package's name."""
    path = unquote(urlsplit(_origin().get("url", "")).path)
    return path if path and Path(path).exists() else NAME


def _origin() -> dict[str, Any]:
    """What the installer noted about where the package came from (`direct_url.json`); empty for one from an index."""
    with suppress(ValueError):
        noted = json.loads(metadata.distribution(NAME).read_text("direct_url.json") or "{}")
        if isinstance(noted, dict):
            return noted
    return {}
