#include "commands/explain/told_test.h"

#include <stdio.h>

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

void told_init(struct told *t)
{
    *t = (struct told){
        .nodes = {{.name = borrowed("n0")}},
        .job = {.kinds = RES_KINDS_PLAIN,
                .id = {7},
                .name = borrowed("sort"),
                .over_us = -1,
                .phase_count = 2,
                .tasks = TOLD_TASKS + 1},
        .phases = {{.name = borrowed("map"), .count = TOLD_TASKS, .demand = {{RES_SLOT, 512}}},
                   {.name = borrowed("reduce"), .count = 1, .edge_count = 1}},
        .facts = {{.opened_us = -1, .begun_us = -1, .ended_us = -1, .slowest = STORY_NONE},
                  {.opened_us = -1, .begun_us = -1, .ended_us = -1, .slowest = STORY_NONE}},
        .run = {.jobs = 1, .tasks = TOLD_TASKS + 1},
    };
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < TOLD_TASKS; k++)
            t->tasks[i][k] = (struct story_task){
                .launched_us = -1, .committed_us = -1, .given_up_us = -1, .newest = STORY_NONE};
    t->run.nodes.at = t->nodes;
    t->run.nodes.count = 2;
    t->phases[0].tasks = t->tasks[0];
    t->phases[1].tasks = t->tasks[1];
    t->phases[1].edges = &t->edge;
    t->job.phases = t->phases;
    t->x = (struct explain){
        .path = "j", .run = &t->run, .job = &t->job, .facts = {.phases = t->facts, .begun_us = -1}};
}

void told_fini(struct told *t)
{
    vec_free(&t->job.attempts);
    vec_free(&t->job.numbers);
    vec_free(&t->job.reads);
    vec_free(&t->phases[0].verdicts);
    str_free(&t->out);
}

struct story_why told_why(struct told *t, struct reason r)
{
    struct story_why why = {t->job.numbers.count, r.code, r.count};
    for (uint8_t i = 0; i < r.count; i++)
        vec_push(&t->job.numbers, r.num[i]);
    return why;
}

struct story_attempt *told_attempt(struct told *t, uint32_t task, uint8_t kind, int64_t launched_us)
{
    struct story_task *of = &t->tasks[0][task];
    if (of->newest == STORY_NONE)
        of->launched_us = launched_us;
    struct story_attempt a = {
        .launched_us = launched_us,
        .started_us = -1,
        .ended_us = -1,
        .ran_us = -1,
        .cpu_us = -1,
        .stop_us = -1,
        .fed_us = -1,
        .done = -1,
        .why = told_why(t, REASON_PLAIN(WHY_RUNNABLE)),
        .task = task,
        .older = of->newest,
        .skip = STORY_NONE,
        .reads = STORY_NONE,
        .ordinal = of->launches++,
        .kind = kind,
    };
    of->newest = t->job.attempts.count;
    vec_push(&t->job.attempts, a);
    return &t->job.attempts.at[of->newest];
}

bool told_is(struct told *t, const char *expected)
{
    bool same = strcmp(t->out.text ? t->out.text : "", expected) == 0;
    if (!same)
        printf("\"%s\", not \"%s\"\n", t->out.text ? t->out.text : "", expected);
    str_cut(&t->out, 0);
    return same;
}
