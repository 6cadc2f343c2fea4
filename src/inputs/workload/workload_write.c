/* workload_write.c - writes jobs as a workload file, so that users can read and edit generated
 * jobs.
 *
 * Values are exact: times are decimal seconds with up to six digits, sizes whole numbers with the
 * largest unit that divides them. Default values are left out, and per-task values become lists;
 * only values that a list cannot hold (replicas, attempt times, commands) get lines for tasks. */
#include "inputs/workload/workload.h"

#include <string.h>

#include "base/check.h"
#include "inputs/cluster/cluster.h"
#include "inputs/config/line.h"
#include "inputs/workload/recorded.h"

static void add_time(struct str *to, int64_t us)
{
    int64_t fraction = us % 1000000;
    int digits = 6;
    for (; digits > 1 && fraction % 10 == 0; digits--)
        fraction /= 10;
    str_addf(to, "%lld", (long long)(us / 1000000));
    if (fraction)
        str_addf(to, ".%0*lld", digits, (long long)fraction);
    str_add(to, "s");
}

static void add_milli(struct str *to, const char *key, int64_t thousandths)
{
    if (thousandths == 1000)
        return;
    str_addf(to, " %s=%lld.%03lld", key, (long long)(thousandths / 1000),
             (long long)(thousandths % 1000));
}

/* A value for all tasks, or a list. */
static void add_values(struct str *to, const char *key, int64_t plain, const int64_t *each,
                       uint32_t count, void (*add)(struct str *, int64_t))
{
    str_addf(to, each ? " %ss=" : " %s=", key);
    if (!each) {
        add(to, plain);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            str_add(to, ",");
        add(to, each[i]);
    }
}

static void add_edges(struct str *to, const struct job_spec *spec, const struct phase_spec *p)
{
    static const char *const patterns[] = {"all-to-all", "many-to-one", "one-to-one"};
    if (p->edge_count == 0)
        return;
    const struct edge_spec *first = &p->edges[0];
    for (uint16_t e = 0; e < p->edge_count; e++) {
        check(p->edges[e].pattern == first->pattern && p->edges[e].slowstart == first->slowstart);
        str_addf(to, "%s%s", e ? "," : " after=", spec->phases[p->edges[e].from].name);
    }
    if (first->pattern != EDGE_ALL_TO_ALL)
        str_addf(to, " pattern=%s", patterns[first->pattern]);
    if (first->slowstart)
        str_addf(to, " slowstart=%u%%", first->slowstart);
}

static void add_phase(struct str *to, const struct job_spec *spec, const struct phase_spec *p,
                      const struct phase_truth *truth)
{
    str_addf(to, "  phase %s tasks=%u", p->name, p->tasks);
    add_milli(to, "cpu", p->demand.v[RES_CPU]);
    if (p->demand.v[RES_MEM])
        str_addf(to, " mem=%dM", p->demand.v[RES_MEM]);
    if (p->demand.v[RES_X])
        str_addf(to, " x=%d", p->demand.v[RES_X]);
    if (p->demand.v[RES_Y])
        str_addf(to, " y=%d", p->demand.v[RES_Y]);
    add_edges(to, spec, p);
    add_values(to, "size", truth->size_us, truth->size_each, p->tasks, add_time);
    if (p->input_each || p->input_bytes)
        add_values(to, "input", p->input_bytes, p->input_each, p->tasks, str_add_size);
    if (truth->output_bytes) {
        str_add(to, " output=");
        str_add_size(to, truth->output_bytes);
    }
    if (truth->skew > 1)
        str_addf(to, " skew=%.17g", truth->skew);
    if (p->expect_us) {
        str_add(to, " expect=");
        add_time(to, p->expect_us);
    }
    if (p->expect_us && p->expect_dev_us) {
        str_add(to, " expect_dev=");
        add_time(to, p->expect_dev_us);
    }
    if (p->clone == PHASE_CLONE_NEVER)
        str_add(to, " clone=never");
    if (truth->vary != RECORDED_SIZE)
        str_add(to, truth->vary == RECORDED_LUCK ? " vary=luck" : " vary=bytes");
    if (truth->command)
        line_add_pair(to, "command", truth->command);
    str_add(to, "\n");
}

/* The line of a task, if a list cannot say all of it. */
static void add_task(struct str *to, const struct phase_spec *p, const struct phase_truth *truth,
                     const struct cluster *cluster, uint32_t task)
{
    bool replicas = p->replica_from && p->replica_from[task] < p->replica_from[task + 1];
    bool attempts =
        truth->attempt_from && truth->attempt_from[task] < truth->attempt_from[task + 1];
    bool command = truth->command_each && truth->command_each[task];
    if (!replicas && !attempts && !command)
        return;
    str_addf(to, "    task %u", task);
    check(!replicas || cluster);
    for (uint32_t i = replicas ? p->replica_from[task] : 0;
         replicas && i < p->replica_from[task + 1]; i++)
        str_addf(to, "%s%s", i == p->replica_from[task] ? " on=" : ",",
                 cluster->nodes[p->replicas[i].v].name);
    if (attempts)
        add_values(to, "attempt", 0, truth->attempts + truth->attempt_from[task],
                   truth->attempt_from[task + 1] - truth->attempt_from[task], add_time);
    if (command)
        line_add_pair(to, "command", truth->command_each[task]);
    str_add(to, "\n");
}

static void add_job(struct str *to, const struct workload_job *job)
{
    const struct job_spec *spec = &job->spec;
    str_addf(to, "job %s at=", spec->name);
    add_time(to, spec->arrived_us);
    if (job->submit_us > spec->arrived_us) {
        str_add(to, " setup=");
        add_time(to, job->submit_us - spec->arrived_us);
    }
    if (spec->wrapup_us) {
        str_add(to, " wrapup=");
        add_time(to, spec->wrapup_us);
    }
    if (spec->running_max)
        str_addf(to, " running_max=%u", spec->running_max);
    if (spec->app)
        str_addf(to, " app=%s", spec->app);
    if (strcmp(spec->user, "default"))
        str_addf(to, " user=%s", spec->user);
    if (strcmp(spec->queue, "default"))
        str_addf(to, " queue=%s", spec->queue);
    add_milli(to, "weight", spec->weight);
    str_add(to, "\n");
}

void workload_write(const struct workload_job *job, const struct cluster *cluster, struct str *to)
{
    add_job(to, job);
    for (uint16_t k = 0; k < job->spec.phase_count; k++) {
        const struct phase_spec *p = &job->spec.phases[k];
        add_phase(to, &job->spec, p, &job->truth[k]);
        for (uint32_t t = 0; t < p->tasks; t++)
            add_task(to, p, &job->truth[k], cluster, t);
    }
}
