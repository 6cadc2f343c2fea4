#include <stdio.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

#define S INT64_C(1000000)
#define MB INT64_C(1000000)

static enum edge_pattern pattern = EDGE_ONE_TO_ONE;

/* Two racks of two nodes of two slots. A chain of phases of such readers; task t of the first
 * has its input on node `on[t]`, and later ones are drawn to node 2. */
static struct job_id stage_job(struct script *s, uint16_t phases, uint32_t tasks,
                               const uint32_t *on, int64_t input_bytes)
{
    uint32_t from[8] = {0};
    struct node_id replicas[8], later[8];
    struct phase_spec p[4];
    struct edge_spec edges[4];
    for (uint32_t t = 0; t < tasks; t++) {
        from[t + 1] = t + 1;
        replicas[t] = (struct node_id){on[t]};
        later[t] = (struct node_id){2};
    }
    for (uint16_t k = 0; k < phases; k++) {
        edges[k] = (struct edge_spec){.from = (uint16_t)(k - 1), .pattern = (uint8_t)pattern};
        p[k] = (struct phase_spec){.name = "p",
                                   .tasks = tasks,
                                   .demand = {{RES_SLOT, 0, 0, 0}},
                                   .input_bytes = k ? 0 : input_bytes,
                                   .replica_from = from,
                                   .replicas = k ? later : replicas,
                                   .edges = k ? &edges[k] : NULL,
                                   .edge_count = k ? 1 : 0};
    }
    struct job_spec spec = {.phases = p, .phase_count = phases};
    struct job_id job = script_submit(s, &spec);
    script_decide(s, s->now_us);
    script_started_all(s);
    return job;
}

static struct job_id stage(struct script *s, const char *policy, uint16_t phases, uint32_t tasks,
                           const uint32_t *on, int64_t input_bytes)
{
    script_init(s, policy, 0, 1);
    for (uint32_t i = 0; i < 4; i++)
        script_node_up(s, i, 2, i / 2);
    return stage_job(s, phases, tasks, on, input_bytes);
}

/* The attempt ends at this time with so many bytes, and wins. */
static void make(struct script *s, struct attempt_ref at, int64_t now_us, int64_t bytes)
{
    s->now_us = now_us;
    script_tell(s, (struct event){.type = EV_OUTPUT_READY,
                                  .at = at,
                                  .u.output = {.bytes = bytes, .checksum = 7}});
    script_win(s, at);
}

static void tell(struct script *s, enum event_type type, struct attempt_ref at, uint32_t node)
{
    script_tell(s,
                (struct event){
                    .type = (uint8_t)type, .cause = CAUSE_OUTPUT_GONE, .at = at, .node = {node}});
}

static const uint32_t on_0[] = {0, 0, 2};

/* r is 1/2: the prior counts as one lost output of one, and one was made. The task took 10 s, so
 * its price is 5 s; a copy at 100 MB/s takes 5 s for 500 MB. */
static uint32_t replicas_of(int64_t bytes, const char *more)
{
    struct script s;
    char policy[200];
    snprintf(policy, sizeof policy,
             "place=locality,protect=mantri;r_prior=1;r_weight=1;rate=100;replicate=%s", more);
    struct job_id job = stage(&s, policy, 2, 1, on_0, 10000 * MB);
    make(&s, script_ref(job, 0, 0, 0), 10 * S, bytes);
    uint32_t count = script_count(&s, DO_REPLICATE, -1);
    const struct decision *d = script_find(&s, DO_REPLICATE, script_ref(job, 0, 0, 0));
    if (d) {
        expect(d->node.v == 1); /* the other node of the rack */
        expect(d->why.code == WHY_REDO_COSTS && d->why.num[0] == 5 && d->why.num[2] == 0.5);
        expect(d->why.num[1] == (double)bytes / 1e8 && d->why.num[3] == (double)bytes);
    }
    const struct reason *why = script_verdict(&s, job, 0);
    expect(why && why->code == WHY_PROTECTED && why->num[0] == count);
    expect(why && why->num[1] + why->num[2] == 1 - count);
    script_fini(&s);
    return count;
}

