"""The templates in other languages know the rules of Connect-4: they win, block, and play near the middle.

Each is written, compiled and started as a student would; it gets the messages of the protocol through pipes.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from adsearch import games
from agents.protocol import ClockInfo, Message, Move, Ready, Start, Turn, from_player, read_line, to_line
from arena.student import starter
from tests.kit.starter_programs import TOOLS, command

SIZES = ("connect4", "connect4:rows=5,columns=12,line=3")
POSITIONS = 300


class Program:
    """A running agent."""

    def __init__(self, words: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)

    def answer(self, message: Message) -> Message:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(to_line(message))
        self.process.stdin.flush()
        return from_player(read_line(self.process.stdout.readline()))

    def move(self, state: Any) -> str:
        """Its move, as text."""
        legal = tuple(str(state.to_text(move)) for move in state.moves())
        answer = self.answer(Turn(1, "01234567", 1, (), None, None, state.position(), legal))
        assert isinstance(answer, Move)
        return answer.move


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[str, str], Program]]:
    """Writes the agent for a game in the language with this ending, and starts it."""
    programs: list[Program] = []

    def start(ending: str, game: str) -> Program:
        path = tmp_path / f"my_agent{ending}"
        made = starter.agent(path, game, games.start(game), starter.Style.BARE, None)
        starter.write(path, made.files[path.name])
        program = Program(command(path, tmp_path))
        programs.append(program)
        start = Start(1, game, 0, ("a", "b"), ClockInfo("none", None), 1, games.start(game).position())
        assert program.answer(start) == Ready(1)
        return program

    yield start
    for program in programs:
        program.process.kill()
        with program.process:
            pass


def positions(game: str, number: int) -> Iterator[Any]:
    """Positions of random games in which a player can move."""
    random = Random(game)
    for _ in range(number):
        played = [games.start(game)]
        while played[-1].turn is not None:
            played.append(played[-1].play(random.choice(played[-1].moves())))
        yield random.choice(played[:-1])


def expected(state: Any) -> tuple[str, int]:
    """Why and which column the template plays, by our own rules of the game."""
    theirs_to_move = type(state).of(state.board, state.theirs, state.mine)
    for why, position in (("win", state), ("block", theirs_to_move)):
        for column in state.moves():
            if position.play(column).won:
                return why, column
    return "middle", min(state.moves(), key=lambda column: abs(column - (state.board.columns - 1) / 2))


@pytest.mark.costly
@pytest.mark.parametrize("game", SIZES)
@pytest.mark.parametrize("ending", TOOLS)
def test_its_rules_are_those_of_our_connect4(started: Callable[[str, str], Program], ending: str, game: str) -> None:
    program, reasons = started(ending, game), Counter[str]()
    for state in positions(game, POSITIONS):
        why, column = expected(state)
        assert program.move(state) == str(column + 1), f"{why}\n{state}"
        reasons[why] += 1
    assert min(reasons[why] for why in ("win", "block", "middle")) >= POSITIONS // 20, reasons


@pytest.mark.costly
@pytest.mark.parametrize("ending", TOOLS)
def test_it_beats_random(started: Callable[[str, str], Program], ending: str) -> None:
    program, random = started(ending, "connect4"), Random(7)
    points = 0.0
    for number in range(40):
        state, seat = games.start("connect4"), number % 2
        while state.turn is not None:
            ours = state.turn == seat
            state = state.play(int(program.move(state)) - 1 if ours else random.choice(state.moves()))
        points += (state.utilities()[seat] + 1) / 2
    assert points >= 36
