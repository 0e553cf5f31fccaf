"""The routes of a person: signing in and out, what an author has, handing in, a submission and its files, challenges.

The bytes of an upload go into the spool and are opened by helpers of the director alone (`arena/serve/intake.py`).
"""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from arena.accounts import audit, people, sessions
from arena.accounts.audit import Act
from arena.accounts.people import Account
from arena.errors import BadAccount, BadChallenge, BadSubmission
from arena.match.allowance import GIBIBYTE, MEBIBYTE
from arena.serve import submissions
from arena.serve.challenges import challenge, refusal
from arena.serve.messages import nudge
from arena.serve.open_ladders import OpenLadder, opened
from arena.serve.spool import MOST_BYTES, Upload
from arena.serve.submissions import SubmissionDocument, possible_again
from arena.web import forms, links, own
from arena.web.answers import in_thread, leads_to, page, saw_log, whose, write_accounts, write_record
from arena.web.cache import KeptPage
from arena.web.identity import NotSignedIn, SignIns, account_of, signed_in, signed_in_here, viewer_of
from arena.web.links import API
from arena.web.own import Challenging, challenging, recorded
from arena.web.page_values import JSON, BadQuery, Drawn, NotThere, client, number_in, whole
from arena.web.pages import own_pages
from arena.web.permissions import SeenNames, Viewer, What
from arena.web.results import titled
from arena.web.site import Site, Uploading
from db import ladder
from db.ladder import StoredSubmission, author_of

Answer = Callable[[Request, KeptPage, Viewer], Response]
_PART: Final = 65536
"""Bytes of a download that are sent at a time."""
_MOST_UNOPENED: Final = 4 * GIBIBYTE
"""Bytes that may be on the disk at the same time, of uploads in progress and of those that wait to be opened."""
_SMALL: Final = MEBIBYTE
"""There is always room for a body of at most this number of bytes."""
_BY_HAND: Final = 5
"""Games played by hand that are listed."""
_NO_SUBMISSION: Final = "There is no such submission."


def routes(answer: Answer) -> tuple[BaseRoute, ...]:
    """The routes. `answer` gives the answer with a page that was kept."""
    return (
        Route("/in/{key:segment}", _invitation, methods=["GET"]),
        Route("/in/{key:segment}", _sign_in, methods=["POST"]),
        Route(links.OUT, _sign_out, methods=["POST"]),
        Route(links.ME, _me, methods=["GET"]),
        Route(links.SUBMIT, _submit_page, methods=["GET"]),
        Route(links.SUBMIT, _submit, methods=["POST"]),
        Route(links.TOKENS, _tokens, methods=["POST"]),
        Route("/s/{id:segment}", _submission, methods=["GET"]),
        Route("/s/{id:segment}/files", _files, methods=["GET"]),
        Route(f"{API}/submissions", _submit_by_program, methods=["POST"]),
        Route(f"{API}/s/{{id:segment}}", _submission_document, methods=["GET"]),
        Route(links.CHALLENGE, _my_page, methods=["GET"]),
        Route(links.CHALLENGE, _challenge, methods=["POST"]),
        Route(links.WHY, partial(_why, answer), methods=["GET"]),
    )


def no_sign_in(site: Site, status: int = 401) -> Response:
    """The page for someone who is not signed in."""
    return page(own_pages.not_signed_in(site.no_sign_in), status)


def note(site: Site, act: Act, account: Account, *, about: str, address: str) -> None:
    """Adds an act to the audit. Runs in a thread."""
    with _sign_ins(site).accounts.writing() as connection:
        audit.note(connection, act, datetime.now(UTC), by=account, about=about, address=address)


def _sign_ins(site: Site) -> SignIns:
    """Of a server with accounts."""
    assert site.sign_ins is not None
    return site.sign_ins


# Signing in and out.


async def _invitation(request: Request) -> Response:
    """An invitation, with a button."""
    site: Site = request.app.state.site
    if site.sign_ins is None:
        return no_sign_in(site, 404)
    key = request.path_params["key"]
    account = await _invited(site, site.sign_ins, key)
    if account is None:
        # A link is used once: who has used it, and opens it again, is signed in.
        return page(own_pages.no_invitation(), 404) if await account_of(request) is None else leads_to(links.ME)
    answer = page(own_pages.invitation(key, account.name or account.author, site.served))
    answer.headers["referrer-policy"] = "no-referrer"  # the address is the key
    return answer


