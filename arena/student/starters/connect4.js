// The rules of Connect-4. `arena new` puts the text below in place of `choose` in bare.js.

// The rules of connect4. A board is an array of rows, the top row first; a cell is "x", "o" or ".".
const ROWS = 6, COLUMNS = 7, LINE = 4;

// The columns that are not full, from 0 on the left.
function moves(board) {
  return [...Array(COLUMNS).keys()].filter((column) => board[0][column] === ".");
}

// A new board, after a disc falls into a column that is not full.
function play(board, column, disc) {
  const after = board.map((row) => [...row]);
  let row = ROWS - 1;
  while (after[row][column] !== ".") row--;
  after[row][column] = disc;
  return after;
}

// The disc that has LINE in a row, or null.
function winner(board) {
  for (let row = 0; row < ROWS; row++)
    for (let column = 0; column < COLUMNS; column++)
      for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
        const disc = board[row][column];
        let length = 0; // of the line that starts here
        while (disc !== "." && board[row + down * length]?.[column + right * length] === disc) length++;
        if (length >= LINE) return disc;
      }
  return null;
}

// Your agent thinks here: it wins if it can, else it blocks, else it plays near the middle.
function choose(turn) {
  const board = turn.position.split("/");
  const discs = turn.position.replace(/[^xo]/g, "").length;
  const [mine, theirs] = discs % 2 === 0 ? ["x", "o"] : ["o", "x"];
  for (const disc of [mine, theirs])
    for (const column of moves(board))
      if (winner(play(board, column, disc)) === disc) return String(column + 1); // the referee counts columns from 1
  const fromMiddle = (column) => Math.abs(column - (COLUMNS - 1) / 2);
  const best = moves(board).reduce((best, column) => (fromMiddle(column) < fromMiddle(best) ? column : best));
  return String(best + 1);
}
