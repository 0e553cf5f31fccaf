"""Whether the machine is overloaded: how long players waited for a processor, and the referee for them.

A running tournament shows each game's record to an Overload and prints its warning: clocks are only as fair as
the machine is idle. It decides nothing about games; what a wait excuses is decided in `match.py`.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from agents.protocol import Verdict
from arena.match.clock import MILLISECOND, SECOND
from arena.match.match import WAITED
from db.records import GameRecord

GAMES: Final = 20
"""So many of the last games are looked at."""
_THINKS: Final = 5 * MILLISECOND
"""Of shorter turns the waits say nothing: waking up takes its time on any machine."""
_LEAST_THINKING: Final = SECOND
_MOST_WAITED: Final = 0.1
"""More of the players' time is too much."""
_LONG: Final = 50 * MILLISECOND
"""What usual margins forgive."""
_MOST_LONG: Final = 3


class Overload:
    """The last games, and how much of their time was spent waiting."""

    def __init__(self) -> None:
        # Of each: how long players thought, how long of that they waited, the long waits, and whether it is void for
        # such a wait.
        self._games: deque[tuple[int, int, list[int], bool]] = deque(maxlen=GAMES)

    def note(self, record: GameRecord) -> None:
        """A game is over."""
        thought = 0
        waited = 0
        long = list[int]()
        for move in record.moves:
            wait = (move.lag or 0) + (move.delay or 0)
            if (move.spent or 0) >= _THINKS:
                thought += (move.spent or 0) + (move.lag or 0)
                waited += wait
            if wait >= _LONG:
                long.append(wait)
        void = record.verdict == Verdict.VOID and record.detail.endswith(WAITED)
        self._games.append((thought, waited, long, void))

    def warning(self) -> str | None:
        """What the user should know; None where the machine keeps up."""
        thought = sum(game[0] for game in self._games)
        waited = sum(game[1] for game in self._games)
        long = [wait for game in self._games for wait in game[2]]
        void = sum(game[3] for game in self._games)
        busy = thought >= _LEAST_THINKING and waited > _MOST_WAITED * thought
        if not busy and len(long) < _MOST_LONG and not void:
            return None
        share = f"{waited / thought:.0%} of their thinking time" if busy and thought else "long"
        longest = f", up to {max(long) / MILLISECOND:,.0f} ms in one move" if long else ""
        longest += f" ({void} void for it)" if void else ""
        last = "game" if len(self._games) == 1 else f"{len(self._games)} games"
        return (
            f"this machine is overloaded: in the last {last} players waited {share} for a processor{longest}. End "
            "other programs or play fewer games at once (games_at_once)"
        )
