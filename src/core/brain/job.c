/* job.c - jobs from their submission to their last attempt.
 *
 * A job's phases and tasks are in one block of memory, found by id through a sliding window. Ids
 * rise with submissions and finished jobs are freed, so a plain array from the oldest live id on is
 * both the fastest and the smallest index. */
#include "core/brain/job.h"

#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"
#include "core/brain/decisions.h"
#include "core/brain/expect.h"
#include "core/brain/phase.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

enum { BLOCK_ALIGN = 32 }; /* so that no task lies in two cache lines */

/* Cuts pieces off one block; a first pass without a block measures how large it must be. */
struct job_block {
    char *block;
    size_t used;
};

static void *cut(struct job_block *c, size_t count, size_t size)
{
    void *piece = c->block ? c->block + c->used : NULL;
    c->used += (count * size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    return piece;
}

static uint32_t text_hash(const char *text)
{
    return hash_fold(hash_text(text ? text : ""));
}

static uint16_t phase_consumers(const struct job_spec *spec, uint16_t phase, uint16_t *out)
{
    uint16_t n = 0;
    for (uint16_t k = (uint16_t)(phase + 1); k < spec->phase_count; k++)
        for (uint16_t e = 0; e < spec->phases[k].edge_count; e++)
            if (spec->phases[k].edges[e].from == phase) {
                if (out)
                    out[n] = k;
                n++;
                break;
            }
    return n;
}

/* What a job's block has besides the least. */
struct extras {
    bool ranks, won;
};

static struct job *job_layout(struct job_block *c, const struct job_spec *spec, struct extras with)
{
    struct job *j = cut(c, 1, sizeof *j);
    struct phase *phases = cut(c, spec->phase_count, sizeof *phases);
    if (j)
        j->phases = phases;
    for (uint16_t k = 0; k < spec->phase_count; k++) {
        const struct phase_spec *s = &spec->phases[k];
        uint16_t consumers = phase_consumers(spec, k, NULL);
        struct task *tasks = cut(c, s->tasks, sizeof *tasks);
        uint64_t *pending = cut(c, (s->tasks + 63) / 64, sizeof *pending);
        struct edge_spec *edges = cut(c, s->edge_count, sizeof *edges);
        uint16_t *readers = cut(c, consumers, sizeof *readers);
        int64_t *bytes = s->input_each ? cut(c, s->tasks, sizeof *bytes) : NULL;
        uint32_t held = s->replica_from ? s->replica_from[s->tasks] : 0;
        uint32_t *from = s->replica_from ? cut(c, (size_t)s->tasks + 1, sizeof *from) : NULL;
        struct node_id *replicas = s->replica_from ? cut(c, held, sizeof *replicas) : NULL;
        int64_t *past = s->past_count ? cut(c, s->past_count, sizeof *past) : NULL;
        uint32_t *by_rank = with.ranks ? cut(c, s->tasks, sizeof *by_rank) : NULL;
        uint32_t *rank_of = with.ranks ? cut(c, s->tasks, sizeof *rank_of) : NULL;
        int64_t *won_us = with.won ? cut(c, s->tasks, sizeof *won_us) : NULL;
        if (!j)
            continue;
        if (s->edge_count)
            memcpy(edges, s->edges, s->edge_count * sizeof *edges);
        phase_consumers(spec, k, readers);
        if (bytes)
            memcpy(bytes, s->input_each, s->tasks * sizeof *bytes);
        if (past)
            memcpy(past, s->past_us, s->past_count * sizeof *past);
        if (from)
            memcpy(from, s->replica_from, ((size_t)s->tasks + 1) * sizeof *from);
        if (from && held)
            memcpy(replicas, s->replicas, held * sizeof *replicas);
        phases[k] = (struct phase){.job = j,
                                   .tasks = tasks,
                                   .count = s->tasks,
                                   .index = k,
                                   .edge_count = s->edge_count,
                                   .edges = edges,
                                   .consumer_count = consumers,
                                   .consumers = readers,
                                   .demand = s->demand,
                                   .input_bytes = s->input_bytes,
                                   .input_each = bytes,
                                   .replica_from = from,
                                   .replicas = replicas,
                                   .clone_never = s->clone == PHASE_CLONE_NEVER,
                                   .past_us = past,
                                   .past_count = s->past_count,
                                   .past_seen = s->past_seen,
                                   .past_straggled = s->past_straggled,
                                   .failures_allowed = s->failures_allowed,
                                   .queued = {.pending = pending,
                                              .by_rank = by_rank,
                                              .rank_of = rank_of,
                                              .allowed = UINT32_MAX,
                                              .first_index = HEAP_NOWHERE,
                                              .clone_index = HEAP_NOWHERE},
                                   .won_us = won_us,
                                   .incomplete = s->tasks,
                                   .copies = 1};
        /* Reading task by task is kept in a mask of 64 edges; beyond, every edge is a barrier. */
        for (uint16_t e = 0; e < s->edge_count && s->edge_count <= 64; e++)
            if (s->edges[e].slowstart) {
                phases[k].early = phases[s->edges[e].from].early_readers = true;
                phases[k].piecewise |= s->edges[e].pattern != EDGE_ALL_TO_ALL;
            }
        for (uint32_t t = 0; t < s->tasks; t++)
            tasks[t].attempts = ATTEMPT_NONE;
        j->tasks += s->tasks;
        j->leaves_left += consumers == 0;
    }
    return j;
}

static bool job_starts_early(const struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (j->phases[k].early)
            return true;
    return false;
}

/* The job itself. */
static struct job *job_make(struct brain *b, const struct job_spec *spec)
{
    const struct within_ops *within = within_ops(b);
    struct extras with = {within->rank != NULL, shuffle_ops(b)->reads_won};
    struct job_block measure = {NULL, 0};
    job_layout(&measure, spec, with);
    char *block = mem_zalloc(1, measure.used + BLOCK_ALIGN);
    struct job_block c = {block + (-(uintptr_t)block & (BLOCK_ALIGN - 1)), 0};
    struct job *j = job_layout(&c, spec, with);
    j->block = block;
    j->id = spec->id;
    j->state = JOB_LIVE;
    j->phase_count = spec->phase_count;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        p->place_trunk = rng_trunk(b->seed, RNG_PLACE, j->id.v, k);
        queue_rank(b, p);
    }
    expect_job_made(b, j, spec);
    return j;
}

