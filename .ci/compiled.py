"""Makes the package `adsearch_compiled`: copies of the modules that `adsearch.form.MODULES` names, compiled with mypyc.

    .venv/bin/python .ci/compiled.py      (`make fast`) compiles it and puts it beside the installed packages
    build(FOLDER)                         the same into a folder, for a wheel (`.ci/wheel.py`)

The sources stay as they read best. What a compiler needs otherwise is changed in the copies only, in this file: they
have no trace and no evaluation but the game's own, because searches with these run interpreted; `CHANGES` has the rest.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from adsearch import form  # noqa: E402

SHARED: Final = {
    "state": ("Spot", "Feature", "Looks"),
    "budget": ("Budget", "OutOfBudget"),
    "table": ("Entry",),
    "searcher": ("inside",),
}
"""Names that the compiled modules import from the sources: the classes of what comes from the caller, and of what mypyc
cannot compile."""

HEADER: Final = f"""\
import sys
from operator import mul
from typing import Any, Final, Self, cast, final
from {form.PACKAGE}.bits import bit_count
"""
BITS: Final = """\
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from mypy_extensions import i64

def bit_count(number: int) -> int:
    if number < 0 or number >= 1 << 62:
        return number.bit_count()
    bits: i64 = number
    bits -= bits >> 1 & 0x5555555555555555
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333)
    bits = bits + (bits >> 4) & 0x0F0F0F0F0F0F0F0F
    return int(bits * 0x0101010101010101 >> 56)
