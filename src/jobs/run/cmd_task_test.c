/* `dolly task`, as the executor starts it, and as it does not. */
#include "jobs/run/cmd_task.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "data/sorted_writer.h"
#include "exec/process/packet_socket.h"
#include "jobs/task/plan.h"
#include "tests/unit/command.h"
#include "ui/cli.h"

struct copying {
    int from, to; /* files without a name */
    struct packet said;
    int status;
};

static int file(void)
{
    char path[] = "/tmp/dolly-copy-XXXXXX";
    int fd = mkstemp(path);

    unlink(path);
    return fd;
}

/* Runs the command on the file; what it said last, and its status. */
static void copy(struct copying *c, const char *kind)
{
    char *argv[] = {"task", "copy", (char *)(uintptr_t)kind, NULL}, number[16];
    int fds[2] = {-1, -1};
    struct packet_socket socket;
    struct packet m;

    c->to = file();
    expect(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0 && lseek(c->from, 0, SEEK_SET) == 0);
    pid_t child = fork();
    if (child == 0) {
        snprintf(number, sizeof number, "%d", fds[1]);
        setenv("DOLLY_CONTROL_FD", number, 1);
        fcntl(c->to, F_SETFL, O_APPEND); /* as runners open it */
        dup2(c->from, STDIN_FILENO);
        dup2(c->to, STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        _exit(cmd_task(3, argv));
    }
    close(fds[1]);
    expect(waitpid(child, &c->status, 0) == child);
    packet_socket_init(&socket, fds[0]);
    while (packet_socket_receive(&socket, &m) > 0)
        c->said = m;
    packet_socket_fini(&socket);
}

static void done(struct copying *c)
{
    close(c->from);
    close(c->to);
}

static bool is_same(const struct copying *c)
{
    char a[4096], b[4096];
    ssize_t n = pread(c->from, a, sizeof a, 0), m = pread(c->to, b, sizeof b, 0);

    return n > 0 && n == m && memcmp(a, b, (size_t)n) == 0;
}

TEST(cmd_task_copies_lines_and_says_their_checksum)
{
    struct copying c = {.from = file()};

    expect(write(c.from, "one\ntwo\n", 8) == 8);
    copy(&c, "lines");
    expect(c.status == 0 && is_same(&c) && c.said.type == PACKET_RESULT);
    expect(c.said.u.result.bytes == 8 && c.said.u.result.checksum == XXH3_64bits("one\ntwo\n", 8));
    done(&c);
}

static void write_run(int fd)
{
    struct err err;
    struct data_record r = {.key = "key", .key_length = 3, .value = "value", .value_length = 5};
    struct sorted_writer *w = sorted_writer_create(fd, 2, (struct sorted_file_form){0}, &err);

    sorted_writer_add(w, 0, &r);
    sorted_writer_add(w, 1, &r);
    expect(sorted_writer_finish(w, "run", &err) == 0);
}

TEST(cmd_task_copies_partitions_and_says_when_one_is_damaged)
{
    struct copying c = {.from = file()};
    char byte;

    write_run(c.from);
    copy(&c, "run");
    expect(c.status == 0 && is_same(&c) && c.said.type == PACKET_RESULT);
    expect(c.said.u.result.bytes == lseek(c.from, 0, SEEK_END));
    close(c.to);
    expect(pread(c.from, &byte, 1, SORTED_FILE_HEAD + 2) == 1);
    byte ^= 1;
    expect(pwrite(c.from, &byte, 1, SORTED_FILE_HEAD + 2) == 1);
    copy(&c, "run");
    expect(WIFEXITED(c.status) && WEXITSTATUS(c.status) != 0);
    expect(c.said.type == PACKET_FETCH_FAILED);
    done(&c);
}

/* Runs `dolly task aggregate [again]` on the text; its status, and what it printed. */
static int aggregate(const char *text, bool again, char printed[64])
{
    char *argv[] = {"task", "aggregate", again ? "again" : NULL, NULL};
    int from = file(), to = file(), status = -1;

    expect(write(from, text, strlen(text)) == (ssize_t)strlen(text) &&
           lseek(from, 0, SEEK_SET) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(from, STDIN_FILENO);
        dup2(to, STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        _exit(cmd_task(again ? 3 : 2, argv));
    }
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status));
    ssize_t n = pread(to, printed, 63, 0);
    printed[n > 0 ? n : 0] = 0;
    close(from);
    close(to);
    return WEXITSTATUS(status);
}

