#include "core/estimate/dag_job.h"

#include "base/mem.h"
#include "core/brain/expect.h"
#include "core/estimate/left_work.h"

struct dag_job dag_job_whole(const struct world *w, const struct job *j)
{
    uint32_t edges = 0;
    for (uint16_t k = 0; k < j->phase_count; k++)
        edges += j->phases[k].edge_count;
    struct dag_job d = {mem_zalloc(j->phase_count, sizeof *d.phases),
                        mem_zalloc(edges + 1, sizeof *d.parents)};
    uint16_t *next = d.parents;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct phase *p = &j->phases[k];
        d.phases[k] = (struct dag_phase){.tasks = p->count,
                                         .time_s = phase_expected(w, p).mean_us / 1e6,
                                         .parents = next,
                                         .parent_count = p->edge_count};
        for (int r = 0; r < RES_COUNT; r++)
            if (w->capacity.v[r] > 0)
                d.phases[k].share[r] = (double)p->demand.v[r] / (double)w->capacity.v[r];
        for (uint16_t e = 0; e < p->edge_count; e++)
            *next++ = p->edges[e].from;
    }
    return d;
}

uint32_t dag_job_waiting(const struct phase *p)
{
    return p->open ? p->pending_count : left_work_tasks(p);
}

struct dag_job dag_job_left(const struct world *w, const struct job *j)
{
    struct dag_job d = dag_job_whole(w, j);
    for (uint16_t k = 0; k < j->phase_count; k++) {
        d.phases[k].tasks = dag_job_waiting(&j->phases[k]);
        d.phases[k].runs = left_work_tasks(&j->phases[k]) > d.phases[k].tasks;
    }
    return d;
}

void dag_job_free(struct dag_job *d)
{
    mem_free(d->phases);
    mem_free(d->parents);
}
