/* Events that no body of ours would tell: each is objected to, and its neighbour is not. */
#include "core/brain/script_test.h"
#include "core/brain/timers.h"
#include "tests/unit/test.h"

static bool objects(const struct script *s, struct event e)
{
    return brain_breach(s->brain, s->now_us, &e) != NULL;
}

static struct event of(enum event_type type, struct attempt_ref at)
{
    return (struct event){.type = (uint8_t)type, .at = at};
}

TEST(breach_of_time)
{
    struct script s;
    script_init(&s, "none", 1, 1);
    script_decide(&s, 10);
    struct event e = {.type = EV_NODE_DOWN};
    expect(!brain_breach(s.brain, 10, &e));
    expect(brain_breach(s.brain, 9, &e));
    expect(brain_breach(s.brain, INT64_MAX, &e));
    script_fini(&s);
}

TEST(breach_of_nodes)
{
    struct script s;
    script_init(&s, "none", 2, 1);
    struct event up = {.type = EV_NODE_UP, .node = {2}, .u.node.capacity = {{RES_SLOT}}};
    expect(!objects(&s, up));
    up.node.v = 3; /* not the next one */
    expect(objects(&s, up));
    up.node.v = 1;
    up.u.node.capacity.v[RES_MEM] = -1;
    expect(objects(&s, up));
    up.u.node.capacity.v[RES_MEM] = INT32_MAX;
    expect(objects(&s, up));
    up.u.node.capacity.v[RES_MEM] = 0;
    up.u.node.rack = UINT32_MAX;
    expect(objects(&s, up));
    expect(!objects(&s, (struct event){.type = EV_NODE_DRAIN, .node = {1}}));
    expect(objects(&s, (struct event){.type = EV_NODE_DRAIN, .node = {2}}));
    expect(objects(&s, (struct event){.type = EV_NODE_DOWN, .node = NODE_NONE}));
    script_fini(&s);
}

TEST(breach_of_pressure)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 2, 1);
    struct event e = {.type = EV_PRESSURE, .node = {1}, .u.pressure = {1000, 0}};
    expect(!objects(&s, e));
    e.u.pressure.disk = 1001;
    expect(objects(&s, e));
    e.u.pressure.disk = 0;
    e.u.pressure.memory = -1;
    expect(objects(&s, e));
    e.u.pressure.memory = 1000;
    e.node.v = 2;
    expect(objects(&s, e));
    script_fini(&s);
}

TEST(breach_of_resources)
{
    struct script s;
    struct event gpu = {.type = EV_RESOURCE, .u.resource = {"gpu", RES_X, RES_AMOUNT}};
    script_init(&s, "none", 1, 1);
    expect(!objects(&s, gpu)); /* as it was */
    gpu.u.resource.kind = RES_SLOTS;
    expect(objects(&s, gpu)); /* there is a node already */
    gpu.u.resource.kind = RES_KIND_END;
    expect(objects(&s, gpu));
    gpu.u.resource.kind = RES_AMOUNT;
    gpu.u.resource.which = RES_COUNT;
    expect(objects(&s, gpu));
    script_fini(&s);
}

/* A job of two phases that would be fine. */
struct two_phases {
    struct edge_spec edges[2];
    struct phase_spec phases[2];
    struct job_spec job;
};

static void two_phases_init(struct two_phases *x)
{
    *x = (struct two_phases){.job = {.weight = 1000, .phases = x->phases, .phase_count = 2}};
    for (int i = 0; i < 2; i++)
        x->phases[i] = (struct phase_spec){.tasks = 2, .demand = {{RES_SLOT}}};
    x->phases[1].edges = x->edges;
    x->phases[1].edge_count = 1;
}

static bool objects_to_job(const struct script *s, const struct two_phases *x)
{
    return objects(s, (struct event){.type = EV_JOB_SUBMITTED, .u.job = &x->job});
}

