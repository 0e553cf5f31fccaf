"""A ladder in the database: opens it, reads it, and changes what may change while it stands.

The ladder is a tournament of the format "ladder"; its settings hold the whole description, so that no process needs the
file to know the ladder's rules and limits. Functions that write need an open transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace as changed
from datetime import datetime
from typing import Any, Final

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from adsearch.errors import nearly, quote
from arena.errors import BadLeague
from arena.history import words
from arena.serve.ladder import ANCHORS, FINAL, Ladder
from arena.tournament import formats
from arena.tournament.description import what_is_wrong_with
from arena.tournament.league import League, revived, settings_of
from arena.tournament.league import changes_between as changes
from arena.tournament.league import with_form as form_of_league
from db import ladder as record
from db import lookup, running, store
from db.database import Connection
from db.errors import NotFound
from db.records import GameKind, in_zone

_TERMS: Final = "ladder"
"""The key of the settings for what is not in the settings of every tournament."""
_CLOSED_EARLY: Final = "closed_early"
"""The key of the settings for the time of closing in the description, if `close` replaced it."""
_NO_CHALLENGES: Final = "no_challenges"
"""The key of the settings for whether an instructor has turned challenges off."""


class OpenLadder(Struct, frozen=True):
    """A ladder that has been opened; it stays one after its close."""

    id: int
    """The row id of its tournament."""
    name: str
    ladder: Ladder
    rules: str
    """The game's text for the referee: paths of user-supplied files lead into the store."""
    seed: int
    seats_key: int | None
    """The key of the seats' seeds; None: an older version opened the ladder, and they come from `seed`."""
    anchors: Mapping[str, float]
    """The held ratings."""
    no_challenges: bool = False
    """Whether an instructor has turned challenges off, whatever the description says."""

    @property
    def opens(self) -> datetime:
        """The first moment of submissions."""
        assert self.ladder.opens is not None  # set by `open_ladder`
        return self.ladder.opens

    def until(self, extended: datetime | None) -> datetime:
        """The last moment of submissions of an author with this extension, in the ladder's time zone."""
        return self.closes if extended is None else in_zone(max(extended, self.closes), self.ladder.zone)

    @property
    def closes(self) -> datetime:
        """The last moment of submissions, for authors without an extension."""
        return self.ladder.closes

    @property
    def final(self) -> str:
        """The name of the tournament after the close."""
        return final_of(self.name)


def open_ladder(
    connection: Connection, ladder: Ladder, *, rules: str, ratings: Mapping[str, float], now: datetime
) -> OpenLadder:
    """Records the ladder and enters its anchors. `ratings`: one for each anchor; they never change."""
    ladder = _with_rules(with_form(replace(ladder, opens=ladder.opens or now), None), rules)
    league = ladder.league
    seed, seats_key = league.drawn()
    id = store.create_tournament(
        connection,
        ladder.name,
        format=record.FORMAT,
        rules=rules,
        clock=league.conditions.clock,
        seed=seed,
        seats_key=seats_key,
        settings=_settings(ladder, rules, ratings, {}),
        now=now,
    )
    versions = {
        anchor.name: store.version(connection, anchor.name, anchor.player_text, anchor.player_text, now)
        for anchor in ladder.anchors
    }
    store.set_status(connection, id, "stopped", now)  # until a process runs it
    for name, version in versions.items():
        store.enter(connection, id, name, version)
    rated = [record.NewRating(version, ratings[name], 0.0, 0) for name, version in versions.items()]
    record.add_ratings(connection, id, rated, now)
    return OpenLadder(id, ladder.name, ladder, rules, seed, seats_key, dict(ratings))


def opened(connection: Connection, name: str | None = None) -> OpenLadder:
    """The ladder of that name; without a name the only one, or the only one whose final is not over.

    NotFound says which ladders there are, and whether this one is being prepared."""
    ladders = record.ladders(connection)
    if name not in ladders and (name is not None or not ladders):
        _refuse_while_prepared(connection, name, ladders)
    if not ladders:
        raise NotFound("there is no ladder in this database; `arena ladder open FILE.toml` opens one")
    found = [one for one in ladders if one == name] if name is not None else ladders
    if len(found) > 1:
        found = [one for one in found if not _is_decided(connection, one)]
    if len(found) == 1:
        return _read(connection, found[0])
    names = ", ".join(map(quote, ladders))
    if name is None:
        raise NotFound(f"expected the name of a ladder, because there are several: {names}")
    raise NotFound(f"there is no ladder {quote(name)}{nearly(name, ladders) or f'; the ladders are: {names}'}")


