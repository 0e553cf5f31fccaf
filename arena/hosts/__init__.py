"""Games on other machines: a tournament's process hands them out over Dask, and game hosts play them.

    home.py         the tournament's side, in place of a director; Dask, as it uses it
    leases.py       which host plays which games; no input or output
    messages.py     what travels between the two; travelling.py makes it, and players of it
    game_host.py    the host's side, a plugin of a Dask worker with a director
    worker.py       the process `arena worker`

Only this room imports `distributed`, and only the command line imports this room.
"""
