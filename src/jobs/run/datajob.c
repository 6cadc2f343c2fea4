/* datajob.c - a data-parallel job. See datajob.h. */
#include "jobs/run/datajob.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "base/os/own_path.h"
#include "base/os/path.h"
#include "exec/folder/trust.h"
#include "exec/process/cores.h"
#include "inputs/config/line.h"
#include "jobs/args/quote.h"
#include "jobs/run/cmd_task.h"
#include "jobs/run/job_counters.h"
#include "jobs/run/job_files.h"
#include "jobs/run/native_bind.h"
#include "jobs/run/output.h"
#include "jobs/run/pieces.h"
#include "jobs/run/unpack.h"
#include "jobs/run/where_file.h"
#include "jobs/task/native_object.h"
#include "ui/settings.h"

enum { GRACE_US = 5000000 };

void datajob_fini(struct datajob *j)
{
    plan_fini(&j->plan);
    for (uint32_t i = 0; i < j->keys.count; i++)
        str_free(&j->keys.at[i]);
    vec_free(&j->keys);
    for (uint32_t i = 0; i < j->sims.count; i++) {
        vec_free(&j->sims.at[i].time.us);
        mem_free(j->sims.at[i].journal);
    }
    vec_free(&j->sims);
    str_free(&j->job_keys);
    counters_fini(&j->counters);
    job_progress_fini(&j->progress);
    for (uint32_t i = 0; i < j->archives.count; i++) {
        mem_free(j->archives.at[i].path);
        mem_free(j->archives.at[i].name);
    }
    vec_free(&j->archives);
    vec_free(&j->inputs.texts);
    vec_free(&j->run.settings.texts);
    mem_free(j->output);
    mem_free(j->where_text);
    mem_free(j->journal);
}

struct plan_phase *datajob_add_phase(struct datajob *j, const char *name, const char *command)
{
    vec_push(&j->keys, ((struct str){0}));
    vec_push(&j->sims, ((struct datajob_sim){.output = -1}));
    return plan_add_phase(&j->plan, name, command);
}

int datajob_add_file(struct datajob *j, const char *text, struct err *err)
{
    return job_files_add(&j->plan, "files", text, err);
}

int datajob_add_archive(struct datajob *j, const char *text, struct err *err)
{
    struct plan_file file;

    if (job_files_find("archives", text, &file, err) < 0)
        return -1;
    vec_push(&j->archives, file);
    return 0;
}

/* Archives become files of the plan: folders beside it. */
static int unpack_all(struct datajob *j, const char *output, struct err *err)
{
    int result = 0;

    for (uint32_t i = 0; i < j->archives.count && result == 0; i++) {
        struct path folder = path_of("%s/_temporary/archive.%" PRIu32, output, i);
        const struct plan_file *a = &j->archives.at[i];
        result = job_files_name(&j->plan, "archives", a, err);
        if (result == 0)
            result = unpack_into(a->path, folder.text, err);
        vec_push(&j->plan.files, ((struct plan_file){.path = mem_strdup(folder.text),
                                                     .name = mem_strdup(a->name)}));
    }
    return result;
}

uint32_t datajob_slots(const struct datajob *j)
{
    return j->run.slots > 0 ? j->run.slots : cores_allowed_here();
}

/* ---- the workload ---- */

void datajob_print_phase(const struct datajob *j, uint32_t i, struct str *to)
{
    const struct plan_phase *p = &j->plan.phases.at[i];

    str_addf(to, "  phase %s tasks=%" PRIu32, p->name, p->tasks);
    if (p->above != PLAN_INPUTS)
        str_addf(to, " after=%s", j->plan.phases.at[p->above].name);
    else
        for (uint32_t k = 0; k < j->plan.splits.count; k++)
            str_addf(to, "%s%" PRIu64, k ? "," : " inputs=", j->plan.splits.at[k].bytes);
    if (j->keys.at[i].text)
        str_add(to, j->keys.at[i].text);
}

