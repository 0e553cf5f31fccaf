"""Where a tournament runs, and nudges for it."""

import fcntl
from pathlib import Path

import pytest

from arena.errors import TournamentBusy
from arena.serve.place import Nudges, nudge
from arena.tournament.lock import running_in, tournament_lock
from arena.walls.run_folder import RunFolder


def test_a_tournament_is_found_while_it_runs(tmp_path: Path) -> None:
    assert running_in(tmp_path, "cs101") is None
    with tournament_lock(tmp_path, "cs101") as lock:
        assert running_in(tmp_path, "cs101") is None, "it has no run folder yet"
        lock.note(Path("/run/of/cs101"))
        assert running_in(tmp_path, "cs101") == Path("/run/of/cs101")
        assert running_in(tmp_path, "cs102") is None
    assert running_in(tmp_path, "cs101") is None
    with tournament_lock(tmp_path, "cs101") as lock:
        assert running_in(tmp_path, "cs101") is None, "the path of the process before it is gone"
        lock.note(Path("/run/2"))
        assert running_in(tmp_path, "cs101") == Path("/run/2")


def test_a_tournament_that_another_account_runs_is_not_running_for_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    with tournament_lock(tmp_path, "cs101") as lock:
        lock.note(Path("/run/of/cs101"))
        monkeypatch.setattr("os.open", refuse)  # not a file of mode 0: root can read that
        assert running_in(tmp_path, "cs101") is None
        assert not nudge(tmp_path, "cs101")


def test_a_command_that_looks_for_a_tournament_does_not_keep_it_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tournament_lock(tmp_path, "cs101"):
        pass
    reader = next(tmp_path.iterdir()).open()
    fcntl.flock(reader, fcntl.LOCK_SH)
    monkeypatch.setattr("time.sleep", lambda _: reader.close())
    with tournament_lock(tmp_path, "cs101"):
        assert reader.closed


def test_nudges_arrive_and_lost_ones_are_no_error(tmp_path: Path) -> None:
    assert not nudge(tmp_path, "cs101"), "nobody runs it"
    with RunFolder() as folder, tournament_lock(tmp_path, "cs101") as lock:
        lock.note(folder.path)
        assert nudge(tmp_path, "cs101"), "it runs, and will look soon"
        nudges = Nudges(folder.path)
        assert not nudges.read()
        for _ in range(1000):  # more than the socket can hold
            assert nudge(tmp_path, "cs101")
        assert nudges.read()
        assert not nudges.read()
        nudges.close()
        assert nudge(tmp_path, "cs101")
        with pytest.raises(TournamentBusy), tournament_lock(tmp_path, "cs101"):
            pass
        assert running_in(tmp_path, "cs101") == folder.path
