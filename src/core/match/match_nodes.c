/* match_nodes.c - the method is in match_nodes.h.
 *
 * The inner product grows with every free resource, so the best node is one of those that no other
 * exceeds in all resources; and a cell of the grid cannot hold it if the same column has a fuller
 * row that scores enough. On an empty cluster there are as many groups as sizes of nodes, and on a
 * busy one few nodes to a cell. Scores are computed in single precision, and again by match_score
 * where that leaves the order open. Rejected: a tree of bounds over the nodes by number, where
 * every subtree promises the most of each resource and no node keeps it; and groups in the order of
 * one resource, where the other decides; and a table of groups by free resources, which costs more
 * than searching a cell, whose nodes change all the time anyway. */
#include "core/match/match_nodes.h"

#include <string.h>

#include "base/check.h"
#include "core/match/match_score.h"

#define NONE MATCH_NODES_NONE

void match_nodes_fini(struct match_nodes *m)
{
    for (uint32_t i = 0; i < m->groups.count; i++)
        heap_fini(&m->groups.at[i].more);
    for (uint32_t i = 0; m->cells && i < MATCH_GRID * MATCH_GRID; i++)
        vec_free(&m->cells[i].spots);
    mem_free(m->cells);
    mem_free(m->nodes);
    vec_free(&m->groups);
    vec_free(&m->unused);
    vec_free(&m->found);
    vec_free(&m->recent.groups);
    vec_free(&m->recent.scores);
    *m = (struct match_nodes){0};
}

/* ---- the grid ---- */

static uint32_t line_of(const struct match_nodes *m, int k, const struct res *free)
{
    int32_t most = m->largest.v[m->axis[k]], have = free->v[m->axis[k]];
    if (have >= most)
        return MATCH_GRID - 1;
    return (uint32_t)((uint64_t)have * MATCH_GRID / ((uint64_t)most + 1));
}

static uint32_t cell_of(const struct match_nodes *m, const struct res *free)
{
    return line_of(m, 0, free) * MATCH_GRID + line_of(m, 1, free);
}

void match_nodes_measure(struct match_nodes *m, const struct res *largest)
{
    match_nodes_fini(m);
    m->cells = mem_zalloc(MATCH_GRID * MATCH_GRID, sizeof *m->cells);
    m->largest = *largest;
    m->axis[0] = 0;
    while (m->axis[0] < RES_COUNT - 2 && largest->v[m->axis[0]] == 0)
        m->axis[0]++; /* the first two that there are */
    m->axis[1] = m->axis[0] + 1;
    while (m->axis[1] < RES_COUNT - 1 && largest->v[m->axis[1]] == 0)
        m->axis[1]++;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < MATCH_GRID; i++)
            m->edge[k][i] = (float)(((double)largest->v[m->axis[k]] + 1) * (i + 1) / MATCH_GRID);
}

/* ---- what was asked for last ---- */

typedef float vector __attribute__((vector_size(4 * RES_COUNT)));

static inline float score_near(const struct match_recent *q, const struct res *free)
{
    res_vector have;
    vector weight;
    memcpy(&have, free, sizeof have);
    memcpy(&weight, q->weight, sizeof weight);
    vector x = __builtin_convertvector(have, vector) * weight;
    x += __builtin_shufflevector(x, x, 2, 3, 0, 1);
    return x[0] + x[1];
}

static void recent_add(struct match_nodes *m, uint32_t group, float score)
{
    struct match_recent *q = &m->recent;
    uint32_t i = m->groups.at[group].recent = q->groups.count;
    vec_push(&q->groups, group);
    if (i == q->scores.count) {
        vec_reserve(&q->scores, i + RES_COUNT);
        for (int k = 0; k < RES_COUNT; k++)
            q->scores.at[q->scores.count++] = -1;
    }
    q->scores.at[i] = score;
}

