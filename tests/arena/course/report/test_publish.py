"""A published folder: there as a whole or not at all, and nothing of anybody else's is ever lost."""

import os
from pathlib import Path

import pytest

from arena.course.report.publish import LIST, published
from arena.errors import ArenaError


def publish(folder: Path, **files: str) -> None:
    """Publishes these files, each as NAME.html in the folder "a"."""
    with published(folder) as begun:
        for name, text in files.items():
            (begun / "a").mkdir(exist_ok=True)
            (begun / "a" / f"{name}.html").write_text(text)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("there", [False, True], ids=["new", "empty"])
def test_a_new_or_empty_folder_is_filled(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "site"
    if there:
        folder.mkdir()
    publish(folder, one="1")
    assert files(folder) == ["a/one.html", LIST]
    assert sorted(tmp_path.iterdir()) == [folder]


def test_an_earlier_report_is_replaced_whole(tmp_path: Path) -> None:
    publish(tmp_path / "site", one="1", two="2")
    publish(tmp_path / "site", three="3")
    assert files(tmp_path / "site") == ["a/three.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_through_a_link_the_folder_behind_it_is_replaced(tmp_path: Path) -> None:
    publish(tmp_path / "real", one="1")
    (tmp_path / "site").symlink_to("real")
    publish(tmp_path / "site", two="2")
    assert (tmp_path / "site").is_symlink()
    assert files(tmp_path / "real") == ["a/two.html", LIST]


@pytest.mark.parametrize("other", ["notes.txt", "a/mine.html", ".git/config", "empty/", "link"])
@pytest.mark.parametrize("earlier", [False, True], ids=["no report", "a report"])
def test_nothing_of_anybody_elses_is_touched(tmp_path: Path, other: str, earlier: bool) -> None:
    folder = tmp_path / "site"
    if earlier:
        publish(folder, one="1")
    place = folder / other
    place.parent.mkdir(parents=True, exist_ok=True)
    if other.endswith("/"):
        place.mkdir()
    elif other == "link":
        place.symlink_to("a")
    else:
        place.write_text("mine")
    before = files(folder)
    with pytest.raises(ArenaError, match=f"new or empty folder, or an earlier report.*{other.rstrip('/')}"):
        publish(folder, two="2")
    assert files(folder) == before
    assert place.is_symlink() or place.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_what_was_put_there_meanwhile_is_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "site"

    def publish_slowly() -> None:
        with published(folder):
            folder.mkdir()
            (folder / "notes.txt").write_text("mine")

    with pytest.raises(ArenaError, match=r"notes\.txt"):
        publish_slowly()
    assert files(folder) == ["notes.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, SystemExit])
def test_whatever_goes_wrong_leaves_no_half_of_it(tmp_path: Path, error: type[BaseException]) -> None:
    publish(tmp_path / "site", one="1")

    def fail() -> None:
        with published(tmp_path / "site") as begun:
            (begun / "index.html").write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert files(tmp_path / "site") == ["a/one.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_what_a_killed_one_left_is_cleared_and_what_another_writes_is_not(tmp_path: Path) -> None:
    left = tmp_path / ".site-0123abcd.part"
    left.mkdir()
    (left / "index.html").write_text("half")
    with published(tmp_path / "site") as begun:
        assert not left.exists()
        publish(tmp_path / "site", one="1")
        assert begun.exists()
        (begun / "two.html").write_text("2")
    assert files(tmp_path / "site") == [LIST, "two.html"]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_only_what_reports_have_left_is_cleared(tmp_path: Path) -> None:
    mine = tmp_path / ".site-holidays.part"
    mine.mkdir()
    (mine / "precious.txt").write_text("mine")
    publish(tmp_path / "site", one="1")
    assert (mine / "precious.txt").read_text() == "mine"


def test_another_ones_folder_keeps_its_permissions(tmp_path: Path) -> None:
    with published(tmp_path / "site") as begun:
        begun.chmod(0o755)
        publish(tmp_path / "site", one="1")
        assert begun.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("there", [True, False])
def test_a_report_killed_while_it_was_put_in_place_leaves_one_of_both(tmp_path: Path, there: bool) -> None:
    old = tmp_path / ".site-0123abcd.old"
    publish(old, earlier="0")
    if there:
        publish(tmp_path / "site", one="1")
    with pytest.raises(KeyboardInterrupt), published(tmp_path / "site"):
        raise KeyboardInterrupt
    assert files(tmp_path / "site") == [f"a/{'one' if there else 'earlier'}.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_where_it_cannot_be_put_in_its_place_the_earlier_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path / "site", one="1")
    rename = Path.rename

    def fail_once(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise OSError(28, "No space left on device", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(OSError, match="No space left"):
        publish(tmp_path / "site", two="2")
    assert files(tmp_path / "site") == ["a/one.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_file_is_no_place_for_it(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(ArenaError, match="is a file"):
        publish(tmp_path / "site")


def test_a_folder_in_one_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"there is no '.*no'"):
        publish(tmp_path / "no" / "site")


def test_the_folder_one_is_in_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArenaError, match="is the current one"):
        publish(Path())


def test_others_may_read_it(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        publish(tmp_path / "site", one="1")
    finally:
        os.umask(before)
    assert (tmp_path / "site").stat().st_mode & 0o777 == 0o755
