"""`arena games` and `arena agents`: the games that can be played, with their rules and how to read a position, as text
and in Python; and who can play them.

Games and built-in agents are read from their catalogues, so a new one is listed without a change here.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator
from random import Random
from typing import Annotated, Any, Final

import typer

from adsearch import Option, State, games
from adsearch.errors import AdsearchError, quote
from adsearch.games import Game, catalog
from adsearch.state import CHANCE, how_written
from adsearch.terms import root_seat
from agents import builtin
from agents.builtin import BuiltIn
from agents.errors import CannotPlay
from arena import engines
from arena.cli.asking.game_options import MovesOption, PositionOption, asked_position
from arena.cli.asking.recorded_game import SvgOption, write_board
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import wrapped
from arena.errors import BadPlayer
from arena.players import engines as known_engines
from arena.results.columns import Column, Medium, fields, worded

_PLIES, _MOST_PLIES = 8, 60
"""Number of plies before the second position that is shown, and the limit if chance is to move there."""
_SEED = 2
"""Seed of these moves."""
GAMES: Final[tuple[Column[dict[str, Any]], ...]] = worded(
    Column("name", "game"),
    Column("seats", "players", text=lambda row: _span(row["seats"])),
    Column("chance", text=lambda row: "yes" if row["chance"] else "-"),
    Column("hidden", text=lambda row: "yes" if row["hidden"] else "-"),
    Column("options", text=lambda row: _options_text(row["options"])),
)

OF_OPENSPIEL: Final = (
    *worded(
        *GAMES[:-1],
        Column("title", value=lambda row: row["rules"].partition(", with ")[0], on=Medium.TABLE | Medium.CSV),
    ),
    *fields(("options", "rules"), on=Medium.JSON),
)

FEATURES: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column("feature"),
    Column("value", text=lambda row: _number(row["value"]), number=True),
    Column("weight", text=lambda row: _number(row["weight"]), number=True),
    Column("product", text=lambda row: _number(row["product"]), number=True),
    Column("about"),
)


@listed(
    lambda: GAMES,
    about={
        "name, seats, chance, hidden": "`seats` is an array of possible numbers of players",
        "options": 'an object: option -> `{"value", "default", "low", "high", "choices", "about"}`',
    },
)
def list_games(
    shown: Shown,
    name: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Game to explain."),
    ] = None,
    position: PositionOption = None,
    moves: MovesOption = "",
    svg: SvgOption = None,
) -> None:
    """List the games, or show one: rules, options, and how to read a position, as text and in Python.

    The rules of your own file, or of OpenSpiel, are also tested. `arena games openspiel` lists games of OpenSpiel.

    With --position or --moves, show that position and how it is evaluated: each feature, its weight and their product.

    Examples: arena games; arena games connect4; arena games maze:ghosts=random; arena games openspiel

    Example: arena games connect4 --moves "4 4 5"

    Example: arena games othello:size=6 --svg board.svg
    """
    if name is None:
        if svg is not None:
            raise typer.BadParameter("--svg: expected a game to draw, such as: arena games othello --svg board.svg")
        if position is not None or moves:
            raise typer.BadParameter("expected a game before --position or --moves: arena games connect4 --moves 4")
        show([_row(game) for game in _all()], GAMES, shown)
        return
    if name == catalog.OPENSPIEL:
        from adsearch.openspiel import KEEP_PROMISES

        found = [games.find(f"{name}:{one}")[0] for one in KEEP_PROMISES]
        show([_row(game) | {"rules": game.rules} for game in found], OF_OPENSPIEL, shown)
        return
    game, options = games.find(name)
    state = asked_position(name, position, moves)
    if svg is not None:
        write_board(svg, state)
    elif position is not None or moves:
        _show_position(game, state, options, shown)
    elif shown.is_table:
        tested = ""
        if game.foreign:
            from adsearch.games import contract

            tested = f"\nThese rules were tested in {contract.check(name):,} positions: no error found."
        print(_description(game, state), *[tested] * bool(tested), sep="\n")
    else:
        row = _row(game, **options)
        row |= {"rules": game.rules, "notation": game.state.notation, "position": state.position()}
        show([row], (*GAMES, *fields(("rules", "notation"), on=Medium.JSON), Column("position")), shown)


def _all() -> Iterator[Game]:
    """The games of ours, and those of packages; what cannot be loaded is said."""
    yield from games.names().values()
    for name in catalog.GAMES.packages():
        try:
            yield games.find(name)[0]
        except AdsearchError as error:
            print(f"arena: {error}", file=sys.stderr)


def _show_position(game: Game, state: State[Any], options: dict[str, float | str], shown: Shown) -> None:
    """Print a position and its evaluation, for the seat to move or else seat 0."""
    seat = root_seat(state)
    found = state.features(seat) if state.turn is not None else {}
    features: list[dict[str, Any]] = [
        {"feature": name, "value": found[name], "weight": weight, "product": found[name] * weight, "about": about}
        for name, weight, about in state.evaluation
        if name in found
    ]
    value = state.evaluate(seat)
    if not shown.is_table:
        row = _row(game, **options) | {"position": state.position(), "seat": seat, "value": value, "features": features}
        show([row], (*GAMES, *fields(("position", "value")), *fields(("seat", "features"), on=Medium.JSON)), shown)
        return
    print(f"{game.name}, {_whose_turn(state)}:", *_shown(state), "", sep="\n")
    print(f"{'utility' if state.turn is None else 'evaluation'} for seat {seat}: {_number(value)}")
    if features:
        score = sum(feature["product"] for feature in features)
        if state.scaled(score) != score:
            print(f"This is the sum of the products, {_number(score)}, scaled to stay between a loss and a win.")
        print()
        show(features, FEATURES)


def _number(value: float) -> str:
    return f"{value + 0.0:.4g}"


def _row(game: Game, **options: float | str) -> dict[str, Any]:
    """The row of a game, with these options and the defaults of the others."""
    start = game.start(**options)
    return {
        "name": game.name,
        "options": {option.name: _option_row(option, options.get(option.name)) for option in game.options},
        "seats": list(game.seats),
        "chance": start.chance,
        "hidden": start.hidden,
    }


def _option_row(option: Option, value: float | str | None) -> dict[str, Any]:
    return {
        "value": option.default if value is None else value,
        "default": option.default,
        "low": option.low,
        "high": option.high,
        "choices": list(option.choices),
        "about": option.about,
    }


def _options_text(options: dict[str, Any]) -> str:
    return ",".join(f"{name}={option['value'] or '...'}" for name, option in options.items()) or "-"


def _span(seats: list[int]) -> str:
    return str(seats[0]) if len(seats) == 1 else f"{seats[0]}-{seats[-1]}"


def _filled(text: str, *, indent: str, hanging: str | None = None) -> str:
    """`text` as one paragraph, wrapped to the terminal's width, at most 100 columns."""
    return wrapped(text, begin=indent, more=indent if hanging is None else hanging)


