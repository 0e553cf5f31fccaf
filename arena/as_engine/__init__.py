"""Any agent of chess or Go as an engine for other programs: they start `arena engine uci` or `arena engine gtp` and
speak over stdin and stdout. No referee and no warden takes part: the agent runs in this process, with the user's
permissions.

The reverse, an engine as a player in our games, is in `arena/players/engines.py` and `arena/engines`."""
