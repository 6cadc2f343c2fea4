/* blocks.c - blocks of a stream.
 *
 * Blocks of a pipe are written to files, because an attempt that is cloned or repeated needs its
 * input again; parts of a file are copied when their task starts. With --cat the command
 * gets the name of its file, else the file is its stdin. With --tee all tasks read one file, which
 * holds the whole stream. */
#include "jobs/streams/blocks.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/fresh_file.h"
#include "base/os/path.h"
#include "base/os/write_all.h"
#include "exec/process/sys.h"
#include "jobs/args/escape.h"
#include "jobs/args/regex.h"
#include "jobs/args/split.h"
#include "jobs/streams/bytes.h"
#include "jobs/streams/deal.h"

#define TEE_NAME "all" /* in the folder */

enum { READ_BYTES = 1 << 16 };

/* ---- cutting ---- */

/* How the options cut the stream into records and files. */
struct block_cutter {
    struct split split;
    char *start, *end;   /* owned */
    struct regex *regex; /* owned; NULL: none */
    bool strips;
    uint32_t files; /* of --round-robin; 0: one for each block */
};

static int cutter_init(struct block_cutter *c, const struct options *o, uint32_t slots,
                       struct err *err)
{
    const char *start = o->recstart ? o->recstart : "";
    const char *end = o->recend ? o->recend : o->recstart ? "" : "\n";
    struct str both = {0};

    *c = (struct block_cutter){.start = mem_strdup(start),
                               .end = mem_strdup(end),
                               .strips = o->strip_records,
                               .files = o->round_robin ? slots : 0};
    c->split = (struct split){.block = (size_t)o->block_bytes,
                              .at_least = o->pipepart, /* where GNU parallel cuts, too */
                              .records = o->max_args > 0 ? (uint64_t)o->max_args : 0,
                              .lines = o->lines > 0 ? (uint64_t)o->lines : 0,
                              .start = c->start,
                              .end = c->end,
                              .start_length = escape_decode(start, c->start),
                              .end_length = escape_decode(end, c->end)};
    if (!o->regexp)
        return 0;
    str_addf(&both, "(%s)(%s)", end, start);
    c->split.regex = c->regex = regex_compile(both.text, "--recend, --recstart", err);
    str_free(&both);
    return c->regex ? 0 : -1;
}

/* How long the header is that every block begins with: lines, or what a regular expression matches.
 * -1 with *err. */
static int64_t header_length(const struct options *o, const char *at, size_t length,
                             struct err *err)
{
    const char *text = strcmp(o->header_text, ":") == 0 ? "1" : o->header_text;
    struct str anchored = {0};
    int64_t lines;
    struct regex_span all;

    if (text_int(text, &lines) && lines >= 0) {
        const char *end = at;
        while (lines-- > 0 && (size_t)(end - at) < length) {
            const char *newline = memchr(end, '\n', length - (size_t)(end - at));
            end = newline ? newline + 1 : at + length;
        }
        return end - at;
    }
    str_addf(&anchored, "\\A(?:%s)", text);
    struct regex *regex = regex_compile(anchored.text, "--header", err);
    str_free(&anchored);
    if (!regex)
        return -1;
    bool found = regex_find(regex, at, length, 0, &all, NULL);
    regex_free(regex);
    return found ? (int64_t)all.to : 0;
}

/* The file that a block is written to. */
struct block_file {
    FILE *f;
    bool failed;
};

static void block_add(void *ctx, const char *at, size_t length)
{
    struct block_file *b = ctx;
    b->failed |= length > 0 && fwrite(at, 1, length, b->f) != length;
}

/* The task that a block is dealt to. */
struct block_hand {
    struct deal *deal;
    int64_t hand;
};

static void block_give(void *ctx, const char *at, size_t length)
{
    const struct block_hand *h = ctx;

    deal_give(h->deal, h->hand, at, length);
}

/* A block that nobody is left to take is lost, as it would be in a file that is not read to its
 * end. */
static int block_deal(struct blocks *b, const struct block_cutter *c, const char *at, size_t length,
                      struct err *err)
{
    bool is_new;
    struct block_hand h = {b->deal, deal_next(b->deal, &is_new, err)};

