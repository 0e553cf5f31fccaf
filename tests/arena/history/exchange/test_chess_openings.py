"""Games of chess as standard PGN: python-chess reads what we write, and so do we."""

from __future__ import annotations

import io
import textwrap
from random import Random

import pytest
from msgspec.structs import replace

from adsearch import games
from adsearch.games.chess_rules import value_of_pawns
from arena.errors import BadImport
from arena.history import exchange
from arena.history.exchange import FileFormat, chess_openings
from arena.match.clock import SECOND
from db.records import JudgedPly, Mark, MoveRecord, PastGame, PastSeat, PositionValue
from tests.arena.history.test_words import FOOLS_MATE, recorded
from tests.kit.effort import tries

chess = pytest.importorskip("chess", reason="python-chess is not installed")
pgn = pytest.importorskip("chess.pgn", reason="python-chess is not installed")

MOST_PLIES = 90
SEATS = (PastSeat(seat=0, player='Ann "A" \\ Ünal', points=1.0), PastSeat(seat=1, player="bob\n[", points=0.0))
VALUE = PositionValue((0.0, 0.0), exact=False)


def played(seed: int) -> PastGame:
    """A random game, with random clocks and scores, of which the first plies are an opening."""
    random, state, moves = Random(seed), games.start("chess"), list[MoveRecord]()
    while state.turn is not None and len(moves) < MOST_PLIES:
        move, who = random.choice(state.moves()), "opening" if len(moves) < seed % 3 else state.turn
        left, spent = random.randrange(10**14), random.randrange(10**11)
        record = MoveRecord(len(moves) + 1, who, state.to_text(move))
        if who != "opening":
            score = random.choice((None, 1.0, -1.0, random.uniform(-1, 1), random.uniform(-1, 1)))
            depth = None if score is None else random.randrange(40)
            record = replace(record, left=left, spent=spent, score=score, depth=depth)
        moves.append(record)
        state = state.play(move)
    game = recorded()
    return replace(game, seats=SEATS, moves=tuple(moves), plies=len(moves), verdict="normal", round=seed % 2 or None)


def exported(*games: PastGame) -> str:
    out = io.StringIO()
    exchange.write(games, FileFormat.PGN, out)
    return out.getvalue()


@pytest.mark.parametrize("seed", range(tries(6, soak=300)))
def test_python_chess_reads_the_moves_clocks_and_values(seed: int) -> None:
    game = played(seed)
    text = exported(game, game)
    assert max(map(len, text.split("\n\n")[1].split("\n"))) <= 80
    file = io.StringIO(text)
    for _ in range(2):
        found = pgn.read_game(file)
        assert found is not None
        assert found.errors == []
        assert list(found.headers)[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
        assert found.headers["White"].replace("\\", "") == SEATS[0].player.replace("\\", "")  # it keeps the escapes
        assert found.headers["Result"] == "1-0"
        nodes = list(found.mainline())
        assert [node.move.uci() for node in nodes] == [move.move for move in game.moves]
        for node, move in zip(nodes, game.moves, strict=True):
            assert node.clock() == (None if move.left is None else pytest.approx(move.left / SECOND, abs=0.001))
            assert node.emt() == (None if move.spent is None else pytest.approx(move.spent / SECOND, abs=0.001))
            assert (node.eval() is None) is (move.score is None)
            if move.score is not None and abs(move.score) < 0.96:
                centipawns = node.eval().pov(node.parent.turn()).score()
                assert value_of_pawns(centipawns / 100) == pytest.approx(move.score, abs=0.002)
                assert node.eval_depth() == move.depth
    assert pgn.read_game(file) is None


@pytest.mark.parametrize("seed", range(tries(6, soak=300)))
def test_an_import_of_an_export_is_the_same_game(seed: int) -> None:
    game = played(seed)
    again = exchange.read(exported(game), "games.pgn")[0]
    assert replace(again, moves=()) == replace(game, id=0, moves=())
    for move, was in zip(again.moves, game.moves, strict=True):
        assert (move.ply, move.who, move.move, move.depth) == (was.ply, was.who, was.move, was.depth)
        for name in ("left", "spent"):
            read, written = getattr(move, name), getattr(was, name)
            assert read == (None if written is None else written // 10**6 * 10**6)
    # What was rounded once is not rounded again.
    assert exported(again) == exported(game)


def test_an_export_that_python_chess_has_written_again_is_the_same_game() -> None:
    game = played(1)
    tags, moves = str(pgn.read_game(io.StringIO(exported(game)))).split("\n\n")
    lines = textwrap.fill(moves, 40)
    assert "\n[%" in lines
    again = exchange.read(f"{tags}\n\n{lines}\n", "games.pgn")[0]
    assert again.moves == exchange.read(exported(game), "games.pgn")[0].moves


def test_a_whole_export_reads_as_people_write_it() -> None:
    timed = replace(
        recorded(*FOOLS_MATE), seats=SEATS, verdict="normal", tournament="club", started="2026-05-01T10:00:00Z"
    )
    first, *rest = timed.moves
    first = replace(first, left=3_599_500_000_000, spent=SECOND // 2, score=-0.5, depth=7)
    rest[2] = replace(rest[2], score=1.0, text="mate 1")
    game = replace(timed, moves=(first, *rest), analysis=(judgement(3, Mark.BLUNDER),))
    tags, moves, end = exported(game).split("\n\n", 2)
    assert tags.startswith(
        '[Event "club"]\n[Site "?"]\n[Date "2026.05.01"]\n[Round "?"]\n[White "Ann \\"A\\" \\\\ Ünal"]\n'
    )
    assert moves.split("\n") == [
        "1. f3 {[%eval -4.00,7] [%clk 0:59:59.5] [%emt 0:00:00.5]} 1... e5 2. g4 $4",
        "2... Qh4# {[%eval #-1]} 1-0",
    ]
    assert end == ""


def judgement(ply: int, mark: Mark) -> JudgedPly:
    return JudgedPly(ply=ply, who=0, move="g2g4", before=VALUE, after=VALUE, depth=1, mark=mark)


def test_a_game_of_other_rules_or_with_illegal_moves_has_a_line_for_each_ply() -> None:
    for game in (recorded("d1", rules="connect4"), recorded("e2e5")):
        assert chess_openings.written(game, "*") is None
        assert f"1. {game.moves[0].move} {{[%who 0]}}" in exported(replace(game, seats=SEATS))


def test_comments_numbers_signs_and_other_lines_of_play_of_an_editor_are_read() -> None:
    text = "1.e4 {a\ncomment} e5! (1... c5 2. Nf3 (2. c3)) 2. Nf3 $1 ; to the end\nNc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O *"
    moves = [move.move for move in chess_openings.read(text.split("\n"), None)]
    assert moves == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1"]


def test_an_illegal_move_is_refused_with_the_line_of_its_game() -> None:
    game = replace(recorded(*FOOLS_MATE), seats=SEATS, verdict="normal")
    with pytest.raises(BadImport, match=r"^bad\.pgn, line 1: expected a legal move .*, got 'Qh5#'$"):
        exchange.read(exported(game).replace("Qh4#", "Qh5#"), "bad.pgn")


def test_a_game_of_another_program_is_refused_with_the_command_that_reads_it() -> None:
    with pytest.raises(BadImport, match=r"line 1: expected a tag Game, .*`arena results rank --from FILE`"):
        exchange.read('[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n\n1. e4 1-0\n', "club.pgn")
