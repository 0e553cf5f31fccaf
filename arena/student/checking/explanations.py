"""Why an agent lost a game by its own fault, in words that a beginner understands, and what to do about it.

Pure: reads the verdict, its detail and the end of the agent's stderr. Every verdict gets an explanation; if the case is
not recognized, the explanation is the detail, unchanged.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from adsearch.errors import nearly, quote
from agents.errors import one_line
from agents.player import ADVICE
from agents.protocol import Verdict
from agents.strict import Mistake, mistakes_in
from arena import languages
from arena.student.checking import known_errors, tracebacks
from arena.student.checking.tracebacks import StackFrame, Traceback

_LONGEST: Final = 300
"""Length limit of a message, in characters."""
_LOADING: Final = "exited with code 2: agents: "
"""Prefix of `detail` for an agent that was not found or could not be loaded."""
_NOT_IMPORTED: Final = ("ModuleNotFoundError", "ImportError")
_METHODS: Final = ("choose", "begin", "__init__", "end")
_MODULES: Final = sorted({*sys.stdlib_module_names, "adsearch", "agents", "numpy", "pandas", "scipy", "torch"})


@dataclass(frozen=True, slots=True)
class Failure:
    """How an agent lost a game."""

    verdict: Verdict
    detail: str
    """Without the agent's name."""
    stderr: str = ""
    python: bool = True
    """Whether our kit hosts the agent; else the agent speaks the protocol itself."""
    asked: bool = True
    """Whether the agent was ready and was asked for a move."""
    source_line: Callable[[str, int], str] = lambda _, __: ""
    """Returns a line of one of the agent's files."""
    waits_charged: bool = False
    """Whether waiting for a processor counted as thinking time."""
    command: Sequence[str] = ()
    """The words of the command that runs a program."""

    @property
    def spoken(self) -> list[languages.Language]:
        """The languages that it can be in."""
        return languages.of_command(self.command)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What went wrong, in words."""

    message: str
    advice: str = ""
    expected: str = ""
    got: str = ""
    stderr: str = ""
    """The helpful part of the agent's stderr."""
    loading: bool = False
    """Whether the agent's file could not be loaded."""
    method: str = ""
    """The agent's method that failed: "choose", "begin", "__init__" or "<module>"."""

    @classmethod
    def of_error(cls, error: ValueError) -> Explanation:
        """The explanation in the message of an error: what is wrong; what to do."""
        message, _, advice = str(error).partition("; ")
        return cls(message, advice)


_MACHINE_MAY_BE_BUSY: Final = (
    "or the machine was too busy: here, waiting for a processor counts as thinking time; close other programs and "
    "check again"
)


def explain(failure: Failure) -> Explanation:
    """Why the agent lost."""
    why = _by_mistake(failure) or _BY_VERDICT.get(failure.verdict, _detail_alone)(failure)
    advice = [why.advice]
    if failure.waits_charged and failure.verdict in (Verdict.TIME, Verdict.UNREADY):
        advice.append(_MACHINE_MAY_BE_BUSY)
    return replace(
        why,
        message=_on_a_line(why.message),
        advice=_on_a_line("; ".join(filter(None, advice))),
        expected=_on_a_line(why.expected),
        got=_on_a_line(why.got),
    )


def by_mistake(mistake: Mistake) -> Explanation:
    """A mistake with positions, as a strict state reports it."""
    what, cure, expected, got = map(_on_a_line, (str(mistake), mistake.cure, mistake.expected, mistake.got))
    return Explanation(what, cure, expected, got)


def of_end(stderr: str) -> Explanation | None:
    """The error that the agent's method `end` raised, which does not change the game."""
    trace = tracebacks.last(stderr)
    return _raised(trace) if trace is not None and any(frame.function == "end" for frame in trace.frames) else None


def _on_a_line(text: str) -> str:
    return one_line(tracebacks.shortened(text), most=_LONGEST)


