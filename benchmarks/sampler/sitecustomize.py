"""Notes where the main thread of a Python process is while it uses its processor; benchmarks/where.py reads it.

Python imports this module at its start because its folder is in PYTHONPATH. A timer of the thread's own processor time
interrupts it after every millisecond of work, or as often as the kernel looks. Each sample is one line: time, and file
and line of the frames, innermost first. Waiting uses no processor time, so it is never sampled.
"""

import atexit
import ctypes
import os
import signal
import threading
import time
from types import FrameType

EVERY = 1_000_000
"""Nanoseconds of processor time between samples."""
DEEPEST = 40
CLOCK_THREAD_CPUTIME_ID = 3


def sample_into(folder: str) -> None:
    """Sample this process from now on, into a new file in `folder`."""
    output = os.open(os.path.join(folder, str(os.getpid())), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    main = threading.get_native_id()

    def note(_: int, frame: FrameType | None) -> None:
        if threading.get_native_id() != main:
            return
        words = [str(time.monotonic())]
        while frame is not None and len(words) < DEEPEST:
            words.append(f"{frame.f_code.co_filename}:{frame.f_lineno or 0}")
            frame = frame.f_back
        os.write(output, ("\t".join(words) + "\n").encode())

    signal.signal(signal.SIGPROF, note)
    library = ctypes.CDLL(None, use_errno=True)
    # struct sigevent: a value, the signal, how it is sent (0: as a signal), padding.
    event = (ctypes.c_int * 16)(0, 0, signal.SIGPROF, 0)
    timer = ctypes.c_void_p()
    # struct itimerspec: the interval, then the first time; seconds and nanoseconds each.
    times = (ctypes.c_long * 4)(0, EVERY, 0, EVERY)
    if library.timer_create(CLOCK_THREAD_CPUTIME_ID, ctypes.byref(event), ctypes.byref(timer)) or library.timer_settime(
        timer, 0, ctypes.byref(times), None
    ):
        raise OSError(ctypes.get_errno(), "no timer of processor time")
    atexit.register(signal.signal, signal.SIGPROF, signal.SIG_IGN)


if "SAMPLES" in os.environ:
    sample_into(os.environ["SAMPLES"])
