"""The text of an engine is read correctly and stored with all its settings, or refused with one clear message."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.engines import Engine
from arena.errors import BadLeague, BadPlayer
from arena.players import engines, versions
from arena.players.player import PlayerKind, read_player
from arena.players.submissions import Store
from arena.tournament import enrolment
from arena.tournament.description import Table
from db import store as record
from db.database import Database

UCI, GTP = "uci", "gtp"
GNUGO = ("gnugo", *engines.known()["gnugo"][1].arguments)
GNUBG = ("gnubg", *engines.known()["gnubg"][1].arguments)


@pytest.mark.parametrize(
    ("text", "name", "command", "engine"),
    [
        ("uci:stockfish", "stockfish", ("stockfish",), Engine(UCI)),
        (" uci:stockfish?nodes=100 ", "stockfish?nodes=100", ("stockfish",), Engine(UCI, nodes=100)),
        (
            "uci:/opt/engine --fast?Skill Level=3&Hash=16&depth=4&movetime=50",
            "engine --fast?Skill Level=3&Hash=16&depth=4&movetime=50",
            ("/opt/engine", "--fast"),
            Engine(UCI, {"Skill Level": "3", "Hash": "16"}, depth=4, movetime=50),
        ),
        ("uci:gnuchess", "gnuchess", ("gnuchess", "--uci"), Engine(UCI)),
        ("gtp:gnugo --level 5", "gnugo --level 5", (*GNUGO, "--level", "5"), Engine(GTP)),
        ("gtp:gnugo --mode gtp", "gnugo --mode gtp", (GNUGO[0], *GNUGO[3:], "--mode", "gtp"), Engine(GTP)),
        ("gtp:./mine?level=2", "mine?level=2", ("./mine",), Engine(GTP, {"level": "2"})),
        ("gnubg:gnubg?plies=1", "gnubg?plies=1", GNUBG, Engine("gnubg", {"plies": "1"})),
    ],
)
def test_an_engine_is_read_and_named(text: str, name: str, command: tuple[str, ...], engine: Engine) -> None:
    player = read_player(text)
    assert (player.kind, player.name, player.text) == (PlayerKind.COMMAND, name, text.strip())
    assert (player.command, player.engine) == (command, engine)
    assert {player: 1}[read_player(text)] == 1  # players are keys where a table of them is played


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("uci:", "expected a program after 'uci:', such as 'uci:stockfish?Hash=16&nodes=1000', got 'uci:'"),
        ("gtp:'a", "expected gtp:PROGRAM and its arguments"),
        ("uci:stockfish?Hash", "expected settings as NAME=VALUE, separated by '&'"),
        ("uci:stockfish?Hash=1&hash=2", "'hash' is set twice"),
        ("uci:stockfish?Hash=1\nquit", "expected settings as NAME=VALUE"),
        ("uci:stockfish?nodes=0", "nodes= expects a positive whole number, got '0'"),
        ("uci:stockfish?movetime=x", "movetime= expects a positive whole number of milliseconds, got 'x'"),
        ("uci:stockfish?Ponder=true", "the option Ponder cannot be set"),
        ("UCI:stockfish?Hash=1", "no player 'UCI:stockfish?Hash=1'; did you mean 'uci:stockfish?Hash=1'?"),
        ("stockfish?nodes=9", "no player 'stockfish?nodes=9'; did you mean 'uci:stockfish?nodes=9'?"),
        ("GnuGo --level 5", "no player 'GnuGo --level 5'; did you mean 'gtp:gnugo --level 5'?"),
        ("uci:gnugo", "gnugo speaks GTP: expected 'gtp:gnugo'"),
        ("gtp:mine?nodes=5", "nodes= is a limit for UCI engines"),
        ("gtp:mine?komi=5", "komi= cannot be set for an engine: it is a part of the game"),
        ("gtp:mine?a b=5", "expected the name of a GTP command before '=', got 'a b'"),
        ("gtp:mine?1=boardsize 9", "expected the name of a GTP command before '=', got '1'"),
        ("gnubg:gnubg?plies=4", "GNU Backgammon has one setting here, plies=0 to plies=3; got 'plies=4'"),
        ("gnubg:gnubg?level=1", "GNU Backgammon has one setting here, plies=0 to plies=3; got 'level=1'"),
        ("gtp:mine?#=9", "expected the name of a GTP command before '=', got '#'"),
    ],
)
def test_a_wrong_text_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadPlayer) as refused:
        read_player(text)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("uci:toga2", "no engine 'toga2' on this machine; install it (Debian, Ubuntu: sudo apt install toga2)"),
        ("uci:no-such", "no engine 'no-such' on this machine; look for a typo, install it, or write its path"),
    ],
)
def test_a_missing_engine_is_refused(text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_FOLDERS", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadPlayer) as refused:
        Store(tmp_path / "store").take(read_player(text))
    assert says in str(refused.value)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A program `mine` in the working directory, and a file for it to read."""
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("#!/bin/sh\n")
    os.chmod("mine", 0o755)
    Path("book.bin").write_bytes(b"e4")
    return "uci:./mine --book book.bin"


def test_the_hash_covers_all_settings_and_files(program: str) -> None:
    store = Store(Path("store"))
    texts = ["", "?Hash=1", "?Hash=2", "?nodes=1", "?depth=1", "?Book=./book.bin", "?../Book=./book.bin"]
    hashes = [store.take(read_player(program + text)).hash for text in texts]
    Path("book.bin").write_bytes(b"d4")
    hashes.append(store.take(read_player(program + texts[0])).hash)
    assert len(set(hashes)) == len(hashes)


def test_a_setting_that_is_also_the_name_of_a_file_stays_a_number(program: str) -> None:
    Path("16").touch()
    submission = Store(Path("store")).take(read_player(f"{program}?Hash=16"))
    assert submission.engine == Engine(UCI, {"Hash": "16"})


def test_a_recorded_engine_plays_again_as_it_was(program: str) -> None:
    text = f"{program}?Book=./book.bin&Hash=2&nodes=7"
    store, database = Store(Path("store")), Database("arena.db")
    first = store.take(read_player(text))
    Path("book.bin").unlink()
    with database.writing() as connection:
        record.version(connection, "mine", first.hash, text, datetime(2026, 5, 1, tzinfo=UTC))
    with database.reading() as connection:
        again, version = versions.named_player(connection, "mine@1", store)
    database.close()
    assert version is not None
    assert again.name == "mine@1"
    assert again.engine == first.engine
    assert first.engine is not None
    assert Path(first.engine.options["Book"]).read_bytes() == b"e4"
    assert store.take(again) == first


def test_known_engines_are_found_where_systems_install_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gnugo"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(engines, "_FOLDERS", (str(tmp_path),))
    assert {protocol.player(engine): program for protocol, engine, program in engines.installed()} == {
        "gtp:gnugo": str(path)
    }


def test_a_tournament_file_names_files_of_an_engine_relative_to_its_own_folder(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    text = f"{program}?Book=./book.bin&Skill Level=3"
    here = Store(tmp_path / "store").take(read_player(text))
    monkeypatch.chdir(elsewhere)
    table = Table({}, "t.toml")
    assert Store(tmp_path / "store").take(enrolment.found(table, "player", text, tmp_path)).hash == here.hash
    with pytest.raises(BadLeague, match="expected a program after 'uci:'"):
        enrolment.found(table, "player", "uci:", tmp_path)
