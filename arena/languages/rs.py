"""Rust. A compiled program; a panic is printed above a note on how to get a backtrace."""

from __future__ import annotations

from arena.languages import Language


class _Rust(Language):
    title = "Rust"
    compiled_by = "rustc -O -o"
    out_of_memory = ("memory allocation of ",)
    frame = r"note: run with `RUST_BACKTRACE=.+"


LANGUAGE = _Rust("rs")
