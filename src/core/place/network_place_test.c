#include "core/brain/script_test.h"
#include "tests/unit/test.h"

/* Racks of two nodes of `slots` slots each; maps run on node 0, 1, 2, ... and leave `bytes` each;
 * then `reduces` tasks that read them are about to start. */
static struct job_id stage(struct script *s, const char *policy, uint32_t racks, int32_t slots,
                           const int64_t *bytes, uint32_t maps, uint32_t reduces, uint8_t pattern)
{
    script_init(s, policy, 0, 1);
    for (uint32_t i = 0; i < 2 * racks; i++)
        script_node_up(s, i, slots, i / 2);
    static uint32_t from[33];
    static struct node_id replicas[32];
    for (uint32_t i = 0; i < maps; i++) {
        from[i + 1] = i + 1;
        replicas[i] = (struct node_id){i % (2 * racks)};
    }
    struct edge_spec edge = {.from = 0, .pattern = pattern};
    struct phase_spec p[2] = {{.name = "map",
                               .tasks = maps,
                               .demand = {{RES_SLOT, 0, 0, 0}},
                               .replica_from = from,
                               .replicas = replicas},
                              {.name = "reduce",
                               .tasks = reduces,
                               .demand = {{RES_SLOT, 0, 0, 0}},
                               .edges = &edge,
                               .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct job_id job = script_submit(s, &spec);
    script_decide(s, 0);
    expect(script_count(s, DO_LAUNCH, -1) == maps);
    for (uint32_t i = 0; i < maps; i++)
        expect(script_find(s, DO_LAUNCH, script_ref(job, 0, i, 0))->node.v == i % (2 * racks));
    script_started_all(s);
    for (uint32_t i = 0; i < maps; i++) {
        struct attempt_ref at = script_ref(job, 0, i, 0);
        script_tell(s, (struct event){.type = EV_OUTPUT_READY,
                                      .at = at,
                                      .node = replicas[i],
                                      .u.output.bytes = bytes[i]});
        script_event(s, EV_ATTEMPT_FINISHED, at);
    }
    script_decide(s, 1);
    for (uint32_t i = 0; i < maps; i++)
        script_event(s, EV_COMMITTED, script_ref(job, 0, i, 0));
    return job;
}

/* How many tasks of the second phase were launched in each rack. */
static void count_racks(const struct script *s, uint32_t *in)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_LAUNCH && s->out.at[i].at.phase == 1)
            in[s->out.at[i].node.v / 2]++;
}

static void link_is(struct script *s, uint32_t rack, bool up, int64_t bytes_per_s)
{
    struct node_id node = {2 * rack};
    script_tell(s, (struct event){.type = EV_LINK_SAMPLE,
                                  .node = up ? node : NODE_NONE,
                                  .u.link = {.to = up ? NODE_NONE : node,
                                             .bytes = bytes_per_s / 2,
                                             .took_us = 500000}});
}

/* Three racks with equal outputs and three readers (Mantri's figure 11): one in each rack moves two
 * thirds of 30 bytes into each, 10 bytes per node of a rack. */
TEST(network_place_spreads_readers_over_racks)
{
    struct script s;
    int64_t bytes[] = {15, 15, 15, 15, 15, 15};
    struct job_id job = stage(&s, "place=network-aware", 3, 4, bytes, 6, 3, EDGE_ALL_TO_ALL);
    script_decide(&s, 2);
    uint32_t in[3] = {0};
    count_racks(&s, in);
    expect(in[0] == 1 && in[1] == 1 && in[2] == 1);
    const struct reason *why = script_verdict(&s, job, 1);
    expect(why && why->code == WHY_RACKS_PLANNED);
    expect(why && why->num[0] == 3 && why->num[1] == 90 && why->num[2] == 10);
    expect(why && why->num[3] == 1 && why->num[4] == 0);
    script_fini(&s);
}

/* The example of network_solve_test: three of four where three quarters of the data are. */
TEST(network_place_follows_the_data)
{
    struct script s;
    int64_t bytes[] = {60, 60, 20, 20};
    stage(&s, "place=network-aware", 2, 4, bytes, 4, 4, EDGE_ALL_TO_ALL);
    script_decide(&s, 2);
    uint32_t in[2] = {0};
    count_racks(&s, in);
    expect(in[0] == 3 && in[1] == 1);
    script_fini(&s);
}

TEST(network_place_puts_one_to_one_readers_where_their_input_is)
{
    struct script s;
    int64_t bytes[] = {60, 10, 20, 70, 5, 5};
    struct job_id job = stage(&s, "place=network-aware", 3, 4, bytes, 6, 6, EDGE_ONE_TO_ONE);
    script_decide(&s, 2);
    for (uint32_t t = 0; t < 6; t++)
        expect(script_find(&s, DO_LAUNCH, script_ref(job, 1, t, 0))->node.v / 2 == t / 2);
    script_fini(&s);
}

/* Two slots per rack: the plan wants three readers in rack 0, the third goes on to rack 1 at once.
 */
