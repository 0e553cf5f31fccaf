"""Chess: published counts, random games beside python-chess, and special cases of the rules."""

from random import Random
from typing import Any

import pytest

from adsearch import games, pvs
from adsearch.errors import BadCell, BadMove, BadPosition
from adsearch.games.chess import Chess
from adsearch.games.chess_board import LIGHT, NAMES, START
from tests.kit.effort import SOAK, tries
from tests.kit.game_facts import facts

PERFT = [
    pytest.param(
        *(fen, plies, count), id=f"{name}, {plies} plies", marks=[pytest.mark.costly] if count > 1_000_000 else []
    )
    for name, (fen, counts) in facts("chess_perft.json")["positions"].items()
    for plies, count in enumerate(counts, start=1)
    if count is not None and (SOAK or count <= 600_000 or (name, plies) == ("start", 5))
]


def position(fen: str) -> Chess:
    state = games.load("chess", fen)
    assert isinstance(state, Chess)
    return state


def after(state: Chess, line: str) -> Chess:
    for text in line.split():
        state = state.play(state.from_text(text))
    return state


def texts(state: Chess) -> set[str]:
    return {state.to_text(move) for move in state.moves()}


def perft(state: Chess, plies: int) -> int:
    moves = state.legal_moves()
    return len(moves) if plies == 1 else sum(perft(state.play(move), plies - 1) for move in moves)


@pytest.mark.parametrize(("fen", "plies", "count"), PERFT)
def test_move_sequences_are_as_many_as_published(fen: str, plies: int, count: int) -> None:
    assert perft(position(fen), plies) == count


def random_move(state: Chess, before: int | None, random: Random) -> int:
    """A move; captures and moves back are more frequent than in a random game, so that all kinds of ends are met."""
    back = None if before is None else (before >> 6) + 64 * (before & 63)
    if back in state.moves() and random.random() < 0.4:
        return back
    if (noisy := state.noisy_moves()) and random.random() < 0.3:
        return random.choice(noisy)
    return random.choice(state.moves())


def loses_material(chess: Any, board: Any, move: Any) -> bool:
    """Whether a piece captures a guarded piece of less value, in the opinion of python-chess."""
    values = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
    piece, captured = board.piece_type_at(move.from_square), board.piece_type_at(move.to_square)
    after = board.copy(stack=False)
    after.push(move)
    return values[piece] > values[captured] and after.is_attacked_by(after.turn, move.to_square)


@pytest.mark.parametrize("seed", range(tries(8, soak=500)))
def test_random_games_are_those_of_python_chess(seed: int) -> None:
    chess = pytest.importorskip("chess", reason="python-chess, the second opinion, is not installed")
    random, state, board = Random(seed), position(START), chess.Board()
    before: list[int | None] = [None, None]
    while True:
        over = {
            "checkmate": board.is_checkmate(),
            "stalemate": board.is_stalemate(),
            "threefold repetition": board.is_repetition(3),
            "fifty moves without progress": board.is_fifty_moves(),
            "not enough pieces for mate": board.is_insufficient_material(),
        }
        assert state.position().partition(" seen=")[0] == board.fen()
        assert state.ending() in [name for name, ended in over.items() if ended] or not (
            state.over or any(over.values())
        )
        if state.turn is None:
            break
        legal = {move.uci(): move for move in board.legal_moves}
        assert texts(state) == {*legal}
        noisy = {state.to_text(move) for move in state.noisy_moves()}
        for uci, move in legal.items():
            if move.promotion not in (None, chess.QUEEN) or not (board.is_capture(move) or move.promotion):
                assert uci not in noisy
            elif uci not in noisy:
                assert loses_material(chess, board, move)
        for move in state.moves():
            san = board.san(legal[state.to_text(move)])
            assert state.shown(move) == san
            assert state.from_text(san) == move
        move = random_move(state, before[state.side], random)
        before[state.side] = move
        board.push_uci(state.to_text(move))
        state = state.play(move)


