"""Submissions that do not work: the files of each, and the player that names it.

Each is one mistake; tests/kit/check_messages.txt records what `arena check` says about it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HEAD: Final = "from agents import Agent\n\n\nclass MyAgent(Agent):\n"


@dataclass(frozen=True, slots=True)
class Broken:
    """One submission."""

    name: str
    files: Mapping[str, bytes]
    text: str = "my_agent.py"
    """The player, relative to its folder."""
    hangs: bool = False
    """Whether it never ends; it then gets little time."""
    modules: tuple[str, ...] | None = None
    """The modules that agents can import in the tournament."""
    walled: bool = False
    """Whether it must be confined because it would do harm in this process, or needs a real process to fail."""
    game: str = "tictactoe"

    def lay_out(self, folder: Path) -> str:
        """Writes the files into `folder`; returns the player."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return str(folder / self.text)

    def __str__(self) -> str:
        return self.name


def _file(name: str, source: str | bytes, **others: object) -> Broken:
    return Broken(name, {"my_agent.py": _bytes(source)}, **others)  # type: ignore[arg-type]


def _files(name: str, text: str, /, **files: str | bytes) -> Broken:
    return Broken(name, {path: _bytes(source) for path, source in files.items()}, text)


def _bytes(source: str | bytes) -> bytes:
    return source.encode() if isinstance(source, str) else source


def _choose(name: str, *lines: str, above: str = "", **others: object) -> Broken:
    body = "\n".join(f"        {line}" for line in lines)
    return _file(name, f"{above}{_HEAD}    def choose(self, state, clock):\n{body}\n", **others)


_GOOD: Final = f"{_HEAD}    def choose(self, state, clock):\n        return state.moves()[0]\n"
_FIRST: Final = "return state.moves()[0]"
_NOTEBOOK: Final = json.dumps({"cells": [{"cell_type": "code", "source": [_GOOD]}], "nbformat": 4, "metadata": {}})

NO_FILES: Final = (
    Broken("no such file", {}),
    Broken("a folder without an agent", {"team/readme.txt": b"hello"}, "team"),
    Broken("an empty folder", {"team/.keep": b""}, "team"),
    Broken("a folder whose agent lies deeper", {"team/src/agent.py": _GOOD.encode()}, "team"),
    Broken("a folder with one file of another name", {"team/greedy.py": _GOOD.encode()}, "team"),
    Broken("a folder with many files", {"team/a.py": b"", "team/b.py": b""}, "team"),
    Broken(
        "a folder where games were played",
        {f"team/{file}": b"" for file in ("a.py", "b.py", "arena.store/c/agent.py")},
        "team",
    ),
    Broken("a folder with files of one name", {f"team/{file}": b"" for file in ("old/a.py", "new/a.py")}, "team"),
    Broken("a folder with Agent.py", {"team/Agent.py": _GOOD.encode()}, "team"),
    Broken("a folder with a zip", {"team/alice.zip": b"PK\x03\x04"}, "team"),
    Broken("a folder with a notebook", {"team/agent.ipynb": _NOTEBOOK.encode()}, "team"),
    Broken("a folder with JavaScript and Python", {"team/agent.js": b"let x;\n", "team/my.py": b"x = 1\n"}, "team"),
    Broken(
        "a folder with programs in two languages",
        {"team/agent.js": b"let x;\n", "team/agent.c": b"int main(void) { return 0; }\n"},
        "team",
    ),
    Broken("a PDF", {"report.pdf": b"%PDF-1.7\n"}, "report.pdf"),
    Broken("a Word document", {"agent.docx": b"PK\x03\x04\x14\0"}, "agent.docx"),
    Broken("a zip archive", {"team.zip": b"PK\x03\x04\x14\0"}, "team.zip"),
    Broken("a compiled program", {"agent": b"\x7fELF\2\1\1\0"}, "agent"),
    Broken("a notebook", {"agent.ipynb": _NOTEBOOK.encode()}, "agent.ipynb"),
    Broken("a Python file without its ending", {"agent": _GOOD.encode()}, "agent"),
    Broken("a Python file called .txt", {"agent.py.txt": _GOOD.encode()}, "agent.py.txt"),
    Broken("a README", {"README.md": b"Run it with python:\n    import my_agent\n"}, "README.md"),
    Broken("a class that is none", {"my_agent.py": _GOOD.encode()}, "my_agent.py:My Agent"),
    Broken("no class after a colon", {"my_agent.py": _GOOD.encode()}, "my_agent.py:"),
)
"""Submissions that cannot be run."""

