"""Rulings are recorded with their reason, standings follow them, and what happened stays as it was."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from arena.tournament.lock import tournament_lock
from db import store
from db.database import Database
from tests.kit.arena_program import Ended, arena
from tests.kit.judged_records import NOW, store_tournament
from tests.kit.ladder_record import OPENED, hand_in, open_ladder


@pytest.fixture(scope="module")
def true_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a tournament of six games, and one whose name needs some care."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    with Database(str(file)) as database:
        store_tournament(database, "tictactoe", name="finals-2", names=("ann", "1"), openings=0)
        store_tournament(database)
    return file


@pytest.fixture
def record(true_record: Path, tmp_path: Path) -> Path:
    """A copy of it, to be ruled on."""
    return Path(shutil.copy(true_record, tmp_path / "arena.db"))


def rule(record: Path, *arguments: str) -> Ended:
    return arena(*arguments, "--db", str(record))


def rows(record: Path, query: str) -> list[tuple[Any, ...]]:
    with Database(str(record), read_only=True) as database, database.reading() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def rulings(record: Path) -> list[tuple[Any, ...]]:
    return rows(record, "SELECT game, entry, what, seat, reason FROM ruling ORDER BY id")


@pytest.mark.parametrize(
    ("id", "game", "name"),
    [("4", 4, "cs101-2"), ("cs101-2", 4, "cs101-2"), ("finals-2-1", 1, "finals-2-1"), ("last", 8, "cs101-6")],
)
def test_a_game_is_named_by_its_id_its_number_or_as_the_last(record: Path, id: str, game: int, name: str) -> None:
    ended = rule(record, "void", id, "--reason", "the machine was busy")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"ruling 1: game {name} (")
    assert ended.out.endswith(") is annulled: the machine was busy\n")
    assert rulings(record) == [(game, None, "void", None, "the machine was busy")]


def test_of_several_attempts_the_last_is_meant(record: Path) -> None:
    with Database(str(record)) as database, database.writing() as connection:
        again = store.repeat(connection, 4)
        store.forfeit(connection, {again: 0}, "withdrawn", NOW)
    assert rule(record, "void", "cs101-2", "--reason", "x").out.startswith("ruling 1: game cs101-2 (attempt 2, ")


def test_an_annulled_game_counts_for_nothing_and_stays_what_it_was(record: Path) -> None:
    played = rows(record, "SELECT * FROM seat WHERE game = 3")
    before = rows(record, "SELECT SUM(games) FROM v_standing WHERE tournament = 'cs101'")
    assert rule(record, "void", "3", "--reason", "x").code == 0
    assert rows(record, "SELECT SUM(games) FROM v_standing WHERE tournament = 'cs101'") == [(before[0][0] - 2,)]
    assert rows(record, "SELECT points FROM v_seat WHERE game = 3") == [(None,), (None,)]
    assert rows(record, "SELECT * FROM seat WHERE game = 3") == played
    assert rows(record, "SELECT status, verdict FROM game WHERE id = 3") == [("finished", "normal")]


def test_an_annulled_game_is_void_for_programs_and_annulled_for_people(record: Path) -> None:
    def found(*options: str) -> set[int]:
        listed = arena("results", "history", "--limit", "100", "--format", "json", *options, "--db", str(record))
        return {game["id"] for game in json.loads(listed.out)}

    void, finished = found("--status", "void"), found("--status", "finished")
    assert 3 in finished - void
    assert rule(record, "void", "3", "--reason", "x").code == 0
    assert (found("--status", "void"), found("--status", "finished")) == (void | {3}, finished - {3})
    assert json.loads(arena("replay", "--show", "3", "--format", "json", "--db", str(record)).out)["status"] == "void"
    assert rows(record, "SELECT status FROM v_game WHERE id = 3") == [("void",)]
    assert re.search(
        r"^cs101-1 .* ann - bob .*\(annulled\)", arena("results", "history", "--db", str(record)).out, re.MULTILINE
    )


@pytest.mark.parametrize(("to", "seat"), [("ann", 0), ("bob", 1), ("0", 0), ("1", 1)])
def test_a_game_is_awarded_to_a_name_or_a_seat(record: Path, to: str, seat: int) -> None:
    ended = rule(record, "award", "cs101-1", "--to", to, "--reason", "not his own work")
    name = ("ann", "bob")[seat]
    assert ended.out == f"ruling 1: game cs101-1 (ann - bob) is awarded to {name}: not his own work\n"
    assert rows(record, "SELECT points FROM v_seat WHERE game = 3 ORDER BY seat") == [(1.0 - seat,), (0.0 + seat,)]


def test_a_player_called_like_a_seat_is_meant_by_its_name(record: Path) -> None:
    """In the second game of the final, "1" sits in seat 0."""
    assert rows(record, "SELECT name FROM seat WHERE game = 2 ORDER BY seat") == [("1",), ("ann",)]
    assert rule(record, "award", "finals-2-2", "--to", "1", "--reason", "x").code == 0
    assert rulings(record)[0][3] == 0


def test_the_last_ruling_holds_and_none_is_removed(record: Path) -> None:
    for arguments in (("void", "3"), ("award", "3", "--to", "bob"), ("award", "3", "--to", "ann")):
        assert rule(record, *arguments, "--reason", "x").code == 0
    assert [row[2:4] for row in rulings(record)] == [("void", None), ("award", 1), ("award", 0)]
    assert rows(record, "SELECT points FROM v_seat WHERE game = 3 ORDER BY seat") == [(1.0,), (0.0,)]


def test_who_is_withdrawn_can_be_released(record: Path) -> None:
    ended = rule(record, "withdraw", "ann", "--tournament", "finals-2", "--reason", "asked to")
    assert ended.code == 0
    assert ended.out == (
        "ruling 1: ann in finals-2 is withdrawn: asked to\n"
        "the next run of finals-2 updates the games that this affects\n"
    )
    status = "SELECT tournament, name, status FROM entry WHERE name = 'ann' ORDER BY tournament"
    assert rows(record, status) == [(1, "ann", "withdrawn"), (2, "ann", "active")]
    assert rule(record, "release", "ann", "--tournament", "finals-2", "--reason", "came back").code == 0
    assert rows(record, status) == [(1, "ann", "active"), (2, "ann", "active")]
    assert [row[2] for row in rulings(record)] == ["withdraw", "release"]


def test_without_a_name_the_only_tournament_of_the_agent_is_meant(record: Path) -> None:
    assert rule(record, "withdraw", "cid", "--reason", "x").out.startswith("ruling 1: cid in cs101 is withdrawn: x\n")
    assert rows(record, "SELECT tournament FROM entry WHERE status = 'withdrawn'") == [(2,)]


def test_where_several_tournaments_could_be_meant_one_must_be_named(record: Path) -> None:
    ended = rule(record, "withdraw", "ann", "--reason", "x")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "arena: 'ann' takes part in cs101 (finished), finals-2 (finished): choose one with --tournament\n"
    )
    assert rule(record, "withdraw", "ann", "--tournament", "finals-2", "--reason", "x").code == 0
    # Only in one of them can she be released.
    assert rule(record, "release", "ann", "--reason", "x").out.startswith("ruling 2: ann in finals-2 is released: x\n")


@pytest.mark.parametrize(("typed", "code"), [("finals-2", 0), ("", 2), ("finals", 2)])
def test_a_person_is_asked_which_tournament_is_meant(
    typed: str, code: int, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.teach.rulings.is_interactive", lambda: True)
    monkeypatch.setattr("arena.cli.teach.rulings.answer", lambda _: typed)
    ended = rule(record, "withdraw", "ann", "--reason", "x")
    assert ended.code == code
    assert len(rulings(record)) == 1 - code // 2
    if code:
        assert ended.err == f"arena: expected one of cs101, finals-2, got {typed!r}; nothing was changed\n"


def test_who_is_quarantined_can_be_withdrawn_or_released(record: Path) -> None:
    with Database(str(record)) as database, database.writing() as connection:
        for name in ("ann", "bob"):
            store.set_entry_status(connection, 2, name, "quarantined")
    assert rule(record, "withdraw", "ann", "--tournament", "cs101", "--reason", "x").code == 0
    assert rule(record, "release", "bob", "--reason", "x").code == 0
    assert rows(record, "SELECT name, status FROM entry WHERE tournament = 2 ORDER BY name") == [
        ("ann", "withdrawn"),
        ("bob", "active"),
        ("cid", "active"),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("void", "99"), "there is no game 99; `arena results history` lists the recorded games"),
        (
            ("void", "9" * 30),
            "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got '999",
        ),
        (
            ("void", "cs101"),
            "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got 'cs10",
        ),
        (
            ("void", "cs101-x"),
            "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got 'cs",
        ),
        (("void", "cs101-"), "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got 'cs"),
        (("void", "cs102-1"), "there is no tournament 'cs102'; did you mean 'cs101'?"),
        (("void", "cs101-7"), "the tournament 'cs101' has no game 7"),
        (("award", "3", "--to", "cid"), "expected a seat or player of game cs101-1: 0 (ann), 1 (bob); got 'cid'"),
        (("award", "3", "--to", "2"), "expected a seat or player of game cs101-1: 0 (ann), 1 (bob); got '2'"),
        (("withdraw", "anna"), "no agent 'anna' in any tournament; did you mean 'ann'?"),
        (("withdraw", "an", "--tournament", "cs101"), "no agent 'an' in 'cs101'; did you mean 'ann'?"),
        (("withdraw", "zoe"), "no agent 'zoe' in any tournament; `arena results` lists the agents"),
        (
            ("withdraw", "1", "--tournament", "cs101"),
            "no agent '1' in 'cs101'; `arena results` lists",
        ),
        (("withdraw", "ann", "--tournament", "x"), "there is no tournament 'x'; `arena results tournaments` lists all"),
        (("release", "cid"), "'cid' is already active in cs101"),
        (("release", "ann"), "'ann' is already active in cs101, finals-2"),
        (("revoke", "7"), "there is no ruling 7; `arena rule list` lists all rulings"),
        (("void",), "expected either a game's ID, or filters such as --tournament demo --verdict time"),
        (
            ("void", "3", "--verdict", "time"),
            "expected either a game's ID, or filters such as --tournament demo --ver",
        ),
        (("void", "--verdict", "time"), "no game matches these filters; `arena results history` has the same filters"),
        (("void", "--agent", "ann"), "several games would be annulled, and there is no terminal to confirm it: add"),
    ],
)
def test_what_cannot_be_ruled_is_told_in_one_line(record: Path, arguments: tuple[str, ...], told: str) -> None:
    command, *rest = arguments
    ended = rule(
        record, command, *[word for word in rest if word != "-7"], "--reason", "x", *(["--", "-7"] * ("-7" in rest))
    )
    assert ended.code == 2
    assert not ended.out or "--agent" in arguments  # what was found is shown first
    assert ended.err.startswith(f"arena: {told}")
    assert ended.err.count("\n") == 1
    assert rulings(record) == []


def test_only_a_finished_game_can_be_ruled_on(record: Path) -> None:
    with Database(str(record)) as database, database.writing() as connection:
        again = store.repeat(connection, 3)
    ended = rule(record, "award", str(again), "--to", "ann", "--reason", "x")
    assert ended.err == "arena: expected a finished game, but game cs101-1 (attempt 2) is scheduled\n"
    assert ended.code == 2
    ended = rule(record, "award", "3", "--to", "ann", "--reason", "x")
    told = "arena: game cs101-1 is to be played again, as attempt 2: rule on that one, cs101-1\n"
    assert (ended.code, ended.err) == (2, told)


@pytest.mark.parametrize(
    "command",
    [("void", "3"), ("award", "3", "--to", "0"), ("withdraw", "ann"), ("release", "ann"), ("revoke", "1")],
)
def test_every_ruling_needs_a_reason(record: Path, command: tuple[str, ...]) -> None:
    ended = rule(record, *command)
    assert ended.code == 2
    assert "--reason" in ended.err
    ended = rule(record, *command, "--reason", "  ")
    assert (ended.code, ended.err) == (2, "arena: expected a reason, got an empty text\n")
    assert rulings(record) == []


def test_a_reason_is_kept_as_it_is_and_printed_without_escapes(record: Path) -> None:
    reason = 'he said "no"\n\x1b[31mRobert\'); DROP TABLE ruling;--'
    ended = rule(record, "void", "3", "--reason", reason)
    assert "\x1b" not in ended.out
    assert ended.out.count("\n") == 1
    assert rulings(record)[0][4] == reason


def test_the_record_is_still_well_after_rulings(record: Path) -> None:
    rule(record, "void", "3", "--reason", "x")
    rule(record, "award", "4", "--to", "0", "--reason", "x")
    rule(record, "void", "5", "--again", "--reason", "x")
    rule(record, "withdraw", "cid", "--reason", "x")
    assert len(rulings(record)) == 4
    assert arena("data", "verify", "--db", str(record)).code == 0


def test_a_game_is_annulled_and_scheduled_once_more(record: Path) -> None:
    ended = rule(record, "void", "cs101-1", "--again", "--reason", "a backup ran")
    assert ended.out == (
        "ruling 1: game cs101-1 (ann - bob) is annulled for a replay: a backup ran\nthe next run of cs101 plays it\n"
    )
    attempts = "SELECT attempt, status FROM game WHERE tournament = 2 AND number = 1 ORDER BY attempt"
    assert rows(record, attempts) == [(1, "finished"), (2, "scheduled")]
    assert rows(record, "SELECT status FROM tournament WHERE id = 2") == [("stopped",)]
    ended = rule(record, "revoke", "1", "--reason", "there was none")
    assert ended.out == (
        "ruling 2 revokes ruling 1: game cs101-1 (ann - bob) counts as it ended, 1-0: there was none\n"
        "its replay is cancelled\n"
    )
    assert rows(record, attempts) == [(1, "finished"), (2, "cancelled")]
    assert rows(record, "SELECT status FROM tournament WHERE id = 2") == [("finished",)]
    assert arena("data", "verify", "--db", str(record)).code == 0


def test_no_game_is_scheduled_while_another_process_plays_the_tournament(record: Path) -> None:
    with tournament_lock(record.with_suffix(".store"), "cs101"):
        ended = rule(record, "void", "3", "--again", "--reason", "x")
        assert (ended.code, rulings(record)) == (1, [])
        assert ended.err.startswith("arena: another process is running tournament 'cs101'")
        assert rule(record, "void", "3", "--reason", "x").code == 0


@pytest.mark.parametrize("typed", ["y", "n", ""])
def test_many_games_are_shown_and_asked_about(typed: str, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.teach.rulings.is_interactive", lambda: True)
    monkeypatch.setattr("arena.cli.teach.rulings.answer", lambda _: typed)
    rule(record, "void", "cs101-6", "--reason", "x")
    ended = rule(record, "void", "--verdict", "normal", "--again", "--reason", "power cut")
    shown = ended.out.splitlines()
    assert shown[0] == "8 games to be annulled and played again:"
    assert [line.split()[0] for line in shown[1:6]] == ["cs101-6", "cs101-5", "cs101-4", "cs101-3", "cs101-2"]
    assert shown[6].strip() == "... and 3 more; `arena results history` with the same filters lists them"
    if typed == "y":
        assert shown[7:] == [
            "rulings 2 to 9: 8 games annulled: power cut",
            "the next run of cs101 plays them again",
            "the next run of finals-2 plays them again",
        ]
        assert len(rulings(record)) == 9
        assert rows(record, "SELECT COUNT(*) FROM game WHERE status = 'scheduled' AND attempt = 2") == [(8,)]
    else:
        assert (ended.code, shown[7:], len(rulings(record))) == (1, ["nothing was changed"], 1)
    assert arena("data", "verify", "--db", str(record)).code == 0


def test_what_cannot_be_ruled_on_is_left_out_of_many(record: Path) -> None:
    rule(record, "void", "cs101-6", "--reason", "x")
    ended = rule(record, "void", "--tournament", "cs101", "--agent", "cid", "--yes", "--reason", "y")
    assert "3 games to be annulled:" in ended.out
    assert "left out: 1 game (game cs101-6 was already annulled by ruling 1)" in ended.out
    assert len(rulings(record)) == 4
    ended = rule(record, "void", "--tournament", "cs101", "--agent", "cid", "--yes", "--reason", "y")
    assert ended.err.startswith("arena: none of 4 games can be annulled: game cs101-6 was already annulled by ruling 1")


def test_rulings_are_listed_with_their_numbers(record: Path) -> None:
    rule(record, "award", "cs101-1", "--to", "bob", "--reason", "copied")
    rule(record, "withdraw", "cid", "--reason", "asked to")
    rule(record, "revoke", "1", "--reason", "a mistake")
    lines = rule(record, "rulings").out.splitlines()
    assert lines[0].split() == ["ruling", "made", "(UTC)", "decided", "about", "reason"]
    assert [" ".join(line.split()[:1] + line.split()[2:]) for line in lines[1:]] == [
        "3 revokes ruling 1 cs101-1 (ann - bob) a mistake",
        "2 withdrawn cid in cs101 asked to",
        "1 awarded to bob (revoked) cs101-1 (ann - bob) copied",
    ]
    assert rule(record, "rulings", "finals-2").out.splitlines() == ["ruling  made (UTC)  decided  about  reason"]
    found = json.loads(rule(record, "rulings", "cs101", "--format", "json").out)
    assert [one["id"] for one in found] == [3, 2, 1]
    assert {key: value for key, value in found[2].items() if key != "when"} == {
        "id": 1,
        "what": "award",
        "tournament": "cs101",
        "game": 3,
        "number": 1,
        "players": ["ann", "bob"],
        "seat": 1,
        "reason": "copied",
        "revokes": None,
        "revoked": 3,
    }
    assert rule(record, "rulings", "--format", "csv").out.splitlines()[0] == ",".join(found[0])


def test_a_ruling_stands_in_the_headline_of_its_game(record: Path) -> None:
    rule(record, "void", "3", "--reason", "the room lost power")
    first, *_, last = rule(record, "show", "3").out.splitlines()
    assert first.endswith("ann - bob   *   annulled: the room lost power")
    assert last.startswith("ruling 1 of ")
    assert last.endswith(": annulled: the room lost power")
    document = json.loads(rule(record, "show", "3", "--format", "json").out)
    assert (document["status"], document["ruling"]["what"], document["ruling"]["id"]) == ("void", "void", 1)
    rule(record, "revoke", "1", "--reason", "it was another game")
    first, *_, last = rule(record, "show", "3").out.splitlines()
    assert first.endswith("ann - bob   1-0")
    assert last.endswith(": revokes ruling 1: it was another game")


def test_in_a_ladder_arena_serve_follows_a_ruling(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        ladder = open_ladder(connection, tmp_path)
        alice = hand_in(connection, ladder, "alice", "mcts")
        final = store.create_tournament(
            connection, ladder.final, format="swiss", rules="tictactoe", clock="5", seed=1, settings={}, now=OPENED
        )
        store.enter(connection, final, "alice", alice)
    for tournament, when in (
        ("cs101", "affects: within seconds if it is running, otherwise when it is started\n"),
        ("cs101 final", "affects when it is started the next time\n"),
    ):
        ended = rule(file, "withdraw", "alice", "--tournament", tournament, "--reason", "x")
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.endswith("\n`arena serve` updates the games that this " + when)


def test_an_anchor_cannot_be_withdrawn(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        open_ladder(connection, tmp_path)
    ended = rule(file, "withdraw", "random", "--reason", "x")
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert "'random' is an anchor of the ladder 'cs101' and cannot be withdrawn" in ended.err
    assert rulings(file) == []
