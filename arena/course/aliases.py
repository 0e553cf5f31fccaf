"""What agents are called in public: with a roster, by their aliases.

Values in, values out. Anyone on the roster is shown under the alias alone. An agent of somebody who is not on it is an
error, not shown by its name: what was published cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Final
from unicodedata import normalize

from msgspec import Struct

from adsearch.errors import one_of, quote
from agents import builtin
from arena.course.roster import Roster, Student, folded, replace_unprintable
from arena.errors import BadRoster

_WITHOUT_BLANKS: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that have no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese; and Korean, whose
names are followed by particles."""
_COMMON: Final = re.compile(r"|[A-Za-z]|\d{1,3}")
"""Gives nobody away: nothing, a letter, a small number."""


class ShownNames(Struct, frozen=True):
    """What agents are called in public, and what must not be shown."""

    shown: Mapping[str, str]
    """Every agent -> what it is called. No two are called the same."""
    hidden: tuple[str, ...] = ()
    """The names, ids and groups of everybody on the roster, unless they are common words."""

    def redact(self, text: str) -> str:
        """`text` without the name, id or group of anybody on the roster."""
        return _pattern_of(self.hidden).sub("…", normalize("NFC", text)) if self.hidden else text


@cache
def _pattern_of(secrets: Collection[str]) -> re.Pattern[str]:
    """Finds the secrets as whole words: Ann is not found in "Annex", but in "ann_2"."""
    longest_first = sorted(secrets, key=len, reverse=True)
    return re.compile("|".join(map(_whole_word, longest_first)) or r"\Z.", re.IGNORECASE)


def _whole_word(secret: str) -> str:
    """The pattern of a secret as a whole word; in scripts without blanks it may stand anywhere."""
    begins = "" if _WITHOUT_BLANKS.match(secret[0]) else r"(?<![^\W_])"
    ends = "" if _WITHOUT_BLANKS.match(secret[-1]) else r"(?![^\W_])"
    return begins + r"[\s_.-]*".join(map(re.escape, secret.split())) + ends


def own_names(agents: Collection[str]) -> ShownNames:
    """Every agent under its own name, without unprintable characters; repeats are numbered."""
    return ShownNames(numbered(agents, _printable, "{} ({})"))


def numbered(names: Iterable[str], plain: Callable[[str], str], form: str) -> dict[str, str]:
    """Every name -> its plain form; a form that is taken gets the next free number, written as `form` says."""
    forms: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names):
        first = free = plain(name)
        number = 2
        while free in taken:
            free = form.format(first, number)
            number += 1
        taken.add(free)
        forms[name] = free
    return forms


def aliases_of(agents: Mapping[str, str], roster: Roster) -> ShownNames:
    """Every agent under its alias on the roster; `agents`: the source of each. Built-in agents need not be on it.

    BadRoster if another agent is not on the roster or has no alias, or if two would be called the same."""
    shown: dict[str, str] = {}
    unknown = []
    for name in sorted(agents):
        if (alias := _alias(name, roster)) is not None:
            shown[name] = _printable(alias)
        elif builtin.is_builtin(agents[name]):
            shown[name] = name
            _refuse_real_name(name, roster)
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
    return ShownNames(shown, tuple(secret for one in roster.students for secret in _hidden(one)))


def _alias(name: str, roster: Roster) -> str | None:
    """The alias of the student who plays under that name, also for "alice@2"; None if nobody on the roster does."""
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


def _printable(name: str) -> str:
    """`name` without unprintable characters; never empty."""
    return replace_unprintable(name).strip() or "(no name)"


def _refuse_real_name(name: str, roster: Roster) -> None:
    """BadRoster if a built-in agent is called like a student."""
    for one in roster.students:
        if (found := _pattern_of(tuple(_hidden(one))).search(normalize("NFC", name))) is not None:
            raise BadRoster(
                f"{roster.file}, line {one.line}: the built-in agent {quote(name)} would give away {quote(found[0])} "
                "of this line: give that agent a line with an alias, or another name in the description"
            )


def _hidden(student: Student) -> list[str]:
    """What must not be shown of the student; the alias may be shown, also if it is the real name."""
    texts = (student.id, student.name, student.group)
    return [each for each in texts if folded(each) != folded(student.alias) and not _COMMON.fullmatch(each)]
