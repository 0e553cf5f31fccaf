"""The command line: a folder for each panel of `arena --help`, `terminal` for the screen, `asking` for shared options.

Start at `PANELS`: it says in which file each command is. A command is a function that reads its arguments, calls what
does the work, and prints. It may import all other rooms, but heavy modules (SQLAlchemy, NumPy, ZeroMQ, Rich) only
inside functions: `arena --help` imports every command's file, and must answer at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_group

PANELS: Final = {
    "Play": (
        "play",
        {
            "play": "play.play",
            "run": "run.run",
            "demo": "run.demo",
            "games": "games.list_games",
            "agents": "agents.list_agents",
        },
    ),
    "Write an agent": (
        "write",
        {
            "new": "new.new",
            "check": "check.check",
            "climb": "climb.climb",
            "debug": "debug.debug",
            "analyse": "analyse.analyse",
        },
    ),
    "Look at results": (
        "look",
        {
            "history": "history.history",
            "show": "history.show_game",
            "logs": "history.logs",
            "replay": "replay.replay",
            "tournaments": "standings.tournaments",
            "standings": "standings.standings",
            "crosstable": "standings.crosstable",
            "rank": "rank.rank",
            "versus": "versus.versus",
            "progress": "progress.progress",
            "export": "export_import.export",
            "import": "export_import.import_games",
            "sql": "sql.sql",
        },
    ),
    "Search explained": (
        "search",
        {"trace": "trace.trace", "tree": "trace.tree", "solve": "solve.solve", "compare": "solve.compare"},
    ),
    "Teach a course": (
        "teach",
        {
            "init": "init.init",
            "collect": "collect.collect",
            "grades": "grades.grades",
            "report": "report.report",
            "bundle": "bundle.bundle",
            "void": "rulings.void",
            "award": "rulings.award",
            "withdraw": "rulings.withdraw",
            "release": "rulings.release",
            "revoke": "rulings.revoke",
            "rulings": "rulings.rulings",
            "judge": "judge.judge",
            "exercise": "exercise.exercise",
        },
    ),
    "This machine": ("machine", {"doctor": "doctor.doctor", "db": "db.commands"}),
}
"""The panels of the help by who uses them: the folder of each, and the module and function of each of its commands."""
GUIDE: Final = """\
arena referees games between agents, and keeps every game on record.

A student writes an agent:
  arena new my_agent.py --game connect4     write a small agent that plays
  arena check my_agent.py --game connect4   test whether it is ready
  arena play connect4 my_agent.py random    watch it play

An instructor runs a tournament:
  arena init cs101                          write its description, cs101.toml
  arena collect submissions.zip --roster roster.csv --tournament cs101.toml
  arena run cs101.toml                      play; again after a break: go on

A reader looks at results:
  arena standings                           who leads
  arena rank                                how strong everybody is, how surely
  arena replay last                         step through the last game

arena --help lists all commands; arena COMMAND --help explains one.
"""
"""What `arena` prints without a command."""


class Commands(TyperGroup):
    """All commands. Each is made of its file when somebody asks for it."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return [name for _, commands in PANELS.values() for name in commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for title, (folder, commands) in PANELS.items():
            if cmd_name in commands:
                if cmd_name not in self.commands:
                    self.commands[cmd_name] = _made(cmd_name, f"arena.cli.{folder}.{commands[cmd_name]}", title)
                return self.commands[cmd_name]
        # A typo: the message suggests one of these.
        self.commands = dict.fromkeys(self.list_commands(ctx), self)
        return None


def _made(name: str, place: str, title: str) -> Any:
    """The command of that name, made of the function (or the group) at `place`; the help shows it under that title."""
    from arena.cli.terminal.completion import complete

    module, _, function = place.rpartition(".")
    found = getattr(import_module(module), function)
    app = typer.Typer()
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name, rich_help_panel=title)
    else:
        app.command(name, rich_help_panel=title)(found)
    command = get_group(app).commands[name]
    command.help = _unfolded(command.help or "")
    complete(command)
    return command


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
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every command tells more, with examples: arena play --help",
)


@app.callback()
def arena(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """A referee and tournament server for game-playing agents."""
    if context.invoked_subcommand is None:
        print(GUIDE, end="")
