/* draft_graph.c - decides which phase reads which.
 *
 * Parents are named by phase (Alibaba, Spark) or by task (workflows). In the second case a phase of
 * the trace, such as "all runs of one program", may be above and below another one at the same
 * time; so tasks are grouped by (level, phase), where the level of a task is the longest way to it
 * from a task without parents. Edges then go from lower to higher levels only. A task that reads
 * one task of a phase waits for all of it, as at a barrier, because traces need not fit the
 * patterns of dolly.
 *
 * Circles cannot be run. Phases that wait for each other lose the edges between them, which is
 * counted, and the job is kept. */

#include "base/check.h"
#include "base/sort.h"
#include "inputs/trace/draft.h"

enum { NO_LEVEL = UINT32_MAX };

/* ---- tasks by name ---- */

struct task_index {
    const struct draft *draft;
    uint32_t *at; /* tasks in order of their names */
};

static bool name_before(const void *a, const void *b, const void *ctx)
{
    const struct draft *d = ctx;
    return row_text_compare(d->tasks.at[*(const uint32_t *)a].name,
                            d->tasks.at[*(const uint32_t *)b].name) < 0;
}

static uint32_t find_task(const struct task_index *index, struct row_text name)
{
    uint32_t low = 0, high = index->draft->tasks.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int c = row_text_compare(index->draft->tasks.at[index->at[middle]].name, name);
        if (c == 0)
            return index->at[middle];
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

/* ---- a graph of tasks or phases ---- */

struct graph_edge {
    uint32_t from, to;
};

struct graph {
    uint32_t count;
    VEC(struct graph_edge) edges;
    uint32_t *level; /* longest way to each; NO_LEVEL: on a circle or behind one */
    uint32_t levels;
};

static bool edge_before(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const struct graph_edge *)a)->from < ((const struct graph_edge *)b)->from;
}

/* Fills graph->level; false if there is a circle. */
static bool find_levels(struct graph *g)
{
    uint32_t *waits = mem_zalloc(g->count, sizeof *waits), seen = 0, edge = 0;
    uint32_t *queue = mem_zalloc(g->count, sizeof *queue), filled = 0;
    uint32_t *first = mem_zalloc(g->count + (size_t)1, sizeof *first);
    g->level = mem_zalloc(g->count, sizeof *g->level);
    sort_stable(g->edges.at, g->edges.count, sizeof *g->edges.at, edge_before, NULL);
    for (uint32_t i = 0; i < g->edges.count; i++)
        waits[g->edges.at[i].to]++;
    for (uint32_t i = 0; i <= g->count; i++) {
        while (edge < g->edges.count && g->edges.at[edge].from < i)
            edge++;
        first[i] = edge;
    }
    for (uint32_t i = 0; i < g->count; i++)
        if (waits[i] == 0)
            queue[filled++] = i;
    while (seen < filled) {
        uint32_t i = queue[seen++];
        g->levels = g->level[i] + 1 > g->levels ? g->level[i] + 1 : g->levels;
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            uint32_t to = g->edges.at[k].to;
            if (g->level[to] < g->level[i] + 1)
                g->level[to] = g->level[i] + 1;
            if (--waits[to] == 0)
                queue[filled++] = to;
        }
    }
    for (uint32_t i = 0; i < g->count; i++)
        if (waits[i] > 0)
            g->level[i] = NO_LEVEL;
    mem_free(waits);
    mem_free(queue);
    mem_free(first);
    return filled == g->count;
}

/* Leaves out the edges between those that have no level, and finds levels again. */
static void break_circles(struct graph *g, struct draft_context *c, uint64_t where)
{
    uint32_t kept = 0;
    if (find_levels(g))
        return;
    trouble_add(c->trouble, TROUBLE_CYCLE, where, false);
    for (uint32_t i = 0; i < g->edges.count; i++)
        if (g->level[g->edges.at[i].from] != NO_LEVEL || g->level[g->edges.at[i].to] != NO_LEVEL)
            g->edges.at[kept++] = g->edges.at[i];
    g->edges.count = kept;
    mem_free(g->level);
    g->levels = 0;
    check(find_levels(g));
}

static void graph_fini(struct graph *g)
{
    vec_free(&g->edges);
    mem_free(g->level);
}

/* ---- tasks that know their parents ---- */

static void find_task_edges(const struct draft *d, struct graph *g, struct draft_context *c)
{
    struct task_index index = {d, mem_zalloc(d->tasks.count, sizeof *index.at)};
    for (uint32_t i = 0; i < d->tasks.count; i++)
        index.at[i] = i;
    sort_stable(index.at, d->tasks.count, sizeof *index.at, name_before, d);
    for (uint32_t i = 0; i < d->tasks.count; i++) {
        struct row_text rest = d->tasks.at[i].parents, name;
        while (row_text_next(&rest, &name)) {
            uint32_t from = find_task(&index, name);
            if (from == UINT32_MAX)
                trouble_add(c->trouble, TROUBLE_PARENT, d->tasks.at[i].where, false);
            else
                vec_push(&g->edges, ((struct graph_edge){from, i}));
        }
    }
    mem_free(index.at);
}

struct regroup {
    const struct draft *draft;
    const struct graph *graph;
};