def _advice_on(text: str, table: Sequence[tuple[str, str]] = known_errors.RUNTIME_ERRORS) -> str:
    """The advice for a known error; empty for an unknown error, and for one whose text needs no advice."""
    return next((advice for sign, advice in table if re.search(sign, text)), "")


def _known_case(failure: Failure, table: Sequence[tuple[str, str, str]]) -> Explanation | None:
    """The explanation of the first case whose pattern matches: for a program one of its language, else of the table."""
    of_languages = [] if failure.python else [(*each, failure.stderr) for one in failure.spoken for each in one.errors]
    for sign, message, advice, more in (*of_languages, *((*each, "") for each in table)):
        if found := re.search(sign, failure.detail) or re.search(sign, more):
            return Explanation(found.expand(message), found.expand(advice), stderr=tracebacks.excerpt(failure.stderr))
    return None


def _by_mistake(failure: Failure) -> Explanation | None:
    """The explanation by a mistake with positions that caused this end: the agent changed its position before, or
    Python stopped in the line with the mistake."""
    if failure.verdict not in (Verdict.ILLEGAL, Verdict.CRASHED):
        return None
    trace = tracebacks.last(failure.stderr)
    stopped_at = trace.frames[-1].place if trace and trace.frames and trace.error else ""
    cause = next((one for one in mistakes_in(failure.stderr) if not one.place or one.place == stopped_at), None)
    return replace(by_mistake(cause), stderr=str(trace) if cause.place else "") if cause else None


# Illegal moves.


def _illegal(failure: Failure) -> Explanation:
    complaint = re.search(r"^choose returned (.*), which is not one of state\.moves\(\): (.*)$", failure.stderr, re.M)
    hints = re.findall(rf"^{ADVICE}(.*)$", failure.stderr, re.M)
    if complaint:
        choice, moves = complaint.groups()
        return Explanation(
            f"choose returned {choice}, which is not a legal move",
            hints[-1] if hints else "return one of state.moves()",
            expected=f"one of state.moves(): {moves}",
            got=choice,
        )
    found = re.search(r"expected (a legal move.*), got (.*)", failure.detail)
    expected, got = found.groups() if found else ("a legal move", failure.detail)
    return Explanation(
        f"the agent played {got}, which is not a legal move",
        "send one of the moves in the list 'legal' of the turn",
        expected=expected,
        got=got,
        stderr=tracebacks.excerpt(failure.stderr),
    )


# Programs that exit.


def _crashed(failure: Failure) -> Explanation:
    detail = failure.detail
    last_line = detail.partition(": ")[2]
    if detail.startswith(_LOADING) or "agents: " in last_line[:8]:
        return _not_loaded(failure, detail.partition("agents: ")[2])
    trace = tracebacks.last(failure.stderr) if failure.python or "Error" in detail else None
    if trace is not None and trace.error and detail.startswith("exited with code 1"):
        return _raised(trace)
    if known := _known_case(failure, known_errors.PROGRAM_EXITS):
        return known
    if not failure.python and (missing := _missing_file(failure)):
        return Explanation(
            f"the program did not find {missing} and exited",
            "check the name; only the files and folders that the command names are copied: 'cmd:PROGRAM FILE', or "
            "'cmd:PROGRAM FOLDER/' for a folder with several files",
            stderr=tracebacks.excerpt(failure.stderr),
        )
    return Explanation(
        f"the program left {'during the game' if failure.asked else 'before the game started'}: {detail}",
        _advice_on(last_line, [each for one in failure.spoken for each in one.advice])
        or _advice_on(last_line)
        or ("correct this error, or catch it where it can happen" if re.search(languages.PLACED, detail) else "")
        or "the program must run until the referee sends 'bye' or closes the program's input",
        stderr=tracebacks.excerpt(failure.stderr),
    )


