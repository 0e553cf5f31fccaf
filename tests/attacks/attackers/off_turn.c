/* Attackers that try to compute in their opponent's turn, over stdin and stdout.

Each is named after its attack, by its argument or by its name in `start`, and plays the first legal move. Its threads
compute all the time; what differs is how it tries not to be paused. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINE 65536
#define MANY 54 /* threads: fewer than are allowed */
#define POPULATE_READ 22

static char attack[64];
static atomic_ulong done;
static atomic_int moves;

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int is(const char *name)
{
    return !strcmp(attack, name);
}

static void compute(void)
{
    for (int each = 0; each < 2000; each++)
        atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
}

/* Sends SIGCONT to itself, by every call that sends a signal. */
static void resume_itself(void)
{
    siginfo_t sent = {.si_signo = SIGCONT, .si_code = SI_QUEUE};
    kill(getpid(), SIGCONT);
    syscall(SYS_kill, (long)getpid(), 1L << 32 | SIGCONT);
    syscall(SYS_tkill, syscall(SYS_gettid), SIGCONT);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGCONT);
    syscall(SYS_rt_sigqueueinfo, getpid(), SIGCONT, &sent);
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGCONT, &sent);
}

static void *only_compute(void *unused)
{
    for (;;)
        compute();
    return unused;
}

static void *compute_and_resume(void *unused)
{
    for (;;) {
        compute();
        resume_itself();
    }
    return unused;
}

static void start(int threads, void *(*what)(void *))
{
    pthread_attr_t small;
    pthread_t each;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    while (threads-- > 0)
        pthread_create(&each, &small, what, NULL);
}

static void *end_at_once(void *unused)
{
    compute();
    return unused;
}

static void *start_threads(void *unused)
{
    for (pthread_t each;;)
        if (pthread_create(&each, NULL, end_at_once, NULL) == 0)
            pthread_join(each, NULL);
    return unused;
}

/* A system call that takes long: it maps the page of zeros a quarter of a million times. */
static void *call_for_long(void *unused)
{
    for (size_t size = 1UL << 30;;) {
        void *zeros = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        madvise(zeros, size, POPULATE_READ);
        munmap(zeros, size);
        compute();
    }
    return unused;
}

/* Executes the same program again, right after its move: that ends all other threads, and their order to stop. */
static void *replace_itself(void *unused)
{
    for (int before = moves;;) {
        compute();
        if (moves != before)
            execl("/proc/self/exe", "again", attack, NULL);
    }
    return unused;
}

static void children(int shares_memory)
{
    for (;;) {
        pid_t parent = getpid(), child = shares_memory ? vfork() : fork();
        if (child == 0) {
            for (long long until = now() + 3000000; now() < until;)
                compute();
            kill(parent, SIGCONT);
            _exit(0);
        }
        if (child < 0)
            compute();
        while (waitpid(-1, NULL, 0) > 0)
            ;
    }
}

static void *start_children(void *unused)
{
    children(0);
    return unused;
}

static void *start_in_same_memory(void *unused)
{
    children(1);
    return unused;
}

/* A chain of processes in one memory: each starts its successor and ends, so that no list has the one that runs. It
   begins when the agent is resumed for a moment, because one of its processes waits for a child and cannot stop. It tells
   how long it was paused before each question. */
#define STACK 16384
#define IN_ITS_MEMORY (CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD)
static char stacks[256][STACK];
static atomic_int used_stacks, turns, ends_at;
static atomic_llong last_ran, longest_pause;

static void spawn(int (*what)(void *), int more)
{
    clone(what, stacks[atomic_fetch_add(&used_stacks, 1) % 256] + STACK, IN_ITS_MEMORY | more, NULL);
}

static void note_pause(void)
{
    long long time = now(), pause = time - last_ran;
    if (pause > longest_pause)
        longest_pause = pause;
    last_ran = time;
}

static int successor(void *unused)
{
    for (long long until = now() + 40000; now() < until; note_pause())
        compute();
    if (turns != ends_at)
        spawn(successor, 0);
    syscall(SYS_exit_group, 0);
    return unused != NULL;
}

static int wait_for_a_gap(void *unused)
{
    for (long long last = now(), time; (time = now()) < last + 2500000; last = time)
        ;
    ends_at = turns + 1;
    for (int each = 0; each < 4; each++)
        spawn(successor, 0);
    syscall(SYS_exit_group, 0);
    return unused != NULL;
}

