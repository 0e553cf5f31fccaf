"""Games of OpenSpiel as games of ours: "openspiel:tic_tac_toe", "openspiel:leduc_poker(players=3)".

OpenSpiel is a library for research (the Python package `open_spiel`). It is imported only when such a game is asked
for. A position is the history of its actions, because OpenSpiel's `str(state)` can leave out what the rest of the game
depends on. Simultaneous moves are made one after the other, unseen, by OpenSpiel's own wrapper.

With hidden information, OpenSpiel says at each ply what a seat sees, but not which positions look like that. So we
search for a history that looks the same to the seat at every ply. The first one, in OpenSpiel's order of actions, is
the seat's view: it depends only on what the seat has seen. One in a random order is a sample.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from random import Random
from signal import Signals
from typing import Any, ClassVar, Final, Self, TypeAlias

from adsearch.errors import AdsearchError, BadGame, BadOption, BadPosition, UnknownGame, meant, nearly, quote
from adsearch.openspiel_trial import SECONDS
from adsearch.state import CHANCE, State

Theirs: TypeAlias = Any
"""A state of OpenSpiel, which has no types."""

_POSITION = re.compile(r"(?:seat(?P<seat>[0-9]) )?(?P<actions>-|[0-9]{1,9}(?: [0-9]{1,9})*)(?: \| (?P<seen>.*))?")
_PARAMETER = re.compile(r"[(,]\w+=")
_VIEW_NOTATION: Final = (
    "seat1 4 0 8 | ...",
    "for seat 1: the first actions that look the same to it, some of them a guess, and what it sees",
)
_LONGEST_TEXT: Final = 50
_TRIAL: Final = os.path.join(os.path.dirname(__file__), "openspiel_trial.py")
_TRIAL_ENDS: Final = 60.0
"""Seconds after which a trial is given up; it ends itself after less processor time."""
_KILLED: Final = -9
"""The exit code of a process that SIGKILL has ended."""
_CRASH: Final = ("morpion_solitaire",)
"""Games that end the process in which they are played: this one when it writes an action as text."""
_WHAT_THERE_IS: Final = "; arena games openspiel lists the games that can be played"
_MOST_TRIES: Final = 20_000
_MOST_TRIES_OF_A_MOVE: Final = 2_000
"""Largest number of positions to try for one that looks the same; and to find that a seat does not see a move."""

_NAMES: Final = """
2048 amazons antichess backgammon banqi bargaining blackjack blotto breakthrough catch checkers chess chinese_checkers
cliff_walking clobber coin_game connect_four coop_to_1p coordinated_mp crazyhouse cursor_go dark_hex dark_hex_ir
deep_sea dots_and_boxes einstein_wurfelt_nicht first_sealed_auction go gomoku goofspiel havannah hex hive kuhn_poker
latent_ttt leduc_poker lewis_signaling liars_dice liars_dice_ir lines_of_action maedn mancala
matching_pennies_3p matrix_bos matrix_brps matrix_cd matrix_coordination matrix_mp matrix_pd matrix_rps matrix_rpsw
matrix_sh matrix_shapleys_game mnk nim nine_mens_morris othello oware pathfinding pentago phantom_ttt
phantom_ttt_ir pig repeated_leduc_poker sheriff shogi snake social_deduction solitaire tic_tac_toe tiny_bridge_2p
tiny_bridge_4p tiny_hanabi trade_comm twixt ultimate_tic_tac_toe universal_poker xiangqi y
"""
KEEP_PROMISES: Final = tuple(_NAMES.split())
"""The games of OpenSpiel 2.0.2 that passed `contract.check` with their default parameters, without one that OpenSpiel
itself says has known issues (quoridor), and without two whose views take long in long games (markov_soccer,
oshi_zumo)."""


class MissingOpenSpiel(UnknownGame):
    """The package `open_spiel` is not installed."""

    extra = "openspiel"
    """The extra of arena that installs it."""


class OpenSpielState(State[int]):
    """A position of a game of OpenSpiel. `rules_of` makes a subclass for each game."""

    notation = "what OpenSpiel calls the action, with _ for spaces"
    position_notation = (
        ("4 0 8", "the actions so far, by their numbers in OpenSpiel, with those of chance; - is the start"),
    )
    attributes = (
        ("theirs", "OpenSpiel's own state (do not change it)"),
        ("seen(seat)", "what a seat sees, as OpenSpiel writes it"),
    )

    __slots__ = ("_texts", "seat", "theirs", "turn")

    text: ClassVar[str]
    """The game's name and parameters."""
    game: ClassVar[Any]
    """OpenSpiel's game."""
    _see: ClassVar[Callable[[Theirs, int], str]]
    """What a seat sees of a position."""

    theirs: Theirs
    _texts: dict[int, str]
    """The text of each move; empty until one is asked for."""
    seat: int | None
    """The seat that sees this position, if it was loaded from a view; then what it does not see is a guess."""

    @classmethod
    def start(cls) -> Self:
        return cls.of(cls.game.new_initial_state())

    @classmethod
    def of(cls, theirs: Theirs, seat: int | None = None) -> Self:
        """The position of this state of OpenSpiel."""
        state = cls()
        state.theirs = theirs
        state.seat = seat
        state.turn = None if theirs.is_terminal() else theirs.current_player()
        state._texts = {}
        return state

    @classmethod
    def load(cls, text: str) -> Self:
        match = _POSITION.fullmatch(text)
        if match is None or int(match["seat"] or 0) >= cls.game.num_players():
            raise BadPosition(f"expected the numbers of the actions so far, such as '4 0 8', or '-', got {quote(text)}")
        theirs = cls.game.new_initial_state()
        for number in map(int, match["actions"].strip("-").split()):
            if number not in theirs.legal_actions():
                raise BadPosition(f"expected actions of a game, one after the other, but {number} is not legal there")
            theirs.apply_action(number)
        return cls.of(theirs, int(match["seat"]) if match["seat"] else None)

    def moves(self) -> tuple[int, ...]:
        if self.turn == CHANCE:
            return tuple(outcome for outcome, _ in self.chances())
        return tuple(self.theirs.legal_actions())

    def chances(self) -> tuple[tuple[int, float], ...]:
        return tuple(pair for pair in self.theirs.chance_outcomes() if pair[1] > 0) if self.turn == CHANCE else ()

    def all_moves(self) -> tuple[int, ...]:
        return tuple(range(self.game.num_distinct_actions()))

    def play(self, move: int) -> Self:
        return self.of(self.theirs.child(move), self.seat)

    def utilities(self) -> tuple[float, ...]:
        return tuple(utility + 0.0 for utility in self.theirs.returns())

    def to_text(self, move: int) -> str:
        if not self._texts:
            self._texts.update(self._all_texts())
        return self._texts[move]

    def _all_texts(self) -> Iterator[tuple[int, str]]:
        """Each move with its text: OpenSpiel's, followed by its number if others have the same, or if it is long."""
        moves = self.moves()
        texts = ["_".join(self.theirs.action_to_string(self.theirs.current_player(), move).split()) for move in moves]
        often = Counter(map(str.lower, texts))
        for move, text in zip(moves, texts, strict=True):
            plain = often[text.lower()] == 1 and 0 < len(text) <= _LONGEST_TEXT
            yield move, text if plain else f"{text[:_LONGEST_TEXT]}#{move}"

    @property
    def key(self) -> tuple[int, ...]:
        return tuple(self.theirs.history())

    def position(self) -> str:
        actions = " ".join(map(str, self.theirs.history())) or "-"
        if self.seat is None:
            return actions
        seen = "".join(letter if letter.isprintable() else "?" for letter in " ".join(self.seen(self.seat).split()))
        return f"seat{self.seat} {actions}" + (f" | {seen}" if seen else "")

    def seen(self, seat: int) -> str:
        """What the seat sees, as OpenSpiel writes it."""
        return type(self)._see(self.theirs, seat)

    def view(self, seat: int) -> str:
        return self.of(self._found_alike(seat), seat).position() if self.hidden else self.position()

    def view_move(self, seat: int, move: int) -> str:
        """The move's text if the seat sees it: if no history that looks the same ends with another move."""
        text = self.to_text(move)
        if not self.hidden or seat == self.turn:
            return text
        try:
            other = self.play(move)._alike(seat, without=move, most=_MOST_TRIES_OF_A_MOVE)
        except BadGame:
            return "?"
        return text if other is None else "?"

    def sample(self, seat: int, random: Random) -> Self:
        return self.of(self._found_alike(seat, random)) if self.hidden else self

    def _look(self, theirs: Theirs, seat: int) -> tuple[int, str]:
        """All that the seat sees of a state: whose turn it is, and what OpenSpiel says."""
        return theirs.current_player(), type(self)._see(theirs, seat)

    def _found_alike(self, seat: int, random: Random | None = None) -> Theirs:
        """A state that looks the same to the seat, maybe this one; OpenSpiel's strings are wrong if there is none."""
        if (found := self._alike(seat, random)) is None:
            raise BadGame(f"no position looks to seat {seat} like this one")
        return found

    def _alike(
        self, seat: int, random: Random | None = None, *, without: int | None = None, most: int = _MOST_TRIES
    ) -> Theirs | None:
        """The first state, in OpenSpiel's or in a random order, whose history looks the same to the seat and does not
        end with the action `without`; None if there is none. BadGame after `most` tries."""
        actions = self.theirs.history()
        whole = [self.game.new_initial_state()]
        for action in actions:
            whole.append(whole[-1].child(action))
        looks = [self._look(theirs, seat) for theirs in whole]

        def possible(theirs: Theirs, ply: int) -> Iterator[int]:
            """The actions at that ply as far as the seat knows: it knows its own."""
            if ply < len(actions) and theirs.current_player() == seat:
                return iter([actions[ply]])
            return iter(theirs.legal_actions() if random is None else _shuffled(theirs, random))

        # Depth first: the states of a history, and at each ply the actions that are not tried yet.
        path = whole[:1]
        untried = [possible(path[0], 0)]
        tries = 0
        while path and len(path) < len(whole):
            action = next(untried[-1], None)
            if action is None:
                path.pop()
                untried.pop()
                continue
            tries += 1
            if tries > most:
                raise BadGame(
                    f"this game cannot be played here: too much is hidden from seat {seat}, so that none of "
                    f"{most:,} positions looks the same to it"
                )
            if len(path) == len(actions) and action == without:
                continue
            child = path[-1].child(action)
            if self._look(child, seat) == looks[len(path)]:
                untried.append(possible(child, len(path)))
                path.append(child)
        return path[-1] if path else None

    def __reduce__(self) -> tuple[Callable[[str, str], OpenSpielState], tuple[str, str]]:
        """How to send the position to another process, which has no such class yet."""
        return _received, (self.text, self.position())

    def __str__(self) -> str:
        return str(self.theirs) if self.seat is None else self.seen(self.seat)


