"""Why a game was lost by a fault of its player's, in words that a beginner understands, and what to do about it.

Pure: it reads what the referee and the warden said, and the end of the agent's stderr. Every verdict has an answer;
where nothing is known about a case, the words of the verdict are shown as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from adsearch.errors import nearly, quote
from agents.errors import one_line
from agents.player import ADVICE
from agents.protocol import Verdict
from arena.student.checking import known, traces
from arena.student.checking.traces import Frame, Trace
from arena.student.checking.watched import CHANGED

_LONGEST: Final = 300
_LOADING: Final = "exited with code 2: agents: "
"""How the end of an agent is told that was not even found or could not be loaded."""


@dataclass(frozen=True, slots=True)
class Fault:
    """How the agent lost a game."""

    verdict: Verdict
    detail: str
    """Without the agent's name."""
    stderr: str = ""
    python: bool = True
    """Whether the agent is hosted by our kit; else it speaks the protocol itself."""
    asked: bool = True
    """Whether it was ready, and was asked for a move."""
    sent: str = ""
    """What stands in the log of a second try, in which the agent was watched."""
    code: Callable[[str, int], str] = lambda _, __: ""
    """A line of a file of the agent's."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What went wrong, for people."""

    told: str
    advice: str = ""
    expected: str = ""
    got: str = ""
    stderr: str = ""
    """The end of what the agent printed, as far as it helps."""
    loading: bool = False
    """Whether the agent's file could not be used at all."""
    place: str = ""
    """In which method of the agent: "choose", "begin", "__init__", "<module>"."""


def of(fault: Fault) -> Cause:
    """The cause of `fault`."""
    changed = _changed(fault.sent) if fault.verdict in (Verdict.ILLEGAL, Verdict.CRASHED) else None
    cause = changed or _BY_VERDICT.get(fault.verdict, _as_told)(fault)
    return replace(
        cause,
        told=_on_a_line(cause.told),
        advice=_on_a_line(cause.advice),
        expected=_on_a_line(cause.expected),
        got=_on_a_line(cause.got),
    )


def _on_a_line(text: str) -> str:
    return one_line(traces.plain(text), most=_LONGEST)


def unnoticed(stderr: str) -> Iterator[Cause]:
    """What stands in the log of a game that went on as if nothing were."""
    if changed := _changed(stderr):
        yield changed
    trace = traces.last(stderr)
    if trace is not None and any(frame.function == "end" for frame in trace.frames):
        yield _raised(trace)


def _changed(stderr: str) -> Cause | None:
    found = re.search(rf"^{CHANGED}it was (.*), and is (.*) after choose$", stderr, re.M)
    if not found:
        return None
    return Cause(
        "choose changed the state that it was given",
        "a state never changes: state.play(move) gives a new one, leave the old one as it is",
        expected=found[1],
        got=found[2],
    )


_MODULES: Final = sorted({*sys.stdlib_module_names, "adsearch", "agents", "numpy", "pandas", "scipy", "torch"})

# Illegal moves.


def _illegal(fault: Fault) -> Cause:
    complaint = re.search(r"^choose returned (.*), which is not one of state\.moves\(\): (.*)$", fault.stderr, re.M)
    hints = re.findall(rf"^{ADVICE}(.*)$", fault.stderr, re.M)
    if complaint:
        choice, moves = complaint.groups()
        return Cause(
            f"choose returned {choice}, which is no legal move",
            hints[-1] if hints else "return one of state.moves()",
            expected=f"one of state.moves(): {moves}",
            got=choice,
        )
    found = re.search(r"expected (a legal move.*), got (.*)", fault.detail)
    expected, got = found.groups() if found else ("a legal move", fault.detail)
    return Cause(
        f"it played {got}, which is no legal move",
        "send one of the texts in the turn's 'legal'",
        expected=expected,
        got=got,
        stderr=traces.tail(fault.stderr),
    )


# Programs that end.


