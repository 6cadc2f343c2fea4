/* exec_job.c - jobs come from the workload at their time and go when the brain decides so.
 *
 * Jobs are read one ahead of the clock, and each is checked when it is read: a phase without a
 * command can run in the simulator but not here. A phase that may start before the one above is
 * complete (slowstart) waits for all of it here, because commands read whole files, unless attempts
 * are told what to read; the job is changed accordingly before the brain gets it. */
#include "exec/exec_job.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "core/model/reason.h"
#include "exec/exec_copy.h"
#include "exec/exec_fail.h"
#include "exec/exec_output.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"
#include "exec/process/sys.h"

static int exec_job_check(const struct exec *x, const struct workload_job *job, struct err *err)
{
    if (x->options.hooks && x->options.hooks->dress)
        return 0; /* commands are made one by one */
    for (uint16_t p = 0; p < job->spec.phase_count; p++) {
        const struct phase_spec *phase = &job->spec.phases[p];
        const struct phase_truth *truth = &job->truth[p];
        uint32_t t = 0;
        if (truth->command)
            continue;
        while (t < phase->tasks && truth->command_each && truth->command_each[t])
            t++;
        if (t < phase->tasks)
            return err_set(err,
                           "%s:%" PRIu64 ": job %s, phase %s, task %u has no command; expected "
                           "command=\"...\" on the phase or the task",
                           x->options.workload->name, job->line, job->spec.name, phase->name, t);
    }
    return 0;
}

static void exec_job_make_barriers(struct workload_job *job)
{
    for (uint16_t p = 0; p < job->spec.phase_count; p++) {
        /* The job is ours, block and all; it is only handed on as constant. */
        struct edge_spec *edges = (struct edge_spec *)(uintptr_t)job->spec.phases[p].edges;
        for (uint16_t e = 0; e < job->spec.phases[p].edge_count; e++)
            edges[e].slowstart = 0;
    }
}

int exec_job_draw(struct exec *x, struct err *err)
{
    x->jobs.next = x->options.workload->next(x->options.workload);
    if (!x->jobs.next)
        return 0;
    if (exec_job_check(x, x->jobs.next, err) < 0)
        return -1;
    exec_due(x, EXEC_DUE_JOB, x->jobs.next->submit_us);
    if (!x->options.data)
        exec_job_make_barriers(x->jobs.next);
    return 0;
}

void exec_job_draw_more(struct exec *x)
{
    struct err err;

    if (exec_job_draw(x, &err) < 0) {
        exec_fail_run(x, "%s", err.text);
        x->aborted.kind = err.kind;
    }
}

/* Takes the job that was read ahead, and reads the next. */
static struct job_spec *exec_job_take(struct exec *x)
{
    struct workload_job *source = x->jobs.next;
    struct job_spec *spec = &source->spec;

    spec->id.v = x->jobs.count;
    if (spec->arrived_us <= 0)
        spec->arrived_us = source->submit_us;
    vec_push(&x->jobs,
             ((struct exec_job){.work = source,
                                .newest = ATTEMPT_TABLE_NONE,
                                .phase_bytes = mem_zalloc(spec->phase_count, sizeof(int64_t))}));
    x->jobs.open++;
    exec_job_draw_more(x);
    return spec;
}

void exec_job_submit(struct exec *x)
{
    struct job_spec *spec = exec_job_take(x);

    exec_emit(x, EV_JOB_SUBMITTED, (struct attempt_ref){.job = spec->id}, NODE_NONE)->u.job = spec;
}

const char *exec_job_recall(struct exec *x, const struct job_spec *recorded)
{
    const struct job_spec *spec = x->jobs.next ? &x->jobs.next->spec : NULL;
    bool same = spec && spec->phase_count == recorded->phase_count;

    for (uint16_t p = 0; same && p < spec->phase_count; p++)
        same = spec->phases[p].tasks == recorded->phases[p].tasks;
    if (!same)
        return "the job differs from the one of this run";
    exec_job_take(x);
    return NULL;
}

/* ---- failures, in words ---- */

void exec_job_note(struct exec *x, struct attempt_ref at, uint8_t cause, int32_t detail)
{
    struct exec_job *job = &x->jobs.at[at.job.v];

    job->failed_at = at;
    job->failed_cause = cause;
    job->failed_detail = detail;
    job->failed_full = run_dir_is_full(run_dir_free_bytes(x->dir));
}

