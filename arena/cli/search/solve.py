"""`arena search solve` and `tables`: the value of a game and how to win it, the equilibrium of a game with hidden
information, and endgame tables.

It measures wall time, which the search does not use: apart from times, the output is the same on every run.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import count
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch import State, cfr, winning
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.checkers_endgames import FEWEST, MOST, blocks, placements, positions, starts
from adsearch.state import texts
from adsearch.terms import DEEPEST, root_seat
from agents import endgames
from arena.cli.asking.game_options import GameArgument, MovesOption, PositionOption, asked_position
from arena.cli.terminal import notes
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show, show_json, show_one
from arena.cli.terminal.notes import note
from arena.history import words
from arena.results.columns import Column, fields

if TYPE_CHECKING:
    from adsearch.result import Result
    from adsearch.winning import Strategy

MOST_LINES = 150
"""Largest number of lines of a printed strategy."""
_STEPS = 100_000
"""Steps of a search after which its progress is shown."""
SecondsOption = Annotated[
    float | None,
    typer.Option(
        "--seconds", metavar="SECONDS", min=0.0, help="Time limit; prints the best result so far.", show_default="none"
    ),
]


@listed()
def solve(
    shown: Shown,
    game: GameArgument,
    strategy: Annotated[
        bool, typer.Option("--strategy", help="Strategy too: a reply to every move, to win or draw.")
    ] = False,
    equilibrium: Annotated[
        bool,
        typer.Option("--equilibrium", help="In games with hidden information: how often to play each move (CFR)."),
    ] = False,
    position: PositionOption = None,
    moves: MovesOption = "",
    seconds: SecondsOption = None,
    endgames: Annotated[
        int | None,
        typer.Option(
            "--endgames",
            metavar="N",
            min=FEWEST,
            max=MOST,
            help="In checkers: look it up in the endgame tables with up to N pieces.",
        ),
    ] = None,
) -> None:
    """Solve a game: who wins with best play, in how many plies, and by which moves.

    The value is for the player to move; if chance moves first, for the first player. In a probability of winning a draw
    counts one half. The JSON object has value (null if not found), distance, move, line, nodes and time in ms.

    Games with hidden information have no best moves, but strategies for both players that nobody can exploit:
    --equilibrium prints how often each move is played, by what the player sees. The exploitability is what a perfect
    opponent would win more than the value; it goes to 0 with more iterations (1,000, or as many as --seconds allows).

    A position of checkers with few pieces is looked up with --endgames, where arena search tables has built the tables.

    Examples: arena search solve nap:11 --strategy; arena search solve kuhn --equilibrium

    Example: arena search solve connect4 --moves "4 4 4 4" --seconds 5
    """
    if strategy and not shown.in_words:
        raise BadSearch("--strategy is printed as a tree: leave out --format and the options of listings")
    state = asked_position(game, position, moves)
    budget = None if seconds is None else Budget.seconds(seconds, time.monotonic)
    if equilibrium:
        if strategy or endgames is not None or position is not None or moves:
            raise BadSearch(
                "--equilibrium solves a whole game: leave out --strategy, --endgames, --position and --moves"
            )
        print_equilibrium(game, state, budget, shown)
        return
    if strategy and (state.chance or state.players > 2 or not (state.zero_sum or state.players == 1)):
        raise BadSearch("--strategy is for games of one or two players without chance, which one of them can win")
    if endgames is not None and (strategy or seconds is not None):
        raise BadSearch("--endgames looks up one position: leave out --strategy and --seconds")
    begun = time.perf_counter()
    result = _solved(state, budget) if endgames is None else _looked_up(state, endgames)
    row = {
        "value": result.value if result.exact and isfinite(result.value) else None,
        "distance": result.distance,
        "move": None if result.move is None else state.to_text(result.move),
        "line": texts(state, result.line),
        "nodes": result.nodes,
        "time": round((time.perf_counter() - begun) * 1000),
    }
    if not shown.in_words:
        show_one(row, shown)
    else:
        print(_verdict(state, result, seconds))
        _print_details(state, row)
        if strategy:
            _print_strategy(state, result, budget)


# The value of a game.


def _solved(state: State[Any], budget: Budget | None) -> Result[Any]:
    """The result of the search for this kind of game; its progress is shown."""
    from adsearch.solving import solved

    with notes.temporary_line() as tell:
        return solved(state, limit=budget, budget=budget or _watched(tell))


def _watched(tell: Callable[[str], None]) -> Budget:
    """No limit, but `tell` is called with how far the search is: as often as a search asks for the time."""
    begun, steps = time.monotonic(), count(1)

    def clock() -> float:
        if (step := next(steps)) % _STEPS == 0:
            tell(f"solving: {step:,} steps in {words.rough_duration(time.monotonic() - begun)}")
        return 0.0

    return Budget(until=inf, clock=clock)


def _looked_up(state: State[Any], pieces: int) -> Result[Any]:
    """What the endgame tables with up to `pieces` pieces say."""
    found = endgames.tables_for(state, pieces).result(endgames.of_checkers(state))
    if found is None:
        raise BadSearch(
            f"solve: the endgame tables with up to {pieces} pieces do not know this position: it is over, has more "
            "pieces, or could become a draw by repetition or quiet plies before it is won"
        )
    return found


def _verdict(state: State[Any], result: Result[Any], seconds: float | None) -> str:
    """The result, in a sentence."""
    if not result.exact:
        return f"not solved within {seconds:g} s{_estimated(state, result)}"
    value = result.value
    if result.values is not None and state.players > 2:
        return "worth " + ", ".join(f"{worth:g} to seat {seat}" for seat, worth in enumerate(result.values))
    within = "" if result.distance is None else f" in {words.plies(result.distance)}"
    if state.turn is None:
        within = "; the game is over"
    if state.players == 1:
        return f"worth {value:g} to the player{within}"
    low, high = state.bounds
    if state.chance and (low, high) == (-1.0, 1.0):
        first = -value if root_seat(state) else value
        return f"the first player wins {(first + 1) / 2:.2%}".replace("%", " %")
    if state.chance or low != -high or not state.zero_sum:
        return f"worth {value:g} to {_player(state, root_seat(state))}{within}"
    if not value:
        return f"a draw{within}"
    winner = _player(state, root_seat(state) if value > 0 else 1 - root_seat(state))
    return f"{winner} wins{'' if (high, abs(value)) == (1.0, 1.0) else f' by {abs(value):g}'}{within}"


def _estimated(state: State[Any], result: Result[Any]) -> str:
    """The estimate for a game that was not solved in time."""
    if not result.depth:
        return ""
    if state.players != 2 or not state.zero_sum:
        return f"; at depth {result.depth} it looks like {result.value:.3g} for {_player(state, root_seat(state))}"
    if not result.value:
        return f"; at depth {result.depth} neither player is ahead"
    ahead = _player(state, root_seat(state) if result.value > 0 else 1 - root_seat(state))
    return f"; at depth {result.depth} {ahead} is ahead ({abs(result.value):.3g})"


def _player(state: State[Any], seat: int) -> str:
    if state.players <= 2:
        return "the player" if state.players == 1 else PLAYERS[seat]
    return f"seat {seat}"


def _print_details(state: State[Any], row: dict[str, Any]) -> None:
    """Print the details of the result, one line each."""
    details = {
        "value": "not known" if row["value"] is None else f"{row['value']:.10g} for {_player(state, root_seat(state))}",
        "distance": "not known" if row["distance"] is None else words.plies(row["distance"]),
        "line": " ".join(words.shown_moves(state, row["line"])) or "none",
        "nodes": f"{row['nodes']:,}",
        "time": f"{row['time'] / 1000:.2f} s",
    }
    print()
    for name, text in details.items():
        print(f"{name:<9} {text}")


# The winning strategy.


def _print_strategy(state: State[Any], result: Result[Any], budget: Budget | None) -> None:
    """Print the winning strategy as a tree, or if no player has one, how each holds the draw."""
    from adsearch.table import Table

    print()
    if result.exact and not result.value and state.players == 2 and state.turn is not None:
        print_defences(state, budget)
        return
    if result.exact and (not result.value or (result.value < 0 and state.players == 1)):
        print("no player can force a win")
        return
    # If the distance of the win is known, do not search deeper.
    seat = None if not result.exact else root_seat(state) if result.value > 0 else 1 - root_seat(state)
    depth, table = result.distance if result.exact else None, Table()
    found = winning.search(state, seat=seat, depth=depth, budget=budget, table=table)
    strategy = None
    if found.bound is not found.bound.EXACT or found.exact:
        strategy = winning.strategy(state, seat=seat, depth=depth, table=table)
    if strategy is None:
        print("no winning strategy found within the time limit")
        return
    print(f"{_player(state, strategy.seat)} wins; the tree has one move for the winner and all moves for the opponent")
    plies = 1
    while _size(strategy, plies, {}) < _size(strategy, plies + 1, {}) <= MOST_LINES:
        plies += 1
    for line in _branches(state, strategy, plies, "", {}):
        print(line)
    left_out = _size(strategy, inf, {}) - _size(strategy, plies, {})
    if left_out:
        print(f"{left_out:,} moves after the first {words.plies(plies)} are left out; --moves shows more of them")


def _branches(
    state: State[Any], strategy: Strategy[Any], plies: int, indent: str, known: dict[tuple[int, float], int]
) -> Iterator[str]:
    for number, (move, rest) in enumerate(strategy.moves.items(), 1):
        branch, below = ("└─ ", "   ") if number == len(strategy.moves) else ("├─ ", "│  ")
        left_out = _size(rest, inf, known) if plies == 1 else 0
        cut = f"   ... {left_out:,} more" if left_out else ""
        yield f"{indent}{branch}{state.shown(move)}{cut}"
        if plies > 1:
            yield from _branches(state.play(move), rest, plies - 1, indent + below, known)


def _size(strategy: Strategy[Any], plies: float, known: dict[tuple[int, float], int]) -> int:
    """The number of moves in the first `plies` plies of a strategy."""
    key = (id(strategy), plies)
    if key not in known:
        moves = strategy.moves.values() if plies else ()
        known[key] = sum(1 + _size(after, plies - 1, known) for after in moves)
    return known[key]


# The part of `arena search solve --strategy` for a draw: how each player holds it, with one answer to every move.


_MOST_DEFENCES = 200
"""Largest number of lines for one player: the second player of tic-tac-toe needs 151."""
PLAYERS = ("the first player", "the second player")


def print_defences(state: State[Any], budget: Budget | None) -> None:
    """Print how each player holds the draw."""
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


def _shown(state: State[Any], strategy: Strategy[Any]) -> list[str]:
    """The lines of the tree; if there are too many, of its first rounds."""
    answers, after, rest = _answered(state, strategy)
    shown: list[str] = []
    for rounds in range(1, DEEPEST):
        lines = [*_lines(after, rest, rounds, "   " if answers else "")]
        if len(lines) > _MOST_DEFENCES or len(lines) == len(shown):
            break
        shown = lines
    return [f"└─ {answers}{_end(after, rest)}", *shown] if answers else shown


def _lines(state: State[Any], strategy: Strategy[Any], rounds: int, indent: str) -> Iterator[str]:
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
    for number, (moves, said, below) in enumerate(branches.values(), 1):
        branch, under = ("└─ ", "   ") if number == len(branches) else ("├─ ", "│  ")
        yield f"{indent}{branch}{', '.join(moves)}{said}"
        yield from (f"{indent}{under}{line}" for line in below)


def _answered(state: State[Any], strategy: Strategy[Any]) -> tuple[str, State[Any], Strategy[Any]]:
    """The player's moves until the other side is to move or the player wins by force, and what comes after them."""
    answers: list[str] = []
    while state.turn == strategy.seat and not (answers and strategy.wins):
        ((move, strategy),) = strategy.moves.items()
        answers.append(state.shown(move))
        state = state.play(move)
    return " ".join(answers), state, strategy


