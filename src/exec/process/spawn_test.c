#include "exec/process/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/process/lineage.h"
#include "exec/process/sys.h"
#include "tests/unit/deny.h"
#include "tests/unit/test.h"

extern char **environ;

/* With our own descriptors, but for the one of progress. */
static struct spawn sample(const char *program, char *const *argv, int progress)
{
    struct rlimit none = {0};
    return (struct spawn){.program = program,
                          .argv = argv,
                          .env = environ,
                          .in = 0,
                          .out = 1,
                          .err = 2,
                          .progress = progress,
                          .files = none};
}

static int end_of(pid_t pid)
{
    int status = -1;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

TEST(spawn_runs_a_program_or_says_why_not)
{
    char *const words[] = {"sh", "-c", "exit 7", NULL};
    char *const other[] = {"sh", "-c", "exit 8", NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct spawn s = sample("/bin/sh", words, null);

    pid_t pid = spawn_begin(&s);
    expect(pid > 0 && WEXITSTATUS(end_of(pid)) == 7 && spawn_settled(&s) && spawn_error(&s) == 0);
    s.program = "/no/such/program";
    pid = spawn_begin(&s);
    expect(pid > 0 && WEXITSTATUS(end_of(pid)) == 127);
    expect(spawn_settled(&s) && spawn_error(&s) == ENOENT);
    s.second = "/bin/sh";
    s.second_argv = other;
    pid = spawn_begin(&s);
    expect(pid > 0 && WEXITSTATUS(end_of(pid)) == 8 && spawn_error(&s) == 0);
    s.out = 12345; /* no such descriptor */
    pid = spawn_begin(&s);
    expect(pid > 0 && WEXITSTATUS(end_of(pid)) == 127 && spawn_error(&s) == EBADF);
    mem_free(s.stack);
    close(null);
}

/* Whoever is started does not hold us up, and what it says of itself comes true. */
TEST(spawn_settles_by_itself)
{
    char *const words[] = {"sleep", "60", NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct spawn s = sample("/bin/sleep", words, null);
    pid_t pid = spawn_begin(&s);

    for (int i = 0; i < 20000 && !spawn_settled(&s); i++)
        usleep(1000);
    expect(spawn_settled(&s) && spawn_error(&s) == 0);
    expect(getpgid(pid) == pid);
    expect(kill(-pid, SIGKILL) == 0 && WIFSIGNALED(end_of(pid)));
    mem_free(s.stack);
    close(null);
}

/* Kernels that do not lend memory like that, and machines whose calls we do not know. */
TEST(spawn_falls_back_to_vfork)
{
    char *const words[] = {"sh", "-c", "exit 7", NULL};
    int64_t count = 0;
    struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, 1, EINVAL, &count, NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct spawn s = sample("/bin/sh", words, null);

#if defined(__x86_64__) && !defined(__ILP32__) /* elsewhere it begins with vfork */
    sys_plan_set(&plan);
#else
    (void)plan;
#endif
    pid_t pid = spawn_begin(&s);
    expect(pid > 0 && spawn_settled(&s) && spawn_error(&s) == 0);
    expect(WEXITSTATUS(end_of(pid)) == 7);
    count = 0;
    s.program = "/no/such/program";
    pid = spawn_begin(&s);
    expect(pid > 0 && spawn_settled(&s) && spawn_error(&s) == ENOENT);
    expect(WEXITSTATUS(end_of(pid)) == 127);
    sys_plan_set(NULL);
    mem_free(s.stack);
    close(null);
}

/* Each descriptor that it should have, or no program. */
TEST(spawn_says_which_errno_a_descriptor_had)
{
    char *const words[] = {"sh", "-c", "exit 7", NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    for (int64_t at = 1; at <= 4; at++) {
        int64_t count = 0;
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, at, EMFILE, &count, "dup"};
        struct spawn s = sample("/bin/sh", words, null);
        sys_plan_set(&plan);
        pid_t pid = spawn_begin(&s);
        expect(pid > 0 && WEXITSTATUS(end_of(pid)) == 127 && spawn_error(&s) == EMFILE);
        sys_plan_set(NULL); /* it had our memory */
        mem_free(s.stack);
    }
    close(null);
}

/* Handlers may be there to report a crash. */
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { DEADLY = sizeof deadly / sizeof *deadly };

static void never(int sig)
{
    (void)sig;
}

static bool keeps_handlers_of_crashes(void)
{
    for (int i = 0; i < DEADLY; i++)
        if (signal(deadly[i], SIG_DFL) != never)
            return false;
    return true;
}

/* What an attempt finds that is a copy of us: the status says. */
static int look_around(void *ctx, char *const *argv)
{
    const int *other = ctx;
    const char *mark = getenv("SPAWN_TEST_MARK");

    return strcmp(argv[1], "decline") == 0                   ? -1
           : fcntl(*other, F_GETFD) >= 0                     ? 10
           : fcntl(SPAWN_PROGRESS_FD, F_GETFD) < 0           ? 11
           : !mark || strcmp(mark, "here") != 0              ? 12
           : signal(SIGUSR1, SIG_DFL) != SIG_DFL             ? 13
           : getpgrp() != getpid() || getppid() == getpgrp() ? 14
           : !keeps_handlers_of_crashes()                    ? 15
                                                             : 7;
}

TEST(spawn_copies_itself_where_it_has_the_program)
{
    char *words[] = {"sh", "-c", "exit 8", NULL}, *env[] = {"SPAWN_TEST_MARK=here", NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC), other = fcntl(null, F_DUPFD_CLOEXEC, 200);
    struct spawn s = sample("/bin/sh", words, null);
    void (*before[DEADLY])(int);

    signal(SIGUSR1, never);
    for (int i = 0; i < DEADLY; i++)
        before[i] = signal(deadly[i], never);
    s.env = env;
    spawn_find_caught(&s.caught);
    s.own = look_around;
    s.own_ctx = &other;
    pid_t pid = spawn_begin(&s);
    expect(pid > 0 && spawn_settled(&s));
    int status = end_of(pid);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 7 && spawn_error(&s) == 0);
    expect(!getenv("SPAWN_TEST_MARK") && fcntl(other, F_GETFD) >= 0);
    expect(signal(SIGUSR1, SIG_DFL) == never);
    for (int i = 0; i < DEADLY; i++)
        signal(deadly[i], before[i]);

    words[1] = "decline"; /* so the program is executed after all */
    s.program = "/bin/true";
    pid = spawn_begin(&s);
    expect(pid > 0 && end_of(pid) == 0);
    s.program = "/no/such/program";
    s.err = null; /* which is told why */
    pid = spawn_begin(&s);
    expect(pid > 0 && WEXITSTATUS(end_of(pid)) == 1);
    close(other);
    close(null);
}

/* Limits of descriptors before and after, at the least that a run needs and one below. */
static bool limit_is_raised(void)
{
    static const struct {
        rlim_t soft, hard, after; /* hard: only root may raise it; after: 0 is refused */
    } rows[] = {
        {1024, 1024, 1024}, {257, 1024, 257}, {127, 1024, 256}, {128, 256, 128}, {127, 256, 256},
        {127, 255, 255},    {0, 129, 129},    {1, 128, 128},    {127, 127, 0},   {20, 127, 0},
    };
    bool good = true;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rlimit limit = {rows[i].soft, rows[i].hard}, now;
        struct err err;
        char want[80];
        good &= setrlimit(RLIMIT_NOFILE, &limit) == 0;
        int result = spawn_raise_limit(&err);
        getrlimit(RLIMIT_NOFILE, &now);
        snprintf(want, sizeof want, "ulimit -n is %d, and at least 128 open files are needed",
                 (int)rows[i].soft);
        good &= now.rlim_max == rows[i].hard;
        good &= rows[i].after ? result == 0 && now.rlim_cur == rows[i].after
                              : result == -1 && err.kind == ERR_INPUT &&
                                    strcmp(err.text, want) == 0 && now.rlim_cur == rows[i].soft;
    }
    return good;
}

TEST(spawn_raises_the_limit_of_descriptors_to_what_a_run_needs)
{
    deny_test(limit_is_raised);
}

/* Cores: a process that holds a key leaves none, and what it starts may again. */
static bool core_is_held(void)
{
    char *const words[] = {"sh", "-c", "exit $(ulimit -c)", NULL};
    struct rlimit now, before = {24 * 512, 50 * 512};
    struct spawn s = sample("/bin/sh", words, open("/dev/null", O_WRONLY | O_CLOEXEC));

    bool good = setrlimit(RLIMIT_CORE, &before) == 0;
    for (int i = 0; i < 2; i++) {
        spawn_hold_core();
        good &= getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_cur == 1;
        good &= now.rlim_max == before.rlim_max;
    }
    good &= WEXITSTATUS(end_of(spawn_begin(&s))) == 24;
    spawn_release_core();
    return good && getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_cur == before.rlim_cur;
}

static bool no_core_stays_none(void)
{
    struct rlimit now, before = {0, 512};

    bool good = setrlimit(RLIMIT_CORE, &before) == 0;
    spawn_hold_core();
    return good && getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_cur == 0 && now.rlim_max == 512;
}

TEST(spawn_holds_core_files_of_this_process_alone)
{
    deny_test(core_is_held);
    deny_test(no_core_stays_none);
}

/* The niceness of what is started, in a process that has this one; the most is 19. */
static bool nicer_is_added(void)
{
    char *const words[] = {"sh", "-c", "exit $(nice)", NULL};
    struct spawn s = sample("/bin/sh", words, open("/dev/null", O_WRONLY | O_CLOEXEC));
    int own = getpriority(PRIO_PROCESS, 0);
    bool good = true;

    for (s.nicer = 0; s.nicer <= 20; s.nicer++) {
        int want = own + s.nicer < 19 ? own + s.nicer : 19;
        good &= WEXITSTATUS(end_of(spawn_begin(&s))) == want;
    }
    return good;
}

TEST(spawn_adds_to_the_niceness)
{
    deny_test(nicer_is_added);
}

TEST(spawn_lineage_names_any_handle)
{
    static const uint32_t handles[] = {0, 9, 10, 1U << 31, UINT32_MAX};
    struct lineage k = {.run = "0123456789abcdef", .above = "fedcba9876543210.7:"};
    char got[LINEAGE_ENV_BYTES], want[LINEAGE_ENV_BYTES + 16];

    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        lineage_env(&k, handles[i], got);
        snprintf(want, sizeof want, "DOLLY_LINEAGE=%s%s.%u:", k.above, k.run, handles[i]);
        expect(strcmp(got, want) == 0);
    }
}

