"""A student goes on where docs/first-evening.md ends, in a terminal: the agent is played, mended, measured and seen.

What tests/test_docs.py reads of these commands is not looked at again: here it is what a terminal shows of them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import shown_commands
from tests.kit.terminal import ROWS, Session

RIGHT, HOME, END, ENTER = "\x1b[C", "\x1b[H", "\x1b[F", "\r"
COLUMNS_OF_THE_BOARD = "1 2 3 4 5 6 7"
CHOICE = "return max(moves, key=lambda move: self.after_answer(state.play(move), state.turn))"
ANY_ORDER = "self.random.shuffle(moves)  # so that equally good moves are chosen at random"
CHECK = "arena check my_agent.py --game connect4"


@pytest.fixture
def terminal(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A terminal in the folder in which all of docs/first-evening.md was done."""
    folder, _ = shown_commands.student(tmp_path_factory)
    shutil.copytree(folder, tmp_path, symlinks=True, dirs_exist_ok=True)
    session = Session(tmp_path)
    yield session
    session.close()


@pytest.mark.costly(seconds=10)
def test_the_next_five_minutes(terminal: Session) -> None:
    before = {path.name for path in terminal.folder.iterdir()}
    file = terminal.folder / "my_agent.py"
    play(terminal)
    starter = file.read_text("utf-8")
    file.write_text(changed(starter, CHOICE, CHOICE.replace("max(", "str(max(") + ")"), "utf-8")
    find_the_mistake(terminal)
    better = changed(starter, ANY_ORDER, "moves.sort(key=lambda move: abs(move - 4))  # the middle first")
    file.write_text(better, "utf-8")
    assert "no problems found (" in passing(terminal, CHECK)
    climb(terminal)
    lost = run_a_tournament(terminal)
    replay(terminal, lost)
    ply, move = analyse(terminal, lost)
    file.write_text(changed(better, "moves.sort(", "print('my turn');moves.sort("), "utf-8")
    debug(terminal, lost, ply, move)
    assert {path.name for path in terminal.folder.iterdir()} == before


def changed(source: str, line: str, other: str) -> str:
    assert source.count(line) == 1, f"the starter has no such line any more: {line}"
    return source.replace(line, other)


def passing(terminal: Session, command: str) -> str:
    """What a command printed that had nothing to complain of."""
    ended = terminal.run(command)
    assert ended.code == 0, ended.printed
    return ended.printed


def commands(printed: str) -> list[str]:
    """The commands on a screen that are to be typed next: each stands at the beginning of a line."""
    return [line.strip() for line in printed.splitlines() if line.strip().startswith("arena ")]


def play(terminal: Session) -> None:
    ended = terminal.run("arena play connect4 my_agent.py random --seed 4")
    assert ended.code == 0
    assert any("connect4   clock 10+0.1" in picture for picture in ended.pictures)
    found = re.search(
        r"^(\d+)  my_agent - random  1-0  my_agent wins, four in a row  (\d+) plies\n", ended.printed, re.MULTILINE
    )
    assert found is not None
    assert COLUMNS_OF_THE_BOARD in ended.printed[: found.start()]
    assert f"to step through this game: arena replay {found[1]}" in ended.printed


def find_the_mistake(terminal: Session) -> None:
    """The agent returns text: the check says where, what was expected, what came, and how to see it again."""
    ended = terminal.run(CHECK)
    assert ended.code == 1
    shown = ended.pictures[-1]
    assert " 4 ✗ legal moves " in shown
    assert re.search(r"expected +one of state\.moves\(\): 0, 1, 2, 3, 4, 5, 6 ", shown, re.MULTILINE)
    got = re.search(r"got +'(\d)'$", shown, re.MULTILINE)
    assert got
    assert f"return state.from_text('{got[1]}')" in " ".join(shown.split())
    assert "position 1, at the beginning; seat 0 is to move" in shown
    assert COLUMNS_OF_THE_BOARD in shown
    assert "Not ready to play: 1 step failed, 6 could not be run" in shown
    assert re.findall(r"repeat +(arena .*)$", shown, re.MULTILINE) == [f"{CHECK} --position 1"]


def climb(terminal: Session) -> None:
    ended = terminal.run(
        "arena climb my_agent.py --game connect4 --against random --against minimax:depth=3 --games 16 --seed 3"
    )
    assert ended.code == 0, ended.printed
    current = re.compile(r"^ 1  random +won [1-3] +drawn 0 +lost 0 +\.\.\. up to \d+ s$", re.MULTILINE)
    assert any(current.search(one) for one in ended.pictures)
    assert "..." not in ended.printed
    assert re.search(
        r"^ 1  random +won \d+ +drawn \d+ +lost \d+ +clearly better \(\d\d %\)$", ended.printed, re.MULTILINE
    )
    assert re.search(r"my_agent: clearly better than random \(\d\d %\)[,;]", ended.printed)
    look, lesson = ended.printed.partition("look at this game first:\n")[1:]
    found = re.match(r" +game (\d+) against \S+: at ply (\d+) my_agent played", lesson)
    assert look
    assert found
    assert commands(lesson) == [
        f"arena replay {found[1]} --ply {found[2]}",
        f"arena replay {found[1]} --mistakes",
        f"arena replay {found[1]} --debug --turn {found[2]}",
    ]


