"""The reason of an end is the line that names the error, with its place, in what Node.js and Java print."""

from __future__ import annotations

import re

import pytest

from arena import languages
from arena.languages import PLACED


def reason(log: str) -> str:
    """Why a program in any of our languages ended."""
    return languages.reason(log, languages.of_command(()))


NODE = """\
I have seat 0
/tmp/1/agent.js:45
  boom();
  ^

ReferenceError: boom is not defined
    at choose (/tmp/1/agent.js:45:3)
    at Interface.hear (/tmp/1/agent.js:72:69)
    at Interface.emit (node:events:524:28)

Node.js v20.20.2
"""
SYNTAX = """\
/tmp/my folder/agent.js:3
  let x = ;
          ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)

Node.js v20.20.2
"""
PACKAGE = """\
Error: Cannot find module 'lodash'
Require stack:
- /tmp/1/agent.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Object.<anonymous> (/tmp/1/agent.js:1:11) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/tmp/1/agent.js' ]
}

Node.js v20.20.2
"""
RUST = "thread 'main' panicked at src/main.rs:4:5:\nno move\nnote: run with `RUST_BACKTRACE=1` environment variable\n"
GO = """\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
\t/tmp/agent.go:9 +0x1d
"""
JAVA = """\
Exception in thread "main" java.lang.RuntimeException: no move
\tat Bot.main(Bot.java:38)
Caused by: java.util.NoSuchElementException
\tat java.base/java.util.Scanner.throwFor(Scanner.java:937)
\tat Bot.choose(Bot.java:12)
\t... 1 more
"""


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (NODE, "ReferenceError: boom is not defined (agent.js, line 45)"),
        (SYNTAX, "SyntaxError: Unexpected token ';' (agent.js, line 3)"),
        (PACKAGE, "Error: Cannot find module 'lodash' (agent.js, line 1)"),
        (GO, "panic: runtime error: index out of range [5] with length 3 (agent.go, line 9)"),
        (JAVA, "java.util.NoSuchElementException (Bot.java, line 12)"),
    ],
)
def test_the_error_is_named_with_its_place(log: str, words: str) -> None:
    assert reason(log) == words
    assert re.search(PLACED, words)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("", ""),
        (RUST, "no move"),
        ("\n \n", ""),
        ("Traceback\n  File 'x'\nValueError: bad\n", "ValueError: bad"),
        ("ValueError: an old one\n\nlast\n\n", "last"),
        ('throw "bad"\n^\nbad\n\nNode.js v20.20.2\n', "bad"),
        ("    at x (y.js:1:2)\n", "at x (y.js:1:2)"),
        ("Node.js v20.20.2\n", ""),
    ],
)
def test_without_such_an_error_it_is_the_last_line(log: str, words: str) -> None:
    assert reason(log) == words
