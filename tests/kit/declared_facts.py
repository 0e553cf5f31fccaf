"""Where the facts of a game, of a seat and of a ply are declared: `python -m tests.kit.declared_facts` lists it.

A fact is a column of the tables `game`, `seat` and `move`. It is declared once as a column, once as a field of a
record and once as a name in documents; everything else takes its names from there. A place is a class, a tuple, a
dictionary or an SQL query that writes down more than half of a table's facts: a new fact would have to be added there
too. What builds a record from a message is no place, and neither is the protocol, which has messages of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from db.schema import Game, Move, Seat
from tests.kit.places import ROOT

FACTS: Final = {
    table.__table__.name: {column.key for column in table.__table__.c} - keys
    for table, keys in (
        (Game, {"id", "tournament", "number", "status"}),
        (Seat, {"game", "seat", "version", "name"}),
        (Move, {"game", "ply", "who", "move"}),
    )
}
"""By table: its columns, without those that every table has and those that say which row it is."""


def places(source: str) -> Iterator[tuple[str, int]]:
    """The tables whose facts are written down in this program, each with the line."""
    for node in ast.walk(ast.parse(source)):
        written = _written(node)
        for table, facts in FACTS.items():
            if 2 * len(facts & written) > len(facts):
                yield table, getattr(node, "lineno", 0)


def _written(node: ast.AST) -> set[str]:
    match node:
        case ast.ClassDef(body=body):
            return {
                one.target.id for one in body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            }
        case ast.Dict(keys=keys):
            return {one.value for one in keys if isinstance(one, ast.Constant) and isinstance(one.value, str)}
        case ast.Tuple() | ast.List() | ast.Set():
            within = [one for one in ast.walk(node) if isinstance(one, ast.Constant | ast.Attribute)]
            texts = {one.value for one in within if isinstance(one, ast.Constant) and isinstance(one.value, str)}
            return texts | {one.attr for one in within if isinstance(one, ast.Attribute)}
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) if (
            "SELECT" in text
        ):
            return set(re.findall(r"\w+", ast.unparse(node)))
    return set()


def declared() -> dict[str, dict[str, list[int]]]:
    """By table, the modules that write its facts down, with the lines."""
    found: dict[str, dict[str, list[int]]] = {table: {} for table in FACTS}
    for package in ("arena", "db"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                for table, line in places(path.read_text("utf-8")):
                    found[table].setdefault(path.relative_to(ROOT).as_posix(), []).append(line)
    return found


if __name__ == "__main__":
    for table, modules in declared().items():
        for module, lines in modules.items():
            print(f"{table:5} {module}:{', '.join(map(str, lines))}")
