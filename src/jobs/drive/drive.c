/* drive.c - a workload of commands from its first job to its last. See drive.h. */
#include "jobs/drive/drive.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/policy/policy.h"
#include "exec/chaos.h"
#include "exec/exec.h"
#include "exec/folder/run_dir.h"
#include "exec/folder/run_lock.h"
#include "exec/process/cores.h"
#include "inputs/cluster/about.h"
#include "inputs/models/format.h"
#include "record/journal/journal_play.h"
#include "record/run/run.h"
#include "ui/cli.h"
#include "ui/settings.h"

/* The pieces of a run; each is NULL until made. */
struct drive {
    struct exec_hooks hooks;
    struct chaos chaos;
    struct cluster *cluster;
    struct format_source source;
    struct workload *workload;
    struct policy *policy;
    struct run *run;
    struct on on;
    struct exec *exec;
    struct follow *follow;
    struct summary *summary;

    int lock_fd; /* of its folder, held to the end; 0 or less: none */

    /* Of a run that goes on. */
    bool again, complete;
    struct journal_reader *reader;
    struct about_text about;
};

static struct cluster *open_cluster(const struct drive_options *a, struct err *err)
{
    if (a->cluster)
        return cluster_file_open(a->cluster, err);
    uint32_t slots = a->slots > 0 ? a->slots : cores_allowed_here();
    struct cluster *machine =
        a->nodes ? cluster_parse_shape(a->nodes, err) : cluster_plain(1, slots);
    if (machine)
        cluster_share_memory(machine);
    return machine;
}

static int open_policy(struct drive *r, const struct drive_options *a, struct err *err)
{
    bool several = a->on.on && on_is_several(a->on.on);
    const char *cloning = !a->data ? NULL : several ? SETTINGS_SEVERAL : SETTINGS_ONE_MACHINE;

    r->policy =
        settings_policy(a->policy, cloning, a->settings.texts.at, a->settings.texts.count, err);
    if (r->policy && a->on.on && policy_set(r->policy, "disks", "own", err) < 0)
        return -1;
    return r->policy ? 0 : -1;
}

static int open_run(struct drive *r, const struct drive_options *a, struct err *err)
{
    struct str path = {0}, about = {0};
    struct about_hash jobs = about_hash(a->workload), machines = about_hash(a->cluster);
    struct about_time now = about_now();
    struct about_here here = about_here();

    str_addf(&path, "%s/journal", a->dir);
    about_write(&(struct about){.program = "dolly " DOLLY_VERSION,
                                .began = now.text,
                                .workload = a->workload,
                                .workload_hash = jobs.text,
                                .cluster_name = a->cluster,
                                .cluster_hash = machines.text,
                                .chaos = a->chaos,
                                .host = here.host,
                                .typed = here.typed},
                r->cluster, &about);
    struct journal_options journal = {.path = path.text, .each_turn = true, .about = about.text};
    r->run = run_create(
        &(struct run_options){
            .policy = r->policy, .seed = a->seed, .journal = &journal, .body = "exec"},
        err);
    str_free(&path);
    str_free(&about);
    return r->run ? 0 : -1;
}

static int open_workload(struct drive *r, const char *name, uint64_t seed, struct err *err)
{
    if (format_find(&r->source, name, err) < 0)
        return -1;
    r->workload = format_open(&r->source, r->cluster, seed, err);
    return r->workload ? 0 : -1;
}

static int open_body(struct drive *r, const struct drive_options *a, const char *chaos,
                     struct err *err)
{
    r->hooks = (struct exec_hooks){.ctx = a->ctx,
                                   .warn = a->note,
                                   .own = a->own,
                                   .tick = a->tick,
                                   .tick_us = a->tick_us,
                                   .status = a->status};
    struct exec_options exec = {.cluster = r->cluster,
                                .workload = r->workload,
                                .dir = a->dir,
                                .journal = run_journal(r->run),
                                .grace_us = a->grace_us,
                                .groups = a->on.on ? &r->on.groups : NULL,
                                .hooks = &r->hooks,
                                .chaos = chaos ? &r->chaos : NULL,
                                .again = r->again,
                                /* What people may go on with stops on a full disk. */
                                .failures_max = a->data ? (uint32_t)r->policy->failures_max : 0,
                                .data = a->data,
                                .copier = a->copier,
                                .apart = a->data && a->on.on && a->on.pull,
                                .lock_fd = r->lock_fd};
    r->exec = exec_create(&exec, err);
    if (!r->exec)
        return -1;
    r->follow = follow_create(0, 0);
    r->summary = summary_create(r->follow);
    if (a->begin)
        a->begin(a->ctx, r->follow);
    return 0;
}

