/* map_blocks.c - blocks of a stream, for --pipe and --pipepart.
 *
 * Blocks of a pipe are written to files at once, because an attempt that is cloned or repeated
 * needs its input again; parts of a file are copied when their task starts. With --cat the command
 * is told the name of its file, else the file is its stdin. With --tee all
 * tasks read one file, which holds the whole stream. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/escape.h"
#include "args/regex.h"
#include "args/split.h"
#include "map/map_state.h"

#define TEE_NAME "all" /* in the spool */

enum { READ_BYTES = 1 << 16 };

/* ---- cutting ---- */

/* What the options say of records, ready to be used. */
struct cutter {
    struct split split;
    char *start, *end; /* owned */
    regex_t regex;
    bool has_regex;
};

static void cutter_fini(struct cutter *c)
{
    mem_free(c->start);
    mem_free(c->end);
    if (c->has_regex)
        regfree(&c->regex);
}

static int cutter_init(struct cutter *c, const struct options *o, struct err *err)
{
    const char *start = o->recstart ? o->recstart : "";
    const char *end = o->recend ? o->recend : o->recstart ? "" : "\n";
    struct str both = {0};

    *c = (struct cutter){.start = mem_strdup(start), .end = mem_strdup(end)};
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
    c->has_regex = regex_compile(&c->regex, both.text, "--recend, --recstart:", err) == 0;
    str_free(&both);
    c->split.regex = &c->regex;
    return c->has_regex ? 0 : -1;
}

/* How long the header is that every block begins with: lines, or what a regular expression matches.
 * -1 with *err. */
static int64_t header_length(const struct options *o, const char *at, size_t length,
                             struct err *err)
{
    const char *text = strcmp(o->header_text, ":") == 0 ? "1" : o->header_text;
    struct str anchored = {0};
    int64_t lines;
    regex_t regex;
    regmatch_t match = {.rm_so = 0, .rm_eo = (regoff_t)length};

    if (text_int(text, &lines) && lines >= 0) {
        const char *end = at;
        while (lines-- > 0 && (size_t)(end - at) < length) {
            const char *newline = memchr(end, '\n', length - (size_t)(end - at));
            end = newline ? newline + 1 : at + length;
        }
        return end - at;
    }
    str_addf(&anchored, "^(%s)", text);
    int result = regex_compile(&regex, anchored.text, "--header", err);
    str_free(&anchored);
    if (result < 0)
        return -1;
    bool found = regexec(&regex, at, 1, &match, REG_STARTEND) == 0 && match.rm_so == 0;
    regfree(&regex);
    return found ? (int64_t)match.rm_eo : 0;
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

/* With --round-robin each slot has one file, and blocks are dealt out. */
static int block_write(struct map *m, const struct cutter *c, const char *at, size_t length,
                       struct err *err)
{
    const struct options *o = &m->options;
    uint64_t number = o->round_robin ? m->block_count % m->slot_count : m->block_count;
    bool first = number == m->block_count;
    struct str path = {0};

    m->block_count++;
    str_addf(&path, "%s/%llu", m->spool, (unsigned long long)number);
    struct block_file b = {.f = fopen(path.text, first ? "we" : "ae")};
    if (b.f && first)
        block_add(&b, m->stream_header.text, m->stream_header.length);
    if (b.f && o->strip_records)
        split_strip(&c->split, at, length, block_add, &b);
    else if (b.f)
        block_add(&b, at, length);
    int result = b.f && !b.failed ? 0 : -1;
    if (b.f && fclose(b.f) != 0)
        result = -1;
    if (result < 0)
        err_system(err, "%s: %s", path.text, strerror(errno));
    str_free(&path);
    return result;
}

static bool is_blank(const char *at, size_t length)
{
    while (length > 0 && isspace((unsigned char)*at))
        at++, length--;
    return length == 0;
}

static int take_block(struct map *m, const struct cutter *c, const char *at, size_t length,
                      struct err *err)
{
    if (m->options.skip_empty && is_blank(at, length))
        return 0;
    if (!m->options.pipepart)
        return block_write(m, c, at, length, err);
    vec_push(&m->blocks, m->stream_at);
    return 0;
}

/* Cuts the stream; blocks go to files (--pipe), or only their places are noted (--pipepart). */
static int blocks_read(struct map *m, int fd, const char *name, const struct cutter *c,
                       struct err *err)
{
    const struct options *o = &m->options;
    VEC(char) have = {0};
    bool header = o->header;
    ssize_t n = 1;
    int result = 0;

