/* task_map.c - an attempt of a mapper: lines of an input in, a run file out. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "data/sorter.h"
#include "data/split.h"
#include "import/source.h"
#include "task/line_record.h"
#include "task/task_state.h"

enum { PIECE_BYTES = 1 << 18 };

struct mapping {
    const struct task_attempt *task;
    const struct plan_split *split;
    int fd;
    const char *map; /* the whole input; NULL if it is empty */
    uint64_t begin, end, at;
    struct source *source; /* of a packed input */
    bool in_part;          /* of which we read */
    struct sorter *sorter; /* NULL: there are no reducers */
    struct line_record_cutter cutter;
};

/* ---- the input ---- */

static int64_t changed_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int check_unchanged(const struct mapping *m, struct err *err)
{
    struct stat st;

    if (fstat(m->fd, &st) < 0)
        return err_system(err, "%s: %s", m->split->path, strerror(errno));
    if ((uint64_t)st.st_size != m->split->size || changed_ns(&st) != m->split->changed_ns)
        return err_set(err, "%s: this input has changed since the job began", m->split->path);
    return 0;
}

static int open_input(struct mapping *m, struct err *err)
{
    const struct plan_split *s = m->split;

    m->fd = open(s->path, O_RDONLY | O_CLOEXEC);
    if (m->fd < 0)
        return err_system(err, "%s: %s", s->path, strerror(errno));
    if (check_unchanged(m, err) < 0)
        return -1;
    if (s->packed) {
        m->source = source_open(s->path, err);
        return m->source ? 0 : -1;
    }
    int64_t begin = split_line_start(m->fd, s->path, s->size, s->from, err);
    int64_t end =
        begin < 0 ? -1 : split_line_start(m->fd, s->path, s->size, s->from + s->bytes, err);
    if (end < 0)
        return -1;
    m->begin = m->at = (uint64_t)begin;
    m->end = (uint64_t)end;
    if (s->size == 0)
        return 0;
    void *map = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, m->fd, 0);
    if (map == MAP_FAILED)
        return err_system(err, "%s: %s", s->path, strerror(errno));
    m->map = map;
    return 0;
}

static void close_input(struct mapping *m)
{
    source_close(m->source);
    if (m->map)
        munmap((void *)(uintptr_t)m->map, m->split->size);
    if (m->fd >= 0)
        close(m->fd);
}

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct mapping *m = ctx;
    uint64_t n = m->end - m->at < PIECE_BYTES ? m->end - m->at : PIECE_BYTES;

    (void)err;
    task_room_progress(m->task, m->at - m->begin, m->end - m->begin);
    *at = m->map + m->at;
    m->at += n;
    return (int64_t)n;
}

/* Archives are read as their files one after the other. */
static int64_t feed_unpacked(void *ctx, const char **at, struct err *err)
{
    struct mapping *m = ctx;
    const char *name;
    size_t count;

    for (;;) {
        int n = m->in_part ? source_read(m->source, at, &count, err)
                           : source_part(m->source, &name, err);
        if (n < 0 || (n == 0 && !m->in_part))
            return n;
        if (n == 0 || !m->in_part)
            m->in_part = n > 0;
        else if (count > 0)
            return (int64_t)count;
    }
}

/* ---- what the mapper prints ---- */

static uint32_t partition_of(const struct task_plan *p, const struct data_record *r)
{
    uint32_t length =
        p->partition_fields > 0
            ? line_record_fields(r->key, r->key_length, p->separator[0], p->partition_fields)
            : r->key_length;

    return p->partitions == 1 ? 0 : (uint32_t)(XXH3_64bits(r->key, length) % p->partitions);
}

static int take_line(void *ctx, const char *line, uint32_t length, struct err *err)
{
    struct mapping *m = ctx;
    const struct task_plan *p = m->task->plan;
    struct data_record r = line_record_of(line, length, p->separator[0], p->key_fields);

    return sorter_add(m->sorter, partition_of(p, &r), &r, err);
}

static int take(void *ctx, const char *at, size_t count, struct err *err)
{
    struct mapping *m = ctx;

    return line_record_cut(&m->cutter, at, count, take_line, m, err);
}

/* ---- the attempt ---- */

static int run_mapper(struct mapping *m, char *const *env, struct err *err)
{
    const struct task_plan *p = m->task->plan;
    struct pump pump = {.command = p->mapper,
                        .env = env,
                        .ctx = m,
                        .feed = m->source ? feed_unpacked : feed,
                        .take = m->sorter ? take : NULL};
    int status;

    if (pump_run(&pump, &status, err) < 0 ||
        line_record_cut_end(&m->cutter, take_line, m, err) < 0 || check_unchanged(m, err) < 0)
        return -1;
    if (status != 0)
        return task_room_status(status);
    return m->sorter ? sorter_finish(m->sorter, STDOUT_FILENO, "the output", err) : 0;
}

int task_map(const struct task_attempt *t, struct err *err)
{
    struct mapping m = {.task = t, .split = &t->plan->splits.at[t->number], .fd = -1};
    struct task_combiner combiner = {.plan = t->plan};
    int result = -1;

    if (open_input(&m, err) == 0 && task_room_enter(t, err) == 0) {
        char **env = task_room_env(t, m.split);
        combiner.env = env;
        if (t->plan->partitions > 0)
            m.sorter = sorter_create(
                &(struct sorter_options){.partitions = t->plan->partitions,
                                         .memory = t->plan->memory,
                                         .folder = t->scratch,
                                         .combine = t->plan->combiner ? task_combine : NULL,
                                         .ctx = &combiner});
        result = run_mapper(&m, env, err);
    }
    sorter_destroy(m.sorter);
    close_input(&m);
    return result;
}
