/* attempt_log.h - every attempt of a run as a row, in bounded memory.
 *
 * A row is open from the launch on, and closed when nothing more can happen to it. Of more than
 * ATTEMPT_LOG_MAX closed rows the shortest go, but for those that tell most: extra attempts and
 * those that failed stay as long as there is room. How many went is counted. */
#ifndef COMMANDS_REPORT_ATTEMPT_LOG_H
#define COMMANDS_REPORT_ATTEMPT_LOG_H

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

/* How an attempt ended. Numbers are known to web/report.js. */
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

/* Times are of the run; -1: never. */
struct attempt_row_shown {
    int64_t launched_us, started_us, ended_us;
    int64_t read_from_us, read_to_us; /* from its first fetch to the end of its last */
    struct attempt_ref at;
    uint32_t node, lane;
    uint32_t use;   /* place of what it used, plus 1; 0: none is kept */
    uint16_t why;   /* enum reason_code of its launch */
    uint8_t kind;   /* enum launch_kind */
    uint8_t fate;   /* enum attempt_fate */
    uint8_t cause;  /* enum cause of its end, */
    int32_t detail; /* and its exit status, signal or errno */
    uint32_t reads; /* outputs read, and the longest reads */
    struct attempt_read longest[ATTEMPT_LOG_READS];
};

/* Zero-initialise; free with attempt_log_fini. */
struct attempt_log {
    VEC(struct attempt_row_shown) open, closed;
    VEC(uint32_t) free;   /* places in `open` */
    struct cutoff cutoff; /* what does not reach it is left out */
    uint64_t count;       /* closed in all */
    uint32_t max;         /* of closed rows that are kept; 0: ATTEMPT_LOG_MAX */
};

void attempt_log_fini(struct attempt_log *l);

/* Opens a row, and returns its place in `open`. */
uint32_t attempt_log_open(struct attempt_log *l, const struct attempt_row_shown *row);

/* Its attempt has read an output. */
void attempt_log_read(struct attempt_row_shown *r, const struct attempt_read *read);

/* Closes a row. */
void attempt_log_close(struct attempt_log *l, uint32_t place);

/* Keeps no more closed rows than this, now and later. */
void attempt_log_limit(struct attempt_log *l, uint32_t max);

#endif
