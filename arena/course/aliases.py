"""The public names of agents (with a roster, their aliases; new ones for a roster that has none), and games without
what must not be published.

Pure. Students on the roster are shown only by their alias, teams by the alias that they share. An agent of a person who
is not on the roster is an error; its real name is not shown, because what was published cannot be taken back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from adsearch.errors import one_of, quote
from agents.protocol import Verdict
from arena.course import roster as rosters
from arena.course.roster import Roster, Student, folded, replace_unprintable
from arena.errors import BadRoster
from arena.history import csv_cells
from arena.history.words import helped, ruled, verdict_on_record, without_store
from arena.results.report import ListedGame
from db.records import SAID

if TYPE_CHECKING:
    from db.records import PastGame

_WITHOUT_SPACES: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese; and Korean, where
particles follow names directly."""
_COMMON: Final = re.compile(r"|[A-Za-z]|\d{1,3}")
"""Texts too common to identify a student: nothing, one letter, a number of up to three digits."""


class ShownNames(Struct, frozen=True):
    """The public names of agents, and the texts that must not be shown."""

    shown: Mapping[str, str]
    """Every agent -> its public name. All are different."""
    hidden: tuple[str, ...] = ()
    """The names, ids, addresses and groups of all students on the roster, except texts too common to identify a
    student."""

    def redact(self, text: str) -> str:
        """`text` with "…" for the name, id, address or group of every student on the roster."""
        return _redacted(self.hidden, normalize("NFC", text)) if self.hidden and text else text


@lru_cache(10_000)
def _redacted(secrets: tuple[str, ...], text: str) -> str:
    """Cached, because thousands of secrets take milliseconds, and most games end with the same few texts."""
    return _pattern_of(secrets).sub("…", text)


@cache
def _pattern_of(secrets: Collection[str]) -> re.Pattern[str]:
    """Finds the secrets as whole words: Ann is not found in "Annex", but in "ann_2"."""
    longest_first = sorted(secrets, key=len, reverse=True)
    return re.compile("|".join(map(_whole_word, longest_first)) or r"\Z.", re.IGNORECASE)


def _whole_word(secret: str) -> str:
    """The pattern of a secret as a whole word; in scripts without spaces it matches anywhere."""
    begins = "" if _WITHOUT_SPACES.match(secret[0]) else r"(?<![^\W_])"
    ends = "" if _WITHOUT_SPACES.match(secret[-1]) else r"(?![^\W_])"
    return begins + r"[\s_.-]*".join(map(re.escape, secret.split())) + ends


def own_names(agents: Collection[str]) -> ShownNames:
    """Every agent under its own name, without unprintable characters; repeats are numbered."""
    return ShownNames(numbered(agents, printable, "{} ({})"))


_LONGEST_SLUG: Final = 40
"""Length limit of an agent's name in a file name."""
_RESERVED_BY_WINDOWS: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def slug(name: str) -> str:
    """`name` in lower-case ASCII letters, digits and hyphens; never empty."""
    letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:_LONGEST_SLUG].strip("-")
    return f"agent-{plain}".rstrip("-") if not plain or _RESERVED_BY_WINDOWS.fullmatch(plain) else plain


def numbered(names: Iterable[str], plain: Callable[[str], str], form: str) -> dict[str, str]:
    """Every name -> its plain form; if that is taken, `form` with the plain form and the next free number."""
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


def aliases_of(agents: Mapping[str, bool], roster: Roster) -> ShownNames:
    """Every agent under its alias on the roster; `agents`: each agent, and whether it is ready-made (built in, or an
    engine): then it keeps its name.

    BadRoster if another agent is not on the roster or has no alias, or if two agents would have the same name."""
    shown: dict[str, str] = {}
    unknown = []
    for name in sorted(agents):
        alias = public_name(name, roster, ready_made=agents[name])
        if alias is None:
            unknown.append(quote(name))
        else:
            shown[name] = alias
    if unknown:
        raise BadRoster(
            f"{roster.file}: expected a line for every agent that is neither built in nor an engine, but there is "
            f"none for {one_of(unknown)}; add a line for each, with its name and an alias (which can be the name)"
        )
    called: dict[str, str] = {}
    for name, alias in shown.items():
        other = called.setdefault(folded(alias), name)
        if other != name:
            raise BadRoster(
                f"{roster.file}: expected a different alias for each agent, but {quote(other)} and {quote(name)} "
                f"would both be called {quote(alias)}"
            )
    return ShownNames(shown, hidden_texts(roster))


