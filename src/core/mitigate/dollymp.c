/* dollymp.c - up to three clones of every task, once nothing else can start (DollyMP, ICPP'20,
 * sections 4.1 and 5).
 *
 * Each phase that starts is offered clones. They are launched when no first attempt fits anywhere,
 * in the order of the seam `order`, and placed as first attempts are; every task's first clone
 * comes before any second. There is no budget and no ceiling: what is idle is used, and a clone
 * that runs is left alone. Small jobs come first in DollyMP's order, and so do their clones.
 *
 *   paper                              here
 *   DollyMP^0 .. DollyMP^3             clones=0 .. 3: most clones beside a task's first attempt
 *   r_j of Corollary 4.1               copies=corollary: job->standing.copies, which the order
 *                                      counts on; without an order that says it, as with
 *                                      copies=fixed
 *   4.1's last sentence                gate=demand: only while the clones' volume is less than what
 *                                      is left of all other jobs
 *
 * Ours: clones that yield. What no task can use now a task could use once its neighbour ends, and a
 * clone there keeps it out: where tasks always wait, Algorithm 2's clones cost more than they save
 * (docs/measured/reproduction/notes.md). when=yield: a clone ends for a task that then fits;
 * when=idle: it also starts only while nothing waits. Ending alone is not enough on a crowded
 * cluster: room that comes free beside a clone goes to whoever fits there at once, though with the
 * clone's room it would have done for a task that comes before. So with when=yield clones start
 * while tasks wait only as long as CROWDED of the cluster is not in use. (To end clones before
 * first attempts are placed was rejected: what is asked to end frees nothing yet, and the room
 * would have to be kept from all others until it does.)
 *
 * Changed: 4.1 says of the gate nothing but that sentence, and Fig. 1 has clones of jobs that run
 * alone; so it is off unless asked for. The clones' volume is that of all clones that the job was
 * offered, by what is left of it. */
#include "core/brain/decider.h"
#include "core/parts/parts.h"

#define CROWDED 0.8 /* share of the cluster */

enum { COPIES_FIXED, COPIES_COROLLARY };
enum { GATE_OFF, GATE_DEMAND };
enum { WHEN_AFTER, WHEN_YIELD, WHEN_IDLE };

#define PARAMS struct dollymp_mitigate_params
struct dollymp_mitigate_params {
    int64_t clones;
    int copies, gate, when;
};

static const struct field params[] = {
    PARAM_INT("clones", clones, "2", 0, 3, "most clones of a task at once"),
    PARAM_CHOICE("copies", copies, "fixed", "fixed|corollary",
                 "corollary: only as many as the job's rank counts on"),
    PARAM_CHOICE("gate", gate, "off", "off|demand",
                 "demand: only while clones take less than other jobs have left to do"),
    PARAM_CHOICE(
        "when", when, "yield", "after|yield|idle",
        "when clones start. after: once no first attempt fits; yield: the same, while some wait "
        "only as long as a fifth of the cluster is idle, and clones end for a first attempt that "
        "then fits; idle: once none waits, and clones end as with yield"),
    {0},
};

/* What all live jobs have left to do, worked out at most once in a decide. */
struct dollymp_gate {
    double volume;
    bool known;
};

static uint16_t copies_of(const struct part_ctx *s, const struct job *j)
{
    uint32_t most = (uint32_t)par(s)->clones + 1, counted = job_lead(j)->standing.copies;
    bool fewer = par(s)->copies == COPIES_COROLLARY && counted > 0 && counted < most;
    return (uint16_t)(fewer ? counted : most);
}

static void dollymp_phase_started(const struct part_ctx *s, struct phase *p)
{
    uint16_t copies = copies_of(s, p->job);
    if (p->clone_never) {
        decider_verdict(s->brain, p, &REASON_PLAIN(WHY_SIDE_EFFECTS));
        return;
    }
    decider_verdict(s->brain, p, &REASON(WHY_OFFERED, copies, p->count));
    if (copies > 1)
        decider_clone_phase(s->brain, p, copies);
}

static void dollymp_before(const struct part_ctx *s)
{
    struct dollymp_gate *g = s->state;
    g->known = false;
}

static double volume_of_all(const struct part_ctx *s)
{
    const struct world *w = s->world;
    double sum = 0;
    for (uint32_t i = w->jobs.gone; i < w->jobs.count; i++)
        if (w->jobs.at[i] && w->jobs.at[i]->state == JOB_LIVE)
            sum += w->jobs.at[i]->standing.volume;
    return sum;
}

static enum clone_leave dollymp_clone_may_start(const struct part_ctx *s, const struct phase *p)
{
    struct dollymp_gate *g = s->state;
    if (par(s)->when == WHEN_YIELD && decider_firsts_wait(s->brain) &&
        res_sum_dominant(&s->world->used, &s->world->capacity) > CROWDED)
        return CLONES_ALIKE_MUST_WAIT;
    if (par(s)->gate == GATE_OFF)
        return CLONE_MAY_START;
    if (!g->known)
        *g = (struct dollymp_gate){volume_of_all(s), true};
    double own = job_lead(p->job)->standing.volume;
    return (p->copies - 1) * own < g->volume - own ? CLONE_MAY_START : CLONE_MUST_WAIT;
}

static enum clones_when dollymp_clones_when(const struct part_ctx *s)
{
    static const enum clones_when named[] = {
        [WHEN_AFTER] = CLONES_AFTER, [WHEN_YIELD] = CLONES_YIELD, [WHEN_IDLE] = CLONES_IDLE};
    return named[par(s)->when];
}

static enum clones_order dollymp_clones_order(const struct part_ctx *s)
{
    (void)s;
    return CLONES_BY_ROUND;
}

const struct mitigate_ops dollymp_mitigate = {
    .part = {.name = "dollymp",
             .help = "clones of every task, once no first attempt fits anywhere",
             PART_PARAMS(params),
             .state_size = sizeof(struct dollymp_gate),
             .before = dollymp_before},
    .phase_started = dollymp_phase_started,
    .clone_may_start = dollymp_clone_may_start,
    .clones_when = dollymp_clones_when,
    .clones_order = dollymp_clones_order,
};
