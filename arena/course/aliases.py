"""What agents are called where everybody may read it: by their aliases, where there is a roster.

Values in, values out. Whoever is on a roster is shown under the alias alone; an agent of somebody who is not on it is
not shown at all: what was published once cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final
from unicodedata import normalize

from msgspec import Struct

from adsearch.errors import one_of, quote
from agents import builtin
from arena.course.roster import Roster, Student, folded
from arena.errors import BadRoster

_UNPARTED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that have no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese; and Korean, whose
names are followed by particles."""
_COMMON: Final = re.compile(r"|[A-Za-z]|\d{1,3}")
"""Says nothing about anybody: nothing, a letter, a small number."""


class Names(Struct, frozen=True):
    """What agents are called, and what nobody is to read."""

    shown: Mapping[str, str]
    """Every agent -> what it is called. No two are called the same."""
    hidden: tuple[str, ...] = ()
    """What gives somebody away."""

    def text(self, words: str) -> str:
        """`words`, without the name, id or group of anybody on the roster."""
        return _secrets(self.hidden).sub("…", normalize("NFC", words)) if self.hidden else words


@cache
def _secrets(secrets: Collection[str]) -> re.Pattern[str]:
    """Finds them where they stand for themselves: who is called Ann is not meant in "Annex", but in "ann_2"."""
    longest_first = sorted(secrets, key=len, reverse=True)
    return re.compile("|".join(map(_alone, longest_first)) or r"\Z.", re.IGNORECASE)


def _alone(secret: str) -> str:
    """The pattern of a secret that stands for itself; where words are not parted it may stand anywhere."""
    begins = "" if _UNPARTED.match(secret[0]) else r"(?<![^\W_])"
    ends = "" if _UNPARTED.match(secret[-1]) else r"(?![^\W_])"
    return begins + r"[\s_.-]*".join(map(re.escape, secret.split())) + ends


def as_they_are(agents: Collection[str]) -> Names:
    """Everybody is called what they called themselves, on one line and in the usual direction of reading."""
    shown: dict[str, str] = {}
    for name in sorted(agents):
        number, free = 2, _plain(name)
        while free in shown.values():
            free, number = f"{_plain(name)} ({number})", number + 1
        shown[name] = free
    return Names(shown)


def by_roster(agents: Mapping[str, str], roster: Roster) -> Names:
    """Everybody is called what the roster says; `agents`: the source of each. Built-in agents may stand on it or not.

    BadRoster where somebody is not on it, has no alias, or could be taken for somebody else."""
    shown: dict[str, str] = {}
    unknown = []
    for name in sorted(agents):
        if (alias := _alias(name, roster)) is not None:
            shown[name] = _plain(alias)
        elif builtin.is_builtin(agents[name]):
            shown[name] = name
            _refuse_a_giveaway(name, roster)
        else:
            unknown.append(quote(name))
    if unknown:
        raise BadRoster(
            f"{roster.file}: expected a line for every agent that is not built in, there is none for "
            f"{one_of(unknown)}; give each a line with its name and an alias (which may be its name)"
        )
    called: dict[str, str] = {}
    for name, alias in shown.items():
        other = called.setdefault(folded(alias), name)
        if other != name:
            raise BadRoster(
                f"{roster.file}: expected an alias of its own for each agent, {quote(other)} and {quote(name)} "
                f"would both be called {quote(alias)}"
            )
    return Names(shown, tuple(secret for one in roster.students for secret in _hidden(one)))


def _alias(name: str, roster: Roster) -> str | None:
    """What the student is called who plays under that name; "alice@2" is Alice too. None: nobody on the roster."""
    agent = _without_version(name)
    for called in (name, agent):
        found = roster.called(called)
        if len(found) > 1:
            lines = " and ".join(str(one.line) for one in found)
            raise BadRoster(f"{roster.file}, lines {lines}: expected one student called {quote(called)}; use their ids")
        if found and not found[0].alias:
            raise BadRoster(f"{roster.file}, line {found[0].line}: expected an alias for {quote(called)}, who plays")
        if found:
            return found[0].alias + name.removeprefix(called)
    return None


def _without_version(name: str) -> str:
    agent, at, number = name.rpartition("@")
    return agent if at and number.isdigit() else name


def _plain(name: str) -> str:
    """On one line, something to be seen, and nothing in it that changes how the rest is read."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name).strip() or "(no name)"


def _refuse_a_giveaway(name: str, roster: Roster) -> None:
    """BadRoster where a built-in agent is called what a student is called."""
    for one in roster.students:
        if (found := _secrets(tuple(_hidden(one))).search(normalize("NFC", name))) is not None:
            raise BadRoster(
                f"{roster.file}, line {one.line}: the built-in agent {quote(name)} would give away {quote(found[0])} "
                "of this line: give that agent a line with an alias, or another name in the description"
            )


def _hidden(student: Student) -> list[str]:
    """What gives the student away; an alias may be somebody's own name."""
    told = (student.id, student.name, student.group)
    return [each for each in told if folded(each) != folded(student.alias) and not _COMMON.fullmatch(each)]
