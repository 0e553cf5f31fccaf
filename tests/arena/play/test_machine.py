"""What `arena doctor` finds, on machines that are made of a few files under /proc and /sys."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from adsearch import form
from arena import installation
from arena.errors import ArenaError
from arena.installation import Extra
from arena.match.allowance import GIBIBYTE, MEBIBYTE, WallKind
from arena.play import control
from arena.play import machine as findings_here
from arena.play.machine import (
    KEPT,
    PURPOSES,
    Finding,
    Health,
    ProcessorTimes,
    Promise,
    count_threads,
    default_walls,
    findings,
    of_extra,
    of_extras,
    of_landlock,
    of_promises,
    of_sandboxes,
    of_system,
    of_walls,
    open_files,
    operating_system,
    quotas,
    search,
    threads,
)
from arena.walls import confine, file_access, probe
from arena.walls.probe import Offer

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc, and processes bound to a core")


@pytest.fixture
def lay(tmp_path: Path) -> Callable[..., Path]:
    """Writes the files of a machine: paths and their content."""

    def laid(files: dict[str, str]) -> Path:
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n", "utf-8")
        return tmp_path

    return laid


def one(found: list[Finding], name: str) -> Finding:
    (wanted,) = [finding for finding in found if finding.name == name]
    return wanted


def test_every_finding_of_this_machine_has_a_value_and_every_warning_has_advice(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert {finding.area for finding in found} == {
        *("walls", "promises", "clocks", "memory", "disk", "system", "extras")
    }
    assert len({(finding.area, finding.name) for finding in found}) == len(found)
    for finding in found:
        assert finding.value, finding
        assert bool(finding.advice) == (finding.verdict in (Health.WARNING, Health.PROBLEM)), finding
        assert finding.value.isprintable(), finding
    assert list(tmp_path.iterdir()) == []


def test_without_proc_and_sys_most_findings_are_unknown(tmp_path: Path) -> None:
    found = findings_here.of_processors(proc=tmp_path, sysfs=tmp_path)
    found += findings_here.of_memory(proc=tmp_path, sysfs=tmp_path)
    known = {finding.name for finding in found if finding.verdict is not Health.UNKNOWN}
    assert known <= {"cores", "waiting", "load", "timer"}
    assert findings_here.file_system(tmp_path, tmp_path).verdict is Health.UNKNOWN


# Walls


@pytest.mark.parametrize("kind", WallKind)
def test_walls_that_work_are_ok(kind: WallKind) -> None:
    found = of_walls(Offer(kind, True))
    assert (found.name, found.verdict, found.advice) == (kind, Health.OK, "")
    assert found.value.startswith(("work: ", "works: "))


@pytest.mark.parametrize("kind", [WallKind.SANDBOX, WallKind.CONTAINER])
def test_walls_that_do_not_hold_are_a_warning_that_says_why_and_what_to_do(kind: WallKind) -> None:
    found = of_walls(Offer(kind, False, "bwrap is not on the PATH", "install bubblewrap"))
    assert (found.value, found.verdict) == ("bwrap is not on the PATH", Health.WARNING)
    assert found.advice.startswith("install bubblewrap")
    assert ("start processes" in found.advice) == (kind is WallKind.CONTAINER)


def test_there_is_advice_even_where_nothing_can_be_installed() -> None:
    assert "machine" in of_walls(Offer(WallKind.SANDBOX, False, "it needs Linux, this is darwin")).advice


def test_limits_alone_are_a_warning_that_says_what_they_mean() -> None:
    found = default_walls(WallKind.LIMITS, "an agent can read files")
    assert found.verdict is Health.WARNING
    assert "an agent can read files" in found.value
    assert default_walls(WallKind.SANDBOX, "").verdict is Health.OK


def test_a_mac_has_only_limits_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    probe.offer.cache_clear()
    try:
        found = of_sandboxes()
    finally:
        probe.offer.cache_clear()
    assert [one(found, kind).verdict for kind in WallKind] == [Health.OK, Health.WARNING, Health.WARNING]
    assert "darwin" in one(found, WallKind.SANDBOX).value
    assert one(found, "default").verdict is Health.WARNING
    assert one(found, "threads").verdict is Health.UNKNOWN


def test_the_version_of_landlock_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_access, "landlock_version", lambda: 5)
    assert of_landlock().value == "ABI version 5"
    monkeypatch.setattr(file_access, "landlock_version", lambda: (_ for _ in ()).throw(OSError("it is switched off")))
    assert of_landlock().verdict is Health.UNKNOWN


@linux
def test_who_counts_threads_is_tested() -> None:
    counts, why = count_threads(confine.__file__)
    assert counts in (("apart", "warden") if os.getuid() == 0 else ("kernel", "warden")), why


@linux
def test_a_program_that_cannot_confine_is_a_problem_with_its_reason(tmp_path: Path) -> None:
    broken = tmp_path / "confine.py"
    broken.write_text("def make_user_namespace(most):\n    raise PermissionError(1, 'Operation not permitted')\n")
    found = threads(*count_threads(str(broken)), root=False)
    assert found.verdict is Health.PROBLEM
    assert "Operation not permitted" in found.value


@pytest.mark.parametrize(
    ("counts", "root", "verdict", "advice"),
    [
        ("kernel", False, Health.OK, ""),
        ("apart", True, Health.WARNING, "ordinary user"),
        ("warden", True, Health.WARNING, "ordinary user"),
        ("warden", False, Health.WARNING, "user namespaces"),
        ("nobody", False, Health.UNKNOWN, ""),
    ],
)
def test_who_counts_threads(counts: str, root: bool, verdict: Health, advice: str) -> None:
    found = threads(counts, "", root=root)
    assert found.verdict is verdict
    assert advice in found.advice
    assert (found.value == KEPT) == (counts == "kernel")


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [("kernel", Health.OK), ("apart", Health.OK), ("warden", Health.WARNING), ("nobody", Health.UNKNOWN)],
)
def test_quotas_are_not_shared_where_an_agent_has_a_namespace_of_its_own(counts: str, verdict: Health) -> None:
    found = quotas(counts)
    assert found.verdict is verdict
    assert ("user namespaces" in found.advice) == (verdict is Health.WARNING)


# Promises


def promised(kind: WallKind, *, waits: bool = True) -> dict[str, Finding]:
    """The finding for each promise, where the kernel counts an ordinary user's threads."""
    return {each.name: each for each in of_promises(kind, "kernel", "", root=False, waits=waits)}