def _crashed(fault: Fault) -> Cause:
    detail = fault.detail
    if detail.startswith(_LOADING) or "agents: " in detail.partition(": ")[2][:8]:
        return _unloadable(fault, detail.partition("agents: ")[2])
    trace = traces.last(fault.stderr) if fault.python or "Error" in detail else None
    if trace is not None and trace.error and detail.startswith("exited with code 1"):
        return _raised(trace)
    for sign, told, advice in known.ENDS:
        if re.search(sign, detail):
            return Cause(re.sub(f".*?{sign}.*", told, detail, count=1), advice, stderr=traces.tail(fault.stderr))
    if not fault.python and (missing := _missing(fault.stderr)):
        return Cause(
            f"the program did not find {missing}, and ended",
            "check the name; of your files only those are there that the command itself names, each alone: "
            "cmd:node agent.js",
            stderr=traces.tail(fault.stderr),
        )
    said = detail.partition(": ")[2]
    return Cause(
        f"the program ended {'in the middle of the game' if fault.asked else 'before the game began'}: {detail}",
        _for(said) or "it must run until the referee says 'bye', or closes its input",
        stderr=traces.tail(fault.stderr),
    )


def _missing(stderr: str) -> str:
    """The file that a program did not find; empty where it did not say so."""
    found = next((found[1] for sign in known.MISSING if (found := re.search(sign, stderr))), "")
    return quote(found.rpartition("/")[2] if found.startswith("/") else found) if found else ""


def _unloadable(fault: Fault, words: str) -> Cause:
    """The file cannot be used: `words` say why, and the log perhaps whole what they say shortened."""
    whole = [line.removeprefix("agents: ") for line in fault.stderr.splitlines() if line.startswith("agents: ")]
    words = traces.plain(whole[-1] if whole else words)
    trace = traces.last(fault.stderr)
    entered = words
    if trace and trace.frames and (trace.kind.rpartition(".")[2] in words or "there is no module" in words):
        words = _where_it_is(words, trace.frames[-1])
    advice = ""
    for sign, what in known.LOADED:
        if re.search(sign, f"{words}\n{trace}"):
            advice = what
            break
    if missing := re.search(r"there is no module '([^']*)' here;", words):
        words = words.partition("; install it")[0]
        if advice == known.TOGETHER:
            advice = _without_module(missing[1], entered.partition(",")[0], words.partition(",")[0])
    return Cause(words, advice or _for(words), stderr=str(trace) if trace and trace.frames else "", loading=True)


def _without_module(name: str, entered: str, file: str) -> str:
    """What to do where a `file` imports a module that nobody knows, and an agent was `entered` as that file."""
    if file != entered:
        main = entered.removesuffix(".py")
        return f"no {name}.py is in the folder; if you mean what is now {entered}, write in {file}: import {main}"
    close = nearly(name, _MODULES).removeprefix("; ")
    return f"{close} {known.TOGETHER[0].upper()}{known.TOGETHER[1:]}" if close else known.TOGETHER


def _where_it_is(words: str, at: Frame) -> str:
    """`words` about a file of an agent's, with the place of the error where that is in another one."""
    entered = re.match(r"(.+?\.py), line \d+(?=: )", words)
    return words if not entered or entered[1] == at.file else f"{at.place}{words[entered.end() :]}"


def _raised(trace: Trace) -> Cause:
    """Python stopped with an error."""
    at = trace.frames[-1] if trace.frames else None
    method = next((frame.function for frame in trace.frames if frame.function in _METHODS), "")
    where = f" at {at.place}" if at else ""
    what = f"{_METHODS[method]} stopped with an error" if method else "it stopped with an error"
    error = trace.error
    if trace.kind == "SystemExit":
        what, error = f"{_METHODS.get(method, 'it')} ended the program (exit)", ""
    code = at.code[0].strip() if at and at.code and trace.kind == "EOFError" else ""
    return Cause(
        f"{what}{where}{': ' if error else ''}{error}",
        _for(f"{code} {trace.error}"),
        stderr=str(trace),
        place=method,
    )


_METHODS: Final = {"choose": "choose", "begin": "begin", "__init__": "__init__", "end": "end"}


def _for(error: str) -> str:
    """What to do about an error of Python's; empty where there is no more to say than it says."""
    return next((advice for sign, advice in known.ERRORS if re.search(sign, error)), "")


# Time and memory.


