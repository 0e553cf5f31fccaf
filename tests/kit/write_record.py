"""Writes the record and the bundle of this version, which every later version must open.

`python -m tests.kit.write_record` plays a small course and puts what came of it into a folder of
tests/truths/written_before that is named by the version. `facts.json` there says what the tests find in it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from arena import installation
from tests.kit.arena_program import arena
from tests.kit.places import COUNTDOWN, WRITTEN_BEFORE

ALICE: Final = '''\
"""Takes the move whose text comes first, and says so."""

from agents import Agent


class Alice(Agent):
    def choose(self, state, clock):
        moves = sorted(state.moves(), key=state.to_text)
        print("of", len(moves), "moves the first")
        self.tell(text="the first", depth=1, nodes=len(moves), score=0.5)
        return moves[0]
'''
BOB: Final = '''\
"""Fails at its third turn."""

from agents import Agent


class Bob(Agent):
    def begin(self, state, seat):
        self.turns = 0

    def choose(self, state, clock):
        self.turns += 1
        if self.turns == 3:
            raise RuntimeError("bob forgot what to do")
        return state.moves()[-1]
'''
CS101: Final = """\
game = "countdown.py:Countdown"
rounds = 2
clock = "5+0.1"
seed = 1
quarantine = 2
agent = [
    { name = "alice", player = "alice.py" },
    { name = "bob", player = "bob.py" },
    { name = "staff", player = "alphabeta:depth=2", anchor = 1500 },
]
"""
PLAYED_IN: Final = "/course/arena.store"
"""In a record the path of a game in a file is the full one; in ours it is this."""
RACE: Final = """\
game = "nap"
format = "gauntlet"
gauntlet = ["deep"]
clock = "none"
seed = 1
agent = [
    { name = "deep", player = "alphabeta:depth=3" },
    { name = "shallow", player = "minimax:depth=2" },
    { name = "random", player = "random" },
]
"""
BUILT_IN: Final = (
    ("swiss", "tictactoe", "alphabeta:depth=2", "random", "minimax:depth=1", "--format", "swiss", "--rounds", "2"),
    ("cup", "connect4", "alphabeta:depth=2", "random", "minimax:depth=1", "pvs:depth=2", "--format", "knockout"),
    ("duel", "tictactoe", "alphabeta:depth=3", "random", "--format", "match", "--rounds", "20", "--sprt", "0,300"),
    ("tables", "ludo:players=3,tokens=1", "random", "mcts:nodes=20", "maxn:depth=1", "--format", "tables"),
)
"""Tournaments of built-in agents: name, game, players, options."""


def given(folder: Path, *arguments: str) -> str:
    """What a command printed; it must succeed."""
    ended = arena(*arguments, cwd=folder)
    if ended.code != 0:
        raise SystemExit(f"arena {' '.join(arguments)}: {ended.err or ended.out}")
    return ended.out


def play(folder: Path) -> None:
    """Plays the course, in an empty folder."""
    shutil.copy(COUNTDOWN, folder)
    for name, text in (("alice.py", ALICE), ("bob.py", BOB), ("cs101.toml", CS101), ("race.toml", RACE)):
        (folder / name).write_text(text, "utf-8")
    given(folder, "run", "cs101.toml")
    (folder / "alice.py").write_text(ALICE.replace("first, and", "first, in a second version, and"), "utf-8")
    given(folder, "run", "cs101.toml", "--rerun-changed")
    given(folder, "void", "cs101-1", "--reason", "a test game", "--yes")
    given(folder, "award", "cs101-2", "--to", "0", "--reason", "not its own work")
    given(folder, "withdraw", "bob", "--tournament", "cs101", "--reason", "asked to")
    given(folder, "run", "race.toml")
    for name, *words in BUILT_IN:
        given(folder, "run", *words, "--name", name, "--clock", "none", "--seed", "1")
    given(folder, "play", "tictactoe", "random", "random", "--clock", "none", "--seed", "1", "--quiet")
    given(folder, "bundle", "alice", "alice.arena", "--tournament", "cs101")


def facts(folder: Path) -> dict[str, Any]:
    """What the tests must find again."""
    games = json.loads(given(folder, "history", "--tournament", "cs101", "--limit", "100", "--format", "json"))
    tournaments = json.loads(given(folder, "tournaments", "--format", "json"))
    crashed = next(game for game in games if game["verdict"] == "crashed")
    won = next(game for game in games if game["verdict"] == "normal" and "alice" in game["players"])
    return {
        "played_in": PLAYED_IN,
        "game_of_alice": f"cs101-{won['number']}",
        "verified": {
            name: given(folder, "db", "verify", "--trust-rules", "--db", name).strip()
            for name in ("arena.db", "alice.arena")
        },
        "formats": {one["name"]: one["format"] for one in tournaments},
        "cs101": dict(sorted(Counter(game["verdict"] for game in games).items())),
        "printed": [
            ["show", "cs101-1", "a test game"],
            ["show", "cs101-2", "not its own work"],
            ["logs", f"cs101-{crashed['number']}", "bob forgot what to do"],
        ],
    }


def write(target: Path) -> None:
    """Writes record, bundle, store and facts into a folder that is not there yet."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        play(folder)
        target.mkdir()
        shutil.copy(folder / "alice.arena", target)  # before it is opened: opening a bundle writes to it
        found = facts(folder)
        with closing(sqlite3.connect(folder / "arena.db")) as plain:
            for table in ("game", "tournament"):
                change = f"UPDATE {table} SET rules = replace(rules, ?, ?)"
                plain.execute(change, (str(folder / "arena.store"), PLAYED_IN))
            plain.commit()
            plain.execute("PRAGMA journal_mode = DELETE")
            plain.execute("VACUUM")
        shutil.copy(folder / "arena.db", target / "course.db")
        shutil.copytree(folder / "arena.store", target / "course.store", ignore=shutil.ignore_patterns("*.lock"))
        found["verified"]["course.db"] = found["verified"].pop("arena.db")
        text = json.dumps(found, indent=2, ensure_ascii=False, sort_keys=True)
        (target / "facts.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    there = WRITTEN_BEFORE / installation.version()
    if there.exists():
        sys.exit(f"{there} is there already; the record of a released version is never written again")
    write(there)
    print(f"written: {there}")
