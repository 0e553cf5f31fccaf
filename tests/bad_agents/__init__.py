"""Agents that misbehave, as real processes, and the expected result of each: the verdict, and which seat is at fault.

The programs are `over_stdio.py` (behind a warden) and `over_zeromq.py` (players without one). Each plays tic-tac-toe in
seat 0 against a good opponent. The referee must end the game with the verdict named here, and disturb no other game.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from agents.protocol import Verdict

Transport = Literal["stdio", "zeromq"]


@dataclass(frozen=True, slots=True)
class BadAgent:
    """One way of misbehaving."""

    manner: str
    transport: Transport
    verdict: Verdict
    words: str = ""
    """A part of the verdict's detail."""
    at_fault: bool = True
    clock: str = "10"
    patience: float = 10.0
    """Time limits to connect and to be ready, in seconds."""

    @property
    def command(self) -> tuple[str, ...]:
        """The command that starts its process."""
        program = str(Path(__file__).with_name(f"over_{self.transport}.py"))
        bare = ("-I", "-S") if self.transport == "stdio" else ()
        return (sys.executable, *bare, program, self.manner)

    def __str__(self) -> str:
        return self.manner


def _stdio(manner: str, verdict: Verdict, words: str = "", **others: str | float) -> BadAgent:
    return BadAgent(manner, "stdio", verdict, words, **others)  # type: ignore[arg-type]


def _fine(manner: str, **others: str | float) -> BadAgent:
    return BadAgent(manner, "stdio", Verdict.NORMAL, at_fault=False, **others)  # type: ignore[arg-type]


def _zeromq(manner: str, verdict: Verdict, words: str = "", **others: str | float) -> BadAgent:
    return BadAgent(manner, "zeromq", verdict, words, **others)  # type: ignore[arg-type]


OVER_STDIO: Final = (
    _fine("plays_well"),
    _fine("says_hello_and_plays_well"),
    _fine("floods_stderr"),
    _fine("writes_bytes_that_are_no_text_to_stderr"),
    _fine("answers_once_too_often"),
    _fine("leaves_blank_lines"),
    _fine("tells_what_only_hosts_may_tell"),
    _fine("moves_out_of_turn"),
    _fine("resigns_out_of_turn"),
    _stdio("wants_nothing", Verdict.CRASHED, "exited with code 10"),
    _stdio("never_says_ready", Verdict.UNREADY, "did not say ready", patience=0.3),
    _stdio("never_says_a_word", Verdict.UNREADY, "did not say ready", patience=0.3),
    _stdio("reads_nothing", Verdict.UNREADY, "did not say ready", patience=0.3),
    _stdio("says_ready_for_another_game", Verdict.UNREADY, "did not say ready", patience=0.3),
    _stdio("says_hello_twice", Verdict.GARBAGE, "said hello twice"),
    _stdio("says_hello_late", Verdict.GARBAGE, "hello after other messages"),
    _stdio("speaks_protocol_2", Verdict.GARBAGE, "protocol 2"),
    _stdio("crashes_at_the_start", Verdict.CRASHED, "exited with code 1: RuntimeError: no brain"),
    _stdio("says_bye_at_once", Verdict.CRASHED, "said bye"),
    _stdio("crashes_in_mid_game", Verdict.CRASHED, "exited with code 3: about to fall over"),
    _stdio("crashes_right_after_its_move", Verdict.CRASHED, "exited with code 4"),
    _stdio("leaves_children_that_hold_its_stdout", Verdict.CRASHED, "exited with code 5"),
    _stdio("exits_quietly", Verdict.CRASHED, "exited with code 0"),
    _stdio("kills_itself", Verdict.CRASHED, "was killed by SIGKILL"),
    _stdio("closes_its_stdout", Verdict.CRASHED, "closed its stdout but is still running"),
    _stdio("runs_out_of_memory", Verdict.MEMORY, "MemoryError"),
    _stdio("hangs", Verdict.TIME, clock="0.1"),
    _stdio("closes_its_stdin", Verdict.TIME, clock="0.1"),
    _stdio("stops_itself", Verdict.TIME, clock="0.1"),
    _stdio("answers_late", Verdict.TIME, clock="0.1"),
    _stdio("dribbles", Verdict.TIME, clock="0.1"),
    _stdio("answers_an_earlier_turn", Verdict.TIME, clock="0.2"),
    _stdio("answers_before_the_questions", Verdict.TIME, clock="0.1"),
    _stdio("ignores_sigterm_and_leaves_children", Verdict.GARBAGE, "that is all"),
    _stdio("moves_illegally", Verdict.ILLEGAL, "no such move"),
    _stdio("resigns", Verdict.RESIGNED, "resigned at ply 1"),
    _stdio("writes_a_line_of_10_mb", Verdict.FLOODED, "a line of more than 65536 bytes"),
    _stdio("writes_2_mb_of_blank_lines", Verdict.FLOODED, "1048576 bytes that nobody asked for"),
    _stdio("sends_thousands_of_messages", Verdict.FLOODED, "more than 100 messages"),
    _stdio("writes_garbage", Verdict.GARBAGE, "expected a JSON object"),
    _stdio("writes_garbage_off_turn", Verdict.GARBAGE, "expected a JSON object"),
    _stdio("writes_half_a_line_first", Verdict.GARBAGE, "expected a JSON object"),
    _stdio("nests_deeply", Verdict.GARBAGE, "expected a JSON object"),
    _stdio("sends_a_message_of_no_known_type", Verdict.GARBAGE, "cheat"),
    _stdio("sends_a_move_of_the_wrong_shape", Verdict.GARBAGE, "move"),
    _stdio("says_that_its_opponent_failed", Verdict.GARBAGE, "failed"),
    _stdio("sends_a_report", Verdict.GARBAGE, "report"),
)
"""Their opponent answers immediately; if `at_fault`, `fault` is seat 0."""

OVER_ZEROMQ: Final = (
    _zeromq("never_says_hello", Verdict.UNREADY, "did not connect", patience=0.5),
    _zeromq("shows_a_wrong_token", Verdict.UNREADY, "did not connect", patience=0.5),
    _zeromq("shows_anothers_token", Verdict.UNREADY, "did not connect", patience=0.5),
    _zeromq("never_says_ready", Verdict.UNREADY, "did not say ready", patience=0.5),
    _zeromq("says_hello_twice", Verdict.GARBAGE, "hello"),
    _zeromq("sends_garbage", Verdict.GARBAGE, "msgpack"),
    _zeromq("sends_json", Verdict.GARBAGE, "msgpack"),
    _zeromq("sends_many_frames", Verdict.GARBAGE, "one frame"),
    _zeromq("says_that_it_failed", Verdict.GARBAGE, "failed"),
    _zeromq("sends_thousands_of_messages", Verdict.FLOODED, "more than 100 messages"),
    _zeromq("sends_a_message_of_10_mb", Verdict.CRASHED),
    _zeromq("says_bye", Verdict.CRASHED, "bye"),
    _zeromq("hangs", Verdict.TIME, clock="0.1"),
    BadAgent("moves_out_of_turn", "zeromq", Verdict.NORMAL, at_fault=False),
)
"""They get address and token on stdin, like players of a crew; `shows_anothers_token` also gets `other`, a token in
use. `patience` must be longer than such a player takes to start."""
