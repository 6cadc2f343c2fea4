/* Runners as their owner reaches them: the same tests for one in this process and for one behind a
 * guardian. */
#include "exec/process/runner_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/os/clock.h"
#include "base/vec.h"
#include "exec/process/descendants.h"
#include "exec/process/lineage.h"
#include "exec/process/runner.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

/* What must not be waited for sleeps an hour; five minutes are patience with a busy machine, so
 * that whoever waits in vain hears of it before the whole file is given up. */
enum { SOURCE = 1000 };
#define HOUR_US INT64_C(3600000000)
#define PATIENCE_US (HOUR_US / 12)

/* A test with `here`: whether the runner is in this process. */
#define EITHER_TEST(id)                                                                            \
    static void id(bool here);                                                                     \
    TEST(guardian_##id)                                                                            \
    {                                                                                              \
        id(false);                                                                                 \
    }                                                                                              \
    TEST(runner_##id)                                                                              \
    {                                                                                              \
        id(true);                                                                                  \
    }                                                                                              \
    static void id(bool here)

struct link_stage {
    char dir[64];
    int lock_fd, epoll_fd;
    sigset_t old_mask;
    struct runner_link *link;
    char lost[256];              /* why the runner cannot go on */
    VEC(struct packet) received; /* numbers only; their strings are gone */
    uint32_t next;
    struct packet last;
};

static void stage_on_packet(void *ctx, const struct packet *p)
{
    struct link_stage *s = ctx;
    vec_push(&s->received, *p);
}

static void stage_on_lost(void *ctx, const char *why)
{
    struct link_stage *s = ctx;
    snprintf(s->lost, sizeof s->lost, "%s", why);
}

static struct runner_options stage_options(struct link_stage *s, const char *shell)
{
    char lock[96];

    *s = (struct link_stage){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
    sigprocmask(SIG_BLOCK, NULL, &s->old_mask);
    test_folder(s->dir);
    snprintf(lock, sizeof lock, "%s/lock", s->dir);
    s->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    flock(s->lock_fd, LOCK_EX);
    return (struct runner_options){.epoll_fd = s->epoll_fd,
                                   .epoll_tag = SOURCE,
                                   .ctx = s,
                                   .on_packet = stage_on_packet,
                                   .on_lost = stage_on_lost,
                                   .lock_fd = s->lock_fd,
                                   .shell = shell};
}

static bool stage_open(struct link_stage *s, bool here, const char *shell)
{
    struct runner_options options = stage_options(s, shell);
    struct err err;
    s->link = runner_link_open(&options, here, &err);
    return s->link != NULL;
}

/* One turn of the owner's loop, which sleeps until `until_us` at most. */
static void stage_turn(struct link_stage *s, int64_t until_us)
{
    struct epoll_event events[8];
    uint32_t before = s->received.count;
    int64_t next_us = s->link->turn(s->link);

    next_us = s->received.count > before ? 0 : next_us < until_us ? next_us : until_us;
    int n = epoll_wait(s->epoll_fd, events, 8, clock_timeout_ms(clock_now_us(), next_us));
    for (int i = 0; i < n && !s->lost[0]; i++)
        s->link->event(s->link, (uint32_t)(events[i].data.u64 - SOURCE));
    if (!s->lost[0])
        s->link->turn(s->link);
}

/* Whether all holders of the run's lock are gone: the guardian and every process it started. */
static bool stage_lock_free(struct link_stage *s, int64_t within_us)
{
    int64_t until = clock_now_us() + within_us;
    char lock[96];

    snprintf(lock, sizeof lock, "%s/lock", s->dir);
    sys_close(&s->lock_fd);
    do {
        int fd = open(lock, O_RDWR | O_CLOEXEC);
        bool free = flock(fd, LOCK_EX | LOCK_NB) == 0;
        close(fd);
        if (free)
            return true;
        usleep(5000);
    } while (clock_now_us() < until);
    return false;
}

static void stage_close(struct link_stage *s)
{
    char command[128];

    s->link->close(s->link);
    sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
    close(s->epoll_fd);
    vec_free(&s->received);
    expect(stage_lock_free(s, 0));
    snprintf(command, sizeof command, "rm -rf %s", s->dir);
    expect(system(command) == 0);
}

static void stage_launch(struct link_stage *s, uint32_t handle, const char *command, const char *in)
{
    char dir[96];
    static const char env[] = "DOLLY_SAMPLE=a b\0DOLLY_PROGRESS_FD=3";
    struct packet m = {.type = PACKET_LAUNCH, .handle = handle};

    snprintf(dir, sizeof dir, "%s/%u", s->dir, handle);
    m.u.launch.command = command;
    m.u.launch.stdin_path = in;
    m.u.launch.dir = dir;
    m.u.launch.reuse = "";
    m.u.launch.env = env;
    m.u.launch.env_bytes = sizeof env;
    expect(s->link->order(s->link, &m) == 0);
}

static void stage_kill(struct link_stage *s, uint32_t handle, int64_t grace_us)
{
    struct packet m = {.type = PACKET_KILL, .handle = handle, .u.grace_us = grace_us};
    expect(s->link->order(s->link, &m) == 0);
}

/* The next packet, or false at `until_us` or when the runner is lost. */
static bool stage_next(struct link_stage *s, int64_t until_us)
{
    while (s->next == s->received.count && !s->lost[0] && clock_now_us() < until_us)
        stage_turn(s, until_us);
    if (s->next == s->received.count)
        return false;
    s->last = s->received.at[s->next++];
    return true;
}

/* The next packet of a type, whatever comes before it; false when the runner is lost. */
static bool stage_wait(struct link_stage *s, enum packet_type type)
{
    int64_t until_us = clock_now_us() + PATIENCE_US;

    while (stage_next(s, until_us))
        if (s->last.type == type)
            return true;
    return false;
}

/* The contents of a file of an attempt, without the last newline. */
static const char *stage_file(struct link_stage *s, const char *name)
{
    static char text[8192];
    char path[160];

    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (n && text[n - 1] == '\n')
        text[n - 1] = 0;
    if (f)
        fclose(f);
    return f ? text : "(no such file)";
}

/* A process that wrote its number to a file of an attempt. */
static bool stage_alive(struct link_stage *s, const char *name)
{
    pid_t pid = (pid_t)strtol(stage_file(s, name), NULL, 10);
    expect(pid > 1);
    return pid > 1 && kill(pid, 0) == 0;
}

static bool stage_await(struct link_stage *s, const char *name)
{
    for (int64_t until_us = clock_now_us() + PATIENCE_US; clock_now_us() < until_us;) {
        if (stage_file(s, name)[0] >= '0' && stage_file(s, name)[0] <= '9')
            return true;
        stage_turn(s, clock_now_us() + 5000);
    }
    return false;
}

EITHER_TEST(runs_a_command)
{
    struct link_stage s;
    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 7, "echo out; echo err >&2; echo $DOLLY_SAMPLE; exit 3", "");
    expect(stage_wait(&s, PACKET_STARTED) && s.last.handle == 7);
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 7);
    expect(WIFEXITED(s.last.u.end.status) && WEXITSTATUS(s.last.u.end.status) == 3);
    expect(s.last.u.end.wall_us > 0 && s.last.u.end.peak_rss_kib > 0);
    expect(strcmp(stage_file(&s, "7/stdout"), "out\na b") == 0);
    expect(strcmp(stage_file(&s, "7/stderr"), "err") == 0);
    stage_close(&s);
}

EITHER_TEST(reports_signals_and_missing_commands)
{
    struct link_stage s;
    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 1, "kill -9 $$", "");
    expect(stage_wait(&s, PACKET_EXITED) && WIFSIGNALED(s.last.u.end.status));
    expect(WTERMSIG(s.last.u.end.status) == 9);
    stage_launch(&s, 2, "no-such-command-at-all", "");
    expect(stage_wait(&s, PACKET_EXITED) && WEXITSTATUS(s.last.u.end.status) == 127);
    stage_close(&s);
}

