/* brain_breach.c - checks that an event keeps the body's side of the contract.
 *
 * brain_apply trusts its body, because a breach there is a programmer error that ends the program.
 * Events from a file or another machine may have been forged, checksums included; their readers
 * call this first. The rules are those of docs/inside/protocol.md whose breach could harm the
 * brain: jobs, attempts and nodes exist and are in the right state, and numbers are in the ranges
 * that the readers of workloads and clusters allow.
 *
 * Rejected: soft failures inside brain_apply. Each live event would pay for them, and a breach by a
 * body would go unnoticed. */
#include "core/brain/attempt.h"
#include "core/brain/state.h"

#define BREACH_TIME_US INT64_C(1000000000000000000) /* so that a policy may add to it */

enum { BREACH_UNITS = 1 << 30 }; /* of a resource, on one node or for one attempt */

static bool units_fit(const struct res *r)
{
    for (int i = 0; i < RES_COUNT; i++)
        if (r->v[i] < 0 || r->v[i] > BREACH_UNITS)
            return false;
    return true;
}

static bool node_known(const struct world *w, struct node_id id)
{
    return id.v < w->nodes.count && w->nodes.at[id.v].state != NODE_UNKNOWN;
}

/* In thousandths. */
static bool is_share(int32_t milli)
{
    return milli >= 0 && milli <= 1000;
}

static const char *breach_node(const struct world *w, const struct event *e)
{
    if (e->type == EV_PRESSURE &&
        (!is_share(e->u.pressure.disk) || !is_share(e->u.pressure.memory)))
        return "the pressure on a node is outside 0 to 1000";
    if (e->type == EV_NODE_UP ? e->node.v > w->nodes.count : !node_known(w, e->node))
        return "the node is unknown";
    if (e->type == EV_NODE_UP && (e->node.v >= NODES_MAX || e->u.node.rack >= NODES_MAX))
        return "there are too many nodes or racks";
    if ((e->type == EV_NODE_UP || e->type == EV_NODE_CAPACITY) && !units_fit(&e->u.node.capacity))
        return "a node cannot have this capacity";
    return NULL;
}

/* It may be reported again when a run is resumed, but accounts of slots are under way by then. */
static const char *breach_resource(const struct world *w, const struct event *e)
{
    uint8_t which = e->u.resource.which, kind = e->u.resource.kind;

    if (which >= RES_COUNT || kind >= RES_KIND_END)
        return "the resource does not exist, or cannot have that amount";
    if (w->nodes.count > 0 && w->kinds.v[which] != kind)
        return "a resource changes after the first node";
    return NULL;
}

static bool phase_is_read(const struct job_spec *job, uint16_t phase)
{
    for (uint16_t k = (uint16_t)(phase + 1); k < job->phase_count; k++)
        for (uint16_t e = 0; e < job->phases[k].edge_count; e++)
            if (job->phases[k].edges[e].from == phase)
                return true;
    return false;
}

static bool edges_differ(const struct phase_spec *p)
{
    uint64_t seen[JOB_PHASES_MAX / 64] = {0};

    for (uint16_t e = 0; e < p->edge_count; e++) {
        uint16_t from = p->edges[e].from;
        if (seen[from / 64] >> from % 64 & 1)
            return false;
        seen[from / 64] |= 1ULL << from % 64;
    }
    return true;
}

static bool replicas_known(const struct world *w, const struct phase_spec *p)
{
    uint32_t count = p->replica_from ? p->replica_from[p->tasks] : 0;

    for (uint32_t i = 0; i < count; i++)
        if (!node_known(w, p->replicas[i]))
            return false;
    return true;
}

static bool input_fits(const struct phase_spec *p)
{
    for (uint32_t t = 0; t < (p->input_each ? p->tasks : 1); t++)
        if (phase_input_bytes(p, t) < 0 || phase_input_bytes(p, t) > JOB_INPUT_MAX)
            return false;
    for (uint32_t i = 0; i < p->past_count; i++)
        if (p->past_us[i] < 0 || p->past_us[i] > BREACH_TIME_US)
            return false;
    return p->expect_us >= 0 && p->expect_us <= BREACH_TIME_US && p->expect_dev_us >= 0 &&
           p->expect_dev_us <= BREACH_TIME_US;
}

static const char *breach_job(const struct world *w, const struct job_spec *job)
{
    if (job->id.v != window_next(&w->jobs))
        return "a job's number is not the next one";
    if (job_tasks(job) > JOB_TASKS_ALL_MAX)
        return "a job has too many tasks";
    for (uint16_t k = 0; k < job->phase_count; k++) {
        const struct phase_spec *p = &job->phases[k];
        if (!units_fit(&p->demand) || res_equal(&p->demand, &(struct res){{0}}))
            return "no attempt can need this much";
        if (!edges_differ(p))
            return "a phase reads another one twice";
        if (p->failures_allowed > 0 && phase_is_read(job, k))
            return "tasks that are read may not fail";
        if (!replicas_known(w, p))
            return "an input is on an unknown node";
        if (!input_fits(p))
            return "a task has an impossible input";
    }
    return NULL;
}

