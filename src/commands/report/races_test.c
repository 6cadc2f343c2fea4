#include "commands/report/races.h"

#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

/* An attempt that ran from 0 on. */
static struct story_attempt *ran(struct told *t, uint32_t task, uint8_t kind, int64_t end_us,
                                 uint8_t ending)
{
    struct story_attempt *a = told_attempt(t, task, kind, 0);
    a->started_us = 0;
    a->ended_us = end_us;
    a->ran_us = end_us;
    a->ending = ending;
    return a;
}

static void won(struct told *t, uint32_t task, uint8_t kind, int64_t end_us)
{
    struct story_attempt *a = ran(t, task, kind, end_us, EV_ATTEMPT_FINISHED);
    a->won = true;
    t->tasks[0][task].committed_us = end_us;
    t->tasks[0][task].winner = a->ordinal;
    t->phases[0].committed++;
}

/* Of four tasks the clone of the last one wins, against an attempt that straggled and ended. */
TEST(races_are_found_by_their_winners)
{
    struct told t;
    struct races r = {0};
    told_init(&t);
    won(&t, 0, LAUNCH_FIRST, 10000000);
    won(&t, 1, LAUNCH_FIRST, 10000000);
    won(&t, 2, LAUNCH_FIRST, 10000000);
    ran(&t, 3, LAUNCH_FIRST, 50000000, EV_ATTEMPT_FINISHED);
    won(&t, 3, LAUNCH_CLONE, 11000000);
    struct explain x = t.x;
    story_facts_init(&x.facts, &t.job, true, 50000000);
    races_job(&r, &x);
    races_sort(&r);
    struct attempt_ref first = {.job = t.job.id, .task = 3},
                       clone = {.job = t.job.id, .task = 3, .attempt = 1};
    const struct race *race = races_find(&r, clone);
    expect(race && race->rescued && race->alone == ALONE_KNOWN && race->about_us == 50000000);
    expect(r.won.count == 1 && !races_find(&r, first));
    expect(races_straggled(&r, first) && !races_straggled(&r, clone));
    expect(r.stragglers.count == 1);
    story_facts_fini(&x.facts);
    races_fini(&r);
    told_fini(&t);
}
