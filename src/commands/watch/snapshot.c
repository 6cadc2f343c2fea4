/* snapshot.c - from the account of a run to the numbers that are shown.
 *
 * Sums over jobs that are forgotten are kept by the account; to these come the jobs that are not
 * over, each looked at task by task. That is done a few times a second at most. */
#include "commands/watch/snapshot.h"

#include <string.h>

#include "base/mem.h"

static uint32_t phase_index(struct snapshot *s, const char *name)
{
    for (uint32_t i = 0; i < s->phases.count; i++)
        if (strcmp(s->phases.at[i].name, name) == 0)
            return i;
    vec_push(&s->phases, ((struct snapshot_phase){.name = mem_strdup(name)}));
    return s->phases.count - 1;
}

static struct snapshot_phase *phase_named(struct snapshot *s, const char *name)
{
    uint32_t i = phase_index(s, name);
    return &s->phases.at[i];
}

/* ---- phases ---- */

static void add_sums(struct snapshot *s, const struct phase_sums *sums)
{
    for (uint32_t i = 0; i < sums->v.count; i++) {
        const struct phase_sum *from = &sums->v.at[i];
        struct snapshot_phase *to = phase_named(s, from->name);
        to->tasks += from->tasks;
        to->done += from->done;
        to->failed += from->failed;
        to->rescued += from->rescued;
    }
}

static void add_values(const struct phase_sum *sum, struct phase_values *to)
{
    if (sum)
        for (uint32_t i = 0; i < sum->values[PHASE_TIME].at.count; i++)
            phase_sums_value(to, sum->values[PHASE_TIME].at.at[i]);
}

/* Quantiles of the times of tasks, over jobs that are forgotten and others. */
static void set_times(struct snapshot_phase *p, const struct phase_sums *gone,
                      const struct phase_sums *open)
{
    static const double quantiles[ENDING_BOUNDS] = {0.25, 0.5, 0.9};
    struct phase_values all = {0};

    add_values(phase_sums_find(gone, p->name), &all);
    add_values(phase_sums_find(open, p->name), &all);
    p->took.known = all.at.count > 0;
    for (int i = 0; i < ENDING_BOUNDS && p->took.known; i++)
        p->took.us[i] = phase_sums_quantile(&all, quantiles[i]);
    vec_free(&all.at);
}

/* ---- jobs that are not forgotten ---- */

struct open_part {
    struct snapshot *s;
    struct phase_sums open;
};

static void see_sums(void *ctx, const struct explain *x)
{
    struct open_part *g = ctx;

    phase_sums_job(&g->open, x);
    failures_job(&g->s->failures, x);
    for (uint16_t k = 0; k < x->job->phase_count; k++)
        time_buckets_phase(&phase_named(g->s, x->job->phases[k].name)->times, &x->job->phases[k]);
}

/* By the rule for attempts that have ended, as if it was stopped now. */
static bool is_slow(const struct explain *x, const struct story_attempt *a, int64_t now_us)
{
    struct story_attempt stopped = *a;

    stopped.ended_us = now_us > a->launched_us ? now_us : a->launched_us;
    stopped.ending = EV_ATTEMPT_KILLED;
    stopped.stop_us = -1;
    stopped.ran_us = -1;
    return a->started_us >= 0 &&
           story_race_rate(x->job, &x->facts.phases[a->phase], &stopped) == RATE_STRAGGLER;
}

static struct snapshot_node *node_of(struct snapshot *s, struct node_id node)
{
    return node.v < s->nodes.count ? &s->nodes.at[node.v] : NULL;
}

static bool runs(const struct story_attempt *a)
{
    return a->ending == 0 && a->ended_us < 0;
}

static void add_attempt(struct snapshot *s, const struct explain *x, const struct story_attempt *a,
                        uint32_t phase, uint32_t others, bool needed)
{
    struct snapshot_attempt row = {
        .at = {x->job->id, a->task, a->phase, a->ordinal},
        .number = explain_number(x, a->task),
        .phase = phase,
        .node = a->node,
        .kind = a->kind,
        .copies = others,
        .age_us = story_job_max_us(s->now_us - a->launched_us, 0),
        .done = a->done,
        .slow = is_slow(x, a, s->now_us),
        .needed = needed,
    };
    struct snapshot_node *node = node_of(s, a->node);

    if (node) {
        node->busy++;
        node->held += res_slots(&x->job->kinds, &x->job->phases[a->phase].demand);
        node->slow += row.slow;
    }
    s->attempts_running[a->kind]++;
    vec_push(&s->attempts, row);
}

