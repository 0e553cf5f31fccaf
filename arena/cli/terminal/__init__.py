"""Terminal output and input: tables, wrapped lines, the progress line, files, usage errors, shell completion.

These modules are independent of the commands and import nothing else of `arena/cli`. Start at `listings`, which prints
all listings.
"""
