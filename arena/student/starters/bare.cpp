// An agent that plays connect4 without our library: it reads and writes lines of JSON.
//
//     arena check my_agent.cpp --game connect4     check that it works
//     arena play connect4 my_agent.cpp random      watch one game
//     arena climb my_agent.cpp --game connect4     measure how strong it is
//     arena games connect4                         show the rules and the notation of moves
//
// `choose` plays the middle legal move: change it. `arena docs languages` describes all messages.

#include <cctype>
#include <iostream>
#include <string>
#include <vector>

// One message of the referee: a JSON object. C++ has no JSON reader, so this class finds the values that we need.
class Message {
public:
    explicit Message(const std::string& json) : json(json) {}

    // The value of a key, as it is in the message: a text with its quotes. Empty if the message has no such key.
    std::string value(const std::string& key) const {
        int depth = 0;
        for (size_t at = 0; at < json.size(); at++) {
            if (json[at] == '{' || json[at] == '[') depth++;
            if (json[at] == '}' || json[at] == ']') depth--;
            if (json[at] != '"') continue;
            size_t end = after_text(at), colon = after_blanks(end);
            if (depth == 1 && json[colon] == ':' && json.substr(at + 1, end - at - 2) == key) {
                size_t start = after_blanks(colon + 1);
                return json.substr(start, after_value(start) - start);
            }
            at = end - 1;
        }
        return "";
    }

    // A text without its quotes. A \ in it stays as it is, so that the text can be sent back unchanged.
    std::string text(const std::string& key) const {
        std::string found = value(key);
        return found.size() > 1 && found[0] == '"' ? found.substr(1, found.size() - 2) : "";
    }

    // A list of texts, each without its quotes.
    std::vector<std::string> texts(const std::string& key) const {
        Message list(value(key));
        std::vector<std::string> found;
        for (size_t at = list.json.find('"'); at != std::string::npos; at = list.json.find('"', at)) {
            size_t end = list.after_text(at);
            found.push_back(list.json.substr(at + 1, end - at - 2));
            at = end;
        }
        return found;
    }

    // A list of lists of numbers.
    std::vector<std::vector<int>> rows(const std::string& key) const {
        std::string list = value(key);
        std::vector<std::vector<int>> found;
        for (size_t at = 1; at < list.size(); at++) {
            if (list[at] == '[') found.emplace_back();
            if (list[at] != '-' && !std::isdigit(static_cast<unsigned char>(list[at]))) continue;
            size_t length;
            found.back().push_back(std::stoi(list.substr(at), &length));
            at += length - 1;
        }
        return found;
    }

    // The legal move that ends in this cell of the board, and starts in that one; -1 is any row or column. If only one
    // move is legal, such as a pass, that one.
    std::string move_to(int row, int column, int from_row = -1, int from_column = -1) const {
        if (texts("legal").size() == 1) return texts("legal")[0];
        std::vector<int> wanted = {from_row, from_column, row, column};
        std::vector<std::vector<int>> cells = rows("cells");
        for (size_t at = 0; at < cells.size(); at++) {
            bool fits = cells[at].size() == wanted.size();
            for (size_t n = 0; fits && n < wanted.size(); n++) fits = wanted[n] == -1 || wanted[n] == cells[at][n];
            if (fits) return texts("legal")[at];
        }
        return "";
    }

private:
    std::string json;

    // The place after the closing quote of the text that starts at a place.
    size_t after_text(size_t at) const {
        for (at++; at < json.size() && json[at] != '"'; at++)
            if (json[at] == '\\') at++; // an escaped quote does not close it
        return at + 1;
    }

    size_t after_blanks(size_t at) const {
        while (at < json.size() && std::isspace(static_cast<unsigned char>(json[at]))) at++;
        return at;
    }

    // The place after the number, text, list or object that starts at a place.
    size_t after_value(size_t at) const {
        for (int depth = 0; at < json.size();) {
            char c = json[at];
            if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
            if (c == '{' || c == '[') depth++;
            if (c == '}' || c == ']') depth--;
            at = c == '"' ? after_text(at) : at + 1;
        }
        return at;
    }
};

int seat;                        // Yours: 0 is the first player.
std::vector<std::string> played; // The moves of the game so far.

// Your agent thinks here: turn.texts("legal") has the legal moves, turn.text("position") is the board as text. If the
// game has pieces in cells, turn.rows("board") has their numbers, the top row first: 0 is empty, 1 (2, ...) is yours,
// -1 (-2, ...) is not. In your own symbols n is "O.X"[n + 1] (X: yours); turn.move_to(row, column) is a move as text.
std::string choose(const Message& turn) {
    std::vector<std::string> legal = turn.texts("legal");
    return legal[legal.size() / 2];
}

int main() {
    std::ostream referee(std::cout.rdbuf());
    std::cout.rdbuf(std::cerr.rdbuf()); // what your code prints goes to stderr, the agent's log
    std::string line;
    while (std::getline(std::cin, line)) { // the loop ends when the referee closes stdin
        Message message(line);
        std::string type = message.text("type");
        if (type == "start") {
            seat = std::stoi(message.value("seat"));
            played.clear();
            referee << "{\"type\": \"ready\", \"game\": " << message.value("game") << ", \"board\": true}" << std::endl;
        } else if (type == "turn") {
            for (const std::string& word : message.texts("events")) // who played, if not a player, and what
                if (word != "opening" && word != "chance") played.push_back(word);
            // Answer with the id of the turn. std::endl flushes: else the answer stays in a buffer.
            referee << "{\"type\": \"move\", \"game\": " << message.value("game") << ", \"id\": " << message.value("id")
                    << ", \"move\": \"" << choose(message) << "\"}" << std::endl;
        } else if (type == "bye") {
            return 0;
        } // Ignore messages of other types.
    }
}
