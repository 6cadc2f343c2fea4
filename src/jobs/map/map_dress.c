/* map_dress.c - the command, environment and stdin of an attempt. */
#include "jobs/map/map_dress.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/program.h"
#include "exec/process/descendants.h"
#include "jobs/map/map.h"

/* Names that an outer run may have left in our environment. */
static const char *const names[] = {
    "PARALLEL_SEQ",         "PARALLEL_JOBSLOT",     "PARALLEL_PID",
    "SLURM_ARRAY_JOB_ID",   "SLURM_ARRAY_TASK_ID",  "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"};

void map_dress_clean_environment(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* By hand, because every attempt gets three of them. */
static void env_number(struct map_dress *d, const char *name, uint64_t value)
{
    char digits[24], *at = digits + sizeof digits - 1;

    *at = 0;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    *--at = '=';
    vec_append(&d->env, name, strlen(name));
    vec_append(&d->env, at, (size_t)(digits + sizeof digits - at));
}

static void env_array(struct map *m, const char *prefix, uint32_t task)
{
    const struct array_spec *a = &m->array;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"JOB_ID", m->id},
                   {"TASK_ID", plan_index(m->plan, task)},
                   {"TASK_COUNT", (int64_t)a->count},
                   {"TASK_MIN", a->min},
                   {"TASK_MAX", a->max},
                   {"TASK_STEP", a->step}};
    char text[64];

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int length = snprintf(text, sizeof text, "%s_ARRAY_%s=%" PRId64, prefix, numbers[i].name,
                              numbers[i].value);
        vec_append(&m->dress.env, text, (size_t)length + 1);
    }
}

/* The slot of the attempt, which gets one unless it has one already. */
static uint32_t slot_of(struct map *m, struct attempt_ref at, struct node_id node, bool again)
{
    return again ? map_slots_number(&m->slots, map_slots_find(&m->slots, at))
                 : map_slots_take(&m->slots, at, node);
}

void map_dress(void *ctx, struct attempt_ref ref, struct node_id node, struct exec_dress *dress)
{
    struct map *m = ctx;
    struct map_dress *d = &m->dress;
    struct attempt_ref at = map_feed_from_brain(&m->feed, ref);
    uint32_t slot = slot_of(m, at, node, dress->again);
    uint64_t seq = plan_seq(m->plan, at.task);
    struct err err;

    str_cut(&d->command, 0);
    plan_enter(m->plan, at.task, slot, &d->command);
    size_t entered = d->command.length;
    plan_command(m->plan, at.task, slot, &d->command);
    if (m->log.file && !dress->again && plan_command_is_steady(m->plan))
        m->slots.all.at[slot - 1].command = mem_strdup(d->command.text + entered);
    if (m->options.show_stderr && !dress->again) {
        progress_line_clear(&m->progress);
        fprintf(stderr, "%s\n", d->command.text + entered);
    }
    vec_clear(&d->env);
    env_number(d, "PARALLEL_SEQ", seq);
    env_number(d, "PARALLEL_JOBSLOT", slot);
    env_number(d, "PARALLEL_PID", (uint64_t)m->id);
    if (m->options.array) {
        env_array(m, "SLURM", at.task);
        env_array(m, "DOLLY", at.task);
    }
    vec_append(&d->env, d->sent.bytes.at, d->sent.bytes.count);
    dress->command = d->command.text;
    dress->env = d->env.at;
    dress->env_bytes = d->env.count;
    if (!m->blocks.dir)
        return;
    str_cut(&d->stdin_path, 0);
    bool made = blocks_path(&m->blocks, &m->options, seq, &d->stdin_path, &err) == 0;
    if (!made)
        map_fail(m, &err);
    if (!m->options.cat || !made) /* the launch fails without the file, so no command runs */
        dress->stdin_path = d->stdin_path.text;
}

void map_dress_fini(struct map_dress *d)
{
    str_free(&d->command);
    str_free(&d->stdin_path);
    vec_free(&d->env);
    where_env_fini(&d->sent);
}

/* ---- the shell ---- */

/* Shells that read what we quote as we mean it. */
static bool is_shell(const char *path)
{
    static const char *const known[] = {"sh",    "bash", "dash", "zsh", "ksh",
                                        "ksh93", "mksh", "ash",  "yash"};
    const char *slash = path ? strrchr(path, '/') : NULL;

    for (size_t i = 0; slash && i < sizeof known / sizeof *known; i++)
        if (strcmp(slash + 1, known[i]) == 0)
            return true;
    return false;
}

int map_dress_shell(char **shell, struct err *err)
{
    const char *named = getenv("PARALLEL_SHELL"), *own = getenv("SHELL");
    char link[64], path[PATH_MAX];
    struct path found;

    if (named && *named) {
        bool is_there = strchr(named, '/') || program_find(named, &found);
        *shell = is_there ? mem_strdup(strchr(named, '/') ? named : found.text) : NULL;
        return is_there ? 0 : err_set(err, "$PARALLEL_SHELL is '%s', which is not in $PATH", named);
    }
    for (int pid = (int)getppid(); pid > 0; pid = (int)descendants_parent(pid)) {
        snprintf(link, sizeof link, "/proc/%d/exe", pid);
        ssize_t n = readlink(link, path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
        if (is_shell(path)) {
            *shell = mem_strdup(path);
            return 0;
        }
    }
    *shell = is_shell(own) && access(own, X_OK) == 0 ? mem_strdup(own) : NULL;
    return 0;
}