EITHER_TEST(reports_why_a_launch_failed)
{
    struct link_stage s;
    struct stat st;
    char path[96];

    expect(stage_open(&s, here, "/no/such/shell"));
    stage_launch(&s, 1, "true", "");
    expect(stage_wait(&s, PACKET_LAUNCH_FAILED) && s.last.u.error == ENOENT);
    snprintf(path, sizeof path, "%s/1", s.dir);
    expect(stat(path, &st) < 0 && errno == ENOENT); /* nothing is left of it */
    stage_launch(&s, 2, "true", "/no/such/input");
    expect(stage_wait(&s, PACKET_LAUNCH_FAILED) && s.last.u.error == ENOENT);
    expect(mkdir(path, 0777) == 0);
    stage_launch(&s, 1, "true", "");
    expect(stage_wait(&s, PACKET_LAUNCH_FAILED) && s.last.u.error == EEXIST);
    stage_close(&s);
}

EITHER_TEST(gives_attempts_a_clean_start)
{
    struct link_stage s;
    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 1,
                 "ls /proc/self/fd | sort -n | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' "
                 "/proc/self/status | tr -d '\\n\\t'; cat",
                 "");
    expect(stage_wait(&s, PACKET_EXITED) && s.last.u.end.status == 0);
    /* 4 is the folder that ls itself reads. */
    expect(strcmp(stage_file(&s, "1/stdout"),
                  "0 1 2 3 4 99 SigBlk:0000000000000000SigIgn:0000000000000000") == 0);
    stage_close(&s);
}

