#include "core/brain/script_test.h"

#include "base/check.h"
#include "core/policy/policy.h"

void script_tell(struct script *s, struct event e)
{
    brain_apply(s->brain, s->now_us, &e);
}

void script_decide(struct script *s, int64_t now_us)
{
    s->now_us = now_us;
    s->out = brain_decide(s->brain, now_us);
}

void script_node_up(struct script *s, uint32_t node, int32_t slots, uint32_t rack)
{
    struct res capacity = {{slots * RES_SLOT, 0, 0, 0}};
    script_tell(s, (struct event){.type = EV_NODE_UP,
                                  .node = {node},
                                  .u.node = {.capacity = capacity, .rack = rack}});
}

void script_init(struct script *s, const char *policy, uint32_t nodes, int32_t slots)
{
    struct err err;
    *s = (struct script){.policy = policy_create(policy, &err)};
    check(s->policy);
    s->brain = brain_create(s->policy, 1);
    for (uint32_t i = 0; i < nodes; i++)
        script_node_up(s, i, slots, 0);
    script_decide(s, 0);
}

void script_fini(struct script *s)
{
    brain_destroy(s->brain);
    policy_destroy(s->policy);
}

struct job_id script_submit(struct script *s, struct job_spec *spec)
{
    spec->id.v = s->jobs++;
    if (spec->weight == 0)
        spec->weight = JOB_WEIGHT_ONE;
    script_tell(s, (struct event){.type = EV_JOB_SUBMITTED, .at.job = spec->id, .u.job = spec});
    return spec->id;
}

struct job_id script_queued(struct script *s, const char *queue, uint32_t tasks, int32_t slots)
{
    struct phase_spec phase = {.name = "p", .tasks = tasks, .demand = {{slots * RES_SLOT}}};
    struct job_spec spec = {
        .name = "j", .user = "u", .queue = queue, .phases = &phase, .phase_count = 1};
    return script_submit(s, &spec);
}

struct job_id script_chain(struct script *s, uint16_t phases, const uint32_t *tasks,
                           const struct edge_spec *edges)
{
    struct phase_spec p[8];
    check(phases <= 8);
    for (uint16_t k = 0; k < phases; k++)
        p[k] = (struct phase_spec){.name = "p",
                                   .tasks = tasks[k],
                                   .demand = {{RES_SLOT, 0, 0, 0}},
                                   .edges = k ? &edges[k - 1] : NULL,
                                   .edge_count = k ? 1 : 0};
    struct job_spec spec = {
        .name = "j", .user = "u", .queue = "q", .phases = p, .phase_count = phases};
    return script_submit(s, &spec);
}

struct job_id script_job(struct script *s, uint16_t phases, uint32_t tasks)
{
    uint32_t each[8];
    struct edge_spec edges[8];
    check(phases <= 8);
    for (uint16_t k = 0; k < phases; k++) {
        each[k] = tasks;
        edges[k] = (struct edge_spec){.from = k};
    }
    return script_chain(s, phases, each, edges);
}

struct job_id script_phase(struct script *s, struct phase_spec phase)
{
    static const struct res none = {{0}};
    phase.name = "p";
    if (res_equal(&phase.demand, &none))
        phase.demand.v[RES_CPU] = RES_SLOT;
    struct job_spec spec = {
        .name = "j", .user = "u", .queue = "q", .phases = &phase, .phase_count = 1};
    return script_submit(s, &spec);
}

struct attempt_ref script_ref(struct job_id job, uint16_t phase, uint32_t task, uint16_t attempt)
{
    return (struct attempt_ref){job, task, phase, attempt};
}

void script_event(struct script *s, enum event_type type, struct attempt_ref at)
{
    script_tell(s, (struct event){.type = (uint8_t)type, .at = at, .cause = CAUSE_INJECTED});
}

void script_started_all(struct script *s)
{
    struct decision_list out = s->out; /* applying does not touch the last decisions */
    for (uint32_t i = 0; i < out.count; i++)
        if (out.at[i].type == DO_LAUNCH)
            script_event(s, EV_ATTEMPT_STARTED, out.at[i].at);
}

void script_win(struct script *s, struct attempt_ref at)
{
    script_event(s, EV_ATTEMPT_FINISHED, at);
    script_decide(s, s->now_us);
    check(script_find(s, DO_COMMIT, at));
    script_event(s, EV_COMMITTED, at);
    script_decide(s, s->now_us);
}

void script_output(struct script *s, struct attempt_ref at, int64_t bytes, uint64_t checksum)
{
    script_tell(s, (struct event){.type = EV_OUTPUT_READY,
                                  .at = at,
                                  .u.output = {.bytes = bytes, .checksum = checksum}});
    script_event(s, EV_ATTEMPT_FINISHED, at);
}

void script_progress(struct script *s, struct attempt_ref at, int64_t done, int64_t total)
{
    script_tell(s, (struct event){.type = EV_ATTEMPT_PROGRESS,
                                  .at = at,
                                  .u.progress = {.done = done, .total = total, .cpu_us = -1}});
}

void script_timer(struct script *s, uint32_t timer, int64_t now_us)
{
    s->now_us = now_us;
    script_tell(s, (struct event){.type = EV_TIMER, .u.timer = timer});
    script_decide(s, now_us);
}

uint32_t script_count(const struct script *s, enum decision_type type, int kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->out.count; i++)
        n += s->out.at[i].type == type && (kind < 0 || s->out.at[i].kind == kind);
    return n;
}

const struct decision *script_find(const struct script *s, enum decision_type type,
                                   struct attempt_ref at)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == type && attempt_equal(s->out.at[i].at, at))
            return &s->out.at[i];
    return NULL;
}

const struct reason *script_verdict(const struct script *s, struct job_id job, uint16_t phase)
{
    const struct decision *d = script_find(s, DO_VERDICT, script_ref(job, phase, TASK_ALL, 0));
    return d ? &d->why : NULL;
}
