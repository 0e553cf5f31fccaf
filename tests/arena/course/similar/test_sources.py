"""Tokens: what a copier changes leaves them as they are, and no text takes more than one pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course.similar.sources import FAMILY, tokens_of

PYTHON = '''
def best(state, depth):
    """The best move."""
    moves = state.moves()  # all of them
    return max(moves, key=lambda move: value(state.play(move), depth - 1))
'''
JAVA = """
/** The best move. */
int best(State state, int depth) { // all of them
    for (Move move : state.moves()) { if (value(move, "x", 'y') > 3.5e-1) return move; }
}
"""


def codes(text: str, extension: str = ".py") -> tuple[int, ...]:
    return tokens_of(text, extension).codes


@pytest.mark.parametrize(
    "copy",
    [
        PYTHON.replace("best", "find").replace("depth", "d").replace("value", "worth"),
        PYTHON.replace('    """The best move."""\n', "").replace("# all of them", "\n"),
        PYTHON.replace("    ", "\t").replace("(state, depth)", "(\n  state,\n  depth)").replace("\n", "\r\n"),
        PYTHON.replace("- 1", "- 200").replace("moves = state.moves()", "moves = (state.moves())"),
        PYTHON.replace("= state.moves()", "= \\\n  state.moves()"),
        "'''More\nabout it.'''\n" + PYTHON + '\n"the end"',
    ],
)
def test_names_comments_layout_and_numbers_do_not_matter_in_python(copy: str) -> None:
    assert codes(copy) == codes(PYTHON) != ()


@pytest.mark.parametrize(
    "copy",
    [
        JAVA.replace("best", "find").replace("move", "m").replace("State", "Position"),
        JAVA.replace("/** The best move. */", "").replace("// all of them", "/* all\n of * them */"),
        JAVA.replace("\n", " ").replace("// all of them", ""),
        JAVA.replace('"x"', r'"a \" // b"').replace("'y'", r"'\''").replace("3.5e-1", "0x1F"),
    ],
)
@pytest.mark.parametrize("extension", [".java", ".c", ".JS"])
def test_the_same_in_languages_with_braces(copy: str, extension: str) -> None:
    assert codes(copy, extension) == codes(JAVA, extension) != ()


@pytest.mark.parametrize(
    "other",
    [
        PYTHON.replace("max", "min"),
        PYTHON.replace("state.moves()", "state.chances()"),
        PYTHON.replace("- 1", "+ 1"),
        PYTHON.replace("return", "yield"),
    ],
)
def test_what_a_copier_cannot_rename_matters(other: str) -> None:
    assert codes(other) != codes(PYTHON)


def test_a_list_of_values_is_one_value() -> None:
    assert codes("x = [1, 2, 3]") == codes("y = [4.5, 'a', 'b', 7]") == codes("y = [4]")
    assert codes("x = {'a': 1, 'b': 2}") == codes("x = {'a'}")
    assert codes("x = [1, -2, 3, -4]") == codes("x = [1]") != codes("x = [a, 1]")


def test_a_string_that_is_used_is_not_a_docstring() -> None:
    assert len(codes("x = 'a'")) == len(codes("'a'.join(x)")) == 3


def test_the_places_are_those_in_the_text() -> None:
    found = tokens_of(PYTHON, ".py")
    words = [PYTHON[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert words == [
        *("def", "best", "state", ",", "depth", ":", "moves", "=", "state", ".moves"),
        *("return", "max", "moves", ",", "key", "=", "lambda", "move", ":", "value", "state", ".play", "move"),
        *(",", "depth", "-", "1"),
    ]


@pytest.mark.parametrize("name", ["README.md", "book.bin", "table.json", "agent"])
def test_a_file_that_is_not_code_has_no_tokens(name: str) -> None:
    assert codes("def f(): pass", name[name.find(".") :]) == ()


def test_only_the_first_tokens_are_read() -> None:
    found = tokens_of("x = y\n" * 1000, ".py", most=10)
    assert (len(found.codes), found.cut) == (10, True)
    assert not tokens_of("x = y\n# and a comment", ".py", most=3).cut


ENDLESS = (
    '"',
    '"""',
    "'''",
    "/*",
    "/* ",
    "//",
    "`",
    "(",
    "{[",
    "\\",
    "\\\n",
    '"\\',
    "1e+",
    "rb'",
    "#",
    "\0",
    "é",
    "x=1;",
)


@pytest.mark.parametrize("extension", [".py", ".c"])
@pytest.mark.parametrize("piece", ENDLESS)
def test_a_hostile_text_is_read_in_one_pass(piece: str, extension: str) -> None:
    """If each piece made a search to the end of the text, this would take minutes."""
    found = tokens_of(piece * (1_000_000 // len(piece)), extension, most=10_000)
    assert len(found.codes) <= 10_000


@given(st.text(st.sampled_from("ab1.+-=\"'`#/*\\\n \t([{,:é\ufffd")), st.sampled_from(sorted(FAMILY)))
def test_every_text_has_tokens_in_their_order(text: str, extension: str) -> None:
    found = tokens_of(text, extension)
    assert len(found.codes) == len(found.starts) == len(found.ends)
    assert all(start < end for start, end in zip(found.starts, found.ends, strict=True))
    assert all(end <= start for end, start in zip(found.ends, found.starts[1:], strict=False))
