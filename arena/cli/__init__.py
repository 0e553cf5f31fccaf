"""The command line: a folder for each panel of `arena --help`, `terminal` for the screen, `asking` for shared options.

Commands read arguments, call what does the work, and print; nothing is decided here. A command's file is imported when
the command is asked for, and heavy imports stand inside the commands that need them, so that every one starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typer.models import CommandInfo, TyperInfo

PANELS: Final = {
    "Play": ("play", {"play": "play", "run": "run", "demo": "run", "games": "games", "agents": "agents"}),
    "Write an agent": (
        "write",
        {"new": "new", "check": "check", "climb": "climb", "debug": "debug", "analyse": "analyse"},
    ),
    "Look back": (
        "look",
        {
            "history": "history",
            "show": "history",
            "logs": "history",
            "replay": "replay",
            "tournaments": "standings",
            "standings": "standings",
            "crosstable": "standings",
            "rank": "rank",
            "versus": "versus",
            "progress": "versus",
            "export": "exchange",
            "import": "exchange",
            "sql": "exchange",
        },
    ),
    "Search explained": ("search", {"trace": "trace", "tree": "trace", "solve": "solve", "compare": "solve"}),
    "Give a course": (
        "teach",
        {
            "init": "init",
            "collect": "collect",
            "grades": "grades",
            "report": "report",
            "bundle": "bundle",
            "void": "rulings",
            "award": "rulings",
            "withdraw": "rulings",
            "release": "rulings",
            "judge": "judge",
            "exercise": "exercise",
        },
    ),
    "This machine": ("machine", {"doctor": "doctor", "db": "db"}),
}
"""The panels of the help by who uses them: the folder of each, and the module of each of its commands."""


class Commands(TyperGroup):
    """All commands. Each is made of its file when somebody asks for it."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return [name for _, commands in PANELS.values() for name in commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for title, (folder, commands) in PANELS.items():
            if cmd_name in commands:
                if cmd_name not in self.commands:
                    self.commands.update(_made(f"arena.cli.{folder}.{commands[cmd_name]}", title))
                return self.commands[cmd_name]
        # A typo: the message suggests one of these.
        self.commands = dict.fromkeys(self.list_commands(ctx), self)
        return None


def _made(module: str, title: str) -> Mapping[str, Any]:
    """The commands of a module, which the help shows under that title."""
    from arena.cli.terminal.completion import complete

    app = typer.Typer()
    import_module(module).add_to(app)
    added: list[CommandInfo | TyperInfo] = [*app.registered_commands, *app.registered_groups]
    for one in added:
        one.rich_help_panel = title
    commands = get_group(app).commands
    for command in commands.values():
        command.help = _unfolded(command.help or "")
        complete(command)
    return commands


def _unfolded(help: str) -> str:
    """A docstring whose paragraphs are as wide as the terminal, not as the source."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in help.split("\n\n"))


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"arena-referee {version('arena-referee')}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every command tells more, with examples: arena play --help",
)


@app.callback()
def arena(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """A referee and tournament server for game-playing agents."""
