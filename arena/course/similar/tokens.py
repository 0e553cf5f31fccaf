"""Tokens of a source file, so that two files can be compared without comments, names and layout.

Pure. A regular expression for each family of languages splits any text in one pass, also text with syntax errors, one
endless line or unclosed strings. All names are one token, all numbers and strings are another: a copy with new names
has the same tokens. Keywords, operators and names that a student cannot change keep their text. Parentheses are left
out.
"""

from __future__ import annotations

import builtins
import keyword
import re
from typing import Final
from zlib import crc32

from msgspec import Struct

from adsearch import State
from agents import Agent, Clock

MOST_TOKENS: Final = 20_000
"""Tokens of one source that are compared; a student's agent has 500 to 5,000."""
_PYTHON: Final = r"""
(?P<space>(?:\s|\\\n)++)
|(?P<comment>\#[^\n]*+)
|(?P<string>[bBfFrRuU]{0,2}(?:\"\"\"(?s:.*?)(?:\"\"\"|\Z)|'''(?s:.*?)(?:'''|\Z)
    |"[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*+"?|'[^'\\\n]*+(?:\\(?s:.)[^'\\\n]*+)*+'?))
"""
_BRACES: Final = r"""
(?P<space>\s++)
|(?P<comment>//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z))
|(?P<string>"[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*+"?|'[^'\\\n]*+(?:\\(?s:.)[^'\\\n]*+)*+'?|`[^`]*+`?)
"""
_REST: Final = r"""
|(?P<number>\.?[0-9](?:[eEpP][+-][0-9]|[\w.])*+)
|(?P<name>\.?[^\W\d]\w*+)
|(?P<sign>[-+*/%&|^<>=!:]=|\*\*|&&|\|\||<<|>>|->|=>|\+\+|--|::|(?s:.))
"""
_BRACES_KEYWORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """abstract async await boolean break byte case catch chan char class const continue default defer delete do
        double else enum export extends extern false final finally float fn for func function go goto if impl implements
        import in instanceof int interface let long loop match mod mut new nil null package private protected pub public
        range return select short signed sizeof static struct super switch this throw throws trait true try type typedef
        typeof union unsigned use var void volatile where while yield""",
    )
)
_PYTHON_NAMES: Final = frozenset({*keyword.kwlist, *dir(builtins)})
_ATTRIBUTES: Final = frozenset(
    f".{name}" for kind in (State, Agent, Clock) for name in dir(kind) if not name.startswith("_")
)
"""What every agent reads of a position, of its own class and of its clock: `.moves`, `.tell`, `.budget`."""
_FAMILIES: Final = {
    "python": (re.compile(_PYTHON + _REST, re.VERBOSE), _PYTHON_NAMES | _ATTRIBUTES),
    "braces": (re.compile(_BRACES + _REST, re.VERBOSE), _BRACES_KEYWORDS),
}
_BRACES_ENDINGS: Final = (
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".java", ".js", ".mjs", ".cjs", ".ts", ".go", ".rs", ".cs", ".kt"),
    *(".swift", ".scala"),
)
FAMILY: Final = {".py": "python", ".pyw": "python", **dict.fromkeys(_BRACES_ENDINGS, "braces")}
"""The family of languages by the extension of a file's name; other files are not code."""
_NAME: Final = 1
_VALUE: Final = 2
_ATTRIBUTE: Final = 3
_SKIPPED: Final = "()"
"""A copier can add these anywhere."""
_BETWEEN: Final = (crc32(b","), crc32(b":"))
_BEFORE_NEGATIVE: Final = tuple([code, crc32(b"-")] for code in _BETWEEN)
"""Values in a row are one token, so that all lists and tables of values are not taken for copies of each other."""


class Tokens(Struct, frozen=True):
    """The tokens of a text: what each is, and where it stands."""

    codes: tuple[int, ...]
    """A number for each token: the same for all names, for all attributes, and for all numbers and strings."""
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    """The places in the text."""
    cut: bool = False
    """Whether the text has more tokens than are compared."""


def tokens_of(text: str, extension: str, *, most: int = MOST_TOKENS) -> Tokens:
    """The first tokens of `text`, at most `most`; none if files with this extension are not code."""
    if (family := FAMILY.get(extension.lower())) is None:
        return Tokens((), (), ())
    pattern, kept = _FAMILIES[family]
    tokens: list[tuple[int, int, int]] = []
    at_start_of_line = True
    alone = False  # whether the last token is a string at the start of a line: a docstring if the line ends there
    cut = False
    for found in pattern.finditer(text):
        kind = found.lastgroup or ""
        if kind in ("space", "comment"):
            if kind == "comment" or "\n" in found[0]:
                if alone:
                    tokens.pop()
                at_start_of_line, alone = True, False
            continue
        if cut := len(tokens) == most:
            break
        alone = kind == "string" and at_start_of_line and family == "python"
        at_start_of_line = False
        if found[0] in _SKIPPED:
            continue
        code, start = _code(found[0], kind, kept), found.start()
        if code == _VALUE and (more := _values_before(tokens)):
            start = tokens[-more][1]
            del tokens[-more:]
        tokens.append((code, start, found.end()))
    if alone and not cut:
        tokens.pop()
    codes, starts, ends = zip(*tokens, strict=True) if tokens else ((), (), ())
    return Tokens(codes, starts, ends, cut=cut)


def _code(text: str, kind: str, kept: frozenset[str]) -> int:
    """The number of a token."""
    if kind == "sign" or text in kept:
        return crc32(text.encode())
    if kind == "name":
        return _ATTRIBUTE if text.startswith(".") else _NAME
    return _VALUE


def _values_before(tokens: list[tuple[int, int, int]]) -> int:
    """The number of last tokens that belong to one list with the value that follows: "1," or "1, -"; 0 if none do."""
    last = [code for code, _, _ in tokens[-3:]]
    if last[-2:-1] == [_VALUE] and last[-1] in _BETWEEN:
        return 2
    return 3 if last[:1] == [_VALUE] and last[1:] in _BEFORE_NEGATIVE else 0
