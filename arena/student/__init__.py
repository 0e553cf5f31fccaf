"""For students: write an agent, check it, climb a ladder of opponents, and understand a lost game.

It may import every room but `course`. Start with `checking/`, which plays games to find out whether an agent works.
"""
