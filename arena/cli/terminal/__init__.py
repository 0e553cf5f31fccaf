"""What appears on a terminal: tables, wrapped lines, the progress line, files, usage errors, what a shell completes.

Nothing here knows a command, and it imports nothing else of `arena/cli`. Start at `listings`, which prints every
listing.
"""
