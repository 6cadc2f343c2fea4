/* run_file.h - reading a run file: partitions of sorted records, written once.
 *
 * A task of a phase that others read leaves its records in one file, those of a partition together
 * and in the order of their keys. docs/inside/data-format.md has the layout byte by byte;
 * run_writer.h makes such files. A file is mapped, and nothing in it is believed: the index has a
 * checksum, each partition has one, and records are looked at within the bounds of their partition.
 *
 * The head says how all partitions are stored: plain, that is, records one behind the other, which
 * are read where they lie; or packed, which is what records one behind the other would be, cut into
 * blocks of the same length, each packed by itself (run_blocks.h). Offsets, bytes and checksums are
 * those of what is stored, so a packed file is opened, checked, copied and compared as a plain one
 * is. */
#ifndef DATA_RUN_FILE_H
#define DATA_RUN_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/codec.h"
#include "data/record.h"

#define RUN_FILE_MAGIC "dollyrun"

enum {
    RUN_FILE_VERSION = 2,
    RUN_FILE_HEAD = 16, /* bytes before the first partition */
    RUN_FILE_TAIL = 24, /* bytes behind the index */
    RUN_FILE_ROW = 32,  /* bytes of a partition in the index */
    RUN_FILE_PARTITIONS_MAX = 1 << 20,
};

/* How the partitions of a file are stored. Zeros: plain. */
struct run_file_form {
    enum codec codec;
    uint32_t block; /* bytes of a block before it is packed: whole KiB up to RUN_BLOCKS_MAX */
};

/* That of files of which `count` (not 0) are read at once within that much memory, as far as
 * blocks do not become too small to be packed. */
struct run_file_form run_file_form(enum codec codec, uint64_t memory, uint64_t count);
/* As files have it. */
uint32_t run_file_form_word(struct run_file_form form);

/* A partition as the index has it. */
struct run_file_part {
    uint64_t offset, bytes, records, checksum;
};

struct run_file {
    const uint8_t *map; /* NULL if it was read: then there is one partition only, the checked one */
    uint64_t size;
    const uint8_t *index; /* its rows, and the tail behind them; of one that is mapped */
    struct run_file_form form;
    uint32_t partitions;
    uint32_t checked; /* a partition that has its checksum, and one; 0: none has been looked at */
    struct run_file_part row; /* of one that was read: that partition ... */
    uint8_t *bytes;           /* ... and what it has, */
    uint64_t mapped;          /* which is mapped, if this is not 0 */
    char *path;               /* for messages */
};

/* Opens a file and checks its index; close with run_file_close. -1: it cannot be read, or is no run
 * file, or damaged; `err` says which file and what. */
int run_file_open(struct run_file *f, const char *path, struct err *err);
/* The same for a reader of one of `partitions`, which is checked: it is read if it is
 * small, because a reader may have thousands of files, and mapping one takes longer than reading a
 * little of it. Then others are not looked at. `folder`: that of the path, if it is open, since
 * to look up all of a path takes as long as to read what lies there; else AT_FDCWD. */
int run_file_open_part(struct run_file *f, int folder, const char *path, uint32_t partition,
                       uint32_t partitions, struct err *err);
/* The same for a partition that came from another machine, where the index was checked: its bytes
 * are all that `fd` has, which stays the caller's. `form` is as files have it. */
int run_file_open_fetched(struct run_file *f, const char *name, int fd, uint32_t form,
                          const struct run_file_part *row, uint32_t partition, uint32_t partitions,
                          struct err *err);
void run_file_close(struct run_file *f); /* of zeros, too */

/* Where the index begins, of one that is mapped. */
uint64_t run_file_index(const struct run_file *f);

/* Equal if and only if all partitions are, and are stored in the same way. Not of one that was
 * read. */
uint64_t run_file_checksum(const struct run_file *f);

/* Of one that was read there is only the partition that was read. */
struct run_file_part run_file_part(const struct run_file *f, uint32_t partition);

/* Walks over the records of a partition. */
struct run_file_cursor {
    const uint8_t *at, *end; /* records that are here: all of a plain partition */
    uint64_t left;           /* records */
    const struct run_file *file;
    struct run_blocks *blocks; /* where more come from; NULL if it is plain */
    uint64_t moves;            /* how often more have come: records from before are gone */
};

/* Begins a walk; end it with run_file_end, also one that could not begin. -1: the partition was not
 * checked, and has a wrong checksum; or it cannot be unpacked. */
int run_file_begin(const struct run_file *f, uint32_t partition, struct run_file_cursor *c,
                   struct err *err);
void run_file_end(struct run_file_cursor *c); /* of zeros, too */

/* 1 and the next record, which lives until c->moves changes or the walk ends; 0 at the end; -1:
 * what is there is not a record. */
int run_file_next(struct run_file_cursor *c, struct data_record *r, struct err *err);

#endif
