#include "jobs/task/pump.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

extern char **environ;

enum { LONG = 3000000 }; /* more than any pipe holds */

struct pump_stage {
    int64_t left;   /* of the input, in lines "x" */
    uint64_t taken; /* bytes */
    struct str notes;
    bool fails;
};

static int64_t stage_feed(void *ctx, const char **at, struct err *err)
{
    static const char lines[] = "x\nx\nx\nx\n";
    struct pump_stage *s = ctx;
    int64_t n = s->left < 4 ? s->left : 4;

    if (s->fails && s->left < 10)
        return err_set(err, "no more");
    s->left -= n;
    *at = lines;
    return 2 * n;
}

static int stage_take(void *ctx, const char *at, size_t count, struct err *err)
{
    struct pump_stage *s = ctx;

    (void)at;
    s->taken += count;
    return s->fails && s->taken > 100 ? err_set(err, "too much") : 0;
}

static int stage_note(void *ctx, const char *at, size_t count, struct err *err)
{
    (void)err;
    str_add_bytes(&((struct pump_stage *)ctx)->notes, at, count);
    return 0;
}

static int stage_run(struct pump_stage *s, const char *command, int *status, struct err *err)
{
    struct pump p = {.command = command,
                     .env = environ,
                     .ctx = s,
                     .feed = stage_feed,
                     .take = stage_take,
                     .note = stage_note};
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);
    int result = pump_run(&p, status, err);

    signal(SIGPIPE, old);
    return result;
}

TEST(pump_feeds_and_takes_at_once)
{
    struct pump_stage s = {.left = LONG / 2};
    struct err err;
    int status;

    expect(stage_run(&s, "cat; echo done >&2", &status, &err) == 0 && status == 0);
    expect(s.taken == LONG && s.left == 0 && strcmp(s.notes.text, "done\n") == 0);
    str_free(&s.notes);
}

TEST(pump_tells_how_the_command_ended)
{
    struct pump_stage s = {.left = 1};
    struct err err;
    int status;

    expect(stage_run(&s, "exit 7", &status, &err) == 0 && WEXITSTATUS(status) == 7);
    expect(stage_run(&s, "kill -9 $$", &status, &err) == 0 && WTERMSIG(status) == SIGKILL);
    expect(stage_run(&s, "./nobody 2>/dev/null", &status, &err) == 0);
    expect(WEXITSTATUS(status) == 127);
}

/* We ignore this signal, and a command must not find it ignored. */
TEST(pump_gives_the_command_the_usual_effect_of_a_broken_pipe)
{
    struct pump_stage s = {0};
    struct err err;
    int status;

    expect(stage_run(&s, "kill -PIPE $$", &status, &err) == 0);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    str_free(&s.notes);
}

TEST(pump_says_which_program_cannot_be_run)
{
    char *words[] = {"/no/such/program", NULL};
    struct pump_stage s = {0};
    struct pump p = {
        .words = words, .env = environ, .ctx = &s, .feed = stage_feed, .take = stage_take};
    bool alone = waitpid(-1, NULL, WNOHANG) < 0;
    int status, before = limits_open();
    struct err err;

    expect(pump_run(&p, &status, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "/no/such/program: No such file or directory") == 0);
    expect(limits_open() == before && (!alone || waitpid(-1, NULL, WNOHANG) < 0));
}

TEST(pump_lets_a_command_stop_reading)
{
    struct pump_stage s = {.left = LONG};
    struct err err;
    int status;

    expect(stage_run(&s, "head -n 1", &status, &err) == 0 && status == 0);
    expect(s.taken == 2 && s.left > 0);
}

TEST(pump_ends_the_command_when_there_is_trouble)
{
    struct pump_stage in = {.left = 8, .fails = true}, out = {.left = LONG, .fails = true};
    struct err err;
    int status;

    expect(stage_run(&in, "cat; exec sleep 1000", &status, &err) < 0);
    expect(strcmp(err.text, "no more") == 0 && WTERMSIG(status) == SIGKILL);
    expect(stage_run(&out, "yes; exec sleep 1000", &status, &err) < 0);
    expect(strcmp(err.text, "too much") == 0);
}

