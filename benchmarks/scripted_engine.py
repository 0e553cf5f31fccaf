"""A UCI engine that plays scripted moves and never thinks: both sides of one game of seven plies, which ends in mate.

benchmarks/peers.py lets fastchess play it against itself. It imports as little as possible: it should cost nothing.
"""

import sys

MOVES = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"]


def main() -> None:
    """Answer until `quit` or the end of stdin."""
    ply = 0
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                print("id name scripted\nid author arena-referee\nuciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position"]:
                ply = len(words) - words.index("moves") - 1 if "moves" in words else 0
            case ["go"]:
                print(f"info depth 1 score cp 0 pv {MOVES[ply]}\nbestmove {MOVES[ply]}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
