/* export_trace.c - the run as trace events of Chrome, which Perfetto reads too.
 *
 * Events of one track must nest or follow each other: a track is a lane, in which attempts never
 * overlap. Nodes are processes. Reads are flows, arrows from slice to slice. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"
#include "report/export.h"

/* A string of JSON. */
static void put_text(gzFile f, const char *text)
{
    gzputc(f, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            gzputc(f, '\\');
        if ((unsigned char)*c < ' ')
            gzprintf(f, "\\u%04x", (unsigned)*c);
        else
            gzputc(f, *c);
    }
    gzputc(f, '"');
}

static void put_nodes(gzFile f, const struct explain *x, const struct gather *g)
{
    for (uint32_t i = 0; i < g->tracks.nodes.count; i++) {
        if (tracks_count(&g->tracks, i) == 0)
            continue;
        gzprintf(f,
                 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":", i + 1);
        put_text(f, explain_node(x, (struct node_id){i}).text);
        gzprintf(f, "}},\n");
    }
}

static void put_series(gzFile f, const struct gather *g)
{
    static const struct {
        uint32_t which;
        const char *name;
    } counters[] = {{GATHER_RUNNING, "running"},
                    {GATHER_WAITING, "waiting"},
                    {GATHER_EXTRA, "extra, per cent of the cluster"},
                    {GATHER_LIMIT, "limit of extra, per cent of the cluster"}};

    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++)
        for (uint32_t i = 0; i < series_spans(g->series); i++)
            gzprintf(f,
                     "{\"ph\":\"C\",\"name\":\"%s\",\"pid\":0,\"ts\":%" PRId64
                     ",\"args\":{\"value\":%.6g}},\n",
                     counters[k].name, (int64_t)i * g->series->span_us,
                     series_mean(g->series, counters[k].which, i));
}

/* ---- who read from whom ---- */

/* Rows that have won, in order of job, phase and task. */
struct winner_list {
    VEC(const struct attempt_row_shown *) v;
};

static int compare_tasks(const struct attempt_ref *x, const struct attempt_ref *y)
{
    if (x->job.v != y->job.v)
        return x->job.v < y->job.v ? -1 : 1;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static int by_task(const void *a, const void *b)
{
    const struct attempt_row_shown *x = *(struct attempt_row_shown *const *)a,
                                   *y = *(struct attempt_row_shown *const *)b;
    return compare_tasks(&x->at, &y->at);
}

static struct winner_list winners_of(const struct gather *g)
{
    struct winner_list w = {0};

    for (uint32_t i = 0; i < g->log.closed.count; i++)
        if (g->log.closed.at[i].fate == FATE_WON)
            vec_push(&w.v, &g->log.closed.at[i]);
    if (w.v.count > 0)
        qsort(w.v.at, w.v.count, sizeof *w.v.at, by_task);
    return w;
}

static const struct attempt_row_shown *winner_of(const struct winner_list *w, struct attempt_ref at)
{
    struct attempt_row_shown like = {.at = at};
    const struct attempt_row_shown *key = &like, **found = NULL;

    if (w->v.count > 0)
        found = bsearch(&key, w->v.at, w->v.count, sizeof *w->v.at, by_task);
    return found ? *found : NULL;
}

/* An end of an arrow: inside the slice of the row, at this time. */
static void put_end(gzFile f, const char *end, uint64_t id, const struct attempt_row_shown *r,
                    int64_t at_us)
{
    gzprintf(f,
             "{\"ph\":\"%s\",\"bp\":\"e\",\"name\":\"read\",\"cat\":\"read\",\"id\":%" PRIu64
             ",\"pid\":%u,\"tid\":%u,\"ts\":%" PRId64 "},\n",
             end, id, r->node + 1, r->lane, at_us);
}

/* An arrow for each of the longest reads of single outputs whose source is there and ended first:
 * arrows must not go back in time. */
static void put_reads(gzFile f, const struct gather *g)
{
    struct winner_list winners = winners_of(g);
    uint64_t id = 0;

    for (uint32_t i = 0; i < g->log.closed.count; i++) {
        const struct attempt_row_shown *r = &g->log.closed.at[i];
        for (uint32_t k = 0; k < r->reads && k < ATTEMPT_LOG_READS; k++) {
            struct attempt_ref at = {
                .job = r->at.job, .phase = r->longest[k].phase, .task = r->longest[k].task};
            const struct attempt_row_shown *from = winner_of(&winners, at);
            if (!from || from->ended_us > r->read_to_us || from->ended_us <= from->launched_us)
                continue;
            id++;
            put_end(f, "s", id, from, from->ended_us - 1);
            put_end(f, "f", id, r, r->read_to_us > r->ended_us ? r->ended_us - 1 : r->read_to_us);
        }
    }
    vec_free(&winners.v);
}

int export_trace(const struct explain *x, const struct gather *g, const char *path, struct err *err)
{
    gzFile f = export_open(path, err);

    if (!f)
        return -1;
    gzprintf(f, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    put_nodes(f, x, g);
    put_series(f, g);
    for (uint32_t i = 0; i < g->log.closed.count; i++) {
        const struct attempt_row_shown *r = &g->log.closed.at[i];
        gzprintf(f,
                 "{\"ph\":\"X\",\"name\":\"%u/%u/%u.%u\",\"cat\":\"%s,%s\",\"pid\":%u,\"tid\":%u,"
                 "\"ts\":%" PRId64 ",\"dur\":%" PRId64 ",\"args\":{\"kind\":\"%s\",\"end\":\"%s\","
                 "\"why\":\"%s\"}},\n",
                 r->at.job.v, r->at.phase, r->at.task, r->at.attempt, decision_kind_name(r->kind),
                 export_fate(r->fate), r->node + 1, r->lane, r->launched_us,
                 r->ended_us - r->launched_us, decision_kind_name(r->kind), export_fate(r->fate),
                 reason_name(r->why));
    }
    put_reads(f, g);
    gzprintf(f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"run\"}}\n"
                "]}\n");
    return export_close(f, path, err);
}
