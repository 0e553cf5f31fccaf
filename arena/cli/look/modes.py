"""`arena replay`: one command with five ways to look at a recorded game.

Each way is a function in a file of its own, imported when it is asked for. An option belongs to some of the ways; with
another one it is refused, so that nothing that was typed is ignored.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer
from msgspec.structs import asdict

from arena.cli.asking.record_options import DatabaseOption, GameIdArgument, HtmlOption, TrustOption
from arena.cli.asking.recorded_game import AnalyseOption
from arena.cli.terminal.listings import TABLE, Shown, listed

_STEP: Final = "stepping"
_LISTING: Final = ("--format", "--columns", "--sort", "--reverse", "--limit")
_OPTIONS: Final = {
    _STEP: ("--ply", "--html", "--svg", "--animated", "--analyse"),
    "--show": ("--ply", "--svg", *_LISTING),
    "--mistakes": ("--depth", "--seconds", "--html", "--svg", *_LISTING),
    "--logs": ("--seat", "--agent", *_LISTING),
    "--debug": ("--ply", "--turn", "--file"),
}
"""The options of each mode, besides --trust-rules and --db, which all modes take."""


def _mode(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel="Modes (default: step through the game)")


def _option(help: str, modes: str, **more: Any) -> Any:
    return typer.Option(help=f"{help} ({modes})", **more)


@listed()
def replay(
    id: GameIdArgument,
    shown: Shown,
    show: Annotated[bool, _mode("Players, moves, clocks, board and result.")] = False,
    mistakes: Annotated[bool, _mode("The value of each move, the mistakes, and better moves.")] = False,
    logs: Annotated[bool, _mode("What the agents printed: logs, tracebacks and debug output (stderr).")] = False,
    debug: Annotated[bool, _mode("Run an agent again at one turn, with `breakpoint()` and `print`.")] = False,
    ply: Annotated[
        int | None,
        _option("Position after ply N; 0 is the start.", "stepping, --show, --debug", metavar="N", min=0),
    ] = None,
    turn: Annotated[
        int | None,
        _option(
            "Ply that is decided again, a turn of the agent.",
            "--debug",
            metavar="N",
            min=1,
            show_default="the turn that failed, or else the last turn of an agent that is not built in",
        ),
    ] = None,
    file: Annotated[
        str | None, _option("Agent to run instead, such as the corrected file.", "--debug", metavar="FILE")
    ] = None,
    depth: Annotated[int | None, _option("Search depth in plies.", "--mistakes", metavar="N", min=1, max=100)] = None,
    seconds: Annotated[
        float | None,
        _option("Search time for each position.", "--mistakes", metavar="SECONDS", min=0.001, max=3600),
    ] = None,
    seat: Annotated[
        int | None, _option("Only the player in this seat, 0 is the first.", "--logs", metavar="N", min=0)
    ] = None,
    agent: Annotated[str | None, _option("Only this player.", "--logs", metavar="AGENT")] = None,
    html: HtmlOption = None,
    svg: Annotated[
        Path | None,
        _option(
            "SVG file: one board, the curve of values, or with --animated the whole game.",
            "--show, --mistakes, stepping",
            metavar="FILE",
        ),
    ] = None,
    animated: Annotated[bool, _option("With --svg: the game as one moving picture.", "stepping")] = False,
    analyse: AnalyseOption = False,
    trust_rules: TrustOption = False,
    db: DatabaseOption = None,
) -> None:
    """Replay a recorded game: step through it, or see its mistakes, its logs, or an agent's thinking.

    Stepping shows boards, clocks, mistakes and the agents' output. Press the right arrow for the next move and ? for
    all keys. Into a file or a pipe the whole game is printed. If the game was analysed, ? and ?? mark the mistakes, and
    the better move is shown; --analyse does that first. The HTML page needs no network. It contains everything that the
    agents printed, so share it with care. An animated SVG shows the boards alone: in a browser, in slides, in a README.

    --show prints one game; its JSON has everything that is recorded, its CSV the moves.

    --mistakes searches the position before and after each move. Values are for your agent if its opponent is built-in,
    else for seat 0; CSV and JSON always have those for seat 0. By default the whole analysis takes a few seconds and
    gives the same result each time. The last analysis of a game is kept.

    --logs prints the end of each agent's output; the database keeps more of it after a fault.

    --debug runs the agent in this terminal from the recorded source, without a sandbox and without a clock. First it
    plays its earlier turns again, silently and without stopping at breakpoints, so that it is in the same state as in
    the game. Mistakes with positions, such as a result of state.play(m) that is thrown away, are named with their line,
    as in arena check.

    Example: arena replay last

    Example: arena replay last --mistakes

    Example: arena replay last --debug --turn 6 --file my_agent.py

    Example: arena replay demo-12 --show --ply 6 --svg board.svg

    Example: arena replay demo-12 --logs --agent mcts
    """
    asked = {"--show": show, "--mistakes": mistakes, "--logs": logs, "--debug": debug}
    given: dict[str, Any] = {"--ply": ply, "--turn": turn, "--file": file, "--depth": depth, "--seconds": seconds}
    given |= {"--seat": seat, "--agent": agent, "--html": html, "--svg": svg}
    given |= {"--animated": animated or None, "--analyse": analyse or None}
    given |= {f"--{name}": value for name, value in asdict(shown).items() if value != getattr(TABLE, name)}
    match _chosen([name for name, wanted in asked.items() if wanted], given):
        case "--show":
            from arena.cli.look.history import show_game

            show_game(id, ply=ply, svg=svg, trust_rules=trust_rules, shown=shown, db=db)
        case "--mistakes":
            from arena.cli.look.analyse import mistakes as show_mistakes

            show_mistakes(
                id, depth=depth, seconds=seconds, html=html, svg=svg, trust_rules=trust_rules, shown=shown, db=db
            )
        case "--logs":
            from arena.cli.look.history import show_logs

            show_logs(id, seat=seat, agent=agent, shown=shown, db=db)
        case "--debug":
            from arena.cli.look.debug import debug as run_again

            if ply is not None and turn is not None:
                raise typer.BadParameter(
                    f"expected --ply or --turn, got both; --ply {ply} is the same as --turn {ply + 1}"
                )
            run_again(id, turn=turn if ply is None else ply + 1, file=file, trust_rules=trust_rules, db=db)
        case _:
            from arena.cli.look.replay import step_through

            step_through(
                id, ply=ply, html=html, svg=svg, animated=animated, analyse=analyse, trust_rules=trust_rules, db=db
            )


def _chosen(modes: list[str], given: dict[str, Any]) -> str:
    """The mode that was asked for; BadParameter for two modes, and for an option of another mode."""
    if len(modes) > 1:
        raise typer.BadParameter(f"expected one of {', '.join(list(_OPTIONS)[1:])}, got {' and '.join(modes)}")
    mode = modes[0] if modes else _STEP
    for option, value in given.items():
        if value is not None and option not in _OPTIONS[mode]:
            takers = " or ".join(name for name, options in _OPTIONS.items() if option in options)
            raise typer.BadParameter(f"{option} is an option of {takers}, not of {mode}")
    return mode
