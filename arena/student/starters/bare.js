// An agent that plays connect4 without our library: it reads and writes lines of JSON.
//
//     arena check my_agent.js --game connect4     check that it works
//     arena play connect4 my_agent.js random      watch one game
//     arena climb my_agent.js --game connect4     measure how strong it is
//     arena games connect4                        show the rules and the notation of moves
//
// `choose` plays the middle legal move: change it. `arena docs languages` describes all messages.

const readline = require("node:readline");

console.log = console.error; // only messages go to stdout; what your code prints goes to stderr, the agent's log

let seat; // yours: 0 is the first player
let played; // the moves of the game so far

// Your agent thinks here. turn.legal is an array of moves, turn.position is the board as text. If the game has pieces in
// cells, turn.board has rows of numbers, the top row first: 0 is empty, 1 (2, ...) is yours, -1 (-2, ...) is not. In your
// own symbols n is "O.X"[n + 1] (X: yours); moveTo(turn, row, column) is a move as text.
function choose(turn) {
  const legal = turn.legal;
  return legal[Math.floor(legal.length / 2)];
}

// The legal move that ends in this cell of turn.board, and starts in that one; -1 is any row or column. If only one move
// is legal, such as a pass, that one.
function moveTo(turn, row, column, fromRow = -1, fromColumn = -1) {
  if (turn.legal.length === 1) return turn.legal[0];
  const wanted = [fromRow, fromColumn, row, column];
  return turn.legal[turn.cells.findIndex((cell) => wanted.every((n, at) => n === -1 || n === cell[at]))];
}

// Sends one message, as one line.
function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Called for each message from the referee; a message is one line.
function hear(line) {
  const message = JSON.parse(line);
  switch (message.type) {
    case "start":
      seat = message.seat;
      played = [];
      say({ type: "ready", game: message.game, board: true });
      break;
    case "turn":
      for (const [, move] of message.events) played.push(move); // [who played, what]
      // Answer with the id of the turn.
      say({ type: "move", game: message.game, id: message.id, move: choose(message) });
      break;
    case "over":
      console.error("It ended:", message.verdict, message.utilities);
      break;
    case "bye":
      process.exit(0);
  }
  // Ignore messages of other types.
}

// The program ends when the referee closes stdin.
readline.createInterface({ input: process.stdin }).on("line", hear);
