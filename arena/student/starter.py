"""Makes the first file of an agent or of a tournament's description, from a template.

The folder `starters` has each template as `arena new my_agent.py --game connect4` or `arena course init cs101` writes
it, so that it can be read, run and tested unchanged. For other names and games, words are replaced. No file is
overwritten.
"""

from __future__ import annotations

import json
import keyword
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any, Final, TextIO

from adsearch import CHANCE, State
from adsearch.errors import meant, one_of, quote
from agents import builtin
from arena import languages
from arena.errors import ArenaError, BadLeague, BadPlayer
from arena.languages import Language
from arena.players.player import MAIN_FILE
from arena.tournament.description import what_is_wrong_with

FOLDER: Final = Path(__file__).with_name("starters")
"""The folder of the templates."""
LADDER_WEEKS: Final = 8
"""A new ladder is open for so long."""


class Style(StrEnum):
    """The kind of template."""

    SIMPLE = "simple"
    SEARCH = "search"
    BARE = "bare"


_OUR_PACKAGES: Final = ("adsearch", "agents", "arena", "db")

_SEARCHES: Final[dict[str, dict[str, str]]] = {
    "alphabeta": {},
    "expectiminimax": {
        "deepening": "expectiminimax",
        "by alpha-beta search.": "by expectiminimax search.",
        "by alpha-beta search, one ply deeper each time": "by expectiminimax search: the value of a throw is its mean",
        "DEPTH = 5": "DEPTH = 4",
    },
    "maxn": {
        "deepening": "maxn",
        "by alpha-beta search.": "by max^n search.",
        "by alpha-beta search, one ply deeper each time": "by max^n search: each player maximizes its own value",
        "DEPTH = 5": "DEPTH = 4",
    },
    "mcts": {
        "deepening": "mcts",
        "by alpha-beta search.": "by Monte Carlo tree search.",
        "by alpha-beta search, one ply deeper each time": "by random games, with random values for what is hidden",
        "DEPTH = 5": "DEPTH = 20",
        "NODES = 50_000": "NODES = 1_000",
        "evaluate=self.worth)": "evaluate=self.worth, random=self.random)",
    },
}
"""For each search, the words to replace in the template with alpha-beta."""

_FOR_HIDDEN_INFORMATION: Final = {
    "and can choose the answer that is worst for us.": "but does not see what we see: take the mean of its answers.",
    "return min(self.worth(after.play(answer), me) for answer in after.moves())": (
        "answers = after.moves()\n"
        "        return sum(self.worth(after.play(answer), me) for answer in answers) / len(answers)"
    ),
}
"""The words to replace in SIMPLE: an opponent that cannot see our cards cannot choose the worst answer for us."""

_MANY_MOVES: Final = 150
"""Number of moves at the start from which SIMPLE looks at no answers: there are too many to try in its time."""
_PLIES: Final = 40
"""Number of plies in which `_has_answers` looks for an answer."""
_FOR_ONE_PLY: Final = {
    "from adsearch import CHANCE\n": "",
    "Looks one move ahead, and at the opponent's answers.": "Looks one move ahead.",
    "self.after_answer(state.play(move), state.turn)": "self.worth(state.play(move), state.turn)",
}
"""The words to replace in SIMPLE for a game with that many moves, or one like backgammon, where a throw comes before
each answer; `after_answer` is left out."""

_WITHOUT_ESTIMATE: Final = {
    "The game's own estimate. Improve it: what else makes a position good?": (
        "This game has no estimate: the value is the same for each position until the game is over.\n"
        "        # Write your own: what makes a position good?"
    ),
}
"""The words to replace in SIMPLE and SEARCH for a game without an evaluation function, such as those of OpenSpiel."""


def with_templates() -> dict[str, Language]:
    """Our languages with a template, by the names that `arena new` gives them; first the one with most templates."""
    found = [language for language in languages.ours().values() if language.template(Style.BARE)]
    return {language.title.lower(): language for language in sorted(found, key=lambda each: not each.hosted)}


@dataclass(frozen=True, slots=True)
class Starter:
    """A new agent's source text."""

    files: dict[str, str]
    """The text of each file by its name: the agent's first, and then those beside it; or those of a folder."""
    next: tuple[str, ...]
    """Commands to try next."""


