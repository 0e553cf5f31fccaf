// The rules of connect4, so that your agent can search. Include "connect4.hpp"; in `choose`:
//
//     Connect4 state = Connect4::load(turn.text("position"));
//     for (int move : state.moves()) {
//         Connect4 after = state.play(move); // after.turn is the seat to move, or -1 when the game is over:
//         if (after.turn == -1 && after.utility(state.turn) > 0) return Connect4::text(move); // it wins at once
//     }
//     return Connect4::text(state.moves()[0]);

#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <vector>

struct Connect4 {
    static const int ROWS = 6, COLUMNS = 7, LINE = 4;

    // board[row][column] is 'x' for seat 0, 'o' for seat 1, or '.'; row 0 is the top row.
    std::array<std::array<char, COLUMNS>, ROWS> board;
    int turn = 0;    // the seat to move; -1 when the game is over
    int winner = -1; // the seat that has won; -1 if none has

    // Reads a position as messages have it: the rows from the top, with a '/' between them.
    static Connect4 load(const std::string& position) {
        Connect4 state;
        int discs = 0;
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < COLUMNS; column++) {
                state.board[row][column] = position[row * (COLUMNS + 1) + column];
                discs += state.board[row][column] != '.';
            }
        state.turn = discs % 2;
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < COLUMNS; column++)
                if (state.has_line(row, column)) state.winner = state.board[row][column] == 'o';
        if (state.winner != -1 || discs == ROWS * COLUMNS) state.turn = -1;
        return state;
    }

    std::string position() const {
        std::string text;
        for (const auto& row : board) text += (text.empty() ? "" : "/") + std::string(row.begin(), row.end());
        return text;
    }

    // The columns that are not full, from 0 on the left; none when the game is over.
    std::vector<int> moves() const {
        std::vector<int> columns;
        for (int column = 0; column < COLUMNS; column++)
            if (turn != -1 && board[0][column] == '.') columns.push_back(column);
        return columns;
    }

    // The next state. This one does not change.
    Connect4 play(int column) const {
        Connect4 next = *this;
        int row = ROWS - 1;
        while (board[row][column] != '.') row--;
        next.board[row][column] = turn == 0 ? 'x' : 'o';
        if (next.has_line(row, column)) next.winner = turn;
        bool full = std::find(next.board[0].begin(), next.board[0].end(), '.') == next.board[0].end();
        next.turn = next.winner != -1 || full ? -1 : 1 - turn;
        return next;
    }

    // When the game is over: 1 if the seat has won, -1 if it has lost, 0 for a draw.
    int utility(int seat) const { return winner == -1 ? 0 : winner == seat ? 1 : -1; }

    // A move as messages have it: columns are counted from 1.
    static std::string text(int move) { return std::to_string(move + 1); }

private:
    // The number of equal discs beside a cell, in one direction.
    int run(int row, int column, int down, int right) const {
        int length = 0, r = row + down, c = column + right;
        while (r >= 0 && r < ROWS && c >= 0 && c < COLUMNS && board[r][c] == board[row][column]) {
            length++;
            r += down;
            c += right;
        }
        return length;
    }

    // Whether the disc in a cell is part of LINE in a row.
    bool has_line(int row, int column) const {
        if (board[row][column] == '.') return false;
        static const int steps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (const auto& step : steps)
            if (1 + run(row, column, step[0], step[1]) + run(row, column, -step[0], -step[1]) >= LINE) return true;
        return false;
    }
};
