"""The rows of a standing ladder: submissions, extensions, challenges and ratings. Functions that write need an open
transaction.

What a process must know after a crash is in these rows: a submission is in exactly one state, and every change of
it is one transaction. A rating is never changed; a new one is a new row, so the history of ratings is here too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, func, insert, or_, select, text, update

from db import dialect, store
from db.errors import DatabaseError, NotFound
from db.records import ScheduledGame, instant, moment_of
from db.running import attempt
from db.schema import ATTEMPT, Challenge, Entry, Extension, Game, Rating, Seat, Submission, Tournament, Version
from db.store import PreparedGame

FORMAT: Final = "ladder"
"""The format in the tournament's row."""


class SubmissionState(StrEnum):
    """What happens to a submission next."""

    RECEIVED = "received"
    """It waits to be opened if it was uploaded, and then for its check."""
    CHECKING = "checking"
    ENTERED = "entered"
    """It passed its check, and plays or has played."""
    FAILED = "failed"
    """It did not pass its check."""
    REFUSED = "refused"
    """It was not taken: too late, too many, too large, or not an agent."""
    WITHDRAWN = "withdrawn"
    """Its author handed in another one before its check."""

    @property
    def is_final(self) -> bool:
        """Whether the submission stays in this state."""
        return self not in _OPEN


_OPEN: Final = (SubmissionState.RECEIVED, SubmissionState.CHECKING)
_COUNTS: Final = or_(Submission.state != SubmissionState.REFUSED, Submission.changed != Submission.received)
"""A submission counts for the limits unless it was refused at once, when its row was written. An upload that was opened
and then refused has taken time of the only intake."""
SECOND_AGENT: Final = "."
"""In the name of an author's further agent: what stands between the author's name and its own."""
_STEPS: Final = "steps"
"""The key of the list in the column `steps`, which holds a document."""


class StoredSubmission(Struct, frozen=True):
    """One submission."""

    id: int
    author: str
    label: str
    source: str | None
    state: SubmissionState
    words: str
    steps: tuple[dict[str, Any], ...]
    version: int | None
    received: datetime
    changed: datetime
    interruptions: int
    """How often the server was killed, or ended by an error, during its check; before it is opened: how often the
    process that opens it was."""

    @property
    def is_unopened(self) -> bool:
        """Whether it was uploaded and it is not known yet what is in it."""
        return self.state is SubmissionState.RECEIVED and self.source is None


class SubmissionTime(Struct, frozen=True):
    """When an agent was handed in."""

    name: str
    """The agent's name."""
    state: SubmissionState
    received: datetime


class NewRating(Struct, frozen=True):
    """A rating to write."""

    version: int
    rating: float
    error: float
    games: int


class RatingPoint(Struct, frozen=True):
    """The rating of a version at one time."""

    time: datetime
    rating: float
    error: float
    games: int


class VersionGame(Struct, frozen=True):
    """A finished game of a version."""

    id: int
    number: int
    """In the tournament."""
    opponent: str
    points: float | None
    """Of the version; None: the game is void."""
    verdict: str


class LadderLine(Struct, frozen=True):
    """A player of a ladder, with the version that it plays with now."""

    name: str
    status: str
    """active, withdrawn, or quarantined: put aside after faults."""
    version: int
    """The row id of the version."""
    number: int
    """The version's number."""
    source: str
    started_as: str
    rating: float | None
    """None before its first rating."""
    error: float | None
    games: int
    rated: datetime | None
    """When it was rated last."""


def author_of(name: str) -> str:
    """The author of the agent of that name."""
    return name.partition(SECOND_AGENT)[0]


def ladders(connection: Connection) -> list[str]:
    """The names of all ladders, the oldest first."""
    names = select(Tournament.name).where(Tournament.format == FORMAT).order_by(Tournament.id)
    return list(connection.execute(names).scalars())


# Submissions.


def lock_submissions(connection: Connection, tournament: int) -> None:
    """Until the end of the transaction no other one that calls this changes the ladder's submissions.

    SQLite has only one writer anyway; for PostgreSQL this locks the ladder's row, but not against new games."""
    row = select(Tournament.id).where(Tournament.id == tournament)
    connection.execute(row.with_for_update(key_share=True))


