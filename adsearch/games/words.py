"""Words: a crossword game with hidden letters, in the manner of Scrabble, for two to four players.

An example of a game in which most of the position is hidden: each player sees the board and the own rack only. Tiles
are drawn one after the other, so a draw is a chance node with at most 27 outcomes. The bag is not stored: it is what
is neither on the board nor on a rack. `words_board` has the board and the word list, and finds the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from itertools import combinations
from random import Random
from typing import Final, Self

from adsearch.errors import BadOption, BadPosition, quote
from adsearch.games.evaluation import squash
from adsearch.games.grid import LETTERS, Cell, GridGame, draw, grid_attributes, read_rows
from adsearch.games.words_board import (
    BLANK,
    CENTRE,
    COMMON,
    EMPTY,
    FULL_RACK,
    POINTS,
    PREMIUMS,
    SIZE,
    TILES,
    Dawg,
    dawg_in,
    lay,
    placements,
    placements_in_a_line,
    squares_of,
    why_not,
    words_on,
)
from adsearch.option import Option
from adsearch.state import CHANCE, Feature

PASS: Final = "pass"
EXCHANGE: Final = "exchange-"
UNKNOWN: Final = "?"
"""A tile that the seat cannot see."""
STANDARD: Final = "standard"

MOST_BLANKS: Final = 4
"""With more of them on a rack there are millions of moves."""

WORTHS: Final = {
    "A": 1.0, "B": -2.0, "C": -0.5, "D": 0.5, "E": 2.0, "F": -2.0, "G": -3.0, "H": 1.5, "I": -1.0, "J": -2.0, "K": 0.0,
    "L": 0.5, "M": 0.5, "N": 0.5, "O": -0.5, "P": -1.0, "Q": -9.0, "R": 1.0, "S": 8.0, "T": 0.0, "U": -4.0, "V": -6.0,
    "W": -3.0, "X": 2.5, "Y": -0.5, "Z": 5.0, BLANK: 25.0,
}  # fmt: skip
"""The worth of a tile that stays on the rack, in points; from Quackle, file data/strategy/twl98/worths."""
LEAD_THAT_DECIDES: Final = 50.0
"""With this lead in points the evaluation is half a win."""

_SHOWN: Final = {".": ".", "d": "'", "t": '"', "D": "-", "T": "="}
"""The premium squares in the text of a board."""
_POSITION: Final = re.compile(
    r"(?P<board>[A-Za-z0-9/]{29,239}) racks=(?P<racks>[A-Z_?,]+) scores=(?P<scores>-?[0-9]{1,5}(?:,-?[0-9]{1,5})*) "
    r"next=(?P<next>[0-3]) scoreless=(?P<scoreless>[0-8])(?: aside=(?P<aside>[A-Z_?]+))?"
)
_TILES: Final = re.compile(f"[A-Z{BLANK}]{{1,200}}")


def _all_tiles(text: str) -> str:
    """The tiles that the option `tiles` says, sorted."""
    tiles = TILES if text == STANDARD else text.upper()
    if not text.isascii() or not _TILES.fullmatch(tiles) or tiles.count(BLANK) > MOST_BLANKS:
        raise BadOption(
            f"tiles must be {STANDARD} or 1 to 200 letters and at most {MOST_BLANKS} blanks, such as AABEST_, "
            f"got {quote(text)}"
        )
    return "".join(sorted(tiles))


def _without(tiles: str, others: Iterable[str]) -> str:
    """`tiles` without the others, which must be among them; sorted."""
    return "".join(sorted((Counter(tiles) - Counter(others)).elements()))


def _exchanged(text: str) -> str | None:
    """The tiles of an exchange that is written in any case; None if the text is not an exchange."""
    text = text.strip().lower()
    return text.removeprefix(EXCHANGE).upper() if text.startswith(EXCHANGE) else None


class Words(GridGame[str]):
    """Players take turns and lay letters on a board of 15 x 15 squares, in one row or column, so that all words across
    and down are in the word list. The first word covers the centre; each later one touches a tile. A move scores the
    points of all words that it makes or changes. Premium squares (' and " double and triple the letter, - and = the
    word) count for new tiles only. Laying seven tiles scores 50 more. A blank (_) stands for any letter and has no
    points. Then the player draws until its rack is full (seven tiles) or the bag is empty. Players see their own rack
    only. Instead of laying tiles, a player can pass, or exchange tiles if the bag has enough for a full rack. The game
    ends when the bag is empty and a player has no tiles, or when each player has scored nothing in two turns in a row.
    Then all players lose the points of their tiles, and a player without tiles gets these points. The highest score
    wins. The utility is the share of the other players that one beats, minus the share that beats one."""

    options = (
        Option("list", COMMON, f"word list: {COMMON}, or a file with one word a line"),
        Option("players", 2, "number of players", 2, 4),
        Option("rack", FULL_RACK, "tiles on a full rack", 1, FULL_RACK),
        Option("tiles", STANDARD, f"all tiles: {STANDARD} (100), or their letters such as AABEST_"),
    )
    notation = (
        "the first square and the whole word: 8D-HELLO across, D8-HELLO down; 8D-HELL_O if the O is a blank; "
        "or exchange-AEI, or pass"
    )
    position_notation = (
        ("A, a, 7", "a tile, a blank that stands for A, seven empty squares"),
        ("/", "the end of a row; the first row is on top"),
        ("racks=AEINRST,???????", "the tiles of each seat; _ is a blank, ? a tile that you cannot see"),
        ("scores=42,17", "the points of each seat"),
        ("next=0", "the seat that moves next, after all racks are full"),
        ("scoreless=0", "the number of turns without points just before"),
        ("aside=AEI", "tiles that are being exchanged: they return to the bag after the draws"),
    )
    attributes = (
        *grid_attributes("a tile such as 'A', a blank that stands for it ('a') or '.' (empty)", numbers=""),
        ("racks[seat]", "the tiles of a seat, such as 'AEINRS_'; '?' for tiles that you cannot see"),
        ("scores[seat]", "the points of a seat"),
        ("unseen", "the tiles that you cannot see, in the bag or on other racks, such as 'AAEST_'"),
        ("bag", "the number of tiles in the bag"),
        ("points(move)", "the points that a move scores"),
        ("dawg", "the word list: 'HELLO' in state.dawg"),
    )
    evaluation = (
        Feature("lead", 1.0, "own points, minus the mean of the other players'"),
        Feature("rack", 1.0, "worth of own tiles for later moves, minus the others'; 0 when the bag is empty"),
        Feature("left", -1.0, "points of own tiles, minus the others'; 0 until the bag is empty"),
    )
    seats = (2, 3, 4)
    chance = True
    hidden = True

    __slots__ = (
        "_moves", "all_tiles", "aside", "board", "dawg", "rack", "racks", "scoreless", "scores", "seat", "turn",
        "unseen",
    )  # fmt: skip

    dawg: Dawg
    """The word list."""
    all_tiles: str
    """All tiles of the game, sorted."""
    rack: int
    """The number of tiles on a full rack."""
    board: str
    racks: tuple[str, ...]
    """The tiles of each seat, sorted."""
    scores: tuple[int, ...]
    seat: int
    """The seat that moves next, also while tiles are drawn."""
    scoreless: int
    """The number of turns in a row without points."""
    aside: str
    """The tiles that are being exchanged."""
    unseen: str
    """The tiles that are neither on the board nor known, sorted."""
    _moves: tuple[str, ...] | None
    """Cache of the legal moves."""

    @classmethod
    def start(cls, *, list: str, players: int, rack: int, tiles: str) -> Self:
        state = cls()
        state.dawg, state.all_tiles, state.rack = dawg_in(list), _all_tiles(tiles), rack
        if len(state.all_tiles) < players * rack:
            raise BadOption(f"tiles: expected at least {players * rack}, enough for all racks, got {quote(tiles)}")
        state.board, state.racks, state.scores = EMPTY, ("",) * players, (0,) * players
        state.seat, state.scoreless, state.aside, state.unseen = 0, 0, "", state.all_tiles
        return state._settled()

    @classmethod
    def load(cls, text: str, *, list: str, players: int, rack: int, tiles: str) -> Self:
        state = cls.start(list=list, players=players, rack=rack, tiles=tiles)
        found = _POSITION.fullmatch(text)
        if not found:
            raise BadPosition(f"expected a position such as '{state.position()}', got {quote(text)}")
        rows = re.sub("[0-9]{1,2}", lambda empty: "." * int(empty[0]), found["board"])
        state.board = "".join(read_rows(rows, SIZE, SIZE, f"{LETTERS.upper()}{LETTERS}."))
        state.racks = tuple(["".join(sorted(rack)) for rack in found["racks"].split(",")])
        state.aside = "".join(sorted(found["aside"] or ""))
        state.scores = tuple([int(score) for score in found["scores"].split(",") if score])
        state.seat, state.scoreless = int(found["next"]), int(found["scoreless"])
        state._read_unseen(players)
        for word in words_on(state.board):
            if word not in state.dawg:
                raise BadPosition(f"{word} is not in the word list {quote(list)}")
        state._settled()
        if state.position() != text:
            raise BadPosition(f"expected '{state.position()}', got {quote(text)}")
        return state

    def _read_unseen(self, players: int) -> None:
        """Set `unseen`; BadPosition if no game can have these tiles, seats and turns."""
        if len(self.racks) != players or len(self.scores) != players or self.seat >= players:
            raise BadPosition(f"expected racks and scores of {players} seats, and one of them after next=")
        if self.scoreless > 2 * players:
            raise BadPosition(f"expected at most {2 * players} scoreless turns, got {self.scoreless}")
        if max(map(len, self.racks)) > self.rack:
            raise BadPosition(f"expected racks of at most {self.rack} tiles, got {max(self.racks, key=len)}")
        if self.board != EMPTY and self.board[CENTRE] == ".":
            raise BadPosition("expected a tile on the centre, 8H, because the first word covers it")
        laid = [BLANK if tile.islower() else tile for tile in self.board if tile != "."]
        placed = Counter([*laid, *"".join(self.racks), *self.aside])
        unknown = placed.pop(UNKNOWN, 0)
        if more := placed - Counter(self.all_tiles):
            tile = min(more)
            raise BadPosition(f"expected at most {self.all_tiles.count(tile)} tiles {tile}, got {placed[tile]}")
        self.unseen = _without(self.all_tiles, placed.elements())
        if unknown > len(self.unseen):
            raise BadPosition(f"expected at most {len(self.unseen)} tiles ?, as many as are left, got {unknown}")
        if self.aside and (self.drawer is None or self._is_over()):
            raise BadPosition("expected aside= only while its player draws")

    @property
    def players(self) -> int:
        return len(self.racks)

    @property
    def max_plies(self) -> int:
        # Each turn with points lays a tile. After each, and before the first, come at most 2 * players other turns,
        # each with at most a rack of draws. The draws after laid tiles are at most as many as there are tiles.
        tiles, turns = len(self.all_tiles), 2 * self.players
        return tiles + (tiles + 1) * turns * (1 + self.rack)

    @property
    def plies_a_round(self) -> int:
        return self.players * (1 + self.rack)

    @property
    def bag(self) -> int:
        """The number of tiles in the bag."""
        return len(self.unseen) - sum(rack.count(UNKNOWN) for rack in self.racks) - self.aside.count(UNKNOWN)

    @property
    def drawer(self) -> int | None:
        """The seat that draws the next tile; None if all racks are full or the bag is empty."""
        if self.bag:
            for seat, rack in enumerate(self.racks):
                if len(rack) < self.rack:
                    return seat
        return None

    def _settled(self) -> Self:
        """This position, with its turn set after all else."""
        self._moves = None
        if self._is_over():
            self.turn = None
        elif self.drawer is not None:
            self.turn = CHANCE
        else:
            self.turn = self.seat
        return self

    def _is_over(self) -> bool:
        return self.scoreless == 2 * self.players or ("" in self.racks and not self.bag)

    def moves(self) -> tuple[str, ...]:
        moves = self._moves
        if moves is None:
            if self.turn is None:
                moves = ()
            elif self.turn == CHANCE:
                moves = tuple(sorted(set(self.unseen)))
            else:
                rack = self.racks[self.seat].replace(UNKNOWN, "")
                moves = (*placements(self.board, rack, self.dawg), *self._exchanges(rack), PASS)
            self._moves = moves
        return moves

    def _exchanges(self, rack: str) -> list[str]:
        if self.bag < self.rack:
            return []
        sets = [tiles for size in range(1, len(rack) + 1) for tiles in combinations(rack, size)]
        return [EXCHANGE + "".join(tiles) for tiles in dict.fromkeys(sets)]

    def playout_move(self, random: Random) -> str:
        """The word with the most points in a random row or column that has one; else any move."""
        rack = self.racks[self.seat].replace(UNKNOWN, "")
        found = placements_in_a_line(self.board, rack, self.dawg, random)
        return max(found, key=self.points) if found else super().playout_move(random)

    def chances(self) -> tuple[tuple[str, float], ...]:
        if self.turn != CHANCE:
            return ()
        return tuple((tile, self.unseen.count(tile) / len(self.unseen)) for tile in self.moves())

    def play(self, move: str) -> Self:
        child = self.__class__()
        child.dawg, child.all_tiles, child.rack = self.dawg, self.all_tiles, self.rack
        child.board, child.scores, child.seat = self.board, self.scores, self.seat
        child.scoreless, child.aside, child.unseen = self.scoreless, self.aside, self.unseen
        if (drawer := self.drawer) is not None:
            return self._draw(child, drawer, move)
        seat, rack = self.seat, self.racks[self.seat]
        child.seat = (seat + 1) % self.players
        points = 0
        if move.startswith(EXCHANGE):
            # The last turn of a game exchanges nothing, because the tiles on the racks are counted then.
            if self.scoreless + 1 < 2 * self.players:
                child.aside = move.removeprefix(EXCHANGE)
                rack = _without(rack, child.aside)
        elif move != PASS:
            child.board, tiles, points = lay(self.board, move)
            rack = _without(rack, tiles)
            child.scores = (*self.scores[:seat], self.scores[seat] + points, *self.scores[seat + 1 :])
        child.scoreless = 0 if points else self.scoreless + 1
        child.racks = (*self.racks[:seat], rack, *self.racks[seat + 1 :])
        if child._is_over():
            child.scores = child._final_scores()
        return child._settled()

    def _draw(self, child: Self, seat: int, tile: str) -> Self:
        """Complete `child`, the position after that draw."""
        child.unseen = self.unseen.replace(tile, "", 1)
        child.racks = (*self.racks[:seat], "".join(sorted(self.racks[seat] + tile)), *self.racks[seat + 1 :])
        if child.aside and child.drawer is None:
            child.unseen = "".join(sorted(child.unseen + child.aside.replace(UNKNOWN, "")))
            child.aside = ""
        return child._settled()

    def _final_scores(self) -> tuple[int, ...]:
        """The scores after the game: without the points of tiles left, which a player without tiles gets."""
        left = [round(self._sum(rack, POINTS)) for rack in self.racks]
        return tuple([
            score - own if rack else score + sum(left)
            for score, own, rack in zip(self.scores, left, self.racks, strict=True)
        ])  # fmt: skip

    def _sum(self, rack: str, values: Mapping[str, float]) -> float:
        """The sum of the tiles' values; an unknown tile has the mean of those it can be."""
        unknown = rack.count(UNKNOWN)
        total = sum([values[tile] for tile in rack if tile != UNKNOWN])
        return total + unknown * sum([values[tile] for tile in self.unseen]) / len(self.unseen) if unknown else total

    def points(self, move: str) -> int:
        """The points that a legal move scores."""
        return 0 if move == PASS or move.startswith(EXCHANGE) else lay(self.board, move).points

    def utilities(self) -> tuple[float, ...]:
        others = self.players - 1
        return tuple(
            [
                (sum([other < score for other in self.scores]) - sum([other > score for other in self.scores])) / others
                for score in self.scores
            ]
        )

    def ending(self) -> str:
        how = "all tiles laid" if "" in self.racks else "no more points"
        return f"{' : '.join(map(str, self.scores))}, {how}"

    def features(self, seat: int) -> dict[str, float]:
        bag = self.bag
        return {
            "lead": self._ahead(seat, self.scores),
            "rack": self._ahead(seat, [self._sum(rack, WORTHS) for rack in self.racks]) if bag else 0.0,
            "left": 0.0 if bag else self._ahead(seat, [self._sum(rack, POINTS) for rack in self.racks]),
        }

    def _ahead(self, seat: int, values: Sequence[float]) -> float:
        """The seat's value minus the mean of the others'."""
        return values[seat] - (sum(values) - values[seat]) / (self.players - 1)

    def scaled(self, score: float) -> float:
        return squash(score / LEAD_THAT_DECIDES)

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        found = self.features(seat)
        return self.scaled(sum([weight * found[name] for name, weight, _ in self.evaluation]))

    def from_text(self, text: str) -> str:
        tiles = _exchanged(text) if isinstance(text, str) else None
        return super().from_text(text if tiles is None else EXCHANGE + "".join(sorted(tiles)))

    def why_illegal(self, text: str) -> str:
        rack, tiles = self.racks[self.seat], _exchanged(text)
        if self.turn != self.seat:
            return ""
        if tiles is None:
            return why_not(self.board, rack, self.dawg, text)
        if self.bag < self.rack:
            return f"the bag has only {self.bag} tiles, fewer than a full rack"
        missing = Counter(tiles) - Counter(rack)
        return f"the rack has not enough {min(missing)}" if missing else "name the tiles after the hyphen"

    @property
    def key(self) -> Hashable:
        return (self.board, self.racks, self.scores, self.seat, self.scoreless, self.aside)

    def position(self) -> str:
        return self._text(self.racks, self.aside)

    def _text(self, racks: Sequence[str], aside: str) -> str:
        """The position with these racks and these tiles aside."""
        rows = re.sub(r"[.]+", lambda empty: str(len(empty[0])), "/".join(self.rows()))
        scores = ",".join(map(str, self.scores))
        text = f"{rows} racks={','.join(racks)} scores={scores} next={self.seat} scoreless={self.scoreless}"
        return f"{text} aside={aside}" if aside else text

    def _seen_by(self, seat: int) -> tuple[list[str], str]:
        """The racks and the tiles aside, as `seat` sees them; at the end all racks are open."""
        if self.turn is None:
            return [*self.racks], self.aside
        racks = [rack if owner == seat else UNKNOWN * len(rack) for owner, rack in enumerate(self.racks)]
        return racks, self.aside if self.drawer == seat else UNKNOWN * len(self.aside)

    def view(self, seat: int) -> str:
        return self._text(*self._seen_by(seat))

    def view_move(self, seat: int, move: str) -> str:
        if self.turn == CHANCE:
            return move if seat == self.drawer else UNKNOWN
        if seat != self.seat and move.startswith(EXCHANGE):
            return EXCHANGE + UNKNOWN * len(move.removeprefix(EXCHANGE))
        return move

    def sample(self, seat: int, random: Random) -> Self:
        """All tiles that the seat cannot see, in a random order, on the other racks and in the bag."""
        racks, aside = self._seen_by(seat)
        hidden = Counter("".join(self.racks) + self.aside) - Counter("".join(racks) + aside)
        del hidden[UNKNOWN]
        tiles = [*self.unseen, *hidden.elements()]
        random.shuffle(tiles)
        whole = copy(self)
        filled = [
            "".join(sorted([tiles.pop() if tile == UNKNOWN else tile for tile in group])) for group in [*racks, aside]
        ]
        whole.racks, whole.aside = tuple(filled[:-1]), filled[-1]
        whole.unseen = "".join(sorted(tiles))
        return whole._settled()

    @property
    def _size(self) -> tuple[int, int]:
        return SIZE, SIZE

    def _mark(self, row: int, column: int) -> str:
        return self.board[row * SIZE + column]

    def rows(self) -> list[str]:
        return [self.board[at : at + SIZE] for at in range(0, SIZE * SIZE, SIZE)]

    def last_cells(self, last: str) -> tuple[Cell, ...]:
        if last == PASS or last.startswith(EXCHANGE) or len(last) == 1:
            return ()
        return tuple(divmod(square, SIZE) for square in squares_of(last))

    @property
    def options_note(self) -> str:
        return f"Word list: {self.dawg.note}"

    def __str__(self) -> str:
        """The board with its premium squares; below it the racks, the points and the bag."""
        marks = [tile if tile != "." else _SHOWN[premium] for tile, premium in zip(self.board, PREMIUMS, strict=True)]
        top, *lines = draw([marks[at : at + SIZE] for at in range(0, SIZE * SIZE, SIZE)]).split("\n")
        seats = [
            f"seat {seat}: {score:>4} points, tiles {rack or '-'}"
            for seat, (score, rack) in enumerate(zip(self.scores, self.racks, strict=True))
        ]
        if self.turn is None:
            happens = f"over, {self.ending()}"
        else:
            happens = f"seat {self.drawer} draws" if self.turn == CHANCE else f"seat {self.turn} is to move"
            happens += f"; {self.bag} in the bag"
        return "\n".join([top.upper(), *lines, *seats, happens])
