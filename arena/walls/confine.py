"""Runs in a new process before it becomes an agent: builds the walls, then executes the agent's program.

The jail runs this file by its path with a bare interpreter, so it imports nothing of ours and little else. It takes
some ten milliseconds. Whatever goes wrong before the agent runs is written to the status descriptor, which the agent
itself never has.

A function between fork and exec (preexec_fn) would cost 2 ms instead of 10, but would run Python code in a forked copy
of the warden. Here nothing is forked, and there is one thread.

    python -I -S confine.py STATUS STEP=NUMBER... -- PROGRAM ARGUMENT...

The steps run in the order given: see `jail.py`, and STEPS below.
"""

import ctypes
import errno
import os
import resource
import sys

SELF = 0x5EC0AAAA
"""Placeholder for this process's PID in a filter, as in seccomp.py."""
INSTRUCTION = 8
"""Bytes of a filter instruction; its last four are the operand."""

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWUSER = 0x10000000
LANDLOCK_RESTRICT_SELF = 446
CAPABILITIES_VERSION = 0x20080522
SIGKILL = 9

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> None:
    """Raises OSError if a function of the C library has failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused by the system")


def bind_to_core(number: int) -> None:
    """Lets this process and its threads run only on that processor."""
    os.sched_setaffinity(0, {number})


def join_cgroup(procs: int) -> None:
    """Moves this process into the control group of which `procs` is cgroup.procs; what it starts belongs to it too."""
    libc.write(procs, b"0", 1)  # if this fails, the warden sees that the group is empty
    os.close(procs)


def make_user_namespace(most: int) -> None:
    """Gives this agent its own user namespace, if the system allows one, and limits its threads and processes to `most`
    (RLIMIT_NPROC; 0: no limit).

    The kernel counts pending signals, timers, threads and processes for each user in each user namespace, so they are
    then counted for this agent only. Root's threads are never counted, and not every system lets other users make
    namespaces, so the warden counts threads as well."""
    if sys.platform != "linux":
        return
    user = os.getuid()
    if libc.unshare(CLONE_NEWUSER) < 0:
        return
    try:
        with open("/proc/self/uid_map", "w") as names:
            names.write(f"{user} {user} 1")
    except OSError:
        pass  # not important: it is counted under an unmapped user id
    if most:
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def drop_capabilities(_: int) -> None:
    """Drops all capabilities, so that root has no privileges, and no program run from here gets any (no_new_privs)."""
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    checked(libc.capset(header, (ctypes.c_uint32 * 6)()))


def die_with_parent(parent: int) -> None:
    """Lets the kernel kill this process when the warden ends. Changes of credentials undo it and come first."""
    checked(libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        os._exit(1)  # the warden ended before the prctl call


def restrict_files(rules: int) -> None:
    """Allows only the file accesses in `rules`, the descriptor of a Landlock ruleset."""
    checked(libc.syscall(LANDLOCK_RESTRICT_SELF, rules, 0))
    os.close(rules)


def stay_as_init(status: int) -> None:
    """Forks: the child becomes the agent. This process stays PID 1 of the container, behind the same walls and out of
    the agent's reach. It reaps dead processes, and exits when the agent does, which kills the rest."""
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


def make_undumpable(_: int) -> None:
    """Lets no other process read or trace this one (PR_SET_DUMPABLE); the next execve undoes it."""
    checked(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))


def filter_system_calls(source: int) -> None:
    """Installs the seccomp filter in the file `source`. Later steps can use only system calls that it allows."""
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
    "core": bind_to_core,
    "cgroup": join_cgroup,
    "user_namespace": make_user_namespace,
    "capabilities": drop_capabilities,
    "parent": die_with_parent,
    "landlock": restrict_files,
    "undumpable": make_undumpable,
    "seccomp": filter_system_calls,
    "init": stay_as_init,
}


def confine(steps: list[str]) -> None:
    """Runs the steps that build the walls around this process."""
    for number in range(1, 65):
        libc.signal(number, None)  # this interpreter and the warden ignore some (SIGPIPE, SIGINT)
    for step in steps:
        name, _, text = step.partition("=")
        if name in STEPS:
            STEPS[name](int(text))
        else:
            set_limit(getattr(resource, name), int(text))


def set_limit(kind: int, wanted: int) -> None:
    """Sets a resource limit, soft and hard, so that it cannot be raised again."""
    _, hard = resource.getrlimit(kind)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (most, most))


def main(words: list[str]) -> None:
    """Executes the program; returns only if that fails, with the reason on the status descriptor."""
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
