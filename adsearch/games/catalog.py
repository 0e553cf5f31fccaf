"""The catalogue: games by name and options ("connect4:rows=5,columns=6"), by path ("my_game.py:MyGame"), or by their
name in OpenSpiel ("openspiel:leduc_poker(players=3)").

A built-in game is a module of this folder with one subclass of State. Other packages add games by entry points.

Commands, tournament descriptions and agents all use this module to read the name of a game. A game is imported only
when it is used. Every error lists the valid names or values.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from adsearch.errors import AdsearchError, BadGame, BadOption, BadPosition, UnknownGame, meant, one_of, quote
from adsearch.option import Option
from adsearch.plugins import BadPlugin, Plugins
from adsearch.state import CHANCE, Looks, State

if TYPE_CHECKING:
    from pathlib import Path

_NO_GAMES: Final = ("catalog", "contract", "evaluation", "grid", "textfile")
"""The modules of this folder that are no games, beside those with "_" in their names, which are parts of games."""

OPENSPIEL: Final = "openspiel"
"""In front of the name of a game of OpenSpiel."""

_NAME = re.compile(r"[A-Za-z][\w-]*(?=:|$)")
"""At the beginning of what names a game by its name."""
_FEN = "chess:fen="
_BY_PATH = re.compile(r"(?P<path>.*?\.py)(?=:|$)(?::(?P<name>[^:=,]*))?(?::(?P<options>.*))?", re.DOTALL)


_checked: dict[str, bytes] = {}
"""Checked content of user-supplied files, by absolute path; it is run instead of the file."""
_of_packages: dict[str, Game] = {}
"""The games of other packages that were asked for."""


class _Games(Plugins):
    def _has_one(self, module: str) -> bool:
        return "_" not in module and module not in _NO_GAMES

    def _one_in(self, module: ModuleType) -> Any:
        (game,) = _games_in(module).values()
        return game


GAMES: Final = _Games("adsearch.games", "arena.games", "")
"""Ours and those of packages, by name."""


class Game(NamedTuple):
    """A game of the catalogue: a name, and the class of its positions."""

    name: str
    state: type[State[Any]]
    foreign: bool = False
    """Whether the rules are not ours: user-supplied, found by their path, or OpenSpiel's."""

    @property
    def rules(self) -> str:
        """The rules, in a few lines."""
        from inspect import cleandoc  # imported here, because agents must start fast

        return cleandoc(self.state.__doc__ or "")

    @property
    def options(self) -> tuple[Option, ...]:
        """The game's options; the first can be given without its name."""
        return self.state.options

    @property
    def seats(self) -> tuple[int, ...]:
        """The possible numbers of players; the options choose one."""
        return self.state.seats

    @property
    def chance(self) -> bool:
        """Whether the game has chance nodes, with the default options."""
        return self.start().chance

    @property
    def hidden(self) -> bool:
        """Whether the game has hidden information, with the default options."""
        return self.start().hidden

    def start(self, **options: float | str) -> State[Any]:
        """The start position, with these options and the defaults of the others."""
        given = self._checked(options)
        return self._made(lambda: self.state.start(**given))

    def load(self, text: str, **options: float | str) -> State[Any]:
        """The position that `text` describes, with these options and the defaults of the others."""
        given = self._checked(options)
        return self._made(lambda: self.state.load(text, **given))

    def _made(self, make: Callable[[], State[Any]]) -> State[Any]:
        """The position that `make` returns; errors are raised again with the game's name in front."""
        try:
            state = make()
        except AdsearchError as error:
            raise type(error)(f"{self.name}: {error}") from None
        except Exception as error:
            if not self.foreign:
                raise
            raise BadGame(f"{self.name}: {type(error).__name__}: {error}") from error
        turn = getattr(state, "turn", "nothing")
        if turn not in (None, CHANCE, *range(state.players)):
            raise BadGame(f"{self.name}: expected a turn from 0 to {state.players - 1}, CHANCE or None, got {turn!r}")
        return state

    def read_options(self, text: str) -> dict[str, float | str]:
        """Every option's value: those in `text` ("rows=5,columns=6"), else the default."""
        given: dict[str, float | str] = {}
        for name, value in self._pairs(text):
            if name in given:
                raise BadOption(f"{self.name}: {name} is given twice")
            given[name] = value
        return self._checked(given)

    def _checked(self, given: Mapping[str, float | str]) -> dict[str, float | str]:
        """Every option's value: the `given` one (a value or text), checked; else the default."""
        known = {option.name: option for option in self.options}
        options = {name: option.default_value() for name, option in known.items()}
        for name, value in given.items():
            if name not in known:
                raise BadOption(f"{self.name}: no option {quote(name)}{meant(name, list(known))}")
            try:
                options[name] = known[name].read(str(value))
            except BadOption as error:
                raise BadOption(f"{self.name}: {error}") from None
        return options

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        """`text` split into names and values. A piece without "=" continues the value before it, or is the value of
        the first option."""
        pairs: list[tuple[str, str]] = []
        for piece in text.split(",") if text else []:
            name, equals, value = piece.partition("=")
            if equals:
                pairs.append((name.strip(), value))
            elif pairs:
                pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{piece}")
            elif self.options:
                pairs.append((self.options[0].name, piece))
            else:
                raise BadOption(f"{self.name}: the game has no options, got {quote(piece)}")
        return pairs


