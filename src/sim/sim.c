/* sim.c - the simulated cluster: a queue of future entries, a batch of present events.
 *
 * wait() moves the clock to the earliest entry and turns everything due at that instant into one
 * batch; perform() carries decisions out. Answers that take no time are written straight into the
 * next batch, which then belongs to the same instant. The only things ever queued are those that
 * take time: a submission, the end of an attempt, a lag, a report, a failure, a timer.
 *
 * Entries are never searched for or removed. One whose attempt has ended meanwhile is recognised by
 * its generation, and one whose attempt has moved on (a kill that comes after the end, say) by its
 * state; both are skipped when they come up. A queue with removal was rejected: it needs a place in
 * every attempt and moves entries about on every kill.
 *
 * The run is over when no job is left to come and none is left alive; failures of nodes and timers
 * still in the queue do not count, so the run ends however often nodes fail. */
#include "sim/sim.h"

#include "sim/sim_attempt.h"
#include "sim/sim_read.h"
#include "sim/sim_round.h"

/* A brain that keeps setting timers, or nodes that keep failing, must not hide that nothing gets
 * done. With this many turns in a row in which nothing runs and nothing is to come, it is a stall.
 */
enum { IDLE_TURNS_MAX = 100000 };

/* Nodes that lose outputs do so window by window, also while a task takes centuries. */
enum { SPOILS_VAIN_MAX = 5000000 };
#define DAY_US (86400 * 1000000ll)

/* Up to this many attempts all that is known of them is in the processor's caches. */
enum { CACHED_MAX = 4096 };

/* Events of a batch whose memory is kept for the next. */
enum { BATCH_KEPT_MAX = 4096 };

static void outside_push(struct sim *s)
{
    if (s->outside_count > 0) {
        int64_t delay_us = s->outside->at_us - s->now_us;
        sim_push(s, delay_us > 0 ? delay_us : 0, ENTRY_OUTSIDE, 0, 1);
    }
}

/* Whether that of which the event tells is there. */
static bool outside_concerns(const struct sim *s, const struct event *e)
{
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_CAPACITY:
    case EV_NODE_SUSPECT:
    case EV_NODE_DRAIN:
    case EV_PRESSURE:
        return e->node.v < s->cluster->node_count && s->nodes[e->node.v].up;
    case EV_JOB_CHANGED:
    case EV_JOB_CANCELLED: {
        const struct sim_job *job = sim_job_find(s, e->at.job);
        return job && !job->over;
    }
    default:
        return e->type == EV_CORES;
    }
}

static void outside_due(struct sim *s)
{
    const struct event *is = &s->outside->event;
    if (is->type == EV_NODE_CAPACITY)
        sim_node_resize(s, is->node.v, &is->u.node.capacity);
    if (outside_concerns(s, is)) {
        struct event *e = sim_emit(s, is->type, is->cause, is->at, is->node.v);
        e->u = is->u;
        if (is->type == EV_NODE_UP) {
            const struct cluster_node *node = &s->cluster->nodes[is->node.v];
            e->u.node.capacity = *sim_node_capacity(s, is->node.v);
            e->u.node.rack = node->rack;
            e->u.node.name = node->name;
        }
    }
    s->outside++;
    s->outside_count--;
    outside_push(s);
}

struct sim *sim_create(const struct sim_options *options)
{
    struct sim *s = mem_zalloc(1, sizeof *s);
    s->ideal = options->ideal;
    s->cluster = options->cluster;
    if (s->ideal != IDEAL_NONE) {
        s->spared = *options->cluster;
        ideal_cluster(s->ideal, &s->spared);
        s->cluster = &s->spared;
    }
    s->workload = options->workload;
    s->seed = options->seed;
    s->reports = options->reports;
    s->samples = options->samples;
    s->queue = timeq_create();
    pool_add(&s->attempts);
    s->attempts.at[NO_ATTEMPT] = (struct sim_attempt){0};
    sim_read_init(s);
    sim_report_init(s);
    sim_node_init(s);
    sim_sample_init(s);
    sim_spoil_init(s);
    sim_job_draw(s);
    s->outside = options->outside;
    s->outside_count = options->outside_count;
    outside_push(s);
    return s;
}

