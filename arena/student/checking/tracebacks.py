"""Reads an agent's stderr: finds the last traceback and cuts it to the lines that the agent's author wrote.

Pure. Never raises: the text may be anything, and may be cut anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from agents.player import ADVICE
from agents.strict import MISTAKE
from arena import languages

_FRAME: Final = re.compile(r'\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:,)?(?: in (?P<function>\S+))?')
_OWN: Final = re.compile(r".*/[0-9a-f]{64}/(?P<file>[^\n]+)")
"""A file in a store of submissions."""
_TRACEBACK: Final = "Traceback (most recent call last):"
_THREAD: Final = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+.* \(most recent call first\):")
"""The first line of each thread in a dump of `faulthandler`."""
_MOST_FRAMES: Final = 5
_FROM_OUR_HOST: Final = ("choose returned ", ADVICE, MISTAKE)
"""Prefixes of lines that our own host wrote."""
_LONGEST_LINE: Final = 200
"""Length limit of a line, in characters."""


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A line of the agent's own code."""

    file: str
    line: int
    function: str = ""
    code: tuple[str, ...] = ()
    """The source line, and the marks under it."""

    @property
    def place(self) -> str:
        """File and line in words: "my_agent.py, line 7"."""
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Traceback:
    """A traceback without the frames of Python and of our kit."""

    frames: tuple[StackFrame, ...]
    """The innermost frame last."""
    error: str
    """Its last line: "ValueError: bad"."""

    @property
    def kind(self) -> str:
        """The class of the error."""
        return self.error.partition(":")[0]

    def __str__(self) -> str:
        return "\n".join([*_shown_frames(self.frames), *filter(None, (self.error,))])


def last(stderr: str) -> Traceback | None:
    """The last traceback in a log; None if there is none."""
    lines = stderr.splitlines()
    starts = [number for number, line in enumerate(lines) if line.endswith(_TRACEBACK)]
    if starts:
        frames, error = _read(lines[starts[-1] + 1 :])
        return Traceback(frames, error)
    # A syntax error in the file itself has frames, but not the line "Traceback ...".
    frames, error = _read(lines[-12:])
    return Traceback(frames, error) if frames and error else None


def busy(stderr: str, source_line: Callable[[str, int], str] = lambda _, __: "") -> Traceback | None:
    """What the program was running when its warden requested a dump of its threads; None without a dump. `source_line`
    returns a line of the agent's source."""
    lines = stderr.splitlines()
    threads = [number for number, line in enumerate(lines) if _THREAD.match(line)]
    if not threads:
        return None
    # Of several threads, choose the one that runs a method that our host called.
    found = [tuple(reversed(_read(lines[begin + 1 : end])[0])) for begin, end in pairwise([*threads, len(lines)])]
    found = [frames for frames in found if frames] or [()]
    asked = [frames for frames in found if frames and frames[0].function in ("choose", "begin", "__init__")]
    frames = (replace(frame, code=_indented(source_line(frame.file, frame.line))) for frame in (asked or found)[-1])
    return Traceback(tuple(frames), "")


def before_dump(stderr: str) -> str:
    """The output before the dump of the threads."""
    found = re.search(rf"^{_THREAD.pattern}", stderr, re.MULTILINE)
    return stderr if found is None else stderr[: found.start()]


def without_mistakes(stderr: str) -> str:
    """The output without the lines in which our host names mistakes."""
    return "\n".join(line for line in stderr.split("\n") if not line.startswith(MISTAKE))


def _indented(line: str) -> tuple[str, ...]:
    return (f"    {line.strip()}",) if line.strip() else ()


def excerpt(stderr: str, most: int = 8, *, head: int = 4) -> str:
    """The last lines of a log without a traceback, and the first: some programs print the error there."""
    lines = [shortened(line) for line in _without_frames(stderr.splitlines()) if not line.startswith(_FROM_OUR_HOST)]
    left_out = len(lines) - most - head
    if head and left_out > 0:
        lines[head:-most] = [f"... {left_out} more ..."]
        return "\n".join(lines)
    return "\n".join(lines[-most - head :])


def _without_frames(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are not blank, without the frames of a language itself, and without most of a long recursion: the
    error stands above the frames."""
    frames = 0
    for line in lines:
        place = languages.own_place(line)
        frames = 0 if place is None else frames + 1
        if line.strip() and (not frames or (place and frames <= _MOST_FRAMES)):
            yield line


def _read(lines: Iterable[str]) -> tuple[tuple[StackFrame, ...], str]:
    """The agent's own frames, and the first line after them that is not part of a frame."""
    frames: list[StackFrame] = []
    own = False
    for line in lines:
        if at := _FRAME.match(line):
            mine = _OWN.fullmatch(at["file"])
            own = mine is not None
            if mine:
                frames.append(StackFrame(mine["file"], int(at["line"]), at["function"] or ""))
        elif line.startswith("  ") or not line.strip():
            if own and frames and line.strip():
                frames[-1] = replace(frames[-1], code=(*frames[-1].code, line))
        elif _THREAD.match(line):
            own = False
        else:
            return tuple(frames), shortened(line)
    return tuple(frames), ""


def _shown_frames(frames: tuple[StackFrame, ...]) -> list[str]:
    """The frames as Python shows them; of a long recursion the middle is left out."""
    shown: list[str] = []
    left_out = len(frames) - _MOST_FRAMES
    for number, frame in enumerate(frames):
        if left_out > 0 and 1 < number < 2 + left_out:
            if number == 2:
                shown.append(f"... {left_out} more ...")
            continue
        where = f", in {frame.function}" if frame.function else ""
        shown.append(f"{frame.place}{where}")
        shown += [shortened(line) for line in frame.code]
    return shown


def shortened(line: str) -> str:
    """`line` with file names as their author knows them, cut to `_LONGEST_LINE`."""
    line = re.sub(r"(No usable temporary directory) found in .*", r"\1", line)
    line = re.sub(r"((?<=['\"(])/[^'\"()]*|/\S*)/([0-9a-f]{64}|library-\w{8}|scratch/agent-\w+)/", "", line.rstrip())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."
