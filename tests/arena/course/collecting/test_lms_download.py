"""The downloads of all learning systems are read: the student and time of each hand-in, and those without a student."""

from __future__ import annotations

import struct
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from arena.course import roster as rosters
from arena.course.collecting import lms_download
from arena.course.collecting.hand_in import HandIn, TimeSource
from arena.course.collecting.inbox import find_agent
from arena.course.collecting.unzip import ZipLimits
from arena.course.roster import RosterMatcher
from arena.errors import BadSubmission
from tests.kit.hand_ins import AGENT, MATCHER, MAY, folder, read, whose, zipped


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A folder for unpacked downloads."""
    place = tmp_path / "scratch"
    place.mkdir()
    return place


def agent(one: HandIn, scratch: Path) -> Path:
    """The agent in the hand-in."""
    assert one.path is not None, one.wrong
    return find_agent(one.path, lambda: scratch / f"contents-{len(list(scratch.iterdir()))}")


MOODLE = {
    "Anna Müller_55_assignsubmission_file_/my_agent.py": AGENT,
    "Anna Müller_55_assignsubmission_onlinetext_/onlinetext.html": "<p>please</p>",
    "Bob Brown_56_assignsubmission_file_bobs.py": AGENT,
    "Eve Zweig_57_assignsubmission_file_/a.py": AGENT,
    "Søren Ågård_58_assignsubmission_onlinetext_onlinetext.html": "class Mine",
}


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
@pytest.mark.parametrize("inside", ["", "Task 1/", "Task 1/all of it/"], ids=["at once", "in a folder", "deeper"])
def test_moodle(tmp_path: Path, scratch: Path, packed: bool, inside: str) -> None:
    given = {f"{inside}{name}": content for name, content in MOODLE.items()}
    source = zipped(tmp_path / "a.zip", given) if packed else folder(tmp_path / "a", given)
    anna, bob, eve, soren = read(source, scratch)
    assert whose([anna, bob, eve, soren]) == {
        f"{inside}Anna Müller_55_assignsubmission_file_": "1001",
        f"{inside}Bob Brown_56_assignsubmission_file_bobs.py": "1002",
        f"{inside}Eve Zweig_57_assignsubmission_file_": "",
        f"{inside}Søren Ågård_58_assignsubmission_onlinetext_onlinetext.html": "s-77",
    }
    assert agent(anna, scratch).read_text() == AGENT
    assert agent(bob, scratch).name == "bobs.py"
    assert "it could be 'Eve Zweig'" in eve.wrong
    assert soren.wrong == "it was handed in as text in a form: expected a file"
    assert (anna.when, anna.time_source) == (MAY, TimeSource.ZIP if packed else TimeSource.FILE)


def test_canvas(tmp_path: Path, scratch: Path) -> None:
    given = {
        "brownbob_LATE_123456_7890123_my_agent-2.py": AGENT,
        "garcialopezcarla_123457_7890124_agent-1.py": AGENT,
        "garcialopezcarla_123457_7890125_values-1.json": "{}",
        "ågårdsøren_123458_text.html": "<p>please</p>",
    }
    bob, carla, soren = read(zipped(tmp_path / "a.zip", given), scratch)
    assert (bob.marked_late, bob.when, bob.time_source) == (True, None, TimeSource.NONE)
    assert agent(bob, scratch).name == "my_agent.py"
    assert not carla.marked_late
    assert sorted(path.name for path in agent(carla, scratch).iterdir()) == ["agent.py", "values.json"]
    assert (soren.student and soren.student.id, soren.path) == ("s-77", None)


def test_the_second_submission_on_canvas_replaces_the_first(tmp_path: Path, scratch: Path) -> None:
    given = {
        "brownbob_123456_7890123_agent.py": "# first\n",
        "brownbob_123456_7890199_agent-1.py": "# second\n",
    }
    (bob,) = read(folder(tmp_path / "a", given), scratch)
    assert agent(bob, scratch).read_text() == "# second\n"


def test_several_downloads_are_read_together(tmp_path: Path, scratch: Path) -> None:
    first = zipped(tmp_path / "moodle.zip", {"Anna Müller_55_assignsubmission_file_/agent.py": AGENT})
    second = folder(tmp_path / "canvas", {"brownbob_LATE_123456_7890123_agent.py": AGENT})
    third = zipped(tmp_path / "more.zip", {"1001.py": AGENT})
    found = lms_download.read_downloads([first, second, third], scratch, MATCHER)
    assert whose(found) == {
        "moodle.zip/Anna Müller_55_assignsubmission_file_": "1001",
        "canvas/brownbob_LATE_123456_7890123_agent.py": "1002",
        "more.zip/1001.py": "1001",
    }
    assert [one.time_source for one in found] == [TimeSource.ZIP, TimeSource.NONE, TimeSource.ZIP]
    with pytest.raises(BadSubmission, match=r"there is no .*nothing\.zip"):
        lms_download.read_downloads([tmp_path / "nothing.zip", first], scratch, MATCHER)


def test_group_assignments_name_files_by_the_group(tmp_path: Path, scratch: Path) -> None:
    roster = "name,group,alias\nAnna Müller,Team 7,Fox\nBob Brown,Team 7,Fox\nEve Zweig,Team 8,Owl\nZoe Lee,,Elk\n"
    matcher = RosterMatcher(rosters.read(roster, "roster.csv"))
    given = {
        "moodle/Team 7_4711_assignsubmission_file_/agent.py": AGENT,
        "moodle/Default group_assignsubmission_file_/agent.py": AGENT,
        "canvas/team8_104_9001_agent.py": AGENT,
        "plain/Team 8/agent.py": AGENT,
    }
    found = lms_download.read_downloads([folder(tmp_path / "a", given)], scratch, matcher)
    assert {one.label: one.student.alias if one.student else "" for one in found} == {
        "canvas/team8_104_9001_agent.py": "Owl",
        "moodle/Default group_assignsubmission_file_": "",
        "moodle/Team 7_4711_assignsubmission_file_": "Fox",
        "plain/Team 8": "Owl",
    }


def test_anonymous_hand_ins_need_a_worksheet_or_are_refused(tmp_path: Path, scratch: Path) -> None:
    given = {
        "Participant_4711_assignsubmission_file_/agent.py": AGENT,
        "Participant_4712_assignsubmission_file_/agent.py": AGENT,
        "anon_aB3x9_9001_agent.py": AGENT,
    }
    matcher = RosterMatcher(rosters.read("Identifier,Status\nParticipant 4711,\n", "worksheet.csv"))
    known, *others = lms_download.read_downloads([folder(tmp_path / "a", given)], scratch, matcher)
    assert known.student is not None
    assert known.student.id == "Participant 4711"
    assert [one.student for one in others] == [None, None]
    assert all("hides the names of this assignment (anonymous marking)" in one.wrong for one in others)
    with pytest.raises(
        BadSubmission, match=r"/b': the learning system hides the names .* download the submissions again"
    ):
        read(folder(tmp_path / "b", given), scratch)


def test_blackboard(tmp_path: Path, scratch: Path) -> None:
    given = {
        "Task 1_u55_attempt_2026-05-01-12-30-00.txt": "Name: Anna Müller (u55)\nDate Submitted: Friday",
        "Task 1_u55_attempt_2026-05-01-12-30-00_my_agent.py": AGENT,
        "Task 1_u55_attempt_2026-04-30-12-30-00_my_agent.py": AGENT + "# older\n",
        "Task 1_u55_attempt_2026-04-30-12-30-00.txt": "Name: Anna Müller (u55)",
        "Task 1_1002_attempt_2026-05-01-12-30-00_x.py": AGENT,
        "Task 1_1002_attempt_2026-05-01-12-31-00.txt": "Name: Bob Brown (1002)",
        "Task 1_u99_attempt_2026-05-01-12-30-00_x.py": AGENT,
    }
    found = read(folder(tmp_path / "a", given), scratch)
    assert [one.student.id if one.student else "" for one in found] == ["1002", "1001", "1001", ""]
    assert [one.when for one in found[1:3]] == [
        datetime(2026, 4, 30, 12, 30).astimezone(),
        datetime(2026, 5, 1, 12, 30).astimezone(),
    ]
    assert found[1].time_source is TimeSource.NAME


def test_times_without_a_zone_are_read_in_the_given_one(tmp_path: Path, scratch: Path) -> None:
    zone = timezone(timedelta(hours=9, minutes=30))
    exact = zipfile.ZipInfo("1002.py", (2026, 5, 2, 7, 0, 0))
    exact.extra = struct.pack("<HHBI", 0x5455, 5, 1, int(MAY.timestamp()))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("1001.py", (2026, 5, 1, 23, 30, 0)), AGENT)
        archive.writestr(exact, AGENT)
        archive.writestr("Task 1_1005_attempt_2026-05-01-23-30-00_a.py", AGENT)
    modified = folder(tmp_path / "b", {"1002.py": AGENT})
    found = lms_download.read_downloads([tmp_path / "a.zip", modified], scratch, MATCHER, zone=zone)
    shown = datetime(2026, 5, 1, 23, 30, tzinfo=zone)
    assert [one.when for one in found] == [shown, MAY, shown, MAY]
    local = lms_download.read_downloads([tmp_path / "a.zip"], scratch / "local", MATCHER)
    assert [one.when for one in local] == [shown.replace(tzinfo=None).astimezone(), MAY, local[0].when]


def test_ilias(tmp_path: Path, scratch: Path) -> None:
    given = {
        "Abgaben/Mueller_Anna_anna.mueller_12345/20260501120000_my_agent.py": AGENT,
        "Abgaben/Brown_Bob_bob_12346/agent.py": AGENT,
    }
    assert set(whose(read(zipped(tmp_path / "a.zip", given), scratch)).values()) == {"1001", "1002"}


def test_plain_folders_files_and_zips_by_name_id_or_alias(tmp_path: Path, scratch: Path) -> None:
    source = folder(
        tmp_path / "a",
        {
            "1001/agent.py": AGENT,
            "bob_brown.py": AGENT,
            "bob_brown_report.pdf": "%PDF",
            "group B/田中太郎/my.py": AGENT,
            "group C/eve.py": AGENT,
            ".DS_Store": "",
            "__MACOSX/x": "",
        },
    )
    zipped(source / "red.zip", {"project/agent.py": AGENT, "project/__pycache__/x.pyc": ""})
    found = read(source, scratch)
    assert whose(found) == {
        "1001": "1001",
        "bob_brown.py": "1002",
        "group B/田中太郎": "1004",
        "group C/eve.py": "1006",
        "red.zip": "1005",
    }
    assert sorted(path.name for path in agent(found[-1], scratch).iterdir()) == ["agent.py"]


def test_a_zip_of_zips_in_a_folder(tmp_path: Path, scratch: Path) -> None:
    inner = zipped(tmp_path / "i.zip", {"my.py": AGENT}).read_bytes()
    source = folder(tmp_path / "a", {})
    source.mkdir()
    zipped(source / "all.zip", {"bob brown.zip": inner, "Anna Müller_5_assignsubmission_file_/x.zip": inner})
    found = read(source, scratch)
    assert whose(found) == {"all.zip/Anna Müller_5_assignsubmission_file_": "1001", "all.zip/bob brown.zip": "1002"}
    assert [agent(one, scratch).name for one in found] == ["my.py", "my.py"]


def test_a_download_in_a_folder_is_read_as_one_in_the_command(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lms_download, "DOWNLOAD", ZipLimits(total=2**30, file=2**20, files=100))
    monkeypatch.setattr(lms_download, "SUBMISSION", ZipLimits(total=1, file=1, files=1))
    source = folder(tmp_path / "uploads", {"1004.py": AGENT})
    given: dict[str, str | bytes] = {
        "Anna Müller_5_assignsubmission_file_/my.py": b"0" * (2**20 + 1),
        "Bob Brown_6_assignsubmission_file_/my.py": AGENT,
    }
    zipped(source / "moodle.zip", given)
    anna, bob, other = sorted(read(source, scratch), key=lambda one: one.student.id if one.student else "")
    assert "expected at most 1 MiB" in anna.wrong
    # The times in a zip are read in the zone of the deadline, those of files in the zone of this machine.
    assert (bob.when, bob.time_source) == (MAY.astimezone(), TimeSource.ZIP)
    assert other.time_source is TimeSource.FILE


def test_hand_ins_without_a_student_are_listed_once(tmp_path: Path, scratch: Path) -> None:
    given = {"zoe/agent.py": AGENT, "zoe/more/x.py": "", "zorro.py": AGENT, "bob brown.py": AGENT}
    found = read(folder(tmp_path / "a", given), scratch)
    assert whose(found) == {"bob brown.py": "1002", "zoe": "", "zorro.py": ""}
    assert all("no student on roster.csv has this name" in one.wrong for one in found if one.student is None)


def test_a_zip_bomb_is_reported_only_for_its_student(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lms_download, "DOWNLOAD", ZipLimits(total=2**30, file=2**20, files=100))
    given: dict[str, str | bytes] = {
        "Anna Müller_5_assignsubmission_file_/my.py": b"0" * (2**20 + 1),
        "Bob Brown_6_assignsubmission_file_/my.py": AGENT,
        "1004/huge.py": b"0" * (2**20 + 1),
    }
    found = {one.student.id: one for one in read(zipped(tmp_path / "a.zip", given), scratch) if one.student}
    assert "expected at most 1 MiB" in found["1001"].wrong
    assert "expected at most 1 MiB" in found["1004"].wrong
    assert agent(found["1002"], scratch).name == "my.py"


def test_a_broken_zip_of_a_student_is_reported_when_it_is_opened(tmp_path: Path, scratch: Path) -> None:
    (one,) = read(folder(tmp_path / "a", {"1001.zip": "no zip"}), scratch)
    with pytest.raises(BadSubmission, match=r"'1001\.zip' is not a zip that can be opened"):
        agent(one, scratch)


@pytest.mark.parametrize(
    ("files", "inside"),
    [
        ({"agent.py": "", "x.py": ""}, "."),
        ({"my.py": "", "report.pdf": ""}, "my.py"),
        ({"a.py": "", "b.py": ""}, "."),
        ({"report.pdf": ""}, "."),
        ({"a/b/agent.py": "", "__pycache__/x.pyc": ""}, "a/b"),
        ({"a/agent.py": "", "b/agent.py": ""}, "."),
        ({"a/readme.md": "", "readme.md": "", "a/my.py": ""}, "a/my.py"),
    ],
    ids=["a folder", "one file", "two files", "no program", "wrapped", "two folders", "a file, wrapped"],
)
def test_the_agent_in_a_submission(tmp_path: Path, files: dict[str, str], inside: str) -> None:
    there = folder(tmp_path / "a", files)
    assert find_agent(there, lambda: tmp_path / "never") == there / inside


@pytest.mark.parametrize("name", ["nowhere", "a.txt", "empty"])
def test_anything_but_a_download_is_an_error(tmp_path: Path, scratch: Path, name: str) -> None:
    folder(tmp_path, {"a.txt": "1"})
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadSubmission, match=r"expected (a folder or a zip|submissions)"):
        read(tmp_path / name, scratch)


def test_links_are_not_followed(tmp_path: Path, scratch: Path) -> None:
    outside = folder(tmp_path / "outside", {"bob brown.py": AGENT})
    source = folder(tmp_path / "a", {"1001.py": AGENT})
    (source / "link").symlink_to(outside)
    assert whose(read(source, scratch)) == {"1001.py": "1001", "link": ""}
