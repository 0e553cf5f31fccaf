"""Opens a ladder from its description, or takes over what has changed in it: for `arena ladder open` and `arena serve`.

Anchors without a rating first play a tournament of their own, "cs101 anchors". It is recorded like any other: if it is
interrupted, the next call goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from adsearch.errors import quote
from arena.errors import BadLeague
from arena.history import words
from arena.match.schedule import Finished
from arena.play import cores
from arena.play.director import Director
from arena.players.entrants import check_form
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.ratings import bradley_terry
from arena.ratings.duels import duels
from arena.serve.ladder import ANCHORS, Ladder
from arena.serve.open_ladders import OpenLadder, exists, open_ladder, updated, with_form
from arena.tournament import formats, host
from arena.tournament import league as leagues
from arena.tournament.league import League, ListedAgent
from arena.tournament.lock import tournament_lock
from arena.tournament.recorded_games import Wait
from arena.tournament.tournament import Tournament
from arena.walls.run_folder import RunFolder
from db import running
from db.database import Database

ROUNDS: Final = 10
"""How often each two anchors meet."""
_MOST_FAULTS: Final = 0.1
"""Largest part of an anchor's games that it may lose by a fault."""
_REPORTS: Final = 5
"""Number of reports while the anchors play."""

Say = Callable[[str], None]


def open_or_update(
    ladder: Ladder, database: Database, store: Store, *, wait: Wait, say: Say, now: Callable[[], datetime]
) -> OpenLadder:
    """The ladder, opened if it was not open yet; BadLeague if it stands with another description."""
    rules = store.take_game(ladder.league.game)
    with database.writing() as connection:
        if exists(connection, ladder.name):
            found = updated(connection, ladder, rules=rules, now=now())
            check_form(found.ladder.league.conditions.adsearch)
            return found
    if ladder.closes <= now():
        raise BadLeague(f"{ladder.name}: closes: expected a time to come, got {words.moment(ladder.closes)}")
    for one in ladder.tournaments:
        if one.starts <= now():
            raise BadLeague(
                f"{one.league.name}: starts: expected a time to come, got {words.moment(one.starts)}; it would begin "
                "without agents"
            )
    with database.reading() as connection:
        rated_in = with_form(ladder, running.tournament(connection, f"{ladder.name} {ANCHORS}"))
    check_form(rated_in.league.conditions.adsearch)
    ratings = ratings_of_anchors(rated_in, database, store, wait=wait, say=say)
    with database.writing() as connection:
        if exists(connection, ladder.name):  # another process has opened it meanwhile
            return updated(connection, ladder, rules=rules, now=now())
        return open_ladder(connection, rated_in, rules=rules, ratings=ratings, now=now())


def ratings_of_anchors(
    ladder: Ladder, database: Database, store: Store, *, wait: Wait, say: Say
) -> Mapping[str, float]:
    """The given ratings, and those of the other anchors from games between all of them.

    If no rating is given, the first anchor has 0."""
    given = {anchor.name: anchor.rating for anchor in ladder.anchors if anchor.rating is not None}
    held = given or {ladder.anchors[0].name: 0.0}
    if len(held) == len(ladder.anchors):
        return held
    league = _tournament_of_anchors(ladder)
    with tournament_lock(store.folder, league.name, database=database), RunFolder() as folder:
        tournament = Tournament.begin(league, database, store, scratch=folder.scratch, wait=wait)
        try:
            _play(tournament, folder, say)
        finally:
            tournament.close()
    _refuse_faults(tournament)
    fit = bradley_terry.fit(duels(tournament.rated_so_far()), held=held)
    ratings = dict(zip(fit.names, fit.ratings, strict=True))
    return {anchor.name: round(float(ratings[anchor.name]), 1) for anchor in ladder.anchors}


def _refuse_faults(tournament: Tournament) -> None:
    """BadLeague if an anchor lost many games by a fault, such as its time: its rating would depend on the machine."""
    league = tournament.league
    for line in tournament.standings().lines:
        faults = sum(line.faults.values())
        if faults > _MOST_FAULTS * line.games:
            verdicts = ", ".join(f"{verdict} {count}" for verdict, count in line.faults.items())
            raise BadLeague(
                f"{league.name}: {quote(line.name)} lost {faults} of {line.games} games by a fault ({verdicts}): "
                "choose faster anchors or a longer clock, and give the ladder another name"
            )


def _tournament_of_anchors(ladder: Ladder) -> League:
    name = f"{ladder.name} {ANCHORS}"
    league = replace(ladder.league, name=name, format=formats.default(2)(rounds=ROUNDS), quarantine=0)
    listed = [ListedAgent(one.name, one.player_text, read_player(one.player_text)) for one in ladder.anchors]
    return leagues.with_agents(league, listed)


def _play(tournament: Tournament, folder: RunFolder, say: Say) -> None:
    if tournament.is_over:
        return
    league = tournament.league
    say(f"rating the anchors: {tournament.all} games of {len(league.agents)} built-in agents")
    every = max(1, tournament.all // _REPORTS)
    with Director(folder, at_once=league.at_once(cores.count()), cores_a_game=league.cores_a_game) as director:
        host.measured_speed()  # while the referee starts
        for event in director.play(tournament):
            if isinstance(event, Finished) and tournament.over % every == 0:
                say(f"  {tournament.over} of {tournament.all} games are over")