NO_PYTHON: Final = (
    _file("an empty file", ""),
    _file("bytes", b"\x80\x04\x95\0\0\0" + bytes(range(256))),
    _file("a PDF called .py", b"%PDF-1.7\n%\xe2\xe3\n"),
    _file("a Word document called .py", b"PK\x03\x04\x14\0\x06\0"),
    _file("a web page called .py", "<!DOCTYPE html>\n<html><body>my agent</body></html>"),
    _file("a notebook called .py", _NOTEBOOK),
    _file("text in UTF-16", _GOOD.encode("utf-16")),
    _file("text in Latin-1", "# Müller\n".encode("latin-1") + _GOOD.encode()),
    _file("prose", "This is my agent. It is very good, I hope."),
    _file("JavaScript", "const agent = (state) => { return 1; };"),
    _file("a syntax error", _GOOD.replace("state, clock):", "state, clock)")),
    _file("an open bracket", _GOOD.replace("moves()", "moves(")),
    _file("tabs and blanks", _GOOD.replace("        return", "\treturn") + "        return 1\n"),
    _file("no block after a colon", _HEAD + "    def choose(self, state, clock):\n    return 1\n"),
    _file("a line too far in", _GOOD + "            x = 1\n"),
    _file("words of Python 2", _choose("", 'print "thinking"', _FIRST).files["my_agent.py"]),
    _file("a quote of a word processor", _GOOD + "\n    name = “x”\n"),
    _file("a merge conflict", "<<<<<<< HEAD\n" + _GOOD + "=======\n" + _GOOD + ">>>>>>> mine\n"),
    _file("marks of Markdown", "```python\n" + _GOOD + "```\n"),
)

NO_AGENT: Final = (
    _file("nothing but an import", "from agents import Agent\n"),
    _file("a class that is no Agent", _GOOD.replace("(Agent)", "")),
    _file("a function alone", "def choose(state, clock):\n    return state.moves()[0]\n"),
    _file("two agents", _GOOD + _GOOD.replace("MyAgent", "Other").partition("\n\n\n")[2]),
    Broken("a wrong class's name", {"my_agent.py": _GOOD.encode()}, "my_agent.py:MyAgnet"),
    _file("no choose", _HEAD + "    name = 'x'\n"),
    _file("choose misspelt", _GOOD.replace("choose", "chose")),
    _file("Choose", _GOOD.replace("choose", "Choose")),
    _file("choose without arguments", _GOOD.replace("self, state, clock", "self").replace("state.moves()[0]", "1")),
    _file("choose without a clock", _GOOD.replace("self, state, clock", "self, state")),
    _file("choose without self", _GOOD.replace("self, state, clock", "state, clock")),
    _file("choose with more", _GOOD.replace("state, clock", "state, clock, depth")),
    _file("choose that waits", _GOOD.replace("def choose", "async def choose")),
    _file("choose that yields", _GOOD.replace("return state.moves()[0]", "yield state.moves()[0]")),
    _file("a constructor with arguments", _GOOD + "\n    def __init__(self, depth):\n        self.depth = depth\n"),
    _file("begin with too few arguments", _GOOD + "\n    def begin(self, state):\n        pass\n"),
)

