"""`arena replay --mistakes`: finds mistakes and better moves in a recorded game, with the search of adsearch."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import typer
from msgspec import to_builtins

from arena.cli.asking import analysis, recorded_game
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import Columns, OutputFormat, Row, exact_columns, show, show_json
from arena.cli.terminal.wrapping import wrapped
from arena.history import recorded_rules, words

if TYPE_CHECKING:
    from pathlib import Path

    from adsearch import State
    from arena.student.analysis import AnalysisBudget
    from db.records import JudgedPly, PastGame, PositionValue


def mistakes(
    id: str,
    *,
    depth: int | None,
    seconds: float | None,
    html: Path | None,
    svg: Path | None,
    trust_rules: bool,
    format: OutputFormat,
    db: str | None,
) -> None:
    """Analyse a recorded game: the value of each move, the mistakes, and better moves."""
    from arena.cli.look.debug import can_debug
    from arena.history.replay import replay
    from arena.student.analysis import AnalysisBudget

    if depth is not None and seconds is not None:
        raise typer.BadParameter("expected --depth or --seconds, got both")
    game = recorded_game.read_game(id, db)
    effort = AnalysisBudget.default(len(game.moves))
    if depth is not None or seconds is not None:
        effort = AnalysisBudget(depth=depth, seconds=seconds)
    game = analysis.analysed(game, effort=effort, trust=trust_rules, db=db)
    start, plies = recorded_rules.start(game, trust=trust_rules), game.analysis
    shown = replay(game, trust=trust_rules).game
    if html is not None:
        from arena.pages.replay_page import page

        write_file(html, page(game, trust=trust_rules).text)
    if svg is not None:
        from arena.pages.curves import judged_values

        write_file(svg, judged_values(shown.analysis, game.players, bounds=start.bounds))
    rows = [_row(game, ply) for ply in (shown.analysis if format is OutputFormat.TABLE else plies)]
    if format is OutputFormat.JSON:
        show_json(_document(game, start, plies=plies, rows=rows))
    elif format is OutputFormat.CSV:
        show(rows, exact_columns(_CSV), format=format)
    else:
        _show(shown, start, plies=plies, rows=rows, effort=effort)
        ask = partial(can_debug, game, db=db)
        for line in _first(game, start, plies=shown.analysis, effort=effort, can_debug=ask):
            print(line)


_A_MINUTE: Final = 60.0
"""Total time for the deeper analysis that is suggested, in seconds."""
_CSV: Final = (
    *("ply", "who", "player", "move", "before", "before_exact", "before_distance"),
    *("after", "after_exact", "after_distance", "loss", "mark", "better", "depth"),
)


def _row(game: PastGame, ply: JudgedPly) -> dict[str, Any]:
    """The JSON object of a ply. `before` and `after` are values for seat 0."""
    from arena.history.documents import finite

    before, after = finite(ply.before.values) or [], finite(ply.after.values) or []
    return {
        "ply": ply.ply,
        "who": ply.who,
        "player": game.players[ply.who] if isinstance(ply.who, int) else None,
        "move": ply.move,
        "before": before[0] if ply.before.known else None,
        "before_exact": ply.before.exact,
        "before_distance": ply.before.distance,
        "before_values": before,
        "after": after[0] if ply.after.known else None,
        "after_exact": ply.after.exact,
        "after_distance": ply.after.distance,
        "after_values": after,
        "loss": ply.loss,
        "mark": str(ply.mark),
        "better": list(ply.better),
        "answer": list(ply.answer),
        "depth": ply.depth,
    }


def _document(
    game: PastGame, start: State[Any], plies: Sequence[JudgedPly], rows: list[dict[str, Any]]
) -> dict[str, Any]:
    """The JSON document. `before` and `after` are values for seat 0."""
    from arena.student.analysis import summaries

    seats = [
        {"seat": one.seat, "player": game.players[one.seat], **to_builtins(one)}
        for one in summaries(plies, start.players)
    ]
    return {"id": game.id, "game": game.game, "players": game.players, "hidden": start.hidden} | {
        "moves": rows,
        "seats": seats,
    }


def _own(game: PastGame) -> int | None:
    """The seat of the only player that is not built-in, to whom the analysis speaks; None unless there is one."""
    from agents import builtin

    seats = [seat for seat, player in enumerate(game.players) if not builtin.is_builtin(player.partition("#")[0])]
    return seats[0] if len(seats) == 1 else None


# The table.


def _show(
    game: PastGame, start: State[Any], plies: Sequence[JudgedPly], rows: list[dict[str, Any]], effort: AnalysisBudget
) -> None:
    judgements = {ply.ply: ply for ply in plies}
    side = _own(game) or 0

    def worth(row: Row, after: bool) -> str:
        ply = judgements[row["ply"]]
        seat = side if start.players <= 2 else ply.who if isinstance(ply.who, int) else 0
        return _figure(ply.after if after else ply.before, seat)

    columns: Columns = {
        "ply": lambda row: str(row["ply"]),
        "player": lambda row: row["player"] or row["who"],
        "move": lambda row: row["move"],
        "before": lambda row: worth(row, False),
        "after": lambda row: worth(row, True),
        "": lambda row: row["mark"],
        "better": lambda row: " ".join(row["better"]),
    }
    for line in [
        *recorded_game.header(game),
        *recorded_game.ending(game),
        "",
        *_explained(game, start, plies=plies, effort=effort),
        "",
    ]:
        print(wrapped(line))
    show(rows, columns, format=OutputFormat.TABLE, narrowed="player", numbers=("ply", "before", "after"))
    print()
    for line in _summary(game, start, plies):
        print(wrapped(line))


def _explained(game: PastGame, start: State[Any], plies: Sequence[JudgedPly], effort: AnalysisBudget) -> Iterator[str]:
    """The explanation of the numbers, above the table."""
    low, high = start.bounds
    if start.players > 2:
        yield (
            "Values are for the player that moved (at chance events for seat 0), from "
            + f"{words.number(low)} to {words.number(high)}."
        )
    else:
        own = _own(game)
        side = own or 0
        if side and start.zero_sum:
            low, high = 0.0 - high, 0.0 - low
        worst_best = (
            f": {words.number(high)} is the best, {words.number(low)} the worst" if high - low < float("inf") else ""
        )
        you = "you, " if own is not None else ""
        yield f"Values are for {you}{words.printable(game.players[side])} (seat {side}){worst_best}."
    yield "before: value with the best move; after: value with the move played; better: the best line found."
    yield "-1#: proven; -1#5: proven, and the game ends in 5 plies; other values are estimates."
    how = f"{effort.nodes:,} nodes" if effort.nodes else ""
    how = how or (f"depth {effort.depth}" if effort.depth else f"{effort.seconds:g} s")
    yield f"Search per position: {how}. ?: a mistake; ??: a serious one."
    yield "Each row is a separate search, so estimates differ a little between rows."
    if start.hidden:
        yield "The search sees all cards, the players did not, so no move is called a mistake."
    if not all(ply.before.known and ply.after.known for ply in plies):
        yield "This game has no evaluation function: a value that is not proven is shown as -."


def _summary(game: PastGame, start: State[Any], plies: Sequence[JudgedPly]) -> Iterator[str]:
    """A line for each seat."""
    from arena.student.analysis import summaries

    for one in summaries(plies, start.players):
        parts = [f"{one.moves} move{'s' * (one.moves != 1)}"]
        if not start.hidden:
            parts += [f"{one.mistakes} ?", f"{one.blunders} ??"]
            parts += [] if one.loss is None else [f"average loss per move {words.number(one.loss)}"]
        parts += [] if one.luck is None else [f"luck in chance events {one.luck:+.2f}"]
        yield f"{words.printable(game.players[one.seat])}: " + ", ".join(parts)


def _first(
    game: PastGame,
    start: State[Any],
    plies: Sequence[JudgedPly],
    effort: AnalysisBudget,
    can_debug: Callable[[int], bool],
) -> Iterator[str]:
    """What to look at first, with commands: the fault that ended the game, and the first mistake of the loser, with
    what is wrong with it and what was better.

    `can_debug`: whether `arena replay --debug` can run the agent in a seat."""
    from arena.student.lost_games import fault_and_mistake

    failed, mistake = fault_and_mistake(game, plies)
    if failed is not None:
        yield wrapped(f"look first at ply {failed}: {recorded_game.ending(game)[0].partition(';')[0]}")
        yield f"  arena replay {shlex.quote(game.name)} --logs"
        if game.fault is not None and can_debug(game.fault):
            yield f"  arena replay {shlex.quote(game.name)} --debug --turn {failed}"
    if mistake is not None and isinstance(mistake.who, int):
        at = f"look first at ply {mistake.ply}" if failed is None else f"before that, at ply {mistake.ply}"
        who = _called(game, mistake.who)
        yield wrapped(f"{at}: {who} played {words.printable(mistake.move)}{mistake.mark}")
        yield wrapped(words.printable(_refuted(game, start, mistake)), begin="  ", more="    ")
        yield wrapped(f"better was: {words.printable(' '.join(mistake.better))}", begin="  ", more="    ")
        yield f"  arena replay {shlex.quote(game.name)} --ply {mistake.ply}"
        if can_debug(mistake.who):
            yield f"  arena replay {shlex.quote(game.name)} --debug --turn {mistake.ply}"
    elif failed is None and not start.hidden:
        whose = " of the loser" if any(ply.mark for ply in plies) else ""
        if all(ply.before.exact and ply.after.exact for ply in plies):
            yield f"no single mistake{whose} found, and all values are proven"
        else:
            yield f"no single mistake{whose} found at this depth; search deeper:"
            yield f"  arena replay {shlex.quote(game.name)} --mistakes {_deeper(effort, plies)}"


def _called(game: PastGame, seat: int) -> str:
    """The player of a seat: "you", or its name."""
    return "you" if seat == _own(game) else words.printable(game.players[seat])


def _refuted(game: PastGame, start: State[Any], mistake: JudgedPly) -> str:
    """What follows from a mistake: "you lose in 3: 3 2 1"; for the player that made it if there is no "you"."""
    own, after = _own(game), mistake.after
    seat = own if own is not None else int(mistake.who)
    value, who = after.values[seat], _called(game, seat)
    line = mistake.answer
    if after.exact and start.zero_sum and not start.chance:
        s = "" if who == "you" else "s"
        what = f"{who} win{s}" if value > 0.0 else f"{who} lose{s}" if value < 0.0 else "a draw"
        what += "" if after.distance is None else f" in {after.distance}"
        line = line[: after.distance]
    elif after.known:
        what = f"the value for {who} is then about {value:+z.2f}"
    else:
        what = "the best answer is then"
    return f"{what}: {' '.join(line)}" if line else what


def _deeper(effort: AnalysisBudget, plies: Sequence[JudgedPly]) -> str:
    """The options for a deeper analysis."""
    if effort.depth is not None:
        return f"--depth {effort.depth + 2}"
    seconds = _A_MINUTE / len(plies) if effort.seconds is None else 4.0 * effort.seconds
    return f"--seconds {max(seconds, 0.1):.2g}"


def _figure(worth: PositionValue, seat: int) -> str:
    """The value of a position for a seat, as text."""
    if not worth.known:
        return "-"
    value = worth.values[seat]
    figure = f"{value:+.4g}" if worth.exact else f"{value:+.1f}" if abs(value) >= 10 else f"{value:+.2f}"
    return figure + ("" if not worth.exact else "#" if worth.distance is None else f"#{worth.distance}")
