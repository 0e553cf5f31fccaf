"""From a player as users type it ("my_agent.py") to an entrant that a director can start.

This package can import `match` and `walls`. Start with `player.py`, which reads what was typed.

    player.py        "pvs", "my_agent.py", "cmd:./engine" -> Player
    submissions.py   Store: read-only copies of files and folders, by the hash of their content
    versions.py      "alice@2" -> the Player that was entered then
    contents.py      the files of one submission, in memory and within limits
    build_commands.py  the commands that build and run agents in one language
    builder.py       builds such agents behind walls; build_inside.py runs there
    own_sources.py   which sources this user's own commands have stored, so that they can run without asking
    engines.py       "uci:stockfish?nodes=100": reads engines, and finds those that are installed
    entrants.py      a Player -> the Entrant that a director starts, and the settings of its warden
"""
