"""A folder of submissions becomes a tournament: checked by real games, listed, named by the description, run."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
import typer

from arena.cli.teach.collect import _described
from arena.errors import BadLeague
from arena.tournament import league
from arena.tournament.lock import collecting_lock
from tests.kit.arena_program import Ended, arena
from tests.kit.hand_ins import AGENT, ROSTER, folder, zipped
from tests.kit.terminal import Session

DESCRIPTION = """\
name = "cs101"
game = "tictactoe"
clock = "5+0.1"
walls = "limits"
players = "cs101.collected.toml"
"""
COLLECT = ("collect", "all.zip", "--roster", "roster.csv", "--tournament", "cs101.toml")
GIVEN = {
    "Task/Anna Müller_55_assignsubmission_file_/my_agent.py": AGENT,
    "Task/Bob Brown_56_assignsubmission_file_/agent.py": AGENT + "# another\n",
    "Task/García López Carla_57_assignsubmission_file_/a.py": "import nothing_like_this\n",
    "Task/Eve Zweig_58_assignsubmission_file_/a.py": AGENT,
}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course's folder: roster, description, submissions."""
    folder(tmp_path, {"roster.csv": ROSTER, "cs101.toml": DESCRIPTION})
    zipped(tmp_path / "all.zip", GIVEN)
    return tmp_path


