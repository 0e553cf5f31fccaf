"""Why an agent lost a game by a fault of its own, in words that a beginner understands, and what to do about it.

Pure: it reads what the referee and the warden said, and the end of the agent's stderr. Every verdict has an answer;
where nothing is known about a case, the words of the verdict are shown as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from adsearch.errors import nearly, quote
from agents.errors import one_line
from agents.player import ADVICE
from agents.protocol import Verdict
from arena.student.checking import known_errors, tracebacks
from arena.student.checking.tracebacks import Frame, Traceback
from arena.student.checking.watched_host import CHANGED

_LONGEST: Final = 300
_LOADING: Final = "exited with code 2: agents: "
"""How the detail begins for an agent that was not even found or could not be loaded."""
_METHODS: Final = ("choose", "begin", "__init__", "end")
_MODULES: Final = sorted({*sys.stdlib_module_names, "adsearch", "agents", "numpy", "pandas", "scipy", "torch"})


@dataclass(frozen=True, slots=True)
class Failure:
    """How the agent lost a game."""

    verdict: Verdict
    detail: str
    """Without the agent's name."""
    stderr: str = ""
    python: bool = True
    """Whether the agent is hosted by our kit; else it speaks the protocol itself."""
    asked: bool = True
    """Whether it was ready, and was asked for a move."""
    watched_log: str = ""
    """The log of a second try, in which the agent was watched."""
    source_line: Callable[[str, int], str] = lambda _, __: ""
    """A line of a file of the agent's."""
    waits_charged: bool = False
    """Whether waiting for a processor counted as thinking."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What went wrong, for people."""

    message: str
    advice: str = ""
    expected: str = ""
    got: str = ""
    stderr: str = ""
    """The end of what the agent printed, as far as it helps."""
    loading: bool = False
    """Whether the agent's file could not be used at all."""
    method: str = ""
    """In which method of the agent: "choose", "begin", "__init__", "<module>"."""


_PERHAPS_BUSY: Final = (
    "or it is no fault of the agent's: behind these walls its waiting for a processor counts, so end other programs, "
    "and check again"
)


def explain(failure: Failure) -> Explanation:
    """Why the agent lost."""
    changed = _changed_state(failure.watched_log) if failure.verdict in (Verdict.ILLEGAL, Verdict.CRASHED) else None
    why = changed or _BY_VERDICT.get(failure.verdict, _detail_alone)(failure)
    advice = [why.advice]
    if failure.waits_charged and failure.verdict in (Verdict.TIME, Verdict.UNREADY):
        advice.append(_PERHAPS_BUSY)
    return replace(
        why,
        message=_on_a_line(why.message),
        advice=_on_a_line("; ".join(filter(None, advice))),
        expected=_on_a_line(why.expected),
        got=_on_a_line(why.got),
    )


def unnoticed(stderr: str) -> Iterator[Explanation]:
    """What the log says went wrong in a game that went on as if nothing were."""
    if changed := _changed_state(stderr):
        yield changed
    trace = tracebacks.last(stderr)
    if trace is not None and any(frame.function == "end" for frame in trace.frames):
        yield _raised(trace)


def _on_a_line(text: str) -> str:
    return one_line(tracebacks.shortened(text), most=_LONGEST)


def _advice_on(text: str, table: Sequence[tuple[str, str]] = known_errors.ERRORS) -> str:
    """What to do about a known error; empty where it is none, or says it all itself."""
    return next((advice for sign, advice in table if re.search(sign, text)), "")


def _known_case(failure: Failure, table: Sequence[tuple[str, str, str]]) -> Explanation | None:
    """The first case of the table whose sign is in the detail."""
    for sign, message, advice in table:
        if found := re.search(sign, failure.detail):
            return Explanation(found.expand(message), advice, stderr=tracebacks.excerpt(failure.stderr))
    return None


def _changed_state(stderr: str) -> Explanation | None:
    found = re.search(rf"^{CHANGED}it was (.*), and is (.*) after choose$", stderr, re.M)
    if not found:
        return None
    return Explanation(
        "choose changed the state that it was given",
        "a state never changes: state.play(move) gives a new one, leave the old one as it is",
        expected=found[1],
        got=found[2],
    )