TEST(protect_replicates_what_costs_more_to_make_than_to_copy)
{
    expect(replicas_of(499 * MB, "1") == 1);
    expect(replicas_of(500 * MB, "1") == 0); /* at equality a copy does not pay */
    expect(replicas_of(501 * MB, "1") == 0);
}

/* 10000 MB were read: 1 % of them are 100 MB. */
/* The phase ends in the very turn in which its job does, of which a clone is still to end. */
TEST(protect_says_nothing_about_a_job_that_is_over)
{
    struct script s;
    struct job_id job =
        stage(&s, "place=locality,protect=mantri,mitigate=dolly;beta=1;tau=1", 2, 2, on_0, MB);
    make(&s, script_ref(job, 0, 0, 0), 10 * S, MB);
    script_output(&s, script_ref(job, 0, 1, 0), MB, 7);
    script_decide(&s, 10 * S);
    script_tell(&s, (struct event){.type = EV_JOB_CANCELLED, .at.job = job});
    script_event(&s, EV_COMMITTED, script_ref(job, 0, 1, 0));
    script_decide(&s, 10 * S);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1);
    expect(world_job(brain_world(s.brain), job) != NULL);
    expect(script_verdict(&s, job, 0) == NULL);
    script_fini(&s);
}

TEST(protect_replicates_as_long_as_there_are_tokens)
{
    expect(replicas_of(99 * MB, "0.01") == 1);
    expect(replicas_of(100 * MB, "0.01") == 1);
    expect(replicas_of(101 * MB, "0.01") == 0);
    expect(replicas_of(1, "0") == 0);
}

/* Prior 1/2 with the weight of one output: r = 1/4 for a node that made one, 1/2 for one that made
 * none. First task: 16 s / 4 = 4 s; with its replica on an unknown node 2 s. Second: (8 + 2) / 4.
 */
static void price_the_worst(void)
{
    struct script s;
    struct job_id job = stage(
        &s, "place=locality,protect=mantri;r_prior=0.5;r_weight=1;replicate=1", 3, 1, on_0, MB);
    make(&s, script_ref(job, 0, 0, 0), 16 * S, 1000);
    const struct decision *d = script_find(&s, DO_REPLICATE, script_ref(job, 0, 0, 0));
    expect(d && d->why.num[0] == 4);
    const struct decision *next = script_find(&s, DO_LAUNCH, script_ref(job, 1, 0, 0));
    expect(next && next->node.v == 2);
    script_started_all(&s);
    tell(&s, EV_REPLICA_DONE, script_ref(job, 0, 0, 0), 1);
    make(&s, script_ref(job, 1, 0, 0), 24 * S, 1000);
    d = script_find(&s, DO_REPLICATE, script_ref(job, 1, 0, 0));
    expect(d && d->why.num[0] == 2.5);
    script_fini(&s);
}

TEST(protect_prices_the_worst_input_too)
{
    price_the_worst();
    pattern = EDGE_ALL_TO_ALL; /* the worst of the whole phase, which falls with the replica */
    price_the_worst();
    pattern = EDGE_ONE_TO_ONE;
}

/* A map whose readers have 900 and 100 bytes to read; the first is done and has left 600. */
static uint32_t copies_of_a_reader(const struct output_partition *parts)
{
    const uint32_t tasks[] = {1, 2, 1};
    const struct edge_spec edges[] = {{.pattern = EDGE_ALL_TO_ALL},
                                      {.from = 1, .pattern = EDGE_ALL_TO_ALL}};
    struct script s;

    script_init(&s, "protect=mantri;r_prior=1;r_weight=1;replicate=1", 4, 1);
    struct job_id job = script_chain(&s, 3, tasks, edges);
    script_decide(&s, 0);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_OUTPUT_READY,
                                   .at = script_ref(job, 0, 0, 0),
                                   .u.output = {.bytes = 1000,
                                                .checksum = 7,
                                                .partitions = parts,
                                                .partition_count = parts ? 2 : 0}});
    s.now_us = 10 * S;
    script_win(&s, script_ref(job, 0, 0, 0));
    expect(script_count(&s, DO_REPLICATE, -1) == 0); /* it has read nothing */
    script_started_all(&s);
    make(&s, script_ref(job, 1, 0, 0), 20 * S, 600);
    uint32_t copies = script_count(&s, DO_REPLICATE, -1);
    script_fini(&s);
    return copies;
}

