#include "model/job.h"

#include "tests/test.h"

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
