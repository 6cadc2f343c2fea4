/* map_control.c - when to stop, to pause, to end a task. */
#include "jobs/map/map_control.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/stat.h"
#include "jobs/map/map.h"
#include "jobs/map/map_stream.h"

enum {
    STREAM_US = 50000,
    DRAW_US = 200000,
    LOOK_US = 500000, /* between two looks at load and memory */
    MEDIAN_FROM = 3,  /* tasks that must be done before --timeout N% means anything */
};

/* ---- halting ---- */

/* One line of ours and one with the command, in the words that users of GNU parallel know. */
static void say_of(struct map *m, const char *what, uint32_t task, uint32_t slot,
                   const char *second)
{
    struct str command = {0};

    if (m->recalling)
        return;
    plan_command(m->plan, task, slot, &command);
    progress_line_clear(&m->progress);
    fprintf(stderr, "dolly: This job %s:\n%s%s\n", what, second, command.text);
    str_free(&command);
}

void map_control_timed_out(struct map *m, uint32_t task, uint32_t slot)
{
    say_of(m, "was killed because it timed out", task, slot,
           "dolly: "); /* a warning, both of them */
}

static void announce(struct map *m, uint32_t task, const struct map_end *end)
{
    const struct halt *h = &m->options.halt;

    if (h->what == HALT_DONE)
        say_of(m, "finished", task, end->slot, "");
    else if (h->what == HALT_FAIL && end->state == MAP_TASK_FAILED)
        say_of(m, "failed", task, end->slot, "");
    else if (h->what == HALT_SUCCESS && end->state == MAP_TASK_DONE)
        say_of(m, "succeeded", task, end->slot, "");
}

static void halt(struct map *m, const struct map_end *end)
{
    const struct halt *h = &m->options.halt;
    int status = end->signal ? 128 + end->signal : end->exit >= 0 ? end->exit : 1;
    uint32_t running = m->slots.used;

    m->control.halting = true;
    m->control.halt_status = halt_status(h, m->counts.failed, m->tasks, status);
    if (m->recalling)
        return;
    exec_pause(m->exec, true);
    if (h->when == HALT_NOW)
        map_feed_cancel(m);
    else if (running > 0)
        fprintf(stderr, "dolly: Starting no more jobs. Waiting for %u jobs to finish.\n", running);
}

/* Returns true if the outputs that are being committed end the run. */
static bool is_about_to_halt(const struct map *m)
{
    const struct halt *h = &m->options.halt;

    return h->when != HALT_NEVER &&
           halt_reached(h, m->counts.done + m->watch.committing, m->counts.failed, m->tasks);
}

void map_control_committing(struct map *m)
{
    if (!m->control.halting && is_about_to_halt(m))
        exec_pause(m->exec, true);
}

/* ---- time limits ---- */

static void set_limit(struct map *m, bool always)
{
    uint32_t count = m->counts.runtimes.count, step = count / 16 + 1;

    /* Often at first, then when there is enough that is new to move a median. */
    if (count < MEDIAN_FROM || (count % step != 0 && !always))
        return;
    double median = stat_median(m->counts.runtimes.at, count);
    int64_t limit_us = (int64_t)(median * m->options.timeout_percent / 100 * 1e6);
    exec_limit(m->exec, limit_us > 0 ? limit_us : 1);
}

void map_control_task_over(struct map *m, uint32_t task, const struct map_end *end)
{
    const struct halt *h = &m->options.halt;

    if (m->options.timeout_percent > 0 && end->state == MAP_TASK_DONE && !m->recalling)
        set_limit(m, false);
    if (h->when == HALT_NEVER)
        return;
    announce(m, task, end);
    if (!m->control.halting && halt_reached(h, m->counts.done, m->counts.failed, m->tasks))
        halt(m, end);
}

void map_control_recalled(struct map *m)
{
    if (m->options.timeout_percent > 0)
        set_limit(m, true);
    if (m->control.halting || is_about_to_halt(m))
        exec_pause(m->exec, true);
}

/* ---- load and memory ---- */

static double load_limit(const struct options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN); /* of the machine, as the load is */
    return o->load_percent ? o->load / 100 * (double)(cores > 0 ? cores : 1) : o->load;
}

static int64_t memory_free(void)
{
    FILE *f = fopen("/proc/meminfo", "re");
    char line[128];
    long long kib = -1;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib < 0 ? INT64_MAX : kib * 1024;
}

/* The average of a minute alone shows for long that a machine is busy which is idle again. So the
 * threads that run or wait for a core right now count as well, besides this one. */
bool map_control_is_loaded(const char *loadavg, double limit)
{
    double load;
    int running;

    return sscanf(loadavg, "%lf %*f %*f %d/", &load, &running) == 2 && load > limit &&
           running - 1 > limit;
}

static bool is_loaded(double limit)
{
    FILE *f = fopen("/proc/loadavg", "re");
    char line[128];
    bool loaded = f && fgets(line, sizeof line, f) && map_control_is_loaded(line, limit);

    if (f)
        fclose(f);
    return loaded;
}

static bool must_pause(const struct map *m)
{
    const struct options *o = &m->options;

    if (o->load > 0 && is_loaded(load_limit(o)))
        return true;
    return o->memfree_bytes > 0 && memory_free() < o->memfree_bytes;
}

/* ---- the clock ---- */

int64_t map_control_tick_us(const struct map *m)
{
    const struct options *o = &m->options;

    if (o->output != OUTPUT_GROUP)
        return STREAM_US;
    if (o->bar || o->eta || o->progress)
        return DRAW_US;
    return o->load > 0 || o->memfree_bytes > 0 ? LOOK_US : 0;
}

void map_control_tick(void *ctx, int64_t now_us)
{
    struct map *m = ctx;

    map_stream(m);
    if (!m->exec)
        return; /* it is being made */
    if (!m->control.halting && (m->options.load > 0 || m->options.memfree_bytes > 0))
        exec_pause(m->exec, must_pause(m));
    map_progress_draw(m, now_us, false);
}