TEST(network_place_is_soft)
{
    struct script s;
    int64_t bytes[] = {60, 60, 20, 20};
    stage(&s, "place=network-aware", 2, 1, bytes, 4, 4, EDGE_ALL_TO_ALL);
    script_decide(&s, 2);
    uint32_t in[2] = {0};
    count_racks(&s, in);
    expect(in[0] == 2 && in[1] == 2);
    script_fini(&s);
}

/* Most of the data are where no node takes a task any more: the reader goes where the most of the
 * rest is, so that it reads least over links. */
TEST(network_place_goes_where_more_is_if_not_where_most_is)
{
    for (uint32_t more = 1; more <= 2; more++) {
        struct script s;
        int64_t bytes[] = {100, 100, 4, 4, 4, 4};
        bytes[2 * more] = bytes[2 * more + 1] = 10;
        stage(&s, "place=network-aware", 3, 1, bytes, 6, 1, EDGE_ALL_TO_ALL);
        for (uint32_t node = 0; node < 2; node++)
            script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {node}});
        script_decide(&s, 2);
        uint32_t in[3] = {0};
        count_racks(&s, in);
        expect(in[0] == 0 && in[more] == 1 && in[3 - more] == 0);
        script_fini(&s);
    }
}

TEST(network_place_says_when_there_is_nothing_to_choose)
{
    struct script s;
    int64_t some[] = {60, 60}, none[] = {0, 0, 0, 0};
    struct job_id job = stage(&s, "place=network-aware", 1, 2, some, 2, 2, EDGE_ALL_TO_ALL);
    script_decide(&s, 2);
    const struct reason *why = script_verdict(&s, job, 1);
    expect(why && why->code == WHY_NO_TRAFFIC && why->num[0] == 1 && why->num[1] == 120);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    script_fini(&s);
    job = stage(&s, "place=network-aware", 2, 2, none, 4, 2, EDGE_ALL_TO_ALL);
    script_decide(&s, 2);
    why = script_verdict(&s, job, 1);
    expect(why && why->code == WHY_NO_TRAFFIC && why->num[0] == 2 && why->num[1] == 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    script_fini(&s);
}

/* Equal data in two racks, and rack 1 can take in only a quarter of what rack 0 can: measured, four
 * of five readers go to rack 0 (5 x 20 bytes each side: 4 x 20 / 80 = 1 s and 1 x 20 / 20 = 1 s).
 */
static uint32_t readers_in_rack_0(const char *policy)
{
    struct script s;
    int64_t bytes[] = {50, 50, 50, 50};
    stage(&s, policy, 2, 5, bytes, 4, 5, EDGE_ALL_TO_ALL);
    link_is(&s, 0, true, 800);
    link_is(&s, 1, true, 800);
    link_is(&s, 0, false, 80);
    link_is(&s, 1, false, 20);
    script_decide(&s, 2);
    uint32_t in[2] = {0};
    count_racks(&s, in);
    expect(in[0] + in[1] == 5);
    script_fini(&s);
    return in[0];
}

TEST(network_place_estimates_links_as_told)
{
    expect(readers_in_rack_0("place=network-aware;bandwidth=start") == 4);
    uint32_t equal = readers_in_rack_0("place=network-aware;bandwidth=equal");
    expect(equal == 2 || equal == 3);
}

/* hybrid: the plan by the measured links takes 1 s. Short up to `long`, at it, and beyond it. */
TEST(network_place_takes_links_as_equal_for_long_phases)
{
    expect(readers_in_rack_0("place=network-aware;long=1001ms") == 4);
    expect(readers_in_rack_0("place=network-aware;long=1s") == 4);
    uint32_t beyond = readers_in_rack_0("place=network-aware;long=999ms");
    expect(beyond == 2 || beyond == 3);
}

/* By the measured links all readers would go to rack 1, as next to nothing leaves it; as that takes
 * too long, links count as equal, and nothing is left of that plan: all go where the data are. */
TEST(network_place_forgets_the_plan_by_measured_links)
{
    struct script s;
    int64_t bytes[] = {100, 100, 1, 1};
    stage(&s, "place=network-aware;long=1ms", 2, 5, bytes, 4, 5, EDGE_ALL_TO_ALL);
    for (uint32_t rack = 0; rack < 2; rack++) {
        link_is(&s, rack, true, rack == 0 ? 800 : 2);
        link_is(&s, rack, false, 800);
    }
    script_decide(&s, 2);
    uint32_t in[2] = {0};
    count_racks(&s, in);
    expect(in[0] == 5 && in[1] == 0);
    script_fini(&s);
}

/* All slots are taken when a node of a rack comes that the plan does not know. It is used. */
TEST(network_place_uses_racks_that_came_later)
{
    struct script s;
    int64_t bytes[] = {60, 60, 20, 20};
    stage(&s, "place=network-aware", 2, 1, bytes, 4, 6, EDGE_ALL_TO_ALL);
    script_decide(&s, 2);
    expect(script_count(&s, DO_LAUNCH, -1) == 4);
    script_node_up(&s, 4, 1, 2);
    script_decide(&s, 3);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && s.out.at[0].node.v == 4);
    script_fini(&s);
}
