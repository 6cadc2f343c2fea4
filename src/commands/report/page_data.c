/* page_data.c - columns: numbers of 32, 16 or 8 bits, of each the lowest bytes of all rows first,
 * one kind behind the other, in the order of the launches. Times count in units of unit_us from the
 * first submission; those of launches are differences from the one before, and the others from the
 * launch, plus one, 0 being never. So columns are mostly small numbers, which deflate well. */
#include "commands/report/page_data.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "commands/report/export.h"
#include "commands/report/pack.h"
#include "core/model/decision.h"
#include "ui/json_out.h"

struct page_bytes {
    VEC(unsigned char) v;
};

/* The lowest bytes of all values come first, then the next: high bytes are alike, and deflate to a
 * fifth less than numbers one by one. */
static void put_planes(struct page_bytes *b, const uint32_t *values, uint32_t count, int size)
{
    for (int plane = 0; plane < size; plane++)
        for (uint32_t i = 0; i < count; i++)
            vec_push(&b->v, (unsigned char)(values[i] >> 8 * plane));
}

static int by_launch(const void *a, const void *b)
{
    const struct attempt_row_shown *x = a, *y = b;
    if (x->launched_us != y->launched_us)
        return x->launched_us < y->launched_us ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return attempt_compare(x->at, y->at);
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

/* How the cells of a column are made; the first five from a member of the row. */
enum page_cell {
    CELL_SINCE, /* a time, since the launch */
    CELL_U32,
    CELL_U16,
    CELL_U8,
    CELL_CAPPED, /* of 32 bits, as much as fits 16 */
    CELL_LAUNCHED,
    CELL_NUMBER,    /* of the task, as users know it: of `dolly map` */
    CELL_EXIT,      /* exit status plus 1, as export_exit has it; 0: none */
    CELL_STRAGGLED, /* 1: it is known to have straggled */
    /* Of a winner that is a clone or backup: enum story_alone, and ALONE_RESCUED; 0 of others. */
    CELL_ALONE,
    CELL_ALONE_TIME, /* when the task would have ended without it: a member of its race */
};

static const struct page_column {
    const char *name;
    int size;
    enum page_cell cell;
    size_t offset;
} columns_of[] = {
#define ROW(member) offsetof(struct attempt_row_shown, member)
    {"launched", 4, CELL_LAUNCHED, 0},
    {"started", 4, CELL_SINCE, ROW(started_us)},
    {"read_from", 4, CELL_SINCE, ROW(read_from_us)},
    {"read_to", 4, CELL_SINCE, ROW(read_to_us)},
    {"ended", 4, CELL_SINCE, ROW(ended_us)},
    {"job", 4, CELL_U32, ROW(at.job)},
    {"task", 4, CELL_U32, ROW(at.task)},
    {"node", 4, CELL_U32, ROW(node)},
    {"number", 4, CELL_NUMBER, 0},
    {"lane", 2, CELL_CAPPED, ROW(lane)},
    {"phase", 2, CELL_U16, ROW(at.phase)},
    {"ordinal", 2, CELL_U16, ROW(at.attempt)},
    {"why", 2, CELL_U16, ROW(why)},
    {"reads", 2, CELL_CAPPED, ROW(reads)},
    {"kind", 1, CELL_U8, ROW(kind)},
    {"fate", 1, CELL_U8, ROW(fate)},
    {"exit", 2, CELL_EXIT, 0},
    {"straggled", 1, CELL_STRAGGLED, 0},
    {"alone", 1, CELL_ALONE, 0},
    {"alone_about", 4, CELL_ALONE_TIME, offsetof(struct race, about_us)},
    {"alone_low", 4, CELL_ALONE_TIME, offsetof(struct race, low_us)},
    {"alone_high", 4, CELL_ALONE_TIME, offsetof(struct race, high_us)},
    {"read_task_0", 4, CELL_U32, ROW(longest[0].task)},
    {"read_task_1", 4, CELL_U32, ROW(longest[1].task)},
    {"read_task_2", 4, CELL_U32, ROW(longest[2].task)},
    {"read_phase_0", 2, CELL_U16, ROW(longest[0].phase)},
    {"read_phase_1", 2, CELL_U16, ROW(longest[1].phase)},
    {"read_phase_2", 2, CELL_U16, ROW(longest[2].phase)},
#undef ROW
};
_Static_assert(ATTEMPT_LOG_READS == 3, "each has two columns");

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

enum { ALONE_RESCUED = 16 }; /* web/run.js knows it */

/* Guesses need no more than a thousandth of themselves, and short numbers deflate better. */
static int64_t rounded_us(int64_t us)
{
    int64_t step = 1;

    while (us / step > 10000)
        step *= 10;
    return us / step * step;
}

static uint64_t alone_cell(const struct races *races, const struct attempt_row_shown *r,
                           const struct page_column *column, int64_t unit)
{
    const struct race *race =
        r->fate == FATE_WON && r->kind != LAUNCH_FIRST ? races_find(races, r->at) : NULL;
    if (!race)
        return 0;
    if (column->cell == CELL_ALONE)
        return race->alone | (race->rescued ? ALONE_RESCUED : 0);
    int64_t us = *(const int64_t *)(const void *)((const char *)race + column->offset);
    return us < r->launched_us ? 0
                               : since(r, r->launched_us + rounded_us(us - r->launched_us), unit);
}

static uint64_t cell(const struct read_run *run, const struct attempt_row_shown *r,
                     const struct attempt_row_shown *before, const struct page_column *column,
                     int64_t unit)
{
    const void *member = (const char *)r + column->offset;

    switch (column->cell) {
    case CELL_SINCE:
        return since(r, *(const int64_t *)member, unit);
    case CELL_U32:
        return *(const uint32_t *)member;
    case CELL_U16:
        return *(const uint16_t *)member;
    case CELL_U8:
        return *(const uint8_t *)member;
    case CELL_CAPPED:
        return at_most(*(const uint32_t *)member, UINT16_MAX);
    case CELL_LAUNCHED:
        return (uint64_t)(r->launched_us / unit - (before ? before->launched_us / unit : 0));
    case CELL_NUMBER:
        return at_most(explain_number(&run->input.x, r->at.task), UINT32_MAX);
    case CELL_EXIT:
        return r->fate == FATE_FAILED ? (uint64_t)(export_exit(r) + 1) : 0;
    case CELL_STRAGGLED:
        return races_straggled(&run->races, r->at);
    case CELL_ALONE:
    case CELL_ALONE_TIME:
        return alone_cell(&run->races, r, column, unit);
    }
    return 0;
}

static json_t *add_columns(const struct read_run *r, int64_t unit, struct str *to)
{
    const struct explain *x = &r->input.x;
    const struct gather *g = &r->gather;
    struct page_bytes all = {0};
    json_t *list = json_array();
    uint32_t count = g->log.closed.count;
    const struct attempt_row_shown *rows = g->log.closed.at;
    uint32_t *values = mem_zalloc(count, sizeof *values);

    for (size_t k = 0; k < sizeof columns_of / sizeof *columns_of; k++) {
        const struct page_column *c = &columns_of[k];
        if (c->cell == CELL_NUMBER && !x->from_one)
            continue;
        json_t *o = json_out_add(list);
        json_out_members(o, c, name, size);
        json_out_put(o, "from", all.v.count);
        for (uint32_t i = 0; i < count; i++)
            values[i] = (uint32_t)cell(r, &rows[i], i ? &rows[i - 1] : NULL, c, unit);
        put_planes(&all, values, count, c->size);
    }
    mem_free(values);
    pack_deflated(all.v.at ? (const void *)all.v.at : "", all.v.count, to);
    vec_free(&all.v);
    return list;
}

/* Names of phases, each with a newline behind it, as a list. */
static json_t *phases_json(const char *names)
{
    json_t *list = json_array();
    char *copy = mem_strdup(names ? names : ""), *rest = copy;

    for (char *end; (end = strchr(rest, '\n')); rest = end + 1) {
        *end = '\0';
        json_array_append_new(list, json_out_text(rest));
    }
    mem_free(copy);
    return list;
}

/* The place of these names in the list, where they are added if they are new. */
static size_t shape_of(json_t *shapes, const char *names)
{
    json_t *phases = phases_json(names), *known;
    size_t i;

    json_array_foreach(shapes, i, known)
    {
        if (!json_equal(known, phases))
            continue;
        json_decref(phases);
        return i;
    }
    json_array_append_new(shapes, phases);
    return i;
}

/* Most jobs of a run have phases of the same names, which stand once in `shapes`, and most are
 * done, which is left out. */
static json_t *jobs_json(const struct gather *g, json_t *shapes)
{
    enum { SHAPES_MAX = 50 }; /* looked through for each job */
    json_t *list = json_array();

    for (uint32_t i = 0; i < g->jobs.count; i++) {
        const struct gather_job *j = &g->jobs.at[i];
        json_t *o = json_out_add(list);
        json_out_put(o, "id", j->id.v);
        json_out_put(o, "name", j->name);
        if (json_array_size(shapes) < SHAPES_MAX)
            json_out_put(o, "shape", shape_of(shapes, j->phases));
        else
            json_out_set(o, "phases", phases_json(j->phases));
        json_out_put(o, "tasks", j->tasks);
        json_out_set(o, "arrived_s", json_real((double)j->arrived_us / 1e6));
        json_out_set(o, "took_s", json_real((double)(j->ended_us - j->arrived_us) / 1e6));
        if (!j->measured)
            json_out_set(o, "counts", json_false());
        if (j->open || j->failed)
            json_out_put(o, "end", j->open ? "open" : "failed");
    }
    return list;
}

static json_t *nodes_json(const struct explain *x, const struct gather *g)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < g->tracks.nodes.count; i++) {
        json_t *o = json_out_add(list);
        json_out_put(o, "name", explain_node(x, (struct node_id){i}).text);
        json_out_put(o, "lanes", tracks_count(&g->tracks, i));
    }
    return list;
}

