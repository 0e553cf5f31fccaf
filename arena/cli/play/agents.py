"""`arena agents`: the built-in agents and their options, and the engines on this machine."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from adsearch import games
from adsearch.errors import quote
from agents import builtin
from agents.builtin import BuiltIn
from agents.errors import CannotPlay
from arena import engines
from arena.cli.terminal.listings import Shown, listed, show
from arena.errors import BadPlayer
from arena.players import engines as known_engines
from arena.results.columns import Column, Medium, fields, worded

AGENTS: Final = worded(
    Column("name", "agent"),
    Column("chance", text=lambda row: "yes" if row["chance"] else "-"),
    Column("hidden", text=lambda row: "yes" if row["hidden"] else "-"),
    Column("several", text=lambda row: "yes" if row["several"] else "-"),
    *fields(("program", "options"), on=Medium.JSON),
    Column("about"),
)
OPTIONS: Final[tuple[Column[dict[str, Any]], ...]] = worded(
    Column("name", "option"),
    Column("default", text=lambda row: "-" if row["default"] is None else str(row["default"]).lower()),
    Column("expected"),
    Column("about"),
)
OPTIONS_OF_ENGINE: Final = (*OPTIONS[:-1], Column("about", on=Medium.JSON))
"""Engines do not explain their options."""


@listed(
    lambda: AGENTS,
    about={
        "name, about, program": "`program` is the path of an engine's program; else null",
        "chance, hidden, several": "whether it plays such games; `several`: more than two players",
        "options": (
            'an array of `{"name", "default", "expected", "about"}`, which `arena agents NAME` prints alone; '
            "empty for an engine in the list"
        ),
    },
)
def list_agents(
    shown: Shown,
    name: Annotated[
        str | None, typer.Argument(metavar="AGENT", help="Built-in agent or engine whose options to list.")
    ] = None,
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Game that the agents can play.")] = None,
) -> None:
    """List the built-in agents (opponents) and the engines on this machine, or the options of one.

    The columns chance, hidden and several say which agents play games with chance, with hidden information, and for
    more than two players.

    Example: arena agents --game pig

    Example: arena agents alphabeta

    Example: arena agents uci:stockfish
    """
    if name is not None and known_engines.is_engine(name):
        found = _options_of_engine(name, game)
        if shown.is_table:
            print(f"options follow a question mark: {name.partition('?')[0]}?NAME=VALUE&NAME=VALUE\n")
        show(found, OPTIONS_OF_ENGINE, shown)
        return
    if name is not None:
        if name not in builtin.names() and (corrected := known_engines.corrected(name)) is not None:
            raise BadPlayer(f"no agent {quote(name)}; did you mean {quote(corrected)}?")
        found_one = builtin.find(name)
        if game is not None:
            builtin.check_can_play(name, games.start(game))
        if shown.is_table:
            print(f"{found_one.name}: {found_one.about}\n")
        show(_row(found_one)["options"], OPTIONS, shown)
        return
    able = [agent for agent in builtin.every() if game is None or _can_play(agent, game)]
    show([*map(_row, able), *_engines(game)], AGENTS, shown)


def _row(agent: BuiltIn) -> dict[str, Any]:
    options = [
        {"name": option.name, "default": option.default, "expected": option.expected, "about": option.about}
        for option in agent.settings
    ]
    kinds = {kind: kind in agent.kinds for kind in ("chance", "hidden", "several")}
    return {"name": agent.name, "about": agent.about, "program": None, **kinds, "options": options}


def _options_of_engine(text: str, game: str | None) -> list[dict[str, Any]]:
    """The options of the engine that `text` names, which is started for that; none if it names no engine."""
    from arena.players import entrants  # here and below: they load the walls
    from arena.players.player import read_player

    player = read_player(text)
    if player.engine is None:
        return []
    if game is not None:
        entrants.check_game(text, player.engine, game)
    protocol = engines.find(player.engine.protocol)
    start = games.start(protocol.game)
    return [
        {"name": option.name, "default": option.default, "expected": option.expected, "about": ""}
        for option in entrants.options_of(player, player.engine, start.position())
        if protocol.can_be_set(option.name)
    ]


def _engines(game: str | None) -> list[dict[str, Any]]:
    """The rows of the engines on this machine that can play the game."""
    wanted = None if game is None else games.find(game)[0].name
    return [
        {"name": protocol.player(engine), "about": engine.about, "program": program, "options": []}
        | {"chance": games.find(protocol.game)[0].chance, "hidden": False, "several": False}
        for protocol, engine, program in known_engines.installed()
        if wanted in (None, protocol.game)
    ]


def _can_play(agent: BuiltIn, game: str) -> bool:
    try:
        builtin.check_can_play(agent.name, games.start(game))
    except CannotPlay:
        return False
    return True