struct job *job_create(struct brain *b, const struct job_spec *spec)
{
    struct job *j = job_make(b, spec);
    queue_follow(b, NULL, FOLLOWS_ARRIVALS);
    j->weight = spec->weight;
    j->running_max = spec->running_max;
    j->name_hash = text_hash(spec->name);
    j->user_hash = text_hash(spec->user);
    j->queue_hash = text_hash(spec->queue);
    j->submitted_us = b->world.now_us;
    j->early = job_starts_early(j);
    b->early_jobs += j->early;
    check(b->world.jobs.count == 0 || j->id.v == window_next(&b->world.jobs));
    window_put(&b->world.jobs, j->id.v, j);
    queue_join(b, j);
    queue_weigh_job(b, j);
    return j;
}

struct job *job_create_copy(struct brain *b, const struct job *lead)
{
    struct phase_spec *phases = mem_zalloc(lead->phase_count, sizeof *phases);
    for (uint16_t k = 0; k < lead->phase_count; k++) {
        const struct phase *p = &lead->phases[k];
        phases[k] = (struct phase_spec){.tasks = p->count,
                                        .edge_count = p->edge_count,
                                        .edges = p->edges,
                                        .demand = p->demand,
                                        .input_bytes = p->input_bytes,
                                        .input_each = p->input_each,
                                        .replica_from = p->replica_from,
                                        .replicas = p->replicas,
                                        .failures_allowed = p->failures_allowed};
    }
    struct job_spec spec = {.id = lead->id, .phase_count = lead->phase_count, .phases = phases};
    struct job *j = job_make(b, &spec);
    mem_free(phases);
    j->weight = lead->weight;
    j->name_hash = lead->name_hash;
    j->user_hash = lead->user_hash;
    j->queue_hash = lead->queue_hash;
    j->submitted_us = lead->submitted_us;
    queue_join_copy(b, j, lead);
    return j;
}

/* ---- the end ---- */

static void job_free(struct brain *b, struct job *j)
{
    queue_leave(b, j);
    expect_job_gone(b, j);
    for (uint16_t k = 0; k < j->phase_count; k++) {
        vec_free(&j->phases[k].samples);
        mem_free(j->phases[k].outputs);
        mem_free(j->phases[k].read_bytes);
        mem_free(j->phases[k].parted);
        mem_free(j->phases[k].place_state);
        mem_free(j->phases[k].guard);
    }
    mem_free(j->note);
    mem_free(j->block);
}

