"""An agent that plays connect4 without our library: it reads and writes lines of JSON.

    arena check "cmd:python3 my_agent.py" --game connect4     check that it works
    arena play connect4 "cmd:python3 my_agent.py" random      watch one game
    arena climb "cmd:python3 my_agent.py" --game connect4     measure how strong it is
    arena games connect4                                      show the rules and the notation of moves

`choose` plays the middle legal move: change it. `arena docs languages` describes all messages.
"""

import json
import sys


def choose(turn):
    """Your agent thinks here. turn["legal"] is a list of moves, turn["position"] is the board as text. If the game has
    pieces in cells, turn["board"] has rows of numbers, the top row first: 0 is empty, 1 (2, ...) is yours, -1 (-2, ...)
    is not."""
    legal = turn["legal"]
    return legal[len(legal) // 2]


def move_to(turn, row, column, from_row=-1, from_column=-1):
    """The legal move that ends in this cell of turn["board"], and starts in that one; -1 is any row or column.
    If only one move is legal, such as a pass, that one."""
    if len(turn["legal"]) == 1:
        return turn["legal"][0]
    wanted = (from_row, from_column, row, column)
    for n, cell in enumerate(turn["cells"]):
        if cell and all(wanted[at] in (-1, cell[at]) for at in range(4)):
            return turn["legal"][n]
    return None


def say(message):
    """Send one message, as one line. Without flush the line stays in a buffer while our clock runs."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:  # the loop ends when the referee closes stdin
    message = json.loads(line)
    if message["type"] == "start":
        print("I have seat", message["seat"], "of", message["rules"], file=sys.stderr)  # stderr is the agent's log
        say({"type": "ready", "game": message["game"], "board": True})
    elif message["type"] == "turn":
        # Answer with the id of the turn.
        say({"type": "move", "game": message["game"], "id": message["id"], "move": choose(message)})
    elif message["type"] == "over":
        print("It ended:", message["verdict"], message["utilities"], file=sys.stderr)
    elif message["type"] == "bye":
        break
    # Ignore messages of other types.
