#include "core/model/job.h"

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

struct job_span job_edge_span(const struct edge_spec *edge, uint32_t upstream, uint32_t readers,
                              uint32_t reader)
{
    if (edge->pattern == EDGE_ALL_TO_ALL)
        return (struct job_span){0, upstream};
    if (edge->pattern == EDGE_ONE_TO_ONE && reader < upstream)
        return (struct job_span){reader, reader + 1};
    return (struct job_span){(uint32_t)((uint64_t)reader * upstream / readers),
                             (uint32_t)((uint64_t)(reader + 1) * upstream / readers)};
}
