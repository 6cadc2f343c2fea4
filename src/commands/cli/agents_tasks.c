/* agents_tasks.c - plays the journal and lists what its account says has started and not ended.
 *
 * Rejected: a list that the coordinator writes, as it does of its agents. With some thousand tasks
 * at a time that is much to write each second, for a look that few take. */
#include "commands/cli/agents_tasks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "jobs/map/map_look.h"
#include "record/journal/journal_play.h"
#include "record/stats/follow.h"

/* The names of a job of which something may still run. */
struct tasks_job {
    char *name, **phase;
};

/* A subscriber to the account of the run. */
struct tasks_seen {
    struct follow *follow;
    uint32_t owner;
    VEC(char *) nodes;
    bool map; /* its tasks are known by their numbers, not by the names of their job */
};

static char *tasks_copy(const char *text, const char *usual)
{
    return mem_strdup(text && *text ? text : usual);
}

static void tasks_submitted(void *ctx, struct live_job *live, const struct job_spec *spec)
{
    const struct tasks_seen *s = ctx;

    if (s->map)
        return;
    struct tasks_job *j = mem_zalloc(1, sizeof *j);
    j->name = tasks_copy(spec->name, "job");
    j->phase = mem_zalloc(spec->phase_count, sizeof *j->phase);
    for (uint16_t i = 0; i < spec->phase_count; i++)
        j->phase[i] = tasks_copy(spec->phases[i].name, "phase");
    live->own[s->owner] = j;
}

static void tasks_gone(void *ctx, struct live_job *live)
{
    const struct tasks_seen *s = ctx;
    struct tasks_job *j = live->own[s->owner];

    if (!j)
        return;
    for (uint16_t i = 0; i < live->phase_count; i++)
        mem_free(j->phase[i]);
    mem_free(j->phase);
    mem_free(j->name);
    mem_free(j);
}

static void tasks_launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    follow_keep(((struct tasks_seen *)ctx)->follow, p, d->at.attempt)->node = d->node.v;
}

static void tasks_event(void *ctx, const struct event *e)
{
    struct tasks_seen *s = ctx;

    if (e->type != EV_NODE_UP)
        return;
    while (s->nodes.count <= e->node.v)
        vec_push(&s->nodes, NULL);
    mem_free(s->nodes.at[e->node.v]);
    s->nodes.at[e->node.v] = tasks_copy(e->u.node.name, "?");
}

static int tasks_run(void *ctx, const struct record *record, struct err *err)
{
    struct tasks_seen *s = ctx;

    (void)err;
    s->map = strcmp(record->u.run.body, "map") == 0;
    return 0;
}

/* ---- words ---- */

static void tasks_add(struct agents_tasks *t, const struct tasks_seen *s, struct attempt_ref at,
                      const struct live_attempt *a, const struct tasks_job *j,
                      const struct map_look *look)
{
    struct agents_task task = {.attempt = at.attempt, .since_us = a->started_us};
    struct str name = {0}, command = {0};
    uint32_t number = look ? map_look_task(look, at) : 0;

    task.node = tasks_copy(a->node < s->nodes.count ? s->nodes.at[a->node] : NULL, "?");
    if (look && number < map_look_tasks(look)) {
        str_addf(&name, "%llu", (unsigned long long)map_look_seq(look, number));
        map_look_command(look, number, &command);
    } else if (j) {
        str_addf(&name, "%s/%s/%u", j->name, j->phase[at.phase], at.task);
    } else {
        str_addf(&name, "%u/%u/%u", at.job.v, at.phase, at.task);
    }
    task.task = name.text;
    task.command = command.text;
    vec_push(&t->at, task);
}

/* Adds the attempts of a job that have started, and run as far as the journal has it. */
static void tasks_add_job(struct agents_tasks *t, const struct tasks_seen *s,
                          const struct live_job *j, const struct map_look *look)
{
    for (uint16_t p = 0; p < j->phase_count; p++)
        for (uint32_t k = 0; k < j->phases[p].count; k++) {
            const struct live_attempt *a =
                live_jobs_newest(&s->follow->jobs, &j->phases[p].tasks[k]);
            for (; a; a = live_jobs_older(&s->follow->jobs, a))
                if (a->started_us >= 0 && a->left_us < 0 && a->ended_us < 0)
                    tasks_add(t, s, (struct attempt_ref){j->id, k, p, a->ordinal}, a,
                              j->own[s->owner], look);
        }
}

static int tasks_order(const void *left, const void *right)
{
    const struct agents_task *a = left, *b = right;
    int by_node = strcmp(a->node, b->node);

    return by_node ? by_node : a->since_us < b->since_us ? -1 : a->since_us > b->since_us;
}

int agents_tasks_read(struct agents_tasks *t, const char *dir, struct err *err)
{
    static const struct follow_hooks hooks = {.submitted = tasks_submitted,
                                              .launched = tasks_launched,
                                              .gone = tasks_gone,
                                              .event = tasks_event};
    struct tasks_seen s = {.follow = follow_create(0, 0)};
    struct tap tap = follow_tap(s.follow);
    struct journal_play play = {.taps = &tap, .tap_count = 1, .ctx = &s, .run = tasks_run};
    struct journal_played played;
    char path[PATH_MAX];
    struct stat st = {0};

    s.owner = follow_subscribe(s.follow, &s, &hooks);
    snprintf(path, sizeof path, "%s/journal", dir);
    int result = stat(path, &st) < 0 ? err_system(err, "%s: the journal does not exist yet", dir)
                                     : journal_play(path, &play, &played, err);
    if (result == 0) {
        struct map_look *look = s.map ? map_look_open(dir) : NULL;
        int64_t zero_us =
            (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000 - played.last_us;
        for (uint32_t i = 0; i < s.follow->jobs.window.count; i++)
            if (s.follow->jobs.window.at[i])
                tasks_add_job(t, &s, s.follow->jobs.window.at[i], look);
        for (uint32_t i = 0; i < t->at.count; i++)
            t->at.at[i].since_us += zero_us;
        map_look_close(look);
        if (t->at.count)
            qsort(t->at.at, t->at.count, sizeof *t->at.at, tasks_order);
    }
    follow_destroy(s.follow);
    for (uint32_t i = 0; i < s.nodes.count; i++)
        mem_free(s.nodes.at[i]);
    vec_free(&s.nodes);
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
