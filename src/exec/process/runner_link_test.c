/* Runners as their owner reaches them: the same tests for one in this process and for one behind a
 * guardian. */
#include "exec/process/runner_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "exec/process/lineage.h"
#include "exec/process/runner.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

#include "exec/process/link_stage_test.h"

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

EITHER_TEST(runs_a_command)
{
    struct link_stage s;
    expect(stage_open(&s, here, NULL));
    int64_t asked = clock_now_us();
    stage_launch(&s, 7, "echo out; echo err >&2; echo $DOLLY_SAMPLE; exit 3", "");
    expect(stage_wait(&s, PACKET_STARTED) && s.last.handle == 7);
    int64_t started = s.last.u.started_us;
    expect(started >= asked && started <= clock_now_us());
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 7);
    expect(s.last.u.end.wall_us <= clock_now_us() - started);
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

/* The folder of the attempt, or the one inside it, finds no room. */
TEST(runner_reports_that_there_is_no_room_for_a_folder)
{
    for (int64_t at = 1; at <= 2; at++) {
        int64_t count = 0;
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, at, ENOSPC, &count, "mkdir"};
        struct link_stage s;
        char path[96];

        expect(stage_open(&s, true, NULL));
        sys_plan_set(&plan);
        stage_launch(&s, 1, "true", "");
        expect(stage_wait(&s, PACKET_LAUNCH_FAILED) && s.last.u.error == ENOSPC);
        sys_plan_set(NULL);
        snprintf(path, sizeof path, "%s/1", s.dir);
        expect(access(path, F_OK) < 0);
        stage_close(&s);
    }
}

EITHER_TEST(reports_that_a_path_is_too_long)
{
    char dir[PATH_MAX];
    struct link_stage s;

    expect(stage_open(&s, here, NULL));
    memset(dir, '/', sizeof dir);
    memcpy(dir, s.dir, strlen(s.dir));
    strcpy(dir + sizeof dir - 4, "d"); /* the folder fits, its files do not */
    expect(stage_order(&s, 1, "true", "", dir) == 0);
    expect(stage_wait(&s, PACKET_LAUNCH_FAILED) && s.last.u.error == ENAMETOOLONG);
    stage_close(&s);
}

/* Signals 32 and 33 are the C library's own, and cannot be set: they are ignored by all that its
 * posix_spawn() has started, as make does with us. */
EITHER_TEST(gives_attempts_a_clean_start)
{
    struct link_stage s;
    expect(stage_open(&s, here, NULL));
    stage_launch(&s, 1,
                 "ls /proc/self/fd | sort -n | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' "
                 "/proc/self/status | sed 's/180000000$/000000000/' | tr -d '\\n\\t'; cat",
                 "");
    expect(stage_wait(&s, PACKET_EXITED) && s.last.u.end.status == 0);
    /* 4 is the folder that ls itself reads. */
    expect(strcmp(stage_file(&s, "1/stdout"),
                  "0 1 2 3 4 99 SigBlk:0000000000000000SigIgn:0000000000000000") == 0);
    stage_close(&s);
}

/* The attempt's variables, and ours but for those that it has itself or that are for us alone. A
 * longer name, or part of one, is another name. */
EITHER_TEST(gives_attempts_each_variable_once)
{
    static const char own[] = "LINK_TEST_A=own\0LINK_TEST_LONG=own too";
    static const char *const ours[][2] = {{"LINK_TEST_A", "ours"},
                                          {"LINK_TEST_LO", "part"},
                                          {"LINK_TEST_AB", "longer"},
                                          {"DOLLY_LINK_TEST", "for us"}};
    struct link_stage s;
    struct packet m = {.type = PACKET_LAUNCH, .handle = 1};
    char dir[96];

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        setenv(ours[i][0], ours[i][1], 1);
    expect(stage_open(&s, here, NULL));
    snprintf(dir, sizeof dir, "%s/1", s.dir);
    m.u.launch.command = "printenv LINK_TEST_A LINK_TEST_AB LINK_TEST_LO LINK_TEST_LONG "
                         "DOLLY_LINK_TEST";
    m.u.launch.stdin_path = m.u.launch.reuse = "";
    m.u.launch.dir = dir;
    m.u.launch.env = own;
    m.u.launch.env_bytes = sizeof own;
    expect(s.link->order(s.link, &m) == 0 && stage_wait(&s, PACKET_EXITED));
    expect(strcmp(stage_file(&s, "1/stdout"), "own\nlonger\npart\nown too") == 0);
    stage_close(&s);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i][0]);
}

/* Takes a bare folder for an attempt that gets its name late. Returns what it has left. */
static int leave(struct link_stage *s, const char *command, uint32_t handle)
{
    struct packet m = {.type = PACKET_LAUNCH, .handle = handle};
    char bare[96], named[96];

    snprintf(bare, sizeof bare, "%s/bare", s->dir);
    snprintf(named, sizeof named, "%s/named", s->dir);
    m.u.launch.command = command;
    m.u.launch.stdin_path = m.u.launch.env = "";
    m.u.launch.dir = named;
    m.u.launch.reuse = access(bare, F_OK) == 0 ? bare : "";
    m.u.launch.late = 1;
    expect(s->link->order(s->link, &m) == 0 && stage_wait(s, PACKET_EXITED));
    return s->last.u.end.left;
}

/* What an attempt has left is found under its name, also if it has failed; and a folder in which
 * there is nothing costs nothing. */
EITHER_TEST(names_a_folder_once_something_is_left_there)
{
    static const struct {
        const char *command, *file, *contents;
    } cases[] = {{"echo x", "named/stdout", "x"},
                 {"echo y >&2", "named/stderr", "y"},
                 {"exit 1", "named/stdout", ""},
                 {"kill -9 $$", "named/stderr", ""}};
    struct link_stage s;
    char bare[96], named[96];

    expect(stage_open(&s, here, NULL));
    snprintf(bare, sizeof bare, "%s/bare", s.dir);
    snprintf(named, sizeof named, "%s/named", s.dir);
    expect(leave(&s, "echo x", 1) == PACKET_LEFT_SOMETHING); /* it has the name already */
    expect(strcmp(stage_file(&s, "named/stdout"), "x") == 0);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(rename(named, bare) == 0 && truncate(path_of("%s/stdout", bare).text, 0) == 0 &&
               truncate(path_of("%s/stderr", bare).text, 0) == 0);
        expect(leave(&s, "exit 0", 10 + 2 * i) == PACKET_LEFT_NOTHING);
        expect(access(named, F_OK) < 0 && access(bare, F_OK) == 0);
        expect(leave(&s, cases[i].command, 11 + 2 * i) == PACKET_LEFT_SOMETHING);
        expect(access(bare, F_OK) < 0);
        expect(strcmp(stage_file(&s, cases[i].file), cases[i].contents) == 0);
    }
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
    /* As often as one likes; and what is held can be killed. */
    hold.u.still = 1;
    s.link->order(s.link, &hold);
    expect(stage_sees(&s, true));
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
