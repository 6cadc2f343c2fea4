/* attempt_log.h - every attempt of a run as a row, in bounded memory.
 *
 * A row is open from the launch on, and closed when nothing more can happen to it. Of more than
 * ATTEMPT_LOG_MAX closed rows the shortest are dropped; extra attempts and failed ones, which are
 * the most informative, are kept as long as there is room. The number of dropped rows is counted.
 */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "commands/report/cutoff.h"
#include "core/model/id.h"

enum { ATTEMPT_LOG_MAX = 400000, ATTEMPT_LOG_READS = 3 };

/* An output that an attempt has read; task TASK_ALL: the whole phase. */
struct attempt_read {
    uint32_t task;
    float took_s;
    uint16_t phase;
};

/* The end of an attempt. web/report.js knows these numbers. */
enum attempt_fate {
    FATE_RUNS,  /* at the end of the journal */
    FATE_WON,   /* its output was taken */
    FATE_SPARE, /* it finished, and its output was not needed */
    FATE_KILLED,
    FATE_FAILED,
    FATE_LOST,      /* with its node */
    FATE_WITHDRAWN, /* its launch was taken back, or failed */
    FATE_COUNT,
};

/* Returns the fate of an attempt that ends with this type of event, and has not won yet. */
enum attempt_fate attempt_log_fate(uint8_t type);

/* Times are of the run; -1: never. */
struct attempt_row_shown {
    int64_t launched_us, started_us, ended_us;
    int64_t read_from_us, read_to_us; /* from its first fetch to the end of its last */
    struct attempt_ref at;
    uint32_t node, lane;
    uint32_t use;   /* index of its usage plus 1; 0: none is kept */
    uint16_t why;   /* enum reason_code of its launch */
    uint8_t kind;   /* enum launch_kind */
    uint8_t fate;   /* enum attempt_fate */
    uint8_t cause;  /* enum cause of its end */
    int32_t detail; /* exit status, signal or errno of its end */
    uint32_t reads; /* number of outputs read, and the longest reads */
    struct attempt_read longest[ATTEMPT_LOG_READS];
};

/* Zero-initialise; free with attempt_log_fini. */
struct attempt_log {
    VEC(struct attempt_row_shown) open, closed;
    VEC(uint32_t) free;   /* indices in `open` */
    struct cutoff cutoff; /* rows that do not reach it are dropped */
    uint64_t count;       /* number of closed rows, including dropped ones */
    uint32_t max;         /* maximum number of closed rows that are kept; 0: ATTEMPT_LOG_MAX */
};

void attempt_log_fini(struct attempt_log *l);

/* Opens a row, and returns its index in `open`. */
uint32_t attempt_log_open(struct attempt_log *l, const struct attempt_row_shown *row);

/* Records that the attempt has read an output. */
void attempt_log_read(struct attempt_row_shown *r, const struct attempt_read *read);

/* Closes a row. */
void attempt_log_close(struct attempt_log *l, uint32_t place);

/* Keeps no more closed rows than this, now and later. */
void attempt_log_limit(struct attempt_log *l, uint32_t max);
