#include "record/journal/journal_job.h"

#include "tests/unit/test.h"

enum { ROOM = 512 };

/* A job of `phases` phases, the last of which is to follow. */
static unsigned char *put_head(unsigned char *p, uint32_t weight, uint64_t phases)
{
    p = wire_put_uint(p, 9);
    p = wire_put_string(wire_put_string(wire_put_string(p, "job"), "user"), NULL);
    p = wire_put_string(p, "app");
    p = wire_put_uint(p, weight);
    p = wire_put_uint(p, 0);
    p = wire_put_int(wire_put_int(p, 5), 0);
    return wire_put_uint(p, phases);
}

static unsigned char *put_phase(unsigned char *p, uint64_t tasks, uint64_t edges, unsigned flags)
{
    p = wire_put_string(p, "map");
    p = wire_put_uint(p, tasks);
    for (int i = 0; i < RES_COUNT; i++)
        p = wire_put_int(p, 1000);
    *p++ = PHASE_CLONE_AUTO;
    p = wire_put_int(p, 64);
    p = wire_put_uint(p, edges);
    *p++ = (unsigned char)flags;
    return p;
}

/* Whether the bytes make a job; *blocks: how often memory was taken besides that of the job. */
static bool makes_job(const unsigned char *bytes, const unsigned char *end, uint32_t *blocks)
{
    struct wire_scratch scratch = {0};
    struct wire_in in = {bytes, end, false, false};
    const struct job_spec *job = journal_job_get(&in, &scratch);
    *blocks = scratch.blocks.count - 1;
    bool ok = !in.bad && wire_left(&in) == 0 && job->id.v == 9 && job->phase_count >= 1;
    wire_scratch_reset(&scratch);
    return ok;
}

static bool one_phase(uint32_t weight, uint64_t tasks, uint64_t edges, unsigned flags,
                      uint32_t *blocks)
{
    unsigned char bytes[ROOM];
    return makes_job(bytes, put_phase(put_head(bytes, weight, 1), tasks, edges, flags), blocks);
}

TEST(journal_job_limits)
{
    uint32_t blocks;
    expect(one_phase(1, 1, 0, 0, &blocks));
    expect(!one_phase(0, 1, 0, 0, &blocks)); /* no weight */
    expect(!one_phase(1, 0, 0, 0, &blocks)); /* no task */
    expect(one_phase(1, JOB_TASKS_MAX, 0, 0, &blocks));
    expect(!one_phase(1, JOB_TASKS_MAX + 1, 0, 0, &blocks));
    expect(!one_phase(1, 1, 1, 0, &blocks));  /* the first phase has nothing above it */
    expect(!one_phase(1, 1, 0, 32, &blocks)); /* unknown flag */
}

TEST(journal_job_claimed_counts_cost_nothing)
{
    uint32_t blocks;
    expect(!one_phase(1, JOB_TASKS_MAX, 0, 1, &blocks) && blocks == 1);
    expect(!one_phase(1, JOB_TASKS_MAX, 0, 2, &blocks) && blocks == 1);

    unsigned char bytes[ROOM];
    expect(!makes_job(bytes, put_head(bytes, 1, JOB_PHASES_MAX), &blocks) && blocks == 0);
    expect(!makes_job(bytes, put_head(bytes, 1, 0), &blocks) && blocks == 0);

    /* One task with four thousand million replicas, and one with a number that overflows the sum.
     */
    for (int i = 0; i < 2; i++) {
        unsigned char *p = put_phase(put_head(bytes, 1, 1), 2, 0, 2);
        p = wire_put_uint(wire_put_uint(p, 1), i ? UINT64_MAX : UINT32_MAX);
        expect(!makes_job(bytes, wire_put_uint(p, 1), &blocks) && blocks == 2);
    }
}

/* An expectation of so much, which is to say something. */
static bool expecting(int64_t mean_us, int64_t dev_us)
{
    unsigned char bytes[ROOM], *p = put_phase(put_head(bytes, 1, 1), 1, 0, 16);
    uint32_t blocks;
    return makes_job(bytes, wire_put_int(wire_put_int(p, mean_us), dev_us), &blocks);
}

TEST(journal_job_expectation)
{
    expect(expecting(12, 4) && expecting(12, 0));
    expect(!expecting(0, 0));
}

/* Before there were expectations, their flag was unknown. */
TEST(journal_job_of_an_old_version)
{
    static const struct phase_spec phase = {.name = "map", .tasks = 1};
    static const struct job_spec job = {
        .id = {9}, .name = "job", .weight = 1, .phases = &phase, .phase_count = 1};
    unsigned char bytes[ROOM], *end = journal_job_put(bytes, &job, true);
    for (int i = 0; i < 2; i++) {
        struct wire_scratch scratch = {0};
        struct wire_in in = {bytes, end, false, true};
        const struct job_spec *back = journal_job_get(&in, &scratch);
        expect(in.bad == (i == 1) && (in.bad || (back->id.v == 9 && !back->app)));
        wire_scratch_reset(&scratch);
        end[-1] = 16; /* the flags */
        end = wire_put_int(wire_put_int(end, 12), 4);
    }
}

static bool two_phases(uint64_t from, unsigned pattern, unsigned slowstart)
{
    unsigned char bytes[ROOM], *p = put_phase(put_head(bytes, 1, 2), 1, 0, 0);
    uint32_t blocks;
    p = put_phase(p, 1, 1, 0) - 1;
    p = wire_put_uint(p, from);
    *p++ = (unsigned char)pattern;
    *p++ = (unsigned char)slowstart;
    *p++ = 0;
    return makes_job(bytes, p, &blocks);
}

TEST(journal_job_edges)
{
    expect(two_phases(0, EDGE_ALL_TO_ALL, 0));
    expect(two_phases(0, EDGE_ONE_TO_ONE, 100));
    expect(!two_phases(1, EDGE_ALL_TO_ALL, 0)); /* a phase cannot read itself */
    expect(!two_phases(0, EDGE_ONE_TO_ONE + 1, 0));
    expect(!two_phases(0, EDGE_ALL_TO_ALL, 101));
}
