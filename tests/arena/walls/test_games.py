"""Whole games behind each kind of walls: the same moves as without walls, in any programming language."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adsearch import games
from agents.protocol import Verdict
from arena.match.allowance import WallKind
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls.run_folder import RunFolder
from arena.walls.usage import descendants
from db.records import GameRecord
from tests.kit import needs
from tests.kit.behind_walls import need
from tests.kit.places import ROOT
from tests.kit.starter_programs import command

STARTERS = ROOT / "arena" / "student" / "starters"
BARE = f"cmd:{shlex.join([sys.executable, str(STARTERS / 'bare.py')])}"
RULES = "connect4"
SEEDED = """
from agents import Agent

class Seeded(Agent):
    def choose(self, state, clock):
        return self.random.choice(state.moves())
"""
OF_NUMPY = """
import numpy
from agents import Agent

class OfNumpy(Agent):
    def choose(self, state, clock):
        moves = state.moves()
        weights = numpy.random.default_rng(self.random.getrandbits(32)).random((len(moves), 8))
        return moves[int(numpy.argmax(weights @ weights.T @ numpy.ones(len(moves))))]
"""


class Evening:
    """A director, and one game for each player that is named."""

    def __init__(self, folder: RunFolder, director: Director) -> None:
        self._folder, self._director = folder, director
        self._store = Store(folder.path / "store")
        self._numbers = 0
        self._opponent = Entrant("random", "random", ("-m", "agents", "random", "--connect", "-"))

    def against_random(self, entrant: Entrant) -> GameRecord:
        """Its game in the first seat; all have the same seeds."""
        self._numbers += 1
        game = Planned(self._numbers, RULES, RULES, (entrant, self._opponent), seed=1, identity=("same",))
        (record,) = (event.record for event in self._director.play(InOrder([game])) if isinstance(event, Finished))
        return record

    def behind(self, kind: WallKind, text: str) -> GameRecord:
        """The game of a player behind such walls."""
        need(kind)
        confinement = Confinement(self._folder.scratch, "", conditions=Conditions(walls=kind))
        return self.against_random(
            enter(read_player(text), f"{text} {kind}", games.start(RULES), self._store, confinement)
        )


@pytest.fixture
def evening() -> Iterator[Evening]:
    before = descendants(os.getpid())
    with RunFolder() as folder:
        with Director(folder) as director:
            yield Evening(folder, director)
        assert list(folder.scratch.iterdir()) == []
        assert descendants(os.getpid()) <= before, "a process is left"


def moves(record: GameRecord) -> list[str]:
    """The moves; the game must have ended normally."""
    assert (record.verdict, record.fault) == (Verdict.NORMAL, None), record.detail
    return [move.move for move in record.moves]


@pytest.mark.parametrize("kind", WallKind)
def test_the_same_games_are_played_with_and_without_walls(kind: WallKind, evening: Evening, tmp_path: Path) -> None:
    path = tmp_path / "seeded.py"
    path.write_text(SEEDED)
    without = Entrant("free", "free", ("-m", "agents", str(path), "--connect", "-"))
    assert moves(evening.behind(kind, str(path))) == moves(evening.against_random(without))


@pytest.mark.costly
def test_numpy_works_behind_all_walls_and_counts_the_same(evening: Evening, tmp_path: Path) -> None:
    path = tmp_path / "of_numpy.py"
    path.write_text(OF_NUMPY)
    for kind in (WallKind.SANDBOX, WallKind.CONTAINER):
        assert moves(evening.behind(kind, str(path))) == moves(evening.behind(WallKind.LIMITS, str(path)))


@pytest.fixture(scope="module")
def without_walls() -> list[str]:
    """The moves of the example that exists in all languages."""
    with RunFolder() as folder, Director(folder) as director:
        return moves(Evening(folder, director).behind(WallKind.LIMITS, BARE))


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """The example in C, compiled."""
    return Path(command(STARTERS / "bare.c", tmp_path)[0])


@pytest.mark.parametrize("kind", WallKind)
def test_a_program_in_c_works(kind: WallKind, evening: Evening, engine: Path, without_walls: list[str]) -> None:
    assert moves(evening.behind(kind, f"cmd:{engine}")) == without_walls


@pytest.mark.costly
@pytest.mark.parametrize("kind", WallKind)
def test_a_program_in_java_works(kind: WallKind, evening: Evening, without_walls: list[str]) -> None:
    needs.program("javac")
    assert moves(evening.behind(kind, f"cmd:java {shlex.quote(str(STARTERS / 'bare.java'))}")) == without_walls


@pytest.mark.costly
def test_a_compiled_program_in_java_works(evening: Evening, tmp_path: Path, without_walls: list[str]) -> None:
    words = command(STARTERS / "bare.java", tmp_path)
    assert words[:2] == ["java", "-cp"]
    assert moves(evening.behind(WallKind.SANDBOX, f"cmd:{shlex.join(words)}")) == without_walls


@pytest.mark.parametrize("kind", WallKind)
def test_a_bare_program_in_python_works(kind: WallKind, evening: Evening, without_walls: list[str]) -> None:
    assert moves(evening.behind(kind, BARE)) == without_walls


def test_a_script_that_starts_programs_works_in_a_container_and_in_no_sandbox(
    evening: Evening, engine: Path, tmp_path: Path, without_walls: list[str]
) -> None:
    script = tmp_path / "helped"
    script.write_text('true | cat >&2\n"$1" | cat\n')
    program = f"cmd:sh {script} {engine}"
    assert moves(evening.behind(WallKind.CONTAINER, program)) == without_walls
    refused = evening.behind(WallKind.SANDBOX, program)
    assert (refused.verdict, refused.fault) == (Verdict.CRASHED, 0)