TEST(cmd_task_aggregate_fails_where_it_cannot_sum_up)
{
    char printed[64];

    expect(aggregate("LongValueSum:a\t1\nLongValueSum:a\t2\n", false, printed) == 0);
    expect(strcmp(printed, "a\t3\n") == 0);
    expect(aggregate("LongValueSum:a\t1\nLongValueSum:a\t2\n", true, printed) == 0);
    expect(strcmp(printed, "LongValueSum:a\t3\n") == 0);
    expect(aggregate("LongValueSum:a\tone\n", false, printed) == 2);
    expect(aggregate("a\t1\n", true, printed) == 2);
}

/* ---- without the executor ---- */

/* A plan of two phases in the folder; the words that start a task of it. */
static void write_plan(char words[64])
{
    struct task_plan plan = {0};
    struct stat st = {0};
    struct err err;

    stat("in", &st); /* if it is there */
    plan.job = mem_strdup("job");
    vec_push(&plan.splits,
             ((struct plan_split){.path = mem_strdup("in"),
                                  .bytes = (uint64_t)st.st_size,
                                  .size = (uint64_t)st.st_size,
                                  .changed_ns = st.st_mtim.tv_sec * 1000000000LL +
                                                st.st_mtim.tv_nsec}));
    plan_add_phase(&plan, "map", "cat")->partitions = 1;
    plan_add_phase(&plan, "reduce", "cat")->above = 0;
    for (int i = 0; i < 2; i++)
        plan.phases.at[i].tasks = 1;
    expect(plan_write(&plan, "plan", &err) == 0);
    snprintf(words, 64, "task plan %016" PRIx64, plan.hash);
    plan_fini(&plan);
}

/* Returns true if a task with all variables but for this change is refused. A value NULL: the
 * variable is missing. */
