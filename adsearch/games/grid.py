"""What games on a grid share: names of cells, boards as one line of text, and boards drawn for people.

A cell is (row, column), row 0 on top. Its name is the column's letter and the row's number: "a1" is the top left.
As one line, a board is its rows from the top joined by "/".
"""

from collections.abc import Sequence

from adsearch.errors import BadPosition, quote

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_name(row: int, column: int) -> str:
    """The name of a cell, such as "c4"."""
    return f"{LETTERS[column]}{row + 1}"


def read_rows(text: str, rows: int, columns: int, marks: str) -> list[str]:
    """The rows of a board that `cells joined by "/"` spell; BadPosition where size or marks are wrong."""
    board = text.split("/")
    if len(board) != rows or any(len(row) != columns for row in board):
        raise BadPosition(f"expected {rows} rows of {columns} cells, joined by '/', got {quote(text)}")
    if not set(text) <= {*marks, "/"}:
        raise BadPosition(f"expected cells out of '{marks}', got {quote(text)}")
    return board


def draw(rows: Sequence[Sequence[str]], *, row_names: bool = True) -> str:
    """The board with its columns' letters above and, where wanted, its rows' numbers beside it."""
    margin = len(str(len(rows))) + 1 if row_names else 0
    lines = [" " * margin + " ".join(LETTERS[: len(rows[0])])]
    for number, row in enumerate(rows, start=1):
        lines.append((f"{number:>{margin - 1}} " if row_names else "") + " ".join(row))
    return "\n".join(lines)


def in_a_row(count: int) -> str:
    """So many in a row, in words."""
    words = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
    return f"{words.get(count, count)} in a row"
