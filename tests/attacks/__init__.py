"""Attacking agents, and the expected result of each: a verdict, and no damage to others.

Their programs are in `attackers/`. Each plays tic-tac-toe in seat 0 against a good opponent. An attacker writes
"SUCCEEDED: ..." to its log for everything that it got; in a sandbox or container no attacker must write that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from agents.protocol import Verdict
from arena.match.allowance import WallKind

Way = Literal["kit", "homework", "bare", "compiled"]
"""An agent of the kit, one with a list of allowed modules, or a program that speaks the protocol itself: in Python, or
compiled from C, where there is a compiler."""

_NORMAL: Final = frozenset({Verdict.NORMAL})
_FULL: Final = frozenset({Verdict.NORMAL, Verdict.FLOODED})
"""A full file system refuses more, unless the warden sees the files first."""
_TOO_MANY: Final = (Verdict.CRASHED, Verdict.MEMORY, Verdict.NORMAL)
"""If the kernel counts processes it refuses the next one; else the warden counts them, or sees their memory first."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One attacker."""

    name: str
    verdicts: frozenset[Verdict] = _NORMAL
    """The possible verdicts: more than one if the verdict depends on the machine, or on timing."""
    way: Way = "kit"
    words: str = ""
    """A part of the verdict's detail, unless the verdict is normal."""
    clock: str = "30"
    margin: float = 0.05
    """The margin of the clock, in seconds."""
    small: bool = False
    """Whether its memory limit is small, so that it is reached soon."""
    opponent_thinks: bool = False
    """Whether the opponent thinks about each move; the game is then cut short."""
    by_kind: Mapping[WallKind, frozenset[Verdict]] = field(default_factory=dict)
    """Other verdicts for some kinds of walls."""

    def may_end_in(self, kind: WallKind) -> frozenset[Verdict]:
        """The verdicts behind walls of that kind."""
        return self.by_kind.get(kind, self.verdicts)

    def __str__(self) -> str:
        return self.name


def _ends(name: str, *verdicts: Verdict, words: str = "", **others: Any) -> Attack:
    return Attack(name, frozenset(verdicts), words=words, **others)


def _bare(name: str, *verdicts: Verdict, words: str = "", **others: Any) -> Attack:
    return _ends(name, *(verdicts or _NORMAL), words=words, way="bare", **others)


def _starts_processes(name: str, *verdicts: Verdict, **others: Any) -> Attack:
    """An attack by processes. A sandbox lets an agent start none, so its game ends normally there."""
    return _ends(name, *verdicts, by_kind={WallKind.SANDBOX: _NORMAL}, **others)


def _computes_off_turn(name: str, *verdicts: Verdict, **others: Any) -> Attack:
    """An attack in C on the opponent's time. It plays on; outside a sandbox it may end in these `verdicts`,
    too, and behind limits be found out."""
    all_verdicts = (Verdict.ADJUDICATED, *verdicts)
    by_kind = {
        WallKind.SANDBOX: frozenset({Verdict.ADJUDICATED}),
        WallKind.LIMITS: frozenset({Verdict.CRASHED, *all_verdicts}),
    }
    return _ends(name, *all_verdicts, way="compiled", opponent_thinks=True, by_kind=by_kind, **others)


def _shares_memory(name: str, **others: Any) -> Attack:
    """An attack by shared memory. The filter of a sandbox or container refuses memory that is not counted."""
    refused = {WallKind.SANDBOX: _NORMAL, WallKind.CONTAINER: _NORMAL}
    return _ends(name, Verdict.MEMORY, Verdict.NORMAL, small=True, by_kind=refused, **others)


