#include <pthread.h>
#include <string.h>

#include "jobs/task/task_state.h"
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
