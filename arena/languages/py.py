"""Python. Our kit runs a file alone; a program that speaks the protocol itself is run by a command."""

from __future__ import annotations

from arena.languages import Language


class _Python(Language):
    title = "Python"
    hosted = True
    run_by = "python3"
    interpreters = "python|pypy"
    comment = "    "
    taken_names = ("Agent", "Budget", "CHANCE", "DEPTH", "NODES")
    missing_files = (r"can't open file '([^']+)'",)
    memory_error = "MemoryError"


LANGUAGE = _Python("py")
