// The rules of othello, so that your agent can search. In `choose`:
//
//     const { Othello } = require("./othello.js");
//     const state = Othello.load(turn.position);
//     let best = state.moves()[0], most = -1000;
//     for (const move of state.moves()) {
//       const after = state.play(move); // after.turn is the seat to move, or -1 when the game is over
//       if (after.utility(state.turn) > most) [best, most] = [move, after.utility(state.turn)];
//     }
//     return Othello.text(best);

"use strict";
const SIZE = 8, PASS = -1;
const DIRECTIONS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];

class Othello {
  // board[row][column] is "x" for seat 0, "o" for seat 1, or "."; row 0 is the top row. turn is the seat to move, and -1
  // when the game is over.
  constructor(board, turn) {
    Object.assign(this, { board, turn });
  }

  // Reads a position as messages have it: the rows from the top, with a "/" between them, and the side to move.
  static load(position) {
    const [rows, side] = position.split(" ");
    return new Othello(rows.split("/").map((row) => [...row]), "xo".indexOf(side));
  }

  position() {
    return `${this.board.map((row) => row.join("")).join("/")} ${this.turn === -1 ? "-" : "xo"[this.turn]}`;
  }

  // The squares where a disc can be placed, each row * SIZE + column; PASS if there is none; no moves when the game is
  // over.
  moves() {
    if (this.turn === -1) return [];
    const found = this.squares(this.turn);
    return found.length > 0 ? found : [PASS];
  }

  // The next state. This one does not change.
  play(move) {
    const board = this.board.map((row) => [...row]);
    if (move !== PASS) {
      const row = Math.floor(move / SIZE), column = move % SIZE;
      board[row][column] = "xo"[this.turn];
      for (const [down, right] of DIRECTIONS)
        for (let n = this.run(row, column, down, right, this.turn); n > 0; n--)
          board[row + n * down][column + n * right] = "xo"[this.turn];
    }
    const next = new Othello(board, 1 - this.turn);
    if (next.squares(0).length === 0 && next.squares(1).length === 0) next.turn = -1;
    return next;
  }

  // The number of discs that the seat is ahead: the result, when the game is over.
  utility(seat) {
    let ahead = 0;
    for (const cell of this.board.flat()) if (cell !== ".") ahead += cell === "xo"[seat] ? 1 : -1;
    return ahead;
  }

  // A move as messages have it, such as d3 or pass.
  static text(move) {
    return move === PASS ? "pass" : `${String.fromCharCode(97 + (move % SIZE))}${Math.floor(move / SIZE) + 1}`;
  }

  // The number of discs that a disc of the seat turns in one direction.
  run(row, column, down, right, seat) {
    for (let n = 1; ; n++) {
      const cell = this.board[row + n * down]?.[column + n * right] ?? ".";
      if (cell === ".") return 0;
      if (cell === "xo"[seat]) return n - 1;
    }
  }

  // The squares where the seat can place a disc.
  squares(seat) {
    const turns = (row, column) => DIRECTIONS.some(([down, right]) => this.run(row, column, down, right, seat) > 0);
    return [...Array(SIZE * SIZE).keys()].filter((square) => {
      const row = Math.floor(square / SIZE), column = square % SIZE;
      return this.board[row][column] === "." && turns(row, column);
    });
  }
}

module.exports = { Othello };
