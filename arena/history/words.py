"""Verdicts, results, clocks, numbers and moves as text, for terminals and pages.

`printable` makes names and texts of agents harmless for a terminal. The command line and the pages print the texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from adsearch import State, games
from adsearch.errors import one_of, quote
from adsearch.state import Spot
from agents.protocol import Verdict
from arena.match.clock import SECOND
from arena.match.conditions import BY_RULE
from db.records import ACTS, HUMAN, GameRecord, JudgedPly, MoveRecord, PastGame, SeatRecord, moment_of

if TYPE_CHECKING:
    from db.records import JudgedPly, PastGame, PastRuling, PositionValue
    from db.rulings import StoredRuling

ENDS: Final = {
    Verdict.RESIGNED: "resigned",
    Verdict.TIME: "lost on time",
    Verdict.ILLEGAL: "played an illegal move",
    Verdict.CRASHED: "crashed",
    Verdict.GARBAGE: "broke the protocol",
    Verdict.FLOODED: "sent too much",
    Verdict.MEMORY: "ran out of memory",
    Verdict.UNREADY: "was not ready in time",
    Verdict.FORFEIT: "did not play",
}
"""How a player lost by its own fault, or resigned: completes the sentence "alice ..."."""


_MOST_GAMES: Final = 6
"""Largest number of games that are listed."""
_LEGAL: Final = 60
"""Characters of legal moves that fit into the line of a refusal."""
_PATH: Final = re.compile(r"/\S+")
_STORED: Final = re.compile(r"\A/\S*/([0-9a-f]{64}|library-\w{8})/")
"""The start of a path into the store, or into the folder of a run."""
GOT_HINT: Final = "got a hint"
TOOK_BACK: Final = "took back a move"
_HELP: Final = {GOT_HINT: "with a hint, not rated", TOOK_BACK: "with a move taken back, not rated"}
"""What a person did, as the reason of a ruling has it, and what it means for the game."""
_HELPED: Final = re.compile(rf"{HUMAN}(?:#\d+)? ({'|'.join(_HELP)})")


def verdict(record: GameRecord) -> str:
    """How the game ended: "alice wins", "bob lost on time; alice wins"."""
    kind = Verdict(record.verdict)
    winners = [seat.player for seat in record.seats if seat.points == 1.0]
    points = [seat.points for seat in record.seats]
    won = f"{winners[0]} wins" if winners and len(points) > 1 else _shares(record)
    if kind is Verdict.VOID:
        return "void: no result"
    if kind is Verdict.ADJUDICATED and record.detail.startswith(BY_RULE):
        return f"{won}, adjudicated"
    if kind is Verdict.ADJUDICATED and not winners:
        return "ended by the limit of moves: draw"
    if kind is Verdict.NORMAL or record.fault is None:
        return f"{won}, {record.detail}" if record.detail else won
    return f"{record.seats[record.fault].player} {ENDS[kind]}; {won}"


def live_ending(verdict_text: str, points: Sequence[float | None], players: Sequence[str]) -> str:
    """How a game ended that was followed live: "1-0   alice wins (time)". Whose fault it was is not published."""
    seats = tuple(SeatRecord(seat, *both, None, 0, 0) for seat, both in enumerate(zip(players, points, strict=True)))
    how = verdict(GameRecord(0, verdict_text, None, "", seats, (), 0))
    kind = "" if verdict_text in (Verdict.NORMAL, Verdict.VOID) else f" ({verdict_text})"
    return f"{result(points)}   {how}{kind}"


def verdict_on_record(game: PastGame, players: Sequence[str], detail: str) -> str:
    """How a recorded game ended; `players`: the names to show; `detail`: the part of its detail to show."""
    seats = tuple(
        SeatRecord(seat.seat, player, seat.points, seat.utility, 0, 0)
        for seat, player in zip(game.seats, players, strict=True)
    )
    return verdict(GameRecord(game.id, game.verdict or Verdict.VOID, game.fault, detail, seats, (), 0))


def _shares(record: GameRecord) -> str:
    """A result without a single winner."""
    points = [seat.points for seat in record.seats]
    if len(set(points)) == 1:
        utility = record.seats[0].utility
        return "draw" if len(points) > 1 else f"over, worth {number(utility)}"
    return ", ".join(f"{seat.player} {number(seat.points)}" for seat in record.seats)


def helped(ruling: PastRuling | StoredRuling) -> str:
    """ "with a hint, not rated", if the ruling was made because a person had help; empty for any other ruling."""
    found = _HELPED.fullmatch(ruling.reason) if ruling.what == "void" else None
    return "" if found is None else _HELP[found[1]]


def ruled(ruling: PastRuling | StoredRuling, players: Sequence[str]) -> str:
    """The effect of a ruling: "annulled", "awarded to alice", or what `helped` says; `players`: the names of the game's
    players, by seat."""
    if help := helped(ruling):
        return help
    if ruling.revokes is not None:
        return f"revokes ruling {ruling.revokes}"
    return ACTS[ruling.what].done + ("" if ruling.seat is None else f" to {players[ruling.seat]}")


def clocks(of_seats: Sequence[str]) -> str:
    """The clock of a game: "clock 10+0.1"; with one for each seat "clocks 8+0.08, 10+0.1"."""
    return f"clock {of_seats[0]}" if len(set(of_seats)) == 1 else f"clocks {', '.join(of_seats)}"


def result(points: Sequence[float | None]) -> str:
    """Points as a score: "1-0", "½-½"; "*" without points."""
    if None in points:
        return "*"
    return "-".join("½" if share == 0.5 else number(share) for share in points)


def number(value: float | None) -> str:
    """A number with at most two decimal places and no trailing zeros."""
    return "?" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def percent(share: float | None) -> str:
    """A probability as a percentage; 0 % and 100 % only if it is exactly 0 or 1; empty if it is not known."""
    return "" if share is None else f"{min(max(share, 0.001), 0.999):.1%}" if 0.0 < share < 1.0 else f"{share:.0%}"


def counted(number: int, what: str) -> str:
    """A number with its noun: "1 game", "2 games"."""
    return f"{number:,} {what}" + "s" * (number != 1)


def listed(texts: Sequence[str]) -> str:
    """Two or more texts in a sentence: "a and b", "a, b and c"."""
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def games_of(tournament: str, numbers: Sequence[int]) -> str:
    """These games, such as "cs101-3, cs101-8"; the first ones if they are many."""
    return ", ".join(f"{tournament}-{number}" for number in numbers[:_MOST_GAMES]) + ", ..." * (
        len(numbers) > _MOST_GAMES
    )


def tried_again(tournament: str, numbers: Sequence[int]) -> str:
    """That void games are played once more, and which."""
    which = games_of(tournament, numbers)
    return f"played once more, because the server failed: {counted(len(numbers), 'game')} ({which})"


def same_files(agents: Sequence[str], versions: Iterable[int]) -> str:
    """Who handed in the same files, and the number of each agent's version."""
    return f"{listed(agents)} handed in the same files ({listed([f'version {number}' for number in versions])})"


