#include "remote/fleet/fleet.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/path.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "remote/fleet/fleet_errors.h"
#include "remote/fleet/fleet_ways.h"
#include "remote/fleet/fleet_words.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

TEST(a_number_of_agents_is_one_or_two_numbers)
{
    static const char *const bad[] = {"",    "0",      "-",     "3-", "-3",
                                      "4-2", "1-4097", "2-10x", "1 ", "a"};
    uint32_t min = 0, max = 0;
    struct err err;

    expect(fleet_parse_count("4", &min, &max, &err) == 0);
    expect(min == 4);
    expect(max == 4);
    expect(fleet_parse_count("2-10", &min, &max, &err) == 0);
    expect(min == 2);
    expect(max == 10);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(fleet_parse_count(bad[i], &min, &max, &err) < 0);
    expect(max == 10);
}

TEST(a_way_is_found_by_its_name)
{
    const char *spec = NULL;
    struct err err;

    const struct fleet_way *way = fleet_ways_find("local:3", &spec, &err);
    expect(way && strcmp(way->name, "local") == 0);
    expect(strcmp(spec, "3") == 0);
    expect(!fleet_ways_find("local", &spec, &err));
    expect(strstr(err.text, "expected local:N"));
    expect(!fleet_ways_find("loca:3", &spec, &err));
    expect(strncmp(err.text, "--on loca:3: expected ", 22) == 0 && strstr(err.text, "local:N"));
    expect(!fleet_ways_find("cloud:3", &spec, &err));
    expect(strncmp(err.text, "--on cloud:3: expected ", 23) == 0 && strstr(err.text, "local:N"));
}

/* Starts the command and returns what it writes, after its end. */
static int run(char *const *argv, const char *in, char *out, size_t room)
{
    struct fleet_process p;
    int fds[2], status = -1;

    expect(pipe(fds) == 0);
    expect(fleet_process_start(&p, argv, in, (uint32_t)strlen(in), fds[1], fds[1], false) == 0);
    close(fds[1]);
    size_t used = 0;
    ssize_t n;
    while ((n = read(fds[0], out + used, room - 1 - used)) > 0)
        used += (size_t)n;
    out[used] = 0;
    close(fds[0]);
    while (!fleet_process_ended(&p, &status))
        usleep(1000);
    expect(p.pid == 0);
    expect(p.pid_fd == -1);
    return status;
}

TEST(a_process_of_a_fleet_reads_its_stdin_and_has_no_other_descriptors)
{
    char out[256];
    int extra = dup(0);

    expect(run((char *[]){"sh", "-c", "cat; ls /proc/self/fd | wc -l", NULL}, "key\n", out,
               sizeof out) == 0);
    expect(strcmp(out, "key\n4\n") == 0); /* ls has one open for the folder */
    close(extra);
}

TEST(a_process_of_a_fleet_that_cannot_be_started_says_so)
{
    char out[256], text[64];

    int status = run((char *[]){"/no/such/program", NULL}, "", out, sizeof out);
    expect(strstr(out, "/no/such/program: No such file"));
    fleet_process_tell(status, text, sizeof text);
    expect(strcmp(text, "exited with status 127") == 0);
    status = run((char *[]){"sh", "-c", "kill -9 $$", NULL}, "", out, sizeof out);
    fleet_process_tell(status, text, sizeof text);
    expect(strcmp(text, "was killed by signal 9") == 0);
    status = run((char *[]){"/etc/passwd", NULL}, "", out, sizeof out); /* no program */
    fleet_process_tell(status, text, sizeof text);
    expect(strcmp(text, "exited with status 126") == 0 && strstr(out, "/etc/passwd: "));
}

