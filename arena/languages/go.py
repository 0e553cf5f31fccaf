"""Go. A compiled program; a panic is printed above the stacks of its goroutines."""

from __future__ import annotations

from arena.languages import FILES, Language


class _Go(Language):
    title = "Go"
    build = ("go", "build", "-o", "agent", FILES)
    run = ("./agent",)
    installed_by = "install Go (Debian, Ubuntu: sudo apt install golang-go)"
    build_error = r"^(?P<file>[^\s:][^:\n]*\.go):(?P<line>\d+)(?::\d+)?: *(?P<what>.+)"
    build_advice = (
        (
            r"no required module|is not in (?:std|GOROOT)|cannot find package|undefined: ",
            "there is only Go's own library; if it is in another file: put all into a folder, and enter that",
        ),
    )
    out_of_memory = ("runtime: out of memory",)
    frame = r"\t\S.*\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?"
    foreign = r"/src/runtime/"
    error = r"(?P<error>(?:panic|fatal error): .+)"


LANGUAGE = _Go("go")
