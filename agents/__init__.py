"""The player's side: what a student imports, and the agents that come with us."""
