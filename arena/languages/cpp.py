"""C++. A compiled program; what it prints last is its reason."""

from __future__ import annotations

from arena.languages import FILES, MISSING_PARTS, Language


class _Cpp(Language):
    title = "C++"
    build = ("g++", "-O2", "-o", "agent", FILES)
    run = ("./agent",)
    installed_by = "install a C++ compiler (Debian, Ubuntu: sudo apt install build-essential)"
    rules_ending = ".hpp"
    includes = True
    build_advice = (
        MISSING_PARTS,
        (
            r"\.h(?:pp|h)?: No such file|fatal error: .*: No such file",
            "there is only the standard library; a header of yours must be in the agent's folder",
        ),
        (
            r"-std=|C\+\+2[0-9]|[‘'](?:std::)?(?:span|format|ranges|concept|requires)\b",
            "for a newer standard put a Makefile with g++ -std=c++20 -o agent ... beside it",
        ),
    )
    mentions = r'(?m)^[ \t]*#[ \t]*include[ \t]*"(?P<file>[^"\n]+)"'
    out_of_memory = ("std::bad_alloc",)


LANGUAGE = _Cpp("cpp")
