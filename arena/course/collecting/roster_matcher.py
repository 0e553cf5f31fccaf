"""Finds the student on the roster by the name, id, alias or group in a file's name.

The order of first and last names, capitals, accents and the spelling of umlauts do not matter. If two students match
equally well, neither is chosen: the instructor must decide. A group belongs to a team if all its students are in that
team. A team is found as any one of its students.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from adsearch.errors import quote
from arena.course.roster import Roster, Student, folded
from arena.errors import BadSubmission

_WORDS: Final = re.compile(r"[^\W_]+")
_SPELLED_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_BASE_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"}
)
_MOST_REORDERED: Final = 8
"""Number of words up to which a name is matched in any order."""


ANONYMOUS: Final = (
    "the learning system hides the names of this assignment (anonymous marking): turn that off, or reveal the names, "
    "and download the submissions again"
)
"""Why a file with a number in place of a name has no student."""
_PARTICIPANT: Final = re.compile(r"(?:Participant|Teilnehmer(?:/in)?) ?(\d+)", re.IGNORECASE)
"""An id in a grading worksheet of Moodle. The number is in the names of the files of the same assignment."""


class RosterMatcher:
    """Finds students on a roster by the names of their files."""

    def __init__(self, roster: Roster) -> None:
        self.roster = roster
        self._exactly: dict[str, set[int]] = {}
        self._nearly: dict[str, set[int]] = {}
        self._participants = {
            number[1]: place
            for place, one in enumerate(roster.students)
            if (number := _PARTICIPANT.fullmatch(one.id)) is not None
        }
        self._teams = self._groups_of_one_team()
        for place, one in enumerate(roster.students):
            for text, name in ((one.id, False), (one.name, True), (one.alias, False)):
                for form in _forms(folded(text), any_order=name):
                    self._exactly.setdefault(form, set()).add(place)
                for spelling in _spellings(text):
                    for form in _forms(spelling, any_order=name):
                        self._nearly.setdefault(form, set()).add(place)

    def by_name(self, who: str, number: str = "") -> Student:
        """The student with this name, and with this number if the roster's ids are such numbers; else a student of the
        team with this group; BadSubmission if there is none, or several.

        The number distinguishes students with the same name; by itself it finds no student."""
        named = self._named(who) or self._named_in_group(who)
        numbered = self._exactly.get(folded(number), set()) if number else set()
        numbered |= {self._participants[number]} if number in self._participants else set()
        team = self._looked_up(self._teams, _spellings(who))
        if not named and team:
            return self._single(team & numbered or team, who)
        both = named & numbered
        if named and numbered and not both:
            one, other = (min(places) for places in (named, numbered))
            raise BadSubmission(
                f"the name {quote(who)} is {self._line(one)}, the id {quote(number)} is {self._line(other)}"
            )
        return self._single(both or self._with_namesakes(named, team), who, perhaps=numbered, number=number)

    def by_participant(self, number: str) -> Student:
        """The student whose id is Moodle's "Participant 123456", for this number; BadSubmission if there is none."""
        if number not in self._participants:
            raise BadSubmission(ANONYMOUS)
        return self.roster.students[self._participants[number]]

    def by_beginning(self, text: str) -> Student:
        """The student whose name, id or alias starts the text, by the longest match; else a student of the team whose
        group is the text; BadSubmission as above."""
        words = _WORDS.findall(text)
        team = self._looked_up(self._teams, _spellings(text))
        for number in range(len(words), 0, -1):
            # Students write their own names with and without accents.
            if found := self._looked_up(self._nearly, _spellings(" ".join(words[:number]))):
                return self._single(self._with_namesakes(found, team) if number == len(words) else found, text)
        return self._single(self._with_namesakes(self._named(text), team), text)

    def _with_namesakes(self, named: set[int], team: set[int]) -> set[int]:
        """The students of this name, and those of another team whose group has this name.

        In many courses students name their groups, so a group can be called like another student."""
        everyone = named | team
        same = not named or not team or self.roster.is_one_team([self.roster.students[place] for place in everyone])
        return (named or team) if same else everyone

    def _groups_of_one_team(self) -> dict[str, set[int]]:
        """The forms of each group whose students are one team -> the places of its students."""
        groups: dict[str, set[int]] = {}
        for place, one in enumerate(self.roster.students):
            for group in {*one.groups, folded(one.group)} - {""}:
                groups.setdefault(group, set()).add(place)
        found: dict[str, set[int]] = {}
        for group, places in groups.items():
            students = [self.roster.students[place] for place in places]
            if students[0].alias and self.roster.is_one_team(students):
                for form in {form for spelling in _spellings(group) for form in _forms(spelling, any_order=False)}:
                    found.setdefault(form, set()).update(places)
        return found

    def _named(self, who: str) -> set[int]:
        """The students with exactly this name, if it is written in full; else all students with a similar name."""
        if " " in who.strip() or not who.isascii():
            exactly = self._looked_up(self._exactly, [folded(who)])
            if exactly:
                return exactly
        return self._looked_up(self._nearly, _spellings(who))

    def _named_in_group(self, who: str) -> set[int]:
        """As `_named`, for "GROUP-NAME", which Moodle writes if students have groups."""
        found: set[int] = set()
        for at in (at for at, letter in enumerate(who) if letter == "-"):
            group = folded(who[:at])
            found |= {place for place in self._named(who[at + 1 :]) if group in self.roster.students[place].groups}
        return found

    def _looked_up(self, forms: dict[str, set[int]], spellings: Sequence[str]) -> set[int]:
        found: set[int] = set()
        for spelling in spellings:
            for form in _forms(spelling, any_order=False):
                found |= forms.get(form, set())
            found |= forms.get(_sorted(spelling), set())
        return found

    def _single(self, places: set[int], who: str, *, perhaps: Collection[int] = (), number: str = "") -> Student:
        if not places:
            raise BadSubmission(f"no student on {self.roster.file} has this name{self._suggestion(who, perhaps)}")
        if not self.roster.is_one_team([self.roster.students[place] for place in places]):
            lines = " or ".join(self._line(place) for place in sorted(places)[:4])
            by_number = f", or make {number} the id of the right one on the roster" if number else ""
            raise BadSubmission(f"it could be {lines}: rename it to start with an id{by_number}")
        return self.roster.students[min(places)]

    def _line(self, place: int) -> str:
        one = self.roster.students[place]
        return f"{quote(one.name or one.id)} (line {one.line})"

    def _suggestion(self, who: str, perhaps: Collection[int]) -> str:
        """A question about `perhaps` and the students whose name shares a word with it; empty if there are none, or
        many."""
        words = {word for spelling in _spellings(who) for word in _WORDS.findall(spelling) if len(word) > 2}
        near = [
            place
            for place, one in enumerate(self.roster.students)
            if place in perhaps
            or words & {word for spelling in _spellings(one.name) for word in _WORDS.findall(spelling)}
        ]
        return f"; is it {' or '.join(map(self._line, near[:2]))}?" if 0 < len(near) < 3 else ""


def _spellings(text: str) -> list[str]:
    """`text` without accents: once with umlauts as base letters, once with umlauts spelled out."""
    small = folded(text)
    return list(
        dict.fromkeys(
            _plain(spelled) for spelled in (small, unicodedata.normalize("NFC", small).translate(_SPELLED_OUT))
        )
    )


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.translate(_BASE_LETTERS))
    return unicodedata.normalize("NFC", "".join(letter for letter in apart if not unicodedata.combining(letter)))


def _forms(text: str, *, any_order: bool) -> Iterator[str]:
    """The forms of a text for lookup: unchanged, its words joined; with `any_order` also in other orders."""
    words = _WORDS.findall(text)
    if text:
        yield text
    if words:
        yield "".join(words)
    if any_order and 1 < len(words) <= _MOST_REORDERED:
        yield _sorted(text)
        for first in range(1, len(words)):
            yield "".join((*words[first:], *words[:first]))


def _sorted(text: str) -> str:
    """The words, sorted; separated by line breaks, so that it equals no other form."""
    return "\n".join(sorted(_WORDS.findall(text)))
