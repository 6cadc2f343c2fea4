/* scene_test.h - a folder with a workload and its run, for tests with real processes. */
#ifndef EXEC_SCENE_TEST_H
#define EXEC_SCENE_TEST_H

#include <stdbool.h>

#include "base/err.h"

struct scene {
    char dir[64]; /* holds the workload, and the run in run/ */
    struct err err;
    char failure[1024];
    int result; /* of engine_run, or -2 when there was nothing to run */
};

bool scene_open(struct scene *s, const char *workload);
void scene_close(struct scene *s);

/* One run from beginning to end, as `dolly exec` would do it. */
void scene_run(struct scene *s, const char *shell);

/* Goes on with a run that was cut short. Result 1: it was complete; -2: it had not begun. */
void scene_resume(struct scene *s);

/* The contents of a committed output; NULL when there is none. Valid until the next call. */
const char *scene_output(struct scene *s, const char *name);
bool scene_is(struct scene *s, const char *name, const char *want);

/* Whether nobody holds the lock of the run any more, after waiting for a while. */
bool scene_deserted(struct scene *s);

#endif
