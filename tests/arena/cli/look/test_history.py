"""Looking back on the command line: tournaments, standings, crosstables, histories, single games, logs and SQL."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from adsearch import games
from arena.cli import app
from arena.cli.look.standings import crosstable_lines
from arena.ratings.points import IN_CROSSTABLE, TIEBREAKS, Crosstable
from db.database import Database
from db.schema import VIEWS
from db.scores import HeadToHead
from tests.kit import sample_record
from tests.kit.arena_program import arena
from tests.kit.places import ROOT
from tests.kit.sample_commands import asked, document
from tests.kit.sample_record import Book
from tests.kit.terminal import Session

HISTORY = {
    *("id", "tournament", "round", "number", "attempt", "game", "players", "opening", "clock", "seed", "status"),
    *("points", "utilities", "verdict", "fault", "plies", "started", "finished", "kind", "position"),
}
SEAT = {"seat", "player", "version", "spent", "longest", "cpu", "memory", "stderr", "clock", "adsearch"}
MOVE = {"ply", "who", "move", "spent", "left", "cpu", "delay", "lag", "score", "depth", "nodes", "line", "text"}
STANDING = {
    *("rank", "name", "games", "wins", "draws", "losses", "points", "score", "tiebreaks", "faults"),
    *("forfeits", "byes", "apart", "status", "seed", "series"),
}
LISTINGS = [
    ["tournaments"],
    ["standings", "evening"],
    ["standings", "--all"],
    ["crosstable", "evening"],
    ["history"],
    ["show", "evening-4"],
    ["show", "cs101-8"],
    ["logs", "evening-4"],
    ["replay", "evening-1"],
    ["replay", "evening-3"],
    ["sql", "SELECT player, stderr FROM v_seat"],
]


def sheet(record: Path, *arguments: str) -> list[dict[str, str]]:
    """The CSV of a command."""
    ended = asked(record, *arguments, "--format", "csv")
    assert ended.code == 0, ended.err
    return list(csv.DictReader(io.StringIO(ended.out, newline="")))


# All of them.


@pytest.mark.parametrize("arguments", LISTINGS, ids=" ".join)
def test_no_terminal_obeys_what_is_shown(record: Path, arguments: list[str]) -> None:
    ended = asked(record, *arguments, columns=200)
    assert ended.code == 0, ended.err
    assert ended.out.replace("\n", "").isprintable()


@pytest.mark.parametrize("command", ["standings", "crosstable", "history", "tournaments"])
def test_tables_fit_a_terminal_of_80_columns(record: Path, command: str) -> None:
    from rich.cells import cell_len

    lines = asked(record, command).out.splitlines()
    assert max(map(cell_len, lines)) <= 80


@pytest.mark.parametrize("arguments", [*LISTINGS, ["export"]], ids=" ".join)
def test_a_database_that_is_not_there_is_one_error_and_is_not_made(tmp_path: Path, arguments: list[str]) -> None:
    ended = arena(*arguments, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "there is no database arena.db" in ended.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["standings", "cs102"], "there is no tournament 'cs102'"),
        (["standings", "cs101", "--all"], "a tournament or --all, got both"),
        (["history", "--agent", "anne"], "did you mean 'ann'"),
        (["history", "--opponent", "ann"], "need --agent NAME"),
        (["history", "--result", "win"], "need --agent NAME"),
        (["history", "--since", "yesterday"], "expected a date such as 2026-05-01"),
        (["history", "--verdict", "lost"], "--verdict"),
        (["history", "--limit", "0"], "--limit"),
        (["show", "99"], "there is no game 99"),
        (["show", "cs101-99"], "has no game 99"),
        (["show", "cs101-1", "--ply", "6"], "expected 0 to 5"),
        (["replay", "nothing"], "expected a game's id"),
        (["logs", "1", "--seat", "7"], "seat 7 did not play in game evening-1"),
        (["logs", "1", "--agent", "dan"], "'dan' did not play in game evening-1"),
        (["sql", "selec 1"], 'near "selec"'),
        (["sql", "delete from game"], "not authorized"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_told_in_words(record: Path, arguments: list[str], words: str) -> None:
    ended = asked(record, *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


# One by one.


def test_tournaments_tell_how_far_they_are(record: Path) -> None:
    course, evening = document(record, "results", "tournaments")
    assert (course["name"], course["entries"], course["played"], course["games"]) == ("cs101", 5, 13, 14)
    assert sheet(record, "tournaments")[1]["games"] == "4/4"
    created = evening["created"]
    assert (
        f"{created[:10]} {created[11:16]} UTC" in arena("results", "tournaments", "--db", str(record), columns=200).out
    )
    assert evening["status"] == "finished"


def test_standings_are_those_of_the_last_tournament_unless_one_is_named(record: Path) -> None:
    rows = document(record, "results")
    assert all(set(row) == STANDING for row in rows)
    assert rows == document(record, "results", "cs101")
    assert rows != document(record, "results", "evening")
    assert [(row["rank"], row["name"], row["points"], row["games"]) for row in rows] == [
        (1, "bob", 4.0, 7),
        (2, "cleo", 3.5, 6),
        (3, "ann", 2.5, 7),
        (4, "dan", 1.0, 2),
        (5, "eve", 0.0, 0),
    ]
    assert rows[3]["faults"] == {"forfeit": 1}
    assert (rows[4]["score"], rows[4]["tiebreaks"]) == (None, dict.fromkeys(TIEBREAKS, 0))


def test_standings_mark_who_takes_part_no_more(record: Path) -> None:
    assert "withdrawn; forfeit 1" in asked(record, "results", columns=100).out
    (dan,) = (row for row in sheet(record, "standings") if row["name"] == "dan")
    assert (dan["status"], dan["faults"], dan["points"]) == ("withdrawn", "forfeit 1", "1.0")


def test_games_that_were_not_played_are_marked_in_the_standings_of_those_who_were_given_them(record: Path) -> None:
    title, blank, *lines = asked(record, "results").out.splitlines()
    assert (title, blank) == ("Tournament: cs101", "")
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["rank", "name", "games", "W", "D", "L", "points", "forfeit", "score", "faults"]
    given = {line.split()[1] for line in lines if " +1  " in line}
    assert {row["name"] for row in document(record, "results") if row["forfeits"]} == given
    assert [row["forfeits"] for row in sheet(record, "standings") if row["name"] in given] == ["1"]
    assert "forfeit" not in asked(record, "results", "evening").out


def test_standings_over_all_games_list_everybody(record: Path) -> None:
    names = {row["name"] for row in document(record, "results", "--all")}
    assert names == {"ann", "bob", "cleo", "dan", "eve", sample_record.HOSTILE}


def test_a_crosstable_has_a_row_and_a_column_for_everybody(record: Path) -> None:
    table = document(record, "results", "crosstable")
    assert table["players"] == ["bob", "cleo", "ann", "dan", "eve"]
    assert [len(row) for row in table["cells"]] == [5] * 5
    assert table["cells"][0][1] == {"points": 1.5, "games": 3}
    assert table["cells"][0][0] is None
    rows = sheet(record, "crosstable")
    assert rows[0] == {"name": "bob", "bob": "", "cleo": "1.5/3", "ann": "1.5/3", "dan": "1/1", "eve": ""}


@pytest.mark.parametrize(("players", "width"), [(20, 80), (40, 80), (3, 10), (1, 80), (0, 80)])
def test_a_crosstable_fits_its_terminal_and_holds_every_cell(players: int, width: int) -> None:
    names = [f"a student with a long name {number}" for number in range(players)]
    cells = [[None if one == other else HeadToHead(2, 1.5) for other in names] for one in names]
    lines = crosstable_lines(Crosstable(names, list(cells)), width=width)
    parts = "\n".join(lines).split("\n\n")
    assert all(len(line) <= max(width, 20) for line in lines)
    assert len(parts) == 1 or players >= 20 or width < 80
    assert "\n".join(lines).count(" 1½/2") == players * (players - 1)


def test_a_crosstable_in_a_file_is_not_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"agent{number}" for number in range(40)]
    file = tmp_path / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        book = Book(connection)
        book.enter(book.tournament("cup", "tictactoe"), *names)
    monkeypatch.delenv("COLUMNS", raising=False)
    app(["crosstable", "--db", str(file)], standalone_mode=False)
    (heads, *rows) = capsys.readouterr().out.removeprefix("Tournament: cup\n\n").splitlines()
    assert heads.split() == [str(number) for number in range(1, 41)]
    assert [row.split()[1] for row in rows] == sorted(names)


def test_a_table_of_many_players_has_the_first_of_them_and_csv_has_all(tmp_path: Path) -> None:
    names = [f"agent{number}" for number in range(IN_CROSSTABLE + 2)]
    file = tmp_path / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "tictactoe", status="finished")
        book.enter(cup, *names)
        for pair in zip(names[::2], names[1::2], strict=True):
            book.play(cup, "tictactoe", pair)
    shown = asked(file, "crosstable")
    placed = [row["name"] for row in document(file, "standings")]
    (first, *_) = shown.out.removeprefix("Tournament: cup\n\n").split("\n\n")
    assert [line.split()[1] for line in first.splitlines()[1:]] == placed[:IN_CROSSTABLE]
    assert shown.err == "the first 100 of 102 players; --format csv has all\n"
    assert [row["name"] for row in sheet(file, "crosstable")] == placed == document(file, "crosstable")["players"]
    assert len(sheet(file, "crosstable")[0]) == len(names) + 1


def test_a_history_is_an_array_with_exactly_its_fields(record: Path) -> None:
    rows = document(record, "results", "history")
    assert all(set(row) == {*HISTORY, "ruling"} for row in rows)
    assert len(rows) == 19
    assert document(record, "results", "history", "--limit", "2") == rows[:2]
    (awarded,) = (row for row in rows if row["tournament"] == "cs101" and row["number"] == 8)
    assert awarded["points"] == [0.0, 1.0]
    assert awarded["utilities"] == [1.0, -1.0]
    ruling = {"what": "award", "seat": 1, "reason": 'not "his" own work\n\x1b[31m', "when": "2026-05-01T12:16:00.000Z"}
    ruling |= {"id": 3}
    assert awarded["ruling"] == ruling


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ("--agent ann --opponent bob --result win", 2),
        ("--agent ann --seat 1 --game tictactoe --tournament cs101", 5),
        ("--fault any", 5),
        ("--fault bob", 3),
        ("--verdict crashed", 2),
        ("--opening a1", 1),
        ("--min-plies 6 --max-plies 9 --game tictactoe", 1),
        ("--status scheduled", 1),
        ("--status any", 20),
        ("--status void", 3),
        ("--since 2026-05-01", 19),
        ("--until 2026-05-01", 19),
        ("--since 2026-05-02", 0),
        ("--until 2026-04-30", 0),
        ("--since 2026-05-01T12:20", 2),
        ("--since 2026-05-01T14:20+02:00", 2),
        ("--until 2026-05-01T12:02:00Z", 1),
    ],
)
def test_a_history_is_filtered(record: Path, filters: str, count: int) -> None:
    assert len(document(record, "results", "history", *filters.split())) == count


def test_a_history_without_games_is_an_empty_one(record: Path) -> None:
    assert document(record, "results", "history", "--max-plies", "0", "--verdict", "time") == []
    assert asked(record, "results", "history", "--since", "2030-01-01").code == 0


def test_where_there_are_more_games_it_is_told_how_to_see_all(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(record, "results", "history").err == ""
    monkeypatch.setattr("arena.cli.look.history._DEFAULT_LIMIT", 5)
    for format in ("table", "csv", "json"):
        assert (
            asked(record, "results", "history", "--format", format).err
            == "the newest 5 of 19 games; --limit 19 lists all\n"
        )
    assert (
        asked(record, "results", "history", "--verdict", "normal").err
        == "the newest 5 of 10 games; --limit 10 lists all\n"
    )
    assert asked(record, "results", "history", "--limit", "5").err == ""
    assert asked(record, "results", "history", "--limit", "19").err == ""
    monkeypatch.setattr("arena.cli.look.history._MOST_COUNTED", 18)
    assert asked(record, "results", "history").err == "the newest 5 of more than 18 games; --limit N lists more\n"


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("tictactow", "no recorded game 'tictactow'; did you mean 'tictactoe'?"),
        ("conect4", "no recorded game 'conect4'; did you mean 'connect4'?"),
        ("hex", "no recorded game 'hex'; there is "),
        ("mine.py:Mine", "no recorded game 'mine.py:Mine'; there is "),
        ("ludo:plyers=3", "ludo: no option 'plyers'; did you mean 'players'?"),
        ("\x1b[2J", "no recorded game "),
    ],
    ids=["near one on record", "near one of ours", "unknown", "a file", "an option", "an escape"],
)
def test_a_mistyped_game_is_told(record: Path, game: str, words: str) -> None:
    ended = asked(record, "results", "history", "--game", game)
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert words in ended.err
    assert "\x1b" not in ended.err


@pytest.mark.parametrize("game", ["othello", "ludo:players=2", "tictactoe"])
def test_a_game_that_there_is_may_have_no_games(record: Path, game: str) -> None:
    assert document(record, "results", "history", "--game", game, "--since", "2030-01-01") == []


def test_show_as_json_is_one_whole_game(record: Path) -> None:
    game = document(record, "replay", "--show", "cs101-1")
    assert set(game) == {*HISTORY, "ruling", "detail", "host", "seats", "moves"}
    assert all(set(seat) == SEAT for seat in game["seats"])
    assert all(set(move) == MOVE for move in game["moves"])
    assert [(move["who"], move["move"]) for move in game["moves"]] == [
        ("opening", "a1"),
        ("opening", "b1"),
        (0, "a2"),
        (1, "b2"),
        (0, "a3"),
    ]
    assert game["seats"][0]["version"] == 1
    assert game["moves"][2]["left"] + game["moves"][2]["spent"] in (10_099, 10_100)


def test_show_tells_a_game_with_its_board_its_clocks_and_its_end(record: Path) -> None:
    lines = asked(record, "replay", "--show", "cs101-1").out.splitlines()
    assert lines[0] == "cs101-1   tictactoe   ann - bob   1-0"
    assert "opening a1 b1" in lines[1]
    assert re.fullmatch(r"  3  ann a2   0\.\d\d s   \d+\.\d\d s left   depth 3, score \+0.25, .*", lines[5])
    assert lines[-6:] == ["  a b c", "1 X o .", "2 X o .", "3[X]. .", "", "ann wins   5 plies"]


def test_show_tells_rulings_beside_what_happened(record: Path) -> None:
    out = asked(record, "replay", "--show", "cs101-7").out
    assert "bob - cleo   *" in out
    assert "bob wins" in out
    assert "awarded to cleo: a mistake of mine" in out
    assert "annulled: the machine was busy" in out


def test_show_of_a_game_that_is_not_played_yet_tells_so(record: Path) -> None:
    assert asked(record, "replay", "--show", "cs101-14").out.splitlines()[-1] == "scheduled"


def test_show_as_csv_lists_the_moves(record: Path) -> None:
    rows = sheet(record, "show", "cs101-2")
    assert [row["move"] for row in rows] == sample_record.DRAW.split()
    assert [row["player"] for row in rows[:2]] == ["bob", "ann"]


def test_show_does_without_rules_that_are_not_here_any_more(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    text = tmp_path / "club.csv"
    text.write_text("round,first,second,result\n1,ann,bob,1-0\n", "utf-8")
    assert arena("data", "import", str(text), "--db", str(file)).code == 0
    drawn = arena("replay", "--show", "club-1", "--svg", "board.svg", "--db", str(file))
    assert (drawn.code, drawn.out) == (2, "")
    assert "no board: no game 'unknown'" in drawn.err
    ended = arena("replay", "--show", "club-1", "--db", str(file))
    assert ended.code == 0
    assert "no board: no game 'unknown'" in ended.out
    assert "ann wins" in ended.out


@pytest.mark.parametrize(("arguments", "ply"), [([], 5), (["--ply", "3"], 3), (["--ply", "0"], 0)])
def test_show_draws_the_board_at_the_end_or_after_a_ply(record: Path, arguments: list[str], ply: int) -> None:
    ended = asked(record, "replay", "--show", "cs101-1", "--svg", "board.svg", *arguments)
    assert (ended.code, ended.out, ended.err) == (0, "", "written: board.svg\n")
    state, last = games.start("tictactoe"), None
    for text in sample_record.X_WINS.split()[:ply]:
        last = state.from_text(text)
        state = state.play(last)
    assert Path("board.svg").read_text("utf-8") == state.svg(last)
    assert [file.name for file in Path().iterdir()] == ["board.svg"]


def test_show_shows_the_board_after_a_ply(record: Path) -> None:
    lines = asked(record, "replay", "--show", "cs101-1", "--ply", "3").out.splitlines()
    assert lines[-6:] == ["  a b c", "1 x o .", "2[x]. .", "3 . . .", "", "ann wins   5 plies"]


def test_a_board_that_cannot_be_written_leaves_what_was_there(record: Path) -> None:
    Path("full").mkdir()
    folder = "it is a folder; name a file in it"
    for file, words in (("nowhere/board.svg", "there is no folder 'nowhere'"), ("full", folder), (".", folder)):
        ended = asked(record, "replay", "--show", "cs101-1", "--svg", file)
        assert (ended.code, ended.out) == (2, "")
        assert f"cannot write '{file}'" in ended.err
        assert words in ended.err
    assert [file.name for file in Path().iterdir()] == ["full"]


@pytest.mark.parametrize(
    ("svg", "told"),
    [
        ("return 1 / 0", "svg of Odd: ZeroDivisionError: division by zero"),
        ("return 7", "expected a picture as text, got 7"),
    ],
)
def test_a_picture_that_a_game_of_ones_own_cannot_draw_is_one_line(svg: str, told: str) -> None:
    source = "from adsearch import State\nclass Odd(State):\n  turn = 0\n  def svg(self, last=None):\n    "
    Path("odd.py").write_text(source + svg, "utf-8")
    ended = arena("games", "odd.py:Odd", "--svg", "board.svg")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert told in ended.err
    assert not Path("board.svg").exists()


def test_logs_are_those_of_every_seat_or_of_one(record: Path) -> None:
    assert asked(record, "replay", "--logs", "cs101-3").out.splitlines() == [
        "0  ann",
        "(printed nothing)",
        "1  cleo",
        "slow",
    ]
    assert asked(record, "replay", "--logs", "cs101-3", "--agent", "cleo").out == "slow\n"
    assert asked(record, "replay", "--logs", "cs101-3", "--seat", "1").out == "slow\n"
    (row,) = document(record, "replay", "--logs", "evening-4", "--seat", "1")
    assert row == {"seat": 1, "player": "bob", "stderr": "\x1b[2Jboom\r\nend"}


def test_sql_answers_in_every_form(record: Path) -> None:
    query = "SELECT id, verdict, fault, 1.5 AS half, x'00ff' AS bytes, 9e999 AS much FROM v_game WHERE id = 1"
    assert document(record, "data", "sql", query) == [
        {"id": 1, "verdict": "time", "fault": 1, "half": 1.5, "bytes": "00ff", "much": None}
    ]
    assert sheet(record, "sql", "SELECT 1 AS a, 2 AS a, NULL AS b") == [{"a": "1", "a_2": "2", "b": ""}]
    assert asked(record, "data", "sql", "SELECT 1 AS a WHERE 0").out.split() == ["a"]


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ("v_standing", "tournament name games wins draws losses points score"),
        ("v_head_to_head", "tournament name opponent games wins draws losses points"),
    ],
)
def test_the_views_have_the_columns_that_are_written_down(record: Path, view: str, columns: str) -> None:
    rows = document(record, "data", "sql", f"SELECT * FROM {view}")
    assert list(rows[0]) == columns.split()


@pytest.mark.parametrize("view", VIEWS)
def test_every_column_of_every_view_is_in_the_documentation(record: Path, view: str) -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")
    part = page.partition(f"### {view}\n")[2].partition("\n#")[0]
    first_cells = re.findall(r"^\| (`[^|]+`) \|", part, re.MULTILINE)
    documented = re.findall(r"`(\w+)`", " ".join(first_cells))
    head = asked(record, "data", "sql", f"SELECT * FROM {view} LIMIT 0", "--format", "csv").out
    assert documented == head.strip().split(",")


# Out, and in again.


@pytest.mark.parametrize("form", ["csv", "ndjson", "pgn"])
def test_an_export_is_imported_into_another_database(record: Path, tmp_path: Path, form: str) -> None:
    file, other = tmp_path / f"all.{form}", tmp_path / "other.db"
    ended = asked(record, "data", "export", "--all", "--format", form, "-o", str(file))
    assert (ended.code, ended.out, ended.err) == (0, "", "19 games exported\n")
    ended = arena("data", "import", str(file), "--db", str(other))
    assert (ended.code, ended.out, ended.err) == (0, "", "19 games of 'evening', 'cs101' imported\n")
    assert {row["name"] for row in document(other, "tournaments")} == {"cs101", "evening"}
    told = [
        (row["tournament"], row["number"], row["players"], row["points"])
        for row in document(record, "results", "history")
    ]
    again = [(row["tournament"], row["number"], row["players"], row["points"]) for row in document(other, "history")]
    assert sorted(map(str, again)) == sorted(map(str, told))
    assert [path.name for path in tmp_path.glob("all*")] == [file.name]


def test_an_export_is_printed_unless_a_file_is_named(record: Path) -> None:
    lines = asked(record, "data", "export", "cs101").out.splitlines()
    assert len(lines) == 14
    assert json.loads(lines[0])["tournament"] == "cs101"
    assert asked(record, "data", "export", "--format", "pgn").out.startswith('[Event "cs101"]\n')


def test_a_bad_line_imports_nothing(tmp_path: Path) -> None:
    file, list_ = tmp_path / "arena.db", tmp_path / "list.csv"
    list_.write_text("1,ann,bob,1-0\n1,ann,bob,7\n", "utf-8")
    ended = arena("data", "import", str(list_), "--db", str(file))
    assert ended.code == 2
    assert f"{list_}, line 2: expected" in ended.err
    assert not file.exists()


def test_a_list_of_results_becomes_a_tournament(tmp_path: Path) -> None:
    file, list_ = tmp_path / "arena.db", tmp_path / "list.csv"
    list_.write_text("1,ann,bob,1-0\n1,cleo,ann,1/2-1/2\n", "utf-8")
    assert arena("data", "import", str(list_), "--tournament", "club", "--db", str(file)).code == 0
    rows = document(file, "standings", "club")
    assert [(row["name"], row["points"]) for row in rows] == [("ann", 1.5), ("cleo", 0.5), ("bob", 0.0)]
    ended = arena("data", "import", str(list_), "--tournament", "club", "--db", str(file))
    assert (ended.code, document(file, "standings")) == (2, rows)
    assert "there is a tournament 'club' already" in ended.err


@pytest.mark.parametrize(
    ("content", "words"), [(None, "No such file"), (b"1,ann,bob,1-0\n\xff\n", "line 2: expected text in UTF-8")]
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "list.csv").write_bytes(content)
    ended = arena("data", "import", "list.csv", cwd=tmp_path)
    assert ended.code == 2
    assert words in ended.err


@pytest.mark.costly
def test_on_a_terminal_show_marks_the_board_as_the_screens_do(tmp_path: Path) -> None:
    arena("play", "tictactoe", "random", "random", "--quiet", "--db", str(tmp_path / "arena.db"))
    terminal = Session(tmp_path)
    try:
        shown = terminal.run("arena replay last --show --ply 1 --db arena.db").printed
    finally:
        terminal.close()
    board = shown.partition("  a b c\n")[2].splitlines()[:3]
    assert [mark for line in board for mark in line[1:].split()] == ["[╳]"]
