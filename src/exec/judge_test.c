#include "exec/judge.h"

#include <errno.h>
#include <signal.h>

#include "tests/unit/test.h"

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
        for (uint8_t type = PACKET_FETCH_STARTED; type <= PACKET_RESULT; type++)
            expect(fits(type, state) == (state == ROW_RUNNING));
        expect(!fits(PACKET_READ, state));
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
    p = (struct packet){.type = PACKET_PRESSURE, .u.pressure = {1000, 0}};
    expect(judge_packet(&p, NULL) == NULL);
    p.u.pressure.memory = -1;
    expect(judge_packet(&p, NULL) != NULL);
    p.u.pressure.memory = 1001;
    expect(judge_packet(&p, NULL) != NULL);
    p = (struct packet){.type = PACKET_FETCH_DONE, .u.fetch.took_us = -1};
    expect(judge_packet(&p, &row) != NULL);
    p = (struct packet){.type = PACKET_RESULT, .u.result.bytes = -1};
    expect(judge_packet(&p, &row) != NULL);
    p = (struct packet){.type = PACKET_LAUNCH_FAILED};
    row.state = ROW_LAUNCHING;
    expect(judge_packet(&p, &row) != NULL);
}
