/* The guardian alone, spoken to as the coordinator would. */
#include "runner/guardian.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runner/clock.h"
#include "runner/descendants.h"
#include "runner/packet_socket.h"
#include "runner/spawn.h"
#include "runner/sys.h"
#include "tests/test.h"

enum { SECOND_US = 1000000 };

struct stage {
    char dir[64];
    int lock_fd;
    pid_t guardian;
    struct packet_socket link;
    bool broken;        /* something could not be said */
    struct packet last; /* numbers only; its strings are gone */
};

static bool stage_open(struct stage *s, const char *shell)
{
    char lock[96];
    struct err err;
    int fd;

    *s = (struct stage){0};
    snprintf(s->dir, sizeof s->dir, "%s/dolly-guardian-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(s->dir))
        return false;
    snprintf(lock, sizeof lock, "%s/lock", s->dir);
    s->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    flock(s->lock_fd, LOCK_EX);
    struct guardian_options options = {.lock_fd = s->lock_fd, .shell = shell};
    s->guardian = guardian_start(&options, &fd, &err);
    if (s->guardian < 0)
        return false;
    packet_socket_init(&s->link, fd);
    return true;
}

/* Whether all holders of the run's lock are gone: the guardian and every process it started. */
static bool stage_lock_free(struct stage *s, int64_t within_us)
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

static void stage_close(struct stage *s)
{
    char command[128];

    packet_socket_fini(&s->link);
    while (waitpid(s->guardian, NULL, 0) < 0 && errno == EINTR)
        ;
    expect(stage_lock_free(s, 0));
    snprintf(command, sizeof command, "rm -rf %s", s->dir);
    expect(system(command) == 0);
}

static void stage_launch(struct stage *s, uint32_t handle, const char *command, const char *in)
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
    s->broken |= packet_socket_send(&s->link, &m) < 0;
}

static void stage_kill(struct stage *s, uint32_t handle, int64_t grace_us)
{
    struct packet m = {.type = PACKET_KILL, .handle = handle, .u.grace_us = grace_us};
    s->broken |= packet_socket_send(&s->link, &m) < 0;
}

/* The next packet of a type, whatever comes before it; false after five seconds or at the end. */
static bool stage_wait(struct stage *s, enum packet_type type)
{
    int64_t until = clock_now_us() + 5 * SECOND_US;

    for (;;) {
        int got = packet_socket_receive(&s->link, &s->last);
        if (got < 0)
            return false;
        if (got > 0 && s->last.type == type)
            return true;
        struct pollfd p = {.fd = s->link.fd, .events = POLLIN};
        if (got == 0 && poll(&p, 1, clock_timeout_ms(clock_now_us(), until)) <= 0)
            return false;
    }
}

/* The contents of a file of an attempt, without the last newline. */
static const char *stage_file(struct stage *s, const char *name)
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
static bool stage_alive(struct stage *s, const char *name)
{
    pid_t pid = (pid_t)strtol(stage_file(s, name), NULL, 10);
    expect(pid > 1);
    return pid > 1 && kill(pid, 0) == 0;
}

static bool stage_await(struct stage *s, const char *name)
{
    for (int i = 0; i < 400; i++) {
        if (stage_file(s, name)[0] >= '0' && stage_file(s, name)[0] <= '9')
            return true;
        usleep(5000);
    }
    return false;
}

TEST(guardian_runs_a_command)
{
    struct stage s;
    expect(stage_open(&s, NULL));
    stage_launch(&s, 7, "echo out; echo err >&2; echo $DOLLY_SAMPLE; exit 3", "");
    expect(stage_wait(&s, PACKET_STARTED) && s.last.handle == 7);
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 7);
    expect(WIFEXITED(s.last.u.end.status) && WEXITSTATUS(s.last.u.end.status) == 3);
    expect(s.last.u.end.wall_us > 0 && s.last.u.end.peak_rss_kib > 0);
    expect(strcmp(stage_file(&s, "7/stdout"), "out\na b") == 0);
    expect(strcmp(stage_file(&s, "7/stderr"), "err") == 0);
    stage_close(&s);
}

