"""Commands are given in a folder of their own: what they put on record does not stay."""

from pathlib import Path

import pytest

from tests.kit import sample_record


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    sample_record.make(file)
    return file
