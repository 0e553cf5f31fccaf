"""Who may see what, and under which names: one decision for pages, JSON and streams.

Pure. Whatever the web reads passes through here, and comes out without what the viewer may not see; pages get only
that. What a viewer may not see does not exist for them: the answer is the same as for something that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from enum import StrEnum
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.accounts import audit, people
from arena.accounts.people import Account
from arena.course.aliases import ShownNames, hidden_texts, numbered, printable, public_game, public_name
from arena.course.roster import Roster, folded
from arena.errors import BadRoster
from arena.history.words import without_store
from arena.players.versions import is_ready_made
from arena.serve.open_ladders import ladder_of
from arena.tournament.standings import TournamentStandings, standings
from db import lookup, scores, web
from db.accounts import AccountsDatabase
from db.database import Connection
from db.errors import NotFound
from db.games import OVER
from db.ladder import author_of
from db.records import HUMAN, PastGame


class Role(StrEnum):
    """What kind of account a viewer has."""

    VISITOR = "visitor"
    """None: anyone who opens a page."""
    STUDENT = "student"
    INSTRUCTOR = "instructor"


class Viewer(Struct, frozen=True):
    """Who looks."""

    role: Role = Role.VISITOR
    account: int = 0
    """The row id of the account; 0 for a visitor."""
    author: str = ""
    """A student's name on the ladder."""

    def owns(self, agent: str) -> bool:
        """Whether the agent with this name in the record is the viewer's own."""
        return bool(self.author) and author_of(agent) == self.author


VISITOR: Final = Viewer()
MEMBER: Final = Viewer(Role.STUDENT)
"""Anyone with an account, without what only its owner sees."""


class What(StrEnum):
    """What can be seen, or done."""

    RESULTS = "results"
    """Standings, ratings, and how each game ended."""
    MOVES = "moves"
    """The moves of finished games, with the analysis."""
    OPEN_BOARD = "open board"
    """A game in progress that hides nothing from its players."""
    HIDDEN_BOARD = "hidden board"
    """The board of a game in progress that hides cards or moves from its players; own: as the own seat sees it."""
    SAID = "said"
    """What agents wrote: score, line and text of a move, stderr, details of crashes."""
    REASONS = "reasons"
    """Why an instructor ruled about a game."""
    PEOPLE = "people"
    """Names, ids and addresses of the people on the roster."""
    WAITING = "waiting"
    """How many submissions wait for their check."""
    CHECK = "check"
    """A submission, with the steps of its check."""
    SOURCE = "source"
    """The files of an agent."""
    PLAY = "play"
    """To play against an agent."""
    MANAGE = "manage"
    """To rule, invite, open and close."""


_PUBLIC: Final = frozenset({What.RESULTS, What.MOVES, What.OPEN_BOARD, What.WAITING})
_SEEN_BY: Final = {
    Role.VISITOR: frozenset[What](),
    Role.STUDENT: _PUBLIC | {What.PLAY},
    Role.INSTRUCTOR: frozenset(What) - {What.HIDDEN_BOARD},
}
_OF_THEIR_OWN: Final = frozenset({What.HIDDEN_BOARD, What.SAID, What.CHECK, What.SOURCE})
"""What students see of what is their own."""


def may(viewer: Viewer, what: What, *, public: bool = False, own: bool = False) -> bool:
    """Whether the viewer may see that. `public`: it is part of a tournament whose description says so. `own`: it is
    about the viewer's own agent."""
    is_own = own and viewer.role is Role.STUDENT
    return what in _SEEN_BY[viewer.role] or (public and what in _PUBLIC) or (is_own and what in _OF_THEIR_OWN)


