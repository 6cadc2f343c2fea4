/* story_run.c - jobs are added one by one as they end, so that a run of millions of them is a few
 * sums, a short list of the slowest, and the nodes. */
#include "record/story/story_run.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* ---- jobs ---- */

static void note_name(struct story_run *r, const char *name)
{
    if (r->more_names || !name)
        return;
    for (uint32_t i = 0; i < r->name_count; i++)
        if (strcmp(r->names[i], name) == 0)
            return;
    if (r->name_count < STORY_NAMES)
        r->names[r->name_count++] = text_tame(mem_strdup(name));
    else
        r->more_names = true;
}

void story_run_submitted(struct story_run *r, const struct job_spec *spec, bool measured,
                         int64_t now_us)
{
    if (r->jobs + r->others == 0) {
        r->first_job = spec->id;
        r->first_us = now_us;
    }
    r->last_job = spec->id;
    note_name(r, spec->name);
    if (!measured) {
        r->others++;
        return;
    }
    r->jobs++;
    r->tasks += job_tasks(spec);
}

void story_run_over(struct story_run *r, struct job_id id, bool done)
{
    r->done += done;
    if (!done && r->failed++ < STORY_FAILED)
        r->failed_first[r->failed - 1] = id;
}

static void add_phases(struct story_run *r, const struct story_job *j, const struct story_facts *f)
{
    bool cloned = false;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct story_phase *p = &j->phases[k];
        uint16_t code = story_job_cloning(j, p);
        cloned |= p->launched[LAUNCH_CLONE] > 0;
        if (code != WHY_NONE) {
            bool started = p->launched[LAUNCH_CLONE] > 0;
            r->phases++;
            r->phases_cloned += started;
            r->not_cloned[code] += !started;
        }
        for (int kind = 0; kind < LAUNCH_KIND_END; kind++)
            r->launched[kind] += p->launched[kind];
        for (uint32_t t = 0; t < p->count; t++)
            r->failures += p->tasks[t].failures;
        r->tasks_done += p->committed;
        r->tasks_failed += p->given_up;
        r->withdrawn += p->withdrawn;
        r->won_by_extra += f->phases[k].won_by_extra;
        r->beat_straggler += f->phases[k].beat_straggler;
        r->beat_unknown += f->phases[k].beat_unknown;
        r->unsure += f->phases[k].unsure;
        r->stragglers += f->phases[k].stragglers;
    }
    r->jobs_cloned += cloned;
}

/* Keeps the list of the slowest in order; equal ones stay in the order of their ids. */
static void add_slowest(struct story_run *r, const struct story_job *j, const struct story_facts *f)
{
    int64_t took_us = j->over_us + (j->failed ? 0 : j->wrapup_us) - j->arrived_us;
    uint32_t at = r->slowest_count;
    while (at > 0 && r->slowest[at - 1].took_us < took_us)
        at--;
    if (at == STORY_SLOWEST)
        return;
    if (r->slowest_count == STORY_SLOWEST)
        mem_free(r->slowest[--r->slowest_count].name);
    memmove(&r->slowest[at + 1], &r->slowest[at], (r->slowest_count - at) * sizeof r->slowest[0]);
    r->slowest_count++;
    r->slowest[at] = (struct story_slow_job){
        .id = j->id,
        .name = text_tame(mem_strdup(j->name)),
        .tasks = j->tasks,
        .took_us = took_us,
        .waited_us = f->begun_us < 0 ? -1 : f->begun_us - j->arrived_us,
        .would = f->would,
        .failed = j->failed,
    };
    for (uint16_t k = 0; k < j->phase_count; k++) {
        r->slowest[at].cloned |= j->phases[k].launched[LAUNCH_CLONE] > 0;
        r->slowest[at].unsure += f->phases[k].unsure;
    }
}

/* What held up the last task of each phase that came to its end. */
static void add_held(struct story_run *r, const struct story_job *j, const struct story_facts *f)
{
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct story_phase_facts *pf = &f->phases[k];
        int64_t us[STORY_CAUSES];
        if (pf->slowest == STORY_NONE || !pf->has_medians || pf->ended_us < 0)
            continue;
        struct story_slow slow = story_race_slow(j, pf, &j->phases[k], pf->slowest);
        story_race_causes(pf, &slow, us);
        for (int i = 0; i < STORY_CAUSES; i++) {
            r->held[i].phases += us[i] > 0;
            r->held[i].us += us[i];
        }
    }
}

void story_run_add(struct story_run *r, const struct story_job *j, const struct story_facts *f)
{
    add_phases(r, j, f);
    add_held(r, j, f);
    for (int kind = 0; kind < LAUNCH_KIND_END; kind++) {
        r->won[kind] += f->won[kind];
        r->vain_slot_s[kind] += f->vain_slot_s[kind];
    }
    r->killed += f->killed;
    r->slot_s += f->slot_s;
    r->open_slot_s += f->open_slot_s;
    r->would.straggling_us += f->would.straggling_us;
    r->would.saved_us += f->would.saved_us;
    r->would.pace_saved_us += f->would.pace_saved_us;
    r->would.low_saved_us += f->would.low_saved_us;
    r->would.high_saved_us += f->would.high_saved_us;
    r->tasks_failed += story_job_failed_task(j) != NULL;
    if (j->over_us >= 0)
        add_slowest(r, j, f);
    if (j->over_us >= 0 && !j->failed)
        r->took_us += (double)(j->over_us + j->wrapup_us - j->arrived_us);
}

/* ---- nodes ---- */

static struct story_node *node_make(struct story_run *r, struct node_id node)
{
    if (node.v >= STORY_NODES_MAX)
        return NULL;
    while (r->nodes.count <= node.v)
        vec_push(&r->nodes, ((struct story_node){0}));
    return &r->nodes.at[node.v];
}

void story_run_event(struct story_run *r, const struct event *e)
{
    struct story_node *n;
    if (e->type == EV_RESOURCE && e->u.resource.name && !r->resources[e->u.resource.which])
        r->resources[e->u.resource.which] = text_tame(mem_strdup(e->u.resource.name));
    if (e->type != EV_NODE_UP && e->type != EV_NODE_DOWN && e->type != EV_NODE_CAPACITY)
        return;
    if (!(n = node_make(r, e->node)))
        return;
    if (e->type == EV_NODE_DOWN) {
        n->downs += n->used;
        return;
    }
    n->capacity = e->u.node.capacity;
    if (e->type == EV_NODE_UP && e->u.node.name) {
        mem_free(n->name);
        n->name = text_tame(mem_strdup(e->u.node.name));
    }
}

void story_run_decision(struct story_run *r, const struct decision *d)
{
    bool avoids = d->type == DO_AVOID_NODE;
    struct story_node *n = avoids || d->type == DO_LAUNCH ? node_make(r, d->node) : NULL;
    if (n && avoids) {
        n->avoided++;
        n->avoid_why = d->why;
    } else if (n) {
        n->used = true;
    }
}

void story_run_fini(struct story_run *r)
{
    for (uint32_t i = 0; i < r->slowest_count; i++)
        mem_free(r->slowest[i].name);
    for (uint32_t i = 0; i < r->name_count; i++)
        mem_free(r->names[i]);
    for (uint32_t i = 0; i < r->nodes.count; i++)
        mem_free(r->nodes.at[i].name);
    for (int i = 0; i < RES_COUNT; i++)
        mem_free(r->resources[i]);
    vec_free(&r->nodes);
}
