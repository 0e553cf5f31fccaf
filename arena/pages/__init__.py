"""What browsers show: the frame of every page, the replay of a game, and the parts that pages share.

A page is made from values; nothing here reads the database. It needs no network, and it works in light and dark mode,
on a phone, on paper, with a keyboard and with a screen reader. Names and texts of agents are always escaped.
"""
