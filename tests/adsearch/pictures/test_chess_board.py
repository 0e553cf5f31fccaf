"""The picture of a chess position has each piece on its square."""

from __future__ import annotations

import pytest

from adsearch import games
from adsearch.games.chess import Chess
from tests.kit.svg_reading import Seen, seen

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def squares(picture: str) -> Seen:
    """The background of the squares."""
    return next(one for one in seen(picture) if "pale" in one.classes)


def square(x: float, y: float, ground: Seen) -> str:
    """The name of the square at a place of the picture."""
    side = float(ground.element.get("width", "nan")) / 8
    column, row = (x - ground.x - float(ground.element.get("x", "nan"))) / side, (y - ground.y) / side
    return f"{'abcdefgh'[int(column)]}{8 - int(row)}"


@pytest.mark.parametrize("fen", ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", KIWIPETE])
def test_each_piece_is_on_its_square_in_its_colour_and_shape(fen: str) -> None:
    state = Chess.load(fen)
    picture = state.svg(state.moves()[0])
    ground = squares(picture)
    outlines: dict[str, set[str]] = {}
    drawn = {}
    for one in seen(picture):
        if one.kind == "path" and one.classes in (["white"], ["black"]):
            name = square(one.x, one.y, ground)
            letter = state.cell(8 - int(name[1]), "abcdefgh".index(name[0]))
            outlines.setdefault(letter.lower(), set()).add(one.element.get("d", ""))
            drawn[name] = one.classes == ["white"]
            assert drawn[name] is letter.isupper()
    assert len(drawn) == sum(letter.isalpha() for letter in fen.split()[0])
    assert sorted(outlines) == sorted("kqrbnp")
    assert len(set.union(*outlines.values())) == 6


def test_the_squares_of_the_last_move_have_a_frame() -> None:
    state = games.load("chess", KIWIPETE)
    for text in ("e1g1", "a2a4", "f3h3"):
        move = state.from_text(text)
        picture = state.play(move).svg(move)
        ground = squares(picture)
        frames = [one for one in seen(picture) if "last" in one.classes]
        places = [(one.x + float(one.element.get("x", "")), one.y + float(one.element.get("y", ""))) for one in frames]
        assert [square(*place, ground) for place in places] == [text[:2], text[2:]]


def test_a_check_is_said_below_the_board_and_a_mate_is_an_end() -> None:
    state = games.start("chess")
    for text, below in (("f3", "Black to move"), ("e5", "White to move"), ("g4", "Black to move")):
        state = state.play(state.from_text(text))
        assert f">{below}</text>" in state.svg()
    assert ">White to move, in check</text>" in games.load("chess", "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1").svg()
    assert ">Black has won: checkmate</text>" in state.play(state.from_text("Qh4")).svg()
