"""Results from files: plain lists, exports, and the PGN of other programs give the same rated games."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadImport
from arena.history import exchange
from arena.history.exchange.result_files import read
from arena.ratings.match_statistics import in_pairs
from db import games as record
from db import lookup, plain_sql, rated_games
from db.database import Database
from db.records import RatedGame
from tests.arena.history.exchange.test_exchange import ANY_GAME
from tests.kit import sample_record

FOREIGN = """\
[Event "Club evening"]
[Site "?"]
[Round "2.1"]
[White "Ann \\"the\\" first \\\\ only"]
[Black "Bob"]
[Result "1-0"]
[Variant "chess"]

1. e4 {what a move
[White "nobody"]
[Result "0-1"]
} e5 2. Nf3 {two} Nc6 {in a line
here} 1-0

[White "Bob"]
[Black "Cy"]

[Result "1/2-1/2"]

1. d4 ; a comment { up to the end of its line
1/2-1/2
"""


def told(games: list[RatedGame]) -> list[tuple[tuple[str, ...], tuple[float, ...]]]:
    """The players and the result of each game."""
    return [(game.names, game.points) for game in games]


# Plain lists.


def test_a_plain_list_is_read() -> None:
    games = read("1,ann,bob,1-0\n1,bob,cy,1/2-1/2\n2,cy,ann,*\n", "list.csv")
    assert told(games) == [(("ann", "bob"), (1.0, 0.0)), (("bob", "cy"), (0.5, 0.5))]
    assert [game.round for game in games] == [1, 1]


def test_columns_come_in_any_order_and_the_first_bytes_of_a_spreadsheet_are_no_name() -> None:
    games = read("\ufeffresult,second,first\r\n0-1,bob,ann\r\n", "list.csv")
    assert told(games) == [(("ann", "bob"), (0.0, 1.0))]


def test_games_for_more_than_two_are_read() -> None:
    (game,) = read("first,second,third,fourth,result\na,b,c,d,1-0.5-0.5-0\n", "list.csv")
    assert told([game]) == [(("a", "b", "c", "d"), (1.0, 0.5, 0.5, 0.0))]


def test_consecutive_games_with_swapped_seats_are_a_pair() -> None:
    games = read("1,a,b,1-0\n1,b,a,0-1\n1,b,a,1-0\n1,a,b,0-1\n1,a,b,1-0\n", "list.csv")
    assert sorted(len(pair) for pair in in_pairs(games)) == [1, 2, 2]


def test_games_that_are_not_consecutive_are_not_a_pair() -> None:
    assert len(in_pairs(read("1,a,b,1-0\n1,a,c,1-0\n1,b,a,0-1\n", "list.csv"))) == 3
    between = "first,second,result,pair\na,b,1-0,\nx,y,1-0,told\nb,a,1-0,\n"
    assert len(in_pairs(read(between, "list.csv"))) == 3


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=12))
def test_every_row_is_in_one_pair_of_two_at_most(rows: list[tuple[str, str]]) -> None:
    games = read("".join(f"1,{first},{second},1-0\n" for first, second in rows), "list.csv")
    pairs = in_pairs(games)
    assert sum(len(pair) for pair in pairs) == len(rows)
    assert all(len(pair) == 1 or pair[0].names == pair[1].names[::-1] for pair in pairs)
    assert max(map(len, pairs)) <= 2


# Our own exports.


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    sample_record.make(file)
    return file


@pytest.mark.parametrize("form", ANY_GAME, ids=str)
def test_an_export_holds_the_games_that_the_record_rates(database: Path, form: exchange.FileFormat) -> None:
    out = io.StringIO(newline="")
    with Database(str(database)) as opened, opened.reading() as connection:
        course = lookup.find_tournament(connection, "cs101")
        of_record = rated_games.games(connection, rated_games.Scope(tournaments=(course,)))
        ids = [
            row[0]
            for row in plain_sql.answer(connection, "SELECT id FROM v_game WHERE tournament = 'cs101' ORDER BY id")[1]
        ]
        over = [game for game in record.games(connection, ids) if game.status in record.OVER]
        exchange.write(over, form, out)
    games = read(out.getvalue(), f"all.{form}")
    # In the sample an old version of a player has played; only NDJSON has the players' versions.
    current = [game for game in games if "dan" not in game.names]
    expected = [(game.names, game.points) for game in of_record if "dan" not in game.names]
    assert sorted(told(current)) == sorted(expected)
    assert {game.rules for game in games} == {"tictactoe"}


# The PGN of others.


def test_of_a_foreign_pgn_only_the_tags_are_read() -> None:
    games = read(FOREIGN, "club.pgn")
    assert told(games) == [(('Ann "the" first \\ only', "Bob"), (1.0, 0.0)), (("Bob", "Cy"), (0.5, 0.5))]
    assert (games[0].round, games[0].rules, games[1].round, games[1].rules) == (2, "chess", None, "")


def test_the_ends_of_lines_of_another_system_change_nothing() -> None:
    assert read(FOREIGN.replace("\n", "\r\n"), "club.pgn") == read(FOREIGN, "club.pgn")


def test_games_with_only_tags_are_separate_games() -> None:
    text = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n1-0\n[White "b"]\n[Black "a"]\n[Result "0-1"]\n0-1'
    assert told(read(text, "club.pgn")) == [(("a", "b"), (1.0, 0.0)), (("b", "a"), (0.0, 1.0))]


def test_games_separated_by_a_blank_line_are_separate_games() -> None:
    text = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n[White "b"]\n[Black "a"]\n[Result "1-0"]\n'
    assert told(read(text, "club.pgn")) == [(("a", "b"), (1.0, 0.0)), (("b", "a"), (1.0, 0.0))]


def test_a_game_without_a_result_is_left_out() -> None:
    unfinished = '[White "a"]\n[Black "b"]\n[Result "*"]\n\n*\n\n[White "a"]\n[Black "b"]\n\n*\n\n'
    assert told(read(unfinished + FOREIGN, "club.pgn")) == told(read(FOREIGN, "club.pgn"))


BAD = {
    "nothing": ("", "expected games, got none"),
    "no result": ("1,a,b,*\n", "expected games with a result, got none"),
    "a bad result": ("1,a,b,1-0\n1,a,b,won\n", "line 2: expected a result such as 1-0"),
    "too many points": ("1,a,b,7-0\n", "line 1: expected points from 0 to 1"),
    "another column": ("first,secnd,result\na,b,1-0\n", "unknown column 'secnd'; did you mean 'second'"),
    "semicolons": ("first;second;result\na;b;1-0\n", "such as round,first,second,result"),
    "an open quote": ('first,second,result\n"a,b,1-0\n', "expected CSV"),
    "a list": ("[1, 2]", r'line 1: expected tags such as \[White "alice"\]'),
    "an object": ('{"a": 1}', "line 1: expected a game as JSON"),
    "nobody": ('[White "a"]\n[Result "1-0"]\n\n', "line 1: expected the tags .*Black"),
    "an empty name": ('[White "a"]\n[Black ""]\n[Result "1-0"]\n', "line 1: expected the tags .*Black"),
    "words": ('\n[White "a"]\n[Black "b"]\n[Result "won"]\n', "line 2: expected a result such as 1-0, .* got 'won'"),
    "two points": ('[White "a"]\n[Black "b"]\n[Result "2-0"]\n', "line 1: expected a result .* got '2-0'"),
    "no number": ('[White "a"]\n[Black "b"]\n[Result "nan-0"]\n', "line 1: expected a result .* got 'nan-0'"),
    "three": ('[White "a"]\n[Black "b"]\n[Result "1-0-0"]\n', "line 1: expected a result .* got '1-0-0'"),
}


@pytest.mark.parametrize("what", BAD)
def test_errors_have_the_file_and_the_line(what: str) -> None:
    text, words = BAD[what]
    with pytest.raises(BadImport, match=words) as refused:
        read(text, "results")
    assert str(refused.value).startswith("results")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for begun in ("", "[", '[White "a"]\n[Black "b"]\n', "first,second,result\n"):
        with contextlib.suppress(BadImport):
            assert read(begun + text, "any")
