/* task_reads.c - outputs of tasks above, from where the coordinator says, as they get ready.
 *
 * Each read is answered: it begins at once, and ends when the output is here, or shows itself to be
 * of no use; then another source is named some time later.
 * Outputs are files that we map, so what takes time is to look at them; chaos may have a read take
 * longer, and meanwhile others go on. Where outputs stay with agents, we are told places before
 * reads, which then have no path, and what lies with another agent comes from there, one output at
 * a time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/path.h"
#include "core/model/id.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"

/* A read that has begun. */
struct reading {
    struct packet_read what;
    char *path;
    int64_t begun_us, due_us;
};

struct task_gathering {
    const struct task_attempt *task;
    const struct task_reader *reader;
    struct fetch_places places;
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
        return err_set(
            g->err, "asked to read task %" PRIu32 ", which is not an input of this phase", first);
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

/* ---- fetching ---- */

/* From a file that we see. */
static int64_t fetch_here(struct task_gathering *g, uint32_t at, int folder, const char *path,
                          int *error, struct err *why)
{
    int64_t bytes = g->reader->fetch(g->reader->ctx, at, folder, path, why);

    if (bytes < 0)
        *error = access(path, F_OK) < 0 ? errno : EBADMSG;
    return bytes;
}

/* From the agent that has it. */
static int64_t fetch_far(struct task_gathering *g, uint32_t at, const struct fetch_place *place,
                         int *error, struct err *why)
{
    struct fetched what;

    if (fetch_places_get(&g->places, place, g->reader->partition, &what, why) < 0) {
        *error = what.found.error;
        return -1;
    }
    int64_t bytes = g->reader->take(g->reader->ctx, at, &what, why);
    *error = EBADMSG;
    close(what.fd);
    return bytes;
}

/* From where we were told that it stays. `attempt` of all tasks: whichever that is. */
static int64_t fetch_kept(struct task_gathering *g, uint32_t task, uint32_t attempt, int *error,
                          struct err *why)
{
    uint32_t at = task - g->task->first;
    const struct fetch_place *place = fetch_places_find(&g->places, task, attempt, why);

    *error = ESTALE;
    if (!place)
        return -1;
    return fetch_place_is_here(place) ? fetch_here(g, at, AT_FDCWD, place->where, error, why)
                                      : fetch_far(g, at, place, error, why);
}

/* Gets one output. Its bytes, or -1 with what is wrong with it. `path`: "" if it stays with an
 * agent. */
static int64_t fetch_one(struct task_gathering *g, uint32_t task, uint32_t attempt, int folder,
                         const char *path, int *error)
{
    uint32_t at = task - g->task->first;
    struct err why;
    int64_t bytes = *path ? fetch_here(g, at, folder, path, error, &why)
                          : fetch_kept(g, task, attempt, error, &why);

    if (bytes < 0) {
        dprintf(STDERR_FILENO, "dolly: %s; it will be made again\n", why.text);
        return -1;
    }
    g->missing -= !g->here[at];
    g->here[at] = true;
    return bytes;
}

/* The outputs of no use that a read has met. The last one is told with its end, ... */
struct bad_sources {
    uint32_t count, task;
    int error;
};

/* ... those before as they are met, so that all of them are made again at once. */
static int meet(struct task_gathering *g, const struct reading *r, struct bad_sources *bad,
                uint32_t task, int error)
{
    struct bad_sources before = *bad;

    *bad = (struct bad_sources){before.count + 1, task, error};
    return before.count > 0 ? answer(g, PACKET_SOURCE_LOST, r, before.task, 0, before.error) : 0;
}

static int fetch_all(struct task_gathering *g, const struct reading *r, int folder,
                     struct bad_sources *bad, int64_t *sum)
{
    int told = 0;

    for (uint32_t task = g->task->first; task <= g->task->last && told == 0; task++) {
        struct path path = path_of("%s/%" PRIu32, r->path, task);
        int error = 0;
        int64_t bytes = fetch_one(g, task, UINT32_MAX, folder >= 0 ? folder : AT_FDCWD,
                                  *r->path ? path.text : "", &error);
        if (bytes < 0)
            told = meet(g, r, bad, task, error);
        else
            *sum += bytes;
    }
    return told;
}

/* Gets what a read is about. -1: nobody listens any more. */
static int fetch(struct task_gathering *g, const struct reading *r, struct bad_sources *bad,
                 int64_t *sum)
{
    int error = 0;

    if (r->what.task != TASK_ALL) {
        *sum = fetch_one(g, r->what.task, r->what.attempt, AT_FDCWD, r->path, &error);
        return *sum < 0 ? meet(g, r, bad, r->what.task, error) : 0;
    }
    int folder = open(r->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int told = fetch_all(g, r, folder, bad, sum);
    if (folder >= 0)
        close(folder);
    return told;
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
        struct bad_sources bad = {.task = first_of(g, &r->what)};
        int64_t sum = 0;
        if (fetch(g, r, &bad, &sum) < 0 ||
            answer(g, bad.count > 0 ? PACKET_FETCH_FAILED : PACKET_FETCH_DONE, r, bad.task,
                   bad.count > 0 ? 0 : sum, bad.error) < 0)
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
        fetch_client_rest(&g->places.client);
        int got = task_control_receive(g->task->control, next_us, &m, g->err);
        if (got < 0 || (got > 0 && m.type == PACKET_READ && begin(g, &m.u.read) < 0))
            return -1;
        if (got > 0 && (m.type == PACKET_PLACE || m.type == PACKET_KEY) &&
            fetch_places_take(&g->places, &m, g->err) < 0)
            return -1;
    }
}

int task_reads_gather(const struct task_attempt *t, const struct task_reader *r, struct err *err)
{
    uint32_t count = t->last - t->first + 1;
    struct task_gathering g = {.task = t,
                               .reader = r,
                               .places = {.first = t->first, .count = count, .scratch = t->scratch},
                               .here = mem_zalloc(count, sizeof *g.here),
                               .missing = count,
                               .err = err};
    int result = gather(&g);

    while (g.open.count > 0)
        end(&g, 0);
    vec_free(&g.open);
    mem_free(g.here);
    fetch_places_fini(&g.places);
    return result;
}
