/* story_script_test.h - a journal told by hand, for tests of the story. Times are in seconds.
 *
 * Between two submissions records may be told in any order: the story is shown them in the order of
 * their times, when it is asked for. Nodes come when something is launched on them. */
#pragma once

#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/vec.h"
#include "core/model/res.h"
#include "record/story/story.h"

enum { SCRIPT_SECOND = 1000000 };

/* One slot per task; the second phase, if there is one, reads the first. */
struct script_job {
    uint32_t id, maps, reduces;
    const char *name;
    const int64_t *inputs; /* of the maps, or NULL */
    int64_t late_us;       /* submitted this long after it arrived */
};

/* A record that the story has not been shown yet. */
struct script_record {
    int64_t now_us;
    uint32_t number; /* in the order in which they were told */
    bool decided;
    struct event event;
    struct decision decision;
};

struct story_script {
    struct story *story;
    VEC(struct script_record) told;
};

static inline struct story_script *script_create(const char *job)
{
    struct story_script *s = mem_zalloc(1, sizeof *s);
    s->story = story_create(job, NULL);
    return s;
}

static inline void script_destroy(struct story_script *s)
{
    story_destroy(s->story);
    vec_free(&s->told);
    mem_free(s);
}

/* Shows the story a turn of one event or one decision. */
static inline int script_show(const struct story_script *s, const struct script_record *r)
{
    struct err err;
    struct turn turn = {.now_us = r->now_us,
                        .events = &r->event,
                        .event_count = !r->decided,
                        .decisions = &r->decision,
                        .decision_count = r->decided};
    struct tap tap = story_tap(s->story);
    return tap.turn(tap.ctx, &turn, &err);
}

static inline int script_by_time(const void *a, const void *b)
{
    const struct script_record *x = a, *y = b;
    if (x->now_us != y->now_us)
        return x->now_us < y->now_us ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* The story, which knows all that was told so far. */
static inline struct story *script_story(struct story_script *s)
{
    if (s->told.count > 1)
        qsort(s->told.at, s->told.count, sizeof *s->told.at, script_by_time);
    for (uint32_t i = 0; i < s->told.count; i++)
        check(script_show(s, &s->told.at[i]) == 0);
    vec_clear(&s->told);
    return s->story;
}

static inline void script_tell_event(struct story_script *s, int64_t now_us, const struct event *e)
{
    struct script_record r = {.now_us = now_us, .number = s->told.count, .event = *e};
    vec_push(&s->told, r);
}

static inline void script_tell_decision(struct story_script *s, int64_t now_us,
                                        const struct decision *d)
{
    struct script_record r = {
        .now_us = now_us, .number = s->told.count, .decided = true, .decision = *d};
    vec_push(&s->told, r);
}

static inline void script_submit(struct story_script *s, int64_t at_s, const struct script_job *job)
{
    static const struct edge_spec edge = {.from = 0};
    struct phase_spec phases[2] = {
        {.name = "map", .tasks = job->maps, .demand = {{RES_SLOT}}, .input_each = job->inputs},
        {.name = "reduce", .tasks = job->reduces, .demand = {{RES_SLOT}}},
    };
    phases[1].edges = &edge;
    phases[1].edge_count = 1;
    struct job_spec spec = {.id = {job->id},
                            .name = job->name,
                            .weight = JOB_WEIGHT_ONE,
                            .arrived_us = at_s * SCRIPT_SECOND,
                            .phases = phases,
                            .phase_count = job->reduces ? 2 : 1};
    struct event e = {.type = EV_JOB_SUBMITTED, .at = {.job = spec.id}, .u.job = &spec};
    script_story(s);
    script_tell_event(s, at_s * SCRIPT_SECOND + job->late_us, &e);
    script_story(s); /* before the job is gone from here */
}

static inline void script_event(struct story_script *s, double at_s, uint8_t type,
                                struct attempt_ref at)
{
    struct event e = {.type = type, .at = at};
    if (type == EV_ATTEMPT_FAILED) {
        e.cause = CAUSE_EXIT;
        e.detail = 3;
    }
    script_tell_event(s, (int64_t)(at_s * SCRIPT_SECOND), &e);
}

static inline void script_progress(struct story_script *s, double at_s, struct attempt_ref at,
                                   int percent)
{
    struct event e = {.type = EV_ATTEMPT_PROGRESS, .at = at};
    e.u.progress.done = percent;
    e.u.progress.total = 100;
    script_tell_event(s, (int64_t)(at_s * SCRIPT_SECOND), &e);
}

/* Launched, and started at once. */
static inline void script_launch(struct story_script *s, double at_s, uint8_t kind,
                                 struct attempt_ref at, uint32_t node)
{
    struct decision d = {
        .type = DO_LAUNCH, .kind = kind, .at = at, .node = {node}, .why = REASON(WHY_CLONE, 1, 2)};
    struct event up = {.type = EV_NODE_UP, .node = {node}};
    script_tell_event(s, (int64_t)(at_s * SCRIPT_SECOND), &up);
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
    script_event(s, at_s, EV_ATTEMPT_STARTED, at);
}

static inline void script_win(struct story_script *s, double at_s, struct attempt_ref at)
{
    script_event(s, at_s, EV_ATTEMPT_FINISHED, at);
    script_event(s, at_s, EV_COMMITTED, at);
}

/* Asked to end, and dead `lag_s` later. */
static inline void script_kill(struct story_script *s, double at_s, double lag_s,
                               struct attempt_ref at)
{
    struct decision d = {.type = DO_KILL, .at = at, .why = REASON_PLAIN(WHY_LOST_RACE)};
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
    script_event(s, at_s + lag_s, EV_ATTEMPT_KILLED, at);
}

static inline void script_verdict(struct story_script *s, double at_s, struct attempt_ref at,
                                  struct reason why)
{
    struct decision d = {.type = DO_VERDICT, .at = at, .why = why};
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
}

static inline void script_over(struct story_script *s, double at_s, uint8_t type, uint32_t job)
{
    struct decision d = {.type = type, .at = {{job}, TASK_ALL, 0, 0}, .why = REASON_PLAIN(0)};
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
}
