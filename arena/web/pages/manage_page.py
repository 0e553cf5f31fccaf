"""The page on which instructors manage a ladder or tournament, and the pages that belong to it.

Every form works without scripts and sends the field `do`, which says what it is for. A form that was refused keeps what
was written into it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from msgspec import Struct

from arena.accounts.people import Account, AccountUse, Invited
from arena.history.words import age, counted, listed, moment, zone_name
from arena.pages.drawing import Document
from arena.results import figures
from arena.results.columns import Cell, Column, Listing, named
from arena.tournament.rulings import LONGEST
from arena.web import links
from arena.web.manage import (
    AWARD,
    SURE,
    GameToRule,
    Handed,
    LadderState,
    Managed,
    ManagedAgent,
    ManagedAuthor,
    Named,
    RuledGame,
    SameFiles,
    called,
    seen,
)
from arena.web.pages import frame, own_pages
from arena.web.results import Titled
from db.accounts import AuditEntry
from db.records import acts_about

Given = Mapping[str, str]
_STATUS: Final = {"active": "plays", "withdrawn": "withdrawn", "quarantined": "put aside (quarantined)"}
_FINAL: Final = {"running": "is being played", "stopped": "has begun, and waits", "finished": "is over"}


class FormField(Struct, frozen=True, kw_only=True):
    """A line of a form to write into, a list to choose from, or a box to tick."""

    name: str
    label: str
    value: str = ""
    """What stands in it at first."""
    choices: Sequence[tuple[str, str]] | None = None
    """The values to choose from, with their texts; None: it is not a list."""
    sure: str = ""
    """The value of a box to tick."""
    limits: Mapping[str, str | int] = {}
    """Further attributes of a line."""


class ShownForm(Struct, frozen=True, kw_only=True):
    """A form of the page."""

    action: str
    button: str
    fields: Sequence[FormField]
    hidden: Mapping[str, int | str]
    method: str = "post"
    about: str = ""
    """What the button is about, if several have the same text."""


class _Forms:
    """Forms that send to the page of a tournament. A form that was refused has what was written into it."""

    def __init__(self, title: str, given: Given) -> None:
        """`given`: the fields of the form that was refused."""
        self.title, self._given = title, given

    def form(self, do: str, button: str, *fields: FormField, about: str = "", **hidden: int | str) -> ShownForm:
        """A form with these fields. `hidden`: fields that are not shown."""
        action = links.manage(self.title)
        return ShownForm(action=action, button=button, fields=fields, hidden={"do": do, **hidden}, about=about)

    def field(self, do: str, name: str, label: str, **limits: str | int) -> FormField:
        """A line to write into."""
        return FormField(name=name, label=label, value=self._before(do, name), limits=limits)

    def reason(self, do: str) -> FormField:
        """The reason for a ruling."""
        return self.field(do, "reason", "Reason (only instructors see it)", maxlength=LONGEST, autocomplete="off")

    def choice(self, do: str, name: str, label: str, values: Iterable[tuple[str, str]]) -> FormField:
        """A list to choose from; nothing is chosen at first."""
        return FormField(name=name, label=label, value=self._before(do, name), choices=[*values])

    def _before(self, do: str, name: str) -> str:
        return self._given.get(name, "") if self._given.get("do") == do else ""


def page(
    found: Managed,
    known: Sequence[AccountUse],
    entries: Sequence[AuditEntry],
    *,
    has_older: bool = False,
    now: datetime,
    wrong: str = "",
    given: Given,
) -> Document:
    """The page. `known`: the accounts of a ladder; `has_older`: whether there are more `entries`; `wrong`: why the form
    with the fields `given` was refused."""
    title, state = found.of.title, found.ladder
    forms = _Forms(title, given)
    label = "Number of the game in this tournament"
    number = forms.field("find", "number", label, inputmode="numeric", pattern="[0-9]+", maxlength=18)
    instructor = forms.field("instructor", "name", "Name", maxlength=64, autocomplete="off")
    playing = {one.name for one in found.agents}
    people = [_person(one, forms, state, playing) for one in known]
    return frame.drawn(
        "manage.html",
        "Manage",
        of=found.of,
        at=links.manage(title),
        wrong=wrong,
        broad=True,
        sections=_SECTIONS,
        tabs=_TABS,
        open=next((id for id, more in _TABS.items() if SECTION_OF.get(given.get("do", "")) in (id, *more)), ""),
        of_ladder=_managed(found.of_ladder) if found.of_ladder else None,
        ladder=None if state is None else _ladder(title, state, known, forms, now),
        agents=_agents(found),
        rule_on_agent=_rule_on_agent(found, forms),
        find=ShownForm(action=links.ruling(title), button="Show the game", fields=[number], hidden={}, method="get"),
        games=links.games(title),
        rulings=_rulings(found),
        revoke=lambda one: _revoke(one, forms),
        more_rulings=f"{found.more_rulings:,}" if found.more_rulings else "",
        people=people,
        shown=[*_filters(people)],
        invite=forms.form("instructor", "Make a link", instructor),
        grades={"href": links.grades(title), "name": f"Grades of {found.graded} (CSV)"} if found.graded else None,
        audit=_entries(title, entries, has_older=has_older),
        out=links.OUT,
    )


_SECTIONS: Final = {
    "state": "State",
    "queue": "Waiting for their check",
    "time": "More time",
    "agents": "Agents",
    "rulings": "Rulings",
    "submissions": "Latest submissions",
    "same": "Same files",
    "people": "People",
    "grades": "Grades",
    "audit": "Who did and saw what",
}
"""The sections of the page."""
_TABS: Final = {
    "state": ("queue", "time", "grades", "audit"),
    "submissions": ("same",),
    "people": (),
    "rulings": ("agents",),
}
"""The tabs of the page of a ladder, each called like its first section, with its other sections."""
SECTION_OF: Final = {
    "extend": "time",
    "take-back": "time",
    "agent": "agents",
    "game": "rulings",
    "revoke": "rulings",
    "deactivate": "people",
    "sign-out": "people",
    "invite": "people",
    "instructor": "people",
}
"""Where on the page a form is, and its effect is seen; else at the top."""


def _managed(title: str) -> dict[str, str]:
    """The page on which this tournament is managed."""
    return {"href": links.manage(title), "name": title}


def _above(title: str, tab: str) -> list[tuple[str, str]]:
    """The pages above one of an instructor: that on which the tournament is managed, in this tab."""
    return [(links.tournament(title), title), (f"{links.manage(title)}#{tab}", "Manage")]


def game(found: GameToRule, *, wrong: str = "", given: Given) -> Document:
    """The page on which a game is ruled on."""
    title = found.of.title
    forms = _Forms(title, given)
    offers = {what: act.offer for what, act in acts_about("game").items()}
    award = offers.pop("award")
    decisions = [*offers.items()]
    decisions += [(f"{AWARD}{seat}", award.format(_with(one))) for seat, one in enumerate(found.seats)]
    attempt = f", attempt {found.attempt}" if found.attempt > 1 else ""
    fields = (forms.choice("game", "what", "Decision", decisions), forms.reason("game"))
    return frame.drawn(
        "ruling.html",
        f"Game {found.number}{attempt}",
        of=found.of,
        wrong=wrong,
        players=[(_with(one), links.agent(title, one.name)) for one in found.seats],
        known={
            "Result": figures.result(found.points),
            "How it ended": found.ended,
            "Ruling": f"ruling {found.ruling}: {found.ruled}" if found.ruling else "none",
        },
        replay=links.game(found.id),
        decide=forms.form("game", "Decide", *fields, game=found.id, number=found.number, ruling=found.ruling),
        above=_above(title, "rulings"),
    )


def link(title: str, made: Invited, address: str) -> Document:
    """The page with a new link, which is shown once."""
    return frame.drawn(
        "new_link.html",
        "A new link",
        name=_name(made.account),
        address=address,
        expires=made.expires,
        above=_above(title, "people"),
    )


def audit(of: Titled, entries: Sequence[AuditEntry], *, has_older: bool) -> Document:
    """A part of the audit. `has_older`: there are older entries."""
    return frame.drawn(
        "audit.html",
        "Who did and saw what",
        of=of,
        audit=_entries(of.title, entries, has_older=has_older),
        above=_above(of.title, "state"),
    )


# A ladder.


def _ladder(
    title: str, state: LadderState, known: Sequence[AccountUse], forms: _Forms, now: datetime
) -> dict[str, Any]:
    """What only a ladder has. `known`: its accounts."""
    students = [one for one in known if not one.account.is_instructor]
    signed_in = sum(one.signed_in is not None for one in students)
    handed_in = sum(one.account.author in state.handed_in for one in students)
    closes = moment(state.closes)
    is_over = now >= state.closes
    early = " (before its time)" if state.is_closed_early else ""
    facts = {
        "State": "closed" if is_over else "open" if state.opens <= now else f"opens {moment(state.opens)}",
        f"Submissions ended{early}" if is_over else "Submissions until": closes,
        "Students": f"{len(students):,}: {signed_in:,} signed in, {handed_in:,} handed in" if students else "",
        "Games are run": "yes" if state.is_run else "no: start arena serve",
        "Ratings": "none yet" if state.rated is None else age(state.rated, now),
        "Waiting": f"{len(state.queue):,}",
        "Final": _final(state, now),
        "Challenges": "turned off" if state.no_challenges else f"{state.challenges} a day" if state.challenges else "",
    }
    sure = FormField(name="sure", label="End submissions now", sure=SURE)
    columns = _submissions(title, state)
    return {
        "facts": {name: value for name, value in facts.items() if value},
        "final": _managed(state.final) if state.final else None,
        "close": forms.form("close", "Close now", sure) if not state.final and not is_over else None,
        "reopen": forms.form("reopen", "Open again") if not state.final and is_over and state.is_closed_early else None,
        "challenges": _challenges(state, forms) if state.challenges and not is_over else None,
        "queue": Listing(
            caption="Submissions that wait for their check or are in it",
            columns=[_PLACE, *columns("submission", "agent", "state", "received")],
            rows=[*enumerate(state.queue, 1)],
        ),
        "extended": _extended_listing(state),
        "take_back": lambda one: forms.form("take-back", "Take back", about=_author(one), author=one.name),
        "extend": _extend(state, forms) if state.authors else None,
        "latest": Listing(
            caption="Latest submissions",
            columns=columns("submission", "agent", "said", "received", "file"),
            rows=[*enumerate(state.latest, 1)],
        ),
        "same": [_same_files(title, one) for one in state.same_files],
    }


def _challenges(state: LadderState, forms: _Forms) -> ShownForm:
    """Turns challenges on or off."""
    what, button = ("on", "Turn challenges on") if state.no_challenges else ("off", "Turn challenges off")
    return forms.form("challenges", button, what=what)


def _final(state: LadderState, now: datetime) -> str:
    """How the final stands, and whom it waits for."""
    if state.final_status:
        return _FINAL[state.final_status]
    if now < state.closes:
        return "has not begun: it is played after the close"
    waits = [
        f"{_author(one)} until {moment(one.until)}"
        for one in _extended(state)
        if one.until is not None and now < one.until
    ]
    waits += [f"the check of {counted(len(state.queue), 'submission')}"] * bool(state.queue)
    return "has not begun" + (f": it waits for {', '.join(waits)}" if waits else "")


def _extended(state: LadderState) -> list[ManagedAuthor]:
    """Those who have more time than others."""
    return [one for one in state.authors if one.until is not None and one.until > state.closes]


_Handed = tuple[int, Handed]
_PLACE: Final = Column[_Handed]("place", "Place", value=lambda row: str(row[0]), number=True)


def _submissions(title: str, state: LadderState) -> Callable[..., list[Column[_Handed]]]:
    """The columns of submissions with these names. A row is a place and a submission."""

    def submission(row: _Handed) -> Cell:
        one = row[1].one
        return Cell(text=f"Submission {one.id}", href=links.submission(one.id) if state.is_served else None)

    def agent(row: _Handed) -> Cell:
        one = row[1]
        return _agent(one.one.agent, one.person, links.agent(title, one.shown) if one.shown else None)

    def said(row: _Handed) -> Cell:
        one = row[1].one
        return Cell(text=own_pages.state(one) + (f": {one.words}" if one.words else ""))

    found: list[Column[_Handed]] = [
        Column("submission", "Submission", value=submission, heads=True),
        Column("agent", "Agent", value=agent, kind="ended", heading_kind="name"),
        Column("state", "State", value=lambda row: own_pages.state(row[1].one)),
        Column("said", "State", value=said, kind="ended", brief=True),
        Column("received", "Received", value=lambda row: moment(row[1].one.received)),
        Column("file", "File", value=lambda row: Cell(players=[(row[1].one.label, None)])),
    ]
    by_name = {column.name: column for column in found}
    return lambda *names: [by_name[name] for name in names]


def _extended_listing(state: LadderState) -> Listing[ManagedAuthor]:
    columns: list[Column[ManagedAuthor]] = [
        Column("author", "Author", value=lambda one: _agent(one.shown, one.person), kind="ended", heading_kind="name"),
        Column("until", "Until", value=lambda one: moment(one.until or state.closes)),
    ]
    return Listing(caption="Authors with more time", columns=columns, rows=_extended(state))


def _extend(state: LadderState, forms: _Forms) -> ShownForm:
    return forms.form(
        "extend",
        "Give more time",
        forms.choice("extend", "author", "Author", [(one.name, _author(one)) for one in state.authors]),
        forms.field("extend", "until", f"Until ({zone_name(state.closes)})", placeholder="2026-12-24 23:59"),
        forms.reason("extend"),
        extension=state.extension,
    )


def _same_files(title: str, one: SameFiles) -> dict[str, Any]:
    """Agents with the same files: each with its page and with what stands before it, and the text after them."""
    last = len(one.agents) - 1
    joints = ["" if place == 0 else " and " if place == last else ", " for place in range(last + 1)]
    versions = listed([f"version {number}" for number in one.versions])
    return {
        "agents": [(_with(each), links.agent(title, each.name)) for each in one.agents],
        "joints": joints,
        "text": f" handed in the same files ({versions})",
    }


def _author(one: ManagedAuthor) -> str:
    names = [name for name in (one.name if one.name != one.shown else "", one.person) if name]
    return one.shown + (f" ({', '.join(names)})" if names else "")


# Agents and rulings.


def _agents(found: Managed) -> Listing[ManagedAgent]:
    columns: list[Column[ManagedAgent]] = [
        Column(
            "agent",
            "Agent",
            value=lambda one: named(one.name, links.agent(found.of.title, one.name), person=one.person),
            heads=True,
            kind="name",
            heading_kind="name",
        ),
        Column("status", "Status", value=lambda one: _STATUS[one.status]),
    ]
    return Listing(caption="Agents", columns=columns, rows=found.agents)


def _rule_on_agent(found: Managed, forms: _Forms) -> ShownForm:
    agents = [(one.name, f"{_with(one)}: {_STATUS[one.status]}") for one in found.agents]
    return forms.form(
        "agent",
        "Decide",
        forms.choice("agent", "agent", "Agent", agents),
        forms.choice("agent", "what", "Decision", [(what, act.offer) for what, act in acts_about("agent").items()]),
        forms.reason("agent"),
        ruling=found.rulings[0].id if found.rulings else 0,
    )


def _rulings(found: Managed) -> Listing[RuledGame]:
    def about(one: RuledGame) -> Cell:
        href = links.agent(found.of.title, one.about) if one.game is None else links.game(one.game)
        return Cell(text=one.about, href=href)

    columns: list[Column[RuledGame]] = [
        Column("ruling", "Ruling", value=lambda one: Cell(text=f"Ruling {one.id}"), heads=True),
        Column("made", "Made", value=lambda one: moment(one.when)),
        Column("decided", "Decided", value=lambda one: one.decided),
        Column("about", "About", value=about, kind="ended", brief=True),
        Column("reason", "Reason", value=lambda one: Cell(text=one.reason), kind="ended", brief=True),
    ]
    return Listing(caption="Rulings, the newest first", columns=columns, rows=found.rulings)


def _revoke(one: RuledGame, forms: _Forms) -> ShownForm:
    field = forms.field(f"revoke {one.id}", "reason", f"Reason to revoke ruling {one.id}", maxlength=LONGEST)
    return forms.form("revoke", "Revoke", field, ruling=one.id)


# People.


_KINDS: Final = (
    ("away", "not signed in"),
    ("nothing", "nothing handed in"),
    ("without", "handed in, but no agent plays"),
    ("equal", "equal files"),
)


def _filters(people: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, int]]:
    """What the list of people can be narrowed to: a class of its rows, the words, and the number of these rows."""
    kinds = " ".join(one["kinds"] for one in people).split()
    yield "", "all", len(people)
    for kind, text in _KINDS:
        if kinds.count(kind):
            yield kind, text, kinds.count(kind)


def _kinds(one: AccountUse, state: LadderState | None, playing: Collection[str]) -> Iterator[str]:
    """What is missing of a student, or to be looked at, as classes. `playing`: the names of all agents."""
    if one.account.is_instructor or state is None:
        return
    if one.signed_in is None:
        yield "away"
    if one.account.author not in state.handed_in:
        yield "nothing"
    elif one.account.author not in playing:
        yield "without"
    if any(each.name == one.account.author for same in state.same_files for each in same.agents):
        yield "equal"


def _person(one: AccountUse, forms: _Forms, state: LadderState | None, playing: Collection[str]) -> dict[str, Any]:
    """An account, and what can be done with it. `playing`: the names of all agents."""
    account, name = one.account, _name(one.account)
    invite = "New link" if account.active else "Invite again"
    acts = [forms.form("invite", invite, about=name, account=account.id, invited=seen(one))]
    if account.active:
        acts.append(forms.form("sign-out", "End all sessions", about=name, account=account.id))
        acts.append(forms.form("deactivate", "Deactivate", about=name, account=account.id))
    return {
        "name": name,
        "active": account.active,
        "alias": "instructor" if account.is_instructor else account.author,
        "id": account.student,
        "times": (one.invited, one.signed_in, one.seen),
        "kinds": " ".join(_kinds(one, state, playing)),
        "acts": acts,
    }


def _entries(title: str, entries: Sequence[AuditEntry], *, has_older: bool) -> dict[str, Any]:
    """What instructors did and saw, and the address of older entries. What one of them did to several in the same
    minute is one row."""
    acts = [[*same] for _, same in groupby(entries, key=_act)]
    columns: list[Column[list[AuditEntry]]] = [
        Column("time", "Time", value=lambda act: Cell(text=moment(act[0].time)), heads=True),
        Column("who", "Who", value=lambda act: _who(act[0]), kind="ended"),
        Column("what", "What", value=lambda act: act[0].what),
        Column("about", "About", value=lambda act: ", ".join(one.about for one in act if one.about), kind="ended"),
    ]
    if any(one.address for one in entries):
        columns.append(Column("from", "From", value=lambda act: act[0].address))
    return {
        "listing": Listing(caption="Who did and saw what, the newest first", columns=columns, rows=acts),
        "older": links.audit(title, entries[-1].id) if entries and has_older else "",
    }


def _act(one: AuditEntry) -> tuple[object, ...]:
    return one.account, one.what, one.address, one.time.replace(second=0, microsecond=0)


def _who(one: AuditEntry) -> str:
    return "a command on the server" if one.account is None else _name(one.account)


# Names.


def _name(account: Account) -> str:
    """The person, with the alias of a student."""
    name = called(account)
    return f"{name} ({account.author})" if account.author and account.author != name else name


def _with(one: Named) -> str:
    """An agent, with the person behind it."""
    return f"{one.name} ({one.person})" if one.person and one.person != one.name else one.name


def _agent(name: str, person: str, href: str | None = None) -> Cell:
    """An agent or author, and the person behind it."""
    return Cell(text=name, href=href, person=person if person != name else "")