# Castling: king or rook not in place, squares taken, in check, through check, into check; the rook may be attacked.
@pytest.mark.parametrize(
    ("fen", "castles"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", {"e1g1", "e1c1"}),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", {"e1c1"}),
        ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", set()),
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", set()),
        ("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", {"e1c1"}),
        ("4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1", {"e1g1"}),
        ("1r2k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1", {"e1g1", "e1c1"}),
        ("r3k2r/8/8/8/8/8/4P1p1/R3K2R w KQkq - 0 1", {"e1c1"}),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", {"e8g8", "e8c8"}),
    ],
)
def test_castling_needs_its_conditions(fen: str, castles: set[str]) -> None:
    assert texts(position(fen)) & {"e1g1", "e1c1", "e8g8", "e8c8"} == castles


def test_castling_rights_are_lost_with_the_first_move_of_king_or_rook_and_with_the_rook() -> None:
    start = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert after(start, "e1e2").position().split()[2] == "kq"
    assert after(start, "h1h2 h8h7").position().split()[2] == "Qq"
    assert after(start, "a1a8").position().split()[2] == "Kk"
    assert after(start, "e1g1").position() == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"


def test_en_passant_is_possible_at_once_and_is_written_only_if_it_is_legal() -> None:
    start = position("4k3/8/8/8/1p6/8/P1P5/4K3 w - - 0 1")
    assert {"b4a3"} == texts(after(start, "a2a4")) & {"b4a3", "b4c3"}
    assert after(start, "a2a4").position() == "4k3/8/8/8/Pp6/8/2P5/4K3 b - a3 0 1"
    assert "b4a3" not in texts(after(start, "a2a4 e8d8 e1d1"))
    assert after(start, "a2a4 b4a3").position() == "4k3/8/8/8/8/p7/2P5/4K3 w - - 0 2"
    pinned = after(position("8/8/8/8/k1p4R/8/3P4/4K3 w - - 0 1"), "d2d4")
    assert pinned.position().split()[3] == "-"
    assert position("8/8/8/8/k1pP3R/8/8/4K3 b - d3 0 1").position() == pinned.position()
    assert after(position("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"), "a2a4").position().split()[3] == "-"


@pytest.mark.parametrize(
    ("line", "ending", "utilities"),
    [
        ("f3 e5 g4 Qh4", "checkmate", (-1.0, 1.0)),
        ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7", "checkmate", (1.0, -1.0)),
        # Sam Loyd's stalemate in ten moves.
        ("e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6", "stalemate", (0.0, 0.0)),
        ("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", "threefold repetition", (0.0, 0.0)),
    ],
)
def test_a_game_ends(line: str, ending: str, utilities: tuple[float, float]) -> None:
    state = after(position(START), line)
    assert (state.turn, state.ending(), state.utilities(), state.moves()) == (None, ending, utilities, ())


def test_a_position_with_another_right_is_another_position() -> None:
    """The first time with the right to castle, or to capture in passing, does not count for the repetition."""
    castle, there_and_back = position("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"), "e1e2 e8e7 e2e1 e7e8 "
    assert after(castle, 2 * there_and_back).turn == 0
    assert after(castle, 2 * there_and_back + "e1e2 e8e7").ending() == "threefold repetition"
    passed = after(position("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1"), "a2a4")
    there_and_back = "e8e7 e1e2 e7e8 e2e1 "
    assert after(passed, 2 * there_and_back).turn == 1
    assert after(passed, 2 * there_and_back + "e8e7").ending() == "threefold repetition"


def test_fifty_moves_without_progress_are_a_draw_unless_the_last_gives_mate() -> None:
    assert after(position("1k6/8/8/8/8/8/R7/2R1K3 w - - 98 80"), "Kd1").turn == 1
    assert after(position("1k6/8/8/8/8/8/R7/2R1K3 w - - 99 80"), "Kd1").ending() == "fifty moves without progress"
    assert after(position("1k6/7R/8/8/8/8/8/2R1K3 w - - 99 80"), "Rb1+").ending() == "fifty moves without progress"
    assert after(position("1k6/7R/1K6/8/8/8/8/8 w - - 99 80"), "Rh8#").ending() == "checkmate"
    assert after(position("1k6/p6R/2K5/8/8/8/8/8 b - - 99 80"), "a6").turn == 0