static void exec_job_add_cause(const struct exec_job *job, struct str *text)
{
    int32_t detail = job->failed_detail;

    switch (job->failed_cause) {
    case CAUSE_EXIT:
        str_addf(text, "the command exited with status %d", detail);
        if (detail == 0)
            str_add(text, " before it was done");
        if (detail == 126 || detail == 127)
            str_addf(text, " (a command %s)",
                     detail == 127 ? "was not found" : "could not be executed");
        break;
    case CAUSE_SIGNAL:
        str_addf(text, "the command was killed by signal %d (%s)", detail, strsignal(detail));
        break;
    case CAUSE_NO_SUCH_FILE:
        str_addf(text, "it could not be started: %s", strerror(detail));
        break;
    case CAUSE_DISK_FULL:
        str_add(text, "the disk is full");
        break;
    case CAUSE_NODE_FAULT:
        str_addf(text, "its node failed: %s", strerror(detail));
        break;
    case CAUSE_SYSTEM:
        str_addf(text, "the system refused: %s", strerror(detail));
        break;
    default:
        str_add(text, event_cause_name(job->failed_cause));
    }
}

static void exec_job_explain(struct exec *x, struct exec_job *job, const struct decision *d)
{
    const struct job_spec *spec = &job->work->spec;
    struct str text = {0};

    if (x->jobs.failure)
        return;
    str_addf(&text, "job %u (%s) failed", spec->id.v, spec->name ? spec->name : "?");
    if (job->failed_cause == CAUSE_NONE) {
        const char *phase = d->at.phase < spec->phase_count ? spec->phases[d->at.phase].name : "?";
        str_addf(&text, ": phase %s: %s", phase ? phase : "?", reason_name(d->why.code));
        if (job->changed)
            str_addf(&text, "; attempts of phase %s print different outputs", job->changed);
    } else {
        const char *phase = spec->phases[job->failed_at.phase].name;
        str_addf(&text, ": phase %s, task %u, attempt %u: ", phase ? phase : "?",
                 job->failed_at.task, job->failed_at.attempt);
        exec_job_add_cause(job, &text);
        if (job->failed_full && job->failed_cause != CAUSE_DISK_FULL)
            str_add(&text, ", and the disk was full");
        struct path path = exec_output_file(x, job->failed_at, "stderr");
        if (access(path.text, F_OK) == 0)
            str_addf(&text, "; see %s", path.text);
    }
    x->jobs.failure = text.text;
}

/* ---- the end ---- */

static void exec_job_free(struct exec_job *job)
{
    workload_job_free(job->work);
    mem_free(job->phase_bytes);
    job->work = NULL;
    job->phase_bytes = NULL;
}

void exec_job_attempt_ended(struct exec *x, struct exec_job *job)
{
    x->attempts.live--;
    job->live--;
    if (job->over && job->live == 0)
        exec_job_free(job);
}

void exec_job_end(struct exec *x, const struct decision *d)
{
    struct exec_job *job = exec_job_find(x, d->at.job);

    if (!job || job->over) {
        exec_fail_decision(x, d, CAUSE_JOB_OVER);
        return;
    }
    if (d->type == DO_JOB_FAILED)
        exec_job_explain(x, job, d);
    /* Outputs that were neither won nor discarded are of no use any more. */
    for (uint32_t i = job->newest; i != ATTEMPT_TABLE_NONE; i = exec_row(x, i)->job_prev) {
        struct attempt_row *e = exec_row(x, i);
        if (e->state == ROW_FINISHED)
            exec_output_drop(x, e);
    }
    exec_copy_job_over(x, d->at.job);
    job->over = true;
    x->jobs.open--;
    if (job->live == 0)
        exec_job_free(job);
}

int exec_job_stalled(const struct exec *x, struct err *err)
{
    uint32_t j = 0;

    check(x->jobs.open > 0);
    while (x->jobs.at[j].over)
        j++;
    return err_system(err, "stalled: job %u (%s) is not done, and no event is pending", j,
                      x->jobs.at[j].work->spec.name);
}

void exec_job_fini(struct exec *x)
{
    for (uint32_t j = 0; j < x->jobs.count; j++)
        exec_job_free(&x->jobs.at[j]);
    vec_free(&x->jobs);
    workload_job_free(x->jobs.next);
    mem_free(x->jobs.failure);
}
