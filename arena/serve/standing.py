"""Builds the standing process of a ladder from its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from arena.players.confinement import Confinement
from arena.players.submissions import Store
from arena.serve.challenges import Challenges
from arena.serve.checks import Checks
from arena.serve.dated import DatedTournaments
from arena.serve.happenings import Happening, Notice, SubmissionWatch
from arena.serve.intake import IntakeProcess
from arena.serve.invited import InvitedGames
from arena.serve.kept import Kept
from arena.serve.ladder_games import LadderGames
from arena.serve.opened import OpenLadder
from arena.serve.page_link import WantGame
from arena.serve.rater import RaterProcess
from arena.serve.serving import Parts, Serving
from arena.serve.submissions import AFTER_GRACE, GRACE
from arena.serve.wanted_game import Invitation, planned
from arena.tournament.recorded_games import Wait
from arena.walls.run_folder import RunFolder
from db.database import Database


@contextmanager
def standing(
    ladder: OpenLadder,
    database: Database,
    store: Store,
    folder: RunFolder,
    *,
    wait: Wait,
    tell: Callable[[Happening], None],
    start_pages: Callable[[InvitedGames], Kept[Any]] | None = None,
    now: Callable[[], datetime],
) -> Iterator[Serving]:
    """The standing process of `ladder`; its rater runs until the end of the `with` block, and is killed if that ends by
    a KeyboardInterrupt. `start_pages` starts the page server, for which games with people are played."""

    def say(text: str) -> None:
        tell(Notice(text))

    def plan(wanted: WantGame, number: int) -> Invitation:
        return planned(wanted, serving.ladder, games.player, number=number)

    people = InvitedGames(database, wait, plan)
    pages = None if start_pages is None else start_pages(people)
    confinement = Confinement(folder.scratch, ladder.rules, ladder.ladder.league.conditions)
    with database.reading() as connection:
        submissions = SubmissionWatch(connection, ladder.id)
    games = LadderGames(ladder, database, store, confinement, wait=wait, say=say)
    challenges = Challenges(ladder, database, games.player, wait=wait, now=now)
    parts = Parts(
        people=people,
        checks=Checks(
            ladder,
            database,
            store,
            scratch=folder.scratch,
            wait=wait,
            entered=lambda _: games.reload(),
            now=now,
        ),
        challenges=challenges,
        games=games,
        dated=DatedTournaments(
            ladder,
            database,
            store,
            folder,
            wait,
            now,
            ladder_is_over=lambda: games.is_over and not challenges.is_playing,
            say=say,
            uploads_end_after=timedelta(0) if pages is None else GRACE + AFTER_GRACE,
        ),
    )
    serving = Serving(
        ladder,
        database,
        folder,
        parts,
        submissions=submissions,
        start_rater=partial(RaterProcess, folder, database, ladder.id),
        start_intake=partial(IntakeProcess, folder, database, store, ladder.name),
        pages=pages,
        tell=tell,
        now=now,
    )
    with closing(serving):
        try:
            yield serving
        except KeyboardInterrupt:
            serving.kill_rater()
            raise
        except Exception as error:
            parts.checks.ends_by = error
            raise