TEST(breach_of_jobs)
{
    struct script s;
    struct two_phases x;
    const uint32_t from[] = {0, 1, 1};
    const struct node_id known = {0}, unknown = {1};
    script_init(&s, "none", 1, 1);
    two_phases_init(&x);
    expect(!objects_to_job(&s, &x));
    x.job.id.v = 1; /* the first is 0 */
    expect(objects_to_job(&s, &x));
    two_phases_init(&x);
    x.phases[0].demand.v[RES_CPU] = 0;
    expect(objects_to_job(&s, &x));
    x.phases[0].demand.v[RES_CPU] = -1;
    expect(objects_to_job(&s, &x));
    two_phases_init(&x);
    x.phases[1].edge_count = 2; /* both from phase 0 */
    expect(objects_to_job(&s, &x));
    two_phases_init(&x);
    x.phases[1].failures_allowed = 1;
    expect(!objects_to_job(&s, &x));
    x.phases[0].failures_allowed = 1; /* phase 1 reads it */
    expect(objects_to_job(&s, &x));
    two_phases_init(&x);
    x.phases[0].replica_from = from;
    x.phases[0].replicas = &known;
    expect(!objects_to_job(&s, &x));
    x.phases[0].replicas = &unknown;
    expect(objects_to_job(&s, &x));
    two_phases_init(&x);
    x.phases[1].input_bytes = -1;
    expect(objects_to_job(&s, &x));
    x.phases[1].input_bytes = INT64_MAX;
    expect(objects_to_job(&s, &x));
    script_fini(&s);
}

TEST(breach_of_attempts)
{
    struct script s;
    script_init(&s, "none", 1, 2);
    struct job_id job = script_job(&s, 1, 1);
    script_decide(&s, 1);
    struct attempt_ref at = script_ref(job, 0, 0, 0);
    expect(!objects(&s, of(EV_ATTEMPT_STARTED, at)));
    expect(objects(&s, of(EV_ATTEMPT_FINISHED, at))); /* it has not started */
    expect(objects(&s, of(EV_ATTEMPT_STARTED, script_ref(job, 0, 0, 1))));
    expect(objects(&s, of(EV_ATTEMPT_STARTED, script_ref(job, 1, 0, 0))));
    expect(objects(&s, of(EV_ATTEMPT_STARTED, script_ref((struct job_id){9}, 0, 0, 0))));
    expect(objects(&s, (struct event){.type = EV_ATTEMPT_STARTED, .at = at, .node = {1}}));
    script_started_all(&s);
    script_decide(&s, 2);
    expect(objects(&s, of(EV_ATTEMPT_STARTED, at)));
    expect(objects(&s, of(EV_ATTEMPT_LAUNCH_FAILED, at)));
    expect(!objects(&s, of(EV_ATTEMPT_LOST, at)));
    expect(objects(&s, of(EV_COMMITTED, at)));
    script_event(&s, EV_ATTEMPT_FINISHED, at);
    script_decide(&s, 3);
    expect(objects(&s, of(EV_ATTEMPT_KILLED, at)));
    expect(!objects(&s, of(EV_COMMITTED, at)));
    expect(!objects(&s, of(EV_COMMIT_FAILED, at)));
    struct event refused = of(EV_REFUSED, script_ref(job, 0, 0, 7));
    refused.u.refused.decision_type = DO_COMMIT;
    expect(objects(&s, refused));
    refused.u.refused.decision_type = DO_KILL;
    expect(!objects(&s, refused));
    script_fini(&s);
}

