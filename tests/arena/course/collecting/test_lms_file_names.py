"""The names that learning systems give to files are read; other names are not changed."""

from datetime import datetime

import pytest

from arena.course.collecting.lms_download import read_name, read_receipt


def test_moodle() -> None:
    folder = read_name("Anna Müller_123456_assignsubmission_file_")
    flat = read_name("Anna Müller_123456_assignsubmission_file_my_agent.py")
    text = read_name("Anna Müller_123456_assignsubmission_onlinetext_onlinetext.html")
    assert folder is not None
    assert flat is not None
    assert text is not None
    assert (folder.who, folder.number, folder.file, folder.typed) == ("Anna Müller", "123456", "", False)
    assert (flat.file, text.typed) == ("my_agent.py", True)
    assert folder.submission == flat.submission == text.submission


def test_canvas() -> None:
    told = read_name("mulleranna_LATE_123456_7890123_my_agent-2.py")
    assert told is not None
    assert (told.who, told.number, told.file, told.late, told.timeless) == (
        "mulleranna", "123456", "my_agent.py", True, True,
    )  # fmt: skip
    in_time = read_name("mulleranna_123456_7890123_my_agent.py")
    assert in_time is not None
    assert not in_time.late
    assert in_time.submission == told.submission


@pytest.mark.parametrize(
    ("name", "who", "number", "file"),
    [
        # Moodle: prefix_subtype_type, where "_" in names became a space; without "/", one file after the other.
        ("Anna-Lena Müller_1234567_assignsubmission_file", "Anna-Lena Müller", "1234567", ""),
        ("Ben OHara_1234568_assignsubmission_file_agent v2 (final).py", "Ben OHara", "1234568", "agent v2 (final).py"),
        ("Team 7_4711_assignsubmission_file_", "Team 7", "4711", ""),
        ("Default group_assignsubmission_file_", "Default group", "", ""),
        ("田中 太郎_12_assignsubmission_file_a_1_assignsubmission_file_b.py", "田中 太郎", "12",
         "a_1_assignsubmission_file_b.py"),
        # Canvas: the sortable name in lower case without anything but letters, digits and "_".
        ("vanderbergbo_102_9001_my_agent.py", "vanderbergbo", "102", "my_agent.py"),
        ("mülleranna_101_9002_Übung 1-12.zip", "mülleranna", "101", "Übung 1.zip"),
        ("project_team_7_103_9003_agent.py", "project_team_7", "103", "agent.py"),
        ("brownbob_LATE_104_9004_1001_2002_agent.py", "brownbob", "104", "1001_2002_agent.py"),
        ("brownbob_104_text.html", "brownbob", "104", ""),
        ("brownbob_104_9005_text.html", "brownbob", "104", "text.html"),
        (f"{'w' * 200}_104_9005_a.py", "w" * 200, "104", "a.py"),
        # Blackboard: the names of tasks and files can contain "_".
        ("Lab_7: search_u77_attempt_2026-05-01-12-30-00_a_b.py", "u77", "u77", "a_b.py"),
        ("Task_u77_attempt_2026-05-01-12-30-00_x_u78_attempt_2026-04-01-12-30-00_y.py", "u77", "u77",
         "x_u78_attempt_2026-04-01-12-30-00_y.py"),
    ],
)  # fmt: skip
def test_realistic_names_of_each_system(name: str, who: str, number: str, file: str) -> None:
    found = read_name(name)
    assert found is not None
    assert (found.who, found.number, found.file, found.anonymous) == (who, number, file, False)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("Participant_1234567_assignsubmission_file_", "1234567"),
        ("Teilnehmerin_1234567_assignsubmission_file_a.py", "1234567"),
        ("anon_aB3x9_9001_my_agent.py", ""),
        ("LATE_anon_12345_9001_my_agent.py", ""),
        ("anon_aB3x9_text.html", ""),
    ],
)
def test_anonymous_marking_is_noticed(name: str, number: str) -> None:
    found = read_name(name)
    assert found is not None
    assert (found.anonymous, found.number) == (True, number)


def test_blackboard() -> None:
    told = read_name("Task 1_part_u123456_attempt_2026-05-01-12-30-00_my_agent.py")
    note = read_name("Task 1_part_u123456_attempt_2026-05-01-12-30-00.txt")
    assert told is not None
    assert note is not None
    assert (told.who, told.number, told.file) == ("u123456", "u123456", "my_agent.py")
    assert told.when == datetime(2026, 5, 1, 12, 30)
    assert note.receipt
    assert note.submission == told.submission
    assert read_receipt("Name: Anna Müller (u123456)\r\nAssignment: Task 1") == ("Anna Müller", "u123456")
    assert read_receipt("nothing of the kind") == ("", "")


def test_a_task_of_blackboard_can_look_like_a_student_of_canvas() -> None:
    told = read_name("Lab_101_4711_attempt_2026-05-01-12-30-00_my_agent.py")
    assert told is not None
    assert (told.who, told.file, told.when) == ("4711", "my_agent.py", datetime(2026, 5, 1, 12, 30))


@pytest.mark.parametrize(
    "name",
    [
        *("alice", "alice.py", "Mueller_Anna_login_12345", "alice_1_2_agent.py", "agent.py", ""),
        *("x_attempt_2026-13-45-99-99-99_a.py", "_assignsubmission_file_", "<script>.py"),
    ],
)
def test_plain_names_belong_to_no_learning_system(name: str) -> None:
    assert read_name(name) is None


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_a_time_in_another_age_is_no_time(year: str) -> None:
    assert read_name(f"1001_attempt_{year}-01-01-00-00-00_agent.py") is None