static void add_phase(struct str *to, const struct datajob *j, uint32_t i, const char *program,
                      const char *plan)
{
    struct str command = {0};

    quote_add(&command, program);
    str_add(&command, " task ");
    quote_add(&command, plan);
    str_addf(&command, " %016" PRIx64, j->plan.hash);
    datajob_print_phase(j, i, to);
    line_add_pair(to, "command", command.text);
    str_add(to, "\n");
    str_free(&command);
}

int datajob_add_self(struct str *to, const char *words, struct err *err)
{
    char program[PATH_MAX];

    if (own_path(program, err) < 0)
        return -1;
    quote_add(to, program);
    str_addf(to, " %s", words);
    return 0;
}

static int write_workload(const struct datajob *j, const char *path, const char *plan,
                          struct err *err)
{
    char program[PATH_MAX];
    struct str text = {0};

    if (own_path(program, err) < 0)
        return -1;
    str_addf(&text, "job %s%s\n", field_name_ok(j->plan.job) ? j->plan.job : "job",
             j->job_keys.text ? j->job_keys.text : "");
    for (uint32_t i = 0; i < j->plan.phases.count; i++)
        add_phase(&text, j, i, program, plan);
    int result = fresh_file_write(path, 0600, text.text, text.length);
    if (result < 0)
        err_system(err, "%s: %s", path, strerror(errno));
    str_free(&text);
    return result;
}

/* ---- the run ---- */

int datajob_cut(struct datajob *j, struct err *err)
{
    for (uint32_t i = 0; i < j->inputs.texts.count; i++)
        if (pieces_add(&j->plan, j->inputs.texts.at[i], &j->how, err) < 0)
            return -1;
    if (j->plan.splits.count == 0)
        vec_push(&j->plan.splits, ((struct plan_split){.path = mem_strdup("")}));
    if (j->piece_lines == 0)
        pieces_cut(&j->plan, j->piece_bytes, datajob_slots(j));
    else if (pieces_cut_lines(&j->plan, j->piece_lines, err) < 0)
        return -1;
    for (uint32_t i = 0; i < j->plan.splits.count; i++)
        j->packed_inputs += j->plan.splits.at[i].packed;
    for (uint32_t i = 0; i < j->plan.phases.count; i++) {
        struct plan_phase *p = &j->plan.phases.at[i];
        if (p->above == PLAN_INPUTS)
            p->tasks = j->plan.splits.count;
        else if (p->tasks == 0)
            p->tasks = j->plan.phases.at[p->above].tasks;
    }
    return 0;
}

/* A job whose results are to be put in their place. */
struct datajob_end {
    struct datajob *job;
    const char *output; /* its whole path */
    struct str copier;  /* the command that copies outputs; NULL: none, or it cannot be found */
};

static int finish(void *ctx, struct err *err)
{
    const struct datajob_end *end = ctx;
    struct datajob *j = end->job;
    const struct plan_phase *last = &j->plan.phases.at[j->plan.phases.count - 1];

    if (job_counters_gather(&j->plan, end->output, &j->counters, err) < 0 ||
        job_counters_write(&j->counters, end->output, err) < 0 ||
        output_journal(end->output, err) < 0)
        return -1;
    struct path run = path_of("%s/_temporary/run", end->output);
    int64_t *bytes = mem_zalloc(last->tasks, sizeof *bytes);
    int result =
        drive_sizes(run.text, (uint16_t)(j->plan.phases.count - 1), bytes, last->tasks, err);
    if (result == 0)
        result = output_finish(end->output, last->name, last->tasks, bytes, last->lazy, err);
    mem_free(bytes);
    return result;
}

/* The paths of what lies in OUTPUT/_temporary. */
struct datajob_paths {
    struct path plan, workload, run, on, counters;
};

