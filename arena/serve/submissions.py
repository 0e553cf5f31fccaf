"""Takes in what authors hand in to a ladder: each hand-in becomes a row, received or refused with one sentence.

Anyone may call `receive` in any process: reading, building and storing an agent happen before the transaction that
decides and writes the row. `announce` writes the row of an upload that nobody has opened yet, by the same rules; the
helper of `intake.py` opens it, and `take_in` then writes what is in it. No code of an agent is run here, except its
build, which is behind walls.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct, convert
from msgspec.structs import replace

from adsearch.errors import quote
from arena.course.aliases import public_rules
from arena.course.roster import replace_unprintable
from arena.errors import ArenaError, BadSubmission
from arena.history.words import counted, moment
from arena.match.allowance import WallKind
from arena.players.submissions import Store
from arena.serve.ladder import HandInLimits
from arena.serve.open_ladders import OpenLadder
from arena.serve.spool import LONGEST_FILE_NAME, file_name, stored
from arena.student.checking import CheckStep
from arena.tournament.author_names import agent_name
from arena.tournament.description import folded
from arena.walls import probe
from db import ladder, running
from db.database import Connection, Database
from db.ladder import LadderLine, StoredSubmission, SubmissionState, SubmissionTime, VersionGame, author_of

GRACE: Final = timedelta(seconds=60)
"""An upload that began before the end of submissions and is complete at most so long after it is in time."""
AFTER_GRACE: Final = timedelta(seconds=30)
"""So long after that the final waits for the rows of such uploads."""
_DAY: Final = timedelta(days=1)


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
    name = agent_name(author, agent, ladder=opened.name, anchors=opened.anchors)
    if not os.path.exists(path):
        raise BadSubmission(f"no file or folder {quote(str(path))}")
    with database.reading() as connection:
        _refuse_similar_name(connection, opened, name)
        wrong = refusal(connection, opened, name, _not_before_last(connection, opened, now))
    source: str | None = None
    if not wrong:
        with tempfile.TemporaryDirectory(prefix="arena-submission-", ignore_cleanup_errors=True) as scratch:
            source, wrong = stored(store, path, name, opened.ladder.languages, Path(scratch))
    with database.writing() as connection:
        one = _new_row(connection, opened, name, replace_unprintable(path.absolute().name), now, begun=now)
        take_in(connection, opened, one.id, source, wrong, now)
        return ladder.submission(connection, one.id)


def announce(
    database: Database,
    opened: OpenLadder,
    author: str,
    label: str,
    now: datetime,
    *,
    begun: datetime,
    agent: str = "",
    keep: Callable[[int], None],
) -> StoredSubmission:
    """Writes the row of an upload whose file was called `label`, and returns it: received and still to be opened, or
    refused with words that say why. It counts as received when its request came (`begun`), if it was complete (`now`)
    at most `GRACE` after the end of submissions.

    `keep` is called with the id of a received row, before the transaction is committed: when it returns, the file is
    kept under this id. BadSubmission, and no row, if the names are wrong."""
    name = agent_name(author, agent, ladder=opened.name, anchors=opened.anchors)
    with database.writing() as connection:
        _refuse_similar_name(connection, opened, name)
        try:
            shown, wrong = file_name(label), ""
        except BadSubmission as error:
            shown, wrong = replace_unprintable(label)[:LONGEST_FILE_NAME], str(error)
        one = _new_row(connection, opened, name, shown, now, begun=begun)
        if wrong:
            take_in(connection, opened, one.id, None, wrong, one.received)
        elif one.is_unopened:
            keep(one.id)
        return ladder.submission(connection, one.id)


def _new_row(
    connection: Connection, opened: OpenLadder, name: str, label: str, now: datetime, *, begun: datetime
) -> StoredSubmission:
    """Adds a row for a hand-in of which the content does not count yet: received, or refused with words."""
    ladder.lock_submissions(connection, opened.id)
    when = _not_before_last(connection, opened, now)
    until = opened.until(ladder.extension(connection, opened.id, author_of(name)))
    # Another upload may have begun while this one, complete at `now`, waited for its row: then no clock was set back.
    if when <= now + GRACE and now <= until + GRACE:
        when = begun
    # In the transaction that writes: another process may have received one for the same author.
    words = refusal(connection, opened, name, when)
    if words and begun <= until < when:
        words += f"; this upload began before, but was not complete {GRACE.total_seconds():.0f} s after"
    state = SubmissionState.REFUSED if words else SubmissionState.RECEIVED
    id = ladder.add_submission(
        connection, opened.id, name, label=label, source=None, state=state, words=words, now=when
    )
    return ladder.submission(connection, id)


def take_in(connection: Connection, opened: OpenLadder, id: int, source: str | None, wrong: str, now: datetime) -> None:
    """Writes what is in a submission: `source` is its hash in the store, or `wrong` says why it is refused.

    If it does not wait for this, because it was refused or withdrawn, nothing is changed."""
    ladder.lock_submissions(connection, opened.id)
    one = ladder.submission(connection, id)
    if not one.is_unopened:
        return
    when = max(now, one.received)
    words = wrong or _same_again(connection, opened, one, source)
    state = SubmissionState.REFUSED if words else SubmissionState.RECEIVED
    ladder.change_submission(connection, id, state, when, words=words, source=source, interruptions=0)
    if not words:
        _withdraw_earlier(connection, opened, one, when)


def _refuse_similar_name(connection: Connection, opened: OpenLadder, name: str) -> None:
    """BadSubmission if an agent has a name that looks the same."""
    for known in sorted(ladder.submitted_names(connection, opened.id)):
        for one, other in ((known, name), (author_of(known), author_of(name))):
            if one != other and folded(one) == folded(other):
                raise BadSubmission(f"ladder {quote(opened.name)} knows {quote(one)}: write the name like that")


def _not_before_last(connection: Connection, opened: OpenLadder, now: datetime) -> datetime:
    """`now`, or the time of the last submission that counts, if the clock was set back since then."""
    last = ladder.last_received(connection, opened.id)
    return now if last is None else max(now, last)


# Why a submission is refused: functions that return a sentence, or an empty text.


def why_no_hand_ins(opened: OpenLadder, *, trusts_everybody: bool) -> str:
    """Why this machine takes no agents over the web; empty if it does.

    Behind limits alone, an agent or a build can read this user's files: then the instructor must trust everybody who
    can hand in. `arena submit` is only for people who have an account on this machine anyway."""
    if trusts_everybody:
        return ""
    agents = opened.ladder.league.conditions.walls
    kinds = {"agents": agents}
    for language in opened.ladder.languages.values():
        kinds |= {f"agents in [languages.{language.name}]": language.walls or agents}
        kinds |= {f"builds in [languages.{language.name}]": language.build_walls} if language.build else {}
    for what, kind in kinds.items():
        with suppress(ArenaError):  # these walls do not hold here, so nothing is run behind them
            if probe.chosen(kind).kind is WallKind.LIMITS:
                return (
                    f"no agents are taken over the web: {what} are behind limits only, so {probe.LIMITS_MEAN}; "
                    "to take them, start arena serve with --trust-everybody"
                )
    return ""


def refusal(connection: Connection, opened: OpenLadder, name: str, now: datetime) -> str:
    """Why this author cannot hand in this agent now; empty if it is possible."""
    author = author_of(name)
    if now < opened.opens:
        return f"ladder {quote(opened.name)} is not open yet: it opens on {moment(opened.opens)}"
    until = opened.until(ladder.extension(connection, opened.id, author))
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


def too_often(received: Sequence[datetime], limits: HandInLimits, now: datetime) -> str:
    """Why an author who handed in at these times, oldest first, cannot do so now, and when it is possible again.

    The times are those of submissions that were not refused at once. The pause is a token bucket of `burst` tokens."""
    if limits.per_day and len(received) >= limits.per_day:
        again = received[-limits.per_day] + _DAY
        if now < again:
            return f"at most {limits.per_day} submissions in 24 hours: {possible_again(again, now)}"
    bucket = Bucket(limits.pause, limits.burst)
    full: datetime | None = None
    for before in received:
        full = bucket.full_again(full, before)
    if full is not None and now < (again := bucket.possible_again(full)):
        return (
            f"at most one submission in {_duration(limits.pause)}, after the first {limits.burst}: "
            f"{possible_again(again, now)}"
        )
    return ""


def _same_again(connection: Connection, opened: OpenLadder, one: StoredSubmission, source: str | None) -> str:
    """Why nothing needs to be done: the same content waits for its check, or plays and nothing else waits."""
    if earlier := _open_before(connection, opened, one):
        last = earlier[-1]
        same = last.source == source
        return f"this is submission {last.id}, whose check is not over yet: nothing was changed" if same else ""
    for line in ladder.standings(connection, opened.id):
        if line.name == one.author and line.source == source and line.status == "active":
            return f"this is version {line.number} of {quote(one.author)}, which plays already: nothing was changed"
    return ""


def _withdraw_earlier(connection: Connection, opened: OpenLadder, one: StoredSubmission, now: datetime) -> None:
    """Withdraws the earlier submissions of the same agent that wait for their check: only the newest is checked."""
    for each in _open_before(connection, opened, one):
        if each.state is SubmissionState.RECEIVED:
            words = f"replaced by submission {one.id} before its check"
            ladder.change_submission(connection, each.id, SubmissionState.WITHDRAWN, now, words=words)


def _open_before(connection: Connection, opened: OpenLadder, one: StoredSubmission) -> list[StoredSubmission]:
    """The earlier submissions of the same agent that wait for their check or are in it, oldest first."""
    waiting = ladder.open_submissions(connection, opened.id)
    return [each for each in waiting if each.author == one.author and each.id < one.id]


def possible_again(again: datetime, now: datetime) -> str:
    """When the next one is possible. Readers can be in another time zone, so the zone is named."""
    return f"the next one is possible in {_duration(again - now)}, on {again.astimezone(UTC):%Y-%m-%d at %H:%M:%S UTC}"


def _duration(time: timedelta) -> str:
    minutes, seconds = divmod(-(-time // timedelta(seconds=1)), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (seconds, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count)


# What has become of a submission, from its place in the queue to its first rating, as one value.


REPLACED: Final = "replaced"
"""The status of a version that entered, after a newer one did."""
_FIRST: Final = 20
"""Number of games that are listed."""


class SubmissionDocument(Struct, frozen=True, kw_only=True):
    """A submission as it is now."""

    submission: int
    ladder: str
    agent: str
    file: str
    """The name of the file that was handed in."""
    game: str
    clock: str
    state: SubmissionState
    words: str
    """Why it is in this state; empty if there is nothing to add."""
    ahead: int | None
    """How many others wait or are checked that came earlier; None once its check is over."""
    version: int | None = None
    """The number of its version; None until it has entered."""
    status: str | None = None
    """Of this version: active, withdrawn, quarantined or `REPLACED`; None until it has entered."""
    rating: float | None = None
    """None until its first rating, and of a version that does not play."""
    error: float | None = None
    games: int | None = None
    """How many games the rating is from."""
    steps: tuple[CheckStep, ...]
    """Of its check, those that are over."""
    first_games: tuple[VersionGame, ...] = ()
    """The first ones that are over."""


def submission_document(connection: Connection, opened: OpenLadder, one: StoredSubmission) -> SubmissionDocument:
    """The submission as it is now; `one` is its row."""
    league = opened.ladder.league
    waiting = SubmissionDocument(
        submission=one.id,
        ladder=opened.name,
        agent=one.author,
        file=one.label,
        game=public_rules(league.game_text),
        clock=league.conditions.clock,
        state=one.state,
        words=one.words,
        ahead=None if one.state.is_final else ladder.ahead_of(connection, one),
        steps=tuple(convert(step, CheckStep) for step in one.steps),
    )
    return waiting if one.version is None else _entered(connection, opened, one, one.version, waiting)


def _entered(
    connection: Connection, opened: OpenLadder, one: StoredSubmission, version: int, waiting: SubmissionDocument
) -> SubmissionDocument:
    """The same with what is known of its version."""
    (line,) = (line for line in ladder.standings(connection, opened.id) if line.name == one.author)
    plays = line.version == version
    entered = replace(
        waiting,
        version=dict(ladder.versions(connection, opened.id, one.author)).get(version),
        status=line.status if plays else REPLACED,
        first_games=tuple(ladder.games_since(connection, opened.id, version, one.changed)[:_FIRST]),
    )
    # The same files may have played before, and have a rating from then.
    if plays and line.rated is not None and line.rated > one.changed:
        return replace(entered, rating=line.rating, error=line.error, games=line.games)
    return entered


# How often something is allowed: token buckets, one for each account or each address.


_MOST_KEYS: Final = 10_000
"""Largest number of buckets; above it those that were used longest ago are forgotten."""


class Bucket(Struct, frozen=True):
    """A bucket of `burst` tokens, to which one is added every `pause`. Each use takes one."""

    pause: timedelta
    burst: int

    def full_again(self, full: datetime | None, used: datetime) -> datetime:
        """When the bucket is full again after a use; `full`: when it would have been without it (None: it was)."""
        return (used if full is None else max(full, used)) + self.pause

    def possible_again(self, full: datetime) -> datetime:
        """From when there is a token, if the bucket is full again at that time."""
        return full - (self.burst - 1) * self.pause


class Buckets:
    """A bucket for each key, such as the id of an account or an address. It must be used by one thread at a time."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._full: dict[Hashable, datetime] = {}

    def take(self, key: Hashable, now: datetime) -> datetime | None:
        """Takes a token of the key's bucket, and returns None; if there is none, from when there is one."""
        full = self._full.get(key)
        if full is not None and now < (again := self._bucket.possible_again(full)):
            return again
        self._full.pop(key, None)  # so that the last used is the last in the dictionary
        self._full[key] = self._bucket.full_again(full, now)
        if len(self._full) > _MOST_KEYS:
            self._forget(now)
        return None

    def _forget(self, now: datetime) -> None:
        """Forget the buckets that are full; if these are few, the oldest half."""
        kept = {key: full for key, full in self._full.items() if full > now}
        self._full = kept if len(kept) < _MOST_KEYS // 2 else dict([*kept.items()][len(kept) // 2 :])