def add_submission(
    connection: Connection,
    tournament: int,
    author: str,
    *,
    label: str,
    source: str | None,
    state: SubmissionState,
    words: str,
    now: datetime,
) -> int:
    """Insert a submission; return its id."""
    new = insert(Submission).values(
        tournament=tournament,
        author=author,
        label=label,
        source=source,
        state=state,
        words=words,
        steps={_STEPS: []},
        received=instant(now),
        changed=instant(now),
        interruptions=0,
    )
    return dialect.new_id(connection.execute(new))


def change_submission(
    connection: Connection,
    id: int,
    state: SubmissionState,
    now: datetime,
    *,
    words: str = "",
    source: str | None = None,
    steps: Sequence[dict[str, Any]] | None = None,
    version: int | None = None,
    interruptions: int | None = None,
) -> None:
    """Set the state of a submission, and what is given; DatabaseError if its state was final."""
    values: dict[str, Any] = {"state": state, "words": words, "changed": instant(now)}
    if source is not None:
        values["source"] = source
    if steps is not None:
        values["steps"] = {_STEPS: list(steps)}
    if version is not None:
        values["version"] = version
    if interruptions is not None:
        values["interruptions"] = interruptions
    changed = connection.execute(
        update(Submission).where(Submission.id == id, Submission.state.in_(_OPEN)).values(**values)
    )
    if changed.rowcount != 1:
        raise DatabaseError(f"expected a submission that is received or checking, got submission {id}")


def submission(connection: Connection, id: int) -> StoredSubmission:
    """The submission with that id."""
    found = _submissions(connection, Submission.id == id)
    if not found:
        raise NotFound(f"there is no submission {id}")
    return found[0]


def find_submission(connection: Connection, tournament: int, id: int) -> StoredSubmission | None:
    """The submission to the ladder with that id; None if there is none."""
    return next(iter(_submissions(connection, Submission.tournament == tournament, Submission.id == id)), None)


def submissions(
    connection: Connection, tournament: int, *, author: str | None = None, most: int | None = None
) -> list[StoredSubmission]:
    """The submissions to the ladder, newest first; at most `most`."""
    of_author = () if author is None else (Submission.author == author,)
    return _submissions(connection, Submission.tournament == tournament, *of_author, most=most)


def of_author(connection: Connection, tournament: int, author: str) -> list[SubmissionTime]:
    """The submissions to all agents of this author that count, oldest first: all that were not refused at once."""
    rows = (
        select(Submission.author, Submission.state, Submission.received)
        .where(
            Submission.tournament == tournament,
            or_(Submission.author == author, Submission.author.startswith(f"{author}{SECOND_AGENT}", autoescape=True)),
            _COUNTS,
        )
        .order_by(Submission.id)
    )
    return [
        SubmissionTime(name, SubmissionState(state), datetime.fromisoformat(received))
        for name, state, received in connection.execute(rows)
    ]


def submitted_names(connection: Connection, tournament: int) -> set[str]:
    """The names of all agents that were handed in and not refused."""
    names = select(Submission.author).where(
        Submission.tournament == tournament, Submission.state != SubmissionState.REFUSED
    )
    return set(connection.execute(names.distinct()).scalars())


def ahead_of(connection: Connection, one: StoredSubmission) -> int:
    """How many submissions to the same ladder wait for their check, or are in it, and were received earlier."""
    of_same = select(Submission.tournament).where(Submission.id == one.id).scalar_subquery()
    earlier = select(func.count()).where(
        Submission.tournament == of_same, Submission.state.in_(_OPEN), Submission.id < one.id
    )
    return connection.execute(earlier).scalar_one()


def open_submissions(connection: Connection, tournament: int) -> list[StoredSubmission]:
    """The submissions that wait for their check or are in it, oldest first."""
    return _submissions(connection, Submission.tournament == tournament, Submission.state.in_(_OPEN))[::-1]


def unopened(connection: Connection, tournament: int | None = None) -> list[StoredSubmission]:
    """The submissions to the ladder, or without `tournament` to all ladders, that were uploaded and wait to be opened,
    oldest first."""
    of_ladder = () if tournament is None else (Submission.tournament == tournament,)
    waiting = (Submission.state == SubmissionState.RECEIVED, Submission.source.is_(None))
    return _submissions(connection, *of_ladder, *waiting)[::-1]


