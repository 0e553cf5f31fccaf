"""Tokens of a source file, so that two files can be compared without comments, names and layout.

Pure. A regular expression for each family of languages splits any text in one pass, also text with syntax errors, one
endless line or unclosed strings. All names are one token, all numbers another, all strings a third: a copy with new
names has the same tokens. Keywords, operators and names that a student cannot change keep their text.
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

MOST_TOKENS: Final = 50_000
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
|(?P<name>[^\W\d]\w*+)
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
_PYTHON_NAMES: Final = frozenset(
    {*keyword.kwlist, *dir(builtins)}
    | {name for kind in (State, Agent, Clock) for name in dir(kind) if not name.startswith("_")}
)
"""Names that mean the same in every agent: of Python, of a position, of an agent and of its clock."""
_FAMILIES: Final = {
    "python": (re.compile(_PYTHON + _REST, re.VERBOSE), _PYTHON_NAMES),
    "braces": (re.compile(_BRACES + _REST, re.VERBOSE), _BRACES_KEYWORDS),
}
_BRACES_ENDINGS: Final = (
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".java", ".js", ".mjs", ".cjs", ".ts", ".go", ".rs", ".cs", ".kt"),
    *(".swift", ".scala"),
)
FAMILY: Final = {".py": "python", ".pyw": "python", **dict.fromkeys(_BRACES_ENDINGS, "braces")}
"""The family of languages by the extension of a file's name; other files are not code."""


class Tokens(Struct, frozen=True):
    """The tokens of a text: what each is, and where it stands."""

    codes: tuple[int, ...]
    """A number for each token, the same for all names, for all numbers and for all strings."""
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
    codes: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    first_in_line = True
    alone = False  # whether the last token is a string at the start of a line: a docstring if the line ends there
    for found in pattern.finditer(text):
        kind = found.lastgroup
        ends_line = kind == "comment" or (kind == "space" and "\n" in found[0])
        if alone and ends_line:
            for each in (codes, starts, ends):
                each.pop()
        if kind in ("space", "comment"):
            first_in_line |= ends_line
            alone = alone and not ends_line
            continue
        if len(codes) == most:
            return Tokens(tuple(codes), tuple(starts), tuple(ends), cut=True)
        alone = kind == "string" and first_in_line and family == "python"
        first_in_line = False
        codes.append(_code(found[0], kind, kept))
        starts.append(found.start())
        ends.append(found.end())
    if alone:
        for each in (codes, starts, ends):
            each.pop()
    return Tokens(tuple(codes), tuple(starts), tuple(ends))


def _code(text: str, kind: str | None, kept: frozenset[str]) -> int:
    """The number of a token."""
    if kind == "sign" or (kind == "name" and text in kept):
        return crc32(text.encode("utf-8", "replace"))
    return {"name": 1, "number": 2, "string": 3}[kind or ""]
