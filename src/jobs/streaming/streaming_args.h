/* streaming_args.h - Hadoop Streaming's command line, as far as it means something here.
 *
 * What Hadoop has and dolly does not is refused by name, with the way to do it if there is one;
 * what changes no result is left out, and that is said. */
#ifndef JOBS_STREAMING_STREAMING_ARGS_H
#define JOBS_STREAMING_STREAMING_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "jobs/run/datajob.h"

/* By which class inputs are read. */
enum streaming_format { FORMAT_TEXT, FORMAT_NLINE, FORMAT_KEY_VALUE, FORMAT_COMBINE };

/* Where settings come from; those of later ones win. */
enum streaming_source { FROM_FILE, FROM_D, FROM_JOBCONF, STREAMING_SOURCES };

struct streaming_args {
    struct datajob job; /* complete once they are read */
    bool help;
    VEC(char *) notes;                       /* lines for the user; owned */
    VEC(char *) settings[STREAMING_SOURCES]; /* NAME=VALUE; owned */
    VEC(char *) variables;                   /* the same of -cmdenv */
    struct str hints, unknown;               /* names of settings that mean nothing here */
    bool packs;                              /* results were to be packed, which is said */
    VEC(char *) owned;                       /* texts that others point to */

    /* What becomes of the job's phases. */
    const char *mapper, *reducer, *combiner;
    bool identity;            /* the mapper is Hadoop's IdentityMapper, ... */
    bool reducer_identity;    /* ... or the reducer its IdentityReducer */
    bool aggregates;          /* the reducer is ours (data/aggregate.h), ... */
    bool combiner_aggregates; /* ... or the combiner */
    struct str aggregate[2];  /* the commands for that, of a reducer and of a combiner */
    bool none;                /* -reducer NONE, which wins over ... */
    int64_t reducers_asked;   /* ... -numReduceTasks (-1: none), which wins over ... */
    uint32_t reducers;        /* ... settings; once all is read, what has won */
    uint32_t key_fields, result_fields, partition_fields;
    const char *separator, *key_separator; /* of what mappers print, and in keys, ... */
    const char *reduce_separator;          /* ... of what reducers read, ... */
    const char *printed_separator;         /* ... and print, ... */
    const char *result_separator;          /* ... and in results */
    const char *offset_separator;          /* behind offsets */
    const char *pair_separator;            /* between key and value in inputs */
    const char *order, *partition_by;      /* as of data/key_order.h, or NULL */
    bool comparator, partitioner;          /* Hadoop's classes for these are asked for */
    bool has_format;                       /* -inputformat: */
    enum streaming_format format;
    int64_t lines; /* for each mapper, with FORMAT_NLINE; 0: not said */
    int keys;      /* mappers read where lines begin: -1 as the format has it */
    uint64_t memory;
    int64_t quiet_us;
    bool map_once, reduce_once; /* tasks must not run twice at once */
    bool any_status;            /* commands may exit with another status than 0 */
    bool lazy;                  /* results that are empty are left out */
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
