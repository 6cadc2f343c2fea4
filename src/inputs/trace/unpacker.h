/* unpacker.h - the bytes of a trace: plain files, pipes and archives, one member after the other.
 *
 * A member is a plain file or a member of an archive, unpacked; gzip, zstd, xz and others, tar and
 * zip, and the lz4 and snappy blocks of Spark, are recognised by their content. */
#pragma once

#include <stddef.h>

#include "base/err.h"

enum { UNPACKER_PEEK = 64 * 1024 };

struct unpacker;

/* Opens one file; "-" is the standard input. Returns NULL with *err. */
struct unpacker *unpacker_open(const char *path, struct err *err);
void unpacker_close(struct unpacker *s); /* NULL is fine */

/* Moves to the next member that is a file with bytes: returns 1 with its *name (borrowed until the
 * next call), 0 when there are no more, -1 with *err. */
int unpacker_member(struct unpacker *s, const char **name, struct err *err);

/* Gets the first bytes of the member, up to UNPACKER_PEEK of them, fewer only if it has no more;
 * unpacker_read returns them again. Borrowed until the next call. Returns -1 with *err. */
int unpacker_peek(struct unpacker *s, const char **at, size_t *length, struct err *err);

/* Reads the next bytes of the member: returns 1, or 0 at its end, or -1 with *err, for example
 * because an archive is cut off. Borrowed until the next call. */
int unpacker_read(struct unpacker *s, const char **at, size_t *length, struct err *err);