EITHER_TEST(kills_what_ignores_term)
{
    struct link_stage s;
    char command[256];

    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 1, "trap '' TERM; while :; do sleep 3600; done", "");
    expect(stage_wait(&s, PACKET_STARTED));
    int64_t asked = clock_now_us();
    stage_kill(&s, 1, 0);
    expect(stage_wait(&s, PACKET_KILLED) && WTERMSIG(s.last.u.end.status) == SIGKILL);
    expect(clock_now_us() - asked < PATIENCE_US);

    snprintf(command, sizeof command,
             "trap '' TERM; echo $$ > %s/ready; while :; do sleep 3600; done", s.dir);
    stage_launch(&s, 2, command, "");
    expect(stage_await(&s, "ready"));
    asked = clock_now_us();
    stage_kill(&s, 2, 200000);
    expect(stage_wait(&s, PACKET_KILLED) && WTERMSIG(s.last.u.end.status) == SIGKILL);
    expect(clock_now_us() - asked >= 200000);
    stage_close(&s);
}

EITHER_TEST(grants_the_grace)
{
    struct link_stage s;
    char command[256];
    expect(stage_open(&s, here, NULL));
    snprintf(command, sizeof command,
             "trap 'echo bye; exit 0' TERM; echo $$ > %s/ready; while :; do sleep 0.01; done",
             s.dir);
    stage_launch(&s, 1, command, "");
    expect(stage_await(&s, "ready"));
    int64_t asked = clock_now_us();
    stage_kill(&s, 1, HOUR_US);
    expect(stage_wait(&s, PACKET_KILLED)); /* although it says 0: it was told to stop */
    expect(clock_now_us() - asked < PATIENCE_US);
    expect(strcmp(stage_file(&s, "1/stdout"), "bye") == 0);
    stage_close(&s);
}

static void swallow(int sig)
{
    (void)sig;
}

/* A TERM that comes while the program is still being started is not lost, whatever handler this
 * process has had for it. */
EITHER_TEST(grants_no_grace_to_what_dies_of_a_term_at_once)
{
    struct link_stage s;
    void (*before)(int) = signal(SIGTERM, swallow);

    expect(stage_open(&s, here, NULL));
    for (uint32_t i = 0; i < 50; i++) {
        int64_t asked = clock_now_us();
        stage_launch(&s, i, "sleep 3600", "");
        usleep(20 * (i % 5));
        stage_kill(&s, i, HOUR_US);
        expect(stage_wait(&s, PACKET_KILLED) && s.last.handle == i);
        expect(WIFSIGNALED(s.last.u.end.status) && WTERMSIG(s.last.u.end.status) == SIGTERM);
        expect(clock_now_us() - asked < PATIENCE_US);
    }
    stage_close(&s);
    signal(SIGTERM, before);
}

EITHER_TEST(does_not_call_a_natural_end_a_kill)
{
    struct link_stage s;
    expect(stage_open(&s, here, NULL));
    for (uint32_t i = 0; i < 20; i++) {
        stage_launch(&s, i, "echo done", "");
        expect(stage_wait(&s, PACKET_STARTED));
        usleep(3000 * (i % 3));
        stage_kill(&s, i, 0);
        int64_t until_us = clock_now_us() + PATIENCE_US;
        while (stage_next(&s, until_us) && s.last.type == PACKET_PROGRESS)
            ;
        expect(s.last.type == PACKET_EXITED
                   ? s.last.u.end.status == 0
                   : s.last.type == PACKET_KILLED && WIFSIGNALED(s.last.u.end.status));
    }
    stage_close(&s);
}

