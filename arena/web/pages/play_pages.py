"""The pages on which a person plays: the choice of an opponent, and the game with its board and its moves as buttons.

A move is a button of a form, so that every game can be played with a keyboard, and without scripts. Where the board has
fields, a script also takes clicks on them. The parts of a game's page are drawn again at every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic_ns
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from adsearch import State, games
from adsearch.pictures.boards.paper import player
from agents import builtin
from arena.history import words
from arena.match.clock import MILLISECOND
from arena.pages import html
from arena.pages import parts as shared
from arena.pages.board_fields import clicks, fields_of, with_fields
from arena.pages.boards import board_style, boards
from arena.pages.drawing import Document
from arena.pages.html import element
from arena.pages.replay_page import plays
from arena.web import links
from arena.web.pages import frame
from arena.web.pages.live_page import STYLES, board_and_moves
from arena.web.person import Status

if TYPE_CHECKING:
    from typing import Any

    from arena.web.person import PersonsGame, Seen
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
HOW_THEY_PLAY: Final = {
    "random": "very easy: plays at random",
    "greedy": "looks 1 move ahead",
    "minimax": "looks a few moves ahead",
    "negamax": "looks a few moves ahead, like minimax",
    "alphabeta": "looks many moves ahead",
    "pvs": "looks many moves ahead, further than alphabeta",
    "mtdf": "looks many moves ahead",
    "quiescence": "looks many moves ahead, and further after captures",
    "selective": "looks far ahead, but only at the 4 best moves of each position",
    "expectiminimax": "looks a few moves ahead, and weighs the dice",
    "expectimax": "looks a few moves ahead, as if you played at random",
    "maxn": "looks a few moves ahead, as if each player played for itself",
    "paranoid": "looks a few moves ahead, as if all others played against it",
    "cfr": "bluffs as often as is best",
    "mcts": "plays random games to the end, and takes the move that won most",
}
"""What the built-in agents do, for a person who chooses an opponent. Which one is stronger depends on the game."""
_STATES: Final = {
    Status.WAITING: "One moment",
    Status.YOURS: "Your turn",
    Status.THEIRS: "The other player thinks",
    Status.OVER: "The game is over",
}
_STYLE: Final = "play.css"


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
        """How it plays, if it is built-in, and its rating."""
        error = "" if self.error is None else f" ± {self.error:.0f}"
        made = f" from {words.counted(self.games, 'game')}" if self.games else ""
        rated = "" if self.rating is None else f"rating {self.rating:.0f}{error}{made}"
        return "; ".join(filter(None, (HOW_THEY_PLAY.get(self.name, ""), rated))) or "not rated yet"


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


def opponents(found: Opponents) -> Document:
    """The page with all opponents."""
    names = [element("option", html.words(one), value=one, selected=one == found.game) for one in found.games]
    choice = element("label", element("span", "Game"), element("select", *names, name_="game"))
    form = element(
        "form",
        choice,
        element("p", element("button", "Show", type="submit"), class_="send"),
        action=links.play(),
        method="get",
        class_="filter",
    )
    lists = []
    for title, listed in (("Agents of the ladder", found.agents), ("Built-in agents", found.built_in)):
        if listed:
            items = [
                element(
                    "li",
                    shared.link(links.play(one.name, found.game), one.name),
                    element("span", html.words(one.described), class_="faint"),
                )
                for one in listed
            ]
            lists += [element("h2", title), element("ul", *items, class_="opponents")]
    text = "These games are not rated. Your clock runs while it is your turn, also when you close the page. "
    text += "A higher rating is stronger." * any(one.rating is not None for one in (*found.agents, *found.built_in))
    return frame.page(
        "Play against an agent",
        *_going_on(found.going_on),
        element("p", text.strip()),
        form,
        *lists,
        of=found.ladder,
        at=links.play(),
        styles=(_STYLE,),
        form=True,
    )


def _going_on(keys: Sequence[str]) -> Iterator[str]:
    """A link to each game of the person that is not over."""
    return (element("p", shared.link(links.table(key), "Back to your game"), class_="notice") for key in keys)


def begin(opponent: Opponent, game: str, *, of: Titled, wrong: str = "", going_on: Sequence[str] = ()) -> Document:
    """The page on which a game against this opponent begins. `wrong`: why it did not; `going_on`: as in `Opponents`."""
    places = [
        element(
            "label",
            element("input", type="radio", name_="seat", value=str(seat), checked=seat == 0),
            " ",
            html.words(_side(seat, game)),
        )
        for seat in (0, 1)
    ]
    clocks = [element("option", text, value=clock) for clock, text in CLOCKS.items()]
    return frame.page(
        f"Play against {opponent.name}",
        *([element("p", html.words(wrong), class_="notice", role="alert")] if wrong else []),
        *_going_on(going_on),
        element("p", html.words(f"{game}, against {opponent.name} ({opponent.described}). The game is not rated.")),
        element(
            "form",
            element("fieldset", element("legend", "You are"), *places),
            element("label", element("span", "Clock"), element("select", *clocks, name_="clock")),
            element("p", element("button", "Begin", type="submit", class_="main")),
            action=links.play(opponent.name, game),
            method="post",
            class_="begin",
        ),
        element("p", shared.link(links.play(), "Other opponents")),
        of=of,
        styles=(_STYLE,),
        form=True,
    )


def page(game: PersonsGame, *, of: Titled, opponent: str, wrong: str = "") -> Document:
    """The page of a game. `opponent`: its public name. `wrong`: why the last move was not taken."""
    seen = game.seen
    drawn = parts(seen, opponent, wrong=wrong)
    return frame.page(
        f"You against {opponent}",
        board_and_moves(
            drawn,
            element("p", drawn["state"], id="state", class_="verdict"),
            element("div", drawn["said"], id="said", role="alert"),
            element("section", drawn["choices"], id="choices", aria_label="Your move", tabindex=-1),
        ),
        element("p", drawn["side"], id="side", class_="faint"),
        *(
            []
            if builtin.is_builtin(seen.opponent)
            else [element("p", shared.link(links.agent(of.title, opponent), opponent))]
        ),
        element("p", "", id="status", class_="unseen", role="status"),
        element(
            "noscript", element("p", "Load this page again to see the other player's move: scripts are switched off.")
        ),
        of=of,
        stream=links.events(p=seen.key),
        modules=("live.js", "play.js"),
        styles=(board_style(), *STYLES, _STYLE),
        form=True,
    )


def parts(seen: Seen, opponent: str, *, wrong: str = "") -> dict[str, str]:
    """The parts of the page, as markup."""
    names = _names(seen, opponent)
    state = _state(seen)
    deals = state is not None and state.hidden
    listed = words.lines([(ply.who, ply.shown) for ply in seen.plies], seen.rules, deals=deals)
    return {
        "state": html.words(words.printable(_STATES[seen.status] if seen.end is None else _result(seen, names))),
        "side": html.words(words.printable(_you_are(seen))),
        "clocks": "".join(_clocks(seen, names)),
        "last": html.words(words.printable("; ".join(_line(line, names) for line in words.latest(listed)))),
        "board": _board(seen, state),
        "moves": "".join(_moves(listed, names)),
        "choices": "".join(_choices(seen, state)),
        "said": "".join(_said(seen, wrong)),
    }


def _side(seat: int, rules: str) -> str:
    """The player of a seat in words."""
    called = plays(seat, rules)
    return called if called == player(seat) else f"{player(seat)} ({called})"


def _you_are(seen: Seen) -> str:
    """The game, and the person's side; empty before it begins."""
    return f"{words.without_store(seen.rules)}; you are the {_side(seen.seat, seen.rules)}" if seen.rules else ""