def plies(count: int) -> str:
    """A number of plies: "1 ply", "12 plies"."""
    return "1 ply" if count == 1 else f"{count} plies"


def seconds(time: int | None) -> str:
    """A duration or a clock's time."""
    if time is None:
        return "-"
    if time >= 600 * SECOND:
        return f"{time // (60 * SECOND)}:{time // SECOND % 60:02d}"
    return f"{time / SECOND:.2f} s"


def clock(time: int) -> str:
    """The time left on a clock: "3:08", "0:09.4" in the last ten seconds, "1:02:03" from an hour on."""
    minutes, left = divmod(max(time, 0), 60 * SECOND)
    seconds, rest = divmod(left, SECOND)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    return f"{minutes}:{seconds:02d}" + f".{10 * rest // SECOND}" * (not minutes and seconds < 10)


class Moment(str):
    """A moment in words, which a page can write for its reader's zone too."""

    __slots__ = ("instant",)
    instant: datetime

    @classmethod
    def of(cls, words: str, instant: datetime) -> Moment:
        """These words for that instant."""
        made = cls(words)
        made.instant = instant
        return made


def moment(time: datetime) -> Moment:
    """A moment to the minute, in UTC; where it was given in another zone, as there too: "2026-12-25 23:59 Europe/Berlin
    (22:59 UTC)". ValueError without a zone: which moment it is, is not known."""
    _refuse_unknown(time)
    in_utc = time.astimezone(UTC)
    if not time.utcoffset():
        return Moment.of(f"{in_utc:%Y-%m-%d %H:%M} UTC", in_utc)
    same_day = in_utc.date() == time.date()
    there = f"{in_utc:{'%H:%M' if same_day else '%Y-%m-%d %H:%M'}} UTC"
    return Moment.of(f"{time:%Y-%m-%d %H:%M} {zone_name(time)} ({there})", in_utc)


