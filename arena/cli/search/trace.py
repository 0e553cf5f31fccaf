"""`arena search trace` and `arena search tree`: a search step by step, and the whole tree of a small game.

They print, or draw into the named files, whose names are printed to stderr.
"""

from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adsearch import State
from adsearch.errors import BadSearch, TooLarge, quote
from adsearch.registry import Search, pathfinding
from adsearch.result import Bound, Result
from adsearch.state import CHANCE, texts
from adsearch.trace import NULL_WINDOW, Backup, Trace, as_table, written
from adsearch.trace_calls import Nodes, check, of_root, with_names
from arena.cli.asking.game_options import (
    GameArgument,
    MovesOption,
    Order,
    OrderOption,
    PositionOption,
    WindowOption,
    as_searched,
    asked_position,
    position_title,
    read_window,
)
from arena.cli.terminal.files import check_folder, write_file
from arena.history import words

if TYPE_CHECKING:
    from adsearch.pictures.tree_picture import Picture

ROWS = 5_000
"""Largest number of events of a search that are printed."""
DRAWN = 100_000
"""Largest number of events for a picture; a node can have several events."""
MOST = 1_000_000
"""Largest number of events; a longer search is stopped."""
_OTHER_VIEWS = "--calls, --tree, --svg, --dot, --html and --nodes"
"""What a path search does not have."""
_COUNTED = 200_000
"""Largest number of visits to count the nodes of a tree that is too large to draw."""


class Fail(StrEnum):
    """What a search returns if the value is outside its window."""

    SOFT = "soft"
    HARD = "hard"


SvgOption = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="SVG file for the tree.")]
DotOption = Annotated[Path | None, typer.Option("--dot", metavar="FILE", help="Graphviz file for the tree.")]


NodesOption = Annotated[
    Nodes,
    typer.Option("--nodes", help="What nodes show: the move, the position's name, a problem W(name), or the board."),
]


def trace(
    game: GameArgument,
    algorithm: Annotated[
        str,
        typer.Argument(metavar="ALGORITHM", help="Search, with options if needed: pvs, alphabeta:table=true."),
    ],
    table: Annotated[bool, typer.Option("--table", help="Table of events (the default).")] = False,
    calls: Annotated[
        bool, typer.Option("--calls", help="A block for each call: player, level, successors, report.")
    ] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Searched tree, with pruned branches.")] = False,
    svg: SvgOption = None,
    dot: DotOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Page to step through the search in a browser.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", help="Search depth in plies.", show_default="no limit")
    ] = None,
    order: OrderOption = Order.GIVEN,
    window: WindowOption = None,
    fail: Annotated[
        Fail | None, typer.Option("--fail", help="Fail-soft or fail-hard values outside the window.")
    ] = None,
    position: PositionOption = None,
    moves: MovesOption = "",
    nodes: NodesOption = Nodes.MOVES,
) -> None:
    """Trace a search step by step, as a table of events, a block for each call, or a tree with pruned branches.

    Example: arena search trace tree:professors alphabeta

    Example: arena search trace tree:professors winning --order reversed --tree

    A path search (depth_first, breadth_first, uniform_cost, astar) shows the frontier and the explored places.

    Example: arena search trace tree:routes astar

    Example: arena search trace connect4 pvs --depth 3 --moves "4 4" --tree

    Example: arena search trace grundy:7 winning --tree --nodes problems

    Example: arena search trace tree:professors alphabeta --html search.html
    """
    from adsearch import searches
    from adsearch.pictures import tree_drawing
    from adsearch.pictures.call_trace import as_calls
    from adsearch.pictures.tree_picture import search_tree

    search, options = searches.configured(algorithm)
    for name, value in _accepted(algorithm, search, _options(depth, window=window, fail=fail)).items():
        if name in options:
            raise BadSearch(f"{name} is given twice: in {quote(algorithm)} and as an option")
        options[name] = value
    check_folder(svg, dot, html)
    state = asked_position(game, position, moves)
    table = table or not (calls or tree or svg or dot or html)
    drawn = tree or svg is not None or dot is not None or html is not None
    check(state, nodes)
    if nodes is Nodes.BOARDS and not drawn:
        raise BadSearch("--nodes boards works only with --tree, --svg, --dot or --html")
    if is_path_search(algorithm):
        if calls or drawn or nodes is not Nodes.MOVES:
            raise BadSearch(f"{algorithm} is shown as a table only; leave out {_OTHER_VIEWS}")
        print_steps(search, options, as_searched(state, order))
        return
    record = Trace(keep=DRAWN if drawn else ROWS, most=MOST)
    result = search(as_searched(state, order), trace=record, **options)
    title = position_title(f"{game} searched by {algorithm}", position, moves)
    picture = search_tree(state, record, result, nodes=nodes, title=title) if drawn else None
    summary = _summary(state, record, result)
    # Made before anything is printed: it is refused if it is too large.
    page = "" if html is None or picture is None else _page(record, picture, algorithm, options, summary)
    if table:
        print(as_table(with_names(record, nodes)))
    if calls:
        print(as_calls(record, result, nodes=nodes))
    if record.left_out:
        print(f"... and {record.left_out:,} more events; limit the depth (--depth) to see them all")
    if tree and picture:
        print(tree_drawing.as_text(picture))
    if (table or calls or tree) and any(event.null_window for event in record.events):
        print(f"({NULL_WINDOW})")
    print(summary)
    if picture:
        _draw(picture, svg, dot)
    if html is not None:
        write_file(html, page)


