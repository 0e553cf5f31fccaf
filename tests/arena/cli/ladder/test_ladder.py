"""`arena ladder` as its user meets it: opening, looking, giving time, closing, and every way to be wrong."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.cli.ladder.ladder import rating_plot
from arena.cli.ladder.serve import show
from arena.history.words import moment
from arena.players.submissions import Store
from arena.serve.ladder_events import Rated
from arena.serve.open_ladders import OpenLadder, close, extend, opened
from arena.serve.timed_tournaments import TimedTournaments
from arena.walls.run_folder import RunFolder
from db import ladder as record
from db import ladder as rows
from db import store
from db.accounts import AccountsDatabase
from db.database import Connection, Database
from db.ladder import NewRating, RatingPoint, SubmissionState
from tests.arena.serve.test_timed_tournaments import play_all
from tests.kit.account_room import invite
from tests.kit.arena_program import Ended, arena
from tests.kit.ladder_record import DESCRIPTION as FINAL_DESCRIPTION
from tests.kit.ladder_record import store_ladder
from tests.kit.places import ROOT

DESCRIPTION = """
game = "connect4"
clock = "5"
[ladder]
closes = "2099-12-20 23:59"
anchors = { "random" = 0, "minimax:depth=2" = 420 }
"""
LATE = "the ladder has closed"
START = datetime(2026, 11, 3, 12, tzinfo=UTC)
PAGE = (
    (ROOT / "docs" / "reference.md").read_text("utf-8").partition("### `arena ladder show`\n")[2].partition("\n##")[0]
)


def test_ratings_of_anchors_alone_name_no_best_agent(capsys: pytest.CaptureFixture[str]) -> None:
    show(Rated([]))
    assert capsys.readouterr().out.endswith(" new ratings; no agent has one yet\n")


@pytest.fixture(autouse=True)
def description(tmp_path: Path) -> Path:
    """A ladder's file, in the working directory."""
    path = tmp_path / "cs101.toml"
    path.write_text(DESCRIPTION, "utf-8")
    return path


@pytest.fixture
def club() -> None:
    """An open ladder with two versions of alice, bob without a rating, and a refused submission."""
    assert arena("ladder", "open", "cs101.toml").code == 0
    with Database("arena.db") as database, database.writing() as connection:
        id = opened(connection).id
        for number, (author, rating) in enumerate([("alice", 300.0), ("alice", 450.0), ("bob", None)]):
            _enter(connection, id, author, number, rating)
        _submit(connection, id, "dora", SubmissionState.REFUSED, LATE)


def _enter(connection: Connection, id: int, author: str, number: int, rating: float | None) -> None:
    version = store.version(connection, author, str(number) * 64, f"{author}.py", START)
    submission = _submit(connection, id, author, SubmissionState.RECEIVED, "")
    record.change_submission(connection, submission, SubmissionState.ENTERED, START, version=version)
    store.enter(connection, id, author, version)
    for games in (20, 40) if rating is not None else ():
        time = START + timedelta(hours=100 * number + games)
        record.add_ratings(connection, id, [NewRating(version, (rating or 0.0) + games, 900.0 / games, games)], time)


def _submit(connection: Connection, id: int, author: str, state: SubmissionState, words: str) -> int:
    label = f"{author}.py"
    return record.add_submission(connection, id, author, label=label, source=None, state=state, words=words, now=START)


def shown(*arguments: str) -> Any:
    """The document of `arena ladder show`."""
    return json.loads(arena("ladder", "show", *arguments, "--format", "json").out)


def lines(ended: Ended) -> list[str]:
    """What a command printed, without the widths of columns."""
    assert (ended.code, ended.err) == (0, "")
    return [re.sub(" {2,}", "  ", line).strip() for line in ended.out.splitlines()]


def test_opening_says_what_is_open_and_how_it_runs(club: None) -> None:
    assert lines(arena("ladder", "open", "cs101.toml")) == [
        "cs101: open until 2099-12-20 23:59 UTC",
        "anchors: random 0, minimax:depth=2 420",
        "run it with: arena serve cs101.toml",
    ]