/* Ways to get away from one's process group, parent, environment and descriptors. Each leaves a
 * process behind that writes its number to a file, and ends itself. */
static const char *const escapes[] = {
    "sh -c 'echo $$ > @; exec sleep 3600' &",
    "setsid sh -c 'echo $$ > @; exec sleep 3600' &",
    "(setsid sh -c 'trap \"\" TERM HUP; sh -c \"echo \\$\\$ > @; exec sleep 3600\" &' &);",
    "env -i setsid sh -c 'echo $$ > @; exec sleep 3600' &",
    "env -i setsid bash -c 'exec 3>&- 99>&- &>/dev/null; echo $$ > @; exec sleep 3600' &",
    ("setsid setsid sh -c 'setsid sh -c \"setsid sleep 3600 & echo \\$\\$ > @; sleep 3600\" & wait'"
     " &"),
};

EITHER_TEST(ends_what_an_attempt_leaves_behind)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        for (int killed = 0; killed < 2; killed++) {
            struct link_stage s;
            char file[96], command[1024] = "";

            expect(stage_open(&s, here, NULL));
            snprintf(file, sizeof file, "%s/pid", s.dir);
            for (const char *c = escapes[i]; *c; c++)
                snprintf(command + strlen(command), sizeof command - strlen(command),
                         *c == '@' ? "%s" : "%.1s", *c == '@' ? file : c);
            snprintf(command + strlen(command), sizeof command - strlen(command),
                     " while ! test -s %s; do sleep 0.01; done%s", file,
                     killed ? "; sleep 3600" : "");
            stage_launch(&s, 1, command, "");
            expect(stage_await(&s, "pid"));
            int64_t asked = clock_now_us();
            if (killed)
                stage_kill(&s, 1, 0);
            expect(stage_wait(&s, killed ? PACKET_KILLED : PACKET_EXITED));
            expect(clock_now_us() - asked < PATIENCE_US);
            expect(!stage_alive(&s, "pid"));
            stage_close(&s);
        }
    }
}

/* A helper in the background of one attempt is not touched when another one ends. */
EITHER_TEST(tells_descendants_apart)
{
    struct link_stage s;
    char command[512];

    expect(stage_open(&s, here, NULL));
    snprintf(command, sizeof command,
             "(setsid sh -c 'echo $$ > %s/a; exec sleep 3600' &); (env -i setsid sh -c 'echo $$ > "
             "%s/b; exec sleep 3600' &); sleep 3600",
             s.dir, s.dir);
    stage_launch(&s, 1, command, "");
    expect(stage_await(&s, "a") && stage_await(&s, "b"));
    stage_launch(&s, 2, "(setsid sleep 3600 &)", "");
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 2);
    expect(stage_alive(&s, "a") && stage_alive(&s, "b"));
    stage_kill(&s, 1, 0);
    expect(stage_wait(&s, PACKET_KILLED) && s.last.handle == 1);
    expect(!stage_alive(&s, "a") && !stage_alive(&s, "b"));
    stage_close(&s);
}

EITHER_TEST(ends_everything_when_its_owner_leaves)
{
    struct link_stage s;
    char command[256];

    expect(stage_open(&s, here, NULL));
    snprintf(command, sizeof command,
             "trap '' TERM; (setsid sh -c 'echo $$ > %s/a; exec sleep 3600' &) ; sleep 3600 | "
             "sleep 3600",
             s.dir);
    stage_launch(&s, 1, command, "");
    stage_launch(&s, 2, "sleep 3600", "");
    expect(stage_await(&s, "a"));
    int64_t left = clock_now_us();
    stage_close(&s); /* which sees to it that nobody holds the lock any more */
    expect(clock_now_us() - left < PATIENCE_US);
}

