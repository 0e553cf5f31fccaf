"""The page on which instructors manage a ladder or tournament, and the pages that belong to it.

Every form works without scripts and sends the field `do`, which says what it is for. A form that was refused keeps what
was written into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from arena.history.words import age, counted, moment, same_files, zone_name
from arena.pages import parts
from arena.pages.drawing import Document
from arena.pages.html import element, words
from arena.results import figures
from arena.web import links
from arena.web.decisions import AWARD, SURE, called, seen
from arena.web.pages import frame, own_pages

if TYPE_CHECKING:
    from arena.accounts.invitations import Invited
    from arena.accounts.people import Account, AccountUse
    from arena.web.manage import Author, GameToRule, Handed, LadderState, Managed, Named, Ruled
    from arena.web.results import Titled
    from db.accounts import AuditEntry

Given = Mapping[str, str]
_DECISIONS: Final = {
    "withdraw": "Withdraw: it plays no more games",
    "quarantine": "Put aside (quarantine): it plays again after its author hands in",
    "release": "Release: it plays again",
}
_STATUS: Final = {"active": "plays", "withdrawn": "withdrawn", "quarantined": "put aside (quarantined)"}
_FINAL: Final = {"running": "is being played", "stopped": "has begun, and waits", "finished": "is over"}
_LONGEST: Final = 1000
"""Characters of a reason."""


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
    forms = _Forms(found.of.title, given)
    sections = {"agents": ("Agents", _agents(found, forms)), "rulings": ("Rulings", _rulings(found, forms))}
    state = found.ladder
    if state is not None:
        sections = {
            "state": ("State", _state(state, forms, now)),
            "queue": ("Waiting for their check", _queue(found.of.title, state)),
            "time": ("More time", _time(state, forms)),
            **sections,
            "submissions": ("Latest submissions", _submissions(found.of.title, state)),
            **({"same": ("Same files", _same_files(found.of.title, state))} if state.same_files else {}),
            "people": ("People", _people(known, forms)),
        }
    sections["grades"] = ("Grades", _grades(found))
    if state is not None:
        sections["audit"] = ("Who did and saw what", _entries(found.of.title, entries, has_older=has_older))
    jumps = [element("li", parts.link(f"#{id}", title)) for id, (title, _) in sections.items()]
    back = [parts.link(links.manage(found.of_ladder), f"Manage {found.of_ladder}")] if found.of_ladder else []
    return frame.page(
        "Manage",
        *_wrong(wrong),
        *(element("p", link) for link in back),
        element("nav", element("ul", *jumps), aria_label="On this page"),
        *(element("section", element("h2", title), *inside, id=id) for id, (title, inside) in sections.items()),
        own_pages.sign_out(),
        of=found.of,
        at=links.manage(found.of.title),
        form=True,
    )


def game(found: GameToRule, *, wrong: str = "", given: Given) -> Document:
    """The page on which a game is ruled on."""
    title = found.of.title
    forms = _Forms(title, given)
    decisions = [("void", "Annul it: it counts for nothing"), ("again", "Annul it, and play it again")]
    decisions += [(f"{AWARD}{seat}", f"Award it to {_with(one)}") for seat, one in enumerate(found.seats)]
    attempt = f", attempt {found.attempt}" if found.attempt > 1 else ""
    players = " – ".join(parts.link(links.agent(title, one.name), _with(one)) for one in found.seats)
    facts = {
        "Result": figures.result(found.points),
        "How it ended": found.ended,
        "Ruling": f"ruling {found.ruling}: {found.ruled}" if found.ruling else "none",
    }
    return frame.page(
        f"Game {found.number}{attempt}",
        *_wrong(wrong),
        element("p", players),
        parts.facts(facts),
        element("p", parts.link(links.game(found.id), "Replay this game")),
        element("h2", "Rule on this game"),
        forms.form(
            "game",
            "Decide",
            forms.choice("game", "what", "Decision", decisions),
            forms.reason("game"),
            game=found.id,
            number=found.number,
            ruling=found.ruling,
        ),
        element("p", parts.link(links.manage(title), f"Manage {title}")),
        of=found.of,
        form=True,
    )


def link(title: str, made: Invited, address: str) -> Document:
    """The page with a new link, which is shown once."""
    return frame.page(
        "A new link",
        element("p", words(f"This link is for {_name(made.account)}. Copy it now: it is not shown again.")),
        element("pre", words(address), tabindex=0, role="region", aria_label="The new link"),
        element("p", words(f"It works once, until {moment(made.expires)}. Older links of this person do not work.")),
        element("p", parts.link(f"{links.manage(title)}#people", f"Manage {title}")),
    )


def audit(of: Titled, entries: Sequence[AuditEntry], *, has_older: bool) -> Document:
    """A part of the audit. `has_older`: there are older entries."""
    return frame.page(
        "Who did and saw what",
        *_entries(of.title, entries, has_older=has_older),
        element("p", parts.link(links.manage(of.title), f"Manage {of.title}")),
        of=of,
    )


class _Forms:
    """Forms that send to the page of a tournament."""

    def __init__(self, title: str, given: Given) -> None:
        """`given`: the fields of the form that was refused."""
        self.title, self._given = title, given

    def form(self, do: str, button: str, *fields: str, about: str = "", **hidden: int | str) -> str:
        """A form. `about`: what the button is about, if several have the same text; `hidden`: fields that are not
        shown."""
        kept = {"do": do, **hidden}
        label = f"{button}: {about}" if about else False
        return element(
            "form",
            *(element("input", type="hidden", name_=name, value=value) for name, value in kept.items()),
            *fields,
            element("button", words(button), type="submit", aria_label=label),
            method="post",
            action=links.manage(self.title),
            class_="desk",
        )

    def field(self, do: str, name: str, label: str, **more: str | int | bool) -> str:
        """A line to write into."""
        written = element("input", name_=name, required=True, value=self._before(do, name), **more)
        return element("label", element("span", words(label)), written)

    def reason(self, do: str) -> str:
        """The reason for a ruling."""
        return self.field(do, "reason", "Reason (only instructors see it)", maxlength=_LONGEST, autocomplete="off")

    def choice(self, do: str, name: str, label: str, values: Iterable[tuple[str, str]]) -> str:
        """A list to choose from; nothing is chosen at first."""
        before = self._before(do, name)
        options = [element("option", "Choose", value="")]
        options += [
            element("option", words(text), value=value, selected=bool(before) and value == before)
            for value, text in values
        ]
        return element("label", element("span", words(label)), element("select", *options, name_=name, required=True))

    def _before(self, do: str, name: str) -> str:
        return self._given.get(name, "") if self._given.get("do") == do else ""


def _wrong(why: str) -> list[str]:
    return [element("p", words(why), class_="notice", role="alert")] if why else []


# A ladder.


def _state(state: LadderState, forms: _Forms, now: datetime) -> Iterator[str]:
    closes = moment(state.closes)
    is_open = state.opens <= now < state.closes
    early = " (before its time)" if state.is_closed_early else ""
    facts = {
        "State": "open" if is_open else "closed" if now >= state.closes else f"opens {moment(state.opens)}",
        "Submissions": f"ended at {closes}{early}" if now >= state.closes else f"until {closes}",
        "Games are run": "yes" if state.is_run else "no: start arena serve",
        "Ratings": "none yet" if state.rated is None else age(state.rated, now),
        "Waiting": f"{len(state.queue):,}",
        "Final": _final(state, now),
    }
    yield parts.facts(facts)
    if state.final:
        yield element("p", parts.link(links.manage(state.final), f"Manage {state.final}"))
    elif now < state.closes:
        yield element("p", "If you close the ladder now, submissions end, and then the final is played.")
        box = element("input", type="checkbox", name_="sure", value=SURE, required=True)
        yield forms.form("close", "Close now", element("label", box, " End submissions now"))
    elif state.is_closed_early:
        yield element("p", "It was closed before its time. You can open it again until the final begins.")
        yield forms.form("reopen", "Open again")


def _final(state: LadderState, now: datetime) -> str:
    """How the final stands, and whom it waits for."""
    if state.final_status:
        return _FINAL[state.final_status]
    if now < state.closes:
        return "has not begun: it is played after the close"
    waits = [
        f"{_author(one)} until {moment(one.until or state.closes)}" for one in _extended(state) if _has_time(one, now)
    ]
    waits += [f"the check of {counted(len(state.queue), 'submission')}"] * bool(state.queue)
    return "has not begun" + (f": it waits for {', '.join(waits)}" if waits else "")


def _has_time(one: Author, now: datetime) -> bool:
    return one.until is not None and now < one.until


def _extended(state: LadderState) -> list[Author]:
    """Those who have more time than others."""
    return [one for one in state.authors if one.until is not None and one.until > state.closes]


def _queue(title: str, state: LadderState) -> Iterator[str]:
    if not state.queue:
        yield element("p", "No submission waits.")
        return
    columns = [("Place", "number"), ("Submission", ""), ("Agent", "name"), ("State", ""), ("Received", "")]
    rows = [
        element(
            "tr",
            parts.figure(str(place)),
            _submission(one, state),
            _agent_of(title, one),
            parts.cell(words(own_pages.state(one.one))),
            parts.cell(words(moment(one.one.received))),
        )
        for place, one in enumerate(state.queue, 1)
    ]
    yield parts.table("Submissions that wait for their check or are in it", columns, rows)


def _submissions(title: str, state: LadderState) -> Iterator[str]:
    if not state.latest:
        yield element("p", "Nothing was handed in yet.")
        return
    columns = [("Submission", ""), ("Agent", "name"), ("State", ""), ("Received", ""), ("File", "")]
    rows = [
        element(
            "tr",
            _submission(one, state),
            _agent_of(title, one),
            parts.cell(element("span", words(_said(one)), class_="brief"), "ended"),
            parts.cell(words(moment(one.one.received))),
            parts.cell(element("span", words(one.one.label), class_="player-name")),
        )
        for one in state.latest
    ]
    yield parts.table("Latest submissions", columns, rows)


def _same_files(title: str, state: LadderState) -> Iterator[str]:
    lines = (
        same_files([parts.link(links.agent(title, each.name), _with(each)) for each in one.agents], one.versions)
        for one in state.same_files
    )
    yield element("ul", *(element("li", line) for line in lines))


def _submission(one: Handed, state: LadderState) -> str:
    text = f"Submission {one.one.id}"
    inside = parts.link(links.submission(one.one.id), text) if state.is_served else words(text)
    return element("th", inside, scope="row")


def _said(one: Handed) -> str:
    return own_pages.state(one.one) + (f": {one.one.words}" if one.one.words else "")


def _time(state: LadderState, forms: _Forms) -> Iterator[str]:
    if extended := _extended(state):
        columns = [("Author", "name"), ("Until", "")] + [("Take back", "")] * (not state.final)
        yield parts.table("Authors with more time", columns, [_extension(one, state, forms) for one in extended])
    if state.final:
        yield element("p", "The final has begun, so nobody can be given more time.")
        return
    if not state.authors:
        yield element("p", "There are no authors yet: invite them with arena invite.")
        return
    yield element(
        "p",
        "The author can hand in until this time, and the final waits for it. A new time replaces the one before.",
        class_="faint",
    )
    yield forms.form(
        "extend",
        "Give more time",
        forms.choice("extend", "author", "Author", [(one.name, _author(one)) for one in state.authors]),
        forms.field("extend", "until", f"Until ({zone_name(state.closes)}), such as 2026-12-24 23:59"),
        forms.reason("extend"),
    )


def _extension(one: Author, state: LadderState, forms: _Forms) -> str:
    back = forms.form("take-back", "Take back", about=_author(one), author=one.name)
    return element(
        "tr",
        _agent_cell(one.shown, one.person),
        parts.cell(words(moment(one.until or state.closes))),
        *([] if state.final else [parts.cell(back)]),
    )


def _author(one: Author) -> str:
    names = [name for name in (one.name if one.name != one.shown else "", one.person) if name]
    return one.shown + (f" ({', '.join(names)})" if names else "")


# Agents and rulings.


def _agents(found: Managed, forms: _Forms) -> Iterator[str]:
    if not found.agents:
        yield element("p", "No agent takes part yet.")
        return
    rows = [
        element(
            "tr",
            parts.name(one.name, links.agent(found.of.title, one.name), person=one.person),
            parts.cell(words(_STATUS[one.status])),
        )
        for one in found.agents
    ]
    yield parts.table("Agents", [("Agent", "name"), ("Status", "")], rows)
    yield element("h3", "Rule on an agent")
    agents = [(one.name, f"{_with(one)}: {_STATUS[one.status]}") for one in found.agents]
    yield forms.form(
        "agent",
        "Decide",
        forms.choice("agent", "agent", "Agent", agents),
        forms.choice("agent", "what", "Decision", _DECISIONS.items()),
        forms.reason("agent"),
    )


def _rulings(found: Managed, forms: _Forms) -> Iterator[str]:
    title = found.of.title
    label = "Number of the game, as in the list of games (not the one in the address of its page)"
    number = forms.field("find", "number", label, inputmode="numeric", pattern="[0-9]+", maxlength=18)
    yield element("h3", "Rule on a game")
    yield element(
        "form",
        number,
        element("button", "Show the game", type="submit"),
        method="get",
        action=links.ruling(title),
        class_="desk",
    )
    yield element("p", parts.link(links.games(title), "The list of games"), class_="faint")
    yield element("h3", "All rulings")
    if not found.rulings:
        yield element("p", "There are none.")
        return
    columns = [("Ruling", ""), ("Made", ""), ("Decided", ""), ("About", ""), ("Reason", ""), ("Revoke", "")]
    yield parts.table("Rulings, the newest first", columns, [_ruling(one, forms) for one in found.rulings])
    if found.more_rulings:
        yield element("p", words(f"{found.more_rulings:,} older ones are listed by arena rulings."), class_="faint")


def _ruling(one: Ruled, forms: _Forms) -> str:
    about = parts.link(links.agent(forms.title, one.about) if one.game is None else links.game(one.game), one.about)
    revoke = ""
    if one.can_be_revoked:
        field = forms.field(f"revoke {one.id}", "reason", f"Reason to revoke ruling {one.id}", maxlength=_LONGEST)
        inside = forms.form("revoke", "Revoke", field, ruling=one.id)
        revoke = element("details", element("summary", "Revoke", aria_label=f"Revoke ruling {one.id}"), inside)
    return element(
        "tr",
        element("th", f"Ruling {one.id}", scope="row"),
        parts.cell(words(moment(one.when))),
        parts.cell(words(one.decided)),
        parts.cell(element("span", about, class_="brief"), "ended"),
        parts.cell(element("span", words(one.reason), class_="brief"), "ended"),
        parts.cell(revoke),
    )


def _grades(found: Managed) -> Iterator[str]:
    if not found.graded:
        yield element("p", "Grades are those of the final, which has not begun.")
        return
    name = f"Grades of {found.graded} (CSV)"
    yield element("p", parts.link(links.grades(found.of.title), name))


# People.


def _people(known: Sequence[AccountUse], forms: _Forms) -> Iterator[str]:
    yield element("p", "Students of the roster get their first links by arena invite.", class_="faint")
    columns = [("Name", "name"), ("Alias", ""), ("Id", ""), ("Invited", ""), ("Signed in", ""), ("Last seen", "")]
    yield parts.table("People", columns, [row for one in known for row in _person(one, forms)])
    yield element("h3", "Invite another instructor")
    name = forms.field("instructor", "name", "Name", maxlength=64, autocomplete="off")
    yield forms.form("instructor", "Make a link", name)


def _person(one: AccountUse, forms: _Forms) -> tuple[str, str]:
    """A line about the account, and one with what can be done with it."""
    account, name = one.account, _name(one.account)
    invite = "New link" if account.active else "Invite again"
    acts = [forms.form("invite", invite, about=name, account=account.id, invited=seen(one))]
    if account.active:
        acts.append(forms.form("sign-out", "End all sessions", about=name, account=account.id))
        acts.append(forms.form("deactivate", "Deactivate", about=name, account=account.id))
    times = (one.invited, one.signed_in, one.seen)
    status = "" if account.active else element("span", "deactivated", class_="note")
    about = f"Change the account of {name}"
    more = element("details", element("summary", "Change", aria_label=about), element("div", *acts))
    line = element(
        "tr",
        element("th", words(name), status, scope="row", rowspan=2, class_="name", title=name),
        parts.cell("instructor" if account.is_instructor else words(account.author)),
        parts.cell(words(account.student)),
        *(parts.cell("" if time is None else words(moment(time))) for time in times),
    )
    return line, element("tr", element("td", more, colspan=2 + len(times), class_="acts"))


def _entries(title: str, entries: Sequence[AuditEntry], *, has_older: bool) -> Iterator[str]:
    if not entries:
        yield element("p", "There are no entries.")
        return
    columns = [("Time", ""), ("Who", ""), ("What", ""), ("About", "")]
    has_addresses = any(one.address for one in entries)
    columns += [("From", "")] * has_addresses
    rows = [
        element(
            "tr",
            element("th", words(moment(one.time)), scope="row"),
            parts.cell(words("a command on the server" if one.account is None else _name(one.account)), "ended"),
            parts.cell(words(one.what)),
            parts.cell(words(one.about), "ended"),
            *([parts.cell(words(one.address))] * has_addresses),
        )
        for one in entries
    ]
    yield parts.table("Who did and saw what, the newest first", columns, rows)
    if has_older:
        yield element("p", parts.link(links.audit(title, entries[-1].id), "Older entries"))


# Names.


def _name(account: Account) -> str:
    """The person, with the alias of a student."""
    name = called(account)
    return f"{name} ({account.author})" if account.author and account.author != name else name


def _with(one: Named) -> str:
    """An agent, with the person behind it."""
    return f"{one.name} ({one.person})" if one.person and one.person != one.name else one.name


def _agent_of(title: str, one: Handed) -> str:
    """A cell with the agent of a submission, which may have no page yet."""
    return _agent_cell(one.one.agent, one.person, links.agent(title, one.shown) if one.shown else None)


def _agent_cell(name: str, person: str, href: str | None = None) -> str:
    """A cell with an agent or author, and the person behind it."""
    return parts.cell(parts.linked(name, href) + parts.behind(person if person != name else ""), "ended")
