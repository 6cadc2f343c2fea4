/* plan.h - what each task of a data-parallel job has to do, as a file of the run.
 *
 * The coordinator writes it once; `dolly task` reads it in each attempt. Words and paths may be any
 * bytes but zeros. */
#ifndef JOBS_TASK_PLAN_H
#define JOBS_TASK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* A piece of an input, and what the input looked like when it was cut. */
struct plan_split {
    char *path;
    uint64_t from, bytes; /* bytes: until the next piece, before bounds are moved to lines */
    uint64_t size;
    int64_t changed_ns;
    bool packed; /* all of it, to be unpacked: gzip, zstd, xz, ... */
};

/* A file that tasks find in their folder under its name. */
struct plan_file {
    char *path, *name;
    char *hash; /* native_object.h: what it has to have; NULL: anything */
};

/* A phase: what its tasks read, run and leave. */
struct plan_phase {
    char *name;
    char *command;  /* for sh -c; "" if it is native */
    char *combiner; /* the same, on what one task leaves of a partition; or NULL */
    uint32_t tasks;
    uint32_t above;      /* the phase it reads; PLAN_INPUTS: pieces of the inputs */
    uint32_t partitions; /* of what it leaves: those who read it; 0: it leaves what it prints */
    uint32_t key_fields; /* at the beginning of a line are the key */
    uint32_t partition_fields; /* at the beginning of the key say the partition; 0: all */
    uint32_t codec;            /* by which it is packed; enum codec */
    char *separator;           /* between fields; a character or more */
    char *key_separator;       /* between those of the key; NULL: the same */
    char *to_separator;        /* between key and value for those who read it, and in results; NULL:
                                * the same */
    char *combined_separator;  /* between fields of what the combiner prints; NULL: the same */
    uint32_t combined_fields;  /* that are the key there; 0: as many */
    char *order;               /* of keys (data/key_order.h); NULL: that of their bytes */
    char *partition_by;    /* parts of the key that say the partition, as of an order; or NULL */
    uint32_t offsets;      /* what lines of inputs are read with; enum plan_offsets */
    uint32_t as_hadoop;    /* 1: how lines end (data/line_ends.h), numbers are compared (data/
                            * key_order.h) and commands are split (hadoop_words.h) is Hadoop's */
    uint32_t any_status;   /* 1: a command may exit with any status */
    uint32_t lazy;         /* 1: results that are empty are left out */
    uint64_t memory;       /* bytes for sorting */
    uint64_t memory_limit; /* bytes that its command or functions may have; 0: any */
    int64_t quiet_us;      /* how long nothing may move; 0: for ever */
    char *native;          /* a shared object whose functions it runs; NULL: its command */
    char *functions;       /* which of them: a name in the object */
    char *native_hash;     /* native_object.h: what the object has to have */
};
#define PLAN_INPUTS UINT32_MAX
enum plan_offsets {
    PLAN_LINES,   /* nothing */
    PLAN_OFFSETS, /* where they begin, before them */
    PLAN_TABS,    /* a TAB, behind those that have none */
};
#define PLAN_QUIET_US (INT64_C(600) * 1000000) /* as of Hadoop */

struct task_plan {
    char *job;       /* its name */
    char *program;   /* the hash of the dolly that began it; NULL: not known */
    VEC(char *) env; /* NAME=VALUE for commands */
    VEC(struct plan_file) files;
    VEC(struct plan_split) splits; /* none of a plan that was read: plan_read_split */
    VEC(struct plan_phase) phases;
    uint64_t hash;        /* of the file that it was written to or read from */
    uint32_t split_count; /* of such a file */
    char *text;           /* of a plan that was read: all of it, ... */
    size_t text_length;   /* ... without the zero behind it */
};

void plan_fini(struct task_plan *p); /* zero-initialise */

/* Adds a phase with defaults, reading the inputs; valid until the next one is added. */
struct plan_phase *plan_add_phase(struct task_plan *p, const char *name, const char *command);

/* Between the fields of a key. */
static inline const char *plan_key_separator(const struct plan_phase *p)
{
    return p->key_separator ? p->key_separator : p->separator;
}

/* Between key and value of what it hands on. */
static inline const char *plan_to_separator(const struct plan_phase *p)
{
    return p->to_separator ? p->to_separator : p->separator;
}

/* Its index, or PLAN_INPUTS. */
uint32_t plan_find_phase(const struct task_plan *p, const char *name);

/* The file must not exist. Fills in its hash. */
int plan_write(struct task_plan *p, const char *path, struct err *err);
/* Fills a plan that was not initialised; -1 leaves nothing to be freed. */
int plan_read(struct task_plan *p, const char *path, struct err *err);
/* A split of a plan that was read, where there may be many and an attempt wants one, or was
 * written. Its path lives as long as the plan. */
int plan_read_split(const struct task_plan *p, uint32_t number, struct plan_split *s,
                    struct err *err);

#endif
