/* streaming_args.h - Hadoop Streaming's command line, as far as it means something here.
 *
 * What Hadoop has and dolly does not is refused by name, with the way to do it if there is one. */
#ifndef STREAMING_STREAMING_ARGS_H
#define STREAMING_STREAMING_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "datajob/datajob.h"

struct streaming_args {
    struct datajob job; /* complete once they are read */
    bool help;

    /* What becomes of the job's phases. */
    const char *mapper, *reducer, *combiner;
    bool aggregates;          /* the reducer is ours (data/aggregate.h), ... */
    bool combiner_aggregates; /* ... or the combiner */
    struct str aggregate[2];  /* the commands for that, of a reducer and of a combiner */
    uint32_t reducers, key_fields, partition_fields;
    const char *separator, *key_separator;
    const char *order, *partition_by; /* as of data/key_order.h, or NULL */
    bool comparator, partitioner;     /* Hadoop's classes for these are asked for */
    bool nline;                       /* each mapper gets a number of lines, ... */
    int64_t lines;                    /* ... these */
    int keys;                         /* mappers read where lines begin: -1 only with nline */
    uint64_t memory;
    int64_t quiet_us;
    bool map_once, reduce_once; /* tasks must not run twice at once */
    uint64_t memory_limit[2];   /* of mappers and reducers; 0: none */
    struct str slow_start, failures;
    bool compress;    /* what mappers leave, ... */
    enum codec codec; /* ... by this one */
};

/* Reads argv behind argv[0]. -1: what is wrong, and which argument. Free with streaming_args_fini
 * in both cases. */
int streaming_args_read(struct streaming_args *a, int argc, char **argv, struct err *err);
void streaming_args_fini(struct streaming_args *a);

#endif
