/* page_data.c - columns: numbers of 32, 16 or 8 bits, lowest byte first, one kind behind the other,
 * in the order of the launches. Times count in units of unit_us from the first submission; those of
 * launches are differences from the one before, and the others from the launch, plus one, 0 being
 * never. So columns are mostly small numbers, which deflate well. */
#include "report/page_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/decision.h"
#include "model/event.h"
#include "report/pack.h"
#include "ui/journal_json.h"
#include "ui/json_out.h"

struct page_bytes {
    VEC(unsigned char) v;
};

static void put(struct page_bytes *b, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        vec_push(&b->v, (unsigned char)(value >> 8 * i));
}

static int by_launch(const void *a, const void *b)
{
    const struct attempt_row_shown *x = a, *y = b;
    if (x->launched_us != y->launched_us)
        return x->launched_us < y->launched_us ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

/* The unit in which the run fits 32 bits. */
static int64_t unit_of(int64_t length_us)
{
    int64_t unit = 1;

    while (length_us / unit > UINT32_MAX / 2)
        unit *= 10;
    return unit;
}

static uint64_t since(const struct attempt_row_shown *r, int64_t at_us, int64_t unit)
{
    return at_us < 0 ? 0 : (uint64_t)(at_us / unit - r->launched_us / unit) + 1;
}

enum { COLUMNS = 14 };
static const struct {
    const char *name;
    int size;
} columns_of[COLUMNS] = {{"launched", 4}, {"started", 4}, {"read_from", 4}, {"read_to", 4},
                         {"ended", 4},    {"job", 4},     {"task", 4},      {"node", 4},
                         {"lane", 2},     {"phase", 2},   {"ordinal", 2},   {"why", 2},
                         {"kind", 1},     {"fate", 1}};

static uint64_t cell(const struct attempt_row_shown *r, const struct attempt_row_shown *before,
                     int column, int64_t unit)
{
    switch (column) {
    case 0:
        return (uint64_t)(r->launched_us / unit - (before ? before->launched_us / unit : 0));
    case 1:
        return since(r, r->started_us, unit);
    case 2:
        return since(r, r->read_from_us, unit);
    case 3:
        return since(r, r->read_to_us, unit);
    case 4:
        return since(r, r->ended_us, unit);
    case 5:
        return r->at.job.v;
    case 6:
        return r->at.task;
    case 7:
        return r->node;
    case 8:
        return r->lane < UINT16_MAX ? r->lane : UINT16_MAX;
    case 9:
        return r->at.phase;
    case 10:
        return r->at.attempt;
    case 11:
        return r->why;
    case 12:
        return r->kind;
    default:
        return r->fate;
    }
}

static json_t *add_columns(struct gather *g, int64_t unit, struct str *to)
{
    struct page_bytes all = {0};
    json_t *list = json_array();
    uint32_t count = g->log.closed.count;
    const struct attempt_row_shown *rows = g->log.closed.at;

    for (int c = 0; c < COLUMNS; c++) {
        json_t *o = json_object();
        json_out_set(o, "name", json_string(columns_of[c].name));
        json_out_set(o, "size", json_integer(columns_of[c].size));
        json_out_set(o, "from", json_integer(all.v.count));
        json_array_append_new(list, o);
        for (uint32_t i = 0; i < count; i++)
            put(&all, cell(&rows[i], i ? &rows[i - 1] : NULL, c, unit), columns_of[c].size);
    }
    pack_deflated(all.v.at ? (const void *)all.v.at : "", all.v.count, to);
    vec_free(&all.v);
    return list;
}

static json_t *jobs_json(const struct gather *g)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < g->jobs.count; i++) {
        const struct gather_job *j = &g->jobs.at[i];
        json_t *o = json_object();
        json_out_set(o, "id", json_integer(j->id.v));
        json_out_set(o, "name", journal_json_text(j->name));
        json_out_set(o, "phases", journal_json_text(j->phases));
        json_out_set(o, "tasks", journal_json_u64(j->tasks));
        json_out_set(o, "clones", journal_json_u64(j->clones));
        json_out_set(o, "arrived_s", json_real((double)j->arrived_us / 1e6));
        json_out_set(o, "took_s", json_real((double)(j->ended_us - j->arrived_us) / 1e6));
        json_out_set(o, "end", json_string(j->open ? "open" : j->failed ? "failed" : "done"));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *nodes_json(const struct explain *x, const struct gather *g)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < g->tracks.nodes.count; i++) {
        json_t *o = json_object();
        json_out_set(o, "name", journal_json_text(explain_node(x, (struct node_id){i}).text));
        json_out_set(o, "lanes", json_integer(tracks_count(&g->tracks, i)));
        json_array_append_new(list, o);
    }
    return list;
}

