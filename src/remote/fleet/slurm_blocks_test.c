#include "remote/fleet/slurm_blocks.h"

#include <string.h>

#include "tests/unit/test.h"

#define S 1000000LL

/* The machine with a clock of our own, and the last action. */
struct bench {
    struct slurm_blocks b;
    int64_t now_us, next_us;
    struct slurm_blocks_action a;
    uint32_t sent; /* the block that was submitted last */
};

static struct bench bench_of(uint32_t min, uint32_t max)
{
    struct bench t = {.now_us = 1000 * S};

    slurm_blocks_init(&t.b,
                      &(struct slurm_blocks_options){min, max, .grow_us = 30 * S,
                                                     .idle_us = 120 * S, .drain_us = 60 * S},
                      false, t.now_us);
    return t;
}

static enum slurm_blocks_act next(struct bench *t)
{
    t->a = slurm_blocks_next(&t->b, t->now_us, &t->next_us);
    t->sent = t->a.act == BLOCKS_SUBMIT ? t->a.number : t->sent;
    return t->a.act;
}

/* `connected` agents of block 1, of which so many are busy. */
static void agents(struct bench *t, uint32_t number, uint32_t connected, uint32_t busy)
{
    for (uint32_t i = 0; i < connected; i++)
        slurm_blocks_agent(&t->b, number, i < busy);
}

static void need(struct bench *t, uint32_t connected, uint32_t busy, int64_t waiting_us)
{
    slurm_blocks_count(&t->b);
    agents(t, 1, connected, busy);
    slurm_blocks_need(&t->b, waiting_us, t->now_us);
}

static void submitted(struct bench *t, enum slurm_blocks_answer answer, int64_t job)
{
    slurm_blocks_submitted(&t->b, t->sent, answer, job, "sbatch: error: no", t->now_us);
}

static void listed(struct bench *t, const struct slurm_blocks_job *jobs, uint32_t count)
{
    slurm_blocks_listed(&t->b, jobs, count, t->now_us);
}

static struct slurm_blocks_job job_of(int64_t job, uint32_t number, uint32_t nodes, int phase)
{
    struct slurm_blocks_job j = {.job = job, .number = number, .nodes = nodes, .end_us = INT64_MAX};

    j.phase = phase == 'W' ? BLOCKS_JOB_WAITS : phase == 'R' ? BLOCKS_JOB_RUNS : BLOCKS_JOB_OVER;
    j.reason = "Resources";
    j.state = "FAILED";
    return j;
}

/* A bench whose block 1, job 17, runs with all its agents and was listed as doing so. */
static struct bench bench_running(uint32_t min, uint32_t max, int64_t end_us)
{
    struct bench t = bench_of(min, max);
    struct slurm_blocks_job j = job_of(17, 1, min, 'R');

    next(&t);
    submitted(&t, BLOCKS_DONE, 17);
    need(&t, min, min, 0);
    t.now_us += 3 * S;
    expect(next(&t) == BLOCKS_LIST);
    j.end_us = end_us;
    listed(&t, &j, 1);
    expect(next(&t) == BLOCKS_NOTHING);
    return t;
}

TEST(slurm_blocks_ask_for_the_minimum_once)
{
    struct bench t = bench_of(2, 10);

    expect(next(&t) == BLOCKS_SUBMIT && t.a.number == 1 && t.a.nodes == 2 && !t.a.any);
    expect(next(&t) == BLOCKS_NOTHING);
    submitted(&t, BLOCKS_DONE, 17);
    expect(next(&t) == BLOCKS_LIST); /* is it waiting? */
    struct slurm_blocks_job j = job_of(17, 1, 2, 'W');
    listed(&t, &j, 1);
    expect(next(&t) == BLOCKS_NOTHING && t.next_us == t.now_us + 5 * S);
    expect(strcmp(slurm_blocks_find(&t.b, 1)->reason, "Resources") == 0);
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_grow_when_tasks_have_waited)
{
    struct bench t = bench_running(2, 5, INT64_MAX);

    t.now_us += 27 * S; /* the agents came 30 s ago */
    need(&t, 2, 2, 30 * S - 1);
    expect(next(&t) == BLOCKS_NOTHING && t.next_us == t.now_us + 1);
    need(&t, 2, 2, 30 * S);
    expect(next(&t) == BLOCKS_SUBMIT && t.a.number == 2 && t.a.nodes == 2 && t.a.any);
    submitted(&t, BLOCKS_DONE, 18);
    /* As long as it waits, no third is asked for; then only what is left to the maximum. */
    struct slurm_blocks_job jobs[2] = {job_of(17, 1, 2, 'R'), job_of(18, 2, 2, 'W')};
    t.now_us += 40 * S;
    need(&t, 2, 2, 70 * S);
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, jobs, 2);
    expect(next(&t) == BLOCKS_NOTHING);
    slurm_blocks_count(&t.b);
    agents(&t, 1, 2, 2);
    agents(&t, 2, 2, 2);
    slurm_blocks_need(&t.b, 70 * S, t.now_us);
    t.now_us += 30 * S;
    slurm_blocks_need(&t.b, 100 * S, t.now_us);
    expect(next(&t) == BLOCKS_LIST);
    jobs[1] = job_of(18, 2, 2, 'R');
    listed(&t, jobs, 2);
    expect(next(&t) == BLOCKS_SUBMIT && t.a.nodes == 1);
    slurm_blocks_fini(&t.b);
}

