"""Helpers: real processes answer, fail, are late, are killed, and end with their asker, whatever they do."""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.errors import HelperEnded, HelperFailed, HelperLate
from arena.play.helper import Asker, Helper, HelperLimits
from arena.walls.run_folder import RunFolder
from tests.kit import fake_searches
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT

NO_LIMITS = HelperLimits()
_FUNCTION = Callable[[Asker], None]


def test_a_helper_answers_one_job_after_the_other() -> None:
    with Helper(fake_searches.echoes, NO_LIMITS) as helper:
        for job in ("one", "zwei\n", "x" * 1_000_000):
            helper.send(job)
            assert helper.answer(str, within=PATIENCE) == job


def test_it_has_its_limits_and_its_stdin_is_not_the_link() -> None:
    limits = HelperLimits(nice=3, resources={resource.RLIMIT_NOFILE: 99})
    with Helper(fake_searches.says_how_it_is, limits) as helper:
        nice, limit, stdin, ignores = helper.answer(tuple[int, int, str, bool], within=PATIENCE)
    assert nice == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 3)
    assert (limit, stdin, ignores) == (99, os.devnull, True)


@pytest.mark.parametrize(
    ("work", "error", "words"),
    [
        (fake_searches.fails, HelperFailed, "the rules failed"),
        (fake_searches.raises, HelperFailed, "in one line"),
        (fake_searches.ends, HelperEnded, "without an answer"),
        (fake_searches.lies, HelperEnded, "without an answer"),
        (fake_searches.talks, HelperEnded, "without an answer"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_why_there_is_no_answer(work: _FUNCTION, error: type[HelperEnded], words: str) -> None:
    with Helper(work, NO_LIMITS, longest=10_000) as helper, pytest.raises(HelperEnded) as raised:
        helper.answer(int, within=PATIENCE)
    assert (type(raised.value), str(raised.value)) == (error, words)


def test_one_that_is_killed_says_by_which_signal() -> None:
    with Helper(fake_searches.is_killed, NO_LIMITS) as helper:
        assert helper.answer(int, within=PATIENCE) == 1
        with pytest.raises(HelperEnded, match=r"^SIGKILL$"):
            helper.answer(int, within=PATIENCE)


def test_one_that_uses_too_much_processor_time_is_late() -> None:
    with (
        Helper(fake_searches.burns, HelperLimits(resources={resource.RLIMIT_CPU: 1})) as helper,
        pytest.raises(HelperLate),
    ):
        helper.answer(int, within=PATIENCE)


def test_one_that_does_not_answer_in_time_is_late_and_killed_with_the_block() -> None:
    with Helper(fake_searches.sleeps, NO_LIMITS) as helper:
        process = os.pidfd_open(helper.answer(int, within=PATIENCE))
        with pytest.raises(HelperLate, match=r"^it took longer than 0 s$"):
            helper.answer(int, within=0.0)
    ends(process)


def test_the_log_has_what_went_wrong() -> None:
    with RunFolder() as folder:
        helper = Helper(fake_searches.raises, NO_LIMITS, folder=folder)
        while not helper.is_gone():
            assert select.select([helper], [], [], PATIENCE)[0]
            helper.read()
        assert helper.how_it_ended() == "exited with code 1: in one line"
        helper.end()
        assert [*folder.path.glob("log-*")] == []


@pytest.mark.parametrize("asker_ends", [signal.SIGKILL, signal.SIGINT, None], ids=["killed", "Ctrl-C", "exits"])
@pytest.mark.parametrize("work", [fake_searches.sleeps, fake_searches.finishes], ids=["dies", "finishes"])
def test_a_helper_ends_with_its_asker(work: _FUNCTION, asker_ends: signal.Signals | None, tmp_path: Path) -> None:
    """One that hears of it finishes its work first."""
    is_told = work is fake_searches.finishes
    program = (
        "import sys\n"
        "from arena.play.helper import Helper, HelperLimits\n"
        "from tests.kit import fake_searches\n"
        f"helper = Helper(fake_searches.{work.__name__}, limits=HelperLimits(finishes={is_told}))\n"
        f"print(helper.answer(int, within={PATIENCE}), flush=True)\n"
        "sys.stdin.read()\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "GATE": str(tmp_path / "gate")}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    ) as asker:
        assert asker.stdout is not None
        process = os.pidfd_open(int(asker.stdout.readline()))
        if asker_ends is None:
            assert asker.stdin is not None
            asker.stdin.close()
        else:
            (os.killpg if asker_ends is signal.SIGINT else os.kill)(asker.pid, asker_ends)
        ends(process)
    assert (tmp_path / "gate").exists() == is_told


def test_a_helper_whose_asker_was_killed_at_once_does_not_begin(tmp_path: Path) -> None:
    asker, theirs = socket.socketpair()
    for sent in (NO_LIMITS, ("a database", 1)):
        asker.sendall(msgspec.json.encode(sent) + b"\n")
    asker.close()
    command = [sys.executable, "-m", "arena.play.helper", "tests.kit.fake_searches:waits"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "BEGUN": str(tmp_path / "begun")}
    with theirs:
        ended = subprocess.run(command, stdin=theirs.fileno(), env=environment, timeout=PATIENCE)
    assert (ended.returncode, [*tmp_path.iterdir()]) == (0, [])


def ends(process: int) -> None:
    """Waits for the end of a process, a descriptor."""
    try:
        assert select.select([process], [], [], PATIENCE)[0]
    finally:
        os.close(process)
