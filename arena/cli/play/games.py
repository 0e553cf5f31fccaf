"""`arena games`: the games that can be played, and the rules of each.

Everything printed here is read from the catalogue of adsearch, so a new game is listed without a change here.
"""

import textwrap
from typing import Annotated, Any

import typer

from adsearch import Option, State, games
from adsearch.games import Game
from arena.cli.asking.board_svg import SvgOption, write_board
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, show
from arena.cli.terminal.wrapping import wrapped

COLUMNS: Columns = {
    "game": lambda row: row["name"],
    "players": lambda row: _span(row["seats"]),
    "chance": lambda row: "yes" if row["chance"] else "-",
    "hidden": lambda row: "yes" if row["hidden"] else "-",
    "options": lambda row: _options_text(row["options"]),
}


def list_games(
    name: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Game whose rules, options and board to show."),
    ] = None,
    svg: SvgOption = None,
    format: FormatOption = OutputFormat.TABLE,
) -> None:
    """List the games, or show the rules, options and board of one.

    Examples: arena games; arena games connect4; arena games maze:ghosts=random

    Example: arena games othello:size=6 --svg board.svg
    """
    if name is None:
        if svg is not None:
            raise typer.BadParameter("--svg: expected a game to draw, such as: arena games othello --svg board.svg")
        show([_row(game) for game in games.names().values()], COLUMNS, format=format)
        return
    game, options = games.find(name)
    state = game.start(**options)
    if svg is not None:
        write_board(svg, state)
    elif format is OutputFormat.TABLE:
        print(_description(game, state))
        if game.foreign:
            from adsearch.games import contract

            print(f"\nThese rules were tested in {contract.check(name):,} positions: no error found.")
    else:
        row = _row(game, **options)
        row |= {"rules": game.rules, "notation": game.state.notation, "position": state.position()}
        show([row], {**COLUMNS, "position": lambda row: row["position"]}, format=format)


def _row(game: Game, **options: int | str) -> dict[str, Any]:
    """The row of a game, with these options and the defaults of the others."""
    start = game.start(**options)
    return {
        "name": game.name,
        "options": {option.name: _option_row(option, options.get(option.name)) for option in game.options},
        "seats": list(game.seats),
        "chance": start.chance,
        "hidden": start.hidden,
    }


def _option_row(option: Option, value: int | str | None) -> dict[str, Any]:
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
    """The rules of a game, its options, its moves, and the position it starts from."""
    parts = [game.name, _filled(game.rules, indent="  ") or "  (This game has no description of its rules.)", ""]
    several = f" (of {_span(list(game.seats))})" if len(game.seats) > 1 else ""
    parts.append(f"Players: {state.players}{several}")
    if game.options:
        width = max(len(option.name) for option in game.options)
        parts.append("Options:")
        for option in game.options:
            default = option.default if option.default != "" else "none"
            limits = "as below" if option.meanings else option.limits
            about = f"{option.name:<{width}}  {option.about} ({limits}; default {default})"
            parts.append(_filled(about, indent="  ", hanging=" " * (width + 4)))
            parts += _meanings(option)
    if game.state.notation:
        parts.append(_filled(f"Moves: {game.state.notation}.", indent=""))
    parts += ["", "Start:", textwrap.indent(str(state), "  ")]
    return "\n".join(parts)


def _meanings(option: Option) -> list[str]:
    """One or more lines for each choice that has an explanation."""
    width = max(map(len, option.choices), default=0)
    return [
        _filled(f"{choice:<{width}}  {meaning}", indent="    ", hanging=" " * (width + 6))
        for choice, meaning in zip(option.choices, option.meanings, strict=False)
    ]