/* Block 1 is busy; `connected` agents of block 2, of which so many are busy. */
static void need_second(struct bench *t, uint32_t connected, uint32_t busy)
{
    slurm_blocks_count(&t->b);
    agents(t, 1, 1, 1);
    agents(t, 2, connected, busy);
    slurm_blocks_need(&t->b, 0, t->now_us);
}

TEST(slurm_blocks_give_back_what_is_idle_but_not_the_minimum)
{
    struct bench t = bench_running(1, 4, INT64_MAX);
    struct slurm_blocks_job jobs[2] = {job_of(17, 1, 1, 'R'), job_of(18, 2, 2, 'R')};

    t.now_us += 500 * S;
    need(&t, 1, 0, 0); /* all that there is has been idle for long */
    t.now_us += 130 * S;
    need(&t, 1, 0, 0);
    expect(next(&t) == BLOCKS_LIST);
    t.b.look = true; /* as if an earlier coordinator had asked for the second */
    need_second(&t, 0, 0);
    listed(&t, jobs, 2);
    need_second(&t, 2, 0);
    expect(next(&t) == BLOCKS_NOTHING);
    t.now_us += 10 * S;
    need_second(&t, 2, 1);
    t.now_us += 10 * S;
    need_second(&t, 2, 0);
    expect(next(&t) == BLOCKS_NOTHING && t.next_us == t.now_us + 40 * S); /* the next list */
    t.now_us += 120 * S;
    need_second(&t, 2, 0);
    expect(next(&t) == BLOCKS_DRAIN && t.a.number == 2 && t.a.left_us == 0);
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, jobs, 2);
    expect(next(&t) == BLOCKS_NOTHING);
    t.now_us += S;
    need_second(&t, 2, 1); /* a task had been sent there in the meantime */
    expect(next(&t) == BLOCKS_NOTHING);
    need_second(&t, 2, 0);
    expect(next(&t) == BLOCKS_CANCEL && t.a.job == 18);
    slurm_blocks_cancelled(&t.b, 18, BLOCKS_DONE, t.now_us);
    expect(t.b.at.count == 1 && t.b.vain == 0 && !t.b.failed[0]);
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_leave_before_their_time_limit_and_are_replaced)
{
    struct bench t = bench_running(2, 2, 1100 * S);
    struct slurm_blocks_job jobs[2] = {job_of(17, 1, 2, 'R'), job_of(18, 2, 2, 'W')};

    t.now_us = 1040 * S - 1;
    need(&t, 2, 2, 0);
    expect(next(&t) == BLOCKS_NOTHING && t.next_us == 1040 * S);
    t.now_us = 1040 * S;
    expect(next(&t) == BLOCKS_DRAIN && t.a.number == 1 && t.a.left_us == 60 * S);
    expect(next(&t) == BLOCKS_SUBMIT && t.a.number == 2 && t.a.nodes == 2);
    submitted(&t, BLOCKS_DONE, 18);
    t.now_us += S;
    need(&t, 2, 0, 0);
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, jobs, 2);
    expect(next(&t) == BLOCKS_CANCEL && t.a.job == 17);
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_in_doubt_are_looked_for_before_they_are_sent_again)
{
    struct bench t = bench_of(2, 2);
    int64_t wait_us = S;

    next(&t);
    submitted(&t, BLOCKS_UNKNOWN, 0);
    /* The controller is away for ten minutes: lists only, ever more seldom, and no sbatch. */
    for (int64_t end_us = t.now_us + 600 * S; t.now_us < end_us; wait_us *= 2) {
        if (wait_us > 60 * S)
            wait_us = 60 * S;
        expect(next(&t) == BLOCKS_NOTHING && t.next_us == t.now_us + wait_us);
        t.now_us = t.next_us;
        expect(next(&t) == BLOCKS_LIST);
        slurm_blocks_unlisted(&t.b, t.now_us);
    }
    t.now_us += 60 * S;
    expect(next(&t) == BLOCKS_LIST);
    struct slurm_blocks_job j = job_of(17, 1, 2, 'R');
    listed(&t, &j, 1);
    expect(next(&t) == BLOCKS_NOTHING && slurm_blocks_find(&t.b, 1)->job == 17);
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_that_did_not_arrive_are_sent_again)
{
    struct bench t = bench_of(2, 2);

    next(&t);
    submitted(&t, BLOCKS_UNKNOWN, 0);
    t.now_us += S;
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, NULL, 0);
    expect(next(&t) == BLOCKS_SUBMIT && t.a.number == 1 && t.a.nodes == 2);
    submitted(&t, BLOCKS_DONE, 18);
    /* The first had arrived all the same, later: it is cancelled, until that was answered. */
    struct slurm_blocks_job jobs[2] = {job_of(17, 1, 2, 'W'), job_of(18, 1, 2, 'R')};
    t.now_us += 5 * S;
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, jobs, 2);
    expect(next(&t) == BLOCKS_CANCEL && t.a.job == 17);
    slurm_blocks_cancelled(&t.b, 17, BLOCKS_UNKNOWN, t.now_us);
    expect(next(&t) == BLOCKS_NOTHING);
    t.now_us += S;
    expect(next(&t) == BLOCKS_CANCEL && t.a.job == 17);
    slurm_blocks_cancelled(&t.b, 17, BLOCKS_DONE, t.now_us);
    expect(next(&t) == BLOCKS_NOTHING && t.b.at.count == 1);
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_that_end_are_replaced)
{
    for (uint32_t known = 0; known < 2; known++) { /* Slurm forgets jobs, too */
        struct bench t = bench_running(2, 2, INT64_MAX);
        struct slurm_blocks_job jobs[] = {job_of(17, 1, 2, 'O'), job_of(16, 9, 1, 'O')};

        t.now_us += 2 * S;
        need(&t, 0, 0, 0); /* preempted: every agent is lost at once */
        expect(next(&t) == BLOCKS_LIST);
        listed(&t, jobs + !known, 1);
        expect(next(&t) == BLOCKS_SUBMIT && t.a.number == (known ? 2 : 10));
        slurm_blocks_fini(&t.b);
    }
}

