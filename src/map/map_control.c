/* map_control.c - when to stop, to pause, to end a task; and how far it all is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stat.h"
#include "map/map_state.h"
#include "ui/bar.h"

enum {
    STREAM_US = 50000,
    DRAW_US = 200000,
    LINE_US = 5000000, /* between two plain lines of progress */
    LOOK_US = 500000,  /* between two looks at load and memory */
    MEDIAN_FROM = 3,   /* tasks that must be done before --timeout N% means anything */
};

/* ---- halting ---- */

/* One line of ours and one with the command, in the words that users of GNU parallel know. */
void map_tell(struct map *m, const char *what, uint32_t task)
{
    struct str command = {0};

    if (m->recalling)
        return;
    plan_command(m->plan, task, 1, &command);
    map_clear_line(m);
    fprintf(stderr, "dolly: This job %s:\n%s\n", what, command.text);
    str_free(&command);
}

static void tell_of(struct map *m, uint32_t task, const struct map_end *end)
{
    const struct halt *h = &m->options.halt;

    if (h->when == HALT_NEVER)
        return;
    if (h->what == HALT_DONE)
        map_tell(m, "finished", task);
    else if (h->what == HALT_FAIL && end->state == MAP_FAILED)
        map_tell(m, "failed", task);
    else if (h->what == HALT_SUCCESS && end->state == MAP_DONE)
        map_tell(m, "succeeded", task);
}

static void halt(struct map *m, const struct map_end *end)
{
    const struct halt *h = &m->options.halt;
    int status = end->signal ? 128 + end->signal : end->exit >= 0 ? end->exit : 1;
    uint32_t running = map_slots_used(m);

    m->halting = true;
    m->halt_status = halt_status(h, m->counts.failed, m->tasks, status);
    if (m->recalling)
        return;
    exec_pause(m->exec, true);
    if (h->when == HALT_NOW)
        map_cancel(m);
    else if (running > 0)
        fprintf(stderr, "dolly: Starting no more jobs. Waiting for %u jobs to finish.\n", running);
}

void map_control_early(struct map *m)
{
    if (!m->halting &&
        halt_reached(&m->options.halt, m->counts.done + m->committing, m->counts.failed, m->tasks))
        exec_pause(m->exec, true);
}

/* ---- time limits ---- */

static void set_limit(struct map *m, bool always)
{
    uint32_t count = m->runtimes.count, step = count / 16 + 1;

    /* Often at first, then when there is enough that is new to move a median. */
    if (count < MEDIAN_FROM || (count % step != 0 && !always))
        return;
    double *copy = mem_zalloc(count, sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = (double)m->runtimes.at[i];
    double median = stat_quantile(copy, count, 0.5);
    mem_free(copy);
    int64_t limit_us = (int64_t)(median * m->options.timeout_percent / 100 * 1e6);
    exec_limit(m->exec, limit_us > 0 ? limit_us : 1);
}

void map_control(struct map *m, uint32_t task, const struct map_end *end)
{
    tell_of(m, task, end);
    if (m->options.timeout_percent > 0 && end->state == MAP_DONE && !m->recalling)
        set_limit(m, false);
    if (!m->halting && halt_reached(&m->options.halt, m->counts.done, m->counts.failed, m->tasks))
        halt(m, end);
}

void map_control_recalled(struct map *m)
{
    if (m->options.timeout_percent > 0)
        set_limit(m, true);
    if (m->halting)
        exec_pause(m->exec, true);
}

/* ---- load and memory ---- */

static double load_limit(const struct options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
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

static bool must_pause(const struct map *m)
{
    const struct options *o = &m->options;
    double load;

    if (o->load > 0 && getloadavg(&load, 1) == 1 && load > load_limit(o))
        return true;
    return o->memfree_bytes > 0 && memory_free() < o->memfree_bytes;
}

/* ---- progress ---- */

void map_clear_line(struct map *m)
{
    if (!m->drawn)
        return;
    fputs("\r\033[K", stderr);
    m->drawn = false;
}

void map_warn(void *ctx, const char *text)
{
    map_clear_line(ctx);
    fprintf(stderr, "dolly: %s\n", text);
}

/* Tasks, not attempts, that run. */
static uint32_t tasks_running(const struct map *m)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < m->slots.count; i++) {
        bool first = m->slots.at[i].used;
        for (uint32_t k = 0; first && k < i; k++)
            first = !m->slots.at[k].used || m->slots.at[k].at.task != m->slots.at[i].at.task;
        running += first;
    }
    return running;
}

/* Of the whole run, by the mean of earlier ones. */
static double expected_s(const struct map *m)
{
    double sum_us = 0;

    for (uint32_t i = 0; i < m->past.count; i++)
        sum_us += (double)m->past.times_us[i];
    uint32_t rounds = (m->tasks + m->slot_count - 1) / m->slot_count;
    return sum_us / m->past.count / 1e6 * rounds;
}

static void describe(const struct map *m, int64_t now_us, struct str *out)
{
    uint64_t over = m->counts.done + m->counts.failed;

    str_addf(out, "%llu of %u tasks done", (unsigned long long)m->counts.done, m->tasks);
    if (m->counts.failed)
        str_addf(out, ", %llu failed", (unsigned long long)m->counts.failed);
    str_addf(out, ", %u running", tasks_running(m));
    if (m->cloning)
        str_addf(out, ", %llu clones, %llu won", (unsigned long long)m->counts.extras,
                 (unsigned long long)m->counts.extras_won);
    if (over > 0 && over < m->tasks)
        str_addf(out, ", ETA %.0f s",
                 (double)now_us / 1e6 * (double)(m->tasks - over) / (double)over);
    else if (over == 0 && m->past.count) /* as earlier runs went */
        str_addf(out, ", ETA %.0f s", expected_s(m));
}

void map_draw(struct map *m, int64_t now_us, bool last)
{
    const struct options *o = &m->options;
    struct str text = {0};

    if (!o->bar && !o->eta && !o->progress)
        return;
    if (!last && now_us - m->drawn_us < (m->terminal ? DRAW_US : LINE_US))
        return;
    m->drawn_us = now_us;
    describe(m, now_us, &text);
    if (!m->terminal) {
        fprintf(stderr, "dolly: %s\n", text.text);
    } else {
        uint64_t over = m->counts.done + m->counts.failed;
        bar_put(m->tasks ? (double)over / (double)m->tasks : 1, text.text);
        fputs(last ? "\n" : "", stderr);
        m->drawn = !last;
    }
    str_free(&text);
}

/* ---- the clock ---- */

int64_t map_tick_us(const struct map *m)
{
    const struct options *o = &m->options;

    if (o->output != OUTPUT_GROUP)
        return STREAM_US;
    if (o->bar || o->eta || o->progress)
        return DRAW_US;
    return o->load > 0 || o->memfree_bytes > 0 ? LOOK_US : 0;
}

void map_tick(void *ctx, int64_t now_us)
{
    struct map *m = ctx;

    map_stream(m);
    if (!m->exec)
        return; /* it is being made */
    if (!m->halting && (m->options.load > 0 || m->options.memfree_bytes > 0))
        exec_pause(m->exec, must_pause(m));
    map_draw(m, now_us, false);
}