def _result(seen: Seen, names: Sequence[str]) -> str:
    """How the game ended, as a sentence about "you"."""
    text = seen.result(names).replace("you wins", "you win")
    return f"You{text[3:]}" if text.startswith("you ") else text


def _names(seen: Seen, opponent: str) -> list[str]:
    players = max(2, len(seen.names))
    return ["you" if seat == seen.seat else opponent for seat in range(players)]


def _state(seen: Seen) -> State[Any] | None:
    """The position as the person sees it, if it is known."""
    if not seen.rules:
        return None
    try:
        return games.load(seen.rules, seen.position)
    except Exception:  # user-supplied rules may raise anything
        return None


def _board(seen: Seen, state: State[Any] | None) -> str:
    if state is None:
        return "" if not seen.rules else element("p", "There is no board: the rules failed.", class_="faint")
    drawn = boards([(state, seen.last)], below=seen.seat, ended=0 if seen.status is Status.OVER else None)
    picture = drawn.drawn[0]
    if seen.status is Status.YOURS:
        picture = with_fields(picture, fields_of(state, below=seen.seat))
    return drawn.shared + picture


def _clocks(seen: Seen, names: Sequence[str]) -> Iterator[str]:
    now = monotonic_ns()
    for seat, name in enumerate(names):
        runs = seat == seen.running
        side = [element("small", html.words(plays(seat, seen.rules)), class_="faint")] if seen.rules else []
        inside = [element("span", html.words(words.printable(name)), class_="who"), *side]
        if seat < len(seen.left):
            left = seen.left[seat]
            passed = (now - seen.since) // MILLISECOND if runs else 0
            instant = {"data_left": f"{left}", "data_since": f"{seen.since / 1e6:.3f}"} if runs else {}
            inside.append(element("b", words.clock((left - passed) * MILLISECOND), class_="time", **instant))
        if runs:
            inside.append(element("span", "to move", class_="unseen"))
        yield element("span", " ".join(inside), class_="clock turn" if runs else "clock")


