"""The commands of the panel "This machine": what it offers, and the state of its database.

Start at `doctor`.
"""
