/* sorted_file.h - reading a sorted file: partitions of sorted records, written once.
 *
 * A task of a phase that others read writes its records to one file, those of a partition together
 * and in the order of their keys. docs/inside/data-format.md has the layout byte by byte;
 * sorted_writer.h makes such files. A file is mapped, and not trusted: the index has a checksum,
 * each partition has one, and records are read within the bounds of their partition.
 *
 * The head says how all partitions are stored: plain, that is, as a sequence of records, which are
 * read in place; or packed, that is, the same sequence cut into blocks of equal length, each packed
 * by itself (sorted_blocks.h). Offsets, bytes and checksums are those of the stored bytes, so a
 * packed file is opened, checked, copied and compared like a plain one. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "data/codec.h"
#include "data/record.h"

#define SORTED_FILE_MAGIC "dollyrun"

enum {
    SORTED_FILE_VERSION = 2,
    SORTED_FILE_HEAD = 16, /* bytes before the first partition */
    SORTED_FILE_TAIL = 24, /* bytes after the index */
    SORTED_FILE_ROW = 32,  /* bytes of a partition in the index */
    SORTED_FILE_PARTITIONS_MAX = 1 << 20,
};

/* How the partitions of a file are stored. Zeros: plain. */
struct sorted_file_form {
    enum codec codec;
    uint32_t block; /* bytes of a block before it is packed: whole KiB up to SORTED_BLOCKS_MAX */
};

/* The form of files of which `count` (not 0) are read at once within that much memory, unless
 * blocks would become too small to be packed. */
struct sorted_file_form sorted_file_form(enum codec codec, uint64_t memory, uint64_t count);
/* The form as a word of the file format. */
uint32_t sorted_file_form_word(struct sorted_file_form form);

/* A row of the index. */
struct sorted_file_partition {
    uint64_t offset, bytes, records, checksum;
};

struct sorted_file {
    const uint8_t *map; /* NULL if it was read: then it has one partition only, the checked one */
    uint64_t size;
    const uint8_t *index; /* its rows and the tail; if mapped */
    struct sorted_file_form form;
    uint32_t partitions;
    /* number of a partition whose checksum is right, plus 1; 0: none was checked */
    uint32_t checked;
    struct sorted_file_partition row; /* if it was read: the row of that partition ... */
    uint8_t *bytes;                   /* ... and its bytes, */
    uint64_t mapped;                  /* the length of their mapping, if not 0 */
    char *path;                       /* for messages */
};

/* Opens a file and checks its index; close with sorted_file_close. Returns -1 with *err, which
 * names the file, if it cannot be read, is not a sorted file or is damaged. */
int sorted_file_open(struct sorted_file *f, const char *path, struct err *err);
/* Opens a file for a reader of one of `partitions`, and checks that partition. A small partition is
 * read and the others ignored, because a reader may have thousands of files, and mapping one takes
 * longer than reading a little of it. `folder`: an open descriptor of the path's folder, since
 * looking up a whole path takes as long as reading the file; or AT_FDCWD. */
int sorted_file_open_partition(struct sorted_file *f, int folder, const char *path,
                               uint32_t partition, uint32_t partitions, struct err *err);
/* Opens a partition that was fetched from another machine, where the index was checked: its bytes
 * are the whole file `fd`, which the caller owns. `form` is the word of the file format. */
int sorted_file_open_fetched(struct sorted_file *f, const char *name, int fd, uint32_t form,
                             const struct sorted_file_partition *row, uint32_t partition,
                             uint32_t partitions, struct err *err);
/* Closes the file; does nothing for a zeroed struct. */
void sorted_file_close(struct sorted_file *f);

/* The offset of the index of a mapped file. */
uint64_t sorted_file_index(const struct sorted_file *f);

/* A checksum that is equal if and only if all partitions are, and are stored in the same way. The
 * file must be mapped. */
uint64_t sorted_file_checksum(const struct sorted_file *f);

/* The index row of a partition. If the file was read, only that of the partition read. */
struct sorted_file_partition sorted_file_partition(const struct sorted_file *f, uint32_t partition);

/* Walks over the records of a partition. */
struct sorted_file_cursor {
    const uint8_t *at, *end; /* records in memory: all of a plain partition */
    uint64_t left;           /* records */
    const struct sorted_file *file;
    struct sorted_blocks *blocks; /* for further records; NULL if it is plain */
    uint64_t moves;               /* number of refills: records of earlier ones are invalid */
};

/* Begins a walk; end it with sorted_file_end, even if it fails. Returns -1 with *err if the
 * partition was not checked before and its checksum is wrong, or if it cannot be unpacked. */
int sorted_file_begin(const struct sorted_file *f, uint32_t partition, struct sorted_file_cursor *c,
                      struct err *err);
/* Ends a walk; does nothing for a zeroed struct. */
void sorted_file_end(struct sorted_file_cursor *c);

/* Returns 1 with the next record, which is valid until c->moves changes or the walk ends; 0 at the
 * end; -1 with *err if the bytes are not a record. */
int sorted_file_next(struct sorted_file_cursor *c, struct data_record *r, struct err *err);