def agent(
    path: Path,
    game: str,
    start: State[Any],
    style: Style | None,
    language: str | None,
    *,
    folder: bool = False,
) -> Starter:
    """The source text of a new agent in the file (or `folder`) `path`, for `game`, which starts at `start`. `language`:
    by the ending of `path` if it is None."""
    spoken = _language(path, language, folder=folder)
    style = style or (Style.SIMPLE if spoken.hosted else Style.BARE)
    if folder and (not spoken.hosted or style is Style.BARE):
        raise BadPlayer("a folder is only for agents in Python of the style 'simple' or 'search'; write a file name")
    if not spoken.hosted and style is not Style.BARE:
        raise BadPlayer(f"the style '{style}' is only for Python; for {spoken.title} use '{Style.BARE}'")
    ending = spoken.ending
    name = path.name if folder else path.stem
    _check_name(path, name, "" if folder else ending, spoken)
    _check_game(game)
    template = spoken.template(style)
    if template is None:
        raise BadPlayer(f"there is no template of the style '{style}' for {spoken.title}")
    text = template.read_text("utf-8")
    if style is not Style.BARE:
        text = _with_worth(text, start)
    changes = {"my_agent": name, "MyAgent": class_name(name), "connect4": game}
    if style is Style.SEARCH:
        changes |= _SEARCHES[_search_for(start)]
    if style is Style.SIMPLE and (len(start.moves()) >= _MANY_MOVES or not _has_answers(start)):
        text = re.sub(r"    def after_answer\(.*?\n\n", "", text, flags=re.DOTALL)
        changes |= _FOR_ONE_PLY
    if type(start).evaluate is State.evaluate:
        changes |= _WITHOUT_ESTIMATE
    if style is Style.SIMPLE and start.hidden:
        changes |= _FOR_HIDDEN_INFORMATION
    template_block = _block(_commands(f"my_agent{ending}", "connect4", 2, style, spoken), spoken)
    before, after = text.split(template_block)
    slash = "/" if folder else ""
    here = _commands(f"{path.name}{slash}", game, start.players, style, spoken)
    given = _commands(f"{path}{slash}", game, start.players, style, spoken)
    text = _changed(before, changes) + _block(here, spoken) + _changed(after, changes)
    files = _in_two_files(text, game) if folder else {path.name: text}
    if style is Style.BARE and (rules := spoken.rules(type(start).__name__)) and _is_ours(start):
        if rules.name.lower() == path.name.lower():
            raise BadPlayer(f"{rules.name} is the file with the rules of the game; choose another name for the agent")
        files[path.name], files[rules.name] = _with_rules(text, rules, start)
    return Starter(files, tuple(command for command, _ in given))


def _has_answers(start: State[Any]) -> bool:
    """Whether one player can move directly after another one, without chance between them, in one random game."""
    random = Random(0)
    state = start
    for _ in range(_PLIES):
        moves = state.moves()
        if state.turn is None:
            return False
        if state.turn != CHANCE:
            tried = random.sample(moves, min(3, len(moves)))
            if any(state.play(move).turn not in (None, CHANCE, state.turn) for move in tried):
                return True
        state = state.play(random.choice(moves))
    return False


def _in_two_files(text: str, game: str) -> dict[str, str]:
    """The files of a folder: the agent, and beside it the evaluation, which is the last method of the template."""
    agent, method, body = text.rstrip("\n").partition("    def worth(self, ")
    changes = {
        "self.worth": "worth",
        "`worth` estimates": "`worth` in evaluation.py estimates",
        "from agents import Agent\n": "from agents import Agent\n\nfrom evaluation import worth\n",
    }
    function = textwrap.dedent(method + body).replace("def worth(self, ", "def worth(", 1)
    return {
        MAIN_FILE: _changed(agent.rstrip("\n"), changes) + "\n",
        "evaluation.py": f'"""Estimates how good a position of {game} is. agent.py imports it."""\n\n\n{function}\n',
    }


def _with_worth(text: str, start: State[Any]) -> str:
    """The template with the game's own example of `worth`, if there is one for this game of ours."""
    game = type(start)
    examples = (FOLDER / "worth.py").read_text("utf-8")
    found = re.search(rf"^class {game.__name__}:\n(.*?)(?:\n\n\n|\Z)", examples, re.MULTILINE | re.DOTALL)
    if found is None or not _is_ours(start):
        return text
    return text.partition("    def worth(")[0] + found[1].rstrip() + "\n"


def _is_ours(start: State[Any]) -> bool:
    """Whether the game is one of ours."""
    return type(start).__module__.startswith("adsearch.games.")


