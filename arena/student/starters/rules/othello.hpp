// The rules of othello, so that your agent can search. Include "othello.hpp"; in `choose`:
//
//     Othello state = Othello::load(turn.text("position"));
//     int best = state.moves()[0], most = -1000;
//     for (int move : state.moves()) {
//         Othello after = state.play(move); // after.turn is the seat to move, or -1 when the game is over
//         if (after.utility(state.turn) > most) best = move, most = after.utility(state.turn);
//     }
//     return Othello::text(best);

#pragma once
#include <array>
#include <string>
#include <vector>

struct Othello {
    static const int SIZE = 8, PASS = -1;

    // board[row][column] is 'x' for seat 0, 'o' for seat 1, or '.'; row 0 is the top row.
    std::array<std::array<char, SIZE>, SIZE> board;
    int turn = 0; // the seat to move; -1 when the game is over

    // Reads a position as messages have it: the rows from the top, with a '/' between them, and the side to move.
    static Othello load(const std::string& position) {
        Othello state;
        for (int row = 0; row < SIZE; row++)
            for (int column = 0; column < SIZE; column++)
                state.board[row][column] = position[row * (SIZE + 1) + column];
        char side = position.back();
        state.turn = side == 'x' ? 0 : side == 'o' ? 1 : -1;
        return state;
    }

    std::string position() const {
        std::string text;
        for (const auto& row : board) text += (text.empty() ? "" : "/") + std::string(row.begin(), row.end());
        return text + " " + (turn == 0 ? 'x' : turn == 1 ? 'o' : '-');
    }

    // The squares where a disc can be placed, each row * SIZE + column; PASS if there is none; no moves when the game is
    // over.
    std::vector<int> moves() const {
        if (turn == -1) return {};
        std::vector<int> found = squares(turn);
        return found.empty() ? std::vector<int>{PASS} : found;
    }

    // The next state. This one does not change.
    Othello play(int move) const {
        Othello next = *this;
        if (move != PASS) {
            int row = move / SIZE, column = move % SIZE;
            char mine = disc(turn);
            next.board[row][column] = mine;
            for (int down = -1; down <= 1; down++)
                for (int right = -1; right <= 1; right++)
                    for (int n = run(row, column, down, right, turn); n > 0; n--)
                        next.board[row + n * down][column + n * right] = mine;
        }
        next.turn = 1 - turn;
        if (next.squares(0).empty() && next.squares(1).empty()) next.turn = -1;
        return next;
    }

    // The number of discs that the seat is ahead: the result, when the game is over.
    int utility(int seat) const {
        int ahead = 0;
        for (const auto& row : board)
            for (char cell : row)
                if (cell != '.') ahead += cell == disc(seat) ? 1 : -1;
        return ahead;
    }

    // A move as messages have it, such as d3 or pass.
    static std::string text(int move) {
        if (move == PASS) return "pass";
        return std::string(1, static_cast<char>('a' + move % SIZE)) + std::to_string(move / SIZE + 1);
    }

private:
    static char disc(int seat) { return seat == 0 ? 'x' : 'o'; }

    // The number of discs that a disc of the seat turns in one direction.
    int run(int row, int column, int down, int right, int seat) const {
        for (int n = 1;; n++) {
            int r = row + n * down, c = column + n * right;
            if (r < 0 || r >= SIZE || c < 0 || c >= SIZE || board[r][c] == '.' || (down == 0 && right == 0)) return 0;
            if (board[r][c] == disc(seat)) return n - 1;
        }
    }

    // The squares where the seat can place a disc.
    std::vector<int> squares(int seat) const {
        std::vector<int> found;
        for (int square = 0; square < SIZE * SIZE; square++) {
            int row = square / SIZE, column = square % SIZE, turned = 0;
            for (int down = -1; down <= 1 && board[row][column] == '.'; down++)
                for (int right = -1; right <= 1; right++) turned += run(row, column, down, right, seat);
            if (turned > 0) found.push_back(square);
        }
        return found;
    }
};