def beginning(game: PastGame) -> list[str]:
    """From where the game began, and its opening, where it did not begin as the rules say."""
    said = (("from", game.position), ("opening", game.opening))
    return [f"{word} {text}" for word, text in said if text]


def recorded_moment(text: str | None) -> str:
    """A time as the record has it, in words as `moment` writes it; empty without one, and unchanged without a zone."""
    time = moment_of(text or "")
    return (text or "") if time is None else moment(time)


def _refuse_unknown(time: datetime) -> None:
    if time.tzinfo is None:
        raise ValueError(f"expected a time with its zone, got {time}")


def zone_name(time: datetime) -> str:
    """The name of a time's zone: "Europe/Berlin", "UTC", "UTC+02:00"."""
    return getattr(time.tzinfo, "key", None) or f"{time:%Z}"


def local_time(time: datetime) -> str:
    """A moment to the minute in the zone of this machine, with the zone's name; ValueError as in `moment`."""
    _refuse_unknown(time)
    return f"{time.astimezone():%Y-%m-%d %H:%M %Z}"


def rough_duration(seconds: float) -> str:
    """A rounded duration: "30 s", "5 minutes", "2.5 hours"."""
    if seconds < 90:
        return f"{max(seconds, 0.01):.1g} s" if seconds < 1 else f"{seconds:.0f} s"
    minutes = seconds / 60
    if minutes < 120:
        return f"{minutes:.0f} minutes"
    hours = minutes / 60
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"


def age(since: datetime, now: datetime) -> str:
    """How old something is: "30 s old", "5 minutes old"."""
    return f"{rough_duration((now - since).total_seconds())} old"


def time_left(done: int, total: int, seconds: float) -> str:
    """The time that the rest of a work needs, if `done` parts took `seconds`: "about 5 minutes left".

    Empty if nothing is done yet, or all."""
    return f"about {rough_duration(seconds / done * (total - done))} left" if 0 < done < total else ""


def refusal(state: State[Any], text: str) -> str:
    """Why a person's `text` is not a legal move of this position, and some moves that are legal."""
    why, some = "", ""
    with suppress(Exception):  # user-supplied rules
        why = state.why_illegal(text)
    with suppress(Exception):
        legal = [*map(state.shown, state.moves())]
        some = one_of(legal, most=len(legal) if len(", ".join(legal)) <= _LEGAL else 6)
    return f"{quote(text)} is not a legal move{why and f': {why}'}{some and f'. Legal moves: {some}'}"


def printable(text: str) -> str:
    """`text` on one line, with everything that is not printable escaped, such as terminal escape sequences."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def without_store(text: str) -> str:
    """`text` with the authors' file names, without the path into the store or into the folder of a run."""
    return _PATH.sub(lambda path: _STORED.sub("", path[0]), text)