@pytest.mark.parametrize(
    ("fen", "dead"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", True),
        ("4k1b1/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", False),
        ("4k1n1/8/8/8/8/8/8/4KN2 w - - 0 1", False),
        ("4k1b1/8/8/8/8/8/8/4KN2 w - - 0 1", False),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", True),
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", False),
    ],
)
def test_a_position_in_which_nobody_can_give_mate_is_a_draw(fen: str, dead: bool) -> None:
    assert (position(fen).turn is None) == dead
    assert (position(fen).ending() == "not enough pieces for mate") == dead


def test_a_capture_can_end_the_game() -> None:
    state = after(position("4k3/8/8/8/8/8/3r4/4K3 w - - 0 1"), "Kxd2")
    assert (state.turn, state.ending(), state.utilities()) == (None, "not enough pieces for mate", (0.0, 0.0))


def test_light_squares_are_light() -> None:
    assert {name for square, name in enumerate(NAMES) if LIGHT >> square & 1} >= {"h1", "a8", "e4", "d5"}
    assert not {name for square, name in enumerate(NAMES) if LIGHT >> square & 1} & {"a1", "h8", "d4", "e5"}


BOTH = "4k3/8/8/8/8/2n5/1P1B4/4K3 w - - 0 1"
BISHOP_ALONE = "4k3/1p6/8/8/8/2n5/3B4/4K3 w - - 0 1"
PROMOTION = "1r2k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1"
KNIGHTS = "4k3/8/8/8/8/5N2/8/1N2KN2 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        (START, "e2e4", "e2e4"),
        (START, " E2E4 ", "e2e4"),
        (START, "e4", "e2e4"),
        (START, "E4", "e2e4"),
        (START, "Nf3", "g1f3"),
        (START, "nf3", "g1f3"),
        (START, "NF3", "g1f3"),
        (START, "Ng1f3!?", "g1f3"),
        (BOTH, "bxc3", "b2c3"),
        (BOTH, "Bxc3", "d2c3"),
        (BOTH, "bc3", "b2c3"),
        (BISHOP_ALONE, "bxc3", "d2c3"),
        (BISHOP_ALONE, "BXC3", "d2c3"),
        (PROMOTION, "a8=Q", "a7a8q"),
        (PROMOTION, "a8n", "a7a8n"),
        (PROMOTION, "A7A8R", "a7a8r"),
        (PROMOTION, "axb8=B", "a7b8b"),
        (PROMOTION, "axb8q+", "a7b8q"),
        (PROMOTION, "O-O", "e1g1"),
        (PROMOTION, "0-0-0", "e1c1"),
        (PROMOTION, "o-o-o", "e1c1"),
        (KNIGHTS, "Nbd2", "b1d2"),
        (KNIGHTS, "N3d2", "f3d2"),
        (KNIGHTS, "Nf1d2", "f1d2"),
    ],
)
def test_a_move_is_read_as_people_write_it(fen: str, text: str, move: str) -> None:
    state = position(fen)
    assert state.to_text(state.from_text(text)) == move


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        *((START, text) for text in ("e5", "Ke2", "O-O", "e2e4q", "Nd2", "exd3", "N", "x", "=Q")),
        *((KNIGHTS, text) for text in ("Nd2", "nd2", "Nfd2")),
        (BOTH, "BXC3"),
        (PROMOTION, "a8"),
        (PROMOTION, "a7a8"),
        (PROMOTION, "a8=K"),
    ],
)
def test_a_text_that_fits_no_move_or_two_is_refused(fen: str, text: str) -> None:
    with pytest.raises(BadMove, match="expected a legal move"):
        position(fen).from_text(text)


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("", "expected a position in FEN"),
        (START.replace("/8/8/", "/8/"), "8 rows of 8 squares"),
        (START.replace("PPPPPPPP", "PPPPPPP"), "8 rows of 8 squares"),
        (START.replace("KBNR", "KBNK"), "one king"),
        (START.replace("RNBQK", "RNBQQ"), "one king"),
        (START.replace("8/8/8/8", "8/8/8/P7"), "at most 8 pawns"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawn on the first or the last rank"),
        ("4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "Q: the king or the rook is not where it can castle"),
        ("4k3/8/8/8/8/8/4K3/7R w K - 0 1", "K: the king or the rook is not where it can castle"),
        (START.replace("KQkq", "qK"), "expected a position in FEN"),
        (START.replace(" - 0", " e3 0"), "a square that a pawn passed"),
        (START.replace(" - 0", " e6 0"), "a square that a pawn passed"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "could capture the king"),
        ("8/8/8/3kK3/8/8/8/7R w - - 0 1", "could capture the king"),
        (f"{START} seen=0123456789ab", "at most 0 earlier positions"),
        (f"{START} seen=", "expected a position in FEN"),
    ],
)
def test_a_position_that_cannot_be_is_refused(fen: str, message: str) -> None:
    with pytest.raises(BadPosition, match=message):
        position(fen)


