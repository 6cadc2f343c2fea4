#include "core/estimate/dag_job.h"

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

#define S INT64_C(1000000)

/* Two tasks of 5 s, then three of 10 s that read them, on a node of three slots; a task of the
 * first phase needs two. */
static struct job_id submit(struct script *s)
{
    static const struct edge_spec edge = {.from = 0};
    static struct phase_spec p[] = {
        {.name = "a", .tasks = 2, .demand = {{2 * RES_SLOT}}, .expect_us = 5 * S},
        {.name = "b", .tasks = 3, .demand = {{RES_SLOT}}, .expect_us = 10 * S, .edges = &edge,
         .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    script_init(s, "order=carbyne", 1, 3);
    return script_submit(s, &spec);
}

/* It is won; what starts in its place has started. */
static void win(struct script *s, struct attempt_ref at)
{
    script_event(s, EV_ATTEMPT_FINISHED, at);
    script_decide(s, s->now_us + S);
    script_started_all(s);
    script_event(s, EV_COMMITTED, at);
    script_decide(s, s->now_us);
    script_started_all(s);
}

static bool left_is(const struct script *s, struct job_id id, uint32_t a, bool a_runs, uint32_t b,
                    bool b_runs)
{
    const struct world *w = brain_world(s->brain);
    struct dag_job d = dag_job_left(w, world_job(w, id));
    bool is = d.phases[0].tasks == a && d.phases[0].runs == a_runs && d.phases[1].tasks == b &&
              d.phases[1].runs == b_runs;
    dag_job_free(&d);
    return is;
}

TEST(dag_job_is_of_shares_times_and_parents)
{
    struct script s;
    struct job_id id = submit(&s);
    const struct world *w = brain_world(s.brain);
    struct dag_job d = dag_job_whole(w, world_job(w, id));

    expect(d.phases[0].tasks == 2 && d.phases[1].tasks == 3);
    expect(d.phases[0].time_s == 5 && d.phases[1].time_s == 10);
    expect(d.phases[0].share[0] == 2.0 / 3 && d.phases[1].share[0] == 1.0 / 3);
    for (int r = 1; r < RES_COUNT; r++) /* of which the cluster has nothing */
        expect(d.phases[0].share[r] == 0 && d.phases[1].share[r] == 0);
    expect(!d.phases[0].runs && !d.phases[1].runs);
    expect(d.phases[0].parent_count == 0);
    expect(d.phases[1].parent_count == 1 && d.phases[1].parents[0] == 0);
    dag_job_free(&d);
    script_fini(&s);
}

/* What has started is no longer waiting, and runs until it is done. */
TEST(dag_job_left_knows_what_waits_and_what_runs)
{
    struct script s;
    struct job_id id = submit(&s);

    expect(left_is(&s, id, 2, false, 3, false));
    script_decide(&s, 0);
    script_started_all(&s);
    expect(left_is(&s, id, 1, true, 3, false));
    win(&s, script_ref(id, 0, 0, 0));
    expect(left_is(&s, id, 0, true, 3, false));
    win(&s, script_ref(id, 0, 1, 0));
    expect(left_is(&s, id, 0, false, 0, true));
    win(&s, script_ref(id, 1, 2, 0));
    expect(left_is(&s, id, 0, false, 0, true));
    win(&s, script_ref(id, 1, 1, 0));
    const struct world *w = brain_world(s.brain);
    struct dag_job whole = dag_job_whole(w, world_job(w, id)); /* as if nothing had started */
    expect(whole.phases[0].tasks == 2 && whole.phases[1].tasks == 3);
    expect(!whole.phases[0].runs && !whole.phases[1].runs);
    dag_job_free(&whole);
    script_fini(&s);
}
