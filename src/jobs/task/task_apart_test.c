#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/task/task_state.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

#ifdef __GLIBC__ /* others limit the stack of a thread to one that can be had */
TEST(task_apart_needs_a_thread_to_watch)
{
    struct plan_phase phase = {.name = "a", .native = "x.so", .quiet_us = 1000000};
    struct task_attempt t = {.phase = &phase};
    struct err err;
    pthread_attr_t before, huge;

    expect(pthread_getattr_default_np(&before) == 0 && pthread_attr_init(&huge) == 0);
    expect(pthread_attr_setstacksize(&huge, SIZE_MAX / 2) == 0);
    expect(pthread_setattr_default_np(&huge) == 0);
    expect(task_apart_watch(&t, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(strncmp(err.text, "cannot start a thread: ", 23) == 0);
    phase.quiet_us = 0; /* nothing to watch, and no thread */
    expect(task_apart_watch(&t, &err) == 0);
    expect(pthread_setattr_default_np(&before) == 0);
    task_apart_unwatch();
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
}
#endif

static int result_of;
static pid_t caller;

static int run(const struct task_attempt *t, struct err *err)
{
    if (t->number != 7 || getpid() == caller)
        return 99;
    if (result_of < 0)
        return err_set(err, "it failed");
    if (result_of > 255)
        raise(SIGKILL);
    return result_of;
}

/* It runs in another process, and its status comes back as that of a shell. */
TEST(task_apart_runs_below_and_hands_the_status_on)
{
    static const struct {
        int result, status;
        const char *text;
    } rows[] = {{0, 0, ""}, {3, 3, ""}, {-1, 1, "dolly: it failed\n"}, {256, 128 + SIGKILL, ""}};
    struct plan_phase phase = {.name = "a"};
    struct task_attempt t = {.phase = &phase, .number = 7};
    struct err err;

    caller = getpid();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct capture c;
        result_of = rows[i].result;
        capture_begin(&c, STDERR_FILENO);
        int status = task_apart_run(&t, run, &err);
        char *text = capture_end(&c);
        expect(status == rows[i].status && strcmp(text, rows[i].text) == 0);
        mem_free(text);
    }
}