TEST(guardian_tells_signals_and_missing_commands)
{
    struct stage s;
    expect(stage_open(&s, NULL));
    stage_launch(&s, 1, "kill -9 $$", "");
    expect(stage_wait(&s, PACKET_EXITED) && WIFSIGNALED(s.last.u.end.status));
    expect(WTERMSIG(s.last.u.end.status) == 9);
    stage_launch(&s, 2, "no-such-command-at-all", "");
    expect(stage_wait(&s, PACKET_EXITED) && WEXITSTATUS(s.last.u.end.status) == 127);
    stage_close(&s);
}

TEST(guardian_tells_why_a_launch_failed)
{
    struct stage s;
    struct stat st;
    char path[96];

    expect(stage_open(&s, "/no/such/shell"));
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

TEST(guardian_gives_attempts_a_clean_start)
{
    struct stage s;
    expect(stage_open(&s, NULL));
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

TEST(guardian_kills_what_ignores_term)
{
    struct stage s;
    char command[256];

    expect(stage_open(&s, NULL));
    stage_launch(&s, 1, "trap '' TERM; while :; do sleep 60; done", "");
    expect(stage_wait(&s, PACKET_STARTED));
    int64_t asked = clock_now_us();
    stage_kill(&s, 1, 0);
    expect(stage_wait(&s, PACKET_KILLED) && WTERMSIG(s.last.u.end.status) == SIGKILL);
    expect(clock_now_us() - asked < SECOND_US);

    snprintf(command, sizeof command,
             "trap '' TERM; echo $$ > %s/ready; while :; do sleep 60; done", s.dir);
    stage_launch(&s, 2, command, "");
    expect(stage_await(&s, "ready"));
    asked = clock_now_us();
    stage_kill(&s, 2, 200000);
    expect(stage_wait(&s, PACKET_KILLED) && WTERMSIG(s.last.u.end.status) == SIGKILL);
    expect(clock_now_us() - asked >= 200000);
    stage_close(&s);
}

TEST(guardian_grants_the_grace)
{
    struct stage s;
    char command[256];
    expect(stage_open(&s, NULL));
    snprintf(command, sizeof command,
             "trap 'echo bye; exit 0' TERM; echo $$ > %s/ready; while :; do sleep 0.01; done",
             s.dir);
    stage_launch(&s, 1, command, "");
    expect(stage_await(&s, "ready"));
    int64_t asked = clock_now_us();
    stage_kill(&s, 1, 5 * SECOND_US);
    expect(stage_wait(&s, PACKET_KILLED)); /* although it says 0: it was told to stop */
    expect(clock_now_us() - asked < 2 * SECOND_US);
    expect(strcmp(stage_file(&s, "1/stdout"), "bye") == 0);
    stage_close(&s);
}

/* A TERM that comes while the program is still being started is not lost. */
TEST(guardian_grants_no_grace_to_what_dies_of_a_term_at_once)
{
    struct stage s;
    expect(stage_open(&s, NULL));
    for (uint32_t i = 0; i < 50; i++) {
        int64_t asked = clock_now_us();
        stage_launch(&s, i, "sleep 60", "");
        usleep(20 * (i % 5));
        stage_kill(&s, i, 60 * SECOND_US);
        expect(stage_wait(&s, PACKET_KILLED) && s.last.handle == i);
        expect(WIFSIGNALED(s.last.u.end.status) && WTERMSIG(s.last.u.end.status) == SIGTERM);
        expect(clock_now_us() - asked < SECOND_US);
    }
    stage_close(&s);
}

TEST(guardian_does_not_call_a_natural_end_a_kill)
{
    struct stage s;
    expect(stage_open(&s, NULL));
    for (uint32_t i = 0; i < 20; i++) {
        stage_launch(&s, i, "echo done", "");
        expect(stage_wait(&s, PACKET_STARTED));
        usleep(3000 * (i % 3));
        stage_kill(&s, i, 0);
        struct packet end = {0};
        while (end.type != PACKET_EXITED && end.type != PACKET_KILLED) {
            int got = packet_socket_receive(&s.link, &end);
            if (got < 0)
                break;
            usleep(200);
        }
        if (end.type == PACKET_EXITED)
            expect(end.u.end.status == 0);
        else
            expect(WIFSIGNALED(end.u.end.status));
    }
    stage_close(&s);
}

/* Ways to get away from one's process group, parent, environment and descriptors. Each leaves a
 * process behind that writes its number to a file, and ends itself. */
static const char *const escapes[] = {
    "sh -c 'echo $$ > @; exec sleep 60' &",
    "setsid sh -c 'echo $$ > @; exec sleep 60' &",
    "(setsid sh -c 'trap \"\" TERM HUP; sh -c \"echo \\$\\$ > @; exec sleep 60\" &' &);",
    "env -i setsid sh -c 'echo $$ > @; exec sleep 60' &",
    "env -i setsid bash -c 'exec 3>&- 99>&- &>/dev/null; echo $$ > @; exec sleep 60' &",
    "setsid setsid sh -c 'setsid sh -c \"setsid sleep 60 & echo \\$\\$ > @; sleep 60\" & wait' &",
};

TEST(guardian_ends_what_an_attempt_leaves_behind)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        for (int killed = 0; killed < 2; killed++) {
            struct stage s;
            char file[96], command[1024] = "";

            expect(stage_open(&s, NULL));
            snprintf(file, sizeof file, "%s/pid", s.dir);
            for (const char *c = escapes[i]; *c; c++)
                snprintf(command + strlen(command), sizeof command - strlen(command),
                         *c == '@' ? "%s" : "%.1s", *c == '@' ? file : c);
            snprintf(command + strlen(command), sizeof command - strlen(command),
                     " while ! test -s %s; do sleep 0.01; done%s", file,
                     killed ? "; sleep 60" : "");
            stage_launch(&s, 1, command, "");
            expect(stage_await(&s, "pid"));
            int64_t asked = clock_now_us();
            if (killed)
                stage_kill(&s, 1, 0);
            expect(stage_wait(&s, killed ? PACKET_KILLED : PACKET_EXITED));
            expect(clock_now_us() - asked < SECOND_US);
            expect(!stage_alive(&s, "pid"));
            stage_close(&s);
        }
    }
}