def shown_game(viewer: Viewer, game: PastGame, names: ShownNames, title: str) -> PastGame:
    """The game as the viewer sees it, if they may see it at all: with public names, and without what the viewer may not
    see of what agents said, and of reasons.

    The moves of a game in progress are left out: a live page gets them from the director."""
    shown = public_game(game, names, title)
    if game.status not in OVER:
        return replace(shown, moves=(), analysis=())
    seen = {seat.seat for seat in game.seats if may(viewer, What.SAID, own=viewer.owns(seat.player))}
    if seen:
        shown = replace(
            shown,
            detail=without_store(game.detail or "") if game.fault in seen else shown.detail,
            seats=tuple(
                replace(seat, player=public.player) if seat.seat in seen else public
                for seat, public in zip(game.seats, shown.seats, strict=True)
            ),
            moves=tuple(
                move if move.who in seen else public for move, public in zip(game.moves, shown.moves, strict=True)
            ),
        )
    return replace(shown, rulings=game.rulings) if may(viewer, What.REASONS) else shown


def sees_board(viewer: Viewer, *, hides: bool, public: bool = False) -> bool:
    """Whether the viewer may see the board of a game in progress; `hides`: it hides something from its players."""
    return may(viewer, What.HIDDEN_BOARD if hides else What.OPEN_BOARD, public=public)


def own_seat(viewer: Viewer, game: PastGame) -> int | None:
    """The first seat of a game in progress from which the viewer may see what the rules hide from others; None if there
    is none."""
    own = (one.seat for one in game.seats if may(viewer, What.HIDDEN_BOARD, own=viewer.owns(one.player)))
    return next(own, None)


# The public names of agents and tournaments, the standings under these names, and for instructors who is behind them.


T = TypeVar("T")

_STRANGER: Final = "an agent"
"""Shown instead of a name under which no agent is recorded."""
_PERSON: Final = "a person"
"""Shown instead of the name that all people have in the record."""
_DATED: Final = 3
"""Tournaments that are named where only the beginning of their name was given, as without a date; the newest ones."""
_KEPT: Final = 16
"""Number of tournaments whose standings are kept."""
_BRIEF: Final = 1.0
"""Seconds. A page that hears of news waits longer before it is read again."""
_PAUSE: Final = 20
"""Standings that took a second to compute are not computed again for this number of seconds."""


class _Kept(Struct, frozen=True):
    """The standings of a tournament."""

    names: tuple[tuple[str, str], ...]
    state: Hashable
    """What they were computed from."""
    found: TournamentStandings
    until: float
    """When it is looked whether something has changed."""


class _Reported(Struct, frozen=True):
    """The agents of a tournament with their ranks and ratings."""

    standings: TournamentStandings
    """What they were computed from: this object."""
    rating: int | None
    """The row id of the last rating that is in them."""
    agents: Any


