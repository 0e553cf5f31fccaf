"""A sample database: games of several kinds, with all cases that make counting difficult.

Two tournaments. "cs101" (tictactoe): faults, a resignation, a void game with its later attempt, a game that stayed void
and was awarded, an annulled and an awarded game, a withdrawn entry that forfeits, a version that was replaced, an entry
without games, a scheduled game. "evening": a game for three, games of chance and of hidden cards, and names with
control characters. One game belongs to no tournament.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

from sqlalchemy import Connection

from adsearch import CHANCE, games
from agents.protocol import Verdict
from arena.match.points import result
from db import store
from db.database import Database
from db.records import GameRecord, MoveRecord, ScheduledGame, SeatRecord

NOW: Final = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
HOSTILE: Final = "mal\x1b[31mlory \"'\n,\t\u202e素人"
"""A name with a colour, quotes, ends of lines, a comma, a change of direction and wide letters."""
SECOND: Final = 10**9


class Book:
    """Writes games one after the other, each a minute after the one before."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.now = NOW
        self.games = 0

    def tournament(self, name: str, rules: str, *, status: str = "running") -> int:
        """A new tournament."""
        self.now += timedelta(minutes=1)
        tournament = store.create_tournament(
            self.connection,
            name,
            format="round-robin",
            rules=rules,
            clock="10+0.1",
            seed=2**100,
            seats_key=2**101,
            settings={},
            now=self.now,
        )
        store.set_status(self.connection, tournament, status, self.now)
        return tournament

    def enter(self, tournament: int, *names: str, source: str = "random", started_as: str = "") -> None:
        """They take part, with that source."""
        for name in names:
            version = store.version(self.connection, name, source, started_as or source, self.now)
            store.enter(self.connection, tournament, name, version)

    def plan(
        self,
        tournament: int | None,
        rules: str,
        players: Sequence[str],
        *,
        pair: str | None = None,
        leg: int = 0,
        opening: str | None = None,
        sources: Mapping[str, str] | None = None,
        round: int = 1,
    ) -> int:
        """A game that is to be played; its id. Everybody's source is "random", or as `sources` says."""
        given = {name: (sources or {}).get(name, "random") for name in players}
        seats = tuple(
            (store.version(self.connection, name, source, source, self.now), name) for name, source in given.items()
        )
        self.games += 1
        new = ScheduledGame(
            round=round,
            pair=pair or f"pair {self.games}",
            leg=leg,
            game=rules,
            clock="10+0.1",
            seed=2**100,
            opening=opening,
            seats=seats,
        )
        (id,) = store.schedule(self.connection, tournament, [new])
        return id

    def finish(
        self,
        game: int,
        rules: str,
        players: Sequence[str],
        *,
        moves: str | None = None,
        verdict: str = "normal",
        fault: int | None = None,
        opening: int = 0,
        stderr: str | None = None,
    ) -> int:
        """The game is over: these moves (or random ones up to the end), this verdict. Its id."""
        begun, self.now = self.now, self.now + timedelta(minutes=1)
        store.begin(self.connection, game, begun)
        record = played(
            game,
            rules,
            players,
            moves=moves,
            verdict=verdict,
            fault=fault,
            opening=opening,
            stderr=stderr,
        )
        store.finish(self.connection, game, record, host={"python": "3.11", "cpu": "any"}, now=self.now)
        return game

    def play(self, tournament: int | None, rules: str, players: Sequence[str], **how: object) -> int:
        """A game from its plan to its end; its id."""
        planned = {name: how.pop(name) for name in ("pair", "leg", "sources", "round") if name in how}
        opening = " ".join(str(how.get("moves") or "").split()[: int(str(how.get("opening", 0)))]) or None
        game = self.plan(tournament, rules, players, opening=opening, **planned)  # type: ignore[arg-type]
        return self.finish(game, rules, players, **how)  # type: ignore[arg-type]


def played(
    game: int,
    rules: str,
    players: Sequence[str],
    *,
    moves: str | None = None,
    verdict: str = "normal",
    fault: int | None = None,
    opening: int = 0,
    stderr: str | None = None,
) -> GameRecord:
    """How a game went: the moves are real, and so are the clocks."""
    random = Random(game)
    state = games.start(rules)
    texts = None if moves is None else moves.split()
    left = dict.fromkeys(range(len(players)), 10 * SECOND)
    spent: dict[int, list[int]] = {seat: [0] for seat in left}
    plies: list[MoveRecord] = []
    most = (30 if verdict != "normal" else state.max_plies) if texts is None else len(texts)
    while state.turn is not None and (most is None or len(plies) < most):
        turn = state.turn
        text = state.to_text(random.choice(state.moves())) if texts is None else texts[len(plies)]
        state = state.play(state.from_text(text))
        number = len(plies) + 1
        if turn == CHANCE or number <= opening:
            plies.append(MoveRecord(number, "chance" if turn == CHANCE else "opening", text))
            continue
        used = random.randrange(SECOND)
        left[turn] += SECOND // 10 - used
        spent[turn].append(used)
        told = (0.25, 3, 1234, "b2 c3", "quite \x1b[1m good") if number % 3 == 0 else (None,) * 5
        plies.append(MoveRecord(number, turn, text, used, left[turn], number, 5, 6, 7, *told))
    utilities, scored = result(state, Verdict(verdict), fault)
    seats = tuple(
        SeatRecord(
            seat,
            name,
            None if scored is None else scored[seat],
            None if utilities is None else utilities[seat],
            sum(spent[seat]),
            max(spent[seat]),
            11_000_000,
            4096,
            stderr if seat == fault else None,
            seed=2**52 + seat,
        )
        for seat, name in enumerate(players)
    )
    detail = "" if verdict == "normal" else f"{verdict} it was"
    return GameRecord(game, verdict, fault, detail, seats, tuple(plies), sum(move.lag or 0 for move in plies))


