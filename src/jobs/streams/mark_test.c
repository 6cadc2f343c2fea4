/* What was printed is known to the byte: lives that end in the middle, seen by a process of their
 * own, because stdout is theirs. */
#include "jobs/streams/mark.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

enum { TASKS = 70, BYTES = 200000 };

static char dir[] = "/tmp/dolly-mark-XXXXXX";
static char bytes[BYTES];

static void fill(void)
{
    strcpy(dir + sizeof dir - 7, "XXXXXX");
    expect(mkdtemp(dir) != NULL);
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)('a' + i % 23);
}

static struct mark *open_mark(bool again)
{
    struct err err;
    return mark_open(dir, TASKS, false, again, &err);
}

static struct mark *open_mark_err(struct err *err)
{
    return mark_open(dir, TASKS, false, false, err);
}

/* Runs in a process of its own; true if it says so. */
static bool forked(bool (*run)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(run() ? 0 : 1);
    return waitpid(pid, &status, 0) == pid && status == 0;
}

/* Kills a life that prints the task's BYTES to our stdout once something has come out of it; what
 * it has left is settled. */
static void kill_writer(struct mark *k, const int fds[2], uint32_t task, int out)
{
    pid_t pid = fork();

    if (pid == 0) {
        mark_stage(k, task, MARK_OUT);
        mark_write(k, STDOUT_FILENO, bytes, BYTES);
        pause();
    }
    poll(&(struct pollfd){out, POLLIN, 0}, 1, -1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    mark_orphaned(k, fds);
}

/* Prints all of the task, which leaves out what has arrived. */
static bool complete(uint32_t task)
{
    struct mark *k = open_mark(true);

    mark_stage(k, task, MARK_OUT);
    bool ok = mark_write(k, STDOUT_FILENO, bytes, BYTES) == 0;
    mark_done(k, task);
    mark_close(k);
    return ok;
}

static size_t drain(int fd, char *to)
{
    size_t n = 0;
    ssize_t got;

    while ((got = read(fd, to + n, BYTES + 1 - n)) > 0)
        n += (size_t)got;
    return n;
}

static bool through_a_pipe(void)
{
    static char seen[BYTES + 1];
    int out[2], keep[2];

    if (pipe2(out, O_CLOEXEC) < 0 || dup2(out[1], STDOUT_FILENO) < 0)
        return false;
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    struct mark *k = open_mark(false);
    mark_fds(k, keep);
    kill_writer(k, keep, 3, out[0]); /* it waits for a reader, or is about to */
    mark_close(k);
    size_t n = drain(out[0], seen);
    if (n == 0 || n == BYTES)
        return false;
    pid_t pid = fork();
    if (pid == 0)
        _exit(complete(3) ? 0 : 1);
    close(out[1]);
    close(STDOUT_FILENO);
    fcntl(out[0], F_SETFL, 0);
    n += drain(out[0], seen + n);
    waitpid(pid, NULL, 0);
    return n == BYTES && memcmp(seen, bytes, BYTES) == 0;
}

TEST(mark_goes_on_at_the_byte_that_has_left_our_pipe)
{
    fill();
    expect(forked(through_a_pipe));
    tree_remove(dir);
}

static bool to_a_file(void)
{
    char path[64];
    char seen[32] = "";

    snprintf(path, sizeof path, "%s/out", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
        return false;
    struct mark *k = open_mark(false);
    mark_stage(k, 64, MARK_OUT);
    mark_write(k, STDOUT_FILENO, "0123", 4);
    mark_close(k);
    k = open_mark(true);
    mark_stage(k, 5, MARK_OUT); /* another task: all of it is printed */
    mark_write(k, STDOUT_FILENO, "x", 1);
    mark_done(k, 5);
    mark_close(k);
    k = open_mark(true);
    bool ok = mark_is_done(k, 5) && !mark_is_done(k, 64);
    mark_stage(k, 64, MARK_OUT);
    mark_write(k, STDOUT_FILENO, "abc", 3);
    mark_stage(k, 64, MARK_ERR);
    mark_close(k);
    k = open_mark(true);
    mark_stage(k, 64, MARK_OUT); /* it was all there */
    mark_write(k, STDOUT_FILENO, "abc", 3);
    mark_close(k);
    return ok && pread(fd, seen, sizeof seen, 0) == 8 && strcmp(seen, "0123xabc") == 0;
}

TEST(mark_leaves_out_what_is_in_the_file)
{
    fill();
    expect(forked(to_a_file));
    tree_remove(dir);
}

TEST(mark_remembers_lengths_of_files_and_of_the_log)
{
    int64_t lengths[2] = {11, 22}, found[2], log;
    uint32_t task;

    fill();
    struct mark *k = open_mark(false);
    expect(!mark_filing(k, found) && !mark_logging(k, &task, &log));
    mark_files(k, 9, lengths);
    mark_close(k);
    k = open_mark(true);
    expect(mark_filing(k, found) && found[0] == 11 && found[1] == 22 && !mark_filed(k, 9));
    mark_log(k, 9, 33);
    mark_close(k);
    k = open_mark(true);
    expect(mark_logging(k, &task, &log) && task == 9 && log == 33 && mark_filed(k, 9));
    mark_done(k, 9);
    mark_close(k);
    k = open_mark(true);
    expect(!mark_logging(k, &task, &log) && mark_is_done(k, 9));
    mark_close(k);
    tree_remove(dir);
}

TEST(mark_grows_and_refuses_that_of_another_run)
{
    struct err err;
    char want[96];

    fill();
    struct mark *k = mark_open(dir, 1, true, false, &err);
    mark_done(k, 0);
    expect(mark_grow(k, 5000, &err) == 0);
    mark_done(k, 4999);
    expect(mark_is_done(k, 0) && mark_is_done(k, 4999) && !mark_is_done(k, 4998));
    mark_close(k);
    snprintf(want, sizeof want, "%s/printed: does not belong to this run", dir);
    expect(!mark_open(dir, TASKS, false, true, &err) && strcmp(err.text, want) == 0);
    expect(mark_grow(NULL, 1, &err) == 0 && !mark_is_done(NULL, 0));
    tree_remove(dir);
}

/* A mark that cannot be opened leaves no descriptor open, and its file may be used later. */
TEST(mark_says_what_it_lacks)
{
    struct err err = {0};
    char want[96];
    int before = limits_open();

    fill();
    struct rlimit bytes_before = limits_bytes(100);
    struct mark *k = open_mark_err(&err);
    setrlimit(RLIMIT_FSIZE, &bytes_before);
    snprintf(want, sizeof want, "%s/printed: File too large", dir);
    expect(!k && err.kind == ERR_SYSTEM && strcmp(err.text, want) == 0);
    for (int more = 0; more < 3; more++) { /* a file and a pipe are three */
        struct rlimit limit = limits_descriptors(more);
        k = open_mark_err(&err);
        setrlimit(RLIMIT_NOFILE, &limit);
        snprintf(want, sizeof want, "%s/printed: Too many open files", dir);
        expect(!k && err.kind == ERR_SYSTEM && limits_open() == before);
        expect(!strcmp(err.text, more ? "cannot make a pipe: Too many open files" : want));
    }
    struct rlimit limit = limits_descriptors(3);
    k = open_mark_err(&err);
    setrlimit(RLIMIT_NOFILE, &limit);
    expect(k != NULL);
    mark_close(k);
    tree_remove(dir);
    snprintf(want, sizeof want, "%s/printed: No such file or directory", dir);
    expect(!open_mark_err(&err) && strcmp(err.text, want) == 0 && limits_open() == before);
}

/* Without room for more addresses, what was there is kept. */
static bool cannot_grow(void)
{
    struct err err = {0};
    char want[96];
    struct mark *k = open_mark(false);

    snprintf(want, sizeof want, "%s/printed: cannot be mapped: Cannot allocate memory", dir);
    mark_done(k, 3);
    limits_set(RLIMIT_AS, 0);
    return mark_grow(k, 1000000, &err) < 0 && strcmp(err.text, want) == 0 && mark_is_done(k, 3) &&
           !mark_is_done(k, 4);
}

TEST(mark_that_cannot_grow_says_so)
{
    if (test_lacks_memory_limits())
        return;
    fill();
    expect(forked(cannot_grow));
    tree_remove(dir);
}