static struct datajob_paths paths_in(const char *output)
{
    return (struct datajob_paths){.plan = path_of("%s/_temporary/plan", output),
                                  .workload = path_of("%s/_temporary/job", output),
                                  .run = path_of("%s/_temporary/run", output),
                                  .on = path_of("%s/_temporary/on", output),
                                  .counters = path_of("%s/_temporary/counters", output)};
}

static int task_own(void *ctx, char *const *argv)
{
    return cmd_task_own(&((const struct datajob_end *)ctx)->job->plan, argv);
}

/* What lies in the folder of the run is read where tasks run, or it stays where they ran. */
static struct where_options agents_of(const struct datajob *j, const struct datajob_paths *paths)
{
    struct where_options where = j->run.where;

    where.sees = where.inputs = !where.pull;
    where.resumable = true;
    where.plan = paths->plan.text;
    where.counters = paths->counters.text;
    return where;
}

/* ---- what is said meanwhile ---- */

static struct job_progress *progress_of(void *ctx)
{
    return &((const struct datajob_end *)ctx)->job->progress;
}

static void note(void *ctx, const char *text)
{
    progress_line_say(&progress_of(ctx)->line, text);
}

static void begin_progress(void *ctx, struct follow *f)
{
    job_progress_subscribe(progress_of(ctx), f);
}

static void tick(void *ctx, int64_t now_us)
{
    job_progress_draw(progress_of(ctx), now_us);
}

static void hear_status(void *ctx, struct attempt_ref at, const char *text)
{
    job_progress_status(progress_of(ctx), at, text);
}

/* What a job that begins and one that goes on have in common; free end->copier after it. */
static void prepare(struct drive_options *o, const struct datajob_paths *paths,
                    struct datajob_end *end)
{
    struct job_progress *progress = &end->job->progress;
    struct err ignored;

    if (!end->job->run.where.pull) /* what copies outputs sees them all */
        datajob_add_self(&end->copier, "task copy", &ignored);
    o->run.where = agents_of(end->job, paths);
    o->run.exec = (struct exec_options){
        .dir = paths->run.text, .grace_us = GRACE_US, .data = true, .copier = end->copier.text};
    o->run.hooks = (struct exec_hooks){.ctx = end, .own = task_own, .warn = note};
    o->finish = finish;
    if (!job_progress_open(progress))
        return;
    job_progress_begin(progress, &end->job->plan);
    o->begin = begin_progress;
    o->run.hooks.tick = tick;
    o->run.hooks.tick_us = PROGRESS_LINE_US;
    o->run.hooks.status = hear_status;
}

static int drive(struct datajob_end end, const struct datajob_paths *paths,
                 struct drive_result *result, struct err *err)
{
    const struct datajob *j = end.job;
    struct drive_options options = {.workload = paths->workload.text, .run = j->run};

    options.run.slots = datajob_slots(j);
    if (!j->run.policy)
        options.run.policy = SETTINGS_POLICY;
    if (j->run.seed == 0)
        options.run.seed = 1;
    prepare(&options, paths, &end);
    int done = drive_run(&options, result, err);
    str_free(&end.copier);
    return done;
}

/* Tasks find what was there when the job began. */
static int fix_files(struct datajob *j, const char *output, struct err *err)
{
    if (j->run.where.pull)
        return job_files_bind(&j->plan, err);
    return job_files_copy(&j->plan, path_of("%s/_temporary/files", output).text, err);
}

/* In the folder, whose whole path this is. */
static int run_in(struct datajob *j, const char *output, struct drive_result *result,
                  struct err *err)
{
    struct datajob_paths paths = paths_in(output);
    int done = -1;

    if (fix_files(j, output, err) == 0 && unpack_all(j, output, err) == 0 &&
        (!j->journal || output_promise_journal(output, j->journal, err) == 0) &&
        plan_write(&j->plan, paths.plan.text, err) == 0 &&
        write_workload(j, paths.workload.text, paths.plan.text, err) == 0 &&
        where_file_write(&j->run.where, paths.on.text, err) == 0 && output_sync(output, err) == 0)
        done = drive((struct datajob_end){.job = j, .output = output}, &paths, result, err);
    if (done < 0 && access(paths.run.text, F_OK) < 0)
        output_abandon(output); /* nothing has been run */
    return done;
}

