"""C++. A compiled program; what it prints last is its reason."""

from __future__ import annotations

from arena.languages import FILES, Language


class _Cpp(Language):
    title = "C++"
    build = ("g++", "-O2", "-o", "agent", FILES)
    run = ("./agent",)
    installed_by = "install a C++ compiler (Debian, Ubuntu: sudo apt install build-essential)"
    rules_ending = ".hpp"
    includes = True
    mentions = r'(?m)^[ \t]*#[ \t]*include[ \t]*"(?P<file>[^"\n]+)"'
    out_of_memory = ("std::bad_alloc",)


LANGUAGE = _Cpp("cpp")
