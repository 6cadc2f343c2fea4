/* Keepers in processes of their own, and commands that are shells. */
#include "remote/fleet/srun_keeper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/folder/run_lock.h"
#include "exec/process/sys.h"
#include "remote/wire/lease.h"
#include "tests/unit/test.h"

struct cell {
    char dir[64], at_file[80];
    int lock_fd; /* what a coordinator holds */
    int beat_fd; /* ends when no process of the command has it open any more */
    pid_t keeper;
};

/* Becomes a keeper of `sh -c script`, whose output goes to `out`. */
__attribute__((noreturn)) static void cell_guard(const struct cell *c, const char *script,
                                                 int64_t linger_us, bool stays, int out)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
    struct srun_keeper w = {c->dir, stays ? c->at_file : "", linger_us};
    int null = open("/dev/null", O_RDWR);

    dup2(out, 1);
    dup2(null, 2);
    close_range(3, ~0u, 0);
    signal(SIGINT, SIG_DFL); /* which a shell has its background jobs ignore */
    int status = srun_keeper_run(&w, argv);
    _exit(status);
}

/* A keeper of `sh -c script`, which says a word when it runs. */
static void cell_open(struct cell *c, const char *script, int64_t linger_us, bool stays)
{
    struct err err;
    int fds[2];
    char word[8];

    snprintf(c->dir, sizeof c->dir, "/tmp/keeper.XXXXXX");
    expect(mkdtemp(c->dir) != NULL);
    snprintf(c->at_file, sizeof c->at_file, "%s/agents.at", c->dir);
    fclose(fopen(c->at_file, "w"));
    c->lock_fd = run_lock_new(c->dir, &err);
    expect(c->lock_fd >= 0 && pipe2(fds, O_CLOEXEC) == 0);
    c->keeper = fork();
    if (c->keeper == 0)
        cell_guard(c, script, linger_us, stays, fds[1]);
    close(fds[1]);
    c->beat_fd = fds[0];
    expect(read(c->beat_fd, word, sizeof word) == 3);
}

/* What became of the keeper, and of the command before it. */
static int cell_close(struct cell *c)
{
    char byte, command[96];
    int status;

    expect(read(c->beat_fd, &byte, 1) == 0);
    expect(waitpid(c->keeper, &status, 0) == c->keeper);
    close(c->beat_fd);
    close(c->lock_fd);
    snprintf(command, sizeof command, "rm -rf %s", c->dir);
    expect(system(command) == 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(srun_keeper_leaves_with_its_command)
{
    struct cell c;

    cell_open(&c, "echo up; exit 7", 0, true);
    expect(cell_close(&c) == 7);
    cell_open(&c, "echo up; kill -9 $$", 0, false);
    expect(cell_close(&c) == 128 + SIGKILL);
}

/* The four at once, since each takes its time. */
TEST(srun_keeper_ends_a_command_that_is_of_no_use)
{
    static const char stubborn[] = "trap '' TERM; echo up; while :; do sleep 0.05; done";
    static const char polite[] = "trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done";
    struct cell over, alone, asked, killed;

    cell_open(&over, stubborn, INT64_MAX / 2, true);
    cell_open(&alone, polite, -LEASE_US, true);
    cell_open(&asked, polite, INT64_MAX / 2, false);
    cell_open(&killed, "echo up; exec sleep 1000", INT64_MAX / 2, true);
    unlink(over.at_file);                       /* the run is over */
    expect(flock(alone.lock_fd, LOCK_UN) == 0); /* no coordinator any more */
    kill(asked.keeper, SIGTERM);
    kill(killed.keeper, SIGKILL);
    expect(cell_close(&killed) == -SIGKILL);
    expect(cell_close(&asked) == 5);
    expect(cell_close(&alone) == 5);
    expect(cell_close(&over) == 128 + SIGKILL);
}

/* In a batch job, where the slurmstepd above it is killed. */
TEST(srun_keeper_ends_with_its_parent_what_does_not_stay)
{
    static const struct cell nowhere = {.dir = "/none"};
    char word[8], byte;
    int fds[2];

    expect(pipe2(fds, O_CLOEXEC) == 0);
    pid_t parent = fork();
    if (parent == 0) {
        if (fork() == 0)
            cell_guard(&nowhere, "trap '' TERM; echo up; while :; do sleep 0.05; done", 0, false,
                       fds[1]);
        for (;;)
            pause();
    }
    close(fds[1]);
    expect(read(fds[0], word, sizeof word) == 3);
    kill(parent, SIGKILL);
    expect(waitpid(parent, NULL, 0) == parent);
    expect(read(fds[0], &byte, 1) == 0);
    close(fds[0]);
}

/* Commands whose agents leave end by themselves, if they are given the time. The machine may be
 * busy: one of a few must have been. */
TEST(srun_keeper_lets_a_command_end_by_itself)
{
    struct cell c;
    int status = 0;

    for (int tries = 0; tries < 5 && status != 9; tries++) {
        cell_open(&c, "trap 'exit 5' TERM; echo up; sleep 1.3 & wait; exit 9", INT64_MAX / 2, true);
        unlink(c.at_file);
        status = cell_close(&c);
    }
    expect(status == 9);
}

/* Slurm and users end jobs by several signals: the command is asked to end by each. The machine may
 * be busy: one of a few must have had the time. */
TEST(srun_keeper_passes_on_what_asks_it_to_end)
{
    static const int signals[] = {SIGINT, SIGHUP, SIGTERM};
    struct cell c;

    for (int i = 0; i < 3; i++) {
        int status = 0;
        for (int tries = 0; tries < 5 && status != 5; tries++) {
            cell_open(&c, "trap 'exit 5' TERM; echo up; while :; do sleep 0.02; done",
                      INT64_MAX / 2, i > 0);
            kill(c.keeper, signals[i]);
            status = cell_close(&c);
        }
        expect(status == 5);
    }
}

/* The command has the signals that the keeper had before. */
TEST(srun_keeper_holds_nothing_back_from_its_command)
{
    struct cell c;

    cell_open(&c, "echo up; kill -INT $$; exit 9", 0, true);
    expect(cell_close(&c) == 128 + SIGINT);
}

TEST(srun_keeper_says_that_there_is_no_command)
{
    struct srun_keeper w = {"/none", "", 0};
    char *argv[] = {"/no/such/command", NULL}, text[128] = "";
    int fds[2], status = -1;
    int64_t count = 0;

    for (int i = 0; i < 2; i++) {
        expect(pipe2(fds, O_CLOEXEC) == 0);
        pid_t pid = fork();
        if (pid == 0) {
            dup2(fds[1], 2);
            sys_plan_set(i == 0 ? NULL
                                : &(struct sys_plan){.mode = SYS_PLAN_FAIL,
                                                     .at = 1,
                                                     .error = EAGAIN,
                                                     .count = &count,
                                                     .call = "fork"});
            _exit(srun_keeper_run(&w, argv));
        }
        close(fds[1]);
        size_t used = 0;
        for (ssize_t n; (n = read(fds[0], text + used, sizeof text - 1 - used)) > 0;)
            used += (size_t)n;
        text[used] = '\0';
        close(fds[0]);
        expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 127);
        expect(strncmp(text, "/no/such/command: ", 18) == 0);
        expect(strcmp(text + 18, i == 0 ? "No such file or directory\n"
                                        : "Resource temporarily unavailable\n") == 0);
    }
}
