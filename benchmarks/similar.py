"""How well `arena course similar` separates copies from programs that were written independently, and how fast it is.

    python benchmarks/similar.py

Twelve agents in `similar_agents` solve one task, each in its own way; five of them follow the same textbook. Copies of
them are made as students disguise copies. More independent programs are the modules of Python's own library.
"""

from __future__ import annotations

import ast
import sysconfig
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final

from adsearch import State
from agents import Agent, Clock
from arena.course.similar import Source, compare, of_contents
from benchmarks.arguments import Reader

AGENTS: Final = Path(__file__).with_name("similar_agents")
_DRAWS: Final = 5
"""Copies of each kind that are made of each agent."""
_NOT_THEIRS: Final = {"self", *dir(State), *dir(Agent), *dir(Clock)}
"""Names that a student cannot change."""
_Files = dict[str, str]


class _Renamed(ast.NodeTransformer):
    """Gives new names to everything that a student can rename, and other numbers and texts."""

    def __init__(self, tree: ast.AST) -> None:
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        bound |= {
            node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }
        bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        self._new = {name: f"new_{place}" for place, name in enumerate(sorted(bound - _NOT_THEIRS))}

    def visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "arg", "attr", "name"):
            if isinstance(name := getattr(node, field, None), str):
                setattr(node, field, self._new.get(name, name))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value += "!"
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            node.value *= 2
        return self.generic_visit(node)


def renamed(source: str, _: Random) -> _Files:
    """New names, numbers and texts; other layout; no comments."""
    tree = ast.parse(source)
    return {"agent.py": ast.unparse(ast.fix_missing_locations(_Renamed(tree).visit(tree)))}


def reordered(source: str, random: Random) -> _Files:
    """The functions of each class in another order."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            random.shuffle(node.body)
    return {"agent.py": ast.unparse(tree)}


def padded(source: str, random: Random) -> _Files:
    """A quarter of the statements have a useless one before them, and there is a useless function."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.For | ast.While | ast.If):
            useless = ("unused = 1", "print('debug')", "assert True", "x = [i for i in range(3)]")
            node.body = [
                each
                for statement in node.body
                for each in (*(ast.parse(random.choice(useless)).body * (random.random() < 0.25)), statement)
            ]
    return {"agent.py": f"{ast.unparse(tree)}\ndef helper(a, b):\n    return [x * y for x in a for y in b if x != y]\n"}


def split(source: str, _: Random) -> _Files:
    """Half of the statements of the file and of its classes in a second file."""
    tree = ast.parse(source)
    inner = [node for node in tree.body if isinstance(node, ast.ClassDef)][-1]
    moved = ast.Module(body=inner.body[: len(inner.body) // 2], type_ignores=[])
    inner.body = inner.body[len(inner.body) // 2 :] or [ast.Pass()]
    return {"agent.py": ast.unparse(tree), "helpers.py": ast.unparse(moved)}


def everything(source: str, random: Random) -> _Files:
    """All of these, one after the other."""
    for change in (renamed, reordered, padded):
        source = change(source, random)["agent.py"]
    return split(source, random)


def half(source: str, random: Random) -> _Files:
    """Half of the functions, renamed, inside another student's program."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    taken = random.sample(functions, (len(functions) + 1) // 2)
    copied = renamed(ast.unparse(ast.Module(body=[*taken], type_ignores=[])), random)["agent.py"]
    other = random.choice([path for path in sorted(AGENTS.glob("*.txt")) if path.read_text("utf-8") != source])
    return {"agent.py": other.read_text("utf-8") + copied}


COPIES: Final[Sequence[Callable[[str, Random], _Files]]] = (renamed, reordered, padded, split, everything, half)


def source(name: str, files: _Files) -> Source:
    """A program of these files."""
    return Source(name, None, of_contents({file: text.encode() for file, text in files.items()}))


def main() -> None:
    """Print the tables."""
    Reader(__doc__).parse_args()
    random = Random(1)
    agents = {path.stem: path.read_text("utf-8") for path in sorted(AGENTS.glob("*.txt"))}
    print(f"{'copies':24} made  found")
    for change in COPIES:
        made = [(name, change(text, random)) for name, text in agents.items() for _ in range(_DRAWS)]
        found = [compare([source("one", {"agent.py": agents[name]}), source("two", files)]) for name, files in made]
        print(f"{change.__name__:24} {len(made):4}  {sum(map(bool, found)) / len(made):4.0%}")

    print(f"\n{'independent programs':24} pairs  reported")
    library = [
        source(path.stem, {"agent.py": path.read_text("utf-8")})
        for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    ]
    ours = [source(name, {"agent.py": text}) for name, text in agents.items()]
    for title, programs in (("agents for one task", ours), ("modules of Python", library)):
        pairs = compare(programs)
        print(f"{title:24} {len(programs) * (len(programs) - 1) // 2:5}  {len(pairs)}")
        for pair in pairs:
            print(f"    {pair.one.agent}, {pair.other.agent}: {pair.share:.0%}, {pair.other_share:.0%}, {pair.tokens}")

    course = [source(f"student {number}", everything(text, random)) for number in range(5) for text in agents.values()]
    course = [Source(f"student {number}", 1, each.files) for number, each in enumerate(course)]
    began = time.perf_counter()
    compare(course)
    print(f"\n{len(course)} agents compared in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
