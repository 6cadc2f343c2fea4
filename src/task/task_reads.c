/* task_reads.c - outputs of tasks above, from where the coordinator says, as they get ready.
 *
 * Each read is answered: it begins at once, and ends when the output is here, or shows itself to be
 * of no use; then another source is named some time later. A read that was revoked is forgotten.
 * Outputs are files that we map, so what takes time is to look at them; chaos may have a read take
 * longer, and meanwhile others go on. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/id.h"
#include "runner/clock.h"
#include "task/task_control.h"
#include "task/task_state.h"

/* A read that has begun. */
struct reading {
    struct packet_read what;
    char *path;
    int64_t begun_us, due_us;
};

struct task_gathering {
    const struct task_attempt *task;
    const struct task_reader *reader;
    VEC(struct reading) open;
    bool *here;       /* by place */
    uint32_t missing; /* how many are not */
    struct err *err;
};

/* ---- answers ---- */

static int answer(struct task_gathering *g, uint8_t type, const struct reading *r, uint32_t culprit,
                  int64_t bytes, int error)
{
    struct packet m = {
        .type = type,
        .u.fetch = {.phase = r->what.phase,
                    .task = r->what.task,
                    .attempt = r->what.attempt,
                    .bytes = bytes,
                    .took_us = type == PACKET_FETCH_STARTED ? 0 : clock_now_us() - r->begun_us,
                    .culprit = culprit,
                    .error = error}};

    return task_control_send(g->task->control, &m, g->err);
}

/* ---- what we are told ---- */

static uint32_t first_of(const struct task_gathering *g, const struct packet_read *what)
{
    return what->task == TASK_ALL ? g->task->first : what->task;
}

static int begin(struct task_gathering *g, const struct packet_read *what)
{
    uint32_t first = first_of(g, what);
    int64_t now_us = clock_now_us();

    if (first < g->task->first || first > g->task->last)
        return err_set(g->err, "told to read task %" PRIu32 ", which is none of ours", first);
    vec_push(&g->open, ((struct reading){.what = *what,
                                         .path = mem_strdup(what->path),
                                         .begun_us = now_us,
                                         .due_us = now_us + what->slow_us}));
    return answer(g, PACKET_FETCH_STARTED, &g->open.at[g->open.count - 1], first, 0, 0);
}

static void end(struct task_gathering *g, uint32_t i)
{
    mem_free(g->open.at[i].path);
    g->open.at[i] = g->open.at[--g->open.count];
}

static void give_up(struct task_gathering *g, const struct packet_read *what)
{
    for (uint32_t i = g->open.count; i-- > 0;)
        if (g->open.at[i].what.phase == what->phase && g->open.at[i].what.task == what->task &&
            g->open.at[i].what.attempt == what->attempt)
            end(g, i);
}

/* ---- fetching ---- */

/* Gets one output. Its bytes, or -1 with what is wrong with it. */
static int64_t fetch_one(struct task_gathering *g, uint32_t task, int folder, const char *path,
                         int *error)
{
    uint32_t at = task - g->task->first;
    struct err why;
    int64_t bytes = g->reader->fetch(g->reader->ctx, at, folder, path, &why);

    if (bytes < 0) {
        *error = access(path, F_OK) < 0 ? errno : EBADMSG;
        dprintf(STDERR_FILENO, "dolly: %s; it will be made again\n", why.text);
        return -1;
    }
    g->missing -= !g->here[at];
    g->here[at] = true;
    return bytes;
}

/* Gets what a read is about; *culprit is the task whose output is of no use, if that is so. */
static int64_t fetch(struct task_gathering *g, const struct reading *r, uint32_t *culprit,
                     int *error)
{
    int64_t sum = 0, bytes = 0;

    *culprit = first_of(g, &r->what);
    if (r->what.task != TASK_ALL)
        return fetch_one(g, *culprit, AT_FDCWD, r->path, error);
    int folder = open(r->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (; *culprit <= g->task->last && bytes >= 0; sum += bytes) {
        struct str path = {0};
        str_addf(&path, "%s/%" PRIu32, r->path, *culprit);
        bytes = fetch_one(g, *culprit, folder >= 0 ? folder : AT_FDCWD, path.text, error);
        str_free(&path);
        *culprit += bytes >= 0;
    }
    *culprit -= bytes >= 0;
    if (folder >= 0)
        close(folder);
    return bytes < 0 ? -1 : sum;
}

/* Fetches what is due. Returns when the next one is; -1 with the error. */
static int64_t fetch_due(struct task_gathering *g)
{
    int64_t next_us = INT64_MAX;

    for (uint32_t i = 0; i < g->open.count;) {
        struct reading *r = &g->open.at[i];
        if (r->due_us > clock_now_us()) {
            next_us = r->due_us < next_us ? r->due_us : next_us;
            i++;
            continue;
        }
        uint32_t culprit;
        int error = 0;
        int64_t bytes = fetch(g, r, &culprit, &error);
        if (answer(g, bytes < 0 ? PACKET_FETCH_FAILED : PACKET_FETCH_DONE, r, culprit,
                   bytes < 0 ? 0 : bytes, error) < 0)
            return -1;
        end(g, i);
    }
    return next_us;
}

static int gather(struct task_gathering *g)
{
    struct packet m;

    for (;;) {
        int64_t next_us = fetch_due(g);
        if (next_us < 0)
            return -1;
        if (g->missing == 0)
            return 0;
        int got = task_control_receive(g->task->control, next_us, &m, g->err);
        if (got < 0 || (got > 0 && m.type == PACKET_READ && begin(g, &m.u.read) < 0))
            return -1;
        if (got > 0 && m.type == PACKET_REVOKE)
            give_up(g, &m.u.read);
    }
}

int task_reads_gather(const struct task_attempt *t, const struct task_reader *r, struct err *err)
{
    uint32_t count = t->last - t->first + 1;
    struct task_gathering g = {.task = t,
                               .reader = r,
                               .here = mem_zalloc(count, sizeof *g.here),
                               .missing = count,
                               .err = err};
    int result = gather(&g);

    while (g.open.count > 0)
        end(&g, 0);
    vec_free(&g.open);
    mem_free(g.here);
    return result;
}
