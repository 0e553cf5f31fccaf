"""The page of one game: its boards step by step, what agents reported and printed, and plots of values and clocks.

It is made from the recorded game and the rules. The page has all steps; a script shows one at a time. Without the
script, and on paper, the page is a list of moves with boards. A public page has no logs and no reported values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import structs

from adsearch.pictures.boards import maze
from adsearch.pictures.boards.paper import SIDES, player
from adsearch.pictures.svg import split_style
from arena.history import words
from arena.history.replay import Replay, Step, Where, better_position, replay
from arena.match.clock import SECOND
from arena.pages.boards import boards
from arena.pages.curves import judged_values, on_one_axis, plot
from arena.pages.drawing import Document, Frame, draw, file
from arena.ratings.plots.line_plot import Line, Point
from arena.results.listings import Cell, Column, Listing
from db.records import HUMAN, JudgedPly, Mark, MoveRecord, PastGame

GLIDE: Final = file("scripts/glide.js")
"""The script that lets moves glide, for all pages with boards."""
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
        self.addresses = [agents.get(player) for player in game.players]
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
        scripts = (file("scripts/stepper.js"), GLIDE, file("scripts/replay.js"))
        return draw(
            "replay.html",
            f"{' – '.join(self.names)}, {self.rules}",
            Frame(pages=links, label="Up", script="".join(scripts)),
            styles=(drawn.sheet, sheet, "stepper.css", "replay.css"),
            players=[*zip(self.names, self.addresses, strict=True)],
            trouble=self.trouble(),
            shared=drawn.shared,
            plies=self.plies,
            at=at,
            has_mistakes=any(ply.mark for ply in self.game.analysis),
            steps=[
                self.step(step, board, better.get(step.number, ""))
                for step, board in zip(found, drawn.drawn, strict=False)
            ],
            counted=self.counted_mistakes(),
            moves=[*self.listed_moves()],
            verdict=[*self.verdict()],
            facts=self.facts(),
            seats=self.players(),
            curves=curves,
            unplaced=[*self.leftovers((Where.UNKNOWN, Where.CUT))],
        )

    def person(self) -> int | None:
        """The seat of the only person; None if there is none, or several."""
        seats = [seat for seat, player in enumerate(self.game.players) if player.partition("#")[0] == HUMAN]
        return seats[0] if len(seats) == 1 else None

    # The game as a whole.

    def facts(self) -> str:
        """The conditions of the game."""
        game = self.game
        facts = [
            self.rules,
            self.called or (f"game {game.id}" if game.tournament is None else f"{game.tournament}-{game.number}"),
            "" if game.round is None else f"round {game.round}",
            f"attempt {game.attempt}" if game.attempt > 1 else "",
            f"clock {game.clock}",
            f"opening {game.opening}" if game.opening else "",
            words.recorded_moment(game.finished),
        ]
        return words.printable(" · ".join(filter(None, facts)))

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
            made = words.recorded_moment(ruling.when)
            yield "detail", words.printable(f"ruling{which} of {made}: {words.ruled(ruling, self.names)}{why}")

    def players(self) -> Listing[int]:
        """The players by seat: points and thinking times."""
        points, seats = self.game.counted, self.game.seats
        columns: list[Column[int]] = [
            Column(
                name="player",
                title="player",
                value=lambda seat: Cell(text=self.names[seat], href=self.addresses[seat]),
                heads=True,
            ),
            Column(name="plays", title="plays", value=lambda seat: plays(seat, self.game.game)),
            Column(
                name="result",
                title="result",
                value=lambda seat: "–" if points is None else words.result([points[seat]]),
                number=True,
            ),
            Column(
                name="spent", title="thinking time", value=lambda seat: words.seconds(seats[seat].spent), number=True
            ),
            Column(name="longest", title="longest", value=lambda seat: words.seconds(seats[seat].longest), number=True),
        ]
        return Listing(caption="Players", columns=columns, rows=range(len(self.names)))

    # The steps.

    def step(self, step: Step, board: str, better: str) -> dict[str, Any]:
        """A position: the move that led to it, the board, the clocks, and what was reported and printed. `better`: the
        board after the better move, shown beside the other."""
        judged, move, is_last = step.judged, step.move, step.number == self.plies
        both: list[tuple[str, str, str]] = []
        if better and judged is not None:
            both = [("played", _shown(judged.move), board), ("better", _shown(judged.better[0]), better)]
        said, quoted = self.said(step) if self.private else ("", "")
        printed = _log(f"{self.who(step)} printed before this move", step.printed) if move and self.private else None
        return {
            "number": step.number,
            "passes": step.passes,
            "lead": self.lead(step),
            "move": None if move is None else _marked_move(step, move),
            "judged": words.mistake(judged, self.names) if judged is not None else "",
            "better": both,
            "board": board,
            "clocks": [
                (name, words.clock(left)) for name, left in zip(self.names, step.left, strict=True) if left is not None
            ],
            "spent": "" if move is None or move.spent is None else words.seconds(move.spent),
            "who": self.who(step),
            "said": said,
            "quoted": quoted,
            "printed": [] if printed is None else [printed],
            "verdict": [*self.verdict()] if is_last and self.game.verdict is not None else [],
            "logs": [*self.leftovers(_LAST)] if is_last else [],
        }

    def who(self, step: Step) -> str:
        """The player of the ply, or "chance" or "opening"."""
        who = step.move.who if step.move else ""
        return self.names[who] if isinstance(who, int) else who

    def lead(self, step: Step) -> str:
        """The ply and the player that led to a position, before the move."""
        return "Start" if step.move is None else f"{words.move_number(step.number, self.rules)} {self.who(step)}: "

    def said(self, step: Step) -> tuple[str, str]:
        """The depth, score, nodes and expected moves that the player reported, and its text."""
        move = step.move
        if move is None:
            return "", ""
        numbers = words.thinking(structs.replace(move, line=None, text=None))
        reported = [numbers, f"expects {words.printable(move.line)}" if move.line else ""]
        return " · ".join(filter(None, reported)), words.printable(move.text or "")

    def listed_moves(self) -> Iterator[dict[str, Any]]:
        """The items of the list of moves; dealt tiles in a row share one, and in chess White's move and Black's."""
        begin, *plies = self.replay.steps
        yield _item("", "Start", [begin])
        if self.rules != "chess":
            yield from self.listed_turns(plies)
            return
        for pair in (plies[at : at + 2] for at in range(0, len(plies), 2)):
            yield _item("pair", words.move_number(pair[0].number, self.rules), pair)

    def listed_turns(self, plies: Iterable[Step]) -> Iterator[dict[str, Any]]:
        """An item for each move, and for all tiles or cards that are dealt in a row."""
        events: list[Step] = []
        for step in plies:
            events.append(step)
            if step.passes:
                continue
            if len(events) == 1:
                yield _item("", self.lead(step), events)
            else:
                yield _item("events", f"{events[0].number}–{step.number}. {self.who(step)}: ", events)
            events.clear()

    def counted_mistakes(self) -> str:
        """The number of mistakes of each player; empty if the game was not analysed."""
        plies = self.game.analysis
        if not plies:
            return ""
        if self.mistake is not None and isinstance(who := self.mistake.who, int):
            first = f"the first clear mistake of {self.names[who]} has a ?, or ?? if it is serious"
            return f"Analysed by arena: {first}."
        start = self.replay.steps[0].state
        if start is not None and start.hidden:
            seen = "The search sees what was hidden from the players, so no move is called a mistake."
            return f"Analysed by arena. {seen}"
        counts = []
        for seat, name in enumerate(self.names):
            marks = Counter(one.mark for one in plies if one.who == seat)
            made = [f"{marks[mark]} {mark}" for mark in (Mark.MISTAKE, Mark.BLUNDER) if marks[mark]]
            counts.append(f"{name}: {', '.join(made) or 'no mistakes'}")
        return f"Analysed by arena: ? is a mistake, ?? a serious one. {'; '.join(counts)}."

    # The rest of the page.

    def trouble(self) -> str:
        """Why there are no boards; empty if there are."""
        why = words.printable(words.without_store(self.replay.trouble))
        if not why:
            return ""
        if not self.private:
            why = f"the rules of the game {'were not run' if self.replay.untrusted else 'are not available'}."
        return f"There are no boards: {why}"

    def curves(self) -> tuple[list[str], str]:
        """The plots of the analysis, of reported values and of clocks, and their style sheet."""
        pictures = [self.analysis(), *(self.values() if self.private else ()), self.times()]
        apart = [split_style(picture) for picture in pictures if picture]
        if not apart:
            return [], ""
        return [drawing for _, drawing in apart], apart[0][0]

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

    def leftovers(self, kinds: Sequence[Where]) -> Iterator[dict[str, str]]:
        """Output of agents that is not shown at a move, of these kinds."""
        for name, leftover in zip(self.names, self.replay.leftovers, strict=True) if self.private else ():
            log = _log(f"{name} printed {leftover.where}", leftover.text)
            if log is not None and leftover.where in kinds:
                yield log


def _shown(text: str) -> str:
    """A name or a move on one line, with at most `_LONGEST` characters."""
    return words.printable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _marked_move(step: Step, move: MoveRecord) -> dict[str, str]:
    """The move that led to the step, with its mark."""
    mark = Mark.NONE if step.judged is None else step.judged.mark
    return {"text": _shown(move.move), "mark": mark, "meaning": _MARKS.get(mark, "")}


def _item(kind: str, lead: str, steps: Iterable[Step]) -> dict[str, Any]:
    """An item of the list of moves, with links to the boards of these steps."""
    links = [(step.number, None if step.move is None else _marked_move(step, step.move)) for step in steps]
    return {"kind": kind, "lead": lead, "links": links}


def plays(seat: int, rules: str) -> str:
    """The side of the seat on the board: the colour of its pieces, or else their letter."""
    game = rules.partition(":")[0]
    if game == "maze":
        return maze.called(seat)
    return SIDES[game][seat] if game in SIDES else words.piece(seat, rules) or player(seat)


def _log(heading: str, text: str) -> dict[str, str] | None:
    """A heading and the printed text; None if nothing was printed."""
    if not text.strip():
        return None
    lines = (words.without_store(words.printable(line)) for line in text.strip("\n").splitlines())
    return {"heading": heading, "text": "\n".join(lines)}
