"""`arena replay --mistakes`: finds mistakes and better moves in a recorded game, with the search of adsearch."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import typer
from msgspec import to_builtins

from arena.cli.asking import recorded_game
from arena.cli.asking.record_options import submissions
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import OutputFormat, Shown, show, show_json
from arena.cli.terminal.notes import wrapped
from arena.history import recorded_rules, words
from arena.results.columns import PROGRAMS, Column, Medium

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
    shown: Shown,
    db: str | None,
) -> None:
    """Analyse a recorded game: the value of each move, the mistakes, and better moves."""
    from arena.history.replay import replay
    from arena.student import rerun
    from arena.student.analysis import AnalysisBudget
    from db.database import Database

    if depth is not None and seconds is not None:
        raise typer.BadParameter("expected --depth or --seconds, got both")
    game = recorded_game.read_game(id, db)
    effort = AnalysisBudget.default(len(game.moves))
    if depth is not None or seconds is not None:
        effort = AnalysisBudget(depth=depth, seconds=seconds)
    game = recorded_game.analysed(game, effort=effort, trust=trust_rules, db=db)
    start, plies = recorded_rules.start(game, trust=trust_rules), game.analysis
    whole = replay(game, trust=trust_rules).game
    if html is not None:
        from arena.pages.replay_page import page

        write_file(html, page(game, trust=trust_rules).text)
    if svg is not None:
        from arena.pages.game import judged_values

        write_file(svg, judged_values(whole.analysis, game.players, bounds=start.bounds))
    if shown.format is OutputFormat.JSON:
        show_json(_document(game, start, plies, shown))
    elif not shown.in_words:
        show(plies, _columns(game, start), shown)
    else:
        _show(whole, start, plies=plies, effort=effort)
        with Database(db, create=False) as database, database.reading() as connection:
            ask = partial(rerun.can_run, connection, submissions(database), game)
            for line in _first(game, start, plies=whole.analysis, effort=effort, can_debug=ask):
                print(line)


_A_MINUTE: Final = 60.0
"""Total time for the deeper analysis that is suggested, in seconds."""


def _columns(game: PastGame, start: State[Any]) -> Iterator[Column[JudgedPly]]:
    """The columns of the plies. `before` and `after` are for programs values for seat 0."""
    from arena.history.documents import finite

    def judged(name: str) -> Iterator[Column[JudgedPly]]:
        of = attrgetter(name)

        def figure(ply: JudgedPly) -> str:
            seat = (_own(game) or 0) if start.players <= 2 else ply.who if isinstance(ply.who, int) else 0
            return _figure(of(ply), seat)

        def values(ply: JudgedPly) -> list[float | None]:
            return finite(of(ply).values) or []

        yield Column(name, value=lambda ply: values(ply)[0] if of(ply).known else None, text=figure, number=True)
        yield Column(f"{name}_exact", value=lambda ply: of(ply).exact, on=PROGRAMS)
        yield Column(f"{name}_distance", value=lambda ply: of(ply).distance, on=PROGRAMS)
        yield Column(f"{name}_values", value=values, on=Medium.JSON)

    def player(ply: JudgedPly) -> str | None:
        return game.players[ply.who] if isinstance(ply.who, int) else None

    yield Column("ply", number=True)
    yield Column("who", on=PROGRAMS)
    yield Column("player", value=player, text=lambda ply: player(ply) or str(ply.who), narrow=7)
    yield Column("move")
    yield from judged("before")
    yield from judged("after")
    yield Column("loss", on=PROGRAMS)
    yield Column("mark", " ", value=lambda ply: str(ply.mark))
    yield Column("better", value=lambda ply: list(ply.better))
    yield Column("answer", value=lambda ply: list(ply.answer), on=Medium.JSON)
    yield Column("depth", on=PROGRAMS)


def _document(game: PastGame, start: State[Any], plies: Sequence[JudgedPly], shown: Shown) -> dict[str, Any]:
    """The JSON document. `before` and `after` are values for seat 0."""
    from arena.student.analysis import summaries

    seats = [
        {"seat": one.seat, "player": game.players[one.seat], **to_builtins(one)}
        for one in summaries(plies, start.players)
    ]
    moves = shown.documents(plies, [*_columns(game, start)])
    heading = {"id": game.id, "game": game.game, "players": game.players, "hidden": start.hidden}
    return heading | {"moves": moves, "seats": seats}


def _own(game: PastGame) -> int | None:
    """The seat of the only player that is not built-in, to whom the analysis speaks; None unless there is one."""
    from agents import builtin

    seats = [seat for seat, player in enumerate(game.players) if not builtin.is_builtin(player.partition("#")[0])]
    return seats[0] if len(seats) == 1 else None


# The table.


def _show(game: PastGame, start: State[Any], plies: Sequence[JudgedPly], effort: AnalysisBudget) -> None:
    for line in [
        *recorded_game.header(game),
        *recorded_game.ending(game),
        "",
        *_explained(game, start, plies=plies, effort=effort),
        "",
    ]:
        print(wrapped(line))
    show(game.analysis, _columns(game, start))
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
    from arena.student.analysis import fault_and_mistake

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
