"""The command line: a folder for each panel of `arena --help`, `terminal` for the screen, `asking` for shared options.

Start at `PANELS`, which names the file of each command. A command is a function that reads its arguments, calls the
room that does the work, and prints. It can import all other rooms, but heavy modules (SQLAlchemy, NumPy, ZeroMQ, Rich)
only inside functions: `arena --help` imports every command's file and must stay fast.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.completion import get_completion_inspect_parameters
from typer.core import TyperGroup
from typer.main import get_group

PANELS: Final = {
    "Play": (
        "play",
        {
            "play": "play.play",
            "matrix": "matrix.matrix",
            "run": "run.run",
            "worker": "worker.worker",
            "demo": "run.demo",
            "games": "games.list_games",
            "agents": "agents.list_agents",
            "uci": "as_engine.uci",
            "gtp": "as_engine.gtp",
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
    "Ladder": (
        "ladder",
        {
            "ladder": "ladder.commands",
            "serve": "serve.serve",
            "submit": "submit.submit",
            "watch": "watch.watch",
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
            "hosts": "hosts.hosts",
            "export": "export_import.export",
            "import": "export_import.import_games",
            "sql": "sql.sql",
        },
    ),
    "Search explained": (
        "search",
        {
            "trace": "trace.trace",
            "tree": "trace.tree",
            "solve": "solve.solve",
            "tables": "tables.tables",
            "size": "size.size",
            "compare": "compare.compare",
            "judge": "judge.judge",
            "exercise": "exercise.exercise",
        },
    ),
    "Teach a course": (
        "teach",
        {
            "init": "init.init",
            "invite": "invite.invite",
            "collect": "collect.collect",
            "similar": "similar.similar",
            "grades": "grades.grades",
            "feedback": "feedback.feedback",
            "report": "report.report",
            "bundle": "bundle.bundle",
            "void": "rulings.void",
            "award": "rulings.award",
            "withdraw": "rulings.withdraw",
            "release": "rulings.release",
            "revoke": "rulings.revoke",
            "rulings": "rulings.rulings",
        },
    ),
    "This machine": ("machine", {"doctor": "doctor.doctor", "db": "db.commands"}),
}
"""The panels of `arena --help`: the folder of each panel, and the module and function of each command."""
_GUIDE: Final = """\
arena plays games between agents, keeps their clocks and records every game.

  arena new my_agent.py --game connect4     create a small agent that plays
  arena check my_agent.py --game connect4   test it: rules, speed, crashes
  arena climb my_agent.py --game connect4   play ever stronger opponents
  arena play connect4 human my_agent.py     play against it yourself
  arena history                             list the games that were played
  arena replay last                         step through the last game
  arena analyse last                        find the mistakes of that game
  arena debug last                          run your agent again at one move

arena COMMAND --help explains a command, with examples.
arena --help lists all commands; for courses and tournaments too.
"""


def guide(columns: int) -> str:
    """What `arena` prints without a command. If a line is wider than `columns`, each description is below its
    command, and other texts are wrapped; commands are never broken, because users copy them."""
    if max(map(len, _GUIDE.splitlines())) <= columns:
        return _GUIDE.rstrip()
    from arena.cli.terminal.wrapping import wrapped

    lines = []
    for line in re.sub(r"(?<=\S) {3,}", "\n      ", _GUIDE.rstrip()).splitlines():
        more = " " * 6 if line.startswith("      ") else ""
        lines.append(line if line.startswith("  arena") else wrapped(line, more=more, width=columns))
    return "\n".join(lines)


class Commands(TyperGroup):
    """All commands. A command's file is imported when the command is first needed."""

    def get_params(self, ctx: Any) -> Any:
        from arena.cli.terminal.coercion import lazily

        return lazily(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return [name for _, commands in PANELS.values() for name in commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for title, (folder, commands) in PANELS.items():
            if cmd_name in commands:
                if cmd_name not in self.commands:
                    self.commands[cmd_name] = _made(cmd_name, f"arena.cli.{folder}.{commands[cmd_name]}", title)
                return self.commands[cmd_name]
        # The name is a typo: Typer's error suggests one of these.
        self.commands = dict.fromkeys(self.list_commands(ctx), self)
        return None


def _made(name: str, place: str, title: str) -> Any:
    """The command `name`, made from the function or group at `place`, for the panel `title` of the help."""
    from arena.cli.terminal.coercion import convert_lazily
    from arena.cli.terminal.completion import complete

    module, _, function = place.rpartition(".")
    found = getattr(import_module(module), function)
    app = typer.Typer()
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name, rich_help_panel=title)
    else:
        app.command(name, rich_help_panel=title)(found)
    command = get_group(app).commands[name]
    for each in (command, *getattr(command, "commands", {}).values()):
        each.help = _unfolded(each.help or "")
    complete(command)
    convert_lazily(command)
    return command


def _unfolded(help: str) -> str:
    """The docstring with each paragraph on one line, so that Rich can wrap it to the terminal's width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in help.split("\n\n"))


def _show_version(wanted: bool) -> None:
    if wanted:
        from arena import installation

        print(installation.software())
        raise typer.Exit


def _show_completion(wanted: bool) -> None:
    if wanted:
        from arena.cli.terminal import completion_scripts

        completion_scripts.show()


def _install_completion(wanted: bool) -> None:
    if wanted:
        from arena.cli.terminal import completion_scripts

        completion_scripts.install()


# Typer then answers the scripts of arena/cli/terminal/completion_scripts.py as each shell needs it.
get_completion_inspect_parameters()
app = typer.Typer(
    cls=Commands,
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="arena COMMAND --help explains one command, with examples: arena play --help",
)


@app.callback()
def arena(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
    install_completion: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--install-completion",
            help="Let this shell (bash, zsh or fish) complete commands, and exit.",
            callback=_install_completion,
            is_eager=True,
        ),
    ] = False,
    show_completion: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--show-completion",
            help="Print what --install-completion writes for this shell, and exit.",
            callback=_show_completion,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Play, test, rank and teach with game-playing agents: a referee and tournament server."""
    if context.invoked_subcommand is None:
        from arena.cli.terminal.wrapping import line_width

        print(guide(line_width()))
