"""From a player as people type it ("my_agent.py") to an entrant that a director can seat.

It may import `match` and `walls`. Start with `player.py`, which reads what was typed.

    player.py        "pvs", "my_agent.py", "cmd:./engine" -> Player
    submissions.py   Store: read-only copies of files and folders, by the hash of their content
    own_sources.py   which sources this user's own commands have frozen: what no record can claim
    versions.py      "alice@2" -> the Player that was entered then
    confinement.py   what each agent's warden is ordered to do: walls, limits, what may be read
    entrants.py      a Player -> the Entrant that a director seats
"""
