#include "record/story/story_pace.h"

int64_t story_pace_work_us(const struct story_attempt *a)
{
    if (a->started_us < 0 || a->ended_us < 0)
        return 0;
    int64_t end_us = a->ran_us < 0 ? a->ended_us : a->started_us + a->ran_us;
    return story_job_max_us(end_us - story_job_max_us(a->started_us, a->fed_us), 0);
}

double story_pace_bytes(const struct story_job *j, const struct story_attempt *a)
{
    const struct story_reads *r = story_job_reads(j, a);
    return (double)story_job_input_bytes(&j->phases[a->phase], a->task) +
           (r ? (double)r->bytes : 0);
}

struct pace_seen story_pace_seen(const struct story_job *j, const struct story_phase_facts *f,
                                 const struct story_attempt *a)
{
    double bytes = f->median_bytes > 1 ? story_pace_bytes(j, a) : 1;
    struct pace_seen seen = {.fair_us = f->has_medians ? f->median_per_byte * bytes : 0,
                             .worked_us = (double)story_pace_work_us(a),
                             .done = a->done,
                             .step = a->step,
                             .first = a->first_done,
                             .finished = a->ending == EV_ATTEMPT_FINISHED};
    if (a->reports > 0)
        seen.first_us = (double)(a->first_us - story_job_max_us(a->started_us, a->fed_us));
    /* From when it was asked to end it may have done nothing but die. */
    if (a->ending == EV_ATTEMPT_KILLED && a->stop_us >= 0 && a->started_us >= 0)
        seen.worked_us =
            (double)story_job_max_us(a->stop_us - story_job_max_us(a->started_us, a->fed_us), 0);
    return seen;
}

/* Shows all attempts of the phase that have ended, or are known to have been stopped. */
static void pace_show(struct story_phase_facts *f, const struct story_job *j,
                      const struct story_phase *p,
                      void (*show)(struct pace_pool *pace, const struct pace_seen *seen))
{
    for (uint32_t t = 0; t < p->count; t++)
        for (uint32_t i = p->tasks[t].newest; i != STORY_NONE; i = j->attempts.at[i].older) {
            const struct story_attempt *a = &j->attempts.at[i];
            struct pace_seen seen = story_pace_seen(j, f, a);
            if (a->started_us >= 0 &&
                (a->ending == EV_ATTEMPT_FINISHED || a->ending == EV_ATTEMPT_KILLED))
                show(&f->pace, &seen);
        }
}

void story_pace_init(struct story_phase_facts *f, const struct story_job *j,
                     const struct story_phase *p)
{
    f->pace = (struct pace_pool){0};
    pace_show(f, j, p, pace_step);
    pace_show(f, j, p, pace_add);
    pace_seal(&f->pace);
}