def piece(seat: int, rules: str) -> str:
    """The name of the seat's side, or the letter of its pieces on the board; empty if it has none."""
    looks = games.looks(rules)
    called = looks.sides if looks.named_by_side else [letters[0] for letters in looks.pieces]
    return called[seat] if seat < len(called) else ""


def move_number(ply: int, rules: str) -> str:
    """The number of a ply: "3."; in chess, where White's move and Black's share a number, "2." or "2..."."""
    if not games.looks(rules).two_plies_a_number:
        return f"{ply}."
    return f"{(ply + 1) // 2}{'.' if ply % 2 else '...'}"


class Line(NamedTuple):
    """A line of a list of plies."""

    number: str
    who: int | str
    """The seat, or "chance" or "opening"."""
    moves: str
    """As people write them, "?" where the rules hide one."""


def lines(plies: Iterable[tuple[int | str, str]], rules: str, *, first: int = 1, deals: bool) -> list[Line]:
    """The plies, from number `first` on, as a list shows them. `deals`: chance deals cards or tiles, of which those in
    a row share a line."""
    found = []
    for _, group in groupby(enumerate(plies, first), lambda ply: 0 if deals and ply[1][0] == "chance" else ply[0]):
        (begin, (who, _)), *_ = numbered = list(group)
        number = move_number(begin, rules)
        if len(numbered) > 1:
            number = f"{begin}–{numbered[-1][0]}."
        found.append(Line(number, who, " ".join(move for _, (_, move) in numbered)))
    return found


def latest(found: Sequence[Line]) -> Sequence[Line]:
    """The last move, and what chance did after it unless that is hidden."""
    if len(found) < 2 or found[-1].who != "chance":
        return found[-1:]
    return found[-2:-1] if {*found[-1].moves.split()} == {"?"} else found[-2:]


def thinking(move: MoveRecord) -> str:
    """The depth, score, nodes and text that the player reported; empty if it reported nothing."""
    parts = []
    if move.depth is not None:
        parts.append(f"depth {move.depth}")
    if move.score is not None:
        parts.append(f"score {move.score:+.3g}")
    if move.nodes is not None:
        parts.append(f"{move.nodes:,} nodes")
    if move.text:
        parts.append(quote(move.text))
    return ", ".join(parts)


def marks(marks: Mapping[str, str | float] | None) -> str:
    """The cells that a player marked: "e4 good, d5 -0.5"; empty if it marked none."""
    found = (f"{cell} {mark if isinstance(mark, str) else heat(mark)}" for cell, mark in (marks or {}).items())
    return printable(", ".join(found))


def heat(mark: float) -> str:
    """A number with which a player marked a cell: "+0.5", "-0.03" or "0"."""
    return f"{rounded:+g}" if (rounded := round(mark, 2)) else "0"


def mistake(ply: JudgedPly, players: Sequence[str]) -> str:
    """A move with its mark, and the better line: "alice played 2??, better was 6 (then 3 4)"; empty without a mark."""
    if not ply.mark or not isinstance(ply.who, int):
        return ""
    better = f", better was {ply.better[0]}" if ply.better else ""
    line = f" (then {' '.join(ply.better[1:])})" if ply.better[1:] else ""
    return printable(f"{players[ply.who]} played {ply.move}{ply.mark}{better}{line}")


def cost(ply: JudgedPly) -> str:
    """What a mistake cost: "A win in 5 plies became a draw.", or the values before and after; empty without a mark."""
    if not ply.mark or not isinstance(ply.who, int) or not (ply.before.known and ply.after.known):
        return ""
    before, after = (_outcome(value, ply.who) for value in (ply.before, ply.after))
    if before and after:
        return f"{before.capitalize()} became {after}."
    then, now = (number(value.values[ply.who]) for value in (ply.before, ply.after))
    return f"The value fell from {then} to {now}."


