"""Engines that misbehave in GTP, in plain Python without our kit.

    over_gtp.py MANNER        over_gtp.py @FILE, with the manner in it

Each manner overrides one answer of `Engine`, which plays D4 and then passes. They run in separate processes and are
never imported.
"""

# ruff: noqa: N801 - a manner is named like a function

import os
import sys
import time

UNKNOWN = "? unknown command"


def write(text: str) -> None:
    """Text to stdout."""
    os.write(1, text.encode())


class Engine:
    """A good engine. It exits with code 10 if it is asked in the wrong order."""

    def __init__(self) -> None:
        self.cleared = False
        self.moves = 0

    def run(self) -> None:
        for line in sys.stdin:
            print(line, end="", file=sys.stderr, flush=True)
            command = line.split()[0]
            if command == "quit":
                write("=\n\n")
                return
            write(f"{getattr(self, command, lambda _: UNKNOWN)(line.split())}\n\n")

    def protocol_version(self, words: list[str]) -> str:
        return "= 2"

    def level(self, words: list[str]) -> str:
        return "=" if words[1:] == ["5"] else "? syntax error"

    def boardsize(self, words: list[str]) -> str:
        return "=" if words[1:] == ["5"] else "? unacceptable size"

    def clear_board(self, words: list[str]) -> str:
        self.cleared = True
        self.moves = 0
        return "="

    def komi(self, words: list[str]) -> str:
        return "=" if words[1:] == ["7.5"] else "? syntax error"

    def time_settings(self, words: list[str]) -> str:
        return "="

    def time_left(self, words: list[str]) -> str:
        return "="

    def play(self, words: list[str]) -> str:
        return "="

    def genmove(self, words: list[str]) -> str:
        if not self.cleared or words[1:] != ["b"]:
            sys.exit(10)
        self.moves += 1
        return "= D4" if self.moves == 1 else "= PASS"


plays_well = Engine


class writes_what_is_not_gtp(Engine):
    def genmove(self, words: list[str]) -> str:
        write("# thinking\n\nstill thinking\n\n")
        os.write(1, b"\xff\n")
        return super().genmove(words)


class knows_no_clock(Engine):
    def time_settings(self, words: list[str]) -> str:
        return UNKNOWN

    def time_left(self, words: list[str]) -> str:
        return UNKNOWN


class never_answers(Engine):
    def run(self) -> None:
        time.sleep(1000)


class never_clears_the_board(Engine):
    def clear_board(self, words: list[str]) -> str:
        time.sleep(1000)
        return ""


class does_not_know_its_protocol(Engine):
    def protocol_version(self, words: list[str]) -> str:
        return UNKNOWN


class has_no_level(Engine):
    def level(self, words: list[str]) -> str:
        return UNKNOWN


class refuses_the_size(Engine):
    def boardsize(self, words: list[str]) -> str:
        return "? unacceptable size"


class refuses_its_opponents_moves(Engine):
    def play(self, words: list[str]) -> str:
        return "? illegal move"


class refuses_to_move(Engine):
    def genmove(self, words: list[str]) -> str:
        return "? not now"


class moves_to_a_column_that_go_does_not_have(Engine):
    def genmove(self, words: list[str]) -> str:
        return "= I5"


class moves_twice_to_one_point(Engine):
    def genmove(self, words: list[str]) -> str:
        return "= D4"


class resigns(Engine):
    def genmove(self, words: list[str]) -> str:
        return "= resign"


class hangs(Engine):
    def genmove(self, words: list[str]) -> str:
        time.sleep(1000)
        return ""


class crashes_in_its_turn(Engine):
    def genmove(self, words: list[str]) -> str:
        sys.exit(4)


manner = sys.argv[1]
if manner.startswith("@"):
    with open(manner[1:]) as file:
        manner = file.read()
globals()[manner]().run()
