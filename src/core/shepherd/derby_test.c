#include "core/shepherd/derby.h"

#include "tests/unit/test.h"

enum { S = 1000000 };

struct course {
    struct job job;
    struct phase phase;
    struct task task;
    struct attempt attempts[3];
    struct world world;
    struct derby races;
    struct luck_record luck;
};

/* A task with a first attempt of 30 s and, because it is late, a copy of `age_s`; healthy are 10.
 */
static void course_init(struct course *c, int64_t age_s, bool runs)
{
    *c = (struct course){.job.id = {4}, .world.now_us = 100 * S};
    c->job.phases = &c->phase;
    c->phase = (struct phase){.job = &c->job, .tasks = &c->task, .count = 1};
    c->task = (struct task){.ordinals = 1};
    derby_begin(&c->races, &c->phase, 0, 10);
    c->task.ordinals = 2;
    derby_begin(&c->races, &c->phase, 0, 10); /* the task has one */
    for (uint16_t i = 0; i < 3; i++)
        c->attempts[i] = (struct attempt){.job = &c->job,
                                          .ordinal = i,
                                          .state = ATTEMPT_RUNNING,
                                          .next = i < 2 ? i + 1U : ATTEMPT_NONE,
                                          .started_us = 70 * S};
    c->attempts[1].started_us = (100 - age_s) * S;
    c->attempts[1].state = runs ? ATTEMPT_RUNNING : ATTEMPT_ENDED;
    c->world.attempts.at = c->attempts;
    c->world.attempts.count = 3;
}

/* Returns true if the end of an attempt is counted so, and ends the race. */
static bool counts(struct course *c, uint32_t ended, double won, double lost)
{
    expect(c->races.open.count == 1);
    derby_finished(&c->races, &c->world, &c->attempts[ended], &c->luck);
    bool fine = c->luck.won == won && c->luck.lost == lost && c->races.open.count == 0;
    derby_finished(&c->races, &c->world, &c->attempts[ended], &c->luck);
    fine &= c->luck.won == won && c->luck.lost == lost;
    derby_fini(&c->races);
    return fine;
}

TEST(derby_are_won_by_the_copy_or_a_later_one)
{
    struct course c;
    course_init(&c, 5, true);
    expect(counts(&c, 1, 1, 0));
    course_init(&c, 20, true);
    expect(counts(&c, 2, 1, 0));
}

/* 1.2 times 10 s is its time. */
TEST(derby_are_lost_if_the_copy_has_had_its_time)
{
    struct course c;
    course_init(&c, 12, true);
    expect(counts(&c, 0, 0, 0));
    course_init(&c, 13, true);
    expect(counts(&c, 0, 0, 1));
    course_init(&c, 13, false); /* it was ended, for a first attempt */
    expect(counts(&c, 0, 0, 0));
}

/* A copy that was beaten after 5 s of its 10 has taken them for nothing, though it proves nothing;
 * one that was ended for a first attempt has not. */
TEST(derby_pays_while_more_races_are_won_than_lost)
{
    struct {
        int64_t age_s;
        bool runs;
        uint32_t ended;
        double won, lost;
    } ends[] = {{5, true, 1, 1, 0}, {5, true, 0, 0, 1}, {13, true, 0, 0, 1}, {5, false, 0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        struct course c;
        course_init(&c, ends[i].age_s, ends[i].runs);
        derby_finished(&c.races, &c.world, &c.attempts[ends[i].ended], &c.luck);
        expect(c.races.all.won == ends[i].won && c.races.all.lost == ends[i].lost);
        expect(derby_pays(&c.races) == (i == 0));
        derby_fini(&c.races);
    }
    struct derby even = {.all = {.won = 5, .lost = 5}}, more = {.all = {.won = 5, .lost = 4.9}};
    expect(!derby_pays(&even) && derby_pays(&more));
}

TEST(derby_of_other_tasks_go_on)
{
    struct course c;
    course_init(&c, 13, true);
    c.attempts[0].task = 1;
    derby_finished(&c.races, &c.world, &c.attempts[0], &c.luck);
    expect(c.races.open.count == 1);
    derby_forget(&c.races, (struct job_id){5});
    expect(c.races.open.count == 1);
    derby_forget(&c.races, (struct job_id){4});
    expect(c.races.open.count == 0);
    derby_fini(&c.races);
}