def _received(text: str, position: str) -> OpenSpielState:
    return rules_of(text).load(position)


def _shuffled(theirs: Theirs, random: Random) -> list[int]:
    """The actions in a random order; outcomes of chance by their probability."""
    if not theirs.is_chance_node():
        actions = theirs.legal_actions()
        return random.sample(actions, len(actions))
    weighted = [(random.random() ** (1.0 / weight), outcome) for outcome, weight in theirs.chance_outcomes() if weight]
    return [outcome for _, outcome in sorted(weighted, reverse=True)]


def version() -> str:
    """Name and version of OpenSpiel, on which the rules depend."""
    from importlib import metadata  # imported here, because agents must start fast

    try:
        return f"open_spiel {metadata.version('open_spiel')}"
    except metadata.PackageNotFoundError:
        return "no open_spiel"


def is_listed(text: str) -> bool:
    """Whether the game `text`, with or without "openspiel:", is one of `KEEP_PROMISES` with its default parameters."""
    return text.removeprefix("openspiel:") in KEEP_PROMISES


@cache
def rules_of(text: str) -> type[OpenSpielState]:
    """The class of the positions of OpenSpiel's game `text`, such as "leduc_poker(players=3)"."""
    pyspiel = _pyspiel(text)
    game = _loaded(pyspiel, text)
    kind = game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise BadGame(f"openspiel:{text}: a mean-field game has no players that could be seated")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise BadGame(f"openspiel:{text}: OpenSpiel does not list its chance events with their probabilities")
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    hidden = game.get_type().information != pyspiel.GameType.Information.PERFECT_INFORMATION
    if hidden and not (kind.provides_information_state_string or kind.provides_observation_string):
        raise BadGame(f"openspiel:{text}: OpenSpiel does not say what a player sees in this game")
    if game.num_players() < 1:
        raise BadGame(f"openspiel:{text}: expected a game with players, got {game.num_players()}")
    see = pyspiel.State.information_state_string
    if not kind.provides_information_state_string:
        see = pyspiel.State.observation_string
    defaults = kind.parameter_specification
    parameters = ", ".join(f"{name}={_shown(defaults[name])}" for name in sorted(defaults)) or "none"
    facts = {
        "__doc__": f"{kind.long_name}, with the rules of {version()}. Parameters, with their defaults: {parameters}.",
        "__slots__": (),
        "__module__": __name__,
        "text": text,
        "game": game,
        "_see": staticmethod(see),
        "seats": (game.num_players(),),
        "players": game.num_players(),
        # The mode is that of the game's kind: Goofspiel with cards in a fixed order has no chance.
        "chance": kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC and game.max_chance_outcomes() > 0,
        "hidden": hidden,
        "zero_sum": game.num_players() == 2 and kind.utility == pyspiel.GameType.Utility.ZERO_SUM,
        "bounds": (game.min_utility(), game.max_utility()),
        "max_plies": _max_plies(game),
    }
    if hidden:
        facts["position_notation"] = (*OpenSpielState.position_notation, _VIEW_NOTATION)
    return type(f"openspiel:{text}", (OpenSpielState,), facts)


