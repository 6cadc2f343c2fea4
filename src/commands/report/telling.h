/* telling.h - the most notable tasks of a run, in the words of `dolly explain`.
 *
 * A page cannot hold the story of every task. Tasks of four kinds are kept, TELLING_EACH of each:
 * tasks that were slowest beyond a fair time, that an extra attempt saved most, that failed most,
 * and that were slow where no extra attempt was allowed. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "commands/explain/explain.h"
#include "core/model/id.h"

enum { TELLING_EACH = 500 };

enum telling_kind { TELLING_SLOW, TELLING_SAVED, TELLING_FAILED, TELLING_CAPPED, TELLING_KINDS };

struct telling_task {
    int64_t score;
    struct attempt_ref at; /* of the task; its attempt is not set */
    char *title;           /* of a task that failed for good, explain_failure's; else NULL; owned */
    char *text;            /* owned */
};

struct telling_list {
    VEC(struct telling_task) v;
};

/* Zero-initialise; free with telling_fini. */
struct telling_kept {
    struct telling_list kinds[TELLING_KINDS];
    /* Tasks with at most this score are not kept; 0 until there are many. */
    int64_t least[TELLING_KINDS];
};

void telling_fini(struct telling_kept *t);

/* Takes the notable tasks of a job that is over: x->job. */
void telling_job(struct telling_kept *t, const struct explain *x);

/* Returns all kept tasks, each once, in order of job, phase and task; the texts remain owned by *t.
 * Free the list with vec_free(&list.v). */
struct telling_list telling_all(struct telling_kept *t);
