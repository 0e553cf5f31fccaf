"""The rules of Connect-4. `arena new` puts the text below in place of `choose` in bare.py."""

# The rules of connect4. A board is a list of rows, the top row first; a cell is "x", "o" or ".".
ROWS = 6
COLUMNS = 7
LINE = 4


def moves(board):
    """The columns that are not full, from 0 on the left."""
    return [column for column in range(COLUMNS) if board[0][column] == "."]


def play(board, column, disc):
    """A new board, after a disc falls into a column that is not full."""
    after = [list(row) for row in board]
    row = max(row for row in range(ROWS) if board[row][column] == ".")
    after[row][column] = disc
    return after


def winner(board):
    """The disc that has LINE in a row, or None."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + down * (LINE - 1), column + right * (LINE - 1)
                if last_row < ROWS and 0 <= last_column < COLUMNS:
                    line = {board[row + down * n][column + right * n] for n in range(LINE)}
                    if len(line) == 1 and line != {"."}:
                        return line.pop()
    return None


def choose(turn):
    """Your agent thinks here: it wins if it can, else it blocks, else it plays near the middle."""
    board = turn["position"].split("/")
    discs = turn["position"].count("x") + turn["position"].count("o")
    mine, theirs = ("x", "o") if discs % 2 == 0 else ("o", "x")
    for disc in (mine, theirs):
        for column in moves(board):
            if winner(play(board, column, disc)) == disc:
                return str(column + 1)  # the referee counts columns from 1
    middle = (COLUMNS - 1) / 2
    return str(min(moves(board), key=lambda column: abs(column - middle)) + 1)
