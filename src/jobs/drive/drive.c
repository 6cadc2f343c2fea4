/* drive.c - a workload of commands from its first job to its last. See drive.h. */
#include "jobs/drive/drive.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "core/policy/policy.h"
#include "exec/folder/run_dir.h"
#include "exec/folder/run_lock.h"
#include "inputs/models/format.h"

/* The pieces of a run; each is NULL until made. */
struct drive {
    struct assembly run;
    struct named_workload named;
    struct workload *workload;
    struct follow *follow;
    struct summary *summary;
    int lock_fd; /* of its folder, held to the end; 0 or less: none */
};

static int open_workload(struct drive *r, const char *name, struct err *err)
{
    if (format_find(&r->named, name, err) < 0)
        return -1;
    r->workload = format_open(&r->named, r->run.cluster, r->run.options.seed, err);
    return r->workload ? 0 : -1;
}

static int open_body(struct drive *r, struct err *err)
{
    const struct where_options *where = &r->run.options.where;
    struct exec_options *exec = &r->run.options.exec;

    exec->workload = r->workload;
    exec->lock_fd = r->lock_fd;
    exec->apart = exec->data && where->spec && where->pull;
    /* What people may go on with stops on a full disk. */
    exec->failures_max = exec->data ? (uint32_t)r->run.policy->failures_max : 0;
    return assembly_begin(&r->run, err) < 0 ? -1 : assembly_open(&r->run, err);
}

/* What is the same of new runs and of those that go on. */
static struct assembly_options prepare(struct drive *r, const struct drive_options *o)
{
    struct assembly_options run = o->run;

    r->follow = follow_create(0, 0);
    r->summary = summary_create(r->follow);
    if (o->begin)
        o->begin(run.hooks.ctx, r->follow);
    run.body = "exec";
    run.spares |= run.exec.data;
    run.about = (struct about){.workload = o->workload, .cluster_name = run.cluster};
    run.taps[0] = follow_tap(r->follow);
    return run;
}

static int make_run(struct drive *r, const struct drive_options *o, struct err *err)
{
    struct assembly_options run = prepare(r, o);

    if (assembly_plan(&r->run, &run, err) < 0 || open_workload(r, o->workload, err) < 0 ||
        run_dir_create(run.exec.dir, err) < 0 || (r->lock_fd = run_lock_new(run.exec.dir, err)) < 0)
        return -1;
    return open_body(r, err);
}

/* The run itself. */
static int drive_jobs(struct drive *r, struct drive_result *result, struct err *err)
{
    int driven = assembly_drive(&r->run, err);

    result->interrupted = exec_interrupted(r->run.exec);
    result->digest = run_digest(r->run.run);
    result->failure = mem_strdup(exec_failure(r->run.exec));
    driven = assembly_close(&r->run, driven, err);
    if (driven == 0)
        result->summary = summary_result(r->summary);
    return driven;
}

static int conclude(struct drive *r, const struct drive_options *o, int driven,
                    struct drive_result *result, struct err *err)
{
    struct err ignored;

    if (driven == 0 && !result->failure && o->finish)
        driven = o->finish(o->run.hooks.ctx, err);
    assembly_close(&r->run, -1, &ignored);
    follow_destroy(r->follow);
    summary_destroy(r->summary);
    if (r->workload)
        r->workload->destroy(r->workload);
    format_fini(&r->named);
    if (r->lock_fd > 0)
        close(r->lock_fd);
    if (driven < 0) {
        mem_free(result->failure);
        result->failure = NULL;
    }
    return driven;
}

int drive_run(const struct drive_options *options, struct drive_result *result, struct err *err)
{
    struct drive r = {0};

    *result = (struct drive_result){0};
    int driven = make_run(&r, options, err) < 0 ? -1 : drive_jobs(&r, result, err);
    return conclude(&r, options, driven, result, err);
}

/* ---- a run that was cut short ---- */

/* The jobs must be what they were. */
static int check_unchanged(const struct about *about, const char *dir, struct err *err)
{
    if (about->workload && access(about->workload, F_OK) < 0)
        return err_set(err, "%s: its jobs, %s, do not exist: a run cannot be moved; move it back",
                       dir, about->workload);
    if (!about->workload || !about->workload_hash ||
        strcmp(about_hash(about->workload).text, about->workload_hash) != 0)
        return err_set(err, "%s: its jobs, %s, have changed since the run began", dir,
                       about->workload ? about->workload : "which it does not name");
    return 0;
}