/* When the guardian is killed, main processes die with it, and the rest becomes ours. */
TEST(guardian_killed_leaves_nobody)
{
    struct link_stage s;
    struct descendants children;
    char command[256];

    while (waitpid(-1, NULL, WNOHANG) > 0) /* what tests before us have left */
        ;
    expect(stage_open(&s, false, NULL));
    snprintf(command, sizeof command,
             "(setsid sh -c 'echo $$ > %s/a; exec sleep 3600' &) ; sleep 3600 | sleep 3600", s.dir);
    stage_launch(&s, 1, command, "");
    expect(stage_await(&s, "a"));
    expect(descendants_init(&children) == 0 && descendants_list(&children) == 0);
    expect(children.pids.count == 1 && kill(children.pids.at[0], SIGKILL) == 0);
    descendants_fini(&children);
    expect(!stage_wait(&s, PACKET_TYPE_END));
    expect(strcmp(s.lost, "the guardian process was killed by signal 9; every attempt was ended") ==
           0);
    struct packet m = {.type = PACKET_KILL, .handle = 1};
    expect(s.link->order(s.link, &m) == 0); /* to no effect */
    stage_close(&s);
}

EITHER_TEST(reports_progress)
{
    struct link_stage s;
    char path[96], command[256];

    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 1, "echo 3 10 >&$DOLLY_PROGRESS_FD; sleep 3600", "");
    expect(stage_wait(&s, PACKET_PROGRESS));
    expect(s.last.u.progress.done == 3 && s.last.u.progress.total == 10);

    snprintf(path, sizeof path, "%s/in", s.dir);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("123456789\n", f);
    fclose(f);
    snprintf(command, sizeof command,
             "dd bs=4000 count=1 status=none; until [ -e %s/go ]; do sleep 0.01; done; cat", s.dir);
    stage_launch(&s, 2, command, path);
    bool told; /* on a busy machine first that nothing is read yet */
    do
        told = stage_wait(&s, PACKET_PROGRESS) && s.last.handle == 2;
    while (told && s.last.u.progress.done == 0);
    expect(told && s.last.u.progress.done == 4000 && s.last.u.progress.total == 10000);
    snprintf(path, sizeof path, "%s/go", s.dir);
    fclose(fopen(path, "w"));
    expect(stage_wait(&s, PACKET_EXITED) && s.last.u.end.read_bytes == 10000);
    stage_close(&s);
}

EITHER_TEST(is_not_stopped_by_a_talkative_attempt)
{
    struct link_stage s;
    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 1, "exec yes 1 2 >&3", "");
    stage_launch(&s, 2, "echo x", "");
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 2);
    int64_t asked = clock_now_us();
    stage_kill(&s, 1, 0);
    expect(stage_wait(&s, PACKET_KILLED));
    expect(clock_now_us() - asked < PATIENCE_US);
    stage_close(&s);
}

EITHER_TEST(takes_many_at_once)
{
    enum { MANY = 300 };
    struct link_stage s;
    uint32_t ended = 0;

    expect(stage_open(&s, here, NULL));
    for (uint32_t i = 0; i < MANY; i++)
        stage_launch(&s, i, "exit 0", "");
    while (ended < MANY && stage_wait(&s, PACKET_EXITED))
        ended++;
    expect(ended == MANY);
    stage_close(&s);
}

/* Whatever call fails, the guardian answers or leaves; it never hangs and nobody is left. */
TEST(guardian_bears_any_failing_call)
{
    int64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool complete = false;

    for (int64_t at = 1; !complete && at < 400; at++) {
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_GUARDIAN, at, EIO, count, NULL};
        struct link_stage s;
        uint32_t ends = 0;

        *count = 0;
        sys_plan_set(&plan);
        bool open = stage_open(&s, false, NULL);
        expect(open);
        sys_plan_set(NULL);
        if (!open)
            break;
        stage_launch(&s, 1, "(setsid sleep 3600 &); echo 1 2 >&3; sleep 0.02", "/dev/null");
        stage_launch(&s, 2, "(env -i setsid sleep 3600 &); sleep 3600", "");
        stage_kill(&s, 2, 1000);
        int64_t until_us = clock_now_us() + PATIENCE_US;
        while (ends < 2 && stage_next(&s, until_us))
            ends += s.last.type == PACKET_EXITED || s.last.type == PACKET_KILLED ||
                    s.last.type == PACKET_LAUNCH_FAILED;
        expect(clock_now_us() < until_us);
        complete = *count < at;
        if (complete)
            expect(ends == 2 && !s.lost[0]);
        stage_close(&s);
    }
    expect(complete);
    munmap(count, 4096);
}

