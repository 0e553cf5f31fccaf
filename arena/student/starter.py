"""The first text of an agent or of a tournament's description, made for whoever begins one.

Each stands in the folder `starters` as `arena new my_agent.py --game connect4` or `arena init cs101` write it, so it
can be read, run and tested as it is. For other names and games its words are changed. No file is ever overwritten.
"""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TextIO

from adsearch import State
from adsearch.errors import quote
from agents import builtin
from agents.errors import CannotPlay
from arena.errors import ArenaError, BadLeague, BadPlayer
from arena.tournament.description import what_is_wrong_with

FOLDER: Final = Path(__file__).with_name("starters")
"""Where the texts are."""


class Style(StrEnum):
    """What an agent begins as."""

    SIMPLE = "simple"
    SEARCH = "search"
    BARE = "bare"


class Language(StrEnum):
    """What an agent is written in."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"


ENDINGS: Final = {Language.PYTHON: ".py", Language.JAVASCRIPT: ".js", Language.C: ".c"}
_TAKEN: Final = ("Agent", "Budget", "CHANCE", "DEPTH", "NODES")
"""What the texts call something else."""
_OURS: Final = ("adsearch", "agents", "arena", "db")

_SEARCHES: Final[dict[str, dict[str, str]]] = {
    "alphabeta": {},
    "expectiminimax": {
        "deepening": "expectiminimax",
        "by alpha-beta search.": "by expectiminimax search.",
        "by alpha-beta search, one ply deeper each time": "by expectiminimax search: a throw is worth its average",
        "DEPTH = 5": "DEPTH = 4",
    },
    "maxn": {
        "deepening": "maxn",
        "by alpha-beta search.": "by max^n search.",
        "by alpha-beta search, one ply deeper each time": "by max^n search: each player takes what is best for it",
        "DEPTH = 5": "DEPTH = 4",
    },
    "mcts": {
        "deepening": "mcts",
        "by alpha-beta search.": "by Monte Carlo tree search.",
        "by alpha-beta search, one ply deeper each time": "by playing games at random: each guesses what is hidden",
        "DEPTH = 5": "DEPTH = 20",
        "NODES = 50_000": "NODES = 5_000",
        "evaluate=self.worth)": "evaluate=self.worth, random=self.random)",
    },
}
"""For each search, what is changed in the text with alpha-beta."""

_WHERE_SOMETHING_IS_HIDDEN: Final = {
    "and may take what is worst for us.": "and knows what we do not: any answer may come.",
    "return min(after.play(answer).evaluate(me) for answer in after.moves())": (
        "answers = after.moves()\n"
        "        return sum(after.play(answer).evaluate(me) for answer in answers) / len(answers)"
    ),
}
"""What is changed in the simple text: nobody who does not know our cards can take what is worst for us."""


@dataclass(frozen=True, slots=True)
class Starter:
    """An agent's first text."""

    text: str
    next: tuple[str, ...]
    """The commands that come next."""


def agent(path: Path, game: str, start: State[Any], style: Style | None, language: Language | None) -> Starter:
    """The first text of an agent for the file `path` that plays `game`, which begins at `start`."""
    language = language or _language_of(path)
    style = style or (Style.SIMPLE if language is Language.PYTHON else Style.BARE)
    if language is not Language.PYTHON and style is not Style.BARE:
        raise BadPlayer(f"the style '{style}' is for Python; in {language} there is '{Style.BARE}'")
    _check_name(path, language)
    _check_game(game)
    text = (FOLDER / f"{style}{ENDINGS[language]}").read_text("utf-8")
    changes = {"my_agent": path.stem, "MyAgent": class_name(path.stem), "connect4": game}
    if style is Style.SEARCH:
        changes |= _SEARCHES[_search_for(start)]
    if style is Style.SIMPLE and start.hidden:
        changes |= _WHERE_SOMETHING_IS_HIDDEN
    shown = _block(_commands(Path("my_agent").with_suffix(path.suffix), "connect4", 2, style, language), language)
    before, after = text.split(shown)
    here = _commands(Path(path.name), game, start.players, style, language)
    given = _commands(path, game, start.players, style, language)
    return Starter(
        _changed(before, changes) + _block(here, language) + _changed(after, changes),
        tuple(command for command, _ in given),
    )


def tournament(name: str, game: str, start: State[Any]) -> str:
    """The first text of the description of the tournament `name`, with enough agents of ours to play `game`."""
    _check_game(game)
    text = (FOLDER / "tournament.toml").read_text("utf-8")
    before = text[: text.index("[[agent]]")]
    shown = {"cs101.toml": shlex.quote(f"{name}.toml"), "standings cs101": f"standings {shlex.quote(name)}"}
    return _changed(before, {**shown, "cs101": name, "connect4": game}) + _yardsticks(_search_for(start), start.players)


def description_file(name: str) -> Path:
    """The file for the tournament `name`, which may be the file's own name."""
    path = Path(name).expanduser()
    stem = path.name.removesuffix(".toml")
    if (wrong := what_is_wrong_with(stem)) or re.search(r"""^\.|["'\\]""", stem):
        raise BadLeague(wrong or f"expected a tournament's name, such as cs101, without quotes, got {quote(name)}")
    return path.with_name(f"{stem}.toml")


