// An agent that plays connect4 without our library: it reads and writes lines of JSON.
//
//     arena check my_agent.go --game connect4     check that it works
//     arena play connect4 my_agent.go random      watch one game
//     arena climb my_agent.go --game connect4     measure how strong it is
//     arena games connect4                        show the rules and the notation of moves
//
// `choose` plays the middle legal move: change it. `arena docs languages` describes all messages.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
)

// message has the keys that we need; the others are skipped.
type message struct {
	Type     string
	Game     int
	Seat     int
	ID       string
	Legal    []string
	Position string
	Board    [][]int
	Cells    [][]int
	Events   [][]any
	Verdict  string
}

var seat int // yours: 0 is the first player
var played []string // the moves of the game so far

// Your agent thinks here: turn.Legal has the legal moves, turn.Position is the board as text. If the game has pieces in
// cells, turn.Board has rows of numbers, the top row first: 0 is empty, 1 (2, ...) is yours, -1 (-2, ...) is not. In your
// own symbols n is "O.X"[n+1] (X: yours); moveTo(turn, row, column, -1, -1) is a move as text.
func choose(turn message) string {
	return turn.Legal[len(turn.Legal)/2]
}

// moveTo is the legal move that ends in this cell of turn.Board, and starts in that one; -1 is any row or column. If only
// one move is legal, such as a pass, it is that one.
func moveTo(turn message, row, column, fromRow, fromColumn int) string {
	if len(turn.Legal) == 1 {
		return turn.Legal[0]
	}
	for at, cell := range turn.Cells {
		fits := len(cell) == 4
		for n, wanted := range []int{fromRow, fromColumn, row, column} {
			fits = fits && (wanted == -1 || wanted == cell[n])
		}
		if fits {
			return turn.Legal[at]
		}
	}
	return ""
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout) // out writes each message as one line
	os.Stdout = os.Stderr // what your code prints goes to stderr, the agent's log
	for {
		var heard message
		if err := in.Decode(&heard); err == io.EOF {
			return // the referee closed stdin
		} else if err != nil {
			log.Fatal(err)
		}
		switch heard.Type {
		case "start":
			seat, played = heard.Seat, nil
			out.Encode(map[string]any{"type": "ready", "game": heard.Game, "board": true})
		case "turn":
			for _, event := range heard.Events { // who played, and what
				played = append(played, event[1].(string))
			}
			// Answer with the id of the turn.
			out.Encode(map[string]any{"type": "move", "game": heard.Game, "id": heard.ID, "move": choose(heard)})
		case "over":
			log.Println("It ended:", heard.Verdict)
		case "bye":
			return
		} // Ignore messages of other types.
	}
}
