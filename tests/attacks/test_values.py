"""Hostile values in every field: numbers beyond 64 bits, NaN, NUL, lone surrogates, codes for terminals, formulas.

Whatever a player says goes through the real readers into a real match, and its record into SQLite and PostgreSQL: the
game ends, the other player does not lose by it, and every command shows what is on record. What people and files bring
in is refused by one line, or is stored so that it can be read again.
"""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.errors import BadMessage
from agents.protocol import Info, Report, Verdict, from_player, read_line, unpack_from_player
from arena.match.clock import SECOND
from arena.match.match import Match, Phase
from db import bundles, games, lookup, search, store
from db.database import Connection, Database
from db.records import MoveRecord, PastGame, PastRuling, PastSeat, ScheduledGame, moves_hash, storable
from tests.kit.arena_program import arena
from tests.kit.effort import tries
from tests.kit.match_table import GAME, Table

NOW: Final = datetime(2026, 5, 1, tzinfo=UTC)
TEXTS: Final = (
    *("", "\0", "a\0b", "\ud800", "a\udfffb", "\ud83d\ude00", "\x1b[2J\x9b31m", "=1+2", "\u2028\u202e", "\ufeff\uffff"),
    *("\r\n\t", "'\"`;--", "\\u0000", "</script>", "x" * 4000),
)
NUMBERS: Final = (
    *(0, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**400, -(2**63), -(2**63) - 1, -(10**400)),
    *(0.5, -0.0, 5e-324, 1e299, 1e300, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan")),
)
HOSTILE: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from((*TEXTS, *NUMBERS, None, True, [], {}, ["\0", "\ud800"])), st.text(st.characters(), max_size=9)
)