def _line(line: words.Line, names: Sequence[str]) -> str:
    return f"{line.number} {_who(line.who, names)}: {line.moves}"


def _who(who: int | str, names: Sequence[str]) -> str:
    return names[who] if isinstance(who, int) and who < len(names) else str(who)


def _moves(listed: Sequence[words.Line], names: Sequence[str]) -> Iterator[str]:
    for line in listed:
        text, is_last = words.printable(_line(line, names)), line is listed[-1]
        yield element("li", element("span", html.words(text), class_="move", aria_current="step" if is_last else False))


def _choices(seen: Seen, state: State[Any] | None) -> Iterator[str]:
    """The legal moves, and what else the person can do; after the game where it goes on."""
    if seen.status is Status.OVER:
        ways = [] if seen.end is None or seen.end.id is None else [(links.game(seen.end.id), "Step through the game")]
        items = (element("li", shared.link(*way)) for way in [*ways, (links.play(), "Play again")])
        yield element("ul", *items, class_="opponents")
        return
    where = {"action": links.table(seen.key), "method": "post"}
    fields = _fields_of(state)
    if len(seen.choices) > _MOST_BUTTONS and not fields:
        how = f": {state.notation}" if state is not None and state.notation else ""
        yield element(
            "form",
            element(
                "label",
                element("span", html.words(f"Your move, one of {len(seen.choices):,}{how}")),
                element("input", name_="move", required=True, autocomplete="off", spellcheck="false"),
            ),
            element("button", "Play", type="submit"),
            class_="written",
            **where,
        )
    elif seen.choices:
        buttons = [
            element("button", html.words(words.printable(one.shown)), type="submit", name_="move", value=one.text)
            for one in seen.choices
        ]
        yield element("form", *buttons, class_="choices", data_fields=fields, **where)
    more = [("hint", "Hint")] * (seen.status is Status.YOURS and seen.hint is None)
    more += [("take_back", f"Take back my last move ({seen.take_backs} left)")] * (seen.take_backs > 0)
    ends = [("resign", "Resign: the game is lost")] * (not seen.resigns) + [("give_up", "Give up: nothing is recorded")]
    # Two steps: a game must not end because a key was pressed twice.
    end = element("details", element("summary", "End the game"), *_buttons(ends), class_="end")
    yield element("form", *_buttons(more), end, class_="more", **where)


def _buttons(named: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (element("button", text, type="submit", name_="do", value=do) for do, text in named)


def _fields_of(state: State[Any] | None) -> str | bool:
    """What the script needs to make clicks on fields a move; False if the board has none."""
    if state is None:
        return False
    named = clicks(state)
    return msgspec.json.encode(named).decode() if named else False


def _said(seen: Seen, wrong: str) -> Iterator[str]:
    for text in (wrong, seen.notice, "You resign at your next turn." if seen.resigns and seen.end is None else ""):
        if text:
            yield element("p", html.words(words.printable(text)), class_="notice")
    if seen.hint is not None:
        yield element("p", html.words(words.printable(seen.hint.text)), class_="notice")