static void recent_remove(struct match_nodes *m, uint32_t i)
{
    struct match_recent *q = &m->recent;
    uint32_t last = --q->groups.count;
    m->groups.at[q->groups.at[i]].recent = NONE;
    if (i < last) {
        q->groups.at[i] = q->groups.at[last];
        q->scores.at[i] = q->scores.at[last];
        m->groups.at[q->groups.at[i]].recent = i;
    }
    q->scores.at[last] = -1;
}

static void recent_forget(struct match_nodes *m)
{
    for (uint32_t i = 0; i < m->recent.groups.count; i++)
        m->groups.at[m->recent.groups.at[i]].recent = NONE;
    vec_clear(&m->recent.groups);
    vec_clear(&m->recent.scores);
    m->recent.known = false;
}

/* ---- groups ---- */

static uint32_t group_create(struct match_nodes *m, const struct res *free, uint32_t cell)
{
    uint32_t fresh = m->unused.count == 0, i = vec_take(&m->groups, &m->unused);
    struct match_group *g = &m->groups.at[i];
    if (fresh)
        g->more = (struct heap){0};
    g->first = g->recent = NONE;
    g->free = *free;
    g->cell = cell;
    g->at = m->cells[cell].spots.count;
    vec_push(&m->cells[cell].spots, ((struct match_spot){*free, i}));
    m->rows[g->cell / MATCH_GRID] |= UINT64_C(1) << (g->cell % MATCH_GRID);
    if (m->recent.known && res_fits(&m->recent.need, free)) {
        float score = score_near(&m->recent, free);
        if (score >= m->recent.floor)
            recent_add(m, i, score);
    }
    return i;
}

enum { TOGETHER = 32 }; /* nodes that are set one after the other */

/* So many groups of a cell are compared. Where there are more, several may have the same free. */
enum { ALIKE_MAX = 8 };

static uint32_t group_of(struct match_nodes *m, const struct res *free)
{
    uint32_t cell = cell_of(m, free), last = m->cells[cell].spots.count;
    for (uint32_t i = last; i > 0 && i + ALIKE_MAX > last; i--) {
        const struct match_spot *spot = &m->cells[cell].spots.at[i - 1];
        if (res_equal(&spot->free, free))
            return spot->group;
    }
    return group_create(m, free, cell);
}

/* Keeps the memory of its heap for another. */
static void group_destroy(struct match_nodes *m, uint32_t i)
{
    struct match_group *g = &m->groups.at[i];
    struct match_cell *cell = &m->cells[g->cell];
    struct match_spot last = cell->spots.at[--cell->spots.count];
    if (g->recent != NONE)
        recent_remove(m, g->recent);
    cell->spots.at[g->at] = last;
    m->groups.at[last.group].at = g->at;
    if (cell->spots.count == 0)
        m->rows[g->cell / MATCH_GRID] &= ~(UINT64_C(1) << (g->cell % MATCH_GRID));
    vec_push(&m->unused, i);
}

static void grow(struct match_nodes *m, uint32_t count)
{
    uint32_t cap = m->cap ? m->cap : 64;
    while (cap < count)
        cap *= 2;
    m->nodes = mem_resize(m->nodes, cap, sizeof *m->nodes);
    for (uint32_t i = m->cap; i < cap; i++)
        m->nodes[i] = (struct match_node){NONE, HEAP_NOWHERE};
    m->cap = cap;
    for (uint32_t g = 0; g < m->groups.count; g++) /* their heap indices have moved */
        for (uint32_t i = 0; i < m->groups.at[g].more.count; i++) {
            struct heap_item *it = &m->groups.at[g].more.at[i];
            it->heap_index = &m->nodes[it->key].heap_index;
        }
}

static void join(struct match_nodes *m, uint32_t group, uint32_t i)
{
    struct match_group *g = &m->groups.at[group];
    uint32_t later = i;
    m->nodes[i].group = group;
    if (i < g->first) {
        later = g->first;
        g->first = i;
    }
    if (later != NONE)
        heap_push(&g->more, later, 0, &m->nodes[later].heap_index);
}

