#include "sim/sim_round.h"
#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

enum { MANY = 5 * ROUND_CHUNK / 2 };

/* Joins MANY members, the i-th is attempt i + 1. */
static void join_many(struct sim_rounds *r, struct sim_round *round)
{
    for (uint32_t i = 0; i < MANY; i++) {
        struct luck_plan plan = {.work_us = 100 + i};
        sim_rounds_add(r, round, sim_rounds_member(r, i + 1, 7, &plan));
    }
}

TEST(sim_round_keeps_the_order_and_hands_its_memory_on)
{
    struct sim_rounds *r = sim_rounds_create(0);
    for (int again = 0; again < 100; again++) {
        struct sim_round *round = &r->at[again];
        uint32_t seen = 0;
        join_many(r, round);
        for (uint32_t chunk = round->first; chunk; chunk = sim_rounds_drop(r, chunk))
            for (uint32_t i = 0; i < r->chunks.at[chunk].count; i++) {
                struct round_member m = r->chunks.at[chunk].at[i];
                expect(m.attempt == ++seen && m.generation == 7);
                expect(sim_rounds_plan(r, m).work_us == 99 + seen);
            }
        expect(seen == MANY);
    }
    expect(r->chunks.count == 1 + (MANY + ROUND_CHUNK - 1) / ROUND_CHUNK);
    sim_rounds_destroy(r);
}

/* What a plan says comes back whole, whatever it is; only where it must it is kept beside. */
TEST(sim_round_gives_every_plan_back)
{
    static const struct {
        struct luck_plan plan;
        bool kept;
    } cases[] = {
        {{.work_us = 5}, false},
        {{.startup_us = 300, .work_us = UINT32_MAX}, false},
        {{.startup_us = 300, .work_us = INT64_C(1) << 32}, true},
        {{.startup_us = 301, .work_us = 5}, true},
        {{.startup_us = 300, .work_us = 5, .stall_at_us = 2, .stall_us = 1}, true},
        {{.work_us = 5, .stall_us = 1}, true},
    };
    struct sim_rounds *r = sim_rounds_create(300);
    for (int again = 0; again < 100; again++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct luck_plan *plan = &cases[i].plan;
            struct round_member m = sim_rounds_member(r, 3, 4, plan);
            struct luck_plan back = sim_rounds_plan(r, m);
            expect(m.attempt == 3 && m.generation == 4);
            expect((m.plan == MEMBER_KEEPS) == cases[i].kept);
            expect(back.startup_us == plan->startup_us && back.work_us == plan->work_us);
            expect(back.stall_at_us == plan->stall_at_us && back.stall_us == plan->stall_us);
            sim_rounds_forget(r, m);
        }
    expect(r->plans.count == 2); /* each was used again */
    sim_rounds_destroy(r);
}

/* Attempts one after the other, half of which stall; every fourth is killed. What their reports are
 * drawn from goes with them. */
TEST(sim_round_forgets_who_has_ended)
{
    struct stage_phase phase = {.tasks = 200, .size_us = 20 * STAGE_S};
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 0, &phase, 1);
    st.reports = true;
    st.cluster->luck.stall_p = 0.5;
    st.cluster->luck.stall_us = 30 * STAGE_S;
    stage_start(&st);
    uint32_t reports = 0;
    for (uint32_t t = 0; t < phase.tasks; t++) {
        struct attempt_ref at = stage_ref(0, 0, t, 0);
        bool ended = false;
        stage_launch(&st, at, 0);
        while (!ended) {
            expect(stage_wait(&st) == 1);
            for (uint32_t i = 0; i < st.batch.count; i++) {
                const struct event *e = &st.batch.at[i];
                reports += e->type == EV_ATTEMPT_PROGRESS;
                ended |= event_is_ending(e->type);
                expect(e->at.task == t);
                if (e->type == EV_ATTEMPT_PROGRESS && t % 4 == 0 && !ended) {
                    stage_ask(&st, DO_KILL, at);
                    break;
                }
            }
        }
    }
    expect(reports > 150 * 9);
    expect(st.sim->rounds->chunks.count <= 16 && st.sim->rounds->plans.count <= 16);
    stage_fini(&st);
}
