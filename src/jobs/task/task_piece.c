/* task_piece.c - a piece of an input, for a command to read: whole lines, or what was packed. The
 * last line of a file gets a newline if it has none. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/line_ends.h"
#include "data/line_record.h"
#include "inputs/trace/unpacker.h"
#include "jobs/task/task_state.h"

enum { PIECE_BYTES = 1 << 18 };

struct task_piece {
    struct task_input input; /* first */
    const struct task_attempt *task;
    const struct plan_split *split;
    int fd;
    const char *map; /* the whole input; NULL if it is empty */
    uint64_t begin, end, at;
    struct unpacker *unpacker; /* of a packed input */
    bool in_member;            /* of which we read */
    struct line_ends ends;
};

static int64_t changed_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int check_unchanged(const struct task_piece *m, struct err *err)
{
    struct stat st;

    if (fstat(m->fd, &st) < 0)
        return err_system(err, "%s: %s", m->split->path, strerror(errno));
    if ((uint64_t)st.st_size != m->split->size || changed_ns(&st) != m->split->changed_ns)
        return err_set(err, "%s: this input has changed since the job began", m->split->path);
    return 0;
}

static int open_input(struct task_piece *m, struct err *err)
{
    const struct plan_split *s = m->split;

    if (!*s->path) /* there is no input */
        return 0;
    m->fd = open(s->path, O_RDONLY | O_CLOEXEC);
    if (m->fd < 0)
        return err_system(err, "%s: %s", s->path, strerror(errno));
    if (check_unchanged(m, err) < 0)
        return -1;
    if (s->packed) {
        m->unpacker = unpacker_open(s->path, err);
        return m->unpacker ? 0 : -1;
    }
    int64_t begin = line_record_start(m->fd, s->path, s->size, s->from, err);
    int64_t end =
        begin < 0 ? -1 : line_record_start(m->fd, s->path, s->size, s->from + s->bytes, err);
    if (end < 0)
        return -1;
    m->begin = m->at = (uint64_t)begin;
    m->end = (uint64_t)end;
    if (s->size == 0)
        return 0;
    if (!mem_fits(s->size))
        return err_set(err, "%s: too large for a 32-bit machine", s->path);
    void *map = mmap(NULL, (size_t)s->size, PROT_READ, MAP_PRIVATE, m->fd, 0);
    if (map == MAP_FAILED)
        return err_system(err, "%s: %s", s->path, strerror(errno));
    m->map = map;
    return 0;
}

static void close_piece(struct task_input *in)
{
    struct task_piece *m = (struct task_piece *)in;

    unpacker_close(m->unpacker);
    if (m->map)
        munmap((void *)(uintptr_t)m->map, (size_t)m->split->size);
    if (m->fd >= 0)
        close(m->fd);
    vec_free(&m->ends.copy);
    mem_free(m);
}

static int64_t feed_mapped(void *ctx, const char **at, struct err *err)
{
    struct task_piece *m = ctx;
    int64_t count = 0;

    (void)err;
    task_env_progress(m->task, m->at - m->begin, m->end - m->begin);
    while (count == 0 && m->at < m->end) {
        uint64_t n = m->end - m->at < PIECE_BYTES ? m->end - m->at : PIECE_BYTES;
        *at = m->map + m->at;
        m->at += n;
        count = line_ends_pass(&m->ends, at, (int64_t)n);
    }
    return count > 0 ? count : line_ends_finish(&m->ends, at);
}

/* Archives are read as their files one after the other. */
static int64_t feed_unpacked(void *ctx, const char **at, struct err *err)
{
    struct task_piece *m = ctx;
    const char *name;
    size_t count;

    for (;;) {
        int n = m->in_member ? unpacker_read(m->unpacker, at, &count, err)
                             : unpacker_member(m->unpacker, &name, err);
        int64_t handed_on = 0;
        if (n < 0 || (n == 0 && !m->in_member))
            return n;
        if (n == 0)
            handed_on = line_ends_finish(&m->ends, at);
        else if (m->in_member)
            handed_on = line_ends_pass(&m->ends, at, (int64_t)count);
        m->in_member = n > 0;
        if (handed_on > 0)
            return handed_on;
    }
}

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct task_piece *m = ctx;
    int64_t count = m->unpacker ? feed_unpacked(m, at, err) : feed_mapped(m, at, err);

    if (count > 0)
        m->input.read += line_ends_count(*at, (size_t)count);
    return count;
}

static int check_piece(struct task_input *in, struct err *err)
{
    const struct task_piece *m = (const struct task_piece *)in;

    return *m->split->path ? check_unchanged(m, err) : 0;
}

struct task_input *task_piece_open(const struct task_attempt *t, struct err *err)
{
    struct task_piece *m = mem_zalloc(1, sizeof *m);

    m->input = (struct task_input){.feed = feed, .check = check_piece, .close = close_piece};
    m->task = t;
    m->split = task_split(t);
    m->fd = -1;
    m->ends.always = t->phase->as_hadoop;
    m->ends.drops_cr = t->phase->as_hadoop && t->phase->offsets != PLAN_OFFSETS;
    if (open_input(m, err) < 0) {
        close_piece(&m->input);
        return NULL;
    }
    enum plan_offsets kind = t->phase->offsets;
    bool drops_cr = t->phase->as_hadoop && kind == PLAN_OFFSETS;
    return kind == PLAN_LINES ? &m->input : task_pairs_add(&m->input, kind, m->begin, drops_cr);
}