def run_a_tournament(terminal: Session) -> str:
    """The game that it lost there."""
    entrants = "my_agent.py random alphabeta:depth=4"
    ended = terminal.run(f"arena run connect4 {entrants} --clock none --openings 2 --seed 4 --name evening")
    assert ended.code == 0, ended.printed
    tables = [picture for picture in ended.pictures if "elo" in picture]
    assert re.search(r"^rank  name +games  points +score +elo  0 % score 100 %$", tables[0], re.MULTILINE)
    # A busy machine may have played a game or two before the first of them is drawn.
    counted = [int(count) for table in tables for count in re.findall(r"^(\d)/6 ━+", table, re.MULTILINE)]
    assert counted == sorted(counted)
    assert (len(counted), counted[-1]) == (len(tables), 6)
    assert counted[0] < 6
    results = re.findall(r"^ *(\d/6)  ", tables[-1], re.MULTILINE)
    assert results == [f"{number}/6" for number in range(1, 7)], "one line a game"
    assert "elo" not in ended.printed
    assert re.search(r"^rank  name +games +W +D +L +points +score +faults$", ended.printed, re.MULTILINE)
    assert re.findall(r"^\d +(\S+) +4 ", ended.printed, re.MULTILINE) == ["alphabeta:depth=4", "my_agent", "random"]
    after = ended.printed.partition("evening is finished: 6 games. Next:\n")[2]
    assert commands(after) == [
        "arena results rank evening",
        "arena results crosstable evening",
        "arena results history --tournament evening",
    ]

    printed = passing(terminal, "arena results history --agent my_agent --result loss")
    heading, *rows = printed.splitlines()
    assert heading.split() == ["game", "players", "points", "verdict", "plies", "day", "(UTC)"]
    lost = [row for row in rows if row.startswith("evening-")]
    longest = max(lost, key=lambda row: int(row.split()[6]))
    game, *players, points = longest.split()[:5]
    assert (players, points) in (
        (["my_agent", "-", "alphabeta:depth=4"], "0-1"),
        (["alphabeta:depth=4", "-", "my_agent"], "1-0"),
    )
    return game


def replay(terminal: Session, game: str) -> None:
    terminal.give(f"arena replay {game}")
    beginning = terminal.until("start", "0/", "?: keys   q: quit")
    assert beginning.startswith(f"{game}   connect4   ")
    assert re.search(r" +".join("1234567"), beginning)
    assert len(beginning.splitlines()) == ROWS
    plies = int(re.findall(r"^0/(\d+) ", beginning, re.MULTILINE)[0])
    for keys, shown in (
        (RIGHT, f"1/{plies} "),
        (END, f"{plies}/{plies} "),
        (HOME, f"0/{plies} "),
        ("12", "jump to move: 12_"),
        (ENTER, f"12/{plies} "),
    ):
        terminal.press(keys)
        assert re.search(r" +".join("1234567"), terminal.until(shown))
        if keys == END:
            assert "alphabeta:depth=4 wins, four in" in terminal.until(shown)
    terminal.press("?")
    assert "home, end         start, end of the game" in terminal.until("q                 quit")
    terminal.press("?")
    terminal.until(f"12/{plies} ")
    terminal.press("q")
    ended = terminal.end()
    assert ended.code == 0
    assert not ended.printed


def analyse(terminal: Session, game: str) -> tuple[int, str]:
    """A ply of our agent's, and what it played there."""
    printed = passing(terminal, f"arena replay {game} --mistakes --depth 3")
    lines = printed.splitlines()
    heading = next(
        at for at, line in enumerate(lines) if line.split() == ["ply", "player", "move", "before", "after", "better"]
    )
    rows = [line.split() for line in lines[heading + 1 : lines.index("", heading)]]
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert re.search(r"^my_agent: \d+ moves, \d+ \?, \d+ \?\?, average loss per move \d\.\d\d$", printed, re.MULTILINE)
    ply, _, move = [row[:3] for row in rows if row[1] == "my_agent"][2]
    return int(ply), move


def debug(terminal: Session, game: str, ply: int, move: str) -> None:
    for other in ("", " --file my_agent.py"):
        printed = passing(terminal, f"arena replay {game} --debug --turn {ply}{other}")
        assert COLUMNS_OF_THE_BOARD in printed
        assert f"ply {ply}: running {'my_agent.py' if other else 'my_agent@'}" in printed
        assert printed.count("my turn") == bool(other)
        both = rf"{move} \({int(move) - 1} in Python\)"
        assert re.search(rf"^now     {both}   .*\nthen    {both}   .*\nthe same move$", printed, re.MULTILINE)
