"""Explains to a student why a file is not an agent: its file type, its class, its methods, or the move it returned.

`loading.py` calls these functions before it runs a file, and when it finds something wrong. They run none of the
student's code: they look only at bytes, names and signatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

from adsearch import State
from adsearch.errors import nearly, one_of

_FILE_SIGNATURES: Final = (
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a Word document, or another zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel document"),
    (b"{\\rtf", "a document in rich text"),
    (b"\x7fELF", "a compiled program"),
    (b"MZ", "a Windows program"),
    (b"\x1f\x8b", "a compressed file"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x80\x04\x95", "a pickle"),
    (b"SQLite format 3", "a database"),
)
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_EXPECTED: Final = {
    "choose": ("state", "clock"),
    "begin": ("state", "seat"),
    "end": ("utilities", "verdict"),
    "__init__": (),
}
"""The parameters of an agent's methods, besides self."""
# The flags CO_VARARGS, CO_GENERATOR, ... of the module inspect, which is slow to import.
_MORE_ARGUMENTS: Final = 0x04
_GENERATOR: Final = 0x20
_COROUTINE: Final = 0x80
_ASYNC_GENERATOR: Final = 0x200


def no_python(content: bytes) -> str:
    """What the file is instead of Python, as "a PDF document: what to do"; empty if it can be Python."""
    if not content.strip():
        return "empty: expected a Python file with a subclass of Agent"
    if content.startswith(_UTF_16):
        return "text in UTF-16: save it again in UTF-8"
    head = content[:1000].lstrip()
    for signature, what in _FILE_SIGNATURES:
        if content.startswith(signature):
            return f"{what}: hand in the Python file itself, as text"
    if head[:1] == b"<" and (head[:9].lower() == b"<!doctype" or b"<html" in head.lower()):
        return "a web page: download the file itself, not the page that shows it"
    if head[:1] == b"{" and b'"cells"' in content and _is_notebook(content):
        return (
            "a Jupyter notebook: save its code as a Python file (File, Save and Export Notebook As, Executable Script)"
        )
    if b"\0" in content:
        return "not text: the file contains zero bytes, like a program, a picture or text in UTF-16"
    return ""


def _is_notebook(content: bytes) -> bool:
    import json  # imported here, because agents must start fast

    try:
        return "nbformat" in json.loads(content)
    except (ValueError, TypeError, RecursionError):
        return False


def no_agent(names: dict[str, Any], module: str) -> str:
    """What a module defines instead of a subclass of Agent, and what to do."""
    own = {name: value for name, value in names.items() if getattr(value, "__module__", None) == module}
    for name, value in own.items():
        if isinstance(value, type) and any(callable(getattr(value, each, None)) for each in ("choose", "Choose")):
            return f"the class {name} is not a subclass of Agent: write class {name}(Agent)"
    classes = [name for name, value in own.items() if isinstance(value, type)]
    if isinstance(own.get("choose"), FunctionType):
        return "the function choose is not in a class: put it into class MyAgent(Agent)"
    if classes:
        return f"expected a subclass of Agent, such as class MyAgent(Agent), got only class {classes[0]}"
    functions = [name for name, value in own.items() if isinstance(value, FunctionType)]
    if functions and not classes:
        return (
            f"expected a subclass of Agent, got only functions, such as {functions[-1]}: write below them class "
            f"MyAgent(Agent) with choose(self, state, clock), which returns {functions[-1]}(state.array(self.seat)) or "
            "the like (`arena docs languages`)"
        )
    return "expected a subclass of Agent (from agents import Agent), but the file defines none"


def wrong_in(agent: type, base: type) -> str:
    """What is wrong with the methods of an agent's class, as "line 3: ..."; empty if nothing is."""
    for method, arguments in _EXPECTED.items():
        if getattr(agent, method) is getattr(base, method):
            if method == "choose":
                return _no_choose(agent)
        elif isinstance(function := vars(agent).get(method), FunctionType) and (
            wrong := _wrong_with(function, method, arguments)
        ):
            return f"line {function.__code__.co_firstlineno}: {wrong}"
    if not isinstance(getattr(agent, "name", ""), str):
        return f"{agent.__name__}.name is the agent's name, a text: give your method or attribute another name"
    return ""


def _no_choose(agent: type) -> str:
    """The message for a class without `choose`."""
    there = [name for name, value in vars(agent).items() if isinstance(value, FunctionType)]
    lookalike = nearly("choose", [name for name in there if not name.startswith("__")])
    misspelled = lookalike.replace("did you mean", "is it misspelled as")
    return f"{agent.__name__} must define choose(self, state, clock){misspelled}"


def _wrong_with(function: FunctionType, method: str, arguments: tuple[str, ...]) -> str:
    """Why `function` cannot be called as that method; empty if it can."""
    code = function.__code__
    if code.co_flags & (_COROUTINE | _ASYNC_GENERATOR):
        return f"{method} is an 'async def': write 'def {method}'"
    if code.co_flags & _GENERATOR:
        return f"there is a 'yield' in {method}: return the move with 'return'"
    most = code.co_argcount
    least = most - len(function.__defaults__ or ())
    names = code.co_varnames[:most]
    wanted = ("self", *arguments)
    needed = code.co_varnames[most : most + code.co_kwonlyargcount]
    missing = [name for name in needed if name not in (function.__kwdefaults__ or {})]
    if least <= len(wanted) and (most >= len(wanted) or code.co_flags & _MORE_ARGUMENTS) and not missing:
        return ""
    shown = f"{method}({', '.join((*names, *(f'*, {name}' for name in missing[:1])))})"
    if method == "__init__":
        extra = [*names[1:least], *missing]
        if not names:
            return "expected __init__(self), got __init__()"
        return f"agents are created without arguments, but {shown} needs {one_of(extra)}: give it a default value"
    forgot = ""
    if names[:1] and names[0] != "self" and len(names) == len(arguments):
        forgot = ": the first argument of a method is self"
    return f"expected {method}({', '.join(wanted)}), got {shown}{forgot}"


def no_move(choice: Any, moves: Sequence[Any], texts: Sequence[str]) -> str:
    """What to do about a `choice` that is not one of the legal `moves`; `texts` are the same moves as text.

    It is called during games with any object that an agent returned; of that object only repr is called."""
    kind = type(choice)
    if choice is None:
        return "every path through choose must end with 'return' and a move"
    if kind is str:
        meant_by = [move for move, text in zip(moves, texts, strict=True) if text.lower() == choice.strip().lower()]
        if meant_by:
            return f"that is the text of a move: return state.from_text({choice!r}), which is {meant_by[0]!r}"
    if kind is int and str(choice) in texts:
        meant_move = moves[list(texts).index(str(choice))]
        return f"the move that is written {choice} is {meant_move!r} in Python: return one of state.moves()"
    if kind in (FunctionType, MethodType, BuiltinFunctionType):
        return "this is the function itself, not its result: call the function, with ()"
    if isinstance(choice, State):
        return "this is a position: return the move that leads to it"
    if kind is list and tuple(choice) in moves:
        return f"this is a list, but moves are tuples here: return tuple(move), {tuple(choice)!r}"
    if kind in (list, tuple) and any(part in moves for part in choice if type(part) in _SIMPLE):
        return "this contains a move and more: return only the move, without a score or anything else"
    if kind is not (wanted := type(moves[0])) and all(type(move) is wanted for move in moves):
        return f"a move must have the type {wanted.__name__} here, not {kind.__name__}"
    return "return one of state.moves(): only these are legal here"


_SIMPLE: Final = (int, str, tuple, float, bool)
