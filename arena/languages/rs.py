"""Rust. A compiled program; a panic is printed above a note on how to get a backtrace."""

from __future__ import annotations

from arena.languages import MAIN, Language


class _Rust(Language):
    title = "Rust"
    # With a path, rustc starts the linker by posix_spawn; else it needs a kind of socket that the walls refuse.
    build = ("rustc", "-O", "-C", "linker=/usr/bin/cc", "--crate-name", "agent", "-o", "agent", MAIN)
    run = ("./agent",)
    installed_by = "install Rust (Debian, Ubuntu: sudo apt install rustc)"
    mentions = r"""(?m)(?:^[ \t]*(?:pub[ \t]+)?mod[ \t]+|\binclude!\(")(?P<file>[\w./]+)(?:"\)|[ \t]*;)"""
    build_error = r"^error(?:\[\w+\])?: (?P<what>.+)\n--> (?P<file>[^:\n]+):(?P<line>\d+)"
    build_advice = (
        (
            r"unresolved import|can't find crate|undeclared crate|unlinked crate|use of undeclared type",
            "there is only the standard library; a file of yours is a module (mod NAME;) in the agent's folder",
        ),
    )
    out_of_memory = ("memory allocation of ",)
    frame = r"note: run with `RUST_BACKTRACE=.+"


LANGUAGE = _Rust("rs")
