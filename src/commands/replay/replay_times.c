/* replay_times.c - computes the durations of attempts from when they began and ended.
 *
 * An attempt that was done takes what it took. One that failed does so again, after as long. One
 * that was killed, lost or still running takes longer than was seen: the policy that killed it in
 * the recorded run kills it at the same moment again, and under another one it goes on. For how
 * long, its last report and those of others like it say (record/stats/pace.h); where nobody has
 * reported, it is drawn from the times of its phase (inputs/workload/recorded.h). Those are of
 * attempts that were done, which under a policy that clones are the lucky ones: alone they would
 * say that clones bring nothing. Where much is guessed, the least that it can be is taken: what
 * comes out is a bound.
 *
 * In a simulated run the time begins with the start; where reads take time, it is what passed
 * before and after them: launches and reads will take theirs again. What passed before them is kept
 * apart, so that flows begin when they did and share links with the same others; and of an attempt
 * that was still reading nothing is known of its work, however long it read. In a real run the time
 * begins with the launch: what starting a process takes is different for each of them, and is kept
 * with it. */
#include "commands/replay/replay_times.h"

#include <math.h>

#include "base/mem.h"

void replay_times_free(struct phase_truth *truth)
{
    mem_free((void *)truth->attempt_from);
    mem_free((void *)truth->attempts);
    mem_free((void *)truth->attempt_fails);
    mem_free((void *)truth->attempt_lags);
}