TEST(breach_of_reads_outputs_and_timers)
{
    struct script s;
    const uint32_t tasks[] = {1, 1};
    const struct edge_spec edge = {0, EDGE_ALL_TO_ALL, 0};
    script_init(&s, "late", 1, 2);
    struct job_id job = script_chain(&s, 2, tasks, &edge);
    script_decide(&s, 1);
    script_started_all(&s);
    script_win(&s, script_ref(job, 0, 0, 0));
    script_started_all(&s);
    struct event e = of(EV_FETCH_DONE, script_ref(job, 1, 0, 0));
    e.u.fetch.source = script_ref(job, 0, TASK_ALL, 0);
    expect(!objects(&s, e));
    e.u.fetch.source.phase = 1; /* which it does not read */
    expect(objects(&s, e));
    e.u.fetch.source = script_ref(job, 0, 1, 0); /* there is no task 1 */
    expect(objects(&s, e));
    expect(!objects(&s, of(EV_OUTPUT_LOST, script_ref(job, 0, 0, 0))));
    expect(objects(&s, of(EV_OUTPUT_LOST, script_ref(job, 2, 0, 0))));
    expect(objects(&s, of(EV_OUTPUT_LOST, script_ref(job, 0, 1, 0))));
    expect(!objects(&s, (struct event){.type = EV_TIMER, .u.timer = 1}));
    expect(objects(&s, (struct event){.type = EV_TIMER, .u.timer = 2}));
    expect(objects(&s, (struct event){.type = EV_TIMER, .u.timer = 99}));
    e = of(EV_JOB_CHANGED, script_ref(job, 0, 0, 0));
    expect(objects(&s, e)); /* a weight of 0 */
    e.u.change.weight = 1;
    expect(!objects(&s, e));
    script_fini(&s);
}

#define TIME_MAX_US INT64_C(1000000000000000000)

/* Each number of a job: the largest that is fine, and one more. */
TEST(breach_of_jobs_at_their_limits)
{
    struct script s;
    struct two_phases x;
    int64_t each[] = {JOB_INPUT_MAX, 0}, past[] = {0, TIME_MAX_US};
    script_init(&s, "none", 1, 1);
    two_phases_init(&x);
    struct phase_spec *p = &x.phases[1];
    const struct {
        int64_t *number, max;
    } rows[] = {{&p->input_bytes, JOB_INPUT_MAX},
                {&p->expect_us, TIME_MAX_US},
                {&p->expect_dev_us, TIME_MAX_US}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].number = rows[i].max;
        expect(!objects_to_job(&s, &x));
        *rows[i].number = rows[i].max + 1;
        expect(objects_to_job(&s, &x));
        *rows[i].number = -1;
        expect(objects_to_job(&s, &x));
        *rows[i].number = 0;
    }
    p->input_each = each;
    p->past_us = past;
    p->past_count = 2;
    expect(!objects_to_job(&s, &x));
    each[1] = -1;
    expect(objects_to_job(&s, &x));
    each[1] = 0;
    past[1]++;
    expect(objects_to_job(&s, &x));
    past[1] = -1;
    expect(objects_to_job(&s, &x));
    two_phases_init(&x);
    x.phases[0].demand.v[RES_MEM] = 1 << 30;
    expect(!objects_to_job(&s, &x));
    x.phases[0].demand.v[RES_MEM]++;
    expect(objects_to_job(&s, &x));
    two_phases_init(&x);
    x.phases[0].tasks = JOB_TASKS_ALL_MAX - 2;
    expect(!objects_to_job(&s, &x));
    x.phases[0].tasks++;
    expect(objects_to_job(&s, &x));
    script_fini(&s);
}