    if (h.hand < 0)
        return is_new ? -1 : 0;
    if (is_new) {
        b->count++;
        block_give(&h, b->header.text, b->header.length);
    }
    if (c->strips)
        split_strip(&c->split, at, length, block_give, &h);
    else
        block_give(&h, at, length);
    return 0;
}

/* With --round-robin each slot has one file, and blocks are dealt out. */
static int block_write(struct blocks *b, const struct block_cutter *c, const char *at,
                       size_t length, struct err *err)
{
    uint64_t number = c->files ? b->count % c->files : b->count;
    bool first = number == b->count;
    struct path path = path_of("%s/%" PRIu64, b->dir, number);

    b->count++;
    struct block_file file = {.f = fopen(path.text, first ? "we" : "ae")};
    if (file.f && first)
        block_add(&file, b->header.text, b->header.length);
    if (file.f && c->strips)
        split_strip(&c->split, at, length, block_add, &file);
    else if (file.f)
        block_add(&file, at, length);
    if (!file.f || fclose(file.f) != 0 || file.failed)
        return err_system(err, "%s: %s", path.text, strerror(errno));
    return 0;
}

static bool is_blank(const char *at, size_t length)
{
    while (length > 0 && isspace((unsigned char)*at))
        at++, length--;
    return length == 0;
}

/* Takes the blocks off the bytes at hand: to files (--pipe), or only their places are noted
 * (--pipepart). How many bytes were taken, or -1 with *err. */
static int64_t take_blocks(struct blocks *b, const struct options *o, const struct block_cutter *c,
                           const char *at, size_t length, bool last, struct err *err)
{
    size_t from = 0, n;

    while (from < length && (n = split_first(&c->split, at + from, length - from, last)) > 0) {
        bool skips = o->skip_empty && is_blank(at + from, n);
        if (o->pipepart && !skips)
            vec_push(&b->from, b->at);
        else if (!skips && (b->deal ? block_deal : block_write)(b, c, at + from, n, err) < 0)
            return -1;
        from += n;
        b->at += (int64_t)n;
    }
    return (int64_t)from;
}

/* What was read of the stream and is in no block yet. */
struct block_reader {
    struct block_cutter cutter;
    VEC(char) have;
    bool header; /* it may begin with one */
};

static void reader_fini(struct block_reader *r)
{
    mem_free(r->cutter.start);
    mem_free(r->cutter.end);
    regex_free(r->cutter.regex);
    vec_free(&r->have);
}

static int reader_init(struct block_reader *r, const struct options *o, uint32_t slots,
                       struct err *err)
{
    *r = (struct block_reader){.header = o->header};
    return cutter_init(&r->cutter, o, slots, err);
}

/* Takes the next bytes of the stream, 0 at its end. -1 with *err. */
static int reader_take(struct block_reader *r, struct blocks *b, const struct options *o,
                       const char *bytes, size_t count, struct err *err)
{
    int64_t from = 0;

    vec_reserve(&r->have, 1); /* also an empty stream has an address */
    vec_append(&r->have, bytes, count);
    if (r->header && count > 0 && r->have.count < o->block_bytes)
        return 0; /* it may be longer */
    if (r->header) {
        if ((from = header_length(o, r->have.at, r->have.count, err)) < 0)
            return -1;
        str_add_bytes(&b->header, r->have.at, (size_t)from);
        b->at += from;
        r->header = false;
    }
    int64_t taken = take_blocks(b, o, &r->cutter, r->have.at + from, r->have.count - (size_t)from,
                                count == 0, err);
    if (taken < 0)
        return -1;
    r->have.count -= (uint32_t)(from + taken);
    memmove(r->have.at, r->have.at + from + taken, r->have.count);
    return 0;
}

static int read_blocks(struct block_reader *r, struct blocks *b, const struct options *o, int fd,
                       const char *name, struct err *err)
{
    char bytes[READ_BYTES];
    int result = 0;

    for (ssize_t n = 1; result == 0 && n > 0;) {
        n = read(fd, bytes, sizeof bytes);
        result = n < 0 ? err_system(err, "%s: %s", name, strerror(errno))
                       : reader_take(r, b, o, bytes, (size_t)n, err);
    }
    return result;
}

int blocks_open_deal(struct blocks *b, uint32_t slots, struct err *err)
{
    struct deal *d = mem_zalloc(1, sizeof *d);

    if (deal_init(d, b->dir, STDIN_FILENO, slots, err) == 0) {
        b->deal = d;
        return 0;
    }
    mem_free(d);
    return -1;
}

