/* The rules of connect4, so that your agent can search. Include "connect4.h"; in `choose`:
 *
 *     char board[ROWS][COLUMNS];
 *     static char move[16];
 *     char disc = load(board, value_of("position") + 1); // whose turn it is: 'x' or 'o'
 *     for (int column = 0; column < COLUMNS; column++)
 *         if (is_open(board, column)) {
 *             int row = play(board, column, disc), wins = winner(board) == disc;
 *             board[row][column] = '.'; // takes it back
 *             snprintf(move, sizeof move, "\"%d\"", column + 1); // in messages, columns are counted from 1
 *             if (wins) break;
 *         }
 *     return move;
 */

#ifndef CONNECT4_H
#define CONNECT4_H

/* board[0] is the top row; a cell is 'x', 'o' or '.'. */
enum { ROWS = 6, COLUMNS = 7, LINE = 4 };

/* Reads a position as messages have it: the rows from the top, with a '/' between them. Returns whose turn it is. */
static inline char load(char board[ROWS][COLUMNS], const char *position) {
    int discs = 0;
    for (int row = 0; row < ROWS; row++, position++)
        for (int column = 0; column < COLUMNS; column++, position++) {
            board[row][column] = *position;
            discs += *position != '.';
        }
    return discs % 2 == 0 ? 'x' : 'o';
}

/* Whether a disc can be played into the column, from 0 on the left. */
static inline int is_open(char board[ROWS][COLUMNS], int column) {
    return board[0][column] == '.';
}

/* Drops a disc into a column that is not full; returns its row, so that board[row][column] = '.' takes it back. */
static inline int play(char board[ROWS][COLUMNS], int column, char disc) {
    int row = ROWS - 1;
    while (board[row][column] != '.') row--;
    board[row][column] = disc;
    return row;
}

/* The disc that has LINE in a row; '.' if there is none. */
static inline char winner(char board[ROWS][COLUMNS]) {
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

#endif