def test_fen_without_counters_or_with_moves_counted_from_0_is_read() -> None:
    assert position(START.removesuffix(" 0 1")).position() == START
    assert position(START.replace("0 1", "0 0")).position() == START


def test_the_code_of_a_position_is_the_same_in_every_process_and_version() -> None:
    state = after(position(START), "Nf3 Nc6")
    fen = "r1bqkbnr/pppppppp/2n5/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2"
    assert state.position() == f"{fen} seen=ad30b6327fa2ff4366201b26"
    assert after(state, "e4").position().count("seen") == 0


def test_the_key_tells_apart_what_the_earlier_positions_make_different() -> None:
    one, two = after(position(START), "Nf3 Nf6 Nc3 Nc6"), after(position(START), "Nc3 Nc6 Nf3 Nf6")
    assert one.key != two.key
    assert after(one, "e4").key == after(two, "e4").key
    assert after(position(START), "Nf3").key != after(position(START), "Nf3 Nf6 Ng1 Ng8 Nf3").key


def test_equal_keys_mean_equal_futures() -> None:
    futures: dict[object, object] = {}
    queue = [position("k7/p7/8/8/8/8/8/K2R4 w - - 94 1")]
    for state in queue:
        children = [state.play(move) for move in state.moves()]
        future = state.turn, state.moves(), [child.key for child in children]
        if state.key not in futures and len(queue) < 4_000:
            queue += children
        assert futures.setdefault(state.key, future) == future, state.position()
    assert len(futures) < len(queue)


def test_the_evaluation_does_not_depend_on_the_colour() -> None:
    for seed in range(3):
        random, state = Random(seed), position(START)
        for _ in range(60):
            if state.turn is None:
                break
            board, side, *_ = state.position().split()
            mirrored = "/".join(reversed(board.swapcase().split("/")))
            other = position(f"{mirrored} {'b' if side == 'w' else 'w'} - - 0 1")
            plain = position(f"{board} {side} - - 0 1")
            assert plain.evaluate(0) == state.evaluate(0) == pytest.approx(other.evaluate(1))
            state = state.play(random.choice(state.moves()))


def test_captures_are_tried_in_a_good_order() -> None:
    state = position("4k3/P7/8/3q1r2/4P3/4R3/8/3RK3 w - - 0 1")
    assert [state.shown(move) for move in state.noisy_moves()][:3] == ["exd5+", "a8=Q+", "Rxd5"]


def test_a_search_finds_the_mate() -> None:
    state = position("6k1/5ppp/8/8/8/8/1r6/R3R1K1 w - - 0 1")
    found = pvs.search(state, depth=4)
    assert (found.value, state.shown(found.line[0])) == (1.0, "Ra8+")
    assert found.exact


def test_a_piece_outside_the_board_is_one_clear_error() -> None:
    assert [position(START).piece(square) for square in (0, 4, 27, 60)] == ["R", "K", ".", "k"]
    with pytest.raises(BadCell, match="expected a square from 0 to 63, got 64"):
        position(START).piece(64)
