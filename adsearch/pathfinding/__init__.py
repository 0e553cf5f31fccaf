"""Path searches: from a start to a goal, for one player alone. Each algorithm is a module with a function `search`.

They are not for games with opponents and are no built-in agents. The games that they search derive from
`adsearch.path_state.PathState`.
"""
