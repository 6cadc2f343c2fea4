#include "exec/process/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/process/lineage.h"
#include "exec/process/sys.h"
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