static int make_run(struct drive *r, const struct drive_options *a, struct err *err)
{
    if (exec_check_files(err) < 0)
        return -1;
    r->cluster = a->on.on ? on_cluster(&a->on, err) : open_cluster(a, err);
    if (!r->cluster || open_policy(r, a, err) < 0 ||
        (a->chaos && chaos_parse(a->chaos, a->seed, &r->chaos, err) < 0))
        return -1;
    if (open_workload(r, a->workload, a->seed, err) < 0 || run_dir_create(a->dir, err) < 0 ||
        (r->lock_fd = run_lock_new(a->dir, err)) < 0 || open_run(r, a, err) < 0)
        return -1;
    if (a->on.on && on_open(&r->on, &a->on, a->dir, r->cluster, a->ctx, a->note, err) < 0)
        return -1;
    return open_body(r, a, a->chaos, err);
}

/* The run itself. */
static int drive_jobs(struct drive *r, struct drive_result *result, struct err *err)
{
    struct tap tap = follow_tap(r->follow);
    int driven = run_drive(r->run, (struct body){&exec_body, r->exec}, &tap, 1, err);

    result->interrupted = exec_interrupted(r->exec);
    result->digest = run_digest(r->run);
    /* No process may be left when the journal ends. */
    result->failure = mem_strdup(exec_failure(r->exec));
    exec_destroy(r->exec);
    r->exec = NULL;
    on_close(&r->on);
    driven = run_close(r->run, driven, err);
    r->run = NULL;
    if (driven == 0)
        result->summary = summary_result(r->summary);
    return driven;
}

static void close_all(struct drive *r)
{
    struct err ignored;

    exec_destroy(r->exec);
    on_close(&r->on);
    run_close(r->run, -1, &ignored);
    follow_destroy(r->follow);
    summary_destroy(r->summary);
    policy_destroy(r->policy);
    if (r->workload)
        r->workload->destroy(r->workload);
    format_fini(&r->source);
    if (r->cluster != r->about.cluster)
        cluster_destroy(r->cluster);
    about_free(&r->about);
    journal_reader_close(r->reader);
    if (r->lock_fd > 0)
        close(r->lock_fd);
}

