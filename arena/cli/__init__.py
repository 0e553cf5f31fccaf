"""The command line, one file a group of commands.

Commands read arguments, call what does the work, and print; nothing is decided here. Heavy imports stand inside the
commands that need them, so that every command starts at once.
"""

from typing import Annotated, Final

import typer

from arena.cli import (
    agents,
    analyse,
    bundle,
    catalog,
    check,
    climb,
    collect,
    db,
    debug,
    doctor,
    exchange,
    exercise,
    grades,
    history,
    init,
    judge,
    new,
    play,
    rank,
    replay,
    report,
    rulings,
    run,
    search,
    solve,
    standings,
    versus,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"arena-referee {version('arena-referee')}")
        raise typer.Exit


app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def arena(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """A referee and tournament server for game-playing agents."""


_GROUPS: Final = {
    "Play": (play, run, catalog, agents),
    "Write an agent": (new, check, climb, debug, analyse),
    "Look back": (standings, history, replay, rank, versus, exchange),
    "Search explained": (search, solve),
    "Give a course": (init, collect, grades, report, bundle, rulings, judge, exercise),
    "This machine": (doctor, db),
}
"""The commands by who uses them, as the help shows them."""

for _title, _group in _GROUPS.items():
    _before = len(app.registered_commands), len(app.registered_groups)
    for _commands in _group:
        _commands.add_to(app)
    for _command in (*app.registered_commands[_before[0] :], *app.registered_groups[_before[1] :]):
        _command.rich_help_panel = _title
