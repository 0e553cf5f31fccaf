"""The names that learning systems give to files are read; other names are not changed."""

from datetime import datetime

import pytest

from arena.course.collecting.lms_file_names import read_name, read_receipt


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