def ladder_of(connection: Connection, tournament: str) -> OpenLadder | None:
    """The ladder whose `arena serve` plays the games of this tournament; None if `arena run` plays them."""
    for ladder in (_read(connection, name) for name in record.ladders(connection)):
        if tournament in (ladder.name, ladder.final, *(one.league.name for one in ladder.ladder.tournaments)):
            return ladder
    return None


def exists(connection: Connection, name: str) -> bool:
    """Whether that ladder was opened; BadLeague if the name is another tournament's."""
    row = running.tournament(connection, name)
    if row is not None and row["format"] != record.FORMAT:
        raise BadLeague(
            f"the tournament {quote(name)} in this database is not a ladder ({row['format']}); set another name in the "
            "description"
        )
    return row is not None


def updated(connection: Connection, ladder: Ladder, *, rules: str, now: datetime) -> OpenLadder:
    """The recorded ladder, with its description as it is now; BadLeague if it has changed too much. A description
    without `opens` opens it now."""
    row = running.tournament(connection, ladder.name)
    if row is None:
        raise NotFound(f"there is no ladder {quote(ladder.name)}")
    record.lock_submissions(connection, row["id"])  # the final does not begin meanwhile
    before = _read(connection, ladder.name)
    ladder = replace(ladder, opens=ladder.opens or min(before.opens, now))
    ladder = _with_rules(with_form(ladder, row), rules)
    _refuse_changes(row, before, ladder, rules)
    closed_early = row["settings"].get(_CLOSED_EARLY)
    settings = _settings(ladder, rules, before.anchors, row["settings"])
    if closed_early is not None and datetime.fromisoformat(closed_early) == ladder.closes:
        ladder = replace(ladder, closes=before.closes)
        settings = _settings(ladder, rules, before.anchors, row["settings"]) | {_CLOSED_EARLY: closed_early}
    if ladder.closes != before.closes:
        _refuse_after_final(connection, before, "closes")
    if settings != row["settings"]:
        store.change_settings(connection, before.id, settings)
    return replace(before, ladder=ladder)


def close(connection: Connection, ladder: OpenLadder, now: datetime) -> OpenLadder:
    """Closes the ladder now, until its description gives another time; no effect if it is closed."""
    if ladder.closes <= now:
        return ladder
    settings = running.settings(connection, ladder.id)
    earlier = settings.get(_CLOSED_EARLY, ladder.closes.isoformat())
    closed = replace(ladder, ladder=replace(ladder.ladder, closes=now))
    document = _settings(closed.ladder, closed.rules, closed.anchors, settings) | {_CLOSED_EARLY: earlier}
    store.change_settings(connection, ladder.id, document)
    return closed


def reopen(connection: Connection, ladder: OpenLadder, now: datetime) -> OpenLadder:
    """Opens a ladder again that `close` has closed, until the time in its description; BadLeague if that is not
    possible."""
    record.lock_submissions(connection, ladder.id)  # the final does not begin meanwhile
    settings = running.settings(connection, ladder.id)
    closed_early = settings.get(_CLOSED_EARLY)
    if now < ladder.closes:
        raise BadLeague(f"the ladder {quote(ladder.name)} is open until {words.moment(ladder.closes)}")
    _refuse_after_final(connection, ladder, "opening again")
    closes = ladder.closes if closed_early is None else datetime.fromisoformat(closed_early)
    if closes <= now:
        raise BadLeague(
            f"the time to hand in to ladder {quote(ladder.name)} ended on {words.moment(closes)}: give a later time in "
            "its description, then `arena ladder open FILE.toml`"
        )
    reopened = replace(ladder, ladder=replace(ladder.ladder, closes=closes))
    store.change_settings(connection, ladder.id, _settings(reopened.ladder, reopened.rules, reopened.anchors, settings))
    return reopened


