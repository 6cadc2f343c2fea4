/* replay_log.c - jobs and attempts of a run, by the times of the turns that report them.
 *
 * A job is kept as the bytes that its record has: what a journal can tell of a job is then what a
 * replay is given, whatever is added to either. Attempts are kept until the end, 72 bytes each: how
 * long one that was cut short would have taken is drawn from those that came after it, too. So they
 * are found here and not in the account, which forgets an attempt once it has ended. */
#include "commands/replay/replay_log.h"

#include "base/check.h"
#include "record/journal/journal_job.h"

void replay_log_fini(struct replay_log *l)
{
    for (uint32_t i = 0; i < l->jobs.count; i++) {
        const struct replay_job *j = &l->jobs.at[i];
        for (uint16_t p = 0; p < j->spec->phase_count; p++) {
            vec_free(&j->phases[p].attempts);
            mem_free(j->phases[p].newest);
        }
        mem_free(j->phases);
    }
    vec_free(&l->jobs);
    replay_world_fini(&l->world);
    wire_scratch_reset(&l->scratch);
}

/* ---- jobs ---- */

static const struct job_spec *keep_spec(struct replay_log *l, const struct job_spec *spec)
{
    unsigned char *bytes = wire_scratch_add(&l->scratch, journal_job_bound(spec), 1);
    struct wire_in in = {bytes, journal_job_put(bytes, spec, false), false, false};
    const struct job_spec *kept = journal_job_get(&in, &l->scratch);
    check(kept && !in.bad);
    return kept;
}

static void job_submitted(void *ctx, struct live_job *j, const struct job_spec *spec)
{
    struct replay_log *l = ctx;
    (void)j;
    vec_push(&l->jobs, ((struct replay_job){
                           .spec = keep_spec(l, spec),
                           .submit_us = l->follow->now_us,
                           .phases = mem_zalloc(spec->phase_count, sizeof(struct replay_phase))}));
}

/* Returns the place of the job of this id, or the number of jobs if there is none. Ids rise by one,
 * which the account checks. */
static uint32_t job_place(const struct replay_log *l, struct job_id id)
{
    uint32_t place = l->jobs.count ? id.v - l->jobs.at[0].spec->id.v : 0;
    return place < l->jobs.count ? place : l->jobs.count;
}

static void job_over(void *ctx, struct live_job *j, bool done)
{
    struct replay_log *l = ctx;
    (void)done;
    l->jobs.at[job_place(l, j->id)].over = true;
}

/* ---- attempts ---- */

static struct replay_phase *phase_of(struct replay_log *l, struct attempt_ref at)
{
    uint32_t place = job_place(l, at.job);
    if (place == l->jobs.count || at.phase >= l->jobs.at[place].spec->phase_count ||
        at.task >= l->jobs.at[place].spec->phases[at.phase].tasks)
        return NULL;
    return &l->jobs.at[place].phases[at.phase];
}

/* NULL where the attempt does not exist. */
static struct replay_attempt *attempt_of(struct replay_log *l, struct attempt_ref at)
{
    struct replay_phase *p = phase_of(l, at);
    uint32_t i = p && p->newest ? p->newest[at.task] : REPLAY_NONE;
    while (i != REPLAY_NONE && p->attempts.at[i].ordinal != at.attempt)
        i = p->attempts.at[i].older;
    return i == REPLAY_NONE ? NULL : &p->attempts.at[i];
}

static void launched(void *ctx, const struct live_place *place, const struct decision *d)
{
    struct replay_log *l = ctx;
    struct replay_phase *p = phase_of(l, d->at);
    uint32_t task = d->at.task, tasks = place->phase->count;
    if (!p->newest) {
        p->newest = mem_zalloc(tasks, sizeof *p->newest);
        for (uint32_t t = 0; t < tasks; t++)
            p->newest[t] = REPLAY_NONE;
    }
    uint32_t older = p->newest[task];
    if (d->at.attempt != (older == REPLAY_NONE ? 0 : p->attempts.at[older].ordinal + 1))
        l->follow->wrong = "attempts of a task are not counted one by one";
    p->newest[task] = p->attempts.count;
    vec_push(&p->attempts, ((struct replay_attempt){.launched_us = l->follow->now_us,
                                                    .started_us = REPLAY_NEVER,
                                                    .read_us = REPLAY_NEVER,
                                                    .struck_us = REPLAY_NEVER,
                                                    .ended_us = REPLAY_NEVER,
                                                    .task = task,
                                                    .older = older,
                                                    .ordinal = d->at.attempt}));
    l->attempts++;
}

static void add_lag(struct replay_lag *lag, int64_t from_us, int64_t to_us)
{
    if (from_us == REPLAY_NEVER)
        return;
    lag->sum_us += (double)(to_us - from_us);
    lag->count++;
}

