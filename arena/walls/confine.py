"""What happens inside a new process before it becomes an agent: walls go up, then the agent's program takes over.

The jail runs this file by its path with a bare interpreter, so it imports nothing of ours and little else. It stands
between a warden and its agent for some ten milliseconds, in the process that becomes the agent. Whatever goes wrong
before the agent runs is told on the status descriptor, which the agent itself never has.

A function that runs between fork and exec (preexec_fn) would cost 2 ms instead of 10, but would run Python code in the
copy of a process that has libzmq's threads; here nothing is copied, and there is one thread.

    python -I -S confine.py STATUS STEP=NUMBER... -- PROGRAM ARGUMENT...

The steps are done in the order in which they are given: see `jail.py`, and STEPS below.
"""

import ctypes
import errno
import os
import resource
import sys

SELF = 0x5EC0AAAA
"""As in seccomp.py: what stands in a filter for the number of this process."""
INSTRUCTION = 8
"""Bytes; the last four of them are what is compared with."""

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWUSER = 0x10000000
LANDLOCK_RESTRICT_SELF = 446
CAPABILITIES_VERSION = 0x20080522
SIGKILL = 9

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> None:
    """What a function of the C library returned."""
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused by the system")


def take_core(number: int) -> None:
    """This process and its threads run on that processor alone."""
    os.sched_setaffinity(0, {number})


def join_group(joining: int) -> None:
    """This process, and all that it starts, is counted in that control group, if the system lets it in."""
    libc.write(joining, b"0", 1)  # where that fails, the warden sees that nobody has joined
    os.close(joining)


def count_apart(most: int) -> None:
    """What the kernel counts for each user it counts for this agent alone, where the system lets that be: signals and
    timers that wait, and threads with processes, of which there may be `most` (0: any number).

    The kernel counts them for each user in each namespace of users, so a namespace is made. Of root it never counts
    threads, and not every system lets others make namespaces: the warden counts these as well."""
    if sys.platform != "linux":
        return
    user = os.getuid()
    if libc.unshare(CLONE_NEWUSER) < 0:
        return
    try:
        with open("/proc/self/uid_map", "w") as names:
            names.write(f"{user} {user} 1")
    except OSError:
        pass  # it is counted under a number without a name
    if most:
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def give_up_rights(_: int) -> None:
    """Root is root no more, and no program that this one runs gets rights that it has not."""
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    checked(libc.capset(header, (ctypes.c_uint32 * 6)()))


def die_with(parent: int) -> None:
    """The process ends when the warden does. After all that changes rights: that would undo it."""
    checked(libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        os._exit(1)  # it died before it could be told


def read_only(rules: int) -> None:
    """Of the file system only what the rules allow; they are a descriptor of Landlock's."""
    checked(libc.syscall(LANDLOCK_RESTRICT_SELF, rules, 0))
    os.close(rules)


def stay_first(status: int) -> None:
    """The agent becomes a child of this process, which is the first in a container: behind the same walls, out of the
    agent's reach, it takes dead processes off the list, and ends, with all that is left, when the agent does."""
    agent = os.fork()
    if agent == 0:
        return
    for file in (0, 1, 2, status):
        os.close(file)
    while True:
        pid, how = os.wait()
        if pid == agent:
            code = os.waitstatus_to_exitcode(how)
            os._exit(code if code >= 0 else 128 - code)


def hide(_: int) -> None:
    """No other process looks into this one; until a program is executed in it."""
    checked(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))


def filter_calls(source: int) -> None:
    """Of the kernel only what the filter allows; it is a file. Nothing that needs more may come afterwards."""
    code = bytearray(os.pread(source, 1 << 20, 0))
    os.close(source)
    itself = os.getpid().to_bytes(4, sys.byteorder)
    placeholder = SELF.to_bytes(4, sys.byteorder)
    for at in range(INSTRUCTION // 2, len(code), INSTRUCTION):
        if code[at : at + 4] == placeholder:
            code[at : at + 4] = itself

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    program = Program(len(code) // INSTRUCTION, bytes(code))
    checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0))


STEPS = {
    "core": take_core,
    "group": join_group,
    "apart": count_apart,
    "rights": give_up_rights,
    "parent": die_with,
    "files": read_only,
    "unseen": hide,
    "calls": filter_calls,
    "first": stay_first,
}


def confine(steps: list[str]) -> None:
    """Puts this process behind the walls."""
    for number in range(1, 65):
        libc.signal(number, None)  # what this interpreter and the warden ignore (SIGPIPE, SIGINT), an agent does not
    for step in steps:
        name, _, text = step.partition("=")
        if name in STEPS:
            STEPS[name](int(text))
        else:
            set_limit(getattr(resource, name), int(text))


def set_limit(kind: int, wanted: int) -> None:
    """A limit of the system's on this process, for good."""
    _, hard = resource.getrlimit(kind)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (most, most))


def main(words: list[str]) -> None:
    """Becomes the program; returns only where that fails, with the reason on the status descriptor."""
    split = words.index("--")
    status, steps, command = int(words[0]), words[1:split], words[split + 1 :]
    os.set_inheritable(status, False)
    doing = b"walls"
    try:
        confine(steps)
        doing = b"program"
        os.write(status, b".")
        os.execvp(command[0], command)
    except Exception as error:
        os.write(status, b"%s %d" % (doing, getattr(error, "errno", None) or errno.EINVAL))


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.exit(1)
