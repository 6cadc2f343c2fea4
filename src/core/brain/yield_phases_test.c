/* Readers that make room in a job of as many phases as there may be. */
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

/* The last phase that a job may have reads the first and starts when half of it is done; those in
 * between wait for all of it. */
TEST(room_is_made_by_the_last_of_many_phases)
{
    enum { LAST = JOB_PHASES_MAX - 1 };
    static struct phase_spec phases[JOB_PHASES_MAX];
    struct edge_spec all = {.from = 0}, half = {.from = 0, .slowstart = 50};
    struct job_spec spec = {.phases = phases, .phase_count = JOB_PHASES_MAX};
    struct script s;
    script_init(&s, "none", 2, 1);
    for (uint32_t k = 0; k <= LAST; k++)
        phases[k] = (struct phase_spec){.name = "p",
                                        .tasks = k == 0 ? 2 : 1,
                                        .demand = {{RES_SLOT, 0, 0, 0}},
                                        .edges = k == LAST ? &half : &all,
                                        .edge_count = k > 0};
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    struct node_id node = script_find(&s, DO_LAUNCH, script_ref(j, 0, 1, 0))->node;
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, LAST, 0, 0)) && s.out.count >= 1);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = node});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(j, 0, 1, 0));
    script_decide(&s, 5);
    expect(script_find(&s, DO_KILL, script_ref(j, LAST, 0, 0)) && s.out.count == 1);
    script_fini(&s);
}