def test_every_promise_is_held_in_a_sandbox() -> None:
    found = promised(WallKind.SANDBOX)
    assert list(found) == list(Promise)
    assert {(each.area, each.value, each.verdict) for each in found.values()} == {("promises", "kept", Health.OK)}


def test_each_promise_that_is_not_held_says_why_and_what_is_missing() -> None:
    found = promised(WallKind.LIMITS)
    assert list(found) == list(Promise)
    lost = {name for name, each in found.items() if each.value != KEPT}
    assert lost == set(Promise) - {Promise.THREADS}
    for name in lost:
        assert re.match("not kept: |kept in part: ", found[name].value)
        assert found[name].verdict is Health.WARNING
        assert "sandbox" in found[name].advice


def test_a_container_whose_waits_cannot_be_measured_charges_them() -> None:
    lost = [each for each in promised(WallKind.CONTAINER, waits=False).values() if each.value != KEPT]
    assert [(each.name, each.verdict) for each in lost] == [(Promise.WAITING, Health.WARNING)]


# Clocks


@pytest.mark.parametrize(
    ("there", "number", "value", "verdict"),
    [
        ([0], 1, "1: the referee and the players share it", Health.WARNING),
        ([0, 1], 2, "2: 1 game at a time has its own core", Health.OK),
        ([0, 2, 4, 6], 8, "4 (8 processors): 3 games at the same time have a core each", Health.OK),
        ([], 10, "10 processors; a process cannot be bound to one", Health.UNKNOWN),
        ([], None, "some processors; a process cannot be bound to one", Health.UNKNOWN),
    ],
)
def test_how_many_games_have_a_core(there: list[int], number: int | None, value: str, verdict: Health) -> None:
    found = findings_here.games_with_cores(there, number)
    assert (found.value, found.verdict) == (value, verdict)


@pytest.mark.parametrize(
    ("charged", "known", "words", "verdict"),
    [
        ([WallKind.LIMITS], True, "waiting for a processor is not charged, except behind limits", Health.OK),
        (
            [WallKind.LIMITS, WallKind.CONTAINER],
            True,
            "waiting for a processor is not charged, except behind limits and in a container; give the tournament",
            Health.OK,
        ),
        (list(WallKind), False, "waiting for a processor is charged as thinking: this system", Health.WARNING),
    ],
)
def test_for_whom_waiting_is_charged(charged: list[WallKind], known: bool, words: str, verdict: Health) -> None:
    found = findings_here.waits(charged, known=known)
    assert found.value.startswith(words)
    assert found.verdict is verdict


