#include "exec/judge.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "exec/exec_state.h"
#include "tests/test.h"

static bool fits(uint8_t type, uint8_t state)
{
    struct attempt_row row = {.state = state};
    struct packet p = {.type = type};

    if (type == PACKET_LAUNCH_FAILED)
        p.u.error = ENOENT;
    return judge_packet(&p, &row) == NULL;
}

TEST(judge_lets_only_the_next_step_of_a_life_through)
{
    for (uint8_t state = ROW_WAITING; state <= ROW_GONE; state++) {
        expect(fits(PACKET_STARTED, state) == (state == ROW_LAUNCHING));
        expect(fits(PACKET_LAUNCH_FAILED, state) == (state == ROW_LAUNCHING));
        expect(fits(PACKET_PROGRESS, state) == (state == ROW_RUNNING));
        expect(fits(PACKET_EXITED, state) == (state == ROW_RUNNING));
        expect(fits(PACKET_KILLED, state) == (state == ROW_RUNNING));
        expect(!fits(PACKET_LAUNCH, state) && !fits(PACKET_KILL, state));
        expect(!fits(PACKET_FATAL, state) && !fits(PACKET_TYPE_END, state) && !fits(0, state));
    }
}

TEST(judge_refuses_what_no_attempt_can_have)
{
    struct attempt_row row = {.state = ROW_RUNNING};
    struct packet p = {.type = PACKET_EXITED};

    expect(judge_packet(&p, &row) == NULL && judge_packet(&p, NULL) != NULL);
    p.u.end.status = SIGKILL;
    expect(judge_packet(&p, &row) == NULL);
    p.u.end.status = SIGSTOP << 8 | 0x7f; /* stopped */
    expect(judge_packet(&p, &row) != NULL);
    p.u.end = (struct packet_end){.cpu_us = -1};
    expect(judge_packet(&p, &row) != NULL);
    p = (struct packet){.type = PACKET_PROGRESS, .u.progress = {5, -1}};
    expect(judge_packet(&p, &row) == NULL);
    p.u.progress.done = -1;
    expect(judge_packet(&p, &row) != NULL);
    p = (struct packet){.type = PACKET_CORES, .u.cores = {0, 250}};
    expect(judge_packet(&p, NULL) == NULL);
    p.u.cores.each = -1;
    expect(judge_packet(&p, NULL) != NULL);
    p = (struct packet){.type = PACKET_LAUNCH_FAILED};
    row.state = ROW_LAUNCHING;
    expect(judge_packet(&p, &row) != NULL);
}

/* Two runners with a node and an attempt each, as if there were agents. */
TEST(judge_ends_a_runner_that_reports_what_cannot_be)
{
    uint32_t runner_of[] = {0, 1}, newest = ATTEMPT_TABLE_NONE;
    struct exec x = {.runner_of = runner_of};
    struct exec_runner runners[] = {{.exec = &x}, {.exec = &x}};
    struct packet p = {.type = PACKET_STARTED, .handle = 1};

    x.runners = runners;
    for (uint32_t i = 0; i < 2; i++)
        attempt_table_add(&x.attempts, (struct attempt_ref){.task = i}, (struct node_id){i},
                          &newest);
    vec_push(&x.jobs, ((struct exec_job){.newest = newest}));

    exec_runner_on_packet(&runners[1], &p);
    expect(exec_row(&x, 1)->state == ROW_RUNNING && x.began.count == 1 && !x.is_aborted);
    exec_runner_on_packet(&runners[0], &p); /* an attempt of the other one */
    expect(runners[0].lost && !runners[1].lost && x.is_aborted);
    expect(strstr(x.aborted.text, "a runner reported what cannot be (packet 3, attempt 1)"));
    p.handle = 0;
    exec_runner_on_packet(&runners[0], &p); /* is not listened to any more */
    expect(exec_row(&x, 0)->state == ROW_LAUNCHING && x.began.count == 1);
    p.handle = UINT32_MAX;
    exec_runner_on_packet(&runners[1], &p);
    expect(runners[1].lost);

    vec_free(&x.jobs);
    vec_free(&x.began);
    attempt_table_fini(&x.attempts);
}
