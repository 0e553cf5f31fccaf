"""The command line: a folder for each kind of user, `machine` for the machine, `terminal` for the screen, `asking` for
shared options.

Start at `COMMANDS` and `GROUPS`, which name the file of each command. A command is a function that reads its arguments,
calls the room that does the work, and prints. It can import all other rooms, but heavy modules (SQLAlchemy, NumPy,
ZeroMQ, Rich) only inside functions: `arena --help` imports the files of the commands that it describes, and must stay
fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.completion import get_completion_inspect_parameters
from typer.core import TyperGroup
from typer.main import get_group

COMMANDS: Final = {
    "new": "write.new.new",
    "check": "write.check.check",
    "play": "play.play.play",
    "climb": "write.climb.climb",
    "replay": "look.modes.replay",
    "submit": "ladder.submit.submit",
    "run": "play.run.run",
    "serve": "ladder.serve.serve",
    "games": "play.games.list_games",
    "agents": "play.games.list_agents",
    "matrix": "play.matrix.matrix",
    "demo": "play.run.demo",
    "doctor": "machine.doctor",
    "worker": "machine.worker",
    "docs": "machine.docs",
}
"""The folder, module and function of each command that is in no group."""


class CommandGroup(NamedTuple):
    """A group of commands."""

    about: str
    commands: Mapping[str, str]
    """The folder, module and function of each command."""
    default: str | None = None
    """The command that is meant where the first word is none."""


GROUPS: Final = {
    "results": CommandGroup(
        "Standings and ratings of a tournament, and other tables of results.",
        {
            "show": "look.standings.standings",
            "rank": "look.rank.rank",
            "crosstable": "look.standings.crosstable",
            "versus": "look.rank.versus",
            "progress": "look.rank.progress",
            "history": "look.history.history",
            "tournaments": "look.standings.tournaments",
            "hosts": "look.history.hosts",
        },
        default="show",
    ),
    "course": CommandGroup(
        "Collect, grade and answer the submissions of a course.",
        {
            "init": "teach.init.init",
            "collect": "teach.collect.collect",
            "similar": "teach.similar.similar",
            "grades": "teach.grades.grades",
            "feedback": "teach.report.feedback",
            "report": "teach.report.report",
            "bundle": "teach.report.bundle",
            "exercise": "search.exercise.exercise",
            "judge": "search.exercise.judge",
            "invite": "teach.invite.invite",
        },
    ),
    "ladder": CommandGroup(
        "Open, show or close a ladder, to which authors hand in agents until a deadline.",
        {
            "open": "ladder.ladder.open_",
            "show": "ladder.ladder.show",
            "close": "ladder.ladder.close",
            "reopen": "ladder.ladder.reopen",
            "extend": "ladder.ladder.extend",
            "final": "ladder.ladder.final",
            "watch": "ladder.watch.watch",
        },
    ),
    "rule": CommandGroup(
        "An instructor's recorded decisions about games and agents.",
        {
            "void": "teach.rulings.void",
            "again": "teach.rulings.again",
            "award": "teach.rulings.award",
            "withdraw": "teach.rulings.withdraw",
            "quarantine": "teach.rulings.quarantine",
            "release": "teach.rulings.release",
            "revoke": "teach.rulings.revoke",
            "list": "teach.rulings.rulings",
        },
    ),
    "search": CommandGroup(
        "See how search algorithms work, and compare them.",
        {
            "trace": "search.trace.trace",
            "tree": "search.trace.tree",
            "solve": "search.solve.solve",
            "tables": "search.solve.tables",
            "size": "search.size.size",
            "compare": "search.compare.compare",
        },
    ),
    "data": CommandGroup(
        "Write games to files, read them, ask in SQL; look after the database.",
        {
            "export": "look.data.export",
            "import": "look.data.import_games",
            "sql": "look.data.sql",
            "info": "look.data.info",
            "upgrade": "look.data.upgrade",
            "verify": "look.data.verify",
            "copy": "look.data.copy",
        },
    ),
    "engine": CommandGroup(
        "Let other programs play against an agent, over a protocol of engines.",
        {"uci": "play.as_engine.uci", "gtp": "play.as_engine.gtp"},
    ),
}
"""The groups of commands."""
MAIN: Final = ("new", "check", "play", "climb", "replay", "results", "submit", "run", "serve", "course")
"""What `arena --help` describes first; the other commands and groups are below."""
OLD_NAMES: Final = {
    **{
        name: f"{group} {name}"
        for group, names in {
            "course": "bundle collect exercise feedback grades init invite judge report similar",
            "data": "export import sql",
            "engine": "gtp uci",
            "ladder": "watch",
            "results": "crosstable history hosts progress rank tournaments versus",
            "rule": "award release revoke void withdraw",
            "search": "compare size solve tables trace tree",
        }.items()
        for name in names.split()
    },
    "analyse": "replay --mistakes",
    "debug": "replay --debug",
    "logs": "replay --logs",
    "show": "replay --show",
    "db": "data",
    "rulings": "rule list",
    "standings": "results show",
    "void --again": "rule again",
}
"""The commands of version 1.0 that have another name now; they still work. "void --again": `void` with that option."""
OLD_OPTIONS: Final = {("debug", "--ply"): "--turn"}
"""The options of these commands that have another name now."""
_MEANT: Final = "arena.meant"
"""Where a context keeps the first word after a group if that is no command."""
_GUIDE: Final = """\
arena plays games between agents, keeps their clocks and records every game.

  arena new my_agent.py --game connect4     create a small agent that plays
  arena check my_agent.py --game connect4   test it: rules, speed, crashes
  arena climb my_agent.py --game connect4   play ever stronger opponents
  arena play connect4 human my_agent.py     play against it yourself
  arena results history                     list the games that were played
  arena replay last                         step through the last game
  arena replay last --mistakes              find the mistakes of that game
  arena replay last --debug                 run your agent again at one move