def newer_submissions(
    connection: Connection, tournament: int, last: int, also: Collection[int]
) -> list[StoredSubmission]:
    """The submissions whose ids are above `last` or in `also`, oldest first."""
    which = or_(Submission.id > last, Submission.id.in_(also))
    return _submissions(connection, Submission.tournament == tournament, which)[::-1]


def last_received(connection: Connection, tournament: int) -> datetime | None:
    """When the last submission was received that counts: time on a ladder does not run back before it."""
    last = select(func.max(Submission.received)).where(Submission.tournament == tournament, _COUNTS)
    found = connection.execute(last).scalar()
    return None if found is None else datetime.fromisoformat(found)


def _submissions(connection: Connection, *which: Any, most: int | None = None) -> list[StoredSubmission]:
    columns = (Submission.__table__.c[name] for name in StoredSubmission.__struct_fields__)
    rows = select(*columns).where(*which).order_by(Submission.id.desc()).limit(most)
    return [
        StoredSubmission(
            **{
                **row,
                "state": SubmissionState(row["state"]),
                "steps": tuple(row["steps"][_STEPS]),
                "received": datetime.fromisoformat(row["received"]),
                "changed": datetime.fromisoformat(row["changed"]),
            }
        )
        for row in connection.execute(rows).mappings()
    ]


def same_files(connection: Connection, tournament: int) -> dict[str, dict[str, int]]:
    """The files that agents of several authors entered with: by their hash, the agents in the order of entering, each
    with the number of its version."""
    entered = (Submission.tournament == tournament, Submission.version.is_not(None))
    several = select(Submission.source).where(*entered).group_by(Submission.source)
    rows = (
        select(Version.source, Submission.author, Version.number)
        .join(Version, Version.id == Submission.version)
        .where(*entered, Submission.source.in_(several.having(func.count(Submission.author.distinct()) > 1)))
        .order_by(Submission.id)
    )
    found: dict[str, dict[str, int]] = {}
    for source, agent, number in connection.execute(rows):
        found.setdefault(source, {})[agent] = number
    return {source: agents for source, agents in found.items() if len({*map(author_of, agents)}) > 1}


def label(connection: Connection, agent: str, number: int) -> str:
    """The name of the file that was last handed in as this version of the agent; empty if none was."""
    handed_in = (
        select(Submission.label)
        .join(Version, Version.id == Submission.version)
        .where(Submission.author == agent, Version.number == number)
        .order_by(Submission.id.desc())
    )
    return connection.execute(handed_in.limit(1)).scalar() or ""


def games_since(connection: Connection, tournament: int, version: int, since: datetime) -> list[VersionGame]:
    """The games of that version that finished after this time, in that order."""
    rows = connection.execute(_GAMES_SINCE, {"tournament": tournament, "version": version, "since": instant(since)})
    return [VersionGame(*row) for row in rows]


def game_in_progress(connection: Connection, tournament: int, version: int) -> int | None:
    """The id of a game that this version is playing; None if there is none."""
    playing = (
        select(Game.id)
        .join(Seat, Seat.game == Game.id)
        .where(Game.tournament == tournament, Game.status == "playing", Seat.version == version)
    )
    return connection.execute(playing.limit(1)).scalar()


# Extensions.


def extend(
    connection: Connection, tournament: int, author: str, until: datetime, *, reason: str, now: datetime
) -> None:
    """Give an author until that time."""
    connection.execute(
        insert(Extension).values(
            tournament=tournament, author=author, until=instant(until), reason=reason, made=instant(now)
        )
    )


def extension(connection: Connection, tournament: int, author: str) -> datetime | None:
    """Until when that author has been given time; None without an extension."""
    return extensions(connection, tournament).get(author)


def extensions(connection: Connection, tournament: int) -> dict[str, datetime]:
    """Until when each author with an extension has been given time."""
    rows = select(Extension.author, Extension.until).where(Extension.tournament == tournament).order_by(Extension.id)
    return {author: datetime.fromisoformat(until) for author, until in connection.execute(rows)}


def newest_extension(connection: Connection, tournament: int) -> int:
    """The number of the last decision about somebody's time; 0 without one."""
    return connection.execute(select(func.max(Extension.id)).where(Extension.tournament == tournament)).scalar() or 0