void sim_destroy(struct sim *s)
{
    if (!s)
        return;
    sim_read_fini(s);
    sim_job_fini(s);
    sim_rounds_destroy(s->rounds);
    vec_free(&s->flying);
    vec_free(&s->flying_free);
    mem_free(s->sampled);
    mem_free(s->resized);
    mem_free(s->spoils);
    pool_free(&s->node_pool);
    pool_free(&s->attempts);
    pool_free(&s->links);
    pool_free(&s->plans);
    vec_free(&s->timers);
    sim_content_forget(s, s->emitted.at, s->emitted.count);
    sim_content_forget(s, s->batch.at, s->batch.count);
    pool_free(&s->emitted);
    pool_free(&s->batch);
    timeq_destroy(s->queue);
    mem_free(s);
}

uint64_t sim_event_count(const struct sim *s)
{
    return s->event_count;
}

bool sim_reading_matters(const struct sim *s)
{
    return s->reading_matters || s->ideal != IDEAL_NONE;
}

static void (*const on_due[ENTRY_KINDS])(struct sim *s, uint32_t index) = {
    [ENTRY_START] = sim_launch_start,     [ENTRY_READY] = sim_fetch_ready,
    [ENTRY_FINISH] = sim_attempt_finish,  [ENTRY_FAIL] = sim_attempt_fail,
    [ENTRY_KILLED] = sim_attempt_killed,  [ENTRY_COMMIT] = sim_output_commit_due,
    [ENTRY_REPORT] = sim_report_due,      [ENTRY_ROT] = sim_output_rot,
    [ENTRY_ROUND] = sim_report_round_due, [ENTRY_REPORT_ARRIVES] = sim_report_arrives,
    [ENTRY_SPOIL] = sim_spoil_due,        [ENTRY_NODE_RETURNS] = sim_node_returns,
};

static void entry_due(struct sim *s, uint64_t payload)
{
    enum entry_kind kind = (enum entry_kind)(payload >> 60);
    uint32_t generation = (uint32_t)(payload >> 32) & ENTRY_GENERATION_MASK;
    uint32_t index = (uint32_t)payload;
    if (kind <= ENTRY_ROT && s->attempts.at[index].generation != generation)
        return; /* of an attempt that has ended */
    if (kind <= ENTRY_COMMIT || kind == ENTRY_NODE_FAILS || kind == ENTRY_OUTSIDE)
        s->spoils_vain = 0;
    if (kind == ENTRY_OUTSIDE && index == 0)
        sim_job_submit(s);
    else if (kind == ENTRY_OUTSIDE && index == 1)
        outside_due(s);
    else if (kind == ENTRY_OUTSIDE)
        sim_node_press(s, index - 2);
    else if (kind == ENTRY_SAMPLE)
        sim_sample_due(s);
    else if (kind == ENTRY_TIMER)
        sim_timer_due(s, index, generation);
    else if (kind == ENTRY_NODE_FAILS)
        sim_node_fails(s, index, (enum node_failure)generation);
    else
        on_due[kind](s, index);
}

/* The time of the next instant; false if there is nothing to come. */
static bool next_instant(struct sim *s, int64_t *time)
{
    bool any = timeq_peek(s->queue, time);
    if (!s->reads)
        return any;
    int64_t arrival_us = sim_flow_next_us(s);
    if (!any || arrival_us < *time)
        *time = arrival_us;
    return any || arrival_us < INT64_MAX;
}

/* Gathers the events of the next instant in s->emitted; false if there is nothing to come. */
static bool gather(struct sim *s)
{
    int64_t time = s->now_us;
    uint64_t payload;
    if (s->emitted.count == 0 && !next_instant(s, &time))
        return false;
    s->now_us = time;
    do {
        while (timeq_pop_at(s->queue, time, &payload))
            entry_due(s, payload);
    } while (s->reads && sim_flow_due(s));
    return true;
}

static bool is_end(uint64_t payload)
{
    return (enum entry_kind)(payload >> 60) == ENTRY_FINISH;
}

/* Which attempt ends next is known a turn or two before: time enough to fetch what is kept about it
 * from memory. All of that is found by way of struct sim_attempt, which is fetched earlier still,
 * when it is the next but one. Returns the hint for brain and taps, or NULL. */
