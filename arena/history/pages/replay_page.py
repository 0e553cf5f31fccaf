"""The page of one game: its boards to step through, what was said and printed, values and clocks as curves.

It is made of the record and the rules alone. Every step stands in the page, so that it is a list of moves with boards
where there is no script, and on paper; a script shows one at a time. A public page has neither logs nor thoughts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from adsearch.pictures.boards import maze
from adsearch.pictures.svg import split_style
from arena.history import words
from arena.history.pages import html
from arena.history.pages.boards import boards
from arena.history.pages.curves import on_one_axis, plot
from arena.history.pages.html import element
from arena.history.replay import Replay, Step, Where, replay
from arena.match.clock import SECOND
from arena.ratings.plots.line_plot import Line, Point
from db.records import MoveRecord, PastGame

_BUTTONS: Final = (
    ("first", "«", "to the beginning", "Home"),
    ("back", "‹", "one move back", "ArrowLeft"),
    ("play", "play", "play", "Space"),
    ("next", "›", "one move on", "ArrowRight"),
    ("last", "»", "to the end", "End"),
)
_SPEEDS: Final = ((0.5, "½"), (1, "1"), (2, "2"), (4, "4"), (10, "10"))
"""Moves a second."""
_LONGEST: Final = 100
"""Letters of a name or a move; files that are imported may hold longer ones."""
_LAST: Final = (Where.AFTER, Where.WITHOUT)
"""What was printed then is shown with the last board."""


def page(
    game: PastGame,
    *,
    names: Mapping[str, str] | None = None,
    private: bool = True,
    links: Sequence[tuple[str, str]] = (),
    trust: bool = False,
) -> str:
    """The page, a whole document. `game` has its moves.

    `names`: what to show instead of the players' names, for every one of them. Not `private`: without anything that an
    agent wrote, and without reasons of rulings. `links`: addresses with their words, shown above. `trust`: its
    rules may be run also if they are not this user's own.
    """
    return _Page(game, names, private, trust).document(links)


class _Page:
    """One page in the making."""

    def __init__(self, game: PastGame, names: Mapping[str, str] | None, private: bool, trust: bool) -> None:
        self.game, self.private = game, private
        self.names = [_shown(player if names is None else names[player]) for player in game.players]
        self.replay: Replay = replay(game, trust=trust)
        self.plies = len(game.moves)
        self.rules = words.without_store(game.game)

    def document(self, links: Sequence[tuple[str, str]]) -> str:
        """The whole of it."""
        drawn = boards((step.state, step.last) for step in self.replay.steps)
        curves, sheet = self.curves()
        title = f"{' – '.join(self.names)}, {self.rules}"
        steps = [self.step(step, board) for step, board in zip(self.replay.steps, drawn.drawn, strict=True)]
        main = [
            self.trouble(),
            drawn.shared,
            element(
                "div",
                element(
                    "section",
                    element("h2", "Board"),
                    self.controls(),
                    _list("ol", steps, class_="steps"),
                    class_="show",
                ),
                self.moves(),
                class_="replay",
            ),
            *curves,
            *self.unplaced(),
        ]
        return html.document(
            title,
            self.head(links),
            element("main", *(part for part in main if part)),
            element("p", class_="unseen", id="told", role="status"),
            styles=(drawn.sheet, sheet, html.file("replay_page.css")),
            script=html.file("replay_page.js"),
        )

    # Above.

    def head(self, links: Sequence[tuple[str, str]]) -> str:
        """Who played what, and how it ended."""
        game = self.game
        name = f"game {game.id}" if game.tournament is None else f"{game.tournament}-{game.number}"
        facts = [
            self.rules,
            name,
            "" if game.round is None else f"round {game.round}",
            f"attempt {game.attempt}" if game.attempt > 1 else "",
            f"clock {game.clock}",
            f"opening {game.opening}" if game.opening else "",
            f"{game.finished[:16].replace('T', ' ')} UTC" if game.finished else "",
        ]
        ways = [element("a", html.words(name), href=address) for address, name in links]
        parts = [element("nav", *ways, aria_label="Up")] if ways else []
        parts.append(element("h1", html.words(" – ".join(self.names))))
        parts += [element("p", html.words(line), class_=kind) for kind, line in self.verdict()]
        parts.append(element("p", html.words(words.printable(" · ".join(filter(None, facts)))), class_="faint"))
        return element("header", *parts, self.players())

    def verdict(self) -> Iterator[tuple[str, str]]:
        """How it ended, and what was ruled."""
        game = self.game
        if game.verdict is None:
            yield "verdict", game.status
            return
        normal = game.verdict == "normal"
        detail = (game.detail or "") if normal or self.private else ""
        yield "verdict", words.printable(words.verdict_on_record(game, self.names, detail if normal else ""))
        if detail and not normal:
            yield "detail", words.without_store(words.printable(detail))
        for ruling in game.rulings:
            which, why = (f" {ruling.id}", f": {ruling.reason}") if self.private else ("", "")
            made = ruling.when[:16].replace("T", " ")
            yield "detail", words.printable(f"ruling{which} of {made}: {words.ruled(ruling, self.names)}{why}")

    def players(self) -> str:
        """Each seat, what it scored and how long it thought."""

        def cells(seat: int) -> str:
            past = self.game.seats[seat]
            points = self.game.counted
            return "".join(
                [
                    element("th", html.words(self.names[seat]), scope="row"),
                    element("td", _plays(seat, self.game.game)),
                    element("td", "–" if points is None else words.result([points[seat]]), class_="number"),
                    element("td", words.seconds(past.spent), class_="number"),
                    element("td", words.seconds(past.longest), class_="number"),
                ]
            )

        titles = ("player", "plays", "points", "thought", "longest")
        return element(
            "div",
            element(
                "table",
                element("caption", "Players", class_="unseen"),
                element("thead", element("tr", *(element("th", title, scope="col") for title in titles))),
                element("tbody", *(element("tr", cells(seat)) for seat in range(len(self.names)))),
            ),
            class_="wide",
            tabindex="0",
            role="group",
            aria_label="Players",
        )

    # The steps.

    def step(self, step: Step, board: str) -> str:
        """A position: the move that led to it, the board, the clocks, what was said and printed."""
        parts = [element("h3", html.words(self.heading(step))), board, self.clocks(step)]
        if step.move is not None and self.private:
            parts += [self.said(step), _log(f"{self.who(step)} printed before this move", step.printed)]
        if step.number == self.plies:
            if self.game.verdict is not None:
                parts += [element("p", html.words(line), class_=kind) for kind, line in self.verdict()]
            parts += self.leftovers(_LAST)
        return element("li", *filter(None, parts), id=f"ply-{step.number}", class_="step")

    def who(self, step: Step) -> str:
        """Who made the ply."""
        who = step.move.who if step.move else ""
        return self.names[who] if isinstance(who, int) else who

    def heading(self, step: Step) -> str:
        """The ply that led to a position."""
        if step.move is None:
            return "The beginning"
        return f"{step.number}. {self.who(step)}: {_shown(step.move.move)}"

    def clocks(self, step: Step) -> str:
        """What each clock shows, and what the move took."""
        mover = step.move.who if step.move else None
        shown = [
            element("span", html.words(name), " ", element("b", words.seconds(left)), class_="clock")
            for name, left in zip(self.names, step.left, strict=True)
            if left is not None
        ]
        if step.move is not None and step.move.spent is not None and mover is not None:
            shown.append(element("span", f"this move {words.seconds(step.move.spent)}", class_="faint"))
        return element("p", *shown, class_="clocks") if shown else ""

    def said(self, step: Step) -> str:
        """What the player reported of its thinking."""
        move = step.move
        if move is None:
            return ""
        numbers = words.thinking(structs.replace(move, line=None, text=None))
        reported = [numbers, f"expects {words.printable(move.line)}" if move.line else ""]
        said = html.words(" · ".join(filter(None, reported)))
        quoted = element("q", html.words(words.printable(move.text))) if move.text else ""
        parts = " · ".join(part for part in (said, quoted) if part)
        return element("p", f"{html.words(self.who(step))} says: ", parts, class_="said") if parts else ""

    def controls(self) -> str:
        """Buttons, a slider and a speed: for a script, which shows them."""
        buttons = [
            element(
                "button", sign, type="button", id=id, aria_label=label, title=f"{label} ({key})", aria_keyshortcuts=key
            )
            for id, sign, label, key in _BUTTONS
        ]
        speeds = [element("option", label, value=f"{speed:g}", selected=speed == 1) for speed, label in _SPEEDS]
        return element(
            "div",
            element("div", *buttons, class_="buttons"),
            element("label", "move ", element("input", type="range", id="at", min=0, max=self.plies, value=0)),
            element("span", f"0 of {self.plies}", id="where", aria_hidden="true"),
            element("label", element("select", *speeds, id="speed"), " moves a second"),
            element("p", "Keys: arrows, Home, End; space plays. Curves may be clicked.", class_="faint keys"),
            id="controls",
            role="group",
            aria_label="Steps",
            hidden=True,
        )

    def moves(self) -> str:
        """The list of moves, each a way to its board."""
        ways = [element("a", html.words(self.heading(step)), href=f"#ply-{step.number}") for step in self.replay.steps]
        return element(
            "nav",
            element("h2", "Moves"),
            _list("ol", [element("li", way) for way in ways]),
            class_="moves",
            aria_label="Moves",
        )

    # Below.

    def trouble(self) -> str:
        """Why there are no boards."""
        why = words.printable(words.without_store(self.replay.trouble))
        if not why:
            return ""
        if not self.private:
            why = f"the rules of the game {'were not run' if self.replay.untrusted else 'are not here'}."
        shown = f"There are no boards: {why}"
        return element("p", html.words(shown), class_="trouble")

    def curves(self) -> tuple[list[str], str]:
        """The values that players reported, and their clocks; and the style sheet of both."""
        pictures = [*(self.values() if self.private else ()), self.times()]
        apart = [split_style(picture) for picture in pictures if picture]
        if not apart:
            return [], ""
        drawn = [element("div", drawing, class_="curve") for _, drawing in apart]
        return [element("section", element("h2", "Curves"), element("div", *drawn, class_="curves"))], apart[0][0]

    def values(self) -> Iterator[str]:
        """The scores that players reported: on one axis, or on one each where one would hide another."""
        curves = self.each(lambda move: move.score)
        for together in [curves] if on_one_axis(curves) else [[curve] for curve in curves]:
            whose = "each player" if len(together) > 1 or not together else together[0].name
            yield plot(together, self.plies, title=f"Value, as {whose} sees it", unit="score")

    def times(self) -> str:
        """The clocks; what each move took, where there are none."""
        begun = next(iter(self.replay.steps[0].left), None)
        first = () if begun is None else (Point(0, begun / SECOND),)
        clocks = [
            structs.replace(curve, points=(*first, *curve.points))
            for curve in self.each(lambda move: None if move.left is None else move.left / SECOND)
            if curve.points
        ]
        if clocks:
            return plot(clocks, self.plies, title="Clocks", unit="seconds left")
        spent = self.each(lambda move: None if move.spent is None else move.spent / SECOND)
        return plot(spent, self.plies, title="Time for each move", unit="seconds")

    def each(self, value: Callable[[MoveRecord], float | None]) -> list[Line]:
        """A curve for each seat."""
        return [
            Line(
                name,
                tuple(
                    Point(move.ply, found)
                    for move in self.game.moves
                    if move.who == seat and (found := value(move)) is not None
                ),
                hue=seat,
                stroke=seat,
            )
            for seat, name in enumerate(self.names)
        ]

    def unplaced(self) -> Iterator[str]:
        """What agents printed, nobody knows at which of their moves."""
        if logs := [*filter(None, self.leftovers((Where.UNKNOWN, Where.CUT)))]:
            yield element("section", element("h2", "Printed"), *logs)

    def leftovers(self, kinds: Sequence[Where]) -> list[str]:
        """What agents printed at none of their moves, where it is of these kinds."""
        if not self.private:
            return []
        return [
            _log(f"{name} printed {leftover.where}", leftover.text)
            for name, leftover in zip(self.names, self.replay.leftovers, strict=True)
            if leftover.where in kinds
        ]


def _shown(text: str) -> str:
    """A name or a move on one line, cut where it is far longer than those of our own games can be."""
    return words.printable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _plays(seat: int, rules: str) -> str:
    """What is whose on the board."""
    return maze.called(seat) if rules.partition(":")[0] == "maze" else words.piece(seat, rules) or f"seat {seat}"


def _list(name: str, items: Sequence[str], **attributes: str) -> str:
    return element(name, "\n", *(f"{item}\n" for item in items), **attributes)


def _log(heading: str, text: str) -> str:
    """What was printed, line by line; nothing where that is nothing."""
    if not text.strip():
        return ""
    lines = "\n".join(words.without_store(words.printable(line)) for line in text.strip("\n").splitlines())
    box = element("pre", html.words(lines), tabindex="0", role="group", aria_label=heading)
    return element("p", html.words(heading), class_="printed") + box
