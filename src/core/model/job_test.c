#include "core/model/job.h"

#include "tests/unit/test.h"

TEST(job_bin_is_the_papers)
{
    const struct {
        uint64_t tasks;
        int bin;
    } cases[] = {{1, 1},   {10, 1},  {11, 2},  {50, 2},  {51, 3},
                 {150, 3}, {151, 4}, {500, 4}, {501, 5}, {UINT64_MAX, 5}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(job_bin(cases[i].tasks) == cases[i].bin);
}

TEST(job_tasks_counts_all_phases)
{
    const struct phase_spec phases[] = {{.tasks = JOB_TASKS_MAX}, {.tasks = 3}, {.tasks = 1}};
    struct job_spec job = {.phases = phases, .phase_count = 3};
    expect(job_tasks(&job) == (uint64_t)JOB_TASKS_MAX + 4);
    job.phase_count = 1;
    expect(job_tasks(&job) == JOB_TASKS_MAX);
}

TEST(phase_input_bytes_prefers_the_tasks_own)
{
    const int64_t each[] = {5, 6};
    struct phase_spec p = {.tasks = 2, .input_bytes = 9};
    expect(phase_input_bytes(&p, 1) == 9);
    p.input_each = each;
    expect(phase_input_bytes(&p, 1) == 6);
}

static bool spans(uint8_t pattern, uint32_t upstream, uint32_t readers, const uint32_t *bounds)
{
    struct edge_spec edge = {.pattern = pattern};
    bool all = true;
    for (uint32_t i = 0; i < readers; i++) {
        struct job_span span = job_edge_span(&edge, upstream, readers, i);
        all &= span.from == bounds[2 * i] && span.to == bounds[2 * i + 1];
    }
    return all;
}

TEST(job_edge_span_is_what_a_reader_reads)
{
    expect(spans(EDGE_ALL_TO_ALL, 3, 2, (uint32_t[]){0, 3, 0, 3}));
    expect(spans(EDGE_ONE_TO_ONE, 3, 3, (uint32_t[]){0, 1, 1, 2, 2, 3}));
    expect(spans(EDGE_MANY_TO_ONE, 5, 1, (uint32_t[]){0, 5}));
    expect(spans(EDGE_MANY_TO_ONE, 5, 2, (uint32_t[]){0, 2, 2, 5}));
    expect(spans(EDGE_MANY_TO_ONE, 7, 3, (uint32_t[]){0, 2, 2, 4, 4, 7}));
    expect(spans(EDGE_MANY_TO_ONE, 2, 2, (uint32_t[]){0, 1, 1, 2}));
}
