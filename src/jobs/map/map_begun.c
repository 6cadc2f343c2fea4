/* map_begun.c - which commands would run a second time, by the journal of a run that was cut short.
 *
 * Per task, as several attempts of one may have begun one after the other: a task is in the list
 * from its first launch until it has an output or has failed for good. An attempt that was lost
 * leaves it there, as the next one may not have been launched yet. The journal lacks the last
 * moments: what the guardian has seen to end is not in the list either. */
#include "jobs/map/map_begun.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/os/path.h"
#include "exec/folder/ends.h"
#include "jobs/map/map.h"
#include "record/journal/journal_play.h"
#include "ui/words.h"

struct begun_task {
    struct attempt_ref at; /* its latest attempt */
    uint16_t first;        /* and the one that it is in the list for */
    bool lives;            /* the end of the latest one is not known */
};

/* Tasks that are not over and may have run. Few, as the rest is over. */
struct begun {
    VEC(struct begun_task) at;
    const struct map *map;
};

static struct begun_task *begun_find(struct begun *b, struct attempt_ref at)
{
    for (uint32_t i = 0; i < b->at.count; i++) {
        at.attempt = b->at.at[i].at.attempt;
        if (attempt_equal(b->at.at[i].at, at))
            return &b->at.at[i];
    }
    return NULL;
}

static void begun_add(struct begun *b, struct attempt_ref at, bool lives)
{
    struct begun_task *t = begun_find(b, at);

    if (!t) {
        vec_push(&b->at, ((struct begun_task){at, at.attempt, lives}));
        return;
    }
    t->at = at;
    t->lives = lives;
}

static void begun_remove(struct begun *b, struct begun_task *t)
{
    if (t)
        *t = b->at.at[--b->at.count];
}

static void begun_event(struct begun *b, const struct event *e)
{
    struct begun_task *t = begun_find(b, e->at);

    switch (e->type) {
    case EV_ATTEMPT_FINISHED: /* whether its output is whole is looked at when the run goes on */
        begun_remove(b, t);
        break;
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        if (!t)
            break;
        t->lives = false;
        /* With --retries its user wants what fails to run again; else see begun_decision. What
         * never started has not run, but if its node was lost, nobody knows. */
        if (e->cause != CAUSE_NODE_DOWN &&
            ((e->type == EV_ATTEMPT_FAILED && b->map->options.retries > 1) ||
             (e->type == EV_ATTEMPT_LAUNCH_FAILED && t->first == e->at.attempt)))
            begun_remove(b, t);
        break;
    case EV_OUTPUT_LOST:
    case EV_COMMIT_FAILED:
        if (e->type == EV_OUTPUT_LOST || e->cause == CAUSE_OUTPUT_GONE ||
            b->map->options.retries <= 1)
            begun_add(b, e->at, false);
        break;
    default:
        break;
    }
}

/* A launch that was decided may have happened. What has failed for good does not run again. */
static void begun_decision(struct begun *b, const struct decision *d)
{
    uint32_t kept = 0;

    if (d->type == DO_LAUNCH) {
        begun_add(b, d->at, true);
    } else if (d->type == DO_VERDICT && d->at.task != TASK_ALL &&
               (d->why.code == WHY_TOO_MANY_FAILURES || d->why.code == WHY_TOO_MANY_LAUNCHES)) {
        begun_remove(b, begun_find(b, d->at));
    } else if (d->type == DO_JOB_DONE || d->type == DO_JOB_FAILED) {
        for (uint32_t i = 0; i < b->at.count; i++)
            if (b->at.at[i].at.job.v != d->at.job.v)
                b->at.at[kept++] = b->at.at[i];
        b->at.count = kept;
    }
}

static int begun_turn(void *ctx, const struct turn *turn, struct err *err)
{
    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++)
        begun_event(ctx, &turn->events[i]);
    for (uint32_t i = 0; i < turn->decision_count; i++)
        begun_decision(ctx, &turn->decisions[i]);
    return 0;
}

/* The guardian notes every end, also those that the journal has. */
static void begun_ended(void *ctx, struct attempt_ref at, const struct packet_end *end)
{
    struct begun_task *t = begun_find(ctx, at);

    (void)end;
    if (t && t->lives && t->at.attempt == at.attempt)
        begun_remove(ctx, t);
}

static int begun_order(const void *a, const void *b)
{
    uint32_t x = ((const struct begun_task *)a)->at.task;
    uint32_t y = ((const struct begun_task *)b)->at.task;
    return x < y ? -1 : x > y;
}

static int begun_tell(const struct map *m, struct begun *b, struct err *err)
{
    struct str command = {0};

    if (b->at.count == 0)
        return 0;
    for (uint32_t i = 0; i < b->at.count; i++)
        b->at.at[i].at = map_feed_from_brain(&m->feed, b->at.at[i].at);
    qsort(b->at.at, b->at.count, sizeof *b->at.at, begun_order);
    for (uint32_t i = 0; i < b->at.count; i++) {
        uint32_t task = b->at.at[i].at.task;
        str_cut(&command, 0);
        plan_command(m->plan, task, 0, &command);
        fprintf(stderr, "%llu\t%s\n", (unsigned long long)plan_seq(m->plan, task), command.text);
    }
    str_free(&command);
    return err_set(err, "%s: %s running when the run stopped; --once forbids a second run", m->dir,
                   words_were(b->at.count, "command").text);
}

int map_begun_refuse(const struct map *m, struct err *err)
{
    struct begun b = {.map = m};
    struct tap tap = {&b, begun_turn};
    struct path path = path_of("%s/journal", m->dir);

    if (m->options.clone || m->options.pure)
        return 0;
    int result =
        journal_play(path.text, &(struct journal_play){.taps = &tap, .tap_count = 1}, NULL, err);
    if (result == 0) {
        ends_read(m->dir, begun_ended, &b);
        result = begun_tell(m, &b, err);
    }
    vec_free(&b.at);
    return result;
}
