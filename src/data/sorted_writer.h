/* sorted_writer.h - writing a sorted file (sorted_file.h), from its first byte to its last.
 *
 * Records are added partition by partition, those of a partition in the order of their keys. The
 * same records give the same bytes, packed or not. An error is kept until the end; nothing is
 * written after it. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "data/record.h"
#include "data/sorted_file.h"

struct sorted_writer;

/* Creates a writer to `fd`, which the caller owns; 1 to SORTED_FILE_PARTITIONS_MAX partitions.
 * Returns NULL with *err if the library of the codec is missing. */
struct sorted_writer *sorted_writer_create(int fd, uint32_t partitions,
                                           struct sorted_file_form form, struct err *err);

/* Adds a record. Its partition must not be before that of the last one. */
void sorted_writer_add(struct sorted_writer *w, uint32_t partition, const struct data_record *r);

/* Adds a record that is in its file form already (record_form.h). */
void sorted_writer_add_form(struct sorted_writer *w, uint32_t partition, const uint8_t *form,
                            size_t length);

/* Writes the rest of the file and frees `w`. Returns -1 with *err, which contains `name`, if the
 * file is unusable. */
int sorted_writer_finish(struct sorted_writer *w, const char *name, struct err *err);

/* Frees the writer without finishing the file; NULL is fine. */
void sorted_writer_destroy(struct sorted_writer *w);