def allow_challenges(connection: Connection, ladder: OpenLadder, allowed: bool) -> OpenLadder:
    """Turns challenges on as the description has them, or off."""
    settings = running.settings(connection, ladder.id) | {_NO_CHALLENGES: not allowed}
    store.change_settings(connection, ladder.id, settings)
    return replace(ladder, no_challenges=not allowed)


def is_closed_early(connection: Connection, ladder: OpenLadder) -> bool:
    """Whether `close` has closed the ladder before the time in its description."""
    return _CLOSED_EARLY in running.settings(connection, ladder.id)


def extend(
    connection: Connection,
    ladder: OpenLadder,
    author: str,
    until: datetime,
    *,
    reason: str,
    now: datetime,
    invited: Collection[str] = (),
) -> None:
    """Gives an author time after the close, instead of what was given before. The time of the close, to the minute,
    takes it back, for good: it does not count after an earlier close either.

    `invited`: authors with an account. If there are any, nobody else can be given time before they hand in; without
    accounts anyone can hand in. BadLeague if that is not possible."""
    record.lock_submissions(connection, ladder.id)  # the final does not begin meanwhile
    if invited and author not in (known := authors(connection, ladder, invited)):
        raise BadLeague(
            f"the ladder {quote(ladder.name)} has no author {quote(author)}: nobody of this name was invited or has "
            f"handed in{nearly(author, sorted(known))}"
        )
    if wrong := what_is_wrong_with(author):
        raise BadLeague(f"author: {wrong}")
    if author in ladder.anchors or record.SECOND_AGENT in author:
        raise BadLeague(f"expected the name of an author, got {quote(author)}")
    takes_back = _minute(until) == _minute(ladder.closes)
    if not takes_back and (until <= now or until < ladder.closes):
        raise BadLeague(
            f"until: expected a time to come, not before the ladder closes ({words.moment(ladder.closes)}), "
            f"got {words.moment(until)}"
        )
    if not reason.strip():
        raise BadLeague("reason: expected a text")
    _refuse_after_final(connection, ladder, "extensions")
    until = min(now, until) if takes_back else until
    record.extend(connection, ladder.id, author, until, reason=reason.strip(), now=now)


def authors(connection: Connection, ladder: OpenLadder, invited: Iterable[str] = ()) -> set[str]:
    """Everyone who can hand in to the ladder, as far as known; `invited`: those with an account."""
    entered = lookup.entry_statuses(connection, ladder.id).keys() - ladder.anchors
    handed_in = map(record.author_of, (*entered, *record.submitted_names(connection, ladder.id)))
    return {*handed_in, *invited, *record.extensions(connection, ladder.id)}


def _minute(time: datetime) -> datetime:
    """The time as it is shown everywhere."""
    return time.replace(second=0, microsecond=0)


def final_of(ladder: str) -> str:
    """The name of the tournament after the close of this ladder."""
    return f"{ladder} {FINAL}"


def ladder_before(final: str) -> str:
    """The name of the ladder whose final would have this name; empty if it is no name of a final."""
    return final.removesuffix(f" {FINAL}") if final.endswith(f" {FINAL}") else ""


def with_final(name: str) -> tuple[str, str]:
    """A tournament, and the one after its close if it is a ladder."""
    return name, final_of(name)


def with_finals(rows: Sequence[lookup.TournamentRow]) -> list[lookup.TournamentRow]:
    """All tournaments; a ladder is finished with its final, whatever `arena serve` still does."""
    finals = {row.name: row for row in rows if row.status == "finished"}
    return [
        replace(row, status=final.status, finished=final.finished)
        if row.format == record.FORMAT and (final := finals.get(final_of(row.name))) is not None
        else row
        for row in rows
    ]


def _refuse_while_prepared(connection: Connection, name: str | None, ladders: Sequence[str]) -> None:
    """NotFound if this ladder, or without a name any ladder, waits for its first ratings: `opening.py` records the
    games of its anchors as a tournament, and the ladder after them."""
    for row in lookup.tournaments(connection):
        ladder = row.name.removesuffix(f" {ANCHORS}")
        if row.name != ladder and ladder not in ladders and name in (None, ladder):
            raise NotFound(
                f"the ladder {quote(ladder)} is being prepared: {row.played} of {row.games} games that rate its "
                "anchors are over; try again after them; if no process plays them, start `arena serve FILE.toml`"
            )