@pytest.fixture(scope="module")
def first_round(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a course that has been collected, and then been run; two copies, "collected" and "played"."""
    place = tmp_path_factory.mktemp("first")
    collected, played = place / "collected", place / "played"
    folder(collected, {"roster.csv": ROSTER, "cs101.toml": DESCRIPTION})
    zipped(collected / "all.zip", GIVEN)
    ended = arena(*COLLECT, cwd=collected)
    assert ended.code == 0, ended.err
    shutil.copytree(collected, played)
    ended = arena("run", "cs101.toml", cwd=played)
    assert ended.code == 0, ended.err
    return place


@pytest.fixture
def collected(first_round: Path, tmp_path: Path) -> Path:
    """The folder of a course when its first round has been collected."""
    return Path(shutil.copytree(first_round / "collected", tmp_path, dirs_exist_ok=True))


@pytest.fixture
def played(first_round: Path, tmp_path: Path) -> Path:
    """And when it has been played."""
    return Path(shutil.copytree(first_round / "played", tmp_path, dirs_exist_ok=True))


def collect(*arguments: str) -> Ended:
    """The command as it is usually given."""
    return arena(*COLLECT, *arguments)


@pytest.mark.costly
def test_from_a_download_to_a_tournament(course: Path) -> None:
    with pytest.raises(BadLeague, match="expected at least 2 agents"):
        league.read(course / "cs101.toml")
    ended = collect("--deadline", "2026-05-01 13:00")
    assert ended.code == 0, ended.err
    assert all(len(line) <= 80 for line in ended.out.splitlines())
    assert "there is no module 'nothing_like_this'" in " ".join(ended.out.split())
    assert "missing (5): 田中 太郎, Anna Muller, Søren Ågård, Eve Zweig, Eve Zweig" in ended.out
    assert "no match on the roster (1)" in ended.out
    assert "compared with the time in the zip" in ended.out
    assert "\n8 students: 2 good, 1 failed, 5 missing\n" in ended.out
    assert ended.out.endswith("2 of 8 students have an agent, 2 of them a new version; the list is\n"
                              "cs101.collected.toml\nnext: arena run cs101.toml\n")  # fmt: skip
    assert [agent.name for agent in league.read(course / "cs101.toml").agents] == ["Bob Brown", "Deep Blue"]

    run = arena("run", "cs101.toml")
    assert run.code == 0, run.err
    assert "Deep Blue" in run.out
    verified = arena("data", "verify")
    assert "2 versions checked: no errors" in verified.out

    again = collect("--format", "json")
    rows = {row["id"]: row for row in json.loads(again.out) if row["id"]}
    assert rows["1001"]["agent"] == "Deep Blue"
    assert (rows["1001"]["plays"], rows["1001"]["version"], rows["1001"]["new"]) == (True, 1, False)
    assert (rows["1003"]["light"], rows["1005"]["light"]) == ("failed", "missing")
    assert "2 versions" in arena("data", "verify").out


def test_the_list_for_a_spreadsheet_has_everybody(course: Path) -> None:
    ended = collect("--deadline", "2026-04-01", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [row["id"] for row in rows] == ["1001", "1002", "1003", "1004", "1005", "s-77", "1006", "1007", ""]
    assert {row["late"] for row in rows if row["submission"] and row["id"]} == {"yes"}
    assert {row["late_days"] for row in rows if row["submission"] and row["id"]} == {"30"}
    table = collect("--deadline", "2026-04-01")
    assert "All are late: are these the times of the download?" in " ".join(table.out.split())


def test_a_run_without_a_deadline_has_that_of_the_last_run(course: Path) -> None:
    def lateness(*options: str) -> set[str]:
        rows = csv.DictReader(io.StringIO(collect("--format", "csv", *options).out))
        return {row["late"] for row in rows if row["submission"] and row["id"]}

    assert lateness() == {"no"}
    written = course / "cs101.collected.toml"
    assert "deadline" not in written.read_text()
    assert lateness("--afresh", "--deadline", "2026-04-01 18:30 Europe/Berlin") == {"yes"}
    assert 'deadline = "2026-04-01 18:30:00 Europe/Berlin"' in written.read_text()
    assert lateness("--only", "1003", "--deadline", "2027-04-01") == {"no"}
    assert lateness() == {"yes"}
    assert "deadline: 2026-04-01 18:30:00 (Europe/Berlin, UTC+0200), as in the last run" in " ".join(
        collect().out.split()
    )
    assert lateness("--deadline", "none") == lateness() == {"no"}
    written.write_text(f'deadline = "soon"\n{written.read_text()}')
    ended = collect()
    assert (ended.code, "cs101.collected.toml: deadline: expected a day" in " ".join(ended.err.split())) == (2, True)


@pytest.mark.costly
def test_a_new_version_before_anything_was_played_needs_no_word(collected: Path) -> None:
    zipped(
        collected / "all.zip", GIVEN | {"Task/Anna Müller_55_assignsubmission_file_/my_agent.py": AGENT + "# better\n"}
    )
    assert collect().out.endswith("next: arena run cs101.toml\n")


@pytest.mark.costly
def test_a_plan_counts_what_is_new_and_refuses_what_a_run_refuses(played: Path) -> None:
    with (played / "cs101.toml").open("a") as file:
        file.write('[[agent]]\nname = "dice"\nplayer = "random"\n')
    assert "\ncontinuing: 2 of 6 games are over; about " in arena("run", "cs101.toml", "--plan").out
    (played / "cs101.toml").write_text(DESCRIPTION.replace("tictactoe", "connect4"))
    ended = arena("run", "cs101.toml", "--plan")
    assert (ended.code, "started with another description (game: tictactoe -> connect4" in ended.err) == (2, True)


@pytest.mark.costly
def test_a_second_round_says_how_its_games_are_played(played: Path) -> None:
    zipped(played / "all.zip", GIVEN | {"Task/Anna Müller_55_assignsubmission_file_/my_agent.py": AGENT + "# better\n"})
    ended = collect()
    told = "    without --rerun-changed, games of earlier versions no longer count and are\n    not played again\n"
    assert ended.out.endswith(f"next: arena run cs101.toml --rerun-changed\n{told}")
    assert collect().out.endswith(told)
    planned = arena("run", "cs101.toml", "--plan")
    new = "new versions: Deep Blue (their earlier games no longer count; --rerun-changed plays them again)\n"
    assert f"{new}continuing: 2 of 2 games are over\n" in planned.out
    ended = arena("run", "cs101.toml")
    assert "2 games of earlier versions no longer count; the same command with --rerun-changed plays them" in ended.out
    ended = arena("run", "cs101.toml", "--rerun-changed")
    assert "no longer count" not in ended.out
    assert "\n2/2  " in ended.out


@pytest.mark.costly
def test_an_alias_that_the_description_has_too_is_told_before_it_is_run(course: Path) -> None:
    with (course / "cs101.toml").open("a") as file:
        file.write('[[agent]]\nname = "Deep Blue"\nplayer = "random"\n')
    ended = collect()
    assert ended.code == 0
    told = " ".join(ended.out.split())
    assert "the tournament cannot be played yet: cs101.toml: two agents are called 'Deep Blue'" in told
    assert "next:" not in ended.out


@pytest.mark.costly
def test_who_is_no_more_on_the_roster_is_told(collected: Path) -> None:
    (collected / "roster.csv").write_text(ROSTER.replace("Deep Blue", "Kasparov"))
    ended = collect()
    assert "agents whose name is not on the roster: Deep Blue\n" in ended.out
    assert "Kasparov" in ended.out


def test_where_the_description_does_not_name_the_file_that_is_said(course: Path) -> None:
    (course / "cs101.toml").write_text(DESCRIPTION.replace("players", "# players"))
    ended = collect("--deadline", "2026-04-01")
    assert ended.out.endswith('above its first "[":\n    players = "cs101.collected.toml"\n')


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere", "--roster", "roster.csv", "--game", "nap"), "there is no 'nowhere'"),
        (
            ("all.zip", "--roster", "none.csv", "--game", "nap"),
            "expected a roster, cannot read 'none.csv': No such file or directory",
        ),
        (("all.zip", "--roster", "roster.csv"), "expected --tournament FILE.toml or --game GAME"),
        (("all.zip", "--roster", "roster.csv", "--game", "conect4"), "did you mean 'connect4'?"),
        (("all.zip", "--roster", "roster.csv", "--game", "nap", "--late", "no"), "expected refuse or accept, got 'no'"),
        (("all.zip", "--roster", "roster.csv", "--game", "nap", "--deadline", "soon"), "--deadline: expected a day"),
        (("all.zip", "--roster", "roster.csv", "--game", "nap", "--to", "x.toml"), "expected a file called NAME.coll"),
        (("all.zip", "--game", "nap"), "expected a roster: --roster FILE, or roster = in the table [course]"),
        (
            ("all.zip", "--roster", "roster.csv", "--game", "nap", "--on", "dask"),
            "start arena course collect on the machine",
        ),
        (("all.zip", "--roster", "roster.csv", "--game", "nap", "--only", "deep blu"), "did you mean 'Deep Blue'?"),
        (("all.zip", "--roster", "roster.csv", "--game", "nap", "--only", "Eve Zweig"), "2 students are called 'Eve Z"),
        (("all.zip", "--roster", "all.zip", "--game", "nap"), "all.zip"),
        (("roster.csv", "--roster", "roster.csv", "--game", "nap"), "a folder or a zip of submissions, got 'roster"),
    ],
)
def test_what_is_given_wrong_is_told_on_one_line(course: Path, arguments: tuple[str, ...], said: str) -> None:
    ended = arena("course", "collect", *arguments, columns=200)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert not list(course.glob("*.collected.toml"))


def test_what_failed_is_said_of_the_member_of_the_team_that_handed_it_in(course: Path) -> None:
    (course / "roster.csv").write_text("id,name,alias\n1001,Anna Berger,kestrel\n1002,Ben Costa,kestrel\n")
    zipped(course / "all.zip", {"1002.py": "import nothing_like_this\n"})
    assert "\nBen Costa, 1002.py:\n" in collect().out


def test_two_collects_at_once_lose_no_agent(collected: Path) -> None:
    file = collected / "cs101.collected.toml"
    before = file.read_bytes()
    with collecting_lock(collected / "arena.store", file):
        ended = arena(*COLLECT, "--afresh")
    assert ended.code == 1
    assert "another process collects into" in ended.err
    assert file.read_bytes() == before
    assert arena(*COLLECT).code == 0


def test_an_extension_cannot_lift_the_late_mark_of_a_file_without_a_time_and_this_is_said(course: Path) -> None:
    rows = [f"{row},{'2099-05-09' * row.startswith('1002')}" for row in ROSTER.splitlines()[1:]]
    (course / "own.csv").write_text("\n".join(["id,name,group,alias,deadline", *rows]))
    zipped(course / "canvas.zip", {"brownbob_LATE_158_9910_a.py": AGENT})
    options = ("--roster", "own.csv", "--deadline", "2099-05-01", "--tournament", "cs101.toml")
    out = " ".join(arena("course", "collect", "canvas.zip", *options).out.split())
    assert "Bob Brown Bob Brown - - late 1 d" in out
    assert "marked late by the learning system, which gives no time: Bob Brown; give the extension there too" in out


@pytest.mark.costly
def test_a_description_with_a_course_needs_no_other_option(course: Path) -> None:
    rows = ROSTER.replace("1006,Eve Zweig,C,eve", "1006,Eve Zweig,C,Deep Blue").splitlines()
    with_deadline = [f"{row},{'2026-05-09' * row.startswith('1002')}" for row in rows[1:]]
    (course / "lists").mkdir()
    (course / "lists" / "all.csv").write_text("\n".join([rows[0] + ",deadline", *with_deadline]))
    (course / "cs101.toml").write_text(
        DESCRIPTION
        + '[course]\nroster = "lists/all.csv"\ndeadline = "2026-04-29 23:59 Europe/Berlin"\nlate = "accept"\n'
    )
    again = "Task/Eve Zweig_58_assignsubmission_file_/a.py"
    zipped(course / "all.zip", {**GIVEN, again: AGENT, "1006.py": AGENT + "# of the other Eve\n"})
    ended = arena("course", "collect", "all.zip", "--tournament", "cs101.toml", "--only", "Deep Blue", "--only", "1002")
    assert ended.code == 0, ended.err
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    assert lines[1:4] == [
        "1001 Anna Müller Deep Blue @1 05-01 12:00 UTC+02:00 good, late 2 d",
        "1002 Bob Brown Bob Brown @1 05-01 12:00 UTC+02:00 good",
        "1006 Eve Zweig Deep Blue @1 05-01 12:00 UTC+02:00 good, late 2 d",
    ]
    assert "Deep Blue: 2 submissions of one team, of which the latest that passes plays:" in lines
    assert any(line.startswith("deadline: 2026-04-29 23:59:00 (Europe/Berlin, UTC+0200)") for line in lines)
    assert "deadline of Bob Brown: 2026-05-09 23:59:59 (Europe/Berlin, UTC+0200)" in lines
    assert "3 students: 3 good; 2 of them late" in lines
    assert "3 of 3 students have an agent (2 agents, because teams share one), 3 of them a" in lines
    in_time = arena(
        "course", "collect", "all.zip", "--tournament", "cs101.toml", "--deadline", "2026-05-02", "--format", "json"
    )
    rows_by_id = {row["id"]: row for row in json.loads(in_time.out)}
    assert {rows_by_id[id]["late_days"] for id in ("1001", "1002", "1006")} == {0}
    assert len(rows_by_id["1006"]["team_submissions"]) == 2
    assert rows_by_id["1002"]["team_submissions"] == []
    # What others share is not said of these students.
    zipped(course / "all.zip", {f"{id}.py": AGENT for id in ("1001", "1003")} | {"1002.py": AGENT + "# other\n"})
    shared = "the same content: García López, Carla, Eve Zweig"
    assert shared in arena("course", "collect", "all.zip", "--tournament", "cs101.toml", "--afresh").out
    for only, told in (("1002", False), ("1003", True)):
        ended = arena("course", "collect", "all.zip", "--tournament", "cs101.toml", "--only", only)
        assert (shared in ended.out, "(1 agents" in ended.out) == (told, False)


@pytest.mark.costly
def test_a_terminal_shows_no_progress_after_the_end(collected: Path) -> None:
    terminal = Session(collected)
    try:
        ended = terminal.run("arena " + " ".join(COLLECT))
    finally:
        terminal.close()
    assert any("1 of 1 checked" in picture for picture in ended.pictures), "nothing was shown while it ran"
    lines = [line for line in ended.printed.splitlines() if not line.startswith("  ")]
    assert not [line for line in lines if " read: " in line or " checked" in line]
    assert any(line.startswith("id ") for line in lines)


def test_the_description_comes_before_the_downloads(tmp_path: Path) -> None:
    described = tmp_path / "cs101.toml"
    described.touch()
    (tmp_path / "uploads").mkdir()
    uploads = tmp_path / "uploads"
    assert _described([described, uploads]) == (described, [uploads])
    assert _described([tmp_path / "cs101", uploads]) == (described, [uploads])
    assert _described([uploads, tmp_path / "more"]) == (None, [uploads, tmp_path / "more"])
    with pytest.raises(typer.BadParameter, match="expected downloads after"):
        _described([described])
