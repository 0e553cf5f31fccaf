"""Tic-tac-toe against published counts, and extreme m,n,k-games."""

from collections import Counter

import pytest

from adsearch import games
from adsearch.errors import BadPosition
from adsearch.games.tictactoe import TicTacToe, board
from tests.kit.every_game import AnyState, positions
from tests.kit.game_facts import facts, value

FACTS = facts("games.json")["tictactoe"]


def outcomes(state: AnyState) -> Counter[float]:
    """How all games from here end for seat 0, and under "nodes" how many positions they pass."""
    counts: Counter[float] = Counter({2.0: 1})
    if state.turn is None:
        counts[state.utilities()[0]] += 1
    for move in state.moves():
        counts += outcomes(state.play(move))
    return counts


@pytest.mark.costly
def test_every_game_of_it_is_counted() -> None:
    counts = outcomes(games.start("tictactoe"))
    assert counts[2.0] == FACTS["nodes"]
    assert (counts[1.0], counts[-1.0], counts[0.0]) == (FACTS["x_wins"], FACTS["o_wins"], FACTS["draws"])
    assert counts[1.0] + counts[-1.0] + counts[0.0] == FACTS["games"]


def test_the_number_of_positions_at_each_ply() -> None:
    by_ply = Counter(9 - state.position().count(".") for state in positions("tictactoe"))
    assert by_ply == {int(ply): count for ply, count in FACTS["positions_by_ply"].items()}
    assert sum(by_ply.values()) == FACTS["positions"]


def test_perfect_play_is_a_draw() -> None:
    assert value(games.start("tictactoe")) == FACTS["value"]


@pytest.mark.parametrize(
    ("spec", "expected"), [("m=1,n=1,k=1", 1), ("m=3,n=4,k=3", 1), ("m=2,n=5,k=3", 0), ("m=4,n=3", 1)]
)
def test_other_boards_have_their_known_value(spec: str, expected: int) -> None:
    assert value(games.start(f"tictactoe:{spec}")) == expected


def test_the_board_has_all_its_lines() -> None:
    assert len(board(3, 3, 3).lines) == 8
    assert len(board(15, 15, 5).lines) == 572
    assert board(2, 2, 3).lines == ()


def test_a_line_longer_than_the_board_is_always_a_draw() -> None:
    assert value(games.start("tictactoe:m=2,n=3,k=4")) == 0


def test_the_board_turned_or_mirrored_is_worth_the_same() -> None:
    def turned(text: str) -> str:
        return "/".join("".join(row) for row in zip(*text.split("/")[::-1], strict=True))

    def mirrored(text: str) -> str:
        return "/".join(row[::-1] for row in text.split("/"))

    for state in list(positions("tictactoe"))[::17]:
        for change in (turned, mirrored):
            changed = games.load("tictactoe", change(state.position()))
            assert len(changed.moves()) == len(state.moves())
            assert changed.evaluate(0) == pytest.approx(state.evaluate(0))
            assert value(changed) == value(state)


def test_noisy_moves_win_or_else_save() -> None:
    state = games.load("tictactoe", "xx./oo./...")
    assert [state.to_text(move) for move in state.noisy_moves()] == ["c1"]
    state = games.load("tictactoe", "x.x/.o./...")
    assert [state.to_text(move) for move in state.noisy_moves()] == ["b1"]
    assert games.start("tictactoe").noisy_moves() == ()


@pytest.mark.parametrize(
    "text", ["", "xo./.../..", "xx./.../...", "ooo/xx./...", "xxx/oo./.o.", "abc/.../...", "...\n/..."]
)
def test_an_impossible_board_is_refused(text: str) -> None:
    with pytest.raises(BadPosition):
        games.load("tictactoe", text)


def test_a_subclass_may_evaluate_in_its_own_way() -> None:
    class Mine(TicTacToe):
        def evaluate(self, seat: int) -> float:
            return 0.25

    state = Mine.start(m=3, n=3, k=3)
    assert state.play(4).play(0).evaluate(1) == 0.25
