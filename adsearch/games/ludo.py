"""Ludo for two to four players: a die, four tokens each, and captures.

An example of a game with more than two players and with chance. A token is stored as the number of its steps: 0 in the
yard, 1 on its entry square, up to 51 on the track, 52 to 56 in its home column and 57 at home. A player's tokens are
sorted, because which of them is where does not matter.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import exp
from typing import Final, Self

from adsearch.errors import BadPosition, quote
from adsearch.games.grid import LETTERS, cell_name
from adsearch.option import Option
from adsearch.state import CHANCE, Looks, State

WEIGHT_OF_AN_ENTRY = 9.0
"""Bonus for each token out of the yard, in steps; each step counts 1."""
WEIGHT_OF_A_HOME = 6.0
"""Bonus for each token at home."""
WEIGHT_OF_SAFETY = 3.0
"""Bonus for each token that cannot be captured: on a safe square, in a block, or in the home column."""
WEIGHT_OF_A_RISK = 1.0
"""For each opposing token that could capture a token with one throw: the probability times the cost of the capture."""
WEIGHT_OF_THE_TURN = 4.0
"""Bonus for the player to move."""
STEPS_THAT_DECIDE = 20.0
"""A lead of this many steps makes a win e times as likely."""

HOME: Final = 57
LAST_ON_TRACK = 51
FACES = (1, 2, 3, 4, 5, 6)
CHANCES = tuple((face, 1.0 / 6.0) for face in FACES)
COLOURS = ("red", "green", "yellow", "blue")
QUARTERS = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}
"""Number of players -> the quarters of the board where they sit, clockwise from the left."""

_NEXT = re.compile(r"winner=(?P<winner>[RGYB])|next=(?P<seat>[RGYB]) die=(?P<die>[?1-6]) sixes=(?P<sixes>[012])")

Cell = tuple[int, int]


def _turned(cells: list[Cell], quarter: int) -> list[Cell]:
    """`cells` after turning the board clockwise by `quarter` quarters."""
    for _ in range(quarter):
        cells = [(column, 14 - row) for row, column in cells]
    return cells


# The board as red sees it: the squares from its entry to just before the next one's, the column, the yard.
_FIRST_13 = [*((6, c) for c in range(1, 6)), *((r, 6) for r in range(5, -1, -1)), (0, 7), (0, 8)]
_COLUMN_AND_HOME = [(7, column) for column in range(1, 7)]
_YARD = [(2, 2), (2, 3), (3, 2), (3, 3)]


class Board:
    """The constants of a game: the squares of each player's steps, and where players meet."""

    __slots__ = ("cells", "letters", "meets", "names", "quarters", "steps", "tokens", "yards")

    def __init__(self, players: int, tokens: int) -> None:
        self.tokens = tokens
        self.quarters = QUARTERS[players]
        self.letters = tuple(COLOURS[quarter][0].upper() for quarter in self.quarters)
        track = [cell for quarter in range(4) for cell in _turned(_FIRST_13, quarter)]
        # By seat and step; what stands for step 0 is no cell.
        self.cells: list[list[Cell]] = []
        for quarter in self.quarters:
            from_entry = track[13 * quarter :] + track[: 13 * quarter]
            self.cells.append([(-1, -1), *from_entry[:LAST_ON_TRACK], *_turned(_COLUMN_AND_HOME, quarter)])
        self.names = [["yard", *(cell_name(*cell) for cell in cells[1:HOME]), "home"] for cells in self.cells]
        self.steps = [{name: step for step, name in enumerate(names)} for names in self.names]
        self.yards = [_turned(_YARD, quarter)[:tokens] for quarter in self.quarters]
        # By seat and step: the other seats whose tokens could be captured there, each with its own step.
        self.meets = [[self._others_at(seat, step) for step in range(HOME + 1)] for seat in range(players)]

    def _others_at(self, seat: int, step: int) -> tuple[tuple[int, int], ...]:
        if not 0 < step <= LAST_ON_TRACK or is_safe(step):
            return ()
        cell = self.cells[seat][step]
        return tuple(
            (other, cells.index(cell)) for other, cells in enumerate(self.cells) if other != seat and cell in cells
        )


def is_safe(step: int) -> bool:
    """Whether step 1 to 51 is a safe square: the entry squares (every 13th) and the squares 8 steps after them."""
    return (step - 1) % 13 in (0, 8)


@lru_cache(maxsize=16)
def board(players: int, tokens: int) -> Board:
    """The Board for these options (cached)."""
    return Board(players, tokens)