static void leave(struct match_nodes *m, uint32_t i)
{
    struct match_group *g = &m->groups.at[m->nodes[i].group];
    if (g->first != i) {
        heap_remove(&g->more, &m->nodes[i].heap_index);
    } else if (g->more.count > 0) {
        g->first = (uint32_t)heap_top(&g->more)->key;
        heap_remove(&g->more, &m->nodes[g->first].heap_index);
    } else {
        group_destroy(m, m->nodes[i].group);
    }
    m->nodes[i].group = NONE;
}

static bool takes_something(const struct res *free)
{
    static const struct res nothing = {{0}};
    return res_fits(&nothing, free);
}

void match_nodes_set(struct match_nodes *m, uint32_t i, const struct res *free)
{
    if (i >= m->cap)
        grow(m, i + 1);
    const struct match_node *n = &m->nodes[i];
    if (n->group != NONE && res_equal(&m->groups.at[n->group].free, free))
        return;
    if (n->group != NONE)
        leave(m, i);
    if (takes_something(free))
        join(m, group_of(m, free), i);
}

/* The last of the group's cell, which takes its index when it goes. */
static const struct match_spot *last_beside(const struct match_nodes *m,
                                            const struct match_group *g)
{
    return &m->cells[g->cell].spots.at[m->cells[g->cell].spots.count - 1];
}

/* Begins to fetch from memory what match_nodes_set will look at, step by step: where nodes are all
 * over a large cluster, to wait for it is most of the work. (Compilers leave out calls of functions
 * that do nothing else.) */
static inline __attribute__((always_inline)) void
prefetch(const struct match_nodes *m, const uint32_t *nodes, uint32_t count, const struct res *free)
{
    const struct match_group *groups[TOGETHER];
    uint32_t with_group = 0;
    for (uint32_t k = 0; k < count; k++) {
        __builtin_prefetch(&m->nodes[nodes[k]], 1);
        __builtin_prefetch(&free[nodes[k]]);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t group = m->nodes[nodes[k]].group;
        if (group != NONE)
            __builtin_prefetch(groups[with_group++] = &m->groups.at[group], 1);
    }
    for (uint32_t k = 0; k < with_group; k++) {
        __builtin_prefetch(&m->cells[groups[k]->cell].spots.at[groups[k]->at], 1);
        __builtin_prefetch(last_beside(m, groups[k]));
    }
    for (uint32_t k = 0; k < count; k++)
        if (takes_something(&free[nodes[k]])) {
            const struct match_cell *to = &m->cells[cell_of(m, &free[nodes[k]])];
            if (to->spots.at)
                __builtin_prefetch(to->spots.at + to->spots.count, 1);
        }
    for (uint32_t k = 0; k < with_group; k++)
        __builtin_prefetch(&m->groups.at[last_beside(m, groups[k])->group], 1);
}

void match_nodes_set_all(struct match_nodes *m, struct node_set *nodes, const struct res *free)
{
    uint32_t these[TOGETHER], count;
    while ((count = node_set_take(nodes, these, TOGETHER)) > 0) {
        if (count > 1 && these[count - 1] < m->cap)
            prefetch(m, these, count, free);
        for (uint32_t k = 0; k < count; k++)
            match_nodes_set(m, these[k], &free[these[k]]);
    }
}

/* ---- searching ---- */

enum { RUN = 8, RUNS = MATCH_GRID / RUN }; /* columns that are compared with each other first */

/* So many groups are worth finding for those that ask the same; they are counted after so many
 * cells. On a large cluster that is full a cell has hundreds of nodes: of many that were found the
 * best are kept. */
enum { RECENT_MIN = 20, STRIDE = 4, FOUND_MIN = 32, FOUND_MAX = 64 };

/* The cells that are left. */
struct match_search {
    uint64_t rows[MATCH_GRID]; /* of each column */
    float bound[MATCH_GRID];   /* of the fullest of them; below 0: none is left */
    uint32_t best[RUNS];       /* of each run the column whose bound is largest */
    float rest;                /* what the resources beside those of the grid add, at most */
    float cut;                 /* smaller scores are not noted */
    uint32_t found_max;        /* when so many are, it is raised */
};

