"""Whose something is: a name, an id or an alias as a file is called by it, held against the roster.

The order of the names does not matter, nor capitals, accents and how an umlaut is written. Where two are meant as well,
nobody is: whose it is, is then for a person to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from adsearch.errors import quote
from arena.course.roster import Roster, Student, folded
from arena.errors import BadSubmission

_WORDS: Final = re.compile(r"[^\W_]+")
_SPELLED: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_BASIC: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})
_MOST_ROTATED: Final = 8


class People:
    """Everybody on a roster, to be found by what their files are called."""

    def __init__(self, roster: Roster) -> None:
        self.roster = roster
        self._exactly: dict[str, set[int]] = {}
        self._nearly: dict[str, set[int]] = {}
        for place, one in enumerate(roster.students):
            for text, name in ((one.id, False), (one.name, True), (one.alias, False)):
                for form in _forms(folded(text), any_order=name):
                    self._exactly.setdefault(form, set()).add(place)
                for spelling in _spellings(text):
                    for form in _forms(spelling, any_order=name):
                        self._nearly.setdefault(form, set()).add(place)

    def called(self, who: str, number: str = "") -> Student:
        """Who is called so, and known by that number where the roster's ids are such; BadSubmission where it is nobody,
        or two."""
        named = self._named(who) or self._named_in_group(who)
        numbered = self._exactly.get(folded(number), set()) if number else set()
        both = named & numbered
        found = both or named or numbered
        if named and numbered and not both:
            one, other = (min(places) for places in (named, numbered))
            raise BadSubmission(
                f"the name {quote(who)} is {self._line(one)}, the id {quote(number)} is {self._line(other)}"
            )
        return self._only(found, who)

    def begins(self, name: str) -> Student:
        """Whose name, id or alias the text begins with: the longest beginning counts; BadSubmission as above."""
        words = _WORDS.findall(name)
        for many in range(len(words), 0, -1):
            # People write their own names with and without accents.
            if found := self._looked_up(self._nearly, _spellings(" ".join(words[:many]))):
                return self._only(found, name)
        return self._only(self._named(name), name)

    def _named(self, who: str) -> set[int]:
        """Who is called so exactly, as only a name with all its letters can tell; else all who nearly are."""
        if " " in who.strip() or not who.isascii():
            exactly = self._looked_up(self._exactly, [folded(who)])
            if exactly:
                return exactly
        return self._looked_up(self._nearly, _spellings(who))

    def _named_in_group(self, who: str) -> set[int]:
        """The same of "GROUP-NAME", as Moodle writes it where students have groups."""
        found: set[int] = set()
        for at in (at for at, letter in enumerate(who) if letter == "-"):
            group = folded(who[:at])
            found |= {
                place for place in self._named(who[at + 1 :]) if folded(self.roster.students[place].group) == group
            }
        return found

    def _looked_up(self, forms: dict[str, set[int]], spellings: Sequence[str]) -> set[int]:
        found: set[int] = set()
        for spelling in spellings:
            for form in _forms(spelling, any_order=False):
                found |= forms.get(form, set())
            found |= forms.get(_sorted(spelling), set())
        return found

    def _only(self, places: set[int], who: str) -> Student:
        if not places:
            raise BadSubmission(f"nobody on {self.roster.file} is called so{self._perhaps(who)}")
        if len(places) > 1:
            lines = " or ".join(self._line(place) for place in sorted(places)[:4])
            raise BadSubmission(f"it may be {lines}: rename it to begin with an id")
        return self.roster.students[min(places)]

    def _line(self, place: int) -> str:
        one = self.roster.students[place]
        return f"{quote(one.name or one.id)} (line {one.line})"

    def _perhaps(self, who: str) -> str:
        """Somebody whose name shares a word with it, to be pointed at."""
        words = {word for spelling in _spellings(who) for word in _WORDS.findall(spelling) if len(word) > 2}
        near = [
            place
            for place, one in enumerate(self.roster.students)
            if words & {word for spelling in _spellings(one.name) for word in _WORDS.findall(spelling)}
        ]
        return f"; is it {' or '.join(map(self._line, near[:2]))}?" if 0 < len(near) < 3 else ""


def _spellings(text: str) -> list[str]:
    """`text` without accents: umlauts by their base letter, and spelled out."""
    small = folded(text)
    return list(
        dict.fromkeys(_plain(spelled) for spelled in (small, unicodedata.normalize("NFC", small).translate(_SPELLED)))
    )


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.translate(_BASIC))
    return unicodedata.normalize("NFC", "".join(letter for letter in apart if not unicodedata.combining(letter)))


def _forms(text: str, *, any_order: bool) -> Iterator[str]:
    """What a text is looked up by: as it is, its words run together, and with `any_order` those in any."""
    words = _WORDS.findall(text)
    if text:
        yield text
    if words:
        yield "".join(words)
    if any_order and 1 < len(words) <= _MOST_ROTATED:
        yield _sorted(text)
        for first in range(1, len(words)):
            yield "".join((*words[first:], *words[:first]))


def _sorted(text: str) -> str:
    """The words in an order of their own, told from any text by what parts them."""
    return "\n".join(sorted(_WORDS.findall(text)))
