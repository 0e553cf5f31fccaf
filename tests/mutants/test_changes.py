"""Every change is small, wrong and a program; a change is known again when its lines move."""

from pathlib import Path

import pytest

from tests import mutants
from tests.mutants.changes import Change, changes


def found(source: str) -> list[tuple[str, str]]:
    """Each change, and the line or lines that it leaves."""
    return [(change.what, change.applied(source)) for change in changes(source)]


@pytest.mark.parametrize(
    ("source", "what", "changed"),
    [
        ("a < b", "`<` -> `<=`", "a <= b"),
        ("(a) >= (b)", "`>=` -> `>`", "(a) > (b)"),
        ("a not  in b", "`not in` -> `in`", "a in b"),
        ("a is b", "`is` -> `is not`", "a is not b"),
        ("x = a == b", "`==` -> `!=`", "x = a != b"),
        ("a and b", "`and` -> `or`", "a or b"),
        ("ä + b", "`+` -> `-`", "ä - b"),
        ("x = 0", "`0` -> `1`", "x = 1"),
        ("x = 0.5", "`0.5` -> `1.5`", "x = 1.5"),
        ("x = True", "`True` -> `False`", "x = False"),
        ("x = min(a, b)", "`min` -> `max`", "x = max(a, b)"),
        ("go(a)", "dropped", "pass"),
        ("a.b = c", "dropped", "pass"),
        ("a.b: int = c", "dropped", "pass"),
        ("a += b", "dropped", "pass"),
        ("def f():\n    return a", "returns None", "def f():\n    return None"),
        ("def f(a=1): ...", "`1` -> `2`", "def f(a=2): ..."),
    ],
)
def test_a_change_replaces_its_own_characters(source: str, what: str, changed: str) -> None:
    assert found(source) == [(what, changed)]


@pytest.mark.parametrize(
    "source",
    [
        '"""Text."""',
        "x = 'a' + b",
        "x: Literal[1]",
        "def f(a: Literal[1]) -> Literal[2]: ...",
        "@go(1)\ndef f(): ...",
        "class A(B, tag=1): ...",
        "raise Wrong(a + b)",
        "assert a, b + c",
        "x = f'{a + 1}'",
        "def f(self):\n    return",
        "class A:\n    def __repr__(self):\n        return a + 1",
        "if TYPE_CHECKING:\n    x = 1",
        "x = zip(a, b, strict=True)",
    ],
)
def test_what_should_not_matter_is_not_changed(source: str) -> None:
    assert changes(source) == []


def test_a_change_knows_its_function_and_the_head_of_its_statement() -> None:
    source = (
        "class A:\n    B = 1\n\n    def f(self):\n        if (\n            a < b\n        ):\n            c.go()\n"
    )
    places = [(change.function, change.runs_on_import, change.first, change.last) for change in changes(source)]
    assert places == [("A", True, 2, 2), ("A.f", False, 5, 7), ("A.f", False, 8, 8)]


def test_a_change_keeps_its_identity_when_lines_move() -> None:
    def identities(source: str) -> list[tuple[str, str, str]]:
        return [change.identity for change in changes(source)]

    source = "def f():\n    return a < b < c\n"
    line = "return a < b < c"
    assert identities(source) == [
        ("f", line, "returns None"),
        ("f", line, "`<` -> `<=`"),
        ("f", line, "`<` -> `<=` (2)"),
    ]
    assert identities(f"import a\n\n{source}") == identities(source)


def test_a_change_that_means_the_same_is_refused() -> None:
    with pytest.raises(ValueError, match="expected another program"):
        Change("", "x = 1", "`1` -> `0x1`", True, 1, 1, 4, 5, "0x1").applied("x = 1")


def test_each_change_of_a_long_module_is_another_program() -> None:
    source = Path(mutants.changes.__file__).read_text("utf-8")
    some = changes(source)
    assert len({change.applied(source) for change in some}) == len(some) > 50
