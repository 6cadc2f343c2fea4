/* merge.h - many sorted partitions read as one. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "data/record_stream.h"
#include "data/sorted_file.h"

struct merge;

/* Creates a reader of the partition of each of `count` files (at least one), which the caller owns
 * and keeps open. Returns NULL with *err if a file lacks that partition, or it is damaged. */
struct merge *merge_create(const struct sorted_file *files, uint32_t count, uint32_t partition,
                           struct err *err);
void merge_destroy(struct merge *m); /* NULL is fine */

/* The stream of all records by key; equal keys in the order of the files. Unpacks one block of each
 * packed file at a time. */
struct record_stream merge_stream(struct merge *m);