def _late(fault: Fault) -> Cause:
    busy = traces.busy(fault.sent, fault.code)
    at = busy.frames[-1] if busy and busy.frames else None
    after = re.search(r"no answer ([\d.]+) s", fault.detail)
    how_long = f" after {float(after[1]):.1f} s" if after else ""
    used = re.search(r"used ([\d.]+) s of ([\d.]+) s", fault.detail)
    if at is None and used:
        told = f"its time was up: it took {used[1]} s for a move, and had {used[2]} s"
    elif at is None:
        told = f"no move had come{how_long}, and its time was up" if after else f"its time was up: {fault.detail}"
    else:
        told = f"choose was still busy{how_long} at {at.place}, and its time was up"
    advice = (
        "look at clock.remaining() while it thinks, and return the best move so far before it is 0; or look less far"
    )
    code = at.code[0].strip() if at and at.code else ""
    if "sleep" in code:
        advice = "take the sleep out: it costs the agent's own time"
    elif code.startswith(("while True", "while 1")):
        advice = "a loop never ends: look for what should end it"
    if not fault.python:
        advice = "answer each 'turn' with a 'move' of the same id, end it with a newline, and flush the output"
    return Cause(told, advice, stderr=str(busy) if busy else traces.tail(fault.stderr), place="choose")


def _unready(fault: Fault) -> Cause:
    within = re.search(r"within ([\d.]+) s", fault.detail)
    limit = f" within {float(within[1]):.1f} s" if within else " in time"
    busy = traces.busy(fault.sent, fault.code)
    at = busy.frames[-1] if busy and busy.frames else None
    methods = [frame.function for frame in busy.frames] if busy else []
    place = next((name for name in ("begin", "__init__", "<module>") if name in methods), "")
    if at is not None:
        what = {"<module>": "the file was still being imported", "__init__": "__init__ was still busy"}.get(
            place, f"{place or 'it'} was still busy"
        )
        told = f"it was not ready{limit}: {what} at {at.place}"
        advice = (
            "do less before the game begins, and end every loop; what takes long belongs into choose, with the clock"
        )
        if place == "<module>":
            advice = "what runs while the file is imported must end: put it under if __name__ == '__main__':"
        return Cause(told, advice, stderr=str(busy), place=place, loading=place == "<module>")
    if fault.python:
        return Cause(f"it was not ready{limit}", "do less at the top of the file, in __init__ and in begin")
    return Cause(
        f"it did not say 'ready'{limit}",
        'answer \'start\' with {"type": "ready", "game": ...}, end the line with a newline, and flush the output',
        stderr=traces.tail(fault.stderr),
    )


def _memory(fault: Fault) -> Cause:
    most = re.search(r"more than the ([\d,]+) MiB", fault.detail)
    trace = traces.last(fault.stderr)
    at = f" at {trace.frames[-1].place}" if trace and trace.frames else ""
    told = f"it held more than the {most[1]} MiB of memory that it may" if most else f"there was no memory left{at}"
    return Cause(told, _for("MemoryError"), stderr=str(trace) if trace else traces.tail(fault.stderr))


# The protocol.


def _garbage(fault: Fault) -> Cause:
    found_out = ((told, advice) for sign, told, advice in known.NO_MESSAGES if re.search(sign, fault.detail))
    told, advice = next(
        found_out, (f"it sent what is no message: {fault.detail}", "docs/protocol.md has every message")
    )
    found = re.search(r"expected (.*?), got (.*)", fault.detail)
    expected, got = found.groups() if found else ("", "")
    return Cause(told, advice, expected=expected, got=got, stderr=traces.tail(fault.stderr))


def _flooded(fault: Fault) -> Cause:
    for sign, told, advice in known.FLOODS:
        if re.search(sign, fault.detail):
            return Cause(told, advice, stderr=traces.tail(fault.stderr))
    return _as_told(fault)


def _resigned(_: Fault) -> Cause:
    return Cause("it gave the game up", "Resign is for lost games: look at when choose raises it")


def _as_told(fault: Fault) -> Cause:
    return Cause(fault.detail, stderr=traces.tail(fault.stderr))


_BY_VERDICT: Final[dict[Verdict, Callable[[Fault], Cause]]] = {
    Verdict.ILLEGAL: _illegal,
    Verdict.CRASHED: _crashed,
    Verdict.TIME: _late,
    Verdict.UNREADY: _unready,
    Verdict.MEMORY: _memory,
    Verdict.GARBAGE: _garbage,
    Verdict.FLOODED: _flooded,
    Verdict.RESIGNED: _resigned,
}