/* The attempt must be in a state from `first` to `last`, and where the event says on the node. */
static const char *breach_attempt(const struct attempt *a, uint8_t first, uint8_t last,
                                  const struct event *e)
{
    if (!a)
        return "the attempt is unknown";
    if (a->state < first || a->state > last)
        return "the attempt is not in the state for this";
    return a->node.v == e->node.v ? NULL : "the attempt is on another node";
}

static const char *breach_commit(const struct attempt *a)
{
    const struct task *t = a ? &attempt_phase(a)->tasks[a->task] : NULL;

    if (!a)
        return "the attempt is unknown";
    return t->state == TASK_COMMITTING && t->winner == a->ordinal && a->state == ATTEMPT_FINISHED
               ? NULL
               : "this commit was not requested";
}

static const char *breach_fetch(const struct attempt *a, const struct event *e)
{
    struct attempt_ref from = e->u.fetch.source;
    bool fits = false;

    if (e->u.fetch.bytes < 0 || e->u.fetch.took_us < 0 || e->u.fetch.took_us > BREACH_TIME_US)
        return "a read has an impossible size or time";
    if (!a)
        return NULL; /* it has ended meanwhile */
    const struct phase *p = attempt_phase(a);
    for (uint16_t i = 0; i < p->edge_count; i++)
        fits |= p->edges[i].from == from.phase &&
                (from.task == TASK_ALL || from.task < a->job->phases[from.phase].count);
    return fits && from.job.v == e->at.job.v ? NULL : "the reader does not read that";
}

static bool breach_parts(const struct event *e)
{
    for (uint32_t i = 0; e->u.output.partitions && i < e->u.output.partition_count; i++)
        if (e->u.output.partitions[i].bytes < 0)
            return true;
    return false;
}

/* An output, or a copy of one: of a task of the job, if the job is there still. */
static const char *breach_output(const struct brain *b, const struct event *e)
{
    const struct job *j = world_job(&b->world, e->at.job);

    if (e->node.v != NODE_NONE.v && !node_known(&b->world, e->node))
        return "the node is unknown";
    if (e->type == EV_OUTPUT_READY && (e->u.output.bytes < 0 || breach_parts(e)))
        return "an output has a negative size";
    return !j || (e->at.phase < j->phase_count && e->at.task < j->phases[e->at.phase].count)
               ? NULL
               : "the task is unknown";
}

static const char *breach_numbers(const struct event *e)
{
    if (e->type == EV_JOB_CHANGED && e->u.change.weight == 0)
        return "the weight of a job is not positive";
    if (e->type == EV_ATTEMPT_PROGRESS && e->u.progress.total >= 0 &&
        (e->u.progress.done < 0 || e->u.progress.done > e->u.progress.total))
        return "the progress is outside 0 to the total";
    if (e->type == EV_LINK_SAMPLE && e->u.link.bytes < 0)
        return "a link has a negative bandwidth";
    return NULL;
}

const char *brain_breach(const struct brain *b, int64_t now_us, const struct event *e)
{
    const struct world *w = &b->world;

    if (now_us < w->now_us || now_us > BREACH_TIME_US)
        return "the time is out of range";
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_SUSPECT:
    case EV_NODE_DRAIN:
    case EV_NODE_CAPACITY:
    case EV_PRESSURE:
        return breach_node(w, e);
    case EV_JOB_SUBMITTED:
        return breach_job(w, e->u.job);
    case EV_ATTEMPT_STARTED:
    case EV_ATTEMPT_LAUNCH_FAILED:
        return breach_attempt(attempt_find(b, e->at), ATTEMPT_LAUNCHING, ATTEMPT_LAUNCHING, e);
    case EV_ATTEMPT_ENDED:
        return breach_attempt(attempt_find(b, e->at), ATTEMPT_RUNNING, ATTEMPT_RUNNING, e);
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        return breach_attempt(attempt_find(b, e->at), ATTEMPT_RUNNING, ATTEMPT_ENDED, e);
    case EV_OUTPUT_READY:
    case EV_OUTPUT_LOST:
    case EV_REPLICA_DONE:
    case EV_REPLICA_FAILED:
        return breach_output(b, e);
    case EV_COMMITTED:
    case EV_COMMIT_FAILED:
        return breach_commit(attempt_find(b, e->at));
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        return breach_fetch(attempt_find(b, e->at), e);
    case EV_REFUSED:
        return e->u.refused.decision_type == DO_COMMIT ? breach_commit(attempt_find(b, e->at))
                                                       : NULL;
    case EV_RESOURCE:
        return breach_resource(&b->world, e);
    case EV_TIMER:
        return timers_may_come(b, e->u.timer) ? NULL : "this timer was not set";
    default:
        return breach_numbers(e);
    }
}
