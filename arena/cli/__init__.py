"""The command line, one file a group of commands.

Commands read arguments, call what does the work, and print; nothing is decided here. Heavy imports stand inside the
commands that need them, so that every command starts at once.
"""

import typer

from arena.cli import catalog

app = typer.Typer(
    help="A referee and tournament server for game-playing agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
catalog.add_to(app)