def _description(game: Game, state: State[Any]) -> str:
    """The rules of a game, its options and moves, and how to read its positions."""
    played = _some_plies(state)
    later = played[-1][0]
    parts = [game.name, _filled(game.rules, indent="  ") or "  (This game has no description of its rules.)", ""]
    several = f" (of {_span(list(game.seats))})" if len(game.seats) > 1 else ""
    parts.append(f"Players: {state.players}{several}")
    if state.world_states:
        parts.append(_filled(f"World states, at most: {state.world_states}", indent="", hanging="  "))
    if game.options:
        width = max(len(option.name) for option in game.options)
        parts.append("Options:")
        for option in game.options:
            default = option.default if option.default != "" else "none"
            limits = "as below" if option.meanings else option.limits
            about = f"{option.name:<{width}}  {option.about} ({limits}; default {default})"
            parts.append(_filled(about, indent="  ", hanging=" " * (width + 4)))
            parts += _meanings(option)
    if state.options_note:
        parts.append(_filled(f"{state.options_note}.", indent=""))
    if game.state.notation:
        differ = next((how_written(before) for before, _ in played if before.turn not in (CHANCE, None)), "")
        python = f" {differ[0].upper()}{differ[1:]}." if differ else ""
        parts.append(_filled(f"Moves: {game.state.notation}.{python}", indent=""))
    if game.state.attributes:
        pairs = [(f"state.{code}", meaning) for code, meaning in game.state.attributes]
        parts += ["", "In Python, besides state.turn, state.moves() and state.play(move):", *_pairs(pairs)]
    if game.state.evaluation:
        features = [(f"{feature.name} ({feature.weight:g})", feature.about) for feature in game.state.evaluation]
        parts += ["", "The evaluation is a sum of features, each times its weight:", *_pairs(features)]
    if game.state.position_notation:
        parts += ["", "A position as text:", *_pairs(game.state.position_notation)]
    parts += ["", f"Start, {_whose_turn(state)}:", *_shown(state)]
    if len(played) > 1:
        moves = " ".join(move for _, move in played[1:])
        parts += ["", _filled(f"After {moves}, {_whose_turn(later)}:", indent=""), *_shown(later)]
    return "\n".join(parts)


