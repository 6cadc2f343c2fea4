/* streaming_args.h - Hadoop Streaming's command line, as far as it means something here.
 *
 * What Hadoop has and dolly does not is refused by name, with the way to do it if there is one. */
#ifndef STREAMING_STREAMING_ARGS_H
#define STREAMING_STREAMING_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "datajob/datajob.h"

struct streaming_args {
    struct datajob job; /* complete once they are read */
    bool help;

    /* What becomes of the job's phases. */
    const char *mapper, *reducer, *combiner;
    uint32_t reducers, key_fields, partition_fields;
    const char *separator;
    uint64_t memory;
    int64_t quiet_us;
    bool once;        /* tasks must not run twice at once */
    bool compress;    /* what mappers leave, ... */
    enum codec codec; /* ... by this one */
};

/* Reads argv behind argv[0]. -1: what is wrong, and which argument. Free with streaming_args_fini
 * in both cases. */
int streaming_args_read(struct streaming_args *a, int argc, char **argv, struct err *err);
void streaming_args_fini(struct streaming_args *a);

#endif