def test_the_table_ranks_agents_and_marks_anchors(club: None) -> None:
    rows = [line for line in lines(arena("ladder", "show")) if line]
    rated = moment(START + timedelta(hours=140))
    anchored = moment(datetime.fromisoformat(shown()["players"][1]["rated"]))
    assert rows[:7] == [
        "cs101: connect4, clock 5",
        "open until 2099-12-20 23:59 UTC",
        "rank  name  version  rating  ±  games  status  rated",
        f"1  alice  2  490  22  40  active  {rated}",
        f"minimax:depth=2  1  420  0  anchor  {anchored}",
        f"random  1  0  0  anchor  {anchored}",
        "bob  1  0  active",
    ]
    assert rows[7:9] == ["The last submissions:", "submission  agent  received  state  reason"]
    assert rows[9] == f"4  dora  {moment(START)}  refused  {LATE}"


def test_a_long_reason_is_cut_in_the_table_and_whole_with_agent(club: None) -> None:
    words = "legal moves: choose returned 99, which is not a legal move; return one of state.moves()"
    with Database("arena.db") as database, database.writing() as connection:
        _submit(connection, opened(connection).id, "erna", SubmissionState.FAILED, words)
    table = arena("ladder", "show").out.splitlines()
    (row,) = (line for line in table if "erna" in line)
    assert row.endswith("failed   legal moves: choose returned …")
    assert max(map(len, table)) <= 80
    assert all(word in arena("ladder", "show", "--agent", "erna").out for word in words.split())