def last_extension(connection: Connection, tournament: int) -> datetime | None:
    """The latest time that any author has; None without an extension."""
    last = select(func.max(Extension.id)).where(Extension.tournament == tournament).group_by(Extension.author)
    found = connection.execute(select(func.max(Extension.until)).where(Extension.id.in_(last))).scalar()
    return None if found is None else datetime.fromisoformat(found)


# Ratings.


def add_ratings(connection: Connection, tournament: int, ratings: Iterable[NewRating], now: datetime) -> None:
    """Write these ratings, all with this time."""
    when = instant(now)
    _RATING.run(connection, *((tournament, one.version, when, one.rating, one.error, one.games) for one in ratings))


def standings(connection: Connection, tournament: int) -> list[LadderLine]:
    """The players with their last ratings: the best first, those without a rating last."""
    rows = connection.execute(_STANDINGS, {"tournament": tournament}).mappings()
    return [LadderLine(**{**row, "rated": moment_of(row["rated"])}) for row in rows]


def last_rated(connection: Connection, name: str) -> datetime | None:
    """When ratings of the ladder of that name were last computed; None if never."""
    here = select(Tournament.id).where(Tournament.name == name).scalar_subquery()
    last = select(Rating.time).where(Rating.tournament == here).order_by(Rating.id.desc()).limit(1)
    return moment_of(connection.execute(last).scalar())


def versions(connection: Connection, tournament: int, name: str) -> list[tuple[int, int]]:
    """The versions of an agent that play or played on the ladder, oldest first: the row id and number of each."""
    submitted = select(Submission.version).where(Submission.tournament == tournament, Submission.author == name)
    entered = select(Entry.version).where(Entry.tournament == tournament, Entry.name == name)
    of_agent = select(Version.id, Version.number).where(Version.id.in_(submitted) | Version.id.in_(entered))
    return [(id, number) for id, number in connection.execute(of_agent.order_by(Version.number))]


def curve(connection: Connection, tournament: int, version: int) -> list[RatingPoint]:
    """All ratings of a version, oldest first."""
    rows = (
        select(Rating.time, Rating.rating, Rating.error, Rating.games)
        .where(Rating.tournament == tournament, Rating.version == version)
        .order_by(Rating.id)
    )
    return [
        RatingPoint(datetime.fromisoformat(time), rating, error, games)
        for time, rating, error, games in connection.execute(rows)
    ]


_RATING: Final = PreparedGame(insert(Rating), "tournament", "version", "time", "rating", "error", "games")
_GAMES_SINCE: Final = text(
    """
    SELECT game.id, game.number, other.name, own.points, game.verdict
    FROM seat AS own JOIN game ON game.id = own.game
    JOIN seat AS other ON other.game = game.id AND other.seat <> own.seat
    WHERE own.version = :version AND game.tournament = :tournament AND game.finished > :since
    ORDER BY game.finished, game.id
    """
)
_STANDINGS: Final = text(
    """
    SELECT entry.name AS name, entry.status AS status, version.id AS version, version.number AS number,
           version.source AS source, version.started_as AS started_as,
           rating.rating AS rating, rating.error AS error, COALESCE(rating.games, 0) AS games, rating.time AS rated
    FROM entry JOIN version ON version.id = entry.version
    LEFT JOIN rating ON rating.id = (
        SELECT MAX(last.id) FROM rating AS last
        WHERE last.tournament = entry.tournament AND last.version = entry.version)
    WHERE entry.tournament = :tournament
    ORDER BY rating.rating IS NULL, rating.rating DESC, entry.name
    """
)
"""One index lookup for each player; the histories are not read."""


# The rows of challenges: who wanted a game that counts nowhere, against whom, and what became of it.


_OPEN_CHALLENGES: Final = ("scheduled", "playing")


class StoredChallenge(Struct, frozen=True):
    """One challenge, with its game."""

    game: ScheduledGame
    author: str
    """Who wanted it."""
    made: datetime
    words: str
    """Why it was not played; empty unless it was cancelled."""
    verdict: str | None
    points: tuple[float | None, ...]
    """Of each seat."""


def add_challenge(connection: Connection, ladder: int, author: str, game: ScheduledGame, now: datetime) -> int:
    """Insert a challenge that waits for its game; return the row id of the game."""
    (id,) = store.schedule(connection, None, [game])
    connection.execute(insert(Challenge).values(game=id, tournament=ladder, author=author, made=instant(now), words=""))
    return id


