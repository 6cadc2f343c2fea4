/* job_counters.c - the counters of a job. See job_counters.h.
 *
 * Every attempt that succeeds leaves a file with what it counted, and does not know whether it has
 * won: the journal does. So nothing is counted twice, whoever is killed meanwhile. */
#include "jobs/run/job_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/os/sync.h"
#include "jobs/drive/drive.h"

enum { NOBODY = UINT32_MAX };

/* The winners so far: tasks of a phase begin where those of the phase above end. */
struct counting {
    const struct task_plan *plan;
    uint32_t *first;  /* of each phase */
    uint32_t *winner; /* attempts */
};

static void take_winner(void *ctx, struct attempt_ref at)
{
    struct counting *c = ctx;

    if (at.phase < c->plan->phases.count && at.task < c->plan->phases.at[at.phase].tasks)
        c->winner[c->first[at.phase] + at.task] = at.attempt;
}

/* 1 or 0; -1 with *err: who knows. */
static int is_there(const char *path, struct err *err)
{
    if (access(path, F_OK) == 0)
        return 1;
    return errno == ENOENT ? 0 : err_system(err, "%s: %s", path, strerror(errno));
}

static int add_task(const struct counting *c, const char *folder, uint32_t phase, uint32_t task,
                    struct counters *sum, struct err *err)
{
    uint32_t attempt = c->winner[c->first[phase] + task];
    struct path path = path_of("%s/%" PRIu32 ".%" PRIu32 ".%" PRIu32, folder, phase, task, attempt);

    if (attempt == NOBODY)
        return 0;
    int result = is_there(path.text, err);
    if (result <= 0)
        return result; /* 0: it has counted nothing */
    result = counters_read(sum, path.text, err);
    if (result == 0 || err->kind == ERR_SYSTEM)
        return result;
    /* They are not synced, and results are not to be kept from their user for that. */
    fprintf(stderr, "dolly: %s; counters of this task are left out\n", err->text);
    return 0;
}

static int add_all(const struct counting *c, const char *folder, struct counters *sum,
                   struct err *err)
{
    for (uint32_t i = 0; i < c->plan->phases.count; i++)
        for (uint32_t task = 0; task < c->plan->phases.at[i].tasks; task++)
            if (add_task(c, folder, i, task, sum, err) < 0)
                return -1;
    return 0;
}

static int gather(const struct task_plan *plan, const char *run, const char *folder,
                  struct counters *sum, struct err *err)
{
    struct counting c = {.plan = plan};
    uint32_t tasks = 0;

    c.first = mem_zalloc(plan->phases.count, sizeof *c.first);
    for (uint32_t i = 0; i < plan->phases.count; i++) {
        c.first[i] = tasks;
        tasks += plan->phases.at[i].tasks;
    }
    c.winner = mem_zalloc(tasks, sizeof *c.winner);
    memset(c.winner, 0xff, tasks * sizeof *c.winner); /* NOBODY */
    int result = drive_winners(run, take_winner, &c, err);
    if (result == 0)
        result = add_all(&c, folder, sum, err);
    mem_free(c.first);
    mem_free(c.winner);
    return result;
}

int job_counters_gather(const struct task_plan *plan, const char *output, struct counters *sum,
                        struct err *err)
{
    struct path folder = path_of("%s/_temporary/counters", output);
    struct path run = path_of("%s/_temporary/run", output);
    int result = is_there(folder.text, err);

    return result > 0 ? gather(plan, run.text, folder.text, sum, err) : result;
}

/* ---- as JSON ---- */

static json_t *child_of(json_t *object, const char *key)
{
    json_t *child = json_object_get(object, key);

    if (!child) {
        child = json_object();
        json_object_set_new(object, key, child);
    }
    return child;
}

/* JSON holds text: what is none is shown as such. */
static char *as_text(const char *bytes)
{
    json_t *text = json_string(bytes);
    char *copy = mem_strdup(bytes);

    for (char *c = copy; *c && !text; c++)
        if (*c & 0x80)
            *c = '?';
    json_decref(text);
    return copy;
}

json_t *job_counters_json(const struct counters *c)
{
    json_t *all = json_object();

    for (uint32_t i = 0; i < c->at.count; i++) {
        char *group = as_text(c->at.at[i].group), *name = as_text(c->at.at[i].name);
        json_object_set_new(child_of(all, group), name, json_integer(c->at.at[i].sum));
        mem_free(group);
        mem_free(name);
    }
    return all;
}

int job_counters_write(const struct counters *c, const char *output, struct err *err)
{
    struct path path = path_of("%s/_counters.json", output);
    struct path beside = path_of("%s/_temporary/counters.json", output);
    int result = 0;

    if (c->at.count == 0)
        return 0;
    json_t *all = job_counters_json(c);
    if (json_dump_file(all, beside.text, JSON_INDENT(2)) < 0 || sync_file(beside.text) < 0 ||
        rename(beside.text, path.text) < 0)
        result = err_system(err, "%s: %s", path.text, strerror(errno));
    json_decref(all);
    return result;
}
