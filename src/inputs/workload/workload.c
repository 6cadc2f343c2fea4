#include "inputs/workload/workload.h"

#include "base/mem.h"

void workload_close(struct workload *w)
{
    w->closed = true;
}

void workload_job_free(struct workload_job *job)
{
    if (job)
        mem_free(job->memory);
}
