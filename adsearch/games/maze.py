"""A maze with a runner that eats pellets and up to four ghosts that hunt it: a pursuit game like Pac-Man.

`maze_map` has the tables that make a move a table look-up, the options and scores; this module has the
rules and the evaluation. A position's text is the same whether seats or chance move the ghosts.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, Self

from adsearch.errors import BadCell, BadPosition, quote
from adsearch.games.grid import Cell, GridGame, grid_attributes
from adsearch.games.maze_map import (
    HEADING_NAMES,
    HEADINGS,
    HOME,
    MOST_CELLS,
    MOVE_NAMES,
    POSITION,
    POSITION_FORM,
    SCARED_ROUNDS,
    SCORE_OF_A_PELLET,
    SCORE_OF_A_ROUND,
    SCORE_OF_A_SCARED_GHOST,
    SCORE_OF_ALL_PELLETS,
    SCORE_OF_BEING_CAUGHT,
    UNMOVED,
    Board,
    MazeSetting,
    Place,
    cell_text,
    read_cell,
    read_ghost,
    read_setting,
)
from adsearch.games.maze_path import MazePath
from adsearch.option import Option
from adsearch.state import CHANCE, Feature, Looks

# The evaluation: its features, their weights, and the danger of a ghost by its distance. `Maze.evaluate` computes the
# same sum itself, because it is called at every leaf; a test compares the two. All values are the runner's, and a
# ghost's are the negatives.

WEIGHT_OF_A_PELLET_LEFT = -2.0
WEIGHT_OF_THE_NEAREST_PELLET = 9.0
"""Less than a pellet's score, so that eating a pellet is always better than to be near it."""
WEIGHT_OF_A_SCARED_GHOST = 100.0
DANGER: Final = (150.0, 150.0, 60.0, 25.0, 10.0, 4.0, *(2.0 / distance for distance in range(6, MOST_CELLS + 2)))
"""The danger of a ghost that is not scared, by its distance. It is never 0, so that ghosts also come from far away."""

EVALUATION: Final = (
    Feature("score", 1.0, "the score so far"),
    Feature("pellets", WEIGHT_OF_A_PELLET_LEFT, "the pellets that are left"),
    Feature("nearest", WEIGHT_OF_THE_NEAREST_PELLET, "1 / distance of the nearest pellet"),
    Feature("danger", -1.0, "by the distance of each ghost that is not scared: 150, 150, 60, 25, 10, 4, 2 / distance"),
    Feature("scared", WEIGHT_OF_A_SCARED_GHOST, "1 / distance of each scared ghost that can be reached in time"),
)


