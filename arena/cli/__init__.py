"""The command line, one file a group of commands.

Commands read arguments, call what does the work, and print; nothing is decided here. Heavy imports stand inside the
commands that need them, so that every command starts at once.
"""

from typing import Annotated

import typer

from arena.cli import (
    agents,
    catalog,
    db,
    doctor,
    exchange,
    grades,
    history,
    play,
    rank,
    replay,
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


catalog.add_to(app)
agents.add_to(app)
play.add_to(app)
search.add_to(app)
solve.add_to(app)
run.add_to(app)
standings.add_to(app)
rank.add_to(app)
versus.add_to(app)
grades.add_to(app)
history.add_to(app)
replay.add_to(app)
exchange.add_to(app)
rulings.add_to(app)
db.add_to(app)
doctor.add_to(app)