static int only_wait(void *unused)
{
    for (;;)
        pause();
    return unused != NULL;
}

static int start_chains(void *unused)
{
    for (int before = 0;; before = turns) {
        while (turns == before)
            ;
        spawn(wait_for_a_gap, CLONE_VFORK);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    return unused != NULL;
}

static void make_chains(void)
{
    for (int each = 0; each < 40; each++)
        spawn(only_wait, 0);
    spawn(start_chains, 0);
}

static void resume_each_other(void)
{
    pid_t first = getpid();
    for (int each = 0; each < 6; each++)
        if (fork() == 0)
            for (;;) {
                compute();
                for (pid_t other = first; other < first + 8; other++)
                    kill(other, SIGCONT);
            }
}

static void nothing(int unused)
{
    (void)unused;
}

static void use_timers(void)
{
    struct itimerval often = {{0, 1000}, {0, 1000}};
    struct sigevent resumes = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    struct itimerspec each = {{0, 1000000}, {0, 1000000}};
    timer_t timer;
    signal(SIGALRM, nothing);
    signal(SIGVTALRM, nothing);
    signal(SIGPROF, nothing);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_VIRTUAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    if (timer_create(CLOCK_MONOTONIC, &resumes, &timer) == 0)
        timer_settime(timer, 0, &each, NULL);
}

/* Reads a line, byte by byte: what follows it is still there for a program that replaces this one. */
static int hear(char *line)
{
    for (int length = 0; length < LINE - 1 && read(0, line + length, 1) == 1;)
        if (line[length++] == '\n') {
            line[length] = 0;
            return 1;
        }
    return 0;
}

/* The text that follows in quotes after these words in the line. */
static int text(const char *line, const char *after, char *into)
{
    const char *found = strstr(line, after);
    return found && sscanf(found + strlen(after), "%60[^\"]", into) == 1;
}

static void *play(void *unused)
{
    static char line[LINE], said[300], id[64], move[64];
    while (hear(line)) {
        const char *game = strstr(line, "\"game\":");
        long number = game ? atol(game + 7) : 0;
        int length = 0;
        if (strstr(line, "\"type\":\"start\""))
            length = sprintf(said, "{\"type\":\"ready\",\"game\":%ld}\n", number);
        else if (text(line, "\"id\":\"", id) && text(line, "\"legal\":[\"", move))
            length = sprintf(said, "{\"type\":\"move\",\"game\":%ld,\"id\":\"%s\",\"move\":\"%s\"}\n", number, id, move);
        else if (strstr(line, "\"type\":\"bye\""))
            break;
        turns++;
        if (is("make_chains")) {
            note_pause();
            fprintf(stderr, "%lld\n", longest_pause);
            longest_pause = 0;
            usleep(300);
        }
        if (!length || write(1, said, length) != length)
            continue;
        moves++;
        if (!strncmp(attack, "resume", 6))
            for (long long until = now() + 5000000; now() < until;)
                resume_itself();
    }
    _exit(0);
    return unused;
}

static void begin(void)
{
    if (is("compute_off_turn"))
        start(4, only_compute);
    if (is("resume_itself"))
        start(5, compute_and_resume);
    if (is("resume_itself_with_many_threads"))
        start(MANY, compute_and_resume);
    if (is("resume_each_other")) {
        resume_each_other();
        start(3, compute_and_resume);
    }
    if (is("resume_itself_by_timers")) {
        use_timers();
        start(4, only_compute);
    }
    if (is("start_children_that_end"))
        start(3, start_children);
    if (is("start_children_in_its_memory"))
        start(3, start_in_same_memory);
    if (is("start_threads_without_end"))
        start(8, start_threads);
    if (is("replace_itself")) {
        start(1, replace_itself);
        start(3, only_compute);
    }
    if (is("call_for_long"))
        start(MANY, call_for_long);
    if (is("make_chains")) {
        make_chains();
        play(NULL);
    }
}

int main(int count, char **words)
{
    static char line[LINE];
    if (count > 1)
        snprintf(attack, sizeof attack, "%s", words[1]);
    else if (hear(line) && text(line, "\"seats\":[\"", attack)) {
        const char *game = strstr(line, "\"game\":");
        printf("{\"type\":\"ready\",\"game\":%ld}\n", game ? atol(game + 7) : 0);
        fflush(stdout);
    }
    begin();
    /* The first thread acts on signals first, so another one plays. */
    start(1, play);
    return only_compute(NULL) != NULL;
}
