"""What instructors decide on the page of a ladder or tournament: each form is checked, written, and audited.

The rules are those of the commands. The record is changed and the act is noted while both transactions are open, the
record's first: signing in never waits for the director. A form that cannot be carried out changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from adsearch.errors import quote
from arena.accounts import audit, invitations, people, sessions
from arena.accounts.audit import Act
from arena.course.collecting.deadline import read_deadline
from arena.course.roster import folded
from arena.errors import BadAccount, BadLeague, BadRuling, BadSubmission, TournamentBusy
from arena.history import words
from arena.serve import opened as ladders
from arena.tournament import rulings as deciding
from arena.web.drawn import BadQuery
from arena.web.results import own_name, own_names
from db import games, ladder, rulings, running
from db.records import ACTS, acts_about, instant

if TYPE_CHECKING:
    from arena.accounts.invitations import Invited
    from arena.accounts.people import Account, AccountUse
    from arena.serve.opened import OpenLadder
    from arena.web.names import SeenNames
    from db.accounts_database import AccountsDatabase
    from db.database import Connection, Database

_DIGITS: Final = 18
"""Every number with at most this many digits fits into a 64-bit id."""
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


def whole(text: str, field: str) -> int:
    """The number that was written in this field; BadQuery if it is not one."""
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise BadQuery(f"{field}: expected a whole number")
    return int(text)


class Decided(Struct, frozen=True, kw_only=True):
    """What was done, for the audit."""

    act: Act
    about: str


Decide = Callable[["Connection", Form], Decided]
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
        return invitations.invite(connection, found.account, form.now, by=form.by, address=form.address)


def invite_instructor(accounts: AccountsDatabase, form: Form) -> Invited:
    """Makes an account for another instructor, with a link."""
    if not (name := form.text("name")):
        raise BadQuery("name: expected the name of the instructor")
    with accounts.writing() as connection:
        known = [one.account for one in people.known(connection, form.title)]
        if any(one.is_instructor and one.active and folded(one.name) == folded(name) for one in known):
            raise BadAccount(f"there is an instructor {quote(name)} already: make a new link in the list")
        return invitations.invite_instructor(connection, name, form.now, by=form.by, address=form.address)


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
