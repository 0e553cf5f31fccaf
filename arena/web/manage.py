"""What instructors see of a ladder or tournament that they manage, read in one short transaction, and what they decide.

Values under public names, with the people behind them. The caller has made sure that an instructor looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from adsearch.errors import quote
from arena.accounts import audit, people, sessions
from arena.accounts.audit import Act
from arena.accounts.people import Account, AccountUse, Invited
from arena.course.aliases import public_ending
from arena.course.collecting.hand_in import read_deadline
from arena.course.roster import folded
from arena.errors import BadAccount, BadLeague, BadRuling, BadSubmission, TournamentBusy
from arena.history import words
from arena.history.words import ruled
from arena.serve import open_ladders as ladders
from arena.serve.open_ladders import OpenLadder, is_closed_early, ladder_of
from arena.tournament import rulings as deciding
from arena.tournament.lock import running_in
from arena.web import own
from arena.web.own import HandedIn
from arena.web.page_values import BadQuery, whole
from arena.web.permissions import SeenNames
from arena.web.results import Titled, own_name, own_names, titled
from db import games, ladder, lookup, rulings, running
from db.accounts import AccountsDatabase
from db.database import Connection, Database
from db.records import ACTS, acts_about, instant
from db.rulings import StoredRuling

# What instructors decide on the page of a ladder or tournament: each form is checked, written, and audited.


_AUDITED: Final = {"withdraw": Act.WITHDREW, "quarantine": Act.PUT_ASIDE, "release": Act.RELEASED}
SURE: Final = "yes"
"""What the box beside the button that closes a ladder says."""
AWARD: Final = "award-"
"""The beginning of a decision that awards a game; the number of the seat follows."""


class Form(Struct, frozen=True, kw_only=True):
    """A form that an instructor has sent."""

    by: Account
    address: str
    """Where the request came from."""
    tournament: int
    title: str
    """The tournament's name in the record."""
    names: SeenNames
    authors: Sequence[str]
    """Those of the ladder with an account."""
    given: Mapping[str, str]
    """The fields, by their names."""
    now: datetime

    @property
    def do(self) -> str:
        """What it is for: one of `DECISIONS` or `PEOPLE`."""
        return self.text("do")

    def text(self, field: str) -> str:
        """The text of a field; empty without it."""
        return self.given.get(field, "").strip()

    def whole(self, field: str) -> int:
        """The number in a field; BadQuery if it is not one."""
        return whole(self.text(field), field)

    def reason(self) -> str:
        """The reason for a ruling; BadRuling if it is not one."""
        return deciding.reason_in(self.text("reason"))


class Decided(Struct, frozen=True, kw_only=True):
    """What was done, for the audit."""

    act: Act
    about: str


Decide = Callable[[Connection, Form], Decided]
"""Does what the form says. ArenaError, NotFound or BadQuery: a field is wrong, or what was decided does not apply any
more; the text says why, and nothing was changed."""


# The ladder.


def _ladder(connection: Connection, form: Form) -> OpenLadder:
    """The ladder; BadQuery if the tournament is not one."""
    if running.format(connection, form.tournament) != ladder.FORMAT:
        raise BadQuery(f"{form.title} is not a ladder")
    return ladders.opened(connection, form.title)


def close(connection: Connection, form: Form) -> Decided:
    """Ends submissions now, if the box says so."""
    found = _ladder(connection, form)
    if form.text("sure") != SURE:
        raise BadQuery("tick the box to end submissions now")
    if found.closes <= form.now:
        raise BadLeague(f"the ladder {quote(found.name)} is closed already")
    ladders.close(connection, found, form.now)
    return Decided(act=Act.CLOSED, about=found.name)


def reopen(connection: Connection, form: Form) -> Decided:
    """Takes an early close back."""
    found = ladders.reopen(connection, _ladder(connection, form), form.now)
    return Decided(act=Act.OPENED, about=found.name)


def challenges(connection: Connection, form: Form) -> Decided:
    """Turns challenges off, or on again."""
    found, allowed = _ladder(connection, form), form.text("what") == "on"
    if form.text("what") not in ("on", "off"):
        raise BadQuery("expected a decision: on or off")
    if found.no_challenges != allowed:
        raise BadLeague(f"challenges are {'on' if allowed else 'off'} already")
    ladders.allow_challenges(connection, found, allowed)
    return Decided(act=Act.CHALLENGES, about=f"{found.name}: {'on' if allowed else 'off'}")


