"""Openings from files: positions as EPD and FEN, games as PGN, moves in lines."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from adsearch import games
from arena.errors import BadLeague
from arena.match.openings import Book, ListedOpening, Opening
from arena.tournament.league import League, changes_between, from_arguments

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
EPD = f"""\
{START} w KQkq - bm e4; id "start";

# a comment
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 9
{START} w KQkq - 0 1
"""
PGN = """\
[Event "one"]

1. e4 {best} e5 (1... c5 2. c3) 2. Nf3! Nc6 1-0

[Event "two"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]

7... Kd7 8. e4 *
"""


def read(folder: Path, name: str, text: str, game: str = "chess", **more: Any) -> ListedOpening:
    (folder / name).write_text(text, "utf-8")
    found = league(folder, game, openings={"file": str(folder / name), **more}).openings
    assert isinstance(found, ListedOpening)
    return found


def league(_: Path, game: str, **keys: Any) -> League:
    return from_arguments(game, ["random", "random"], **keys)


def test_lines_of_epd_and_fen_are_positions(tmp_path: Path) -> None:
    found = read(tmp_path, "book.epd", EPD).openings
    assert found == (
        Opening((), f"{START} w KQkq - 0 1"),
        Opening((), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 9"),
    )


def test_games_of_pgn_are_openings_with_their_positions(tmp_path: Path) -> None:
    found = read(tmp_path, "book.pgn", PGN, plies=3).openings
    assert found == (
        Opening(("e2e4", "e7e5", "g1f3")),
        Opening(("e8d7", "e2e4"), "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"),
    )


def test_positions_of_any_game_are_openings(tmp_path: Path) -> None:
    positions = []
    for first in range(1, 4):
        state = games.start("connect4")
        positions.append(state.play(state.from_text(str(first))).position())
    found = read(tmp_path, "book.fen", "\n".join(positions), "connect4").openings
    assert [opening.position for opening in found] == positions


@pytest.mark.parametrize(
    ("name", "text", "game", "reason"),
    [
        ("a.epd", f"{START} w KQkq -\n{START} w KQkq\n", "chess", "a.epd, line 2: chess: expected a position in FEN"),
        ("a.epd", "7k/6Q1/6K1/8/8/8/8/8 b - -", "chess", "a.epd, line 1: an opening must not end the game, but it is"),
        ("a.pgn", "1. e4 e5 2. Kd4 *", "chess", "a.pgn, game at line 1, move 3: expected a legal move"),
        ("a.pgn", '[FEN "zz"]\n\n1. e4 *', "chess", "a.pgn, game at line 1: chess: expected a position in FEN"),
        ("a.pgn", "1. f3 e5 2. g4 Qh4 *", "chess", "but these moves do; plies = 16 takes the first 16"),
        ("a.pgn", "1. e4 *", "othello", "PGN has openings of chess, not of othello"),
        ("a.epd", "", "chess", "a.epd: expected openings, a position in each line; the file has none"),
    ],
)
def test_every_line_is_checked_before_the_first_game(
    tmp_path: Path, name: str, text: str, game: str, reason: str
) -> None:
    with pytest.raises(BadLeague) as caught:
        read(tmp_path, name, text, game)
    assert str(caught.value).startswith("openings: file: ")
    assert reason in str(caught.value)


def test_openings_with_positions_are_refused_beside_a_position(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(EPD, "utf-8")
    with pytest.raises(BadLeague, match=r"^openings: these openings have positions of their own"):
        league(tmp_path, "chess", openings=str(tmp_path / "book.epd"), position=f"{START} b KQkq - 0 1")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"order": "gven"}, "openings: order: expected 'random' or 'given', got 'gven'"),
        ({"start": 0}, "openings: start: expected a whole number from 1 to"),
        ({"plys": 4}, "openings: unknown key 'plys'; did you mean 'plies'?"),
    ],
)
def test_what_is_said_of_the_file_is_checked(tmp_path: Path, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadLeague, match=reason.replace("?", r"\?")):
        read(tmp_path, "book.epd", EPD, **more)


def drawn(listed: ListedOpening, count: int, *players: str, seed: int = 1) -> list[str]:
    book = Book("chess", listed, seed=seed)
    return [book.opening(cycle, *players).position for cycle in range(count)]


def many(count: int) -> list[str]:
    """Positions of chess, all different."""
    random, found = Random(1), dict[str, None]()
    while len(found) < count:
        state = games.start("chess")
        for _ in range(6):
            state = state.play(random.choice(state.moves()))
        if state.turn is not None:
            found[" ".join(state.position().split()[:6])] = None
    return [*found]


def test_none_repeats_before_all_were_used_and_the_order_is_as_asked(tmp_path: Path) -> None:
    positions = many(20)
    text = "\n".join(positions)
    given = read(tmp_path, "book.epd", text, order="given", start=19)
    assert drawn(given, 22, "ann", "bob") == [*positions[18:], *positions]
    random = read(tmp_path, "book.epd", text)
    one, other = (drawn(random, 40, *players) for players in (("ann", "bob"), ("ann", "cid")))
    assert sorted(one[:20]) == sorted(positions) == sorted(other[:20])
    assert one[20:] == one[:20]
    assert one != other
    assert drawn(random, 20, "bob", "ann") == one[:20]


def test_a_tournament_keeps_what_tells_one_book_from_another(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    file.write_text(EPD, "utf-8")
    before = league(tmp_path, "chess", openings={"file": str(file)})
    kept = before.settings()["openings"]
    assert (kept["file"], kept["count"], kept["order"], kept["start"]) == ("book.epd", 2, "random", 1)
    assert "openings" not in kept
    same = league(tmp_path, "chess", openings={"file": str(file)}).settings()
    assert changes_between(before.settings(), same).refused == ()
    file.write_text(EPD.partition("\n")[0], "utf-8")
    after = changes_between(before.settings(), league(tmp_path, "chess", openings={"file": str(file)}).settings())
    assert [one.partition(":")[0] for one in after.refused] == ["openings"]