TEST(slurm_blocks_in_vain_are_given_up)
{
    struct bench t = bench_of(1, 1);

    for (int i = 1; i <= 3; i++) {
        struct slurm_blocks_job j = job_of(16 + i, (uint32_t)i, 1, 'O');
        expect(!t.b.failed[0] && slurm_blocks_hopes(&t.b));
        expect(next(&t) == BLOCKS_SUBMIT && t.a.number == (uint32_t)i);
        submitted(&t, BLOCKS_DONE, 16 + i);
        t.now_us += 60 * S;
        expect(next(&t) == BLOCKS_LIST);
        listed(&t, &j, 1);
        expect(next(&t) == BLOCKS_NOTHING);
        expect(i == 3 || t.next_us == t.now_us + (5 * S << (i - 1)));
        t.now_us = i == 3 ? t.now_us : t.next_us;
    }
    expect(t.b.failed[0] && !slurm_blocks_hopes(&t.b) && t.b.gone.count == 3);
    expect(t.b.gone.at[2].job == 19 && strcmp(t.b.gone.at[2].reason, "FAILED") == 0);
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_refused_at_once_end_all_hope)
{
    struct bench t = bench_of(1, 4);

    next(&t);
    submitted(&t, BLOCKS_REFUSED, 0);
    expect(!slurm_blocks_hopes(&t.b) && strcmp(t.b.failed, "sbatch: error: no") == 0);
    slurm_blocks_fini(&t.b);

    t = bench_running(1, 4, INT64_MAX);
    t.now_us += 60 * S;
    need(&t, 1, 1, 50 * S);
    expect(next(&t) == BLOCKS_LIST);
    struct slurm_blocks_job j = job_of(17, 1, 1, 'R');
    listed(&t, &j, 1);
    expect(next(&t) == BLOCKS_SUBMIT);
    submitted(&t, BLOCKS_REFUSED, 0);
    expect(slurm_blocks_hopes(&t.b) && next(&t) == BLOCKS_NOTHING);
    expect(t.next_us == t.now_us + 60 * S); /* a list; growing is tried again after 300 s */
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_of_an_earlier_coordinator_are_taken_over)
{
    struct bench t = {.now_us = 1000 * S};
    struct slurm_blocks_job jobs[2] = {job_of(17, 4, 2, 'R'), job_of(9, 7, 2, 'O')};

    slurm_blocks_init(&t.b, &(struct slurm_blocks_options){3, 3, .idle_us = S, .drain_us = S}, true,
                      t.now_us);
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, jobs, 2);
    expect(next(&t) == BLOCKS_SUBMIT && t.a.number == 8 && t.a.nodes == 1);
    slurm_blocks_fini(&t.b);
}

