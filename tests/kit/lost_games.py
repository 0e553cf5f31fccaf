"""A course of tic-tac-toe whose agents lost in every way: the record, the sources in the store, and a roster.

Of the students' agents, kestrel crashes and makes mistakes, heron loses on time anywhere, otter wins everything, and
newt has not played.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from arena.players.player import read_player
from arena.players.submissions import Store
from db import store
from db.database import Database
from tests.kit.sample_record import DRAW, X_WINS, Book, played

AGENT: Final = """\
from agents import Agent

WORD = "{word}"


class Mine(Agent):
    def choose(self, state, clock):
        table = {{}}
        return table["middle"]
"""
ROSTER: Final = """\
id,name,email,group,alias
s1001,Anna Berger,anna@uni.example,Red Foxes,kestrel
s1002,Ben Costa,ben@uni.example,Blue Foxes,heron
s1003,=Cleo,cleo@uni.example,Blue Foxes,otter
s1004,Dan Ek,dan@uni.example,Blue Foxes,newt
s1005,Eve <b>,eve@uni.example,,hawk
"""
STUDENTS: Final = ("kestrel", "heron", "otter", "newt")
SECRET: Final = "printed by another agent"
_LATE: Final = 'Thread 0x01 (most recent call first):\n  File "/x/{hash}/agent.py", line {line} in choose\n'
_CRASH: Final = (
    'Traceback (most recent call last):\n  File "/x/{hash}/agent.py", line {line}, in choose\n'
    '    return table["middle"]\n'
    "KeyError: 'middle'\n"
)


def make(folder: Path) -> dict[str, int]:
    """Writes arena.db, arena.store, roster.csv and the sources into the folder; the ids of games by their names."""
    (folder / "roster.csv").write_text(ROSTER)
    (folder / "cs101.toml").write_text('game = "tictactoe"\n[course]\nroster = "roster.csv"\n')
    sources = {"staff": "random"}
    kept = Store(folder / "arena.store")
    for name in STUDENTS:
        (folder / name).mkdir()
        (folder / name / "agent.py").write_text(AGENT.format(word=name * 3))
        sources[name] = kept.take(read_player(str(folder / name / "agent.py"))).hash
    with Database(str(folder / "arena.db")) as database, database.writing() as connection:
        return _games(Book(connection), sources)


def _games(book: Book, sources: dict[str, str]) -> dict[str, int]:
    course = book.tournament("cs101", "tictactoe", status="finished")
    for name, source in sources.items():
        book.enter(course, name, source=source)

    def play(*players: str, **how: object) -> int:
        return book.play(course, "tictactoe", players, sources=sources, **how)

    def fails(*players: str, moves: str, fault: int, verdict: str, detail: str, stderr: str) -> int:
        game = book.plan(course, "tictactoe", players, sources=sources)
        record = played(game, "tictactoe", players, moves=moves, verdict=verdict, fault=fault, stderr=stderr)
        store.begin(book.connection, game, book.now)
        detail = f"{players[fault]}: {detail}"
        store.finish(
            book.connection, game, replace(record, detail=detail), host={"waits_charged": [0, 1]}, now=book.now
        )
        return game

    def crash(*players: str, moves: str, fault: int, line: int) -> int:
        stderr = _CRASH.format(hash=sources[players[fault]], line=line)
        said = {"detail": "exited with code 1: KeyError: 'middle'", "stderr": stderr}
        return fails(*players, moves=moves, fault=fault, verdict="crashed", **said)

    special = {
        "weakest": play("staff", "kestrel", moves=X_WINS),
        "strongest": play("otter", "kestrel", moves=X_WINS),
        "draw": play("kestrel", "heron", moves=DRAW),
        "crash": crash("kestrel", "otter", moves="a1 b1", fault=0, line=9),
        "again": crash("kestrel", "staff", moves="a1 b1", fault=0, line=9),
        "elsewhere": crash("staff", "kestrel", moves="a1", fault=1, line=7),
        "forfeit": play("otter", "heron", moves="", verdict="forfeit", fault=1),
        "void": play("kestrel", "otter", moves="a1", verdict="void"),
        "annulled": crash("heron", "kestrel", moves="a1", fault=1, line=8),
    }
    store.rule_on_game(book.connection, special["annulled"], "void", "the machine was busy", book.now)
    for line in (8, 9):
        late = {"detail": "no answer 1.0 s after its time", "stderr": _LATE.format(hash=sources["heron"], line=line)}
        special[f"late {line}"] = fails("otter", "heron", moves="a1", fault=1, verdict="time", **late)
    fails("staff", "otter", moves="a1 b1", fault=0, verdict="crashed", detail="exited with code 1", stderr=SECRET)
    return special
