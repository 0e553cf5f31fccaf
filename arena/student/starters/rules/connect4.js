// The rules of connect4, so that your agent can search. In `choose`:
//
//     const { Connect4 } = require("./connect4.js");
//     const state = Connect4.load(turn.position);
//     for (const move of state.moves()) {
//       const after = state.play(move); // after.turn is the seat to move, or -1 when the game is over:
//       if (after.turn === -1 && after.utility(state.turn) > 0) return Connect4.text(move); // it wins at once
//     }
//     return Connect4.text(state.moves()[0]);

"use strict";
const ROWS = 6, COLUMNS = 7, LINE = 4;

class Connect4 {
  // board[row][column] is "x" for seat 0, "o" for seat 1, or "."; row 0 is the top row. turn is the seat to move, and -1
  // when the game is over; winner is the seat that has won, and -1 if none has.
  constructor(board, turn, winner = -1) {
    Object.assign(this, { board, turn, winner });
  }

  // Reads a position as messages have it: the rows from the top, with a "/" between them.
  static load(position) {
    const board = position.split("/").map((row) => [...row]);
    const discs = position.replace(/[^xo]/g, "").length;
    const state = new Connect4(board, discs % 2);
    for (let row = 0; row < ROWS; row++)
      for (let column = 0; column < COLUMNS; column++)
        if (state.hasLine(row, column)) state.winner = "xo".indexOf(board[row][column]);
    if (state.winner !== -1 || discs === ROWS * COLUMNS) state.turn = -1;
    return state;
  }

  position() {
    return this.board.map((row) => row.join("")).join("/");
  }

  // The columns that are not full, from 0 on the left; none when the game is over.
  moves() {
    if (this.turn === -1) return [];
    return [...Array(COLUMNS).keys()].filter((column) => this.board[0][column] === ".");
  }

  // The next state. This one does not change.
  play(column) {
    const board = this.board.map((row) => [...row]);
    let row = ROWS - 1;
    while (board[row][column] !== ".") row--;
    board[row][column] = "xo"[this.turn];
    const next = new Connect4(board, 1 - this.turn);
    if (next.hasLine(row, column)) next.winner = this.turn;
    if (next.winner !== -1 || next.moves().length === 0) next.turn = -1;
    return next;
  }

  // When the game is over: 1 if the seat has won, -1 if it has lost, 0 for a draw.
  utility(seat) {
    return this.winner === -1 ? 0 : this.winner === seat ? 1 : -1;
  }

  // A move as messages have it: columns are counted from 1.
  static text(move) {
    return String(move + 1);
  }

  // The number of equal discs beside a cell, in one direction.
  run(row, column, down, right) {
    let length = 0;
    while (this.board[row + (length + 1) * down]?.[column + (length + 1) * right] === this.board[row][column]) length++;
    return length;
  }

  // Whether the disc in a cell is part of LINE in a row.
  hasLine(row, column) {
    const steps = [[0, 1], [1, 0], [1, 1], [1, -1]];
    const inLine = ([down, right]) => 1 + this.run(row, column, down, right) + this.run(row, column, -down, -right);
    return this.board[row][column] !== "." && steps.some((step) => inLine(step) >= LINE);
  }
}

module.exports = { Connect4 };
