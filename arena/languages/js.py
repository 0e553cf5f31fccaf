"""JavaScript, as Node.js runs it: the error stands between the line that raised it and the frames of its stack.

/tmp/agent.js:45
  boom();
  ^

ReferenceError: boom is not defined
    at choose (/tmp/agent.js:45:3)

Node.js v20.20.2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from arena.languages import MAIN, Language, placed

_CARET: Final = r"\s*\^+"
"""It marks the place in the source line above it; the error follows."""
_TRAILER: Final = r"Node\.js v\d\S*"


class _JavaScript(Language):
    title = "JavaScript"
    run_by = "node"
    interpreters = "node|nodejs|deno|bun"
    run = ("node", MAIN)
    compiler_forks = False
    mentions = r"""(?:\brequire\(|\bfrom|\bimport)[ \t]*\(?["'](?P<file>\./[^"'\n]+)["']"""
    installed_by = "install Node.js (Debian, Ubuntu: sudo apt install nodejs)"
    errors = (
        (
            r"Cannot find (?:module|package) '((?:@[\w.-]+/)?\w[\w.-]*(?<!js))(?:/[^']+)?'",
            r"the program did not find the package '\1' and exited",
            r"write the agent without it; or install it into the agent's folder (npm install \1), call the agent "
            "index.js there, and use the whole folder: 'cmd:node agent/'",
        ),
    )
    advice = (
        (
            "Maximum call stack",
            "a function calls itself forever: add a case that ends the recursion, or a depth limit",
        ),
    )
    missing_files = (r"Cannot find module '([^']+)'",)
    out_of_memory = ("heap out of memory",)
    frame = r" {4,}at .+(?:\)|:\d+:\d+)(?: \{)?"
    foreign = r"\bnode:"
    error = r"(?:Uncaught )?(?P<error>(?:[\w$]+\.)*[\w$]*(?:Error|Exception)\b.*)"

    def reason(self, lines: Sequence[str]) -> str | None:
        if not re.fullmatch(_TRAILER, lines[-1]):
            return super().reason(lines)
        lines = lines[:-1]
        caret = next((n for n in reversed(range(len(lines) - 1)) if re.fullmatch(_CARET, lines[n])), None)
        if caret is None:
            return self.reason_above(lines)
        below = (self.place(line) for line in lines[caret + 2 :] if self.is_frame(line))
        above = (self.place(line) for line in reversed(lines[:caret]) if line.startswith(("/", "file:")))
        return placed(lines[caret + 1].strip(), next(filter(None, (*below, *above)), ""))


LANGUAGE = _JavaScript("js")
