"""The line of a program's stderr that says why it ended, for the detail of its verdict.

Pure. Python and most other programs name the error on their last line; Node.js and Java print frames of the stack below
it. Never raises: the text may be anything, and may be cut anywhere.
"""

from __future__ import annotations

import re
from typing import Final

_FRAME: Final = re.compile(r"\s+at .+(?:\)|:\d+:\d+)(?: \{)?|\s+\.\.\. \d+ more")
"""A frame of the stack, as Node.js and Java print it."""
_INTERNAL: Final = re.compile(r"\bnode:|\bat (?:async )?(?:java|jdk|sun)\.")
"""Part of a frame that is not the program's own."""
_PLACE: Final = re.compile(r"(?:^|[/(\\])(?P<file>[^/(\\:]+\.\w+):(?P<line>\d+)(?::\d+)?\)?(?: \{)?$")
_ERROR: Final = re.compile(
    r'(?:Uncaught |Exception in thread ".*?" |Caused by: )?'
    r"(?P<error>(?:[\w$]+\.)*[\w$]*(?:Error|Exception)\b.*)"
)
_TRAILER: Final = re.compile(r"Node\.js v\d\S*")
NAMED: Final = re.compile(r"\b[\w$]*(?:Error|Exception)\b.* \([^()]+\.\w+, line \d+\)$")
"""An error with its place, as `last_words` returns it."""


def is_frame(line: str) -> bool:
    """Whether the line is a frame of the stack."""
    return _FRAME.fullmatch(line.rstrip()) is not None


def place(line: str) -> str:
    """The file and line in a frame of the program's own: "agent.js, line 3"; empty for all other frames."""
    found = None if _INTERNAL.search(line) else _PLACE.search(line.rstrip())
    return f"{found['file']}, line {found['line']}" if found else ""


def last_words(log: str) -> str:
    """The error that the program printed last, with its place: "ReferenceError: x is not defined (agent.js, line 3)";
    without such an error the last line that is not blank."""
    lines = [line.rstrip() for line in log.split("\n") if line.strip()]
    if lines and _TRAILER.fullmatch(lines[-1]):
        lines.pop()
    elif not lines or not is_frame(lines[-1]):
        return lines[-1].strip() if lines else ""
    found = next(((n, at) for n, line in reversed([*enumerate(lines)]) if (at := _ERROR.fullmatch(line))), None)
    if found is None:
        return lines[-1].strip() if lines else ""
    number, error = found
    below = (place(line) for line in lines[number + 1 :] if is_frame(line))
    # Node.js prints the place of a syntax error only above it.
    above = (place(line) for line in reversed(lines[:number]) if line.startswith(("/", "file:")))
    where = next(filter(None, (*below, *above)), "")
    return error["error"] + (f" ({where})" if where else "")