int blocks_feed(struct blocks *b, const struct options *o, const char *bytes, size_t count,
                struct err *err)
{
    if (!b->reader) {
        b->reader = mem_zalloc(1, sizeof *b->reader);
        if (reader_init(b->reader, o, 1, err) < 0)
            return -1;
    }
    return reader_take(b->reader, b, o, bytes, count, err);
}

/* ---- files ---- */

int blocks_open(struct blocks *b, const struct options *o, uint32_t slots, struct err *err)
{
    const char *file = o->sources.count ? o->sources.at[0].file : "-";
    bool standard = strcmp(file, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, "%s: %s", file, strerror(errno));
    struct block_reader r;
    struct stat st;
    int result = reader_init(&r, o, slots, err);
    if (o->block_parts && fstat(fd, &st) == 0)
        r.cutter.split.block = (size_t)(st.st_size / (o->block_parts * slots) + 1);
    if (result == 0)
        result = read_blocks(&r, b, o, fd, standard ? "standard input" : file, err);
    if (o->pipepart) {
        b->count = b->from.count;
        vec_push(&b->from, b->at);
    }
    if (r.cutter.files && b->count > r.cutter.files)
        b->count = r.cutter.files;
    reader_fini(&r);
    if (!standard)
        close(fd);
    return result;
}

int blocks_open_tee(const struct blocks *b, struct err *err)
{
    struct path path = path_of("%s/" TEE_NAME, b->dir);
    int fd = open(path.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool copied = fd >= 0 && bytes_copy(STDIN_FILENO, fd, INT64_MAX) >= 0;

    if (copied && close(fd) == 0)
        return 0;
    err_system(err, "standard input cannot be copied to %s: %s", path.text, strerror(errno));
    if (!copied)
        sys_close(&fd);
    return -1;
}

int blocks_sync(const struct blocks *b, const struct options *o, struct err *err)
{
    uint64_t files = o->tee ? 1 : o->pipepart ? 0 : b->count;
    int result = 0;

    for (uint64_t i = 1; result == 0 && i <= files; i++) {
        struct str path = {0};
        blocks_path(b, o, i, &path, err);
        int fd = open(path.text, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fsync(fd) < 0)
            result = err_system(err, "%s: %s", path.text, strerror(errno));
        sys_close(&fd);
        str_free(&path);
    }
    return result;
}

/* A part of the file would be taken for the block later. */
static int copy_part(const struct blocks *b, const char *file, uint64_t block, const char *path,
                     struct err *err)
{
    int64_t from = b->from.at[block], length = b->from.at[block + 1] - from, copied = -1;
    int in = open(file, O_RDONLY | O_CLOEXEC), result = 0;
    struct fresh_file out;

    if (in >= 0 && fresh_file_open(&out, path, 0600) == 0) {
        if (lseek(in, from, SEEK_SET) == from &&
            write_all(out.fd, b->header.text, b->header.length) == 0)
            copied = bytes_copy(in, out.fd, length);
        if (copied == length && b->kept && fsync(out.fd) < 0)
            copied = -1;
        if (fresh_file_close(&out, copied == length) < 0 && copied == length)
            copied = -1;
    }
    if (copied < 0)
        result = err_system(err, "%s: cannot be copied to %s: %s", file, path, strerror(errno));
    else if (copied < length)
        result = err_set(err, "%s: has become shorter since the run began", file);
    sys_close(&in);
    return result;
}

int blocks_path(const struct blocks *b, const struct options *o, uint64_t seq, struct str *path,
                struct err *err)
{
    if (o->tee) {
        str_addf(path, "%s/" TEE_NAME, b->dir);
        return 0;
    }
    str_addf(path, "%s/%llu", b->dir, (unsigned long long)seq - 1);
    if (!o->pipepart || access(path->text, R_OK) == 0)
        return 0;
    return copy_part(b, o->sources.at[0].file, seq - 1, path->text, err);
}

void blocks_fini(struct blocks *b)
{
    if (b->deal)
        deal_fini(b->deal);
    mem_free(b->deal);
    mem_free(b->dir);
    str_free(&b->header);
    vec_free(&b->from);
    if (b->reader)
        reader_fini(b->reader);
    mem_free(b->reader);
}