def names() -> dict[str, Game]:
    """The built-in games by name."""
    return {name: Game(name, GAMES.find(name)) for name in GAMES.names()}


def find(spec: str) -> tuple[Game, dict[str, float | str]]:
    """The game that `spec` names and the value of each option; UnknownGame or BadOption lists what is valid."""
    if not isinstance(spec, str):
        raise UnknownGame(f"expected a game as text, such as 'connect4', got {quote(spec)}")
    spec = split_position(spec)[0]
    name, _, options = spec.partition(":")
    by_path = _BY_PATH.fullmatch(spec)
    if name in GAMES.names():
        game = Game(name, GAMES.find(name))
    elif name == OPENSPIEL:
        game, options = _of_openspiel(options), ""
    elif by_path and (path := file_of(spec)):
        game, options = _by_path(path, by_path["name"] or ""), by_path["options"] or ""
    elif "/" in spec or name.lower().endswith(".py"):
        raise UnknownGame(f"expected your own game as FILE.py:CLASS, got {quote(spec)}")
    else:
        game = _of_package(name)
    return game, game.read_options(options)


def looks(spec: str) -> Looks:
    """How the players and moves of the game that `spec` names are shown. Nothing is loaded but games of ours: others
    that this process has not asked for have what holds for any game."""
    name = spec.partition(":")[0]
    if name in GAMES.names():
        state: type[State[Any]] = GAMES.find(name)
        return state.looks
    return (_of_packages[name].state if name in _of_packages else State).looks


def begins_with_name(text: str) -> bool:
    """Whether the text begins with the name of a built-in game, or of OpenSpiel."""
    return text.partition(":")[0] in (*GAMES.names(), OPENSPIEL)


def is_of_openspiel(spec: str) -> bool:
    """Whether `spec` names a game of OpenSpiel."""
    return spec.partition(":")[0] == OPENSPIEL


def is_of_package(spec: str) -> bool:
    """Whether `spec` names a game of another package, which can be missing or have another version elsewhere."""
    return is_of_openspiel(spec) or is_by_entry_point(spec)


def is_by_entry_point(spec: str) -> bool:
    """Whether `spec` names a game as a package calls it, so that only the package says what the name means."""
    return _NAME.match(spec) is not None and not (begins_with_name(spec) or file_of(spec))


def package_of(spec: str) -> str:
    """The package that brings the game of `spec`, with its version; empty if that is ours, a file or not there."""
    if not is_of_package(spec):
        return ""
    if not is_of_openspiel(spec):
        return GAMES.package(spec.partition(":")[0])
    from adsearch import openspiel  # imported here, because agents must start fast and few play such a game

    return openspiel.version()


