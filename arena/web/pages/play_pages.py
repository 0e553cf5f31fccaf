"""The pages on which a person plays: the choice of an opponent, and the game with its board and its moves as buttons.

A move is a button of a form, so that every game can be played with a keyboard, and without scripts. Where the board has
fields, a script also takes clicks on them. The parts of a game's page are drawn again at every change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from time import monotonic_ns
from typing import Any, Final

import msgspec
from msgspec import Struct

from adsearch import State, games
from adsearch.pictures.boards import can_turn, is_clicked, pictures
from adsearch.pictures.boards.paper import colour, player
from arena.history import words
from arena.match.clock import MILLISECOND
from arena.pages.boards import clicks, drawn_boards, fields_of, plain_board, with_fields, with_hint
from arena.pages.drawing import Document, part
from arena.pages.game import ShownPly, ShownSeat, about, items, plays, runs, seat_kind
from arena.results import figures
from arena.web import links
from arena.web.pages import frame
from arena.web.persons_game import GameStatus, PersonsGame, SeenGame
from arena.web.results import Titled

CLOCKS: Final = {
    "300+5": "5 minutes and 5 s a move",
    "900+10": "15 minutes and 10 s a move",
    "60+2": "1 minute and 2 s a move",
}
"""The clocks to choose from, the default first."""
_MOST_BUTTONS: Final = 100
"""Largest number of legal moves of which each has a button, unless one can click on the board; of more, the person
writes one."""
_MOST_OFF_BOARD: Final = 3
"""Most moves beside the other buttons, if one can click on the board."""
HOW_THEY_PLAY: Final = {
    "random": (1, "very easy: plays at random"),
    "greedy": (2, "looks 1 move ahead"),
    "minimax": (3, "looks a few moves ahead"),
    "negamax": (3, "looks a few moves ahead, like minimax"),
    "alphabeta": (4, "looks many moves ahead"),
    "pvs": (5, "looks many moves ahead, further than alphabeta"),
    "mtdf": (5, "looks many moves ahead"),
    "quiescence": (5, "looks many moves ahead, and further after captures"),
    "selective": (4, "looks far ahead, but only at the 4 best moves of each position"),
    "expectiminimax": (4, "looks a few moves ahead, and weighs the dice"),
    "expectimax": (3, "looks a few moves ahead, as if you played at random"),
    "maxn": (3, "looks a few moves ahead, as if each player played for itself"),
    "paranoid": (3, "looks a few moves ahead, as if all others played against it"),
    "cfr": (5, "bluffs as often as is best"),
    "mcts": (4, "plays random games to the end, and takes the move that won most"),
}
"""What the built-in agents do, for a person who chooses an opponent, and how strong that is, from 1 to 5. Which one is
stronger depends on the game; a rating on the ladder says it better."""
_STRONGEST: Final = 5
EITHER: Final = "either"
"""The seat of a person who leaves it to chance."""
_STATES: Final = {
    GameStatus.WAITING: "One moment",
    GameStatus.YOURS: "Your turn",
    GameStatus.THEIRS: "The other player thinks",
    GameStatus.OVER: "The game is over",
}


class Opponent(Struct, frozen=True):
    """One that a person can play against."""

    name: str
    """Its public name."""
    rating: float | None = None
    """On the ladder, if it is rated there."""
    error: float | None = None
    """The 95 % error of the rating; None if there is none."""
    games: int = 0
    """Those of which the rating is made; 0 of a fixed one."""

    @property
    def described(self) -> str:
        """How it plays, if it is built-in."""
        return HOW_THEY_PLAY[self.name][1] if self.name in HOW_THEY_PLAY else ""

    @property
    def rated(self) -> str:
        """Its rating."""
        if self.rating is None:
            return "" if self.name in HOW_THEY_PLAY else "not rated yet"
        error = "" if self.error is None else f" ± {self.error:.0f}"
        made = f" from {words.counted(self.games, 'game')}" if self.games else ""
        return f"rating {figures.whole(self.rating)}{error}{made}"


class Opponents(Struct, frozen=True, kw_only=True):
    """Whom a person can play against."""

    ladder: Titled
    game: str
    """The game that is chosen."""
    games: Sequence[str]
    """All games to choose from, the ladder's first."""
    agents: Sequence[Opponent]
    """The agents of the ladder, the best first; none for another game."""
    built_in: Sequence[Opponent]
    going_on: Sequence[str]
    """The keys of this person's games that are not over."""


