"""No command runs code that a bundle, a database or an import brings along; what needs none works all the same."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from adsearch.games import catalog
from arena.walls.run_folder import clear
from arena.web.live_record import LiveRecord
from arena.web.permissions import MEMBER, Names
from db.database import Database
from db.schema import VIEWS
from tests.attacks import records
from tests.attacks.records import ATTACKS, MARKER, REFUSED_EVEN_IF_TRUSTED
from tests.kit.arena_program import Ended, arena

WITHOUT_RULES: Final = (
    *(("history",), ("history", "--format", "json"), ("show", "GAME"), ("show", "GAME", "--ply", "0")),
    *(("show", "GAME", "--format", "json"), ("replay", "GAME"), ("replay", "GAME", "--html", "page.html")),
    *(("logs", "GAME"), ("tournaments",), ("standings",), ("crosstable",), ("rank",), ("rulings",)),
    *(("export", "--format", "pgn"), ("export", "--format", "ndjson"), ("export", "--format", "csv")),
    *(("report", "cs101", "site"), ("report", "cs101", "site2", "--no-games"), ("db", "info")),
    *(("sql", "select * from v_move"), ("versus", "random", "random#2"), ("grades", "cs101", "--bar", "pass=random")),
)
"""Commands that answer, with a board or without."""
WITH_RULES: Final = (("analyse", "GAME"), ("debug", "GAME"), ("show", "GAME", "--svg", "board.svg"))
"""Commands that cannot do without the rules."""


@pytest.fixture(params=ATTACKS)
def attack(request: pytest.FixtureRequest) -> str:
    """The name of an attack."""
    return str(request.param)


@pytest.fixture
def sent(attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The database that the victim opens. Nothing that was loaded while it was made is loaded any more. The rules that
    the victim has played by are those of this attack alone: others have the same content."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sent").mkdir()
    file = ATTACKS[attack](tmp_path / "sent")
    for name in [name for name in sys.modules if name.startswith("game_")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(catalog, "_checked", {})
    Path(MARKER).unlink(missing_ok=True)
    return file


def asked(file: Path, *arguments: str) -> Ended:
    """What a command answers about the first game there."""
    game = json.loads(arena("results", "history", "--format", "json", "--db", str(file)).out)[-1]["id"]
    return arena(*(str(game) if word == "GAME" else word for word in arguments), "--db", str(file))


@pytest.mark.costly
def test_no_command_runs_it(attack: str, sent: Path) -> None:
    for command in WITHOUT_RULES:
        ended = asked(sent, *command)
        if not (attack == "students_submission" and command[0] in ("versus", "grades")):  # other players
            assert ended.code == 0, (command, ended.err)
        assert not list(Path.cwd().rglob(MARKER)), command
    for command in WITH_RULES:
        ended = asked(sent, *command)
        assert ended.code == 2, command
        assert "was changed" in ended.err or "expected a file" in ended.err or "--trust-rules" in ended.err, command
        assert not list(Path.cwd().rglob(MARKER)), command
    verified = asked(sent, "db", "verify")
    assert verified.code == 1
    assert "--trust-rules" in verified.out.replace("\n ", " ") or attack in REFUSED_EVEN_IF_TRUSTED
    assert not list(Path.cwd().rglob(MARKER))
    assert "There are no boards" in Path("page.html").read_text("utf-8")
    assert "There are no boards" in next(Path("site/games").glob("*.html")).read_text("utf-8")


def test_the_tv_page_does_not_run_it(sent: Path) -> None:
    with Database(str(sent)) as database:
        record = LiveRecord(database, Names().seen_by(MEMBER), "")
        assert [record.played(id) for id in range(1, 10)] == [None] * 9
    assert not list(Path.cwd().rglob(MARKER))


def test_the_rules_run_only_for_users_who_trust_them_and_results_are_shown_without(attack: str, sent: Path) -> None:
    for command in ("show", "replay"):
        ended = asked(sent, command, "GAME")
        assert "no board: " in ended.out
        assert ended.out.count("no board: ") == 1
        assert "random 0.00 s" in ended.out or " wins" in ended.out or "draw" in ended.out
    assert json.loads(asked(sent, "show", "GAME", "--format", "json").out)["moves"]
    assert not Path(MARKER).exists()
    ended = asked(sent, "show", "GAME", "--trust-rules")
    assert ended.code == 0
    # A source that is not what its hash says is refused even then.
    assert Path(MARKER).exists() != (attack in REFUSED_EVEN_IF_TRUSTED)


def test_what_this_user_has_played_needs_no_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(records.EVIL, "utf-8")
    file = records.played(tmp_path, "mine.py:Countdown")
    for command in (("show", "GAME"), ("replay", "GAME"), ("debug", "GAME"), ("db", "verify")):
        ended = asked(file, *command)
        assert ended.code == 0, ended.err
        assert "no board" not in ended.out
    # Where the list of own rules is lost, the flag is needed: the record alone proves nothing.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "nothing"))
    assert "no board: you have not played with the rules 'mine.py:Countdown' on this account" in (
        asked(file, "show", "GAME").out.replace("\n ", " ")
    )
    assert asked(file, "db", "verify", "--trust-rules").code == 0


@pytest.mark.costly
def test_an_agent_from_elsewhere_is_not_run_without_walls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sent").mkdir()
    Path("sent/agent.py").write_text(records.EVIL, "utf-8")
    file = records.played(tmp_path / "sent", "tictactoe", "sent/agent.py:Mine", "random")
    asking = ("debug", "GAME")
    assert asked(file, *asking).code == 0  # this user has entered it
    assert Path(MARKER).exists()
    Path(MARKER).unlink()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "somebody else"))
    # Nor is it the user's own once it has played behind walls from the attacker's database.
    assert arena("play", "tictactoe", "agent", "random", "--clock", "none", "--quiet", "--db", str(file)).code == 0
    ended = asked(file, *asking)
    assert ended.code == 2
    assert "agent@1 was not recorded by this account, and debug runs it without a sandbox" in ended.err
    assert not Path(MARKER).exists()
    assert asked(file, *asking, "--trust-rules").code == 0
    assert Path(MARKER).exists()


def test_a_file_that_options_name_is_read_from_a_store_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a report that is published could show what is in a file of the victim's."""
    monkeypatch.chdir(tmp_path)
    Path("tree.json").write_text('{"tree": {"root": {"a": 1, "b": -1}}}', "utf-8")
    file = records.played(tmp_path, "tree:file=tree.json")
    assert "no board" not in asked(file, "show", "GAME").out
    for path in ("/etc/hostname", "/dev/zero", str(tmp_path / "tree.json"), "~/x", "tree.json"):
        ended = asked(records.with_rules(file, f"tree:file={path}"), "show", "GAME")
        assert ended.code == 0
        assert "name a file outside the store, which is not read" in ended.out.replace("\n ", " "), path