TEST(slurm_blocks_without_agents_are_given_up_and_those_that_lost_some_are_filled_up)
{
    struct bench t = bench_running(2, 2, INT64_MAX);

    t.now_us += 57 * S;
    need(&t, 1, 1, 0);
    expect(next(&t) == BLOCKS_SUBMIT && t.a.nodes == 1);
    submitted(&t, BLOCKS_DONE, 18);
    t.now_us += 60 * S;
    need(&t, 0, 0, 0);
    expect(next(&t) == BLOCKS_DRAIN && t.a.number == 1);
    slurm_blocks_fini(&t.b);
}

/* One that was given back because nobody of it ever came was in vain; one that was given back for
 * its time limit, before anybody could come, was not. */
TEST(slurm_blocks_given_back_without_agents_were_in_vain)
{
    for (int limit = 0; limit < 2; limit++) {
        struct bench t = bench_of(2, 2);
        struct slurm_blocks_job j = job_of(17, 1, 2, 'R');
        next(&t);
        submitted(&t, BLOCKS_DONE, 17);
        need(&t, 0, 0, 0);
        t.now_us += 3 * S;
        expect(next(&t) == BLOCKS_LIST);
        j.end_us = limit ? t.now_us + 61 * S : INT64_MAX;
        listed(&t, &j, 1);
        expect(next(&t) == BLOCKS_NOTHING);
        t.now_us += limit ? 1 * S : 60 * S;
        need(&t, 0, 0, 0);
        while (next(&t) != BLOCKS_DRAIN && t.a.act != BLOCKS_NOTHING)
            if (t.a.act == BLOCKS_LIST)
                listed(&t, &j, 1);
        expect(t.a.act == BLOCKS_DRAIN && t.a.number == 1);
        t.now_us += 1 * S;
        need(&t, 0, 0, 0);
        while (next(&t) != BLOCKS_CANCEL && t.a.act != BLOCKS_NOTHING)
            if (t.a.act == BLOCKS_LIST)
                listed(&t, &j, 1);
            else
                submitted(&t, BLOCKS_UNKNOWN, 0);
        expect(t.a.act == BLOCKS_CANCEL && t.a.job == 17);
        slurm_blocks_cancelled(&t.b, 17, BLOCKS_DONE, t.now_us);
        expect(t.b.gone.count == 1 && t.b.gone.at[0].given_back);
        expect(t.b.vain == (limit ? 0 : 1));
        slurm_blocks_fini(&t.b);
    }
}

/* A job that waits may have asked for 1 to 3 nodes; how many it got is known when it runs. */
TEST(slurm_blocks_have_the_nodes_that_they_got)
{
    struct bench t = bench_of(3, 3);
    struct slurm_blocks_job j = job_of(17, 1, 1, 'W');

    expect(next(&t) == BLOCKS_SUBMIT && t.a.nodes == 3);
    submitted(&t, BLOCKS_DONE, 17);
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, &j, 1);
    const struct slurm_block *k = slurm_blocks_find(&t.b, 1);
    expect(k->nodes == 3 && k->state == BLOCK_QUEUED && strcmp(k->reason, "Resources") == 0);
    j = job_of(17, 1, 2, 'R');
    t.now_us += 60 * S;
    expect(next(&t) == BLOCKS_LIST);
    listed(&t, &j, 1);
    k = slurm_blocks_find(&t.b, 1);
    expect(k && k->nodes == 2 && k->state == BLOCK_RUNNING && k->reason[0] == 0);
    expect(k->job == 17 && t.b.strays.count == 0);
    slurm_blocks_fini(&t.b);
}

/* The time without agents counts from when the last one left, also where there was only one. */
TEST(slurm_blocks_of_one_agent_are_not_given_up_when_it_leaves)
{
    struct bench t = bench_running(1, 1, INT64_MAX);

    t.now_us += 1000 * S;
    need(&t, 1, 1, 0);
    while (next(&t) == BLOCKS_LIST)
        listed(
            &t,
            &(struct slurm_blocks_job){
                .job = 17, .number = 1, .nodes = 1, .phase = BLOCKS_JOB_RUNS, .end_us = INT64_MAX},
            1);
    t.now_us += 1 * S;
    need(&t, 0, 0, 0);
    for (int i = 0; i < 3 && next(&t) != BLOCKS_NOTHING; i++)
        expect(t.a.act != BLOCKS_DRAIN);
    expect(slurm_blocks_find(&t.b, 1)->state == BLOCK_RUNNING);
    t.now_us += 59 * S;
    need(&t, 0, 0, 0);
    expect(next(&t) == BLOCKS_DRAIN && t.a.number == 1);
    slurm_blocks_fini(&t.b);
}
