"""C. A compiled program; what it prints last is its reason."""

from __future__ import annotations

from arena.languages import FILES, Language


class _C(Language):
    title = "C"
    build = ("gcc", "-O2", "-o", "agent", FILES, "-lm")
    run = ("./agent",)
    installed_by = "install a C compiler (Debian, Ubuntu: sudo apt install build-essential)"
    comment = " *     "
    rules_ending = ".h"
    includes = True
    mentions = r'(?m)^[ \t]*#[ \t]*include[ \t]*"(?P<file>[^"\n]+)"'


LANGUAGE = _C("c")
