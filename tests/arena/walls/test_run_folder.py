"""The folder of a running director: private, short, and removed afterwards, however its director ended."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.walls import run_folder
from arena.walls.run_folder import RunFolder, remove_abandoned


@pytest.fixture(autouse=True)
def _among_no_others(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where tests and programs put their folders: other directors would remove what these tests leave behind."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        monkeypatch.setattr("tempfile.tempdir", name)
        monkeypatch.setenv("TMPDIR", name)
        yield


def test_it_is_private_and_gone_afterwards() -> None:
    with RunFolder() as folder:
        assert folder.path.stat().st_mode & 0o777 == 0o700
        assert folder.scratch.is_dir()
    assert not folder.path.exists()


def test_read_only_files_in_it_go_too() -> None:
    with RunFolder() as folder:
        inner = folder.path / "store"
        inner.mkdir()
        (inner / "agent.py").write_text("pass", "utf-8")
        inner.chmod(0o500)
    assert not folder.path.exists()


@pytest.mark.parametrize("name", ["x" * 90, "\N{GRINNING FACE}" * 24, "bell\a"])
def test_a_long_or_odd_temporary_folder_is_not_used_for_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    long = tmp_path / name
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with RunFolder() as folder, socket.socket(socket.AF_UNIX) as bound:
        assert len(folder.players) < 100
        bound.bind(folder.players.removeprefix("ipc://"))


def test_a_folder_left_by_a_killed_director_is_removed_by_the_next_and_no_other() -> None:
    made = "from arena.walls.run_folder import RunFolder; print(RunFolder().path, flush=True)"
    code = f"import os; {made}; os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    abandoned = Path(killed.stdout.strip())
    assert abandoned.name.startswith("arena-run-")
    with RunFolder() as folder:
        assert not abandoned.exists()
        with RunFolder():
            assert folder.path.exists()
            assert os.listdir(folder.path)


def test_a_new_folder_that_another_removes_before_it_is_locked_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    take = run_folder._take

    def take_after_another_looked(lock: int) -> bool:
        monkeypatch.setattr(run_folder, "_take", take)
        for there in Path(tempfile.gettempdir()).glob("arena-run-*"):
            remove_abandoned(there)
        return take(lock)

    monkeypatch.setattr(run_folder, "_take", take_after_another_looked)
    with RunFolder() as folder:
        assert folder.scratch.is_dir()
        remove_abandoned(folder.path)
        assert folder.scratch.is_dir()


def test_a_folder_that_another_has_removed_is_no_error(tmp_path: Path) -> None:
    remove_abandoned(tmp_path / "arena-run-gone")


def test_a_folder_is_removed_however_deep_it_is() -> None:
    with RunFolder() as folder:
        deeper = "import os\nfor _ in range(1100):\n    os.mkdir('deeper')\n    os.chdir('deeper')"
        subprocess.run([sys.executable, "-c", deeper], cwd=folder.scratch, check=True)
    assert not folder.path.exists()


@pytest.mark.parametrize("calls", range(1, 5))
def test_what_a_killed_remover_left_is_removed_by_the_next(calls: int) -> None:
    code = f"""
import os, signal
from arena.walls.run_folder import RunFolder
folder, calls = RunFolder(), {calls}
for name in ("a", "b"):
    (folder.path / name).write_text("x", "utf-8")
print(folder.path, flush=True)

def or_die(call):
    def called(*arguments, **options):
        global calls
        calls -= 1
        os.kill(os.getpid(), signal.SIGKILL) if calls == 0 else call(*arguments, **options)
    return called

os.unlink, os.rmdir = or_die(os.unlink), or_die(os.rmdir)
folder.remove()
"""
    killed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    abandoned = Path(killed.stdout.strip())
    assert killed.returncode == -signal.SIGKILL
    assert abandoned.is_dir()
    with RunFolder():
        assert not abandoned.exists()