def test_no_quota_is_ok(lay: Callable[..., Path]) -> None:
    root = lay({"self/cgroup": "0::/user/1", "fs/cgroup/user/1/cpu.max": "max 100000"})
    assert findings_here.quota(root, root).verdict is Health.OK


def test_the_smallest_quota_of_all_groups_is_shown(lay: Callable[..., Path]) -> None:
    root = lay(
        {
            "self/cgroup": "1:name=systemd:/x\n0::/user/1",
            "fs/cgroup/user/1/cpu.max": "max 100000",
            "fs/cgroup/user/cpu.max": "150000 100000",
            "fs/cgroup/cpu.max": "400000 100000",
        }
    )
    found = findings_here.quota(root, root)
    assert found.verdict is Health.WARNING
    assert "1.5 processors" in found.value


def test_a_quota_is_also_found_in_groups_of_the_first_version(lay: Callable[..., Path]) -> None:
    cpu = "fs/cgroup/cpu/cpu.cfs_"
    root = lay({"self/cgroup": "2:cpu:/", f"{cpu}quota_us": "200000", f"{cpu}period_us": "100000"})
    assert "2 processors" in findings_here.quota(root, root).value
    lay({f"{cpu}quota_us": "-1"})
    assert findings_here.quota(root, root).verdict is Health.OK


@pytest.mark.parametrize(
    ("governors", "verdict"),
    [
        (["performance", "performance"], Health.OK),
        (["performance", "powersave"], Health.WARNING),
        (["schedutil"], Health.WARNING),
        ([], Health.UNKNOWN),
    ],
)
def test_processors_that_change_their_speed_are_a_warning(
    lay: Callable[..., Path], governors: list[str], verdict: Health
) -> None:
    name = "devices/system/cpu/cpu{}/cpufreq/scaling_governor"
    root = lay({name.format(number): governor for number, governor in enumerate(governors)})
    found = findings_here.governor(root)
    assert found.verdict is verdict
    assert all(governor in found.value for governor in governors)


def test_processor_times_are_read_from_the_first_line(lay: Callable[..., Path]) -> None:
    assert findings_here.processor_times(lay({"stat": "cpu  10 1 20 1000 30 4 5 6 7 8\ncpu0 1 2"})) == ProcessorTimes(
        1076, 1030, 6
    )


@pytest.mark.parametrize("text", ["", "cpu  1 2 3", "cpu  a b c d e f g h", "intr 1 2 3 4 5 6 7 8"])
def test_processor_times_in_another_format_are_unknown(lay: Callable[..., Path], text: str) -> None:
    assert findings_here.processor_times(lay({"stat": text})) is None


def test_the_share_of_others_excludes_idle_stolen_and_own_time() -> None:
    second = os.sysconf("SC_CLK_TCK")
    before, after = ProcessorTimes(0, 0, 0), ProcessorTimes(10 * second, 5 * second, second)
    assert findings_here.taken_by_others(before, after, 2.0) == pytest.approx(0.2)
    assert findings_here.taken_by_others(before, after, 9.0) == 0.0
    assert findings_here.taken_by_others(None, after, 0.0) is None
    assert findings_here.taken_by_others(after, after, 0.0) is None


@pytest.mark.parametrize(
    ("average", "number", "taken", "verdict"),
    [
        (0.3, 4, 0.02, Health.OK),
        (3.9, 4, 0.02, Health.WARNING),
        (0.3, 4, 0.4, Health.WARNING),
        (0.3, None, None, Health.OK),
        (None, 4, 0.02, Health.OK),
        (None, 4, None, Health.UNKNOWN),
    ],
)
def test_what_else_runs(average: float | None, number: int | None, taken: float | None, verdict: Health) -> None:
    assert findings_here.load(average, number, taken).verdict is verdict


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (ProcessorTimes(1000, 900, 1), Health.OK),
        (ProcessorTimes(1000, 900, 50), Health.WARNING),
        (ProcessorTimes(0, 0, 0), Health.UNKNOWN),
        (None, Health.UNKNOWN),
    ],
)
def test_time_that_the_host_takes(now: ProcessorTimes | None, verdict: Health) -> None:
    assert findings_here.steal(now).verdict is verdict