X_WINS: Final = "a1 b1 a2 b2 a3"
DRAW: Final = "a1 b2 c3 b1 b3 a3 c1 c2 a2"


def make(where: Path | str) -> dict[str, int]:
    """Makes the database; the games by what is special about them."""
    with Database(str(where)) as database, database.writing() as connection:
        book = Book(connection)
        special = _evening(book)
        special["alone"] = book.play(None, "tictactoe", ("ann", "bob"), moves=X_WINS)
        special |= _course(book)
    return special


def _evening(book: Book) -> dict[str, int]:
    evening = book.tournament("evening", "ludo", status="finished")
    book.enter(evening, "ann", "bob", HOSTILE)
    return {
        "three": book.play(evening, "ludo:players=3", ("ann", "bob", HOSTILE), moves=None, verdict="time", fault=1),
        "chance": book.play(evening, "pig:goal=20", ("ann", HOSTILE)),
        "hidden": book.play(evening, "kuhn", (HOSTILE, "ann")),
        "hostile": book.play(
            evening, "tictactoe", (HOSTILE, "bob"), moves="a1", verdict="crashed", fault=1, stderr="\x1b[2Jboom\r\nend"
        ),
    }


def _course(book: Book) -> dict[str, int]:
    connection = book.connection
    course = book.tournament("cs101", "tictactoe")
    book.enter(course, "ann", "bob", "cleo", "dan", "eve")
    special = {
        "win": book.play(course, "tictactoe", ("ann", "bob"), pair="ann bob", moves=X_WINS, opening=2),
        "draw": book.play(course, "tictactoe", ("bob", "ann"), pair="ann bob", leg=1, moves=DRAW),
        "time": book.play(course, "tictactoe", ("ann", "cleo"), moves="a1", verdict="time", fault=1, stderr="slow\n"),
        "resigned": book.play(course, "tictactoe", ("cleo", "ann"), moves="a1", verdict="resigned", fault=1),
        "adjudicated": book.play(course, "tictactoe", ("bob", "cleo"), moves="a1 b1", verdict="adjudicated"),
        "void": book.play(course, "tictactoe", ("cleo", "bob"), pair="bob cleo", moves="a1", verdict="void"),
    }
    again = store.repeat(connection, special["void"])
    special["again"] = book.finish(again, "tictactoe", ("cleo", "bob"), moves=X_WINS)
    special["annulled"] = book.play(course, "tictactoe", ("bob", "cleo"), moves=X_WINS, round=2)
    store.rule_on_game(connection, special["annulled"], "award", "a mistake of mine", book.now, seat=1)
    store.rule_on_game(connection, special["annulled"], "void", "the machine was busy", book.now)
    special["awarded"] = book.play(course, "tictactoe", ("ann", "bob"), moves=X_WINS, round=2)
    store.rule_on_game(connection, special["awarded"], "award", 'not "his" own work\n\x1b[31m', book.now, seat=1)
    special["rescued"] = book.play(course, "tictactoe", ("cleo", "ann"), moves="a1", verdict="void", round=2)
    store.rule_on_game(connection, special["rescued"], "award", "three times void", book.now, seat=0)
    special["at fault but awarded"] = book.play(
        course, "tictactoe", ("cleo", "bob"), moves="a1", verdict="crashed", fault=1, round=2
    )
    store.rule_on_game(connection, special["at fault but awarded"], "award", "my fault", book.now, seat=1)
    special["outdated"] = book.play(course, "tictactoe", ("dan", "ann"), pair="ann dan", moves=X_WINS, round=2)
    book.enter(course, "dan", source="minimax")
    special["current"] = book.play(
        course, "tictactoe", ("dan", "ann"), pair="ann dan", leg=1, moves=X_WINS, sources={"dan": "minimax"}, round=2
    )
    special["forfeit"] = book.plan(course, "tictactoe", ("bob", "dan"), sources={"dan": "minimax"}, round=3)
    store.rule_on_entry(connection, course, "dan", "withdraw", "asked to", book.now)
    store.forfeit(connection, {special["forfeit"]: 1}, "dan is withdrawn", book.now)
    special["scheduled"] = book.plan(course, "tictactoe", ("ann", "bob"), round=3)
    return special
