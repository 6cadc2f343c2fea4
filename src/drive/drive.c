/* drive.c - a workload of commands from its first job to its last. See drive.h. */
#include "drive/drive.h"

#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cluster/about.h"
#include "exec/chaos.h"
#include "exec/exec.h"
#include "folder/run_dir.h"
#include "policy/policy.h"
#include "run/run.h"
#include "ui/cli.h"
#include "ui/settings.h"
#include "workload/format.h"

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
};

static struct cluster *open_cluster(const struct drive_options *a, struct err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (a->cluster)
        return cluster_open(a->cluster, err);
    struct cluster *machine = cluster_plain(1, a->slots > 0 ? a->slots
                                               : cores > 1  ? (uint32_t)cores
                                                            : 1);
    cluster_share_memory(machine);
    return machine;
}

static int open_policy(struct drive *r, const struct drive_options *a, struct err *err)
{
    r->policy = settings_policy(a->policy, a->settings.texts.at, a->settings.texts.count, err);
    if (r->policy && a->on.on && policy_set(r->policy, "disks", "own", err) < 0)
        return -1;
    return r->policy ? 0 : -1;
}

static int open_run(struct drive *r, const struct drive_options *a, struct err *err)
{
    struct str path = {0}, about = {0};
    struct about_hash jobs = about_hash(a->workload), machines = about_hash(a->cluster);
    struct about_time now = about_now();

    str_addf(&path, "%s/journal", a->dir);
    about_write(&(struct about){.program = "dolly " DOLLY_VERSION,
                                .began = now.text,
                                .workload = a->workload,
                                .workload_hash = jobs.text,
                                .cluster_name = a->cluster,
                                .cluster_hash = machines.text,
                                .chaos = a->chaos},
                r->cluster, &about);
    struct journal_options journal = {.path = path.text, .about = about.text};
    r->run = run_create(
        &(struct run_options){
            .policy = r->policy, .seed = a->seed, .journal = &journal, .body = "exec"},
        err);
    str_free(&path);
    str_free(&about);
    return r->run ? 0 : -1;
}

static int make_run(struct drive *r, const struct drive_options *a, struct err *err)
{
    r->hooks = (struct exec_hooks){.ctx = a->ctx, .warn = a->note};
    r->cluster = a->on.on ? on_cluster(&a->on, err) : open_cluster(a, err);
    if (!r->cluster || open_policy(r, a, err) < 0 ||
        (a->chaos && chaos_parse(a->chaos, a->seed, &r->chaos, err) < 0))
        return -1;
    if (format_find(&r->source, a->workload, err) < 0)
        return -1;
    r->workload = format_open(&r->source, r->cluster, a->seed, err);
    if (!r->workload || run_dir_create(a->dir, err) < 0 || open_run(r, a, err) < 0)
        return -1;
    if (a->on.on && on_open(&r->on, &a->on, a->dir, r->cluster, a->ctx, a->note, err) < 0)
        return -1;
    struct exec_options exec = {.cluster = r->cluster,
                                .workload = r->workload,
                                .dir = a->dir,
                                .journal = run_journal(r->run),
                                .grace_us = a->grace_us,
                                .groups = a->on.on ? &r->on.groups : NULL,
                                .hooks = &r->hooks,
                                .chaos = a->chaos ? &r->chaos : NULL};
    r->exec = exec_create(&exec, err);
    if (!r->exec)
        return -1;
    r->follow = follow_create(0, 0);
    r->summary = summary_create(r->follow);
    return 0;
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

int drive_run(const struct drive_options *options, struct drive_result *result, struct err *err)
{
    struct drive r = {0};
    struct err ignored;

    *result = (struct drive_result){0};
    int driven = make_run(&r, options, err) < 0 ? -1 : drive_jobs(&r, result, err);
    exec_destroy(r.exec);
    on_close(&r.on);
    run_close(r.run, -1, &ignored);
    follow_destroy(r.follow);
    summary_destroy(r.summary);
    policy_destroy(r.policy);
    if (r.workload)
        r.workload->destroy(r.workload);
    format_fini(&r.source);
    cluster_destroy(r.cluster);
    if (driven < 0) {
        mem_free(result->failure);
        result->failure = NULL;
    }
    return driven;
}
