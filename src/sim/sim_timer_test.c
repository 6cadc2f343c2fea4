#include "sim/stage_test.h"
#include "tests/unit/test.h"

static bool fired(struct sim_stage *st, int64_t now_us, uint32_t id)
{
    return stage_wait(st) == 1 && st->batch.now_us == now_us && st->batch.count == 1 &&
           st->batch.at[0].type == EV_TIMER && st->batch.at[0].u.timer == id;
}

static void stage_waiting(struct sim_stage *st)
{
    struct stage_phase phase = {.tasks = 1};
    stage_init(st, 1, 1);
    stage_job(st, STAGE_S, &phase, 1);
    stage_start(st);
}

TEST(sim_timer_fires_once_each_in_order)
{
    struct sim_stage st;
    stage_waiting(&st);
    stage_timer(&st, 7, 300);
    stage_timer(&st, UINT32_MAX, 100);
    stage_timer(&st, 0, 200);
    expect(fired(&st, 100, UINT32_MAX));
    expect(fired(&st, 200, 0));
    expect(fired(&st, 300, 7));
    expect(stage_wait(&st) == 1 && st.batch.now_us == STAGE_S);
    stage_fini(&st);
}

TEST(sim_timer_in_the_past_fires_now)
{
    struct sim_stage st;
    stage_waiting(&st);
    stage_timer(&st, 1, 100);
    expect(fired(&st, 100, 1));
    stage_timer(&st, 1, 50);
    expect(fired(&st, 100, 1));
    stage_fini(&st);
}

TEST(sim_timer_moves)
{
    struct sim_stage st;
    stage_waiting(&st);
    stage_timer(&st, 1, 100);
    stage_timer(&st, 1, 300);
    stage_timer(&st, 3, 250);
    expect(fired(&st, 250, 3));
    expect(fired(&st, 300, 1));
    stage_timer(&st, 3, 400); /* fired, and set again */
    expect(fired(&st, 400, 3));
    expect(stage_wait(&st) == 1 && st.batch.now_us == STAGE_S);
    stage_fini(&st);
}

TEST(sim_timer_many_keep_their_ids)
{
    struct sim_stage st;
    stage_waiting(&st);
    for (uint32_t k = 0; k < 100; k++)
        stage_timer(&st, k * 37 % 100, 1000 + k * 37 % 100);
    for (uint32_t k = 0; k < 100; k++)
        expect(fired(&st, 1000 + k, k));
    stage_fini(&st);
}
