"""The page of one game: its boards step by step, what agents reported and printed, and plots of values and clocks.

It is made from the recorded game and the rules. The page has all steps; a script shows one at a time. Without the
script, and on paper, the page is a list of moves with boards. A public page has no logs and no reported values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from adsearch.pictures.boards import maze
from adsearch.pictures.boards.paper import SIDES, player
from adsearch.pictures.svg import split_style
from arena.history import words
from arena.history.replay import Replay, Step, Where, better_position, replay
from arena.match.clock import SECOND
from arena.pages import html, stepper
from arena.pages.boards import boards
from arena.pages.curves import judged_values, on_one_axis, plot
from arena.pages.drawing import Document, Frame, draw, file
from arena.pages.html import element
from arena.ratings.plots.line_plot import Line, Point
from db.records import HUMAN, JudgedPly, Mark, MoveRecord, PastGame

GLIDE: Final = file("scripts/glide.js")
"""The script that lets moves glide, for all pages with boards."""
_TO_MISTAKES: Final = (
    stepper.Button("earlier", "‹ ?", "previous mistake", "M"),
    stepper.Button("mistake", "? ›", "next mistake", "m"),
)
_MARKS: Final = {Mark.MISTAKE: "a mistake", Mark.BLUNDER: "a serious mistake"}
_LONGEST: Final = 100
"""Most characters of a name or a move that are shown; imported files can have longer ones."""
_LAST: Final = (Where.AFTER, Where.WITHOUT)
"""Output of these kinds is shown with the last board."""


def page(
    game: PastGame,
    *,
    names: Mapping[str, str] | None = None,
    private: bool = True,
    links: Sequence[tuple[str, str]] = (),
    called: str = "",
    trust: bool = False,
    at: int = 0,
    mistake: JudgedPly | None = None,
    agents: Mapping[str, str] | None = None,
) -> Document:
    """The whole page, as an HTML document. `game` must have its moves.

    `names`: for every player, the name to show. `private=False`: leaves out all texts that agents wrote, and the
    reasons of rulings. `links`: addresses and texts of links at the top. `called`: which game it is, by default as
    commands call it. `trust`: run the game's rules even if they are not this user's own. `at`: the ply to open at.
    `mistake`: the only ply that was judged, of a game without an analysis. `agents`: addresses of the players' pages.
    """
    made = _Page(game, names, private, trust, called, agents or {}, None if game.analysis else mistake)
    return made.document(links, at)


class _Page:
    """A page that is being made."""

    def __init__(
        self,
        game: PastGame,
        names: Mapping[str, str] | None,
        private: bool,
        trust: bool,
        called: str,
        agents: Mapping[str, str],
        mistake: JudgedPly | None,
    ) -> None:
        self.names = [_shown(player if names is None else names[player]) for player in game.players]
        # Each name as markup: a link, if the player has a page.
        self.linked = [
            element("a", html.words(name), href=agents[player]) if player in agents else html.words(name)
            for name, player in zip(self.names, game.players, strict=True)
        ]
        self.mistake = mistake
        game = game if mistake is None else structs.replace(game, analysis=(mistake,))
        self.replay: Replay = replay(game, trust=trust)
        self.game, self.private, self.called = self.replay.game, private, called
        self.plies = len(game.moves)
        self.rules = words.without_store(game.game)

    def document(self, links: Sequence[tuple[str, str]], at: int) -> Document:
        """The whole document."""
        found = self.replay.steps
        marked = [step.number for step in found if step.judged is not None and step.judged.better]
        positions = [(step.state, step.last) for step in found]
        drawn = boards(
            [*positions, *(better_position(found, number) for number in marked)],
            below=self.person(),
            ended=None if self.game.verdict is None else self.plies,
        )
        better = dict(zip(marked, drawn.drawn[len(found) :], strict=True))
        curves, sheet = self.curves()
        title = f"{' – '.join(self.names)}, {self.rules}"
        steps = [
            self.step(step, board, better.get(step.number, "")) for step, board in zip(found, drawn.drawn, strict=False)
        ]
        main = [
            self.trouble(),
            drawn.shared,
            element(
                "div",
                element(
                    "section",
                    element("h2", "Board", class_="unseen"),
                    self.controls(at, has_curves=bool(curves)),
                    _list("ol", steps, class_="steps"),
                    class_="show",
                ),
                self.moves(),
                class_="replay",
            ),
            self.about(),
            *curves,
            *self.unplaced(),
        ]
        return draw(
            "plain.html",
            title,
            Frame(pages=links, label="Up", script="".join((stepper.SCRIPT, GLIDE, file("scripts/replay.js")))),
            styles=(drawn.sheet, sheet, "stepper.css", "replay.css"),
            heading=" – ".join(self.linked),
            body="\n".join([*(part for part in main if part), stepper.status()]),
        )

    def person(self) -> int | None:
        """The seat of the only person; None if there is none, or several."""
        seats = [seat for seat, player in enumerate(self.game.players) if player.partition("#")[0] == HUMAN]
        return seats[0] if len(seats) == 1 else None

    # The head of the page.

    def about(self) -> str:
        """The result, the players, and the conditions of the game."""
        game = self.game
        facts = [
            self.rules,
            self.called or (f"game {game.id}" if game.tournament is None else f"{game.tournament}-{game.number}"),
            "" if game.round is None else f"round {game.round}",
            f"attempt {game.attempt}" if game.attempt > 1 else "",
            f"clock {game.clock}",
            f"opening {game.opening}" if game.opening else "",
            f"{game.finished[:16].replace('T', ' ')} UTC" if game.finished else "",
        ]
        parts = [element("p", html.words(line), class_=kind) for kind, line in self.verdict()]
        parts.append(element("p", html.words(words.printable(" · ".join(filter(None, facts)))), class_="faint"))
        return element("section", element("h2", "This game"), *parts, self.players(), class_="about")

    def verdict(self) -> Iterator[tuple[str, str]]:
        """How the game ended, and its rulings; each line with its class."""
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
            if help := words.helped(ruling):
                yield "faint", help
                continue
            which = f" {ruling.id}" if self.private else ""
            why = f": {ruling.reason}" if self.private and ruling.reason else ""
            made = ruling.when[:16].replace("T", " ")
            yield "detail", words.printable(f"ruling{which} of {made}: {words.ruled(ruling, self.names)}{why}")

    def players(self) -> str:
        """The table of players: points and thinking times."""

        def cells(seat: int) -> str:
            past = self.game.seats[seat]
            points = self.game.counted
            return "".join(
                [
                    element("th", self.linked[seat], scope="row"),
                    element("td", plays(seat, self.game.game)),
                    element("td", "–" if points is None else words.result([points[seat]]), class_="number"),
                    element("td", words.seconds(past.spent), class_="number"),
                    element("td", words.seconds(past.longest), class_="number"),
                ]
            )

        titles = ("player", "plays", "result", "thinking time", "longest")
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

    def step(self, step: Step, board: str, better: str) -> str:
        """A position: the move that led to it, the board, the clocks, and what was reported and printed. `better`: the
        board after the better move, shown beside the other."""
        judged = words.mistake(step.judged, self.names) if step.judged is not None else ""
        if better and step.judged is not None:
            figures = (("played", step.judged.move, board), ("better", step.judged.better[0], better))
            board = element("div", *(_figure(kind, move, drawn) for kind, move, drawn in figures), class_="two")
        parts = [element("h3", self.heading(step)), board, self.clocks(step)]
        if judged:
            parts.insert(1, element("p", html.words(judged), class_="mistake"))
        if step.move is not None and self.private:
            parts += [self.said(step), _log(f"{self.who(step)} printed before this move", step.printed)]
        if step.number == self.plies:
            if self.game.verdict is not None:
                parts += [element("p", html.words(line), class_=kind) for kind, line in self.verdict()]
            parts += self.leftovers(_LAST)
        return element("li", *filter(None, parts), id=f"ply-{step.number}", class_="step", data_passes=step.passes)

    def who(self, step: Step) -> str:
        """The player of the ply, or "chance" or "opening"."""
        who = step.move.who if step.move else ""
        return self.names[who] if isinstance(who, int) else who

    def heading(self, step: Step) -> str:
        """The ply that led to a position, with its mark, as markup."""
        if step.move is None:
            return "Start"
        number = words.move_number(step.number, self.rules)
        return html.words(f"{number} {self.who(step)}: ") + _marked_move(step, step.move)

    def clocks(self, step: Step) -> str:
        """The time left on each clock, and the time of the move."""
        mover = step.move.who if step.move else None
        shown = [
            element("span", html.words(name), " ", element("b", words.clock(left)), class_="clock")
            for name, left in zip(self.names, step.left, strict=True)
            if left is not None
        ]
        if step.move is not None and step.move.spent is not None and mover is not None:
            shown.append(element("span", f"this move {words.seconds(step.move.spent)}", class_="faint"))
        return element("p", *shown, class_="clocks") if shown else ""

    def said(self, step: Step) -> str:
        """The depth, score, nodes, expected moves and text that the player reported."""
        move = step.move
        if move is None:
            return ""
        numbers = words.thinking(structs.replace(move, line=None, text=None))
        reported = [numbers, f"expects {words.printable(move.line)}" if move.line else ""]
        said = html.words(" · ".join(filter(None, reported)))
        quoted = element("q", html.words(words.printable(move.text))) if move.text else ""
        parts = " · ".join(part for part in (said, quoted) if part)
        return element("p", f"{html.words(self.who(step))} says: ", parts, class_="said") if parts else ""

    def controls(self, at: int, *, has_curves: bool) -> str:
        """The buttons, the slider and the speed."""
        analysed = any(ply.mark for ply in self.game.analysis)
        return stepper.controls(
            self.plies,
            at=at,
            step="move",
            place="position",
            more=_TO_MISTAKES if analysed else (),
            hint=f"{'; m and M for the next and the previous mistake' * analysed}."
            f"{' Click a curve to go to that move.' * has_curves}",
        )

    def moves(self) -> str:
        """The list of moves, with links to their boards."""
        return element(
            "nav",
            element("h2", "Moves"),
            self.counted_mistakes(),
            _list("ol", self.listed_moves()),
            class_="moves",
            aria_label="Moves",
        )

    def listed_moves(self) -> Iterator[str]:
        """The items of the list of moves; dealt tiles in a row share one, and in chess White's move and Black's."""
        begin, *plies = self.replay.steps
        yield element("li", _link(begin, "Start"))
        if self.rules != "chess":
            yield from self.listed_turns(plies)
            return
        for pair in (plies[at : at + 2] for at in range(0, len(plies), 2)):
            links = [_link(step, _marked_move(step, step.move)) for step in pair if step.move is not None]
            yield element("li", words.move_number(pair[0].number, self.rules), *links, class_="pair")

    def listed_turns(self, plies: Iterable[Step]) -> Iterator[str]:
        """An item for each move, and for all tiles or cards that are dealt in a row."""
        events: list[Step] = []
        for step in plies:
            events.append(step)
            if step.passes:
                continue
            if len(events) == 1:
                yield element("li", _link(step, self.heading(step)))
            else:
                links = [_link(one, _marked_move(one, one.move)) for one in events if one.move is not None]
                numbers = f"{events[0].number}–{step.number}. {self.who(step)}: "
                yield element("li", element("span", numbers), *links, class_="events")
            events.clear()

    def counted_mistakes(self) -> str:
        """The number of mistakes of each player; empty if the game was not analysed."""
        plies = self.game.analysis
        if not plies:
            return ""
        if self.mistake is not None and isinstance(who := self.mistake.who, int):
            first = f"the first clear mistake of {self.names[who]} has a ?, or ?? if it is serious"
            return element("p", html.words(f"Analysed by arena: {first}."))
        start = self.replay.steps[0].state
        if start is not None and start.hidden:
            seen = "The search sees what was hidden from the players, so no move is called a mistake."
            return element("p", f"Analysed by arena. {seen}")
        counts = []
        for seat, name in enumerate(self.names):
            marks = Counter(one.mark for one in plies if one.who == seat)
            made = [f"{marks[mark]} {mark}" for mark in (Mark.MISTAKE, Mark.BLUNDER) if marks[mark]]
            counts.append(f"{name}: {', '.join(made) or 'no mistakes'}")
        return element("p", html.words(f"Analysed by arena: ? is a mistake, ?? a serious one. {'; '.join(counts)}."))

    # The rest of the page.

    def trouble(self) -> str:
        """Why there are no boards; empty if there are."""
        why = words.printable(words.without_store(self.replay.trouble))
        if not why:
            return ""
        if not self.private:
            why = f"the rules of the game {'were not run' if self.replay.untrusted else 'are not available'}."
        shown = f"There are no boards: {why}"
        return element("p", html.words(shown), class_="trouble")

    def curves(self) -> tuple[list[str], str]:
        """The plots of the analysis, of reported values and of clocks, and their style sheet."""
        pictures = [self.analysis(), *(self.values() if self.private else ()), self.times()]
        apart = [split_style(picture) for picture in pictures if picture]
        if not apart:
            return [], ""
        drawn = [element("div", drawing, class_="curve") for _, drawing in apart]
        return [element("section", element("h2", "Curves"), element("div", *drawn, class_="curves"))], apart[0][0]

    def analysis(self) -> str:
        """The plot of the analysis; empty without one."""
        if not self.game.analysis or self.mistake is not None:
            return ""
        start = self.replay.steps[0].state
        bounds = None if start is None else start.bounds
        return judged_values(self.game.analysis, self.names, bounds=bounds, title="Value, by the analysis of arena")

    def values(self) -> Iterator[str]:
        """The plots of reported scores: one plot if the scores fit on one axis, else one plot per player."""
        curves = self.each(lambda move: move.score)
        for together in [curves] if on_one_axis(curves) else [[curve] for curve in curves]:
            whose = "each player" if len(together) > 1 or not together else together[0].name
            yield plot(together, self.plies, title=f"Value, as {whose} sees it", unit="score")

    def times(self) -> str:
        """The plot of the clocks; without clocks, of the time of each move."""
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
        """A line for each seat."""
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
        """Output of agents that cannot be assigned to their moves."""
        if logs := [*filter(None, self.leftovers((Where.UNKNOWN, Where.CUT)))]:
            yield element("section", element("h2", "Output of agents"), *logs)

    def leftovers(self, kinds: Sequence[Where]) -> list[str]:
        """Output of agents that is not shown at a move, of these kinds."""
        if not self.private:
            return []
        return [
            _log(f"{name} printed {leftover.where}", leftover.text)
            for name, leftover in zip(self.names, self.replay.leftovers, strict=True)
            if leftover.where in kinds
        ]


def _shown(text: str) -> str:
    """A name or a move on one line, with at most `_LONGEST` characters."""
    return words.printable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _marked_move(step: Step, move: MoveRecord) -> str:
    """The move that led to the step, with its mark, as markup."""
    mark = Mark.NONE if step.judged is None else step.judged.mark
    shown = html.words(_shown(move.move))
    return shown + element("b", mark, class_="mark", title=_MARKS[mark]) if mark else shown


def _link(step: Step, shown: str) -> str:
    """A link to the board of a step."""
    return element("a", shown, href=f"#ply-{step.number}")


def _figure(kind: str, move: str, board: str) -> str:
    """A board, with the move that led to it: the one that was played, or the better one."""
    caption = element("figcaption", kind, ": ", element("b", html.words(_shown(move))))
    return element("figure", caption, board, class_=kind)


def plays(seat: int, rules: str) -> str:
    """The side of the seat on the board: the colour of its pieces, or else their letter."""
    game = rules.partition(":")[0]
    if game == "maze":
        return maze.called(seat)
    return SIDES[game][seat] if game in SIDES else words.piece(seat, rules) or player(seat)


def _list(name: str, items: Iterable[str], **attributes: str) -> str:
    return element(name, "\n", *(f"{item}\n" for item in items), **attributes)


def _log(heading: str, text: str) -> str:
    """A heading and the printed text; empty if nothing was printed."""
    if not text.strip():
        return ""
    lines = "\n".join(words.without_store(words.printable(line)) for line in text.strip("\n").splitlines())
    box = element("pre", html.words(lines), tabindex="0", role="group", aria_label=heading)
    return element("p", html.words(heading), class_="printed") + box