TEST(protect_grants_tokens_for_what_a_reader_has_read)
{
    const struct output_partition skewed[] = {{900, 0}, {100, 0}}, other[] = {{100, 0}, {900, 0}};

    expect(copies_of_a_reader(NULL) == 0); /* 500: the mean */
    expect(copies_of_a_reader(skewed) == 1 && copies_of_a_reader(other) == 0);
}

TEST(protect_gives_tokens_of_failed_copies_back)
{
    struct script s;
    struct job_id job = stage(
        &s, "place=locality,protect=mantri;r_prior=1;r_weight=1;replicate=0.5", 2, 2, on_0, 100);
    make(&s, script_ref(job, 0, 0, 0), 10 * S, 50); /* all that 100 bytes grant */
    expect(script_count(&s, DO_REPLICATE, -1) == 1);
    tell(&s, EV_REPLICA_FAILED, script_ref(job, 0, 0, 0), 1);
    make(&s, script_ref(job, 0, 1, 0), 10 * S, 100); /* of 200 bytes */
    expect(script_count(&s, DO_REPLICATE, -1) == 1);
    script_fini(&s);
}

TEST(protect_asks_no_more_where_the_body_cannot)
{
    struct script s;
    struct job_id job = stage(&s, "place=locality,protect=mantri;r_prior=1;r_weight=1;replicate=1",
                              2, 2, on_0, 100);
    make(&s, script_ref(job, 0, 0, 0), 10 * S, 50);
    const struct decision *d = script_find(&s, DO_REPLICATE, script_ref(job, 0, 0, 0));
    expect(d != NULL);
    script_tell(&s, (struct event){
                        .type = EV_REFUSED,
                        .cause = CAUSE_SYSTEM,
                        .at = script_ref(job, 0, 0, 0),
                        .u.refused = {.decision = d ? d->id : 0, .decision_type = DO_REPLICATE}});
    make(&s, script_ref(job, 0, 1, 0), 10 * S, 50);
    expect(script_count(&s, DO_REPLICATE, -1) == 0);
    script_fini(&s);
}

/* Two outputs on node 0 that took 10 s each; the third task still runs, on node 2. At 20 s the
 * first is found to be lost. */
static struct job_id stage_losses(struct script *s, const char *more)
{
    char policy[200];
    snprintf(policy, sizeof policy, "place=locality,protect=mantri;replicate=0;%s", more);
    struct job_id job = stage(s, policy, 2, 3, on_0, 100);
    make(s, script_ref(job, 0, 0, 0), 10 * S, 50);
    make(s, script_ref(job, 0, 1, 0), 10 * S, 50);
    s->now_us = 20 * S;
    tell(s, EV_OUTPUT_LOST, script_ref(job, 0, 0, 0), 0);
    script_decide(s, 20 * S);
    return job;
}

static const struct decision *spare_of(const struct script *s, struct job_id job, uint32_t task)
{
    const struct decision *d = script_find(s, DO_LAUNCH, script_ref(job, 0, task, 1));
    return d && d->why.code == WHY_PRECOMPUTE ? d : NULL;
}

TEST(protect_makes_other_outputs_of_the_node_early)
{
    struct script s;
    struct job_id job = stage_losses(&s, "precompute=1");
    const struct decision *d = script_find(&s, DO_LAUNCH, script_ref(job, 0, 0, 1));
    expect(d && d->kind == LAUNCH_RECOMPUTE && d->why.code == WHY_OUTPUT_LOST);
    d = spare_of(&s, job, 1);
    expect(d && d->kind == LAUNCH_RECOMPUTE && d->node.v != 0);
    expect(d && d->why.num[0] == 1 && d->why.num[1] == 0);    /* one loss, on node 0 */
    expect(d && d->why.num[2] == 10 && d->why.num[3] == 160); /* of 8 slots for 20 s */
    /* The spare finishes and is kept; when its output is lost, too, it is committed at once. */
    script_started_all(&s);
    script_output(&s, script_ref(job, 0, 1, 1), 50, 7);
    script_decide(&s, 30 * S);
    expect(s.out.count == 0);
    tell(&s, EV_OUTPUT_LOST, script_ref(job, 0, 1, 0), 0);
    script_decide(&s, 31 * S);
    expect(s.out.count == 1 && script_find(&s, DO_COMMIT, script_ref(job, 0, 1, 1)));
    script_fini(&s);
}