/* It has the signals of a new process, and a session of its own: what stops us does not stop it. */
TEST(a_process_of_a_fleet_begins_anew)
{
    static const char session[] = "read a b c d e f g </proc/$$/stat; test $f = $$ && echo own";
    sigset_t blocked, before;
    char out[256];

    expect(run((char *[]){"sh", "-c", (char *)(uintptr_t)session, NULL}, "", out, sizeof out) == 0);
    expect(strcmp(out, "own\n") == 0);
    void (*was)(int) = signal(SIGUSR1, SIG_IGN);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    int first = run((char *[]){"sh", "-c", "kill -USR1 $$; echo on", NULL}, "", out, sizeof out);
    expect(WIFSIGNALED(first) && WTERMSIG(first) == SIGUSR1 && !out[0]);
    int second = run((char *[]){"sh", "-c", "kill -USR2 $$; echo on", NULL}, "", out, sizeof out);
    expect(WIFSIGNALED(second) && WTERMSIG(second) == SIGUSR2 && !out[0]);
    sigset_t after;
    sigprocmask(SIG_SETMASK, &before, &after);
    expect(sigismember(&after, SIGUSR2) == 1 && !sigismember(&after, SIGUSR1));
    signal(SIGUSR1, was);
}

/* No signal is ignored or waits, whichever are here. That children end has to be heard here.
 * Signals 32 and 33 are the C library's own: they are ignored where its posix_spawn() has started
 * us. */
