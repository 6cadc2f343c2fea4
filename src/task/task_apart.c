/* task_apart.c - an attempt in a process below ours, and one that gives functions up which do not
 * move.
 *
 * Functions of the user that may have only so much memory run below us, so that somebody is left to
 * say what they died of. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "task/memory_limit.h"
#include "task/task_state.h"

int task_apart_run(const struct task_attempt *t,
                   int (*run)(const struct task_attempt *t, struct err *err), struct err *err)
{
    struct memory_limit limit;
    int status = 0;

    memory_limit_open(&limit, t->phase->memory_limit);
    pid_t pid = fork();
    if (pid == 0) {
        memory_limit_enter(&limit);
        status = run(t, err);
        if (status < 0)
            dprintf(STDERR_FILENO, "dolly: %s\n", err->text);
        _exit(status < 0 ? 1 : status);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int over = memory_limit_close(&limit, status, err);
    if (pid < 0)
        return err_system(err, "fork: %s", strerror(errno));
    return over < 0 ? -1 : task_room_status(status);
}

/* ---- functions that do not move ---- */

static volatile bool watched;

enum { LOOKS = 10 }; /* within the time that is given */

static void *watch(void *ctx)
{
    const struct task_attempt *t = ctx;
    int64_t each_us = t->phase->quiet_us / LOOKS;
    struct timespec each = {each_us / 1000000, each_us % 1000000 * 1000};

    for (int quiet = 0; quiet < LOOKS; quiet++) {
        nanosleep(&each, NULL);
        if (!watched)
            return NULL;
        if (task_report_alive)
            quiet = -1;
        task_report_alive = false;
    }
    dprintf(STDERR_FILENO, "dolly: %s: phase '%s' has not moved for %g s%s%s\n", t->phase->native,
            t->phase->name, (double)t->phase->quiet_us / 1e6,
            *t->report->status ? "; its status: " : "", t->report->status);
    _exit(1);
}

int task_apart_watch(const struct task_attempt *t, struct err *err)
{
    pthread_t thread;
    int why;

    if (t->phase->quiet_us == 0)
        return 0;
    watched = true;
    why = pthread_create(&thread, NULL, watch, (void *)(uintptr_t)t);
    if (why != 0)
        return err_system(err, "thread: %s", strerror(why));
    pthread_detach(thread);
    return 0;
}

void task_apart_unwatch(void)
{
    watched = false;
}
