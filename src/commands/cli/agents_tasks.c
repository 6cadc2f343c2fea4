/* agents_tasks.c - plays the journal and keeps what has started and not ended.
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

struct tasks_running {
    struct attempt_ref at;
    struct node_id node;
    int64_t launched_us, started_us; /* of the run; started -1: not yet */
};

struct tasks_job {
    uint32_t job;
    uint16_t phases;
    char *name, **phase;
};

/* What the journal has told so far. */
struct tasks_seen {
    VEC(struct tasks_running) running;
    VEC(char *) nodes;
    VEC(struct tasks_job) jobs; /* not of `dolly map`, whose tasks are known by their numbers */
    bool map;
};

static char *tasks_copy(const char *text, const char *usual)
{
    return mem_strdup(text && *text ? text : usual);
}

static void tasks_job_submitted(struct tasks_seen *s, const struct event *e)
{
    const struct job_spec *spec = e->u.job;

    struct tasks_job j = {.job = e->at.job.v, .phases = (uint16_t)spec->phase_count};

    if (s->map)
        return;
    j.name = tasks_copy(spec->name, "job");
    j.phase = mem_zalloc(spec->phase_count, sizeof *j.phase);
    for (uint16_t i = 0; i < j.phases; i++)
        j.phase[i] = tasks_copy(spec->phases[i].name, "phase");
    vec_push(&s->jobs, j);
}

static void tasks_node_up(struct tasks_seen *s, const struct event *e)
{
    while (s->nodes.count <= e->node.v)
        vec_push(&s->nodes, NULL);
    mem_free(s->nodes.at[e->node.v]);
    s->nodes.at[e->node.v] = tasks_copy(e->u.node.name, "?");
}

static struct tasks_running *tasks_find(struct tasks_seen *s, struct attempt_ref at)
{
    for (uint32_t i = 0; i < s->running.count; i++)
        if (attempt_equal(s->running.at[i].at, at))
            return &s->running.at[i];
    return NULL;
}

static void tasks_event(struct tasks_seen *s, const struct event *e, int64_t now_us)
{
    struct tasks_running *r;

    if (e->type == EV_JOB_SUBMITTED) {
        tasks_job_submitted(s, e);
    } else if (e->type == EV_NODE_UP) {
        tasks_node_up(s, e);
    } else if (e->type == EV_ATTEMPT_STARTED && (r = tasks_find(s, e->at))) {
        r->started_us = event_started_us(e, now_us, r->launched_us);
    } else if ((event_is_end(e->type) || e->type == EV_ATTEMPT_ENDED) &&
               (r = tasks_find(s, e->at))) {
        *r = s->running.at[--s->running.count];
    }
}

static int tasks_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct tasks_seen *s = ctx;

    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++)
        tasks_event(s, &turn->events[i], turn->now_us);
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        const struct decision *d = &turn->decisions[i];
        if (d->type == DO_LAUNCH)
            vec_push(&s->running,
                     ((struct tasks_running){d->at, d->node, turn->now_us, -1}));
    }
    return 0;
}

static int tasks_run(void *ctx, const struct record *record, struct err *err)
{
    struct tasks_seen *s = ctx;

    (void)err;
    s->map = strcmp(record->u.run.body, "map") == 0;
    return 0;
}

/* ---- words ---- */

static char *tasks_name(const struct tasks_seen *s, struct attempt_ref at)
{
    struct str text = {0};

    for (uint32_t i = 0; i < s->jobs.count; i++) {
        const struct tasks_job *j = &s->jobs.at[i];
        if (j->job == at.job.v && at.phase < j->phases) {
            str_addf(&text, "%s/%s/%u", j->name, j->phase[at.phase], at.task);
            return text.text;
        }
    }
    str_addf(&text, "%u/%u/%u", at.job.v, at.phase, at.task);
    return text.text;
}

static void tasks_add(struct agents_tasks *t, const struct tasks_seen *s,
                      const struct tasks_running *r, const struct map_look *look, int64_t zero_us)
{
    struct agents_task task = {.attempt = r->at.attempt, .since_us = zero_us + r->started_us};
    uint32_t number = look ? map_look_task(look, r->at) : 0;
    const char *node = r->node.v < s->nodes.count ? s->nodes.at[r->node.v] : NULL;

    task.node = tasks_copy(node, "?");
    if (look && number < map_look_tasks(look)) {
        struct str name = {0}, command = {0};
        str_addf(&name, "%llu", (unsigned long long)map_look_seq(look, number));
        map_look_command(look, number, &command);
        task.task = name.text;
        task.command = command.text;
    } else {
        task.task = tasks_name(s, r->at);
    }
    vec_push(&t->at, task);
}

static int tasks_order(const void *left, const void *right)
{
    const struct agents_task *a = left, *b = right;
    int by_node = strcmp(a->node, b->node);

    return by_node ? by_node : a->since_us < b->since_us ? -1 : a->since_us > b->since_us;
}

static void tasks_seen_fini(struct tasks_seen *s)
{
    for (uint32_t i = 0; i < s->jobs.count; i++) {
        struct tasks_job *j = &s->jobs.at[i];
        for (uint16_t k = 0; k < j->phases; k++)
            mem_free(j->phase[k]);
        mem_free(j->phase);
        mem_free(j->name);
    }
    vec_free(&s->jobs);
    for (uint32_t i = 0; i < s->nodes.count; i++)
        mem_free(s->nodes.at[i]);
    vec_free(&s->nodes);
    vec_free(&s->running);
}

int agents_tasks_read(struct agents_tasks *t, const char *dir, struct err *err)
{
    struct tasks_seen s = {0};
    struct tap tap = {&s, tasks_turn};
    struct journal_play play = {.taps = &tap, .tap_count = 1, .ctx = &s, .run = tasks_run};
    struct journal_played played;
    char path[PATH_MAX];
    struct stat st = {0};

    snprintf(path, sizeof path, "%s/journal", dir);
    int result = stat(path, &st) < 0 ? err_system(err, "%s: there is no journal yet", dir)
                                     : journal_play(path, &play, &played, err);
    if (result == 0) {
        struct map_look *look = s.map ? map_look_open(dir) : NULL;
        int64_t zero_us = (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000 -
                          played.last_us;
        for (uint32_t i = 0; i < s.running.count; i++)
            if (s.running.at[i].started_us >= 0)
                tasks_add(t, &s, &s.running.at[i], look, zero_us);
        map_look_close(look);
        if (t->at.count)
            qsort(t->at.at, t->at.count, sizeof *t->at.at, tasks_order);
    }
    tasks_seen_fini(&s);
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
