#include "commands/watch/failures.h"

void failures_fini(struct failures *f)
{
    for (uint32_t i = 0; i < f->v.count; i++) {
        mem_free(f->v.at[i].phase);
        mem_free(f->v.at[i].node);
        mem_free(f->v.at[i].why);
    }
    vec_free(&f->v);
}

static void add(struct failures *f, const struct explain *x, uint16_t phase, uint32_t task)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_attempt *a = story_job_last_failed(x->job, &p->tasks[task]);
    struct str why = {0};

    if (a)
        explain_attempt_failure(x, a, &why);
    else
        str_add(&why, "failed");
    vec_push(&f->v, ((struct failure){
                        .at = {x->job->id, task, phase, a ? a->ordinal : 0},
                        .number = explain_number(x, task),
                        .at_us = a ? a->ended_us : -1,
                        .phase = mem_strdup(p->name),
                        .node = mem_strdup(a ? explain_node(x, a->node).text : "-"),
                        .why = why.text,
                    }));
}

void failures_job(struct failures *f, const struct explain *x)
{
    for (uint16_t k = 0; k < x->job->phase_count; k++)
        for (uint32_t i = 0; i < x->job->phases[k].count; i++) {
            if (!explain_failure_is(x, k, i))
                continue;
            if (f->v.count < FAILURES_MAX)
                add(f, x, k, i);
            f->count++;
        }
}
