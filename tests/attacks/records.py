"""Records that an attacker has made: a bundle, a database, files to import, all with rules that leave a marker.

Each lies in a folder of its own, with all that the attacker could send along.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from db.sources import StoredFile, hash_of
from tests.kit.arena_program import arena
from tests.kit.places import COUNTDOWN

MARKER: Final = "it-ran"
"""The file that planted code writes into its working directory."""
EVIL: Final = f"""\
try:
    with open("{MARKER}", "a") as marker:
        marker.write("!")
except OSError:  # behind walls
    pass

{COUNTDOWN.read_text("utf-8")}

from agents import Agent

class Mine(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""
"""A whole game and an agent, so that it looks right wherever it is loaded."""


def stored(store: Path, name: str, content: str, *, under: str = "") -> Path:
    """A source in a store as the store itself would keep it, or `under` another hash than its own."""
    source = under or hash_of({name: StoredFile(content.encode(), executable=False)})
    file = store / source / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, "utf-8")
    return file


def played(folder: Path, game: str = "tictactoe", *players: str) -> Path:
    """A database with a tournament of two games, honestly played there."""
    file = folder / "arena.db"
    named = ("--name", "cs101", "--clock", "none", "--seed", "1", "--db", str(file))
    ended = arena("run", game, *(players or ("random", "random")), *named)
    assert ended.code == 0, ended.err
    return file


def changed(file: Path, *statements: tuple[str, tuple[object, ...]]) -> Path:
    """The database after these statements."""
    with closing(sqlite3.connect(file)) as connection:
        for statement, values in statements:
            connection.execute(statement, values)
        connection.commit()
    return file


def with_rules(file: Path, rules: str) -> Path:
    """The database with these rules in all its games and tournaments."""
    return changed(file, *((f"UPDATE {table} SET rules = ?", (rules,)) for table in ("game", "tournament")))


# What each attacker sends. All of them return the database that the victim opens with --db.


def forged_database(folder: Path) -> Path:
    """A database that says of itself that all was played here, with its store beside it."""
    rules = stored(folder / "arena.store", "evil.py", EVIL)
    return with_rules(played(folder), f"{rules}:Countdown")


def database_with_a_path(folder: Path) -> Path:
    """A database whose rules are a file beside it, outside of any store."""
    (folder / "evil.py").write_text(EVIL, "utf-8")
    return with_rules(played(folder), f"{folder / 'evil.py'}:Countdown")


def lying_hash(folder: Path) -> Path:
    """A database whose rules lie under the hash of rules that the victim has played by."""
    victim = folder / "victim"
    victim.mkdir()
    shutil.copy(COUNTDOWN, victim / "countdown.py")
    played(victim, f"{victim / 'countdown.py'}:Countdown")
    (own,) = victim.glob("arena.store/*/countdown.py")
    rules = stored(folder / "arena.store", "countdown.py", EVIL, under=own.parent.name)
    return with_rules(played(folder), f"{rules}:Countdown")


def out_of_the_store(folder: Path) -> Path:
    """The same with honest rules in the store, and a path that leads out of it."""
    victim = folder / "victim"
    victim.mkdir()
    played(victim, f"{COUNTDOWN}:Countdown")
    (own,) = victim.glob("arena.store/*/countdown.py")
    (own.parent.parent / "evil.py").write_text(EVIL, "utf-8")
    return with_rules(played(folder), f"{own.parent}/../evil.py:Countdown")


def students_submission(folder: Path) -> Path:
    """A database whose rules are a student's stored submission, which the victim has let play."""
    (folder / "agent.py").write_text(EVIL, "utf-8")
    file = played(folder, "tictactoe", f"{folder / 'agent.py'}:Mine", "random")
    (own,) = folder.glob("arena.store/*/agent.py")
    return with_rules(file, f"{own}:Countdown")


def bundle(folder: Path) -> Path:
    """A bundle whose rules lie in it, with their true hash."""
    file = played(folder)
    assert arena("course", "bundle", "random", str(folder / "evil.arena"), "--db", str(file)).code == 0
    source = hash_of({"evil.py": StoredFile(EVIL.encode(), executable=False)})
    return changed(
        with_rules(folder / "evil.arena", f"/arena.store/{source}/evil.py:Countdown"),
        ("INSERT INTO bundled VALUES (?, 'evil.py', 0, ?)", (source, EVIL.encode())),
    )


def _imported(folder: Path, name: str, text: str) -> Path:
    assert "evil.py" in text
    (folder / name).write_text(text, "utf-8")
    (folder / "evil.py").write_text(EVIL, "utf-8")
    ended = arena("data", "import", str(folder / name), "--db", str(folder / "arena.db"))
    assert ended.code == 0, ended.err
    return folder / "arena.db"


def _exported(folder: Path, form: str, game: str) -> str:
    """Games that are honest but for what they say they are games of."""
    (folder / "other").mkdir()
    file = with_rules(played(folder / "other"), game)
    ended = arena("data", "export", "--all", "--format", form, "--db", str(file))
    assert ended.code == 0, ended.err
    return ended.out


def imported_pgn(folder: Path) -> Path:
    """A PGN whose games name a file."""
    return _imported(folder, "games.pgn", _exported(folder, "pgn", f"{folder / 'evil.py'}:Countdown"))


def imported_ndjson(folder: Path) -> Path:
    """JSON lines whose games name a file."""
    return _imported(folder, "games.ndjson", _exported(folder, "ndjson", f"{folder / 'evil.py'}:Countdown"))


def imported_spreadsheet(folder: Path) -> Path:
    """A spreadsheet whose games name a file."""
    return _imported(folder, "games.csv", _exported(folder, "csv", f"{folder / 'evil.py'}:Countdown"))


def imported_with_the_victims_rules(folder: Path) -> Path:
    """An import whose games name rules that the victim has played by: it is asked about all the same."""
    victim = folder / "victim"
    victim.mkdir()
    (victim / "evil.py").write_text(EVIL, "utf-8")
    played(victim, f"{victim / 'evil.py'}:Countdown")
    (own,) = victim.glob("arena.store/*/evil.py")
    Path(MARKER).unlink()
    return _imported(folder, "games.ndjson", _exported(folder, "ndjson", f"{own}:Countdown"))


ATTACKS: Final[Mapping[str, Callable[[Path], Path]]] = {
    made.__name__: made
    for made in (
        *(forged_database, database_with_a_path, lying_hash, out_of_the_store, students_submission, bundle),
        *(imported_pgn, imported_ndjson, imported_spreadsheet, imported_with_the_victims_rules),
    )
}
REFUSED_EVEN_IF_TRUSTED: Final = ("lying_hash", "out_of_the_store")
"""What lies there is not what the path says."""
