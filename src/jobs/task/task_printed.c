/* task_printed.c - what tasks above have printed, one after the other, each with a newline at its
 * end. */
#include <xxhash.h>

#include "base/mem.h"
#include "data/line_ends.h"
#include "data/mapped.h"
#include "jobs/task/task_state.h"

enum { PIECE_BYTES = 1 << 18 };

struct printed {
    struct task_input input; /* first */
    const struct task_attempt *task;
    struct mapped *files;
    uint32_t count, next; /* the one that is read, ... */
    uint64_t at;          /* ... from here on */
    uint64_t done, bytes; /* of all of them */
    struct line_ends ends;
};

static int64_t fetch(void *ctx, uint32_t at, int folder, const char *path, struct err *err)
{
    struct printed *p = ctx;

    (void)folder;
    mapped_close(&p->files[at]);
    return mapped_open(&p->files[at], path, err) < 0 ? -1 : (int64_t)p->files[at].size;
}

static int64_t take(void *ctx, uint32_t at, const struct fetched *what, struct err *err)
{
    struct printed *p = ctx;
    struct mapped *file = &p->files[at];

    mapped_close(file);
    if (mapped_take(file, what->fd, what->name, err) < 0)
        return -1;
    if (XXH3_64bits(file->at, file->size) == what->checksum)
        return (int64_t)file->size;
    mapped_close(file);
    return err_set(err, "%s: an output has a wrong checksum", what->name);
}

static int64_t feed_files(void *ctx, const char **at, struct err *err)
{
    struct printed *p = ctx;

    (void)err;
    while (p->next < p->count && p->at == p->files[p->next].size) {
        p->next++;
        p->at = 0;
        if (line_ends_finish(&p->ends, at) > 0)
            return 1;
    }
    if (p->next == p->count)
        return 0;
    const struct mapped *file = &p->files[p->next];
    uint64_t bytes = file->size - p->at < PIECE_BYTES ? file->size - p->at : PIECE_BYTES;
    *at = file->at + p->at;
    p->at += bytes;
    p->done += bytes;
    task_env_progress(p->task, p->done, p->bytes);
    return line_ends_pass(&p->ends, at, (int64_t)bytes);
}

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct printed *p = ctx;
    int64_t count = feed_files(p, at, err);

    if (count > 0)
        p->input.read += line_ends_count(*at, (size_t)count);
    return count;
}

static void close_printed(struct task_input *in)
{
    struct printed *p = (struct printed *)in;

    for (uint32_t i = 0; i < p->count; i++)
        mapped_close(&p->files[i]);
    mem_free(p->files);
    vec_free(&p->ends.copy);
    mem_free(p);
}

struct task_input *task_printed_open(const struct task_attempt *t, struct err *err)
{
    struct printed *p = mem_zalloc(1, sizeof *p);

    p->input = (struct task_input){.feed = feed, .close = close_printed};
    p->task = t;
    p->count = t->last - t->first + 1;
    p->files = mem_zalloc(p->count, sizeof *p->files);
    if (task_reads_gather(t, &(struct task_reader){p, fetch, take, PACKET_WHOLE}, err) < 0) {
        close_printed(&p->input);
        return NULL;
    }
    for (uint32_t i = 0; i < p->count; i++)
        p->bytes += p->files[i].size;
    return &p->input;
}