def opponents(found: Opponents, *, only: str = "", wrong: str = "") -> Document:
    """The page with all opponents, or with `only` one of them. `wrong`: why a game did not begin."""
    rated = [one.rating for one in (*found.agents, *found.built_in) if one.rating is not None]
    text = "These games are not rated. Your clock runs while it is your turn, also when you close the page. "
    text += "A higher rating is stronger." * bool(rated)
    rules = found.game
    lists = (("Agents of the ladder", found.agents), ("Built-in agents", found.built_in))
    return frame.drawn(
        "opponents.html",
        f"Play against {only}" if only else "Play against an agent",
        of=found.ladder,
        at=links.play(),
        above=[(links.play(), "Play")] * bool(only),
        wrong=wrong,
        going_on=[*map(links.table, found.going_on)],
        text=text.strip(),
        clocks=CLOCKS,
        games=[] if only else [(links.play(game=name), name, _small_board(name)) for name in found.games],
        game=rules,
        kind=seat_kind(1, rules),
        sides=[("0", "first", _side(0, rules)), ("1", "second", _side(1, rules)), (EITHER, EITHER, "either player")],
        lists=[
            (title, [_card(one, found, rated) for one in agents if only in ("", one.name)]) for title, agents in lists
        ],
    )


def _card(one: Opponent, found: Opponents, rated: Sequence[float]) -> dict[str, str | int]:
    """An opponent on the page of all. It is as strong as the place of its rating among those of all; a built-in agent
    without a rating as such agents are in general. 0: not known."""
    strength = HOW_THEY_PLAY.get(one.name, (0, ""))[0]
    if one.rating is not None and len(rated) > 1:
        weaker = sum(other < one.rating for other in rated)
        strength = 1 + round((_STRONGEST - 1) * weaker / (len(rated) - 1))
    return {
        "name": one.name,
        "href": links.agent(found.ladder.title, one.name) if one in found.agents else "",
        "action": links.play(one.name, found.game),
        "rated": one.rated,
        "described": one.described,
        "strength": strength,
        "dots": "●" * strength + "○" * (_STRONGEST - strength),
    }


@lru_cache(100)
def _small_board(rules: str) -> str:
    """A picture of the game: its board before the first move."""
    try:
        return plain_board(games.start(rules), None)
    except Exception:  # user-supplied rules may raise anything
        return ""


def page(
    game: PersonsGame,
    *,
    opponent: str,
    drawn: Callable[..., Document],
    href: str = "",
    others: Sequence[str] = (),
    ways: Sequence[tuple[str, str]] = (),
    wrong: str = "",
) -> Document:
    """The page of a game. `opponent`: its public name; `href`: the address of its page. `drawn`: draws the template in
    its frame. `wrong`: why the last move was not taken. The others as in `parts`."""
    seen = game.seen
    return drawn(
        "play.html",
        f"You against {opponent}",
        stream=links.events(p=seen.key),
        modules=("live.js", "play.js"),
        drawn=parts(seen, opponent, others=others, ways=ways, wrong=wrong),
        opponent={"name": opponent, "href": href} if href else None,
    )


