"""Attackers over stdin and stdout, in plain Python without the kit: each is named after its attack.

Each attack is one function below; otherwise they play the first legal move.
"""

import json
import os
import resource
import sys
import time
from typing import Any, NoReturn


def write(text: str | bytes) -> None:
    """Writes raw bytes to stdout and flushes."""
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data) :]


def say(**message: Any) -> None:
    """Sends one message."""
    write(json.dumps(message) + "\n")


def hear() -> dict[str, Any]:
    """The next message; the process exits when stdin ends."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def answer(turn: dict[str, Any]) -> None:
    """The first legal move."""
    say(type="move", game=turn["game"], id=turn["id"], move=turn["legal"][0])


def sleep() -> NoReturn:
    """Sleeps for longer than any game."""
    while True:
        time.sleep(1000)


def main() -> None:
    """Plays; the attack comes in the first turn, before the answer."""
    attack = ""
    while True:
        message = hear()
        if message["type"] == "start":
            attack = message["seats"][message["seat"]]
            say(type="ready", game=message["game"])
        elif message["type"] == "turn":
            if attack:
                ATTACKS[attack](message)
                attack = ""
            answer(message)
        elif message["type"] == "bye":
            sys.exit(0)


def flood_stdout(turn: dict[str, Any]) -> None:
    while True:
        write(b"\n" * 65536)


def flood_stderr(turn: dict[str, Any]) -> None:
    """Writes 10 MiB, then plays on."""
    for _ in range(160):
        os.write(2, b"x" * 65535 + b"\n")


def write_a_line_without_end(turn: dict[str, Any]) -> None:
    while True:
        write(b"x" * 65536)


def dribble(turn: dict[str, Any]) -> None:
    """Writes a byte now and then, which must not move the deadline."""
    for letter in '{"type": "move", "game": ' + "1" * 10_000:
        write(letter)
        time.sleep(0.05)


def send_thousands_of_messages(turn: dict[str, Any]) -> None:
    for _ in range(5000):
        say(type="move", game=turn["game"], id="ffffffff", move="a1")


def write_nul_bytes(turn: dict[str, Any]) -> None:
    write(b"\0" * 100 + b"\n")
    sleep()


def write_binary(turn: dict[str, Any]) -> None:
    write(bytes(range(256)) * 4 + b"\n")
    sleep()


def write_nul_bytes_to_stderr(turn: dict[str, Any]) -> None:
    os.write(2, b"\0\xff\xfe" * 10_000)


def close_stdin(turn: dict[str, Any]) -> None:
    os.close(0)
    sleep()


def close_stdout(turn: dict[str, Any]) -> None:
    os.close(1)
    sleep()


def close_stderr(turn: dict[str, Any]) -> None:
    os.close(2)


def exit_after_its_move(turn: dict[str, Any]) -> None:
    answer(turn)
    os._exit(4)


def forge_a_failure(turn: dict[str, Any]) -> None:
    say(type="failed", game=turn["game"], verdict="void", detail="the server is at fault")
    sleep()


def forge_its_figures(turn: dict[str, Any]) -> None:
    """Claims that it has used no time, and waited for a processor."""
    told = {"spent": 0, "cpu": 0, "delay": 10**12, "log": 0, "info": {"text": "\x1b[2J"}}
    time.sleep(0.2)
    say(type="move", game=turn["game"], id=turn["id"], move=turn["legal"][0], **told)
    main()


def raise_its_limits(turn: dict[str, Any]) -> None:
    for name in ("RLIMIT_DATA", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CPU", "RLIMIT_CORE"):
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY:
            continue
        try:
            resource.setrlimit(kind, (hard + 1, hard + 1))
        except (OSError, ValueError) as error:
            print(f"refused: raise {name}: {error}", file=sys.stderr)
        else:
            print(f"SUCCEEDED: raise {name}", file=sys.stderr)


ATTACKS = {name: value for name, value in list(globals().items()) if callable(value)}

if __name__ == "__main__":
    main()
