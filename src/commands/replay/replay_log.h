/* replay_log.h - a subscriber to the account of a run (record/stats/follow.h) that records the
 * input of a replay: the jobs as they were submitted, and when each attempt was launched, began and
 * ended. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "commands/replay/replay_world.h"
#include "core/model/job.h"
#include "record/journal/wire.h"
#include "record/stats/follow.h"

#define REPLAY_NONE UINT32_MAX /* no attempt */
#define REPLAY_NEVER INT64_MIN /* it did not happen */

struct replay_attempt {
    int64_t launched_us;
    int64_t started_us, ended_us;
    int64_t read_us;   /* its last fetch */
    int64_t struck_us; /* its kill was decided, or its node went down; each may be REPLAY_NEVER */
    uint32_t task;
    uint32_t older;   /* attempt of the task, or REPLAY_NONE */
    uint32_t fetches; /* under way */
    uint16_t ordinal;
    uint8_t end, cause; /* enum event_type, 0: it had not ended; enum cause */
    /* Share of its work at its last report, and the largest step between reports. */
    float done, step;
    float first, first_s; /* share at its first report, and when that was, since its start */
};
_Static_assert(sizeof(struct replay_attempt) == 72, "there are millions of them");

struct replay_phase {
    VEC(struct replay_attempt) attempts; /* in order of their launches */
    uint32_t *newest;                    /* of each task, or NULL: none was launched */
    double written_bytes;                /* by all attempts that finished ... */
    uint64_t finished;                   /* ... and their number */
    int64_t waited_us; /* shortest time from the start to the first read; valid if `reads` */
    bool reads;        /* some attempt has read */
};

struct replay_job {
    const struct job_spec *spec; /* in the scratch of the log */
    int64_t submit_us;
    bool over;
    struct replay_phase *phases;
};

/* A sum of lags and their number. */
struct replay_lag {
    double sum_us;
    uint64_t count;
};

struct replay_log {
    struct follow *follow;       /* while the run is read */
    VEC(struct replay_job) jobs; /* in order of submission, which is that of their ids */
    struct replay_world world;
    struct wire_scratch scratch;
    uint64_t attempts, reports;
    struct replay_lag commits, kills;
};

/* Subscribes. Call before the first turn; free with replay_log_fini. Turns that a replay cannot
 * have fail in the tap of the account. */
void replay_log_init(struct replay_log *l, struct follow *f);
void replay_log_fini(struct replay_log *l);
