"""Finds the small wrong changes that can be made to a module.

Pure: from source text to changes, and from a change to the changed text. A change replaces only its own characters, so
comments and line numbers stay. Not changed: annotations, decorators, keywords of classes, imports, `raise`, messages of
asserts, strings, `__repr__`, what is under `if TYPE_CHECKING`, and `strict=` (like an assert, it should never matter).
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

_WRONG: Final[dict[type[ast.AST], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
}
"""How an operator is written, and the wrong one."""
_Edit = tuple[int, int, str, str]
"""The first and last byte that are replaced, what replaces them, and how the table describes it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A small wrong change of one module."""

    function: str
    """The qualified name of the function or class; empty for the module."""
    text: str
    """The source line in which it begins, without indentation."""
    what: str
    """For example "`<` -> `<=`"; numbered if there are several such places in the function and line."""
    runs_on_import: bool
    """Whether it is in no function."""
    first: int
    """The first line of its statement; of a statement that contains others only the head counts."""
    last: int
    start: int
    """The place of the replaced bytes in the module."""
    end: int
    new: str

    @property
    def identity(self) -> tuple[str, str, str]:
        """What stays when files and lines move."""
        return self.function, self.text, self.what

    def applied(self, source: str) -> str:
        """The changed source. Raises a ValueError if it means the same, and a SyntaxError if it means nothing."""
        data = source.encode()
        changed = (data[: self.start] + self.new.encode() + data[self.end :]).decode()
        if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
            raise ValueError(f"expected another program, got the same: {self.identity}")
        return changed


def changes(source: str) -> list[Change]:
    """All changes that can be made to the module, in the order of their places."""
    seen = Counter[tuple[str, str, str]]()
    found = []
    for change in sorted(_Finder(source).walk(ast.parse(source)), key=lambda change: (change.start, -change.end)):
        seen[change.identity] += 1
        number = seen[change.identity]
        found.append(replace(change, what=f"{change.what} ({number})") if number > 1 else change)
    return found


class _Finder:
    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._lines = self._data.splitlines(keepends=True)
        self._starts = [0, *accumulate(len(line) for line in self._lines)]

    def walk(
        self, node: ast.AST, name: str = "", span: tuple[int, int] = (1, 1), on_import: bool = True
    ) -> Iterator[Change]:
        if isinstance(node, (ast.stmt, ast.match_case)):
            head = node.pattern if isinstance(node, ast.match_case) else node
            body: list[ast.stmt] | None = getattr(node, "body", None)
            span = (head.lineno, max(head.lineno, body[0].lineno - 1) if body else head.end_lineno or head.lineno)
        for start, end, new, what in self._edits(node):
            text = self._lines[bisect_right(self._starts, start) - 1].decode().strip()
            yield Change(name, text, what, on_import, *span, start, end, new)
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            name = f"{name}.{node.name}".removeprefix(".")
            on_import = on_import and isinstance(node, ast.ClassDef)
        for part in _parts(node):
            yield from self.walk(part, name, span, on_import)

    def _edits(self, node: ast.AST) -> Iterator[_Edit]:
        match node:
            case ast.Compare():
                for operator, (left, right) in zip(node.ops, pairwise([node.left, *node.comparators]), strict=True):
                    yield self._operator(left, operator, right)
            case ast.BoolOp():
                for left, right in pairwise(node.values):
                    yield self._operator(left, node.op, right)
            case ast.BinOp(op=ast.Add() | ast.Sub()) if not (_is_text(node.left) or _is_text(node.right)):
                yield self._operator(node.left, node.op, node.right)
            case ast.Constant(value=bool()):
                yield self._replaced(node, str(not node.value))
            case ast.Constant(value=int() | float() as value):
                yield self._replaced(node, str(value + 1))
            case ast.Call(func=ast.Name(id="min" | "max" as called) as function):
                yield self._replaced(function, "max" if called == "min" else "min")
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.AnnAssign(target=ast.Attribute(), value=ast.expr()):
                yield self._replaced(node, "pass", "dropped")
            case ast.Assign() if all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets):
                yield self._replaced(node, "pass", "dropped")
            case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
                yield self._replaced(value, "None", "returns None")

    def _replaced(self, node: ast.expr | ast.stmt, new: str, what: str = "") -> _Edit:
        start, end = self._place(node)
        return start, end, new, what or f"`{self._data[start:end].decode()}` -> `{new}`"

    def _operator(self, left: ast.expr, operator: ast.AST, right: ast.expr) -> _Edit:
        """It is somewhere between its operands, with brackets and line breaks."""
        old, new = _WRONG[type(operator)]
        after = self._place(left)[1]
        written = re.search(
            r"\s+".join(map(re.escape, old.split())).encode(), self._data[after : self._place(right)[0]]
        )
        assert written is not None
        return after + written.start(), after + written.end(), new, f"`{old}` -> `{new}`"

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        last, column = node.end_lineno, node.end_col_offset
        assert last is not None
        assert column is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[last - 1] + column


def _parts(node: ast.AST) -> Iterable[ast.AST]:
    """The parts of a node in which changes are made."""
    match node:
        case ast.Raise() | ast.FunctionDef(name="__repr__") | ast.keyword(arg="strict"):
            return ()
        case ast.JoinedStr():
            return ()  # Python 3.11 gives wrong places for what is inside
        case ast.FunctionDef(args=args, body=body) | ast.AsyncFunctionDef(args=args, body=body):
            return (*(default for default in (*args.defaults, *args.kw_defaults) if default), *body)
        case ast.ClassDef(body=body) | ast.If(test=ast.Name("TYPE_CHECKING"), orelse=body):
            return body
        case ast.AnnAssign(value=value):
            return (value,) if value else ()
        case ast.Assert(test=test):
            return (test,)
    return ast.iter_child_nodes(node)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))