/* Adds the attempts of a task that run. Returns their number. */
static uint32_t see_task(struct snapshot *s, const struct explain *x, const struct story_task *t,
                         uint32_t phase, bool needed)
{
    const struct story_job *j = x->job;
    uint32_t count = 0;

    for (uint32_t i = t->newest; i != STORY_NONE; i = j->attempts.at[i].older)
        count += runs(&j->attempts.at[i]);
    for (uint32_t i = t->newest; i != STORY_NONE && count > 0; i = j->attempts.at[i].older)
        if (runs(&j->attempts.at[i]))
            add_attempt(s, x, &j->attempts.at[i], phase, count - 1, needed);
    return count;
}

static void see_tasks(void *ctx, const struct explain *x)
{
    struct open_part *g = ctx;
    struct snapshot *s = g->s;

    s->jobs_waiting += x->job->over_us < 0 && x->job->attempts.count == 0;
    for (uint16_t k = 0; k < x->job->phase_count; k++) {
        const struct story_phase *p = &x->job->phases[k];
        uint32_t index = phase_index(s, p->name);
        int64_t opened_us = x->facts.phases[k].opened_us;
        bool waits = false;
        for (uint32_t i = 0; i < p->count; i++) {
            const struct story_task *t = &p->tasks[i];
            bool settled = t->given_up_us >= 0 || (t->committed_us >= 0 && !t->lost);
            bool needed = !settled && x->job->over_us < 0;
            uint32_t attempts = see_task(s, x, t, index, needed);
            if (!needed)
                continue;
            s->phases.at[index].running += attempts > 0;
            s->phases.at[index].waiting += attempts == 0;
            s->phases.at[index].blocked += attempts == 0 && opened_us < 0;
            waits |= attempts == 0;
        }
        if (waits && opened_us >= 0 && s->now_us - opened_us > s->oldest_wait_us)
            s->oldest_wait_us = s->now_us - opened_us;
    }
}

/* ---- the whole ---- */

/* Slow ones first, then the oldest. */
static int by_worry(const void *a, const void *b)
{
    const struct snapshot_attempt *x = a, *y = b;

    if (x->slow != y->slow)
        return x->slow ? -1 : 1;
    if (x->age_us != y->age_us)
        return x->age_us > y->age_us ? -1 : 1;
    return attempt_compare(x->at, y->at);
}

/* A task ends with its first attempt; those of one task stand together. */
static void add_running(struct snapshot *s, struct ending *e)
{
    struct ending_left task = {{-1, -1, -1}};

    for (uint32_t i = 0; i < s->attempts.count; i++) {
        struct snapshot_attempt *a = &s->attempts.at[i];
        const struct snapshot_phase *p = &s->phases.at[a->phase];
        bool last = i + 1 == s->attempts.count ||
                    attempt_compare_tasks(a->at, s->attempts.at[i + 1].at) != 0;
        struct ending_left left = ending_attempt(&p->took, (double)a->age_us, a->done);
        a->left_us = left.us[ENDING_ABOUT];
        task = ending_first(task, left);
        if (!last)
            continue;
        if (a->needed)
            ending_runs(e, task, p->name, a->number);
        task = (struct ending_left){{-1, -1, -1}};
    }
}

static void expect_end(struct snapshot *s)
{
    struct ending e = {0};

    for (uint32_t i = 0; i < s->phases.count; i++) {
        const struct snapshot_phase *p = &s->phases.at[i];
        ending_waits(&e, &p->took, p->name, p->waiting, p->blocked);
    }
    add_running(s, &e);
    bool goes_on = s->state == FOLLOWED_RUNNING || s->state == FOLLOWED_SILENT;
    struct str why = {0};
    if (goes_on)
        ending_why(&e, &why);
    s->ends_why = why.text;
    for (int i = 0; i < ENDING_BOUNDS; i++) {
        double left_us = ending_left_us(&e, i);
        s->ends_us[i] = goes_on && left_us >= 0 ? (double)s->now_us + left_us : -1;
    }
    s->ends_unknown = mem_strdup(e.unknown);
}

