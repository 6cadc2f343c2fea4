/* sorter.h - sorts records in any order into a sorted file, within a limit of memory.
 *
 * Records are gathered in memory; when that is full they are sorted and spilled to a sorted file in
 * a folder, and at the end the spills are merged. Records with equal keys keep the order in which
 * they were added. Packed spills are merged within the same limit: one block of each is in memory,
 * and when there are as many as have room, they are merged into one. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "data/record_stream.h"
#include "data/sorted_writer.h"

enum { SORTER_MEMORY_MIN = 1 << 16 };
#define SORTER_MEMORY_MAX ((uint64_t)UINT32_MAX)

/* Reduces the records of a partition, which arrive in the order of their keys, to those that are
 * written, in the order of theirs. Returns -1 with *err. */
typedef int sorter_combine(void *ctx, struct record_stream in, uint32_t partition,
                           struct sorted_writer *out, struct err *err);

struct sorter_options {
    uint32_t partitions;
    uint64_t memory;         /* for records and their sort entries: between the bounds above */
    const char *folder;      /* the folder of spills, which must exist; borrowed */
    sorter_combine *combine; /* NULL: records are written unchanged */
    void *ctx;
    struct sorted_file_form form; /* of the file; spills are packed by the same codec */
};

struct sorter;

struct sorter *sorter_create(const struct sorter_options *options);
/* Destroys the sorter and removes its spills, unless one could not be written: to find the cause,
 * the user needs the disk as full as it was. NULL is fine. */
void sorter_destroy(struct sorter *s);

/* Adds a copy of the record. Returns -1 with *err if it is too large, or a spill failed. */
int sorter_add(struct sorter *s, uint32_t partition, const struct data_record *r, struct err *err);

/* Writes all records to `fd` (`name` for messages) as a sorted file. Afterwards the sorter can only
 * be destroyed. */
int sorter_finish(struct sorter *s, int fd, const char *name, struct err *err);

/* The number of spills. */
uint32_t sorter_spills(const struct sorter *s);
