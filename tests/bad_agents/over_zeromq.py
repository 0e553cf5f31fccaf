"""Players that misbehave over ZeroMQ, without our kit: `over_zeromq.py MANNER`.

Like players of a crew they get address and token as one JSON object on stdin, and exit when stdin ends. Each manner is
one function below; `tests/bad_agents/__init__.py` has the expected results. They run in separate processes and are
never imported.
"""

import json
import os
import sys
import threading
from typing import Any

import msgpack
import zmq

GIVEN = json.loads(sys.stdin.readline())


def new_socket() -> zmq.Socket[bytes]:
    """A DEALER socket, connected to the referee."""
    socket = CONTEXT.socket(zmq.DEALER)
    socket.set(zmq.LINGER, 0)
    socket.connect(GIVEN["address"])
    return socket


def say(**message: Any) -> None:
    """Sends one message."""
    SOCKET.send(msgpack.packb(message))


def hear() -> dict[str, Any]:
    """The next message."""
    message: dict[str, Any] = msgpack.unpackb(SOCKET.recv())
    return message


def sit_down() -> None:
    """Sends a correct hello."""
    say(type="hello", protocol=1, token=GIVEN["token"], name="bad")
    assert hear()["type"] == "welcome"


def hear_turn() -> dict[str, Any]:
    """The next turn of the game, `start` answered with `ready`."""
    while (message := hear())["type"] != "turn":
        if message["type"] == "start":
            say(type="ready", game=message["game"])
    return message


def first_turn() -> dict[str, Any]:
    """The first turn."""
    sit_down()
    return hear_turn()


def answer(turn: dict[str, Any]) -> None:
    """The first legal move."""
    say(type="move", game=turn["game"], id=turn["id"], move=turn["legal"][0])


def play_on(turn: dict[str, Any]) -> None:
    """Plays well from `turn`."""
    while True:
        answer(turn)
        turn = hear_turn()


def wait() -> None:
    """Sleeps until the director has ended."""
    threading.Event().wait()


def never_says_hello() -> None:
    wait()


def shows_a_wrong_token() -> None:
    say(type="hello", protocol=1, token="0" * 64)
    assert hear()["type"] == "refuse"
    wait()


def shows_anothers_token() -> None:
    """The token of another player, which the director gives it as `other`."""
    say(type="hello", protocol=1, token=GIVEN["other"])
    assert hear()["type"] == "refuse"
    wait()


def says_hello_twice() -> None:
    turn = first_turn()
    say(type="hello", protocol=1, token=GIVEN["token"], name="bad")
    play_on(turn)


def never_says_ready() -> None:
    sit_down()
    wait()


def sends_garbage() -> None:
    first_turn()
    SOCKET.send(bytes(range(256)) * 4)
    wait()


def sends_json() -> None:
    turn = first_turn()
    SOCKET.send(json.dumps({"type": "move", "game": turn["game"], "id": turn["id"], "move": "0"}).encode())
    wait()


def sends_many_frames() -> None:
    first_turn()
    SOCKET.send_multipart([b""] * 50)
    wait()


def sends_a_message_of_10_mb() -> None:
    first_turn()
    SOCKET.send(b"x" * 10_000_000)
    wait()


def sends_thousands_of_messages() -> None:
    turn = first_turn()
    for number in range(5000):
        say(type="move", game=turn["game"], id=f"{number:08x}", move="0")
    wait()


def says_that_it_failed() -> None:
    turn = first_turn()
    say(type="failed", game=turn["game"], verdict="void", detail="the server is to blame")
    wait()


def moves_out_of_turn() -> None:
    turn = first_turn()
    for _ in range(50):
        say(type="move", game=turn["game"], id="ffffffff", move="4")
    play_on(turn)


def hangs() -> None:
    first_turn()
    wait()


def says_bye() -> None:
    first_turn()
    say(type="bye")
    wait()


def end_with_the_director() -> None:
    """Exits when stdin ends."""
    while sys.stdin.readline():
        pass
    os._exit(0)


CONTEXT = zmq.Context()
SOCKET = new_socket()

if __name__ == "__main__":
    threading.Thread(target=end_with_the_director, daemon=True).start()
    globals()[sys.argv[1]]()