def test_documents_have_the_documented_fields(club: None) -> None:
    table, _, of_agent = PAGE.partition("With `--agent`")
    found = shown()
    listed, _, _ = table.partition("A player:")
    assert {*found} == {*re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", listed, re.MULTILINE)))}
    named = {*re.findall(r"`(\w+)`", table)}
    assert {*found["players"][0], *found["submissions"][0]} <= named
    assert [player["rank"] for player in found["players"]] == [1, None, None, None]
    alice = shown("cs101", "--agent", "alice")
    assert {*alice, *alice["ratings"][0]} <= {*re.findall(r"`(\w+)`", of_agent)}
    assert alice["versions"] == [1, 2]
    assert [point["rating"] for point in alice["ratings"]] == [320.0, 340.0, 470.0, 490.0]


def test_csv_has_a_row_for_each_player_and_for_each_rating(club: None) -> None:
    players = [*csv.DictReader(io.StringIO(arena("ladder", "show", "--format", "csv").out))]
    assert [(row["name"], row["rating"]) for row in players[:2]] == [("alice", "490.0"), ("minimax:depth=2", "420.0")]
    curve = [*csv.DictReader(io.StringIO(arena("ladder", "show", "--agent", "alice", "--format", "csv").out))]
    assert [(row["version"], row["games"]) for row in curve] == [("1", "20"), ("1", "40"), ("2", "20"), ("2", "40")]


def test_an_agent_is_shown_with_its_versions_submissions_and_rating_over_time(club: None) -> None:
    ended = arena("ladder", "show", "--agent", "alice")
    rows = lines(ended)
    assert rows[0] == "alice on cs101: active"
    assert f"1  340  22  40  {moment(START + timedelta(hours=40))}" in rows
    assert f"2  490  22  40  {moment(START + timedelta(hours=140))}" in rows
    assert any(row.startswith("490 |") and row.endswith("*") for row in rows)
    assert any(row.startswith("320 |*") for row in rows)
    assert max(map(len, ended.out.splitlines())) <= 80


@pytest.mark.parametrize(("agent", "status"), [("dora", "not entered"), ("bob", "active"), ("random", "anchor")])
def test_agents_with_few_ratings_are_shown_without_a_plot(club: None, agent: str, status: str) -> None:
    rows = lines(arena("ladder", "show", "--agent", agent))
    assert rows[0] == f"{agent} on cs101: {status}"
    assert not any("|" in row for row in rows)


def test_more_time_for_one_author(club: None) -> None:
    given = lines(arena("ladder", "extend", "cs101", "alice", "--until", "2099-12-22", "--reason", "ill"))
    assert given == ["alice can hand in to cs101 until 2099-12-22 23:59 UTC"]
    assert lines(arena("ladder", "show", "--agent", "alice"))[1] == "can hand in until 2099-12-22 23:59 UTC"


def test_a_new_extension_replaces_the_one_before_and_the_time_of_the_close_takes_it_back(club: None) -> None:
    for until, then in (("2099-12-24", 1), ("2099-12-22", 1), ("2099-12-20 23:59", 0)):
        assert arena("ladder", "extend", "cs101", "alice", "--until", until, "--reason", "ill").code == 0
        rows = lines(arena("ladder", "show", "--agent", "alice"))
        assert [row for row in rows if "can hand in" in row] == [f"can hand in until {until} 23:59 UTC"] * then


@pytest.mark.parametrize(("author", "meant"), [("alic", "; did you mean 'alice'?"), ("zoe", "")])
def test_time_for_an_author_who_has_not_handed_in_is_given_with_a_note(club: None, author: str, meant: str) -> None:
    ended = arena("ladder", "extend", "cs101", author, "--until", "2099-12-22", "--reason", "ill")
    assert (ended.code, ended.out) == (0, f"{author} can hand in to cs101 until 2099-12-22 23:59 UTC\n")
    assert ended.err == f"arena: '{author}' has not handed in to this ladder yet{meant}\n"


def test_time_for_somebody_who_was_not_invited_is_refused(club: None) -> None:
    with AccountsDatabase("arena.db") as accounts:
        invite(accounts)
    ended = arena("ladder", "extend", "cs101", "alic", "--until", "2099-12-22", "--reason", "ill", columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert "'cs101' has no author 'alic'" in ended.err
    assert ended.err.endswith("did you mean 'alice'?\n")


def test_closing_is_said_and_can_be_repeated(club: None) -> None:
    (closed,) = lines(arena("ladder", "close"))
    assert re.fullmatch(r"cs101: closed since [\d: -]{16} UTC", closed)
    assert lines(arena("ladder", "close", "cs101")) == [closed]
    assert lines(arena("ladder", "open", "cs101.toml"))[0] == closed
    assert lines(arena("ladder", "show"))[1] == closed.removeprefix("cs101: ")


def test_a_ladder_that_was_closed_is_opened_again_once(club: None) -> None:
    (opened_before,) = lines(arena("ladder", "show"))[1:2]
    assert arena("ladder", "close").code == 0
    assert lines(arena("ladder", "reopen")) == [f"cs101: {opened_before}"]
    assert lines(arena("ladder", "show"))[1] == opened_before
    ended = arena("ladder", "reopen", "cs101", columns=200)
    assert (ended.code, ended.err) == (2, "arena: the ladder 'cs101' is open until 2099-12-20 23:59 UTC\n")


def test_a_ladder_of_the_future_says_when_it_opens(description: Path) -> None:
    description.write_text(DESCRIPTION.replace("[ladder]", "[ladder]\nopens = 2099-11-01"), "utf-8")
    opening = lines(arena("ladder", "open", "cs101.toml"))[0]
    assert opening == "cs101: opens at 2099-11-01 00:00 UTC, closes at 2099-12-20 23:59 UTC"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "cs102"], "there is no ladder 'cs102'; did you mean 'cs101'?"),
        (["show", "--agent", "alic"], "there is no agent 'alic' on the ladder 'cs101'; did you mean 'alice'?"),
        (["close", "cs102"], "there is no ladder 'cs102'"),
        (["open", "nowhere.toml"], "cannot read a ladder's description from 'nowhere.toml'"),
        (["extend", "cs101", "alice", "--until", "soon", "--reason", "ill"], "--until: expected a day, or a day and"),
        (["extend", "cs101", "alice", "--until", "2020-01-01", "--reason", "ill"], "until: expected a time to come"),
        (["extend", "cs101", "alice", "--until", "2099-12-22"], "--reason"),
    ],
)
def test_a_mistake_is_one_line(club: None, arguments: list[str], words: str) -> None:
    ended = arena("ladder", *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert len(ended.err.splitlines()) == 1


def test_without_a_ladder_each_command_says_how_to_open_one() -> None:
    with Database("arena.db"):
        pass
    for command in ("show", "close", "reopen"):
        assert "there is no ladder in this database" in arena("ladder", command, columns=200).err


def test_the_description_of_a_ladder_is_not_run_as_a_tournament() -> None:
    ended = arena("run", "cs101.toml")
    assert ended.code == 2
    assert ended.err == "arena: cs101.toml describes a ladder; run it with: arena serve cs101.toml\n"


# The plot.


def points(*ratings: float, hours: float = 1.0) -> list[RatingPoint]:
    """Ratings at equal distances."""
    return [RatingPoint(START + number * timedelta(hours=hours), one, 0.0, 1) for number, one in enumerate(ratings)]


def test_a_plot_has_the_highest_rating_above_and_the_lowest_below() -> None:
    *plot, times = rating_plot(points(0, 50, 100), width=13, height=3)
    assert plot == ["100 |       *", "    |    ***", "  0 |****"]
    assert times.strip() == f"{moment(START)} to {moment(START + timedelta(hours=2))}"


@pytest.mark.parametrize("ratings", [(5.0,), (5.0, 5.0), (-10.4, 1234.6, 3.0), tuple(range(500))])
@pytest.mark.parametrize("hours", [0.0, 1.0])
def test_a_plot_fits_and_has_one_mark_in_each_column(ratings: tuple[float, ...], hours: float) -> None:
    *plot, _ = rating_plot(points(*ratings, hours=hours), width=40, height=8)
    columns = [line.partition("|")[2].ljust(40) for line in plot]
    marks = ["".join(column).count("*") for column in zip(*columns, strict=True)]
    assert {*marks} <= {0, 1}
    assert "01" not in "".join(map(str, marks))
    assert max(map(len, plot)) <= 40
    assert plot[0].startswith(f"{max(ratings):.0f}".rjust(plot[0].index("|") - 1))


# `arena ladder final`, and what the commands about tournaments say of a ladder.


NOW = datetime.now(UTC)
OPEN = FINAL_DESCRIPTION.replace(
    "closes = 2026-12-12T08:00:00Z", f"closes = {NOW + timedelta(days=9):%Y-%m-%dT%H:%M:%SZ}"
)


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenLadder:
    """A ladder that is open, in the database of the working directory."""
    monkeypatch.chdir(tmp_path)
    with Database("arena.db") as database:
        return store_ladder(database, tmp_path, OPEN)


def closed(ladder: OpenLadder) -> OpenLadder:
    """The ladder, closed an hour ago."""
    with Database("arena.db") as database, database.writing() as connection:
        return close(connection, ladder, NOW - timedelta(hours=1))


def refused(*arguments: str) -> str:
    """What the command says before it ends with exit code 2."""
    ended: Ended = arena(*arguments)
    assert (ended.code, ended.out) == (2, "")
    return ended.err


def test_the_final_is_refused_before_the_close(ladder: OpenLadder) -> None:
    said = refused("ladder", "final")
    assert said.startswith("arena: the final of 'cs101' begins when the ladder closes, ")
    assert said.endswith("; to close it now: arena ladder close cs101\n")


def test_what_the_final_waits_for_is_said(ladder: OpenLadder) -> None:
    ladder = closed(ladder)
    begun = "arena: the ladder 'cs101' is closed, but its final has not begun"
    assert refused("ladder", "final") == f"{begun}; start `arena serve FILE.toml`, which plays it\n"
    with Database("arena.db") as database, database.writing() as connection:
        rows.add_submission(
            connection,
            ladder.id,
            "bob",
            label="bob.py",
            source="random",
            state=SubmissionState.RECEIVED,
            words="",
            now=NOW,
        )
    assert refused("ladder", "final").startswith(f"{begun}: it waits for the check of 1 submission; start")
    with Database("arena.db") as database, database.writing() as connection:
        extend(connection, ladder, "bob", NOW + timedelta(days=2), reason="ill", now=NOW)
    assert refused("ladder", "final").startswith(f"{begun}: it waits for the extension until ")


def test_the_final_shows_its_standings_and_how_to_grade(ladder: OpenLadder, tmp_path: Path) -> None:
    ladder = closed(ladder)
    with Database("arena.db") as database, RunFolder() as folder:
        store = tmp_path / "arena.store"
        dated = TimedTournaments(
            *(ladder, database, Store(store), folder, pytest.fail, lambda: NOW),
            ladder_is_over=lambda: True,
            say=lambda _: None,
        )
        assert dated.next() is not None
        dated.interrupted()
        assert "cs101 final: round-robin, 0 of 6 games are over, running" in arena("ladder", "final").out
        play_all(dated)
        dated.close()
    shown = arena("ladder", "final", "cs101").out
    assert shown.startswith("cs101 final: round-robin, 6 of 6 games are over, finished\n")
    assert [line.split()[1] for line in shown.splitlines()[3:6]] == ["alice", "bob", "carol"]
    assert shown.endswith("\ngrade list: arena course grades 'cs101 final'\n")
    grades = arena("course", "grades", "cs101 final", "--format", "csv").out
    assert [line.split(",")[0] for line in grades.splitlines()] == ["agent", "alice", "bob", "carol"]


def test_show_says_whether_the_final_is_over_and_a_swiss_final_counts_the_games_of_all_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Database("arena.db") as database, RunFolder() as folder:
        store_ladder(database, tmp_path, f'{OPEN}\n[ladder.final]\nformat = "swiss"\nrounds = 3\n')
        with database.writing() as connection:
            ladder = close(connection, opened(connection), NOW - timedelta(hours=1))
        assert "the final" not in arena("ladder", "show").out
        dated = TimedTournaments(
            *(ladder, database, Store(tmp_path / "arena.store"), folder, pytest.fail, lambda: NOW),
            ladder_is_over=lambda: True,
            say=lambda _: None,
        )
        assert dated.next() is not None
        dated.interrupted()
        assert "; the final has begun; its standings: arena ladder final cs101\n" in arena("ladder", "show").out
        assert "cs101 final: swiss, 0 of 6 games are over, running" in arena("ladder", "final").out
        play_all(dated)
        dated.close()
    shown = arena("ladder", "show").out.splitlines()[1]
    assert shown.startswith("closed since ")
    assert shown.endswith("; the final is over; its results: arena ladder final cs101")
    assert "cs101 final: swiss, 6 of 6 games are over, finished" in arena("ladder", "final").out


def test_a_ladder_is_not_graded(ladder: OpenLadder) -> None:
    assert refused("grades", "cs101") == (
        "arena: 'cs101' is a ladder, in which agents meet different opponents; grade its final, with the command that "
        "`arena ladder final` prints\n"
    )


def test_standings_of_a_ladder_say_where_its_ratings_are(ladder: OpenLadder) -> None:
    shown = arena("results").out
    assert shown.endswith(
        "\n\ncs101 is a ladder: agents meet different opponents. Compare their ratings: arena ladder show cs101\n"
    )
    assert "is a ladder" not in arena("results", "--format", "csv").out


def test_a_bundle_has_games_of_the_ladder_and_is_not_one(ladder: OpenLadder) -> None:
    assert arena("course", "bundle", "alice", "alice.arena").code == 0
    assert arena("data", "verify", "--db", "alice.arena").code == 0
    assert arena("results", "cs101", "--db", "alice.arena").out.splitlines()[1].split()[1] == "alice"
    assert refused("ladder", "show", "--db", "alice.arena").startswith("arena: there is no ladder in this database")
