"""How `arena run` and `arena serve` stop: at the time of --until, on Ctrl-C, or on SIGTERM.

It stands between the director and the schedule. In each case no new game starts, and the games in progress are
finished and recorded; a second signal stops immediately. While games are played, a signal is only noted, and the
director's loop does the rest: so no signal interrupts the recording of a game, or the end of the run.
"""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import Enum, auto
from types import FrameType
from typing import TYPE_CHECKING, Final

import typer

from adsearch.errors import one_of, quote
from arena.errors import BadLeague
from arena.history import words
from arena.match.schedule import Planned, Schedule, WrappingSchedule

if TYPE_CHECKING:
    from arena.hosts.home import Home
    from arena.play.director import Director

_TIME: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_SIGNALS: Final = {signal.SIGINT: "press Ctrl-C again", signal.SIGTERM: "send SIGTERM again"}
"""The signals that stop a run, and how to stop immediately after the first one."""

_AFTER: Final = 0.01
"""Seconds between the time of --until and the alarm, which must not come early."""
_LONGEST_TIMER: Final = 1e9
"""In seconds."""


def read_until(text: str, now: datetime) -> datetime:
    """The moment in the value of --until: a time is the next moment when the clock of this machine shows it.

    `now` has a time zone. BadLeague if the text is not a time, or a moment that is over."""
    text = text.strip()
    if found := _TIME.fullmatch(text):
        here = now.astimezone().replace(tzinfo=None)
        today = here.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
        moments = [moment for days in (0, 1) for moment in _moments(today + timedelta(days=days))]
        return min(moment for moment in moments if moment > now)
    try:
        moments = _moments(datetime.fromisoformat(text))
        if ":" not in text:
            raise ValueError("a day without a time")
    except (ValueError, OverflowError):
        raise BadLeague(
            f"--until: expected a time, or a day and a time, such as 06:00 or '2026-05-02 06:00', got {quote(text)}"
        ) from None
    if moments[-1] <= now:
        raise BadLeague(f"--until: {words.local_time(moments[-1])} has passed; it is {words.local_time(now)} now")
    return next(moment for moment in moments if moment > now)


def _moments(time: datetime) -> list[datetime]:
    """The moments, in order, that this time can mean: two if it has no zone and clocks are changed then."""
    if time.tzinfo is not None:
        return [time.astimezone()]
    return sorted(time.replace(fold=fold).astimezone() for fold in (0, 1))


class StopPhase(Enum):
    """What a signal does."""

    PREPARING = auto()
    """No game is played yet: it stops the run immediately, by a KeyboardInterrupt."""
    PLAYING = auto()
    """It starts `FINISHING`."""
    FINISHING = auto()
    """The games in progress are finished: it starts `STOPPING`."""
    STOPPING = auto()
    """The run stops immediately: it is ignored."""
    OVER = auto()
    """No game is played any more: it is ignored."""


class Signals:
    """SIGINT and SIGTERM, from the start of a run to the end of its process."""

    def __init__(self) -> None:
        self.phase = StopPhase.PREPARING
        self.number: int | None = None
        """The signal that stopped the run."""
        self.ring: Callable[[], object] = lambda: None
        """Called when the run is stopped while games are played: waiting games must be taken back."""
        self._waits = False

    @contextmanager
    def handled(self, say: Callable[[str], None]) -> Iterator[None]:
        """Inside, signals stop the run. Afterwards they are ignored until the process has ended, so that they do not
        change its exit code. `say` prints a message."""
        for number in _SIGNALS:
            signal.signal(number, self._received)
        try:
            yield
        except KeyboardInterrupt:
            say("stopped before a game was played; the same command continues")
            raise typer.Exit(128 + (self.number or signal.SIGINT)) from None
        finally:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_IGN)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Inside, games are played."""
        self.phase = StopPhase.PLAYING
        try:
            yield
        finally:
            if self.phase is not StopPhase.STOPPING:
                self.phase = StopPhase.OVER

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Inside, the run waits because nothing can be recorded: a signal stops it immediately, in any phase."""
        if self.phase is StopPhase.STOPPING:
            raise KeyboardInterrupt
        self._waits = True
        try:
            yield
        finally:
            self._waits = False

    def _received(self, number: int, _: FrameType | None) -> None:
        if self.phase is StopPhase.STOPPING:
            return
        if self._waits or self.phase is StopPhase.PREPARING:
            self.phase, self.number = StopPhase.STOPPING, number
            raise KeyboardInterrupt
        if self.phase is not StopPhase.OVER:
            self.phase = StopPhase.FINISHING if self.phase is StopPhase.PLAYING else StopPhase.STOPPING
            self.number = number
            self.ring()