def public_name(name: str, roster: Roster, *, ready_made: bool) -> str | None:
    """The agent's alias; a `ready_made` agent without a line keeps its name. None if there is neither.

    BadRoster if a line has no alias or is not the only one, or if the name of a ready-made agent would reveal a
    student."""
    if (alias := _alias(name, roster)) is not None:
        return printable(alias)
    if not ready_made:
        return None
    _refuse_real_name(name, roster)
    return name


def hidden_texts(roster: Roster) -> tuple[str, ...]:
    """What must not be shown: `ShownNames.hidden`."""
    return tuple(secret for one in roster.students for secret in _hidden(one))


def _alias(name: str, roster: Roster) -> str | None:
    """The alias of the student or team that plays under this name, also for "alice@2"; None if there is neither."""
    agent = _without_version(name)
    for called in (name, agent):
        found = roster.called(called)
        if found and not roster.is_one_team(found):
            lines = " and ".join(str(one.line) for one in found)
            raise BadRoster(f"{roster.file}, lines {lines}: expected one student called {quote(called)}; use their ids")
        if found and not found[0].alias:
            raise BadRoster(f"{roster.file}, line {found[0].line}: expected an alias for {quote(called)}, who plays")
        if found:
            return roster.team(found[0])[0].alias + name.removeprefix(called)
    return None


def _without_version(name: str) -> str:
    agent, at, number = name.rpartition("@")
    return agent if at and number.isdigit() else name


def printable(name: str) -> str:
    """`name` without unprintable characters; never empty."""
    return replace_unprintable(name).strip() or "(no name)"


def _refuse_real_name(name: str, roster: Roster) -> None:
    """BadRoster if the name of a built-in agent or an engine contains a student's name, id, address or group."""
    for one in roster.students:
        if (found := _pattern_of(tuple(_hidden(one))).search(normalize("NFC", name))) is not None:
            raise BadRoster(
                f"{roster.file}, line {one.line}: the name {quote(name)} would reveal {quote(found[0])} "
                "of this line; give that agent a line with an alias, or another name in the description"
            )


def _hidden(student: Student) -> list[str]:
    """The student's texts that must not be shown; the alias can be shown, even if it is the real name."""
    groups = (student.group, *map(str.strip, student.group.split(",")))  # Moodle writes all groups into one cell
    texts = dict.fromkeys((student.id, student.name, student.email, *groups))
    return [each for each in texts if folded(each) != folded(student.alias) and not _COMMON.fullmatch(each)]


# Aliases for the students of a roster that has none: names of animals, drawn at random, so that they reveal nothing.


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


# Reduces a game to what can be published: its moves and its result, without anything that agents wrote or real names.


def public_rules(text: str, names: ShownNames | None = None) -> str:
    """A game's rules: of a file only its name; with `names`, real names in it are redacted."""
    shown = without_store(text)
    return names.redact(shown) if names is not None and ".py" in shown else shown


def public_ending(game: PastGame, players: Sequence[str], names: ShownNames) -> str:
    """How the game ended, in our words, with `players` as the players' names."""
    return verdict_on_record(game, players, _public_detail(game, names))


def public_game(game: PastGame, names: ShownNames, title: str) -> PastGame:
    """The game without anything private: real names, what agents wrote, files, reasons of rulings, machines. That a
    person had help is no secret."""
    ruling = game.ruling
    return replace(
        game,
        tournament=title,
        detail=_public_detail(game, names),
        host=None,
        seed=0,
        pair="",
        seats=tuple(
            replace(seat, player=names.shown[seat.player], stderr=None, cpu=None, memory=None) for seat in game.seats
        ),
        moves=tuple(replace(move, **dict.fromkeys(SAID)) for move in game.moves),
        rulings=() if ruling is None else (ruling if helped(ruling) else replace(ruling, reason=""),),
    )


def listed_game(game: PastGame, names: ShownNames) -> ListedGame:
    """The game in a list of games that are over."""
    players = tuple(names.shown[name] for name in game.players)
    return ListedGame(
        id=game.id,
        number=game.number,
        attempt=game.attempt,
        round=game.round,
        players=players,
        points=None if game.counted is None else tuple(game.counted),
        ended=public_ending(game, players, names),
        fault=None if game.verdict == Verdict.RESIGNED else game.fault,
        forfeited=game.verdict == Verdict.FORFEIT,
        plies=game.plies,
        notes=tuple(_notes(game, players)),
    )


def _notes(game: PastGame, players: Sequence[str]) -> Iterator[str]:
    if game.ruling is not None:
        yield ruled(game.ruling, players)
    if not all(seat.current for seat in game.seats):
        yield "earlier version"


def _public_detail(game: PastGame, names: ShownNames) -> str:
    """How the game ended in the words of its rules, redacted; empty if it could have an agent's words in it."""
    return names.redact(game.detail or "") if game.verdict == Verdict.NORMAL else ""
