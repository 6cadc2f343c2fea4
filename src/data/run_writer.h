/* run_writer.h - writing a run file (run_file.h), from its first byte to its last.
 *
 * Records come partition by partition, those of a partition in the order of their keys. The same
 * records give the same bytes, packed or not. An error is kept until the end; nothing is written
 * behind it. */
#ifndef DATA_RUN_WRITER_H
#define DATA_RUN_WRITER_H

#include <stdint.h>

#include "base/err.h"
#include "data/record.h"
#include "data/run_file.h"

struct run_writer;

/* Writes to `fd`, which stays the caller's; at most RUN_FILE_PARTITIONS_MAX partitions, at least
 * one. NULL: what packs is not on this machine. */
struct run_writer *run_writer_create(int fd, uint32_t partitions, struct run_file_form form,
                                     struct err *err);

/* Not before a partition that had a record already. */
void run_writer_add(struct run_writer *w, uint32_t partition, const struct data_record *r);

/* The same of a record that has its form in the file already (record_form.h). */
void run_writer_add_form(struct run_writer *w, uint32_t partition, const uint8_t *form,
                         uint64_t length);

/* Writes what is left, and frees `w`. -1: the file is of no use, `err` says why, with `name`. */
int run_writer_finish(struct run_writer *w, const char *name, struct err *err);

/* Frees it without finishing; NULL is fine. */
void run_writer_destroy(struct run_writer *w);

#endif
