/* The problem: a journal may be larger than memory, and the questions people ask of it are small.
 *
 * The method: one pass, and only what the question needs is kept, beside an account of the jobs
 * that are alive. About one job, every record that names another goes no further than the account.
 * About the run, each job is kept while something may still be told of it, and is added to the sums
 * when it is over and its last attempt has ended. A job may be named by number or by name, and a
 * name may look like a number: both candidates are followed, and the number wins.
 *
 * Rejected: a first pass to resolve the name. It would read the whole file twice to save the memory
 * of one job. */
#include "record/story/story.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/story/story_fold.h"

struct story {
    const char *job; /* asked for; NULL: the run */
    struct story_join *join;
    struct follow *follow;
    uint32_t owner; /* index in live_job.own: there is the story_job, if it is kept */
    bool is_number;
    uint32_t number;
    struct story_job *by_number, *by_name;
    uint64_t namesakes;
    struct story_run run;
    struct story_listener listener;
    bool ends;    /* every job that is left counts as it is */
    bool dropped; /* ... or not at all: no listener is there any more */
};

/* ---- jobs ---- */

static void job_submitted(void *ctx, struct live_job *live, const struct job_spec *spec)
{
    struct story *s = ctx;
    int64_t now_us = s->follow->now_us;
    bool number = s->is_number && spec->id.v == s->number;
    bool name = s->job && spec->name && strcmp(spec->name, s->job) == 0;

    story_run_submitted(&s->run, spec, live->measured, now_us);
    s->namesakes += name;
    if (s->job ? !number && !(name && !s->by_name) : !live->measured)
        return;
    struct story_job *j = story_job_create(spec, now_us);
    j->kinds = s->follow->kinds;
    live->own[s->owner] = j;
    if (number)
        s->by_number = j;
    if (name && !s->by_name)
        s->by_name = j;
}

static void run_add(struct story *s, const struct story_job *j)
{
    struct story_facts f;
    story_facts_init(&f, j, s->run.jobs + s->run.others == 1, s->run.last_us);
    story_run_add(&s->run, j, &f);
    if (s->listener.job)
        s->listener.job(s->listener.ctx, j, &f);
    story_facts_fini(&f);
}

static void job_over(void *ctx, struct live_job *live, bool done)
{
    struct story *s = ctx;
    if (live->measured)
        story_run_over(&s->run, live->id, done);
}

/* A job that was asked for stays. */
static void job_gone(void *ctx, struct live_job *live)
{
    struct story *s = ctx;
    struct story_job *j = live->own[s->owner];
    if (s->job || !j)
        return;
    if ((live->over || s->ends) && !s->dropped)
        run_add(s, j);
    story_job_destroy(j);
}

/* Returns the job if it is kept, or NULL. Also of one that was asked for and is gone: an output of
 * it may still be committed, or lost. */
static struct story_job *job_of(const struct story *s, struct job_id id)
{
    if (s->by_number && s->by_number->id.v == id.v)
        return s->by_number;
    if (s->by_name && s->by_name->id.v == id.v)
        return s->by_name;
    const struct live_job *live = s->job ? NULL : live_jobs_find(&s->follow->jobs, id);
    return live ? live->own[s->owner] : NULL;
}

/* ---- records ---- */

static void time_passes(void *ctx)
{
    struct story *s = ctx;
    s->run.last_us = s->follow->now_us;
}

static void attempt_launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    const struct story *s = ctx;
    struct story_job *j = p->job->own[s->owner];
    if (j)
        story_fold_launched(j, s->follow->now_us, d);
}

static void attempt_ended(void *ctx, const struct live_place *p, const struct event *e,
                          const struct live_attempt *a)
{
    const struct story *s = ctx;
    struct story_job *j = p->job->own[s->owner];
    if (j)
        story_fold_ended(j, e, a->ended_us);
}

static void see_event(void *ctx, const struct event *e)
{
    struct story *s = ctx;
    struct story_job *j;
    if (event_is_node(e->type) || e->type == EV_RESOURCE)
        story_run_event(&s->run, e);
    else if ((j = job_of(s, e->at.job)))
        story_fold_event(j, s->follow->now_us, e);
}

