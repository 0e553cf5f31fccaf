"""A record for the tests of the web: everything that people can choose in it is hostile, everything private is marked.

Every private text contains `PLANTED`, and private numbers are in `PLANTED_NUMBERS`. With the roster, no answer of the
server may have one of them. The agents of the ladder are on the roster, under hostile aliases. Those of the other
tournaments are not, and have hostile names.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Final
from urllib.parse import quote

from msgspec import Struct
from sqlalchemy import text as sql

from arena.accounts import sessions
from arena.course.roster import replace_unprintable
from arena.players.submissions import Store
from db import accounts, store
from db import ladder as rows
from db.accounts import AccountsDatabase
from db.database import Connection, Database
from db.ladder import NewRating, SubmissionState
from tests.attacks import hostile_game
from tests.attacks.hostile_game import RUN, TEXTS
from tests.kit.ladder_record import DESCRIPTION, OPENED, hand_in, open_ladder, play_pair
from tests.kit.paper_tournament import Event, described
from tests.kit.sample_record import X_WINS, Book

PLANTED: Final = "zzplant"
"""Part of every private text."""
PLANTED_NUMBERS: Final = (27182818.25, 161803398, 141421356, 577215664)
"""Score, depth, nodes, memory: what agents reported and used."""
LADDER: Final = "cs101"
CUP: Final = f"cup/1 %2F..%2f ?a=b&amp;c#d {TEXTS[0]} {TEXTS[1]} \u202e\u05e9\u05dc\u05d5\u05dd {'W' * 150}"
KNOCKOUT: Final = "knock%20out"
CARDS: Final = "cards"
CLOSED: Final = "zzclosed cup"
"""A tournament whose description does not say that visitors may see it."""
TITLES: Final = (LADDER, CUP, KNOCKOUT, CARDS)
"""The names of the tournaments."""
ALIASES: Final = (
    TEXTS[0],
    f"\u202e{TEXTS[1]}\u2066 \u05d0\u05d1\u05d2",
    f"a/b %2F ../x ?q=1&amp;#f {'W' * 200}",
    "..",
)
"""What students call themselves: the alias of each on the roster."""
NAMES: Final = (
    *(f"{PLANTED}{number}{text[:200]}" for number, text in enumerate(TEXTS[:8])),
    f"{PLANTED}8\u202e\u05e9\u05dc\u05d5\u05dd a/b %2F",
    f"{PLANTED}9 {'W' * 200}",
)
"""Agents that are not on the roster: a page that uses it calls them "agent 12"."""
STUDENTS: Final = tuple(f"{PLANTED}-student-{number}" for number in range(len(ALIASES)))
"""The agents of the ladder, by the alias of each."""


_ENTERED: Final = dict.fromkeys(NAMES, "d" * 64)
"""What they play with in `CUP` and `KNOCKOUT`, so that their games count."""


def in_addresses(name: str) -> str:
    """The public form of a name as one segment of an address."""
    return quote(replace_unprintable(name).strip(), safe="")


class WebRecord(Struct, frozen=True, kw_only=True):
    """What was recorded."""

    folder: Path
    roster: Path
    """CSV file of a roster."""
    replayed: int
    """A finished game with moves, of the tournament `CUP`."""
    hostile: int
    """A finished game of user-supplied rules whose moves and boards are hostile."""
    cards: int
    """A finished game that hid cards while it was played."""
    playing: int
    """A game in progress."""
    closed: int
    """A finished game of a tournament that visitors may not see."""
    cancelled: int
    scheduled: int

    @property
    def database(self) -> str:
        """Its file."""
        return str(self.folder / "arena.db")

    @property
    def submissions(self) -> Sequence[int]:
        """All submissions, and one number that none has."""
        return range(1, 9)

    def session(self, author: str, *, ladder: str = LADDER) -> str:
        """The key of a new session of a student with this name on the ladder; of an instructor without a name."""
        with AccountsDatabase(self.database) as database, database.writing() as connection:
            role = accounts.Role.STUDENT if author else accounts.Role.INSTRUCTOR
            account = accounts.add_account(
                connection,
                ladder=ladder if author else "",
                role=role,
                author=author,
                name="Ida" if author else "Eva",
                student="",
                now=datetime.now(UTC),
            )
            return sessions.begin(connection, account, datetime.now(UTC))

    def token(self, author: str) -> str:
        """A token of a new student with this name on the ladder."""
        with AccountsDatabase(self.database) as database, database.writing() as connection:
            now = datetime.now(UTC)
            account = accounts.add_account(
                connection, ladder=LADDER, role=accounts.Role.STUDENT, author=author, name="", student="", now=now
            )
            return sessions.make_token(connection, account, "test", now)

    @property
    def games(self) -> Sequence[int]:
        """All these games."""
        return (self.replayed, self.hostile, self.cards, self.playing, self.closed, self.cancelled, self.scheduled)


def store_everything(folder: Path) -> WebRecord:
    """The record, in this folder."""
    roster = folder / "roster.csv"
    roster.write_text(_roster(), "utf-8")
    rules = _hostile_rules(folder)
    with Database(str(folder / "arena.db")) as database, database.writing() as connection:
        _ladder(connection, folder)
        book = Book(connection)
        cup = _cup(book, rules)
        _knockout(book)
        cards = book.tournament(CARDS, "kuhn")
        book.enter(cards, *NAMES[:2], source="e" * 64)
        hidden = book.play(cards, "kuhn", NAMES[:2])
        playing = book.plan(cards, "kuhn", NAMES[:2])
        store.begin(connection, playing, book.now)
        _plant(connection)
        connection.exec_driver_sql("UPDATE tournament SET settings = json_set(settings, '$.public', json('true'))")
        closed = book.tournament(CLOSED, "tictactoe")
        book.enter(closed, *NAMES[:2], source="d" * 64)
        special = book.play(closed, "tictactoe", NAMES[:2], moves=X_WINS)
    return WebRecord(folder=folder, roster=roster, cards=hidden, playing=playing, closed=special, **cup)


def _roster() -> str:
    """Id, name, group, address and alias of each student of the ladder."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(("id", "name", "group", "email", "alias"))
    for number, (agent, alias) in enumerate(zip(STUDENTS, ALIASES, strict=True)):
        private = f"{PLANTED}-{number}"
        lines.writerow((agent, f"{private} Family", f"{private}-group", f"{private}@example.org", alias))
    return written.getvalue()


