"""A ladder with all its processes: random kills, an hour with forty agents, and the final."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from arena.serve.ladder_games import PLACEMENT_PAIRS
from tests.kit.arena_program import arena
from tests.kit.effort import PATIENCE, SOAK, SOAK_MINUTES, tries
from tests.kit.hand_in_room import AGENT
from tests.kit.ladder_room import VICTIMS, LadderRoom, hurt, sizes_of
from tests.kit.wrong_agents import wrong_agents

AT_RANDOM: Final = """\
import random
from agents import Agent

class Mine(Agent):
    def choose(self, state, clock):
        return random.Random(str(state)).choice(state.moves())
"""
AVOIDS_THE_FIRST: Final = """\
from agents import Agent

class Mine(Agent):
    def choose(self, state, clock):
        return state.moves()[-1]
"""
GOOD: Final = (AGENT, AT_RANDOM, AVOIDS_THE_FIRST)
BAD: Final = tuple(one.text for one in wrong_agents() if one.game == "connect4" and one.light == "failed")
PAUSE: Final = 60
"""Seconds between two submissions of an author in the hour."""
EVERY: Final = 10.0
"""Seconds between two submissions of anyone in the hour."""


@pytest.fixture
def room(tmp_path: Path) -> Iterator[LadderRoom]:
    with LadderRoom(tmp_path) as room:
        yield room


@pytest.mark.costly(seconds=10)
@pytest.mark.parametrize("seed", range(tries(1, soak=8)))
def test_whatever_is_killed_every_submission_reaches_its_end_and_no_game_is_played_twice(
    room: LadderRoom, seed: int
) -> None:
    """In `make soak` for ten minutes, with agents like those of students."""
    drawn = random.Random(seed)
    room.describe(games_at_once=1 + seed % 3, game="connect4" if SOAK else "nap")
    room.serve()
    until = time.monotonic() + 75 if SOAK else 0.0
    victims = drawn.sample(VICTIMS, len(VICTIMS))
    while victims or time.monotonic() < until:
        hurt(room, victims.pop() if victims else drawn.choice(VICTIMS), drawn, (*GOOD, *BAD) if SOAK else (AGENT,))
    room.wait_until_checked()
    room.wait_until_rated()
    assert room.stop() == 0
    room.assert_whole()


@pytest.mark.skipif(not SOAK, reason="an hour: SOAK=1")
@pytest.mark.timeout(SOAK_MINUTES * 60 + 2 * PATIENCE)
def test_forty_agents_play_for_an_hour_in_the_same_memory_and_nobody_waits(room: LadderRoom) -> None:
    """Authors hand in all the time: good and wrong agents, the same again, and too soon. Somebody watches."""
    drawn, authors = random.Random(40), [f"author{number}" for number in range(40)]
    room.describe(games_at_once=1, game="connect4", pause=PAUSE)
    room.serve()
    files = {author: room.new_file(drawn.choice(GOOD)) for author in authors}
    codes = Counter(_hand_in(room, author, file) for author, file in files.items())
    assert codes == {0: len(authors)}
    room.wait_until_checked()
    assert room.rows("SELECT words FROM submission WHERE state <> 'entered'") == []
    watcher, last = room.started("watch", "--tv", output=room.folder / "watched.txt"), authors[0]
    begin, sizes = time.monotonic(), list[dict[str, int]]()
    while time.monotonic() < begin + SOAK_MINUTES * 60:
        kind = drawn.choice(("good", "good", "bad", "same", "soon"))
        last = author = last if kind == "soon" else drawn.choice(authors)
        if kind != "same":
            files[author] = room.new_file(drawn.choice(BAD if kind == "bad" else GOOD))
        codes[_hand_in(room, author, files[author])] += 1
        sizes.append(room.sizes() | sizes_of(watcher.pid, "watcher"))
        until = begin + EVERY * len(sizes)
        while (left := until - time.monotonic()) > 0:
            room.line(left)
    assert watcher.poll() is None
    room.wait_until_checked()
    room.wait_until_rated()
    assert room.stop() == 0
    assert watcher.wait(PATIENCE) == 0
    room.assert_whole()
    print("exit codes of arena submit:", dict(codes))
    assert codes.keys() == {0, 2}
    ends = Counter(str(state) for (state,) in room.rows("SELECT state FROM submission"))
    print("submissions:", dict(ends))
    assert ends.keys() >= {"entered", "failed", "refused"}
    pauses = _pauses(room, authors)
    print("pauses, in mean pauses:", pauses)
    quarter = len(sizes) // 4
    grown = {
        name: (median(one[name] for one in sizes[quarter : 2 * quarter]), median(one[name] for one in sizes[-quarter:]))
        for name in sizes[0]
    }
    print("second and last quarter:", grown)
    if SOAK_MINUTES >= 30:  # in a few minutes there are too few pairs after the placement of all
        assert 1.0 <= max(pauses.values()) <= 2.0
    for name, (early, late) in grown.items():
        assert late <= 1.1 * early + 2, (name, grown)


def _hand_in(room: LadderRoom, author: str, file: Path) -> int:
    """The exit code of the command, which says why in one line if it is not 0."""
    with room.submit(author, file=file) as submit:
        out, _ = submit.communicate(timeout=PATIENCE)
    assert submit.returncode == 0 or (submit.returncode == 2 and out.count("\n") == 1), out
    return submit.returncode


def _pauses(room: LadderRoom, authors: list[str]) -> dict[str, float]:
    """The longest pause of each agent between two of its pairs, in mean pauses. Not of agents that were put aside.

    It begins when all are placed: until then they take turns against anchors, and all their pauses are the same."""
    rows = room.rows(
        "SELECT seat.name, (game.number + 1) / 2 FROM game JOIN seat ON seat.game = game.id "
        "WHERE game.leg = 0 AND game.attempt = 1 AND game.tournament IN (SELECT tournament FROM submission) "
        "ORDER BY game.number"
    )
    begun: dict[str, list[int]] = {author: [] for author in authors}
    for name, number in rows:
        begun.get(str(name), []).append(int(number))
    end = max(int(number) for _, number in rows) + 1
    begin = max(numbers[PLACEMENT_PAIRS] for numbers in begun.values())
    later = {name: [number for number in numbers if number >= begin] for name, numbers in begun.items()}
    mean = len(authors) * (end - begin) / sum(map(len, later.values()))
    aside = {line.split()[1] for line in room.printed if " is put aside after faults" in line}
    return {
        name: round(max(after - before for before, after in pairwise([begin, *numbers, end])) / mean, 2)
        for name, numbers in later.items()
        if name not in aside
    }


@pytest.mark.skipif(not SOAK, reason="some minutes: SOAK=1")
@pytest.mark.parametrize("victim", ["director", "group", "referee", "player"])
def test_a_final_in_which_something_is_killed_is_played_to_its_end(room: LadderRoom, victim: str) -> None:
    room.describe(games_at_once=1, game="connect4")
    room.serve()
    for number in range(4):
        assert _hand_in(room, f"author{number}", room.new_file(GOOD[number % len(GOOD)])) == 0
    room.wait_until_checked()
    assert _hand_in(room, "author0", room.new_file(AGENT)) == 0  # its check is not over at the close
    assert arena("ladder", "close", "cs101", cwd=room.folder).code == 0
    assert _hand_in(room, "author1", room.new_file(AGENT)) == 2
    room.wait_for(lambda line: "'cs101 final' is being played" in line)
    final = "FROM game JOIN tournament ON tournament.id = game.tournament WHERE tournament.name = 'cs101 final'"
    room.wait_until_none(f"SELECT 1 WHERE 3 > (SELECT COUNT(*) {final} AND game.status = 'finished')")
    if victim in ("director", "group"):
        room.kill(group=victim == "group")
        room.serve()
    else:
        process = room.process("play.referee") if victim == "referee" else room.players()[0]
        assert process is not None
        os.kill(process, signal.SIGKILL)
    room.wait_for(lambda line: "'cs101 final' is over" in line)
    room.wait_until_checked()
    assert room.stop() == 0
    room.assert_whole()
    assert room.rows(f"SELECT game.id {final} AND game.status = 'scheduled'") == []
    shown = arena("ladder", "final", "cs101", cwd=room.folder)
    games = re.search(r"(\d+) of (\d+) games are over, finished", shown.out)
    assert games is not None, shown
    assert games[1] == games[2]
    assert (int(games[1]),) in room.rows(f"SELECT COUNT(*) {final} AND game.status = 'finished' AND verdict <> 'void'")
    assert arena("course", "grades", "cs101 final", cwd=room.folder).code == 0