class Stopping(WrappingSchedule):
    """The schedule of a run: that of its tournament, until the run is stopped."""

    def __init__(
        self,
        schedule: Schedule,
        signals: Signals,
        say: Callable[[str], None],
        *,
        until: datetime | None,
        now: Callable[[], datetime],
    ) -> None:
        """`say` prints a message; `now` gives the time with its time zone."""
        super().__init__(schedule)
        self._signals = signals
        self._is_time = False
        self._is_announced = False
        self._say = say
        self._until = until
        self._now = now

    def next(self) -> Planned | None:
        """The next game to start; None also if the run is stopped."""
        return super().next() if self._is_open() else None

    def beside(self) -> Planned | None:
        """The next game beside all others; None also if the run is stopped."""
        return None if self.stopped else super().beside()

    def rest(self) -> float | None:
        """How long the schedule rests; None also if the run is stopped."""
        return super().rest() if self._is_open() else None

    def ahead(self) -> Planned | None:
        """The next game, to begin as soon as another one is over; None also if the run is stopped."""
        return super().ahead() if self._is_open() else None

    def _is_open(self) -> bool:
        """Whether games can start."""
        if not self.stopped and self._until is not None and self._now() >= self._until:
            self._is_time = True
            self._signals.ring()  # the alarm is late if the machine has slept, or its clock was changed
            self._say(f"it is {words.local_time(self._until)}: no more games start, those in progress are finished")
        return not self.stopped

    @property
    def stopped(self) -> bool:
        """Whether no more games start."""
        return self._is_time or self._signals.number is not None

    @property
    def in_time(self) -> bool:
        """Whether the run was stopped by --until alone."""
        return self._is_time and self._signals.number is None

    @contextmanager
    def heard_by(self, director: Director | Home) -> Iterator[None]:
        """Inside, the director takes back the waiting games after the first signal and at the time of --until; after
        the second signal it raises a KeyboardInterrupt."""
        bell, rope = socket.socketpair()

        def stop() -> None:
            bell.recv(16)
            if self._signals.phase is StopPhase.STOPPING:
                raise KeyboardInterrupt
            self._announce(director.in_progress)
            director.take_back()

        director.watch(bell.fileno(), stop)
        self._signals.ring = lambda: rope.send(b"!")
        before = signal.signal(signal.SIGALRM, lambda *_: self._signals.ring())
        if self._until is not None:
            left = (self._until - self._now()).total_seconds()
            signal.setitimer(signal.ITIMER_REAL, min(max(left, 0) + _AFTER, _LONGEST_TIMER))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            self._signals.ring = lambda: None
            director.unwatch(bell.fileno())
            bell.close()
            rope.close()

    def _announce(self, playing: Sequence[Planned]) -> None:
        """Say once, after the first signal, what happens now; `playing`: the games that are finished first."""
        if self._signals.number is not None and not self._is_announced:
            self._is_announced = True
            how = _SIGNALS[signal.Signals(self._signals.number)]
            games = one_of([" - ".join(entrant.name for entrant in game.entrants) for game in playing], most=3)
            self._say(f"finishing the games in progress{games and f' ({games})'}; {how} to stop immediately")


# What a command does while its database cannot be written: it says why, at most once a minute, and tries again.


_PAUSE: Final = 2.0
"""Time between two attempts, in seconds."""
_SAYS_AGAIN: Final = 60.0
"""Time after which the same reason is said again, in seconds."""


class Pausing:
    """The pauses of one command."""

    def __init__(self, say: Callable[[str], None], end: str) -> None:
        """`say` prints a line, which ends with `end`."""
        self._say = say
        self._end = end
        # Why it paused last, and when that was said.
        self._reason, self._said = "", 0.0

    def __call__(self, reason: str) -> None:
        """Returns when it is time to try again."""
        now = time.monotonic()
        if reason != self._reason or now - self._said >= _SAYS_AGAIN:
            self._say(f"paused: {reason}; trying again every {_PAUSE:g} s. {self._end}")
            self._reason, self._said = reason, now
        time.sleep(_PAUSE)
