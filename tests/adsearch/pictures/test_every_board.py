"""The board of every game, at any position."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from adsearch import State, games
from adsearch.games.go import PASS
from adsearch.games.grid import LineGame
from adsearch.pictures.boards.paper import DARK, LIGHT, RIM
from adsearch.pictures.svg import split_style
from tests.kit.effort import tries
from tests.kit.every_game import EVERY, AnyState, playout
from tests.kit.notebooks import check_shown
from tests.kit.svg_reading import SVG, box, seen

EXTREME = [
    *("tictactoe:m=1,n=1,k=1", "tictactoe:m=19,n=19,k=5", "connect4:rows=4,columns=12", "nap:n=1", "nap:n=200"),
    *("grundy:pile=1", "grundy:pile=1000", "grundy:piles=301+300+2+1", "dots:rows=8,columns=8"),
    *("dots:rows=1,columns=1", "pig:goal=500,sides=20,bust=0", "pig:goal=2", "ludo:players=3,tokens=2"),
    *("maze:map=open,ghosts=3", "maze:map=trap,ghosts=1", "rps:rounds=100", "rps:rounds=11", "go:size=19"),
]
BOARDS = [*EVERY, *EXTREME]
every_board = pytest.mark.parametrize("spec", BOARDS)


def pictures(spec: str, *, seed: int = 0, most: int = 8) -> list[tuple[AnyState, Any, str]]:
    """Positions of a random game, the first and the last among them, each with the move before it and its picture."""
    found: list[tuple[AnyState, Any]] = []
    last = None
    for state, move in playout(spec, seed):
        found.append((state, last))
        last = move
    if len(found) > most:
        found = [
            found[0],
            *(found[at] for at in sorted(Random(seed).sample(range(1, len(found) - 1), most - 2))),
            found[-1],
        ]
    return [(state, last, state.svg(last)) for state, last in found]


@every_board
def test_a_notebook_shows_the_board(spec: str) -> None:
    for state, _ in [*playout(spec, 0)][::10]:
        assert check_shown(state) == state.svg()


@every_board
def test_all_of_it_is_inside_the_picture_and_no_two_texts_touch(spec: str) -> None:
    for seed in range(tries(1, soak=10)):
        for _, _, picture in pictures(spec, seed=seed):
            root = fromstring(picture)
            width, height = float(root.get("width", "nan")), float(root.get("height", "nan"))
            assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
            boxes = [(one, room) for one in seen(picture) if (room := box(one)) is not None]
            for one, room in boxes:
                inside = 0 <= room.left <= room.right <= width and 0 <= room.top <= room.bottom <= height
                assert inside, (one, one.element.attrib, one.element.text, room)
            texts = [(one.element.text, room) for one, room in boxes if one.kind == "text"]
            if root.get("class") == "board" and len(texts) < 120:
                for one_text, other in combinations(texts, 2):
                    assert not one_text[1].overlaps(other[1]), (one_text, other)


@every_board
def test_it_tells_the_position_in_words(spec: str) -> None:
    for state, _, picture in pictures(spec):
        root = fromstring(picture)
        assert root.get("role") == "img"
        assert [child.tag for child in root][:2] == [SVG + "title", SVG + "desc"]
        title, told = root[0].text or "", root[1].text or ""
        assert title.isprintable()
        assert 5 < len(title) < 160
        assert told
        assert told.isprintable()
        goes_on = any(word in title for word in ("to move", "moves", "throws", "chance", "dealt"))
        assert goes_on == (state.turn is not None)


@every_board
def test_the_same_position_gives_the_same_picture_and_is_left_as_it_was(spec: str) -> None:
    for state, last, picture in pictures(spec, most=4):
        before = state.position()
        assert state.svg(last) == picture
        assert games.load(spec, before).svg(last) == picture
        assert state.position() == before
        assert state.svg()


@every_board
def test_it_is_taken_apart_into_the_one_sheet_and_a_drawing_without_it(spec: str) -> None:
    for _, _, picture in pictures(spec, most=3):
        sheet, drawing = split_style(picture)
        kind = fromstring(drawing).get("class")
        assert "style" not in drawing
        assert "&" not in sheet
        assert sheet.count(f".{kind} ") > 20
        for rules in re.sub(r"@media [^{]*\{", "", sheet).split("}")[:-2]:
            for selector in rules.partition("{")[0].split(","):
                assert re.match(rf"\s*\.{kind}( |$)", selector), selector
        if kind == "board":
            assert sheet == f"{LIGHT}\n@media (prefers-color-scheme: dark) {{\n{DARK}\n}}"
        assert " id=" not in picture
        assert "href" not in picture
        assert len(drawing) < 50_000


@pytest.mark.costly
def test_what_a_board_has_a_class_for_has_a_rule_and_every_rule_is_of_use() -> None:
    used: set[str] = {"board"}
    for spec in BOARDS:
        for _, _, picture in pictures(spec, most=12):
            if 'class="board"' in picture:
                used.update(name for one in seen(picture) for name in one.classes)
    used |= {name for view in ("?K", "Q?") for one in seen(games.load("kuhn", view).svg()) for name in one.classes}
    styled = set(re.findall(r"\.([a-zA-Z][\w-]*)", re.sub(r"\{.*?\}", "", f"{LIGHT}\n{DARK}")))
    unstyled = {"caption", "on-token", "pile", "power", "rolls", "token"}
    assert used - styled == unstyled
    assert styled - used == set()


# What is drawn is what is there.


def counted(picture: str) -> Counter[str]:
    """How often each class is there, the caption aside; a path of dots counts each of them."""
    found: Counter[str] = Counter()
    for one in seen(picture):
        if not one.captioned:
            steps = one.element.get("d", "")
            times = steps.count("h.01") or steps.count(STONE) or 1
            found.update(dict.fromkeys(one.classes, times))
    return found


WITH_MARKS = ("tictactoe", "connect4", "othello", "go")


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith(WITH_MARKS)])
def test_every_mark_and_disc_is_drawn(spec: str) -> None:
    x, o = {"t": ("x", "o"), "c": ("yellow", "red"), "o": ("black", "white"), "g": ("black", "white")}[spec[0]]
    for state, _, picture in pictures(spec):
        cells = state.position().partition(" ")[0]
        assert (counted(picture)[x], counted(picture)[o]) == (cells.count("x"), cells.count("o"))


STONE = "a13.5,13.5 0 1 1-.01,0z"
"""How the outline of a stone goes on after its top."""
GO_BOARDS = [spec for spec in BOARDS if spec.partition(":")[0] == "go"]


@pytest.mark.parametrize("spec", GO_BOARDS)
def test_the_last_stone_has_a_ring_and_a_pass_has_none(spec: str) -> None:
    for state, last, picture in pictures(spec):
        found = counted(picture)
        stone = None if last in (None, PASS) else state.cell(*divmod(last, state.board.size))
        assert (found["last-on-black"], found["last-on-white"]) == (stone == "x", stone == "o")
        assert (" passed, " in picture) == (last == PASS and state.turn is not None)


@pytest.mark.parametrize("spec", GO_BOARDS)
def test_stones_are_on_their_points(spec: str) -> None:
    for state, _, picture in pictures(spec):
        size = state.board.size
        wanted = {
            (side, f"{RIM + 15 + 30 * column:g},{RIM + 15 + 30 * row - 13.5:g}")
            for row, column in product(range(size), repeat=2)
            if (side := {"x": "black", "o": "white"}.get(state.cell(row, column)))
        }
        stones = [one for one in seen(picture) if STONE in one.element.get("d", "")]
        assert wanted == {
            (name, top)
            for one in stones
            for name in one.classes
            for top in re.findall(rf"M([\d.,]+){STONE}", one.element.get("d", ""))
        }


@pytest.mark.parametrize("spec", GO_BOARDS)
def test_stones_and_squares_at_the_end_are_the_areas(spec: str) -> None:
    for state, _, picture in pictures(spec):
        found = counted(picture)
        shown = tuple(found[side] + found[f"{side}-area"] for side in ("black", "white"))
        assert shown == state.areas() or state.turn is not None
        assert state.turn is None or not found["black-area"] + found["white-area"]


@pytest.mark.parametrize(
    ("size", "stars"),
    [
        (6, ""),
        (9, "C7 G7 C3 G3 E5"),
        (13, "D10 K10 D4 K4 G7"),
        (19, "D16 K16 Q16 D10 K10 Q10 D4 K4 Q4"),
    ],
)
def test_star_points_are_where_boards_have_them(size: int, stars: str) -> None:
    """As on the boards of Sensei's Library, "Hoshi"."""
    state = games.start(f"go:size={size}")
    picture = state.svg()
    centres = {}
    for name in stars.split():
        row, column = divmod(state.from_text(name), size)
        centres[f"{RIM + 15 + 30 * column:g},{RIM + 15 + 30 * row:g}"] = name
    drawn = [one.element.get("d", "") for one in seen(picture) if one.element.get("stroke-width") == "6"]
    assert set(re.findall(r"M([\d,]+)h.01", "".join(drawn))) == set(centres)


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith("dots")])
def test_every_edge_and_box_is_drawn(spec: str) -> None:
    for state, last, picture in pictures(spec):
        found = {name: one for one in seen(picture) for name in one.classes if name in ("drawn", "dim")}
        edges = {name: one.element.get("d", "").count("M") for name, one in found.items()}
        assert edges.get("drawn", 0) == state.edges.bit_count()
        assert edges.get("dim", 0) == len(state.moves())
        assert (counted(picture)["of-x"], counted(picture)["of-o"]) == (state.x.bit_count(), state.o.bit_count())
        assert counted(picture)["last"] == (last is not None)