def _some_plies(state: State[Any]) -> list[tuple[State[Any], str]]:
    """The first positions of a game with random moves that are always the same, each with the text of the move that
    led to it. In the last one a player is to move, if the game is long enough."""
    random = Random(_SEED)
    played = [(state, "")]
    while len(played) <= _MOST_PLIES:
        before, _ = played[-1]
        if len(played) > _PLIES and before.turn != CHANCE:
            break
        moves = before.moves()
        going_on = [move for move in moves if before.play(move).turn is not None]
        if not going_on:
            break
        move = random.choice(going_on)
        played.append((before.play(move), before.to_text(move)))
    return played


def _whose_turn(state: State[Any]) -> str:
    """Who moves next."""
    if state.turn is None:
        return "the game is over"
    return "chance is next" if state.turn == CHANCE else f"seat {state.turn} is to move"


def _shown(state: State[Any]) -> Iterator[str]:
    """A position as text and as a board; in a game with hidden information also what each seat sees."""
    text, board = state.position(), str(state)
    yield f"  {text}"
    if state.hidden:
        yield from (f"  {state.view(seat)}   (what seat {seat} sees)" for seat in range(state.players))
    if board != text:
        yield textwrap.indent(board, "  ")


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """A line, or several if it is too long, for each name with its meaning."""
    known = list(pairs)
    width = max(len(name) for name, _ in known)
    return [_filled(f"{name:<{width}}  {about}", indent="  ", hanging=" " * (width + 4)) for name, about in known]


def _meanings(option: Option) -> list[str]:
    """One or more lines for each choice that has an explanation."""
    width = max(map(len, option.choices), default=0)
    return [
        _filled(f"{choice:<{width}}  {meaning}", indent="    ", hanging=" " * (width + 6))
        for choice, meaning in zip(option.choices, option.meanings, strict=False)
    ]


# `arena agents`: the built-in agents and their options, and the engines on this machine.


AGENTS: Final = worded(
    Column("name", "agent"),
    Column("chance", text=lambda row: "yes" if row["chance"] else "-"),
    Column("hidden", text=lambda row: "yes" if row["hidden"] else "-"),
    Column("several", text=lambda row: "yes" if row["several"] else "-"),
    *fields(("program", "options"), on=Medium.JSON),
    Column("about"),
)
AGENT_OPTIONS: Final[tuple[Column[dict[str, Any]], ...]] = worded(
    Column("name", "option"),
    Column("default", text=lambda row: "-" if row["default"] is None else str(row["default"]).lower()),
    Column("expected"),
    Column("about"),
)
OPTIONS_OF_ENGINE: Final = (*AGENT_OPTIONS[:-1], Column("about", on=Medium.JSON))
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
        show(_agent_row(found_one)["options"], AGENT_OPTIONS, shown)
        return
    able = [agent for agent in builtin.every() if game is None or _can_play(agent, game)]
    show([*map(_agent_row, able), *_engines(game)], AGENTS, shown)


def _agent_row(agent: BuiltIn) -> dict[str, Any]:
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