async def _invited(site: Site, sign_ins: SignIns, key: str) -> Account | None:
    """Who the link is for; None if it does not work here, also if it is for a student of another ladder."""

    def look() -> Account | None:
        with sign_ins.accounts.reading() as connection:
            return people.open_invitation(connection, key, datetime.now(UTC))

    account = await in_thread(site, look)
    return account if sign_ins.admits(account) else None


async def _sign_in(request: Request) -> Response:
    """The button was pressed: the invitation is used, and the browser has a session."""
    site: Site = request.app.state.site
    if site.sign_ins is None:
        return no_sign_in(site, 404)
    key, before, address = request.path_params["key"], site.sign_ins.key(request), client.get()

    def use(sign_ins: SignIns) -> tuple[Account, str] | None:
        now = datetime.now(UTC)
        with sign_ins.accounts.writing() as connection:
            found = people.use_invitation(connection, key, now, address=address)
            if found is not None:
                sessions.end(connection, before, now, address=address)
            return found

    found = None
    if await _invited(site, site.sign_ins, key) is not None:  # else nothing is written, however many links are tried
        found = await write_accounts(site, partial(use, site.sign_ins))
    if found is None:
        return page(own_pages.no_invitation(), 404)
    site.sign_ins.forget()
    answer = leads_to(links.ME)
    site.sign_ins.let_in(answer, found[1])
    return answer


async def _sign_out(request: Request) -> Response:
    """The session ends, here and in the accounts."""
    site: Site = request.app.state.site
    await signed_in(request)
    sign_ins = _sign_ins(site)
    key, address = sign_ins.key(request), client.get()

    def end() -> None:
        with sign_ins.accounts.writing() as connection:
            sessions.end(connection, key, datetime.now(UTC), address=address)

    await write_accounts(site, end)
    sign_ins.forget()
    answer = leads_to(links.HOME)
    sign_ins.let_out(answer)
    answer.headers["clear-site-data"] = '"cache"'  # on a shared computer "back" shows nothing of the account
    return answer


async def _tokens(request: Request) -> Response:
    """A token is made, or revoked."""
    site: Site = request.app.state.site
    account = await signed_in_here(request)
    given = await forms.fields(request)
    sign_ins, address = _sign_ins(site), client.get()

    def change() -> str:
        now = datetime.now(UTC)
        with sign_ins.accounts.writing() as connection:
            if "revoke" not in given:
                return sessions.make_token(connection, account, given.get("label", "").strip(), now, address=address)
            sessions.revoke_token(connection, account, whole(given["revoke"], "revoke"), now, address=address)
            return ""

    try:
        made = await write_accounts(site, change)
    except BadAccount as error:
        raise BadQuery(str(error)) from None
    sign_ins.forget()
    return page(own_pages.new_token(made, site.address)) if made else leads_to(links.ME)


# What an author has.


def _ladder(site: Site) -> OpenLadder:
    with site.database.reading() as connection:
        return opened(connection, site.served)


async def _me(request: Request) -> Response:
    """What the account has: of a student the agents and submissions, of an instructor what to manage."""
    site: Site = request.app.state.site
    account = await account_of(request)
    if account is None:
        return no_sign_in(site, 200)  # every page has a link to this one
    return await mine(request, account)


async def mine(request: Request, account: Account, *, wrong: str = "", status: int = 200) -> Response:
    """The page of the account; that of an instructor is the ladder. `wrong`: why what it asked for was not done."""
    site: Site = request.app.state.site
    names = site.names.seen_by(await viewer_of(request))
    sign_ins = _sign_ins(site)

    def draw() -> Response:
        with sign_ins.accounts.reading() as connection:
            keys = sessions.listed_tokens(connection, account)
            played = audit.played_by(connection, account.id, most=_BY_HAND)
        with site.database.reading() as connection:
            ladder = opened(connection, site.served)
            if account.is_instructor:
                return leads_to(links.tournament(titled(connection, names, ladder.id).title))
            found = own.own(connection, names, ladder, account.author)
            by_hand = own.by_hand(connection, names, played)
            challenges = challenging(connection, names, ladder, account.author, found.made)
        document = own_pages.author(
            account, found, keys, by_hand, challenging=challenges, wrong=wrong, no_hand_ins=site.no_hand_ins
        )
        return page(document, status)

    return await in_thread(site, draw)


