"""What `arena new` writes in other languages plays by the protocol; the rules beside it are ours, position by position.

Each program is written, compiled and started as a student would; it gets the messages of the protocol through pipes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from adsearch import games
from agents.protocol import ClockInfo, Message, Move, Ready, Start, Turn, from_player, read_line, to_line, with_board
from arena.errors import BadPlayer
from arena.match.allowance import WallKind
from arena.student import starter
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.behind_walls import need
from tests.kit.starter_programs import TOOLS, command

WITH_RULES: Final = {
    **{(game, ending): ending for game in ("connect4", "othello") for ending in (".cpp", ".java", ".js")},
    ("connect4", ".c"): ".c",
}
"""The games with rules in another language, and the endings of these."""
POSITIONS: Final = 10_000
DRIVERS: Final = {
    ".cpp": """
#include "RULES.hpp"
#include <iostream>
int main() {
    std::string position;
    while (std::getline(std::cin, position)) {
        GAME state = GAME::load(position);
        std::cout << state.turn << ";" << state.position() << ";" << state.utility(0) << ";" << state.utility(1);
        for (int move : state.moves()) {
            GAME next = state.play(move);
            std::cout << ";" << GAME::text(move) << "=" << next.position() << "=" << next.turn;
        }
        std::cout << "\\n";
    }
}
""",
    ".java": """
import java.util.Scanner;
class Driver {
    public static void main(String[] arguments) {
        StringBuilder out = new StringBuilder();
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            GAME state = GAME.load(in.nextLine());
            out.append(state.turn + ";" + state.position() + ";" + state.utility(0) + ";" + state.utility(1));
            for (int move : state.moves()) {
                GAME next = state.play(move);
                out.append(";" + GAME.text(move) + "=" + next.position() + "=" + next.turn);
            }
            out.append("\\n");
        }
        System.out.print(out);
    }
}
""",
    ".js": """
const { GAME } = require("./RULES.js");
const positions = require("node:fs").readFileSync(0, "utf-8").trimEnd().split("\\n");
const lines = positions.map((position) => {
  const state = GAME.load(position);
  const nexts = state.moves().map((move) => [GAME.text(move), state.play(move)]);
  const moves = nexts.map(([text, next]) => `${text}=${next.position()}=${next.turn}`);
  return [state.turn, state.position(), state.utility(0), state.utility(1), ...moves].join(";");
});
process.stdout.write(lines.join("\\n") + "\\n");
""",
    ".c": """
