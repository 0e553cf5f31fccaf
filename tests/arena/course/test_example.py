"""The course to try is the same everywhere, and `arena course collect` reads its downloads like real ones."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from arena.course import course, example, roster
from arena.course.collecting.hand_in import HandIn
from arena.course.collecting.lms_download import read_downloads
from arena.course.roster import RosterMatcher
from arena.errors import ArenaError
from arena.tournament import enrolment, league
from tests.kit.arena_program import arena
from tests.kit.built_agent import DEFAULTS
from tests.kit.places import ROOT

CLASS = roster.read((example.DATA / "roster.csv").read_text("utf-8"), "roster.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("example") / "course-demo"
    example.write(written)
    return written


def found(folder: Path, download: str, scratch: Path) -> list[HandIn]:
    """The hand-ins that `arena course collect` finds in a download."""
    return read_downloads([folder / download], scratch, RosterMatcher(CLASS))


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_copy_has_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    example.write(tmp_path / "a" / "b")
    assert bytes_in(tmp_path / "a" / "b") == bytes_in(folder)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


@pytest.mark.parametrize("system", ["moodle", "canvas", "blackboard"])
def test_each_submission_is_found_again_with_its_student_and_time(folder: Path, tmp_path: Path, system: str) -> None:
    download = {"moodle": "moodle.zip", "canvas": "canvas.zip"}.get(system, system)
    handed_in = example.hand_ins(CLASS)[system]
    deadline = course.read(folder / "cs101.toml").deadline
    assert deadline is not None
    read = found(folder, download, tmp_path)
    assert [one.wrong for one in read] == [""] * len(read)
    if system == "canvas":
        late = {(one.student.id, one.when > deadline) for one in handed_in}
        assert {(one.student.id if one.student else "", one.marked_late) for one in read} == late
    else:
        # The zones of clocks in names and zips are the business of `arena course collect`.
        times = Counter((one.student.id, f"{one.when:%m-%d %H:%M}") for one in handed_in)
        assert Counter((one.student and one.student.id, f"{one.when:%m-%d %H:%M}") for one in read) == times


def test_the_numbers_that_the_demo_prints_are_right() -> None:
    handed_in = [one for system in example.hand_ins(CLASS).values() for one in system]
    assert (len(CLASS.students), len(handed_in)) == (45, 40)
    readme = (example.DATA / "README.txt").read_text("utf-8")
    for text in (readme, (ROOT / "docs" / "evening.md").read_text("utf-8"), arena("demo", "--help").out):
        assert "40 submissions" in " ".join(text.split())
    assert "45 students" in readme


def test_the_course_has_every_kind_of_student(folder: Path) -> None:
    """Teams, an extension, students who hand in nothing, or twice, or late."""
    deadline = course.read(folder / "cs101.toml").deadline
    assert deadline is not None
    handed_in = [one for system in example.hand_ins(CLASS).values() for one in system]
    aliases = Counter(one.alias for one in CLASS.students)
    times = Counter(one.student.alias for one in handed_in)
    assert sum(count > 1 for count in aliases.values()) == 5
    assert sum(times[alias] == 0 for alias in aliases) == 3
    assert sum(times[alias] > 1 for alias in aliases) == 3
    assert {one.student.alias for one in handed_in if one.when > deadline} == {"puffin", "raven", "condor", "llama"}
    assert [one.alias for one in CLASS.students if one.deadline] == ["raven"]


def test_programs_in_other_languages_are_handed_in_where_they_can_be_built(tmp_path: Path) -> None:
    example.write(tmp_path / "demo", ["c", "js"])
    (c,) = [one for one in example.hand_ins(CLASS, ["c", "js"])["canvas"] if one.student.alias == "dingo"]
    assert b"int main" in c.files["agent.c"]
    assert {*enrolment.read_language_tables(tmp_path / "demo" / "cs101.toml")} == {"c", "js"}
    assert {*example.LANGUAGES} <= {*DEFAULTS}
    (python,) = [one for one in example.hand_ins(CLASS)["canvas"] if one.student.alias == "dingo"]
    assert [*python.files] == ["agent.py"]


def test_every_student_that_the_readme_names_is_in_the_course() -> None:
    readme = (example.DATA / "README.txt").read_text("utf-8")
    named = {
        name for line in re.findall(r"^  ([a-z]+(?:, [a-z]+)?)  +\S", readme, re.MULTILINE) for name in line.split(", ")
    }
    assert len(named) == 10
    assert named <= {one.alias for one in CLASS.students}


def test_every_work_is_handed_in(folder: Path) -> None:
    lines = csv.DictReader((example.DATA / "hand_ins.csv").read_text("utf-8").splitlines())
    assert {line["work"] for line in lines} == {path.stem for path in (example.DATA / "work").iterdir()}


def test_the_description_is_read_without_any_collected_agent(folder: Path) -> None:
    assert league.read(folder / "cs101.toml", agents=False).name == "cs101"
    described = course.read(folder / "cs101.toml")
    assert described.roster == folder / "roster.csv"
    assert described.marks is not None
    assert [*described.marks.bars.values()] == ["random", "alphabeta-2"]


def test_a_folder_is_never_written_twice(folder: Path, tmp_path: Path) -> None:
    assert example.is_there(folder)
    assert not example.is_there(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "cs101.toml").write_text("mine")
    with pytest.raises(ArenaError, match="cannot write"):
        example.write(tmp_path / "mine")
    assert bytes_in(tmp_path) == {"mine/cs101.toml": b"mine"}