TEST(a_process_of_a_fleet_has_every_signal)
{
    void (*was[NSIG])(int) = {NULL};
    sigset_t all, before;
    char out[256];

    for (int sig = 1; sig < NSIG; sig++)
        if (sig != SIGCHLD)
            was[sig] = signal(sig, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    expect(run((char *[]){"sed", "-n", "s/180000000$/000000000/; /^Sig[BI]/p", "/proc/self/status",
                          NULL},
               "", out, sizeof out) == 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    for (int sig = 1; sig < NSIG; sig++)
        if (sig != SIGCHLD && was[sig] != SIG_ERR)
            signal(sig, was[sig]);
    expect(strcmp(out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n") == 0);
}

/* It is given the time to end by itself; then it is asked to, and has some more. The machine may be
 * busy: with enough time it has ended. */
TEST(a_process_of_a_fleet_is_asked_to_end_before_it_is_killed)
{
    static const char busy[] = "trap 'echo bye; exit' TERM; echo up; while :; do sleep 0.01; done";
    static const char self[] = "trap 'echo bye; exit' TERM; sleep 0.02; echo up; echo self";
    struct fleet_process p;
    char out[64] = "";

    for (int64_t grace_us = 40000; grace_us < 60000000 && !strstr(out, "bye"); grace_us *= 4) {
        int fds[2];
        expect(pipe(fds) == 0);
        expect(fleet_process_start(&p, (char *[]){"sh", "-c", (char *)(uintptr_t)busy, NULL}, "", 0,
                                   fds[1], -1, false) == 0);
        close(fds[1]);
        ssize_t n = read(fds[0], out, 3);
        fleet_process_end(&p, grace_us);
        expect(n == 3 && p.pid == 0 && p.pid_fd == -1);
        n = read(fds[0], out, sizeof out - 1);
        out[n > 0 ? n : 0] = 0;
        close(fds[0]);
    }
    expect(strcmp(out, "bye\n") == 0);
    int fds[2];
    expect(pipe(fds) == 0);
    expect(fleet_process_start(&p, (char *[]){"sh", "-c", (char *)(uintptr_t)self, NULL}, "", 0,
                               fds[1], -1, false) == 0);
    close(fds[1]);
    fleet_process_end(&p, 120000000);
    ssize_t n = read(fds[0], out, sizeof out - 1);
    out[n > 0 ? n : 0] = 0;
    expect(strcmp(out, "up\nself\n") == 0);
    close(fds[0]);
}

/* Where its output goes may have the number of its input, which is closed then. */
TEST(a_process_of_a_fleet_writes_to_any_descriptor)
{
    char text[16] = "";

    for (int i = 0; i < 2; i++) {
        struct fleet_process p;
        int fds[2], stdin_fd = dup(0), status;
        expect(pipe(fds) == 0 && stdin_fd >= 0 && dup2(fds[1], 0) == 0);
        int result = fleet_process_start(&p, (char *[]){"sh", "-c", i ? "cat >&2" : "cat", NULL},
                                         "in", 2, i ? -1 : 0, i ? 0 : -1, false);
        expect(dup2(stdin_fd, 0) == 0 && close(stdin_fd) == 0 && close(fds[1]) == 0);
        expect(result == 0 && fleet_process_wait(&p, INT64_MAX, &status) && status == 0);
        ssize_t n = read(fds[0], text, sizeof text - 1);
        text[n > 0 ? n : 0] = 0;
        expect(strcmp(text, "in") == 0);
        close(fds[0]);
    }
}

static void swallow(int sig)
{
    (void)sig;
}

TEST(fleet_process_ends_by_a_signal_that_comes_while_it_starts)
{
    struct sigaction before;
    struct fleet_process p;
    int status = 0;

    sigaction(SIGTERM, &(struct sigaction){.sa_handler = swallow}, &before);
    for (int i = 0; i < 20; i++) {
        expect(fleet_process_start(&p, (char *[]){"sleep", "100", NULL}, "", 0, -1, -1, true) == 0);
        kill(p.pid, SIGTERM);
        expect(fleet_process_wait(&p, clock_now_us() + 60000000, &status));
        expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
        fleet_process_end(&p, 0);
    }
    sigaction(SIGTERM, &before, NULL);
}

TEST(a_process_of_a_fleet_is_ended_with_grace_or_without)
{
    struct fleet_process p;
    char *stubborn[] = {"sh", "-c", "trap '' TERM; while :; do sleep 1; done", NULL};

    expect(fleet_process_start(&p, (char *[]){"sleep", "100", NULL}, "", 0, -1, -1, false) == 0);
    fleet_process_end(&p, 100000);
    expect(p.pid == 0);
    expect(fleet_process_start(&p, stubborn, "", 0, -1, -1, false) == 0);
    fleet_process_end(&p, 20000);
    expect(p.pid == 0);
    expect(p.pid_fd == -1);
    fleet_process_end(&p, 0);
}

/* ---- words ---- */

static bool words_are(struct fleet_words *w, const char *const *want)
{
    uint32_t n = 0;
    bool same = true;

    while (want[n])
        n++;
    for (uint32_t i = 0; i < n && i < w->at.count; i++)
        same = same && strcmp(w->at.at[i], want[i]) == 0;
    same = same && w->at.count == n && fleet_words_argv(w)[n] == NULL;
    fleet_words_fini(w);
    return same;
}

TEST(a_command_of_an_agent_says_all_that_it_needs)
{
    struct fleet_options o = {.program = "/bin/dolly", .port = 65535, .at_file = "/run/at"};
    struct fleet_words w = {0}, all = {0}, more = {0};

    fleet_words_agent(&w, &o, "host");
    expect(words_are(&w, (const char *[]){"/bin/dolly", "agent", "--connect", "host:65535",
                                          "--connect-file", "/run/at", "--key-fd", "0", NULL}));
    o.scratch = "/scratch";
    o.munge = "/munge";
    o.linger = "90s";
    fleet_words_agent(&all, &o, "host");
    expect(words_are(&all,
                     (const char *[]){"/bin/dolly", "agent", "--connect", "host:65535",
                                      "--connect-file", "/run/at", "--key-fd", "0", "--scratch",
                                      "/scratch", "--munge", "/munge", "--linger", "90s", NULL}));
    fleet_words_addf(&more, "--nodes=%u", 3);
    fleet_words_addf(&more, "%s%s%s", "a", "b", "c");
    expect(words_are(&more, (const char *[]){"--nodes=3", "abc", NULL}));
}

/* ---- what processes complain of ---- */

static bool last_is(const char *text, const char *want)
{
    char line[64];

    fleet_errors_last(text, strlen(text), line, sizeof line);
    return strcmp(line, want) == 0;
}

TEST(a_process_of_a_fleet_is_quoted_by_its_last_line)
{
    char dir[TEST_FOLDER], line[8], long_text[5000];

    expect(last_is("", "") && last_is(" \r\n", "") && last_is("one", "one"));
    expect(last_is("one\ntwo\r\n \n", "two") && last_is("a\tb\177c\n", "a?b?c"));
    expect(last_is("why\nsrun: error: n1: task 0: Exited\nsrun: done\n", "why"));
    expect(last_is("srun: error: first\nsrun: error: last\n", "srun: error: last"));
    fleet_errors_last("1234567", 7, line, sizeof line);
    expect(strcmp(line, "1234567") == 0);
    fleet_errors_last("12345678", 8, line, sizeof line);
    expect(strcmp(line, "1234567") == 0);

    test_folder(dir);
    mode_t before = umask(0);
    int fd = fleet_errors_open(dir, "n1");
    umask(before);
    expect(test_mode(path_of("%s/n1.err", dir).text) == 0600);
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 4] = '\n';
    expect(write(fd, long_text, sizeof long_text) == (ssize_t)sizeof long_text);
    close(fd);
    fleet_errors_look(dir, "n1", line, sizeof line);
    expect(strcmp(line, "xxx") == 0);
    fd = fleet_errors_open(dir, "n1"); /* another process of that name */
    expect(write(fd, "new\n", 4) == 4);
    close(fd);
    fleet_errors_take(dir, "n1", line, sizeof line);
    expect(strcmp(line, "new") == 0);
    fleet_errors_take(dir, "n1", line, sizeof line); /* it is gone */
    expect(line[0] == 0);
    tree_remove(dir);
}

/* A process that cannot be watched is not left behind, and one that is waited for is reaped even
 * where a signal comes in between. */
TEST(a_process_of_a_fleet_is_not_left_behind_when_a_call_fails)
{
    struct fleet_process p;
    int64_t count = 0;
    int before = limits_open();
    bool alone = waitpid(-1, NULL, WNOHANG) < 0; /* of other tests nothing is left that could end */

    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EMFILE, .count = &count, .call = "pidfd_open"});
    int result = fleet_process_start(&p, (char *[]){"sleep", "100", NULL}, "", 0, -1, -1, false);
    int error = errno;
    sys_plan_set(NULL);
    expect(result < 0 && error == EMFILE && count == 1);
    expect(p.pid == 0 && p.pid_fd == -1 && limits_open() == before);
    expect(!alone || waitpid(-1, NULL, WNOHANG) < 0);

    expect(fleet_process_start(&p, (char *[]){"sleep", "100", NULL}, "", 0, -1, -1, false) == 0);
    count = 0;
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EINTR, .count = &count, .call = "wait4"});
    kill(p.pid, SIGSTOP); /* does not end by TERM */
    fleet_process_end(&p, 0);
    sys_plan_set(NULL);
    expect(count == 2 && p.pid == 0 && limits_open() == before);
    expect(!alone || waitpid(-1, NULL, WNOHANG) < 0);

    expect(fleet_process_start(&p, (char *[]){"true", NULL}, NULL, 5000, -1, -1, false) < 0);
    expect(errno == EMSGSIZE && p.pid == 0 && limits_open() == before);
}