def tree(
    game: GameArgument,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", help="Plies to show.", show_default="all")
    ] = None,
    svg: SvgOption = None,
    dot: DotOption = None,
    position: PositionOption = None,
    moves: MovesOption = "",
    nodes: NodesOption = Nodes.MOVES,
    fold: Annotated[
        bool, typer.Option("--fold", help="Draw positions of one parent that are equal up to symmetry once.")
    ] = False,
) -> None:
    """Draw the game tree of a small game, or the first plies of a larger one.

    A node has its value if the tree below it is small enough to be solved.

    Example: arena search tree nap:4

    Example: arena search tree tictactoe --depth 2 --nodes boards --fold --svg tictactoe.svg
    """
    from adsearch.pictures import tree_drawing
    from adsearch.pictures.tree_picture import game_tree

    check_folder(svg, dot)
    state = asked_position(game, position, moves)
    title = position_title(f"The tree of {game}", position, moves)
    try:
        picture = game_tree(state, depth=depth, nodes=nodes, fold=fold, title=title)
    except TooLarge as error:
        raise BadSearch(f"{error}{_how_large(game, state, depth)}") from None
    if svg is None and dot is None:
        print(tree_drawing.as_text(picture))
    _draw(picture, svg, dot)


def _how_large(game: str, state: State[Any], depth: int | None) -> str:
    """How many nodes a tree has that is too large to draw, in words; empty if that takes long to count."""
    from adsearch import count
    from adsearch.budget import Budget

    counted = count.search(state, depth=depth, budget=Budget(nodes=_COUNTED))
    if counted.bound is not Bound.EXACT:
        return ""
    whole = "" if depth is None else f" in its first {depth} plies"
    return f". This one has {counted.nodes:,} nodes{whole}; arena search size {game} measures the game"


def _options(depth: int | None, window: str | None, fail: Fail | None) -> dict[str, dict[str, Any]]:
    """The arguments for the search, by option."""
    options: dict[str, dict[str, Any]] = {}
    if depth is not None:
        options["--depth"] = {"depth": depth}
    if window is not None:
        alpha, beta = read_window(window)
        options["--window"] = {"alpha": alpha, "beta": beta}
    if fail is not None:
        options["--fail"] = {"fail": fail.value}
    return options


