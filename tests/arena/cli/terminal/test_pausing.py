"""A pause is told, and not every two seconds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from arena.cli.terminal import stopping
from arena.cli.terminal.stopping import Pausing


def test_the_same_reason_is_told_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = 100.0

    def sleep(time: float) -> None:
        nonlocal seconds
        seconds += time

    monkeypatch.setattr(stopping, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: seconds))
    said: list[str] = []
    pause = Pausing(said.append, "Ctrl-C stops")
    for reason in ["the disk is full"] * 40 + ["it is locked"] * 2:
        pause(reason)
    assert said == [
        "paused: the disk is full; trying again every 2 s. Ctrl-C stops",
        "paused: the disk is full; trying again every 2 s. Ctrl-C stops",
        "paused: it is locked; trying again every 2 s. Ctrl-C stops",
    ]
    assert seconds == 100 + 2 * 42