def test_every_man_and_king_is_drawn() -> None:
    for seed in range(5):
        for state, _, picture in pictures("checkers", seed=seed):
            found = counted(picture)
            assert (found["black"], found["white"]) == (state.black.bit_count(), state.white.bit_count())
            assert found["crown"] == state.kings.bit_count()


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith("nap")])
def test_every_number_is_drawn_as_what_it_is(spec: str) -> None:
    for state, _, picture in pictures(spec):
        texts = [one.element.text for one in seen(picture) if one.kind == "text" and not one.captioned]
        assert texts == [str(number) for number in range(1, state.n + 1)]
        found = counted(picture)
        assert (found["on-ink"], found["cell"]) == (len(state.marks), len(state.moves()))


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith("grundy")])
def test_every_stone_is_drawn_unless_there_are_too_many(spec: str) -> None:
    for state, _, picture in pictures(spec):
        drawn = [pile for pile, times in Counter(state.piles).items() for _ in range(times if times <= 20 else 1)]
        found = counted(picture)
        assert found["stone"] + found["small"] == sum(pile for pile in drawn if pile <= 300)
        assert found["heap"] == sum(pile > 300 for pile in drawn)
        assert found["pile"] == len(drawn)
        numbers = [one.element.text or "" for one in seen(picture) if one.kind == "text" and not one.captioned]
        assert sum(int(number.partition(" × ")[0]) if "×" in number else 1 for number in numbers) == len(state.piles)


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith("ludo")])
def test_every_token_is_drawn_or_counted(spec: str) -> None:
    for state, _, picture in pictures(spec, most=30):
        texts = [one.element.text or "" for one in seen(picture) if "on-token" in one.classes and not one.captioned]
        found = Counter(dict.fromkeys(state.board.letters, 0))
        for text in texts:
            found[text[0]] += int(text[1:] or 1)
        assert set(found.values()) == {state.board.tokens}


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if spec.startswith("maze")])
def test_every_pellet_and_everyone_in_the_maze_is_drawn(spec: str) -> None:
    for state, _, picture in pictures(spec):
        found = counted(picture)
        assert found["pellet"] == state.pellets.bit_count() + state.power.bit_count()
        assert found["power"] == state.power.bit_count()
        assert (found["runner"], found["scared"]) == (1, state.scared.bit_count())
        assert found["ghost"] == len(state.ghosts) - state.scared.bit_count()