def extend(connection: Connection, form: Form) -> Decided:
    """Gives an author more time."""
    found, author, reason = _ladder(connection, form), form.text("author"), form.reason()
    _refuse_if_changed(connection, found, form)
    try:
        until = read_deadline(form.text("until"), found.closes.tzinfo).astimezone(UTC)
    except (BadSubmission, OverflowError) as error:
        raise BadQuery(f"until: {error}") from None
    if ladder.extension(connection, found.id, author) == until:
        raise BadLeague(f"{quote(author)} can hand in until {words.moment(until)} already")
    ladders.extend(connection, found, author, until, reason=reason, now=form.now, invited=form.authors)
    return Decided(act=Act.EXTENDED, about=f"{found.name}: {author} until {words.moment(until)}")


def _refuse_if_changed(connection: Connection, found: OpenLadder, form: Form) -> None:
    """Two instructors must not undo each other unseen."""
    if form.whole("extension") != ladder.newest_extension(connection, found.id):
        raise BadLeague("somebody has changed an author's time since you opened this page: look at the list again")


def take_back(connection: Connection, form: Form) -> Decided:
    """Takes the time back that an author was given."""
    found, author = _ladder(connection, form), form.text("author")
    _refuse_if_changed(connection, found, form)
    until = ladder.extension(connection, found.id, author)
    if until is None or until <= found.closes:
        raise BadLeague(f"{quote(author)} has no more time than others")
    ladders.extend(connection, found, author, found.closes, reason="taken back", now=form.now)
    return Decided(act=Act.EXTENDED, about=f"{found.name}: taken back from {author}")


# Rulings.


def rule_on_agent(connection: Connection, form: Form) -> Decided:
    """Withdraws an agent, puts it aside, or releases it."""
    what, reason = form.text("what"), form.reason()
    _refuse_unknown(what, "agent")
    own = own_names(connection, form.tournament, form.names.read(connection))
    agent, before = own_name(own, form.given.get("agent", "")), form.whole("ruling")
    for one in rulings.rulings(connection, form.tournament):
        if one.id > before and one.game is None and agent in one.players:
            raise BadRuling(f"somebody has ruled on {quote(agent)} since you opened this page (ruling {one.id})")
    ruling = deciding.rule_on_entry(connection, form.tournament, agent, what, reason, form.now)
    return Decided(act=_AUDITED[what], about=f"{form.title}: {agent} {ACTS[what].status} (ruling {ruling})")


def rule_on_game(connection: Connection, form: Form) -> Decided:
    """Annuls a game, has it played again, or awards it."""
    what, reason, id, before = form.text("what"), form.reason(), form.whole("game"), form.whole("ruling")
    game = next(iter(games.games(connection, [id])), None)
    if game is None or game.tournament != form.title:
        raise BadQuery(f"there is no game {id} in {form.title}")
    holds = 0 if game.ruling is None else game.ruling.id
    if holds != before:
        since = f"ruling {holds} is in force now" if holds else f"ruling {before} was revoked"
        raise BadRuling(f"somebody has ruled on game {game.number} since you opened this page: {since}")
    seat = None
    if what.startswith(AWARD):
        what, seat = "award", whole(what.removeprefix(AWARD), "seat")
        if seat >= len(game.seats):
            raise BadQuery(f"game {game.number} has no seat {seat}")
    else:
        _refuse_unknown("" if what == "award" else what, "game")
    ruling = deciding.rule(connection, game, what, reason, form.now, seat=seat)
    to = "" if seat is None else f" to {game.players[seat]}"
    return Decided(act=Act.RULED, about=f"{form.title}: game {game.number} {what}{to} (ruling {ruling})")


def _refuse_unknown(what: str, about: str) -> None:
    """BadQuery if that is no ruling about a game, or about an agent, whichever is meant."""
    if what not in (known := acts_about(about)):
        raise BadQuery(f"expected a decision: {', '.join(known)}")


def revoke(connection: Connection, form: Form) -> Decided:
    """Takes a ruling back."""
    id, reason = form.whole("ruling"), form.reason()
    if id not in {one.id for one in rulings.rulings(connection, form.tournament)}:
        raise BadQuery(f"there is no ruling {id} about {form.title}")
    ruling = deciding.revoke(connection, id, reason, form.now)
    return Decided(act=Act.RULED, about=f"{form.title}: ruling {ruling} revokes ruling {id}")