def _end(state: State[Any], strategy: Strategy[Any]) -> str:
    """How the branch ends, if it ends there."""
    return "  wins" if strategy.wins else "  draw" if state.turn is None else ""


# `arena search solve --equilibrium`: how often to play each move in a game with hidden information.


_UNLIMITED: Final = 10**9
_NEVER: Final = 0.0005
"""The table leaves out moves with a smaller probability."""


def print_equilibrium(game: str, state: State[Any], budget: Budget | None, shown: Shown) -> None:
    """Solve `state`, the start of `game`, and print the strategies of both players."""
    begun = time.perf_counter()
    found = cfr.solve(state, iterations=cfr.ITERATIONS if budget is None else _UNLIMITED, budget=budget)
    seconds = time.perf_counter() - begun
    strategy: list[dict[str, Any]] = []
    for view, odds in found.strategy.items():
        seen = asked_position(game, view, "")
        strategy.append(
            {"seat": seen.turn, "view": view, "moves": {seen.to_text(move): chance for move, chance in odds.items()}}
        )
    strategy.sort(key=lambda row: row["seat"])
    if shown.format is OutputFormat.JSON:
        show_json(
            {
                "value": found.value,
                "exploitability": found.exploitability,
                "iterations": found.iterations,
                "nodes": found.nodes,
                "time": round(seconds * 1000),
                "strategy": shown.documents(strategy, fields(("seat", "view", "moves"))),
            }
        )
    elif not shown.in_words:
        rows = [
            {"seat": row["seat"], "view": row["view"], "move": move, "probability": chance}
            for row in strategy
            for move, chance in row["moves"].items()
        ]
        show(rows, fields(("seat", "view", "move", "probability")), shown)
    else:
        print(f"worth {found.value:.6f} to the first player, with an exploitability of {found.exploitability:.6f}")
        print(f"after {found.iterations:,} iterations over {found.nodes:,} nodes, {seconds:.2f} s")
        print()
        show(strategy[:MOST_LINES], STRATEGY)
        if len(strategy) > MOST_LINES:
            print(f"{len(strategy) - MOST_LINES:,} more; --format csv lists all of them")