@pytest.mark.parametrize("spec", ["rps", "rps:rounds=11"])
def test_every_choice_is_drawn_and_who_won_the_round(spec: str) -> None:
    for state, _, picture in pictures(spec, most=30):
        found = counted(picture)
        assert found["nothing"] == 2 * state.rounds - len(state.chosen)
        rounds = list(zip(state.chosen[::2], state.chosen[1::2], strict=False))
        assert found["wins"] == sum(first != second for first, second in rounds)


def test_the_tree_is_drawn_with_the_way_to_the_position() -> None:
    state = games.start("tree:professors").play("C").play("G")
    told = fromstring(state.svg("G"))[1].text or ""
    assert "Position: A C G." in told
    lines = [one for one in seen(state.svg("G")) if one.kind == "line" and "best" in one.classes]
    assert len(lines) == 2


def test_a_large_tree_is_drawn_from_the_position_on_and_a_larger_one_is_told(tmp_path: Path) -> None:
    wide = {f"n{n}": {f"m{n}-{m}": m for m in range(20)} for n in range(9)}
    (tmp_path / "wide.json").write_text(json.dumps({"tree": {"A": wide}}))
    start = games.start(f"tree:file={tmp_path / 'wide.json'}")
    assert "more" in start.svg()
    assert 'class="board"' in start.svg()
    assert start.play("n3").svg("n3").count('<rect class="node end"') == 20


