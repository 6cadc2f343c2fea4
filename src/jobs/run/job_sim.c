/* job_sim.c - a data-parallel job for the simulator. See job_sim.h. */
#include "jobs/run/job_sim.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

int job_sim_take(struct datajob_sim *s, const char *pair, struct err *err)
{
    if (strncmp(pair, "time=", 5) == 0)
        return job_time_parse(&s->time, pair + 5, err);
    if (strncmp(pair, "journal=", 8) == 0 && pair[8]) {
        s->journal = mem_strdup(pair + 8);
        return 0;
    }
    if (strncmp(pair, "output=", 7) == 0)
        return text_bytes(pair + 7, &s->output)
                   ? 0
                   : err_set(err, "output: '%.40s' is not a size", pair + 7);
    return err_set(err, "sim: '%.40s' is neither time, journal nor output", pair);
}

/* ---- times ---- */

/* The tasks' times of a phase in a journal, in their order; 0: not known. */
static void take_time(void *ctx, uint32_t task, int64_t us)
{
    struct job_lengths *t = ctx;

    while (t->us.count <= task)
        vec_push(&t->us, 0);
    if (us > 0 && (t->us.at[task] == 0 || us < t->us.at[task]))
        t->us.at[task] = us;
}

static int read_journal(struct datajob_sim *s, const char *phase, struct err *err)
{
    uint32_t known = 0;

    if (drive_times(s->journal, phase, take_time, &s->time, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->time.us.count; i++)
        if (s->time.us.at[i] > 0)
            s->time.us.at[known++] = s->time.us.at[i];
    s->time.us.count = known;
    return known > 0
               ? 0
               : err_set(err, "%s: no task of a phase '%s' has finished there", s->journal, phase);
}

static int find_times(struct datajob *j, uint32_t i, struct err *err)
{
    struct datajob_sim *s = &j->sims.at[i];
    const char *phase = j->plan.phases.at[i].name;

    if ((s->time.us.count > 0) == (s->journal != NULL))
        return err_set(err,
                       "phase '%s' has %s; expected `sim: {time: DIST}` or `sim: {journal: "
                       "FILE}`, of a run with `dolly run --journal FILE`",
                       phase, s->journal ? "two times" : "no times to simulate");
    return s->journal ? read_journal(s, phase, err) : 0;
}

/* ---- the workload ---- */

static uint64_t bytes_of_inputs(const struct task_plan *p)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < p->splits.count; i++)
        all += p->splits.at[i].bytes;
    return all;
}

static void add_sizes(struct str *to, const struct datajob *j, uint32_t i)
{
    for (uint32_t task = 0; task < j->plan.phases.at[i].tasks; task++)
        str_addf(to, "%s%" PRId64 "us",
                 task ? "," : " sizes=", job_time_of(&j->sims.at[i].time, i, task));
}

static void add_phase(struct str *to, const struct datajob *j, uint32_t i, uint64_t *bytes)
{
    const struct plan_phase *p = &j->plan.phases.at[i];

    datajob_print_phase(j, i, to);
    if (j->sims.at[i].output >= 0)
        *bytes = (uint64_t)j->sims.at[i].output * p->tasks;
    if (i + 1 < j->plan.phases.count)
        str_addf(to, " output=%" PRIu64, *bytes / p->tasks);
    add_sizes(to, j, i);
    str_add(to, "\n");
}

int job_sim_workload(struct datajob *j, struct str *to, struct err *err)
{
    if (datajob_cut(j, err) < 0)
        return -1;
    for (uint32_t i = 0; i < j->plan.phases.count; i++)
        if (find_times(j, i, err) < 0)
            return -1;
    uint64_t bytes = bytes_of_inputs(&j->plan);
    str_addf(to, "job %s%s\n", j->plan.job, j->job_keys.text ? j->job_keys.text : "");
    for (uint32_t i = 0; i < j->plan.phases.count; i++)
        add_phase(to, j, i, &bytes);
    return 0;
}