static bool refuses(const char *words, const char *name, const char *value, const char *why)
{
    static const char *const all[][2] = {{"DOLLY_PHASE", "map"},
                                         {"DOLLY_TMPDIR", "."},
                                         {"DOLLY_TASK_ID", "0"},
                                         {"DOLLY_ATTEMPT", "0"}};
    int fds[2] = {-1, -1};
    char number[16];

    expect(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
    snprintf(number, sizeof number, "%d", fds[1]);
    setenv("DOLLY_CONTROL_FD", number, 1);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        setenv(all[i][0], all[i][1], 1);
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    bool same = command_fails(cmd_task, words, EXIT_JOB_FAILED, why);
    expect(!getenv("DOLLY_CONTROL_FD"));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        unsetenv(all[i][0]);
    unsetenv(name);
    close(fds[0]);
    close(fds[1]); /* closed already if the task has taken it */
    signal(SIGPIPE, SIG_DFL);
    return same;
}

TEST(cmd_task_is_not_for_users)
{
    static const char no_user[] = "dolly: dolly task is started by dolly, not by users\n",
                      no_map[] = "dolly: the plan has no task 1 of phase map\n",
                      no_reduce[] = "dolly: the plan has no task 0 of phase reduce\n";
    static const struct {
        const char *name, *value, *why;
    } rows[] = {
        {"DOLLY_CONTROL_FD", NULL, no_user},
        {"DOLLY_CONTROL_FD", "x", no_user},
        {"DOLLY_CONTROL_FD", "-1", no_user},
        {"DOLLY_TMPDIR", NULL, no_user},
        {"DOLLY_PHASE", NULL, no_user},
        {"DOLLY_PHASE", "nosuch", no_user},
        {"DOLLY_TASK_ID", NULL, no_user},
        {"DOLLY_TASK_ID", "x", no_user},
        {"DOLLY_TASK_ID", "-1", no_user},
        {"DOLLY_TASK_ID", "4294967296", no_user},
        {"DOLLY_ATTEMPT", NULL, no_user},
        {"DOLLY_TASK_ID", "1", no_map},
        {"DOLLY_TASK_ID", "4294967295", "dolly: the plan has no task 4294967295 of phase map\n"},
        {"DOLLY_PHASE", "reduce", no_reduce}, /* which reads no range */
    };
    struct command_folder f;
    char words[64];
    command_begin(&f);
    write_plan(words);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(refuses(words, rows[i].name, rows[i].value, rows[i].why));
    setenv("DOLLY_INPUT_RANGE", "1 0", 1);
    expect(refuses(words, "DOLLY_PHASE", "reduce", no_reduce));
    setenv("DOLLY_INPUT_RANGE", "0", 1);
    expect(refuses(words, "DOLLY_PHASE", "reduce", no_reduce));
    unsetenv("DOLLY_INPUT_RANGE");
    expect(command_fails(cmd_task, "task copy lines", EXIT_USAGE, no_user));
    setenv("DOLLY_CONTROL_FD", "x", 1);
    expect(command_fails(cmd_task, "task copy run", EXIT_USAGE, no_user));
    unsetenv("DOLLY_CONTROL_FD");
    command_end(&f);
}

TEST(cmd_task_refuses_plans_of_other_jobs)
{
    struct command_folder f;
    char words[64];
    command_begin(&f);
    write_plan(words);
    expect(command_fails(cmd_task, "task plan 0123456789abcdef", EXIT_USAGE,
                         "dolly: plan: the plan of the job has changed\n"));
    setenv("DOLLY_PLAN", "nosuch", 1); /* which an agent has sent */
    expect(command_fails(cmd_task, words, EXIT_JOB_FAILED, "dolly: nosuch: No such file"));
    expect(!getenv("DOLLY_PLAN"));
    command_end(&f);
}

/* Runs the map task of the plan in a child. */
static bool runs(char *words[3])
{
    int fds[2] = {-1, -1}, status = -1;
    char number[16];

    expect(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        snprintf(number, sizeof number, "%d", fds[1]);
        setenv("DOLLY_CONTROL_FD", number, 1);
        setenv("DOLLY_PHASE", "map", 1);
        setenv("DOLLY_TASK_ID", "0", 1);
        setenv("DOLLY_ATTEMPT", "3", 1);
        dup2(open("stdout", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600), STDOUT_FILENO);
        _exit(cmd_task(3, words));
    }
    close(fds[1]);
    expect(waitpid(child, &status, 0) == child);
    close(fds[0]);
    return status == 0;
}

TEST(cmd_task_leaves_counters_beside_the_plan_or_where_the_agent_looks)
{
    struct command_folder f;
    char line[64], plan[TEST_FOLDER + 16], scratch[TEST_FOLDER + 16];
    char *words[] = {"task", plan, NULL};
    command_begin(&f);
    snprintf(plan, sizeof plan, "%s/job/plan", f.path);
    snprintf(scratch, sizeof scratch, "%s/tmp", f.path);
    setenv("DOLLY_TMPDIR", scratch, 1);
    command_file("in", "a\n");
    write_plan(line);
    words[2] = strrchr(line, ' ') + 1;
    expect(mkdir("job", 0700) == 0 && mkdir("tmp", 0700) == 0 && rename("plan", "job/plan") == 0);
    expect(runs(words) && access("job/counters/0.0.3", F_OK) == 0 && access("counters", F_OK) < 0);
    setenv("DOLLY_PLAN", plan, 1);
    expect(unlink("job/counters/0.0.3") == 0 && runs(words));
    unsetenv("DOLLY_PLAN");
    unsetenv("DOLLY_TMPDIR");
    expect(access("counters", F_OK) == 0 && access("job/counters/0.0.3", F_OK) < 0);
    command_end(&f);
}

/* The guardian runs only what it can: anything else is a program of its own. */
TEST(cmd_task_own_leaves_other_commands_alone)
{
    static char *const rows[][6] = {
        {"dolly"},
        {"dolly", "task", "plan"},
        {"dolly", "task", "plan", "2a", "more"},
        {"dolly", "map", "plan", "2a"},
        {"dolly", "task", "plan", "2b"},
        {"dolly", "task", "plan", "2a"}, /* of no phase */
    };
    struct task_plan plan = {.hash = 0x2a};

    plan_add_phase(&plan, "map", "cat");
    setenv("DOLLY_PHASE", "map", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i + 1 == sizeof rows / sizeof *rows)
            setenv("DOLLY_PHASE", "nosuch", 1);
        expect(cmd_task_own(&plan, rows[i]) == -1);
    }
    unsetenv("DOLLY_PHASE");
    expect(cmd_task_own(&plan, rows[5]) == -1);
    setenv("DOLLY_PHASE", "map", 1);
    plan.phases.at[0].native = mem_strdup("x.so");
    expect(cmd_task_own(&plan, rows[5]) == -1);
    unsetenv("DOLLY_PHASE");
    plan_fini(&plan);
}
