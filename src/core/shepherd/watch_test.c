#include "core/shepherd/watch.h"

#include <math.h>

#include "tests/unit/test.h"

enum { S = 1000000 };

/* An attempt that started at 10 s. */
struct field_glass {
    struct job job;
    struct attempt attempt;
    struct progress progress;
    struct world world;
    struct watch watch;
};

static void glass_init(struct field_glass *g)
{
    *g = (struct field_glass){.job.id = {3}};
    g->attempt =
        (struct attempt){.job = &g->job, .task = 5, .state = ATTEMPT_RUNNING, .started_us = 10 * S};
    g->world.keeps_progress = true;
    g->world.attempts.at = &g->attempt;
    g->world.progress.at = &g->progress;
    g->world.attempts.count = g->world.progress.count = 1;
}

static const struct watch_record *look(struct field_glass *g, int64_t at_s, int64_t done)
{
    g->progress = (struct progress){at_s * S, done, 100};
    return watch_look(&g->watch, &g->world, &g->attempt);
}

TEST(watch_measures_the_pace_between_two_reports)
{
    struct field_glass g;
    glass_init(&g);
    expect(watch_look(&g.watch, &g.world, &g.attempt)->at_us == 0);
    const struct watch_record *r = look(&g, 12, 10);
    expect(r->at_us == 12 * S && r->share == 0.1 && r->lately_s == 0 && !r->still);
    r = look(&g, 16, 30); /* a fifth in 4 s */
    expect(fabs(r->lately_s - 20) < 1e-9 && !r->still);
    r = look(&g, 16, 30); /* nothing new */
    expect(fabs(r->lately_s - 20) < 1e-9 && !r->still);
    r = look(&g, 18, 30);
    expect(r->still && r->lately_s == 0);
    r = look(&g, 19, 40);
    expect(!r->still && fabs(r->lately_s - 10) < 1e-9);
    watch_fini(&g.watch);
}

/* The pool uses an entry again: reports of the one before say nothing. */
TEST(watch_knows_a_new_attempt)
{
    struct field_glass g;
    glass_init(&g);
    look(&g, 12, 10);
    watch_fetched(&g.watch, &g.world, &g.attempt);
    g.attempt.ordinal = 1;
    g.attempt.started_us = 20 * S;
    const struct watch_record *r = look(&g, 12, 10); /* older than the attempt */
    expect(r->at_us == 0 && r->ready_us == 0);
    r = look(&g, 24, 10);
    expect(r->share == 0.1 && r->lately_s == 0);
    watch_fini(&g.watch);
}

TEST(watch_counts_from_the_last_fetch)
{
    struct field_glass g;
    glass_init(&g);
    expect(watch_began_us(&g.watch, &g.world, &g.attempt) == 10 * S);
    g.world.now_us = 15 * S;
    watch_fetched(&g.watch, &g.world, &g.attempt);
    expect(watch_began_us(&g.watch, &g.world, &g.attempt) == 15 * S);
    g.world.now_us = 17 * S;
    watch_fetched(&g.watch, &g.world, &g.attempt);
    expect(watch_began_us(&g.watch, &g.world, &g.attempt) == 17 * S);
    g.attempt.ordinal = 1;
    expect(watch_began_us(&g.watch, &g.world, &g.attempt) == 10 * S);
    watch_fini(&g.watch);
}
