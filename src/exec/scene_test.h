/* scene_test.h - a folder with a workload and its run, for tests with real processes; and a
 * workload of one job for those that put a run together themselves. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/engine/engine.h"
#include "inputs/workload/workload.h"

struct scene {
    char dir[64]; /* holds the workload, and the run in run/ */
    struct err err;
    char failure[1024];
    int result;     /* of engine_run, or -2 when there was nothing to run */
    struct tap tap; /* sees the turns of scene_run, if the test has set it */
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

/* Returns true if no process holds the lock of the run any more, after waiting for a while; and
 * the same of a run in any folder. */
bool scene_deserted(struct scene *s);
bool scene_lock_free(const char *run);

/* One job of one phase, each of whose tasks may fail. Init fills in all of it. */
struct scene_job {
    struct workload workload; /* gives `job` once; first, as that is how it finds the rest */
    struct workload_job job;
    struct phase_spec phase;
    struct phase_truth truth;
    bool given;
};
void scene_job_init(struct scene_job *j, uint32_t tasks);
