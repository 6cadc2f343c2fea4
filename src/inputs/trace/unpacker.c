/* unpacker.c - libarchive behind four calls.
 *
 * A file that is not an archive is an archive of one member to libarchive (format raw), compressed
 * or not, so there is one way for all of them and no guessing by names. Its blocks are handed on as
 * they are: only bytes that were peeked at, or that libarchive cannot unpack (java_blocks.h), are
 * copied. */
#include "inputs/trace/unpacker.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/lazy.h"
#include "base/vec.h"
#include "inputs/trace/java_blocks.h"

/* clang-format off */
#define FUNCTIONS(F) \
    F(archive_entry_filetype) F(archive_entry_pathname) F(archive_error_string) \
    F(archive_format) F(archive_read_data_block) F(archive_read_free) F(archive_read_new) \
    F(archive_read_next_header) F(archive_read_open_fd) F(archive_read_support_filter_all) \
    F(archive_read_support_format_empty) F(archive_read_support_format_raw) \
    F(archive_read_support_format_tar) F(archive_read_support_format_zip)
/* clang-format on */

static struct {
    FUNCTIONS(LAZY_MEMBER)
} libarchive;

static struct lazy_library library = {
    .file = "libarchive.so.13", .names = LAZY_NAMES(FUNCTIONS), .functions = &libarchive};

enum { READ_BYTES = 256 * 1024 };

struct unpacker {
    char *path;
    struct archive *archive;
    int fd;
    char name[512]; /* of the member */
    char *peeked;   /* UNPACKER_PEEK bytes, of which peek_length are there */
    size_t peek_length;
    const char *rest; /* what was read for a peek beyond its size */
    size_t rest_length;
    bool gives_peeked;          /* they are still to be read */
    bool is_begun;              /* the first bytes of the member have been looked at */
    VEC(char) first;            /* those, where they came in pieces */
    struct java_blocks *blocks; /* what unpacks the member; NULL: nothing has to */
};

static int fail(struct unpacker *s, struct err *err)
{
    const char *why = libarchive.archive_error_string(s->archive);
    return err_set(err, "%s: cannot be read to its end: %s", s->path, why ? why : "unknown reason");
}

static int open_file(const char *path, struct err *err)
{
    struct stat st;
    int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(0, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return err_set(err, "%s: is a folder; expected files", path);
    }
    return fd;
}

struct unpacker *unpacker_open(const char *path, struct err *err)
{
    int fd = lazy_load(&library, err) < 0 ? -1 : open_file(path, err);
    if (fd < 0)
        return NULL;
    struct unpacker *s = mem_zalloc(1, sizeof *s);
    s->path = mem_strdup(strcmp(path, "-") ? path : "standard input");
    s->fd = fd;
    s->peeked = mem_zalloc(1, UNPACKER_PEEK);
    s->archive = libarchive.archive_read_new();
    if (!s->archive)
        mem_out(1, READ_BYTES);
    libarchive.archive_read_support_filter_all(s->archive);
    libarchive.archive_read_support_format_tar(s->archive);
    libarchive.archive_read_support_format_zip(s->archive);
    libarchive.archive_read_support_format_raw(s->archive);
    libarchive.archive_read_support_format_empty(s->archive);
    if (libarchive.archive_read_open_fd(s->archive, fd, READ_BYTES) != ARCHIVE_OK) {
        fail(s, err);
        unpacker_close(s);
        return NULL;
    }
    return s;
}

void unpacker_close(struct unpacker *s)
{
    if (!s)
        return;
    java_blocks_end(s->blocks);
    vec_free(&s->first);
    libarchive.archive_read_free(s->archive);
    close(s->fd);
    mem_free(s->peeked);
    mem_free(s->path);
    mem_free(s);
}