void job_free_over(struct brain *b, struct job *j)
{
    struct world *w = &b->world;
    if (j->lead) {
        struct job *lead = j->lead, **link = &lead->copies;
        while (*link != j)
            link = &(*link)->next;
        *link = j->next;
        job_free(b, j);
        job_free_if_over(b, lead);
        return;
    }
    window_drop(&w->jobs, j->id.v);
    b->early_jobs -= j->early;
    job_free(b, j);
}

void job_free_all(struct brain *b)
{
    for (uint32_t i = 0; i < b->world.jobs.count; i++)
        for (struct job *j = b->world.jobs.at[i], *next; j; j = next) {
            next = j->lead ? j->next : j->copies;
            job_free(b, j);
        }
    vec_free(&b->world.jobs);
}

void job_stop_attempts(struct brain *b, struct job *j, const struct reason *why)
{
    for (uint16_t k = 0; k < j->phase_count && j->kept > 0; k++) {
        struct phase *p = &j->phases[k];
        for (uint32_t t = 0; t < p->count; t++)
            FOR_ATTEMPTS (a, &b->world, &p->tasks[t]) {
                if (a->state != ATTEMPT_FINISHED)
                    stop_attempt(b, a, why);
                else if (!(job_commit_is_asked(p, &p->tasks[t]) &&
                           p->tasks[t].winner == a->ordinal))
                    stop_output(b, a, why);
            }
    }
}

void job_drop_copy(struct brain *b, struct job *j, const struct reason *why)
{
    check(j->lead);
    if (j->state != JOB_LIVE)
        return;
    j->state = JOB_FAILED;
    queue_refresh_job(b, j);
    job_stop_attempts(b, j, why);
    job_free_if_over(b, j);
}

void job_drop_copies(struct brain *b, struct job *lead, const struct reason *why)
{
    for (struct job *r = lead->copies, *next; r; r = next) {
        next = r->next;
        job_drop_copy(b, r, why);
    }
}

static void job_end(struct brain *b, struct job *j, uint8_t type, struct attempt_ref at,
                    const struct reason *why)
{
    j->state = type == DO_JOB_DONE ? JOB_DONE : JOB_FAILED;
    queue_follow(b, NULL, FOLLOWS_ENDS);
    for (uint16_t k = 0; k < j->phase_count; k++)
        queue_drop_all_clones(b, &j->phases[k]);
    queue_refresh_job(b, j);
    j->kept++; /* or the last copy to go would take it along */
    job_drop_copies(b, j, &REASON_PLAIN(WHY_JOB_OVER));
    j->kept--;
    if (j->kept > 0)
        job_stop_attempts(b, j, &REASON_PLAIN(WHY_JOB_OVER));
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->job_over)
            mitigate_ops(b, i)->job_over(&b->parts[PART_MITIGATE + i], j);
    decisions_add(b, type, at, why);
    job_free_if_over(b, j);
}

void job_fail(struct brain *b, struct job *j, struct attempt_ref at, const struct reason *why)
{
    job_end(b, j, DO_JOB_FAILED, at, why);
}

void job_complete(struct brain *b, struct job *j, struct attempt_ref at)
{
    uint64_t failed = 0;
    for (uint16_t k = 0; k < j->phase_count; k++)
        failed += j->phases[k].given_up;
    struct reason why = failed ? REASON(WHY_ALL_OVER, (double)j->tasks, (double)failed)
                               : REASON(WHY_ALL_COMMITTED, (double)j->tasks);
    job_end(b, j, DO_JOB_DONE, at, &why);
}

static bool phase_fits_somewhere(const struct brain *b, const struct phase *p)
{
    for (uint32_t i = 0; i < b->world.nodes.count; i++)
        if (res_fits(&p->demand, &b->world.nodes.at[i].capacity))
            return true;
    return b->world.nodes.count == 0;
}

void job_begin(struct brain *b, struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (!phase_fits_somewhere(b, &j->phases[k])) {
            job_fail(b, j, phase_ref(&j->phases[k]), &REASON_PLAIN(WHY_UNSATISFIABLE));
            return;
        }
    for (uint16_t k = 0; k < j->phase_count; k++)
        phase_review(b, &j->phases[k]);
}
