"""C. A compiled program; what it prints last is its reason."""

from __future__ import annotations

from arena.languages import FILES, MISSING_PARTS, Language


class _C(Language):
    title = "C"
    build = ("gcc", "-O2", "-o", "agent", FILES, "-lm")
    run = ("./agent",)
    installed_by = "install a C compiler (Debian, Ubuntu: sudo apt install build-essential)"
    comment = " *     "
    rules_ending = ".h"
    includes = True
    build_advice = (
        MISSING_PARTS,
        (
            r"\.h(?:pp|h)?: No such file|fatal error: .*: No such file",
            "there is only the standard library; a header of yours must be in the agent's folder",
        ),
    )
    mentions = r'(?m)^[ \t]*#[ \t]*include[ \t]*"(?P<file>[^"\n]+)"'


LANGUAGE = _C("c")
