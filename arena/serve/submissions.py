"""Takes in what authors hand in to a ladder: each hand-in becomes a row, received or refused with one sentence.

Anyone may call `receive` in any process: reading, building and storing an agent happen before the transaction that
decides and writes the row. No code of an agent is run here, except its build, which is behind walls.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from agents import builtin
from arena.course.collecting.inbox import Inbox
from arena.course.roster import replace_unprintable
from arena.errors import BadPlayer, BadSubmission
from arena.history.words import counted, moment, without_store
from arena.players import engines
from arena.players.build_commands import Language
from arena.players.player import PlayerKind
from arena.players.submissions import Store
from arena.serve.ladder import Limits
from arena.serve.opened import OpenLadder
from arena.tournament.description import folded, what_is_wrong_with
from arena.walls.kinds import MEBIBYTE
from db import ladder, running
from db.database import Connection, Database
from db.ladder import SECOND_AGENT, LadderLine, StoredSubmission, SubmissionState, SubmissionTime, author_of

MOST_BYTES: Final = 32 * MEBIBYTE
"""The largest submission."""
_DAY: Final = timedelta(days=1)
_REFUSED_IN_NAMES: Final = ("--", *'=,:/\\*?<>|"`$')
"""What no name contains, because it has a meaning in commands, in file names or in web addresses."""


def receive(
    database: Database,
    store: Store,
    opened: OpenLadder,
    path: Path,
    author: str,
    now: datetime,
    *,
    agent: str = "",
) -> StoredSubmission:
    """Takes in the file, folder or zip at `path`, and returns its row: received, or refused with words that say why.

    `agent`: the second part of the name of a further agent of this author. BadSubmission, and no row, if the names are
    wrong or if there is nothing at `path`."""
    name = agent_name(opened, author, agent)
    if not os.path.exists(path):
        raise BadSubmission(f"no file or folder {quote(str(path))}")
    with database.reading() as connection:
        _refuse_similar_name(connection, opened, name)
        refusal = _refusal(connection, opened, name, _not_before_last(connection, opened, now))
    source, wrong = (None, refusal) if refusal else _stored(store, path, name, opened.ladder.languages)
    with database.writing() as connection:
        ladder.lock_submissions(connection, opened.id)
        when = _not_before_last(connection, opened, now)
        # Again, in the transaction that writes: another process may have received one for the same author.
        refusal = wrong or _refusal(connection, opened, name, when) or _same_again(connection, opened, name, source)
        state = SubmissionState.REFUSED if refusal else SubmissionState.RECEIVED
        label = replace_unprintable(path.absolute().name)
        id = ladder.add_submission(
            connection, opened.id, name, label=label, source=source, state=state, words=refusal, now=when
        )
        if not refusal:
            _withdraw_earlier(connection, opened, name, id, when)
        return ladder.submission(connection, id)


def agent_name(opened: OpenLadder, author: str, agent: str = "") -> str:
    """The name of the author's agent; BadSubmission if it cannot be one."""
    parts = {"author": author, "agent": agent} if agent else {"author": author}
    name = SECOND_AGENT.join(parts.values())
    for what, part in parts.items():
        if wrong := what_is_wrong_with(part):
            raise BadSubmission(f"{what}: {wrong}")
        if SECOND_AGENT in part:
            raise BadSubmission(f"{what}: expected a name without a dot, got {quote(part)}; a dot separates the two")
        if refused := [text for text in _REFUSED_IN_NAMES if text in part]:
            raise BadSubmission(f"{what}: expected a name without {quote(refused[0])}, got {quote(part)}")
        if part.startswith("-"):
            raise BadSubmission(f"{what}: expected a name that does not start with '-', got {quote(part)}")
    if wrong := what_is_wrong_with(name):
        raise BadSubmission(wrong)
    if folded(name) in {folded(anchor) for anchor in opened.anchors}:
        raise BadSubmission(f"{quote(name)} is an anchor of ladder {quote(opened.name)}: choose another name")
    if folded(name) in {folded(known) for known in (*builtin.names(), *engines.KNOWN, *engines.GAMES, *PlayerKind)}:
        raise BadSubmission(f"author: {quote(name)} is the name of a player in commands: choose another name")
    if len(alphabets := _alphabets(name)) > 1:  # a Cyrillic letter can look like a Latin one
        both = " and ".join(sorted(alphabets))
        raise BadSubmission(f"expected a name with the letters of one alphabet, got {quote(name)}, with {both} letters")
    return name


def _alphabets(name: str) -> set[str]:
    """Which of the alphabets with letters that look alike the name is uses."""
    known = {"LATIN": "Latin", "GREEK": "Greek", "CYRILLIC": "Cyrillic"}
    return {known[first] for letter in name if (first := unicodedata.name(letter, "").partition(" ")[0]) in known}


def _refuse_similar_name(connection: Connection, opened: OpenLadder, name: str) -> None:
    """BadSubmission if an agent has a name that looks the same."""
    for known in sorted(ladder.submitted_names(connection, opened.id)):
        for one, other in ((known, name), (author_of(known), author_of(name))):
            if one != other and folded(one) == folded(other):
                raise BadSubmission(f"ladder {quote(opened.name)} knows {quote(one)}: write the name like that")