NO_IMPORT: Final = (
    _file("a module that is not here", "import numpyy\n" + _GOOD),
    _file("a module that is not allowed", "import numpy\n" + _GOOD, modules=("adsearch.games",), walled=True),
    _file(
        "a search that is not allowed", "from adsearch import pvs\n" + _GOOD, modules=("adsearch.games",), walled=True
    ),
    _file("a misspelt module", "import rnadom\n" + _GOOD),
    _file("a plotting library", "import matplotlib.pyplot as plt\n" + _GOOD),
    Broken("a file of one's own", {"my_agent.py": b"import tools\n" + _GOOD.encode(), "tools.py": b""}),
    Broken("a file of one's own beside agent.py", {"agent.py": b"import tools\n", "tools.py": b""}, "agent.py"),
    _file("a file that was handed in apart", "import heuristics\n" + _GOOD),
    Broken(
        "a file that imports the agent's by its old name",
        {"team/agent.py": b"import a2\n" + _GOOD.encode(), "team/a2.py": b"import a1\n"},
        "team",
        walled=True,
    ),
    Broken(
        "an error in a file of one's own",
        {"team/agent.py": b"\nimport tools\n" + _GOOD.encode(), "team/tools.py": b"\n\nbook = opening\n"},
        "team",
        walled=True,
    ),
    Broken(
        "a folder with the name of our library",
        {"team/agent.py": b"from agents.tools import x\n" + _GOOD.encode(), "team/agents/tools.py": b"x = 1\n"},
        "team",
        walled=True,
    ),
    Broken(
        "a file with the name of our library",
        {"team/agent.py": b"from adsearch import x\n" + _GOOD.encode(), "team/adsearch.py": b"x = 1\n"},
        "team",
        walled=True,
    ),
    Broken(
        "a package with the name of our library beside a file",
        {"my_agent.py": b"from agents.tools import x\n" + _GOOD.encode(), "agents/__init__.py": b"x = 1\n"},
    ),
    _file("a library of ours that is not there", "import adsearch.alphabetta\n" + _GOOD),
    _file("several modules that are not here", "import numba\nfrom dill import loads\nimport heuristics\n" + _GOOD),
    Broken(
        "a package that is not here, in a file beside agent.py",
        {"team/agent.py": b"import tools\nimport torch\n" + _GOOD.encode(), "team/tools.py": b"import numba\n"},
        "team",
        walled=True,
    ),
    _file("a wrong name from agents", "from agents import Agnet\n" + _GOOD),
    _file("an error in a class", _GOOD + "\n    depth = deep + 1\n"),
    _file("input at the top", "depth = int(input('How deep? '))\n" + _GOOD),
    _file("a debugger at the top", "breakpoint()\n" + _GOOD),
    _file("an exit at the top", _GOOD + "\nimport sys\nsys.exit()\n"),
    _file("a file read at the top", "book = open('book.txt').read()\n" + _GOOD),
    Broken("a name of Python's", {"random.py": _GOOD.encode()}, "random.py"),
    Broken("a name of ours", {"agents.py": _GOOD.encode()}, "agents.py"),
)

NO_START: Final = (
    _file("an endless loop at the top", "while True: pass\n" + _GOOD, walled=True, hangs=True),
    _file(
        "an endless loop in the constructor",
        _GOOD + "\n    def __init__(self):\n        while True: pass\n",
        walled=True,
        hangs=True,
    ),
    _file(
        "an endless loop in begin",
        _GOOD + "\n    def begin(self, state, seat):\n        while True: pass\n",
        walled=True,
        hangs=True,
    ),
    _file("an error in the constructor", _GOOD + "\n    def __init__(self):\n        self.book = {}['opening']\n"),
    _file("an error in begin", _GOOD + "\n    def begin(self, state, seat):\n        self.first = state.children[0]\n"),
    _file(
        "an error in end",
        _GOOD + "\n    def end(self, utilities, verdict):\n        self.notes.append(verdict)\n",
        walled=True,
    ),
)

