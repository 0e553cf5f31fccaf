"""`arena course init`: creates the description of a tournament or a ladder, and a roster with aliases from a learning
system's list."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from adsearch import games
from arena.cli.terminal.files import read_file
from arena.errors import ArenaError
from arena.history.words import printable


def init(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the tournament, or file to create: cs101, cs101.toml.")
    ],
    game: Annotated[
        str, typer.Option(metavar="GAME", help="Game of the tournament, with options if needed.")
    ] = "connect4",
    ladder: Annotated[bool, typer.Option("--ladder", help="A ladder instead, which `arena serve` runs.")] = False,
    roster: Annotated[
        str | None,
        typer.Option(
            "--roster",
            metavar="FILE",
            help="List of the students, as Moodle, Canvas, Blackboard or ILIAS export it (.csv, .xls, .xlsx).",
            show_default="none",
        ),
    ] = None,
    teams: Annotated[
        bool, typer.Option("--teams", help="One agent for each group of the list; otherwise for each student.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the aliases; keep it secret.", show_default="random")
    ] = None,
) -> None:
    """Create the description of a tournament, or of a ladder: a TOML file with the settings that most need.

    `arena run` can play it immediately, with built-in agents; `arena serve` can run a ladder immediately. With
    --roster it names the roster of the course: a copy of the list with an alias for each student, or the list itself
    if each student has an alias already. Existing files are never overwritten.

    Example: arena course init cs101

    Example: arena course init cs101 --game othello:size=6

    Example: arena course init lab --ladder

    Example: arena course init cs101 --roster participants.csv --teams
    """
    from arena.student import starter

    if roster is None and (teams or seed is not None):
        raise typer.BadParameter("--teams and --seed are for the aliases of a roster: add --roster FILE")
    path = starter.description_file(name)
    start = games.start(game)
    if ladder and start.players != 2:
        raise typer.BadParameter(f"a ladder needs a game for 2 players, {game} is for {start.players}")

    def described(roster: str | None) -> str:
        if ladder:
            return starter.ladder(path.stem, game, datetime.now(UTC).astimezone().date(), roster=roster)
        return starter.tournament(path.stem, game, start, roster=roster)

    if roster is None:
        starter.write(path, described(None))
    else:
        _with_roster(path, described, roster, teams=teams, seed=seed)
    file = shlex.quote(str(path))
    if ladder:
        what = f"ladder of {game}, open for {starter.LADDER_WEEKS} weeks"
        commands = [f"arena serve {file}", f"arena submit my_agent.py --as alice --ladder {shlex.quote(path.stem)}"]
    else:
        what = f"tournament of {game}"
        collects = f"arena course collect {file} submissions.zip{'' if roster else ' --roster roster.csv'}"
        commands = [f"arena run {file} --plan", collects, f"arena run {file}"]
    print(printable(f"{path} describes a {what}; `arena docs reference` has all settings. Next:"))
    for command in commands:
        print(printable(f"  {command}"))


def _with_roster(
    path: Path, described: Callable[[str | None], str], file: str, *, teams: bool, seed: int | None
) -> None:
    """Write the description and, if a student in the list `file` has no alias yet, the roster beside it."""
    from random import Random, SystemRandom

    from arena.course.aliases import with_aliases
    from arena.course.collecting.hand_in import agent_names
    from arena.student import starter

    made = with_aliases(*read_file(file, "a roster"), SystemRandom() if seed is None else Random(seed), teams=teams)
    copy = path.with_name(f"{path.stem}.roster.csv")
    copied = bool(made.drawn) or file == "-"
    named = copy.name if copied else os.path.relpath(Path(file).expanduser(), path.parent)
    text = described(named)
    if copied:
        starter.check_new(path)  # so that no roster remains without its description
        starter.write(copy, made.text)
    try:
        starter.write(path, text)
    except ArenaError:
        if copied:
            copy.unlink()
        raise
    agents = set(agent_names(made.roster).values())
    print(printable(f"{copy if copied else file}: {len(made.roster.students)} students, {len(agents)} agents"))