def _not_before_last(connection: Connection, opened: OpenLadder, now: datetime) -> datetime:
    """`now`, or the time of the last submission that was not refused, if the clock was set back since then."""
    last = ladder.last_received(connection, opened.id)
    return now if last is None else max(now, last)


def _stored(store: Store, path: Path, name: str, languages: Mapping[str, Language]) -> tuple[str | None, str]:
    """The hash in the store of the agent at `path`; or None, and what is wrong with it."""
    with tempfile.TemporaryDirectory(prefix="arena-submission-", ignore_cleanup_errors=True) as scratch:
        inbox = Inbox(Store(store.folder, most_bytes=MOST_BYTES), languages, Path(scratch))
        try:
            if not path.name.isprintable():
                raise BadSubmission("expected a file name of printable characters")
            stored = inbox.take(path, name)
            if not stored.started_as.isprintable():
                raise BadSubmission(f"{quote(stored.started_as)}: expected a file name of printable characters")
        except (BadSubmission, BadPlayer) as error:
            return None, replace_unprintable(without_store(inbox.without_scratch(str(error))))
    return stored.source, ""


# Why a submission is refused: functions that return a sentence, or an empty text.


def _refusal(connection: Connection, opened: OpenLadder, name: str, now: datetime) -> str:
    """Why this author cannot hand in this agent now."""
    author = author_of(name)
    if now < opened.opens:
        return f"ladder {quote(opened.name)} is not open yet: it opens on {moment(opened.opens)}"
    extended = ladder.extension(connection, opened.id, author)
    until = opened.closes if extended is None else max(extended, opened.closes)
    if now > until:
        return f"too late: submissions to ladder {quote(opened.name)} ended on {moment(until)}"
    if running.tournament(connection, opened.final) is not None:
        return f"too late: the final of ladder {quote(opened.name)} has begun"
    players = {line.name: line for line in ladder.standings(connection, opened.id)}
    if name in players and players[name].status == "withdrawn":
        return f"{quote(name)} was withdrawn from ladder {quote(opened.name)} by the instructor"
    earlier = ladder.of_author(connection, opened.id, author)
    if why := _too_many_agents(players, earlier, name, opened.ladder.agents):
        return why
    return too_often([one.received for one in earlier], opened.ladder.limits, now)


def _too_many_agents(players: Mapping[str, LadderLine], earlier: Sequence[SubmissionTime], name: str, most: int) -> str:
    author = author_of(name)
    theirs = {one for one in players if author_of(one) == author}
    theirs |= {one.name for one in earlier if not one.state.is_final}
    if name in theirs or len(theirs) < most:
        return ""
    has = " and ".join(map(quote, sorted(theirs)))
    return f"an author can have at most {counted(most, 'agent')} on this ladder; {author} has {has}"


def too_often(received: Sequence[datetime], limits: Limits, now: datetime) -> str:
    """Why an author who handed in at these times, oldest first, cannot do so now, and when it is possible again.

    The times are those of submissions that were not refused. The pause is a token bucket of `burst` tokens."""
    if limits.per_day and len(received) >= limits.per_day:
        again = received[-limits.per_day] + _DAY
        if now < again:
            return f"at most {limits.per_day} submissions in 24 hours: the next one is possible {_in(again, now)}"
    full = now  # when the bucket is full again
    for place, before in enumerate(received):
        full = (max(full, before) if place else before) + limits.pause
    if full - now > (limits.burst - 1) * limits.pause:
        again = full - (limits.burst - 1) * limits.pause
        return (
            f"at most one submission in {_duration(limits.pause)}, after the first {limits.burst}: "
            f"the next one is possible {_in(again, now)}"
        )
    return ""


def _same_again(connection: Connection, opened: OpenLadder, name: str, source: str | None) -> str:
    """Why nothing needs to be done: the same content waits for its check, or plays and nothing else waits."""
    waiting = [one for one in ladder.open_submissions(connection, opened.id) if one.author == name]
    if waiting:
        last = waiting[-1]
        same = last.source == source
        return f"this is submission {last.id}, whose check is not over yet: nothing was changed" if same else ""
    for line in ladder.standings(connection, opened.id):
        if line.name == name and line.source == source and line.status == "active":
            return f"this is version {line.number} of {quote(name)}, which plays already: nothing was changed"
    return ""


def _withdraw_earlier(connection: Connection, opened: OpenLadder, name: str, id: int, now: datetime) -> None:
    """Withdraws the submissions of the same agent that wait for their check: only the newest is checked."""
    for one in ladder.open_submissions(connection, opened.id):
        if one.author == name and one.id != id and one.state is SubmissionState.RECEIVED:
            words = f"replaced by submission {id} before its check"
            ladder.change_submission(connection, one.id, SubmissionState.WITHDRAWN, now, words=words)


def _in(again: datetime, now: datetime) -> str:
    return f"in {_duration(again - now)}, on {again.astimezone():%Y-%m-%d at %H:%M:%S}"


def _duration(time: timedelta) -> str:
    minutes, seconds = divmod(-(-time // timedelta(seconds=1)), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (seconds, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count)