/* Copies of outputs have handles of ten digits (exec_copy.c). */
/* By this mark a runner knows what has left an attempt, also when nothing else is left of it. */
EITHER_TEST(attempts_carry_the_mark_of_their_lineage)
{
    struct link_stage s;

    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 7, "echo $DOLLY_LINEAGE", "");
    expect(stage_wait(&s, PACKET_EXITED));
    const char *mark = stage_file(&s, "7/stdout"), *own = strrchr(mark, '.');
    expect(own && strcmp(own, ".7:") == 0 && own - mark >= LINEAGE_RUN_CHARS);
    stage_close(&s);
}

TEST(lineage_names_any_attempt)
{
    static const struct {
        uint32_t handle;
        const char *end;
    } cases[] = {{0, ".0:"}, {10, ".10:"}, {UINT32_MAX, ".4294967295:"}};
    struct lineage k;
    char out[LINEAGE_ENV_BYTES];

    expect(lineage_init(&k) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lineage_env(&k, cases[i].handle, out);
        size_t length = strlen(out), end = strlen(cases[i].end);
        expect(strncmp(out, "DOLLY_LINEAGE=", 14) == 0 && strstr(out, k.run));
        expect(length > end && strcmp(out + length - end, cases[i].end) == 0);
    }
}

/* The state of the process whose id the attempt has written; 0: not known yet. */
static char stage_state(const struct link_stage *s)
{
    char path[128], text[256] = "";
    int pid = 0;

    snprintf(path, sizeof path, "%s/pid", s->dir);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%d", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    f = pid ? fopen(path, "re") : NULL;
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *close = strrchr(text, ')');
    return close ? close[2] : 0;
}

static bool stage_sees(struct link_stage *s, bool stopped)
{
    for (int64_t until_us = clock_now_us() + PATIENCE_US; clock_now_us() < until_us;) {
        char state = stage_state(s);
        if (state && (state == 'T') == stopped)
            return true;
        stage_turn(s, clock_now_us() + 10000);
    }
    return false;
}

EITHER_TEST(attempts_are_held_and_go_on)
{
    struct link_stage s;
    char command[256];
    struct packet hold = {.type = PACKET_HOLD, .u.still = 1};

    expect(stage_open(&s, here, NULL));
    snprintf(command, sizeof command, "echo $$ >%s/p && mv %s/p %s/pid; exec sleep 3600", s.dir,
             s.dir, s.dir);
    stage_launch(&s, 7, command, "");
    expect(stage_sees(&s, false));
    s.link->order(s.link, &hold);
    expect(stage_sees(&s, true));
    hold.u.still = 0;
    s.link->order(s.link, &hold);
    expect(stage_sees(&s, false));
    /* What is held can be killed. */
    hold.u.still = 1;
    s.link->order(s.link, &hold);
    stage_kill(&s, 7, 0);
    while (stage_next(&s, clock_now_us() + PATIENCE_US) && s.last.type != PACKET_KILLED)
        ;
    expect(s.last.type == PACKET_KILLED && s.last.handle == 7);
    stage_close(&s);
}

/* Launches that follow each other without a turn in between give a slow attempt no head start. */
TEST(runner_slows_attempts_while_it_launches_others)
{
    struct link_stage s;
    struct runner_options options = stage_options(&s, NULL);
    struct runner r;
    struct packet m = {.type = PACKET_LAUNCH};
    char dir[96];

    expect(runner_init(&r, &options) == 0);
    m.u.launch.command = "exec sleep 3600";
    m.u.launch.stdin_path = m.u.launch.reuse = m.u.launch.env = "";
    m.u.launch.dir = dir;
    m.u.launch.slow_milli = 1000000;
    snprintf(dir, sizeof dir, "%s/0", s.dir);
    runner_order(&r, &m);
    while (!start_done(&r.processes.at.at[0]))
        usleep(1000);
    usleep(30000); /* longer than a slice */
    m.handle = 1;
    snprintf(dir, sizeof dir, "%s/1", s.dir);
    runner_order(&r, &m);
    expect(r.processes.at.at[0].stopped && !r.processes.at.at[1].stopped);
    descendants_end_all(&r.descendants);
    runner_fini(&r);
    sigprocmask(SIG_SETMASK, &s.old_mask, NULL);
    close(s.epoll_fd);
    vec_free(&s.received);
    expect(stage_lock_free(&s, PATIENCE_US));
}