def _missing_file(failure: Failure) -> str:
    """The file that a program did not find, in quotes; empty if its stderr names none."""
    signs = [*(sign for one in failure.spoken for sign in one.missing_files), *known_errors.MISSING_FILES]
    found = next((found[1] for sign in signs if (found := re.search(sign, failure.stderr))), "")
    return quote(found.rpartition("/")[2] if found.startswith("/") else found) if found else ""


def _not_loaded(failure: Failure, words: str) -> Explanation:
    """Explains why the agent's file cannot be loaded: `words` say it, perhaps cut; the log may have the whole line."""
    whole = [line.removeprefix("agents: ") for line in failure.stderr.splitlines() if line.startswith("agents: ")]
    words = tracebacks.shortened(whole[-1] if whole else words)
    trace = tracebacks.last(failure.stderr)
    original = words
    if trace and trace.frames and (trace.kind.rpartition(".")[2] in words or trace.kind in _NOT_IMPORTED):
        words = _where_it_is(words, trace.frames[-1])
    advice = _advice_on(f"{words}\n{trace}", known_errors.LOADING_ERRORS)
    words = words.removesuffix("; put that code under: if __name__ == '__main__':")  # the advice says it too
    if missing := re.search(r"there is no module '([^']*)' here.*; install it", words):
        words = words.partition("; install it")[0]
        if advice == known_errors.SEVERAL_FILES:
            advice = _without_module(missing[1], original.partition(",")[0], words.partition(",")[0])
    words = words.partition("; rename")[0]  # so does this
    stderr = str(trace) if trace and trace.frames else ""
    return Explanation(words, advice or _advice_on(words), stderr=stderr, loading=True)


def _without_module(name: str, agent_file: str, file: str) -> str:
    """What to do where `file` imports an unknown module `name`; `agent_file` is the file with the agent."""
    close = nearly(name, _MODULES).removeprefix("; ")
    advice = known_errors.SEVERAL_FILES
    if file != agent_file:
        main = agent_file.removesuffix(".py")
        advice += f"; if {name}.py was renamed to {agent_file}, write in {file}: import {main}"
    return f"{close} {advice[0].upper()}{advice[1:]}" if close else advice


def _where_it_is(words: str, at: StackFrame) -> str:
    """`words` about the agent's file; if the error is in another of its files, with that place instead."""
    named = re.match(r"(.+?\.py), line \d+(?=: )", words)
    return words if not named or named[1] == at.file else f"{at.place}{words[named.end() :]}"


def _raised(trace: Traceback) -> Explanation:
    """Python stopped with an error."""
    at = trace.frames[-1] if trace.frames else None
    method = next((frame.function for frame in trace.frames if frame.function in _METHODS), "")
    what = f"{method or 'the agent'} stopped with an error"
    error = trace.error
    if trace.kind == "SystemExit":
        what = f"{method or 'the agent'} ended the program (exit)"
        error = ""
    where = f" at {at.place}" if at else ""
    code = at.code[0].strip() if at and at.code and trace.kind == "EOFError" else ""
    return Explanation(
        f"{what}{where}{': ' if error else ''}{error}",
        _advice_on(f"{code} {trace.error}"),
        stderr=str(trace),
        method=method,
    )


# Time and memory.


def _late(failure: Failure) -> Explanation:
    busy = tracebacks.busy(failure.stderr, failure.source_line)
    at = busy.frames[-1] if busy and busy.frames else None
    after = re.search(r"no answer ([\d.]+) s", failure.detail)
    how_long = f" after {float(after[1]):.1f} s" if after else ""
    used = re.search(r"used ([\d.]+) s of ([\d.]+) s", failure.detail)
    if at is not None:
        message = f"out of time: choose was still running{how_long} at {at.place}"
    elif used:
        message = f"out of time: the agent used {used[1]} s for a move and had {used[2]} s"
    elif after:
        message = f"out of time: no move{how_long}"
    else:
        message = f"out of time: {failure.detail}"
    advice = (
        "search less deep; or check clock.remaining() in the search, and return the best move so far before time is up"
    )
    code = at.code[0].strip() if at and at.code else ""
    if not failure.python:
        advice = (
            "search less deep: the 'budget' of a turn says how many milliseconds are safe; or the answer did not "
            "arrive: it needs the id of the turn and a newline at its end, and the output must be flushed"
        )
    elif "sleep" in code:
        advice = "remove the sleep: the clock runs during a sleep"
    elif code.startswith(("while True", "while 1")):
        advice = "this loop never ends: add a condition that ends the loop"
    stderr = str(busy) if busy else tracebacks.excerpt(failure.stderr)
    return Explanation(message, advice, stderr=stderr, method="choose")


