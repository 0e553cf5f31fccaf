"""What is recorded of real programs that crash: the line that names the error, with its file and line."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.protocol import Verdict
from arena import languages
from arena.match.allowance import WallKind
from arena.student.checking.explanations import Failure, explain
from arena.walls.agent_process import AgentProcess
from arena.walls.jail import Walls
from tests.kit import needs

NODE, JAVA, PYTHON = "node agent.js", "java Agent.java", f"{shlex.quote(sys.executable)} agent.py"
MAIN = "public class Agent { public static void main(String[] a) { %s } }"
CRASHES = [
    (NODE, "\n\nfoo(1);", "ReferenceError: foo is not defined (agent.js, line 3)"),
    (NODE, "Promise.reject(new TypeError('bad'))", "TypeError: bad (agent.js, line 1)"),
    (NODE, "throw 'no move'", "no move (agent.js, line 1)"),
    (NODE, "throw new Error('two\\nlines')", "Error: two (agent.js, line 1)"),
    (NODE, "f = () => f(); f()", "RangeError: Maximum call stack size exceeded (agent.js, line 1)"),
    (NODE, "console.error('\\x1b[31m\\0'); throw new Error('\\x1b[31m red')", "Error: ?[31m red (agent.js, line 1)"),
    (NODE, f"throw new Error('{'x' * 5000}')", f"Error: {'x' * 153}... (agent.js, line 1)"),
    (JAVA, MAIN % "\nObject o = null; o.hashCode();", "java.lang.NullPointerException: .+ \\(Agent.java, line 2\\)"),
    (JAVA, MAIN % "main(a);", "java.lang.StackOverflowError (Agent.java, line 1)"),
    (
        JAVA,
        MAIN % "\ntry { a[5] = a[6]; } catch (Exception e) {\nthrow new RuntimeException(e); }",
        "java.lang.ArrayIndexOutOfBoundsException: .+ \\(Agent.java, line 2\\)",
    ),
    (JAVA, MAIN % "int x = null;", "error: compilation failed"),
    (PYTHON, "raise ValueError('bad')", "ValueError: bad"),
    (PYTHON, "import sys; sys.stderr.write('\\x1b[0m\\0' + '(' * 70000); exit(1)", "\\(+\\.\\.\\."),
    ("./agent", "#include <assert.h>\nint main(void) { assert(0); }", "agent: agent.c:2: main: Assertion `0' failed."),
]


def ended(command: str, folder: Path) -> str:
    """The detail of the verdict of a program that ends by itself."""
    process = AgentProcess.start(shlex.split(command), Walls(WallKind.LIMITS), folder)
    try:
        give_up = time.monotonic() + 60
        while process.confined.exit() is None and time.monotonic() < give_up:
            process.read_log()
            process.read()
        return process.how_it_ended()[1]
    finally:
        process.kill()


@pytest.mark.parametrize(("command", "code", "reason"), CRASHES)
def test_a_crash_names_its_reason(command: str, code: str, reason: str, tmp_path: Path) -> None:
    ending = next((one for one in (".js", ".java", ".py") if one in command), ".c")
    source = tmp_path / f"{'Agent' if ending == '.java' else 'agent'}{ending}"
    source.write_text(code)
    if ending == ".c":
        subprocess.run([needs.program("cc"), "-o", "agent", source.name], check=True, cwd=tmp_path)
    words = [str(tmp_path / word) if (tmp_path / word).exists() else word for word in shlex.split(command)]
    words[0] = words[0] if "/" in words[0] else needs.program(words[0])
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    detail = ended(shlex.join(words), scratch)
    how, _, words_of_it = detail.partition(": ")
    assert how == ("was killed by SIGABRT" if ending == ".c" else "exited with code 1")
    assert words_of_it == reason or re.fullmatch(reason, words_of_it)


def test_what_a_check_shows_has_the_error_and_its_advice() -> None:
    stderr = (
        "/tmp/agent.js:45\n  boom();\n  ^\n\nReferenceError: boom is not defined\n    at choose (/tmp/agent.js:45:3)\n"
        "    at emit (node:events:524:28)\n\nNode.js v20.20.2\n"
    )
    detail = f"exited with code 1: {languages.reason(stderr, languages.of_command(()))}"
    why = explain(Failure(Verdict.CRASHED, detail, stderr, python=False))
    assert "ReferenceError: boom is not defined (agent.js, line 45)" in why.message
    assert why.advice == "correct this error, or catch it where it can happen"
    assert "ReferenceError: boom is not defined" in why.stderr
    assert "node:events" not in why.stderr


@pytest.mark.parametrize(
    "log",
    [
        *("(" * 65000, "a" * 65000 + "\n    at x (y.js:1:2)", "a." * 32000 + "\n    at x (y.js:1:2)", "\n" * 65000),
        *("thread '" + "'" * 60000 + "\nnote: x", "\tat " * 16000 + ")", "    at " + ":1" * 30000 + ")", "\0" * 65000),
        *("/a.b:" + "1" * 60000, "^\n" * 30000 + "Node.js v20", "\tat x(A.java:1)\n" * 4000, " " * 65000 + "at"),
        *('Exception in thread "' * 3000 + "\n\tat x(A.java:1)", "Caused by: " * 6000 + "\n\tat x(A.java:1)"),
    ],
)
def test_hostile_output_is_read_fast_and_raises_nothing(log: str) -> None:
    begun = time.process_time()
    named = languages.reason(log, languages.of_command(()))
    assert not log.strip() or named
    assert time.process_time() - begun < 1