int unpacker_member(struct unpacker *s, const char **name, struct err *err)
{
    struct archive_entry *entry;
    int r;
    while ((r = libarchive.archive_read_next_header(s->archive, &entry)) == ARCHIVE_OK ||
           r == ARCHIVE_WARN) {
        if (libarchive.archive_entry_filetype(entry) != AE_IFREG)
            continue;
        const char *member = libarchive.archive_entry_pathname(entry);
        if (libarchive.archive_format(s->archive) == ARCHIVE_FORMAT_RAW || !member)
            snprintf(s->name, sizeof s->name, "%s", s->path);
        else
            snprintf(s->name, sizeof s->name, "%s/%s", s->path, member);
        s->gives_peeked = s->is_begun = false;
        s->rest_length = s->peek_length = 0;
        java_blocks_end(s->blocks);
        s->blocks = NULL;
        *name = s->name;
        return 1;
    }
    return r == ARCHIVE_EOF ? 0 : fail(s, err);
}

/* The next block that is not empty, as it lies there. Holes of sparse members are left out. */
static int next_raw(void *ctx, const char **at, size_t *length, struct err *err)
{
    struct unpacker *s = ctx;
    const void *block;
    la_int64_t offset;
    int r;
    do
        r = libarchive.archive_read_data_block(s->archive, &block, length, &offset);
    while ((r == ARCHIVE_OK || r == ARCHIVE_WARN) && *length == 0);
    if (r == ARCHIVE_EOF)
        return 0;
    if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
        return fail(s, err);
    *at = block;
    return 1;
}

/* The first block of a member, with at least JAVA_BLOCKS_MAGIC bytes if it has as many: what comes
 * through a pipe may come in pieces of any size. */
static int first_block(struct unpacker *s, const char **at, size_t *length, struct err *err)
{
    int got = next_raw(s, at, length, err);
    if (got <= 0 || *length >= JAVA_BLOCKS_MAGIC)
        return got;
    vec_clear(&s->first);
    do
        vec_append(&s->first, *at, *length);
    while (s->first.count < JAVA_BLOCKS_MAGIC && (got = next_raw(s, at, length, err)) > 0);
    *at = s->first.at;
    *length = s->first.count;
    return got < 0 ? -1 : 1;
}

/* The next block that is not empty, unpacked. */
static int next_block(struct unpacker *s, const char **at, size_t *length, struct err *err)
{
    if (s->blocks)
        return java_blocks_next(s->blocks, at, length, err);
    if (s->is_begun)
        return next_raw(s, at, length, err);
    s->is_begun = true;
    int got = first_block(s, at, length, err);
    if (got > 0 && *length >= JAVA_BLOCKS_MAGIC)
        s->blocks = java_blocks_begin(*at, *length, s->name, next_raw, s);
    return s->blocks ? java_blocks_next(s->blocks, at, length, err) : got;
}

int unpacker_peek(struct unpacker *s, const char **at, size_t *length, struct err *err)
{
    const char *block;
    size_t n;
    int r = 1;
    while (!s->gives_peeked && s->peek_length < UNPACKER_PEEK &&
           (r = next_block(s, &block, &n, err)) > 0) {
        size_t take = n < UNPACKER_PEEK - s->peek_length ? n : UNPACKER_PEEK - s->peek_length;
        memcpy(s->peeked + s->peek_length, block, take);
        s->peek_length += take;
        s->rest = block + take;
        s->rest_length = n - take;
    }
    if (r < 0)
        return -1;
    s->gives_peeked = true;
    *at = s->peeked;
    *length = s->peek_length;
    return 0;
}

int unpacker_read(struct unpacker *s, const char **at, size_t *length, struct err *err)
{
    if (s->gives_peeked) {
        s->gives_peeked = false;
        *at = s->peeked;
        *length = s->peek_length;
        s->peek_length = 0;
        if (*length > 0)
            return 1;
    }
    if (s->rest_length > 0) {
        *at = s->rest;
        *length = s->rest_length;
        s->rest_length = 0;
        return 1;
    }
    return next_block(s, at, length, err);
}
