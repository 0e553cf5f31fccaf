/* An agent that plays connect4 without our library: it reads and writes lines of JSON.
 *
 *     arena check my_agent.c --game connect4     check that it works
 *     arena play connect4 my_agent.c random      watch one game
 *     arena climb my_agent.c --game connect4     measure how strong it is
 *     arena games connect4                       show the rules and the notation of moves
 *
 * `choose` plays the middle legal move: change it. `arena docs languages` describes all messages.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char line[1 << 17]; /* No message is longer than 65,536 bytes. */

/* `s` points to the opening quote of a JSON string; returns a pointer just after its closing quote. */
static const char *after_string(const char *s) {
    for (s++; *s != '"' && *s != '\0'; s++)
        if (*s == '\\' && s[1] != '\0') s++; /* an escaped quote does not close the string */
    return *s == '"' ? s + 1 : s;
}

/* Where the value of `key` starts; "" if the message has no such key.
 * Depth 1 is the message itself: the contents of its lists, objects and strings are skipped. */
static const char *value_of(const char *key) {
    size_t length = strlen(key);
    int depth = 0;
    for (const char *s = line; *s != '\0';) {
        if (*s == '"') {
            const char *end = after_string(s);
            const char *next = end + strspn(end, " \t");
            if (depth == 1 && *next == ':' && (size_t)(end - s) == length + 2 && strncmp(s + 1, key, length) == 0)
                return next + 1 + strspn(next + 1, " \t");
            s = end;
        } else {
            if (*s == '{' || *s == '[') depth++;
            if (*s == '}' || *s == ']') depth--;
            s++;
        }
    }
    return "";
}

/* The length of the number or string at `value`, quotes included, so that it can be copied unchanged. */
static int length_of(const char *value) {
    return *value == '"' ? (int)(after_string(value) - value) : (int)strcspn(value, ",]} \t\r\n");
}

/* Whether the message has this type. */
static int is(const char *type) {
    const char *value = value_of("type");
    return (size_t)length_of(value) == strlen(type) + 2 && strncmp(value + 1, type, strlen(type)) == 0;
}

/* The n-th string of the list at `list`, counted from 0; NULL if the list is shorter. */
static const char *nth(const char *list, int n) {
    for (const char *s = list; *s != ']' && *s != '\0'; s++)
        if (*s == '"') {
            if (n-- == 0) return s;
            s = after_string(s) - 1;
        }
    return NULL;
}

/* The n-th number in a list of lists of numbers, all counted from 0: of "board" the number in a cell, where 0 is empty,
 * 1 (2, ...) is yours and -1 (-2, ...) is not; the top row is first. -99 if there is no such number. */
int number(const char *key, int row, int column) {
    int depth = 0, at = -1, n = 0;
    for (const char *s = value_of(key); *s != '\0'; s++) {
        if (*s == '[' && ++depth == 2) at++, n = 0;
        else if (*s == ']' && --depth == 0) break;
        else if (*s == ',') n++;
        else if (at == row && n == column && *s != ']') return atoi(s);
    }
    return -99;
}

/* The legal move, with its quotes, that ends in this cell of the board, and starts in that one; -1 is any row or
 * column. If only one move is legal, such as a pass, that one. NULL if there is none. */
const char *move_to(int row, int column, int from_row, int from_column) {
    if (nth(value_of("legal"), 1) == NULL) return nth(value_of("legal"), 0);
    int wanted[] = {from_row, from_column, row, column};
    for (int at = 0; nth(value_of("legal"), at) != NULL; at++) {
        int fits = 1;
        for (int n = 0; n < 4; n++) fits = fits && (wanted[n] == -1 || wanted[n] == number("cells", at, n));
        if (fits) return nth(value_of("legal"), at);
    }
    return NULL;
}

int seat; /* Yours: 0 is the first player. */

/* Your agent thinks here: value_of("position") is the board as text, number("board", row, column) is n in a cell of it.
 * In your own symbols n is "O.X"[n + 1] (X: yours). Returns a legal move with its quotes, as JSON, such as
 * move_to(row, column, -1, -1). */
static const char *choose(void) {
    const char *legal = value_of("legal");
    int moves = 0;
    while (nth(legal, moves) != NULL) moves++;
    return nth(legal, moves / 2);
}

int main(void) {
    FILE *referee = fdopen(dup(1), "w");
    dup2(2, 1); /* what your code prints goes to stderr, the agent's log */
    while (fgets(line, sizeof line, stdin) != NULL) { /* the loop ends when the referee closes stdin */
        const char *game = value_of("game");
        if (is("start")) {
            seat = atoi(value_of("seat"));
            fprintf(referee, "{\"type\": \"ready\", \"game\": %.*s, \"board\": true}\n", length_of(game), game);
        } else if (is("turn")) {
            /* Answer with the id of the turn. */
            const char *id = value_of("id"), *move = choose();
            if (move == NULL) return 1;
            fprintf(referee, "{\"type\": \"move\", \"game\": %.*s, \"id\": %.*s, \"move\": %.*s}\n",
                    length_of(game), game, length_of(id), id, length_of(move), move);
        } else if (is("bye")) {
            return 0;
        } /* Ignore messages of other types. */
        fflush(referee); /* without fflush the answer stays in a buffer while our clock runs */
    }
    return 0;
}
