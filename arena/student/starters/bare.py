"""An agent that plays connect4 without our kit: it reads JSON lines and writes JSON lines.

    arena check "cmd:python3 my_agent.py" --game connect4     is everything all right with it?
    arena play connect4 "cmd:python3 my_agent.py" random      one game, shown as it goes
    arena climb "cmd:python3 my_agent.py" --game connect4     how strong is it?
    arena games connect4                                      the rules, and how moves are written

`choose` takes the middle one of the legal moves: change it. Whatever else can be read and written here is told in
docs/protocol.md of arena-referee.
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
