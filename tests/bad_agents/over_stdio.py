"""Agents that misbehave over stdin and stdout, in plain Python without our kit.

    over_stdio.py MANNER        over_stdio.py @FILE, with the manner in it

Each manner is one function below; `tests/bad_agents/__init__.py` has the expected results. Otherwise an agent plays the
first legal move. They run in separate processes and are never imported.
"""

import json
import os
import resource
import signal
import subprocess
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


def hear_start() -> dict[str, Any]:
    """Answers the game's `start` with `ready`, and returns it."""
    start = hear()
    say(type="ready", game=start["game"])
    return start


def answer(turn: dict[str, Any], move: str | None = None) -> None:
    """The first legal move, or `move`."""
    say(type="move", game=turn["game"], id=turn["id"], move=turn["legal"][0] if move is None else move)


def hear_turn() -> dict[str, Any]:
    """The next turn of a game in which this agent is ready."""
    while (message := hear())["type"] != "turn":
        if message["type"] == "bye":
            sys.exit(0)
    return message


def first_turn() -> dict[str, Any]:
    """The first turn of the first game."""
    hear_start()
    return hear_turn()


def play_on(turn: dict[str, Any] | None = None) -> None:
    """Plays well from `turn` to the end, game after game."""
    if turn is not None:
        answer(turn)
    while True:
        message = hear()
        if message["type"] == "start":
            say(type="ready", game=message["game"])
        elif message["type"] == "turn":
            answer(message)
        elif message["type"] == "bye":
            sys.exit(0)


