/* story_script_test.h - a journal told by hand, for tests of the story. Times are in seconds. */
#ifndef RECORD_STORY_STORY_SCRIPT_TEST_H
#define RECORD_STORY_STORY_SCRIPT_TEST_H

#include "core/model/res.h"
#include "record/story/story.h"

enum { SCRIPT_SECOND = 1000000 };

/* One slot per task; the second phase, if there is one, reads the first. */
struct script_job {
    uint32_t id, maps, reduces;
    const char *name;
    const int64_t *inputs; /* of the maps, or NULL */
};

/* A turn of one event or one decision. */
static inline void script_tell_event(struct story *s, int64_t now_us, const struct event *e)
{
    struct err err;
    struct turn turn = {.now_us = now_us, .events = e, .event_count = 1};
    story_tap(s).turn(s, &turn, &err);
}

static inline void script_tell_decision(struct story *s, int64_t now_us, const struct decision *d)
{
    struct err err;
    struct turn turn = {.now_us = now_us, .decisions = d, .decision_count = 1};
    story_tap(s).turn(s, &turn, &err);
}

static inline void script_submit(struct story *s, int64_t at_s, const struct script_job *job)
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
    script_tell_event(s, at_s * SCRIPT_SECOND, &e);
}

static inline void script_event(struct story *s, double at_s, uint8_t type, struct attempt_ref at)
{
    struct event e = {.type = type, .at = at};
    if (type == EV_ATTEMPT_FAILED) {
        e.cause = CAUSE_EXIT;
        e.detail = 3;
    }
    script_tell_event(s, (int64_t)(at_s * SCRIPT_SECOND), &e);
}

static inline void script_progress(struct story *s, double at_s, struct attempt_ref at, int percent)
{
    struct event e = {.type = EV_ATTEMPT_PROGRESS, .at = at};
    e.u.progress.done = percent;
    e.u.progress.total = 100;
    script_tell_event(s, (int64_t)(at_s * SCRIPT_SECOND), &e);
}

/* Launched, and started at once. */
static inline void script_launch(struct story *s, double at_s, uint8_t kind, struct attempt_ref at,
                                 uint32_t node)
{
    struct decision d = {
        .type = DO_LAUNCH, .kind = kind, .at = at, .node = {node}, .why = REASON(WHY_CLONE, 1, 2)};
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
    script_event(s, at_s, EV_ATTEMPT_STARTED, at);
}

static inline void script_win(struct story *s, double at_s, struct attempt_ref at)
{
    script_event(s, at_s, EV_ATTEMPT_FINISHED, at);
    script_event(s, at_s, EV_COMMITTED, at);
}

/* Asked to end, and dead `lag_s` later. */
static inline void script_kill(struct story *s, double at_s, double lag_s, struct attempt_ref at)
{
    struct decision d = {.type = DO_KILL, .at = at, .why = REASON_PLAIN(WHY_LOST_RACE)};
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
    script_event(s, at_s + lag_s, EV_ATTEMPT_KILLED, at);
}

static inline void script_verdict(struct story *s, double at_s, struct attempt_ref at,
                                  struct reason why)
{
    struct decision d = {.type = DO_VERDICT, .at = at, .why = why};
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
}

static inline void script_over(struct story *s, double at_s, uint8_t type, uint32_t job)
{
    struct decision d = {.type = type, .at = {{job}, TASK_ALL, 0, 0}, .why = REASON_PLAIN(0)};
    script_tell_decision(s, (int64_t)(at_s * SCRIPT_SECOND), &d);
}

#endif
