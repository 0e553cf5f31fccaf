"""The part of `arena search solve --strategy` for a draw: how each player holds it, with one answer to every move.

Moves of the other side that are equal up to symmetry are one line. A branch ends where the player wins by force.
"""

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from adsearch import State
from adsearch.terms import DEEPEST

if TYPE_CHECKING:
    from adsearch.budget import Budget
    from adsearch.winning import Strategy

MOST_LINES = 200
"""Largest number of lines for one player: the second player of tic-tac-toe needs 151."""
PLAYERS = ("the first player", "the second player")


def print_defences(state: State[Any], budget: "Budget | None") -> None:
    """Print how each player holds the draw."""
    from adsearch import winning

    print("no player can force a win; a tree for each shows one answer to every move, until it wins or the game ends")
    for seat in (0, 1):
        lasts = state.max_plies is not None and state.max_plies <= DEEPEST
        strategy = winning.defence(state, seat=seat, budget=budget) if lasts or budget is not None else None
        print()
        if strategy is None:
            print(f"{PLAYERS[seat]}: no such tree found{'' if budget is None else ' within the time limit'}")
            continue
        lines = _shown(state, strategy)
        print(f"{PLAYERS[seat]} holds the draw:", *lines, sep="\n")
        if any(line.endswith("...") for line in lines):
            print("(where a line ends with ... the game goes on; --moves shows more)")


def _shown(state: State[Any], strategy: "Strategy[Any]") -> list[str]:
    """The lines of the tree; if there are too many, of its first rounds."""
    answers, after, rest = _answered(state, strategy)
    shown: list[str] = []
    for rounds in range(1, DEEPEST):
        lines = [*_lines(after, rest, rounds, "   " if answers else "")]
        if len(lines) > MOST_LINES or len(lines) == len(shown):
            break
        shown = lines
    return [f"└─ {answers}{_end(after, rest)}", *shown] if answers else shown


def _lines(state: State[Any], strategy: "Strategy[Any]", rounds: int, indent: str) -> Iterator[str]:
    """A line for each move of the other side, with the answer, and the lines below it. Moves with the same answer that
    end the branch in the same way share a line."""
    if strategy.wins or not rounds:
        return
    first: dict[Hashable, list[Any]] = {}
    for move in strategy.moves:
        first.setdefault(state.play(move).canonical, []).append(move)
    branches: dict[Hashable, tuple[list[str], str, list[str]]] = {}
    for move, *alike in first.values():
        answers, after, rest = _answered(state.play(move), strategy.moves[move])
        end = _end(after, rest)
        text = state.shown(move) + (f" ({len(alike) + 1} alike)" if alike else "")
        said = f"{f': {answers}' if answers else ''}{end or ('  ...' if rounds == 1 else '')}"
        below = [] if end else [*_lines(after, rest, rounds - 1, "")]
        branches.setdefault(said if end else move, ([], said, below))[0].append(text)
    for number, (texts, said, below) in enumerate(branches.values(), 1):
        branch, under = ("└─ ", "   ") if number == len(branches) else ("├─ ", "│  ")
        yield f"{indent}{branch}{', '.join(texts)}{said}"
        yield from (f"{indent}{under}{line}" for line in below)


def _answered(state: State[Any], strategy: "Strategy[Any]") -> tuple[str, State[Any], "Strategy[Any]"]:
    """The player's moves until the other side is to move or the player wins by force, and what comes after them."""
    answers: list[str] = []
    while state.turn == strategy.seat and not (answers and strategy.wins):
        ((move, strategy),) = strategy.moves.items()
        answers.append(state.shown(move))
        state = state.play(move)
    return " ".join(answers), state, strategy


def _end(state: State[Any], strategy: "Strategy[Any]") -> str:
    """How the branch ends, if it ends there."""
    return "  wins" if strategy.wins else "  draw" if state.turn is None else ""