static const struct {
    const char *name, *unit;
} series_names[GATHER_SERIES] = {
    [GATHER_RUNNING] = {"running attempts", ""},
    [GATHER_WAITING] = {"tasks not running and not done", ""},
    [GATHER_EXTRA] = {"held by extra attempts", "%"},
    [GATHER_NODES_DOWN] = {"nodes down or closed", ""},
    [GATHER_OMEGA] = {"omega", "s"},
    [GATHER_USED + RES_CPU] = {"cpu in use", "%"},
    [GATHER_USED + RES_MEM] = {"memory in use", "%"},
    [GATHER_USED + RES_X] = {"x in use", "%"},
    [GATHER_USED + RES_Y] = {"y in use", "%"},
};

static bool is_flat(const struct series *s, uint32_t k)
{
    for (uint32_t i = 0; i < series_spans(s); i++)
        if (s->points[k][i].most > 0)
            return false;
    return true;
}

static json_t *series_json(const struct gather *g)
{
    json_t *list = json_array();

    for (uint32_t k = 0; k < GATHER_SERIES; k++) {
        if (is_flat(g->series, k))
            continue;
        json_t *o = json_object(), *mean = json_array(), *most = json_array();
        for (uint32_t i = 0; i < series_spans(g->series); i++) {
            json_array_append_new(mean, json_out_number(series_mean(g->series, k, i), false));
            json_array_append_new(most, json_out_number(g->series->points[k][i].most, false));
        }
        json_out_set(o, "name", json_string(series_names[k].name));
        json_out_set(o, "unit", json_string(series_names[k].unit));
        json_out_set(o, "mean", mean);
        json_out_set(o, "most", most);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *names_json(const char *(*name)(uint16_t), uint16_t count)
{
    json_t *list = json_array();

    for (uint16_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(name(i)));
    return list;
}

static const char *kind_name(uint16_t kind)
{
    return decision_kind_name((uint8_t)kind);
}

json_t *page_data(const struct explain *x, struct gather *g, struct str *columns)
{
    json_t *o = json_object();
    int64_t unit = unit_of(x->run->last_us);

    if (g->log.closed.count > 0)
        qsort(g->log.closed.at, g->log.closed.count, sizeof *g->log.closed.at, by_launch);
    json_out_set(o, "journal", journal_json_text(x->path));
    json_out_set(o, "from_one", json_boolean(x->from_one));
    json_out_set(o, "unit_us", json_integer(unit));
    json_out_set(o, "last_s", json_real((double)x->run->last_us / 1e6));
    json_out_set(o, "rows", json_integer(g->log.closed.count));
    json_out_set(o, "left_out", journal_json_u64(g->log.count - g->log.closed.count));
    json_out_set(o, "shortest_s", json_real((double)g->log.shortest_us / 1e6));
    json_out_set(o, "columns", add_columns(g, unit, columns));
    json_out_set(o, "kinds", names_json(kind_name, LAUNCH_KIND_END));
    json_out_set(o, "reasons", names_json(reason_name, WHY_CODE_END));
    json_out_set(o, "nodes", nodes_json(x, g));
    json_out_set(o, "jobs", jobs_json(g));
    json_out_set(o, "jobs_left_out", journal_json_u64(g->job_count - g->jobs.count));
    json_out_set(o, "span_s", json_real((double)g->series->span_us / 1e6));
    json_out_set(o, "series", series_json(g));
    return o;
}
