/* replay_log.c - jobs and attempts of a run, by the times of the turns in which they are told of.
 *
 * A job is kept as the bytes that its record has: what a journal can tell of a job is then what a
 * replay is given, whatever is added to either. Attempts are kept until the end, 56 bytes each: how
 * long one that was cut short would have taken is drawn from those that came after it, too. */
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

static int job_submitted(struct replay_log *l, int64_t now_us, const struct job_spec *spec,
                         struct err *err)
{
    if (l->jobs.count > 0 && spec->id.v <= l->jobs.at[l->jobs.count - 1].spec->id.v)
        return err_set(err, "the number of a job is not above those before it");
    vec_push(&l->jobs, ((struct replay_job){.spec = keep_spec(l, spec), .submit_us = now_us}));
    l->jobs.at[l->jobs.count - 1].phases =
        mem_zalloc(spec->phase_count, sizeof(struct replay_phase));
    return 0;
}

/* Which of the jobs has this id; the number of jobs if none has. */
static uint32_t job_place(const struct replay_log *l, struct job_id id)
{
    uint32_t low = 0, high = l->jobs.count;
    if (id.v < high && l->jobs.at[id.v].spec->id.v == id.v)
        return id.v;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->jobs.at[middle].spec->id.v < id.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->jobs.count && l->jobs.at[low].spec->id.v == id.v ? low : l->jobs.count;
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

/* NULL where there is no such attempt. */
static struct replay_attempt *attempt_of(struct replay_log *l, struct attempt_ref at)
{
    struct replay_phase *p = phase_of(l, at);
    uint32_t i = p && p->newest ? p->newest[at.task] : REPLAY_NONE;
    while (i != REPLAY_NONE && p->attempts.at[i].ordinal != at.attempt)
        i = p->attempts.at[i].older;
    return i == REPLAY_NONE ? NULL : &p->attempts.at[i];
}

static int launched(struct replay_log *l, int64_t now_us, struct attempt_ref at, struct err *err)
{
    struct replay_phase *p = phase_of(l, at);
    if (!p)
        return err_set(err, "it speaks of a task that is not known");
    if (!p->newest) {
        uint32_t tasks = l->jobs.at[job_place(l, at.job)].spec->phases[at.phase].tasks;
        p->newest = mem_zalloc(tasks, sizeof *p->newest);
        for (uint32_t t = 0; t < tasks; t++)
            p->newest[t] = REPLAY_NONE;
    }
    uint32_t older = p->newest[at.task];
    if (at.attempt != (older == REPLAY_NONE ? 0 : p->attempts.at[older].ordinal + 1))
        return err_set(err, "attempts of a task are not counted one by one");
    p->newest[at.task] = p->attempts.count;
    vec_push(&p->attempts, ((struct replay_attempt){.launched_us = now_us,
                                                    .started_us = REPLAY_NEVER,
                                                    .read_us = REPLAY_NEVER,
                                                    .struck_us = REPLAY_NEVER,
                                                    .ended_us = REPLAY_NEVER,
                                                    .task = at.task,
                                                    .older = older,
                                                    .ordinal = at.attempt}));
    l->attempts++;
    return 0;
}

static void add_lag(struct replay_lag *lag, int64_t from_us, int64_t to_us)
{
    if (from_us == REPLAY_NEVER)
        return;
    lag->sum_us += (double)(to_us - from_us);
    lag->count++;
}

static void ended(struct replay_log *l, int64_t now_us, const struct event *e,
                  struct replay_phase *p, struct replay_attempt *a)
{
    if (a->end)
        return;
    if (e->type == EV_ATTEMPT_FINISHED) {
        p->written_bytes += (double)e->u.use.written_bytes;
        p->finished++;
    }
    a->end = e->type;
    a->cause = e->cause;
    if (a->ended_us == REPLAY_NEVER)
        a->ended_us = now_us;
    if (e->type == EV_ATTEMPT_KILLED)
        add_lag(&l->kills, a->struck_us, now_us);
    if (e->type == EV_ATTEMPT_LOST)
        a->struck_us = replay_world_down_us(&l->world, e->node);
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

static void attempt_event(struct replay_log *l, int64_t now_us, const struct event *e)
{
    struct replay_attempt *a = attempt_of(l, e->at);
    struct replay_phase *p = phase_of(l, e->at);
    if (!a)
        return;
    switch (e->type) {
    case EV_ATTEMPT_PROGRESS:
        reported(now_us, e, a);
        break;
    case EV_ATTEMPT_STARTED:
        a->started_us = event_started_us(e, now_us, a->launched_us);
        break;
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        fetch_event(now_us, e, p, a);
        break;
    case EV_ATTEMPT_ENDED:
        if (!a->end && a->ended_us == REPLAY_NEVER)
            a->ended_us = now_us;
        break;
    case EV_COMMITTED:
        add_lag(&l->commits, a->ended_us, now_us);
        break;
    default:
        ended(l, now_us, e, p, a);
        break;
    }
}

/* ---- turns ---- */

static int take_event(struct replay_log *l, int64_t now_us, const struct event *e, struct err *err)
{
    struct event place = *e;
    switch (e->type) {
    case EV_JOB_SUBMITTED:
        return job_submitted(l, now_us, e->u.job, err);
    case EV_JOB_CHANGED:
    case EV_JOB_CANCELLED: /* the simulator counts jobs from 0 on */
        place.at.job.v = job_place(l, e->at.job);
        return replay_world_event(&l->world, now_us, &place, err);
    case EV_ATTEMPT_STARTED:
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
    case EV_COMMITTED:
    case EV_ATTEMPT_ENDED:
        attempt_event(l, now_us, e);
        return 0;
    case EV_ATTEMPT_PROGRESS:
        l->reports++;
        attempt_event(l, now_us, e);
        return 0;
    default:
        return replay_world_event(&l->world, now_us, e, err);
    }
}

static int take_decision(struct replay_log *l, int64_t now_us, const struct decision *d,
                         struct err *err)
{
    struct replay_attempt *a;
    uint32_t place;
    switch (d->type) {
    case DO_LAUNCH:
        return launched(l, now_us, d->at, err);
    case DO_KILL:
        a = attempt_of(l, d->at);
        if (a && a->struck_us == REPLAY_NEVER)
            a->struck_us = now_us;
        return 0;
    case DO_JOB_DONE:
    case DO_JOB_FAILED:
        place = job_place(l, d->at.job);
        if (place < l->jobs.count)
            l->jobs.at[place].over = true;
        return 0;
    default:
        return 0;
    }
}

static int log_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct replay_log *l = ctx;
    l->last_us = turn->now_us;
    l->events += turn->event_count;
    for (uint32_t i = 0; i < turn->event_count; i++)
        if (take_event(l, turn->now_us, &turn->events[i], err) < 0)
            return -1;
    for (uint32_t i = 0; i < turn->decision_count; i++)
        if (take_decision(l, turn->now_us, &turn->decisions[i], err) < 0)
            return -1;
    return 0;
}

struct tap replay_log_tap(struct replay_log *l)
{
    return (struct tap){.ctx = l, .turn = log_turn};
}
