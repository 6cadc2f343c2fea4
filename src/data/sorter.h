/* sorter.h - records in any order become a run file, within a limit of memory.
 *
 * Records are gathered in memory; when that is full they are sorted and spilled to a run file
 * beside, and at the end the spills are merged. What equal keys have keeps the order in which it
 * came. Packed spills are merged within the same limit: one block of each is in memory, and when
 * there are as many as have room, they become one. */
#ifndef DATA_SORTER_H
#define DATA_SORTER_H

#include <stdint.h>

#include "base/err.h"
#include "data/record_stream.h"
#include "data/run_writer.h"

enum { SORTER_MEMORY_MIN = 1 << 16 };
#define SORTER_MEMORY_MAX ((uint64_t)UINT32_MAX)

/* Makes of the records of a partition, in order of their keys, those that are written, in order
 * of theirs. -1: `err` says why. */
typedef int sorter_combine(void *ctx, struct record_stream in, uint32_t partition,
                           struct run_writer *out, struct err *err);

struct sorter_options {
    uint32_t partitions;
    uint64_t memory;         /* for records and what sorts them: between the bounds above */
    const char *folder;      /* where spills go; it must exist. Borrowed */
    sorter_combine *combine; /* NULL: records are written as they came */
    void *ctx;
    struct run_file_form form; /* of the file; spills are packed by the same codec */
};

struct sorter;

struct sorter *sorter_create(const struct sorter_options *options);
/* Removes its spills, unless one could not be written: who looks for the cause has to find the disk
 * as full as it was. NULL is fine. */
void sorter_destroy(struct sorter *s);

/* Copies the record. -1: there is no room for it, or a spill failed. */
int sorter_add(struct sorter *s, uint32_t partition, const struct data_record *r, struct err *err);

/* Writes all records to `fd` (`name` for messages) as a run file. Then it can only be destroyed. */
int sorter_finish(struct sorter *s, int fd, const char *name, struct err *err);

/* How often it ran out of memory. */
uint32_t sorter_spills(const struct sorter *s);

#endif