TEST(breach_of_numbers)
{
    struct script s;
    const uint32_t tasks[] = {1, 1};
    const struct edge_spec edge = {0, EDGE_ALL_TO_ALL, 0};
    struct output_partition parts[] = {{.bytes = 0}, {.bytes = 0}};
    script_init(&s, "late", 2, 2);
    struct job_id job = script_chain(&s, 2, tasks, &edge);
    script_decide(&s, 1);
    struct event e = {.type = EV_NODE_DOWN, .node = {1}};
    expect(!brain_breach(s.brain, TIME_MAX_US, &e) && brain_breach(s.brain, TIME_MAX_US + 1, &e));
    e = (struct event){.type = EV_NODE_CAPACITY, .node = {1}, .u.node.capacity = {{1 << 30}}};
    expect(!objects(&s, e));
    e.u.node.capacity.v[RES_CPU]++;
    expect(objects(&s, e));
    e = (struct event){.type = EV_PRESSURE, .node = {1}, .u.pressure = {-1, 0}};
    expect(objects(&s, e));
    e.u.pressure.disk = 0;
    e.u.pressure.memory = 1001;
    expect(objects(&s, e));

    /* A read whose attempt has ended is fine, if its numbers are. */
    e = of(EV_FETCH_DONE, script_ref(job, 1, 0, 7));
    e.u.fetch.took_us = TIME_MAX_US;
    expect(!objects(&s, e));
    e.u.fetch.took_us++;
    expect(objects(&s, e));
    e.u.fetch.took_us = -1;
    expect(objects(&s, e));
    e.u.fetch.took_us = 0;
    e.u.fetch.bytes = -1;
    expect(objects(&s, e));

    e = of(EV_OUTPUT_READY, script_ref(job, 0, 0, 0));
    e.u.output.partitions = parts;
    e.u.output.partition_count = 2;
    expect(!objects(&s, e));
    e.node = NODE_NONE;
    expect(!objects(&s, e));
    e.node.v = 2;
    expect(objects(&s, e));
    e.node.v = 1;
    parts[1].bytes = -1;
    expect(objects(&s, e));
    parts[1].bytes = 0;
    e.u.output.bytes = -1;
    expect(objects(&s, e));
    e.u.output.bytes = 0;
    e.at.job.v = 9; /* it may be over */
    expect(!objects(&s, e));

    e = of(EV_ATTEMPT_PROGRESS, script_ref(job, 0, 0, 0));
    e.u.progress.done = e.u.progress.total = 5;
    expect(!objects(&s, e));
    e.u.progress.done = 6;
    expect(objects(&s, e));
    e.u.progress.done = -1;
    expect(objects(&s, e));
    e.u.progress.total = -1; /* not known */
    expect(!objects(&s, e));
    e = (struct event){.type = EV_LINK_SAMPLE};
    expect(!objects(&s, e));
    e.u.link.bytes = -1;
    expect(objects(&s, e));
    script_fini(&s);
}

/* What a node could not do counts against no task while another node can take it. The node rests,
 * and then gets one attempt until one has shown that it works. */
TEST(brain_rests_a_node_at_fault_and_tries_it)
{
    enum { MINUTE_US = 60 * 1000000 };
    struct script s;

    script_init(&s, "none;failures_max=1;disks=own", 2, 2);
    struct job_id j = script_job(&s, 1, 7);
    script_decide(&s, 1);
    struct attempt_ref bad[2];
    uint32_t on_bad = 0;
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].node.v == 0)
            bad[on_bad++ % 2] = s.out.at[i].at;
    expect(script_count(&s, DO_LAUNCH, -1) == 4 && on_bad == 2);
    script_started_all(&s);
    for (int i = 0; i < 2; i++)
        script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                       .at = bad[i],
                                       .cause = CAUSE_NODE_FAULT,
                                       .detail = 2});
    script_decide(&s, 2);
    expect(script_count(&s, DO_AVOID_NODE, -1) > 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && script_count(&s, DO_JOB_FAILED, -1) == 0);
    script_timer(&s, TIMER_AVOID, 2 + MINUTE_US);
    expect(script_count(&s, DO_LAUNCH, -1) == 1); /* of its two slots */
    struct attempt_ref tried = script_ref(j, 0, 0, 0);
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_LAUNCH)
            tried = s.out.at[i].at;
    expect(script_find(&s, DO_LAUNCH, tried)->node.v == 0);
    script_started_all(&s);
    script_decide(&s, 3 + MINUTE_US);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_event(&s, EV_ATTEMPT_FINISHED, tried);
    script_decide(&s, 4 + MINUTE_US);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    script_fini(&s);
}