def _is_decided(connection: Connection, ladder: str) -> bool:
    final = running.tournament(connection, final_of(ladder))
    return final is not None and final["status"] == "finished"


def _read(connection: Connection, name: str) -> OpenLadder:
    row = running.tournament(connection, name)
    assert row is not None
    settings = row["settings"]
    league = revived(settings, GameKind.LADDER)
    league |= {"game": row["rules"], "game_text": settings["game"], "seats": 2, "agents": []}
    league["format"] = formats.default(2)()  # a ladder's own games are of no format
    terms = settings[_TERMS]
    final = revived(terms["final"])
    dated = [one | {"league": revived(one["league"])} for one in terms["tournaments"]]
    ladder = convert({**terms, "league": league, "final": final, "tournaments": dated}, Ladder)
    ladder = replace(ladder, closes=in_zone(ladder.closes, ladder.zone))
    ratings = {agent["name"]: agent["anchor"] for agent in settings["agents"]}
    return OpenLadder(
        id=row["id"],
        name=name,
        ladder=ladder,
        rules=row["rules"],
        seed=row["seed"],
        seats_key=row["seats_key"],
        anchors=ratings,
        no_challenges=settings.get(_NO_CHALLENGES, False),
    )


def _settings(ladder: Ladder, rules: str, ratings: Mapping[str, float], before: Mapping[str, Any]) -> dict[str, Any]:
    """The description as JSON values, with what an instructor has set in the settings `before`. The anchors are listed
    as agents, as in other tournaments."""
    terms = to_builtins(ladder)
    del terms["league"]
    terms["final"] = ladder.final.document()
    terms["tournaments"] = [to_builtins(one) | {"league": one.league.document()} for one in ladder.tournaments]
    agents = [{"name": one.name, "player": one.player_text, "anchor": ratings[one.name]} for one in ladder.anchors]
    document = {"format": record.FORMAT, "rules": rules, "agents": agents, _TERMS: terms}
    return ladder.league.settings() | document | {key: before[key] for key in before.keys() & {_NO_CHALLENGES}}


def with_form(ladder: Ladder, row: Mapping[str, Any] | None) -> Ladder:
    """The ladder, whose agents search in one form of adsearch in all its tournaments; `row`: as for a league."""
    league = form_of_league(ladder.league, row)
    form = league.conditions.adsearch

    def same(other: League) -> League:
        return changed(other, conditions=replace(other.conditions, adsearch=form))

    dated = tuple(replace(one, league=same(one.league)) for one in ladder.tournaments)
    return replace(ladder, league=league, final=same(ladder.final), tournaments=dated)


def _with_rules(ladder: Ladder, rules: str) -> Ladder:
    """The ladder with the recorded rules in all its tournaments: the files of the description can change later."""
    return replace(
        ladder,
        league=changed(ladder.league, game=rules),
        final=changed(ladder.final, game=rules),
        tournaments=tuple(replace(one, league=changed(one.league, game=rules)) for one in ladder.tournaments),
    )


def _refuse_changes(row: Mapping[str, Any], before: OpenLadder, ladder: Ladder, rules: str) -> None:
    def settings(league_settings: Mapping[str, Any]) -> dict[str, Any]:
        return {**league_settings, "format": record.FORMAT, "agents": []}

    refused = list(changes(settings(settings_of(row)), settings(ladder.league.settings())).refused)
    if row["rules"] != rules and not any(change.startswith("game:") for change in refused):
        refused.append("game: its rules have changed")
    listed = {anchor.name: anchor.rating for anchor in ladder.anchors}
    same = listed.keys() == before.anchors.keys()
    if not same or any(rating not in (None, before.anchors[name]) for name, rating in listed.items()):
        refused.append("anchors")
    if refused:
        raise BadLeague(
            f"the ladder {quote(before.name)} was opened with another description ({'; '.join(refused)}). While it is "
            "open you can change its limits, challenges, times, final and tournaments; for other changes, open a "
            "ladder with another name"
        )


def _refuse_after_final(connection: Connection, ladder: OpenLadder, what: str) -> None:
    if running.tournament(connection, ladder.final) is not None:
        raise BadLeague(f"{what}: not possible any more, because the tournament {quote(ladder.final)} has begun")