def parts(
    seen: SeenGame,
    opponent: str,
    *,
    others: Sequence[str] = (),
    ways: Sequence[tuple[str, str]] = (),
    wrong: str = "",
) -> dict[str, str]:
    """The parts of the page, as markup. `others`: the names of all seats if the opponents differ. `ways`: where it goes
    on after the game, other than with the same game again: the address and the text of each."""
    names = _names(seen, opponent, others)
    state = _state(seen)
    deals = state is not None and state.hidden
    listed = words.lines([(ply.who, ply.shown) for ply in seen.plies], seen.rules, deals=deals)
    return {
        "state": part("text", words.printable(_STATES[seen.status] if seen.end is None else _result(seen, names))),
        "side": part("text", words.printable(_you_are(seen))),
        "seats": part("seats", [*_seats(seen, names)]),
        "last": part("last", [_line(line, names) for line in words.latest(listed)]),
        "board": _board(seen, state),
        "tools": part("tools", seen.flipped if state is not None and state.players == 2 and can_turn(state) else None),
        "moves": part("moves", items(_plies(seen, deals=deals), names, seen.rules)),
        "choices": part("choices", _choices(seen, state)),
        "said": part("notices", [*_said(seen, wrong)], _ways(seen, ways)),
    }


def _side(seat: int, rules: str) -> str:
    """The player of a seat in words."""
    called = plays(seat, rules)
    return called if called == player(seat) else f"{player(seat)} ({called})"


def _you_are(seen: SeenGame) -> str:
    """The game, and the person's side; empty before it begins."""
    return f"{words.without_store(seen.rules)}; you are the {_side(seen.seat, seen.rules)}" if seen.rules else ""


def _result(seen: SeenGame, names: Sequence[str]) -> str:
    """How the game ended, as a sentence about "you"."""
    text = seen.result(names).replace("you wins", "you win")
    return f"You{text[3:]}" if text.startswith("you ") else text


def _names(seen: SeenGame, opponent: str, others: Sequence[str]) -> list[str]:
    found = others or [opponent] * seen.players
    return ["you" if seat == seen.seat else name for seat, name in enumerate(found)]


def _state(seen: SeenGame) -> State[Any] | None:
    """The position as the person sees it, if it is known."""
    if not seen.rules:
        return None
    try:
        return games.load(seen.rules, seen.position)
    except Exception:  # user-supplied rules may raise anything
        return None


def _below(seen: SeenGame) -> int:
    """The seat whose pieces are below."""
    return 1 - seen.seat if seen.flipped else seen.seat


def _board(seen: SeenGame, state: State[Any] | None) -> str:
    if state is None:
        return part("no_board", "There is no board: the rules failed.") if seen.rules else ""
    below = _below(seen)
    drawn = drawn_boards([(state, seen.last)], below=below, ended=0 if seen.status is GameStatus.OVER else None)
    picture = drawn.drawn[0]
    if seen.status is GameStatus.YOURS:
        fields = fields_of(state, below=below)
        if seen.hint is not None and seen.hint.move in fields:
            picture = with_hint(picture, fields[seen.hint.move][0])
        picture = with_fields(picture, fields)
    return picture


def _plies(seen: SeenGame, *, deals: bool) -> Iterator[ShownPly]:
    """The moves."""
    dealt = runs([ply.who for ply in seen.plies], deals=deals)
    for number, (ply, passes) in enumerate(zip(seen.plies, dealt, strict=True), start=1):
        spent = "" if ply.spent is None else words.seconds(ply.spent)
        yield ShownPly(number, words.printable(ply.shown), ply.who, spent, passes=passes)


def _seats(seen: SeenGame, names: Sequence[str]) -> Iterator[ShownSeat]:
    now = monotonic_ns()
    for seat, name in enumerate(names):
        is_running = seat == seen.running
        time, since = "", dict[str, str]()
        if seat < len(seen.left):
            left = seen.left[seat]
            passed = (now - seen.since) // MILLISECOND if is_running else 0
            since = {"data-left": f"{left}", "data-since": f"{seen.since / 1e6:.3f}"} if is_running else {}
            time = words.clock((left - passed) * MILLISECOND)
        yield ShownSeat(
            name=words.printable(name),
            kind=seat_kind(seat, seen.rules),
            about=about(seat, seen.rules) if seen.rules else "",
            time=time,
            runs=since,
            is_turn=is_running,
            is_below=seat == _below(seen),
        )