def _info(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    line = values | st.lists(values, max_size=3)
    marks = values | st.dictionaries(st.sampled_from(("b2", *TEXTS)), values | st.sampled_from(("good", 0.5)))
    return st.fixed_dictionaries(
        {}, optional={"depth": values, "score": values, "nodes": values, "line": line, "text": values, "marks": marks}
    )


FIELDS: Final = {
    "move": ("game", "id", "move", "spent", "cpu", "delay", "log", "depth", "score", "nodes", "line", "text", "marks"),
    "resign": ("id", "spent"),
    "failed": ("verdict", "detail", "cpu"),
    "hello": ("protocol", "token", "name", "wants"),
    "ready": ("game",),
    "report": ("game", "cpu", "memory", "stderr"),
}
"""Every field that a player can fill in."""
MOVES = st.fixed_dictionaries(
    {"type": st.just("move")},
    optional={
        "info": _info(HOSTILE) | _info(st.sampled_from(TEXTS)) | HOSTILE,
        **dict.fromkeys(("move", "id", "game", "spent", "cpu", "delay", "log", "more"), HOSTILE),
    },
)
"""Each field is hostile, or is not there: then the right one is filled in."""
OTHERS = st.sampled_from(("hello", "ready", "resign", "failed")).flatmap(
    lambda kind: st.fixed_dictionaries({"type": st.just(kind)}, optional=dict.fromkeys(FIELDS[kind], HOSTILE))
)
REPORTS = st.fixed_dictionaries({"type": st.just("report")}, optional=dict.fromkeys(FIELDS["report"], HOSTILE))


def _heard(said: dict[str, Any], as_json: bool) -> Any:
    """What a player said as it arrives: a line of JSON, or msgpack, which has no numbers beyond 64 bits."""
    if as_json:
        return from_player(read_line(json.dumps(said).encode()))
    return unpack_from_player(msgpack.packb(said, unicode_errors="surrogatepass"))


def _played(said: dict[str, Any], report: dict[str, Any], as_json: bool) -> Match:
    """A game in which seat 0 says that, then plays on, and its host reports that."""
    table = Table(guarded=(0,), clock="10").begin(wants=("legal",))
    _say(table, _filled(table, said), as_json)
    while table.match.phase is Phase.PLAYING:
        move = next(iter(table.match.state.moves()))
        _say(table, _filled(table, {"type": "move"}), True) if table.asked == 0 else table.play(str(move))
    _say(table, {"game": GAME} | report, as_json)
    table.say(1, Report(GAME))
    table.wait(2 * SECOND)
    assert table.match.phase is Phase.DONE
    return table.match


def _filled(table: Table, said: dict[str, Any]) -> dict[str, Any]:
    turn = table.post[0][-1]
    right = {"game": GAME, "id": getattr(turn, "id", ""), "move": next(map(str, table.match.state.moves()), "")}
    return {name: right[name] for name in (right if said["type"] == "move" else ("game",))} | said


def _say(table: Table, said: dict[str, Any], as_json: bool) -> None:
    try:
        message = _heard(said, as_json)
    except BadMessage as error:
        str(error).encode()
        table.refuse(0, Verdict.GARBAGE)
    except (OverflowError, UnicodeEncodeError):
        assert not as_json  # msgpack cannot say it
    else:
        table.say(0, message)


def _record(connection: Connection, match: Match) -> int:
    """Writes the game as the director does; its id."""
    record = match.record()
    seats = tuple((store.version(connection, seat.player, "source", "any", NOW), seat.player) for seat in record.seats)
    new = ScheduledGame(pair="pair", game="tictactoe", clock="10", seed=1, seats=seats)
    (id,) = store.schedule(connection, None, [new])
    store.begin(connection, id, NOW)
    store.finish(connection, id, record, host=None, now=NOW)
    return id


@pytest.mark.costly
def test_a_game_is_recorded_and_shown_whatever_a_player_says(where: str, tmp_path: Path) -> None:
    played: dict[int, Match] = {}
    with Database(where) as database:
        with database.writing() as connection:

            def play(said: dict[str, Any], report: dict[str, Any], as_json: bool) -> None:
                match = _played(said, report, as_json)
                assert match.fault != 1
                played[_record(connection, match)] = match

            for kind, names in FIELDS.items():
                for name, value in itertools.product(names, (*TEXTS, *NUMBERS)):
                    told = {"info": {name: value}} if name in Info.__struct_fields__ else {name: value}
                    if kind == "report":
                        play({"type": "move"}, {"type": kind} | told, as_json=False)
                    else:
                        play({"type": kind} | told, {"type": "report"}, as_json=kind != "failed")
            settings(max_examples=tries(60))(given(MOVES | OTHERS, REPORTS, st.booleans())(play))()
        with database.reading() as connection:
            for found in games.games(connection, list(played), whole=True):
                match = played[found.id]
                assert found.verdict == match.verdict
                assert found.moves == tuple(map(_as_stored, match.moves))
                assert [seat.stderr for seat in found.seats] == [
                    _storable(each.stderr) for each in match.record().seats
                ]
    _everything_is_shown(where, tmp_path)


def _as_stored(move: MoveRecord) -> MoveRecord:
    return MoveRecord(**{name: _storable(getattr(move, name)) for name in MoveRecord.__struct_fields__})


def _storable(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value


def _everything_is_shown(where: str, tmp_path: Path) -> None:
    """Every command that looks back answers in every format, and what was exported can be imported."""
    with Database(where, read_only=True) as database, database.reading() as connection:
        ids = games.ids(connection, None, every=True)
    for id in ids[:5] + ids[-5:]:
        for command in (("show", str(id)), ("logs", str(id)), ("replay", str(id))):
            assert _asked(where, *command)
    listings = (("history",), ("tournaments",), *((name, "--all") for name in ("standings", "crosstable", "rank")))
    for listing, format in itertools.product(listings, ("table", "csv", "json")):
        assert _asked(where, *listing, "--format", format)
    for format in ("csv", "pgn", "ndjson"):
        file = tmp_path / f"games.{format}"
        _asked(where, "export", "--all", "--format", format, "-o", str(file))
        ended = arena("data", "import", str(file), "--db", str(tmp_path / f"{format}.db"))
        assert (ended.code, ended.err) == (0, f"{len(ids)} games imported\n")


def _asked(where: str, *command: str) -> str:
    ended = arena(*command, "--db", where)
    assert ended.code == 0, ended.err
    ended.out.encode()
    if "json" in command:
        json.loads(ended.out, parse_constant=_refuse)
    return ended.out


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_what_people_and_files_bring_in_is_stored_and_found(where: str, text: str) -> None:
    name = f"name {text}"
    seats = tuple(PastSeat(seat=seat, player=f"{name}{seat}", points=0.5, stderr=text) for seat in range(2))
    moves = (MoveRecord(1, 0, text, line=text, text=text),)
    game = PastGame(
        id=0, tournament=name, number=1, pair=text, game=text, verdict="normal", opening=text, detail=text, plies=1,
        seats=seats, moves=moves, rulings=(PastRuling("void", None, text, "2026-05-01T12:00:00.000Z", id=1),),
    )  # fmt: skip
    with Database(where) as database:
        with database.writing() as connection:
            assert bundles.add_imported(connection, [game], NOW) == [name]
            store.change_settings(connection, lookup.find_tournament(connection, name), {"agents": [], text: [text]})
        with database.reading() as connection:
            (found,) = search.page(connection, search.GameFilter(tournament=name, game=text or None), limit=9)
            assert found.tournament == storable(name)
            assert found.ruling is not None
            assert found.ruling.reason == storable(text)


def test_moves_that_differ_in_what_cannot_be_stored_alone_are_the_same_on_record() -> None:
    assert moves_hash([MoveRecord(1, 0, "a\0")]) == moves_hash([MoveRecord(1, 0, "a\ufffd")])
