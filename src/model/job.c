#include "model/job.h"

int job_bin(uint64_t tasks)
{
    static const uint64_t largest[] = {10, 50, 150, 500};
    int bin = 1;
    for (int i = 0; i < 4; i++)
        bin += tasks > largest[i];
    return bin;
}

uint64_t job_tasks(const struct job_spec *job)
{
    uint64_t tasks = 0;
    for (uint16_t i = 0; i < job->phase_count; i++)
        tasks += job->phases[i].tasks;
    return tasks;
}