/* Two outputs of one job and one of another lie on node 0. The first is lost at 20 s, the second so
 * much later. Is the third then made early? */
static bool spares_after(const char *after, int64_t later_us)
{
    struct script s;
    char policy[200];
    snprintf(policy, sizeof policy,
             "place=locality,protect=mantri;replicate=0;precompute=1;quick=5m;after=%s", after);
    struct job_id job = stage(&s, policy, 2, 3, on_0, 100);
    make(&s, script_ref(job, 0, 0, 0), 10 * S, 50);
    make(&s, script_ref(job, 0, 1, 0), 10 * S, 50);
    struct job_id other = stage_job(&s, 2, 3, on_0, 100);
    make(&s, script_ref(other, 0, 0, 0), 20 * S, 50);
    bool spared = false;
    for (uint32_t t = 0; t < 2; t++) {
        s.now_us = 20 * S + t * later_us;
        tell(&s, EV_OUTPUT_LOST, script_ref(job, 0, t, 0), 0);
        script_decide(&s, s.now_us);
        spared = spared || spare_of(&s, other, 0);
    }
    script_fini(&s);
    return spared;
}

TEST(protect_waits_for_as_many_losses_as_it_is_told)
{
    struct script s;
    struct job_id job = stage_losses(&s, "precompute=1;after=2");
    expect(!spare_of(&s, job, 1));
    script_fini(&s);
    expect(spares_after("1", 300 * S) && spares_after("2", 300 * S));
    expect(!spares_after("2", 300 * S + 1)); /* not in quick succession */
    expect(!spares_after("3", 300 * S));
}

/* 8 slots for 20 s are 160 s; the spare costs 10. */
TEST(protect_keeps_to_the_budget_of_precomputation)
{
    struct script s;
    struct job_id job = stage_losses(&s, "precompute=0.0625"); /* 10 s */
    expect(spare_of(&s, job, 1) != NULL);
    script_fini(&s);
    job = stage_losses(&s, "precompute=0.0624");
    expect(!spare_of(&s, job, 1));
    script_decide(&s, 21 * S); /* the budget grows with time */
    expect(spare_of(&s, job, 1) != NULL);
    script_fini(&s);
    job = stage_losses(&s, "precompute=0");
    script_decide(&s, 100 * S);
    expect(!spare_of(&s, job, 1));
    script_fini(&s);
}

/* A node that is down has lost everything, which is told: nothing is left to be predicted. */
TEST(protect_precomputes_nothing_for_a_node_that_is_down)
{
    struct script s;
    struct job_id job =
        stage(&s, "place=locality,protect=mantri;replicate=0;precompute=1", 2, 3, on_0, 100);
    make(&s, script_ref(job, 0, 0, 0), 10 * S, 50);
    make(&s, script_ref(job, 0, 1, 0), 10 * S, 50);
    s.now_us = 20 * S;
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {0}});
    tell(&s, EV_OUTPUT_LOST, script_ref(job, 0, 0, 0), 0);
    script_decide(&s, 20 * S);
    expect(!spare_of(&s, job, 1));
    script_fini(&s);
}

/* One of two copies is gone: no recompute, and the node that lost it is suspect. */
TEST(protect_takes_a_lost_copy_for_a_sign)
{
    struct script s;
    struct job_id job =
        stage(&s, "place=locality,protect=mantri;r_prior=1;r_weight=1;replicate=0.5;precompute=1",
              2, 3, on_0, 100);
    make(&s, script_ref(job, 0, 0, 0), 10 * S, 50);
    expect(script_count(&s, DO_REPLICATE, -1) == 1);
    tell(&s, EV_REPLICA_DONE, script_ref(job, 0, 0, 0), 1);
    make(&s, script_ref(job, 0, 1, 0), 10 * S, 60); /* no tokens for this one */
    expect(script_count(&s, DO_REPLICATE, -1) == 0);
    s.now_us = 20 * S;
    tell(&s, EV_REPLICA_FAILED, script_ref(job, 0, 0, 0), 0);
    script_decide(&s, 20 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && spare_of(&s, job, 1));
    script_fini(&s);
}