def count_challenges(connection: Connection, ladder: int) -> int:
    """How many challenges there were on the ladder."""
    made = select(func.count()).where(Challenge.tournament == ladder)
    return int(connection.execute(made).scalar_one())


def open_challenge_of(connection: Connection, ladder: int, author: str) -> int | None:
    """The game of the author's challenge that waits or is played; None if there is none."""
    found = (
        _games(ladder).with_only_columns(Game.id).where(Challenge.author == author, Game.status.in_(_OPEN_CHALLENGES))
    )
    return connection.execute(found.limit(1)).scalar()


def challenges_since(connection: Connection, ladder: int, author: str, since: datetime) -> int:
    """How many challenges the author has made since this time; one that was not played does not count."""
    made = _games(ladder).with_only_columns(func.count())
    made = made.where(Challenge.author == author, Challenge.made >= instant(since), Game.status != "cancelled")
    return int(connection.execute(made).scalar_one())


def latest_challenges(connection: Connection, ladder: int, author: str, *, most: int) -> list[StoredChallenge]:
    """The author's last challenges, the newest first."""
    return _challenges(connection, _games(ladder).where(Challenge.author == author), most)


def waiting_challenges(connection: Connection, ladder: int) -> list[StoredChallenge]:
    """The challenges that wait for their games, the oldest first."""
    return _challenges(connection, _games(ladder).where(Game.status == "scheduled"))[::-1]


def challenge_of_game(connection: Connection, game: int) -> tuple[str, str] | None:
    """The name of the ladder on which the game is a challenge, and why it was not played; None for another game."""
    row = select(Tournament.name, Challenge.words).join(Challenge, Challenge.tournament == Tournament.id)
    found = connection.execute(row.where(Challenge.game == game)).first()
    return None if found is None else (found[0], found[1])


def begin_challenge(
    connection: Connection, game: int, versions: Mapping[str, int], opening: str | None, now: datetime
) -> bool:
    """Begin the game with these versions, by the players' names; False if it does not wait any more."""
    if connection.execute(select(Game.status).where(Game.id == game)).scalar() != "scheduled":
        return False
    for name, version in versions.items():
        connection.execute(update(Seat).where(Seat.game == game, Seat.name == name).values(version=version))
    connection.execute(update(Game).where(Game.id == game).values(opening=opening))
    store.begin(connection, game, now)
    return True


def cancel_challenge(connection: Connection, game: int, words: str) -> None:
    """The game is not played; `words` say why. No effect if it does not wait any more."""
    waits = update(Game).where(Game.id == game, Game.status == "scheduled")
    if connection.execute(waits.values(status="cancelled")).rowcount:
        connection.execute(update(Challenge).where(Challenge.game == game).values(words=words))


def interrupt_challenges(connection: Connection, ladder: int) -> None:
    """The game in progress waits again: the referee that played it has ended."""
    of_ladder = select(Challenge.game).where(Challenge.tournament == ladder)
    playing = update(Game).where(Game.id.in_(of_ladder), Game.status == "playing")
    connection.execute(playing.values(status="scheduled", started=None))


def _games(ladder: int) -> Any:
    columns = (Challenge.author, Challenge.made, Challenge.words, Game.verdict)
    return select(*ATTEMPT, *columns).join(Challenge, Challenge.game == Game.id).where(Challenge.tournament == ladder)


def _challenges(connection: Connection, chosen: Any, most: int | None = None) -> list[StoredChallenge]:
    rows = connection.execute(chosen.order_by(Challenge.id.desc()).limit(most)).all()
    seats = select(Seat.game, Seat.version, Seat.name, Seat.points).where(Seat.game.in_([row.id for row in rows]))
    players: dict[int, list[tuple[int, str, float | None]]] = {}
    for game, version, name, points in connection.execute(seats.order_by(Seat.game, Seat.seat)):
        players.setdefault(game, []).append((version, name, points))
    return [
        StoredChallenge(
            game=ScheduledGame(**attempt(row), seats=tuple([player[:2] for player in players[row.id]])),
            author=row.author,
            made=datetime.fromisoformat(row.made),
            words=row.words,
            verdict=row.verdict,
            points=tuple([points for *_, points in players[row.id]]),
        )
        for row in rows
    ]