static bool is_done(const struct replay_attempt *a)
{
    return a->end == EV_ATTEMPT_FINISHED && a->started_us != REPLAY_NEVER;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What passes before an attempt of the phase can read. */
static int64_t startup_us(const struct replay_times *t, const struct replay_phase *p)
{
    if (!t->reads || !p->reads)
        return 0;
    return least(p->waited_us, t->startup_us);
}

/* How long the attempt was seen to start up and work; 0: it did not begin. */
static int64_t seen_us(const struct replay_times *t, const struct replay_phase *p,
                       const struct replay_attempt *a)
{
    int64_t from_us = t->simulated ? a->started_us : a->launched_us;
    int64_t to_us = a->ended_us == REPLAY_NEVER ? t->last_us : a->ended_us;
    if (a->started_us == REPLAY_NEVER || to_us <= from_us)
        return 0;
    bool has_read = a->read_us != REPLAY_NEVER && a->fetches == 0;
    if (!t->reads || !p->reads || (!has_read && is_done(a)))
        return to_us - from_us;
    if (!has_read)
        return least(to_us - from_us, startup_us(t, p));
    return to_us - a->read_us + least(a->read_us - from_us, startup_us(t, p));
}

/* After how long it failed; 0: it did not. What the simulator makes fail at the launch fails so
 * again by itself. */
static int64_t failed_us(const struct replay_times *t, const struct replay_phase *p,
                         const struct replay_attempt *a)
{
    bool at_launch = a->end == EV_ATTEMPT_LAUNCH_FAILED && !t->simulated &&
                     a->cause != CAUSE_WITHDRAWN && a->cause != CAUSE_NODE_DOWN;
    if (!at_launch && a->end != EV_ATTEMPT_FAILED)
        return 0;
    int64_t us = seen_us(t, p, a);
    return us > 0 ? us : 1;
}

int64_t replay_times_typical_us(const struct replay_times *t, const struct replay_log *l)
{
    double sum = 0, count = 0;
    for (uint32_t j = 0; j < l->jobs.count; j++)
        for (uint16_t k = 0; k < l->jobs.at[j].spec->phase_count; k++) {
            const struct replay_phase *p = &l->jobs.at[j].phases[k];
            for (uint32_t i = 0; i < p->attempts.count; i++)
                if (is_done(&p->attempts.at[i])) {
                    sum += (double)seen_us(t, p, &p->attempts.at[i]);
                    count++;
                }
        }
    return count > 0 && sum / count >= 1 ? (int64_t)(sum / count) : 1000000;
}

/* How far it was when it was told to end, or when it ended otherwise. */
static struct pace_seen pace_of(const struct replay_times *t, const struct replay_phase *p,
                                const struct replay_attempt *a)
{
    int64_t us = seen_us(t, p, a), from_us = t->simulated ? a->started_us : a->launched_us;
    if (a->end == EV_ATTEMPT_KILLED && a->struck_us != REPLAY_NEVER && a->ended_us > a->struck_us)
        us -= least(us, a->ended_us - a->struck_us);
    return (struct pace_seen){
        .worked_us = (double)us,
        .fair_us = t->median_us,
        .done = a->done,
        .step = a->step,
        .first = a->first,
        .first_us = a->first_s * 1e6 +
                    (double)(a->started_us == REPLAY_NEVER ? 0 : a->started_us - from_us),
        .finished = is_done(a)};
}

/* What an attempt takes that was cut short after `seen`; `a` is NULL if it never began. */
static int64_t draw(struct replay_times *t, const struct replay_phase *p, struct attempt_ref at,
                    const struct replay_attempt *a, int64_t seen)
{
    struct rng r = rng_stream(0, RNG_CENSORED, at.job.v, at.phase, at.task, at.attempt);
    struct pace_seen told = a && seen > 0 ? pace_of(t, p, a) : (struct pace_seen){0};
    struct pace_guess guess;
    int64_t us;
    if (pace_guess(&t->pace, &told, &guess))
        us = (int64_t)fmin(t->is_bound ? guess.bound_us : guess.us, (double)RECORDED_US_MAX);
    else
        us = recorded_draw(&t->done, &t->rule, r, seen);
    if (us <= seen) /* it had not ended by then */
        us = seen + 1;
    t->cut_us += (double)us;
    return us;
}

/* Fills from[0..tasks]: a task of which no attempt is known has one all the same. */
static void count_attempts(struct replay_times *t, const struct replay_phase *p, uint32_t tasks,
                           uint32_t *from)
{
    for (uint32_t k = 0; k < tasks; k++) {
        uint32_t newest = p->newest ? p->newest[k] : REPLAY_NONE;
        uint32_t count = newest == REPLAY_NONE ? 1 : p->attempts.at[newest].ordinal + 1U;
        from[k + 1] = from[k] + count;
        t->unseen += newest == REPLAY_NONE;
    }
}

static void pace_show(struct replay_times *t, const struct replay_phase *p,
                      void (*show)(struct pace_pool *pace, const struct pace_seen *seen))
{
    for (uint32_t i = 0; i < p->attempts.count; i++) {
        const struct replay_attempt *a = &p->attempts.at[i];
        struct pace_seen seen = pace_of(t, p, a);
        if (is_done(a) || (a->end == EV_ATTEMPT_KILLED && seen.worked_us > 0))
            show(&t->pace, &seen);
    }
}

/* Of a phase from whose times some have to be drawn. */
static void gather_done(struct replay_times *t, const struct replay_phase *p, uint32_t all)
{
    vec_clear(&t->done.us);
    for (uint32_t i = 0; i < p->attempts.count; i++)
        if (is_done(&p->attempts.at[i]))
            vec_push(&t->done.us, (double)seen_us(t, p, &p->attempts.at[i]));
    t->pace = (struct pace_pool){0};
    t->median_us = 0;
    if (t->done.us.count == all)
        return;
    recorded_seal(&t->done);
    if (t->done.us.count > 1) /* they are sorted now */
        t->median_us = t->done.us.at[t->done.us.count / 2];
    pace_show(t, p, pace_step);
    pace_show(t, p, pace_add);
    pace_seal(&t->pace);
}

/* How long the ends of attempts of a real run were late, each by itself; NULL: none was. */
static int64_t *late_ends(const struct replay_times *t, const struct replay_phase *p,
                          const uint32_t *from, uint32_t tasks)
{
    int64_t *lags = NULL;
    for (uint32_t i = 0; i < p->attempts.count && !t->simulated; i++) {
        const struct replay_attempt *a = &p->attempts.at[i];
        if (a->struck_us == REPLAY_NEVER || a->ended_us == REPLAY_NEVER)
            continue;
        if (!lags) {
            lags = mem_zalloc(from[tasks], sizeof *lags);
            for (uint32_t k = 0; k < from[tasks]; k++)
                lags[k] = -1;
        }
        lags[from[a->task] + a->ordinal] = a->ended_us - a->struck_us;
    }
    return lags;
}

void replay_times_make(struct replay_times *t, const struct replay_phase *p, uint32_t tasks,
                       uint32_t job, uint16_t phase, struct phase_truth *truth)
{
    uint32_t *from = mem_zalloc(tasks + (size_t)1, sizeof *from);
    count_attempts(t, p, tasks, from);
    gather_done(t, p, from[tasks]);
    int64_t *times = mem_zalloc(from[tasks], sizeof *times), *fails = NULL;
    for (uint32_t i = 0; i < p->attempts.count; i++) {
        const struct replay_attempt *a = &p->attempts.at[i];
        struct attempt_ref at = {{job}, a->task, phase, a->ordinal};
        uint32_t entry = from[a->task] + a->ordinal;
        int64_t failed = failed_us(t, p, a), seen = seen_us(t, p, a);
        if (failed > 0 && !fails)
            fails = mem_zalloc(from[tasks], sizeof *fails);
        if (failed > 0)
            fails[entry] = failed;
        t->cut += !is_done(a);
        times[entry] = is_done(a) ? seen : draw(t, p, at, a, seen);
    }
    for (uint32_t k = 0; k < tasks; k++)
        if (!p->newest || p->newest[k] == REPLAY_NONE)
            times[from[k]] = draw(t, p, (struct attempt_ref){{job}, k, phase, 0}, NULL, 0);
    for (uint32_t i = 0; i < from[tasks]; i++) {
        times[i] = times[i] > 0 ? times[i] : 1;
        t->work_us += (double)times[i];
    }
    *truth = (struct phase_truth){.attempt_from = from,
                                  .attempts = times,
                                  .attempt_fails = fails,
                                  .startup_us = startup_us(t, p),
                                  .attempt_lags = late_ends(t, p, from, tasks)};
    if (p->finished)
        truth->output_bytes = (int64_t)(p->written_bytes / (double)p->finished);
}
