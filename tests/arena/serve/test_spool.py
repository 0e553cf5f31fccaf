"""The spool: what is uploaded is on the disk before its row is, and what killed processes leave is removed."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from arena.errors import BadSubmission
from arena.players.submissions import Store
from arena.serve.spool import MOST_BYTES, Spool


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(Store(tmp_path / "arena.store"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the uploads are."""
    return tmp_path / "arena.store" / ".uploads"


def kept(spool: Spool, id: int, content: bytes = b"content") -> None:
    with spool.begin() as upload:
        upload.write(content)
        upload.finish()
        upload.keep_as(id)


def test_an_upload_comes_out_as_it_went_in_and_only_this_user_can_read_it(
    spool: Spool, folder: Path, tmp_path: Path
) -> None:
    pieces = [os.urandom(100_000), b"", b"end"]
    before = os.umask(0)
    try:
        with spool.begin() as upload:
            for piece in pieces:
                upload.write(piece)
            assert upload.finish() == hashlib.sha256(b"".join(pieces)).hexdigest()
            assert upload.size == 100_003
            upload.keep_as(7)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [(each.name, stat.S_IMODE(each.stat().st_mode)) for each in folder.iterdir()] == [("7", 0o600)]
    spool.copy(7, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"".join(pieces)
    spool.remove(7)
    spool.remove(7)
    assert list(folder.iterdir()) == []


def test_what_is_too_large_is_refused_and_not_kept(spool: Spool, folder: Path) -> None:
    piece = bytes(1024**2)
    with spool.begin() as upload:
        for _ in range(MOST_BYTES // len(piece)):
            upload.write(piece)
        with pytest.raises(BadSubmission, match=r"^expected a file of at most 32 MiB, got a larger one$"):
            upload.write(piece)
    assert list(folder.iterdir()) == []


def test_an_upload_that_is_interrupted_leaves_nothing(spool: Spool, folder: Path) -> None:
    def lose_connection() -> None:
        with spool.begin() as upload:
            upload.write(b"half")
            raise ConnectionError

    with pytest.raises(ConnectionError):
        lose_connection()
    assert list(folder.iterdir()) == []


def test_a_file_that_is_missing_short_or_changed_is_not_taken_for_the_upload(
    spool: Spool, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(BadSubmission, match=r"^the uploaded file is not on the server any more: hand it in again$"):
        spool.copy(1, tmp_path / "copy")
    kept(spool, 1)
    whole = (folder / "1").read_bytes()
    os.mkfifo(folder / "2")
    for number, content in enumerate((b"", whole[:20], whole[:32], whole[:-1], whole + b"!", whole[:-1] + b"!")):
        (folder / "1").write_bytes(content)
        for id in (1, 2):
            with pytest.raises(BadSubmission, match=r"is not complete on the server: hand it in again$"):
                spool.copy(id, tmp_path / f"copy-{number}-{id}")
    (folder / "3").symlink_to(folder / "1")
    with pytest.raises(OSError, match="symbolic links"):
        spool.copy(3, tmp_path / "copy")


def test_an_empty_file_is_an_upload_too(spool: Spool, tmp_path: Path) -> None:
    kept(spool, 1, b"")
    spool.copy(1, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b""


def test_a_file_that_was_left_for_an_id_is_replaced(spool: Spool, tmp_path: Path) -> None:
    kept(spool, 1, b"of a transaction that was rolled back")
    kept(spool, 1, b"new")
    spool.copy(1, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"new"


def test_the_bytes_that_wait_are_those_of_rows(spool: Spool) -> None:
    assert spool.sizes() == {}
    kept(spool, 7, b"x" * 100)
    with spool.begin() as upload:
        upload.write(b"more")
        assert spool.sizes() == {7: 132}, "with the hash before it"


def test_only_old_files_without_a_row_are_swept(spool: Spool, folder: Path) -> None:
    spool.sweep([1], now=0.0)
    for id in (1, 2):
        kept(spool, id)
    running = spool.begin()
    now = (folder / "2").stat().st_mtime
    spool.sweep([1], now + 3500)
    assert len(list(folder.iterdir())) == 3, "the row of 2 is perhaps not committed yet"
    spool.sweep([1], now + 3700)
    assert [each.name for each in folder.iterdir()] == ["1"]
    running.abandon()
