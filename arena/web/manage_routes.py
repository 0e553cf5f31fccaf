"""The routes of what instructors manage. For everybody else there is nothing at these addresses.

Pages are drawn anew for each request. A form that cannot be carried out gives its page again, with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.accounts import audit, people
from arena.accounts.audit import Act
from arena.accounts.people import Account, AccountUse, Invited
from arena.course.grading import Line, RecordedTournament, agents_of, graded, joined, recorded
from arena.errors import ArenaError
from arena.history import csv_cells
from arena.serve.messages import nudge
from arena.serve.open_ladders import ladder_of
from arena.web import forms, links, manage
from arena.web.answers import in_thread, leads_to, page, write_record
from arena.web.identity import account_of, signed_in_here, viewer_of
from arena.web.manage import DECISIONS, PEOPLE, Form
from arena.web.page_values import BadQuery, NotThere, client, whole
from arena.web.pages import manage_page
from arena.web.permissions import SeenNames, What, may
from arena.web.results import titled
from arena.web.site import Site
from db import ladder, lookup, running
from db.accounts import AccountsDatabase, AuditEntry
from db.database import Connection
from db.errors import NotFound
from db.rated_games import Scope

T = TypeVar("T")
Given = Mapping[str, str]
"""The fields of a form."""

_ENTRIES: Final = 100
"""Of the audit, on one page."""
_NOTHING: Final = "There is no page at this address."


def routes() -> tuple[BaseRoute, ...]:
    """The routes."""
    place = "/t/{tournament:segment}/manage"
    return (
        Route(place, _shown, methods=["GET"]),
        Route(place, _sent, methods=["POST"]),
        Route(f"{place}/game", _game, methods=["GET"]),
        Route(f"{place}/grades", _grades, methods=["GET"]),
        Route(f"{place}/audit", _audit, methods=["GET"]),
    )


class _Desk(Struct, frozen=True, kw_only=True):
    """The request of an instructor about one tournament."""

    site: Site
    accounts: AccountsDatabase
    names: SeenNames
    by: Account
    address: str
    """Where the request came from."""
    id: int
    """The tournament's."""
    title: str
    """Its public name."""
    name: str
    """Its name in the record."""
    is_ladder: bool

    def read(self, work: Callable[[Connection], T]) -> T:
        """Reads the record. Runs in a thread."""
        with self.site.database.reading() as connection:
            return work(connection)


async def _desk(request: Request) -> _Desk:
    """For an instructor; NotThere for everybody else."""
    site: Site = request.app.state.site
    account, viewer = await account_of(request), await viewer_of(request)
    if site.sign_ins is None or account is None or not may(viewer, What.MANAGE):
        raise NotThere(_NOTHING)
    names, title = site.names.seen_by(viewer), request.path_params["tournament"]

    def find() -> tuple[int, str, bool]:
        with site.database.reading() as connection:
            id = names.find_tournament(connection, title)
            return id, lookup.tournament_name(connection, id), running.format(connection, id) == ladder.FORMAT

    id, name, is_ladder = await in_thread(site, find)
    return _Desk(
        site=site,
        accounts=site.sign_ins.accounts,
        names=names,
        by=account,
        address=client.get(),
        id=id,
        title=title,
        name=name,
        is_ladder=is_ladder,
    )


async def _shown(request: Request) -> Response:
    """The page."""
    desk = await _desk(request)
    return await in_thread(desk.site, partial(_page, desk))


def _page(desk: _Desk, *, wrong: str = "", given: Given | None = None, status: int = 200) -> Response:
    """The page; `wrong`: why the form with the fields `given` was not carried out. Runs in a thread."""
    known = _known(desk)
    with desk.accounts.reading() as connection:
        entries, older = _entries(connection)
    authors = _authors(known)
    read = partial(manage.managed, names=desk.names, tournament=desk.id, authors=authors)
    found = desk.read(partial(read, store=desk.site.store, served=desk.site.served))
    now = datetime.now(UTC)
    drawn = manage_page.page(found, known, entries, has_older=older, now=now, wrong=wrong, given=given or {})
    return page(drawn, status)


def _known(desk: _Desk) -> list[AccountUse]:
    """The accounts of the ladder; none for a tournament that is not one."""
    with desk.accounts.reading() as connection:
        return people.known(connection, desk.name) if desk.is_ladder else []


def _authors(known: Sequence[AccountUse]) -> list[str]:
    return [one.account.author for one in known if not one.account.is_instructor]


def _entries(connection: Connection, before: int | None = None) -> tuple[list[AuditEntry], bool]:
    """A page of the audit, and whether there are older entries."""
    found = audit.entries(connection, most=_ENTRIES + 1, before=before)
    return found[:_ENTRIES], len(found) > _ENTRIES


# Forms.