/* The strips of the page, from the top. A limit is drawn with what it limits, and with nothing
 * else; with `only_limited` there is a strip only where there is a limit. */
static const struct strip {
    const char *name, *unit, *limit_name;
    uint32_t which, limit; /* limit 0: has none */
    bool only_limited;
} strips[] = {
    {"running attempts", "", NULL, GATHER_RUNNING, 0, false},
    {"tasks not running and not done", "", NULL, GATHER_WAITING, 0, false},
    {"held by extra attempts", "%", NULL, GATHER_EXTRA, 0, false},
    {"held by clones", "%", "the clone budget", GATHER_CLONES, GATHER_CLONES_MAX, true},
    {"held by backups", "%", "their limit", GATHER_BACKUPS, GATHER_BACKUPS_MAX, true},
    {"nodes down or closed", "", NULL, GATHER_NODES_DOWN, 0, false},
    {"omega", "s", NULL, GATHER_OMEGA, 0, false},
    {"slots in use", "", "all slots", GATHER_SLOTS, GATHER_SLOTS_ALL, false},
    {"CPU seconds a second", "", NULL, GATHER_CPU, 0, false},
    {"memory in use", "%", NULL, GATHER_USED + RES_MEM - 1, 0, false},
    {"x in use", "%", NULL, GATHER_USED + RES_X - 1, 0, false},
    {"y in use", "%", NULL, GATHER_USED + RES_Y - 1, 0, false},
};