def write(path: Path, text: str) -> None:
    """Makes the file `path`; one that is there already stays as it is."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            try:
                _put(text, file)
            except BaseException:
                path.unlink(missing_ok=True)  # half a file would only be in the way
                raise
    except FileExistsError:
        what = "a folder" if path.is_dir() else "a file"
        raise ArenaError(
            f"{str(path)!r} is {what} already, and nothing is overwritten; choose another name, or move it away"
        ) from None
    except FileNotFoundError:
        raise ArenaError(f"there is no folder {str(path.parent)!r} to put {path.name!r} into; make it first") from None


def _put(text: str, file: TextIO) -> None:
    file.write(text)
    file.flush()


def class_name(stem: str) -> str:
    """What a class in a file of that name is called: my_agent -> MyAgent."""
    name = "".join(word[:1].upper() + word[1:] for word in re.split(r"[_-]+", stem))
    if not name.isidentifier():
        name = f"Agent{name}"
    return f"{name}Player" if name in _TAKEN or keyword.iskeyword(name) else name


def _language_of(path: Path) -> Language:
    for language, ending in ENDINGS.items():
        if path.suffix == ending:
            return language
    raise BadPlayer(
        f"expected a file's name that ends in .py (or .js, or .c), such as my_agent.py, got {quote(str(path))}"
    )


def _check_name(path: Path, language: Language) -> None:
    """The file is called so that it can be started, listed and told from others."""
    ending, stem = ENDINGS[language], path.stem
    if path.suffix != ending:
        raise BadPlayer(f"expected a file's name that ends in {ending} for {language}, got {quote(path.name)}")
    if not f"a{stem.replace('-', '_')}".isidentifier() or not stem[0].isalnum():
        raise BadPlayer(
            f"expected a file's name of letters, digits, '_' and '-', which begins with a letter or a digit, "
            f"such as my_agent{ending}, got {quote(path.name)}"
        )
    if wrong := what_is_wrong_with(stem):
        raise BadPlayer(wrong)
    if language is Language.PYTHON and (stem in sys.stdlib_module_names or stem in _OURS):
        raise BadPlayer(f"{path.name} would stand in the way of Python's own 'import {stem}'; choose another name")


def _check_game(game: str) -> None:
    """The game's text can stand in a program's comment and in a TOML file."""
    if not game.isprintable() or re.search(r"""["'\\]|\*/""", game):
        raise ArenaError(f"expected a game without quotes, backslashes and '*/' in its path, got {quote(game)}")


def _search_for(start: State[Any]) -> str:
    """The first of our searches that can play the game."""
    for name in _SEARCHES:
        try:
            builtin.check_can_play(name, start)
        except CannotPlay:
            continue
        return name
    return "mcts"


def _yardsticks(search: str, seats: int) -> str:
    """Tables [[agent]] for agents of ours, as many as play one game, and three at least."""
    setting, least = ("simulations", 100) if search == "mcts" else ("depth", 2)
    players = [(f"{search}-{n * least}", f"{search}:{setting}={n * least}") for n in range(1, max(seats, 3))]
    tables = [f'[[agent]]\nname = "{name}"\nplayer = "{player}"\n' for name, player in (("random", "random"), *players)]
    tables[1] += "anchor = 1500\n"
    return "\n".join(tables)


def _commands(path: Path, game: str, players: int, style: Style, language: Language) -> list[tuple[str, str]]:
    """What to do with an agent in a file, each with a few words."""
    file, game = shlex.quote(str(path)), shlex.quote(game)
    program = str(path.with_suffix(""))
    runs = {
        Language.PYTHON: f"cmd:python3 {file}",
        Language.JAVASCRIPT: f"cmd:node {file}",
        Language.C: f"cmd:{shlex.quote(program if '/' in program else f'./{program}')}",
    }
    player = file if style is not Style.BARE else runs[language]
    if style is Style.BARE and shlex.quote(player) != player:
        player = shlex.quote(player) if '"' in player or "'" in player else f'"{player}"'
    compiled = [(f"cc -O2 -o {shlex.quote(program)} {file}", "makes the program, after each change")]
    return [
        *(compiled if language is Language.C else []),
        (f"arena check {player} --game {game}", "is everything all right with it?"),
        (" ".join(["arena play", game, player, *["random"] * (players - 1)]), "one game, shown as it goes"),
        (f"arena climb {player} --game {game}", "how strong is it?"),
        (f"arena games {game}", "the rules, and how moves are written"),
    ]


def _block(commands: Sequence[tuple[str, str]], language: Language) -> str:
    """The commands as they stand in a program's first comment."""
    begins = {Language.PYTHON: "    ", Language.JAVASCRIPT: "//     ", Language.C: " *     "}[language]
    width = max(len(command) for command, _ in commands)
    return "".join(f"{begins}{command:<{width}}     {about}\n" for command, about in commands)


def _changed(text: str, changes: dict[str, str]) -> str:
    """`text` with words changed, all at once: none is changed again."""
    longest_first = sorted(changes, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: changes[found[0]], text)