/* Before any task looks for it. */
static int load_codecs(const struct task_plan *p, struct err *err)
{
    for (uint32_t i = 0; i < p->phases.count; i++)
        if (p->phases.at[i].partitions > 0 && codec_load(p->phases.at[i].codec, err) < 0)
            return -1;
    return 0;
}

/* Helpers are copies of the guardian here, and programs elsewhere: all of one dolly. */
static int bind_program(struct task_plan *p, struct err *err)
{
    char hash[NATIVE_OBJECT_HASH];

    if (native_object_hash("/proc/self/exe", hash, err) < 0)
        return -1;
    mem_replace(&p->program, hash);
    return 0;
}

static int check_program(const struct task_plan *p, const char *output, struct err *err)
{
    char hash[NATIVE_OBJECT_HASH];

    if (native_object_hash("/proc/self/exe", hash, err) < 0)
        return -1;
    return p->program && strcmp(p->program, hash) == 0
               ? 0
               : err_set(err,
                         "%s: was started by another version of dolly than this one; resume it "
                         "with that one",
                         output);
}

static int find_whole(const char *output, char whole[PATH_MAX], struct err *err)
{
    return realpath(output, whole) ? 0 : err_system(err, "%s: %s", output, strerror(errno));
}

int datajob_run(struct datajob *j, struct drive_result *result, struct err *err)
{
    char whole[PATH_MAX];

    *result = (struct drive_result){0};
    if (j->journal && access(j->journal, F_OK) == 0)
        return err_set(err, "%s already exists; choose a new file for the journal", j->journal);
    if (datajob_cut(j, err) < 0 || load_codecs(&j->plan, err) < 0 ||
        bind_program(&j->plan, err) < 0 || output_begin(j->output, err) < 0)
        return -1;
    if (find_whole(j->output, whole, err) == 0)
        return run_in(j, whole, result, err);
    output_abandon(j->output);
    return -1;
}

/* ---- a job that was cut short ---- */

enum datajob_stage datajob_stage(const char *output)
{
    if (output_is_done(output))
        return DATAJOB_DONE;
    if (drive_has_begun(path_of("%s/_temporary/run", output).text))
        return DATAJOB_CUT;
    return output_has_begun(output) ? DATAJOB_NOT_BEGUN : DATAJOB_NONE;
}

int datajob_trust(const char *output, struct err *err)
{
    char whole[PATH_MAX];

    if (find_whole(output, whole, err) < 0 || trust_folder(whole, NULL, err) < 0)
        return -1;
    /* `journal` says where a copy of the journal was promised */
    if (trust_folder(path_of("%s/_temporary", whole).text, "journal", err) < 0)
        return -1;
    return trust_folder(path_of("%s/_temporary/run", whole).text, NULL, err);
}

int datajob_resume(struct datajob *j, struct drive_result *result, struct err *err)
{
    char whole[PATH_MAX];
    int done = -1;

    *result = (struct drive_result){0};
    if (find_whole(j->output, whole, err) < 0)
        return -1;
    struct datajob_paths paths = paths_in(whole);
    if (plan_read(&j->plan, paths.plan.text, err) == 0 &&
        check_program(&j->plan, j->output, err) == 0 && load_codecs(&j->plan, err) == 0 &&
        native_bind_check(&j->plan, err) == 0 && pieces_check(&j->plan, err) == 0 &&
        where_file_read(&j->run.where, &j->where_text, paths.on.text, err) == 0) {
        struct drive_options options = {0};
        struct datajob_end end = {.job = j, .output = whole};
        prepare(&options, &paths, &end);
        done = drive_resume(&options, result, err);
        str_free(&end.copier);
    }
    return done;
}