static bool is_flat(const struct series *s, uint32_t k)
{
    for (uint32_t i = 0; i < series_spans(s); i++)
        if (series_most(s, k, i) > 0)
            return false;
    return true;
}

static json_t *means_json(const struct series *s, uint32_t k)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < series_spans(s); i++)
        json_array_append_new(list, json_out_number(series_mean(s, k, i), false));
    return list;
}

/* "slots in use", but where the cluster calls them something else: "licenses in use". */
static json_t *strip_name(const struct explain *x, const struct strip *strip)
{
    const char *own = strip->which == GATHER_SLOTS ? x->run->resources[RES_CPU] : NULL;
    struct str name = {0};

    if (own)
        str_addf(&name, "%s in use", own);
    json_t *text = json_out_text(own ? name.text : strip->name);
    str_free(&name);
    return text;
}

static json_t *strip_json(const struct explain *x, const struct gather *g,
                          const struct strip *strip, bool limited)
{
    json_t *o = json_object(), *most = json_array();

    for (uint32_t i = 0; i < series_spans(g->series); i++)
        json_array_append_new(most,
                              json_out_number(series_most(g->series, strip->which, i), false));
    json_out_set(o, "name", strip_name(x, strip));
    json_out_put(o, "unit", strip->unit);
    json_out_set(o, "mean", means_json(g->series, strip->which));
    json_out_set(o, "most", most);
    if (!limited)
        return o;
    json_out_set(o, "limit", means_json(g->series, strip->limit));
    json_out_put(o, "limit_name", strip->limit_name);
    if (strip->which == GATHER_SLOTS)
        json_out_put(o, "of", series_peak(g->series, strip->limit));
    return o;
}

