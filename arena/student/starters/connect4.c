/* The rules of Connect-4. `arena new` puts the text below in place of `nth` and `choose` in bare.c. */

/* The rules of connect4. board[0] is the top row; a cell is 'x', 'o' or '.'. */
enum { ROWS = 6, COLUMNS = 7, LINE = 4 };

/* Whether a disc can be played into the column, from 0 on the left. */
static int is_open(char board[ROWS][COLUMNS], int column) {
    return board[0][column] == '.';
}

/* Drops a disc into a column that is not full; returns its row, so that board[row][column] = '.' takes it back. */
static int play(char board[ROWS][COLUMNS], int column, char disc) {
    int row = ROWS - 1;
    while (board[row][column] != '.') row--;
    board[row][column] = disc;
    return row;
}

/* The disc that has LINE in a row; '.' if there is none. */
static char winner(char board[ROWS][COLUMNS]) {
    static const int steps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            for (int step = 0; step < 4 && board[row][column] != '.'; step++) {
                int length = 0, r = row, c = column; /* of the line that starts here, and its next cell */
                while (r < ROWS && c >= 0 && c < COLUMNS && board[r][c] == board[row][column]) {
                    length++;
                    r += steps[step][0];
                    c += steps[step][1];
                }
                if (length >= LINE) return board[row][column];
            }
    return '.';
}

/* A column in which this disc wins at once; -1 if there is none. */
static int winning_column(char board[ROWS][COLUMNS], char disc) {
    for (int column = 0; column < COLUMNS; column++)
        if (is_open(board, column)) {
            int row = play(board, column, disc), won = winner(board) == disc;
            board[row][column] = '.';
            if (won) return column;
        }
    return -1;
}

/* Twice the distance of a column from the middle of the board. */
static int from_middle(int column) {
    return abs(2 * column - (COLUMNS - 1));
}

/* Your agent thinks here: it wins if it can, else it blocks, else it plays near the middle. Returns a move as JSON. */
static const char *choose(void) {
    static char move[16];
    char board[ROWS][COLUMNS];
    int discs = 0;
    const char *cell = value_of("position") + 1; /* rows from the top, with a '/' between them */
    for (int row = 0; row < ROWS; row++, cell++)
        for (int column = 0; column < COLUMNS; column++, cell++) {
            board[row][column] = *cell;
            discs += *cell != '.';
        }
    char mine = discs % 2 == 0 ? 'x' : 'o', theirs = discs % 2 == 0 ? 'o' : 'x';
    int best = winning_column(board, mine);
    if (best < 0) best = winning_column(board, theirs);
    if (best < 0)
        for (int column = 0; column < COLUMNS; column++)
            if (is_open(board, column) && (best < 0 || from_middle(column) < from_middle(best))) best = column;
    snprintf(move, sizeof move, "\"%d\"", best + 1); /* the referee counts columns from 1 */
    return move;
}
