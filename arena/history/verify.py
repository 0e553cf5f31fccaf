"""Checks the whole database for contradictions, for `arena data verify`.

Every recorded game is replayed with its rules and its clocks, every submission is hashed again, and the games of every
tournament are counted. Nothing is changed: each contradiction is listed with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite
from typing import Any, Final

from msgspec import ValidationError, convert, structs

from adsearch import CHANCE, State
from adsearch.errors import AdsearchError, quote
from adsearch.games.catalog import is_of_package
from agents import builtin
from agents.errors import AgentsError
from agents.protocol import Verdict
from arena import installation
from arena.errors import ArenaError, UntrustedCode
from arena.history import recorded_rules
from arena.history.exchange.checks import wrong_moment
from arena.match.clock import MILLISECOND, SECOND, Clock, TimeControl
from arena.match.conditions import DrawRule, ResignRule, Ruled, ruled
from arena.match.points import result
from arena.match.schedule import MOST_ATTEMPTS
from arena.match.seeds import GameSeeds
from arena.players.player import PlayerKind
from arena.players.submissions import Store
from db import audit, games, ladder_results
from db.audit import AuditedAttempt, StoredVersion
from db.database import Database
from db.games import WrongType, is_bundle
from db.records import ANNULS, IMPORTED, MoveRecord, PastGame, moment_of
from db.sources import HASH

_OWN_TURN: Final = (Verdict.RESIGNED, Verdict.TIME, Verdict.ILLEGAL)
"""Verdicts against a seat that are possible only on its own turn."""
_CLOCKS_DIFFER: Final = SECOND
"""Tolerance in nanoseconds: the wall-clock times of start and end are rounded, and that clock can be adjusted."""
_GUESTS: Final = (PlayerKind.HUMAN, PlayerKind.WAIT)
"""Players whose version has no source: people, and agents that were started by hand."""
_STATUSES: Final = ("active", "withdrawn", "quarantined")


@dataclass(frozen=True, slots=True)
class Wrong:
    """A contradiction in the database."""

    where: str
    """A game ("cs101-12", "cs101-12 (attempt 2)"), a version ("alice@3"), a tournament's name, or "file"."""
    game: int | None
    """The id of the game, if it is one."""
    reason: str


@dataclass(slots=True)
class Verification:
    """What was checked, and the contradictions found."""

    games: int = 0
    moves: int = 0
    versions: int = 0
    wrongs: list[Wrong] = field(default_factory=list)
    unchecked: Counter[str] = field(default_factory=Counter)
    """Numbers of games that were not checked, by reason."""