# What seats do not know is not shown.


@pytest.mark.parametrize("seat", [0, 1])
def test_a_view_is_drawn_without_what_the_seat_does_not_see(seat: int) -> None:
    state = games.load("kuhn", "QK check")
    for shown, there in ((state, 0), (games.load("kuhn", state.view(seat)), 1)):
        letters = [one.element.text for one in seen(shown.svg()) if one.kind == "text"]
        assert letters.count("?") == there
        assert ("QK"[1 - seat] in letters) == (not there)
        assert ("not known" in shown.svg()) == bool(there)
    chosen = games.start("rps").play("rock")
    assert ("rock" in chosen.svg("rock"), "rock" in games.load("rps", chosen.view(1)).svg("?")) == (True, False)


def test_a_hand_that_ends_among_unknown_cards_is_drawn() -> None:
    assert "not known" in games.load("kuhn", "Q? bet call").svg()


# Games of somebody's own.

AWKWARD = (
    "<script>alert(1)</script>",
    "]]>&amp;\"'</style></svg>",
    "a\tb\x1b[31mred\x00\ud800\u202e",
    "素人の将棋 " * 3,
    "W" * 64,
    "x" * 5000,
    "\n" * 400,
    "",
    "  x  o\n o  x ",
)


class Odd(State[int]):
    """A game whose board is any text."""

    turn = 0

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class Own(LineGame):
    """A game of lines that is none of ours."""

    turn = 1

    def __str__(self) -> str:
        return "x o"


def test_a_game_that_shares_only_the_base_of_ours_is_drawn_as_its_text() -> None:
    assert "Own: second player to move" in Own().svg()


@pytest.mark.parametrize("text", AWKWARD, ids=range(len(AWKWARD)))
def test_any_text_is_a_board(text: str) -> None:
    picture = Odd(text).svg(3)
    root = fromstring(picture)
    assert float(root.get("width", "nan")) < 4000
    assert float(root.get("height", "nan")) < 4000
    assert {one.kind for one in seen(picture)} <= {"title", "desc", "style", "rect", "g", "text"}
    assert "first player to move" in picture


@pytest.mark.parametrize("spec", [spec for spec in BOARDS if not spec.startswith("tree")])
def test_no_board_counts_players_from_0(spec: str) -> None:
    """But trees do, which are for lectures."""
    assert not any(re.search(r"\bseat \d", state.svg(), re.IGNORECASE) for state, _ in [*playout(spec, 0)][::7])


def test_the_lines_of_a_board_are_drawn_as_they_are() -> None:
    texts = [one for one in seen(Odd("  x  o\n\n o  x ").svg()) if "mono" in one.classes]
    assert [one.element.text for one in texts] == ["\xa0\xa0x\xa0\xa0o", "\xa0o\xa0\xa0x"]
    assert float(texts[1].element.get("y", "0")) - float(texts[0].element.get("y", "0")) == 36


def test_a_tree_with_labels_of_markup_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(json.dumps({"tree": {"<b>": {"</svg>": 1, "&\"'": {"]]>": 2, "W" * 64: 3}}}}))
    start = games.start(f"tree:file={tmp_path / 'odd.json'}")
    for state in (start, start.play("&\"'"), start.play("</svg>")):
        assert "</svg>" in [one.element.text for one in seen(state.svg())]


# The price.


def test_no_game_draws_before_it_is_asked_to() -> None:
    code = """if True:
        import sys
        from adsearch import games
        for name in games.names():
            state = games.start(name)
            str(state), state.moves()
        print(*(name for name in sys.modules if name.startswith("adsearch.pictures")))
    """
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "\n"
