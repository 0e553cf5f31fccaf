"""An agent without our kit: it reads JSON lines and writes JSON lines. `cmd:python3 examples/bare.py`

It plays any game: of its legal moves it takes the middle one, which in Connect-4 is a good column to begin with.
docs/protocol.md tells all that may be read and written here; bare.c and bare.js are the same agent.
"""

import json
import sys


def choose(turn):
    """Your agent thinks here. turn["legal"] is a list of moves, turn["position"] is the board; both are text."""
    legal = turn["legal"]
    return legal[len(legal) // 2]


def say(message):
    """Sends one message: one line. Without flush it would wait in a buffer while our clock runs."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:  # ends when the referee closes our input
    message = json.loads(line)
    if message["type"] == "start":
        print("I have seat", message["seat"], "of", message["rules"], file=sys.stderr)  # stderr is ours: a log
        say({"type": "ready", "game": message["game"]})
    elif message["type"] == "turn":
        # The id says which question this answers: send back the one that came.
        say({"type": "move", "game": message["game"], "id": message["id"], "move": choose(message)})
    elif message["type"] == "over":
        print("It ended:", message["verdict"], message["utilities"], file=sys.stderr)
    elif message["type"] == "bye":
        break
    # Any other type is of no interest to us, and may be ignored.