def _plays(row: dict[str, Any]) -> str:
    """How often each move is played, in words."""
    return ", ".join(f"{move} {chance:.1%}" for move, chance in row["moves"].items() if chance >= _NEVER)


STRATEGY: Final = (*fields(("seat", "view")), Column("plays", value=_plays, wrapped=40))


# `arena search tables`: builds endgame tables, which tell who wins a position with few pieces, and how fast.


_SECONDS: Final = {2: 0.1, 3: 0.5, 4: 8.0}
"""About how long it takes to build a table, by the number of pieces."""
_TITLES: Final = ("pieces", "positions", "won", "lost", "drawn", "longest", "bytes")


@listed()
def tables(
    shown: Shown,
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game: checkers.")],
    pieces: Annotated[
        int, typer.Option("--pieces", metavar="N", min=FEWEST, max=MOST, help="Largest number of pieces.")
    ] = MOST,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="FOLDER", help="Folder of the tables.", show_default="$ARENA_TABLES or ~/.cache/arena"
        ),
    ] = None,
) -> None:
    """Build endgame tables of checkers: the value of every position with few pieces, and how fast it is won.

    Tables that are there are kept: then the command only lists them. Agents use them with the option endgames
    (pvs:endgames=4), arena search solve with --endgames 4; both read them from the folder $ARENA_TABLES, by default
    ~/.cache/arena.

    For each number of pieces the list has the number of positions, with pieces of both colours or of one. Those with
    both colours are won, lost or drawn for the side to move; longest is the longest win, in plies.

    Example: arena search tables checkers

    Example: arena search tables checkers --pieces 3 --folder tables
    """
    endgames.of_checkers(asked_position(game, None, ""))
    from arena.endgames import complete, there

    place = endgames.folder() if folder is None else folder
    found, problems = there(place, pieces)
    for problem in problems:
        note(f"{problem}: it is built again")
    missing = [number for number in range(FEWEST, pieces + 1) if number not in found]
    if missing:
        megabytes = sum(starts(number)[1] for number in missing) / 1e6
        seconds = sum(_SECONDS[number] for number in missing)
        note(f"building tables of {megabytes:.1f} MB in {place}, in about {words.rough_duration(seconds)}")
        try:
            with notes.temporary_line() as tell:
                complete(place, pieces, found, lambda n, done: tell(f"{n} pieces: {done:.0%} of the table is built"))
        except KeyboardInterrupt:
            note("stopped: complete tables are kept, and the same command builds the others")
            raise
    else:
        note(f"all tables are in {place}: there is nothing to build")
    rows = [_row(number, found[number]) for number in sorted(found)]
    show(rows, [Column(name, text=partial(_counted, name), number=True) for name in _TITLES], shown)
    if folder is not None:
        note(
            "agents and arena search solve find these tables with: "
            f"export ARENA_TABLES={shlex.quote(str(place.absolute()))}"
        )


def _counted(name: str, row: dict[str, Any]) -> str:
    return f"{row[name]:,}"


def _row(pieces: int, table: bytes) -> dict[str, Any]:
    """What is in a table."""
    import numpy as np

    counts = np.bincount(np.frombuffer(table, np.uint8), minlength=3)
    won, lost = int(counts[2::2].sum()), int(counts[1::2].sum())
    return {
        "pieces": pieces,
        "positions": positions(pieces),
        "won": won,
        "lost": lost,
        "drawn": sum(placements(*block) for block in blocks(pieces)) - won - lost,
        "longest": len(counts) - 2,
        "bytes": len(table),
    }
