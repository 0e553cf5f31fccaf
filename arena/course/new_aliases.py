"""Aliases for the students of a roster that has none: names of animals, drawn at random, so that they reveal nothing.

Pure; the randomness comes in as an argument. All columns and lines of the roster stay as they are, and so does every
alias that a student already has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import count
from random import Random
from typing import Final

from msgspec import Struct

from adsearch.errors import quote
from arena.course import roster as rosters
from arena.course.roster import Roster, Student, folded
from arena.errors import BadRoster
from arena.history import csv_cells

_ANIMALS: Final = """
albatross alpaca antelope armadillo badger beaver bison bittern blackbird bluebird bobcat buffalo bullfinch butterfly
buzzard camel caribou chamois cheetah chinchilla chipmunk condor cormorant coyote crane cricket curlew deer dolphin
dragonfly eagle egret elk falcon firefly flamingo fox gannet gazelle gecko giraffe goldfinch goshawk grasshopper
greenfinch grouse gull hare harrier hawk hedgehog heron hummingbird ibex ibis iguana impala jackdaw jaguar kangaroo
kestrel kingfisher koala kudu lapwing lark lemur leopard lion llama lynx magpie mallard manatee marlin marmot marten
moose narwhal newt nightingale nuthatch ocelot octopus okapi oriole oryx osprey otter owl panda panther partridge
pelican penguin petrel pheasant pipit plover porcupine puffin puma quail quokka raccoon raven redwing reindeer
salamander salmon sandpiper seagull seahorse seal serval shrike siskin skylark snipe sparrow squirrel starling stork
sturgeon swallow swan swift tapir tern thrush tiger toucan trout turtle wagtail walrus wallaby warbler waxwing whale
wolf wolverine wombat woodpecker wren yak zebra
"""
ANIMALS: Final = tuple(_ANIMALS.split())
"""Easy to say and to spell, and no first names of people."""
_WORD: Final = re.compile(r"[^\W_]+")


class WithAliases(Struct, frozen=True):
    """A roster in which each student has an alias."""

    text: str
    """The roster in CSV."""
    roster: Roster
    drawn: int
    """The number of lines that had no alias."""


def with_aliases(text: str, file: str, random: Random, *, teams: bool = False) -> WithAliases:
    """The roster in `text` with an alias for each student; with `teams` the students of a group have the same.

    `file` is its name in messages. If a student has several groups, the smallest is the team; a student without a group
    has an alias alone. BadRoster if `text` is not a roster, or if it does not say who is in which team."""
    lines = [row for _, row in rosters.table(text, file)]
    roster = rosters.read(text, file)
    team_of = _teams(roster) if teams else {}
    shared = _aliases_of_teams(roster, team_of)
    free = _free(random, lines)
    column = next((title for title in lines[0] if folded(title) == "alias"), "alias")
    for row, one in zip(lines, roster.students, strict=True):
        team = team_of.get(one, "")
        row[column] = one.alias or shared.get(team) or next(free)
        if team:
            shared[team] = row[column]
    text = csv_cells.text((row.values() for row in lines), titles=list(lines[0]))
    drawn = sum(not one.alias for one in roster.students)
    return WithAliases(text, rosters.read(text, file), drawn)


def _teams(roster: Roster) -> dict[Student, str]:
    """The group that is each student's team: the smallest. Students without a group are left out."""
    groups_of = {one: one.groups for one in roster.students if one.group}
    if not groups_of:
        raise BadRoster(f"{roster.file}: expected a group for each team, but no line has a group")
    sizes = Counter(group for groups in groups_of.values() for group in groups)
    teams = {one: min(groups, key=sizes.__getitem__) for one, groups in groups_of.items()}
    for one, groups in groups_of.items():
        for other, team in teams.items():
            if team in groups and teams[one] != team:
                raise BadRoster(
                    f"{roster.file}, line {one.line}: the smallest group is {quote(teams[one])}, but {quote(team)}, "
                    f"also in this line, is the smallest of line {other.line}; remove the groups that are not teams"
                )
    return teams


def _aliases_of_teams(roster: Roster, team_of: Mapping[Student, str]) -> dict[str, str]:
    """The aliases that teams have already."""
    first: dict[str, Student] = {}
    for one, team in team_of.items():
        if one.alias:
            other = first.setdefault(team, one)
            if folded(other.alias) != folded(one.alias):
                raise BadRoster(
                    f"{roster.file}, line {one.line}: expected the alias {quote(other.alias)} as in line {other.line}, "
                    f"the same group, got {quote(one.alias)}; with --teams a group has one alias"
                )
    return {team: one.alias for team, one in first.items()}


def _free(random: Random, lines: Collection[Mapping[str, str]]) -> Iterator[str]:
    """Aliases in random order; none is a word of the roster, such as a student's name or another alias."""
    taken = {folded(word) for row in lines for cell in row.values() for word in (cell, *_WORD.findall(cell))}
    for number in count(1):
        names = [name if number == 1 else f"{name}-{number}" for name in ANIMALS]
        names = [name for name in names if folded(name) not in taken]
        random.shuffle(names)
        yield from names