def of_runner(
    board: Board, runner: int, pellets: int, ghosts: Sequence[int], scared: int, timer: int
) -> dict[str, float]:
    """The features of a position, except the score, as the runner sees them."""
    distances = board.distances[runner]
    found = [(distances[ghost // HEADINGS], scared >> index & 1) for index, ghost in enumerate(ghosts)]
    nearest = next((distance for distance, cells in board.rings[runner] if cells & pellets), 0)
    return {
        "pellets": float(pellets.bit_count()),
        "nearest": 1.0 / nearest if nearest else 0.0,
        "danger": sum(DANGER[distance] for distance, is_scared in found if not is_scared),
        "scared": sum(1.0 / (distance or 1) for distance, is_scared in found if is_scared and distance <= timer),
    }


class Maze(GridGame[int], MazePath):
    """Seat 0, the runner (P), eats the pellets (.) of a maze; every other seat is a ghost that hunts the runner.
    In each round the runner moves one cell or stays, then each ghost in turn moves one cell; a ghost turns back only in
    a dead end. The runner is caught when it is on the same cell as a ghost, after it has eaten what is there. A power
    pellet (o) scares all ghosts for 20 rounds; a scared ghost that meets the runner is eaten and returns to its start.
    The game ends when no pellet is left, when the runner is caught, or after `steps` rounds. The score is the runner's
    utility (a ghost's is its negative): 10 per pellet, 200 per scared ghost, -1 per round, 500 for the last pellet,
    -500 for being caught. With ghosts=random, chance moves the ghosts and the runner is the only player.
    With ghosts=0 the runner is alone and cannot stay: a path problem."""

    options = (
        Option(
            "ghosts",
            "2",
            "number of ghosts that players move, 0 for none, or random: chance moves them",
            choices=("0", "1", "2", "3", "4", "random", "random1", "random2", "random3", "random4"),
        ),
        Option(
            "map",
            "classic",
            "classic, detour, open, ring, thrashing, tiny, trap, or a file: walls %, one P, up to 4 G, pellets . and o",
        ),
        Option("steps", 200, "rounds after which the game ends", 1, 9999),
    )
    notation = "the direction, n, e, s or w; a runner with ghosts can also stay"
    looks = Looks(
        sides=("runner", "ghost 1", "ghost 2", "ghost 3", "ghost 4"), colours=("runner", "ghost", "B", "G", "R")
    )
    position_notation = (
        ("P=4,2", "the runner's line and column, counted from 1"),
        ("G=2,2:e+3,5:w", "the ghosts, joined by +: line, column and last direction; :scared if it is scared"),
        ("pellets=2:3-7,9", "the pellets: line:columns, lines joined by /; power= are the power pellets"),
        ("scared=0", "the number of rounds for which scared ghosts stay scared"),
        ("turn=0", "0: the runner moves; 1, 2, ...: that ghost moves; over: the game is over"),
    )
    attributes = (
        *grid_attributes(
            "'%' (a wall), 'P' (the runner), '1' to '4' (a ghost), '.' (a pellet), 'o' (a power pellet) or ' ' (empty)",
            numbers="",
        ),
        ("runner_at", "row and column of the runner, such as (4, 9)"),
        ("ghosts_at", "row and column of each ghost: ghosts_at[0] is ghost 1 (which is seat 1)"),
        ("is_scared(ghost)", "whether ghost 1, 2, ... is scared; timer is the number of rounds for which it stays so"),
        ("distance(a, b)", "the number of steps between two cells, such as distance(state.runner_at, (1, 1))"),
        ("score", "the score so far; round is the number of moves of the runner"),
    )
    evaluation = EVALUATION
    seats = (1, 2, 3, 4, 5)

    __slots__ = (
        "ghosts", "mover", "pellets", "power", "round", "runner", "scared", "score", "setting", "timer", "turn",
    )  # fmt: skip

    setting: MazeSetting
    runner: int
    """The runner's cell."""
    ghosts: tuple[int, ...]
    """For each ghost: its cell * HEADINGS + its heading."""
    pellets: int
    power: int
    scared: int
    """Bitmask of the scared ghosts; the first ghost is the lowest bit."""
    timer: int
    """Rounds until the ghosts are no longer scared."""
    score: int
    round: int
    """Number of moves of the runner so far."""
    mover: int
    """0: the runner; n: the n-th ghost; -1: the game is over."""

    @classmethod
    def start(cls, *, ghosts: str, map: str, steps: int) -> Self:
        state = cls()
        state.setting = setting = read_setting(ghosts, map, steps)
        state.runner = setting.board.start
        state.pellets, state.power = setting.board.pellets, setting.board.power
        state.ghosts = tuple(home * HEADINGS + UNMOVED for home in setting.homes)
        state.scared, state.timer = 0, 0
        state.score = 0
        state.round = 0
        state.mover = 0
        state.turn = 0
        return state

    @classmethod
    def load(cls, text: str, *, ghosts: str, map: str, steps: int) -> Self:
        setting = read_setting(ghosts, map, steps)
        match = POSITION.fullmatch(text)
        if not match:
            raise BadPosition(f"expected a position such as '{POSITION_FORM}', got {quote(text)}")
        state = cls()
        board = setting.board
        state.setting = setting
        state.runner = read_cell(board, match["runner"])
        found = [read_ghost(board, ghost) for ghost in match["ghosts"].split("+")] if match["ghosts"] != "none" else []
        if len(found) != setting.ghosts:
            raise BadPosition(f"expected the number of ghosts to be {setting.ghosts}, got {len(found)}")
        state.ghosts = tuple(ghost for ghost, _ in found)
        state.scared = sum(1 << index for index, (_, scared) in enumerate(found) if scared)
        state.pellets = board.cells_from_text(match["pellets"], board.pellets)
        state.power = board.cells_from_text(match["power"], board.power)
        state.score = int(match["score"])
        state.timer = int(match["timer"])
        state.round = int(match["round"])
        state.mover = -1 if match["turn"] == "over" else int(match["turn"])
        if state.mover > setting.ghosts:
            raise BadPosition(f"expected turn=0..{setting.ghosts} or turn=over, got {state.mover}")
        state.turn = setting.turns[state.mover]
        state._check_rounds()
        state._check_ghosts()
        state._check_score()
        if state.position() != text:
            raise BadPosition(f"expected cells and numbers as position() writes them, got {quote(text)}")
        return state

    def _check_rounds(self) -> None:
        """Raise BadPosition unless turn, round and the eaten pellets are consistent."""
        setting = self.setting
        board = self.setting.board
        over = not self.pellets or self._is_caught() or (self.round == setting.steps and self.mover < 1)
        if over != (self.mover < 0):
            wanted = "over (the game has ended)" if over else f"0 to {self.setting.ghosts} (the game is not over)"
            raise BadPosition(f"expected turn={wanted}")
        if not (0 if self.mover == 0 else 1) <= self.round <= setting.steps:
            raise BadPosition(f"expected a round up to {setting.steps} in which the runner has moved, got {self.round}")
        if (self.pellets | self.power) >> self.runner & 1:
            raise BadPosition("expected no pellet on the runner's cell")
        eaten = (board.pellets ^ self.pellets).bit_count() + (board.power ^ self.power).bit_count()
        if max(eaten, board.distances[board.start][self.runner]) > self.round:
            raise BadPosition(f"expected at most one step or eaten pellet per round ({self.round} rounds), got more")

    def _check_ghosts(self) -> None:
        """Raise BadPosition unless every ghost can have reached its cell, and can be scared or not, as it is."""
        board = self.setting.board
        over = self.mover < 0
        settled = not self.pellets or self._is_caught()
        for number, (ghost, home) in enumerate(zip(self.ghosts, self.setting.homes, strict=True), start=1):
            cell, heading = divmod(ghost, HEADINGS)
            most = self.round if self.mover <= 0 or number < self.mover else self.round - 1
            if heading == HOME:
                possible = cell == home and most >= (0 if self.mover else 1)
            elif heading == UNMOVED:
                possible = cell == home and most <= (1 if over else 0)
            else:
                possible = board.distances[home][cell] <= most > 0 and board.next[cell * 5 + (heading ^ 2)] >= 0
            if not possible:
                raise BadPosition(f"ghost {number} cannot have reached its cell within {self.round} rounds")
            if cell == self.runner and heading != HOME and not settled:
                raise BadPosition(f"expected no scared ghost on the runner's cell, got ghost {number}")
        most = SCARED_ROUNDS - (0 if self.mover else 1)
        if not (0 < self.timer <= most if self.scared else self.timer == 0):
            raise BadPosition(f"expected scared=1..{most} if a ghost is scared, else scared=0, got {self.timer}")
        if self.scared and (self.power == board.power or SCARED_ROUNDS - self.timer > self.round):
            raise BadPosition("expected scared ghosts only after a power pellet was eaten")

    def _check_score(self) -> None:
        """Raise BadPosition unless the score fits the eaten pellets and a possible number of eaten ghosts."""
        board = self.setting.board
        score = SCORE_OF_A_PELLET * (board.pellets ^ self.pellets).bit_count() + SCORE_OF_A_ROUND * self.round
        score += SCORE_OF_ALL_PELLETS if not self.pellets else SCORE_OF_BEING_CAUGHT if self._is_caught() else 0
        least = sum(ghost % HEADINGS == HOME for ghost in self.ghosts)
        most = (board.power ^ self.power).bit_count() * self.setting.ghosts - self.scared.bit_count()
        eaten, rest = divmod(self.score - score, SCORE_OF_A_SCARED_GHOST)
        if rest or not least <= eaten <= most:
            raise BadPosition(
                f"expected score={score} and {SCORE_OF_A_SCARED_GHOST} for each of {least} to {most} ghosts eaten, "
                f"got {self.score}"
            )

    def _is_caught(self) -> bool:
        return any(
            ghost // HEADINGS == self.runner and ghost % HEADINGS != HOME and not self.scared >> index & 1
            for index, ghost in enumerate(self.ghosts)
        )

    @property
    def players(self) -> int:
        return 1 if self.setting.alone else 1 + self.setting.ghosts

    @property
    def chance(self) -> bool:
        return self.setting.random

    @property
    def bounds(self) -> tuple[float, float]:
        return self.setting.bounds

    @property
    def max_plies(self) -> int:
        return self.setting.steps * (1 + self.setting.ghosts)

    @property
    def plies_a_round(self) -> int:
        return 1 + self.setting.ghosts

    def moves(self) -> tuple[int, ...]:
        mover = self.mover
        if mover > 0:
            return self.setting.board.ghost_moves[self.ghosts[mover - 1]]
        return () if mover else self.setting.runner_moves[self.runner]

    def chances(self) -> tuple[tuple[int, float], ...]:
        return self.setting.board.chances[self.ghosts[self.mover - 1]] if self.turn == CHANCE else ()

    def all_moves(self) -> tuple[int, ...]:
        return tuple(range(5))

    def play(self, move: int) -> Self:
        return self._play_ghost(move) if self.mover else self._play_runner(move)

    def _play_runner(self, move: int) -> Self:
        setting = self.setting
        child = self.__class__()
        child.setting = setting
        child.runner = runner = setting.next[self.runner * 5 + move]
        child.round = self.round + 1
        score, pellets, power, scared = self.score + SCORE_OF_A_ROUND, self.pellets, self.power, self.scared
        timer = self.timer
        mover = 1 if setting.ghosts else 0 if child.round < setting.steps else -1
        eaten = 1 << runner
        if pellets & eaten:
            pellets ^= eaten
            score += SCORE_OF_A_PELLET
            if not pellets:
                score += SCORE_OF_ALL_PELLETS
                mover = -1
        elif power & eaten:
            power ^= eaten
            scared, timer = setting.everyone, SCARED_ROUNDS if setting.ghosts else 0
        child.pellets, child.power = pellets, power
        child.ghosts = self.ghosts
        child.scared, child.timer = scared, timer
        child.score = score
        if mover > 0:
            for ghost in self.ghosts:
                if ghost // HEADINGS == runner and ghost % HEADINGS != HOME:
                    mover = child._meet()
                    break
        child.mover = mover
        child.turn = setting.turns[mover]
        return child

    def _meet(self) -> int:
        """Handle the runner and ghosts on the same cell in this new state; return the next mover."""
        if self._is_caught():
            self.score += SCORE_OF_BEING_CAUGHT
            return -1
        ghosts = list(self.ghosts)
        for index, ghost in enumerate(ghosts):
            if ghost // HEADINGS == self.runner and ghost % HEADINGS != HOME:
                ghosts[index] = self.setting.homes[index] * HEADINGS + HOME
                self.scared ^= 1 << index
                self.score += SCORE_OF_A_SCARED_GHOST
        self.ghosts = tuple(ghosts)
        self.timer = self.timer if self.scared else 0
        return 1

    def _play_ghost(self, move: int) -> Self:
        setting = self.setting
        mover = self.mover
        ghosts = self.ghosts
        child = self.__class__()
        child.setting = setting
        child.runner = self.runner
        child.pellets, child.power = self.pellets, self.power
        child.round = self.round
        score = self.score
        scared, timer = self.scared, self.timer
        index = mover - 1
        cell = setting.next[ghosts[index] // HEADINGS * 5 + move]
        ghost = cell * HEADINGS + move
        mover = mover + 1 if mover < setting.ghosts else 0
        if cell == self.runner:
            if scared >> index & 1:
                ghost = setting.homes[index] * HEADINGS + HOME
                scared ^= 1 << index
                score += SCORE_OF_A_SCARED_GHOST
                timer = timer if scared else 0
            else:
                score += SCORE_OF_BEING_CAUGHT
                mover = -1
        if not mover:
            if timer:
                timer -= 1
                scared = scared if timer else 0
            if self.round == setting.steps:
                mover = -1
        child.ghosts = (*ghosts[:index], ghost, *ghosts[index + 1 :])
        child.score = score
        child.scared, child.timer = scared, timer
        child.mover = mover
        child.turn = setting.turns[mover]
        return child

    def utilities(self) -> tuple[float, ...]:
        return (float(self.score), *[float(-self.score)] * (self.players - 1))

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        board = self.setting.board
        runner = self.runner
        pellets = self.pellets
        timer = self.timer
        value = self.score + WEIGHT_OF_A_PELLET_LEFT * pellets.bit_count()
        for distance, cells in board.rings[runner]:
            if cells & pellets:
                value += WEIGHT_OF_THE_NEAREST_PELLET / distance
                break
        distances = board.distances[runner]
        for index, ghost in enumerate(self.ghosts):
            distance = distances[ghost // HEADINGS]
            if not self.scared >> index & 1:
                value -= DANGER[distance]
            elif distance <= timer:
                value += WEIGHT_OF_A_SCARED_GHOST / (distance or 1)
        least, most = self.setting.inside
        value = least if value < least else most if value > most else value
        return -value if seat else value

    def features(self, seat: int) -> dict[str, float]:
        found = of_runner(self.setting.board, self.runner, self.pellets, self.ghosts, self.scared, self.timer)
        return {name: -value if seat else value for name, value in ({"score": float(self.score)} | found).items()}

    def scaled(self, score: float) -> float:
        least, most = self.setting.inside
        return min(max(score, least), most)

    def noisy_moves(self) -> tuple[int, ...]:
        """The runner's moves onto a scared ghost or the last pellet; a ghost's onto the runner."""
        if self.turn is None or self.turn == CHANCE:
            return ()
        ways = self.setting.next
        if self.mover:
            cell, targets = self.ghosts[self.mover - 1] // HEADINGS, 1 << self.runner
        else:
            cell, targets = self.runner, self.pellets if self.pellets.bit_count() == 1 else 0
            for index, ghost in enumerate(self.ghosts):
                if self.scared >> index & 1 and ghost % HEADINGS != HOME:
                    targets |= 1 << ghost // HEADINGS
        return tuple(move for move in self.moves() if targets >> ways[cell * 5 + move] & 1)

    @property
    def key(self) -> Hashable:
        eaten = (self.pellets, self.power, self.score)
        return (self.runner, self.ghosts, eaten, self.scared, self.timer, self.round, self.mover)

    def in_text(self, row: int, column: int) -> Cell:
        return row, column

    def to_text(self, move: int) -> str:
        return MOVE_NAMES[move]

    def position(self) -> str:
        board = self.setting.board
        ghosts = []
        for index, ghost in enumerate(self.ghosts):
            cell, heading = divmod(ghost, HEADINGS)
            words = [cell_text(board, cell), HEADING_NAMES[heading], "scared" if self.scared >> index & 1 else ""]
            ghosts.append(":".join(word for word in words if word))
        return (
            f"P={cell_text(board, self.runner)} G={'+'.join(ghosts) or 'none'} "
            f"pellets={board.cells_to_text(self.pellets)} power={board.cells_to_text(self.power)} score={self.score} "
            f"scared={self.timer} round={self.round} turn={'over' if self.mover < 0 else self.mover}"
        )

    @property
    def _size(self) -> tuple[int, int]:
        lines = self.setting.board.lines
        return len(lines), len(lines[0])

    def _mark(self, row: int, column: int) -> str:
        cell = self.setting.board.at.get((row + 1, column + 1))
        if cell is None:
            return "%"
        if cell == self.runner:
            return "P"
        # Of several ghosts the first is shown, and a scared one only if all are.
        here = [index for index, ghost in enumerate(self.ghosts) if ghost // HEADINGS == cell]
        if here:
            return str(min(here, key=lambda index: (self.scared >> index & 1, index)) + 1)
        return "." if self.pellets >> cell & 1 else "o" if self.power >> cell & 1 else " "

    @property
    def runner_at(self) -> Place:
        """Row and column of the runner."""
        return self.setting.board.row_and_column(self.runner)

    @property
    def ghosts_at(self) -> tuple[Place, ...]:
        """Row and column of each ghost."""
        return tuple(self.setting.board.row_and_column(ghost // HEADINGS) for ghost in self.ghosts)

    def is_scared(self, ghost: int) -> bool:
        """Whether ghost 1, 2, ... is scared."""
        if ghost not in range(1, len(self.ghosts) + 1):
            known = f"expected a ghost from 1 to {len(self.ghosts)}" if self.ghosts else "this game has no ghosts"
            raise BadCell(f"is_scared({ghost}): {known}, got {ghost}")
        return bool(self.scared >> ghost - 1 & 1)

    def distance(self, start: Place, end: Place) -> int:
        """The number of steps between two cells, each (row, column); BadCell if one is a wall."""
        return self.setting.board.distance(start, end)

    def __str__(self) -> str:
        return "\n".join(self.rows() + self.captions())

    def captions(self) -> list[str]:
        """The lines below the maze: score, round, mover or result, and scared ghosts."""
        if self.mover < 0:
            end = "no rounds are left" if self.pellets else "all pellets are eaten"
            news = f"over: {'the runner is caught' if self.pellets and self._is_caught() else end}"
        else:
            news = f"ghost {self.mover} moves{' at random' * self.setting.random}" if self.mover else "the runner moves"
        captions = [f"score {self.score}, round {self.round} of {self.setting.steps}, {news}"]
        if self.scared:
            names = ", ".join(str(index + 1) for index in range(len(self.ghosts)) if self.scared >> index & 1)
            captions.append(f"scared (for {self.timer} rounds): {names}")
        return captions
