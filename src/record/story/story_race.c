/* The problem: a journal says what happened, people ask what would have happened: what did the
 * clone save, and why was this task so slow?
 *
 * The method: a task ends with the attempt that won; without extra attempts it would have ended
 * with the one it had in any case. If that one was stopped because it had lost, the truth is cut
 * off: at least so long is certain; for the rest its pace and that of other stragglers give a guess
 * (pace.c).
 * Slowness is measured against the median of the phase, in time per byte, so that a task with more
 * input is not taken for a straggler; the time in which an attempt waits for what it reads is
 * counted apart.
 *
 * What that means for the phase, whose other tasks may wait for the slot, story_replay.c works out.
 */
#include "record/story/story_race.h"

#include "record/story/story_pace.h"

int64_t story_race_read_us(const struct story_attempt *a)
{
    return a->started_us < 0 ? 0 : story_job_max_us(a->fed_us - a->started_us, 0);
}

/* ---- one task ---- */

/* The newest attempt that is not extra and was there when the winner ended. */
static const struct story_attempt *own_attempt(const struct story_job *j,
                                               const struct story_task *t,
                                               const struct story_attempt *winner)
{
    for (uint32_t i = t->newest; i != STORY_NONE; i = j->attempts.at[i].older) {
        const struct story_attempt *a = &j->attempts.at[i];
        if (!story_is_extra(a) && a->launched_us <= winner->ended_us)
            return a;
    }
    return NULL;
}

struct story_race story_race_winner(const struct story_job *j, const struct story_phase *p,
                                    uint32_t task)
{
    const struct story_task *t = &p->tasks[task];
    struct story_race r = {.least_us = t->committed_us};
    r.pace_us = r.low_us = r.high_us = r.least_us;
    r.winner = t->committed_us >= 0 ? story_job_attempt(j, t, t->winner) : NULL;
    if (r.winner)
        r.own = story_is_extra(r.winner) ? own_attempt(j, t, r.winner) : r.winner;
    return r;
}

struct story_race story_race(const struct story_job *j, const struct story_phase_facts *f,
                             const struct story_phase *p, uint32_t task)
{
    const struct story_task *t = &p->tasks[task];
    struct story_race r = story_race_winner(j, p, task);
    if (!r.winner || r.own == r.winner)
        return r;
    if (!r.own || r.own->started_us < 0 || r.own->ending == EV_ATTEMPT_FAILED ||
        r.own->ending == EV_ATTEMPT_LOST) {
        r.alone = ALONE_UNKNOWN;
        return r;
    }
    /* From when it was asked to end it may have done nothing but die. */
    bool stopped = r.own->ending == EV_ATTEMPT_KILLED && r.own->stop_us >= 0;
    if (stopped)
        r.least_us = r.own->stop_us;
    else if (r.own->ended_us >= 0)
        r.least_us = story_job_max_us(r.own->ended_us, t->committed_us);
    r.pace_us = r.low_us = r.high_us = r.least_us;
    if (r.own->ending == EV_ATTEMPT_FINISHED) {
        r.alone = ALONE_KNOWN;
        return r;
    }
    r.alone = ALONE_AT_LEAST;
    struct pace_seen seen = story_pace_seen(j, f, r.own);
    struct pace_guess guess;
    if (stopped && pace_guess(&f->pace, &seen, &guess)) {
        int64_t begun_us = story_job_max_us(r.own->started_us, r.own->fed_us);
        r.alone = ALONE_PACE;
        r.pace_us = story_job_max_us(begun_us + (int64_t)(guess.us + 0.5), r.least_us);
        r.low_us = story_job_max_us(begun_us + (int64_t)(guess.low_us + 0.5), r.least_us);
        r.high_us = story_job_max_us(begun_us + (int64_t)(guess.high_us + 0.5), r.least_us);
    }
    return r;
}

