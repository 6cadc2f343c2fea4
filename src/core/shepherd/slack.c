#include "core/shepherd/slack.h"

#include <math.h>

/* When the job's last chain ends. Phases above have smaller indices. */
static double job_end_s(const struct job *j, const struct slack_phase *all)
{
    double end_s[JOB_PHASES_MAX], last_s = 0;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct phase *p = &j->phases[k];
        double from_s = 0;
        for (uint16_t e = 0; e < p->edge_count; e++)
            from_s = fmax(from_s, end_s[p->edges[e].from]);
        end_s[k] = all[k].end_s >= 0 ? all[k].end_s : from_s + all[k].takes_s;
        last_s = fmax(last_s, end_s[k]);
    }
    return last_s;
}

double slack_latest_s(const struct job *j, const struct slack_phase *all, uint16_t phase)
{
    double after_s[JOB_PHASES_MAX]; /* the longest chain that follows a phase */
    for (uint16_t k = j->phase_count; k-- > phase;) {
        const struct phase *p = &j->phases[k];
        after_s[k] = 0;
        for (uint16_t i = 0; i < p->consumer_count; i++) {
            uint16_t next = p->consumers[i];
            after_s[k] = fmax(after_s[k], all[next].takes_s + after_s[next]);
        }
    }
    return job_end_s(j, all) - after_s[phase];
}

bool slack_has_siblings(const struct phase *p)
{
    for (uint16_t k = 0; k < p->job->phase_count; k++) {
        const struct phase *q = &p->job->phases[k];
        if (q != p && q->open && q->done + q->given_up < q->count)
            return true;
    }
    return false;
}

double slack_must_end_s(struct flock *flock, const struct healthy *healthy, const struct world *w,
                        const struct phase *p, double own_s)
{
    struct slack_phase all[JOB_PHASES_MAX];
    if (!slack_has_siblings(p))
        return own_s;
    for (uint16_t k = 0; k < p->job->phase_count; k++) {
        const struct phase *q = &p->job->phases[k];
        const struct fold *fold = flock_find(flock, q);
        double bytes = healthy_mean_bytes(q, fold ? fold->inputs : healthy_inputs(q));
        all[k].takes_s = healthy_guess(healthy, w, q, bytes) * bytes / 1e6;
        all[k].end_s = -1;
        if (q->done + q->given_up == q->count)
            all[k].end_s = 0;
        else if (fold && fold->ends_us > 0)
            all[k].end_s = fmax(0, (double)(fold->ends_us - w->now_us) / 1e6);
    }
    return fmax(own_s, slack_latest_s(p->job, all, p->index));
}
