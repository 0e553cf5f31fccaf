/* An agent that plays connect4 without our kit: it reads JSON lines and writes JSON lines.
 *
 *     cc -O2 -o my_agent my_agent.c                  makes the program, after each change
 *     arena check cmd:./my_agent --game connect4     is everything all right with it?
 *     arena play connect4 cmd:./my_agent random      one game, shown as it goes
 *     arena climb cmd:./my_agent --game connect4     how strong is it?
 *     arena games connect4                           the rules, and how moves are written
 *
 * `choose` takes the middle one of the legal moves: change it. Whatever else can be read and written here is told in
 * docs/protocol.md of arena-referee.
 */
#include <stdio.h>
#include <string.h>

static char line[1 << 17]; /* No message is longer than 65,536 bytes. */

/* s points to the quote that opens a JSON string; the result points just behind the quote that closes it. */
static const char *after_string(const char *s) {
    for (s++; *s != '"' && *s != '\0'; s++)
        if (*s == '\\' && s[1] != '\0') s++; /* in \" the quote does not close */
    return *s == '"' ? s + 1 : s;
}

/* Where the value of `key` begins; "" if the message has no such key.
 * Depth 1 is the message itself: what is inside of its lists, objects and strings is skipped. */
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

/* How many characters the number or string at `value` has, quotes included: so it can be copied as it is. */
static int length_of(const char *value) {
    return *value == '"' ? (int)(after_string(value) - value) : (int)strcspn(value, ",]} \t\r\n");
}

/* The n-th string of the list of strings at `list`, counted from 0; NULL if it has fewer. */
static const char *nth(const char *list, int n) {
    for (const char *s = list; *s != ']' && *s != '\0'; s++)
        if (*s == '"') {
            if (n-- == 0) return s;
            s = after_string(s) - 1;
        }
    return NULL;
}

static int is(const char *type) {
    const char *value = value_of("type");
    return (size_t)length_of(value) == strlen(type) + 2 && strncmp(value + 1, type, strlen(type)) == 0;
}

/* Your agent thinks here. The move comes with its quotes, as it stood in the list. */
static const char *choose(const char *legal) {
    int moves = 0;
    while (nth(legal, moves) != NULL) moves++;
    return nth(legal, moves / 2);
}

int main(void) {
    while (fgets(line, sizeof line, stdin) != NULL) { /* ends when the referee closes our input */
        const char *game = value_of("game");
        if (is("start")) {
            printf("{\"type\": \"ready\", \"game\": %.*s}\n", length_of(game), game);
        } else if (is("turn")) {
            /* The id says which question this answers: send back the one that came. */
            const char *id = value_of("id"), *move = choose(value_of("legal"));
            if (move == NULL) return 1;
            printf("{\"type\": \"move\", \"game\": %.*s, \"id\": %.*s, \"move\": %.*s}\n",
                   length_of(game), game, length_of(id), id, length_of(move), move);
        } else if (is("bye")) {
            return 0;
        } /* Any other type is of no interest to us, and may be ignored. */
        fflush(stdout); /* else the answer would wait in a buffer while our clock runs */
    }
    return 0;
}
