    // The rules of Connect-4. `arena new` puts the text below in place of `choose` in bare.java.

    // The rules of connect4. board[0] is the top row; a cell is 'x', 'o' or '.'.
    static final int ROWS = 6, COLUMNS = 7, LINE = 4;

    // The columns that are not full, from 0 on the left.
    static List<Integer> moves(char[][] board) {
        List<Integer> columns = new ArrayList<>();
        for (int column = 0; column < COLUMNS; column++) if (board[0][column] == '.') columns.add(column);
        return columns;
    }

    // A new board, after a disc falls into a column that is not full.
    static char[][] play(char[][] board, int column, char disc) {
        char[][] after = new char[ROWS][];
        for (int row = 0; row < ROWS; row++) after[row] = board[row].clone();
        int row = ROWS - 1;
        while (after[row][column] != '.') row--;
        after[row][column] = disc;
        return after;
    }

    // The disc that has LINE in a row; '.' if there is none.
    static char winner(char[][] board) {
        int[][] steps = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < COLUMNS; column++)
                for (int[] step : steps) {
                    char disc = board[row][column];
                    int length = 0, r = row, c = column; // of the line that starts here, and its next cell
                    while (disc != '.' && r < ROWS && c >= 0 && c < COLUMNS && board[r][c] == disc) {
                        length++;
                        r += step[0];
                        c += step[1];
                    }
                    if (length >= LINE) return disc;
                }
        return '.';
    }

    // Twice the distance of a column from the middle of the board.
    static int fromMiddle(int column) {
        return Math.abs(2 * column - (COLUMNS - 1));
    }

    // Your agent thinks here: it wins if it can, else it blocks, else it plays near the middle.
    static String choose(Message turn) {
        String[] rows = turn.text("position").split("/");
        char[][] board = new char[ROWS][];
        for (int row = 0; row < ROWS; row++) board[row] = rows[row].toCharArray();
        int discs = turn.text("position").replaceAll("[^xo]", "").length();
        char mine = discs % 2 == 0 ? 'x' : 'o', theirs = discs % 2 == 0 ? 'o' : 'x';
        for (char disc : new char[] {mine, theirs})
            for (int column : moves(board))
                if (winner(play(board, column, disc)) == disc) return String.valueOf(column + 1); // counted from 1
        int best = moves(board).get(0);
        for (int column : moves(board)) if (fromMiddle(column) < fromMiddle(best)) best = column;
        return String.valueOf(best + 1);
    }