static void ended(void *ctx, const struct live_place *place, const struct event *e,
                  const struct live_attempt *live)
{
    struct replay_log *l = ctx;
    struct replay_phase *p = phase_of(l, e->at);
    struct replay_attempt *a = attempt_of(l, e->at);
    (void)place;
    if (e->type == EV_ATTEMPT_FINISHED) {
        p->written_bytes += (double)e->u.use.written_bytes;
        p->finished++;
    }
    a->end = e->type;
    a->cause = e->cause;
    a->ended_us = live->ended_us;
    if (e->type == EV_ATTEMPT_KILLED)
        add_lag(&l->kills, a->struck_us, l->follow->now_us);
    if (e->type == EV_ATTEMPT_LOST)
        a->struck_us = replay_world_down_us(&l->world, e->node);
}

static void won(void *ctx, const struct live_place *place, const struct event *e,
                const struct live_attempt *live)
{
    struct replay_log *l = ctx;
    (void)place, (void)e;
    add_lag(&l->commits, live->ended_us, l->follow->now_us);
}

static void fetch_event(int64_t now_us, const struct event *e, struct replay_phase *p,
                        struct replay_attempt *a)
{
    if (e->type == EV_FETCH_STARTED) {
        bool started = a->started_us != REPLAY_NEVER;
        int64_t waited_us = started ? now_us - a->started_us : 0;
        if (started && (!p->reads || waited_us < p->waited_us))
            p->waited_us = waited_us;
        p->reads |= started;
        a->fetches++;
        return;
    }
    a->fetches -= a->fetches > 0;
    if (e->type == EV_FETCH_DONE)
        a->read_us = now_us;
}

static void reported(int64_t now_us, const struct event *e, struct replay_attempt *a)
{
    if (e->u.progress.total <= 0 || e->u.progress.done <= 0 || a->started_us == REPLAY_NEVER)
        return;
    float done = (float)((double)e->u.progress.done / (double)e->u.progress.total);
    float way = a->done > 0 ? done - a->done : done;
    if (a->done <= 0) {
        a->first = done;
        a->first_s = (float)((double)(now_us - a->started_us) / 1e6);
    }
    /* From nothing to the first report is no step if there are others: it may be a leap. */
    if (way > a->step || (way > 0 && a->done == a->first))
        a->step = way;
    a->done = done;
}

/* A late report may come after the end of its attempt, and the answer to a commit after its job has
 * failed. */
static void attempt_event(struct replay_log *l, int64_t now_us, const struct event *e)
{
    struct replay_attempt *a = attempt_of(l, e->at);
    if (!a)
        return;
    if (e->type == EV_ATTEMPT_PROGRESS)
        reported(now_us, e, a);
    else if (e->type == EV_ATTEMPT_STARTED)
        a->started_us = event_started_us(e, now_us, a->launched_us);
    else if (e->type == EV_ATTEMPT_ENDED)
        a->ended_us = now_us;
    else if (e->type == EV_COMMITTED)
        add_lag(&l->commits, a->ended_us, now_us);
    else
        fetch_event(now_us, e, phase_of(l, e->at), a);
}

/* ---- everything ---- */

static void see_event(void *ctx, const struct event *e)
{
    struct replay_log *l = ctx;
    struct event outside = *e;
    switch (e->type) {
    case EV_ATTEMPT_PROGRESS:
        l->reports++;
        attempt_event(l, l->follow->now_us, e);
        break;
    case EV_ATTEMPT_STARTED:
    case EV_ATTEMPT_ENDED:
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
    case EV_COMMITTED:
        attempt_event(l, l->follow->now_us, e);
        break;
    case EV_JOB_CHANGED:
    case EV_JOB_CANCELLED: /* the simulator counts jobs from 0 on */
        outside.at.job.v = job_place(l, e->at.job);
        /* fall through */
    default:
        l->follow->wrong = replay_world_event(&l->world, l->follow->now_us, &outside);
    }
}

static void see_decision(void *ctx, const struct decision *d)
{
    struct replay_log *l = ctx;
    struct replay_attempt *a = d->type == DO_KILL ? attempt_of(l, d->at) : NULL;
    if (a && a->struck_us == REPLAY_NEVER)
        a->struck_us = l->follow->now_us;
}

void replay_log_init(struct replay_log *l, struct follow *f)
{
    static const struct follow_hooks hooks = {.submitted = job_submitted,
                                              .launched = launched,
                                              .ended = ended,
                                              .won = won,
                                              .over = job_over,
                                              .event = see_event,
                                              .decision = see_decision};
    *l = (struct replay_log){.follow = f};
    follow_subscribe(f, l, &hooks);
}