def _hostile_rules(folder: Path) -> str:
    """The hostile game as a tournament records it: in the store, and known to be this user's own."""
    (folder / PLANTED).mkdir()
    file = folder / PLANTED / "hostile.py"
    file.write_text(Path(hostile_game.__file__).read_text("utf-8"), "utf-8")
    return Store(folder / "arena.store").take_game(f"{file}:Hostile:picture=0,text=1")


def _ladder(connection: Connection, folder: Path) -> None:
    """Two versions of the first student, one of each other; everyone has met everyone."""
    random = Random(3)
    ladder = open_ladder(connection, folder, DESCRIPTION)
    versions = {name: hand_in(connection, ladder, name, "a" * 64) for name in STUDENTS}
    first = STUDENTS[0]
    before = versions[first]
    for number, (one, other) in enumerate(combinations(versions, 2)):
        if number == len(versions) - 1:
            versions[first] = hand_in(connection, ladder, first, "b" * 64, OPENED + timedelta(hours=1))
        play_pair(connection, ladder, {one: versions[one], other: versions[other]}, number, random)
    anchors = [line.version for line in rows.standings(connection, ladder.id) if line.name in ladder.anchors]
    for number, version in enumerate((before, *versions.values(), *anchors)):
        times = (OPENED + timedelta(minutes=each) for each in range(3))
        for at, time in enumerate(times):
            rows.add_ratings(connection, ladder.id, [NewRating(version, 40.0 * number + at, 90.0 - at, 6)], time)
    for state in (SubmissionState.REFUSED, SubmissionState.CHECKING):
        rows.add_submission(
            connection, ladder.id, first, label="x", source="c" * 64, state=state, words="x", now=OPENED
        )