static int conclude(struct drive *r, const struct drive_options *a, int driven,
                    struct drive_result *result, struct err *err)
{
    if (driven == 0 && !result->failure && a->finish)
        driven = a->finish(a->ctx, err);
    close_all(r);
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

/* What the run was made of must be what is there. */
static int check_unchanged(const struct drive *r, const char *dir, struct err *err)
{
    const struct about *about = &r->about.about;

    if (!about->program || strcmp(about->program, "dolly " DOLLY_VERSION) != 0)
        return err_set(err, "%s: was begun by %s, this is dolly " DOLLY_VERSION, dir,
                       about->program ? about->program : "another dolly");
    if (about->workload && access(about->workload, F_OK) < 0)
        return err_set(err, "%s: its jobs, %s, are not there: a run cannot be moved; move it back",
                       dir, about->workload);
    if (!about->workload || !about->workload_hash ||
        strcmp(about_hash(about->workload).text, about->workload_hash) != 0)
        return err_set(err, "%s: its jobs, %s, have changed since", dir,
                       about->workload ? about->workload : "which it does not name");
    return 0;
}

/* Makes the run as the first record of its journal says. */
static int remake_run(struct drive *r, const struct drive_options *a, const struct record *run,
                      struct err *err)
{
    if (strcmp(run->u.run.body, "exec") != 0)
        return err_set(err, "%s: not a run folder of dolly run, streaming or exec", a->dir);
    if (about_read(run->u.run.about, "about", &r->about, err) < 0)
        return -1;
    const char *chaos = r->about.about.chaos;
    r->cluster = r->about.cluster;
    r->policy = policy_create(run->u.run.policy, err);
    if (check_unchanged(r, a->dir, err) < 0 || !r->policy ||
        (chaos && chaos_parse(chaos, run->u.run.seed, &r->chaos, err) < 0) ||
        open_workload(r, r->about.about.workload, run->u.run.seed, err) < 0)
        return -1;
    r->run = run_create(
        &(struct run_options){.policy = r->policy, .seed = run->u.run.seed, .body = "exec"}, err);
    if (!r->run ||
        (a->on.on && on_open(&r->on, &a->on, a->dir, r->cluster, a->ctx, a->note, err) < 0))
        return -1;
    return open_body(r, a, chaos, err);
}

/* Shows an earlier life to the brain, the body and the account. */
static int recall(struct drive *r, const char *path, struct err *err)
{
    struct tap taps[] = {exec_recall_tap(r->exec), follow_tap(r->follow)};
    struct journal_play play = {
        .taps = taps, .tap_count = 2, .ctx = r->exec, .intent = exec_recall_intent};
    struct journal_played played;

    if (run_recall(r->run, r->reader, path, &play, &played, err) < 0)
        return -1;
    r->complete = played.complete;
    return r->complete ? 0 : exec_recall_end(r->exec, run_journal(r->run), played.last_us, err);
}

static int resume(struct drive *r, const struct drive_options *a, struct err *err)
{
    struct str path = {0};
    struct record run;
    int lock_fd = exec_check_files(err) < 0 ? -1 : run_lock_left(a->dir, err), result = -1;

    if (lock_fd < 0)
        return -1;
    r->lock_fd = lock_fd;
    r->again = true;
    str_addf(&path, "%s/journal", a->dir);
    r->reader = journal_reader_open(path.text, NULL, err);
    int first = r->reader ? journal_reader_next(r->reader, &run, err) : -1;
    if (first == 0)
        err_set(err, "%s: the journal ends before its first turn; the run cannot be resumed",
                path.text);
    if (first > 0 && remake_run(r, a, &run, err) == 0)
        result = recall(r, path.text, err);
    str_free(&path);
    return result;
}

int drive_resume(const struct drive_options *options, struct drive_result *result, struct err *err)
{
    struct drive r = {0};

    *result = (struct drive_result){0};
    int driven = resume(&r, options, err);
    if (driven == 0 && r.complete) {
        result->summary = summary_result(r.summary);
        if (result->summary.jobs_failed > 0)
            result->failure = mem_strdup("the job has failed, and there is nothing to go on with");
    } else if (driven == 0)
        driven = drive_jobs(&r, result, err);
    return conclude(&r, options, driven, result, err);
}

bool drive_has_begun(const char *dir)
{
    struct str path = {0};
    struct stat st;
    struct record record;
    struct err why;

    str_addf(&path, "%s/journal", dir);
    bool begun = stat(path.text, &st) == 0 && st.st_size > 0;
    struct journal_reader *reader = begun ? journal_reader_open(path.text, NULL, &why) : NULL;
    if (reader) /* what is damaged has begun */
        begun = journal_reader_next(reader, &record, &why) != 0;
    journal_reader_close(reader);
    str_free(&path);
    return begun;
}

int drive_winners(const char *dir, void (*found)(void *ctx, struct attempt_ref at), void *ctx,
                  struct err *err)
{
    struct str path = {0};
    struct record record;
    int n = -1;

    str_addf(&path, "%s/journal", dir);
    struct journal_reader *reader = journal_reader_open(path.text, NULL, err);
    while (reader && (n = journal_reader_next(reader, &record, err)) > 0)
        if (record.type == RECORD_EVENT && record.u.event.type == EV_COMMITTED)
            found(ctx, record.u.event.at);
    journal_reader_close(reader);
    str_free(&path);
    return n;
}

int drive_sizes(const char *dir, uint16_t phase, int64_t *bytes, uint32_t tasks, struct err *err)
{
    struct str path = {0};
    struct record record;
    int n = -1;

    str_addf(&path, "%s/journal", dir);
    for (uint32_t i = 0; i < tasks; i++)
        bytes[i] = -1;
    struct journal_reader *reader = journal_reader_open(path.text, NULL, err);
    while (reader && (n = journal_reader_next(reader, &record, err)) > 0)
        if (record.type == RECORD_INTENT && record.u.intent.at.phase == phase &&
            record.u.intent.at.task < tasks)
            bytes[record.u.intent.at.task] = record.u.intent.bytes;
    journal_reader_close(reader);
    str_free(&path);
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