/* A helper in the background of one attempt is not touched when another one ends. */
TEST(guardian_tells_kin_apart)
{
    struct stage s;
    char command[512];

    expect(stage_open(&s, NULL));
    snprintf(command, sizeof command,
             "(setsid sh -c 'echo $$ > %s/a; exec sleep 60' &); (env -i setsid sh -c 'echo $$ > "
             "%s/b; exec sleep 60' &); sleep 60",
             s.dir, s.dir);
    stage_launch(&s, 1, command, "");
    expect(stage_await(&s, "a") && stage_await(&s, "b"));
    stage_launch(&s, 2, "(setsid sleep 60 &)", "");
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 2);
    expect(stage_alive(&s, "a") && stage_alive(&s, "b"));
    stage_kill(&s, 1, 0);
    expect(stage_wait(&s, PACKET_KILLED) && s.last.handle == 1);
    expect(!stage_alive(&s, "a") && !stage_alive(&s, "b"));
    stage_close(&s);
}

TEST(guardian_ends_everything_when_the_coordinator_leaves)
{
    struct stage s;
    char command[256];

    expect(stage_open(&s, NULL));
    snprintf(command, sizeof command,
             "trap '' TERM; (setsid sh -c 'echo $$ > %s/a; exec sleep 60' &) ; sleep 60 | sleep 60",
             s.dir);
    stage_launch(&s, 1, command, "");
    stage_launch(&s, 2, "sleep 60", "");
    expect(stage_await(&s, "a"));
    int64_t left = clock_now_us();
    stage_close(&s); /* which sees to it that nobody holds the lock any more */
    expect(clock_now_us() - left < SECOND_US);
}