NO_MOVE: Final = (
    _choose("no return", "best = state.moves()[0]"),
    _choose("the text of a move", "return state.to_text(state.moves()[0])"),
    _choose("any text", "return 'middle'"),
    _choose("a move too large", "return 99"),
    _choose("half a move", "return state.moves()[0] + 0.5"),
    _choose("a list of moves", "return state.moves()"),
    _choose("a move in a list", "return [state.moves()[0]]"),
    _choose("a move with its value", "return 0.5, state.moves()[0]"),
    _choose("a position", "return state.play(state.moves()[0])"),
    _choose("a function", "return state.moves"),
    _choose("true", "return True if len(state.moves()) < 9 else 99", walled=True),
    _choose(
        "a move that was legal before",
        "self.last = getattr(self, 'last', state.moves()[0])",
        "return self.last",
        walled=True,
    ),
    _choose("an error", "values = []", "return max(values)"),
    _file(
        "an error deep inside",
        _GOOD.replace("state.moves()[0]", "self.best(state, 3)")
        + "\n    def best(self, state, depth):\n        if depth == 0:\n            return state.turn // 0\n"
        + "        return max(self.best(state.play(move), depth - 1) for move in state.moves())\n",
    ),
    _choose(
        "an error in a search of ours", "return pvs.search(state, depht=3).move", above="from adsearch import pvs\n"
    ),
    _choose("a misspelt name", "retrun = 1", "return moevs[0]"),
    _choose("a part that is not there", "return state.legal_moves()[0]"),
    _choose("a changed state", "state.turn = 1 - state.turn", _FIRST, walled=True),
    _choose("an error without end", "return self.choose(state, clock)"),
    _choose("a position after the end", "for _ in range(9):", "    state = state.play(state.moves()[0])", _FIRST),
    _choose("an exit", "exit()"),
    _choose("sys.exit", "import sys", "sys.exit('bye')"),
    _choose("a hard exit", "import os", "os._exit(3)", walled=True),
    _choose("input", "return int(input('Your move: '))"),
    _choose("a debugger", "breakpoint()", _FIRST),
    _choose("a file", "return int(open('weights.txt').read())", walled=True),
    _choose("a file to write", "open('/tmp/log.txt', 'w').write('x')", _FIRST, walled=True),
    _choose("a temporary file", "import tempfile", "tempfile.TemporaryFile().write(b'x')", _FIRST, walled=True),
    _choose("the network", "from urllib.request import urlopen", "urlopen('http://127.0.0.1:9/')", _FIRST, walled=True),
    _choose("a program", "import subprocess", "subprocess.run(['ls'])", _FIRST, walled=True),
    _choose("memory", "self.all = [bytearray(1 << 20) for _ in range(4000)]", _FIRST, walled=True),
    _choose("a loop without end", "while True: pass", walled=True, hangs=True),
    _choose("a sleep", "import time", "time.sleep(30)", _FIRST, walled=True, hangs=True),
    _choose("giving up", "from agents import Resign", "raise Resign", walled=True),
)

NOT_WELL: Final = (
    _choose("nothing but prints", "print('hello')", _FIRST, walled=True),
    _choose("a lot of prints", "print('x' * 20_000)", _FIRST, walled=True),
    _choose(
        "chance of its own",
        "import os",
        "return state.moves()[os.urandom(1)[0] % len(state.moves())]",
        walled=True,
        game="tictactoe:m=6,n=6,k=6",
    ),
    _file(
        "what is left of the last game",
        "games = []\n\n\n"
        + _HEAD
        + "    def begin(self, state, seat):\n        games.append(1)\n\n"
        + "    def choose(self, state, clock):\n        return 99 if games[1:] else state.moves()[0]\n",
        walled=True,
    ),
)
"""Submissions that can play, but get a warning."""

BROKEN: Final = (*NO_FILES, *NO_PYTHON, *NO_AGENT, *NO_IMPORT, *NO_START, *NO_MOVE, *NOT_WELL)
HOSTED: Final = tuple(each for each in BROKEN if not each.walled and each not in NO_FILES)
BEHIND_WALLS: Final = tuple(each for each in BROKEN if each.walled)
FAMILIES: Final = (
    ("a module that is not allowed", "a search that is not allowed"),
    ("an error in a file of one's own", "a file that imports the agent's by its old name"),
    ("a folder with the name of our library", "a file with the name of our library"),
    ("a package that is not here, in a file beside agent.py",),
    ("an endless loop at the top", "an endless loop in the constructor", "an endless loop in begin"),
    ("an error in end",),
    ("a move that was legal before", "true"),
    ("a changed state",),
    ("a hard exit",),
    ("a program", "a file", "a file to write", "a temporary file", "the network"),
    ("memory",),
    ("a loop without end", "a sleep"),
    ("giving up",),
    ("a lot of prints", "nothing but prints"),
    ("chance of its own",),
    ("what is left of the last game",),
)
"""Families of confined submissions that fail in the same way. The tests examine the first of each family with real
processes; the messages for the others come from check_faults.json."""