enum story_rate story_race_rate(const struct story_job *j, const struct story_phase_facts *f,
                                const struct story_attempt *a)
{
    if (!f->has_medians || a->started_us < 0 ||
        (a->ending != EV_ATTEMPT_FINISHED && a->ending != EV_ATTEMPT_KILLED))
        return RATE_UNKNOWN;
    struct pace_seen seen = story_pace_seen(j, f, a);
    double ratio = pace_least(&f->pace, &seen);
    if (ratio <= 0)
        return RATE_UNKNOWN;
    if (ratio > PACE_STRAGGLES)
        return RATE_STRAGGLER;
    return pace_most(&f->pace, &seen) <= PACE_STRAGGLES ? RATE_FINE : RATE_UNKNOWN;
}

bool story_race_rescued(const struct story_job *j, const struct story_phase_facts *f,
                        const struct story_race *r)
{
    return r->winner && story_is_extra(r->winner) && r->own &&
           story_race_rate(j, f, r->own) == RATE_STRAGGLER;
}

bool story_race_straggled(const struct story_job *j, const struct story_phase_facts *f,
                          const struct story_attempt *a)
{
    bool exact = a->done >= 0 && a->step <= 0; /* in the simulator */

    return (a->ending == EV_ATTEMPT_FINISHED || a->reports > 1 || exact) &&
           story_race_rate(j, f, a) == RATE_STRAGGLER;
}

struct story_slow story_race_slow(const struct story_job *j, const struct story_phase_facts *f,
                                  const struct story_phase *p, uint32_t task)
{
    const struct story_task *t = &p->tasks[task];
    struct story_race race = story_race_winner(j, p, task);
    struct story_slow s = {0};
    const struct story_attempt *w = race.winner;
    if (!f->has_medians || !w)
        return s;
    s.bytes = story_pace_bytes(j, w);
    double bytes = f->median_bytes > 1 ? s.bytes : 1;
    double fair_us = bytes * f->median_per_byte;
    s.behind_us = t->committed_us - f->median_committed_us;
    s.late_us = story_job_max_us(t->launched_us - f->median_launched_us, 0);
    if (w->kind == LAUNCH_RESTART || w->kind == LAUNCH_RECOMPUTE)
        s.again_us = w->launched_us - t->launched_us;
    if (w->kind == LAUNCH_BACKUP && race.own)
        s.noticed_us = w->launched_us - race.own->launched_us;
    s.read_us = story_job_max_us(story_race_read_us(w) - f->median_read_us, 0);
    if (bytes > f->median_bytes)
        s.skew_us = (int64_t)((bytes - f->median_bytes) * f->median_per_byte);
    if ((double)story_pace_work_us(w) > fair_us)
        s.slow_us = story_pace_work_us(w) - (int64_t)fair_us;
    s.ratio = fair_us > 0 ? (double)story_pace_work_us(w) / fair_us : 0;
    for (uint32_t k = 0; k < p->count; k++)
        for (uint32_t i = p->tasks[k].newest; i != STORY_NONE; i = j->attempts.at[i].older) {
            const struct story_attempt *a = &j->attempts.at[i];
            if (a == w || a->node.v != w->node.v)
                continue;
            enum story_rate rate = story_race_rate(j, f, a);
            s.node_others += rate != RATE_UNKNOWN;
            s.node_slow += rate == RATE_STRAGGLER;
        }
    return s;
}

void story_race_causes(const struct story_phase_facts *f, const struct story_slow *s,
                       int64_t us[STORY_CAUSES])
{
    bool node = 2 * s->node_slow > s->node_others;
    const int64_t all[STORY_CAUSES] = {
        [STORY_LATE] = s->late_us,
        [STORY_AGAIN] = s->again_us,
        [STORY_NOTICED] = s->noticed_us,
        [STORY_READS] = s->read_us,
        [STORY_SKEW] = s->skew_us,
        [STORY_SLOW_ATTEMPT] = node ? 0 : s->slow_us,
        [STORY_SLOW_NODE] = node ? s->slow_us : 0,
    };
    for (int i = 0; i < STORY_CAUSES; i++)
        us[i] = s->behind_us > 0 && all[i] > f->median_work_us / 10 ? all[i] : 0;
}
