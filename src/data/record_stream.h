/* record_stream.h - records one after the other, wherever they come from. */
#ifndef DATA_RECORD_STREAM_H
#define DATA_RECORD_STREAM_H

#include "base/err.h"
#include "data/record.h"

struct record_stream {
    /* 1 and the next record, which lives until another is asked for; 0 at the end; -1 if there is
     * trouble. */
    int (*next)(void *ctx, struct data_record *r, struct err *err);
    void *ctx;
};

static inline int record_stream_next(struct record_stream s, struct data_record *r, struct err *err)
{
    return s.next(s.ctx, r, err);
}

#endif