def _pyspiel(text: str) -> Any:
    """The module of OpenSpiel."""
    try:
        import pyspiel
    except ImportError as error:
        why = "is not installed" if isinstance(error, ModuleNotFoundError) else f"cannot be imported ({error})"
        raise MissingOpenSpiel(f"openspiel:{text}: OpenSpiel {why}") from None
    return pyspiel


def _loaded(pyspiel: Any, text: str) -> Any:
    """OpenSpiel's game of that text; UnknownGame or BadOption says what is wrong."""
    if not text:
        raise UnknownGame("expected a game of OpenSpiel, such as openspiel:tic_tac_toe, got only openspiel")
    known = {kind.short_name: kind for kind in pyspiel.registered_games()}
    name, parenthesis, _ = text.partition("(")
    if text.count("(") != text.count(")") or (parenthesis and not text.endswith(")")):
        raise BadOption(f"openspiel:{name}: expected parameters in parentheses, got {quote(text)}")
    try:
        with _silent():
            given = pyspiel.game_parameters_from_string(text)
            _check_parameters(known, given)
            if len(_PARAMETER.findall(text)) != _count(given):
                raise BadOption(f"openspiel:{name}: expected each parameter once, got {quote(text)}")
            if not is_listed(text):
                _try(text)
            return pyspiel.load_game(text)
    except AdsearchError:
        raise
    except Exception as error:  # their errors are of several types, and have the place in their sources in front
        raise BadOption(f"openspiel:{text}: {_in_a_line(str(error)) or type(error).__name__}") from None