static uint32_t fullest_row(const struct match_search *s, uint32_t column)
{
    return 63 - (uint32_t)__builtin_clzll(s->rows[column]);
}

static void set_bound(struct match_search *s, const struct match_nodes *m, uint32_t column)
{
    s->bound[column] = -1;
    if (s->rows[column])
        s->bound[column] =
            (m->edge[0][column] * m->recent.weight[m->axis[0]] +
             m->edge[1][fullest_row(s, column)] * m->recent.weight[m->axis[1]] + s->rest) *
            (1 + MATCH_SCORE_ERROR);
}

static void set_best(struct match_search *s, uint32_t run)
{
    uint32_t best = run * RUN;
    for (uint32_t c = best + 1; c < (run + 1) * RUN; c++)
        best = s->bound[c] > s->bound[best] ? c : best;
    s->best[run] = best;
}

/* Columns before that of the need have too little. */
static void search_begin(struct match_search *s, const struct match_nodes *m)
{
    uint32_t from = line_of(m, 0, &m->recent.need), row = line_of(m, 1, &m->recent.need);
    s->rest = 0;
    s->cut = -1;
    s->found_max = FOUND_MAX;
    for (int r = 0; r < RES_COUNT; r++)
        if (r != m->axis[0] && r != m->axis[1])
            s->rest += (float)m->largest.v[r] * m->recent.weight[r];
    for (uint32_t c = 0; c < MATCH_GRID; c++) {
        s->rows[c] = c < from ? 0 : m->rows[c] & ~UINT64_C(0) << row;
        set_bound(s, m, c);
    }
    for (uint32_t run = 0; run < RUNS; run++)
        set_best(s, run);
}

/* The column whose bound is largest. */
static uint32_t fullest(const struct match_search *s)
{
    uint32_t best = s->best[0];
    for (uint32_t run = 1; run < RUNS; run++)
        best = s->bound[s->best[run]] > s->bound[best] ? s->best[run] : best;
    return best;
}

/* How many of those found score so much. */
static uint32_t count_from(const struct match_nodes *m, float score)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->found.count; i++)
        n += m->found.at[i].score >= score;
    return n;
}

/* Forgets most of those found but some FOUND_MIN of the best. Those that are as good as the best,
 * as far as can be told here, have to be noted. */
static void forget_lesser(struct match_search *s, struct match_nodes *m)
{
    float most = 0, low = s->cut;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->found.count; i++)
        most = m->found.at[i].score > most ? m->found.at[i].score : most;
    float high = most * (1 - MATCH_SCORE_ERROR) * (1 - MATCH_SCORE_ERROR);
    for (int halvings = 0; halvings < 8 && low < high; halvings++) {
        float mid = (low + high) / 2;
        *(count_from(m, mid) >= FOUND_MIN ? &low : &high) = mid;
    }
    for (uint32_t i = 0; i < m->found.count; i++) {
        m->found.at[kept] = m->found.at[i];
        kept += m->found.at[i].score >= low;
    }
    m->found.count = kept;
    s->cut = low;
    s->found_max = kept + FOUND_MAX;
}

/* Notes what fits of the fullest cell of a column that is left. */
static void look_at(struct match_search *s, struct match_nodes *m, uint32_t column)
{
    uint32_t row = fullest_row(s, column);
    const struct match_cell *cell = &m->cells[column * MATCH_GRID + row];
    s->rows[column] &= ~(UINT64_C(1) << row);
    set_bound(s, m, column);
    set_best(s, column / RUN);
    vec_reserve(&m->found, m->found.count + cell->spots.count);
    for (uint32_t i = 0; i < cell->spots.count; i++) {
        const struct match_spot *spot = &cell->spots.at[i];
        float score = score_near(&m->recent, &spot->free);
        m->found.at[m->found.count] = (struct match_found){spot->group, score};
        m->found.count += res_fits(&m->recent.need, &spot->free) & (score >= s->cut);
    }
    if (m->found.count > s->found_max)
        forget_lesser(s, m);
}