arena COMMAND --help explains a command, with examples.
arena --help lists all commands; for courses and tournaments too.
"""


def guide(columns: int) -> str:
    """What `arena` prints without a command. If a line is wider than `columns`, each description is below its
    command, and other texts are wrapped; commands are never broken, because users copy them."""
    if max(map(len, _GUIDE.splitlines())) <= columns:
        return _GUIDE.rstrip()
    from arena.cli.terminal.notes import wrapped

    lines = []
    for line in re.sub(r"(?<=\S) {3,}", "\n      ", _GUIDE.rstrip()).splitlines():
        more = " " * 6 if line.startswith("      ") else ""
        lines.append(line if line.startswith("  arena") else wrapped(line, more=more, width=columns))
    return "\n".join(lines)


class Group(TyperGroup):
    """A group of commands. A command's file is imported when the command is first needed."""

    places: Mapping[str, str | CommandGroup] = MappingProxyType({})
    """Where each command is, or the group that it is."""
    default: str | None = None
    """The command that is meant where the first word is none."""

    def get_params(self, ctx: Any) -> Any:
        return lazily(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return [*self.places]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        place = self.places.get(cmd_name)
        if place is not None and cmd_name not in self.commands:
            made = _group(cmd_name, place) if isinstance(place, CommandGroup) else _made(cmd_name, place)
            self.commands[cmd_name] = made
        return self.commands.get(cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts the default command in front, unless the first word is a command or asks for help. A group without a
        default command shows its help."""
        if not args and not ctx.resilient_parsing and self.default is None and not self.invoke_without_command:
            args = [ctx.help_option_names[0]]
        if self._is_default(ctx, args):
            ctx.meta[_MEANT] = next(iter(args), "")
            args = [str(self.default), *args]
        return super().parse_args(ctx, args)

    def _is_default(self, ctx: Any, args: list[str]) -> bool:
        if self.default is None or (ctx.resilient_parsing and not args):
            return False
        return args[:1] not in [[word] for word in (*self.places, *ctx.help_option_names)]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.places and not ctx.resilient_parsing and not args[0].startswith("-"):
            ctx.fail(f"no command '{args[0]}'{_nearly(args[0], self._known())}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command. A word that is neither a command nor a name that the default command finds is a typo of
        one or the other."""
        from db.errors import NotFound

        try:
            return super().invoke(ctx)
        except NotFound as error:
            word = ctx.meta.get(_MEANT, "")
            if self.default is None or not word or repr(word) not in str(error):
                raise
            _, _, advice = str(error).partition(";")
            near = _nearly(word, self._known()) or f";{advice}" * bool(advice)
            raise NotFound(f"{word!r} is neither a tournament nor a command of {ctx.command_path}{near}") from None

    def _known(self) -> dict[str, str]:
        """What can be typed here, by the words that it can be mistaken for."""
        return {name: name for name in self.places}

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The commands, and what the first argument of the default command can be."""
        found = super().shell_complete(ctx, incomplete)
        if self.default is not None:
            command = self.get_command(ctx, self.default)
            argument = next(one for one in command.params if one.param_type_name == "argument")
            found += argument.shell_complete(ctx, incomplete)
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The commands, each with its first sentence and its first example."""
        from arena.cli.terminal.notes import line_width, wrapped

        width = line_width()
        word = f"[{'NAME | '}COMMAND]" if self.default else "COMMAND"
        lines = [f"Usage: {ctx.command_path} {word} ...", "", wrapped(self.help or "", more="", width=width), ""]
        wide = max(map(len, self.places))
        for name in self.places:
            about, example = _first_lines(self.get_command(ctx, name))
            lines.append(wrapped(about, begin=f"  {name:{wide}}  ", more=" " * (wide + 4), width=width))
            lines.append(f"{'':{wide + 4}}{example}")
        default = f" Without a command: {ctx.command_path} {self.default}." if self.default else ""
        lines += ["", wrapped(f"{ctx.command_path} COMMAND --help explains a command.{default}", more="", width=width)]
        formatter.write("\n".join(lines))


class Commands(Group):
    """All commands."""

    places: Mapping[str, str | CommandGroup] = MappingProxyType(
        {name: GROUPS.get(name) or COMMANDS[name] for name in dict.fromkeys((*MAIN, *GROUPS, *COMMANDS))}
    )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`arena help run` is `arena run --help`."""
        return super().parse_args(ctx, [*args[1:], ctx.help_option_names[0]] if args[:1] == ["help"] else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        return super().resolve_command(ctx, renamed(args))

    def _known(self) -> dict[str, str]:
        inner = {each: f"{name} {each}" for name, group in GROUPS.items() for each in group.commands}
        return inner | OLD_NAMES | super()._known()

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The commands; old names only if nothing else fits."""
        from arena.cli.terminal.completion import Completion

        return super().shell_complete(ctx, incomplete) or [
            Completion(name) for name in OLD_NAMES if " " not in name and name.startswith(incomplete)
        ]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The commands that most people need, each with its first sentence; then the names of all others."""
        from arena.cli.terminal.notes import line_width, wrapped

        width, wide = line_width(), max(map(len, self.places))

        def row(name: str, about: str) -> str:
            return wrapped(about, begin=f"  {name:{wide}}  ", more=" " * (wide + 4), width=width)

        lines = ["Usage: arena COMMAND ...", "", wrapped(self.help or "", more="", width=width), ""]
        for name in MAIN:
            group = GROUPS.get(name)
            lines.append(row(name, group.about if group else _first_lines(self.get_command(ctx, name))[0]))
        lines += ["", "Groups (arena GROUP lists their commands, with examples):"]
        lines += [row(name, " ".join(group.commands)) for name, group in GROUPS.items() if name not in MAIN]
        others = [name for name in COMMANDS if name not in MAIN]
        lines += ["", wrapped(f"More commands: {', '.join(others)}", width=width)]
        options = ", ".join(max(one.opts, key=len) for one in self.get_params(ctx))
        lines += [wrapped(f"Options: {options}", width=width), ""]
        lines.append("arena COMMAND --help explains a command, with examples: arena play --help")
        formatter.write("\n".join(lines))


def renamed(words: list[str]) -> list[str]:
    """The words of a command line, with the new names of a command and of its options in place of the old ones."""
    name, *rest = words
    for old, new in sorted(OLD_NAMES.items(), reverse=True):
        first, *options = old.split()
        if first == name and {*options} <= {*rest}:
            return [*new.split(), *(_renamed_option(name, word) for word in rest if word not in options)]
    return words


def _renamed_option(command: str, word: str) -> str:
    option, sign, value = word.partition("=")
    return OLD_OPTIONS.get((command, option), option) + sign + value


def _nearly(word: str, known: Mapping[str, str]) -> str:
    """The end of a message about an unknown command."""
    from difflib import get_close_matches

    close = get_close_matches(word.lower(), known, n=1)
    return f"; did you mean '{known[close[0]]}'?" if close else ""


def _first_lines(command: Any) -> tuple[str, str]:
    """The first sentence of a command's help, and its first example."""
    about, _, rest = command.help.partition("\n")
    found = re.search(r"^Example: (.*)$", rest, re.MULTILINE)
    return about, found[1] if found else ""


def _group(name: str, group: CommandGroup) -> Group:
    made = Group(name=name, help=group.about)
    made.places, made.default = group.commands, group.default
    return made


def _made(name: str, place: str) -> Any:
    """The command `name`, made from the function at `place`."""
    from arena.cli.terminal.completion import complete

    module, _, function = place.rpartition(".")
    app = typer.Typer()
    app.command(name)(getattr(import_module(f"arena.cli.{module}"), function))
    command: Any = get_group(app).commands[name]
    # Each paragraph on one line, so that Rich can wrap it to the terminal's width.
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n"))
    complete(command)
    get_params = command.get_params  # which adds --help at each call
    command.get_params = lambda ctx: lazily(get_params(ctx))
    return command


def _show_version(wanted: bool) -> None:
    if wanted:
        from arena import installation

        print(installation.software())
        raise typer.Exit


def _complete(parameter: typer.CallbackParam, wanted: bool) -> None:
    if wanted:
        from arena.cli.terminal import completion

        (completion.install if parameter.name == "install_completion" else completion.show)()


# Typer then answers the scripts of arena/cli/terminal/completion.py as each shell needs it.
get_completion_inspect_parameters()
app = typer.Typer(
    cls=Commands,
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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
            callback=_complete,
            is_eager=True,
        ),
    ] = False,
    show_completion: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--show-completion",
            help="Print what --install-completion writes for this shell, and exit.",
            callback=_complete,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Play, test, rank and teach with game-playing agents: a referee and tournament server."""
    if context.invoked_subcommand is None:
        from arena.cli.terminal.notes import line_width

        print(guide(line_width()))


# Values that need no conversion are not converted, because that imports pydantic: a tenth of a listing's time. Typer
# converts every value with it, even if none was given or if the parameter is a text. Here such values are used as they
# are. All others (numbers, enumerations, paths) are still converted by Typer.


class _LazyParameter:
    """Takes the place of the object that converts a parameter's values; makes it only for a value that needs it."""

    def __init__(self, get_runtime_param: Callable[[], Any], annotation: Any) -> None:
        """`get_runtime_param` makes Typer's object; `annotation` is the parameter's type in the command's function."""
        self._get_runtime_param = get_runtime_param
        self._annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value for the command's function."""
        if param.multiple or param.nargs != 1:
            if value is None:
                return None if param.nargs > 1 and not param.multiple else ()
            if not value or self._annotation == list[str]:
                return list(value)
        elif value is None or value is param.default or (type(value) is str and self._annotation is str):
            return value
        return self._get_runtime_param().coerce(value, param=param, ctx=ctx)


def lazily(parameters: list[Any]) -> list[Any]:
    """These parameters, changed so that their values are converted only if they need it."""
    for parameter in parameters:
        # Without these two, in another version of Typer, values are converted as usual.
        original = getattr(parameter, "get_runtime_param", None)
        if original and hasattr(parameter, "type_descriptor") and getattr(original, "func", None) is not _LazyParameter:
            parameter.get_runtime_param = partial(_LazyParameter, original, parameter.type_descriptor.annotation)
    return parameters