DECISIONS: Final[Mapping[str, Decide]] = {
    "close": close,
    "reopen": reopen,
    "challenges": challenges,
    "extend": extend,
    "take-back": take_back,
    "agent": rule_on_agent,
    "game": rule_on_game,
    "revoke": revoke,
}
"""By the field `do` of a form."""


def decide(record: Database, accounts: AccountsDatabase, folder: Path, form: Form) -> None:
    """Does what a form about the tournament says. `folder`: the store's, with the locks of running tournaments."""
    decision = DECISIONS[form.do]
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(deciding.writing(record, folder, _what(record, form), [form.title]))
        except TournamentBusy:
            raise BadRuling(f"{form.title} is being played: wait until it is over") from None
        decided = decision(connection, form)
        with accounts.writing() as noting:
            audit.note(noting, decided.act, form.now, by=form.by, about=decided.about, address=form.address)


def _what(record: Database, form: Form) -> str:
    """The ruling that the form makes or revokes."""
    if form.do != "revoke":
        return form.text("what")
    with record.reading() as connection:
        return rulings.ruling(connection, form.whole("ruling")).what


# People: the accounts of a ladder.


def invite(accounts: AccountsDatabase, form: Form) -> Invited:
    """Makes a new link for an account."""
    with accounts.writing() as connection:
        found = _person(connection, form)
        if form.text("invited") != seen(found):
            raise BadAccount(
                f"somebody has made a link for {called(found.account)} since you opened this page, and a new one would "
                "replace it; try again if you want that"
            )
        return people.invite(connection, found.account, form.now, by=form.by, address=form.address)


def invite_instructor(accounts: AccountsDatabase, form: Form) -> Invited:
    """Makes an account for another instructor, with a link."""
    if not (name := form.text("name")):
        raise BadQuery("name: expected the name of the instructor")
    with accounts.writing() as connection:
        known = [one.account for one in people.known(connection, form.title)]
        if any(one.is_instructor and one.active and folded(one.name) == folded(name) for one in known):
            raise BadAccount(f"there is an instructor {quote(name)} already: make a new link in the list")
        return people.invite_instructor(connection, name, form.now, by=form.by, address=form.address)


def deactivate(accounts: AccountsDatabase, form: Form) -> None:
    """Ends an account, with its links, sessions and tokens."""
    with accounts.writing() as connection:
        found = _person(connection, form).account
        if found.id == form.by.id:
            raise BadAccount("this is your own account: another instructor can end it")
        if not found.active:
            raise BadAccount(f"the account of {called(found)} is deactivated already")
        people.deactivate_one(connection, found, form.now, by=form.by, address=form.address)


def sign_out(accounts: AccountsDatabase, form: Form) -> None:
    """Ends all sessions of an account."""
    with accounts.writing() as connection:
        found = _person(connection, form).account
        if not sessions.end_all(connection, found, form.now, by=form.by, address=form.address):
            raise BadAccount(f"{called(found)} is not signed in anywhere")


PEOPLE: Final[Mapping[str, Callable[[AccountsDatabase, Form], Invited | None]]] = {
    "invite": invite,
    "instructor": invite_instructor,
    "deactivate": deactivate,
    "sign-out": sign_out,
}
"""By the field `do` of a form."""


def _person(connection: Connection, form: Form) -> AccountUse:
    """The account that is meant: an instructor's, or a student's of this ladder."""
    id = form.whole("account")
    found = next((one for one in people.known(connection, form.title) if one.account.id == id), None)
    if found is None:
        raise BadAccount("there is no such account")
    return found


def called(account: Account) -> str:
    """The person's name; without one that of the author."""
    return account.name or account.author or account.role


def seen(use: AccountUse) -> str:
    """What a form says about the last link that its reader saw."""
    return "" if use.invited is None else instant(use.invited)


_LATEST: Final = 30
"""Submissions that are listed."""
_MOST_RULINGS: Final = 200


class Handed(Struct, frozen=True, kw_only=True):
    """A submission, and who handed it in."""

    one: HandedIn
    shown: str
    """The public name of its agent, under which the agent has a page; empty before one has entered."""
    person: str
    """Empty if nobody is known."""


