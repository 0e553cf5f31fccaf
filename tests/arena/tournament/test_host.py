"""How fast a machine is."""

from __future__ import annotations

import pytest

from arena.tournament import host
from arena.tournament.host import machine


def test_the_best_of_all_measurements_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_best", 0.0)
    assert machine()["speed"] is None
    first = host.measured_speed()
    assert first == host.measured_speed() > 1
    assert host.measure_speed() >= first
    assert machine()["speed"] == pytest.approx(host.measured_speed(), rel=0.005)


@pytest.mark.parametrize(
    ("speed", "reference", "words"),
    [
        (100.0, 100.0, ""),
        (115.0, 100.0, ""),
        (100.0, 115.0, ""),
        (116.0, 100.0, "it is 16% faster than the tournament's first host (116 and 100 thousand"),
        (100.0, 116.0, "it is 16% slower than the tournament's first host (100 and 116 thousand"),
        (100.0, 1e6, "it is 999900% slower"),
    ],
)
def test_a_host_that_differs_by_more_is_told_of(speed: float, reference: float, words: str) -> None:
    found = host.speed_differs(speed, reference, 0.15)
    assert found.startswith(words)
    assert bool(found) == bool(words)
    assert host.speed_differs(speed, reference, float("inf")) == ""


@pytest.mark.parametrize("speed", [None, "fast", True, 0, -1.0, 5e-324, 1e308, float("nan"), float("inf"), 10**400])
def test_a_speed_that_no_machine_has_is_none(speed: object) -> None:
    assert host.recorded_speed({"speed": speed}) is None


@pytest.mark.parametrize("reference", [100.0, 116.0, 133.3, 221.0, 271.8, 1130.0, 1e5])
def test_what_the_words_say_does_allow_it(reference: float) -> None:
    allowed = host.speed_differs(100.0, reference, 0.15).partition("host_tolerance = ")[2].split()[:1]
    assert not host.speed_differs(100.0, reference, float(allowed[0]) if allowed else 0.15)