static void set_nodes(struct snapshot *s, const struct followed_run *f)
{
    const struct story_run *r = f->input.x.run;

    for (uint32_t i = 0; i < r->nodes.count; i++)
        vec_push(&s->nodes, ((struct snapshot_node){
                                .state = i < f->nodes.count ? f->nodes.at[i] : 0,
                                .slots = (uint32_t)(r->nodes.at[i].capacity.v[RES_CPU] / RES_SLOT),
                                .seen_us = i < f->seen_us.count ? f->seen_us.at[i] : -1,
                            }));
}

/* A node that drains or does not answer takes no attempts, and its slots still count as there. */
static void count_closed(struct snapshot *s, const struct followed_run *f)
{
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        const struct snapshot_node *n = &s->nodes.at[i];
        int64_t slots = res_slots(&f->kinds, &f->input.x.run->nodes.at[i].capacity);
        if ((n->state == EV_NODE_DRAIN || n->state == EV_NODE_SUSPECT) && slots > n->held)
            s->closed_slots += (double)(slots - n->held) / RES_SLOT;
    }
}

/* Nothing of the run runs any more, and all that is left of it waits. */
static void wait_all(struct snapshot *s)
{
    uint64_t settled = s->sums.tasks_done + s->sums.tasks_failed;

    s->waiting = s->sums.tasks > settled ? s->sums.tasks - settled : 0;
    for (uint32_t i = 0; i < s->phases.count; i++) {
        struct snapshot_phase *p = &s->phases.at[i];
        p->waiting = p->tasks > p->done + p->failed ? p->tasks - p->done - p->failed : 0;
    }
}

void snapshot_init(struct snapshot *s, const struct followed_run *f)
{
    struct open_part g = {.s = s};

    *s = (struct snapshot){
        .state = followed_run_state(f), .now_us = followed_run_now_us(f), .turn = f->input.turns};
    story_peek(f->input.story, &s->sums);
    set_nodes(s, f);
    for (uint32_t i = 0; i < f->phases.v.count; i++)
        time_buckets_join(&phase_named(s, f->phases.v.at[i].name)->times, &f->times.at[i]);
    followed_run_open_jobs(f, &g, see_sums);
    add_sums(s, &f->phases);
    add_sums(s, &g.open);
    for (uint32_t i = 0; i < s->phases.count; i++)
        set_times(&s->phases.at[i], &f->phases, &g.open);
    phase_sums_fini(&g.open);
    followed_run_open_jobs(f, &g, see_tasks);
    count_closed(s, f);
    for (uint32_t i = 0; i < s->phases.count; i++) {
        s->running += s->phases.at[i].running;
        s->waiting += s->phases.at[i].waiting;
    }
    if (!f->account && !f->input.x.complete)
        wait_all(s);
    expect_end(s);
    vec_sort(&s->attempts, by_worry);
}

void snapshot_fini(struct snapshot *s)
{
    story_peek_end(&s->sums);
    for (uint32_t i = 0; i < s->phases.count; i++)
        mem_free(s->phases.at[i].name);
    failures_fini(&s->failures);
    vec_free(&s->phases);
    vec_free(&s->attempts);
    vec_free(&s->nodes);
    mem_free(s->ends_unknown);
    mem_free(s->ends_why);
}

const struct failure *snapshot_failure(const struct snapshot *s, const struct followed_run *f,
                                       uint32_t i)
{
    uint32_t gone = f->failures.v.count;

    if (i < gone)
        return &f->failures.v.at[i];
    return i - gone < s->failures.v.count ? &s->failures.v.at[i - gone] : NULL;
}

double snapshot_left_us(const struct snapshot *s, int bound)
{
    return s->ends_us[bound] < 0 ? -1 : s->ends_us[bound] - (double)s->now_us;
}