    while (result == 0 && n > 0) {
        vec_reserve(&have, have.count + READ_BYTES);
        n = read(fd, have.at + have.count, READ_BYTES);
        if (n < 0) {
            result = err_system(err, "%s: %s", name, strerror(errno));
            break;
        }
        have.count += (uint32_t)n;
        if (header && n > 0 && have.count < o->block_bytes)
            continue; /* it may be longer */
        size_t from = 0, length;
        if (header) {
            int64_t bytes = header_length(o, have.at, have.count, err);
            result = bytes < 0 ? -1 : 0;
            from = bytes > 0 ? (size_t)bytes : 0;
            str_add_bytes(&m->stream_header, have.at, from);
            m->stream_at += (int64_t)from;
            header = false;
        }
        while (result == 0 && from < have.count &&
               (length = split_first(&c->split, have.at + from, have.count - from, n == 0)) > 0) {
            result = take_block(m, c, have.at + from, length, err);
            from += length;
            m->stream_at += (int64_t)length;
        }
        memmove(have.at, have.at + from, have.count - from);
        have.count -= (uint32_t)from;
    }
    if (o->pipepart) {
        m->block_count = m->blocks.count;
        vec_push(&m->blocks, m->stream_at);
    }
    vec_free(&have);
    return result;
}

/* ---- files ---- */

/* In the folder of the run: it goes with it, even when we are killed, or stays with it. */
static int spool_open(struct map *m, struct err *err)
{
    struct str path = {0};

    if (map_open_folder(m, err) < 0)
        return -1;
    str_addf(&path, "%s/in", m->dir);
    m->spool = path.text;
    return mkdir(m->spool, 0700) == 0 || (m->again && errno == EEXIST)
               ? 0
               : err_system(err, "%s: cannot make a folder: %s", m->spool, strerror(errno));
}

int map_blocks_open(struct map *m, struct err *err)
{
    const char *file = m->options.sources.count ? m->options.sources.at[0].file : "-";

    if (!file)
        return err_set(err, "--pipe takes a stream or -a FILE, not arguments behind :::");
    if (spool_open(m, err) < 0)
        return -1;
    if (m->again && m->options.pipe)
        return 0; /* they are there, as far as they are needed */
    bool standard = strcmp(file, "-") == 0;
    int fd = standard ? 0 : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, "%s: %s", file, strerror(errno));
    struct cutter c;
    int result = cutter_init(&c, &m->options, err);
    if (result == 0)
        result = blocks_read(m, fd, standard ? "standard input" : file, &c, err);
    cutter_fini(&c);
    if (m->options.round_robin && m->block_count > m->slot_count)
        m->block_count = m->slot_count;
    if (!standard)
        close(fd);
    return result;
}

static int block_copy(struct map *m, uint32_t place, const char *path, struct err *err)
{
    const char *file = m->options.sources.at[0].file;
    int64_t left = m->blocks.at[place + 1] - m->blocks.at[place];
    int in = open(file, O_RDONLY | O_CLOEXEC);
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    off_t at = m->blocks.at[place];
    char chunk[READ_BYTES];
    int result = in < 0 || out < 0 ? -1 : 0;
    const struct str *header = &m->stream_header;

    if (result == 0 && header->length &&
        write(out, header->text, header->length) != (ssize_t)header->length)
        result = -1;
    while (result == 0 && left > 0) {
        size_t want = left < READ_BYTES ? (size_t)left : READ_BYTES;
        ssize_t n = pread(in, chunk, want, at);
        if (n <= 0 || write(out, chunk, (size_t)n) != n)
            result = -1;
        left -= n;
        at += n;
    }
    if (result < 0)
        err_system(err, "%s: %s", file, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return result;
}

int map_tee_open(struct map *m, struct err *err)
{
    struct str path = {0};
    char chunk[READ_BYTES];
    size_t n;

    if (spool_open(m, err) < 0)
        return -1;
    if (m->again)
        return 0; /* it is there */
    str_addf(&path, "%s/" TEE_NAME, m->spool);
    FILE *f = fopen(path.text, "we");
    bool ok = f != NULL;
    while (ok && (n = fread(chunk, 1, sizeof chunk, stdin)) > 0)
        ok = fwrite(chunk, 1, n, f) == n;
    ok = ok && !ferror(stdin) && fflush(f) == 0;
    int result = ok ? 0 : err_system(err, "%s: %s", path.text, strerror(errno));
    if (f)
        fclose(f);
    str_free(&path);
    return result;
}

int map_block_path(struct map *m, uint32_t task, struct str *path, struct err *err)
{
    if (m->options.tee) {
        str_addf(path, "%s/" TEE_NAME, m->spool);
        return 0;
    }
    uint32_t place = (uint32_t)plan_seq(m->plan, task) - 1;

    str_addf(path, "%s/%u", m->spool, place);
    if (!m->options.pipepart || access(path->text, R_OK) == 0)
        return 0;
    return block_copy(m, place, path->text, err);
}
