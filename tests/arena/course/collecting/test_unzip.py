"""No zip writes outside its folder, fills the disk or crashes the program; each problem is reported."""

from __future__ import annotations

import stat
import struct
import zipfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.course.collecting.unzip import SUBMISSION, ZipLimits, unpack
from arena.errors import BadSubmission
from tests.kit.hand_ins import MAY, zipped

SMALL = ZipLimits(total=1000, file=600, files=5)


def files(folder: Path) -> list[str]:
    """All files below the folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def refused(archive: Path, said: str, bounds: ZipLimits = SUBMISSION) -> None:
    """Asserts that the zip is not unpacked, and that nothing is written beside its folder."""
    place = archive.parent / "deep" / "place"
    with pytest.raises(BadSubmission) as error:
        unpack(archive, place, bounds)
    assert said in str(error.value)
    assert str(error.value).isprintable()
    assert files(archive.parent) == sorted([archive.name, *(f"deep/place/{name}" for name in files(place))])


def test_files_come_out_with_their_times(tmp_path: Path) -> None:
    unpack(zipped(tmp_path / "a.zip", {"x/agent.py": "1", "データ.py": "2"}), tmp_path / "out", SUBMISSION)
    assert files(tmp_path / "out") == ["x/agent.py", "データ.py"]
    assert (tmp_path / "out/x/agent.py").stat().st_mtime == MAY.timestamp()


def test_junk_of_other_programs_is_left_out(tmp_path: Path) -> None:
    junk = ("__MACOSX/._agent.py", ".DS_Store", ".git/config", "x/__pycache__/a.pyc", "Thumbs.db", "x/b.pyc")
    unpack(zipped(tmp_path / "a.zip", dict.fromkeys((*junk, "x/agent.py"), "1")), tmp_path / "out", SUBMISSION)
    assert files(tmp_path / "out") == ["x/agent.py"]


@pytest.mark.parametrize(
    "name", ["../evil.py", "x/../../evil.py", "/evil.py", "C:/evil.py", "..\\evil.py", "x\\..\\..\\evil.py"]
)
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    refused(zipped(tmp_path / "a.zip", {name: "1"}), "outside its folder")


def test_links_are_not_made(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    refused(tmp_path / "a.zip", "is a link")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"a.py": "0" * 601}, "expected at most 0 MiB"),
        ({"a.py": "0" * 600, "b.py": "0" * 600}, "exceeded at 'b.py'"),
        ({f"{n}.py": "" for n in range(6)}, "expected at most 5 files and folders in a zip, got more"),
        ({f"{n}/": "" for n in range(6)}, "expected at most 5 files and folders in a zip, got more"),
    ],
    ids=["a large file", "many bytes", "many files", "many folders"],
)
def test_size_and_number_of_files_are_limited(tmp_path: Path, content: dict[str, str], said: str) -> None:
    refused(zipped(tmp_path / "a.zip", content), said, SMALL)


@pytest.mark.parametrize("stated", [1, 5, 300_000 % 65536])
def test_of_a_zip_with_many_entries_only_those_within_the_limit_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: int
) -> None:
    archive = zipped(tmp_path / "a.zip", {f"{n}/": "" for n in range(1000)})
    content = bytearray(archive.read_bytes())
    struct.pack_into("<HH", content, len(content) - 14, stated, stated)
    archive.write_bytes(content)
    read: list[str] = []

    class Noted(zipfile.ZipInfo):
        def __init__(self, name: str) -> None:
            read.append(name)
            super().__init__(name)

    monkeypatch.setattr(zipfile, "ZipInfo", Noted)
    refused(archive, "expected at most 5 files and folders in a zip, got more", SMALL)
    assert read == [f"{n}/" for n in range(6)]
    monkeypatch.undo()
    unpack(archive, tmp_path / "out", SUBMISSION)


def test_a_wrong_size_in_the_directory_does_not_help(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "a.zip", {"a.py": b"0" * (SUBMISSION.file + 1)})
    assert bomb.stat().st_size < 100_000
    real, lie = (struct.pack("<I", size) for size in (SUBMISSION.file + 1, 10))
    bomb.write_bytes(bomb.read_bytes().replace(real, lie))
    with pytest.raises(BadSubmission):
        unpack(bomb, tmp_path / "out", SUBMISSION)
    assert files(tmp_path / "out") == []


def test_a_zip_with_a_password_is_an_error(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.py": "1"})
    content = bytearray(archive.read_bytes())
    content[content.index(b"PK\1\2") + 8] |= 1
    archive.write_bytes(content)
    refused(archive, "locked with a password")


@pytest.mark.parametrize("keep", [0, 1, 30, 60, 100], ids="{} bytes".format)
def test_a_truncated_zip_is_an_error(tmp_path: Path, keep: int) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.py": "1" * 100, "b.py": "2"})
    archive.write_bytes(archive.read_bytes()[:keep])
    refused(archive, "'a.zip' is not a zip that can be opened")


def test_any_changed_byte_is_an_error_or_harmless(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.zip", {"a.py": "print(1)" * 20, "x/b.py": "2"}).read_bytes()
    for at in range(len(whole)):
        (tmp_path / "a.zip").write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        place = tmp_path / f"{at}"
        with suppress(BadSubmission):
            unpack(tmp_path / "a.zip", place, SUBMISSION)
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip", *map(str, range(len(whole)))}, "nowhere else"


@pytest.mark.parametrize("names", [("a.py", "a.py"), ("a.py", "a.py/b.py"), ("a.py/b.py", "a.py")], ids="-".join)
def test_the_same_name_twice_is_an_error(tmp_path: Path, names: tuple[str, str]) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(names[0], "1")
        if names[0] == names[1]:
            with pytest.warns(UserWarning, match="Duplicate name"):
                archive.writestr(names[1], "2")
        else:
            archive.writestr(names[1], "2")
    refused(tmp_path / "a.zip", "is in the zip twice")


def test_a_name_that_no_disk_accepts_is_an_error(tmp_path: Path) -> None:
    refused(zipped(tmp_path / "a.zip", {"W" * 300 + ".py": "1"}), "cannot be a file's")


def test_names_without_an_encoding_are_read_as_utf_8_if_possible(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"Müller.py": "1"})
    content = bytearray(archive.read_bytes())
    for sign, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(sign) + at + 1] &= ~0x08
    archive.write_bytes(content)
    unpack(archive, tmp_path / "out", SUBMISSION)
    assert files(tmp_path / "out") == ["Müller.py"]


def test_an_exact_time_is_used_if_there_is_one(tmp_path: Path) -> None:
    moment = datetime(2026, 5, 1, 21, 59, 1, tzinfo=UTC)
    entry = zipfile.ZipInfo("a.py", (2026, 5, 2, 3, 0, 0))
    entry.extra = struct.pack("<HHBI", 0x5455, 5, 1, int(moment.timestamp()))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(entry, "1")
    unpack(tmp_path / "a.zip", tmp_path / "out", SUBMISSION)
    assert (tmp_path / "out/a.py").stat().st_mtime == moment.timestamp()


def test_in_a_download_one_bad_entry_does_not_affect_the_others(tmp_path: Path) -> None:
    told: list[tuple[str, str]] = []
    archive = zipped(tmp_path / "a.zip", {"ann/a.py": "1", "bob/b.py": "0" * 700, "../c.py": "1", "dan/d.py": "1"})
    unpack(archive, tmp_path / "out", SMALL, lambda name, reason: told.append((name, reason)))
    assert files(tmp_path / "out") == ["ann/a.py", "dan/d.py"]
    assert [name for name, _ in told] == ["bob/b.py", "../c.py"]
    assert not (tmp_path / "c.py").exists()
