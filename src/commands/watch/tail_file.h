/* tail_file.h - notices that a file that is read while it grows was cut, replaced or removed. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct tail_file {
    const char *path; /* borrowed */
    dev_t device;
    ino_t inode;
    off_t size;         /* the largest so far */
    int64_t written_us; /* when it was written last, by the clock of the system */
};

enum tail_change { TAIL_SAME, TAIL_CUT, TAIL_REPLACED, TAIL_GONE };

/* Remembers the file as it is now. Returns 0, or -1 with *err if it does not exist. */
int tail_file_init(struct tail_file *t, const char *path, struct err *err);

/* Compares the file with the one that is remembered, and notes its growth. */
enum tail_change tail_file_look(struct tail_file *t);

/* Returns the change as the end of a sentence about the journal: "was cut", ... */
const char *tail_file_words(enum tail_change change);

/* Returns the microseconds of the clock of the system since the file was written last, at least 0.
 */
int64_t tail_file_age_us(const struct tail_file *t);