#include <stdio.h>
#include "RULES.h"
static void print(char board[ROWS][COLUMNS]) {
    for (int row = 0; row < ROWS; row++) printf("%s%.*s", row ? "/" : "", COLUMNS, board[row]);
}
int main(void) {
    char line[1000], board[ROWS][COLUMNS];
    while (fgets(line, sizeof line, stdin)) {
        char disc = load(board, line), won = winner(board);
        int open = 0, turn = disc == 'o', result = won == '.' ? 0 : won == 'x' ? 1 : -1;
        for (int column = 0; column < COLUMNS; column++) open += is_open(board, column);
        if (!open || won != '.') turn = -1;
        printf("%d;", turn);
        print(board);
        printf(";%d;%d", result, -result);
        for (int column = 0; column < COLUMNS && turn >= 0; column++)
            if (is_open(board, column)) {
                int row = play(board, column, disc);
                printf(";%d=", column + 1);
                print(board);
                printf("=%d", winner(board) != '.' || (open == 1 && row == 0) ? -1 : 1 - turn);
                board[row][column] = '.';
            }
        printf("\\n");
    }
    return 0;
}
""",
}
"""A program for each language: for each position that it reads, it writes what its rules say of it."""
WITH_A_BOARD: Final = {
    ".cpp": """
    auto board = turn.rows("board"), cells = turn.rows("cells");
    int sum = 0;
    for (size_t row = 0; row < board.size(); row++)
        for (size_t column = 0; column < board[row].size(); column++)
            sum += board[row][column] * (9 * row + column + 1);
    auto cell = cells[std::abs(sum) % cells.size()];
    return cell.empty() ? turn.texts("legal")[0] : turn.move_to(cell[2], cell[3], cell[0], cell[1]);""",
    ".java": """
        int[][] board = turn.rows("board"), cells = turn.rows("cells");
        int sum = 0;
        for (int row = 0; row < board.length; row++)
            for (int column = 0; column < board[row].length; column++)
                sum += board[row][column] * (9 * row + column + 1);
        int[] cell = cells[Math.abs(sum) % cells.length];
        return cell.length == 0 ? turn.texts("legal").get(0) : turn.moveTo(cell[2], cell[3], cell[0], cell[1]);""",
    ".js": """
  let sum = 0;
  turn.board.forEach((line, row) => line.forEach((n, column) => (sum += n * (9 * row + column + 1))));
  const cell = turn.cells[Math.abs(sum) % turn.cells.length];
  return cell.length ? moveTo(turn, cell[2], cell[3], cell[0], cell[1]) : turn.legal[0];""",
    ".c": """
    int sum = 0, rows = 0, moves = 0;
    for (; number("board", rows, 0) != -99; rows++)
        for (int column = 0, n; (n = number("board", rows, column)) != -99; column++)
            sum += n * (9 * rows + column + 1);
    while (nth(value_of("legal"), moves) != NULL) moves++;
    int at = abs(sum) % moves, cell[4];
    for (int n = 0; n < 4; n++) cell[n] = number("cells", at, n);
    return cell[0] == -99 ? nth(value_of("legal"), 0) : move_to(cell[2], cell[3], cell[0], cell[1]);""",
    ".go": """
	sum := 0
	for row, line := range turn.Board {
		for column, n := range line {
			sum += n * (9*row + column + 1)
		}
	}
	if sum < 0 {
		sum = -sum
	}
	cell := turn.Cells[sum%len(turn.Cells)]
	if len(cell) == 0 {
		return turn.Legal[0]
	}
	return moveTo(turn, cell[2], cell[3], cell[0], cell[1])""",
    ".rs": """
    let (mut sum, cells) = (0, turn.rows("cells"));
    for (row, line) in turn.rows("board").iter().enumerate() {
        for (column, n) in line.iter().enumerate() {
            sum += n * (9 * row + column + 1) as i32;
        }
    }
    let cell = &cells[sum.unsigned_abs() as usize % cells.len()];
    if cell.is_empty() {
        return turn.texts("legal")[0].to_string();
    }
    turn.move_to(cell[2], cell[3], cell[0], cell[1])""",
    ".py": """
    total = sum(n * (9 * row + column + 1) for row, line in enumerate(turn["board"]) for column, n in enumerate(line))
    cell = turn["cells"][abs(total) % len(turn["cells"])]
    return move_to(turn, cell[2], cell[3], cell[0], cell[1]) if cell else turn["legal"][0]""",
}
"""For each language a body of `choose` that chooses by the numbers of the board alone."""


class Program:
    """A running agent."""

    def __init__(self, words: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)

    def answer(self, message: Message) -> Message:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(to_line(message))
        self.process.stdin.flush()
        return from_player(read_line(self.process.stdout.readline()))

    def move(self, state: Any) -> str:
        """Its move, as text."""
        legal = tuple(str(state.to_text(move)) for move in state.moves())
        turn = Turn(1, "01234567", 1, (), None, None, state.position(), legal)
        answer = self.answer(with_board(turn, state, state.turn))
        assert isinstance(answer, Move)
        return answer.move


def write(path: Path, game: str) -> dict[str, str]:
    """Writes the agent for a game, and the rules; returns their texts."""
    made = starter.agent(path, game, games.start(game), starter.Style.BARE, None)
    assert starter.write_with_rules(path, made.files) == []
    return made.files


def positions(game: str, number: int) -> Iterator[Any]:
    """All positions of random games, the last ones too."""
    random = Random(game)
    while number > 0:
        state = games.start(game)
        while True:
            yield state
            number -= 1
            if state.turn is None:
                break
            state = state.play(random.choice(state.moves()))


def said_of(state: Any) -> str:
    """What our own rules say of a position, as the drivers write it; of the utilities only when the game is over."""
    nexts = [(state.to_text(move), state.play(move)) for move in state.moves()]
    moves = [f";{text}={next.position()}={-1 if next.turn is None else next.turn}" for text, next in nexts]
    if state.turn is None:
        utilities = [int(each) for each in state.utilities()]
        return f"-1;{state.position()};{utilities[0]};{utilities[1]}"
    return f"{state.turn};{state.position()}{''.join(moves)}"


@pytest.mark.costly
@pytest.mark.parametrize(
    "game", ["connect4", "connect4:rows=5,columns=12,line=3", "othello", "othello:size=6"], ids=lambda game: game[-16:]
)
@pytest.mark.parametrize("ending", DRIVERS)
def test_its_rules_are_those_of_our_game(tmp_path: Path, ending: str, game: str) -> None:
    plain = game.partition(":")[0]
    if (plain, ending) not in WITH_RULES:
        pytest.skip(f"there are no rules of {plain} for {ending}")
    needs.program(TOOLS[ending])
    write(tmp_path / f"bot{ending}", game)
    source = tmp_path / f"Driver{ending}"
    source.write_text(DRIVERS[ending].replace("RULES", plain).replace("GAME", plain.capitalize()), "utf-8")
    tried = [*positions(game, POSITIONS)]
    given = "".join(f"{state.position()}\n" for state in tried)
    words = command(source, tmp_path, main="Driver")
    written = subprocess.run(words, input=given, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(written) == len(tried) >= POSITIONS
    for state, line in zip(tried, written, strict=True):
        head, position, first, second, *moves = line.split(";")
        middle = f";{first};{second}" if state.turn is None else ""
        assert ";".join([head, position]) + middle + "".join(f";{move}" for move in moves) == said_of(state)


@pytest.mark.costly
@pytest.mark.parametrize(("game", "ending"), WITH_RULES)
def test_the_example_in_its_comment_works_and_finds_the_best_move(tmp_path: Path, ending: str, game: str) -> None:
    """A student puts the lines of the comment in place of those of `choose`."""
    path = tmp_path / f"my_agent{ending}"
    needs.program(TOOLS[ending])
    text = write(path, game)[path.name]
    shown = re.search(r"`choose`:\n *(?://|\*)\n((?: *(?://|\*) .*\n)+)", text)
    assert shown is not None
    example = re.sub(r"(?m)^ *(?://|\*) {5}", "", shown[1])
    old = r" *[^\n]*\blegal = [^\n]*\n *return [^\n]*"
    if ending == ".c":
        old = r"(?s)(?<=\*choose\(void\) \{\n).*?(?=\n\})"
    changed = re.sub(old, lambda _: example.rstrip("\n"), text, count=1)
    assert changed != text
    include = {".cpp": f'#include "{game}.hpp"\n', ".c": f'#include "{game}.h"\n'}.get(ending, "")
    path.write_text(changed.replace("#include", f"{include}#include", 1) if include else changed, "utf-8")
    program = Program(command(path, tmp_path, strict=False))  # what it replaces is not used any more
    try:
        assert program.answer(Start(1, game, 0, ("a", "b"), ClockInfo("none", None), 1, "")) == Ready(1, board=True)
        won = 0
        for state in positions(game, 600):
            if state.turn is None:
                continue
            move = program.move(state)
            nexts = {state.to_text(each): state.play(each) for each in state.moves()}
            assert move in nexts
            if game == "othello":
                ahead = {text: next.utilities()[state.turn] for text, next in nexts.items()}
                assert ahead[move] == max(ahead.values())
            elif wins := [text for text, next in nexts.items() if next.turn is None and next.won]:
                assert move in wins
                won += 1
        assert won >= 10 or game == "othello"
    finally:
        program.process.kill()
        with program.process:
            pass


def chosen_by_numbers(state: Any) -> str:
    """What the bodies in WITH_A_BOARD choose."""
    total = sum(n * (9 * row + at + 1) for row, line in enumerate(state.array(state.turn)) for at, n in enumerate(line))
    moves = state.moves()
    cells = state.cells(moves[abs(total) % len(moves)])
    if not cells:
        return str(state.to_text(moves[0]))
    (row, column), start = cells[-1], cells[0]
    return str(state.to_text(state.move_to(row, column, start=start)))


@pytest.mark.costly
@pytest.mark.parametrize("ending", WITH_A_BOARD)
def test_a_program_sees_the_board_as_numbers_and_finds_the_move_to_a_cell(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"my_agent{ending}"
    needs.program(TOOLS[ending])
    text = write(path, "chess")[path.name]
    at = re.search(
        r"(?s)((?:choose\(void\) \{|choose\([^\n]*[{:])(?:\n    \"\"\".*?\"\"\")?\n).*?(?=\n *\}\n|\n\n\n)", text
    )
    assert at is not None
    path.write_text(text[: at.end(1)] + WITH_A_BOARD[ending].lstrip("\n") + text[at.end() :], "utf-8")
    program = Program(command(path, tmp_path))
    try:
        assert program.answer(Start(1, "chess", 0, ("a", "b"), ClockInfo("none", None), 1, "")) == Ready(1, board=True)
        for game in ("connect4", "tictactoe", "othello", "go:size=9", "checkers", "chess"):
            for state in positions(game, 150):
                if state.turn is not None:
                    assert program.move(state) == chosen_by_numbers(state)
    finally:
        program.process.kill()
        with program.process:
            pass


@pytest.mark.costly
@pytest.mark.parametrize("game", ["connect4", "othello", "pig"])
@pytest.mark.parametrize("ending", [each for each in TOOLS if each != ".py"])
def test_it_passes_its_check(tmp_path: Path, ending: str, game: str) -> None:
    needs.program(TOOLS[ending])
    need(WallKind.CONTAINER)
    assert arena("new", f"my_agent{ending}", "--game", game, cwd=tmp_path).code == 0
    ended = arena("check", f"my_agent{ending}", "--game", game, "--positions", "10", cwd=tmp_path)
    assert (ended.code, "Ready to play: no problems found" in ended.out) == (0, True), ended.out


COUNTED: Final = {
    ".cpp": 'if (std::to_string(played.size() + 1) != turn.value("ply")) return "";',
    ".java": 'if (!turn.value("ply").equals("" + (played.size() + 1))) return "";',
    ".js": 'if (turn.ply !== played.length + 1) return "";',
    ".go": 'if turn.Ply != len(played)+1 {\nreturn ""\n}',
    ".rs": 'if turn.value("ply") != (played.len() + 1).to_string() {\nreturn String::new();\n}',
}
"""For each language a line of `choose` that returns no move if `played` does not have all plies before."""


@pytest.mark.costly
@pytest.mark.parametrize("ending", COUNTED)
def test_it_knows_what_was_played_in_each_game(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"my_agent{ending}"
    needs.program(TOOLS[ending])
    text = write(path, "pig")[path.name].replace("_played", "played").replace("\tCells ", "\tPly int\n\tCells ")
    changed = re.sub(
        r"\bchoose\([^\n]*\{\n(?=[^\n]*\b(?:legal\b[^\n]*=|return ))", rf"\g<0>{COUNTED[ending]}\n", text, count=1
    )
    assert changed != text
    path.write_text(changed, "utf-8")
    ended = arena("check", path.name, "--game", "pig", "--positions", "10", cwd=tmp_path)
    assert (ended.code, "Ready to play" in ended.out) == (0, True), ended.out


def test_rules_that_are_there_are_not_overwritten(tmp_path: Path) -> None:
    for name in ("one.js", "two.js"):
        assert "connect4.js has the rules" in arena("new", name, cwd=tmp_path).out
    (tmp_path / "connect4.js").write_text("mine")
    assert (
        "connect4.js is there already, with another text, and was not changed"
        in arena("new", "three.js", cwd=tmp_path).out
    )
    assert (tmp_path / "connect4.js").read_text() == "mine"


@pytest.mark.parametrize("name", ["connect4.js", "Connect4.js", "Connect4.java"])
def test_an_agent_cannot_have_the_name_of_its_rules(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadPlayer, match="the file with the rules of the game; choose another name"):
        write(tmp_path / name, "connect4")
    assert not [*tmp_path.iterdir()]


def test_a_game_without_rules_in_the_language_comes_alone(tmp_path: Path) -> None:
    assert [*write(tmp_path / "bot.cpp", "kuhn")] == ["bot.cpp"]
    assert [*write(tmp_path / "bot.c", "othello")] == ["bot.c"]
    assert [*write(tmp_path / "bot.rs", "connect4")] == ["bot.rs"]
    assert (
        "ROWS = 5, COLUMNS = 12, LINE = 3;"
        in write(tmp_path / "two.cpp", "connect4:rows=5,columns=12,line=3")["connect4.hpp"]
    )