class Named(Struct, frozen=True, kw_only=True):
    """An agent, and the person behind it."""

    name: str
    """Its public name."""
    person: str
    """Empty if nobody is known."""


class ManagedAgent(Named, frozen=True, kw_only=True):
    """An agent that takes part."""

    status: str
    """active, withdrawn or quarantined."""


class ManagedAuthor(Struct, frozen=True, kw_only=True):
    """Someone who can hand in to a ladder."""

    name: str
    """As the record has it."""
    shown: str
    """The public name of the first agent."""
    person: str
    until: datetime | None
    """The end of an extension; None without one."""


class RuledGame(Struct, frozen=True, kw_only=True):
    """A ruling."""

    id: int
    when: datetime
    decided: str
    about: str
    """The game or agent, with public names."""
    game: int | None
    """The id of the game; None if it is about an agent."""
    reason: str
    can_be_revoked: bool
    """Whether it is neither revoked nor a revocation; other reasons against it are found when it is tried."""


class SameFiles(Struct, frozen=True, kw_only=True):
    """Agents of several authors that were handed in as the same files."""

    agents: Sequence[Named]
    versions: Sequence[int]
    """The number of the version of each."""


class LadderState(Struct, frozen=True, kw_only=True):
    """How a ladder stands."""

    opens: datetime
    closes: datetime
    is_closed_early: bool
    challenges: int
    """How many a student can start a day, by the description."""
    no_challenges: bool
    """Whether they were turned off."""
    final: str
    """The public name of the final; empty before it begins."""
    final_status: str
    """running, stopped or finished; empty before it begins."""
    is_run: bool
    """Whether a process plays its games."""
    rated: datetime | None
    """When ratings were last computed."""
    queue: Sequence[Handed]
    """The submissions that wait or are checked, the oldest first."""
    latest: Sequence[Handed]
    """The last ones, the newest first."""
    same_files: Sequence[SameFiles]
    authors: Sequence[ManagedAuthor]
    extension: int
    """The number of the last decision about an author's time."""
    handed_in: frozenset[str]
    """The authors who handed something in."""
    is_served: bool
    """Whether its submissions have pages here."""


class Managed(Struct, frozen=True, kw_only=True):
    """What the page shows of the record."""

    of: Titled
    ladder: LadderState | None
    """None for a tournament that is not a ladder."""
    of_ladder: str
    """The public name of the ladder that the tournament belongs to; empty for a ladder, and without one."""
    agents: Sequence[ManagedAgent]
    """Without anchors of a ladder."""
    rulings: Sequence[RuledGame]
    """The newest first."""
    more_rulings: int
    """Number of older ones, which are not listed."""
    graded: str
    """The public name of the tournament that grades are from; empty if there are none yet."""


class GameToRule(Struct, frozen=True, kw_only=True):
    """A game that is ruled on."""

    of: Titled
    id: int
    number: int
    attempt: int
    seats: Sequence[Named]
    ended: str
    points: Sequence[float] | None
    """Those that count; None without a result."""
    ruling: int
    """The number of the ruling in force; 0: there is none."""
    ruled: str
    """What it decided, and why."""


def managed(
    connection: Connection, names: SeenNames, tournament: int, *, store: Path, served: str, authors: Sequence[str] = ()
) -> Managed:
    """What the page shows. `served`: the ladder that the director serves; `authors`: those with an account."""
    title = lookup.tournament_name(connection, tournament)
    belongs_to, titles = ladder_of(connection, title), names.titles(connection)
    opened = belongs_to if belongs_to is not None and belongs_to.id == tournament else None
    shown, behind = names.read(connection).shown, names.behind(connection, tournament)
    anchors = {} if opened is None else opened.anchors
    listed = rulings.rulings(connection, tournament)
    final = None if opened is None else running.tournament(connection, opened.final)
    graded = graded_in(connection, tournament)
    state = None
    if opened is not None:
        state = _state(connection, opened, final, titles, shown, behind, store=store, served=served, authors=authors)
    return Managed(
        of=titled(connection, names, tournament),
        ladder=state,
        of_ladder="" if belongs_to is None or opened is not None else titles[belongs_to.id],
        agents=[
            ManagedAgent(name=shown[name], person=behind(name), status=status)
            for name, status in lookup.entry_statuses(connection, tournament).items()
            if name not in anchors
        ],
        rulings=[_ruled(one, shown) for one in listed[:_MOST_RULINGS]],
        more_rulings=len(listed[_MOST_RULINGS:]),
        graded="" if graded is None else titles[graded],
    )


