/* The problem: an explanation of a job asks about every attempt of it, who won, why each was
 * launched and stopped and how far it was; the journal has all that in the order of time, mixed
 * with other jobs.
 *
 * The method: each record about the job is folded into its tasks and attempts as it is read.
 * Nothing is worked out here that needs hindsight (medians, what was saved): story_facts.c does
 * that when the journal has been read.
 *
 * Rejected: keeping the records themselves and searching them for each question. That is the whole
 * journal in memory, and the searching would have to know the contract of events anyway. */
#include "record/story/story_fold.h"

static struct story_phase *phase_of(const struct story_job *j, struct attempt_ref at)
{
    return at.phase < j->phase_count ? &j->phases[at.phase] : NULL;
}

static struct story_task *task_of(const struct story_job *j, struct attempt_ref at)
{
    struct story_phase *p = phase_of(j, at);
    return p && at.task < p->count ? &p->tasks[at.task] : NULL;
}

static struct story_attempt *attempt_of(struct story_job *j, struct attempt_ref at)
{
    const struct story_task *t = task_of(j, at);
    const struct story_attempt *a = t ? story_job_attempt(j, t, at.attempt) : NULL;
    return a ? &j->attempts.at[a - j->attempts.at] : NULL;
}

/* ---- what happened ---- */

void story_fold_ended(struct story_job *j, const struct event *e, int64_t ended_us)
{
    struct story_attempt *a = attempt_of(j, e->at);
    a->ending = e->type;
    a->cause = e->cause;
    a->detail = e->detail;
    a->ended_us = ended_us;
    if (event_is_ending(e->type))
        a->cpu_us = e->u.use.cpu_us;
    if (event_is_ending(e->type) && e->u.use.wall_us > 0 &&
        e->u.use.wall_us <= a->ended_us - a->launched_us) {
        a->ran_us = e->u.use.wall_us;
        /* Older journals have starts as late as they were heard. */
        if (a->started_us > a->ended_us - a->ran_us)
            a->started_us = a->ended_us - a->ran_us;
    }
    struct story_phase *p = &j->phases[a->phase];
    if (e->type == EV_ATTEMPT_LAUNCH_FAILED && e->cause == CAUSE_WITHDRAWN) {
        p->launched[a->kind]--;
        p->withdrawn++;
        p->tasks[a->task].launches--;
    }
    /* Only failures of its own count against a task, as in the brain. */
    if (e->type == EV_ATTEMPT_FAILED ||
        (e->type == EV_ATTEMPT_LAUNCH_FAILED && e->cause != CAUSE_NODE_DOWN &&
         e->cause != CAUSE_WITHDRAWN && e->cause != CAUSE_JOB_OVER))
        p->tasks[a->task].failures++;
    /* How far it got is also in what it used, where it read its input from outside. */
    int64_t bytes = story_job_input_bytes(p, a->task);
    if (e->type == EV_ATTEMPT_KILLED && bytes > 0 && e->u.use.read_bytes > 0) {
        a->done = (double)e->u.use.read_bytes / (double)bytes;
        a->step = 0;
    }
}

static void attempt_progressed(struct story_attempt *a, int64_t now_us, const struct event *e)
{
    if (e->u.progress.total <= 0 || a->started_us < 0)
        return;
    double done = (double)e->u.progress.done / (double)e->u.progress.total;
    double way = done - (a->done > 0 ? a->done : 0);
    if (way > 0) {
        a->moved_us = now_us;
        if (a->reports == 0) {
            a->first_done = done;
            a->first_us = now_us;
        }
        /* From nothing to the first report is no step if there are others: it may be a leap. */
        if (a->reports < 2 || way > a->step)
            a->step = way;
        if (a->reports < UINT16_MAX)
            a->reports++;
    } else if (now_us - a->moved_us > a->still_us) {
        a->still_us = now_us - a->moved_us;
        a->still_at = done;
    }
    a->done = done;
}

static struct story_reads *reads_make(struct story_job *j, struct story_attempt *a)
{
    if (a->reads == STORY_NONE) {
        a->reads = j->reads.count;
        vec_push(&j->reads, ((struct story_reads){0}));
    }
    return &j->reads.at[a->reads];
}

static void attempt_fetched(struct story_job *j, struct story_attempt *a, int64_t now_us,
                            const struct event *e)
{
    struct story_reads *r = reads_make(j, a);
    if (e->type == EV_FETCH_FAILED) {
        r->failed++;
        return;
    }
    r->bytes += e->u.fetch.bytes > 0 ? e->u.fetch.bytes : 0;
    a->fed_us = now_us;
    if (e->u.fetch.took_us > r->longest_us) {
        r->longest_us = e->u.fetch.took_us;
        r->longest = e->u.fetch.source;
    }
}

static void task_committed(struct story_job *j, struct story_attempt *a, int64_t now_us)
{
    struct story_phase *p = &j->phases[a->phase];
    struct story_task *t = &p->tasks[a->task];
    p->committed += t->committed_us < 0;
    t->committed_us = now_us;
    t->winner = a->ordinal;
    t->lost = false;
    a->won = true;
}

static void output_lost(struct story_job *j, struct attempt_ref at)
{
    struct story_task *t = task_of(j, at);
    if (!t || t->committed_us < 0 || t->lost || t->winner != at.attempt)
        return;
    t->lost = true;
    t->outputs_lost++;
}

