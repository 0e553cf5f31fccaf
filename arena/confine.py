"""What happens inside a new process before it becomes an agent: walls go up, then the agent's program takes over.

The jail runs this file by its path with a bare interpreter, so it imports nothing of ours and little else. It stands
between a warden and its agent for some ten milliseconds, in the process that becomes the agent. Whatever goes wrong
before the agent runs is told on the status descriptor, which the agent itself never has.

A function that runs between fork and exec (preexec_fn) would cost 2 ms instead of 10, but would run Python code in the
copy of a process that has libzmq's threads; here nothing is copied, and there is one thread.

    python -I -S confine.py PARENT STATUS LIMIT=NUMBER... -- PROGRAM ARGUMENT...
"""

import ctypes
import errno
import os
import resource
import sys

PR_SET_PDEATHSIG = 1
SIGKILL = 9


def confine(parent: int, limits: list[str]) -> None:
    """Puts this process behind the walls."""
    libc = ctypes.CDLL(None)
    if sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)  # it died before it could be told
    for number in range(1, 65):
        libc.signal(number, None)  # what this interpreter and the warden ignore (SIGPIPE, SIGINT), an agent does not
    for limit in limits:
        name, _, wanted = limit.partition("=")
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        most = int(wanted) if hard == resource.RLIM_INFINITY else min(int(wanted), hard)
        resource.setrlimit(kind, (most, most))


def main(words: list[str]) -> None:
    """Becomes the program; returns only where that fails, with the reason on the status descriptor."""
    split = words.index("--")
    parent, status, command = int(words[0]), int(words[1]), words[split + 1 :]
    os.set_inheritable(status, False)
    doing = b"walls"
    try:
        confine(parent, words[2:split])
        doing = b"program"
        os.execvp(command[0], command)
    except Exception as error:
        os.write(status, b"%s %d" % (doing, getattr(error, "errno", None) or errno.EINVAL))


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.exit(1)
