"""A course to try: a roster, forty submissions of every kind, and the description of their tournament.

All of it is in files here: `roster.csv` is the roster, `hand_ins.csv` has one line for each submission, `work` has the
sources of the agents, and `cs101.toml` is the description. The agents' sources end with `.txt`, because some are
broken and none is part of the product.
"""