void story_fold_event(struct story_job *j, int64_t now_us, const struct event *e)
{
    struct story_attempt *a = attempt_of(j, e->at);
    if (!a)
        return;
    switch (e->type) {
    case EV_ATTEMPT_STARTED:
        a->started_us = a->moved_us = event_started_us(e, now_us, a->launched_us);
        break;
    case EV_ATTEMPT_PROGRESS:
        attempt_progressed(a, now_us, e);
        break;
    case EV_ATTEMPT_ENDED:
        a->ended_us = now_us;
        break;
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        attempt_fetched(j, a, now_us, e);
        break;
    case EV_COMMITTED:
        task_committed(j, a, now_us);
        break;
    case EV_COMMIT_FAILED:
        a->commit_failed = true;
        a->cause = e->cause;
        a->detail = e->detail;
        break;
    case EV_OUTPUT_LOST:
        output_lost(j, e->at);
        break;
    default:
        break;
    }
}

/* ---- what was decided ---- */

static struct story_why why_keep(struct story_job *j, const struct reason *r)
{
    struct story_why why = {j->numbers.count, r->code, r->count};
    for (uint8_t i = 0; i < r->count; i++)
        vec_push(&j->numbers, r->num[i]);
    return why;
}

void story_fold_launched(struct story_job *j, int64_t now_us, const struct decision *d)
{
    struct story_task *t = task_of(j, d->at);
    struct story_why why = why_keep(j, &d->why);
    uint32_t depth = t->newest == STORY_NONE ? 0 : j->attempts.at[t->newest].depth + 1;
    vec_push(&j->attempts, ((struct story_attempt){.launched_us = now_us,
                                                   .started_us = -1,
                                                   .ended_us = -1,
                                                   .ran_us = -1,
                                                   .cpu_us = -1,
                                                   .stop_us = -1,
                                                   .fed_us = -1,
                                                   .done = -1,
                                                   .why = why,
                                                   .node = d->node,
                                                   .task = d->at.task,
                                                   .older = t->newest,
                                                   .skip = story_job_skip(j, t),
                                                   .depth = depth,
                                                   .reads = STORY_NONE,
                                                   .phase = d->at.phase,
                                                   .ordinal = d->at.attempt,
                                                   .kind = d->kind}));
    t->newest = j->attempts.count - 1;
    t->launches++;
    if (t->launched_us < 0)
        t->launched_us = now_us;
    j->phases[d->at.phase].launched[d->kind]++;
}

static void verdict_given(struct story_job *j, int64_t now_us, const struct decision *d)
{
    struct story_phase *p = phase_of(j, d->at);
    if (!p)
        return;
    struct story_task *t = task_of(j, d->at);
    if (t && t->given_up_us < 0 &&
        (d->why.code == WHY_TOO_MANY_FAILURES || d->why.code == WHY_TOO_MANY_LAUNCHES)) {
        t->given_up_us = now_us;
        p->given_up++;
    }
    struct story_verdict v = {now_us, d->at.task, {0}};
    /* The cap is an answer about a job that was to be cloned as a whole, and else about a clone. */
    bool cloning = story_job_is_about_cloning(d->why.code) ||
                   (d->why.code == WHY_CAP && p->cloning.why.code == WHY_NONE);
    if (p->verdicts.count == STORY_VERDICTS_MAX && !cloning) {
        p->verdicts_more++;
        return;
    }
    v.why = why_keep(j, &d->why);
    if (cloning)
        p->cloning = v;
    if (p->verdicts.count < STORY_VERDICTS_MAX)
        vec_push(&p->verdicts, v);
    else
        p->verdicts_more++;
}

static void read_given(struct story_reads *r, int64_t now_us, const struct decision *d)
{
    enum { USERS = 1 };               /* the number's place in all reasons to read */
    bool said = d->why.count > USERS; /* not of whole phases in journals of version 2 */
    double number = said ? d->why.num[USERS] : 0;
    uint32_t users = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
    r->assigned++;
    r->given_us = now_us;
    r->said += said;
    r->shared += users > 0;
    r->siblings = users > r->siblings ? users : r->siblings;
    if (d->u.read.source.task == TASK_ALL) {
        r->whole++;
        r->whole_phase = d->u.read.source.phase;
    }
}

void story_fold_decision(struct story_job *j, int64_t now_us, const struct decision *d)
{
    struct story_attempt *a = NULL;
    switch (d->type) {
    case DO_WITHDRAW:
    case DO_KILL:
        if ((a = attempt_of(j, d->at)) && a->stop_us < 0) {
            a->stop_us = now_us;
            a->stop_why = why_keep(j, &d->why);
        }
        break;
    case DO_ASSIGN_READ:
        if ((a = attempt_of(j, d->at))) {
            read_given(reads_make(j, a), now_us, d);
        }
        break;
    case DO_DISCARD_OUTPUT:
        if ((a = attempt_of(j, d->at)) && d->why.code == WHY_NONDETERMINISTIC)
            a->differed = true;
        break;
    case DO_VERDICT:
        verdict_given(j, now_us, d);
        break;
    case DO_JOB_DONE:
    case DO_JOB_FAILED:
        j->over_us = now_us;
        j->failed = d->type == DO_JOB_FAILED;
        j->failed_at = d->at;
        j->over_why = why_keep(j, &d->why);
        break;
    default:
        break;
    }
}