static json_t *series_json(const struct explain *x, const struct gather *g)
{
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof strips / sizeof *strips; i++) {
        const struct strip *strip = &strips[i];
        bool limited = strip->limit && !is_flat(g->series, strip->limit);
        if (strip->only_limited ? limited : !is_flat(g->series, strip->which))
            json_array_append_new(list, strip_json(x, g, strip, limited));
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

json_t *page_data(struct read_run *r, struct str *columns)
{
    const struct explain *x = &r->input.x;
    struct gather *g = &r->gather;
    json_t *o = json_object();
    int64_t unit = unit_of(x->run->last_us);

    vec_sort(&g->log.closed, by_launch);
    json_out_put(o, "journal", r->kept ? x->path : NULL);
    json_out_put(o, "label", r->label);
    json_out_put(o, "unit_us", unit);
    json_out_set(o, "last_s", json_real((double)x->run->last_us / 1e6));
    json_out_put(o, "rows", g->log.closed.count);
    json_out_put(o, "left_out", g->log.count - g->log.closed.count);
    json_out_set(o, "left_out_s", json_real((double)g->log.cutoff.length_us / 1e6));
    json_out_set(o, "columns", add_columns(r, unit, columns));
    json_out_put(o, "reads_kept", ATTEMPT_LOG_READS);
    json_out_set(o, "kinds", names_json(kind_name, LAUNCH_KIND_END));
    json_out_set(o, "reasons", names_json(reason_name, WHY_CODE_END));
    json_out_set(o, "nodes", nodes_json(x, g));
    json_t *shapes = json_array();
    json_out_set(o, "jobs", jobs_json(g, shapes));
    json_out_set(o, "shapes", shapes);
    json_out_put(o, "jobs_left_out", g->job_count - g->jobs.count);
    json_out_set(o, "span_s", json_real((double)g->series->span_us / 1e6));
    json_out_set(o, "series", series_json(x, g));
    return o;
}

void page_data_stories(struct read_run *r, struct str *to)
{
    json_t *list = json_array();
    struct telling_list all = telling_all(&r->telling);

    for (uint32_t i = 0; i < all.v.count; i++) {
        const struct telling_task *t = &all.v.at[i];
        json_array_append_new(list,
                              json_pack("[I, i, I, o]", (json_int_t)t->at.job.v, (int)t->at.phase,
                                        (json_int_t)t->at.task, json_out_text(t->text)));
    }
    char *text = json_dumps(list, JSON_COMPACT);
    pack_deflated(text, strlen(text), to);
    mem_free(text);
    json_decref(list);
    vec_free(&all.v);
}