async def _submit_page(request: Request) -> Response:
    """The form for handing in."""
    account = await account_of(request)
    if account is None:
        return no_sign_in(request.app.state.site, 200)  # every page has a link to this one
    return leads_to(links.ME) if account.is_instructor else await _form(request, account)


async def _form(request: Request, account: Account, *, wrong: str = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    names = site.names.seen_by(await viewer_of(request))

    def draw() -> Response:
        with site.database.reading() as connection:
            ladder = opened(connection, site.served)
            found = own.own(connection, names, ladder, account.author)
        return page(
            own_pages.submit(found, wrong=wrong, no_hand_ins=site.no_hand_ins, most=ladder.ladder.agents), status
        )

    if account.is_instructor:
        raise BadQuery("Only students hand in here; instructors use `arena submit`.")
    return await in_thread(site, draw)


# Handing in.


async def _submit(request: Request) -> Response:
    """A file was handed in with the form."""
    begun = datetime.now(UTC)
    account = await signed_in(request)
    try:
        one = await _received(request, account, begun)
    except BadSubmission as error:
        return await _form(request, account, wrong=str(error), status=400)
    return leads_to(links.submission(one.id))


async def _submit_by_program(request: Request) -> Response:
    """A program handed in a file: the body is the file, or a form with it."""
    begun = datetime.now(UTC)
    account = await signed_in(request)
    try:
        one = await _received(request, account, begun)
    except BadSubmission as error:
        raise BadQuery(str(error)) from None
    return await _document(request, one.id, status=201 if one.state != "refused" else 409)


async def _received(request: Request, account: Account, begun: datetime) -> StoredSubmission:
    """The row of what was handed in by a request that came at the time `begun`; BadSubmission if there is none."""
    site: Site = request.app.state.site
    if account.is_instructor:
        raise BadSubmission("only students hand in here; instructors use `arena submit`")
    if site.no_hand_ins:
        raise BadSubmission(site.no_hand_ins)
    while (earlier := site.uploading.get(account.author)) is not None:
        if not await earlier.ended():
            raise BadSubmission("another upload of yours is in progress; try again when it is over")
    if (again := site.uploads.take(account.author, now := datetime.now(UTC))) is not None:
        raise BadSubmission(f"too many uploads in a row; {submissions.possible_again(again, now)}")
    declared = min(int(request.headers.get("content-length", "0")), MOST_BYTES)
    mine = site.uploading[account.author] = Uploading(declared)
    try:
        coming = 0 if declared <= _SMALL else sum(one.size for one in site.uploading.values())
        await in_thread(site, partial(_refuse_without_room, site, account.author, coming))
        return await _uploaded(request, account, site, mine, begun)
    finally:
        del site.uploading[account.author]
        mine.is_read.set()
        mine.is_over.set()


def _refuse_without_room(site: Site, author: str, coming: int) -> None:
    """BadSubmission if too much waits to be opened, of this author or, with what is `coming`, of all; 0: a small file,
    for which there is always room."""
    with site.database.reading() as connection:
        theirs = {one.id for one in ladder.unopened(connection) if ladder.author_of(one.author) == author}
    sizes = site.spool.sizes()
    if sum(size for id, size in sizes.items() if id in theirs) > MOST_BYTES:
        raise BadSubmission("too much of yours waits to be opened; try again when it is opened")
    if coming and coming + sum(sizes.values()) > _MOST_UNOPENED:
        raise BadSubmission("too much waits to be opened on this server; try again in a few minutes")


async def _uploaded(
    request: Request, account: Account, site: Site, mine: Uploading, begun: datetime
) -> StoredSubmission:
    upload = await asyncio.to_thread(site.spool.begin)
    try:
        mine.body = asyncio.ensure_future(_spooled(request, upload))
        mine.is_read.set()
        try:
            label, given = await mine.body
        except asyncio.CancelledError:
            if mine.is_replaced:
                raise BadSubmission("a newer upload of yours has taken the place of this one") from None
            raise
        now = datetime.now(UTC)
        sign_ins = _sign_ins(site)
        key = sign_ins.key(request)
        if (await whose(site, sign_ins, [key]))[key] != account:  # the body can take hours
            raise NotSignedIn
        label = label or request.query_params.get("file", "")
        agent = given.get("agent", request.query_params.get("agent", "")).strip()
        announce = partial(_announced, site, account, upload, label=label, agent=agent, begun=begun, now=now)
        one = await write_record(site, partial(announce, address=client.get()))
    finally:
        await asyncio.to_thread(upload.abandon)
    return one


async def _spooled(request: Request, upload: Upload) -> tuple[str, Mapping[str, str]]:
    """Reads the whole body; returns the name of the file, and the other fields. BadSubmission if it is too large.

    It waits for no other upload, and not for the database as at the desk."""
    too_large: BadSubmission | None = None

    async def take(part: bytes) -> None:
        nonlocal too_large
        if too_large is None:
            try:
                await asyncio.to_thread(upload.write, part)
            except BadSubmission as error:
                too_large = error  # the rest is read and dropped: a browser hears an answer only after it has sent all

    found = await forms.file(request, take)
    if too_large is not None:
        raise too_large
    return found


def _announced(
    site: Site,
    account: Account,
    upload: Upload,
    *,
    label: str,
    agent: str,
    address: str,
    begun: datetime,
    now: datetime,
) -> StoredSubmission:
    """Writes the row of the upload, which began and was complete at these times."""
    upload.finish()

    def keep(id: int) -> None:
        """Before the row is committed, so that there is not one without the other."""
        note(site, Act.SUBMITTED, account, about=f"submission {id}", address=address)
        upload.keep_as(id)

    one = submissions.announce(
        site.writable, _ladder(site), account.author, label, now, begun=begun, agent=agent, keep=keep
    )
    nudge(site.store, site.served)
    return one


# A submission.


def _number(request: Request) -> int:
    if (found := number_in(request.path_params["id"])) is None:
        raise NotThere(_NO_SUBMISSION)
    return found


async def _submission(request: Request) -> Response:
    """The page of a submission: what the viewer may see of it; NotThere if that is nothing."""
    site: Site = request.app.state.site
    names, account, id = site.names.seen_by(await viewer_of(request)), await account_of(request), _number(request)

    def read() -> tuple[own.SubmissionView | None, Challenging | None]:
        with site.database.reading() as connection:
            ladder = opened(connection, site.served)
            found = own.submission(connection, names, ladder, id)
            if found is None or found.agent is None or account is None or author_of(found.one.agent) != account.author:
                return found, None
            challenges = challenging(connection, names, ladder, account.author, found.made)
            return found, challenges and replace(challenges, agents=[found.shown])

    found, challenges = await in_thread(site, read)
    if found is None:
        raise NotThere(_NO_SUBMISSION)
    await saw_log(request, f"submission {id}")
    return page(own_pages.submission(found, challenges))


async def _submission_document(request: Request) -> Response:
    """A submission as JSON."""
    return await _document(request, _number(request))


async def _document(request: Request, id: int, *, status: int = 200) -> Response:
    site: Site = request.app.state.site
    names = site.names.seen_by(await viewer_of(request))

    def read() -> SubmissionDocument | None:
        with site.database.reading() as connection:
            return own.document(connection, names, opened(connection, site.served), id)

    found = await in_thread(site, read)
    if found is None:
        raise NotThere(_NO_SUBMISSION)
    await saw_log(request, f"submission {id}")
    return Response(msgspec.json.encode(found), status, media_type=JSON)


async def _files(request: Request) -> Response:
    """The files of a submission, as a zip file that browsers save and never show. An account has one at a time."""
    site: Site = request.app.state.site
    account, id = await account_of(request), _number(request)
    names = site.names.seen_by(await viewer_of(request))

    def find() -> Path | None:
        with site.database.reading() as connection:
            one = own.visible(connection, names, opened(connection, site.served), id, What.SOURCE)
        folder = None if one is None or one.source is None else site.store / one.source
        return folder if folder is not None and folder.is_dir() else None

    folder = await in_thread(site, find)
    if folder is None or account is None:
        raise NotThere(_NO_SUBMISSION)
    if account.id in site.downloading:
        raise HTTPException(429)
    site.downloading.add(account.id)
    try:
        if account.is_instructor:
            about = f"submission {id}"
            await write_record(site, partial(note, site, Act.SAW_SOURCE, account, about=about, address=client.get()))
        archive = await in_thread(site, partial(zipped, folder))
    except BaseException:
        site.downloading.discard(account.id)
        raise
    return _Download(archive, f"submission-{id}.zip", done=partial(site.downloading.discard, account.id))


class _Download(StreamingResponse):
    """Sends a file, and closes it."""

    def __init__(self, archive: IO[bytes], name: str, *, done: Callable[[], None]) -> None:
        """`done` is called at the end, also if the client goes away before the first byte."""
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        super().__init__(self._parts(), headers=headers, media_type="application/zip")
        self._archive, self._done = archive, done

    async def _parts(self) -> AsyncIterator[bytes]:
        while part := self._archive.read(_PART):
            yield part

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._archive:
                await super().__call__(scope, receive, send)
        finally:
            self._done()


def zipped(folder: Path) -> IO[bytes]:
    """The files in a folder as a zip file without a name. Nothing is packed: that would take seconds."""
    made = tempfile.TemporaryFile()  # noqa: SIM115 - its reader closes it
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.is_symlink():
                archive.write(file, str(file.relative_to(folder)))
    made.seek(0)
    return made


# The route of the page that says why an author's agent lost.


_LONGEST: Final = 100
"""Characters of the name of a further agent."""


async def _why(answer: Answer, request: Request) -> Response:
    """The page. `answer` gives the answer with a page that was kept."""
    site: Site = request.app.state.site
    if (await signed_in(request)).is_instructor:
        raise BadQuery("Only students have agents on the ladder.")
    viewer = await viewer_of(request)
    names = site.names.seen_by(viewer)
    asked = await in_thread(site, partial(_asked, site, names, request.query_params.get("agent", "")[:_LONGEST]))
    if asked.round is None:
        return page(own_pages.no_games_page(asked))
    key = (links.WHY, asked.agent, asked.round)
    kept = await site.cache.get(key, partial(_draw, site, names, asked, asked.round), turn=site.why_turns)
    return answer(request, kept, viewer)


def _asked(site: Site, names: SeenNames, further: str) -> own.AskedFor:
    with site.database.reading() as connection:
        return own.asked_for(connection, names, opened(connection, site.served), further)


def _draw(site: Site, names: SeenNames, asked: own.AskedFor, round: int) -> Drawn:
    about, found = own.feedback(site.database, site.store, names, round, asked.agent, now=datetime.now(UTC))
    site.mistakes[asked.agent] = {seen.id: seen.mistake for seen in found.found.to_see if seen.mistake is not None}
    return Drawn.page(own_pages.why_page(asked, about, found))


# The route with which a student starts a challenge: the answer leads to the game, or says why there is none.


async def _my_page(_: Request) -> Response:
    """Where the page of a refused challenge is read again."""
    return leads_to(links.ME)


async def _challenge(request: Request) -> Response:
    """A challenge of one of the account's agents to an opponent."""
    site: Site = request.app.state.site
    account = await signed_in(request)
    if account.is_instructor:
        raise BadQuery("only students can challenge an agent")
    if (again := site.challenges.take(account.id, now := datetime.now(UTC))) is not None:
        raise HTTPException(429, f"too many challenges in a row; {possible_again(again, now)}")
    given = await forms.fields(request)
    names, address = site.names.seen_by(await viewer_of(request)), client.get()

    def start() -> int:
        now = datetime.now(UTC)
        with site.database.reading() as connection:
            ladder = opened(connection, site.served)
            asked = given.get("agent", ""), given.get("opponent", "")
            players = recorded(connection, names, ladder, account.author, *asked)
            if why := refusal(connection, ladder, account.author, *players, now):  # before a lock is taken
                raise BadChallenge(why)

        def keep(id: int) -> None:
            """Before the row is committed, so that there is not one without the other."""
            note(site, Act.CHALLENGED, account, about=f"game {id}", address=address)

        return challenge(site.writable, ladder, account.author, *players, now, keep=keep)

    try:
        game = await write_record(site, start)
    except BadChallenge as error:
        return await mine(request, account, wrong=str(error), status=409)
    nudge(site.store, site.served)
    return leads_to(links.game(game))
