#include "record/journal/journal_job.h"

#include <limits.h>

#include "base/mem.h"
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

/* The job's bytes, all of which must fit into the memory that is asked for, and come back. Returns
 * by how much more is asked for. */
static size_t bytes_to_spare(const struct job_spec *job)
{
    enum { BEHIND = 64 };
    size_t bound = journal_job_bound(job);
    unsigned char *bytes = mem_zalloc(8 * bound + BEHIND, 1), *end;
    struct wire_scratch scratch = {0};

    end = journal_job_put(bytes, job, false);
    size_t n = (size_t)(end - bytes);
    expect(n <= bound);
    struct wire_in in = {bytes, end, false, false};
    const struct job_spec *back = journal_job_get(&in, &scratch);
    expect(!in.bad && wire_left(&in) == 0);
    unsigned char *again = mem_zalloc(8 * bound + BEHIND, 1);
    expect(!in.bad && (size_t)(journal_job_put(again, back, false) - again) == n &&
           memcmp(again, bytes, n) == 0);
    wire_scratch_reset(&scratch);
    mem_free(again);
    mem_free(bytes);
    return bound - n;
}

/* Each list, as long as makes no other matter, of numbers with the longest spelling. The bound may
 * exceed what is written by a little for each phase, and by a byte for each edge. */
TEST(journal_job_bound_holds_for_the_longest_spellings)
{
    enum { MANY = 1000, SLACK = 160 };
    static struct edge_spec edges[JOB_PHASES_MAX - 1];
    static struct phase_spec phases[JOB_PHASES_MAX];
    static int64_t numbers[MANY];
    static uint32_t from[MANY + 1];
    static struct node_id nodes[MANY];
    struct phase_spec all = {.tasks = MANY, .clone = PHASE_CLONE_NEVER};
    struct job_spec job = {.id = {UINT32_MAX},
                           .name = "n",
                           .app = "a",
                           .user = "u",
                           .queue = "q",
                           .weight = UINT32_MAX,
                           .running_max = UINT32_MAX,
                           .arrived_us = INT64_MIN,
                           .wrapup_us = INT64_MIN,
                           .phases = &all,
                           .phase_count = 1};

    for (uint32_t i = 0; i < MANY; i++) {
        numbers[i] = INT64_MIN;
        nodes[i].v = NODES_MAX - 1;
        from[i + 1] = i + 1;
    }
    for (int r = 0; r < RES_COUNT; r++)
        all.demand.v[r] = INT_MIN;
    all.input_bytes = INT64_MIN;
    expect(bytes_to_spare(&job) <= SLACK);
    all.input_each = numbers;
    expect(bytes_to_spare(&job) <= SLACK);
    all.input_each = NULL;
    all.replica_from = from;
    all.replicas = nodes;
    /* Each count of replicas takes one byte of the five that it may, and each node fewer, too. */
    unsigned char node[WIRE_U32_MAX];
    size_t shorter = WIRE_U32_MAX - (size_t)(wire_put_node(node, nodes[0]) - node);
    size_t spare = bytes_to_spare(&job);
    expect(spare >= (4 + shorter) * MANY && spare <= SLACK + (4 + shorter) * MANY);
    from[MANY] = 0;
    for (uint32_t i = 0; i <= MANY; i++)
        from[i] = 0;
    expect(bytes_to_spare(&job) <= SLACK + 4 * MANY);
    all.replica_from = NULL;
    all.replicas = NULL;
    all.past_us = numbers;
    all.past_count = JOB_PAST_MAX;
    expect(bytes_to_spare(&job) <= SLACK);
    all.past_seen = all.past_straggled = UINT32_MAX;
    expect(bytes_to_spare(&job) <= SLACK);
    all.expect_us = all.expect_dev_us = INT64_MIN;
    all.failures_allowed = UINT32_MAX;
    expect(bytes_to_spare(&job) <= SLACK);

    for (uint16_t i = 0; i < JOB_PHASES_MAX; i++) {
        phases[i] = all;
        phases[i].name = "p";
    }
    for (uint16_t i = 0; i < JOB_PHASES_MAX - 1; i++)
        edges[i] = (struct edge_spec){
            .from = JOB_PHASES_MAX - 2, .pattern = EDGE_ONE_TO_ONE, .slowstart = 100};
    job.phases = phases;
    job.phase_count = JOB_PHASES_MAX;
    size_t without = bytes_to_spare(&job);
    phases[JOB_PHASES_MAX - 1].edges = edges;
    phases[JOB_PHASES_MAX - 1].edge_count = JOB_PHASES_MAX - 1;
    expect(without <= SLACK * JOB_PHASES_MAX);
    spare = bytes_to_spare(&job);
    expect(spare >= without + JOB_PHASES_MAX - 2 && spare <= without + JOB_PHASES_MAX);
}

/* A phase says that it has a thing, and the thing is nothing; or is as large as it may be. */
TEST(journal_job_has_one_spelling_of_what_is_rare)
{
    static const struct {
        unsigned flags;
        uint64_t numbers[5];
        uint32_t count;
        bool good;
    } rows[] = {
        {1, {0, 0}, 2, true},
        {2, {0, 0}, 2, true},
        {2, {0, 1, 7}, 3, true},
        {2, {1, 0, 7}, 3, true},
        {2, {1, 1, 7}, 3, false},    /* a node too few, ... */
        {2, {1, 0, 7, 7}, 4, false}, /* ... and too many */
        {4, {0}, 1, false},
        {4, {1}, 1, true},
        {8, {0, 0, 0}, 3, false},
        {8, {1, 9, 0, 0}, 4, true},
        {8, {0, 1, 0}, 3, true},
        {8, {0, 1, 1}, 3, true},
        {8, {0, 1, 2}, 3, false}, /* more straggled than there were */
        {8, {JOB_PAST_MAX + 1, 0, 0}, 3, false},
        {16, {0, 0}, 2, false},
        {16, {2, 0}, 2, true},
        {16, {0, 2}, 2, true},
        {12, {1, 0, 1, 0}, 4, true},
        {12, {0, 0, 1, 0}, 4, false},
        {12, {1, 0, 0, 0}, 4, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char bytes[ROOM], *p = put_phase(put_head(bytes, 1, 1), 2, 0, rows[i].flags);
        uint32_t blocks;
        for (uint32_t k = 0; k < rows[i].count; k++)
            p = wire_put_uint(p, rows[i].numbers[k]);
        expect(makes_job(bytes, p, &blocks) == rows[i].good);
    }
}