static const struct hint *look_ahead(struct sim *s)
{
    uint64_t next, after;
    if (s->live < CACHED_MAX || !timeq_next(s->queue, &next) || next == s->ahead)
        return NULL;
    s->ahead = next;
    if (timeq_after(s->queue, &after) && is_end(after))
        __builtin_prefetch(&s->attempts.at[(uint32_t)after], 1);
    if (!is_end(next))
        return NULL;
    const struct sim_attempt *x = &s->attempts.at[(uint32_t)next];
    const struct sim_job *job = sim_job_find(s, x->at.job);
    if (!job || x->state != SIM_RUNNING)
        return NULL;
    __builtin_prefetch(&s->nodes[x->node], 1);
    __builtin_prefetch(&job->phases[x->at.phase].tasks[x->at.task], 1);
    s->hint = (struct hint){x->at, {x->node}};
    return &s->hint;
}

static int sim_wait(void *body, struct batch *batch, struct err *err)
{
    struct sim *s = body;
    /* The caller is done with the last batch. The memory of a very large one goes at once: filling
     * it anew costs less than its events. */
    sim_content_forget(s, s->batch.at, s->batch.count);
    s->batch.count = 0;
    if (s->batch.cap > BATCH_KEPT_MAX)
        pool_free(&s->batch);
    bool hope = sim_hopes(s);
    s->idle_turns = hope ? 0 : s->idle_turns + 1;
    if (hope && s->asleep) {
        s->asleep = false;
        sim_spoil_wake(s);
        sim_sample_wake(s);
    }
    do {
        if (s->emitted.count == 0 && !s->next_job && s->job_open == 0)
            return 0;
        bool dead = s->nodes_up == 0 && s->nodes_returning == 0 && s->emitted.count == 0;
        if (s->idle_turns > IDLE_TURNS_MAX || (dead && s->job_open > 0) || !gather(s))
            return sim_job_stalled(s, err);
        if (s->spoils_vain > SPOILS_VAIN_MAX)
            return err_set(err,
                           "outputs were lost again and again until day %lld of the simulation; a "
                           "time is too long, or lose_window too short",
                           (long long)(s->now_us / DAY_US));
    } while (s->emitted.count == 0);

    struct event_pool old = s->batch;
    s->batch = s->emitted;
    s->emitted = old; /* empty by now */
    s->event_count += s->batch.count;
    *batch = (struct batch){s->now_us, s->batch.at, s->batch.count, look_ahead(s)};
    return 1;
}

/* DO_JOB_DONE, DO_JOB_FAILED. */
static void end_job(struct sim *s, const struct decision *d)
{
    struct sim_job *job = sim_job_find(s, d->at.job);
    if (!job || job->over) {
        sim_answer_refuse(s, d, CAUSE_JOB_OVER);
        return;
    }
    sim_fetch_job_over(s, job);
    for (uint16_t p = 0; p < job->work->spec.phase_count; p++) {
        struct sim_phase *phase = &job->phases[p];
        if (d->type == DO_JOB_DONE && phase->leaf)
            check(phase->spec->tasks - phase->committed <= phase->spec->failures_allowed);
        sim_output_forget_phase(s, phase);
    }
    sim_job_over(s, job);
}

/* Those without an entry are for the journal only. */
static void (*const performs[DO_TYPE_END])(struct sim *s, const struct decision *d) = {
    [DO_LAUNCH] = sim_launch,
    [DO_WITHDRAW] = sim_attempt_withdraw,
    [DO_KILL] = sim_attempt_kill,
    [DO_COMMIT] = sim_output_commit,
    [DO_DISCARD_OUTPUT] = sim_output_discard,
    [DO_REPLICATE] = sim_output_replicate,
    [DO_ASSIGN_READ] = sim_read_assign,
    [DO_SET_TIMER] = sim_timer_set,
    [DO_JOB_DONE] = end_job,
    [DO_JOB_FAILED] = end_job,
};

static void sim_perform(void *body, const struct decision *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        check(decision_is_type(at[i].type));
        if (performs[at[i].type])
            performs[at[i].type](body, &at[i]);
    }
}

const struct body_ops sim_body = {.wait = sim_wait, .perform = sim_perform};