def graded_in(connection: Connection, tournament: int) -> int | None:
    """The tournament that grades are from: itself, or the final of a ladder; None before that has begun."""
    opened = ladder_of(connection, lookup.tournament_name(connection, tournament))
    if opened is None or opened.id != tournament:
        return tournament
    final = running.tournament(connection, opened.final)
    return None if final is None else int(final["id"])


def _state(
    connection: Connection,
    opened: OpenLadder,
    final: Mapping[str, Any] | None,
    titles: Mapping[int, str],
    shown: Mapping[str, str],
    behind: Callable[[str], str],
    *,
    store: Path,
    served: str,
    authors: Sequence[str],
) -> LadderState:
    lines = {line.name: line for line in ladder.standings(connection, opened.id)}

    def handed(one: ladder.StoredSubmission) -> Handed:
        return Handed(
            one=own.handed_in(connection, one, lines),
            shown=shown[one.author] if one.author in lines else "",
            person=behind(one.author),
        )

    entered = lookup.entry_statuses(connection, opened.id)
    extended = ladder.extensions(connection, opened.id)
    found = [
        ManagedAuthor(
            name=name,
            shown=shown[name] if name in entered else name,
            person=behind(name),
            until=opened.until(extended[name]) if name in extended else None,
        )
        for name in ladders.authors(connection, opened, authors)
    ]
    return LadderState(
        opens=opened.opens,
        closes=opened.closes,
        is_closed_early=is_closed_early(connection, opened),
        challenges=opened.ladder.challenges,
        no_challenges=opened.no_challenges,
        final="" if final is None else titles[final["id"]],
        final_status="" if final is None else str(final["status"]),
        is_run=running_in(store, opened.name) is not None,
        rated=ladder.last_rated(connection, opened.name),
        queue=[handed(one) for one in ladder.open_submissions(connection, opened.id)],
        latest=[handed(one) for one in ladder.submissions(connection, opened.id, most=_LATEST)],
        same_files=[
            SameFiles(
                agents=[Named(name=shown[name], person=behind(name)) for name in agents], versions=[*agents.values()]
            )
            for agents in ladder.same_files(connection, opened.id).values()
        ],
        handed_in=frozenset(map(ladder.author_of, ladder.submitted_names(connection, opened.id))),
        authors=sorted(found, key=lambda one: (one.shown.casefold(), one.name)),
        extension=ladder.newest_extension(connection, opened.id),
        is_served=opened.name == served,
    )


def _ruled(one: StoredRuling, shown: Mapping[str, str]) -> RuledGame:
    players = [shown[name] for name in one.players]
    return RuledGame(
        id=one.id,
        when=datetime.fromisoformat(one.when).astimezone(UTC),
        decided=ruled(one, players) + ("" if one.revoked is None else f" (revoked by ruling {one.revoked})"),
        about=" – ".join(players) if one.game is None else f"game {one.number} ({' – '.join(players)})",
        game=one.game,
        reason=one.reason,
        can_be_revoked=one.revokes is None and one.revoked is None,
    )


def game_to_rule(connection: Connection, names: SeenNames, tournament: int, number: int) -> GameToRule:
    """The last attempt at the tournament's game with that number, to be ruled on; NotFound if there is none, BadRuling
    if it is not over."""
    id = lookup.find_game(connection, f"{lookup.tournament_name(connection, tournament)}-{number}")
    (game,) = games.games(connection, [id])
    if game.status not in games.OVER:
        raise BadRuling(f"expected a finished game, but game {number} is {game.status}")
    public, behind = names.read(connection), names.behind(connection, tournament)
    players = [public.shown[name] for name in game.players]
    ruling = game.ruling
    return GameToRule(
        of=titled(connection, names, tournament),
        id=game.id,
        number=game.number,
        attempt=game.attempt,
        seats=[Named(name=public.shown[name], person=behind(name)) for name in game.players],
        ended=public_ending(game, players, public),
        points=game.counted,
        ruling=0 if ruling is None else ruling.id,
        ruled="" if ruling is None else f"{ruled(ruling, players)}: {ruling.reason}",
    )