def _unready(failure: Failure) -> Explanation:
    within = re.search(r"within ([\d.]+) s", failure.detail)
    limit = f" within {float(within[1]):.1f} s" if within else " in time"
    busy = tracebacks.busy(failure.stderr, failure.source_line)
    if busy and busy.frames:
        return _busy_before_ready(busy, limit)
    if failure.python:
        return Explanation(
            f"the agent was not ready{limit}", "do less at the top of the file, in __init__ and in begin"
        )
    return Explanation(
        f"the agent did not say 'ready'{limit}",
        'answer \'start\' with {"type": "ready", "game": ...}, end the line with a newline, and flush the output',
        stderr=tracebacks.excerpt(failure.stderr),
    )


def _busy_before_ready(busy: Traceback, limit: str) -> Explanation:
    """Where the agent was running when it should have been ready."""
    methods = [frame.function for frame in busy.frames]
    method = next((name for name in ("begin", "__init__", "<module>") if name in methods), "")
    what = f"{method or 'the agent'} was still running"
    advice = "do less before the game starts, and end every loop; long work belongs in choose, with the clock"
    if method == "<module>":
        what = "the file was still being imported"
        advice = (
            "code outside functions runs during the import and must end: put the code under if __name__ == '__main__':"
        )
    return Explanation(
        f"the agent was not ready{limit}: {what} at {busy.frames[-1].place}",
        advice,
        stderr=str(busy),
        method=method,
        loading=method == "<module>",
    )


def _memory(failure: Failure) -> Explanation:
    most = re.search(r"more than the ([\d,]+) MiB", failure.detail)
    trace = tracebacks.last(failure.stderr)
    at = f" at {trace.frames[-1].place}" if trace and trace.frames else ""
    message = f"the agent used more memory than allowed ({most[1]} MiB)" if most else f"the agent ran out of memory{at}"
    stderr = str(trace) if trace else tracebacks.excerpt(failure.stderr)
    return Explanation(message, _advice_on("MemoryError"), stderr=stderr)


# The protocol.


def _garbage(failure: Failure) -> Explanation:
    why = _known_case(failure, known_errors.PROTOCOL_ERRORS) or Explanation(
        f"the agent sent something that is not a message: {failure.detail}",
        "`arena docs languages` describes every message",
        stderr=tracebacks.excerpt(failure.stderr),
    )
    found = re.search(r"expected (.*?), got (.*)", failure.detail)
    return replace(why, expected=found[1], got=found[2]) if found else why


def _flooded(failure: Failure) -> Explanation:
    return _known_case(failure, known_errors.FLOODS) or _detail_alone(failure)


def _resigned(_: Failure) -> Explanation:
    return Explanation("the agent resigned", "resign only lost games: check when choose raises Resign")


def _detail_alone(failure: Failure) -> Explanation:
    return Explanation(failure.detail, stderr=tracebacks.excerpt(failure.stderr))


_BY_VERDICT: Final[dict[Verdict, Callable[[Failure], Explanation]]] = {
    Verdict.ILLEGAL: _illegal,
    Verdict.CRASHED: _crashed,
    Verdict.TIME: _late,
    Verdict.UNREADY: _unready,
    Verdict.MEMORY: _memory,
    Verdict.GARBAGE: _garbage,
    Verdict.FLOODED: _flooded,
    Verdict.RESIGNED: _resigned,
}