def verify(
    database: Database,
    store: Store,
    *,
    trust: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Verification:
    """Checks the whole database. `progress` is called every 50 games: games checked, and games in total.

    `trust`: run rules that are not this user's own; else games with such rules are counted as not checked."""
    found = Verification()
    with database.reading() as connection:
        found.wrongs += [Wrong("file", None, said) for said in audit.damage(connection)]
        if wrong_types := games.wrong_types(connection):
            found.wrongs += [_wrong_type(one) for one in wrong_types]
            found.unchecked["correct the values of a wrong type first"] += sum(audit.size(connection).games.values())
            return found
        versions = audit.versions(connection)
        found.versions = len(versions)
        found.wrongs += _wrong_versions(versions, store)
        for tournament, name, status in audit.entries(connection):
            if status not in _STATUSES:
                reason = f"{name!r} is {status!r}, expected {', '.join(_STATUSES[:-1])} or quarantined"
                found.wrongs.append(Wrong(tournament, None, reason))
        for ruling, revokes in audit.wrong_revocations(connection):
            reason = f"ruling {ruling} revokes ruling {revokes}, which is not an earlier ruling about the same"
            found.wrongs.append(Wrong("rulings", None, reason))
        found.wrongs += [Wrong(ladder, None, reason) for ladder, reason in ladder_results.contradictions(connection)]
        found.wrongs += _wrong_schedules(audit.attempts(connection), part=is_bundle(connection))
        total = sum(audit.size(connection).games.values())
        boards = PositionCheck(trust=trust)
        for game, imported, has_seed, broken_analysis in audit.every_game(connection):
            found.games += 1
            found.moves += len(game.moves)
            if broken_analysis:
                again = f"`arena replay {game.id} --mistakes` makes it again"
                found.wrongs.append(Wrong(name_of(game), game.id, f"{broken_analysis}; {again}"))
            try:
                reasons = wrongs_of(game, boards, imported=imported, has_seed=has_seed)
            except (UntrustedCode, recorded_rules.MissingRules) as error:
                found.unchecked[str(error)] += 1
            else:
                other = _other_version(game) if reasons else ""
                found.wrongs += [Wrong(name_of(game), game.id, f"{reason}{other}") for reason in reasons]
            if progress is not None and found.games % 50 == 0:
                progress(found.games, total)
    return found


def _wrong_type(wrong: WrongType) -> Wrong:
    if not wrong.of_game or not isinstance(wrong.row, int):
        return Wrong(f"{wrong.table} {wrong.row}", None, wrong.reason)
    return Wrong(f"game {wrong.row}", wrong.row, wrong.reason)


def name_of(game: PastGame) -> str:
    """The game's name for commands: "cs101-12", or the id outside of tournaments."""
    if game.tournament is None:
        return str(game.id)
    return _name(game.tournament, game.number, game.attempt)


def _name(tournament: str, number: int, attempt: int) -> str:
    return f"{tournament}-{number}" + (f" (attempt {attempt})" if attempt > 1 else "")


class PositionCheck:
    """First positions of games; those of the rules are kept."""

    def __init__(self, *, trust: bool) -> None:
        self._trust = trust
        self._starts: dict[tuple[str, bool], State[Any] | str] = {}

    def start(self, game: PastGame) -> State[Any] | str:
        """The first position of the game, or why there is none; UntrustedCode if its rules must not be run,
        MissingRules if they are of a package that is not installed."""
        if game.position:
            return self._made(game)
        kind = (game.game, game.from_outside)
        if kind not in self._starts:
            self._starts[kind] = self._made(game)
        return self._starts[kind]

    def _made(self, game: PastGame) -> State[Any] | str:
        try:
            return recorded_rules.start(game, trust=self._trust)
        except (UntrustedCode, recorded_rules.MissingRules):
            raise
        except (AdsearchError, ArenaError) as error:
            return f"the game {quote(game.game)} cannot be played: {error}"


# One game.


def wrongs_of(game: PastGame, boards: PositionCheck, *, imported: bool, has_seed: bool) -> list[str]:
    """The contradictions in the game; UntrustedCode if its rules must not be run."""
    if game.status in ("scheduled", "playing", "cancelled"):
        results = [game.verdict, *(seat.points for seat in game.seats)]
        result_there = game.moves or any(value is not None for value in results)
        return [f"the game is {game.status}, but has a result or moves"] if result_there else []
    try:
        verdict = Verdict(game.verdict or "")
    except ValueError:
        return [f"expected a verdict, got {quote(str(game.verdict))}"]
    if wrong := wrong_moment(game):
        return [wrong]
    if (verdict is Verdict.VOID) != (game.status == "void"):
        return [f"its verdict is {verdict}, but its status is {game.status!r}"]
    if game.fault is not None and not 0 <= game.fault < len(game.seats):
        return [f"expected a seat from 0 to {len(game.seats) - 1} at fault, got {game.fault}"]
    if imported and not game.moves:
        return []  # a result without its moves cannot be checked
    start = boards.start(game)
    if isinstance(start, str):
        return [start]
    if [seat.seat for seat in game.seats] != list(range(start.players)):
        return [f"expected {start.players} players for {game.game}, got the seats {[one.seat for one in game.seats]}"]
    if verdict is Verdict.FORFEIT:
        return _wrong_forfeit(game, start)
    end = _replayed(game, start, recorded_rules.seeds(game) if has_seed and not imported else None)
    if isinstance(end, str):
        return [end]
    if imported and verdict is Verdict.ADJUDICATED:
        return []  # the file gives the result: by other rules, or by agreement
    rule = _rule_of(game, end)
    wrongs = [*_wrong_end(game, end, verdict, rule), *_wrong_result(game, end, verdict, rule)]
    return wrongs if imported and not _has_exact_times(game) else [*wrongs, *_wrong_clocks(game, end)]


def _other_version(game: PastGame) -> str:
    """That a package that brings the rules had another version where the game was played: they can be others."""
    if not is_of_package(game.game):
        return ""
    there, here = (game.host or {}).get("software"), installation.software(game.game)
    return "" if there in (None, here) else f"; it was played with {there}, and here is {here}"


def _replayed(game: PastGame, state: State[Any], seeds: GameSeeds | None) -> State[Any] | str:
    """The position after the stored moves, or what is wrong with them. `seeds`: for checking chance events."""
    opening: list[str] = []
    moved = False
    for number, move in enumerate(game.moves, 1):
        if move.ply != number:
            return f"expected ply {number}, got ply {move.ply}"
        if state.turn is None:
            return f"ply {number}: expected no move after the end of the game, got {quote(move.move)}"
        turn = "chance" if state.turn == CHANCE else state.turn
        if move.who == "opening":
            if turn == "chance" or moved:
                return f"ply {number}: an opening move after the end of the opening"
            opening.append(move.move)
        elif move.who != turn:
            return f"ply {number}: {_who(turn)} was to move, got a move of {_who(move.who)}"
        moved = moved or isinstance(move.who, int)
        if turn == "chance" and seeds is not None:
            fallen = state.to_text(seeds.outcome(number, state.chances()))
            if move.move != fallen:
                return f"ply {number}: expected the seed's chance outcome {quote(fallen)}, got {quote(move.move)}"
        try:
            played = _read(state, move.move)
            if isinstance(played, str):
                return f"ply {number}: {played}"
            state = state.play(played[0])
        except Exception as error:  # user-supplied games may raise anything
            own = not type(state).__module__.startswith("adsearch.games.")
            if own and game.verdict == Verdict.VOID and number == len(game.moves):
                return state  # the rules failed at this ply when it was played, too
            return f"ply {number}: {quote(move.move)}: {error}"
    planned = (game.opening or "").split()
    cut_short = not moved and (not opening or state.turn is None or game.verdict == Verdict.VOID)
    if opening != (planned[: len(opening)] if cut_short else planned):
        return f"expected the opening {quote(' '.join(planned))}, got {quote(' '.join(opening))}"
    return state


def _read(state: State[Any], text: str) -> tuple[Any] | str:
    """The move that `text` names, in a tuple; or what is wrong with the text."""
    if state.turn == CHANCE:
        for outcome, probability in state.chances():
            if probability > 0 and state.to_text(outcome) == text:
                return (outcome,)
        return f"expected a possible chance outcome, got {quote(text)}"
    move = state.from_text(text)
    if move not in state.moves() or state.to_text(move) != text:
        return f"expected a legal move, got {quote(text)}"
    return (move,)


def _who(who: int | str) -> str:
    return f"seat {who}" if isinstance(who, int) else f"the {who}" if who == "opening" else who


def _wrong_end(game: PastGame, end: State[Any], verdict: Verdict, rule: Ruled | None) -> Iterator[str]:
    if game.plies != len(game.moves):
        yield f"{game.plies} plies are recorded, but {len(game.moves)} moves are stored"
    if verdict is Verdict.NORMAL and end.turn is not None:
        yield "its verdict is normal, but by the rules the game is not over in its last position"
    if verdict not in (Verdict.NORMAL, Verdict.VOID) and end.turn is None and game.moves:
        yield f"the game is over by the rules, but its verdict is {verdict}"
    if rule is not None and (verdict is not Verdict.ADJUDICATED or game.detail != rule.detail):
        yield f"it ends {rule.detail}, but its verdict is {verdict}"
    if verdict is Verdict.ADJUDICATED and rule is None and "max_plies" in (game.host or {}):
        made, limit = sum(isinstance(move.who, int) for move in game.moves), (game.host or {})["max_plies"]
        if made != limit:
            yield f"its verdict is adjudicated after {made} moves, but the limit of moves is {_listed([limit])}"
    faultless = verdict in (Verdict.NORMAL, Verdict.ADJUDICATED, Verdict.VOID)
    if faultless != (game.fault is None):
        expected = "no seat" if faultless else "a seat"
        yield f"expected {expected} at fault with the verdict {verdict}, got {_listed([game.fault])}"
    elif verdict in _OWN_TURN and game.fault != end.turn:
        turn = "the game was over" if end.turn is None else f"seat {end.turn} was to move"
        yield f"the verdict {verdict} is against seat {game.fault}, but {turn}"


def _rule_of(game: PastGame, end: State[Any]) -> Ruled | None:
    """How a rule of its conditions ends the game after its last move; None if none does, or if the game was over."""
    given = {name: (game.host or {}).get(name) for name in ("resign", "draw")}
    if not any(given.values()) or end.turn is None or len(game.seats) != 2:
        return None
    try:
        rules = convert(given["resign"], ResignRule | None), convert(given["draw"], DrawRule | None)
    except ValidationError:
        return None  # only of a file that other programs have changed
    return ruled(game.moves, *rules, end.reported)


def _wrong_result(game: PastGame, end: State[Any], verdict: Verdict, rule: Ruled | None) -> Iterator[str]:
    if verdict is Verdict.NORMAL and end.turn is not None:
        return
    loser = rule.loser if rule is not None and verdict is Verdict.ADJUDICATED else game.fault
    utilities, points = result(end, verdict, loser)
    expected = [None] * len(game.seats) if utilities is None else [float(u) if isfinite(u) else None for u in utilities]
    yield from _differs("utilities", [seat.utility for seat in game.seats], expected)
    yield from _wrong_points(game, points)


def _wrong_points(game: PastGame, points: tuple[float, ...] | None) -> Iterator[str]:
    yield from _differs("points", [seat.points for seat in game.seats], list(points or [None] * len(game.seats)))


def _differs(what: str, stored: Iterable[object], expected: Iterable[object]) -> Iterator[str]:
    stored, expected = list(stored), list(expected)
    if stored != expected:
        yield f"expected the {what} {_listed(expected)}, got {_listed(stored)}"


def _listed(values: Iterable[object]) -> str:
    return ", ".join("none" if value is None else str(value) for value in values)


def _wrong_forfeit(game: PastGame, start: State[Any]) -> list[str]:
    if game.moves or game.plies:
        return ["the game was forfeited, but has moves"]
    if game.fault is None:
        return ["the game was forfeited, but no seat is at fault"]
    utilities, points = result(start, Verdict.FORFEIT, game.fault)
    wrongs = list(_wrong_points(game, points))
    stored = [seat.utility for seat in game.seats]
    if any(utility is not None for utility in stored):
        wrongs += _differs("utilities", stored, utilities or ())
    return wrongs


def _has_exact_times(game: PastGame) -> bool:
    """Whether a clock can be recomputed from the times of the moves: the PGN of chess has only milliseconds."""
    times = [move.spent for move in game.moves if isinstance(move.who, int)]
    return not times or (None not in times and any(time and time % MILLISECOND for time in times))


def _wrong_clocks(game: PastGame, end: State[Any]) -> Iterator[str]:
    clock = Clock([*map(TimeControl.parse, game.clocks)])
    # Earlier versions charged for waiting, and did not record delays.
    exact = "waits_charged" in (game.host or {})
    spent, longest, lag, delay = [0] * len(game.seats), [0] * len(game.seats), 0, 0
    for move in game.moves:
        if not isinstance(move.who, int):
            continue
        if move.spent is None or move.spent < 0:
            yield f"ply {move.ply}: expected the time of the move, got {_listed([move.spent])}"
            return
        clock.charge(move.who, move.spent)
        if move.left != clock.left(move.who):
            yield f"ply {move.ply}: expected {_listed([clock.left(move.who)])} ns left, got {_listed([move.left])}"
            return
        if exact and (wrong := _wrong_delay(move)):
            yield f"ply {move.ply}: {wrong}"
            return
        delay += move.delay or 0
        spent[move.who] += move.spent
        longest[move.who] = max(longest[move.who], move.spent)
        lag += move.lag or 0
    for number, seat in enumerate(game.seats):
        open_turn = (seat.spent or 0) - spent[number]
        if open_turn < 0 or (open_turn > 0 and end.turn != number):
            yield f"seat {number}: its moves took {spent[number]} ns, but the recorded sum is {_listed([seat.spent])}"
        elif (seat.longest or 0) != max(longest[number], open_turn):
            stored = _listed([seat.longest])
            yield f"seat {number}: expected {max(longest[number], open_turn)} ns for its longest turn, got {stored}"
    if (game.lag or 0) < lag or ((game.lag or 0) > lag and end.turn is None):
        yield f"the lag of its moves is {lag} ns, but the recorded sum is {_listed([game.lag])}"

    lasted = _lasted(game)
    if exact and lasted is not None and sum(spent) + delay + lag > lasted + _CLOCKS_DIFFER:
        yield f"its moves took {sum(spent) + delay + lag} ns, but the game lasted {lasted} ns"


def _wrong_delay(move: MoveRecord) -> str:
    """What is wrong with the delay and the CPU time of a move; empty if nothing. Charged time plus delay is the whole
    time of the move."""
    if move.delay is None or move.lag is None:
        return f"expected its delay and its lag, got {_listed([move.delay, move.lag])}"
    spent = move.spent or 0
    if spent < min(move.cpu or 0, spent + move.delay):
        return f"{spent} ns were charged, but {move.cpu} ns of CPU time were used in {spent + move.delay} ns"
    return ""


def _lasted(game: PastGame) -> int | None:
    """Nanoseconds from the start of the game to its end."""
    if game.started is None or game.finished is None:
        return None
    started, finished = moment_of(game.started), moment_of(game.finished)
    return None if started is None or finished is None else round((finished - started).total_seconds() * SECOND)


# Who played.


def _wrong_versions(versions: Iterable[StoredVersion], store: Store) -> Iterator[Wrong]:
    checked: dict[str, str | None] = {}
    for version in versions:
        if version.source not in checked:
            checked[version.source] = _wrong_source(version.source, store)
        if reason := checked[version.source]:
            yield Wrong(f"{version.agent}@{version.number}", None, reason)


def _wrong_source(source: str, store: Store) -> str | None:
    try:
        if HASH.fullmatch(source):
            store.verify(source)
        elif source not in _GUESTS and not source.startswith(IMPORTED):
            builtin.find(source)
    except (ArenaError, AgentsError) as error:
        return str(error)
    return None


# Tournaments.


def _wrong_schedules(attempts: Iterator[AuditedAttempt], *, part: bool) -> Iterator[Wrong]:
    """What is wrong with the schedules of tournaments. `part`: the database has only some games of a tournament, so
    numbers can be missing."""
    for tournament, of_it in groupby(attempts, key=lambda attempt: attempt.tournament):
        numbers: dict[tuple[str, int], int] = {}
        expected = 1
        for number, same in groupby(of_it, key=lambda attempt: attempt.number):
            tries = list(same)
            if number != expected and not part:
                yield Wrong(tournament, None, f"expected a game number {expected}, got number {number}")
            expected = number + 1
            for leg in {(one.pair, one.leg) for one in tries}:
                if leg in numbers:
                    yield _about(tries[0], f"the same pairing and leg as game {numbers[leg]}: {quote(leg[0])}")
                numbers[leg] = number
            if wrong := _wrong_attempts(tries):
                yield _about(tries[-1], wrong)


def _about(attempt: AuditedAttempt, reason: str) -> Wrong:
    return Wrong(_name(attempt.tournament, attempt.number, attempt.attempt), attempt.id, reason)


_OF_ATTEMPT: Final = {"id": 0, "attempt": 1, "status": "", "tournament_status": "", "ruling": None, "counts": False}
"""Values in place of those in which the attempts at a game can differ."""


def _wrong_attempts(tries: list[AuditedAttempt]) -> str | None:
    """What is wrong with the attempts at one game; None if nothing."""
    last = tries[-1]
    if len({structs.replace(one, **_OF_ATTEMPT) for one in tries}) > 1:
        return "its attempts differ in pairing, leg, round, rules, clock, seed, opening or kind"
    if [one.attempt for one in tries] != list(range(1, len(tries) + 1)):
        return f"expected the attempts 1 to {len(tries)}, got {_listed(one.attempt for one in tries)}"
    waiting = [one.attempt for one in tries[:-1] if one.status in ("scheduled", "playing")]
    if waiting:
        return f"attempt {waiting[0]} has not been played, but there is a later attempt"
    if (counting := sum(one.counts for one in tries)) > 1:
        return f"expected at most one attempt that counts, got {counting}"
    if last.tournament_status != "finished" or counting == 1 or last.status == "cancelled" or last.ruling in ANNULS:
        return None
    if last.status == "void" and sum(one.status == "void" for one in tries) >= MOST_ATTEMPTS:
        return None
    return f"the tournament is finished, but this game is {last.status} and no attempt at it counts"