# Illegal moves.


def _illegal(failure: Failure) -> Explanation:
    complaint = re.search(r"^choose returned (.*), which is not one of state\.moves\(\): (.*)$", failure.stderr, re.M)
    hints = re.findall(rf"^{ADVICE}(.*)$", failure.stderr, re.M)
    if complaint:
        choice, moves = complaint.groups()
        return Explanation(
            f"choose returned {choice}, which is no legal move",
            hints[-1] if hints else "return one of state.moves()",
            expected=f"one of state.moves(): {moves}",
            got=choice,
        )
    found = re.search(r"expected (a legal move.*), got (.*)", failure.detail)
    expected, got = found.groups() if found else ("a legal move", failure.detail)
    return Explanation(
        f"it played {got}, which is no legal move",
        "send one of the texts in the turn's 'legal'",
        expected=expected,
        got=got,
        stderr=tracebacks.excerpt(failure.stderr),
    )


# Programs that end.


def _crashed(failure: Failure) -> Explanation:
    detail = failure.detail
    last_line = detail.partition(": ")[2]
    if detail.startswith(_LOADING) or "agents: " in last_line[:8]:
        return _not_loaded(failure, detail.partition("agents: ")[2])
    trace = tracebacks.last(failure.stderr) if failure.python or "Error" in detail else None
    if trace is not None and trace.error and detail.startswith("exited with code 1"):
        return _raised(trace)
    if known := _known_case(failure, known_errors.ENDS):
        return known
    if not failure.python and (missing := _missing_file(failure.stderr)):
        return Explanation(
            f"the program did not find {missing}, and ended",
            "check the name; of your files only those are there that the command itself names, each alone: "
            "cmd:node agent.js",
            stderr=tracebacks.excerpt(failure.stderr),
        )
    return Explanation(
        f"the program ended {'in the middle of the game' if failure.asked else 'before the game began'}: {detail}",
        _advice_on(last_line) or "it must run until the referee says 'bye', or closes its input",
        stderr=tracebacks.excerpt(failure.stderr),
    )


def _missing_file(stderr: str) -> str:
    """The file that a program did not find; empty where it did not say so."""
    found = next((found[1] for sign in known_errors.MISSING if (found := re.search(sign, stderr))), "")
    return quote(found.rpartition("/")[2] if found.startswith("/") else found) if found else ""


def _not_loaded(failure: Failure, words: str) -> Explanation:
    """The file cannot be used: `words` say why, and the log perhaps whole what they say shortened."""
    whole = [line.removeprefix("agents: ") for line in failure.stderr.splitlines() if line.startswith("agents: ")]
    words = tracebacks.shortened(whole[-1] if whole else words)
    trace = tracebacks.last(failure.stderr)
    entered = words
    if trace and trace.frames and (trace.kind.rpartition(".")[2] in words or "there is no module" in words):
        words = _where_it_is(words, trace.frames[-1])
    advice = _advice_on(f"{words}\n{trace}", known_errors.LOADED)
    if missing := re.search(r"there is no module '([^']*)' here;", words):
        words = words.partition("; install it")[0]
        if advice == known_errors.TOGETHER:
            advice = _without_module(missing[1], entered.partition(",")[0], words.partition(",")[0])
    stderr = str(trace) if trace and trace.frames else ""
    return Explanation(words, advice or _advice_on(words), stderr=stderr, loading=True)


def _without_module(name: str, entered: str, file: str) -> str:
    """What to do where a `file` imports a module that nobody knows, and an agent was `entered` as that file."""
    if file != entered:
        main = entered.removesuffix(".py")
        return f"no {name}.py is in the folder; if you mean what is now {entered}, write in {file}: import {main}"
    close = nearly(name, _MODULES).removeprefix("; ")
    together = known_errors.TOGETHER
    return f"{close} {together[0].upper()}{together[1:]}" if close else together


def _where_it_is(words: str, at: Frame) -> str:
    """`words` about a file of an agent's, with the place of the error where that is in another one."""
    entered = re.match(r"(.+?\.py), line \d+(?=: )", words)
    return words if not entered or entered[1] == at.file else f"{at.place}{words[entered.end() :]}"