def file_of(spec: str) -> Path | None:
    """The Python file with the rules that `spec` names; None for a built-in game. Does not read the file."""
    by_path = None if begins_with_name(spec) else _BY_PATH.fullmatch(spec)
    if by_path is None:
        return None
    from pathlib import Path  # imported here, because agents must start fast

    try:
        return Path(by_path["path"]).expanduser()
    except RuntimeError:  # an unknown user, such as "~nobody"
        return Path(by_path["path"])


def use_checked(path: Path, source: bytes) -> None:
    """Make this process run `source` as the content of `path`, so that exactly the checked content runs."""
    _checked[str(path.absolute())] = source


def split_position(spec: str) -> tuple[str, str]:
    """The game that `spec` names, and the position from which it begins if `spec` says that too: "chess:fen=..."."""
    is_one = isinstance(spec, str) and spec.startswith(_FEN)
    return ("chess", spec.removeprefix(_FEN)) if is_one else (spec, "")


def start(spec: str, position: str | None = None) -> State[Any]:
    """The start of the game that `spec` names, which is `position` if that is given."""
    if position := position or split_position(spec)[1]:
        return load(spec, position)
    game, options = find(spec)
    return game.start(**options)


def load(spec: str, text: str) -> State[Any]:
    """The position of that game which `position()` or `view(seat)` wrote as `text`."""
    game, options = find(spec)
    if not isinstance(text, str):
        raise BadPosition(f"{game.name}: expected a position as text, got {quote(text)}")
    return game.load(text, **options)


def _of_package(name: str) -> Game:
    """The game of that name that a package brings; UnknownGame if there is none."""
    if name not in _of_packages:
        game = GAMES.find(name)
        if game is None:
            from adsearch import openspiel  # imported here, because agents must start fast

            theirs = f"; did you mean '{OPENSPIEL}:{name}'?" if openspiel.is_listed(name) else ""
            known = [*GAMES.names(), *GAMES.packages(), OPENSPIEL]
            raise UnknownGame(f"no game {quote(name)}{theirs or meant(name, known)}")
        if not (isinstance(game, type) and issubclass(game, State)):
            raise BadPlugin(f"{quote(name)} of the package {GAMES.package(name)} is not a subclass of State")
        _of_packages[name] = Game(name, game, foreign=True)
    return _of_packages[name]


def _of_openspiel(text: str) -> Game:
    from adsearch import openspiel  # imported here, because agents must start fast and few play such a game

    return Game(f"{OPENSPIEL}:{text}", openspiel.rules_of(text), foreign=True)


def _by_path(path: Path, class_name: str) -> Game:
    """The game in the file `path`: the class of that name, or its only one."""
    found = _games_in(_import_file(path))
    if not class_name and len(found) == 1:
        class_name = next(iter(found))
    if not found and not class_name:
        agent = "if it is an agent, write the game before it, such as connect4"
        raise UnknownGame(f"{path} is not a game: it has no subclass of State; {agent}")
    if class_name not in found:
        wanted = f"no game {quote(class_name)}" if class_name else "expected one subclass of State"
        there = f"there is {one_of(list(found))}" if found else "there is no subclass of State"
        raise UnknownGame(f"{path}: {wanted}; {there}")
    return Game(f"{path}:{class_name}", found[class_name], foreign=True)


def _games_in(module: ModuleType) -> dict[str, type[State[Any]]]:
    """The games of a module: its own subclasses of State, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, State) and value.__module__ == module.__name__
    }


def _import_file(path: Path) -> ModuleType:
    """The module in the file `path`; run only once while the file's content is the same."""
    import hashlib  # imported here, because agents must start fast and few play such a game

    try:
        checked = _checked.get(str(path.absolute()))
        source = path.read_bytes() if checked is None else checked
    except (OSError, ValueError) as error:
        raise UnknownGame(f"no game in {quote(str(path))}: {getattr(error, 'strerror', None) or error}") from None
    name = f"game_{hashlib.sha256(str(path.resolve()).encode() + source).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnknownGame(f"{path}: expected a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, Exception | SystemExit):
            raise UnknownGame(f"{path}: {type(error).__name__}: {error}") from error
        raise
    return module
