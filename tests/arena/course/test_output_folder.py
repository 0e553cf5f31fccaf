"""A folder of ours is complete or not there at all, and no other files are ever lost."""

import os
from pathlib import Path

import pytest

from arena.course.output_folder import FEEDBACK, REPORT, replacing
from arena.errors import ArenaError

LIST = REPORT.listing


def write(folder: Path, **files: str) -> None:
    """Writes these files, each as NAME.html in the folder "a"."""
    with replacing(folder, REPORT) as begun:
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
    write(folder, one="1")
    assert files(folder) == ["a/one.html", LIST]
    assert sorted(tmp_path.iterdir()) == [folder]


def test_an_earlier_report_is_replaced_completely(tmp_path: Path) -> None:
    write(tmp_path / "site", one="1", two="2")
    write(tmp_path / "site", three="3")
    assert files(tmp_path / "site") == ["a/three.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_if_the_folder_is_a_link_its_target_is_replaced(tmp_path: Path) -> None:
    write(tmp_path / "real", one="1")
    (tmp_path / "site").symlink_to("real")
    write(tmp_path / "site", two="2")
    assert (tmp_path / "site").is_symlink()
    assert files(tmp_path / "real") == ["a/two.html", LIST]


@pytest.mark.parametrize("other", ["notes.txt", "a/mine.html", ".git/config", "empty/", "link"])
@pytest.mark.parametrize("earlier", [False, True], ids=["no report", "a report"])
def test_other_files_are_not_touched(tmp_path: Path, other: str, earlier: bool) -> None:
    folder = tmp_path / "site"
    if earlier:
        write(folder, one="1")
    place = folder / other
    place.parent.mkdir(parents=True, exist_ok=True)
    if other.endswith("/"):
        place.mkdir()
    elif other == "link":
        place.symlink_to("a")
    else:
        place.write_text("mine")
    before = files(folder)
    with pytest.raises(
        ArenaError, match=f"new or empty folder, or one that `arena course report` wrote.*{other.rstrip('/')}"
    ):
        write(folder, two="2")
    assert files(folder) == before
    assert place.is_symlink() or place.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_files_added_in_the_meantime_are_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "site"

    def write_slowly() -> None:
        with replacing(folder, REPORT):
            folder.mkdir()
            (folder / "notes.txt").write_text("mine")

    with pytest.raises(ArenaError, match=r"notes\.txt"):
        write_slowly()
    assert files(folder) == ["notes.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, SystemExit])
def test_after_an_error_no_incomplete_report_is_left(tmp_path: Path, error: type[BaseException]) -> None:
    write(tmp_path / "site", one="1")

    def fail() -> None:
        with replacing(tmp_path / "site", REPORT) as begun:
            (begun / "index.html").write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert files(tmp_path / "site") == ["a/one.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_folders_of_killed_reports_are_removed_and_those_in_use_are_not(tmp_path: Path) -> None:
    left = tmp_path / ".site-0123abcd.part"
    left.mkdir()
    (left / "index.html").write_text("half")
    with replacing(tmp_path / "site", REPORT) as begun:
        assert not left.exists()
        write(tmp_path / "site", one="1")
        assert begun.exists()
        (begun / "two.html").write_text("2")
    assert files(tmp_path / "site") == [LIST, "two.html"]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_only_folders_left_by_reports_are_removed(tmp_path: Path) -> None:
    mine = tmp_path / ".site-holidays.part"
    mine.mkdir()
    (mine / "precious.txt").write_text("mine")
    write(tmp_path / "site", one="1")
    assert (mine / "precious.txt").read_text() == "mine"


def test_the_folder_of_another_report_keeps_its_permissions(tmp_path: Path) -> None:
    with replacing(tmp_path / "site", REPORT) as begun:
        begun.chmod(0o755)
        write(tmp_path / "site", one="1")
        assert begun.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("there", [True, False])
def test_a_report_killed_during_the_swap_leaves_the_old_or_the_new_one(tmp_path: Path, there: bool) -> None:
    old = tmp_path / ".site-0123abcd.old"
    write(old, earlier="0")
    if there:
        write(tmp_path / "site", one="1")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "site", REPORT):
        raise KeyboardInterrupt
    assert files(tmp_path / "site") == [f"a/{'one' if there else 'earlier'}.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_if_the_swap_fails_the_earlier_report_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "site", one="1")
    rename = Path.rename

    def fail_once(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise OSError(28, "No space left on device", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "site", two="2")
    assert files(tmp_path / "site") == ["a/one.html", LIST]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_file_is_not_replaced_by_a_folder(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(ArenaError, match="is a file"):
        write(tmp_path / "site")


def test_a_folder_inside_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"there is no '.*no'"):
        write(tmp_path / "no" / "site")


def test_the_current_folder_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArenaError, match="is the current one"):
        write(Path())


def test_other_users_can_read_a_report(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write(tmp_path / "site", one="1")
    finally:
        os.umask(before)
    assert (tmp_path / "site").stat().st_mode & 0o777 == 0o755


# Feedback is private.


def test_only_its_owner_can_read_a_private_folder(tmp_path: Path) -> None:
    for _ in range(2):
        with replacing(tmp_path / "feedback", FEEDBACK) as begun:
            assert begun.stat().st_mode & 0o777 == 0o700
            (begun / "mail.csv").write_text("")
        assert (tmp_path / "feedback").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("place", ["site", "site/feedback", "site/a/feedback"])
def test_a_private_folder_is_never_in_a_report(tmp_path: Path, place: str) -> None:
    write(tmp_path / "site", one="1")
    refused = pytest.raises(ArenaError, match=r"expected a folder outside '.*/site', which `arena course report` wrote")
    with refused, replacing(tmp_path / place, FEEDBACK):
        pass
    assert files(tmp_path / "site") == ["a/one.html", LIST]


@pytest.mark.parametrize("place", ["feedback/site", "feedback/a/site"])
def test_a_published_folder_is_never_in_a_private_one(tmp_path: Path, place: str) -> None:
    with replacing(tmp_path / "feedback", FEEDBACK) as begun:
        (begun / "a").mkdir()
        (begun / "a" / "page.html").write_text("")
    with pytest.raises(
        ArenaError, match=r"expected a folder outside '.*/feedback', which `arena course feedback` wrote"
    ):
        write(tmp_path / place, one="1")
    assert files(tmp_path / "feedback") == ["a/page.html", FEEDBACK.listing]


def test_a_report_never_replaces_feedback(tmp_path: Path) -> None:
    with replacing(tmp_path / "feedback", FEEDBACK) as begun:
        (begun / "mail.csv").write_text("")
    with pytest.raises(ArenaError, match=r"'.*feedback' has other files: arena-feedback\.txt, mail\.csv;"):
        write(tmp_path / "feedback", one="1")


def test_bundles_that_were_opened_there_do_not_prevent_a_replacement(tmp_path: Path) -> None:
    for _ in range(2):
        with replacing(tmp_path / "feedback", FEEDBACK) as begun:
            (begun / "ann").mkdir()
            (begun / "ann" / "ann.arena").write_text("")
        store = tmp_path / "feedback" / "ann" / "ann.store"
        (store / "0123").mkdir(parents=True)
        (store / "0123" / "agent.py").write_text("")
        (store / "0123").chmod(0o555)
    with replacing(tmp_path / "feedback", FEEDBACK):
        pass
    assert files(tmp_path / "feedback") == [FEEDBACK.listing]
    assert [path.name for path in tmp_path.iterdir()] == ["feedback"]
