"""Files of endgame tables: what is there is kept, what is not is built, and nothing half written is ever a table."""

import errno
import os
from pathlib import Path

import pytest

from adsearch.games.checkers_endgames import path_of, read
from arena.endgames import table_files
from arena.errors import ArenaError
from tests.kit.few_pieces import tables


def silent(pieces: int, done: float) -> None:
    """Progress that nobody looks at."""


def completed(folder: Path, pieces: int) -> list[tuple[int, float]]:
    """Completes the folder; the progress that was told."""
    told: list[tuple[int, float]] = []
    found, _ = table_files.there(folder, pieces)
    table_files.complete(folder, pieces, found, lambda *one: told.append(one))
    assert [found[count] for count in sorted(found)] == [*tables(pieces)]
    return told


def test_only_what_is_missing_is_built(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "tables"
    assert {count for count, _ in completed(folder, 2)} == {2}
    assert {count for count, _ in completed(folder, 3)} == {3}
    assert completed(folder, 3) == []
    assert sorted(path.name for path in folder.iterdir()) == ["checkers-2.table", "checkers-3.table"]
    assert [read(folder, count) for count in (2, 3)] == [*tables(3)]


def test_a_damaged_table_is_named_and_built_again(tmp_path: Path) -> None:
    completed(tmp_path, 3)
    path_of(tmp_path, 2).write_bytes(path_of(tmp_path, 2).read_bytes()[:-1])
    found, problems = table_files.there(tmp_path, 3)
    assert (list(found), len(problems)) == ([3], 1)
    assert {count for count, _ in completed(tmp_path, 3)} == {2}


@pytest.mark.parametrize("stops", [KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device")])
@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_a_table_is_written_whole_or_not_at_all(
    stops: type[BaseException] | OSError, at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        assert len(list(tmp_path.glob("checkers-2.table.*.part"))) == 1
        raise stops

    monkeypatch.setattr(os, at, stop)
    expected = KeyboardInterrupt if stops is KeyboardInterrupt else ArenaError
    with pytest.raises(expected) as raised:
        table_files.complete(tmp_path, 2, {}, silent)
    assert list(tmp_path.iterdir()) == []
    if expected is ArenaError:
        assert str(raised.value) == f"cannot write endgame tables to {tmp_path}: No space left on device"


def test_what_a_killed_process_has_left_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "checkers-2.table.x1.part").write_bytes(b"half")
    assert table_files.there(tmp_path, 2) == ({}, [])


def test_a_file_in_place_of_the_folder_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArenaError, match=r"^cannot write endgame tables to .*file: File exists$"):
        table_files.complete(tmp_path / "file", 2, {}, silent)
