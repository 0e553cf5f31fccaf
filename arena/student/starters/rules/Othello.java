// The rules of othello, so that your agent can search. In `choose`:
//
//     Othello state = Othello.load(turn.text("position"));
//     int best = state.moves().get(0), most = -1000;
//     for (int move : state.moves()) {
//         Othello after = state.play(move); // after.turn is the seat to move, or -1 when the game is over
//         if (after.utility(state.turn) > most) {
//             best = move;
//             most = after.utility(state.turn);
//         }
//     }
//     return Othello.text(best);

import java.util.ArrayList;
import java.util.List;

class Othello {
    static final int SIZE = 8, PASS = -1;

    // board[row][column] is 'x' for seat 0, 'o' for seat 1, or '.'; row 0 is the top row.
    final char[][] board;
    int turn; // the seat to move; -1 when the game is over

    private Othello(char[][] board, int turn) {
        this.board = board;
        this.turn = turn;
    }

    // Reads a position as messages have it: the rows from the top, with a '/' between them, and the side to move.
    static Othello load(String position) {
        String[] rows = position.split("[/ ]");
        char[][] board = new char[SIZE][];
        for (int row = 0; row < SIZE; row++) board[row] = rows[row].toCharArray();
        return new Othello(board, "xo".indexOf(rows[SIZE]));
    }

    String position() {
        List<String> rows = new ArrayList<>();
        for (char[] row : board) rows.add(new String(row));
        return String.join("/", rows) + " " + (turn == -1 ? '-' : disc(turn));
    }

    // The squares where a disc can be placed, each row * SIZE + column; PASS if there is none; no moves when the game is
    // over.
    List<Integer> moves() {
        List<Integer> found = turn == -1 ? new ArrayList<>() : squares(turn);
        if (turn != -1 && found.isEmpty()) found.add(PASS);
        return found;
    }

    // The next state. This one does not change.
    Othello play(int move) {
        char[][] after = new char[SIZE][];
        for (int row = 0; row < SIZE; row++) after[row] = board[row].clone();
        if (move != PASS) {
            int row = move / SIZE, column = move % SIZE;
            after[row][column] = disc(turn);
            for (int down = -1; down <= 1; down++)
                for (int right = -1; right <= 1; right++)
                    for (int n = run(row, column, down, right, turn); n > 0; n--)
                        after[row + n * down][column + n * right] = disc(turn);
        }
        Othello next = new Othello(after, 1 - turn);
        if (next.squares(0).isEmpty() && next.squares(1).isEmpty()) next.turn = -1;
        return next;
    }

    // The number of discs that the seat is ahead: the result, when the game is over.
    int utility(int seat) {
        int ahead = 0;
        for (char[] row : board)
            for (char cell : row) if (cell != '.') ahead += cell == disc(seat) ? 1 : -1;
        return ahead;
    }

    // A move as messages have it, such as d3 or pass.
    static String text(int move) {
        return move == PASS ? "pass" : (char) ('a' + move % SIZE) + String.valueOf(move / SIZE + 1);
    }

    private static char disc(int seat) {
        return seat == 0 ? 'x' : 'o';
    }

    // The number of discs that a disc of the seat turns in one direction.
    private int run(int row, int column, int down, int right, int seat) {
        for (int n = 1; ; n++) {
            int r = row + n * down, c = column + n * right;
            boolean inside = r >= 0 && r < SIZE && c >= 0 && c < SIZE && (down != 0 || right != 0);
            if (!inside || board[r][c] == '.') return 0;
            if (board[r][c] == disc(seat)) return n - 1;
        }
    }

    // The squares where the seat can place a disc.
    private List<Integer> squares(int seat) {
        List<Integer> found = new ArrayList<>();
        for (int square = 0; square < SIZE * SIZE; square++) {
            int row = square / SIZE, column = square % SIZE, turned = 0;
            for (int down = -1; down <= 1 && board[row][column] == '.'; down++)
                for (int right = -1; right <= 1; right++) turned += run(row, column, down, right, seat);
            if (turned > 0) found.add(square);
        }
        return found;
    }
}