static bool group_before(const void *a, const void *b, const void *ctx)
{
    const struct regroup *r = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (r->graph->level[x] != r->graph->level[y])
        return r->graph->level[x] < r->graph->level[y];
    return r->draft->tasks.at[x].phase < r->draft->tasks.at[y].phase;
}

/* Phases by (level, phase), and tasks in their order. Fills group[task] = new phase, by the old
 * number of the task. */
static void regroup_tasks(struct draft *d, const struct graph *g, uint32_t *group)
{
    uint32_t n = d->tasks.count, *order = mem_zalloc(n, sizeof *order);
    struct regroup by = {d, g};
    struct draft_task *tasks = mem_zalloc(n, sizeof *tasks);
    struct draft_phase *old = d->phases.at;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    sort_stable(order, n, sizeof *order, group_before, &by);
    d->phases.at = NULL;
    d->phases.count = d->phases.cap = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = order[i];
        if (i == 0 || group_before(&order[i - 1], &t, &by)) {
            struct draft_phase p = old[d->tasks.at[t].phase];
            p.task = i;
            p.tasks = 0;
            p.declared = ROW_UNKNOWN;
            p.parents.length = 0;
            vec_push(&d->phases, p);
        }
        group[t] = d->phases.count - 1;
        tasks[i] = d->tasks.at[t];
        tasks[i].phase = group[t];
        d->phases.at[group[t]].tasks++;
    }
    mem_free(d->tasks.at);
    d->tasks.at = tasks;
    d->tasks.cap = n;
    mem_free(old);
    mem_free(order);
}

/* Turns edges of tasks into edges of phases; there are as many phases as `group` names. */
static void graph_by_tasks(struct draft *d, struct draft_context *c, struct graph *phases)
{
    struct graph g = {.count = d->tasks.count};
    uint32_t *group = mem_zalloc(d->tasks.count, sizeof *group);
    find_task_edges(d, &g, c);
    break_circles(&g, c, d->where);
    regroup_tasks(d, &g, group);
    for (uint32_t i = 0; i < g.edges.count; i++)
        vec_push(&phases->edges,
                 ((struct graph_edge){group[g.edges.at[i].from], group[g.edges.at[i].to]}));
    mem_free(group);
    graph_fini(&g);
}

/* ---- phases that know theirs ---- */

static uint32_t find_phase(const struct draft *d, struct row_text key)
{
    for (uint32_t i = 0; i < d->phases.count; i++)
        if (row_text_compare(d->phases.at[i].key, key) == 0)
            return i;
    return UINT32_MAX;
}

static void graph_by_phases(const struct draft *d, struct draft_context *c, struct graph *g)
{
    for (uint32_t i = 0; i < d->phases.count; i++) {
        struct row_text rest = d->phases.at[i].parents, name;
        while (row_text_next(&rest, &name)) {
            uint32_t from = find_phase(d, name);
            if (from == UINT32_MAX)
                trouble_add(c->trouble, TROUBLE_PARENT, d->phases.at[i].where, false);
            else
                vec_push(&g->edges, ((struct graph_edge){from, i}));
        }
    }
}

/* ---- both ---- */

static bool level_before(const void *a, const void *b, const void *ctx)
{
    const struct graph *g = ctx;
    return g->level[*(const uint32_t *)a] < g->level[*(const uint32_t *)b];
}

static bool reader_before(const void *a, const void *b, const void *ctx)
{
    const struct graph_edge *x = a, *y = b;
    (void)ctx;
    return x->to != y->to ? x->to < y->to : x->from < y->from;
}

/* Sorts phases by level; edges go along and are each there once. */
static void order_phases(struct draft *d, struct graph *g)
{
    uint32_t n = d->phases.count, *order = mem_zalloc(n, sizeof *order);
    uint32_t *place = mem_zalloc(n, sizeof *place);
    struct draft_phase *phases = mem_zalloc(n, sizeof *phases);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    sort_stable(order, n, sizeof *order, level_before, g);
    for (uint32_t i = 0; i < n; i++) {
        phases[i] = d->phases.at[order[i]];
        place[order[i]] = i;
    }
    for (uint32_t i = 0; i < g->edges.count; i++) {
        struct graph_edge *e = &g->edges.at[i];
        *e = (struct graph_edge){place[e->from], place[e->to]};
    }
    sort_stable(g->edges.at, g->edges.count, sizeof *g->edges.at, reader_before, NULL);
    for (uint32_t i = 0; i < g->edges.count; i++) {
        const struct graph_edge *e = &g->edges.at[i];
        if (i > 0 && !reader_before(e - 1, e, NULL))
            continue;
        if (phases[e->to].edges++ == 0)
            phases[e->to].edge = d->edges.count;
        vec_push(&d->edges, e->from);
    }
    mem_free(d->phases.at);
    d->phases.at = phases;
    d->phases.cap = n;
    mem_free(order);
    mem_free(place);
}

void draft_graph(struct draft *d, struct draft_context *c)
{
    struct graph g = {0};
    bool has_parents = d->has_task_parents;
    for (uint32_t i = 0; i < d->phases.count && !has_parents; i++)
        has_parents = d->phases.at[i].parents.length > 0;
    if (!has_parents || d->phases.count == 0)
        return;
    if (d->has_task_parents)
        graph_by_tasks(d, c, &g);
    else
        graph_by_phases(d, c, &g);
    g.count = d->phases.count;
    break_circles(&g, c, d->where);
    order_phases(d, &g);
    graph_fini(&g);
}
