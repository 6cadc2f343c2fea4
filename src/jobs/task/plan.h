/* plan.h - describes each task of a data-parallel job, in a file of the run.
 *
 * The coordinator writes it once; `dolly task` reads it in each attempt. Words and paths may have
 * any bytes except NULs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* A piece of an input, and the state of the input when it was cut. */
struct plan_split {
    char *path;
    uint64_t from, bytes; /* bytes: up to the next piece, before bounds are moved to lines */
    uint64_t size;
    int64_t changed_ns;
    bool packed; /* the whole file, to be decompressed: gzip, zstd, xz, ... */
};

/* A file that tasks find in their folder under its name. */
struct plan_file {
    char *path, *name;
    char *hash; /* the expected one (native_object.h); NULL: any */
};

/* A phase: the inputs, commands and outputs of its tasks. */
struct plan_phase {
    char *name;
    char *command;  /* for sh -c; "" if it is native */
    char *combiner; /* a command too, for the output of one task in a partition; or NULL */
    uint32_t tasks;
    uint32_t above;      /* the phase whose output it reads; PLAN_INPUTS: pieces of the inputs */
    uint32_t partitions; /* of its output: number of readers; 0: it prints its output */
    uint32_t key_fields; /* number of fields at the start of a line that are the key */
    /* Number of fields at the start of the key that select the partition; 0: all. */
    uint32_t partition_fields;
    uint32_t codec;      /* of its output; enum codec */
    char *separator;     /* between fields; one or more characters */
    char *key_separator; /* between the fields of the key; NULL: the same */
    /* Between key and value for the phase below, and in results; NULL: the same. */
    char *to_separator;
    char *combined_separator; /* between fields of the combiner's output; NULL: the same */
    uint32_t combined_fields; /* number of key fields there; 0: the same */
    char *order;              /* of keys (data/key_order.h); NULL: by their bytes */
    char *partition_by; /* parts of the key that select the partition, as in an order; or NULL */
    uint32_t offsets;   /* prefix or suffix of input lines; enum plan_offsets */
    /* 1: line ends (data/line_ends.h), comparison of numbers (data/key_order.h) and splitting of
     * commands (hadoop_words.h) are Hadoop's. */
    uint32_t as_hadoop;
    uint32_t any_status;   /* 1: a command may exit with any status */
    uint32_t lazy;         /* 1: do not write empty results */
    uint64_t memory;       /* bytes for sorting */
    uint64_t memory_limit; /* bytes that its command or functions may use; 0: any */
    int64_t quiet_us;      /* longest time without progress; 0: for ever */
    char *native;          /* a shared object whose functions it runs; NULL: it runs its command */
    char *functions;       /* their name in the object */
    char *native_hash;     /* the expected hash of the object (native_object.h) */
};
#define PLAN_INPUTS UINT32_MAX
enum plan_offsets {
    PLAN_LINES,   /* the lines alone */
    PLAN_OFFSETS, /* the offset of each line, before it */
    PLAN_TABS,    /* a TAB after lines that have none */
};
#define PLAN_QUIET_US (INT64_C(600) * 1000000) /* as in Hadoop */

struct task_plan {
    char *job;       /* its name */
    char *program;   /* the hash of the dolly that began it; NULL: not known */
    VEC(char *) env; /* NAME=VALUE for commands */
    VEC(struct plan_file) files;
    VEC(struct plan_split) splits; /* empty in a plan that was read: plan_read_split */
    VEC(struct plan_phase) phases;
    uint64_t hash;        /* of the file that it was written to or read from */
    uint32_t split_count; /* in such a file */
    char *text;           /* of a plan that was read: the whole file, */
    size_t text_length;   /* without the final NUL */
};

void plan_fini(struct task_plan *p); /* zero-initialise */

/* Adds a phase with defaults, which reads the inputs; the pointer is valid until the next one is
 * added. */
struct plan_phase *plan_add_phase(struct task_plan *p, const char *name, const char *command);

/* The separator between the fields of a key. */
static inline const char *plan_key_separator(const struct plan_phase *p)
{
    return p->key_separator ? p->key_separator : p->separator;
}

/* The separator between key and value in its output. */
static inline const char *plan_to_separator(const struct plan_phase *p)
{
    return p->to_separator ? p->to_separator : p->separator;
}

/* Returns the index of the phase, or PLAN_INPUTS. */
uint32_t plan_find_phase(const struct task_plan *p, const char *name);

/* Writes the plan to a new file, and fills in its hash. Returns 0, or -1 with *err. */
int plan_write(struct task_plan *p, const char *path, struct err *err);
/* Reads a plan into *p, which need not be initialised. Returns 0, or -1 with *err and nothing to
 * free. */
int plan_read(struct task_plan *p, const char *path, struct err *err);
/* Reads one split of a plan that was written or read; an attempt needs only one of perhaps many.
 * Its path lives as long as the plan. Returns 0, or -1 with *err. */
int plan_read_split(const struct task_plan *p, uint32_t number, struct plan_split *s,
                    struct err *err);
