"""What is reported as a copy, what is not, and how much of it is shared."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.course.similar import (
    FAMILY,
    GUARANTEED,
    LEAST_SHARE,
    LEAST_TOKENS,
    LENGTH,
    MOST_TOKENS,
    WINDOW,
    Kind,
    SimilarPair,
    Source,
    chosen,
    compare,
    hashes,
    of_contents,
    tokens_of,
)
from benchmarks.similar import AGENTS, COPIES, everything, half, renamed

TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(AGENTS.glob("*.txt"))}
UCT = TEXTS["uct"]


def program(agent: str, files: dict[str, str] | str, version: int | None = 1, *, elsewhere: bool = False) -> Source:
    files = {"agent.py": files} if isinstance(files, str) else files
    contents = of_contents({name: text.encode() for name, text in files.items()})
    return Source(agent, version, contents, from_elsewhere=elsewhere)


def copied(text: str, seed: int = 1) -> str:
    """The text with other names."""
    return renamed(text, Random(seed))["agent.py"]


def names(pairs: list[SimilarPair]) -> list[tuple[str, str]]:
    return [(pair.one.title, pair.other.title) for pair in pairs]


# What is found.


@pytest.mark.parametrize("change", [change for change in COPIES if change not in (everything, half)])
@pytest.mark.parametrize("name", TEXTS)
def test_a_disguised_copy_is_found(name: str, change: Callable[[str, Random], dict[str, str]]) -> None:
    (pair,) = compare([program("ann", TEXTS[name]), program("bob", change(TEXTS[name], Random(7)))])
    assert pair.share > 0.5


def test_independent_programs_for_the_same_task_are_not_reported() -> None:
    assert compare([program(name, text) for name, text in TEXTS.items()]) == []
    assert not [two for two in combinations(TEXTS, 2) if compare([program(name, TEXTS[name]) for name in two])]


def test_the_kinds_of_evidence_and_their_order() -> None:
    sources = [
        program("ann", {"agent.py": UCT, "more.py": TEXTS["table"]}),
        program("bob", {"main.py": UCT, "x.py": TEXTS["table"]}),
        program("cleo", {"agent.py": TEXTS["windows"], "copy.py": UCT}),
        program("dan", copied(TEXTS["threats"])),
        program("eve", TEXTS["threats"]),
        program("fay", TEXTS["flag"]),
        program("gil", TEXTS["flag"] + TEXTS["video"]),
        program("hal", TEXTS["closure"]),
    ]
    pairs = compare(sources)
    assert [(*pair, found.kind) for pair, found in zip(names(pairs), pairs, strict=True)] == [
        ("ann@1", "bob@1", Kind.CONTENT),
        ("ann@1", "cleo@1", Kind.FILE),
        ("bob@1", "cleo@1", Kind.FILE),
        ("dan@1", "eve@1", Kind.CODE),
        ("fay@1", "gil@1", Kind.PARTS),
    ]
    assert pairs[1].same_files == ("agent.py",)
    flag, longer = pairs[-1].share, pairs[-1].other_share
    assert flag > 0.95 > 0.7 > longer > 0.3


def test_files_that_are_not_code_are_compared_byte_by_byte() -> None:
    book = "e2e4 " * 100
    pairs = compare(
        [
            program("ann", {"agent.py": UCT, "book.txt": book}),
            program("bob", {"agent.py": TEXTS["flag"], "my.bin": book}),
        ]
    )
    assert [(pair.kind, pair.same_files) for pair in pairs] == [(Kind.FILE, ("book.txt",))]


def test_the_places_of_a_part_are_equal_code() -> None:
    (pair,) = compare([program("ann", UCT), program("bob", "# mine\n\n" + UCT.replace("Node", "Knot"))])
    assert pair.parts
    for part in pair.parts:
        one, other = (
            source.files[0].text[place.start : place.end]
            for source, place in ((pair.one, part.one), (pair.other, part.other))
        )
        assert one.replace("Node", "Knot") == other
        assert [line + 2 for line in part.one.lines] == [*part.other.lines]
    assert pair.longest == pair.parts[0].tokens > 100


@settings(max_examples=25)
@given(st.permutations(["uct", "table", "flag", "windows", "threats"]), st.integers(1, 4), st.randoms())
def test_no_token_is_counted_twice(order: list[str], taken: int, random: Random) -> None:
    mine = "".join(TEXTS[name] for name in order[:taken] * 2)
    its = "".join(copied(TEXTS[name]) for name in random.sample(order[:taken], taken))
    for pair in compare([program("ann", mine), program("bob", its)]):
        assert 0 < min(pair.share, pair.other_share) <= max(pair.share, pair.other_share) <= 1
        assert pair.tokens == sum(part.tokens for part in pair.parts)
        for places in ([part.one for part in pair.parts], [part.other for part in pair.parts]):
            ordered = sorted((place.start, place.end) for place in places)
            assert all(end <= start for (_, end), (start, _) in pairwise(ordered))


# What does not count.


def test_what_the_course_handed_out_does_not_count() -> None:
    ann, bob = program("ann", UCT), program("bob", copied(UCT))
    assert names(compare([ann, bob])) == [("ann@1", "bob@1")]
    assert compare([ann, bob], ann.files) == []
    ann, bob = (program(name, UCT + copied(TEXTS["table"])) for name in ("ann", "bob"))
    (pair,) = compare([ann, program("bob", copied(UCT) + TEXTS["table"])], program("", UCT).files)
    assert pair.share == 1.0
    assert all("Node" not in ann.files[0].text[part.one.start : part.one.end] for part in pair.parts)


@pytest.mark.parametrize(("having", "reported"), [(2, 1), (3, 3), (4, 0)])
def test_what_more_than_half_of_the_agents_have_does_not_count(having: int, reported: int) -> None:
    given = ["flag", "table", "windows", "threats", "mcts", "rollouts"]
    sources = [program(name, TEXTS[name] + UCT * (place < having)) for place, name in enumerate(given)]
    assert len(compare(sources)) == reported


def test_small_agents_and_small_shares_are_not_reported() -> None:
    small = "from agents import Agent\nclass A(Agent):\n  def choose(self, state, clock):\n  return state.moves()[0]\n"
    assert compare([program("ann", small), program("bob", small)]) == []
    shared = TEXTS["closure"]
    pairs = compare([program("ann", shared + UCT * 4), program("bob", copied(shared) + TEXTS["table"] * 4)])
    assert pairs == []
    assert (LEAST_TOKENS, LEAST_SHARE) == (50, 0.25)


def test_tables_of_values_are_not_copies_of_each_other() -> None:
    ann = TEXTS["flag"] + "A = [" + "[1, -2, 3], " * 60 + "]"
    bob = TEXTS["table"] + "B = [" + "[9, -8, 7], " * 70 + "]"
    assert compare([program("ann", ann), program("bob", bob)]) == []


# Versions, and programs from elsewhere.


def test_of_two_agents_the_versions_that_share_most_are_reported() -> None:
    sources = [
        program("ann", TEXTS["flag"], 1),
        program("ann", UCT, 2),
        program("ann", UCT + TEXTS["table"], 3),
        program("bob", copied(UCT), 1),
        program("bob", TEXTS["windows"], 2),
    ]
    assert names(compare(sources)) == [("ann@2", "bob@1")]


def test_two_agents_are_one_pair_also_if_their_files_are_compared_beside_their_versions() -> None:
    sources = [
        program("ann", UCT, 1),
        program("bob", copied(UCT), 1),
        program("ann", UCT, None),
        program("bob", copied(UCT), None),
    ]
    assert names(compare(sources)) == [("ann@1", "bob@1")]


def test_programs_from_elsewhere_are_compared_with_agents_only() -> None:
    sources = [
        program("ann", UCT),
        program("bob", TEXTS["flag"]),
        program("old/1.py", copied(UCT), None, elsewhere=True),
        program("old/2.py", copied(UCT), None, elsewhere=True),
    ]
    assert names(compare(sources)) == [("ann@1", "old/1.py"), ("ann@1", "old/2.py")]


# Hostile sources.


@pytest.mark.parametrize(
    "content",
    [
        b"x = 1;" * 1_700_000,
        b"(" * 100_000 + b")" * 100_000,
        b"\0\xff\xfe" * 10_000,
        b"def (((:\n  '''" + UCT.encode(),
        b"if a: return b(c, d)\n" * 30_000,
        "".join(chr(code) for code in range(0x20, 0x3000)).encode() * 10,
        b"",
    ],
    ids=["one line", "deep", "binary", "broken", "repeated", "letters", "empty"],
)
def test_a_hostile_source_is_compared_like_others(content: bytes) -> None:
    files = of_contents({"agent.py": content})
    hostile = [Source(name, 1, files) for name in ("eve", "fay")]
    pairs = compare([*hostile, program("ann", UCT), program("bob", copied(UCT))])
    assert ("ann@1", "bob@1") in names(pairs)
    assert sum(len(file.tokens.codes) for file in files) <= MOST_TOKENS
    assert [pair.kind for pair in pairs if pair.one.agent == "eve" and pair.other.agent == "fay"] == [
        Kind.CONTENT
    ] * bool(content)


def test_all_files_together_have_at_most_the_most_tokens() -> None:
    source = program("eve", {f"{number:02}.py": "x = y + z\n" * 2_000 for number in range(20)})
    assert sum(len(file.tokens.codes) for file in source.files) == MOST_TOKENS
    assert source.is_cut
    assert not program("ann", UCT).is_cut


# Winnowing: what is guaranteed to be found, and what is never found.


CODES = st.lists(st.integers(0, 3), max_size=40)


def chosen_hashes(codes: list[int]) -> set[int]:
    """The chosen fingerprints of a text."""
    found = hashes(codes)
    return {found[place] for place in chosen(found)}


@given(CODES, CODES, CODES, CODES, st.lists(st.integers(0, 9), min_size=GUARANTEED, max_size=60))
def test_an_equal_part_of_the_guaranteed_length_is_always_found(
    before: list[int], after: list[int], other_before: list[int], other_after: list[int], part: list[int]
) -> None:
    assert chosen_hashes(before + part + after) & chosen_hashes(other_before + part + other_after)


@given(st.integers(0, 200), st.integers(0, 1000))
def test_every_window_has_a_chosen_hash(length: int, seed: int) -> None:
    found = [(place * 7919 + seed) % 101 for place in range(length)]
    places = chosen(found)
    assert places == sorted({*places})
    assert all(any(place in range(start, start + WINDOW) for place in places) for start in range(length - WINDOW + 1))
    assert bool(places) == bool(found)


def test_of_equal_hashes_in_a_window_the_last_is_chosen() -> None:
    assert chosen([5] * WINDOW) == [WINDOW - 1]
    assert chosen([*range(WINDOW), 0]) == [0, WINDOW]


@given(st.lists(st.integers(0, 3), max_size=LENGTH - 1))
def test_a_text_shorter_than_a_fingerprint_has_none(codes: list[int]) -> None:
    assert hashes(codes) == []
    assert chosen([]) == []


# Tokens: what a copier changes leaves them as they are, and no text takes more than one pass.


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