/* Our part, when the guardian is killed: main processes die with it, the rest comes to us. */
TEST(guardian_killed_leaves_nobody)
{
    struct stage s;
    struct descendants tree;
    char command[256];

    expect(stage_open(&s, NULL));
    expect(descendants_init(&tree) == 0);
    snprintf(command, sizeof command,
             "(setsid sh -c 'echo $$ > %s/a; exec sleep 60' &) ; sleep 60 | sleep 60", s.dir);
    stage_launch(&s, 1, command, "");
    expect(stage_await(&s, "a"));
    kill(s.guardian, SIGKILL);
    expect(!stage_wait(&s, PACKET_TYPE_END)); /* the end of the conversation */
    descendants_end_all(&tree);
    descendants_fini(&tree);
    packet_socket_fini(&s.link);
    expect(stage_lock_free(&s, SECOND_US));
    snprintf(command, sizeof command, "rm -rf %s", s.dir);
    expect(system(command) == 0);
}

TEST(guardian_reports_progress)
{
    struct stage s;
    char path[96], command[256];

    expect(stage_open(&s, NULL));
    stage_launch(&s, 1, "echo 3 10 >&$DOLLY_PROGRESS_FD; sleep 60", "");
    expect(stage_wait(&s, PACKET_PROGRESS));
    expect(s.last.u.progress.done == 3 && s.last.u.progress.total == 10);

    snprintf(path, sizeof path, "%s/in", s.dir);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("123456789\n", f);
    fclose(f);
    snprintf(command, sizeof command, "dd bs=4000 count=1 status=none; sleep 0.4; cat");
    stage_launch(&s, 2, command, path);
    expect(stage_wait(&s, PACKET_PROGRESS) && s.last.handle == 2);
    expect(s.last.u.progress.done == 4000 && s.last.u.progress.total == 10000);
    expect(stage_wait(&s, PACKET_EXITED) && s.last.u.end.read_bytes == 10000);
    stage_close(&s);
}

TEST(guardian_is_not_stopped_by_a_talkative_attempt)
{
    struct stage s;
    expect(stage_open(&s, NULL));
    stage_launch(&s, 1, "exec yes 1 2 >&3", "");
    stage_launch(&s, 2, "echo x", "");
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 2);
    int64_t asked = clock_now_us();
    stage_kill(&s, 1, 0);
    expect(stage_wait(&s, PACKET_KILLED));
    expect(clock_now_us() - asked < SECOND_US);
    stage_close(&s);
}

TEST(guardian_takes_many_at_once)
{
    enum { MANY = 300 };
    struct stage s;
    uint32_t ended = 0;

    expect(stage_open(&s, NULL));
    for (uint32_t i = 0; i < MANY; i++)
        stage_launch(&s, i, "exit 0", "");
    while (packet_socket_waiting(&s.link)) {
        expect(packet_socket_flush(&s.link) == 0);
        usleep(1000);
    }
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
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_GUARDIAN, at, EIO, count};
        struct stage s;
        uint32_t ends = 0;

        *count = 0;
        sys_plan_set(&plan);
        bool open = stage_open(&s, NULL);
        expect(open);
        sys_plan_set(NULL);
        if (!open)
            break;
        stage_launch(&s, 1, "(setsid sleep 60 &); echo 1 2 >&3; sleep 0.02", "/dev/null");
        stage_launch(&s, 2, "(env -i setsid sleep 60 &); sleep 60", "");
        stage_kill(&s, 2, 1000);
        int64_t until = clock_now_us() + 5 * SECOND_US;
        while (ends < 2 && clock_now_us() < until) {
            int got = packet_socket_receive(&s.link, &s.last);
            if (got < 0)
                break;
            if (got > 0 && (s.last.type == PACKET_EXITED || s.last.type == PACKET_KILLED ||
                            s.last.type == PACKET_LAUNCH_FAILED))
                ends++;
            else if (got == 0)
                usleep(1000);
        }
        expect(clock_now_us() < until);
        complete = *count < at;
        if (complete)
            expect(ends == 2 && !s.broken);
        stage_close(&s);
    }
    expect(complete);
    munmap(count, 4096);
}
