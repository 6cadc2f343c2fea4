/* task_env.c - where and how the commands of a task run: their folder and their environment.
 *
 * Hadoop gives settings to commands as variables whose names have underscores where settings have
 * dots, under the names of its second version and of its first. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/text.h"
#include "jobs/task/native_object.h"
#include "jobs/task/task_state.h"

extern char **environ;

/* Where tasks see the user's own file, it must be what it was when the job began. */
static int check_file(const struct plan_file *f, struct err *err)
{
    char hash[NATIVE_OBJECT_HASH];

    if (!f->hash)
        return 0;
    if (native_object_hash(f->path, hash, err) < 0)
        return -1;
    return strcmp(hash, f->hash) == 0
               ? 0
               : err_set(err, "%s: this file has changed since the job began", f->path);
}

int task_env_enter(const struct task_attempt *t, struct err *err)
{
    struct path folder = path_of("%s/work", t->scratch);

    if (mkdir(folder.text, 0700) < 0 || chdir(folder.text) < 0)
        return err_system(err, "%s: %s", folder.text, strerror(errno));
    for (uint32_t i = 0; i < t->plan->files.count; i++) {
        const struct plan_file *f = &t->plan->files.at[i];
        if (check_file(f, err) < 0)
            return -1;
        if (symlink(f->path, f->name) < 0)
            return err_system(err, "%s/%s: %s", folder.text, f->name, strerror(errno));
    }
    return 0;
}

void task_env_leave(const struct task_attempt *t)
{
    for (uint32_t i = 0; i < t->plan->files.count; i++)
        unlink(path_of("%s/work/%s", t->scratch, t->plan->files.at[i].name).text);
    rmdir(path_of("%s/work", t->scratch).text);
}

int task_env_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void task_env_progress(const struct task_attempt *t, uint64_t done, uint64_t total)
{
    static uint64_t told;

    if (t->progress < 0 || total == 0 || done - told < total / 100 + 1)
        return;
    told = done;
    dprintf(t->progress, "%" PRIu64 " %" PRIu64 "\n", done, total);
}

/* ---- the environment ---- */

struct env_list {
    VEC(char *) at;
};

static bool has_name(const char *entry, const char *name)
{
    size_t length = strcspn(name, "=");

    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Adds NAME=VALUE, which takes the place of one of that name. */
static void set(struct env_list *e, const char *entry)
{
    for (uint32_t i = 0; i < e->at.count; i++)
        if (has_name(e->at.at[i], entry)) {
            mem_free(e->at.at[i]);
            e->at.at[i] = mem_strdup(entry);
            return;
        }
    vec_push(&e->at, mem_strdup(entry));
}

static void set_text(struct env_list *e, const char *name, const char *value)
{
    struct str entry = {0};

    str_addf(&entry, "%s=%s", name, value);
    set(e, entry.text);
    str_free(&entry);
}

/* Under the name of Hadoop 2 and under that of Hadoop 1. */
static void set_both(struct env_list *e, const char *name, const char *old, const char *value)
{
    set_text(e, name, value);
    set_text(e, old, value);
}

static void set_number(struct env_list *e, const char *name, const char *old, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    set_both(e, name, old, text);
}

static void set_task(struct env_list *e, const struct task_attempt *t, bool maps)
{
    char id[80];

    set_both(e, "mapreduce_job_id", "mapred_job_id", "job_0_0000");
    set_both(e, "mapreduce_task_ismap", "mapred_task_is_map", maps ? "true" : "false");
    set_number(e, "mapreduce_task_partition", "mapred_task_partition", t->number);
    snprintf(id, sizeof id, "task_0_0000_%c_%06" PRIu32, maps ? 'm' : 'r', t->number);
    set_both(e, "mapreduce_task_id", "mapred_tip_id", id);
    snprintf(id, sizeof id, "attempt_0_0000_%c_%06" PRIu32 "_%" PRIu32, maps ? 'm' : 'r', t->number,
             t->attempt);
    set_both(e, "mapreduce_task_attempt_id", "mapred_task_id", id);
}

static void set_split(struct env_list *e, const struct plan_split *s)
{
    set_both(e, "mapreduce_map_input_file", "map_input_file", s->path);
    set_number(e, "mapreduce_map_input_start", "map_input_start", s->from);
    set_number(e, "mapreduce_map_input_length", "map_input_length", s->bytes);
}

/* Files of the plan are found without a path, also by a PATH of the plan. */
static void set_path(struct env_list *e, const struct task_plan *p)
{
    const char *path = getenv("PATH");
    struct str with_here = {0};

    for (uint32_t i = 0; i < p->env.count; i++)
        if (has_name(p->env.at[i], "PATH="))
            path = p->env.at[i] + strlen("PATH=");

    str_addf(&with_here, ".:%s", path ? path : "/usr/bin:/bin");
    set_text(e, "PATH", with_here.text);
    str_free(&with_here);
}

char **task_env_make(const struct task_attempt *t)
{
    const struct task_plan *p = t->plan;
    const struct plan_split *split = task_split(t);
    const struct plan_phase *last = &p->phases.at[p->phases.count - 1];
    struct env_list e = {0};

    for (char **entry = environ; *entry; entry++)
        vec_push(&e.at, mem_strdup(*entry));
    for (uint32_t i = 0; i < p->env.count; i++)
        set(&e, p->env.at[i]);
    set_path(&e, p);
    set_both(&e, "mapreduce_job_name", "mapred_job_name", p->job);
    set_number(&e, "mapreduce_job_maps", "mapred_map_tasks", p->split_count);
    set_number(&e, "mapreduce_job_reduces", "mapred_reduce_tasks",
               last->above == PLAN_INPUTS ? 0 : last->tasks);
    set_task(&e, t, split != NULL);
    if (split)
        set_split(&e, split);
    vec_push(&e.at, NULL);
    return e.at.at;
}

void task_env_free(char **env)
{
    for (char **entry = env; *entry; entry++)
        mem_free(*entry);
    mem_free(env);
}
