"""What a helper does in place of a search: it waits, fails, is killed, or answers nonsense."""

from __future__ import annotations

import os
import signal
import time

from arena.play.helper import Asker


def waits(asker: Asker) -> None:
    """Says in the file $BEGUN that it has begun, judges a ply, and ends when the file $GATE is there."""
    asker.job(tuple[str, int])
    with open(os.environ["BEGUN"], "a") as begun:
        begun.write("x")
    asker.answer(1)
    while not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)
    asker.answer(-1)


def fails(asker: Asker) -> None:
    """Says why."""
    asker.fail("the rules failed")


def raises(asker: Asker) -> None:
    """As a function with a mistake."""
    raise ZeroDivisionError("twice\nin one line")


def is_killed(asker: Asker) -> None:
    """In the middle."""
    asker.answer(1)
    os.kill(os.getpid(), signal.SIGKILL)


def ends(asker: Asker) -> None:
    """Without an answer."""


def lies(asker: Asker) -> None:
    """Answers with no number."""
    asker.answer("no number")


def sleeps(asker: Asker) -> None:
    """Until it is killed; it has answered with its process id."""
    asker.answer(os.getpid())
    signal.pause()


def says_how_it_is(asker: Asker) -> None:
    """Its niceness, a limit, what its stdin is, and whether it ignores Ctrl-C."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    ignores = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    asker.answer((os.getpriority(os.PRIO_PROCESS, 0), limit, os.readlink("/proc/self/fd/0"), ignores))


def echoes(asker: Asker) -> None:
    """Answers every job with what is in it."""
    while True:
        asker.answer(asker.job(str))


def finishes(asker: Asker) -> None:
    """When the asker has ended, it writes the file $GATE."""
    from arena.play.helper import AskerEnded

    asker.answer(os.getpid())
    try:
        asker.wait()
    except AskerEnded:
        open(os.environ["GATE"], "x").close()


def burns(asker: Asker) -> None:
    """Uses the processor for ever."""
    while True:
        pass


def talks(asker: Asker) -> None:
    """Answers with more than it may."""
    asker.answer("x" * 100_000)
    signal.pause()