ATTACKS: Final = (
    # Time.
    _ends("spin_off_turn", Verdict.ADJUDICATED, opponent_thinks=True),
    _ends("spin_off_turn_in_a_child", Verdict.ADJUDICATED, opponent_thinks=True),
    _ends("wake_by_a_timer", Verdict.ADJUDICATED, opponent_thinks=True),
    _computes_off_turn("compute_off_turn"),
    _computes_off_turn("resume_itself"),
    _computes_off_turn("resume_itself_with_many_threads"),
    _computes_off_turn("resume_itself_by_timers"),
    _computes_off_turn("resume_each_other"),
    _computes_off_turn("start_children_that_end"),
    # It waits for one child after the other, and no signal stops it meanwhile: its own time runs. If at each look a
    # child is just beginning or ending, whose open files nobody may count, it has crashed.
    _computes_off_turn("start_children_in_its_memory", Verdict.TIME, Verdict.CRASHED, clock="3"),
    _computes_off_turn("start_threads_without_end"),
    _computes_off_turn("replace_itself"),
    # The margin is so large that a busy machine cannot be the reason: it would have to take nine tenths of the turn.
    _ends("buy_a_void_with_threads", Verdict.TIME, clock="0.1", margin=0.9),
    _ends("buy_a_void_at_the_back_of_the_queue", Verdict.TIME, clock="0.1", margin=0.9),
    _bare("dribble", Verdict.TIME, clock="0.2", margin=0.6),
    _bare("close_stdin", Verdict.TIME, clock="0.2", margin=0.6),
    # Resources.
    Attack("plays_well"),
    _ends("allocate_4_gb", Verdict.MEMORY, words="MemoryError"),
    _ends("touch_memory_bit_by_bit", Verdict.MEMORY, small=True),
    _shares_memory("share_memory", words="used more than the 256 MiB"),
    _shares_memory("take_memory_in_small_bites", words="used more than the 256 MiB"),
    Attack("hide_memory_in_files_of_memory", small=True),
    _starts_processes("take_memory_in_children", Verdict.MEMORY, words="used more than the 256 MiB", small=True),
    _ends("start_1000_threads", Verdict.CRASHED),
    _ends("start_threads_in_small_bites", Verdict.CRASHED, Verdict.NORMAL),
    _ends("overflow_the_stack", Verdict.CRASHED),
    _ends(
        "fill_own_folder",
        Verdict.FLOODED,
        words="MiB into its folder",
        by_kind={WallKind.SANDBOX: _NORMAL, WallKind.CONTAINER: _FULL},
    ),
    Attack("fill_tmp", by_kind={WallKind.CONTAINER: _FULL}),
    Attack("fill_shm", by_kind={WallKind.CONTAINER: _FULL}),
    Attack("fill_everything_else", by_kind={WallKind.CONTAINER: _FULL}),
    Attack("open_10000_files"),
    # Kernel memory.
    _starts_processes("hold_memory_in_sockets", *_TOO_MANY, small=True),
    _starts_processes("hold_memory_in_pipes", *_TOO_MANY, small=True),
    _ends(
        "hold_closed_files",
        Verdict.MEMORY,
        Verdict.CRASHED,
        small=True,
        by_kind={WallKind.LIMITS: frozenset({Verdict.NORMAL, Verdict.MEMORY})},
    ),
    Attack("hide_its_folder"),
    Attack("enlarge_a_socket"),
    Attack("send_open_files"),
    Attack("have_a_table_of_files_for_each_thread"),
    Attack("map_without_end"),
    _ends(
        "take_the_disk_past_the_end",
        Verdict.FLOODED,
        Verdict.NORMAL,
        words="MiB into its folder",
        small=True,
        by_kind={WallKind.SANDBOX: _NORMAL, WallKind.CONTAINER: _NORMAL},
    ),
    Attack("take_all_terminals"),
    Attack("become_the_first_process"),
    # Processes.
    _starts_processes("fork_bomb", *_TOO_MANY),
    _starts_processes("fork_bomb_in_sessions", *_TOO_MANY),
    _starts_processes("leave_100_children", *_TOO_MANY),
    Attack("leave_children"),
    Attack("leave_daemon"),
    Attack("ignore_all_signals"),
    Attack("outlive_the_warden"),
    Attack("start_processes_by_raw_calls"),
    # Other processes.
    Attack("signal_others"),
    Attack("stop_others"),
    Attack("signal_others_by_other_means"),
    Attack("trace_others"),
    Attack("limit_others"),
    Attack("slow_others"),
    Attack("read_environment_of_others"),
    Attack("read_memory_of_others"),
    Attack("change_affinity"),
    Attack("change_priority"),
    Attack("change_scheduler"),
    # Files.
    Attack("read_secrets"),
    Attack("read_shadow"),
    Attack("read_through_links"),
    Attack("read_the_run_folder"),
    Attack("write_outside_its_folder"),
    Attack("write_into_its_folder"),
    Attack("change_its_source"),
    Attack("truncate_on_reading", way="homework"),
    Attack("connect_to_the_referee"),
    Attack("unlink_the_sockets"),
    # Messages to others.
    Attack("call_out_over_tcp"),
    Attack("call_out_over_udp"),
    Attack("call_out_over_unix_sockets"),
    Attack("leave_a_key"),
    Attack("share_memory_of_system_v"),
    Attack("open_a_posix_queue"),
    Attack("lock_what_others_read"),
    Attack("watch_what_others_do"),
    Attack("listen_to_the_machine"),
    # The kernel.
    Attack("use_odd_calls"),
    Attack("become_somebody_else"),
    Attack("leave_the_namespaces"),
    _ends("speak_for_another_processor", Verdict.CRASHED, Verdict.NORMAL),
    Attack("write_into_the_kernel"),
    # Homework.
    Attack("import_what_is_forbidden", way="homework"),
    # What it says.
    Attack("speak_in_escapes"),
    Attack("forge_the_protocol"),
    _ends("break_the_protocol", Verdict.GARBAGE, words="report"),
    _bare("flood_stdout", Verdict.FLOODED, words="bytes that nobody asked for"),
    _bare("flood_stderr"),
    _bare("write_a_line_without_end", Verdict.FLOODED, words="a line of more than 65536 bytes"),
    _bare("send_thousands_of_messages", Verdict.FLOODED, words="more than 100 messages"),
    _bare("write_nul_bytes", Verdict.GARBAGE, words="expected a JSON object"),
    _bare("write_binary", Verdict.GARBAGE, words="expected a JSON object"),
    _bare("write_nul_bytes_to_stderr"),
    _bare(
        "close_stdout",
        Verdict.CRASHED,
        words="closed its stdout but is still running",
        clock="0.2",
        margin=0.6,
        # The container's own processes keep it open.
        by_kind={WallKind.CONTAINER: frozenset({Verdict.TIME})},
    ),
    _bare("close_stderr"),
    _bare("exit_after_its_move", Verdict.CRASHED, words="exited with code 4"),
    _bare("forge_a_failure", Verdict.GARBAGE, words="failed"),
    _bare("forge_its_figures"),
    _bare("raise_its_limits"),
)

