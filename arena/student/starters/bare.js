// An agent that plays connect4 without our kit: it reads JSON lines and writes JSON lines.
//
//     arena check "cmd:node my_agent.js" --game connect4     is everything all right with it?
//     arena play connect4 "cmd:node my_agent.js" random      one game, shown as it goes
//     arena climb "cmd:node my_agent.js" --game connect4     how strong is it?
//     arena games connect4                                   the rules, and how moves are written
//
// `choose` takes the middle one of the legal moves: change it. Whatever else can be read and written here is told in
// docs/protocol.md of arena-referee.

"use strict";
const readline = require("node:readline");

// Your agent thinks here. turn.legal is an array of moves, turn.position is the board; both are text.
function choose(turn) {
  const legal = turn.legal;
  return legal[Math.floor(legal.length / 2)];
}

// Sends one message: one line.
function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Called for each line, so for each message, that the referee sends.
function hear(line) {
  const message = JSON.parse(line);
  switch (message.type) {
    case "start":
      console.error("I have seat", message.seat, "of", message.rules); // stderr is ours: a log
      say({ type: "ready", game: message.game });
      break;
    case "turn":
      // The id says which question this answers: send back the one that came.
      say({ type: "move", game: message.game, id: message.id, move: choose(message) });
      break;
    case "over":
      console.error("It ended:", message.verdict, message.utilities);
      break;
    case "bye":
      process.exit(0);
  }
  // Any other type is of no interest to us, and may be ignored.
}

// The program ends when the referee closes our input.
readline.createInterface({ input: process.stdin }).on("line", hear);
