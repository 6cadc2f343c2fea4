/* Clones that take what is left keep away from nodes whose disk or memory is wanted by others. */
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

static void tell_pressure(struct script *s, uint32_t node, int32_t disk, int32_t memory,
                          int64_t now_us)
{
    script_tell(s, (struct event){.type = EV_PRESSURE,
                                  .node = {node},
                                  .u.pressure = {.disk = disk, .memory = memory}});
    script_decide(s, now_us);
}

static uint32_t clones_on(const struct script *s, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->out.count; i++)
        count += s->out.at[i].type == DO_LAUNCH && s->out.at[i].kind == LAUNCH_CLONE &&
                 s->out.at[i].node.v == node;
    return count;
}

TEST(dolly_idle_clones_leave_a_node_under_pressure)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 2, 6);
    script_job(&s, 1, 2);
    script_decide(&s, 0);
    uint32_t busy = clones_on(&s, 0) > 0 ? 0 : 1, clones = clones_on(&s, busy);
    uint32_t all = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    expect(clones > 0);
    script_started_all(&s);
    tell_pressure(&s, busy, 99, 99, 1);
    expect(s.out.count == 0);
    tell_pressure(&s, busy, 100, 0, 2);
    expect(script_count(&s, DO_KILL, -1) == clones);
    for (uint32_t i = 0; i < clones; i++) {
        const struct reason *why = &s.out.at[i].why;
        expect(s.out.at[i].type == DO_KILL && s.out.at[i].at.attempt > 0);
        expect(why->code == WHY_PRESSURE && why->num[0] == busy && why->num[1] == 0.1);
        script_event(&s, EV_ATTEMPT_KILLED, s.out.at[i].at);
    }
    script_decide(&s, 3);
    expect(clones_on(&s, busy) == 0 && clones_on(&s, 1 - busy) == clones); /* it has room */
    script_started_all(&s);
    tell_pressure(&s, 1 - busy, 0, 400, 4);
    expect(script_count(&s, DO_KILL, -1) == all && script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
}

/* Clones that have not come yet: the phase is told why, once, and they come when the disk has been
 * free for two seconds. First attempts do not ask. */
TEST(dolly_idle_clones_wait_for_the_disk)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 1, 8);
    tell_pressure(&s, 0, 250, 0, 0);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && script_count(&s, DO_VERDICT, -1) == 2);
    expect(s.out.at[s.out.count - 1].why.code == WHY_PRESSURE);
    tell_pressure(&s, 0, 50, 0, 2); /* less, but not gone */
    expect(s.out.count == 0);
    tell_pressure(&s, 0, 49, 0, 3);
    expect(s.out.count == 1 && s.out.at[0].type == DO_SET_TIMER);
    expect(s.out.at[0].u.timer.at_us == 2000002); /* told when it was 2 */
    uint32_t timer = s.out.at[0].u.timer.id;
    script_decide(&s, 2000001);
    expect(s.out.count == 0);
    script_timer(&s, timer, 2000002);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) != NULL);
    script_fini(&s);
}

/* Where clones have a share of the cluster, as in the paper, it is theirs. */
TEST(dolly_clones_with_a_budget_ignore_pressure)
{
    struct script s;
    script_init(&s, "dolly;beta=1;tau=1", 1, 8);
    tell_pressure(&s, 0, 900, 900, 0);
    script_job(&s, 1, 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) > 0);
    script_fini(&s);
}
