"""Which optional parts of arena are installed, what each is for, and the command that installs it; and which packages
that add to arena cannot be loaded.

An extra that is not installed is not a fault: most users need none.
"""

from __future__ import annotations

from typing import Final

from adsearch.plugins import broken
from arena import installation
from arena.installation import Extra
from arena.play.machine.finding import Finding, Health

PURPOSES: Final = {
    "spreadsheet": "rosters in the format .xlsx",
    "postgres": "a database on a PostgreSQL server",
    "web": "web pages of a ladder",
    "scale": "games on several machines, over Dask",
    "openspiel": "games of OpenSpiel",
    "pettingzoo": "games as environments of PettingZoo",
    "browser": "tests of the pages in Chromium",
    "bench": "benchmarks beside easyAI",
    "test": "`make test`",
    "mutants": "`make mutants`",
    "release": "`make release`",
}
"""What each extra is for."""
_FOR_PLAYERS: Final = ("spreadsheet", "postgres", "web", "scale", "openspiel", "pettingzoo")
"""The extras that add to the commands; the others are for those who change the code, in a clone."""

_UPDATE: Final = "update that package, or uninstall it"


def findings() -> list[Finding]:
    """The extras that can be of use here, and what packages offer that cannot be loaded."""
    found = {extra.name: extra for extra in installation.extras()}
    wanted = PURPOSES if installation.is_clone() else _FOR_PLAYERS
    extras = [found[name] for name in wanted if name in found]
    told = [finding(extra, installation.command(extra.name) if extra.missing else "") for extra in extras]
    wrong = [Finding("extras", "plugin", str(error), Health.WARNING, _UPDATE) for error in broken("arena.")]
    return told + wrong


def finding(extra: Extra, command: str) -> Finding:
    """Whether an extra is installed; if it is not, the command that installs it."""
    value = f"installed: {PURPOSES[extra.name]}"
    if extra.missing:
        value = f"not {value}; to install: {command}"
    return Finding("extras", extra.name, value, Health.OK)
