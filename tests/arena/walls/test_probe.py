"""Each kind of walls is tested once; the answer says what is missing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

import pytest

from arena.errors import ArenaError
from arena.match.allowance import WallKind
from arena.walls import file_access, jail, probe, seccomp
from arena.walls.probe import Offer
from tests.kit.behind_walls import need, needs_linux


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Clears the cached results, before and after the test."""
    probe.offer.cache_clear()
    yield monkeypatch
    probe.offer.cache_clear()


def test_limits_hold_anywhere() -> None:
    assert probe.offer(WallKind.LIMITS) == Offer(WallKind.LIMITS, True)


@needs_linux
@pytest.mark.parametrize("kind", [WallKind.SANDBOX, WallKind.CONTAINER])
def test_a_kind_is_tried_once(kind: WallKind, fresh: pytest.MonkeyPatch) -> None:
    tried = list[WallKind]()
    fresh.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    fresh.setattr(seccomp, "compiled", lambda _: b"filter")

    def hold(kind: WallKind) -> str:
        tried.append(kind)
        return ""

    fresh.setattr(probe, "_try", hold)
    first = probe.offer(kind)
    assert first.holds
    assert probe.offer(kind) is first
    assert tried == [kind]


FORBIDDEN = "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1"


def refuse(error: Exception) -> object:
    def compiled(*_: object) -> bytes:
        raise error

    return compiled


@needs_linux
@pytest.mark.parametrize("kind", [WallKind.SANDBOX, WallKind.CONTAINER])
def test_without_libseccomp_it_is_said_what_to_install(kind: WallKind, fresh: pytest.MonkeyPatch) -> None:
    need(kind)
    probe.offer.cache_clear()
    fresh.setattr(seccomp, "compiled", refuse(OSError("no libseccomp")))
    found = probe.offer(kind)
    assert (found.holds, found.why) == (False, "no system call filter: no libseccomp")
    assert "apt install libseccomp2" in found.advice


@needs_linux
def test_without_landlock_it_is_said_what_to_switch_on(fresh: pytest.MonkeyPatch) -> None:
    fresh.setattr(file_access, "landlock_version", refuse(OSError("it is switched off")))
    found = probe.offer(WallKind.SANDBOX)
    assert not found.holds
    assert found.why == "no Landlock: it is switched off"
    assert "Linux 5.13" in found.advice


@needs_linux
def test_without_bubblewrap_it_is_said_what_to_install(fresh: pytest.MonkeyPatch) -> None:
    fresh.setattr(shutil, "which", lambda _: None)
    found = probe.offer(WallKind.CONTAINER)
    assert (found.holds, found.why) == (False, "bwrap is not on the PATH")
    assert "install bubblewrap" in found.advice


@needs_linux
def test_a_program_bwrap_that_is_forbidden_to_work_does_not_count(fresh: pytest.MonkeyPatch) -> None:
    need(WallKind.SANDBOX)
    probe.offer.cache_clear()
    fresh.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    fresh.setattr(file_access, "container", lambda *_: ["/bin/sh", "-c", FORBIDDEN])
    found = probe.offer(WallKind.CONTAINER)
    assert not found.holds
    assert found.why == "they cannot be set up: bwrap: No permissions to create a new namespace"
    assert "not allowed to create namespaces" in found.advice


@needs_linux
def test_outside_linux_there_are_only_limits(fresh: pytest.MonkeyPatch) -> None:
    fresh.setattr(sys, "platform", "darwin")
    assert probe.offer(WallKind.SANDBOX) == Offer(WallKind.SANDBOX, False, "it needs Linux, this is darwin")
    assert probe.chosen(None) == Offer(WallKind.LIMITS, True, "it needs Linux, this is darwin")


@needs_linux
@pytest.mark.parametrize("kind", [WallKind.SANDBOX, WallKind.CONTAINER])
def test_walls_that_let_something_through_do_not_hold(kind: WallKind, fresh: pytest.MonkeyPatch) -> None:
    """A filter that allows everything simulates a machine whose walls do not work."""
    need(kind)
    probe.offer.cache_clear()
    allow_all = (6).to_bytes(8, sys.byteorder)[:2] + bytes(2) + (0x7FFF0000).to_bytes(4, sys.byteorder)
    fresh.setattr(seccomp, "compiled", lambda _: allow_all)
    found = probe.offer(kind)
    assert not found.holds
    assert found.why.startswith("it does not work: an agent could ")
    assert "open a socket" in found.why
    assert ("start a process" in found.why) == (kind is WallKind.SANDBOX)


@needs_linux
def test_walls_behind_which_nothing_runs_do_not_hold(fresh: pytest.MonkeyPatch) -> None:
    need(WallKind.SANDBOX)
    probe.offer.cache_clear()
    real = jail.start

    def fail(command: list[str], *rest: object) -> object:
        return real([command[0], "-I", "-S", "-c", "raise SystemExit('no way')"], *rest)  # type: ignore[arg-type]

    fresh.setattr(jail, "start", fail)
    found = probe.offer(WallKind.SANDBOX)
    assert (found.holds, found.why) == (False, "no program runs behind them: no way")


def offers(**holding: bool) -> object:
    """A machine that offers these kinds."""

    def offer(kind: WallKind) -> Offer:
        holds = holding.get(kind, kind is WallKind.LIMITS)
        return Offer(kind, holds) if holds else Offer(kind, False, "for the test", "buy another one")

    return offer


def test_the_best_for_an_agent_is_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", offers(sandbox=True, container=True))
    assert probe.chosen(None) == Offer(WallKind.SANDBOX, True)
    for kind in WallKind:
        assert probe.chosen(kind) == Offer(kind, True)


def test_where_the_sandbox_does_not_hold_there_are_limits_and_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", offers(container=True))
    assert probe.chosen(None) == Offer(WallKind.LIMITS, True, "for the test", "buy another one")


@pytest.mark.parametrize("kind", [WallKind.SANDBOX, WallKind.CONTAINER])
def test_what_is_demanded_is_never_lowered(kind: WallKind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", offers())
    with pytest.raises(ArenaError) as refused:
        probe.chosen(kind)
    assert str(refused.value) == (
        f"walls: this machine offers no {kind} (for the test); buy another one. See: arena doctor"
    )
