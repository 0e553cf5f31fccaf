"""`arena demo --course` prints each command, gives it, and stops at the first that fails."""

import csv
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from arena.cli.play import course_demo
from arena.cli.play.course_demo import STEPS, Step, play_course
from arena.course import roster
from arena.course.example import example_course
from arena.errors import ArenaError
from tests.kit.arena_program import arena
from tests.kit.effort import SOAK


def test_all_commands_are_printed_as_they_are_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given: list[Step] = []

    def give(step: Step, folder: Path) -> int:
        assert capsys.readouterr().out.endswith(f"\n$ {step}\n")  # printed before it begins
        given.append(step)
        return 0

    play_course(tmp_path / "my course", give=give)
    assert given == list(STEPS)
    assert "The demo is over" in capsys.readouterr().out


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_every_command_is_one_of_ours_with_its_options(step: Step) -> None:
    words, _, file = str(step).partition(" > ")
    assert tuple(shlex.split(words)) == ("arena", *step.arguments)
    assert file == step.to
    command = step.arguments[: 2 if step.arguments[0] == "course" else 1]
    text = arena(*command, "--help", columns=200).out
    assert text
    for option in re.findall(r"--[a-z-]+", words):
        assert option in text


def test_a_command_that_fails_ends_the_demo_and_says_how_to_continue(tmp_path: Path) -> None:
    given: list[Step] = []

    def give(step: Step, folder: Path) -> int:
        given.append(step)
        return 3 if len(given) == 2 else 0

    with pytest.raises(ArenaError, match=r"exit code 3; .* arena demo --course .*course-demo"):
        play_course(tmp_path / "course-demo", give=give)
    assert len(given) == 2


def test_an_interrupted_demo_continues_in_the_same_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "course-demo"
    with pytest.raises(typer.Exit) as ended:
        play_course(folder, give=lambda *_: 130)
    assert ended.value.exit_code == 130
    assert f"to continue: arena demo --course {folder}" in capsys.readouterr().err
    (folder / "cs101.toml").write_text("changed")
    play_course(folder, give=lambda *_: 0)
    assert "continues in it" in capsys.readouterr().out
    assert (folder / "cs101.toml").read_text() == "changed"


def test_a_folder_of_the_user_is_refused_and_unchanged(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    ended = arena("demo", "--course", "mine", cwd=tmp_path)
    assert ended.code == 2
    assert "'mine' already exists: name a new folder" in ended.err
    assert [*(tmp_path / "mine").iterdir()] == []


def test_a_folder_or_a_database_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    ended = arena("demo", "my-course", cwd=tmp_path)
    assert (ended.code, "for a course: arena demo --course my-course" in ended.err) == (2, True)
    ended = arena("demo", "--course", "--db", "x.db", cwd=tmp_path)
    assert (ended.code, "not with --course" in ended.err) == (2, True)
    assert [*tmp_path.iterdir()] == []


def test_the_output_of_a_command_goes_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "arena.py").write_text("raise SystemExit(9)")  # must not be imported
    assert course_demo._give(Step("The games.", ("games",), to="games.txt"), tmp_path) == 0
    assert "connect4" in (tmp_path / "games.txt").read_text("utf-8")


def smaller(folder: Path) -> None:
    """Leaves four submissions, of which two pass, and one round."""
    students = roster.read((folder / "roster.csv").read_text("utf-8"), "roster.csv")
    by_system = example_course.hand_ins(students)
    few = {
        system: [one for one in theirs if one.student.alias in ("heron", "lynx", "finch")]
        for system, theirs in by_system.items()
    }
    example_course.moodle_zip(folder / "moodle.zip", few["moodle"])
    example_course.canvas_zip(folder / "canvas.zip", few["canvas"], deadline=few["canvas"][0].when)
    for path in (folder / "blackboard").iterdir():
        if "_3007_attempt_2026-04-30" not in path.name:  # it has no class
            path.unlink()
    text = (folder / "cs101.toml").read_text("utf-8")
    (folder / "cs101.toml").write_text(text.replace("rounds = 4", "rounds = 1"), "utf-8")


@pytest.mark.journey
def test_a_smaller_course_goes_from_downloads_to_grades_and_pages(tmp_path: Path) -> None:
    folder = tmp_path / "course-demo"
    example_course.write(folder)
    smaller(folder)

    def give(step: Step, folder: Path) -> int:
        ended = arena(*step.arguments, cwd=folder)
        assert ended.code == 0, (str(step), ended.err)
        if step.to:
            (folder / step.to).write_text(ended.out, "utf-8")
        return ended.code

    play_course(folder, give=give)
    assert_results(folder, played={"heron", "finch"})


@pytest.mark.skipif(not SOAK, reason="two minutes: SOAK=1")
def test_the_whole_demo_goes_from_downloads_to_grades_and_pages(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "arena", "demo", "--course"],
        cwd=tmp_path,
        env=os.environ | {"ARENA_DB": str(tmp_path / "other.db")},
        check=False,
    )
    assert ended.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course-demo"]
    assert_results(tmp_path / "course-demo", played={"heron", "finch", "quail", "otter", "lemur", "raven", "puffin"})
    marks = grades(tmp_path / "course-demo")
    assert marks["1004"] == marks["1005"] | {"id": "1004"}  # a team
    assert "late" in marks["2007"]["Why"]
    assert "faults" in marks["2012"]["Why"]


def grades(folder: Path) -> dict[str, dict[str, str]]:
    """The lines of grades.csv by the student's id."""
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {line["id"]: line for line in csv.DictReader(file)}


def assert_results(folder: Path, *, played: set[str]) -> None:
    """All files are there that the demo names, and each student has a grade; those who played have marks."""
    for file, _ in course_demo.RESULTS:
        assert (folder / file).stat().st_size > 0, file
    students = roster.read((folder / "roster.csv").read_text("utf-8"), "roster.csv").students
    marks = grades(folder)
    assert [*marks] == [one.id for one in students]
    for one in students:
        if one.alias in played:
            assert float(marks[one.id]["Grade"]) > 0, one
        elif one.alias in ("lynx", "panda"):
            assert float(marks[one.id]["Grade"]) == 0, one
    page = (folder / "site" / "index.html").read_text("utf-8")
    assert "heron" in page
    assert "Ben Costa" not in page
