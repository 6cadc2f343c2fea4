/* speculate.c - which running tasks may get a backup, and how a phase is doing.
 *
 * A look at the cluster walks over what runs, oldest first, and measures a phase when it meets the
 * first task of it that may get a backup. Both cost as much as there are attempts, once a second;
 * so a phase is judged by a sample, and whether anybody may get a backup at all is asked of the
 * phases first: as long as each has tasks waiting, which is most of the time on a busy cluster,
 * none may. */
#include "core/mitigate/speculate.h"

#include "core/brain/decider.h"

struct phase_look *speculate_phase(struct cluster_look *l, const struct phase *p, bool *is_new)
{
    uint64_t key = (uintptr_t)p;
    uint32_t known = lookup_get(&l->by_phase, key);
    *is_new = known == LOOKUP_NONE;
    if (!*is_new)
        return &l->phases.at[known];
    lookup_put(&l->by_phase, key, l->phases.count);
    vec_push(&l->phases, (struct phase_look){.phase = p});
    return &l->phases.at[l->phases.count - 1];
}

uint32_t speculate_stride(const struct phase *p)
{
    return p->count / SPECULATE_SAMPLES + 1;
}

uint32_t speculate_samples(const struct phase *p)
{
    return p->count / speculate_stride(p) + 1;
}

void speculate_times(struct phase_look *l)
{
    if (l->times)
        return;
    uint32_t most = speculate_samples(l->phase) + l->phase->past_count;
    l->times = mem_zalloc(most, sizeof *l->times);
    l->count = estimate_times(l->phase, speculate_stride(l->phase), l->times);
}

struct estimate speculate_estimate(const struct world *w, const struct attempt *a,
                                   struct phase_look *l)
{
    if (!a->reported)
        speculate_times(l);
    return estimate_attempt(w, a, l->times, l->count);
}

struct estimate speculate_best(const struct world *w, const struct attempt *a, struct phase_look *l)
{
    const struct task *t = &attempt_phase(a)->tasks[a->task];
    struct estimate best = speculate_estimate(w, a, l);
    if (t->live <= 1)
        return best;
    FOR_ATTEMPTS (other, w, t) {
        if (other == a || other->state != ATTEMPT_RUNNING || other->unwanted)
            continue;
        struct estimate its = speculate_estimate(w, other, l);
        if (its.left_s < best.left_s)
            best = its;
    }
    return best;
}

void speculate_end(struct cluster_look *l)
{
    for (uint32_t i = 0; i < l->phases.count; i++) {
        mem_free(l->phases.at[i].times);
        vec_free(&l->phases.at[i].rates);
    }
    vec_free(&l->phases);
    lookup_fini(&l->by_phase);
}

static bool job_may(const struct job *j, bool early)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (j->phases[k].started && j->phases[k].done < j->phases[k].count &&
            speculate_phase_may(&j->phases[k], early))
            return true;
    return false;
}

bool speculate_may_anywhere(const struct world *w, bool early)
{
    if (w->jobs.count - w->jobs.gone > w->running.count)
        return true; /* it would take longer to find out */
    for (uint32_t i = w->jobs.gone; i < w->jobs.count; i++)
        for (const struct job *j = w->jobs.at[i], *lead = j; j; j = j == lead ? j->copies : j->next)
            if (job_may(j, early))
                return true;
    return false;
}

bool speculate_stands_for_clones(const struct world *w, const struct attempt *a,
                                 const struct task *t)
{
    const struct attempt *oldest = NULL;
    FOR_ATTEMPTS (one, w, t) {
        if (one->unwanted || one->kind == LAUNCH_BACKUP)
            return false;
        if (!oldest && one->state == ATTEMPT_RUNNING)
            oldest = one;
    }
    return oldest == a;
}

const struct attempt *speculate_oldest_running(const struct world *w, const struct task *t)
{
    FOR_ATTEMPTS (a, w, t)
        if (a->state == ATTEMPT_RUNNING)
            return a;
    return NULL;
}

void speculate_back_up(const struct part_ctx *s, const struct attempt *a, const struct reason *why)
{
    struct phase *p = attempt_phase(a);
    struct node_id node = decider_place(s->brain, p, a->task);
    if (node.v != NODE_NONE.v)
        decider_backup(s->brain, p, a->task, node, why);
}

uint32_t speculate_rates(const struct part_ctx *s, struct phase_look *l, double *rates)
{
    const struct world *w = s->world;
    const struct phase *p = l->phase;
    uint32_t n = 0, stride = speculate_stride(p);
    for (uint32_t i = 0; i < p->count; i += stride) {
        const struct task *t = &p->tasks[i];
        if (t->state == TASK_DONE) {
            rates[n++] = phase_read_load(p, i) * 1e6 / (double)(t->took_us > 1 ? t->took_us : 1);
            continue;
        }
        const struct attempt *a = speculate_oldest_running(w, t);
        if (a)
            rates[n++] = phase_read_load(p, i) * speculate_rate(w, a, l);
    }
    return n;
}

bool speculate_allows(const struct world *w, const struct phase *p, double share, double *held,
                      double *limit)
{
    struct res_sum one = {{0}};
    res_sum_add(&one, &p->demand, 1);
    *held = res_sum_slots(&w->kinds, &w->backups);
    *limit = share * res_sum_slots(&w->kinds, &w->capacity);
    return *held + res_sum_slots(&w->kinds, &one) <= *limit + 1e-9;
}
