"""SGF: what we write, sgfmill reads; what sgfmill writes, we read; and the rules of Go check every file."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sgfmill import sgf as mill

from adsearch import games
from adsearch.games.go import PASS, Go
from agents.protocol import Verdict
from arena.errors import ArenaError, BadImport
from arena.history import exchange
from arena.history.exchange import sgf
from arena.match.clock import SECOND
from arena.match.points import result
from db.records import MoveRecord, PastGame, PastRuling, PastSeat
from tests.kit.arena_program import arena
from tests.kit.effort import tries

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).map(str.strip).filter(bool)
SIZES = (1, 2, 5, 9, 13, 19)


def at_random(size: int, komi: float, seed: int, plies: int) -> tuple[Go, list[int]]:
    """A random game of at most that many plies, as its last position and its moves."""
    random = Random(seed)
    moves: list[int] = []
    state = Go.start(size=size, komi=komi)
    while state.turn is not None and len(moves) < plies:
        moves.append(random.choice(state.moves()))
        state = state.play(moves[-1])
    return state, moves


def recorded(
    state: Go, moves: list[int], *, players: tuple[str, str] = ("alice", "bob"), verdict: Verdict = Verdict.NORMAL
) -> PastGame:
    """The game as a record. Without a normal end, the seat to move is at fault."""
    fault = None if verdict is Verdict.NORMAL else state.turn
    utilities, points = result(state, verdict, fault)
    assert utilities
    assert points
    names = state.board.names
    return PastGame(
        id=0,
        tournament="club",
        number=1,
        pair='["alice", "bob", 1]',
        game=f"go:size={state.board.size},komi={state.komi}",
        verdict=verdict,
        fault=fault,
        plies=len(moves),
        moves=tuple(
            MoveRecord(ply, (ply - 1) % 2, "pass" if move == PASS else names[move], left=ply * SECOND // 8)
            for ply, move in enumerate(moves, 1)
        ),
        seats=tuple(
            PastSeat(seat=seat, player=player, points=points[seat], utility=utilities[seat])
            for seat, player in enumerate(players)
        ),
    )


def read_one(text: str) -> PastGame:
    """The only game of the text."""
    (game,) = exchange.read(text, "club.sgf")
    return game


# Both ways, with a second opinion.


@settings(max_examples=tries(30))
@given(st.sampled_from(SIZES), st.sampled_from((-3, 0, 6.5, 7.5)), st.integers(0, 10**6), st.tuples(TEXT, TEXT))
def test_sgfmill_and_we_read_what_we_write(size: int, komi: float, seed: int, players: tuple[str, str]) -> None:
    state, moves = at_random(size, komi, seed, 60)
    if state.turn is not None:
        moves += [PASS] * (2 - state.passes)
        for _ in range(2 - state.passes):
            state = state.play(PASS)
    game = recorded(state, moves, players=players)
    text = sgf.text(game)

    theirs = mill.Sgf_game.from_string(text)
    ahead = state.utilities()[0]
    assert (theirs.get_size(), theirs.get_komi()) == (size, komi)
    assert [theirs.get_player_name(colour) for colour in "bw"] == list(players)
    assert theirs.get_winner() == (None if ahead == 0 else "b" if ahead > 0 else "w")
    assert theirs.get_root().get("RE") == ("0" if ahead == 0 else f"{theirs.get_winner().upper()}+{abs(ahead):g}")
    nodes = theirs.get_main_sequence()[1:]
    points = [None if move == PASS else (size - 1 - move // size, move % size) for move in moves]
    assert [node.get_move() for node in nodes] == [("bw"[ply % 2], point) for ply, point in enumerate(points)]
    assert all(node.get(("BL", "WL")[ply % 2]) == pytest.approx((ply + 1) / 8) for ply, node in enumerate(nodes))

    ours = read_one(text)
    assert ours == replace(game, game=without_defaults(game.game), pair=ours.pair)


def without_defaults(rules: str) -> str:
    """The rules without options that have their default."""
    found, options = games.find(rules)
    named = ",".join(f"{one.name}={options[one.name]}" for one in found.options if options[one.name] != one.default)
    return f"go:{named}" if named else "go"


@settings(max_examples=tries(20))
@given(st.sampled_from(SIZES[2:]), st.integers(0, 10**6), TEXT)
def test_we_read_what_sgfmill_writes(size: int, seed: int, text: str) -> None:
    state, moves = at_random(size, 6.5, seed, 40)
    theirs = mill.Sgf_game(size=size)
    root = theirs.get_root()
    root.set("KM", 6.5)
    root.set("PB", text)
    root.set("RE", "W+R")
    for ply, move in enumerate(moves):
        before = theirs.get_last_node()
        node = theirs.extend_main_sequence()
        node.set_move("bw"[ply % 2], None if move == PASS else (size - 1 - move // size, move % size))
        node.set("C", f"{text} [{ply}] \\")
        before.new_child().set_move("b", None)  # a variation
    found = read_one(theirs.serialise().decode())
    names = state.board.names
    assert [move.move for move in found.moves] == ["pass" if move == PASS else names[move] for move in moves]
    assert [move.text for move in found.moves] == [f"{text} [{ply}] \\" for ply in range(len(moves))]
    assert found.players == [text, "White"]
    assert found.points == [0.0, 1.0]
    assert found.verdict == (Verdict.RESIGNED if state.turn == 0 else Verdict.ADJUDICATED)


def test_names_and_comments_are_escaped() -> None:
    state, moves = at_random(5, 7.5, 1, 2)
    game = recorded(state, moves, players=("a]b\\", ";(W[aa])"), verdict=Verdict.RESIGNED)
    said = "a ] and a \\ and a : [x"
    text = sgf.text(replace(game, moves=(replace(game.moves[0], text=said), *game.moves[1:])))
    theirs = mill.Sgf_game.from_string(text)
    assert [theirs.get_player_name(colour) for colour in "bw"] == game.players
    assert said in theirs.get_main_sequence()[1].get("C").replace("\\\\", "\\")
    assert read_one(text).players == game.players


@pytest.mark.parametrize(
    ("verdict", "ending"),
    [(Verdict.RESIGNED, "R"), (Verdict.TIME, "T"), (Verdict.CRASHED, "F"), (Verdict.ILLEGAL, "F")],
)
def test_a_result_has_its_cause(verdict: Verdict, ending: str) -> None:
    state, moves = at_random(9, 7.5, 4, 7)
    text = sgf.text(recorded(state, moves, verdict=verdict))
    assert f"RE[B+{ending}]" in text
    found = read_one(text)
    assert found.points == [1.0, 0.0]
    assert found.verdict == (verdict if ending != "F" else Verdict.ADJUDICATED)


def test_a_result_is_that_after_rulings() -> None:
    game = recorded(*at_random(9, 7.5, 4, 7), verdict=Verdict.RESIGNED)
    award = PastRuling("award", 1, "a wrong clock", "2026-05-01T10:00:00Z", 1)
    assert "RE[W+F]" in sgf.text(replace(game, rulings=(award,)))
    assert "RE[Void]" in sgf.text(replace(game, rulings=(replace(award, what="void", seat=None),)))


def test_a_result_without_moves_has_no_margin() -> None:
    game = recorded(*at_random(9, 7.5, 4, 7), verdict=Verdict.RESIGNED)
    assert "RE[B+]" in sgf.text(replace(game, moves=(), plies=0, verdict=Verdict.NORMAL, fault=None))


def test_a_wrong_move_in_a_record_is_an_error_with_its_ply() -> None:
    game = replace(recorded(*at_random(9, 7.5, 4, 2), verdict=Verdict.TIME), id=7)
    wrong = replace(game.moves[1], move=game.moves[0].move)
    with pytest.raises(ArenaError, match=r"game club-1, ply 2: expected a legal move, got .*: the point is not empty"):
        sgf.text(replace(game, moves=(game.moves[0], wrong)))


@pytest.mark.parametrize(
    "clock",
    ["60", "1234567.5", "60+0.5", "60+5x10", "0+5x10", "40/300", "40/300+3", "move=0.1", "none"],
)
def test_a_clock_is_read_as_it_was_written(clock: str) -> None:
    game = replace(recorded(*at_random(5, 7.5, 4, 7), verdict=Verdict.TIME), clock=clock)
    assert read_one(sgf.text(game)).clock == clock


# Files of other programs.

KO = "(;SZ[5];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb])"


def test_handicap_stones_are_an_opening_in_which_white_passes() -> None:
    found = read_one("(;GM[1]SZ[9]HA[4]AB[cc:dd];W[ee];B[ef])")
    assert [(move.who, move.move) for move in found.moves] == [
        *(("opening", text) for text in ("C7", "pass", "D7", "pass", "C6", "pass", "D6")),
        (1, "E5"),
        (0, "E4"),
    ]
    assert found.opening == "C7 pass D7 pass C6 pass D6"
    assert found.game == "go:komi=0"
    assert read_one("(;SZ[9];W[ee])").opening == "pass"
    assert read_one("(;SZ[9]AB[aa];B[ee])").opening == "A9 pass"
    assert read_one("(;SZ[9]AB[aa]AB[bb])").opening == "A9 pass B8"


def test_the_main_line_is_read_and_variations_are_not() -> None:
    text = "\n (;FF[4]SZ[9]KM[7.50](;B[aa](;W[bb];B[cc])(;W[dd]))(;B[ee]))  (;SZ[5]\n;Black[aa]LongName[x]\n[y])"
    first, second = exchange.read(text, "two.sgf")
    assert [move.move for move in first.moves] == ["A9", "B8", "C7"]
    assert (first.game, second.game) == ("go", "go:size=5,komi=0")
    assert [first.number, second.number] == [1, 2]
    assert {game.tournament for game in (first, second)} == {"two"}


def test_old_files_write_a_pass_as_tt() -> None:
    assert [move.move for move in read_one("(;SZ[19];B[tt];W[])").moves] == ["pass", "pass"]


def test_swapped_seats_one_after_the_other_are_a_pair() -> None:
    games = exchange.read("(;PB[ann]PW[bob]RE[B+R])(;PB[bob]PW[ann]RE[B+R])(;PB[ann]PW[bob]RE[0])", "club.sgf")
    assert games[0].pair == games[1].pair != games[2].pair
    assert [game.leg for game in games] == [0, 1, 0]


# Black owns the whole board after a pass each: 25 points.
ENDED = "(;SZ[5]KM[3.5]RE[{}];B[cc];W[];B[])"


@pytest.mark.parametrize(
    ("text", "verdict", "points"),
    [
        (ENDED.format("B+21.5"), Verdict.NORMAL, [1.0, 0.0]),
        (ENDED.format("b+21.50"), Verdict.NORMAL, [1.0, 0.0]),
        (ENDED.format("B+"), Verdict.NORMAL, [1.0, 0.0]),
        (ENDED.format("?"), Verdict.NORMAL, [1.0, 0.0]),
        (ENDED.format("B+3.5"), Verdict.ADJUDICATED, [1.0, 0.0]),
        (ENDED.format("W+2"), Verdict.ADJUDICATED, [0.0, 1.0]),
        (ENDED.format("Jigo"), Verdict.ADJUDICATED, [0.5, 0.5]),
        (ENDED.format("B+Resign"), Verdict.ADJUDICATED, [1.0, 0.0]),
        (ENDED.format("Void"), Verdict.VOID, None),
        ("(;RE[W+0.5];B[cc])", Verdict.ADJUDICATED, [0.0, 1.0]),
        ("(;RE[B+Time];B[cc])", Verdict.TIME, [1.0, 0.0]),
        ("(;RE[W+T];B[cc])", Verdict.ADJUDICATED, [0.0, 1.0]),
        ("(;RE[W+Forfeit])", Verdict.FORFEIT, [0.0, 1.0]),
        ("(;RE[0];B[cc];W[];B[])", Verdict.ADJUDICATED, [0.5, 0.5]),
        ("(;RE[Draw];B[];W[])", Verdict.NORMAL, [0.5, 0.5]),
        ("(;B[cc])", Verdict.VOID, None),
        ("(;RE[has adjourned.];B[cc])", Verdict.VOID, None),
    ],
)
def test_a_result_of_any_kind_is_read(text: str, verdict: Verdict, points: list[float] | None, tmp_path: Path) -> None:
    game = read_one(text)
    assert (game.verdict, game.points) == (verdict, points)
    (tmp_path / "club.sgf").write_text(text)
    database = str(tmp_path / "arena.db")
    assert arena("data", "import", str(tmp_path / "club.sgf"), "--db", database).code == 0
    assert arena("data", "verify", "--db", database).code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(;SZ[9];B[aa]", r"line 1: expected \) at the end of the game"),
        ("(;SZ[9]\n;B[aa];W[aa])", "line 2: move 2: expected a legal move, got 'A9': the point is not empty"),
        ("(;SZ[9]\n;B[aa];B[bb])", "line 2: expected a move of W, got two moves of B"),
        ("(;SZ[9]\n;B[ja])", "line 2: expected a point from aa to ii, or nothing for a pass, got 'ja'"),
        ("(;SZ[9]\n\n;B[];W[];B[aa])", "line 3: expected no move after two passes"),
        ("(;SZ[9];B[ab];W[aa];B[ba];W[aa])", "move 4: expected a legal move, got 'A9': suicide, "),
        (KO, "line 1: move 9: expected a legal move, got 'C4': superko, "),
        ("(;GM[2])", r"line 1: expected a game of Go \(GM\[1\]\), got GM\[2\]"),
        ("(;SZ[20])", "line 1: size must be 1..19, got 20"),
        ("(;SZ[19:9])", "line 1: size must be a whole number"),
        ("(;KM[3.75])", "line 1: komi must be a multiple of 0.5"),
        ("(;RE[black won])", r"line 1: RE: expected a result such as B\+3.5, W\+R, 0 or Void, got 'black won'"),
        ("(;AW[aa])", "line 1: expected moves and, before them, black handicap stones only"),
        ("(;B[aa];AB[bb])", "line 1: expected moves and, before them, black handicap stones only"),
        ("(;AB[])", "line 1: expected the point of a handicap stone, got ''"),
        ("(;AB[aa][aa];W[bb])", "move 3: expected a legal move, got 'A19': the point is not empty"),
        ("(;B[aa]BL[soon])", "line 1: expected the seconds that are left, got 'soon'"),
        ("(;DT[2026-02-31])", "line 1: started: expected a time with a time zone"),
        ("(;SZ[9])\nand more", r"line 2: expected SGF such as \(;GM\[1\]SZ\[9\];B\[ee\]\), got 'and more'"),
        ("([aa])", "line 1: expected SGF such as"),
        ("(;SZ[9];\nB;W[aa])", "line 2: expected SGF such as"),
        ("(" * 100_000, r"line 1: expected \) at the end"),
        ("()", "expected"),
    ],
)
def test_errors_in_a_file_have_its_line(text: str, words: str) -> None:
    with pytest.raises(BadImport, match=words) as error:
        exchange.read(text, "club.sgf")
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("club.sgf")


@settings(max_examples=tries(60))
@given(st.data())
def test_a_damaged_file_is_refused_or_read_but_nothing_else_happens(data: st.DataObject) -> None:
    text = sgf.text(recorded(*at_random(5, 7.5, data.draw(st.integers(0, 99)), 12), verdict=Verdict.TIME))
    at = data.draw(st.integers(0, len(text)))
    damaged = (
        "(" + text[1:at] + data.draw(st.text("()[];\\BWab:\n", max_size=4)) + text[at + data.draw(st.integers(0, 5)) :]
    )
    try:
        exchange.read(damaged, "club.sgf")
    except BadImport as error:
        assert str(error).startswith("club.sgf")  # noqa: PT017


# The commands.


def test_a_game_played_here_is_exported_imported_and_shown(tmp_path: Path) -> None:
    database, other, file = (str(tmp_path / name) for name in ("arena.db", "other.db", "club.sgf"))
    played = arena(
        "play", "go:size=5", "random", "random", "--seed", "1", "--clock", "10+0.1", "--quiet", "--db", database
    )
    assert played.code == 0, played.err
    assert arena("data", "export", "--all", "--format", "sgf", "-o", file, "--db", database).err == "1 game exported\n"
    brought = arena("data", "import", file, "--db", other)
    assert brought.err == "1 game of 'club' imported\n"
    shown = [
        arena("replay", "--show", name, "--db", where).out for name, where in (("last", database), ("club-1", other))
    ]
    boards = [re.findall(r"(?m)^\d [.xo ]+$", text) for text in shown]
    assert boards[0] == boards[1]
    assert len(boards[0]) == 5
    assert arena("data", "verify", "--db", other).code == 0


def test_a_file_that_is_called_sgf_and_is_not_is_refused_as_such(tmp_path: Path) -> None:
    file = tmp_path / "hello.sgf"
    file.write_text("hello")
    ended = arena("data", "import", str(file), "--db", str(tmp_path / "arena.db"))
    assert (ended.code, ended.err) == (
        2,
        f"arena: {file}, line 1: expected SGF such as (;GM[1]SZ[9];B[ee]), got 'hello'\n",
    )


def test_other_games_are_refused_in_one_line(tmp_path: Path) -> None:
    database = str(tmp_path / "arena.db")
    (tmp_path / "list.csv").write_text("1,ann,bob,1-0\n")
    assert arena("data", "import", str(tmp_path / "list.csv"), "--db", database).code == 0
    ended = arena("data", "export", "list", "--format", "sgf", "-o", str(tmp_path / "list.sgf"), "--db", database)
    assert ended.code == 2
    assert ended.err == "arena: SGF is for games of go, and game list-1 is 'unknown'; use --format ndjson, pgn or csv\n"
    assert not (tmp_path / "list.sgf").exists()


def test_a_game_of_other_rules_is_an_error() -> None:
    with pytest.raises(ArenaError, match="SGF is for games of go"):
        sgf.text(PastGame(id=7, number=1, pair="p", game="othello"))
