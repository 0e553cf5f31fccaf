"""Challenges on a ladder of real processes: they are played while rated games go on, also when processes are killed."""

from __future__ import annotations

import os
import random
import signal
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.serve.challenges import challenge
from arena.serve.messages import nudge
from arena.serve.open_ladders import opened
from db.bundles import store_beside
from db.database import Database
from tests.kit.effort import PATIENCE, tries
from tests.kit.ladder_room import LadderRoom

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def challenged(room: LadderRoom, author: str, opponent: str) -> int:
    """A challenge, as the page server writes it."""
    with Database(str(room.folder / "arena.db")) as database:
        with database.reading() as connection:
            ladder = opened(connection)
        game = challenge(database, ladder, author, author, opponent, datetime.now(UTC))
        nudge(store_beside(database.file).absolute(), ladder.name)
    return game


@pytest.mark.costly(seconds=40)
def test_whatever_is_killed_a_challenge_is_played_once_while_rated_games_go_on(tmp_path: Path) -> None:
    drawn = random.Random(5)
    with LadderRoom(tmp_path) as room:
        room.serve()
        for author in ("alice", "bob"):
            room.submit(author).communicate(timeout=PATIENCE)
        room.wait_until_checked()
        (before,) = room.rows("SELECT COUNT(*) FROM game WHERE kind = 'ladder' AND status = 'finished'")
        games = []
        for victim in ("director", "referee", "player", "group") * tries(1, soak=5):
            games += [challenged(room, "alice", "bob"), challenged(room, "bob", "random")]
            for game in games[-2:]:
                if drawn.randrange(2):
                    room.wait_until_none(f"SELECT id FROM game WHERE id = {game} AND status = 'scheduled'")
                hurt(room, victim, drawn)
            room.wait_until_none("SELECT id FROM game WHERE kind = 'challenge' AND status IN ('scheduled', 'playing')")
        of_challenges = "SELECT game, status, words FROM challenge JOIN game ON game.id = game ORDER BY game"
        assert [row[0] for row in room.rows(of_challenges)] == games
        assert {(status, words) for _, status, words in room.rows(of_challenges)} <= {("finished", ""), ("void", "")}
        assert room.rows("SELECT id FROM v_game WHERE kind = 'challenge' AND (counts OR attempt > 1)") == []
        (after,) = room.rows("SELECT COUNT(*) FROM game WHERE kind = 'ladder' AND status = 'finished'")
        assert after > before
        assert room.stop() == 0
        room.assert_whole()


def hurt(room: LadderRoom, victim: str, drawn: random.Random) -> None:
    """Kills one of the ladder's processes, and starts a server again that was killed."""
    if victim in ("director", "group"):
        room.kill(group=victim == "group")
        room.serve()
        return
    process = room.awaited("play.referee") if victim == "referee" else drawn.choice([*room.players(), None])
    if process is not None:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(process, signal.SIGKILL)
