/* streaming_args.h - parses Hadoop Streaming's command line, as far as it applies to dolly.
 *
 * Options of Hadoop that dolly does not have are refused by name, with an alternative if there is
 * one; options that cannot change a result are ignored with a note. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "jobs/run/datajob.h"

/* Hadoop's class that reads the inputs. */
enum streaming_format { FORMAT_TEXT, FORMAT_NLINE, FORMAT_KEY_VALUE, FORMAT_COMBINE };

/* Origin of a setting; later ones win. */
enum streaming_source { FROM_FILE, FROM_D, FROM_JOBCONF, STREAMING_SOURCES };

struct streaming_args {
    struct datajob job; /* complete once all arguments are parsed */
    bool help;
    VEC(char *) notes;                       /* lines for the user; owned */
    VEC(char *) settings[STREAMING_SOURCES]; /* NAME=VALUE; owned */
    VEC(char *) variables;                   /* NAME=VALUE of -cmdenv */
    struct str hints, unknown;               /* names of settings without an effect here */
    bool packs;        /* compressed results were asked for; a note reports it */
    VEC(char *) owned; /* texts that other fields point to */

    /* Settings of the job's phases. */
    const char *mapper, *reducer, *combiner;
    bool identity;            /* the mapper is Hadoop's IdentityMapper, ... */
    bool reducer_identity;    /* ... or the reducer its IdentityReducer */
    bool aggregates;          /* the reducer is dolly's (data/aggregate.h), ... */
    bool combiner_aggregates; /* ... or the combiner */
    struct str aggregate[2];  /* the commands for that, of a reducer and of a combiner */
    bool none;                /* -reducer NONE, which wins over ... */
    int64_t reducers_asked;   /* ... -numReduceTasks (-1: none), which wins over ... */
    uint32_t reducers;        /* ... settings; after parsing, the one that has won */
    uint32_t key_fields, result_fields, partition_fields;
    const char *separator, *key_separator; /* in the output of mappers, and in keys, ... */
    const char *reduce_separator;          /* ... in the input of reducers, ... */
    const char *printed_separator;         /* ... in their output, ... */
    const char *result_separator;          /* ... and in results */
    const char *offset_separator;          /* after offsets */
    const char *pair_separator;            /* between key and value in inputs */
    const char *order, *partition_by;      /* as of data/key_order.h, or NULL */
    bool comparator, partitioner;          /* Hadoop's classes for these are asked for */
    bool has_format;                       /* -inputformat: */
    enum streaming_format format;
    int64_t lines; /* for each mapper, with FORMAT_NLINE; 0: not given */
    int keys;      /* mappers get the offsets of lines; -1: as the format does */
    uint64_t memory;
    int64_t quiet_us;
    bool map_once, reduce_once; /* tasks must not run twice at once */
    bool any_status;            /* commands may exit with another status than 0 */
    bool lazy;                  /* results that are empty are left out */
    uint64_t memory_limit[2];   /* of mappers and reducers; 0: none */
    struct str slow_start, failures;
    bool compress;    /* compress the output of mappers, ... */
    enum codec codec; /* ... with this codec */
};

/* Parses the arguments after argv[0]. Returns 0, or -1 with *err, which names the argument. Free
 * with streaming_args_fini in both cases. */
int streaming_args_read(struct streaming_args *a, int argc, char **argv, struct err *err);
void streaming_args_fini(struct streaming_args *a);