def _accepted(algorithm: str, search: Any, options: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The arguments for `search`; BadSearch if it does not take one of them."""
    takes = signature(search).parameters
    if "trace" not in takes:
        raise BadSearch(f"{algorithm} cannot be traced")
    for option, arguments in options.items():
        if not arguments.keys() <= takes.keys():
            known = {"--depth": "depth", "--order": "state", "--window": "alpha", "--fail": "fail"}
            others = [name for name, argument in known.items() if argument in takes]
            raise BadSearch(f"{algorithm} takes no {option}; it takes {', '.join(others)}")
    return {name: value for arguments in options.values() for name, value in arguments.items()}


def _draw(picture: "Picture", svg: Path | None, dot: Path | None) -> None:
    """Write the named files."""
    from adsearch.pictures import tree_drawing

    if svg is not None:
        write_file(svg, tree_drawing.as_svg(picture))
    if dot is not None:
        write_file(dot, tree_drawing.as_dot(picture))


def _page(record: Trace, picture: "Picture", algorithm: str, options: dict[str, Any], summary: str) -> str:
    """The page to step through the search."""
    from adsearch.pictures.search_steps import stepped
    from arena.course.lecture import search_page

    steps = stepped(record, picture, algorithm.partition(":")[0], options)
    return search_page.page(steps, summary=summary.replace("  ", " · "))


def _summary(state: State[Any], record: Trace, result: Result[Any]) -> str:
    """The result of the search on one line; its value is for the same seat as the values of the trace."""
    value, bound = of_root(record, result)
    sign = {Bound.EXACT: "", Bound.LOWER: ">= ", Bound.UPPER: "<= "}[bound]
    move = "none" if result.move is None else state.shown(result.move)
    line = " ".join(words.shown_moves(state, texts(state, result.line))) or "none"
    return f"value {sign}{written(value)}{_seat(state, record)}  move {move}  line {line}  nodes {result.nodes:,}"


def _seat(state: State[Any], record: Trace) -> str:
    """The seat that the value is for, where it could be another one than MAX."""
    if state.turn in (None, CHANCE, 0) or record.backup is Backup.MAXN:
        return ""
    seat = state.turn if record.backup is Backup.NEGAMAX else record.seat
    if state.players > 2 or not state.zero_sum:
        return f" for seat {seat}"
    return " for MIN" if seat else " for MAX"


# `arena search trace` for path searches: a table of the steps, with frontier and explored places after each.


STEPS = 1_000
"""Largest number of steps that are printed."""


def is_path_search(algorithm: str) -> bool:
    """Whether this text names a path search, which `arena search trace` shows in another table."""
    return algorithm.partition(":")[0] in pathfinding


def print_steps(search: Search, options: dict[str, Any], state: State[Any]) -> None:
    """Search `state` with a path search and these options; print its steps and the path."""
    from adsearch.pathfinding.search import PathTrace, as_table

    trace = PathTrace(keep=STEPS)
    result = search(state, trace=trace, **options)
    print(as_table(trace))
    if trace.left_out:
        print(f"... and {trace.left_out:,} more steps; limit the depth (--depth) to see them all")
    if result.distance is not None:
        print(summary(state, result))
        return
    # The first path to a place can be longer than a later one, but not in breadth-first search.
    can_miss = options.get("depth") is not None and options.get("graph", True)
    can_miss = can_miss and search is not pathfinding["breadth_first"].search
    advice = " within the depth; graph=false may find one" * can_miss
    print(f"no path found{advice}  expanded {result.nodes:,}")


def summary(state: State[Any], result: Result[Any]) -> str:
    """The path that was found, its cost and the number of expanded nodes, on one line."""
    path = " ".join(texts(state, result.line)) or "none"
    return f"cost {written(result.value)}  moves {result.distance}  path {path}  expanded {result.nodes:,}"