async def _sent(request: Request) -> Response:
    """A form was sent."""
    desk = await _desk(request)
    given = await forms.fields(request)
    try:
        if given.get("do") in PEOPLE:
            await signed_in_here(request)  # links and accounts are made by people, as tokens are
        made = await write_record(desk.site, partial(_carry_out, desk, given))
        desk.site.cache.forget()
    except (ArenaError, BadQuery, NotFound) as error:
        again = (
            partial(_game_page, desk, given.get("number", "")) if given.get("do") == "game" else partial(_page, desk)
        )
        return await in_thread(desk.site, partial(again, wrong=str(error), given=given, status=400))
    if made is not None:
        return _link(desk, made)
    return leads_to(f"{links.manage(desk.title)}#{manage_page.SECTION_OF.get(given['do'], 'content')}")


def _carry_out(desk: _Desk, given: Given) -> Invited | None:
    """Does what a form says; returns the link that was made, if one was. Runs in a thread."""
    site = desk.site
    form = Form(
        by=desk.by,
        address=desk.address,
        tournament=desk.id,
        title=desk.name,
        names=desk.names,
        authors=_authors(_known(desk)),
        given=given,
        now=datetime.now(UTC),
    )
    if form.do in DECISIONS:
        manage.decide(site.writable, desk.accounts, site.store, form)
        site.names.look_again()
        nudge(site.store, site.served)
        return None
    if form.do not in PEOPLE or not desk.is_ladder or site.sign_ins is None:
        raise BadQuery("expected one of the forms of this page")
    made = PEOPLE[form.do](desk.accounts, form)
    site.sign_ins.forget()
    return made


def _link(desk: _Desk, made: Invited) -> Response:
    """The page with a new link, which is shown once."""
    answer = page(manage_page.link(desk.title, made, f"{desk.site.address}{links.invitation(made.key)}"))
    answer.headers["cache-control"] = "no-store"
    answer.headers["referrer-policy"] = "no-referrer"
    return answer


# A game.


async def _game(request: Request) -> Response:
    """The page on which a game is ruled on."""
    desk = await _desk(request)
    return await in_thread(desk.site, partial(_game_page, desk, request.query_params.get("number", "")))


def _game_page(desk: _Desk, number: str, *, wrong: str = "", given: Given | None = None, status: int = 200) -> Response:
    """The game, or the whole page if there is no such game; the rest as in `_page`. Runs in a thread."""
    try:
        at = whole(number, "game")
        found = desk.read(partial(manage.game_to_rule, names=desk.names, tournament=desk.id, number=at))
    except (ArenaError, BadQuery, NotFound) as error:
        return _page(desk, wrong=wrong or str(error), given={"do": "find", "number": number}, status=400)
    return page(manage_page.game(found, wrong=wrong, given=given or {}), status)


# Grades and the audit.


async def _grades(request: Request) -> Response:
    """The grades as `arena course grades` prints them, beside id and name of each student: a file that browsers save
    and never show."""
    desk = await _desk(request)
    try:
        content = await in_thread(desk.site, partial(_grade_list, desk))
    except ArenaError as error:
        return await in_thread(desk.site, partial(_page, desk, wrong=str(error), status=400))

    def note() -> None:
        with desk.accounts.writing() as connection:
            now = datetime.now(UTC)
            audit.note(connection, Act.SAW_GRADES, now, by=desk.by, about=desk.name, address=desk.address)

    await write_record(desk.site, note)
    headers = {"content-disposition": 'attachment; filename="grades.csv"'}
    return Response(content, headers=headers, media_type="text/csv; charset=utf-8")


def _grade_list(desk: _Desk) -> str:
    """The list; NotThere before there is one. Runs in a thread."""

    def read(connection: Connection) -> RecordedTournament:
        id = manage.graded_in(connection, desk.id)
        if id is None:
            raise NotThere("There are no grades yet: they are those of the final, which has not begun.")
        return recorded(connection, Scope(tournaments=(id,)))

    rows: Sequence[Mapping[str, Any]] = graded(desk.read(read), bars={}, late={}).rows
    if students := _students(desk, [str(row["agent"]) for row in rows]):
        rows = joined(rows, students, {})
    titles = list(rows[0]) if rows else ["agent"]
    return csv_cells.text(([csv_cells.exact(row[title]) for title in titles] for row in rows), titles=titles)


def _students(desk: _Desk, agents: Sequence[str]) -> list[tuple[Line, str]]:
    """The id and the name of each student of the roster, else of the accounts, with the student's agent."""
    roster = desk.names.roster()
    if roster is not None:
        agent_of = agents_of(roster, agents)
        return [({"id": one.id, "name": one.name}, agent_of[one.line]) for one in roster.students]
    ladder = desk.read(partial(ladder_of, tournament=desk.name))
    if ladder is None:
        return []
    with desk.accounts.reading() as connection:
        known = [one.account for one in people.known(connection, ladder.name) if not one.account.is_instructor]
    return [({"id": one.student, "name": one.name}, one.author if one.author in agents else "") for one in known]


async def _audit(request: Request) -> Response:
    """What was done, by whom: the entries before one, or the newest."""
    desk = await _desk(request)
    text = request.query_params.get("before", "")
    before = whole(text, "before") if text else None

    def draw() -> Response:
        of = desk.read(partial(titled, names=desk.names, tournament=desk.id))
        with desk.accounts.reading() as connection:
            entries, older = _entries(connection, before)
        return page(manage_page.audit(of, entries, has_older=older))

    return await in_thread(desk.site, draw)
