"""`arena results rank` as its user meets it: every option, every format, every way to be wrong."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from agents.protocol import Verdict
from arena.ratings import systems
from db.database import Database
from tests.kit import sample_commands, sample_record
from tests.kit.arena_program import Ended, arena
from tests.kit.random_record import Record

PLAYER = [
    *("rank", "rank_low", "rank_high", "name", "rating", "error", "games", "wins", "draws", "losses", "points"),
    *("score", "opponents", "los", "marks", "pool"),
]
DOCUMENT = [
    "system",
    "players",
    "advantage",
    "advantage_error",
    "draw_rate",
    "pools",
    "advantages",
    "unrated",
    "repeated",
]
LIST = "1,ann,bob,1-0\n1,bob,ann,1/2-1/2\n1,ann,cy,1-0\n1,cy,ann,0-1\n1,bob,cy,0-1\n1,cy,bob,0-1\n"


def asked(record: Path, *arguments: str, columns: int = 80) -> Ended:
    """What the command answers about the sample."""
    return sample_commands.asked(record, "results", "rank", *arguments, columns=columns)


def players(record: Path, *arguments: str) -> dict[str, Any]:
    """The players of the JSON, by name."""
    return {
        player["name"]: player for player in sample_commands.document(record, "results", "rank", *arguments)["players"]
    }


def of_list(text: str, *arguments: str, name: str = "list.csv", columns: int = 80) -> Ended:
    """What the command answers about a list of results in this folder."""
    Path(name).write_text(text, "utf-8")
    return arena("results", "rank", "--from", name, *arguments, columns=columns)


def document_of(text: str, *arguments: str) -> Any:
    """The same as JSON."""
    ended = of_list(text, *arguments, "--format", "json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


# How it is told.


def test_the_document_has_its_fields_in_their_order(record: Path) -> None:
    ended = asked(record, "cs101", "--format", "json")
    document = json.loads(ended.out)
    assert list(document) == DOCUMENT
    assert all(list(player) == PLAYER for player in document["players"])
    assert (document["system"], document["pools"], document["unrated"]) == ("elo", 1, {})
    first, second, third, fourth = document["players"]
    assert (first["name"], first["rank"], first["marks"]) == ("dan", 1, [">"])
    assert (second["name"], third["name"], third["rank"]) == ("cleo", "ann", 3)
    assert (third["rank_low"], third["rank_high"], third["marks"]) == (1, 4, [])
    assert (third["games"], third["wins"], third["draws"], third["losses"]) == (5, 2, 1, 2)
    assert (third["points"], third["score"]) == (2.5, 0.5)
    assert (fourth["rank"], fourth["name"], fourth["los"]) == (4, "bob", None)
    assert document["advantages"]["tictactoe"]["elo"] == document["advantage"]


def test_with_games_of_several_kinds_there_is_an_advantage_for_each(record: Path) -> None:
    document = json.loads(asked(record, "--all", "--format", "json").out)
    assert (document["advantage"], document["advantage_error"], document["draw_rate"]) == (None, None, None)
    assert set(document["advantages"]) == {"ludo", "tictactoe"}
    out = asked(record, "--all").out
    assert "\nludo: first-move advantage: " in out
    assert "\ntictactoe: first-move advantage: " in out


def test_an_advantage_that_the_results_do_not_determine_is_null() -> None:
    first_seat_wins = "1,ann,bob,1-0\n1,bob,ann,1-0\n"
    assert "first-move advantage: not known" in of_list(first_seat_wins, "--prior", "0").out
    document = document_of(first_seat_wins, "--prior", "0")
    assert (document["advantage"], document["advantage_error"]) == (None, None)
    (each,) = document["advantages"].values()
    assert each["elo"] is None


def test_the_sheet_has_every_number_with_all_its_digits(record: Path) -> None:
    rows = csv.DictReader(io.StringIO(asked(record, "cs101", "--format", "csv").out))
    ann = next(row for row in rows if row["name"] == "ann")
    told = players(record, "cs101")["ann"]
    assert list(ann) == [*PLAYER[:12], "draw_rate", "opponents", "los", "marks", "pool"]
    for name in ("rating", "error", "score", "opponents", "los"):
        assert float(ann[name]) == told[name]
    assert (ann["draw_rate"], ann["marks"]) == ("0.2", "")


def test_numbers_stand_below_each_other(record: Path) -> None:
    header, *rows = asked(record, "cs101").out.split("\n\n")[0].splitlines()
    end = header.index("rating") + len("rating")
    assert [row[:end].split()[-1] for row in rows] == ["89", "60", "40", "-189"]
    assert all(row[end] == " " for row in rows)


@pytest.mark.parametrize("columns", [80, 112, 200])
def test_what_is_shown_fits_its_terminal_whatever_names_are(columns: int) -> None:
    names = ["a" * 60, "素人" * 15, "x" * 200]
    text = "".join(f"1,{one},{other},1-0\n" for one in names for other in names if one != other)
    for system in systems.names():
        lines = of_list(text, "--system", system, columns=columns).out.splitlines()
        assert max(map(cell_len, lines)) <= columns
        assert ("opponents" in lines[0]) is (columns >= 112 and system != "points")
        assert len(lines) > 4


@pytest.mark.parametrize("system", systems.names(), ids=str)
def test_no_terminal_obeys_a_name(record: Path, system: str) -> None:
    ended = (
        asked(record, "evening", "--system", system, "--prior", "0") if system == "elo" else asked(record, "evening")
    )
    assert ended.code == 0
    assert (ended.out + ended.err).replace("\n", "").isprintable()


def test_who_cannot_be_rated_is_told_so_and_stays_in_the_table() -> None:
    hostile = "1,b\x1b[31mad,ann,0-1\n" + LIST
    ended = of_list(hostile, "--prior", "0")
    assert ended.err == "b\\x1b[31mad cannot be rated without a prior: lost every game\n"
    assert ended.out.splitlines()[4].split()[:2] == ["-", "b\\x1b[31mad"]
    document = document_of(hostile, "--prior", "0")
    assert document["unrated"] == {"b\x1b[31mad": "lost every game"}
    (last,) = (player for player in document["players"] if player["rank"] is None)
    assert (last["rating"], last["error"], last["pool"], last["losses"]) == (None, None, 0, 1)


def test_players_that_no_games_connect_are_pools() -> None:
    ended = of_list("1,a,b,1-0\n1,b,a,1-0\n1,c,d,1-0\n")
    assert "pool" in ended.out.splitlines()[0].split()
    assert "2 pools with no games between them" in ended.out


def test_who_won_or_lost_everything_is_marked() -> None:
    out = of_list("1,a,b,1-0\n1,b,a,0-1\n").out
    assert [line.split()[-1] for line in out.splitlines()[1:3]] == [">", "<"]
    assert "> won every game, < lost every game: their rating is set by the prior" in out
    assert "the prior" not in of_list("1,a,b,1-0\n", "--system", "glicko2").out


def test_without_a_game_it_says_so(record: Path) -> None:
    assert asked(record, "--at", "2020-01-01").out == "no rated games\n"
    assert players(record, "--at", "2020-01-01") == {}
    assert asked(record, "--since", "2030-01-01", "--format", "csv").out.count("\n") == 1


def test_help_has_examples_and_names_every_system() -> None:
    told = " ".join(arena("results", "rank", "--help", columns=200).out.split())
    assert told.count("Example: arena results rank") == 2
    assert "[TOURNAMENT|FILE.toml]..." in told
    assert all(system in told for system in systems.names())


# Which games.


def test_the_last_tournament_is_meant_unless_others_are_named_or_all(record: Path) -> None:
    assert players(record) == players(record, "cs101")
    assert set(players(record, "evening")) == {"ann", "bob", sample_record.HOSTILE}
    assert set(players(record, "cs101", "evening")) == {"ann", "bob", "cleo", "dan", sample_record.HOSTILE}
    assert players(record, "cs101", "evening")["ann"]["games"] < players(record, "--all")["ann"]["games"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ("--agent ann", {"ann", "bob", "cleo", "dan", sample_record.HOSTILE}),
        ("--agent ann --opponent cleo", {"ann", "cleo"}),
        ("--agent cleo --seat 0", {"bob", "cleo", "ann"}),
        ("--agent cleo --result draw", {"bob", "cleo"}),
        ("--game ludo:players=3 --system plackett-luce", {"ann", "bob", sample_record.HOSTILE}),
        ("--verdict time --game tictactoe", {"ann", "cleo"}),
        ("--fault bob --game tictactoe", {"bob", sample_record.HOSTILE}),
        ("--opening a1", {"ann", "bob"}),
        ("--since 2026-05-01T12:20", {"ann", "dan"}),
        ("--until 2026-05-01T12:04 --game pig", {"ann", sample_record.HOSTILE}),
        ("--min-plies 9 --max-plies 9 --game tictactoe", {"ann", "bob"}),
    ],
)
def test_games_are_chosen(record: Path, filters: str, names: set[str]) -> None:
    assert set(players(record, "--all", *filters.split())) <= names
    assert len(players(record, "--all", *filters.split())) >= 2


def test_a_date_takes_everything_back_to_what_it_was_then(record: Path) -> None:
    file = Path("arena.db")
    with Database(str(file)) as database, database.writing() as connection:
        book = sample_record.Book(connection)
        tournament = book.tournament("pairs", "tictactoe")
        book.enter(tournament, "ann", "bob", "cleo")
        for pair in (("ann", "bob"), ("bob", "cleo"), ("cleo", "ann")):
            for leg, (seats, moves) in enumerate(((pair, sample_record.X_WINS), (pair[::-1], sample_record.DRAW))):
                book.play(tournament, "tictactoe", seats, pair=" ".join(sorted(pair)), leg=leg, moves=moves)
    now, then = players(file), players(file, "--at", "2026-05-02")
    for number in ("rating", "error", "points"):
        told = {name: one[number] for name, one in now.items()}
        assert {name: one[number] for name, one in then.items()} == pytest.approx(told)
    assert len(players(file, "--at", "2026-05-01T12:03")) == 2
    assert set(players(record, "cs101", "--at", "2026-05-01T12:08")) < {"ann", "bob", "cleo"}


@pytest.mark.parametrize("verdict", [str(verdict) for verdict in Verdict])
def test_games_that_ended_so_are_rated_or_there_are_none(record: Path, verdict: str) -> None:
    assert asked(record, "--all", "--verdict", verdict).code == 0


# How.


@pytest.mark.parametrize("system", systems.names(), ids=str)
def test_every_system_ranks_the_better_one_first(system: str) -> None:
    document = document_of(LIST, "--system", system)
    assert document["system"] == system
    assert document["players"][0]["name"] == "ann"
    ended = of_list(LIST, "--system", system)
    assert ended.code == 0
    assert ended.out.splitlines()[1].split()[0] == "1"


def test_an_anchor_is_held_to_its_rating() -> None:
    told = document_of(LIST, "--anchor", "ann=1500")["players"][0]
    assert (told["rating"], told["marks"]) == (pytest.approx(1500.0), ["anchor"])


def test_an_anchor_may_have_a_name_with_a_sign_in_it() -> None:
    told = document_of("1,alphabeta:depth=4,b,1-0\n", "--anchor", "alphabeta:depth=4=100")["players"]
    assert {player["name"]: player["rating"] for player in told}["alphabeta:depth=4"] == pytest.approx(100.0)


def test_a_prior_draws_players_together() -> None:
    spread = [document_of(LIST, "--prior", prior)["players"][0]["rating"] for prior in ("0.5", "1", "20")]
    assert spread == sorted(spread, reverse=True)
    assert "prior: 20 virtual draws per player" in of_list(LIST, "--prior", "20").out
    assert "no prior" in of_list(LIST, "--prior", "0").out
    assert document_of(LIST) == document_of(LIST, "--prior", "1")


def test_incremental_ratings_begin_move_and_end_as_they_are_told() -> None:
    (won, lost) = document_of(
        "1,a,b,1-0\n", "--system", "incremental", "--k", "40", "--start", "200", "--floor", "190"
    )["players"]
    assert (won["rating"], lost["rating"], won["error"], won["los"]) == (220.0, 190.0, None, None)


def test_glicko_begins_where_it_is_told() -> None:
    told = [player["rating"] for player in document_of(LIST, "--system", "glicko2", "--start", "0")["players"]]
    assert min(told) < 0.0 < max(told)


def test_games_for_more_than_two_are_rated_by_plackett_luce() -> None:
    four = "first,second,third,fourth,result\na,b,c,d,1-0-0-0\nb,a,d,c,0-1-0-0\n"
    assert document_of(four)["system"] == "plackett-luce"
    assert document_of(four)["players"][0]["name"] == "a"
    ended = of_list(four, "--system", "elo")
    assert (ended.code, "use --system plackett-luce" in ended.err) == (2, True)


def test_games_that_a_system_cannot_take_are_told() -> None:
    mixed = "first,second,third,result\na,b,,1-0\nb,a,,1-0\na,b,c,1-0-0\n"
    told = "not rated: 1 game of more or fewer than two players; the system plackett-luce rates them\n"
    assert of_list(mixed).err == told
    assert of_list(mixed, "--system", "plackett-luce").err == ""
    Path("mixed.csv").write_text(mixed, "utf-8")
    assert arena("data", "import", "mixed.csv").code == 0
    assert arena("results", "rank", "mixed").err == told


def test_a_list_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LIST.encode())))
    ended = arena("results", "rank", "--from", "-", "--format", "json", "--svg", "p.svg")
    assert json.loads(ended.out) == document_of(LIST)
    assert "Ratings" in Path("p.svg").read_text("utf-8")


@pytest.mark.parametrize("form", ["csv", "ndjson", "pgn"])
def test_an_export_is_rated_as_the_record_is(form: str) -> None:
    Path("club.csv").write_text(LIST, "utf-8")
    assert arena("data", "import", "club.csv", "--db", "arena.db").code == 0
    assert arena("data", "export", "club", "--format", form, "-o", f"out.{form}").code == 0
    ended = arena("results", "rank", "--from", f"out.{form}", "--format", "json")
    assert json.loads(ended.out)["players"] == json.loads(arena("results", "rank", "--format", "json").out)["players"]


def test_a_picture_is_written_beside_what_is_printed(record: Path) -> None:
    ended = asked(record, "evening", "--svg", "ratings.svg")
    assert (ended.code, ended.err, ended.out) == (0, "written: ratings.svg\n", asked(record, "evening").out)
    picture = Path("ratings.svg").read_text("utf-8")
    assert picture.startswith("<svg")
    assert "\x1b" not in picture


# What is wrong.

LISTED = ["--from", "list.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cs102"], "there is no tournament 'cs102'"),
        (["cs101", "--all"], "expected tournaments or --all, got both"),
        (["--agent", "anne"], "did you mean 'ann'"),
        (["--agent", "ann", "--opponent", "bib"], "did you mean 'bob'"),
        (["--fault", "nobody"], "no player called 'nobody' has played"),
        (["--seat", "0"], "need --agent NAME"),
        (["--at", "yesterday"], "--at: expected a date such as 2026-05-01"),
        (["--since", "2026-13-01"], "--since: expected a date"),
        (["--system", "ello"], "--system: expected a rating system (elo"),
        (["--format", "xml"], "got 'xml'"),
        (["--anchor", "ann"], "--anchor: expected NAME=RATING, got 'ann'"),
        (["--anchor", "ann=strong"], "--anchor: expected a rating after ann=, such as 1500, got 'strong'"),
        (["--anchor", "ann=nan"], "such as 1500, got 'nan'"),
        (["--anchor", "ann=1", "--anchor", "ann=2"], "'ann' is given twice"),
        (["--anchor", "anne=1"], "no anchor 'anne'"),
        (
            ["--anchor", "ann=1", "--system", "points"],
            "--anchor works only with --system elo or plackett-luce, the system is points",
        ),
        (["--anchor", "ann=1", "--system", "glicko2"], "anchors are for elo and plackett-luce"),
        (["--prior", "-1"], "--prior: expected"),
        (["--prior", "nan"], "--prior: expected"),
        (
            ["--prior", "1", "--system", "glicko2"],
            "--prior works only with --system elo or plackett-luce, the system is glicko2",
        ),
        (["--k", "10"], "--k works only with --system incremental, the system is elo"),
        (["--k", "inf", "--system", "incremental"], "expected"),
        (["--start", "0"], "--start works only with --system glicko2 or incremental, the system is elo"),
        (["--start", "nan", "--system", "glicko2"], "expected a start"),
        (
            ["--floor", "0", "--system", "glicko2"],
            "--floor works only with --system incremental, the system is glicko2",
        ),
        (["--floor", "2000", "--system", "incremental"], "expected a start not below the floor"),
        (["--svg", "no/where.svg"], "cannot write 'no/where.svg': No such file or directory"),
        (LISTED, "leave out tournaments, filters, --at and --db"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_one_error(record: Path, arguments: list[str], words: str) -> None:
    ended = asked(record, *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("more", [["cs101"], ["--all"], ["--at", "2026-05-01"], ["--agent", "ann"]], ids=" ".join)
def test_a_list_is_rated_whole(more: list[str]) -> None:
    ended = of_list(LIST, *more, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert "--from rates all games of its file" in ended.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "expected a list of results, cannot read 'bad.csv': No such file or directory"),
        (b"", "expected games, got none"),
        (b"1,a,b,\xff\n", "line 1: expected text in UTF-8"),
    ],
    ids=["missing", "empty", "no text"],
)
def test_a_file_that_cannot_be_read_is_one_error(content: bytes | None, words: str) -> None:
    if content is not None:
        Path("bad.csv").write_bytes(content)
    ended = arena("results", "rank", "--from", "bad.csv", columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


def test_a_database_that_is_not_there_is_one_error_and_is_not_made() -> None:
    ended = arena("results", "rank")
    assert (ended.code, "there is no database arena.db" in ended.err) == (2, True)
    assert list(Path().iterdir()) == []


def test_a_database_without_a_tournament_has_all_games_or_says_what_is_missing() -> None:
    with Database("arena.db"):
        pass
    assert arena("results", "rank", "--all").out == "no rated games\n"
    ended = arena("results", "rank")
    assert (ended.code, ended.out) == (2, "")
    assert "tournament" in ended.err


def test_a_tournament_without_a_finished_game_has_nobody_to_rank() -> None:
    with Database("arena.db") as database, database.writing() as connection:
        book = sample_record.Book(connection)
        tournament = book.tournament("new", "tictactoe")
        book.enter(tournament, "ann", "bob")
        book.plan(tournament, "tictactoe", ("ann", "bob"))
    fitted = [system for system in systems.names() if system != "points"]
    assert [arena("results", "rank", "--system", system).out for system in fitted] == ["no rated games\n"] * len(fitted)
    told = json.loads(arena("results", "rank", "--system", "points", "--format", "json").out)["players"]
    assert [(player["name"], player["games"], player["points"]) for player in told] == [
        ("ann", 0, 0.0),
        ("bob", 0, 0.0),
    ]
    for wide in (80, 200):
        assert arena("results", "rank", "--system", "points", columns=wide).code == 0
    assert arena("results", "rank", "--system", "points", "--format", "csv").code == 0


def test_meetings_that_repeat_another_are_told(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with Database(str(file)) as database, database.writing() as connection:
        record = Record(connection)
        cup = record.tournament("ann", "bob")
        for number, moves in enumerate(["ab", "ab", "ab", "abc"]):
            record.play(cup, "ann", "bob", 1.0, pair=f"{number}", moves=moves)
    assert (
        "2 pairings repeat an earlier one move for move, so the errors count it once"
        in arena("results", "rank", "--db", str(file)).out
    )
    assert json.loads(arena("results", "rank", "--db", str(file), "--format", "json").out)["repeated"] == 2
    assert (
        "pairs and single games that repeat earlier ones: 2; the error"
        in arena("results", "versus", "ann", "bob", "--db", str(file)).out
    )


@pytest.mark.costly
def test_a_game_with_cards_repeats_only_one_whose_cards_come_from_the_same_seed(tmp_path: Path) -> None:
    for name in ("monday", "tuesday"):
        run = ("run", "kuhn", "greedy", "random", "--rounds", "40", "--seed", "1", "--seats-key", "1", "--name", name)
        assert arena(*run, cwd=tmp_path).code == 0

    def repeated(*arguments: str) -> int:
        ended = arena("results", "rank", *arguments, "--format", "json", cwd=tmp_path)
        return int(json.loads(ended.out)["repeated"])

    moves = arena(
        "data", "sql", "select group_concat(move) from v_move group by game", "--format", "csv", cwd=tmp_path
    ).out
    assert len({*moves.splitlines()}) < 40
    assert repeated("monday") == repeated("tuesday") == 0
    assert repeated("monday", "tuesday") == 40
    assert arena("data", "export", "--all", "-o", "all.ndjson", cwd=tmp_path).code == 0
    assert arena("data", "import", "all.ndjson", "--db", "other.db", cwd=tmp_path).code == 0
    assert repeated("--all", "--db", "other.db") == 40