def _outcome(value: PositionValue, seat: int) -> str:
    """A proven win, draw or loss, and how far it is; empty for any other value."""
    name = {1.0: "a win", 0.0: "a draw", -1.0: "a loss"}.get(value.values[seat], "") if value.exact else ""
    return f"{name} in {plies(value.distance)}" if name and value.distance else name


def drawn(state: State[Any], last: Any = None) -> str:
    """The board as the game's text, made `printable`; the position if that fails; empty if both fail.

    Where the game says where they are, `last`, the move that led here, has brackets, one pair for fields beside each
    other, and a winning line is in capital letters."""
    lines, spots = marked(state, last)
    edges = Counter((line, at) for line, start, end, won in spots if not won for at in (start, end - 1))
    for line, start, end, won in sorted(spots, key=lambda spot: not spot.won):
        text = lines[line]
        middle = text[start + 1 : end - 1]
        opening, closing = "<>" if text[start] == "[" else "[]"
        opening = opening if edges[line, start] == 1 else text[start]
        closing = closing if edges[line, end - 1] == 1 else text[end - 1]
        field = f"{text[start]}{middle.upper()}{text[end - 1]}" if won else f"{opening}{middle}{closing}"
        lines[line] = text[:start] + field + text[end:]
    return "\n".join(lines)


def marked(state: State[Any], last: Any = None) -> tuple[list[str], tuple[Spot, ...]]:
    """The lines of the board, without marks, and the places to mark in them."""
    lines = [""]
    for written in (state.__str__, state.position):
        try:
            lines = list(map(printable, written().split("\n")))
            break
        except Exception:  # a user-supplied game may raise anything
            continue
    try:
        spots = tuple(Spot(*spot) for spot in state.spots(last))
        for line, start, end, _ in spots:
            lines[line] = lines[line].ljust(end)
            if not lines[line][start:end]:
                return lines, ()
    except Exception:
        return lines, ()
    return lines, spots


# Recorded moves as people write them: in chess e4, where the record has e2e4. Only terminals and pages show these.
# A text that is not a legal move stays as it is, so a mistake in a record cannot hide the rest.


def shown_moves(state: State[Any] | None, line: Iterable[str]) -> list[str]:
    """The moves of `line`, played one after the other from `state`."""
    line, found = list(line), list[str]()
    if state is None or type(state).shown is State.shown:
        return line
    try:
        for text in line:
            move = state.from_text(text)
            found.append(state.shown(move))
            state = state.play(move)
    except Exception:  # not a legal move, or rules of a user, which may raise anything
        found += line[len(found) :]
    return found


def with_shown_moves(recorded: PastGame, states: Sequence[State[Any] | None]) -> PastGame:
    """The game with its opening, moves and analysis in this form; `states`: its positions, None if missing."""
    if not states or states[0] is None or type(states[0]).shown is State.shown:
        return recorded
    moves = tuple(_shown_move(state, move) for state, move in zip(states, recorded.moves, strict=False))
    plies = tuple(with_shown_line(states[ply.ply - 1], ply) for ply in recorded.analysis)
    opening = recorded.opening and " ".join(shown_moves(states[0], recorded.opening.split()))
    return replace(recorded, opening=opening, moves=moves, analysis=plies)


def with_shown_line(state: State[Any] | None, ply: JudgedPly) -> JudgedPly:
    """The judgement of a move that was made at `state`."""
    move, *answer = shown_moves(state, [ply.move, *ply.answer])
    return replace(ply, move=move, better=tuple(shown_moves(state, ply.better)), answer=tuple(answer))


def _shown_move(state: State[Any] | None, move: MoveRecord) -> MoveRecord:
    line = None if move.line is None else " ".join(shown_moves(state, move.line.split()))
    return replace(move, move=shown_moves(state, [move.move])[0], line=line)