static void attempt_won(void *ctx, const struct live_place *p, const struct event *e,
                        const struct live_attempt *a)
{
    (void)p, (void)a;
    see_event(ctx, e);
}

static void attempt_unwon(void *ctx, const struct live_place *p, const struct event *e)
{
    (void)p;
    see_event(ctx, e);
}

static void see_decision(void *ctx, const struct decision *d)
{
    struct story *s = ctx;
    struct story_job *j;
    story_run_decision(&s->run, d);
    if (d->type != DO_AVOID_NODE && d->type != DO_SET_TIMER && (j = job_of(s, d->at.job)))
        story_fold_decision(j, s->follow->now_us, d);
}

/* ---- the run ---- */

struct story *story_create(const char *job, struct story_join *join)
{
    static const struct follow_hooks hooks = {.time = time_passes,
                                              .submitted = job_submitted,
                                              .launched = attempt_launched,
                                              .ended = attempt_ended,
                                              .won = attempt_won,
                                              .unwon = attempt_unwon,
                                              .over = job_over,
                                              .gone = job_gone,
                                              .event = see_event,
                                              .decision = see_decision};
    struct story *s = mem_zalloc(1, sizeof *s);
    int64_t number;
    s->job = job;
    s->join = join;
    s->follow = follow_create(0, 0);
    s->owner = follow_subscribe(s->follow, s, &hooks);
    if (job && text_int(job, &number) && number >= 0 && number <= UINT32_MAX) {
        s->is_number = true;
        s->number = (uint32_t)number;
    }
    return s;
}

void story_destroy(struct story *s)
{
    if (!s)
        return;
    s->dropped = true;
    follow_destroy(s->follow);
    if (s->by_name != s->by_number)
        story_job_destroy(s->by_name);
    story_job_destroy(s->by_number);
    story_run_fini(&s->run);
    mem_free(s);
}

void story_end(struct story *s)
{
    s->ends = true;
    follow_destroy(s->follow);
    s->follow = NULL;
}

static int story_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct story *s = ctx;
    struct tap to = follow_tap(s->follow);
    return s->join ? story_join_turn(s->join, turn, to, err) : to.turn(to.ctx, turn, err);
}

struct tap story_tap(struct story *s)
{
    return (struct tap){.ctx = s, .turn = story_turn};
}

struct follow *story_follow(const struct story *s)
{
    return s->follow;
}

void story_listen(struct story *s, struct story_listener listener)
{
    s->listener = listener;
}

static bool show_open(const struct story *s, const struct live_job *live, struct story_listener to)
{
    const struct story_job *j = live ? live->own[s->owner] : NULL;
    struct story_facts f;

    if (!j)
        return false;
    story_facts_init(&f, j, s->run.jobs + s->run.others == 1, s->run.last_us);
    to.job(to.ctx, j, &f);
    story_facts_fini(&f);
    return true;
}

void story_each_open(const struct story *s, struct story_listener to)
{
    for (uint32_t i = 0; s->follow && i < s->follow->jobs.window.count; i++)
        show_open(s, s->follow->jobs.window.at[i], to);
}

bool story_one_open(const struct story *s, struct job_id id, struct story_listener to)
{
    return s->follow && show_open(s, live_jobs_find(&s->follow->jobs, id), to);
}

static void peek_job(void *ctx, const struct story_job *j, const struct story_facts *f)
{
    story_run_add(ctx, j, f);
}

/* Only the names of the slowest jobs change hands when a job is added. */
void story_peek(const struct story *s, struct story_run *now)
{
    *now = s->run;
    for (uint32_t i = 0; i < now->slowest_count; i++)
        now->slowest[i].name = mem_strdup(now->slowest[i].name);
    story_each_open(s, (struct story_listener){now, peek_job});
}

void story_peek_end(struct story_run *now)
{
    for (uint32_t i = 0; i < now->slowest_count; i++)
        mem_free(now->slowest[i].name);
    now->slowest_count = 0;
}

/* ---- answers ---- */

const struct story_job *story_job(const struct story *s)
{
    return s->by_number ? s->by_number : s->by_name;
}

uint64_t story_namesakes(const struct story *s)
{
    return s->by_number ? 1 : s->namesakes;
}

const struct story_run *story_run(const struct story *s)
{
    return &s->run;
}
