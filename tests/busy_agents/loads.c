/* In C: a second thread fills memory with long system calls all the time; the first plays the first legal move. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *load(void *unused)
{
    for (size_t size = 512UL << 20;;) {
        void *loaded = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        munmap(loaded, size);
    }
    return unused;
}

int main(void)
{
    static char line[65536], id[64], move[64];
    pthread_t loader;
    pthread_create(&loader, NULL, load, NULL);
    while (fgets(line, sizeof line, stdin)) {
        const char *game = strstr(line, "\"game\":"), *turn = strstr(line, "\"id\":\""), *legal = strstr(line, "\"legal\":[\"");
        long number = game ? atol(game + 7) : 0;
        if (strstr(line, "\"type\":\"start\""))
            printf("{\"type\":\"ready\",\"game\":%ld}\n", number);
        else if (turn && legal && sscanf(turn + 6, "%60[^\"]", id) == 1 && sscanf(legal + 10, "%60[^\"]", move) == 1)
            printf("{\"type\":\"move\",\"game\":%ld,\"id\":\"%s\",\"move\":\"%s\"}\n", number, id, move);
        fflush(stdout);
    }
    return 0;
}
