/* record_stream.h - a sequence of records from any source. */
#pragma once

#include "base/err.h"
#include "data/record.h"

struct record_stream {
    /* Returns 1 with the next record, which is valid until the next call; 0 at the end; -1 with
     * *err. */
    int (*next)(void *ctx, struct data_record *r, struct err *err);
    void *ctx;
};

static inline int record_stream_next(struct record_stream s, struct data_record *r, struct err *err)
{
    return s.next(s.ctx, r, err);
}