/* 1 when the run was complete, 0, or -1 with *err. */
static int resume(struct drive *r, const struct drive_options *o, struct err *err)
{
    struct assembly_options run = prepare(r, o);
    struct journal_played played;

    if ((r->lock_fd = run_lock_left(run.exec.dir, err)) < 0 ||
        assembly_recollect(&r->run, &run, err) < 0 ||
        check_unchanged(&r->run.about.about, run.exec.dir, err) < 0 ||
        open_workload(r, r->run.about.about.workload, err) < 0 || open_body(r, err) < 0 ||
        assembly_recall(&r->run, &played, err) < 0)
        return -1;
    if (played.complete)
        return 1;
    return exec_recall_end(r->run.exec, run_journal(r->run.run), played.last_us, err);
}

int drive_resume(const struct drive_options *options, struct drive_result *result, struct err *err)
{
    struct drive r = {0};

    *result = (struct drive_result){0};
    int driven = resume(&r, options, err);
    if (driven > 0) {
        driven = 0;
        result->summary = summary_result(r.summary);
        if (result->summary.jobs_failed > 0)
            result->failure = mem_strdup("the job has failed and cannot be resumed");
    } else if (driven == 0)
        driven = drive_jobs(&r, result, err);
    return conclude(&r, options, driven, result, err);
}

/* ---- what the journal of a run says ---- */

static struct journal_reader *open_journal(const char *dir, struct err *err)
{
    return journal_reader_open(path_of("%s/journal", dir).text, NULL, err);
}

bool drive_has_begun(const char *dir)
{
    struct stat st;
    struct record record;
    struct err why;
    bool begun = stat(path_of("%s/journal", dir).text, &st) == 0 && st.st_size > 0;
    struct journal_reader *reader = begun ? open_journal(dir, &why) : NULL;

    if (reader) /* what is damaged has begun */
        begun = journal_reader_next(reader, &record, &why) != 0;
    journal_reader_close(reader);
    return begun;
}

int drive_winners(const char *dir, void (*found)(void *ctx, struct attempt_ref at), void *ctx,
                  struct err *err)
{
    struct record record;
    int n = -1;

    struct journal_reader *reader = open_journal(dir, err);
    while (reader && (n = journal_reader_next(reader, &record, err)) > 0)
        if (record.type == RECORD_EVENT && record.u.event.type == EV_COMMITTED)
            found(ctx, record.u.event.at);
    journal_reader_close(reader);
    return n;
}

int drive_sizes(const char *dir, uint16_t phase, int64_t *bytes, uint32_t tasks, struct err *err)
{
    struct record record;
    int n = -1;

    for (uint32_t i = 0; i < tasks; i++)
        bytes[i] = -1;
    struct journal_reader *reader = open_journal(dir, err);
    while (reader && (n = journal_reader_next(reader, &record, err)) > 0)
        if (record.type == RECORD_INTENT && record.u.intent.at.phase == phase &&
            record.u.intent.at.task < tasks)
            bytes[record.u.intent.at.task] = record.u.intent.bytes;
    journal_reader_close(reader);
    return n;
}

/* The index of the phase of that name in the first job that has one. */
static int phase_named(const struct job_spec *job, const char *name)
{
    for (uint16_t i = 0; i < job->phase_count; i++)
        if (strcmp(job->phases[i].name, name) == 0)
            return i;
    return -1;
}

int drive_times(const char *path, const char *phase,
                void (*found)(void *ctx, uint32_t task, int64_t us), void *ctx, struct err *err)
{
    struct journal_reader *reader = journal_reader_open(path, NULL, err);
    struct record record;
    int n = -1, which = -1;
    struct job_id job = {0};

    while (reader && (n = journal_reader_next(reader, &record, err)) > 0) {
        const struct event *e = &record.u.event;
        if (record.type != RECORD_EVENT)
            continue;
        if (e->type == EV_JOB_SUBMITTED && which < 0) {
            which = phase_named(e->u.job, phase);
            job = e->at.job;
        } else if (e->type == EV_ATTEMPT_FINISHED && e->at.phase == which && e->at.job.v == job.v) {
            found(ctx, e->at.task, e->u.use.wall_us);
        }
    }
    journal_reader_close(reader);
    if (n == 0 && which < 0)
        return err_set(err, "%s: no job there has a phase '%s'", path, phase);
    return n;
}
