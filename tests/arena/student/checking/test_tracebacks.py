"""Any output of an agent can be read without an error."""

from __future__ import annotations

import faulthandler
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from agents.protocol import Verdict
from agents.strict import mistakes_in
from arena.student.checking import explanations, tracebacks
from arena.student.checking.explanations import Failure

STORED = "ab" * 32
PARTS = (
    "Traceback (most recent call last):",
    f'  File "/tmp/store/{STORED}/my_agent.py", line 7, in choose',
    '  File "/usr/lib/python3.11/random.py", line 7, in choice',
    "    return 1 // 0",
    "           ^^^^^^",
    "ZeroDivisionError: integer division or modulo by zero",
    "Timeout (0:00:00.400000)!",
    "Thread 0x00007f (most recent call first):",
    "choose returned None, which is not one of state.moves(): 1",
    "hint: return one",
    'mistake: {"place":"my_agent.py, line 3","what":"thrown\u0007away","cure":"\u2028","expected":"","got":"\u0000"}',
    'mistake: {"place":"","what":"x","cure":"","expected":""}',
    "agents: my_agent.py, line 3: SyntaxError: invalid syntax",
    "\x1b[2J\x00\udcff",
    "",
)


@pytest.mark.parametrize("seed", range(20))
def test_no_output_makes_it_fail(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        stderr = "\n".join(random.choices(PARTS, k=random.randrange(12)))
        stderr = stderr[random.randrange(10) : len(stderr) - random.randrange(10)]
        for verdict in Verdict:
            detail = random.choice(["", "exited with code 1: x", "exited with code 2: agents: y", stderr])
            why = explanations.explain(Failure(verdict, detail, stderr, python=random.random() < 0.8))
            assert (why.message + why.advice + why.got).isprintable()
        for noticed in (explanations.of_end(stderr), *map(explanations.by_mistake, mistakes_in(stderr))):
            assert noticed is None or (noticed.message + noticed.advice + noticed.got).isprintable()
        tracebacks.excerpt(stderr)


def test_a_traceback_is_cut_to_the_agents_own_lines(tmp_path: Path) -> None:
    source = tmp_path / STORED / "my_agent.py"
    source.parent.mkdir()
    source.write_text("import json\n\ndef choose():\n    return json.loads('{')\n")
    names: dict[str, Callable[[], object]] = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    with pytest.raises(ValueError, match="property name") as raised:
        names["choose"]()
    trace = tracebacks.last("thinking\n" + "".join(traceback.format_exception(raised.value)))
    assert trace is not None
    assert [(frame.place, frame.function) for frame in trace.frames] == [("my_agent.py, line 4", "choose")]
    assert trace.kind == "json.decoder.JSONDecodeError"
    assert "lib/python" not in str(trace)


NODE = """node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/tmp/arena-run-r5_uzrj5/scratch/agent-v3l0_x2p/agnt.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
"""


@pytest.mark.parametrize(
    ("stderr", "file"),
    [
        (NODE, "'agnt.js'"),
        (NODE.replace("/arena-run", "/two words/arena-run"), "'agnt.js'"),
        (NODE.replace("/tmp/arena-run-r5_uzrj5/scratch/agent-v3l0_x2p/agnt.js", "./board"), "'./board'"),
        ("python3: can't open file '/x/agnt.py': [Errno 2] No such file or directory\n", "'agnt.py'"),
        ('Can\'t open perl script "agnt.pl": No such file or directory\n', "'agnt.pl'"),
        ("Error: Unable to access jarfile agnt.jar\n", "'agnt.jar'"),
        ("ruby: No such file or directory -- agnt.rb (LoadError)\n", "'agnt.rb'"),
        ("sh: 0: cannot open agnt.sh: No such file\n", "'agnt.sh'"),
        ("bash: agnt.sh: No such file or directory\n", "'agnt.sh'"),
    ],
)
def test_the_missing_file_of_a_program_is_named(stderr: str, file: str) -> None:
    last = stderr.splitlines()[-1]
    why = explanations.explain(
        Failure(Verdict.CRASHED, f"exited with code 1: {last}", stderr, python=False, asked=False)
    )
    assert why.message == f"the program did not find {file} and exited"
    assert not any(folder in why.stderr for folder in ("/scratch/", "/tmp/"))


@pytest.mark.parametrize(
    ("last", "message", "advice"),
    [
        (
            "Caused by: java.lang.ClassNotFoundException: Bot",
            "Java did not find the class Bot",
            "'cmd:java -cp classes MyAgent' (the folder of the .class files), or 'cmd:java -jar my_agent.jar'",
        ),
        (
            "Caused by: java.lang.ClassNotFoundException: Bto.java",
            "Java did not find the file Bto.java",
            "check the name",
        ),
        ("error: compilation failed", "Java could not compile the program", "correct the first error"),
    ],
)
def test_what_java_says_is_explained(last: str, message: str, advice: str) -> None:
    failure = Failure(Verdict.CRASHED, f"exited with code 1: {last}", f"Error: x\n{last}", python=False, asked=False)
    why = explanations.explain(failure)
    assert why.message == message
    assert advice in why.advice


def test_java_without_memory_is_explained() -> None:
    detail = "expected a JSON object on one line, got '#' (JSON is malformed: invalid character (byte 0))"
    why = explanations.explain(Failure(Verdict.GARBAGE, detail, "os::commit_memory", python=False, asked=True))
    assert "Java does when it gets no more memory" in why.message
    assert "-Xmx1g" in why.advice


def test_the_start_and_the_end_of_a_long_log_are_shown() -> None:
    lines = [f"line {number}" for number in range(1, 31)]
    shown = tracebacks.excerpt("\n".join(lines)).splitlines()
    assert shown == [*lines[:4], "... 18 more ...", *lines[-8:]]
    assert tracebacks.excerpt("\n".join(lines[:12])).splitlines() == lines[:12]
    assert tracebacks.excerpt("\n".join(lines), 3, head=0).splitlines() == lines[-3:]


def test_the_dump_of_threads_is_read(tmp_path: Path) -> None:
    source = tmp_path / STORED / "my_agent.py"
    source.parent.mkdir()
    source.write_text("def choose(tell):\n    tell()\n")
    names: dict[str, Callable[[Callable[[], None]], None]] = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    with tempfile.TemporaryFile("w+") as log:
        names["choose"](lambda: faulthandler.dump_traceback(log))
        log.seek(0)
        log_text = log.read()
    trace = tracebacks.busy(log_text, lambda file, line: f"{file}:{line}")
    assert trace is not None
    assert [(frame.place, frame.function, frame.code) for frame in trace.frames] == [
        ("my_agent.py, line 2", "choose", ("    my_agent.py:2",))
    ]
    assert tracebacks.busy("nothing") is None


def test_the_error_of_another_language_is_not_cut_out() -> None:
    stack = [f"    at deeper (/tmp/1/agent.js:{line}:3)" for line in range(30)]
    inside = [f"    at Module.load (node:internal/loader:{line}:12)" for line in range(30)]
    log = ["printed"] * 9 + ["/tmp/1/agent.js:7", "  x;", "  ^", "RangeError: too deep", *stack, *inside, "Node.js v20"]
    shown = tracebacks.excerpt("\n".join(log)).splitlines()
    assert "RangeError: too deep" in shown
    assert not any("node:internal" in line for line in shown)


def test_a_missing_package_of_node_is_named_with_what_to_do() -> None:
    for said in ("Error: Cannot find module 'lodash/fp'", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash'"):
        why = explanations.explain(Failure(Verdict.CRASHED, f"exited with code 1: {said}", said, python=False))
        assert "package 'lodash'" in why.message
        assert "npm install lodash" in why.advice
    said = "Error: Cannot find module '/tmp/1/agent.js'"
    why = explanations.explain(Failure(Verdict.CRASHED, f"exited with code 1: {said}", said, python=False))
    assert "did not find 'agent.js'" in why.message