def tournament(name: str, game: str, start: State[Any], *, roster: str | None = None) -> str:
    """The description of the new tournament `name`, with enough built-in agents to play `game`.

    `roster`: the file with the students, from the description's folder."""
    text = (FOLDER / "tournament.toml").read_text("utf-8")
    before = _described(text[: text.index("[[agent]]")], name, game, roster)
    return before + _built_in_agents(_search_for(start), start.players)


def ladder(name: str, game: str, today: date, *, roster: str | None = None) -> str:
    """The description of the new ladder `name`, which is open for `LADDER_WEEKS` weeks."""
    text = (FOLDER / "ladder.toml").read_text("utf-8")
    first = date(2099, 9, 20)
    dates = {str(first + timedelta(weeks=n)): str(today + timedelta(weeks=n)) for n in range(LADDER_WEEKS + 1)}
    return _described(_changed(text, dates), name, game, roster)


def _described(text: str, name: str, game: str, roster: str | None) -> str:
    """A template with the name, the game and the roster."""
    _check_game(game)
    words = {"cs101.toml": shlex.quote(f"{name}.toml"), "results cs101": f"results {shlex.quote(name)}"}
    text = _changed(text, {**words, "cs101": name, "connect4": game})
    if roster is None:
        return text
    there = json.dumps(roster, ensure_ascii=False)
    return re.sub(r"^# roster = \S+", lambda _: f"roster = {there}", text, count=1, flags=re.MULTILINE)


def description_file(name: str) -> Path:
    """The description's file for the tournament `name`; a name that ends with .toml is the file itself."""
    path = Path(name).expanduser()
    stem = path.name.removesuffix(".toml")
    if (wrong := what_is_wrong_with(stem)) or re.search(r"""^\.|["'\\]""", stem):
        raise BadLeague(wrong or f"expected a tournament's name, such as cs101, without quotes, got {quote(name)}")
    return path.with_name(f"{stem}.toml")


def check_new(path: Path) -> None:
    """ArenaError if the file `path` exists, or its folder does not."""
    if path.exists():
        raise _exists(path)
    if not path.parent.is_dir():
        raise _no_folder_for(path)


def write(path: Path, text: str) -> None:
    """Makes the file `path`; ArenaError if it exists."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            try:
                _put(text, file)
            except BaseException:
                path.unlink(missing_ok=True)  # no incomplete file remains
                raise
    except FileExistsError:
        raise _exists(path) from None
    except FileNotFoundError:
        raise _no_folder_for(path) from None


def write_with_rules(path: Path, files: dict[str, str]) -> list[str]:
    """Makes the file `path`, which is one of `files`, and the others beside it if they do not exist; returns the names
    of those that exist with another text. ArenaError if `path` exists."""
    write(path, files[path.name])
    others = {path.with_name(name): text for name, text in files.items() if name != path.name}
    written = [path]
    try:
        for other, text in others.items():
            if not other.exists():
                write(other, text)
                written.append(other)
        return [other.name for other, text in others.items() if other.read_bytes() != text.encode()]
    except BaseException:
        for each in written:  # no part of it remains
            each.unlink(missing_ok=True)
        raise


def write_folder(path: Path, files: dict[str, str]) -> None:
    """Makes the folder `path` with these files; ArenaError if it exists."""
    try:
        path.mkdir()
    except FileExistsError:
        raise _exists(path) from None
    except FileNotFoundError:
        raise _no_folder_for(path) from None
    try:
        for name, text in files.items():
            write(path / name, text)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)  # no incomplete folder remains
        raise


def _exists(path: Path) -> ArenaError:
    what = "folder" if path.is_dir() else "file"
    return ArenaError(
        f"the {what} {str(path)!r} already exists and is not overwritten; choose another name, or move it away"
    )


def _no_folder_for(path: Path) -> ArenaError:
    return ArenaError(f"there is no folder {str(path.parent)!r} for {path.name!r}; make the folder first")


def _put(text: str, file: TextIO) -> None:
    file.write(text)
    file.flush()


def class_name(stem: str) -> str:
    """The name of the class in a file of this name: my_agent -> MyAgent."""
    name = "".join(word[:1].upper() + word[1:] for word in re.split(r"[_-]+", stem))
    if not name.isidentifier():
        name = f"Agent{name}"
    taken = {each for language in languages.ours().values() for each in language.taken_names}
    return f"{name}Player" if name in taken or keyword.iskeyword(name) else name


def _language(path: Path, called: str | None, *, folder: bool) -> Language:
    """The language of that name; None: by the ending of the file `path`, and of a `folder` the one of our kit."""
    known = with_templates()
    if called is not None:
        if called.lower() not in known:
            raise BadPlayer(f"expected a language ({', '.join(known)}), got {quote(called)}{meant(called, [*known])}")
        return known[called.lower()]
    if folder:
        return next(language for language in known.values() if language.hosted)
    language = languages.find(path.suffix)
    if language is None or language.template(Style.BARE) is None:
        endings = one_of([each.ending for each in known.values()])
        raise BadPlayer(f"expected a file name that ends in {endings}, or / for a folder, got {quote(str(path))}")
    return language


def _check_name(path: Path, name: str, ending: str, language: Language) -> None:
    """Refuses a file or folder whose `name` cannot be a player's name, be imported, or fit the language."""
    if ending and path.suffix != ending:
        raise BadPlayer(f"expected a file name that ends in {ending} for {language.title}, got {quote(path.name)}")
    if not f"a{name.replace('-', '_')}".isidentifier() or not name[:1].isalnum():
        raise BadPlayer(
            f"expected a {'file' if ending else 'folder'} name of letters, digits, '_' and '-' that starts with a "
            f"letter or a digit, such as my_agent{ending or '/'}, got {quote(str(path))}"
        )
    if wrong := what_is_wrong_with(name):
        raise BadPlayer(wrong)
    if language.hosted and (name in sys.stdlib_module_names or name in _OUR_PACKAGES):
        raise BadPlayer(f"{path.name} would hide the module {name} from 'import {name}'; choose another name")


