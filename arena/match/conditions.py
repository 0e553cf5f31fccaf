"""The conditions of games: all that is decided before the first one, and is the same for every player; with the rules
that end a game early. One value from a description to the referee: it is read from a description's keys by what the
types of the fields say, stored with the tournament, and sent to the referee and to game hosts. A new condition is one
field here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

from msgspec import Struct, json

from adsearch.form import Form
from arena.match.allowance import Allowance, Seconds, WallKind, Whole
from arena.match.clock import MILLISECOND, SECOND
from db.records import GameKind, MoveRecord

# Rules that end a game early, by what its players report about their positions. None holds unless it is asked for.


BY_RULE: Final = "by the rule"


class ResignRule(Struct, frozen=True):
    """A player loses that says so itself."""

    moves: int
    """The number of its moves in a row with which it reports `-score` or less."""
    score: float
    """In the scale of the game: in chess centipawns."""
    both: bool = False
    """Whether the other player must report `score` or more with as many moves."""


class DrawRule(Struct, frozen=True):
    """The game is a draw if both say so."""

    begins: int
    """The number of moves that each player has made at least."""
    moves: int
    """The number of moves in a row with which each reports a score between `-score` and `score`."""
    score: float


class Ruled(NamedTuple):
    """How a rule ends the game."""

    loser: int | None
    """None: it is a draw."""
    detail: str


def ruled(
    moves: Iterable[MoveRecord], resign: ResignRule | None, draw: DrawRule | None, scaled: Callable[[float], float]
) -> Ruled | None:
    """What a rule says after these plies. `scaled`: what a score of the rules is as players report it."""
    said: tuple[list[float | None], list[float | None]] = [], []
    for move in moves:
        if isinstance(move.who, int):
            said[move.who].append(move.score)

    def agree(seat: int, moves: int, low: float, high: float) -> bool:
        last: Sequence[float | None] = said[seat][-moves:]
        return len(last) == moves and all(score is not None and low <= score <= high for score in last)

    if resign is not None:
        far, limit = float("inf"), scaled(resign.score)
        for seat in range(2):
            if agree(seat, resign.moves, -far, -limit) and (
                not resign.both or agree(1 - seat, resign.moves, limit, far)
            ):
                return Ruled(seat, f"{BY_RULE} for resigning: {resign.moves} moves at -{resign.score:g} or less")
    if draw is not None and min(map(len, said)) >= draw.begins:
        limit = scaled(draw.score)
        if all(agree(seat, draw.moves, -limit, limit) for seat in range(2)):
            return Ruled(None, f"{BY_RULE} for draws: {draw.moves} moves within {draw.score:g}")
    return None


DEFAULT_CLOCK: Final = "10+0.1"
HELLO_WITHIN: Final = 10 * SECOND
"""Default time for a process to start, in nanoseconds."""


class Limits(Struct, frozen=True):
    """Time limits that are not on a seat's clock, in nanoseconds."""

    hello: Annotated[int | None, Seconds(0.1, 24 * 3600)] = HELLO_WITHIN
    """Until the player connects; None: no limit (a player that is started by hand)."""
    ready: Annotated[int, Seconds(0.1, 24 * 3600)] = 5 * SECOND
    """From `start` to `ready`."""
    move: Annotated[int, Seconds(0.001, 30 * 24 * 3600)] = 60 * SECOND
    """For a move, without a clock."""


class OwnTime(Struct, frozen=True):
    """The time of an agent that has another one than the rest."""

    agent: str
    clock: str
    margin: int


class Conditions(Struct, frozen=True, kw_only=True):
    """How games are played: the fields are keys of a description, unless it cannot have them yet."""

    clock: str = "none"
    """As `TimeControl` writes it."""
    margin: Annotated[int, Seconds(0, 3600)] = 50 * MILLISECOND
    """Nanoseconds by which a player can exceed its time."""
    max_plies: Annotated[int | None, Whole(1, 1_000_000)] = None
    """The number of the players' plies after which a game is a draw; None: no limit."""
    names: Literal["hidden", "shown"] = "shown"
    """Whether agents get their opponents' names."""
    reuse: bool = False
    """Whether an agent's process is kept for its next game."""
    keep_engines: bool = True
    """The same for engines."""
    limits: Limits = Limits()
    walls: WallKind | None = None
    """The required kind of walls for user-supplied agents; None: the strongest available."""
    allowance: Allowance = Allowance()
    """The limits of each of them."""
    ponder: bool = False
    """Whether agents run while it is not their turn; else they are paused."""
    python: str | None = None
    """Path of the interpreter for Python agents; None: the server's own."""
    modules: tuple[str, ...] | None = None
    """Modules that agents can import besides the standard library; None: all that the interpreter has."""
    adsearch: Form | None = None
    """The form of adsearch that Python agents search in; None: what is there. A tournament that is recorded has one."""
    kind: GameKind = GameKind.CASUAL
    """What the games are played for. Players cannot tell."""
    position: str = ""
    """The position from which games begin; empty: that of the rules."""
    own_times: tuple[OwnTime, ...] = ()
    resign: ResignRule | None = None
    draw: DrawRule | None = None
    """The rules by which a game ends early; what `max_plies` says is another matter."""
    scores: Literal["own", "comparable"] = "own"
    """comparable: also agents whose scores have no known scale take part in games with these rules."""

    def time_of(self, agent: str) -> OwnTime:
        """The agent's clock and margin: its own, or those of all."""
        return next((one for one in self.own_times if one.agent == agent), OwnTime(agent, self.clock, self.margin))

    def own_clock(self, agent: str) -> str | None:
        """The agent's own clock; None: that of all."""
        clock = self.time_of(agent).clock
        return None if clock == self.clock else clock

    def described(self) -> dict[str, Any]:
        """The conditions as JSON values, to be stored with a tournament; times are in nanoseconds."""
        fields: dict[str, Any] = json.decode(json.encode(self))
        return {key: value for key, value in fields.items() if key not in UNDESCRIBED}


UNDESCRIBED: Final = ("kind", "own_times")
"""Conditions that are no keys of a description: an agent's own time stands with the agent."""