def _raised(trace: Traceback) -> Explanation:
    """Python stopped with an error."""
    at = trace.frames[-1] if trace.frames else None
    method = next((frame.function for frame in trace.frames if frame.function in _METHODS), "")
    what = f"{method or 'it'} stopped with an error"
    error = trace.error
    if trace.kind == "SystemExit":
        what = f"{method or 'it'} ended the program (exit)"
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
        message = f"choose was still busy{how_long} at {at.place}, and its time was up"
    elif used:
        message = f"its time was up: it took {used[1]} s for a move, and had {used[2]} s"
    elif after:
        message = f"no move had come{how_long}, and its time was up"
    else:
        message = f"its time was up: {failure.detail}"
    advice = (
        "look at clock.remaining() while it thinks, and return the best move so far before it is 0; or look less far"
    )
    code = at.code[0].strip() if at and at.code else ""
    if not failure.python:
        advice = "answer each 'turn' with a 'move' of the same id, end it with a newline, and flush the output"
    elif "sleep" in code:
        advice = "take the sleep out: it costs the agent's own time"
    elif code.startswith(("while True", "while 1")):
        advice = "a loop never ends: look for what should end it"
    stderr = str(busy) if busy else tracebacks.excerpt(failure.stderr)
    return Explanation(message, advice, stderr=stderr, method="choose")


def _unready(failure: Failure) -> Explanation:
    within = re.search(r"within ([\d.]+) s", failure.detail)
    limit = f" within {float(within[1]):.1f} s" if within else " in time"
    busy = tracebacks.busy(failure.stderr, failure.source_line)
    if busy and busy.frames:
        return _busy_before_ready(busy, limit)
    if failure.python:
        return Explanation(f"it was not ready{limit}", "do less at the top of the file, in __init__ and in begin")
    return Explanation(
        f"it did not say 'ready'{limit}",
        'answer \'start\' with {"type": "ready", "game": ...}, end the line with a newline, and flush the output',
        stderr=tracebacks.excerpt(failure.stderr),
    )


def _busy_before_ready(busy: Traceback, limit: str) -> Explanation:
    """Where it was busy when it should have been ready."""
    methods = [frame.function for frame in busy.frames]
    method = next((name for name in ("begin", "__init__", "<module>") if name in methods), "")
    what = f"{method or 'it'} was still busy"
    advice = "do less before the game begins, and end every loop; what takes long belongs into choose, with the clock"
    if method == "<module>":
        what = "the file was still being imported"
        advice = "what runs while the file is imported must end: put it under if __name__ == '__main__':"
    return Explanation(
        f"it was not ready{limit}: {what} at {busy.frames[-1].place}",
        advice,
        stderr=str(busy),
        method=method,
        loading=method == "<module>",
    )


def _memory(failure: Failure) -> Explanation:
    most = re.search(r"more than the ([\d,]+) MiB", failure.detail)
    trace = tracebacks.last(failure.stderr)
    at = f" at {trace.frames[-1].place}" if trace and trace.frames else ""
    message = f"it held more than the {most[1]} MiB of memory that it may" if most else f"there was no memory left{at}"
    stderr = str(trace) if trace else tracebacks.excerpt(failure.stderr)
    return Explanation(message, _advice_on("MemoryError"), stderr=stderr)


# The protocol.


def _garbage(failure: Failure) -> Explanation:
    why = _known_case(failure, known_errors.NO_MESSAGES) or Explanation(
        f"it sent what is no message: {failure.detail}",
        "docs/protocol.md has every message",
        stderr=tracebacks.excerpt(failure.stderr),
    )
    found = re.search(r"expected (.*?), got (.*)", failure.detail)
    return replace(why, expected=found[1], got=found[2]) if found else why


def _flooded(failure: Failure) -> Explanation:
    return _known_case(failure, known_errors.FLOODS) or _detail_alone(failure)


def _resigned(_: Failure) -> Explanation:
    return Explanation("it gave the game up", "Resign is for lost games: look at when choose raises it")


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