def _check_game(game: str) -> None:
    """Refuses a game whose text cannot be put into a comment or a TOML string."""
    if not game.isprintable() or re.search(r"""["'\\]|\*/""", game):
        raise ArenaError(f"expected a game without quotes, backslashes and '*/' in its path, got {quote(game)}")


def _search_for(start: State[Any]) -> str:
    """The first of our search algorithms that can play the game."""
    return builtin.first_that_can_play(_SEARCHES, start) or "mcts"


def _built_in_agents(search: str, seats: int) -> str:
    """Tables [[agent]] for built-in agents: one per seat, at least three."""
    setting, least = ("simulations", 100) if search == "mcts" else ("depth", 2)
    players = [(f"{search}-{n * least}", f"{search}:{setting}={n * least}") for n in range(1, max(seats, 3))]
    tables = [f'[[agent]]\nname = "{name}"\nplayer = "{player}"\n' for name, player in (("random", "random"), *players)]
    tables[1] += "anchor = 1500\n"
    return "\n".join(tables)


def _with_rules(text: str, path: Path, start: Any) -> tuple[str, str]:
    """The template with the first comment of the rules in the file `path`, which shows how to use them; and the text of
    these rules, with the sizes of this game."""
    sizes = {
        f"{option.name.upper()} = {option.default}": f"{option.name.upper()} = {getattr(start.board, option.name)}"
        for option in start.options
    }
    rules = _changed(path.read_text("utf-8"), sizes)
    about = rules.partition("\n\n")[0].removesuffix("\n */").replace("/* The", " * The").removesuffix("\n")
    above, last, below = text.partition("describes all messages.\n")
    bar = above.splitlines()[1].rstrip()
    about = about.replace("The rules", f"{path.name} has the rules", 1)
    return f"{above}{last}{bar}\n{about}\n{below}", rules


def _commands(given: str, game: str, players: int, style: Style, language: Language) -> list[tuple[str, str]]:
    """Commands for an agent in the `given` file or folder, each with what it does."""
    file, game = shlex.quote(given), shlex.quote(game)
    player = file
    if style is Style.BARE and language.hosted:  # our kit would look for a class in it
        player = f"cmd:{language.run_by} {file}"
        player = shlex.quote(player) if '"' in player or "'" in player else f'"{player}"'
    return [
        (f"arena check {player} --game {game}", "check that it works"),
        (" ".join(["arena play", game, player, *["random"] * (players - 1)]), "watch one game"),
        (f"arena climb {player} --game {game}", "measure how strong it is"),
        (f"arena games {game}", "show the rules and the notation of moves"),
    ]


def _block(commands: Sequence[tuple[str, str]], language: Language) -> str:
    """The commands as lines of a program's first comment."""
    width = max(len(command) for command, _ in commands)
    return "".join(f"{language.comment}{command:<{width}}     {about}\n" for command, about in commands)


def _changed(text: str, changes: dict[str, str]) -> str:
    """`text` with all replacements made in one pass, so that no replacement is replaced again."""
    longest_first = sorted(changes, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: changes[found[0]], text)