ORDINARY: Final = Attack("good")
"""No attacker: the opponent against itself."""

NOT_STOPPED_BY_LIMITS: Final = frozenset(
    {
        *("hide_memory_in_files_of_memory", "fork_bomb_in_sessions", "outlive_the_warden"),
        *("hold_memory_in_sockets", "hold_memory_in_pipes", "enlarge_a_socket", "send_open_files"),
        *("hold_closed_files", "wake_by_a_timer"),
        *("have_a_table_of_files_for_each_thread", "take_the_disk_past_the_end", "take_all_terminals"),
        *("fill_tmp", "fill_shm", "fill_everything_else"),
        *("signal_others", "stop_others", "signal_others_by_other_means", "trace_others", "limit_others"),
        *("read_environment_of_others", "read_memory_of_others"),
        *("read_secrets", "read_shadow", "read_through_links", "read_the_run_folder"),
        *("write_outside_its_folder", "change_its_source", "truncate_on_reading"),
        *("connect_to_the_referee", "unlink_the_sockets"),
        *("call_out_over_tcp", "call_out_over_udp", "call_out_over_unix_sockets", "leave_a_key"),
        *("share_memory_of_system_v", "open_a_posix_queue", "lock_what_others_read", "watch_what_others_do"),
        *("listen_to_the_machine", "use_odd_calls", "become_somebody_else", "leave_the_namespaces"),
        *("write_into_the_kernel", "import_what_is_forbidden", "speak_for_another_processor"),
    }
)
"""Attacks that succeed behind `limits`: `docs/developers/security.md` lists them."""
STOPPED_BY_SOME_SYSTEMS: Final = frozenset(
    {
        *("fork_bomb_in_sessions", "trace_others", "read_memory_of_others"),
        *("leave_a_key", "open_a_posix_queue", "use_odd_calls", "leave_the_namespaces", "write_into_the_kernel"),
        *("hold_memory_in_sockets", "hold_memory_in_pipes", "take_the_disk_past_the_end", "take_all_terminals"),
        *("speak_for_another_processor", "have_a_table_of_files_for_each_thread"),
    }
)
"""The attacks among these that some systems refuse by their own rules, or refuse a user that was root."""