TEST(a_process_of_a_fleet_is_waited_for_until_a_time)
{
    struct fleet_process p;
    int status = -1;

    expect(fleet_process_start(&p, (char *[]){"sleep", "100", NULL}, "", 0, -1, -1, false) == 0);
    int64_t until_us = clock_now_us() + 30000;
    expect(!fleet_process_wait(&p, until_us, &status));
    expect(clock_now_us() >= until_us && p.pid > 0 && p.pid_fd >= 0);
    kill(p.pid, SIGKILL);
    expect(fleet_process_wait(&p, INT64_MAX, &status) && p.pid == 0 && p.pid_fd == -1);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    expect(!fleet_process_ended(&p, &status));
}

/* One that was waited for elsewhere has ended, too. */
TEST(a_process_of_a_fleet_that_another_has_reaped_has_failed)
{
    struct fleet_process p;
    int status = 0;

    expect(fleet_process_start(&p, (char *[]){"true", NULL}, "", 0, -1, -1, false) == 0);
    expect(waitpid(p.pid, NULL, 0) == p.pid);
    expect(fleet_process_ended(&p, &status) && WIFEXITED(status) && WEXITSTATUS(status) == 255);
    expect(p.pid == 0 && p.pid_fd == -1);
    int64_t count = 0;
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EMFILE, .count = &count, .call = "pipe"});
    expect(fleet_process_start(&p, (char *[]){"true", NULL}, "", 0, -1, -1, false) < 0);
    sys_plan_set(NULL);
    expect(errno == EMFILE && p.pid == 0 && p.pid_fd == -1);
    count = 0;
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EAGAIN, .count = &count, .call = "fork"});
    expect(fleet_process_start(&p, (char *[]){"true", NULL}, "", 0, -1, -1, false) < 0);
    sys_plan_set(NULL);
    expect(errno == EAGAIN && p.pid == 0 && p.pid_fd == -1);
}