def _in_a_line(error: str) -> str:
    """Their error message without the place in their sources."""
    return re.sub(r"^/\S+ ", "", " ".join(error.split()))


def _try(text: str) -> None:
    """Have random games played in a process of its own; BadOption if the game crashes there, or takes too much.

    Where walls allow no process, the command that put them up has tried it."""
    from subprocess import DEVNULL, PIPE, TimeoutExpired, run  # imported here, because agents must start fast

    try:
        trial = run(
            [sys.executable, "-P", _TRIAL, text], stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, timeout=_TRIAL_ENDS
        )
    except OSError:
        return
    except TimeoutExpired:
        code, said = _KILLED, ""
    else:
        code, said = trial.returncode, trial.stderr.decode(errors="replace")
    if code == _KILLED:
        raise BadOption(f"openspiel:{text}: a game takes more than {SECONDS} s of processor time, or too much memory")
    if code < 0:
        raise BadOption(f"openspiel:{text}: OpenSpiel crashes ({Signals(-code).name})")
    if code:
        why = _in_a_line(said.strip().rpartition(chr(10))[2]) or "no reason is given"
        raise BadOption(f"openspiel:{text}: a trial fails (maybe a parameter is wrong): {why}")


@contextmanager
def _silent() -> Iterator[None]:
    """Inside, nothing is printed to stderr: OpenSpiel prints each error there, and then raises it."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _check_parameters(known: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise an error for a game that crashes or reads a file, and for a parameter that it does not have."""
    name = given["name"]
    if name not in known:
        raise UnknownGame(f"openspiel: no game {quote(name)}{nearly(name, list(known)) or _WHAT_THERE_IS}")
    if name in _CRASH:
        raise BadGame(f"openspiel:{name}: its code in OpenSpiel can crash the process that plays it")
    defaults = known[name].parameter_specification
    if "filename" in defaults:
        raise BadGame(f"openspiel:{name}: it reads its rules from a file, which a record could not keep")
    for parameter, value in given.items():
        if parameter == "name":
            continue
        if parameter not in defaults:
            raise BadOption(f"openspiel:{name}: no parameter {quote(parameter)}{meant(parameter, sorted(defaults))}")
        if "file" in parameter:
            raise BadOption(f"openspiel:{name}: {parameter} names a file, which a record could not keep")
        if isinstance(value, dict):
            _check_parameters(known, value)


def _count(given: Mapping[str, Any]) -> int:
    """The number of parameters, with those of games that are parameters."""
    return sum(1 + (_count(value) if isinstance(value, dict) else 0) for name, value in given.items() if name != "name")


def _shown(default: Any) -> str:
    """A parameter's default; dots if it has none or is a game."""
    return str(default) if type(default) in (int, float, bool, str) else "..."


def _max_plies(game: Any) -> int | None:
    """The length of the longest game with its chance events, if OpenSpiel says it."""
    try:
        return int(game.max_game_length() + game.max_chance_nodes_in_history())
    except Exception:  # not every game knows the number of its chance events
        return None
