"""One agent that is not ours: its process is confined, measured, and held to the protocol.

It may import `match`. Start with `kinds.py`, which says what kinds of walls there are, then follow one agent:
`warden.py` is the process that holds it, `guard.py` applies the rules, `agent_process.py` carries lines in and out,
`jail.py` starts, pauses and ends it.

    confine.py       in the new process, before it becomes the agent
    file_access.py   what it may read: Landlock rules, or the mounts of a container
    seccomp.py       which system calls it may make
    library.py       what a Python agent may import
    orders.py        what a warden is told when it begins
    held_by_kernel.py
                     what the kernel holds for it: open files, mappings
    usage.py, runnable.py, cgroup.py, meter.py
                     what it uses: processor time, memory, threads; and for how long it waited for a processor
    deadline.py      by when it must have answered
    probe.py         which kinds of walls really hold on this machine
    run_folder.py    the private folder of a running director
"""