/* How many of those found score more than anything that was not looked at. */
static uint32_t count_above(const struct match_nodes *m, float bound)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->found.count; i++)
        n += m->found.at[i].score * (1 - MATCH_SCORE_ERROR) > bound;
    return n;
}

static void ask_anew(struct match_nodes *m, const struct res *need)
{
    struct match_search s;
    recent_forget(m);
    vec_clear(&m->found);
    m->recent.need = *need;
    for (int r = 0; r < RES_COUNT; r++) {
        double have = m->largest.v[r];
        m->recent.weight[r] = have > 0 ? (float)(need->v[r] / have / have) : 0;
    }
    search_begin(&s, m);
    uint32_t c = fullest(&s);
    for (uint32_t looks = 0; s.bound[c] >= 0; looks++, c = fullest(&s)) {
        if (looks % STRIDE == 0 && count_above(m, s.bound[c]) >= RECENT_MIN)
            break;
        look_at(&s, m, c);
    }
    m->recent.floor = s.bound[c] > s.cut ? s.bound[c] : s.cut;
    for (uint32_t i = 0; i < m->found.count; i++)
        if (m->found.at[i].score >= m->recent.floor)
            recent_add(m, m->found.at[i].group, m->found.at[i].score);
    m->recent.known = true;
}

/* Takes a group with a score near the largest, if match_score prefers it, and of equals that with
 * the first node. */
static const struct match_group *better(const struct match_nodes *m, const struct match_group *best,
                                        const struct match_group *g)
{
    if (!best)
        return g;
    double most = match_score(&m->recent.need, &best->free, &m->largest);
    double score = match_score(&m->recent.need, &g->free, &m->largest);
    return score > most || (score == most && g->first < best->first) ? g : best;
}

static inline vector scores_at(const struct match_recent *q, uint32_t i)
{
    vector v;
    memcpy(&v, &q->scores.at[i], sizeof v);
    return v;
}

static const struct match_group *choose(const struct match_nodes *m, float near)
{
    const struct match_recent *q = &m->recent;
    const struct match_group *best = NULL;
    for (uint32_t i = 0; i < q->scores.count; i += RES_COUNT)
        for (uint32_t bits = res_vector_bits(scores_at(q, i) >= near); bits; bits &= bits - 1)
            best = better(m, best, &m->groups.at[q->groups.at[i + (uint32_t)__builtin_ctz(bits)]]);
    return best;
}

static float largest_score(const struct match_recent *q)
{
    vector most = {-1, -1, -1, -1};
    for (uint32_t i = 0; i < q->scores.count; i += RES_COUNT) {
        vector here = scores_at(q, i);
        res_vector more = here > most;
        most = (vector)(((res_vector)here & more) | ((res_vector)most & ~more));
    }
    float x = most[0] > most[1] ? most[0] : most[1], y = most[2] > most[3] ? most[2] : most[3];
    return x > y ? x : y;
}

uint32_t match_nodes_best(struct match_nodes *m, const struct res *need)
{
    struct match_recent *q = &m->recent;
    if (!m->cells)
        return NONE;
    for (bool same = q->known && res_equal(need, &q->need);; same = false) {
        if (!same)
            ask_anew(m, need);
        float most = largest_score(q), near = most * (1 - MATCH_SCORE_ERROR);
        if (most >= 0 && near > q->floor)
            return choose(m, near)->first;
        if (q->floor < 0) /* all that fit are there, and nothing does */
            return NONE;
        check(same);
    }
}

uint32_t match_nodes_best_of(const uint32_t *nodes, uint32_t count, const struct res *free,
                             const struct res *largest, const struct res *need)
{
    uint32_t best = NONE;
    double most = -1;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = nodes[k];
        if (!res_fits(need, &free[i]))
            continue;
        double score = match_score(need, &free[i], largest);
        if (score > most || (score == most && i < best)) {
            most = score;
            best = i;
        }
    }
    return best;
}