/* A lineage from above is taken over as it is, up to its limit. */
TEST(spawn_lineage_from_above_has_a_limit)
{
    static char above[LINEAGE_LINEAGE_MAX + 2];
    static struct lineage k;
    char out[LINEAGE_ENV_BYTES];
    const char *before = getenv("DOLLY_LINEAGE");
    char *kept = before ? mem_strdup(before) : NULL;

    for (int more = 0; more <= 1; more++) {
        memset(above, 'x', LINEAGE_LINEAGE_MAX + (size_t)more);
        setenv("DOLLY_LINEAGE", above, 1);
        expect(lineage_init(&k) == 0 && strlen(k.run) == LINEAGE_RUN_CHARS);
        expect(strcmp(k.above, more ? "" : above) == 0);
        lineage_env(&k, UINT32_MAX, out);
        expect(strlen(out) == strlen("DOLLY_LINEAGE=") + (more ? 0 : LINEAGE_LINEAGE_MAX) +
                                  LINEAGE_RUN_CHARS + strlen(".4294967295:"));
    }
    unsetenv("DOLLY_LINEAGE");
    expect(lineage_init(&k) == 0 && !*k.above);
    if (kept)
        setenv("DOLLY_LINEAGE", kept, 1);
    mem_free(kept);
}

/* The mark may stand anywhere in an environment of any size. */
TEST(spawn_lineage_is_read_from_any_environment)
{
    enum { LARGE = 20000 };
    static const size_t sizes[] = {0, 1, 4000, 4095, 4096, 8192, LARGE};
    static char large[LARGE + 8] = "X=";
    static struct lineage k, other;
    char mark[LINEAGE_ENV_BYTES];
    char *const words[] = {"sleep", "3600", NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct spawn s = sample("/bin/sleep", words, null);
    uint32_t handle = 7;

    expect(lineage_init(&k) == 0 && lineage_init(&other) == 0 && strcmp(k.run, other.run) != 0);
    lineage_env(&k, 4294967295u, mark);
    char *env[] = {large, mark, NULL};
    s.env = env;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(large + 2, 'y', sizes[i]);
        large[2 + sizes[i]] = 0;
        pid_t pid = spawn_begin(&s);
        while (!spawn_settled(&s) || lineage_of(&other, pid, &handle) < 0) /* not executed yet */
            usleep(100);
        expect(lineage_of(&other, pid, &handle) == 0);
        expect(lineage_of(&k, pid, &handle) == 1 && handle == UINT32_MAX);
        handle = 7;
        kill(pid, SIGKILL);
        end_of(pid);
        expect(lineage_of(&k, pid, &handle) == -1 && handle == 7);
    }
    mem_free(s.stack);
    close(null);
}
