"""Engines that misbehave, as real processes, and the expected result of each: the verdict, and which seat is at fault.

The programs are `over_uci.py`, which plays chess, and `over_gtp.py`, which plays Go. Each has seat 0 behind a warden,
against a good opponent, and repeats every command that it reads on stderr. Games end after `PLIES` plies.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.protocol import Verdict

PLIES: Final = 6


def command(protocol: str, manner: str) -> tuple[str, ...]:
    """The command that starts an engine of that manner."""
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name(f"over_{protocol}.py")), manner)


def settings(protocol: str) -> dict[str, Any]:
    """The settings of such an engine for its warden, as JSON."""
    return {"protocol": protocol, "options": {"level": "5"}}


@dataclass(frozen=True, slots=True)
class BadEngine:
    """One way of misbehaving."""

    manner: str
    protocol: str
    verdict: Verdict
    words: str = ""
    """A part of the verdict's detail."""
    clock: str = "10"
    patience: float = 10.0
    """Time limits to start and to be ready, in seconds."""

    @property
    def command(self) -> tuple[str, ...]:
        """The command that starts its process."""
        return command(self.protocol, self.manner)

    @property
    def rules(self) -> str:
        """The game that it plays."""
        return "chess" if self.protocol == "uci" else "go:size=5"

    @property
    def at_fault(self) -> bool:
        """Whether it loses by its own fault."""
        return self.verdict not in (Verdict.NORMAL, Verdict.ADJUDICATED)

    def __str__(self) -> str:
        return f"{self.protocol}-{self.manner}"


def _uci(manner: str, verdict: Verdict, words: str = "", **others: Any) -> BadEngine:
    return BadEngine(manner, "uci", verdict, words, **others)


def _gtp(manner: str, verdict: Verdict, words: str = "", **others: Any) -> BadEngine:
    return BadEngine(manner, "gtp", verdict, words, **others)


BAD_ENGINES: Final = (
    _uci("plays_well", Verdict.ADJUDICATED),
    _uci("writes_what_is_not_uci", Verdict.ADJUDICATED),
    # Behind `limits`, where these engines run, all time is charged: also the time in which its warden has no processor.
    _uci("writes_2_mb_of_infos_in_its_turn", Verdict.ADJUDICATED, clock="600"),
    _uci("answers_before_the_game", Verdict.ADJUDICATED),
    _uci("exits_at_its_second_game", Verdict.ADJUDICATED),
    _uci("never_says_uciok", Verdict.UNREADY, "did not say ready", patience=0.3),
    _uci("never_says_readyok", Verdict.UNREADY, "did not say ready", patience=0.3),
    _uci("crashes_in_the_handshake", Verdict.CRASHED, "exited with code 3"),
    _uci("has_no_options", Verdict.UNREADY, "no option 'level'"),
    _uci("has_an_option_with_a_smaller_range", Verdict.UNREADY, "expected an integer from 0 to 3, got '5'"),
    _uci("writes_2_mb_in_the_handshake", Verdict.FLOODED, "1048576 bytes that nobody asked for"),
    _uci("answers_a_hundred_times_too_often", Verdict.FLOODED, "more than 100 messages"),
    _uci("moves_off_the_board", Verdict.GARBAGE, "'bestmove e9e4'"),
    _uci("has_no_best_move", Verdict.GARBAGE, "'bestmove (none)'"),
    _uci("moves_illegally", Verdict.ILLEGAL, "e2e5"),
    _uci("hangs", Verdict.TIME, clock="0.1"),
    _uci("searches_for_ever", Verdict.TIME, clock="0.1"),
    _uci("crashes_in_its_turn", Verdict.CRASHED, "exited with code 4"),
    _uci("exits_after_its_move", Verdict.CRASHED, "exited with code 0"),
    _gtp("plays_well", Verdict.NORMAL),
    _gtp("writes_what_is_not_gtp", Verdict.NORMAL),
    _gtp("knows_no_clock", Verdict.NORMAL),
    _gtp("never_answers", Verdict.UNREADY, "did not say ready", patience=0.3),
    _gtp("never_clears_the_board", Verdict.UNREADY, "did not say ready", patience=0.3),
    _gtp("does_not_know_its_protocol", Verdict.UNREADY, "'protocol_version' with an error"),
    _gtp("has_no_level", Verdict.UNREADY, "'level 5' with an error: 'unknown command'"),
    _gtp("refuses_the_size", Verdict.UNREADY, "'boardsize 5' with an error"),
    _gtp("refuses_its_opponents_moves", Verdict.GARBAGE, "'play w pass' with an error: 'illegal move'"),
    _gtp("refuses_to_move", Verdict.GARBAGE, "'genmove b' with an error"),
    _gtp("moves_to_a_column_that_go_does_not_have", Verdict.GARBAGE, "'I5'"),
    _gtp("moves_twice_to_one_point", Verdict.ILLEGAL, "d4"),
    _gtp("resigns", Verdict.RESIGNED, "resigned"),
    _gtp("hangs", Verdict.TIME, clock="0.1"),
    _gtp("crashes_in_its_turn", Verdict.CRASHED, "exited with code 4"),
)