def test_a_bundle_that_lies_about_a_hash_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = records.bundle(tmp_path)
    records.changed(file, ("UPDATE bundled SET content = CAST(content || 'x' AS BLOB) WHERE path = 'evil.py'", ()))
    for store in tmp_path.glob("evil.store"):
        clear(store)
        shutil.rmtree(store, ignore_errors=True)
    for command in (("history",), ("show", "1"), ("sql", "select 1"), ("db", "verify"), ("show", "1", "--trust-rules")):
        ended = arena(*command, "--db", str(file))
        assert ended.code == 2
        assert "does not have that hash" in ended.err
    assert not (tmp_path / "evil.store").exists()


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        (["CREATE TRIGGER t AFTER UPDATE ON game BEGIN UPDATE seat SET points = 1; END"], "the trigger t"),
        (["ALTER TABLE move RENAME TO m", "CREATE VIEW move AS SELECT * FROM m"], "the view move"),
        (["DROP VIEW IF EXISTS Bundle", "CREATE VIEW Bundle AS SELECT 'x' AS place"], "the view Bundle"),
        (["ALTER TABLE game ADD COLUMN big GENERATED ALWAYS AS (zeroblob(1e9))"], "the computed column game.big"),
        (["CREATE INDEX i ON agent (name) WHERE instr(zeroblob(9), name)"], "the index i with WHERE"),
        (["CREATE INDEX i ON agent (instr(zeroblob(9), name))"], "the index i of an expression"),
        (
            [
                "DROP INDEX game_not_normal",
                "CREATE INDEX game_not_normal ON game (verdict, finished) WHERE verdict <> 'normal' OR plies > 1",
            ],
            "the index game_not_normal with WHERE",
        ),
        (["ALTER TABLE agent ADD COLUMN x CHECK (length(zeroblob(9)) > 0)"], "the table agent with CHECK"),
        (["ALTER TABLE seat ADD COLUMN x DEFAULT 'x'"], "the table seat with DEFAULT"),
    ],
)
def test_a_database_that_computes_when_it_is_read_is_refused(
    statements: list[str], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = records.changed(records.played(tmp_path), *((statement, ()) for statement in statements))
    for command in (("history",), ("sql", "select 1"), ("db", "upgrade"), ("play", "nap", "random", "random")):
        ended = arena(*command, "--db", str(file))
        assert ended.code == 2
        assert f"expected plain tables, got {what}" in ended.err


def test_no_file_is_deleted_by_opening_a_database(tmp_path: Path) -> None:
    """A journal that names another one has SQLite delete that: any file of the user's."""
    file, thesis = tmp_path / "evil.db", tmp_path / "thesis.txt"
    records.played(tmp_path).rename(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        page = connection.execute("PRAGMA page_size").fetchone()[0]
    thesis.write_text("years of work")
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(thesis).encode()
    header = (magic + struct.pack(">IIIII", 0, 1, file.stat().st_size // page, 512, page)).ljust(512, b"\0")
    named = struct.pack(">I", 0x40000000 // page + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    (tmp_path / "evil.db-journal").write_bytes(header + named)
    linked = tmp_path / "course" / "linked.db"
    linked.parent.mkdir()
    linked.symlink_to(file)
    for opened in (file, linked):
        for words in (("show", "1"), ("history",), ("db", "info"), ("db", "verify")):
            ended = arena(*words, "--db", str(opened))
            assert (ended.code, ended.out) == (2, ""), words
            assert "names a super-journal" in ended.err
    assert thesis.read_text() == "years of work"


_ENDLESS: Final = "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r)"


def test_a_forged_view_of_ours_is_never_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    honest = records.played(tmp_path)
    commands = (("history",), ("show", "1"), ("replay", "1"), ("db", "verify"), ("sql", "select * from v_seat"))
    answers = [arena(*command, "--db", str(honest)).out for command in commands]
    forged = [f"CREATE VIEW {name} AS SELECT {_ENDLESS} AS id" for name in VIEWS]
    drops = [f"DROP VIEW {name}" for name in VIEWS]
    file = records.changed(honest, *((statement, ()) for statement in (*drops, *forged)))
    assert [arena(*command, "--db", str(file)).out for command in commands] == answers


def test_what_users_add_to_a_database_is_neither_refused_nor_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    added = (
        *("CREATE INDEX by_detail ON game (detail)", "CREATE VIEW mine AS SELECT id FROM v_game"),
        # A check that computes what this table asks for would say that it is not so.
        *("CREATE TABLE notes (note TEXT CHECK (note <> 'x'))", "PRAGMA ignore_check_constraints = ON"),
        "INSERT INTO notes VALUES ('x')",
    )
    file = records.changed(records.played(tmp_path), *((statement, ()) for statement in added))
    assert "2" in arena("data", "sql", "select count(*) from mine", "--db", str(file)).out
    assert arena("results", "history", "--db", str(file)).code == 0
    assert "no errors" in arena("data", "verify", "--db", str(file)).out


@pytest.mark.parametrize(
    "column",
    [
        *("move.depth", "move.ply", "move.score", "move.text", "game.plies", "game.number"),
        *("seat.seat", "seat.points", "seat.spent", "ruling.seat"),
    ],
)
def test_text_in_a_column_of_numbers_is_named_and_not_shown(
    column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table, _, name = column.partition(".")
    file = records.played(tmp_path)
    assert arena("rule", "award", "1", "--to", "random", "--reason", "why", "--db", str(file)).code == 0
    one = "ply = 1" if table == "move" else "seat = 0" if table == "seat" else "1"
    of_game = "id" if table == "game" else "game"
    statement = f"UPDATE {table} SET {name} = CAST(? AS {'BLOB' if name == 'text' else 'TEXT'}) WHERE {one}"
    records.changed(file, (f"{statement} AND {of_game} = 1", ("\x1b]0;mine\x07",)))
    for command in (("show", "1"), ("replay", "1"), ("logs", "1"), ("history",), ("versus", "random", "random#2")):
        ended = arena(*command, "--db", str(file))
        assert "\x1b" not in ended.out + ended.err, command
        assert "Traceback" not in ended.err
        if command[0] in ("show", "replay"):
            assert ended.code == 2
            assert f"game 1: the value of {column} does not have its column's type" in ended.err
    verified = arena("data", "verify", "--format", "json", "--db", str(file))
    assert verified.code == 1
    assert {
        "where": "game 1",
        "game": 1,
        "reason": f"the value of {column} does not have its column's type",
    } in json.loads(verified.out)


def test_a_verdict_that_is_none_is_shown_without_escapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = records.changed(records.played(tmp_path), ("UPDATE game SET verdict = ?", ("\x1b]0;mine\x07",)))
    ended = arena("results", "versus", "random", "random#2", "--db", str(file))
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "mine" in ended.out