/* What is printed is handed to another command, before it is looked at. */
static int take_nested(void *ctx, const char *at, size_t count, struct err *err)
{
    struct pump_stage *s = ctx, inner = {.left = 100};
    struct pump p = {
        .command = "tr x z", .env = environ, .ctx = &inner, .feed = stage_feed, .take = stage_take};
    int status;

    if (pump_run(&p, &status, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        s->taken += at[i] == 'y';
    return 0;
}

TEST(pump_may_run_inside_of_another)
{
    struct pump_stage s = {.left = 1000};
    struct pump p = {
        .command = "tr x y", .env = environ, .ctx = &s, .feed = stage_feed, .take = take_nested};
    struct err err;
    int status;

    expect(pump_run(&p, &status, &err) == 0 && status == 0 && s.taken == 1000);
}

TEST(pump_gives_up_what_does_not_move)
{
    struct pump_stage s = {.left = 1};
    struct pump p = {.command = "exec sleep 1000",
                     .env = environ,
                     .quiet_ms = 20,
                     .ctx = &s,
                     .status = "half way",
                     .feed = stage_feed,
                     .take = stage_take};
    struct err err;
    int status;

    expect(pump_run(&p, &status, &err) < 0 && WTERMSIG(status) == SIGKILL);
    expect(strstr(err.text, "has not moved for 0.02 s") != NULL);
    expect(strstr(err.text, "nothing; its status: half way") != NULL);
}

/* What it has left running holds standard error for as long as it lives. */
TEST(pump_does_not_wait_for_what_is_left_running)
{
    struct pump_stage s = {0};
    struct err err;
    int status;

    expect(stage_run(&s, "sleep 1000 >/dev/null & echo $! >&2", &status, &err) == 0 && status == 0);
    pid_t left = (pid_t)strtol(s.notes.text, NULL, 10);
    expect(left > 0 && kill(left, SIGKILL) == 0);
    str_free(&s.notes);
}

/* It fails with a reason, or the command has run, and may not have had enough itself. No process
 * and no descriptor is left. */
TEST(pump_may_run_out_of_descriptors)
{
    int failures = 0, status = -1;
    bool alone = waitpid(-1, NULL, WNOHANG) < 0; /* of other tests nothing is left that could end */

    for (int more = 0; status != 0; more++) {
        struct pump_stage s = {0};
        struct err err = {0};
        int before = limits_open();

        struct rlimit limit = limits_descriptors(more);
        int result = stage_run(&s, "echo out; echo err >&2", &status, &err);
        setrlimit(RLIMIT_NOFILE, &limit);
        expect(result == 0 ? status != 0 || (s.taken == 4 && strcmp(s.notes.text, "err\n") == 0)
                           : status != 0 && strstr(err.text, "Too many open files"));
        expect(limits_open() == before);
        expect(!alone || waitpid(-1, NULL, WNOHANG) < 0);
        failures += result < 0;
        str_free(&s.notes);
    }
    expect(failures > 2);
}

/* Pipes that break: a file that cannot be read or written comes in their place. */
struct broken {
    int ours, by;
};

static int64_t feed_broken(void *ctx, const char **at, struct err *err)
{
    const struct broken *b = ctx;

    (void)err;
    expect(dup2(b->by, b->ours) == b->ours);
    *at = "x\n";
    return 2;
}

static int take_broken(void *ctx, const char *at, size_t count, struct err *err)
{
    const struct broken *b = ctx;

    (void)at;
    (void)count;
    (void)err;
    return dup2(b->by, b->ours) == b->ours ? 0 : -1;
}

static int64_t feed_nothing(void *ctx, const char **at, struct err *err)
{
    (void)ctx;
    (void)at;
    (void)err;
    return 0;
}

/* The descriptor that is opened after `more` others. */
static int free_descriptor(int more)
{
    int fd = 0;

    for (; more > 0 || fcntl(fd, F_GETFD) >= 0; fd++)
        more -= fcntl(fd, F_GETFD) < 0;
    return fd;
}

TEST(pump_says_which_pipe_is_broken)
{
    struct broken in = {.by = open("/dev/full", O_WRONLY | O_CLOEXEC)};
    struct broken out = {.by = open("/", O_RDONLY | O_CLOEXEC)};
    struct pump p = {.command = "exec sleep 1000", .env = environ, .ctx = &in, .feed = feed_broken};
    struct err err;
    int status, before = limits_open();

    in.ours = free_descriptor(1); /* the command has the first one */
    expect(pump_run(&p, &status, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "the command's input: No space left on device") == 0);
    expect(WTERMSIG(status) == SIGKILL && limits_open() == before);
    out.ours = free_descriptor(2);
    p = (struct pump){.command = "echo x; exec sleep 1000",
                      .env = environ,
                      .ctx = &out,
                      .feed = feed_nothing,
                      .take = take_broken};
    expect(pump_run(&p, &status, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "the command's output: Is a directory") == 0);
    expect(WTERMSIG(status) == SIGKILL && limits_open() == before);
    close(in.by);
    close(out.by);
}
