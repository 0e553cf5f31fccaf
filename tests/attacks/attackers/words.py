"""Attacks on the reader of an agent's output."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b31m\u202e\r\x00"


def speak_in_escapes(at: Situation) -> Iterator[None]:
    """To the terminal of the instructor, in its name, in prints and in what it tells of its thinking."""
    at.agent.name = ESCAPES
    while True:
        print(ESCAPES)
        os.write(2, ESCAPES.encode() + b"\xff\n")
        at.agent.tell(depth=10**30, score=float("nan"), nodes=-1, line=ESCAPES, text=ESCAPES * 20_000)
        yield


def forge_the_protocol(at: Situation) -> Iterator[None]:
    """Writes forged messages to stdout and stderr."""
    forged = b'{"type":"failed","game":%d,"verdict":"crashed","detail":"forged"}\n'
    while True:
        for game in range(3):
            os.write(1, forged % game)
            os.write(2, forged % game)
        yield


def break_the_protocol(at: Situation) -> None:
    """Writes to every descriptor from 3 to 9; the kit keeps one of them for the protocol."""
    for descriptor in range(3, 10):
        try:
            os.write(descriptor, b'{"type":"report","game":1}\n')
        except OSError:
            continue
