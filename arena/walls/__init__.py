"""Runs one agent that is not ours: confines its process, measures it, and makes it follow the protocol.

This package can import `match`, whose `allowance.py` lists the kinds of walls. Follow one agent:
`warden.py` is the process that owns it, `guard.py` applies the rules, `agent_process.py` passes lines in and out,
`jail.py` starts, pauses and kills it.

    confine.py       runs in the new process before it becomes the agent
    file_access.py   which files it can read: Landlock rules, or the mounts of a container
    seccomp.py       which system calls it can make
    library.py       what a Python agent can import
    warden_settings.py
                     the settings that a warden gets when it starts
    usage.py, cgroup.py, meter.py
                     what it uses: processor time, memory, threads; and how long it waited for a processor
    probe.py         which kinds of walls really hold on this machine
    run_folder.py    the private folder of a running director
"""