def _cup(book: Book, rules: str) -> dict[str, int]:
    """A round-robin with every kind of game; special ones by their fields of `WebRecord`."""
    connection = book.connection
    cup = book.tournament(CUP, "tictactoe")
    book.enter(cup, *NAMES, source="d" * 64)
    for number, two in enumerate(combinations(NAMES, 2)):
        fault = {"moves": "a1", "verdict": "crashed", "fault": 1, "stderr": "x"} if number % 3 == 0 else {}
        game = book.play(cup, "tictactoe", two, leg=number % 2, round=1 + number // 9, sources=_ENTERED, **fault)
        if number % 7 == 0:
            store.rule_on_game(connection, game, "award", "x", book.now, seat=1)
    cancelled = book.plan(cup, "tictactoe", NAMES[2:4])
    store.cancel_attempts(connection, [cancelled])
    special = {
        "replayed": book.play(cup, "tictactoe", NAMES[:2], moves=X_WINS, round=2),
        "hostile": book.play(cup, rules, NAMES[:2], round=2),
        "cancelled": cancelled,
        "scheduled": book.plan(cup, "tictactoe", NAMES[1:3]),
    }
    store.rule_on_entry(connection, cup, NAMES[4], "withdraw", "x", book.now)
    return special


def _knockout(book: Book) -> None:
    """Four players; the semifinals are over."""
    connection = book.connection
    settings = {"format": "knockout", "rounds": 1, "gauntlet": [], "seeds": [], "best_of": 1, "repeats": 3, "byes": []}
    knockout = store.create_tournament(
        connection,
        KNOCKOUT,
        format="knockout",
        rules="tictactoe",
        clock="5",
        seed=7,
        settings=settings,
        now=book.now,
    )
    book.enter(knockout, *NAMES[:4], source="d" * 64)
    first = Event(described("knockout"), list(NAMES[:4])).ask()
    for pairing in first:
        for leg in (0, 1):
            players = pairing.names[:: -1 if leg else 1]
            book.play(knockout, "tictactoe", players, pair=pairing.key, leg=leg, sources=_ENTERED)


_MOVER: Final = "COALESCE((SELECT name FROM seat WHERE seat.game = move.game AND CAST(seat AS TEXT) = move.who), '')"
_AT_FAULT: Final = "COALESCE((SELECT name FROM seat WHERE seat.game = game.id AND seat = game.fault), '')"
_EVERYWHERE: Final = (
    f"UPDATE move SET score = :score, depth = :depth, nodes = :nodes, line = '{PLANTED}-line-of-' || {_MOVER}, "
    f"text = '{PLANTED}-text-of-' || {_MOVER} || :run, "
    f"marks = json_object('{PLANTED}-marks-of-' || {_MOVER}, 'good')",
    f"UPDATE seat SET stderr = '{PLANTED}-stderr-of-' || name || stderr, memory = :memory",
    f"UPDATE game SET detail = '{PLANTED}-detail-of-' || {_AT_FAULT} WHERE verdict <> 'normal'",
    f"UPDATE ruling SET reason = '{PLANTED}-reason'",
    f"UPDATE submission SET label = '{PLANTED}-label-of-' || author, words = '{PLANTED}-words-of-' || author",
    "UPDATE submission SET steps = json_object('steps', json_array(json_object('name', 'legal moves', "
    f"'light', 'failed', 'seconds', 1.5, 'told', '{PLANTED}-step-of-' || author)))",
    f"UPDATE version SET started_as = '/home/{PLANTED}-folder/agent.py' WHERE length(source) = 64",
    f"""UPDATE game SET host = '{{"cpu": "{PLANTED}-host"}}'""",
)


def _plant(connection: Connection) -> None:
    """Puts private texts and numbers into every place that can have some."""
    score, depth, nodes, memory = PLANTED_NUMBERS
    values = {"score": score, "depth": depth, "nodes": nodes, "memory": memory, "run": RUN}
    for statement in _EVERYWHERE:
        used = {name: value for name, value in values.items() if f":{name}" in statement}
        connection.execute(sql(statement), used)


_NUMBERS: Final = re.compile(
    "|".join(rf"(?<!\d){digits}" for number in PLANTED_NUMBERS for digits in (f"{int(number)}", f"{int(number):,}"))
)


def secrets_in(text: str, *, names: bool = True, of: str = "") -> list[str]:
    """What is private in the text, each with what is around it. `names`: whether agents' own names are private, too, as
    with a roster. `of`: an agent whose name and secrets are not meant; nor are numbers then."""
    own = "" if names else r"(?!\d|-stude|…)"  # shortened names, too
    own += rf"(?!{re.escape(of.removeprefix(PLANTED))}(?!\d)|-[a-z]+-of-{re.escape(of)}(?!\d))" if of else ""
    places = [found.start() for found in re.finditer(PLANTED + own, text, re.IGNORECASE)]
    if of:
        return [text[max(0, at - 60) : at + 60] for at in places]
    places += [found.start() for found in _NUMBERS.finditer(text)]
    return [text[max(0, at - 60) : at + 60] for at in places]
