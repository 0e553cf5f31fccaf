// An agent that plays connect4 without our library: it reads and writes lines of JSON.
//
//     arena check my_agent.rs --game connect4     check that it works
//     arena play connect4 my_agent.rs random      watch one game
//     arena climb my_agent.rs --game connect4     measure how strong it is
//     arena games connect4                        show the rules and the notation of moves
//
// `choose` plays the middle legal move: change it. `arena docs languages` describes all messages.

use std::io::BufRead;

// Your agent thinks here: turn.texts("legal") has the legal moves, turn.text("position") is the board as text. If the
// game has pieces in cells, turn.rows("board") has their numbers, the top row first: 0 is empty, 1 (2, ...) is yours,
// -1 (-2, ...) is not. In your own symbols n is b"O.X"[(n + 1) as usize] (X: yours); turn.move_to(row, column, -1, -1) is
// the move that ends in a cell. `seat` is yours: 0 is the first player; `played` has the moves so far.
// Print with eprintln!, not with println!.
fn choose(turn: &Message, _seat: i32, _played: &[String]) -> String {
    let legal = turn.texts("legal");
    legal[legal.len() / 2].to_string()
}

fn main() {
    let (mut seat, mut played) = (0, Vec::new());
    // The loop ends when the referee closes stdin. println! flushes at the end of each line.
    for line in std::io::stdin().lock().lines() {
        let message = Message { json: line.expect("a line of text") };
        let game = message.value("game");
        match message.text("type") {
            "start" => {
                seat = message.value("seat").trim().parse().expect("a number");
                played.clear();
                println!(r#"{{"type": "ready", "game": {game}, "board": true}}"#);
            }
            "turn" => {
                let events = message.texts("events").into_iter(); // who played, if not a player, and what
                played.extend(events.filter(|word| !["opening", "chance"].contains(word)).map(String::from));
                let (id, chosen) = (message.value("id"), choose(&message, seat, &played)); // answer with the id
                println!(r#"{{"type": "move", "game": {game}, "id": {id}, "move": "{chosen}"}}"#);
            }
            "bye" => return,
            _ => {} // ignore messages of other types
        }
    }
}

// One message of the referee: a JSON object. Rust's library has no JSON reader, so this finds the values that we need.
struct Message {
    json: String,
}

impl Message {
    // The value of a key, as it is in the message: a text with its quotes. Empty if the message has no such key.
    fn value(&self, key: &str) -> &str {
        let (mut depth, mut at) = (0, 0);
        while let Some(&letter) = self.json.as_bytes().get(at) {
            match letter {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    let end = after_text(&self.json, at);
                    let rest = self.json[end..].trim_start();
                    if depth == 1 && rest.starts_with(':') && &self.json[at + 1..end - 1] == key {
                        let value = rest[1..].trim_start();
                        return &value[..after_value(value)];
                    }
                    at = end - 1;
                }
                _ => {}
            }
            at += 1;
        }
        ""
    }

    // A text without its quotes. A \ in it stays as it is, so that the text can be sent back unchanged.
    fn text(&self, key: &str) -> &str {
        self.value(key).trim_matches('"')
    }

    // A list of texts, each without its quotes.
    fn texts(&self, key: &str) -> Vec<&str> {
        let list = self.value(key);
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(start) = list[at..].find('"') {
            let end = after_text(list, at + start);
            found.push(&list[at + start + 1..end - 1]);
            at = end;
        }
        found
    }

    // A list of lists of numbers.
    #[allow(dead_code)]
    fn rows(&self, key: &str) -> Vec<Vec<i32>> {
        let rows = self.value(key).split('[').skip(2);
        rows.map(|row| row.split([',', ']']).filter_map(|n| n.trim().parse().ok()).collect()).collect()
    }

    // The legal move that ends in this cell of the board, and starts in that one; -1 is any row or column. If only one
    // move is legal, such as a pass, that one.
    #[allow(dead_code)]
    fn move_to(&self, row: i32, column: i32, from_row: i32, from_column: i32) -> String {
        let (legal, wanted) = (self.texts("legal"), [from_row, from_column, row, column]);
        if legal.len() == 1 {
            return legal[0].to_string();
        }
        let fits = |cell: &Vec<i32>| cell.len() == 4 && (0..4).all(|n| wanted[n] == -1 || wanted[n] == cell[n]);
        let at = self.rows("cells").iter().position(fits).expect("a legal move there");
        legal[at].to_string()
    }
}

// The place after the closing quote of the text that starts at a place.
fn after_text(json: &str, start: usize) -> usize {
    let mut at = start + 1;
    while json.as_bytes()[at] != b'"' {
        at += if json.as_bytes()[at] == b'\\' { 2 } else { 1 }; // an escaped quote does not close it
    }
    at + 1
}

// The place after the number, text, list or object at the start of the text.
fn after_value(json: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(&letter) = json.as_bytes().get(at) {
        match letter {
            b',' | b'}' | b']' if depth == 0 => return at,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at = if letter == b'"' { after_text(json, at) } else { at + 1 };
    }
    at
}
