"""Chess and Go take the whole path: a student writes, checks and measures an agent, an instructor runs and publishes a
tournament, and both look at its games."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kit.arena_program import Ended, arena
from tests.kit.effort import tries
from tests.kit.html_validity import check_html


class Case(NamedTuple):
    """One game, and what its pages must show."""

    game: str
    move: str
    """A pattern of a move as people write it."""
    sides: tuple[str, str]
    """What the players of seat 0 and 1 play."""
    won: str
    """A pattern of how a game ends."""


SAN = r"(O-O(-O)?|([a-h]x)?[a-h][1-8](=[NBRQ])?|[NBRQK][a-h]?[1-8]?x?[a-h][1-8])[+#]?"
CHESS = Case("chess", SAN, ("White", "Black"), "checkmate")
GO = Case("go:size=5,komi=0.5", r"[A-E][1-5]|pass", ("Black", "White"), r"Black \d+, White \d+\.5 with komi")


def passing(*arguments: str) -> Ended:
    ended = arena(*arguments)
    assert ended.code == 0, ended.out + ended.err
    return ended


@pytest.mark.costly
@pytest.mark.parametrize("case", [CHESS, GO], ids=["chess", "go"])
def test_the_whole_path(case: Case) -> None:
    passing("new", "my_agent.py", "--game", case.game)
    check(case)
    if tries(0, soak=1):
        climb(case)
    run(case)
    replay(case)
    report(case)
    assert "no errors" in passing("db", "verify").out
    exchange(case)


def check(case: Case) -> None:
    ended = passing("check", "my_agent.py", "--positions", "4", "--seed", "1")
    assert "Ready to play: no problems found" in ended.out


def climb(case: Case) -> None:
    asked = ("climb", "my_agent.py", "--against", "random", "--games", "16", "--seed", "3", "--format", "json")
    [step] = json.loads(passing(*asked).out)["steps"]
    assert step["wins"] > step["losses"]


def run(case: Case) -> None:
    Path("cup.toml").write_text(
        f"""name = "cup"
        game = "{case.game}"
        openings = 2
        seed = 2
        [[agent]]
        name = "mine"
        player = "my_agent.py"
        [[agent]]
        name = "random"
        player = "random"
        """,
        "utf-8",
    )
    assert "2 games, about " in passing("run", "cup.toml", "--plan").out
    passing("run", "cup.toml")
    rows = json.loads(passing("standings", "cup", "--format", "json").out)
    assert [row["name"] for row in rows] == ["mine", "random"]


def replay(case: Case) -> None:
    shown = passing("replay", "cup-2").out
    moves = re.findall(r"^ *\d+  (?:mine|random|opening) (\S+)", shown, re.MULTILINE)
    [ended] = [game for game in json.loads(passing("history", "--format", "json").out) if game["number"] == 2]
    assert len(moves) == ended["plies"] > 0
    assert [move for move in moves if not re.fullmatch(case.move, move)] == []
    assert re.search(case.won, shown)


def report(case: Case) -> None:
    passing("report", "cup", "site")
    for number in (1, 2):
        page = Path(f"site/games/{number}.html").read_text("utf-8")
        check_html(page)
        assert all(f"<td>{side}</td>" in page for side in case.sides)
        assert re.search(case.won, page)


def exchange(case: Case) -> None:
    for file_format in ("pgn", "sgf") if case is GO else ("pgn",):
        database = ("--db", f"{file_format}.db")
        passing("export", "cup", "--format", file_format, "-o", f"games.{file_format}")
        passing("import", f"games.{file_format}", *database)
        assert "2 games" in passing("db", "verify", *database).out