def tells_where_it_is() -> None:
    """Writes one JSON object to stderr: what the process can see of its walls."""
    turn = first_turn()
    seen = {
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "files": os.listdir("."),
        "session": os.getsid(0) == os.getpid(),
        "descriptors": sorted(number for number in range(200) if is_open(number)),
        "ignored": [int(number) for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN],
        "limits": {
            name: resource.getrlimit(getattr(resource, name))
            for name in ("RLIMIT_CORE", "RLIMIT_DATA", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CPU")
        },
    }
    print(json.dumps(seen), file=sys.stderr, flush=True)
    with open("a file of its own", "w") as file:
        file.write("x")
    play_on(turn)


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def takes_half_a_gibibyte() -> None:
    first_turn()
    sys.exit(len(bytes(1 << 29)) == 0)


def sleep() -> NoReturn:
    """Sleeps for longer than any game."""
    while True:
        time.sleep(1000)


# Good ones.


def plays_well() -> None:
    play_on()


def says_hello_and_plays_well() -> None:
    say(type="hello", protocol=1)
    play_on()


def wants_nothing() -> None:
    """Exits with the number of unwanted things in its messages."""
    say(type="hello", protocol=1, wants=[])
    while (message := hear())["type"] != "turn":
        if message["type"] == "start":
            start = message
        elif message["type"] == "welcome":
            # Only now is it certain that the hello was read before the turn.
            say(type="ready", game=start["game"])
    sys.exit(10 + len({"position", "legal", "limit"} & set(message)))


def floods_stderr() -> None:
    turn = first_turn()
    for _ in range(40):
        os.write(2, b"x" * 65535 + b"\n")
    play_on(turn)


def writes_bytes_that_are_no_text_to_stderr() -> None:
    turn = first_turn()
    os.write(2, b"\xff\xfe\x00\x80 not text\n" * 4000)
    play_on(turn)


def answers_once_too_often() -> None:
    turn = first_turn()
    answer(turn)
    play_on(turn)


def leaves_blank_lines() -> None:
    turn = first_turn()
    write("\n\r\n   \n")
    play_on(turn)


def tells_what_only_hosts_may_tell() -> None:
    turn = first_turn()
    told = {"spent": 0, "cpu": -5, "delay": 10**12, "log": 7}
    say(type="move", game=turn["game"], id=turn["id"], move=turn["legal"][0], **told)
    play_on()


# At the start.


def never_says_ready() -> None:
    say(type="hello", protocol=1)
    sleep()


def never_says_a_word() -> None:
    sleep()


def says_ready_for_another_game() -> None:
    start = hear()
    say(type="ready", game=start["game"] + 1)
    sleep()


def says_hello_twice() -> None:
    say(type="hello", protocol=1)
    say(type="hello", protocol=1)
    play_on()


def says_hello_late() -> None:
    turn = first_turn()
    say(type="hello", protocol=1)
    play_on(turn)


def speaks_protocol_2() -> None:
    say(type="hello", protocol=2)
    play_on()


def crashes_at_the_start() -> None:
    raise RuntimeError("no brain")


def says_bye_at_once() -> None:
    say(type="bye")
    sleep()


# The end of the process.


def crashes_in_mid_game() -> None:
    first_turn()
    print("about to fall over", file=sys.stderr)
    sys.exit(3)


def crashes_right_after_its_move() -> None:
    answer(first_turn())
    os._exit(4)


def exits_quietly() -> None:
    first_turn()
    sys.exit(0)


def kills_itself() -> None:
    first_turn()
    os.kill(os.getpid(), signal.SIGKILL)


def closes_its_stdout() -> None:
    first_turn()
    os.close(1)
    sleep()


def closes_its_stdin() -> None:
    first_turn()
    os.close(0)
    sleep()


def runs_out_of_memory() -> None:
    first_turn()
    print(len(bytearray(1 << 40)))


# Time.


def hangs() -> None:
    first_turn()
    sleep()


def stops_itself() -> None:
    first_turn()
    os.kill(os.getpid(), signal.SIGSTOP)
    sleep()


def answers_late() -> None:
    turn = first_turn()
    time.sleep(float(turn["left"][0]) / 1000 + 0.2)
    play_on(turn)


def dribbles() -> None:
    first_turn()
    for letter in '{"type": "move", "game": ' + "1" * 10_000:
        write(letter)
        time.sleep(0.05)


def reads_nothing() -> None:
    sleep()


def ignores_sigterm_and_leaves_children() -> None:
    """Writes its children's PIDs to stderr, and then breaks the protocol."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    first_turn()
    idle = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(1000)"]
    nowhere = subprocess.DEVNULL
    for own_session in (False, True):
        child = subprocess.Popen(idle, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=own_session)
        os.write(2, b"child %d\n" % child.pid)
    if os.fork() == 0:
        if (orphan := os.fork()) != 0:
            os.write(2, b"child %d\n" % orphan)
            os._exit(0)
        os.setsid()
        sleep()
    os.wait()
    write("that is all\n")
    sleep()


def leaves_children_that_hold_its_stdout() -> None:
    first_turn()
    if os.fork() == 0:
        sleep()
    os._exit(5)


# What it says.


def answers_an_earlier_turn() -> None:
    first = first_turn()
    answer(first)
    hear_turn()
    answer(first)
    sleep()


def answers_before_the_questions() -> None:
    start = hear_start()
    for cell in range(9):
        say(type="move", game=start["game"], id="00000000", move=str(cell))
    sleep()


def moves_illegally() -> None:
    answer(first_turn(), "no such move")
    play_on()


def resigns() -> None:
    turn = first_turn()
    say(type="resign", game=turn["game"], id=turn["id"])
    play_on()


def moves_out_of_turn() -> None:
    turn = first_turn()
    for _ in range(50):
        say(type="move", game=turn["game"], id="ffffffff", move="4")
    play_on(turn)


def resigns_out_of_turn() -> None:
    turn = first_turn()
    answer(turn)
    for _ in range(50):
        say(type="resign", game=turn["game"], id=turn["id"])
    play_on()


def writes_a_line_of_10_mb() -> None:
    first_turn()
    write(b"x" * 10_000_000 + b"\n")
    sleep()


def writes_2_mb_of_blank_lines() -> None:
    first_turn()
    write(b"\n" * 2_000_000)
    sleep()


def writes_garbage() -> None:
    first_turn()
    write(bytes(range(256)) * 4 + b"\n")
    sleep()


def writes_garbage_off_turn() -> None:
    answer(first_turn())
    write(b"\xff\xfe{\n")
    sleep()


def writes_half_a_line_first() -> None:
    turn = first_turn()
    write('{"type": "move", \n')
    play_on(turn)


def sends_thousands_of_messages() -> None:
    turn = first_turn()
    for number in range(5000):
        say(type="move", game=turn["game"], id=f"{number:08x}", move="0")
    sleep()


def sends_a_message_of_no_known_type() -> None:
    turn = first_turn()
    say(type="cheat", game=turn["game"])
    sleep()


def sends_a_move_of_the_wrong_shape() -> None:
    turn = first_turn()
    say(type="move", game="one", id=turn["id"], move=4)
    sleep()


def says_that_its_opponent_failed() -> None:
    turn = first_turn()
    say(type="failed", game=turn["game"], verdict="void", detail="the server is to blame")
    sleep()


def sends_a_report() -> None:
    turn = first_turn()
    say(type="report", game=turn["game"], cpu=0)
    sleep()


def nests_deeply() -> None:
    first_turn()
    write(b"[" * 30_000 + b"\n")
    sleep()


if __name__ == "__main__":
    manner = sys.argv[1]
    if manner.startswith("@"):
        # In a file, so that one command can stand for one agent after the other.
        with open(manner[1:]) as file:
            manner = file.read()
    globals()[manner]()
