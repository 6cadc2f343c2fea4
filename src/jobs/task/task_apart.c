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

#include "jobs/task/memory_limit.h"
#include "jobs/task/task_state.h"

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
    if (pid < 0)
        err_system(err, "fork: %s", strerror(errno));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int over = memory_limit_close(&limit, status, err);
    return pid < 0 || over < 0 ? -1 : task_env_status(status);
}

/* ---- functions that do not move ---- */

enum { LOOKS = 10 }; /* within the time that is given */

/* The attempt may be over before the thread has begun: it has what it needs of it for itself. */
static struct {
    volatile bool active;
    int64_t quiet_us;
    const struct task_report *report; /* only while active */
    char what[512];                   /* "OBJECT: phase 'P'" */
} watched;

static void *watch(void *ctx)
{
    int64_t each_us = watched.quiet_us / LOOKS;
    struct timespec each = {each_us / 1000000, (long)(each_us % 1000000 * 1000)};

    (void)ctx;
    for (int quiet = 0; quiet < LOOKS; quiet++) {
        nanosleep(&each, NULL);
        if (!watched.active)
            return NULL;
        if (task_report_alive)
            quiet = -1;
        task_report_alive = false;
    }
    dprintf(STDERR_FILENO, "dolly: %s has not moved for %g s%s%s\n", watched.what,
            (double)watched.quiet_us / 1e6, *watched.report->status ? "; its status: " : "",
            watched.report->status);
    _exit(1);
}

int task_apart_watch(const struct task_attempt *t, struct err *err)
{
    pthread_t thread;
    int why;

    if (t->phase->quiet_us == 0)
        return 0;
    watched.quiet_us = t->phase->quiet_us;
    watched.report = t->report;
    snprintf(watched.what, sizeof watched.what, "%s: phase '%s'", t->phase->native, t->phase->name);
    watched.active = true;
    why = pthread_create(&thread, NULL, watch, NULL);
    if (why != 0)
        return err_system(err, "cannot start a thread: %s", strerror(why));
    pthread_detach(thread);
    return 0;
}

void task_apart_unwatch(void)
{
    watched.active = false;
}