def test_lateness_is_what_a_sleep_takes_beyond_its_millisecond() -> None:
    times = iter([0, 1_000_000, 5_000_000, 6_250_000])
    slept: list[float] = []
    assert findings_here.lateness(sleeps=2, sleep=slept.append, clock=lambda: next(times)) == [0, 250_000]
    assert slept == [0.001, 0.001]


@pytest.mark.parametrize(
    ("late", "verdict"),
    [
        ([60_000, 70_000, 3_000_000], Health.OK),
        ([600_000, 700_000, 800_000], Health.WARNING),
        ([60_000, 70_000, 30_000_000], Health.WARNING),
    ],
)
def test_a_machine_that_wakes_late(late: list[int], verdict: Health) -> None:
    assert findings_here.timer(late).verdict is verdict


# Memory


def meminfo(available: int, swap: int) -> str:
    return (
        f"MemTotal: 99999999 kB\nMemAvailable:   {available // 1024} kB\n"
        f"SwapTotal:  8388608 kB\nSwapFree:  {8388608 - swap // 1024} kB\nHugePages_Total:  0"
    )


def test_memory_and_swap_are_read(lay: Callable[..., Path]) -> None:
    root = lay({"meminfo": meminfo(4000 * GIBIBYTE, 100 * MEBIBYTE)})
    free, swap = findings_here.of_memory(proc=root, sysfs=root)
    assert (free.value, free.verdict) == ("4000.0 GiB; an agent can use up to 2.0 GiB", Health.OK)
    assert (swap.value, swap.verdict) == ("100 MiB in use", Health.WARNING)


def test_the_memory_limit_of_a_control_group_counts(lay: Callable[..., Path]) -> None:
    group = "fs/cgroup/box"
    root = lay(
        {
            "meminfo": meminfo(4000 * GIBIBYTE, 0),
            "self/cgroup": "0::/box",
            f"{group}/memory.max": str(3 * GIBIBYTE),
            f"{group}/memory.current": str(2 * GIBIBYTE),
            f"{group}/memory.stat": f"anon 5\ninactive_file {GIBIBYTE // 2}\nactive_file 7",
        }
    )
    free, swap = findings_here.of_memory(proc=root, sysfs=root)
    assert free.value.startswith("1.5 GiB")
    assert free.verdict is Health.WARNING
    assert (swap.value, swap.verdict) == ("not in use", Health.OK)


def test_a_little_swap_is_ok() -> None:
    assert findings_here.swap(MEBIBYTE).verdict is Health.OK


def test_memory_is_enough_for_two_agents_a_game() -> None:
    assert findings_here.memory_free(4 * GIBIBYTE, 1).verdict is Health.OK
    assert findings_here.memory_free(4 * GIBIBYTE, 2).advice == (
        '2 games at the same time have 4 agents: lower their limit (memory = "1024M")'
    )
    assert 'a game has 2 agents: lower their limit (memory = "512M")' in findings_here.memory_free(GIBIBYTE, 1).advice


# Disk


def test_syncs_are_timed_and_leave_nothing(tmp_path: Path) -> None:
    ticks = count(0, 0.01)
    times = findings_here.sync_times(tmp_path, clock=lambda: next(ticks))
    assert times == pytest.approx([0.01] * len(times))
    assert 1 < len(times) <= 20
    assert list(tmp_path.iterdir()) == []


def test_a_very_slow_disk_is_timed_once(tmp_path: Path) -> None:
    ticks = count(0, 10)
    assert findings_here.sync_times(tmp_path, clock=lambda: next(ticks)) == [10]


def test_a_slow_disk_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings_here.writing(tmp_path).value.startswith(f"{tmp_path}: a synced 4 KiB write takes ")
    monkeypatch.setattr(findings_here, "sync_times", lambda _: [0.07, 0.08, 0.2])
    found = findings_here.writing(tmp_path)
    assert found.verdict is Health.WARNING
    assert found.value.endswith("takes 80.00 ms (median), 200.0 ms at worst")


def test_a_missing_folder_is_a_problem_and_has_no_further_findings(tmp_path: Path) -> None:
    found = findings_here.of_disk(tmp_path / "nowhere")
    assert [finding.name for finding in found] == ["database", "temporary"]
    assert found[0].verdict is Health.PROBLEM
    assert str(tmp_path / "nowhere") in found[0].value


def test_a_database_that_is_not_a_local_file_is_not_measured() -> None:
    assert one(findings_here.of_disk(None), "database").verdict is Health.UNKNOWN


