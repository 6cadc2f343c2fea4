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
    struct watch_starts starts;
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
    watch_grow(&g->watch, &g->world);
}

static void glass_fini(struct field_glass *g)
{
    watch_fini(&g->watch);
    watch_starts_fini(&g->starts);
}

static const struct watch_record *report_apart(struct field_glass *g, int64_t at_s, int64_t done,
                                               int64_t apart_s)
{
    g->progress = (struct progress){at_s * S, done, 100};
    if (watch_reported(&g->watch, &g->world, &g->attempt, apart_s * S))
        watch_began(&g->watch, &g->world, &g->attempt, &g->starts);
    return &g->watch.records.at[0];
}

static const struct watch_record *report(struct field_glass *g, int64_t at_s, int64_t done)
{
    return report_apart(g, at_s, done, 0);
}

TEST(watch_measures_the_pace_between_two_reports)
{
    struct field_glass g;
    glass_init(&g);
    expect(g.watch.records.at[0].at_us == 0);
    const struct watch_record *r = report(&g, 12, 10);
    expect(r->at_us == 12 * S && r->share == 0.1 && r->lately_s == 0 && !r->still);
    r = report(&g, 16, 30); /* a fifth in 4 s */
    expect(fabs(r->lately_s - 20) < 1e-9 && !r->still);
    /* Three tenths in 6 s: as fast as that, up to 1.1 times as long. */
    expect(r->report_s == 6 && fabs(r->pace_s - 20) < 1e-9 && fabs(r->steady_s - 22) < 1e-9);
    r = report(&g, 18, 30);
    expect(r->still && r->lately_s == 0);
    r = report(&g, 19, 40);
    expect(!r->still && fabs(r->lately_s - 10) < 1e-9);
    expect(fabs(r->pace_s - 22.5) < 1e-9 && fabs(r->steady_s - 24.75) < 1e-9);
    g.world.now_us = 20 * S; /* what it did while it fetched shows nothing of its work */
    watch_fetched(&g.watch, &g.world, &g.attempt);
    r = report(&g, 19, 40);
    expect(r->report_s == 0 && r->pace_s == 0 && r->steady_s == 0);
    glass_fini(&g);
}

/* After 100 s a report counts 5 s after the last one; after a fetch all that began before is over.
 */
TEST(watch_leaves_out_reports_that_come_soon_after_another)
{
    struct field_glass g;
    glass_init(&g);
    report(&g, 100, 30);
    const struct watch_record *r = report(&g, 104, 30);
    expect(r->at_us == 100 * S && !r->still && !r->twice);
    r = report(&g, 105, 40);
    expect(r->at_us == 105 * S && fabs(r->lately_s - 50) < 1e-9);
    g.world.now_us = 106 * S;
    watch_fetched(&g.watch, &g.world, &g.attempt);
    r = report(&g, 107, 45);
    expect(r->at_us == 107 * S && r->report_s == 1);
    r = report(&g, 108, 50);
    expect(r->at_us == 108 * S && fabs(r->lately_s - 20) < 1e-9);
    glass_fini(&g);
}

/* The pool uses an entry again: reports of the one before say nothing. */
TEST(watch_knows_a_new_attempt)
{
    struct field_glass g;
    glass_init(&g);
    report(&g, 12, 10);
    watch_fetched(&g.watch, &g.world, &g.attempt);
    watch_ended(&g.watch, &g.world, &g.attempt);
    g.attempt.ordinal = 1;
    g.attempt.started_us = 20 * S;
    const struct watch_record *r = report(&g, 12, 10); /* older than the attempt */
    expect(r->at_us == 0 && r->ready_us == 0);
    r = report(&g, 24, 10);
    expect(r->share == 0.1 && r->lately_s == 0);
    glass_fini(&g);
}

TEST(watch_counts_from_the_last_fetch)
{
    struct field_glass g;
    glass_init(&g);
    expect(watch_ended(&g.watch, &g.world, &g.attempt) == 10 * S);
    g.world.now_us = 15 * S;
    watch_fetched(&g.watch, &g.world, &g.attempt);
    g.world.now_us = 17 * S;
    watch_fetched(&g.watch, &g.world, &g.attempt);
    expect(watch_ended(&g.watch, &g.world, &g.attempt) == 17 * S);
    expect(watch_ended(&g.watch, &g.world, &g.attempt) == 10 * S); /* the next one */
    glass_fini(&g);
}

/* Four attempts report after 2, 4, 3 and 30 s for the first time: three of four by 4 s. */
TEST(watch_knows_when_others_have_reported)
{
    const int64_t first_s[] = {2, 4, 3, 30};
    struct field_glass g;
    glass_init(&g);
    for (uint16_t i = 0; i < 4; i++) {
        g.attempt.ordinal = i;
        expect(g.starts.first_s == (i < WATCH_FIRSTS_MIN ? 0 : 4));
        report(&g, 10 + first_s[i], 10);
        report(&g, 10 + first_s[i] + 1, 20); /* not its first one */
        watch_ended(&g.watch, &g.world, &g.attempt);
    }
    expect(g.starts.first_s == 4);
    glass_fini(&g);
}

/* A tenth after 3 s, another after 5: 20 s for all, so the work began after 1 s. Of three that
 * begin after 1, 1 and 4 s: the mean of 2 s and twice the deviation, the root of 3. */
TEST(watch_knows_how_long_others_take_to_start)
{
    const int64_t start_s[] = {1, 1, 4};
    struct field_glass g;
    glass_init(&g);
    for (uint16_t i = 0; i < 3; i++) {
        g.attempt.ordinal = i;
        expect(g.starts.start_s == 0);
        report(&g, 10 + start_s[i] + 2, 10);
        report(&g, 10 + start_s[i] + 4, 20);
        report(&g, 10 + start_s[i] + 5, 90); /* later reports say nothing of it */
        watch_ended(&g.watch, &g.world, &g.attempt);
    }
    expect(fabs(g.starts.start_s - (2 + 2 * sqrt(3))) < 1e-9);
    glass_fini(&g);
}