class Ludo(State[int]):
    """Two to four players throw a die in turn and move four tokens each around a track of 52 squares and home.
    With a 6 a token can enter from the yard; a token on the track moves as many squares as the die shows. A player who
    can move must move. After 51 squares a token turns into its home column of five squares, and gets home only by an
    exact throw. Landing on a token of another player sends it back to its yard, except on the eight safe squares (*),
    which players can share. Elsewhere two or more tokens of one colour are a block: others can pass it, but not land
    on it. After a 6 the player throws again, even if the 6 could not be used; a third 6 in a row is lost, and the turn
    passes. If a throw allows no move, the next throw follows without a move. The first player with all tokens home
    wins; the others share the loss. Two players sit opposite each other."""

    options = (
        Option("players", 4, "number of players", 2, 4),
        Option("tokens", 4, "tokens of each player", 1, 4),
    )
    notation = "the token's square: its column's letter and its row's number from the top; or enter"
    looks = Looks(sides=("Red", "Green", "Yellow", "Blue"), pieces=("R", "G", "Y", "B"), colours=("R", "G", "Y", "B"))
    position_notation = (
        ("R=a7,yard", "the squares of red's tokens; G is green, Y yellow, B blue"),
        ("next=R", "the player who throws or moves; winner=R if the game is over"),
        ("die=5", "the throw to use; ? before a throw"),
        ("sixes=0", "the number of 6 in a row that this player has thrown"),
    )
    attributes = (
        (
            "tokens[seat]",
            "the steps of each token of a seat: 0 in the yard, 1 to 51 on the track, 57 at home",
        ),
        ("die", "the throw to use, 1 to 6; 0 before a throw"),
        ("sixes", "the number of 6 in a row that this player has thrown"),
        ("seat", "the seat that throws or moves, also while turn is CHANCE"),
    )
    seats = (2, 3, 4)
    chance = True

    __slots__ = ("_moves", "_strengths", "board", "die", "seat", "sixes", "tokens", "turn")

    board: Board
    tokens: tuple[tuple[int, ...], ...]
    """For each seat, the steps of its tokens in ascending order."""
    seat: int
    """The seat to move or to throw; in a finished game the winner."""
    die: int
    """The throw to be used; 0 before a throw and at the end."""
    sixes: int
    """The number of 6 in a row that the seat has thrown; 0 after any other throw."""
    _moves: tuple[int, ...]
    _strengths: tuple[float, ...] | None
    """Cache of each seat's value."""

    @classmethod
    def start(cls, *, players: int, tokens: int) -> Self:
        return cls.of(board(players, tokens), ((0,) * tokens,) * players, 0, 0, 0)

    @classmethod
    def of(cls, board: Board, tokens: tuple[tuple[int, ...], ...], seat: int, die: int, sixes: int) -> Self:
        """The position with these values; the game is over if and only if `seat` has won."""
        state = cls()
        state.board = board
        state.tokens = tokens
        state.seat = seat
        state.die = die
        state.sixes = sixes
        state._strengths = None
        state.turn, state._moves = CHANCE, FACES
        if tokens[seat][0] == HOME:
            state.turn, state._moves = None, ()
        elif die:
            state.turn, state._moves = seat, state._moves_with(die)
        return state

    @classmethod
    def load(cls, text: str, *, players: int, tokens: int) -> Self:
        layout = board(players, tokens)
        words = text.split(" ", players)
        following = _NEXT.fullmatch(words[-1])
        if len(words) != players + 1 or not following:
            example = cls.start(players=players, tokens=tokens).position()
            raise BadPosition(f"expected a position such as '{example}', got {quote(text)}")
        standing = []
        for letter, steps, word in zip(layout.letters, layout.steps, words, strict=False):
            names = word[2:].split(",")
            if not word.startswith(f"{letter}=") or len(names) != tokens or not set(names) <= set(steps):
                raise BadPosition(f"expected {letter}= and the squares of {tokens} tokens, got {quote(word)}")
            standing.append(tuple(sorted(steps[name] for name in names)))
        owner = following["winner"] or following["seat"]
        if owner not in layout.letters:
            raise BadPosition(f"expected the turn of one of {', '.join(layout.letters)}, got {owner}")
        die = int((following["die"] or "?").replace("?", "0"))
        state = cls.of(layout, tuple(standing), layout.letters.index(owner), die, int(following["sixes"] or 0))
        state._refuse_the_impossible()
        if state.position() != text:
            raise BadPosition(f"expected '{state.position()}', got {quote(text)}")
        return state

    def _refuse_the_impossible(self) -> None:
        """Raise BadPosition if no game can reach this position."""
        board = self.board
        for seat, tokens in enumerate(self.tokens):
            if tokens[0] == HOME and seat != self.seat:
                raise BadPosition(f"{board.letters[seat]} has all tokens home, but has not won")
            for step in tokens:
                for other, at in board.meets[seat][step]:
                    if at in self.tokens[other]:
                        where = board.names[seat][step]
                        raise BadPosition(f"{board.letters[seat]} and {board.letters[other]} cannot both be on {where}")
        if self.turn is None:
            return
        if self.die and (self.die == 6) != (self.sixes > 0):
            raise BadPosition(f"expected sixes=1 or 2 with die=6, else 0, got sixes={self.sixes} with die={self.die}")
        if self.turn != CHANCE and not self._moves:
            raise BadPosition(f"{board.letters[self.seat]} has no move with a {self.die}")
        used = self.sixes - 1 if self.die else self.sixes
        if used > 0 and not self.tokens[self.seat][-1]:
            raise BadPosition(f"{board.letters[self.seat]} has thrown a 6, but no token has entered")

    @property
    def players(self) -> int:
        return len(self.tokens)

    @property
    def plies_a_round(self) -> int:
        return 2 * len(self.tokens)

    @property
    def bounds(self) -> tuple[float, float]:
        return (-1.0 / (len(self.tokens) - 1), 1.0)

    def moves(self) -> tuple[int, ...]:
        """The steps of the tokens that can move (0: yard); at a throw, the faces of the die."""
        return self._moves

    def chances(self) -> tuple[tuple[int, float], ...]:
        return CHANCES if self.turn == CHANCE else ()

    def _moves_with(self, die: int) -> tuple[int, ...]:
        tokens = self.tokens
        meets = self.board.meets[self.seat]
        found = []
        last = -1
        for step in tokens[self.seat]:
            if step == last:
                continue
            last = step
            target = step + die if step else 1
            if target > HOME:
                break
            if step or die == 6:
                for other, at in meets[target]:
                    if tokens[other].count(at) > 1:
                        break
                else:
                    found.append(step)
        return tuple(found)

    def all_moves(self) -> tuple[int, ...]:
        return tuple(range(HOME))

    def play(self, move: int) -> Self:
        child = self.__class__()
        child.board = self.board
        child._strengths = None
        return self._throw(child, move) if self.turn == CHANCE else self._move(child, move)

    def _throw(self, child: Self, face: int) -> Self:
        """Complete `child`, the position after that throw."""
        child.tokens = self.tokens
        child.seat = self.seat
        child.sixes = sixes = self.sixes + 1 if face == 6 else 0
        if sixes < 3:
            moves = self._moves_with(face)
            if moves:
                child.die = face
                child.turn = self.seat
                child._moves = moves
                return child
        return self._pass_on(child)

    def _move(self, child: Self, step: int) -> Self:
        """Complete `child`, the position after moving the token on `step`."""
        seat = self.seat
        tokens = list(self.tokens)
        target = step + self.die if step else 1
        mine = list(tokens[seat])
        mine.remove(step)
        mine.append(target)
        mine.sort()
        tokens[seat] = tuple(mine)
        for other, at in self.board.meets[seat][target]:
            theirs = tokens[other]
            if at in theirs:
                place = theirs.index(at)
                tokens[other] = (0, *theirs[:place], *theirs[place + 1 :])
        child.tokens = tuple(tokens)
        child.seat = seat
        child.sixes = self.sixes
        if mine[0] == HOME:
            child.sixes = 0
            child.die = 0
            child.turn = None
            child._moves = ()
            return child
        return self._pass_on(child)

    def _pass_on(self, child: Self) -> Self:
        """Complete `child` with a throw as the next event: for the same seat after one or two 6, else the next."""
        if not 0 < child.sixes < 3:
            child.seat = (child.seat + 1) % len(child.tokens)
            child.sixes = 0
        child.die = 0
        child.turn = CHANCE
        child._moves = FACES
        return child

    def utilities(self) -> tuple[float, ...]:
        loss = -1.0 / (len(self.tokens) - 1)
        return tuple(1.0 if seat == self.seat else loss for seat in range(len(self.tokens)))

    def ending(self) -> str:
        return "all tokens home"

    def evaluate(self, seat: int) -> float:
        """The expected utility of `seat` if the probability of winning is proportional to strength; the sum is 0."""
        if self.turn is None:
            return self.utilities()[seat]
        strengths = self._strengths
        if strengths is None:
            scores = [self._score(seat) for seat in range(len(self.tokens))]
            scores[self.seat] += WEIGHT_OF_THE_TURN
            strengths = self._strengths = tuple([exp(score / STEPS_THAT_DECIDE) for score in scores])
        mine = strengths[seat]
        ahead = 0.0
        for strength in strengths:
            ahead += mine - strength
        return ahead / (len(strengths) - 1) / sum(strengths)

    def _score(self, seat: int) -> float:
        """The progress of `seat` in steps, with bonuses for safe tokens and minus risks."""
        tokens = self.tokens[seat]
        meets = self.board.meets[seat]
        score = 0.0
        for step in tokens:
            if not step:
                continue
            worth = step + WEIGHT_OF_AN_ENTRY
            score += worth
            if step == HOME:
                score += WEIGHT_OF_A_HOME
            elif not meets[step] or tokens.count(step) > 1:
                score += WEIGHT_OF_SAFETY
            else:
                for other, at in meets[step]:
                    for hunter in self.tokens[other]:
                        if hunter and 0 < at - hunter <= 6:
                            score -= WEIGHT_OF_A_RISK * worth / 6.0
        return score

    def noisy_moves(self) -> tuple[int, ...]:
        """The moves that capture, and those that bring a token home."""
        if not self.die:
            return ()
        tokens = self.tokens
        meets = self.board.meets[self.seat]
        found = []
        for step in self._moves:
            target = step + self.die if step else 1
            if target == HOME or any(at in tokens[other] for other, at in meets[target]):
                found.append(step)
        return tuple(found)

    @property
    def key(self) -> tuple[tuple[tuple[int, ...], ...], int, int, int]:
        return (self.tokens, self.seat, self.die, self.sixes)

    def to_text(self, move: int) -> str:
        return str(move) if self.turn == CHANCE else self.board.names[self.seat][move] if move else "enter"

    def position(self) -> str:
        board = self.board
        words = [
            f"{letter}={','.join([names[step] for step in tokens])}"
            for letter, names, tokens in zip(board.letters, board.names, self.tokens, strict=True)
        ]
        letter = board.letters[self.seat]
        over = self.turn is None
        words.append(f"winner={letter}" if over else f"next={letter} die={self.die or '?'} sixes={self.sixes}")
        return " ".join(words)

    def __str__(self) -> str:
        """The board; a token is its colour's letter, two on a square are "R2". Below it: each player's squares."""
        board = self.board
        rows = self._rows()
        lines = ["   " + "".join(f"{letter:^3}" for letter in LETTERS[:15])]
        lines += [
            f"{number:>2} " + "".join(f"{mark:<2}".rjust(3) for mark in row) for number, row in enumerate(rows, start=1)
        ]
        for seat, tokens in enumerate(self.tokens):
            squares = ", ".join(board.names[seat][step] for step in tokens)
            lines.append(f"{board.letters[seat]}  seat {seat}, {COLOURS[board.quarters[seat]]}: {squares}")
        lines.append(self._whose_turn())
        return "\n".join(line.rstrip() for line in lines)

    def _rows(self) -> list[list[str]]:
        """The mark of each cell of the board, by row and column."""
        board = self.board
        rows = [[""] * 15 for _ in range(15)]
        for cells in board.cells:
            for step in range(1, LAST_ON_TRACK + 1):
                rows[cells[step][0]][cells[step][1]] = "*" if is_safe(step) else "."
        for letter, cells, yard in zip(board.letters, board.cells, board.yards, strict=True):
            for row, column in [*cells[LAST_ON_TRACK + 1 :], *yard]:
                rows[row][column] = letter.lower()
        standing: dict[Cell, list[str]] = {}
        for seat, tokens in enumerate(self.tokens):
            for token, step in enumerate(tokens):
                cell = board.cells[seat][step] if step else board.yards[seat][token]
                standing.setdefault(cell, []).append(board.letters[seat])
        for (row, column), letters in standing.items():
            colours = sorted(set(letters), key=letters.index)
            count = str(len(letters)) if len(letters) > 1 else ""
            rows[row][column] = colours[0] + count if len(colours) == 1 else "".join(colours)
            if len(colours) > 3:
                rows[row][column] = "all"
        return rows

    def _whose_turn(self) -> str:
        colour = COLOURS[self.board.quarters[self.seat]]
        if self.turn is None:
            return f"{colour} has won"
        if self.turn == CHANCE:
            again = ("", " again after a 6", " again after two 6; a third is lost")[self.sixes]
            return f"{colour} throws{again}"
        return f"{colour} has thrown a {self.die} and may move: {', '.join(map(self.to_text, self._moves))}"
