"""Words: all moves against a slow search by other rules, points of published games, hidden tiles, and the end."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from adsearch import CHANCE, games, mcts
from adsearch.errors import BadMove, BadOption, BadPosition
from adsearch.games.words_board import EMPTY, POINTS, PREMIUMS, TILES, Dawg, lay, placements, words_on
from tests.kit.effort import tries
from tests.kit.every_game import AnyState, playout
from tests.kit.places import TRUTHS

# fmt: off
SOME = [
    "AB", "AD", "AS", "AT", "ATE", "BAT", "BATS", "BE", "BEAD", "BEAT", "DAB", "DE", "EAT", "EATS", "ED", "ES", "ETA",
    "SEA", "SEAT", "SET", "TAB", "TABS", "TE", "TEA", "TEAS",
]
# fmt: on
GAMES = json.loads((TRUTHS / "words_games.json").read_text("utf-8"))["games"]

# The premium squares of one eighth of the board, as row and column from 1; the others are its mirror images.
EIGHTH = {
    **dict.fromkeys([(1, 1), (1, 8)], ("word", 3)),
    **dict.fromkeys([(2, 2), (3, 3), (4, 4), (5, 5), (8, 8)], ("word", 2)),
    **dict.fromkeys([(2, 6), (6, 6)], ("letter", 3)),
    **dict.fromkeys([(1, 4), (3, 7), (4, 8), (7, 7)], ("letter", 2)),
}
BONUS = {
    place: bonus
    for (row, column), bonus in EIGHTH.items()
    for one in (row, 16 - row)
    for other in (column, 16 - column)
    for place in ((one, other), (other, one))
}

HELLO = "." * 105 + ".......HELLO..." + "." * 105
HAT = HELLO[:127] + "A" + HELLO[128:142] + "T" + HELLO[143:]
"""The same with HAT from the H down."""

Grid = dict[tuple[int, int], str]


def load(spec: str, text: str) -> AnyState:
    """A position whose attributes a test can read."""
    return games.load(spec, text)


def start(spec: str) -> AnyState:
    """The same for the start."""
    return games.start(spec)


def grid_of(board: str) -> Grid:
    """The tiles by row and column, from 1."""
    return {(at // 15 + 1, at % 15 + 1): tile for at, tile in enumerate(board) if tile != "."}


def word_through(grid: Grid, place: tuple[int, int], down: int, right: int) -> list[tuple[int, int]]:
    """The squares of the word through that tile in one direction."""
    row, column = place
    while (row - down, column - right) in grid:
        row, column = row - down, column - right
    squares = []
    while (row, column) in grid:
        squares.append((row, column))
        row, column = row + down, column + right
    return squares


def points_by_hand(grid: Grid, new: set[tuple[int, int]]) -> int:
    """The points of all words with a new tile."""
    words = {
        tuple(squares)
        for place in new
        for down, right in ((0, 1), (1, 0))
        if len(squares := word_through(grid, place, down, right)) > 1
    }
    total = 50 if len(new) == 7 else 0
    for word in words:
        points, factor = 0, 1
        for place in word:
            kind, times = BONUS.get(place, ("", 1)) if place in new else ("", 1)
            points += POINTS[grid[place]] * (times if kind == "letter" else 1)
            factor *= times if kind == "word" else 1
        total += points * factor
    return total


def moves_by_hand(board: str, rack: str, words: set[str]) -> dict[str, int]:
    """Every word on every square in both directions, if that is a legal move: the board after it, and its points."""
    grid, found = grid_of(board), {}
    for word in words:
        for row in range(1, 16):
            for column in range(1, 16):
                for down, right in ((0, 1), (1, 0)):
                    squares = [(row + n * down, column + n * right) for n in range(len(word))]
                    if max(squares[-1]) > 15:
                        continue
                    new = {place: letter for place, letter in zip(squares, word, strict=True) if place not in grid}
                    if not new or any(grid[p].upper() != w for p, w in zip(squares, word, strict=True) if p in grid):
                        continue
                    for count in range(min(rack.count("_"), len(new)) + 1):
                        for blanks in combinations(new, count):
                            laid = {p: w.lower() if p in blanks else w for p, w in new.items()}
                            if Counter("_" if w.islower() else w for w in laid.values()) - Counter(rack):
                                continue
                            after = {**grid, **laid}
                            made = [word_through(after, p, *step) for p in new for step in ((0, 1), (1, 0))]
                            texts = ["".join(after[p].upper() for p in one) for one in made]
                            if any(len(text) > 1 and text not in words for text in texts):
                                continue
                            if word_through(after, squares[0], down, right) != squares:
                                continue
                            beside = any(
                                (r + a, c + b) in grid for r, c in new for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))
                            )
                            if beside or (not grid and (8, 8) in new):
                                text = "".join(after.get((at // 15 + 1, at % 15 + 1), ".") for at in range(225))
                                found[text] = points_by_hand(after, set(new))
    return found


def random_boards(seed: int, words: Dawg) -> Iterator[tuple[str, str]]:
    """Boards of a random game with those words, each with a rack."""
    random = Random(seed)
    board = EMPTY
    for _ in range(9):
        rack = "".join(sorted(random.choices("AABDEESST_", k=random.randint(1, 6))))
        yield board, rack
        if moves := placements(board, rack, words):
            board = lay(board, random.choice(moves)).board


@pytest.mark.costly
@pytest.mark.parametrize("seed", range(tries(2, soak=100)))
def test_the_moves_and_their_points_are_those_of_trying_every_word_on_every_square(seed: int) -> None:
    dawg = Dawg(SOME)
    for board, rack in random_boards(seed, dawg):
        moves = placements(board, rack, dawg)
        found = {lay(board, move).board: lay(board, move).points for move in moves}
        assert len(found) == len(moves)
        assert found == moves_by_hand(board, rack, set(SOME)), (board, rack)


def test_the_dawg_has_exactly_the_words_and_no_two_nodes_with_the_same_words_below_them() -> None:
    random = Random(1)
    words = {"".join(random.choices("ABC", k=random.randint(2, 6))) for _ in range(300)}
    dawg = Dawg(words)

    def below(node: int) -> Iterator[str]:
        if dawg.final[node]:
            yield ""
        for letter, child in dawg.edges[node].items():
            yield from (letter + rest for rest in below(child))

    assert set(below(dawg.root)) == words
    assert len(dawg) == len(words)
    assert all(word in dawg for word in words)
    assert not any(word[:-1] in dawg for word in words if word[:-1] not in words)
    # The nodes of the minimal automaton are the different sets of ends of words (Myhill and Nerode).
    prefixes = {word[:n] for word in words for n in range(len(word) + 1)}
    ends = {frozenset(word[len(prefix) :] for word in words if word.startswith(prefix)) for prefix in prefixes}
    assert len(dawg.edges) == len(ends)


def test_there_are_100_tiles_worth_187_points_and_61_premium_squares() -> None:
    assert len(TILES) == 100
    assert sum(POINTS[tile] for tile in TILES) == 187
    assert Counter(PREMIUMS) == {".": 164, "d": 24, "t": 12, "D": 17, "T": 8}


def rows_of(board: str) -> str:
    rows = [board[at : at + 15] for at in range(0, 225, 15)]
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows))


def our_text(board: str, move: str) -> str:
    """A move of a GCG file as we write it."""
    place, word = move.split(" ")
    row, column = int(re.sub("[A-O]", "", place)), "ABCDEFGHIJKLMNO".index(re.sub("[0-9]", "", place))
    step = 15 if place[0].isalpha() else 1
    tiles = [board[(row - 1) * 15 + column + n * step] if c == "." else c for n, c in enumerate(word)]
    written = [
        f"_{tile.upper()}" if tile.islower() and c != "." else tile.upper() for tile, c in zip(tiles, word, strict=True)
    ]
    return f"{place}-{''.join(written)}"


def played(game: dict[str, Any]) -> Iterator[tuple[str, str, str, int]]:
    """For each move of a published game: the board before it, the rack, the move, the points."""
    board = EMPTY
    for rack, move, points in game["moves"]:
        text = our_text(board, move)
        yield board, rack.replace("?", "_"), text, points
        board = lay(board, text).board


@pytest.mark.parametrize("name", GAMES)
def test_each_move_of_a_published_game_is_found_and_scores_the_published_points(name: str) -> None:
    dawg = Dawg(words_of(name))
    for board, rack, move, points in played(GAMES[name]):
        assert move in placements(board, rack, dawg)
        assert lay(board, move).points == points, move


def words_of(name: str) -> set[str]:
    """All words that were made in the game."""
    return {word for board, _, move, _ in played(GAMES[name]) for word in words_on(lay(board, move).board)}


@pytest.mark.parametrize("name", ["noah_vs_mishu", "doug_v_emely"])
def test_a_published_game_ends_with_the_published_lead(name: str, tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("\n".join(sorted(words_of(name))).lower())
    game = GAMES[name]
    *_, (board, rack, move, _) = played(game)
    rack, (first, second) = "".join(sorted(rack)), game["scores"]
    state = load(
        f"words:list={file}", f"{rows_of(board)} racks={rack},{game['left']} scores={first},{second} next=0 scoreless=0"
    )
    end = state.play(state.from_text(move))
    assert end.turn is None
    assert end.scores[0] - end.scores[1] == game["lead"]
    assert end.utilities() == (-1.0, 1.0)


def dealt(spec: str = "words", seed: int = 0) -> AnyState:
    """The position after a random deal."""
    return next(state for state, _ in playout(spec, seed) if state.turn != CHANCE)


def test_all_racks_are_dealt_first_and_only_the_owner_sees_a_tile() -> None:
    first = start("words")
    assert first.turn == CHANCE
    assert first.chances()[0] == ("A", 9 / 100)
    assert dict(first.chances())["_"] == 2 / 100
    assert len(first.chances()) == 27
    assert (first.view_move(0, "E"), first.view_move(1, "E")) == ("E", "?")
    after = first.play("E")
    assert after.view(1).split()[1] == "racks=?,"
    assert dict(after.chances())["E"] == 11 / 99
    state = dealt()
    assert (state.turn, [len(rack) for rack in state.racks], state.bag) == (0, [7, 7], 86)
    assert load("words", state.view(1)).bag == 86
    assert len(load("words", state.view(1)).unseen) == 93


def test_a_move_scores_and_then_its_player_draws_as_many_tiles() -> None:
    state = load("words", f"{rows_of(EMPTY)} racks=EHLLOSZ,AAAAAAA scores=0,0 next=0 scoreless=1")
    assert state.points("8H-HELLO") == 18
    after = state.play("8H-HELLO")
    assert (after.scores, after.racks, after.seat, after.scoreless) == ((18, 0), ("SZ", "AAAAAAA"), 1, 0)
    assert after.turn == CHANCE
    for tile in "BCDFG":
        assert after.drawer == 0
        after = after.play(tile)
    assert (after.turn, after.racks[0]) == (1, "BCDFGSZ")
    assert after.cell(7, 7) == "H"
    assert after.rows()[7] == ".......HELLO..."


def test_exchanged_tiles_return_to_the_bag_only_after_the_draws() -> None:
    state = load("words", f"{rows_of(EMPTY)} racks=AEIQUVZ,AAAAAAA scores=0,0 next=0 scoreless=0")
    assert state.view_move(0, "exchange-QZ") == "exchange-QZ"
    assert state.view_move(1, "exchange-QZ") == "exchange-??"
    after = state.play("exchange-QZ")
    assert after.position().endswith("racks=AEIUV,AAAAAAA scores=0,0 next=1 scoreless=1 aside=QZ")
    assert after.view(1).endswith("racks=?????,AAAAAAA scores=0,0 next=1 scoreless=1 aside=??")
    assert after.view(0).endswith("racks=AEIUV,??????? scores=0,0 next=1 scoreless=1 aside=QZ")
    assert not {"Q", "Z"} & set(after.moves())
    assert after.bag == 86
    drawn = after.play("N").play("T")
    assert (drawn.turn, drawn.bag, drawn.aside) == (1, 86, "")
    assert {"Q", "Z"} <= set(drawn.unseen)


def test_tiles_can_be_exchanged_while_the_bag_has_a_full_rack() -> None:
    state = load("words:tiles=AACDEE,rack=2", f"{rows_of(EMPTY)} racks=AC,AE scores=0,0 next=0 scoreless=0")
    assert [move for move in state.moves() if "change" in move] == ["exchange-A", "exchange-C", "exchange-AC"]
    state = load("words:tiles=AACDE,rack=2", f"{rows_of(EMPTY)} racks=AC,AE scores=0,0 next=0 scoreless=0")
    assert state.moves() == ("pass",)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_game_ends_when_each_player_has_scored_nothing_twice(players: int) -> None:
    state = dealt(f"words:players={players}")
    for _ in range(2 * players):
        assert state.turn is not None
        state = state.play("pass")
    assert state.turn is None
    assert state.scores == tuple(-sum(POINTS[tile] for tile in rack) for rack in state.racks)
    assert state.view(0) == state.position()


def test_an_exchange_that_ends_the_game_keeps_the_tiles_on_the_rack() -> None:
    state = load("words", f"{rows_of(EMPTY)} racks=AEIQUVZ,AAAAAAA scores=0,0 next=0 scoreless=3")
    end = state.play("exchange-AEIQUVZ")
    assert end.turn is None
    assert end.scores == (-28, -7)


def test_a_player_without_tiles_gets_the_points_of_all_others() -> None:
    spec = "words:players=3,tiles=ATQZJK,rack=2"
    state = load(spec, f"{rows_of(EMPTY)} racks=AT,QZ,JK scores=10,30,20 next=0 scoreless=0")
    # Two points, twice for the centre.
    end = state.play("8H-AT")
    assert end.scores == (10 + 4 + 20 + 13, 30 - 20, 20 - 13)
    assert end.utilities() == (1.0, 0.0, -1.0)
    assert end.ending() == "47 : 10 : 7, all tiles laid"


@pytest.mark.parametrize(
    ("scores", "utilities"),
    [((5, 5, 3), (0.5, 0.5, -1.0)), ((1, 2, 3), (-1.0, 0.0, 1.0)), ((4, 4, 4), (0.0, 0.0, 0.0))],
)
def test_a_utility_is_the_share_of_players_beaten_minus_the_share_that_wins(
    scores: tuple[int, ...], utilities: tuple[float, ...]
) -> None:
    text = f"{rows_of(EMPTY)} racks=A,B,C scores={','.join(map(str, scores))} next=0 scoreless=6"
    assert load("words:players=3,tiles=ABCD,rack=1", text).utilities() == utilities


def test_the_evaluation_counts_points_and_the_worth_of_the_rack_and_then_the_tiles_left() -> None:
    text = f"{rows_of(EMPTY)} racks=AEINRS_,?????Q? scores=30,10 next=0 scoreless=0"
    state = load("words", text.replace("?????Q?", "EEEEEEQ"))
    found = state.features(0)
    assert found["lead"] == 20
    assert found["rack"] == 1 + 2 - 1 + 0.5 + 1 + 8 + 25 - (6 * 2 - 9)
    assert found["left"] == 0
    assert state.features(1) == {name: -value for name, value in found.items()}
    last = load("words:tiles=AEQZ,rack=2", f"{rows_of(EMPTY)} racks=AE,?? scores=0,0 next=0 scoreless=0")
    assert last.features(0) == {"lead": 0, "rack": 0, "left": 2 - 20}


@pytest.mark.parametrize(
    ("board", "text", "why"),
    [
        (EMPTY, "8A-SEAT", "the first word covers the centre"),
        (HELLO, "8L-OAT", "write the whole word, HELLOAT"),
        (HELLO, "8H-HELLOAT", "HELLOAT is not in the word list"),
        (HELLO, "13M-SEAT", "does not fit"),
        (HELLO, "H13-SEAT", "does not fit"),
        (HELLO, "8H-HELLO", "lays no tile"),
        (HELLO, "8H-_HELLOS", "8H has H already: write it without _"),
        (HELLO, "exchange-ZZ", "the rack has not enough Z"),
        (HELLO, "exchange-", "name the tiles"),
        (HELLO, "H8-SEAT", "8H has H, not S"),
        (HELLO, "A1-SEAT", "touches no tile"),
        (HELLO, "9H-TO", "HT is not in the word list"),
        (HELLO, "A1-WE", "not enough W"),
        (HAT, "I8-EX", "write it across"),
        (HELLO, "hello", r"got 'hello': write 8D-HELLO across, D8-HELLO down"),
        (HELLO, "8h seat", "write 8D-HELLO across"),
        (HELLO, "16A-SEAT", "write 8D-HELLO across"),
        (HELLO, "8M-S", "write the whole word, HELLOS"),
        (HELLO, "9H-S", "at least two letters"),
    ],
)
def test_a_word_that_is_not_legal_is_refused_with_the_reason(board: str, text: str, why: str) -> None:
    state = load("words", f"{rows_of(board)} racks=AAEOSTX,EEEEEEE scores=0,0 next=0 scoreless=0")
    with pytest.raises(BadMove, match=why):
        state.from_text(text)


def test_a_blank_is_written_before_its_letter_and_lies_as_a_small_one() -> None:
    state = load("words", f"{rows_of(EMPTY)} racks=EHLLSZ_,AAAAAAA scores=0,0 next=0 scoreless=0")
    move = state.from_text("8h-hell_o")
    assert state.points(move) == 14
    after = state.play(move)
    assert after.rows()[7] == ".......HELLo..."
    assert after.racks[0] == "SZ"
    assert "HELLO" in start("words").dawg


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("words:list=no/such/file.txt", "no file 'no/such/file.txt': list must be common or a file"),
        ("words:tiles=ABC", "at least 14"),
        ("words:tiles=A-B", "1 to 200 letters"),
        ("words:tiles=ABCDEFGHIJ_____", "at most 4 blanks"),
        ("words:tiles=ßßßßßßßßßßßßßß", "1 to 200 letters"),
        ("words:list=", "list must be common or a file"),
        (f"words:list={'x' * 5000}", "list must be common or a file"),
        ("words:players=5", "2..4"),
    ],
)
def test_wrong_options_are_refused(spec: str, why: str) -> None:
    with pytest.raises(BadOption, match=re.escape(why)):
        start(spec)


def test_tiles_to_be_exchanged_are_written_in_any_order() -> None:
    state = load("words", f"{rows_of(HELLO)} racks=AAEOSTX,EEEEEEE scores=0,0 next=0 scoreless=0")
    assert state.from_text(" Exchange-tea ") == "exchange-AET"
    few = load(
        "words:tiles=HELLOAAEOSTXEEEEEEEQQ", f"{rows_of(HELLO)} racks=AAEOSTX,EEEEEEE scores=0,0 next=0 scoreless=0"
    )
    with pytest.raises(BadMove, match="the bag has only 2 tiles, fewer than a full rack"):
        few.from_text("exchange-A")


def test_a_list_keeps_words_in_small_letters_and_needs_one(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_bytes(b"Bob\r\nhello\r\nit's\r\ncaf\xc3\xa9\r\na\r\nox\r\nabcdefghijklmnop\r\n")
    state = start(f"words:list={file}")
    assert len(state.dawg) == 2
    assert "Word list: 2 words; not taken: 5 of 7 lines, the first is line 1, 'Bob' (a word" in state.options_note
    file.write_bytes(b"it\nox\n\nox\n")
    assert start(f"words:list={file}").options_note == "Word list: 2 words"
    file.write_text("HELLO\n")
    with pytest.raises(BadOption, match="in small letters"):
        start(f"words:list={file}")


@pytest.mark.parametrize(
    "change",
    [
        ("racks=", "racks=Z,"),
        ("racks=", "racks=AAAAAAAA,"),
        ("scores=0,0", "scores=0"),
        ("scores=0,0", "scores=-1-1"),
        ("next=0", "next=2"),
        ("scoreless=0", "scoreless=5"),
        ("scoreless=0", "scoreless=0 aside=A"),
        ("7HELLO3", "7HELLX3"),
        ("7HELLO3", "6.HELLO3"),
        ("7HELLO3", "61HELLO3"),
        ("7HELLO3", "HELLO10"),
        ("AEINRST", "TSRNIEA"),
        ("AEINRST", "ZZINRST"),
    ],
)
def test_an_impossible_position_is_refused(change: tuple[str, str]) -> None:
    text = f"{rows_of(HELLO)} racks=AEINRST,??????? scores=0,0 next=0 scoreless=0"
    assert load("words", text).turn == 0
    with pytest.raises(BadPosition):
        load("words", text.replace(*change))


def test_every_tile_is_in_the_bag_on_a_rack_or_on_the_board_all_the_time() -> None:
    for state, move in playout("words", 4):
        laid = ["_" if tile.islower() else tile for tile in state.board if tile != "."]
        assert sorted([*laid, *"".join(state.racks), *state.aside, *state.unseen]) == sorted(TILES)
        for seat in range(2):
            sample = state.sample(seat, Random(1))
            assert sample.bag == state.bag
            assert move is None or state.turn in (CHANCE, 1 - seat) or sample.moves() == state.moves()


def test_a_playout_lays_a_legal_word_and_passes_only_if_there_is_none() -> None:
    for state, _ in islice(playout("words", 2), 60):
        if state.turn not in (None, CHANCE):
            move = state.playout_move(Random(0))
            assert move in state.moves()
            assert (
                move[0].isupper()
                or move[0].isdigit()
                or not placements(state.board, state.racks[state.turn], state.dawg)
            )


def test_mcts_finds_the_word_that_wins_at_the_end() -> None:
    """The bag is empty, and either word loses or wins by the tiles left."""
    spec = "words:tiles=AEQT,rack=2"
    state = load(spec, f"{rows_of(EMPTY)} racks=AT,?? scores=0,3 next=0 scoreless=0")
    assert mcts.search(state, simulations=200).move in {"8G-AT", "8H-AT", "H7-AT", "H8-AT"}
