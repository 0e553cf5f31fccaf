"""Runs one agent that is not ours: confines its process, measures it, and makes it follow the protocol.

This package can import `match`, whose `allowance.py` lists the kinds of walls. Follow one agent:
`warden.py` is the process that owns it, `guard.py` applies the rules, `agent_process.py` passes lines in and out,
`jail.py` starts, pauses and kills it.

    translator.py    how messages are written for an agent that speaks our own protocol
    confine.py       runs in the new process before it becomes the agent
    file_access.py   which files it can read: Landlock rules, or the mounts of a container
    seccomp.py       which system calls it can make
    library.py       what a Python agent can import
    warden_settings.py
                     the settings that a warden gets when it starts
    kernel_memory.py kernel memory that it uses: open files, mappings
    usage.py, runnable.py, cgroup.py, meter.py
                     what it uses: processor time, memory, threads; and how long it waited for a processor
    deadline.py      when its answer is late
    probe.py         which kinds of walls really hold on this machine
    run_folder.py    the private folder of a running director
"""
