/* test.c - runs the unit tests that registered themselves.
 *
 *     unit [--list | --first | --times] [SUBSTRING]
 *
 * Runs (or lists) the tests whose "file:name" contains SUBSTRING, sorted by file and name, so that
 * the order in which the linker saw the files does not matter. Prints a line for each failed
 * expectation and each skipped test, and the sums at the end. Exit status: 0 all passed, 1 a test
 * failed, 2 nothing to run. With --first the first failed expectation ends the run; with --times a
 * line for each test has the milliseconds that it took and those that it computed.
 *
 * Every test runs in this one process: a crash ends the run, and the name of the test that crashed
 * is printed last. */
#include "tests/unit/test.h"

#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/folder.h"
#include "tests/unit/limits.h"

static struct test *registered;
static const struct test *running;
static int opened; /* descriptors, before the test */
static bool failed, skipped, first;

void test_register(struct test *t)
{
    t->next = registered;
    registered = t;
}

/* Prints at once: a test may have given stdout a buffer, which a process that it starts would print
 * a second time. */
__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    fflush(stdout);
}

void test_expect(bool ok, const char *file, int line, const char *what)
{
    if (ok)
        return;
    failed = true;
    print("%s:%d: %s: failed: %s\n", file, line, running->name, what);
    if (first)
        exit(1);
}

mode_t test_mode(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

void test_skip(const char *why)
{
    skipped = true;
    print("%s: %s: skipped: %s\n", running->file, running->name, why);
}

bool test_lacks_subreaper(void)
{
    bool lacks = prctl(PR_SET_CHILD_SUBREAPER, 0) < 0;
    if (lacks)
        test_skip("PR_SET_CHILD_SUBREAPER is refused");
    return lacks;
}

bool test_lacks_vfork(void)
{
    char *words[] = {"/nowhere/nothing", NULL};
    pid_t pid;

    if (posix_spawn(&pid, words[0], NULL, NULL, words, words + 1) != 0)
        return false;
    waitpid(pid, NULL, 0);
    test_skip("posix_spawn() does not say that a program is missing");
    return true;
}

bool test_lacks_memory_limits(void)
{
    enum { SOME = 1 << 30 };
    struct rlimit now, before = limits_set(RLIMIT_AS, SOME);

    getrlimit(RLIMIT_AS, &now);
    setrlimit(RLIMIT_AS, &before);
    if (now.rlim_cur <= SOME)
        return false;
    test_skip("limits of memory are not kept");
    return true;
}

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* nobody to tell */
}

/* A test that crashes, or waits for what never comes, is named. The longest takes half a minute on
 * a busy machine. */
enum { HANGS_S = 600 };

static void on_end(int signo)
{
    if (running) {
        say(running->file);
        say(": ");
        say(running->name);
        say(signo == SIGALRM ? ": failed: it waits for ever\n" : ": crashed\n");
    }
    signal(signo, SIG_DFL);
    raise(signo);
}

/* nohup and shells have programs ignore signals, and what ignores one here would do so in tests. */
static void take_signals(void)
{
    struct sigaction now;
    sigset_t none;

    for (int signo = 1; signo < NSIG; signo++)
        if (sigaction(signo, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
            signal(signo, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int compare(const void *a, const void *b)
{
    const struct test *x = *(struct test *const *)a, *y = *(struct test *const *)b;
    int order = strcmp(x->file, y->file);
    return order ? order : strcmp(x->name, y->name);
}

/* Chosen by any of the parts, or by none being given, and excluded by no part with a '!'. */
static bool matches(const struct test *t, char *const *parts)
{
    bool asked = false, chosen = false;
    char full[512];
    snprintf(full, sizeof full, "%s:%s", t->file, t->name);
    for (; *parts; parts++) {
        if ((*parts)[0] == '!' && strstr(full, *parts + 1))
            return false;
        if ((*parts)[0] != '!') {
            asked = true;
            chosen = chosen || strstr(full, *parts);
        }
    }
    return chosen || !asked;
}

/* A test ends the processes that it starts, and closes what it opens: whatever is left, the code
 * that it tests has left. */
static void check_left(void)
{
    int open_now = limits_open();

    if (open_now != opened)
        print("%s: %s: failed: it leaves %d descriptors where there were %d\n", running->file,
              running->name, open_now, opened);
    failed = failed || open_now != opened;
    opened = open_now;
    pid_t child = getpid() == 1 ? -1 : waitpid(-1, NULL, WNOHANG); /* 1 gets those of others */
    if (child >= 0)
        print("%s: %s: failed: it leaves a process\n", running->file, running->name);
    failed = failed || child >= 0;
    while (child > 0)
        child = waitpid(-1, NULL, WNOHANG);
    if (failed && first)
        exit(1);
}

struct times {
    int64_t wall_ms, cpu_ms;
};

static struct times times_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct times t = {(int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, 0};
    for (int whose = RUSAGE_CHILDREN; whose <= RUSAGE_SELF; whose++) {
        struct rusage use;
        getrusage(whose, &use);
        t.cpu_ms += ((int64_t)use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000;
        t.cpu_ms += (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
    }
    return t;
}

int main(int argc, char **argv)
{
    bool list = argc > 1 && !strcmp(argv[1], "--list");
    first = argc > 1 && !strcmp(argv[1], "--first");
    bool times = argc > 1 && !strcmp(argv[1], "--times");
    char **parts = argv + (argc > 0) + (list || first || times);
    if (*parts && (*parts)[0] == '-') {
        fprintf(stderr, "usage: unit [--list | --first | --times] [[!]SUBSTRING ...]\n");
        return 2;
    }
    take_signals();
    signal(SIGABRT, on_end);
    signal(SIGALRM, on_end);

    size_t count = 0;
    for (const struct test *t = registered; t; t = t->next)
        count++;
    struct test **tests = calloc(count + 1, sizeof *tests);
    if (!tests)
        return 2;
    count = 0;
    for (struct test *t = registered; t; t = t->next)
        if (matches(t, parts))
            tests[count++] = t;
    qsort(tests, count, sizeof *tests, compare);
    if (!list)
        test_folders_open();
    opened = limits_open();

    unsigned sums[3] = {0}; /* passed, failed, skipped */
    for (size_t i = 0; i < count; i++) {
        if (list) {
            printf("%s:%s\n", tests[i]->file, tests[i]->name);
            continue;
        }
        running = tests[i];
        failed = skipped = false;
        struct times begin = times_now();
        prctl(PR_SET_CHILD_SUBREAPER, 0); /* which a test before may have had to be */
        alarm(HANGS_S);
        running->run();
        alarm(0);
        check_left();
        struct times end = times_now();
        if (times)
            print("%6lld %6lld ms  %s:%s\n", (long long)(end.wall_ms - begin.wall_ms),
                  (long long)(end.cpu_ms - begin.cpu_ms), running->file, running->name);
        sums[failed ? 1 : skipped ? 2 : 0]++;
    }
    running = NULL;
    free(tests);
    if (!count)
        fprintf(stderr, "no test matches '%s'\n", *parts);
    if (!list) {
        printf("%u passed, %u failed", sums[0], sums[1]);
        if (sums[2])
            printf(", %u skipped", sums[2]);
        printf("\n");
    }
    return !count ? 2 : sums[1] ? 1 : 0;
}
