#include "remote/fleet/fleet_ways.h"

#include "base/os/program.h"

/* The first of the programs that is not there, or NULL. */
static const char *missing_of(const char *const *programs)
{
    while (*programs && program_find(*programs, NULL))
        programs++;
    return *programs;
}

struct fleet *fleet_slurm_open(const struct fleet_options *options, struct err *err)
{
    static const char *const inside[] = {"srun", "squeue", NULL};
    static const char *const outside[] = {"sbatch", "squeue", "scancel", NULL};
    bool allocated = getenv("SLURM_JOB_ID") != NULL;
    const char *missing = missing_of(allocated ? inside : outside);
    uint32_t min, max;

    if (fleet_parse_count(options->spec, &min, &max, err) < 0)
        return NULL;
    if (missing) {
        err_set(err, "--on slurm:%s: %s is not in PATH; run dolly on a machine of a Slurm cluster",
                options->spec, missing);
        return NULL;
    }
    return allocated ? slurm_alloc_open(options, min, max, err)
                     : slurm_batch_open(options, min, max, err);
}
