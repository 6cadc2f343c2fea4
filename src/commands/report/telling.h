/* telling.h - the tasks of a run that tell most, in the words of `dolly explain`.
 *
 * A page cannot hold the story of every task. Those of four kinds are kept, TELLING_EACH of each:
 * tasks that took longest beyond what was fair, that an extra attempt saved most, that failed most,
 * and that were slow where no extra attempt was allowed. */
#ifndef COMMANDS_REPORT_TELLING_H
#define COMMANDS_REPORT_TELLING_H

#include <stdint.h>

#include "base/vec.h"
#include "commands/explain/explain.h"
#include "core/model/id.h"

enum { TELLING_EACH = 500 };

enum telling_kind { TELLING_SLOW, TELLING_SAVED, TELLING_FAILED, TELLING_CAPPED, TELLING_KINDS };

struct telling_task {
    int64_t score;
    struct attempt_ref at; /* of the task; its attempt says nothing */
    char *text;            /* owned */
};

struct telling_list {
    VEC(struct telling_task) v;
};

/* Zero-initialise; free with telling_fini. */
struct telling_kept {
    struct telling_list kinds[TELLING_KINDS];
    int64_t least[TELLING_KINDS]; /* what scores no more is not kept; 0 until there are many */
};

void telling_fini(struct telling_kept *t);

/* Takes what is worth it of a job that is over: x->job. */
void telling_job(struct telling_kept *t, const struct explain *x);

/* Whether a task of the kind TELLING_FAILED was given up for good. */
bool telling_is_final(const struct telling_task *t);

/* All that were kept, each once, in order of job, phase and task; the texts stay ours. Free the
 * list with vec_free(&list.v). */
struct telling_list telling_all(struct telling_kept *t);

#endif
