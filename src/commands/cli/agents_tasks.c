/* agents_tasks.c - reads the story of the run up to the end of its journal, and lists the attempts
 * that have started there and not ended.
 *
 * Rejected: a list that the coordinator writes, as it does of its agents. With some thousand tasks
 * at a time that is much to write each second, for a look that few take. */
#include "commands/cli/agents_tasks.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "commands/explain/explain_open.h"

struct tasks_reading {
    struct explain_input input;
    struct agents_tasks *tasks;
};

static void add(struct agents_tasks *t, const struct explain *x, const struct story_job *j,
                const struct story_attempt *a)
{
    struct agents_task task = {.attempt = a->ordinal, .since_us = a->started_us};
    const char *phase = j->phases[a->phase].name;
    const char *node = a->node.v < x->run->nodes.count ? x->run->nodes.at[a->node.v].name : NULL;
    struct str name = {0}, command = {0};

    if (x->look && a->task < map_look_tasks(x->look)) {
        str_addf(&name, "%llu", (unsigned long long)explain_number(x, a->task));
        map_look_command(x->look, a->task, &command);
    } else if (!x->from_one) {
        str_addf(&name, "%s/%s/%u", *j->name ? j->name : "job", *phase ? phase : "phase", a->task);
    } else {
        str_addf(&name, "%u/%u/%u", j->id.v, a->phase, a->task);
    }
    task.node = mem_strdup(node && *node ? node : "?");
    task.task = name.text;
    task.command = command.text;
    vec_push(&t->at, task);
}

/* Adds the attempts of a job that have started, and run as far as the journal has it. */
static void add_job(void *ctx, const struct story_job *j, const struct story_facts *facts)
{
    struct tasks_reading *r = ctx;

    (void)facts;
    for (uint16_t k = 0; k < j->phase_count; k++)
        for (uint32_t t = 0; t < j->phases[k].count; t++)
            for (uint32_t i = j->phases[k].tasks[t].newest; i != STORY_NONE;
                 i = j->attempts.at[i].older)
                if (j->attempts.at[i].started_us >= 0 && j->attempts.at[i].ended_us < 0)
                    add(r->tasks, &r->input.x, j, &j->attempts.at[i]);
}

/* At the end of the journal, where the story is as of the last turn. */
static bool at_end(void *ctx)
{
    struct tasks_reading *r = ctx;

    story_each_open(r->input.story, (struct story_listener){r, add_job});
    return false;
}

static int by_node(const void *left, const void *right)
{
    const struct agents_task *a = left, *b = right;
    int order = strcmp(a->node, b->node);

    return order ? order : a->since_us < b->since_us ? -1 : a->since_us > b->since_us;
}

int agents_tasks_read(struct agents_tasks *t, const char *dir, struct err *err)
{
    struct tasks_reading r = {.tasks = t};
    struct journal_follow follow = {&r, at_end};
    struct explain_watch watch = {.follow = &follow};
    char path[PATH_MAX];
    struct stat st;

    snprintf(path, sizeof path, "%s/journal", dir);
    if (stat(path, &st) < 0)
        return err_system(err, "%s: the journal does not exist yet", dir);
    int result = explain_open(&r.input, path, NULL, &watch, err);
    while (result < 0 && r.input.grown) { /* tasks arrived while it was read */
        explain_open_end(&r.input);
        agents_tasks_fini(t);
        result = explain_open(&r.input, path, NULL, &watch, err);
    }
    int64_t zero_us =
        (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000 - r.input.x.run->last_us;
    for (uint32_t i = 0; i < t->at.count; i++)
        t->at.at[i].since_us += zero_us;
    explain_open_end(&r.input);
    vec_sort(&t->at, by_node);
    return result;
}

void agents_tasks_fini(struct agents_tasks *t)
{
    for (uint32_t i = 0; i < t->at.count; i++) {
        mem_free(t->at.at[i].node);
        mem_free(t->at.at[i].task);
        mem_free(t->at.at[i].command);
    }
    vec_free(&t->at);
}
