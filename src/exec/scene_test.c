#include "exec/scene_test.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "core/brain/brain.h"
#include "core/engine/engine.h"
#include "core/policy/policy.h"
#include "exec/exec.h"
#include "exec/folder/run_dir.h"
#include "exec/folder/run_lock.h"
#include "exec/process/sys.h"
#include "record/journal/journal.h"
#include "record/journal/journal_play.h"
#include "record/run/run.h"
#include "tests/unit/test.h"

bool scene_open(struct scene *s, const char *workload)
{
    char path[PATH_MAX];

    *s = (struct scene){0};
    test_folder(s->dir);
    snprintf(path, sizeof path, "%s/workload", s->dir);
    FILE *f = fopen(path, "w");
    fputs(workload, f);
    return fclose(f) == 0;
}

void scene_close(struct scene *s)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", s->dir);
    expect(system(command) == 0);
}

void scene_run(struct scene *s, const char *shell)
{
    char run[80], path[PATH_MAX];
    struct cluster *cluster = cluster_plain(2, 2);
    struct policy *policy = policy_create("none", &s->err);
    struct str text = {0};

    snprintf(path, sizeof path, "%s/workload", s->dir);
    struct workload *workload = workload_file_read(path, cluster, &s->err);
    expect(workload != NULL);
    snprintf(run, sizeof run, "%s/run", s->dir);
    s->result = run_dir_create(run, &s->err) < 0 ? -2 : 0;
    policy_describe(policy, &text);
    snprintf(path, sizeof path, "%s/journal", run);
    struct journal_options options = {.path = path, .each_turn = true};
    struct journal *journal =
        s->result ? NULL : journal_create(&options, 1, text.text, "exec", &s->err);
    struct exec_options exec = {
        .cluster = cluster, .workload = workload, .dir = run, .journal = journal, .shell = shell};
    struct exec *x = journal ? exec_create(&exec, &s->err) : NULL;
    if (!x)
        s->result = -2;
    struct brain *brain = brain_create(policy, 1);
    if (x) {
        struct tap taps[] = {journal_tap(journal), s->tap};
        s->result = engine_run(brain, &exec_body, x, taps, s->tap.turn ? 2 : 1, &s->err);
        if (exec_failure(x))
            snprintf(s->failure, sizeof s->failure, "%s", exec_failure(x));
        exec_destroy(x);
    }
    struct err ignored;
    journal_close(journal, s->result == 0, &ignored);
    brain_destroy(brain);
    workload->destroy(workload);
    policy_destroy(policy);
    cluster_destroy(cluster);
    str_free(&text);
}

/* The pieces of a second life, from the journal to the last turn. */
static int resume_with(struct scene *s, struct exec_options *options, const char *path)
{
    struct journal_played played;
    struct record record;
    struct policy *policy = policy_create("none", &s->err);
    struct run *run = run_create(&(struct run_options){.policy = policy, .seed = 1}, &s->err);
    struct journal_reader *r = journal_reader_open(path, NULL, &s->err);
    struct exec *x = exec_create(options, &s->err);
    int result = -1;

    struct tap recall = exec_recall_tap(x);
    struct journal_play play = {
        .taps = &recall, .tap_count = 1, .ctx = x, .intent = exec_recall_intent};
    if (x && r && journal_reader_next(r, &record, &s->err) > 0 &&
        run_recall(run, r, path, &play, &played, &s->err) == 0 &&
        exec_recall_end(x, run_journal(run), played.last_us, &s->err) == 0)
        result = run_drive(run, (struct body){&exec_body, x}, NULL, 0, &s->err);
    exec_destroy(x);
    result = run_close(run, result, &s->err);
    journal_reader_close(r);
    policy_destroy(policy);
    return result;
}

void scene_resume(struct scene *s)
{
    char run[80], path[PATH_MAX];
    struct journal_played played;
    struct cluster *cluster = cluster_plain(2, 2);

    snprintf(path, sizeof path, "%s/workload", s->dir);
    struct workload *workload = workload_file_read(path, cluster, &s->err);
    snprintf(run, sizeof run, "%s/run", s->dir);
    snprintf(path, sizeof path, "%s/journal", run);
    s->result = -2;
    if (access(path, F_OK) == 0 &&
        journal_play(path, &(struct journal_play){0}, &played, &s->err) == 0) {
        struct exec_options options = {.cluster = cluster,
                                       .workload = workload,
                                       .dir = run,
                                       .again = true,
                                       .lock_fd =
                                           played.complete ? 0 : run_lock_left(run, &s->err)};
        s->result = played.complete ? 1 : resume_with(s, &options, path);
        if (options.lock_fd > 0)
            close(options.lock_fd);
    }
    workload->destroy(workload);
    cluster_destroy(cluster);
}

const char *scene_output(struct scene *s, const char *name)
{
    static char text[4096];
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/run/out/%s", s->dir, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

bool scene_is(struct scene *s, const char *name, const char *want)
{
    const char *have = scene_output(s, name);
    return have && strcmp(have, want) == 0;
}

bool scene_lock_free(const char *run)
{
    char path[PATH_MAX];
    int64_t until = clock_now_us() + 20000000;

    snprintf(path, sizeof path, "%s/lock", run);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    bool free = false;
    while (!(free = flock(fd, LOCK_EX | LOCK_NB) == 0) && clock_now_us() < until)
        usleep(2000);
    close(fd);
    return free;
}

bool scene_deserted(struct scene *s)
{
    char run[PATH_MAX];

    snprintf(run, sizeof run, "%s/run", s->dir);
    return scene_lock_free(run);
}

static struct workload_job *job_once(struct workload *w)
{
    struct scene_job *j = (struct scene_job *)(void *)w;

    if (j->given)
        return NULL;
    j->given = true;
    return &j->job;
}

void scene_job_init(struct scene_job *j, uint32_t tasks)
{
    *j = (struct scene_job){
        .workload = {.name = "stage", .next = job_once},
        .phase = {.name = "p",
                  .tasks = tasks,
                  .demand = {{RES_SLOT, 0, 0, 0}},
                  .failures_allowed = UINT32_MAX},
    };
    j->job.spec = (struct job_spec){
        .name = "j", .weight = JOB_WEIGHT_ONE, .phases = &j->phase, .phase_count = 1};
    j->job.truth = &j->truth;
}
