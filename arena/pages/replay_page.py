"""The page of one game: its board, the moves, what agents reported and printed, and plots of values and clocks.

It is made from the recorded game and the rules. One position is in the document. All positions are in a <noscript>
element, which is a text for a browser that runs scripts: the script takes each position from there. Without the script,
and on paper, the page is a list of moves with boards. A public page has no logs and no reported values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from msgspec import structs

from arena.history import words
from arena.history.replay import Replay, ReplayStep, Where, played_on, replay
from arena.match.clock import SECOND
from arena.pages import game as shown_game
from arena.pages.boards import drawn_boards, legend, with_marks, with_mistake
from arena.pages.drawing import Document, PageFrame, draw
from arena.pages.game import (
    Plot,
    ShownPly,
    ShownSeat,
    analysis_curves,
    leftover,
    on_one_axis,
    over_plies,
    plays,
    plot,
    shown,
)
from arena.ratings.plots import PlottedLine, Point
from arena.results.columns import Cell, Column, Listing
from db.records import HUMAN, JudgedPly, Mark, MoveRecord, PastGame

MODULES: Final = ("replay.js",)
_AS_A_FILE: Final = partial(draw, frame=PageFrame(modules=MODULES))
_MOST: Final = 8
"""Moves of a line that shows what is wrong with a mistake, or what was better."""
_LAST: Final = (Where.AFTER, Where.WITHOUT)
"""Output of these kinds is shown with the last board."""


def page(
    game: PastGame,
    *,
    names: Mapping[str, str] | None = None,
    private: bool = True,
    drawn: Callable[..., Document] = _AS_A_FILE,
    near: Sequence[tuple[str, str]] = (),
    called: str = "",
    trust: bool = False,
    at: int | None = None,
    mistake: JudgedPly | None = None,
    own: int | None = None,
    find: str = "",
    agents: Mapping[str, str] | None = None,
    ratings: Mapping[str, tuple[float, float | None]] | None = None,
    person: int | None = None,
) -> Document:
    """The whole page, as an HTML document. `game` must have its moves.

    `names`: for every player, the name to show. `private=False`: leaves out all texts that agents wrote, and the
    reasons of rulings. `drawn`: draws the template in its frame. `near`: addresses and texts of links to what is near.
    `called`: which game it is, by default as commands call it. `trust`: run the game's rules even if they are not this
    user's own. `at`: the ply to open at, by default the first mistake, if possible of the seat `own`, or the end of a
    game that was not decided on the board; any other game without an analysis begins to play by itself. `mistake`: the
    only ply that was judged, of a game without an analysis.
    `find`: where a form goes that asks for an analysis. `agents`: addresses of the players' pages; `ratings`: theirs,
    with their errors. `person`: the seat of a person, from which the board is shown; by default `person_in` finds it.
    """
    seat = person_in(game.players) if person is None else person
    made = _Page(game, names, private, trust, called, agents or {}, None if game.analysis else mistake, seat)
    return made.document(drawn, near, made.opened(at, own), ratings or {}, find)


def person_in(players: Sequence[str]) -> int | None:
    """The seat of the only person among players, by their names in the record; None if there is none, or several."""
    seats = [seat for seat, player in enumerate(players) if player.partition("#")[0] == HUMAN]
    return seats[0] if len(seats) == 1 else None


class _DrawnLine(NamedTuple):
    """Moves that were not played, each with its board."""

    kind: str
    boards: list[tuple[str, str, str]]
    """The class of who moves, the move, and the board."""


class _Line(NamedTuple):
    """Moves that were not played, and the positions after them."""

    kind: str
    """"better" instead of a mistake, or the "answer" to it."""
    moves: Sequence[str]
    positions: Sequence[tuple[Any, Any]]
    seats: Sequence[str]
    """The class of who moves, for each move."""

    def drawn(self, boards: Iterator[str]) -> _DrawnLine:
        """The line with its boards, which are next in `boards`."""
        moves = zip(self.seats, self.moves, self.positions, strict=False)
        return _DrawnLine(self.kind, [(seat, shown(move), next(boards)) for seat, move, _ in moves])


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
        person: int | None,
    ) -> None:
        self.person = person
        self.names = [shown(player if names is None else names[player]) for player in game.players]
        self.addresses = [agents.get(player) for player in game.players]
        self.mistake = mistake
        game = game if mistake is None else structs.replace(game, analysis=(mistake,))
        self.replay: Replay = replay(game, trust=trust)
        self.game, self.private, self.called = self.replay.game, private, called
        self.plies = len(game.moves)
        self.rules = words.without_store(game.game)

    def document(
        self,
        drawn: Callable[..., Document],
        near: Sequence[tuple[str, str]],
        at: int,
        ratings: Mapping[str, tuple[float, float | None]],
        find: str,
    ) -> Document:
        found = self.replay.steps
        lines = [self.lines(step) for step in found]
        made = drawn_boards(
            [
                *((step.state, step.last) for step in found),
                *(position for of_step in lines for line in of_step for position in line.positions),
            ],
            below=self.person,
            ended=None if self.game.verdict is None else self.plies,
        )
        further = iter(made.drawn[len(found) :])
        opened = found[min(at, self.plies)]
        (first,) = drawn_boards(
            [(opened.state, opened.last)],
            below=self.person,
            ended=None if self.game.verdict is None or opened.number < self.plies else 0,
        ).drawn
        steps = [
            self.step(step, self.marked(step, board), [line.drawn(further) for line in of_step])
            for step, board, of_step in zip(found, made.drawn, lines, strict=False)
        ]
        return drawn(
            "replay.html",
            f"{' – '.join(self.names)}, {self.rules}",
            players=[*zip(self.names, self.addresses, strict=True)],
            trouble=self.trouble(),
            shape=shown_game.shape(len(self.names)),
            seats=[*self.seats(opened, steps[opened.number]["turn"], ratings)],
            board=self.marked(opened, first),
            opened=steps[opened.number],
            shared=made.shared,
            plies=self.plies,
            plays=not self.game.analysis and not at and not self.replay.trouble,
            find="" if self.replay.trouble or found[0].state is None or found[0].state.hidden else find,
            has_mistakes=any(ply.mark for ply in self.game.analysis),
            steps=steps,
            counted=self.counted_mistakes(),
            moves=shown_game.items(self.listed(), self.names, self.rules),
            verdict=[*self.verdict()],
            facts=self.facts(),
            file=f"game-{self.game.id}",
            table=self.players(),
            curves=self.curves(),
            near=near,
            unplaced=[*self.leftovers((Where.UNKNOWN, Where.CUT))],
        )

    def seats(
        self, opened: ReplayStep, turn: int | None, ratings: Mapping[str, tuple[float, float | None]]
    ) -> Iterator[ShownSeat]:
        """The players at the edges of the board. `turn`: the seat that is to move."""
        for seat, (player, name, href) in enumerate(zip(self.game.players, self.names, self.addresses, strict=True)):
            left = opened.left[seat]
            yield ShownSeat(
                name=name,
                kind=shown_game.seat_kind(seat, self.rules),
                about=shown_game.about(seat, self.rules, *ratings.get(player, (None, None)))
                + " now" * (player in ratings),
                href=href,
                time="" if left is None else words.clock(left),
                is_turn=seat == turn,
                is_below=seat == (self.person or 0),
            )

    # The game as a whole.

    def facts(self) -> str:
        """The conditions of the game."""
        game = self.game
        facts = [
            self.rules,
            self.called or (f"game {game.id}" if game.tournament is None else game.name),
            "" if game.round is None else f"round {game.round}",
            f"attempt {game.attempt}" if game.attempt > 1 else "",
            words.clocks(game.clocks),
            *words.beginning(game),
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
                "player",
                "player",
                value=lambda seat: Cell(text=self.names[seat], href=self.addresses[seat]),
                heads=True,
            ),
            Column("plays", "plays", value=lambda seat: plays(seat, self.game.game)),
            Column(
                "result",
                "result",
                value=lambda seat: "–" if points is None else words.result([points[seat]]),
                number=True,
            ),
            Column("spent", "thinking time", value=lambda seat: words.seconds(seats[seat].spent), number=True),
            Column("longest", "longest", value=lambda seat: words.seconds(seats[seat].longest), number=True),
        ]
        return Listing(caption="Players", columns=columns, rows=range(len(self.names)))

    # The steps.

    def opened(self, at: int | None, own: int | None) -> int:
        """The ply to open at."""
        mistakes = [ply for ply in self.game.analysis if ply.mark]
        if at is None and not mistakes and self.game.verdict not in (None, "normal"):
            return self.plies
        first = next((ply.ply for ply in mistakes if ply.who == own), mistakes[0].ply if mistakes else 0)
        return first if at is None else at

    def lines(self, step: ReplayStep) -> list[_Line]:
        """What shows that the step's move was a mistake: the moves that were better, and those that would follow."""
        judged = step.judged
        if judged is None or not judged.mark:
            return []
        before = self.replay.steps[step.number - 1].state
        found = [("better", judged.better, before), ("answer", judged.answer, step.state)]
        lines = []
        for kind, moves, state in found:
            positions = played_on(state, moves[:_MOST])
            movers = [one.turn for one, _ in ((state, None), *positions) if one is not None]
            seats = [
                shown_game.seat_kind(turn, self.rules) if turn is not None and turn >= 0 else "" for turn in movers
            ]
            lines.append(_Line(kind, moves, positions, seats))
        return [line for line in lines if line.positions]

    def step(self, step: ReplayStep, board: str, lines: Sequence[_DrawnLine]) -> dict[str, Any]:
        """A position: the move that led to it, the board, the clocks, and what was reported and printed. `lines`: what
        the better move and the answer to a mistake lead to; the first is shown beside the board."""
        judged, move, is_last = step.judged, step.move, step.number == self.plies
        both: list[tuple[str, str, str]] = []
        if judged is not None:
            both = [(line.kind, *line.boards[0][1:]) for line in lines if line.kind == "better"]
            both[:0] = [("played", shown(judged.move), board)] * bool(both)
        said, quoted = self.said(step) if self.private else ("", "")
        heading = f"{self.who(step)} printed before this move"
        printed = leftover(heading, step.printed) if move and self.private else None
        turn = None if step.state is None or is_last else step.state.turn
        return {
            "number": step.number,
            "passes": step.passes,
            "turn": turn if turn is not None and turn >= 0 else None,
            "lead": self.lead(step),
            "move": None if move is None else self.ply(step, move),
            "judged": words.mistake(judged, self.names) if judged is not None else "",
            "cost": words.cost(judged) if judged is not None else "",
            "better": both,
            "lines": lines,
            "board": board,
            "clocks": [
                (name, words.clock(left)) for name, left in zip(self.names, step.left, strict=True) if left is not None
            ],
            "spent": "" if move is None or move.spent is None else words.seconds(move.spent),
            "who": self.who(step),
            "said": said,
            "quoted": quoted,
            "marks": legend(move) if move and self.private else [],
            "printed": [] if printed is None else [printed],
            "verdict": [*self.verdict()] if is_last and self.game.verdict is not None else [],
            "logs": [*self.leftovers(_LAST)] if is_last else [],
        }

    def ply(self, step: ReplayStep, move: MoveRecord) -> ShownPly:
        """The move that led to the step."""
        mark = Mark.NONE if step.judged is None else step.judged.mark
        spent = "" if move.spent is None else words.seconds(move.spent)
        return ShownPly(step.number, shown(move.move), move.who, spent, mark, step.passes)

    def listed(self) -> Iterator[ShownPly]:
        yield from (self.ply(step, step.move) for step in self.replay.steps if step.move is not None)

    def who(self, step: ReplayStep) -> str:
        """The player of the ply, or "chance" or "opening"."""
        who = step.move.who if step.move else ""
        return self.names[who] if isinstance(who, int) else who

    def lead(self, step: ReplayStep) -> str:
        """The ply and the player that led to a position, before the move."""
        return "Start" if step.move is None else f"{words.move_number(step.number, self.rules)} {self.who(step)}: "

    def said(self, step: ReplayStep) -> tuple[str, str]:
        """The depth, score, nodes and expected moves that the player reported, and its text."""
        move = step.move
        if move is None:
            return "", ""
        numbers = words.thinking(structs.replace(move, line=None, text=None))
        reported = [numbers, f"expects {words.printable(move.line)}" if move.line else ""]
        return " · ".join(filter(None, reported)), words.printable(move.text or "")

    def marked(self, step: ReplayStep, board: str) -> str:
        """The board of a step with the cells that the player marked when it chose the move that led to the step, and
        with a mistake."""
        if step.judged is not None and step.judged.mark:
            before = self.replay.steps[step.number - 1].state
            board = with_mistake(board, step.judged, before, below=self.person)
        if step.move is None or not self.private:
            return board
        return with_marks(board, step.move.marks, step.state, below=self.person)

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

    def curves(self) -> list[Plot]:
        """The plots of the analysis, of reported values and of clocks."""
        plots = [self.analysis(), *(self.values() if self.private else ()), self.times()]
        return [found for found in plots if found is not None]

    def analysis(self) -> Plot | None:
        """The plot of the analysis; None without one."""
        if not self.game.analysis or self.mistake is not None:
            return None
        start = self.replay.steps[0].state
        bounds = None if start is None else start.bounds
        return analysis_curves(self.game.analysis, self.names, self.rules, self.plies, bounds)

    def values(self) -> Iterator[Plot | None]:
        """The plots of reported scores: one plot if the scores fit on one axis, else one plot per player."""
        found = self.each(lambda move: move.score)
        for together in [found] if on_one_axis(found) else [[curve] for curve in found]:
            whose = "each player" if len(together) > 1 or not together else together[0].name
            yield plot(together, over_plies(self.plies), self.rules, title=f"Value, as {whose} sees it", unit="score")

    def times(self) -> Plot | None:
        """The plot of the clocks; without clocks, of the time of each move."""
        begun = next(iter(self.replay.steps[0].left), None)
        first = () if begun is None else (Point(0, begun / SECOND),)
        clocks = [
            structs.replace(curve, points=(*first, *curve.points))
            for curve in self.each(lambda move: None if move.left is None else move.left / SECOND)
            if curve.points
        ]
        if clocks:
            return plot(clocks, over_plies(self.plies), self.rules, title="Clocks", unit="seconds left")
        spent = self.each(lambda move: None if move.spent is None else move.spent / SECOND)
        return plot(spent, over_plies(self.plies), self.rules, title="Time for each move", unit="seconds")

    def each(self, value: Callable[[MoveRecord], float | None]) -> list[PlottedLine]:
        """A line for each seat."""
        return [
            PlottedLine(
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
        for name, rest in zip(self.names, self.replay.leftovers, strict=True) if self.private else ():
            log = leftover(f"{name} printed {rest.where}", rest.text)
            if log is not None and rest.where in kinds:
                yield log