def test_the_file_system_is_that_of_the_innermost_mount(tmp_path: Path) -> None:
    mounts = "\n".join(
        [
            "none / overlay rw 0 0",
            "a:/b /srv/course\\040work nfs4 rw 0 0",
            "tmpfs /srv tmpfs rw 0 0",
            "/dev/sda1 /srv/cou ext4 rw 0 0",
            "/dev/sda2 /hidden xfs rw 0 0",
            "/dev/sda3 /hidden btrfs rw 0 0",
            "broken",
        ]
    )
    for folder, kind in {
        "/srv/course work/2026": "nfs4",
        "/srv/course": "tmpfs",
        "/srv/cou": "ext4",
        "/hidden/x": "btrfs",
        "/elsewhere": "overlay",
    }.items():
        assert findings_here.mounted(Path(folder), mounts) == kind, folder
    assert findings_here.mounted(tmp_path, "") is None


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [("ext4", Health.OK), ("nfs4", Health.PROBLEM), ("9p", Health.PROBLEM), ("tmpfs", Health.WARNING)],
)
def test_where_a_database_is_safe(lay: Callable[..., Path], kind: str, verdict: Health) -> None:
    root = lay({"self/mounts": f"none / {kind} rw 0 0"})
    found = findings_here.file_system(root, root)
    assert kind in found.value
    assert found.verdict is verdict


def test_a_full_disk_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 5 * MEBIBYTE}))
    found = findings_here.free_space("free space", tmp_path)
    assert (found.value, found.verdict) == (f"5 MiB free in {tmp_path}", Health.WARNING)


def test_no_folder_for_temporary_files_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_usable() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", none_usable)
    assert findings_here.temporary().verdict is Health.PROBLEM


# System


@pytest.mark.parametrize(
    ("name", "verdict"), [("Linux", Health.OK), ("Darwin", Health.OK), ("Windows", Health.PROBLEM)]
)
def test_where_arena_runs(name: str, verdict: Health) -> None:
    found = operating_system(name, "6.1", "")
    assert (found.value, found.verdict) == (f"{name} 6.1", verdict)


def test_how_agents_search_is_said_with_what_to_do_about_it() -> None:
    assert one(of_system(), "search").value.partition(":")[0] == form.form()
    assert search("compiled", "") == Finding("system", "search", "compiled", Health.OK)
    assert search("interpreted", "not there") == Finding("system", "search", "interpreted: not there", Health.OK)
    damaged = search("interpreted", f"damaged{form.AGAIN}")
    assert (damaged.verdict, damaged.advice) == (Health.WARNING, "damaged; run `make fast` again")


def test_a_zeromq_without_ipc_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zmq.has", lambda _: False)
    assert one(of_system(), "ZeroMQ").verdict is Health.PROBLEM


def test_how_many_players_can_be_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "most_players", lambda: 4000)
    assert (open_files().value, open_files().verdict) == (
        "enough for 4,000 players at the same time",
        Health.OK,
    )
    monkeypatch.setattr(control, "most_players", lambda: 20)
    assert open_files().verdict is Health.WARNING


def test_too_few_descriptors_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_few() -> int:
        raise ArenaError("the referee needs 72 open files, the limit is 40")

    monkeypatch.setattr(control, "most_players", too_few)
    assert (open_files().value, open_files().verdict) == (
        "the referee needs 72 open files, the limit is 40",
        Health.PROBLEM,
    )


# Extras.


def test_every_extra_says_what_it_is_for_and_how_to_install_it() -> None:
    assert set(PURPOSES) == {extra.name for extra in installation.extras()}
    for name, purpose in PURPOSES.items():
        extra = Extra(name, ("one", "two"), ("two",))
        missing = of_extra(extra, "pip install two")
        assert missing.value == f"not installed: {purpose}; to install: pip install two"
        assert of_extra(Extra(name, ("one",), ()), "pip install one").value == f"installed: {purpose}"


@pytest.mark.parametrize(
    ("in_clone", "listed"),
    [(True, set(PURPOSES)), (False, {"openspiel", "pettingzoo", "postgres", "scale", "spreadsheet", "web"})],
)
def test_extras_for_those_who_change_the_code_are_listed_in_a_clone(
    monkeypatch: pytest.MonkeyPatch, in_clone: bool, listed: set[str]
) -> None:
    monkeypatch.setattr(installation, "is_clone", lambda: in_clone)
    assert {finding.name for finding in of_extras()} == listed
