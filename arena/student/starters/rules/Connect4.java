// The rules of connect4, so that your agent can search. In `choose`:
//
//     Connect4 state = Connect4.load(turn.text("position"));
//     for (int move : state.moves()) {
//         Connect4 after = state.play(move); // after.turn is the seat to move, or -1 when the game is over:
//         if (after.turn == -1 && after.utility(state.turn) > 0) return Connect4.text(move); // it wins at once
//     }
//     return Connect4.text(state.moves().get(0));

import java.util.ArrayList;
import java.util.List;

class Connect4 {
    static final int ROWS = 6, COLUMNS = 7, LINE = 4;

    // board[row][column] is 'x' for seat 0, 'o' for seat 1, or '.'; row 0 is the top row.
    final char[][] board;
    int turn; // the seat to move; -1 when the game is over
    int winner = -1; // the seat that has won; -1 if none has

    private Connect4(char[][] board, int turn) {
        this.board = board;
        this.turn = turn;
    }

    // Reads a position as messages have it: the rows from the top, with a '/' between them.
    static Connect4 load(String position) {
        String[] rows = position.split("/");
        char[][] board = new char[ROWS][];
        for (int row = 0; row < ROWS; row++) board[row] = rows[row].toCharArray();
        int discs = position.replaceAll("[^xo]", "").length();
        Connect4 state = new Connect4(board, discs % 2);
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < COLUMNS; column++)
                if (state.hasLine(row, column)) state.winner = board[row][column] == 'x' ? 0 : 1;
        if (state.winner != -1 || discs == ROWS * COLUMNS) state.turn = -1;
        return state;
    }

    String position() {
        List<String> rows = new ArrayList<>();
        for (char[] row : board) rows.add(new String(row));
        return String.join("/", rows);
    }

    // The columns that are not full, from 0 on the left; none when the game is over.
    List<Integer> moves() {
        List<Integer> columns = new ArrayList<>();
        for (int column = 0; column < COLUMNS; column++)
            if (turn != -1 && board[0][column] == '.') columns.add(column);
        return columns;
    }

    // The next state. This one does not change.
    Connect4 play(int column) {
        char[][] after = new char[ROWS][];
        for (int row = 0; row < ROWS; row++) after[row] = board[row].clone();
        int row = ROWS - 1;
        while (after[row][column] != '.') row--;
        after[row][column] = turn == 0 ? 'x' : 'o';
        Connect4 next = new Connect4(after, 1 - turn);
        if (next.hasLine(row, column)) next.winner = turn;
        if (next.winner != -1 || next.moves().isEmpty()) next.turn = -1;
        return next;
    }

    // When the game is over: 1 if the seat has won, -1 if it has lost, 0 for a draw.
    int utility(int seat) {
        return winner == -1 ? 0 : winner == seat ? 1 : -1;
    }

    // A move as messages have it: columns are counted from 1.
    static String text(int move) {
        return String.valueOf(move + 1);
    }

    // The number of equal discs beside a cell, in one direction.
    private int run(int row, int column, int down, int right) {
        int length = 0, r = row + down, c = column + right;
        while (r >= 0 && r < ROWS && c >= 0 && c < COLUMNS && board[r][c] == board[row][column]) {
            length++;
            r += down;
            c += right;
        }
        return length;
    }

    // Whether the disc in a cell is part of LINE in a row.
    private boolean hasLine(int row, int column) {
        int[][] steps = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (int[] step : steps) {
            int length = 1 + run(row, column, step[0], step[1]) + run(row, column, -step[0], -step[1]);
            if (board[row][column] != '.' && length >= LINE) return true;
        }
        return false;
    }
}
