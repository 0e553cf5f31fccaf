"""Engines that misbehave in UCI, in plain Python without our kit.

    over_uci.py MANNER        over_uci.py @FILE, with the manner in it

Each manner overrides one answer of `Engine`, which plays well: its queen's knight goes out and back. They run in
separate processes and are never imported.
"""

# ruff: noqa: N801 - a manner is named like a function

import os
import sys
import time


def write(line: str) -> None:
    """One line to stdout."""
    os.write(1, f"{line}\n".encode())


def flood(line: str) -> None:
    """2 MB of that line to stdout."""
    lines = f"{line}\n".encode() * 1000
    for _ in range(2_000_000 // len(lines)):
        data = lines
        while data:
            data = data[os.write(1, data) :]


class Engine:
    """A good engine. It exits with code 10 if it is asked in the wrong order."""

    options: tuple[str, ...] = (
        "option name Level type spin default 1 min 0 max 9",
        "option name Clear Hash type button",
    )

    def __init__(self) -> None:
        self.new_game = False
        self.moves = 0

    def run(self) -> None:
        for line in sys.stdin:
            print(line, end="", file=sys.stderr, flush=True)
            command = line.split()[0]
            if command == "quit":
                return
            getattr(self, command, lambda _: sys.exit(10))(line.split())

    def uci(self, words: list[str]) -> None:
        write("id name Fake 1")
        for option in self.options:
            write(option)
        write("uciok")

    def setoption(self, words: list[str]) -> None:
        if words != ["setoption", "name", "Level", "value", "5"]:
            sys.exit(10)

    def ucinewgame(self, words: list[str]) -> None:
        self.new_game = True
        self.moves = 0

    def isready(self, words: list[str]) -> None:
        write("readyok")

    def position(self, words: list[str]) -> None:
        if not self.new_game or words[:2] != ["position", "startpos"] or len(words) - 3 not in (-1, 2 * self.moves):
            sys.exit(10)

    def go(self, words: list[str]) -> None:
        move = ("b1c3", "c3b1")[self.moves % 2]
        self.moves += 1
        write("info depth 3 seldepth 5 multipv 1 score cp 35 nodes 4711 nps 1000 time 5 pv b1c3 g8f6")
        write("info depth 4 currmove b1c3 currmovenumber 1")
        write(f"bestmove {move} ponder g8f6")

    def stop(self, words: list[str]) -> None:
        pass


plays_well = Engine


class writes_what_is_not_uci(Engine):
    def uci(self, words: list[str]) -> None:
        write("Fake 1, by nobody")
        write("")
        os.write(1, b"\xff\xfe is not UTF-8\r\n")
        super().uci(words)
        write("uciok")

    def go(self, words: list[str]) -> None:
        write('{"type":"resign"}')
        write("thinking")
        write("info string it thinks")
        write("info depth x score cp nodes -5 pv")
        super().go(words)


class writes_2_mb_of_infos_in_its_turn(Engine):
    def go(self, words: list[str]) -> None:
        flood("info depth 1 score cp 10 nodes 20 pv e2e4")
        flood("info string " + "x" * 100)
        super().go(words)


class answers_before_the_game(Engine):
    def isready(self, words: list[str]) -> None:
        write("bestmove e2e4")
        super().isready(words)
        write("readyok")


class exits_at_its_second_game(Engine):
    def ucinewgame(self, words: list[str]) -> None:
        if self.new_game:
            sys.exit(0)
        super().ucinewgame(words)


class never_says_uciok(Engine):
    def uci(self, words: list[str]) -> None:
        pass


class never_says_readyok(Engine):
    def isready(self, words: list[str]) -> None:
        pass


class crashes_in_the_handshake(Engine):
    def uci(self, words: list[str]) -> None:
        sys.exit(3)


class has_no_options(Engine):
    options = ()


class has_an_option_with_a_smaller_range(Engine):
    options = ("option name Level type spin default 1 min 0 max 3",)


class writes_2_mb_in_the_handshake(Engine):
    def uci(self, words: list[str]) -> None:
        flood("loading")


class answers_a_hundred_times_too_often(Engine):
    def uci(self, words: list[str]) -> None:
        for _ in range(101):
            write("bestmove e2e4")
        super().uci(words)


class moves_off_the_board(Engine):
    def go(self, words: list[str]) -> None:
        write("bestmove e9e4")


class has_no_best_move(Engine):
    def go(self, words: list[str]) -> None:
        write("bestmove (none)")


class moves_illegally(Engine):
    def go(self, words: list[str]) -> None:
        write("bestmove e2e5")


class hangs(Engine):
    def go(self, words: list[str]) -> None:
        time.sleep(1000)


class searches_for_ever(Engine):
    def go(self, words: list[str]) -> None:
        while True:
            flood("info depth 1 score cp 10 nodes 20 pv e2e4")


class crashes_in_its_turn(Engine):
    def go(self, words: list[str]) -> None:
        sys.exit(4)


class exits_after_its_move(Engine):
    def go(self, words: list[str]) -> None:
        super().go(words)
        sys.exit(0)


manner = sys.argv[1]
if manner.startswith("@"):
    with open(manner[1:]) as file:
        manner = file.read()
globals()[manner]().run()