"""
"""A module of its own: mypyc would call the method `int.bit_count`, which takes ten times as long."""
FIELDS: Final = "tuple[float, Any, int, bool, Any]"
OF_A_LINE_BOARD: Final = (
    # mypyc allows no attribute with a narrower type than in the base class.
    ("    board: Board\n", ""),
    ("self.board.", "cast(Board, self.board)."),
    ("= self.board\n", "= cast(Board, self.board)\n"),
)


def _property(name: str, kind: str, value: str) -> str:
    return f"    @property\n    def {name}(self) -> {kind}:\n        return {value}\n\n"


CHANGES: Final[dict[str, Sequence[tuple[str, str]]]] = {
    "budget": (
        # Compiled code lets signals and other threads wait until it calls Python. Searches call `check` at every node
        # if there is a limit, else at every 64th.
        ("'_clock', ", "'_checks', '_clock', "),
        ("self.nodes = 0\n", "self.nodes = 0\n        self._checks = 0\n"),
        (
            "def check(self) -> None:\n",
            "def check(self) -> None:\n        self._checks += 1\n"
            "        if not (self.limited and self._checks & 63):\n            breath()\n",
        ),
        ("import sys\n", "import sys\nfrom adsearch.form import breath\n"),
        ("inf if budget.nodes is None", "sys.maxsize if budget.nodes is None"),
    ),
    "table": (
        # Entries are those of the sources, because a caller's table has them; here they are tuples.
        ("Entry]", "Any]"),
        ("entry: Entry", "entry: Any"),
        ("Entry | None", "Any"),
        ("entry.proven or not known.proven", "entry[3] or not known[3]"),
    ),
    "ordering": (("return ordered", "return tuple(ordered)"),),
    "selective": (("return best", "return tuple(best)"),),
    "searcher": (
        (
            "        self.evaluate: Evaluate[Move] = inside(evaluate) if evaluate else "
            "lambda state, seat: state.evaluate(seat)\n",
            "",
        ),
        # mypyc believes that `finished` is still None.
        ("self.finished or self._first_move(state)", "self.found() or self._first_move(state)"),
        (
            "def was_cut(self)",
            "def found(self) -> Found[Move] | None:\n        return self.finished\n\n    def was_cut(self)",
        ),
    ),
    "alphabeta": (
        (
            "value, bound, _, proven, remembered = entry",
            f"value, bound, deep, proven, remembered = cast({FIELDS}, entry)",
        ),
        (
            "entry.serves(depth, to_the_end=self.to_the_end)",
            "(deep == depth or (proven and (deep < depth or self.to_the_end)))",
        ),
        ("Entry(best, ", "MADE(Entry, (best, "),
        ("line[0] if line else None)", "line[0] if line else None))"),
        ("Bound.LOWER", "LOWER"),
        ("Bound.UPPER", "UPPER"),
        ("Bound.EXACT", "EXACT"),
        (
            "\ndef search(",
            "\nMADE: Final = tuple.__new__\n"
            "LOWER: Final = Bound.LOWER\nUPPER: Final = Bound.UPPER\nEXACT: Final = Bound.EXACT\n\ndef search(",
        ),
    ),
    "maxn": (
        # The same about `values`.
        ("self.values or self.estimates(state)", "self.known() or self.estimates(state)"),
        (
            "def view(self,",
            "def known(self) -> tuple[float, ...] | None:\n        return self.values\n\n    def view(self,",
        ),
    ),
    "mcts": (
        # A simulation can take milliseconds.
        ("self.effort.check()\n", "breath()\n                self.effort.check()\n"),
        ("import sys\n", "import sys\nfrom adsearch.form import breath\n"),
        ("        self.evaluate: Evaluate[Move] = evaluate or (lambda state, seat: state.evaluate(seat))\n", ""),
        (
            "self.evaluate(state.sample(self.seat, self.random) if self.hidden else state, self.seat)",
            "(state.sample(self.seat, self.random) if self.hidden else state).evaluate(self.seat)",
        ),
    ),
    "games.tictactoe": OF_A_LINE_BOARD,
    "games.connect4": OF_A_LINE_BOARD,
    "games.chess_rules": (
        # mypyc keeps each number of more than 62 bits that it makes a text of.
        ("f'status {bits}'", "'status ' + format(bits)"),
        # A signal interrupts a product of long numbers, and compiled code would end the process: `mul` raises.
        ("(number ^ number >> 37) * 11400714819323198485", "mul(number ^ number >> 37, 11400714819323198485)"),
    ),
    "games.backgammon": (
        ("hits * _HIT[to]", "(_HIT[to] if hits else 0)"),
        # A property must not become a class attribute.
        ("    chance = True\n", _property("chance", "bool", "True")),
        ("    bounds = (-MOST, MOST)\n", _property("bounds", "tuple[float, float]", "(-MOST, MOST)")),
        ("    plies_a_round = 4\n", _property("plies_a_round", "int", "4")),
    ),
}
"""What is replaced in the copies, as `ast.unparse` writes them."""

FINAL: Final = (*form.GAMES.values(), "Board", "Effort", "Mcts", "Node", "Table")
"""Classes without a subclass here: their methods are called directly."""

EVERYWHERE: Final = (
    (r"\bLine\[Move\]", "Any"),  # mypyc fails for types that contain themselves
    (r"\bTrace \| None", "None"),
    (r"\bSequence\[Move\]", "tuple[Move, ...]"),
    (r"\b(?:self|searcher)\.evaluate\((state(?:\.play\(move\))?|end|searcher\.state), ", r"\1.evaluate("),
    (r", (?:self|searcher)\.untraced\(\):", ":"),
)
"""The same in all copies, as regular expressions."""


class _Copy(ast.NodeTransformer):
    """Takes out what the compiled form does not have, and changes where names are imported from."""

    def __init__(self, dropped: Sequence[str]) -> None:
        self.dropped = dropped
        self.kind = ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | None:
        self.kind = node.name
        if node.name in FINAL:
            node.decorator_list.append(ast.Name("final"))
        return None if node.name in self.dropped else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        node.decorator_list = [each for each in node.decorator_list if ast.unparse(each) != "in_either_form"]
        return None if node.name in (*self.dropped, "untraced") else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        test = node.test
        first = test.values[0] if isinstance(test, ast.BoolOp) else test
        if ast.unparse(first) in ("trace", "self.trace"):
            if node.orelse or (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)):
                stop(f"a condition that begins with a trace has more than that: {ast.unparse(node)}")
            return None
        if ast.unparse(test) in ("effort.limited", "self.effort.limited"):
            effort = ast.unparse(test).removesuffix(".limited")
            node.test = ast.parse(f"{effort}.limited or not {effort}.nodes & 63", mode="eval").body
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        return None if ast.unparse(node) == "trace = self.trace" else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        # Positions have exactly the class of the game; only the rules of chess are a base class of it.
        if ast.unparse(node) == "self.__class__()" and self.kind in form.GAMES.values():
            return ast.parse(f"cast(Self, {self.kind}())", mode="eval").body
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "bit_count":
            return ast.Call(ast.Name("bit_count"), [node.func.value], [])
        return node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        node.body = [each for statement in node.body for each in _final(statement)]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        package, _, module = str(node.module).partition(".")
        if package == "adsearch" and (module in form.MODULES or node.names[0].name == "terms"):
            node.module = ".".join(filter(None, (form.PACKAGE, module)))
        return node


def _final(statement: ast.stmt) -> list[ast.stmt]:
    """A statement of a module; constants are Final, so that compiled code does not look up their names."""
    if not isinstance(statement, ast.Assign):
        return [statement]
    target, value = statement.targets[0], ast.unparse(statement.value)
    if isinstance(target, ast.Name) and re.fullmatch("_?[A-Z][A-Z0-9_]+", target.id):
        return ast.parse(f"{target.id}: Final = {value}").body
    if isinstance(target, ast.Tuple):
        names = [ast.unparse(name) for name in target.elts]
        if value == f"range({len(names)})":
            return ast.parse("\n".join(f"{name}: Final = {at}" for at, name in enumerate(names))).body
        parts = [f"{name}: Final = OF_{names[0]}[{at}]" for at, name in enumerate(names)]
        return ast.parse("\n".join([f"OF_{names[0]}: Final = tuple({value})", *parts])).body
    return [statement]


def copy(module: str) -> str:
    """The text of a module as it is compiled."""
    tree = _parsed(module)
    shared = SHARED.get(module, ())
    if module == "deepening":
        # mypyc has no classes with two bases: QuiescentPvs gets the methods of the one of them that is small.
        quiescence = _parsed("quiescence")
        (both,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "QuiescentPvs")
        (methods,) = (node.body for node in quiescence.body if isinstance(node, ast.ClassDef))
        both.bases, both.body = both.bases[1:], methods
        tree.body[2:2] = [node for node in quiescence.body[2:] if isinstance(node, ast.ImportFrom)]
    tree = _Copy(shared).visit(tree)
    start = next((at for at, node in enumerate(tree.body) if ast.unparse(node).startswith("from __future__")), 0)
    header = HEADER + (f"from adsearch.{module} import {', '.join(shared)}\n" if shared else "")
    tree.body[start + 1 : start + 1] = ast.parse(header).body
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    for pattern, new in EVERYWHERE:
        text = re.sub(pattern, new, text)
    for old, new in CHANGES.get(module, ()):
        if old not in text:
            stop(f"adsearch/{module.replace('.', '/')}.py has no {old!r} any more; change it in CHANGES too")
        text = text.replace(old, new)
    return text


def _parsed(module: str) -> ast.Module:
    return ast.parse((ROOT / "adsearch" / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))


def build(folder: Path) -> list[Path]:
    """Compile the package into the folder; return its files, relative to the folder."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if not shutil.which(os.environ.get("CC", compiler).split()[0]):
        stop(f"there is no C compiler ({compiler}); on Debian and Ubuntu: apt install gcc libc6-dev")
    package = folder / form.PACKAGE
    (package / "games").mkdir(parents=True)
    sources = []
    for module in ("bits", *form.MODULES):
        source = package / f"{module.replace('.', '/')}.py"
        source.write_text(BITS if module == "bits" else copy(module), encoding="utf-8")
        sources.append(str(source.relative_to(folder)))
    (package / "games" / "__init__.py").write_text("", encoding="utf-8")
    names = (*form.MODULES, "result")
    fingerprints = {name: form.fingerprint(import_module(f"adsearch.{name}")) for name in names}
    (package / "__init__.py").write_text(
        f'"""Modules of adsearch, compiled; see `adsearch.form`."""\n\n'
        f"DIGEST = {form.digest()}\nFINGERPRINTS = {fingerprints}\n",
        encoding="utf-8",
    )
    words = ["--ignore-missing-imports", *sources]
    setup = (
        "from setuptools import setup; from mypyc.build import mypycify; "
        f"compiled = mypycify({words}, group_name={form.PACKAGE!r}, opt_level='3', debug_level='0'); "
        f"setup(name={form.PACKAGE!r}, packages=[], ext_modules=compiled)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", setup, "build_ext", "--inplace"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    libraries = [path.relative_to(folder) for path in sorted(folder.rglob("*.so"))]
    built = [path for path in libraries if path.parts[0] != "build"]
    if done.returncode or len(built) != len(sources) + 1:
        print("\n".join(done.stdout.splitlines()[-30:]), file=sys.stderr)
        stop(f"compiling failed with {sys.executable}, see above; the extra `fast` has what it needs")
    return [*built, Path(form.PACKAGE, "games", "__init__.py"), Path(form.PACKAGE, "__init__.py")]


def install() -> None:
    """Compile the package, and put it where this interpreter finds it in place of an older one."""
    site = Path(sysconfig.get_path("platlib"))
    with tempfile.TemporaryDirectory() as folder:
        files = build(Path(folder))
        # Without its first file the older package is not used any more; the new one is there with its last.
        for old in (site / form.PACKAGE / "__init__.py", *site.glob(f"{form.PACKAGE}__*"), site / form.PACKAGE):
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
        for file in files:
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(Path(folder) / file, site / file)
    print("adsearch is compiled: `arena doctor` says which form runs")


def stop(reason: str) -> NoReturn:
    """End with that message."""
    print(f"fast: {reason}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    try:
        install()
    except KeyboardInterrupt:
        stop("interrupted; what was compiled before is still there, unless files were being copied")