def _line(line: words.Line, names: Sequence[str]) -> dict[str, str | None]:
    """A line of the list of moves."""
    who = names[line.who] if isinstance(line.who, int) and line.who < len(names) else str(line.who)
    return {"number": line.number, "who": words.printable(who), "href": None, "moves": words.printable(line.moves)}


def _again(seen: SeenGame) -> list[tuple[int, str]]:
    """What begins the same game again, each with the person's seat: the other one first."""
    swapped = "Rematch, seats swapped" if seen.players == 2 else "Play again from another seat"
    return [((seen.seat - 1) % seen.players, swapped), (seen.seat, "Play again")][-seen.players :]


def _ways(seen: SeenGame, ways: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Where it goes on after the game, other than with the same game again."""
    if seen.status is not GameStatus.OVER:
        return []
    replay = [] if seen.end is None or seen.end.id is None else [(links.game(seen.end.id), "Step through the game")]
    return [*replay, *ways]


def _choices(seen: SeenGame, state: State[Any] | None) -> dict[str, Any]:
    """The legal moves, and what else the person can do; after the game what begins it again."""
    # Buttons have their places also when they cannot be pressed: nothing moves.
    on_board = state is not None and is_clicked(state)
    by_buttons = state is not None and not on_board
    if seen.status is GameStatus.OVER:
        return {"again": _again(seen), "action": links.table(seen.key), "by_buttons": by_buttons}
    named = {} if state is None else clicks(state)
    fields = msgspec.json.encode(named).decode() if named else ""
    pictured = pictures(state) if named and state is not None else {}
    written = ""
    if len(seen.choices) > _MOST_BUTTONS and not fields:
        notation = "" if state is None else state.notation
        written = f"Your move: {notation}" if notation else f"Your move, one of {len(seen.choices):,}"
    back = f"Take back my last move ({seen.take_backs} left)" if seen.take_backs else ""
    return {
        "again": (),
        "action": links.table(seen.key),
        "turn": seen.turn,
        "written": written,
        "moves": [
            {"text": one.text, "shown": words.printable(one.shown), "picture": pictured.get(one.text, "")}
            for one in seen.choices
        ],
        "on_board": on_board,
        "off_board": [*_off_board(seen, state, named)] if named and state is not None else [],
        "by_buttons": by_buttons,
        "fields": fields,
        "piece": colour(seen.rules, seen.seat),
        "more": [
            ("hint", "Hint", "", seen.status is GameStatus.YOURS and seen.hint is None),
            ("take_back", "Take back", back, seen.take_backs > 0),
        ],
        "ends": [
            ("resign", "Resign: the game is lost", "", not seen.resigns),
            ("give_up", "Give up: nothing is recorded", "", True),
        ],
    }


def _off_board(seen: SeenGame, state: State[Any], named: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """Moves that no field of the board leads to, such as a pass: text, what is shown, whether it can be chosen now."""
    shown = {one.text: one.shown for one in seen.choices}
    try:
        texts = [state.to_text(move) for move in state.moves()]
    except Exception:  # a user-supplied game may raise anything
        texts = [*shown]
    for text in [text for text in texts if text not in named][:_MOST_OFF_BOARD]:
        yield text, words.printable(shown.get(text, text)), text in shown


def _said(seen: SeenGame, wrong: str) -> Iterator[str]:
    """What the person must read."""
    resigns = "You resign at your next turn." if seen.resigns and seen.end is None else ""
    hint = "" if seen.hint is None else seen.hint.text
    return (words.printable(text) for text in (wrong, seen.notice, resigns, hint) if text)
