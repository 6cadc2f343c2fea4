/* native_bind.c - the shared objects of a job. See native_bind.h. */
#include "jobs/run/native_bind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/text.h"
#include "jobs/task/native_object.h"

enum { LOOK_MAX_S = 10, LOOK_EACH_MS = 20 };

/* ---- a look at it from another process ---- */

static void become_looker(const struct plan_phase *p, const char *need, int says)
{
    setpgid(0, 0);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nowhere >= 0 && dup2(nowhere, STDIN_FILENO) >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 &&
        dup2(says, STDERR_FILENO) >= 0)
        execl("/proc/self/exe", "dolly", "task", "check", p->native, p->functions, need, NULL);
    _exit(127);
}

/* What it says, as far as it has come. */
static void hear(int fd, struct str *said)
{
    char piece[512];
    ssize_t n;

    while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && said->length < ERR_TEXT_MAX)
            str_add_bytes(said, piece, strnlen(piece, (size_t)n));
}

/* Waits for its end, and not for the ends of what it may have started: those are ended with it.
 * False: it takes too long. */
static bool await(pid_t pid, int fd, struct str *said, int *status)
{
    int64_t until_us = clock_now_us() + LOOK_MAX_S * INT64_C(1000000);
    pid_t ended = 0;

    while (ended == 0 && clock_now_us() < until_us) {
        struct pollfd look = {.fd = fd, .events = POLLIN};
        if (poll(&look, 1, LOOK_EACH_MS) > 0 && (look.revents & POLLIN) == 0)
            usleep(LOOK_EACH_MS * 1000); /* it has closed its end, and ends any moment */
        hear(fd, said);
        ended = waitpid(pid, status, WNOHANG);
    }
    kill(-pid, SIGKILL);
    while (ended == 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    hear(fd, said);
    if (said->text)
        str_cut(said, strcspn(said->text, "\n"));
    return ended != 0;
}

static int judge(const struct plan_phase *p, int status, const char *said, struct err *err)
{
    static const char prefix[] = "dolly: ";

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFSIGNALED(status))
        return err_set(err, "%s: loading it ended with signal %d (%s)", p->native, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    if (!said)
        return err_set(err, "%s: loading it ended with status %d", p->native, WEXITSTATUS(status));
    return err_set(err, "%s",
                   strncmp(said, prefix, sizeof prefix - 1) == 0 ? said + sizeof prefix - 1 : said);
}

static int look(const struct plan_phase *p, const char *need, struct err *err)
{
    struct str said = {0};
    int fds[2], status = 0;

    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return err_system(err, "pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        become_looker(p, need, fds[1]);
    close(fds[1]);
    int result = -1;
    if (pid < 0)
        err_system(err, "fork: %s", strerror(errno));
    else if (!await(pid, fds[0], &said, &status))
        err_set(err, "%s: loading it took more than %d s; do not wait in constructors", p->native,
                LOOK_MAX_S);
    else
        result = judge(p, status, said.text, err);
    close(fds[0]);
    str_free(&said);
    return result;
}

/* ---- binding ---- */

int native_bind(const struct task_plan *plan, struct plan_phase *phase, const char *text,
                struct err *err)
{
    char path[PATH_MAX], whole[PATH_MAX], hash[NATIVE_OBJECT_HASH];
    bool reads_keys = phase->above != PLAN_INPUTS && plan->phases.at[phase->above].partitions > 0;

    if (strlen(text) >= sizeof path)
        return err_set(err, "expected the path of a shared object, not '%.40s...'", text);
    strcpy(path, text);
    char *mark = strrchr(path, '#');
    if (mark)
        *mark = 0;
    if (!realpath(path, whole))
        return err_set(err, "%s: %s", path, strerror(errno));
    if (native_object_hash(whole, hash, err) < 0)
        return -1;
    phase->native = mem_strdup(whole);
    phase->functions = mem_strdup(mark && mark[1] ? mark + 1 : NATIVE_OBJECT_DEFAULT);
    phase->native_hash = mem_strdup(hash);
    return look(phase, reads_keys ? "reduce" : "map", err);
}

int native_bind_check(const struct task_plan *plan, struct err *err)
{
    for (uint32_t i = 0; i < plan->phases.count; i++) {
        const struct plan_phase *p = &plan->phases.at[i];
        char hash[NATIVE_OBJECT_HASH];
        if (!p->native)
            continue;
        if (native_object_hash(p->native, hash, err) < 0)
            return -1;
        if (strcmp(hash, p->native_hash) != 0)
            return err_set(err, "%s: this shared object has changed since the job began",
                           p->native);
    }
    return 0;
}