class Names:
    """The public names of everything in one database."""

    def __init__(
        self,
        roster: Roster | None = None,
        *,
        accounts: AccountsDatabase | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.roster, self._accounts, self._clock = roster, accounts, clock
        self._hidden = () if roster is None else hidden_texts(roster)
        # By the agent's name, and whether it is ready-made.
        self._aliases: dict[tuple[str, bool], str | None] = {}
        self._people: dict[str, str] = {}
        self._standings: dict[int, _Kept] = {}
        self._reported: dict[int, _Reported] = {}
        # By tournament: until when its number of games is given again, and that.
        self._counted: dict[Hashable, tuple[float, Any]] = {}
        self._lock = Lock()

    def read(self, connection: Connection) -> ShownNames:
        """The public names of all agents that are recorded now. All are different."""
        agents: dict[str, bool] = {}
        rows: dict[str, int] = {}
        people: set[str] = set()
        for one in web.named_versions(connection):
            if one.source == HUMAN:
                people.add(one.agent)
            ready_made = is_ready_made(one.source, one.started_as)
            for name in (one.agent, *one.entered):
                agents[name] = agents.get(name, True) and ready_made
                rows.setdefault(name, one.row)
        if self.roster is None:
            return ShownNames(
                _OwnNames(numbered(agents, lambda name: _PERSON if name in people else printable(name), "{} ({})"))
            )
        return ShownNames(_Aliases(self._with_aliases(agents, rows, people, self.roster)), self._hidden)

    def seen_by(self, viewer: Viewer) -> SeenNames:
        """The names as this viewer sees them."""
        return SeenNames(self, viewer)

    def titles(self, connection: Connection) -> dict[int, str]:
        """The public name of each tournament: row id -> name."""
        redact = ShownNames({}, self._hidden).redact
        recorded = web.tournament_names(connection)
        shown = numbered(recorded, lambda name: printable(redact(name)), "{} ({})")
        return {id: shown[name] for name, id in recorded.items()}

    def people(self, connection: Connection, tournament: int) -> dict[str, str]:
        """Who is behind the agents of the tournament, by their public names; without those that say it themselves."""
        shown, behind = self.read(connection).shown, self.behind(connection, tournament)
        names = {shown[name]: behind(name) for name in lookup.entry_statuses(connection, tournament)}
        return {name: person for name, person in names.items() if person and folded(person) != folded(name)}

    def behind(self, connection: Connection, tournament: int) -> Callable[[str], str]:
        """Who is behind an agent of the tournament, by its name in the record: the name of its author, or of all in the
        team, from the roster or else from the accounts of the tournament's ladder; empty if nobody is known."""
        ladder = ladder_of(connection, lookup.tournament_name(connection, tournament))
        authors = {} if ladder is None else self._with_accounts(ladder.name)
        return lambda name: self._on_roster(name) or authors.get(author_of(name), "")

    def player_of(self, game: int) -> Account | None:
        """Who has played that game by hand; None if nobody is known."""
        if self._accounts is None:
            return None
        with self._accounts.reading() as connection:
            return audit.player_of(connection, game)

    def _with_accounts(self, ladder: str) -> dict[str, str]:
        if self._accounts is None:
            return {}
        found: dict[str, list[str]] = {}
        with self._accounts.reading() as connection:
            for one in people.known(connection, ladder):
                if not one.account.is_instructor:
                    found.setdefault(one.account.author, []).append(one.account.name or one.account.student)
        return {author: printable(", ".join(names)) for author, names in found.items()}

    def _on_roster(self, name: str) -> str:
        """The people on the roster who play under this name; empty if there is none, or it is not clear who."""
        if self.roster is None:
            return ""
        if name not in self._people:
            self._people[name] = _people(self.roster, name) or _people(self.roster, author_of(name))
        return self._people[name]

    def standings(self, connection: Connection, tournament: int, shown: Mapping[str, str]) -> TournamentStandings:
        """The standings under the names `shown`. They are read again when results, rulings or entries have changed, but
        only so often that this takes a small part of the time."""
        names = tuple(sorted(shown.items()))
        with self._lock:  # others wait, instead of computing the same
            kept = self._standings.pop(tournament, None)
            began = self._clock()
            if kept is None or kept.names != names or began >= kept.until:
                state = scores.state(connection, tournament)
                if kept is None or (kept.names, kept.state) != (names, state):
                    found = standings(connection, tournament).renamed(shown)
                    now = self._clock()
                    kept = _Kept(names, state, found, now + _PAUSE * (now - began))
            self._standings[tournament] = kept
            if len(self._standings) > _KEPT:
                del self._standings[next(iter(self._standings))]
        return kept.found

    def look_again(self) -> None:
        """The record was changed for a person who looks now: standings and counts are compared with it again. It waits
        for those that are being computed."""
        with self._lock:
            self._standings = {id: replace(kept, until=0.0) for id, kept in self._standings.items()}
            self._counted.clear()

    def briefly(self, what: Hashable, count: Callable[[], T]) -> T:
        """What `count` gives, or what it gave in the last second: every page says how many games a tournament (its row
        id) has, and the front page of each author has what all see."""
        until, found = self._counted.get(what, (0.0, None))
        if (now := self._clock()) >= until:
            found = count()
            self._counted[what] = now + _BRIEF, found
        counted: T = found
        return counted

    def reported(
        self, tournament: int, standings: TournamentStandings, rating: int | None, compute: Callable[[], T]
    ) -> T:
        """What `compute` gives, or what it gave for these standings and this last rating: the pages of all agents need
        the same."""
        kept = self._reported.get(tournament)
        if kept is None or kept.standings is not standings or kept.rating != rating:
            kept = self._reported[tournament] = _Reported(standings, rating, compute())
            if len(self._reported) > _KEPT:
                self._reported.pop(next(iter(self._reported)), None)
        found: T = kept.agents
        return found

    def _with_aliases(
        self, agents: Mapping[str, bool], rows: Mapping[str, int], people: Collection[str], roster: Roster
    ) -> dict[str, str]:
        """Every agent with its alias; of agents with the same one, the first that was recorded has it."""
        shown: dict[str, str] = {}
        taken: set[str] = set()
        for name, ready_made in agents.items():
            alias = None if name in people else self._alias(name, roster, ready_made=ready_made)
            if alias is not None and folded(alias) not in taken:
                shown[name] = alias
                taken.add(folded(alias))
        for name in agents:
            if name not in shown:
                shown[name] = _free(_PERSON if name in people else f"agent {rows[name]}", taken)
        return shown

    def _alias(self, name: str, roster: Roster, *, ready_made: bool) -> str | None:
        """The alias; None if there is none, or if the roster does not say clearly which."""
        if (name, ready_made) not in self._aliases:
            try:
                self._aliases[name, ready_made] = public_name(name, roster, ready_made=ready_made)
            except BadRoster:
                self._aliases[name, ready_made] = None
        return self._aliases[name, ready_made]


class SeenNames:
    """The names as one viewer sees them: a tournament that they may not see does not exist."""

    def __init__(self, names: Names, viewer: Viewer) -> None:
        self._names = names
        self.viewer = viewer
        self.read = names.read
        self.standings = names.standings
        self.reported = names.reported
        self.briefly = names.briefly

    def titles(self, connection: Connection) -> dict[int, str]:
        """The public name of each tournament that the viewer may see: row id -> name."""
        titles = self._names.titles(connection)
        if may(self.viewer, What.RESULTS):
            return titles
        public = web.public_tournaments(connection)
        return {id: title for id, title in titles.items() if may(self.viewer, What.RESULTS, public=id in public)}

    def people(self, connection: Connection, tournament: int) -> Mapping[str, str]:
        """Who is behind the agents of the tournament, by public name; nobody, unless the viewer may see people."""
        return self._names.people(connection, tournament) if may(self.viewer, What.PEOPLE) else {}

    def behind(self, connection: Connection, tournament: int) -> Callable[[str], str]:
        """Who is behind an agent, by its name in the record; nobody, unless the viewer may see people."""
        if may(self.viewer, What.PEOPLE):
            return self._names.behind(connection, tournament)
        return lambda _: ""

    def player_of(self, game: int) -> Account | None:
        """Who has played that game by hand: the viewer, or for those who may see people anyone; else None."""
        sees_all = may(self.viewer, What.PEOPLE)
        found = self._names.player_of(game) if sees_all or self.viewer.account else None
        return found if sees_all or (found is not None and found.id == self.viewer.account) else None

    def roster(self) -> Roster | None:
        """The roster; None without one, and for those who may not see people."""
        return self._names.roster if may(self.viewer, What.PEOPLE) else None

    def find_tournament(self, connection: Connection, title: str) -> int:
        """The row id of the tournament with this public name; NotFound if there is none."""
        titles = self.titles(connection)
        for id, shown in titles.items():
            if shown == title:
                return id
        dated = [shown for shown in titles.values() if shown.startswith(f"{title}-")][-_DATED:]
        others = f" Did you mean {' or '.join(dated)}?" if dated else ""
        raise NotFound(f"There is no tournament of this name.{others}")


class _OwnNames(dict[str, str]):
    """Own names, also of players who are recorded only in a game."""

    def __missing__(self, name: str) -> str:
        return printable(name)


class _Aliases(dict[str, str]):
    """Aliases. A name under which no agent is recorded could be a student's."""

    def __missing__(self, name: str) -> str:
        return _STRANGER


def _people(roster: Roster, called: str) -> str:
    """The names of the student or team on the roster that is called so; empty if there is none, or several."""
    found = roster.called(called)
    if not found or not roster.is_one_team(found):
        return ""
    return printable(", ".join(one.name or one.id for one in roster.team(found[0])))


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken."""
    free, number = name, 2
    while folded(free) in taken:
        free, number = f"{name} ({number})", number + 1
    taken.add(folded(free))
    return free
