/* metrics.c - the numbers of a run for Prometheus.
 *
 * Every sample has the label `run`. A family is written in one piece: its help, its type, its
 * samples. Counters never fall while the journal is the same; one that was replaced is a reset, as
 * Prometheus expects it of a program that was started anew. */
#include "commands/watch/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "commands/report/page.h"
#include "exec/folder/turn_times.h"
#include "ui/cli.h"

/* The length of the text that has at most `most` bytes and ends with a whole character. */
static size_t cut(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);

    if (length <= most)
        return length;
    length = most;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void metrics_label(const char *text, struct str *out)
{
    size_t length = cut(text, METRICS_LABEL_BYTES);

    str_add(out, "");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            str_add(out, "\\n");
        else if (text[i] == '"' || text[i] == '\\')
            str_addf(out, "\\%c", text[i]);
        else
            str_add_bytes(out, text + i, 1);
    }
}

/* The text that is written, and the label of the run. */
struct metrics {
    struct str *out;
    struct str run;
};

static void family(struct metrics *m, const char *name, const char *type, const char *help)
{
    str_addf(m->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A sample; more labels in printf style, each with a comma before it. */
__attribute__((format(printf, 4, 5))) static void sample(struct metrics *m, const char *name,
                                                         double value, const char *labels, ...)
{
    va_list args;
    char text[400];

    va_start(args, labels);
    vsnprintf(text, sizeof text, labels, args);
    va_end(args);
    str_addf(m->out, "%s{run=\"%s\"%s} ", name, m->run.text, text);
    str_add_real(m->out, value);
    str_add(m->out, "\n");
}

static void gauge(struct metrics *m, const char *name, double value, const char *help)
{
    family(m, name, "gauge", help);
    sample(m, name, value, "%s", "");
}

static void counter(struct metrics *m, const char *name, double value, const char *help)
{
    family(m, name, "counter", help);
    sample(m, name, value, "%s", "");
}

/* ---- the run ---- */

static void add_run(struct metrics *m, const struct snapshot *s, const struct followed_run *f)
{
    family(m, "dolly_build_info", "gauge", "Always 1.");
    sample(m, "dolly_build_info", 1, ",version=\"%s\"", DOLLY_VERSION);
    family(m, "dolly_run_state", "gauge", "1 for the state that the run is in.");
    for (int i = 0; i < FOLLOWED_STATES; i++)
        sample(m, "dolly_run_state", s->state == (enum followed_state)i, ",state=\"%s\"",
               followed_run_state_name((enum followed_state)i));
    family(m, "dolly_jobs", "gauge", "Jobs by state: waiting, running, done, failed.");
    uint64_t over = s->sums.done + s->sums.failed + s->jobs_waiting;
    sample(m, "dolly_jobs", (double)s->jobs_waiting, ",state=\"waiting\"");
    sample(m, "dolly_jobs", (double)(s->sums.jobs > over ? s->sums.jobs - over : 0),
           ",state=\"running\"");
    sample(m, "dolly_jobs", (double)s->sums.done, ",state=\"done\"");
    sample(m, "dolly_jobs", (double)s->sums.failed, ",state=\"failed\"");
    counter(m, "dolly_turns_total", (double)s->turn, "Turns taken.");
    counter(m, "dolly_journal_bytes_total", (double)f->file.size, "Bytes of the journal.");
    gauge(m, "dolly_journal_age_seconds", (double)tail_file_age_us(&f->file) / 1e6,
          "Time since the journal was written last.");
}

/* ---- tasks ---- */

/* One phase, or all beyond METRICS_PHASES. */
static void add_phase_tasks(struct metrics *m, const struct snapshot_phase *p, const char *name)
{
    const struct {
        const char *state;
        uint64_t count;
    } states[] = {
        {"waiting", p->waiting}, {"running", p->running}, {"done", p->done}, {"failed", p->failed}};

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        sample(m, "dolly_tasks", (double)states[i].count, ",phase=\"%s\",state=\"%s\"", name,
               states[i].state);
}

/* A histogram, for one value of a label. */
static void add_times(struct metrics *m, const char *name, const struct time_buckets *t,
                      const char *label, const char *value)
{
    char series[64];
    uint64_t count = 0;

    snprintf(series, sizeof series, "%s_bucket", name);
    for (int i = 0; i < TIME_BUCKETS_BOUNDS; i++) {
        count += t->count[i];
        sample(m, series, (double)count, ",%s=\"%s\",le=\"%g\"", label, value,
               time_buckets_bound_s[i]);
    }
    count += t->count[TIME_BUCKETS_BOUNDS];
    sample(m, series, (double)count, ",%s=\"%s\",le=\"+Inf\"", label, value);
    snprintf(series, sizeof series, "%s_sum", name);
    sample(m, series, t->sum_s, ",%s=\"%s\"", label, value);
    snprintf(series, sizeof series, "%s_count", name);
    sample(m, series, (double)count, ",%s=\"%s\"", label, value);
}

static void add_phase_times(struct metrics *m, const struct snapshot_phase *p, const char *name)
{
    add_times(m, "dolly_task_seconds", &p->times, "phase", name);
}

static void each_phase(struct metrics *m, const struct snapshot *s,
                       void (*add)(struct metrics *m, const struct snapshot_phase *p,
                                   const char *name))
{
    struct snapshot_phase rest = {0};

    for (uint32_t i = 0; i < s->phases.count; i++) {
        const struct snapshot_phase *p = &s->phases.at[i];
        struct str name = {0};
        if (i >= METRICS_PHASES) {
            rest.waiting += p->waiting;
            rest.running += p->running;
            rest.done += p->done;
            rest.failed += p->failed;
            time_buckets_join(&rest.times, &p->times);
            continue;
        }
        metrics_label(p->name, &name);
        add(m, p, name.text);
        str_free(&name);
    }
    if (s->phases.count > METRICS_PHASES)
        add(m, &rest, "other");
}

static void add_jobs(struct metrics *m, const struct followed_run *f)
{
    static const char *const bins[FOLLOWED_BINS] = {"1-10", "11-50", "51-150", "151-500", "501-"};

    family(m, "dolly_job_seconds", "histogram",
           "From the arrival of a job to its end, by its number of tasks.");
    for (int i = 0; i < FOLLOWED_BINS; i++)
        add_times(m, "dolly_job_seconds", &f->job_times[i], "bin", bins[i]);
}

static void add_tasks(struct metrics *m, const struct snapshot *s)
{
    family(m, "dolly_tasks", "gauge", "Tasks by state.");
    each_phase(m, s, add_phase_tasks);
    family(m, "dolly_task_seconds", "histogram", "From the first launch of a task to its commit.");
    each_phase(m, s, add_phase_times);
    gauge(m, "dolly_oldest_wait_seconds", (double)s->oldest_wait_us / 1e6,
          "How long the oldest phase with a waiting task has been open.");
}

/* ---- attempts ---- */

static void add_attempts(struct metrics *m, const struct snapshot *s, const struct followed_run *f,
                         const struct metrics_most *most)
{
    family(m, "dolly_attempts_launched_total", "counter", "Attempts launched.");
    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++)
        sample(m, "dolly_attempts_launched_total", (double)f->launched[k], ",kind=\"%s\"",
               decision_kind_name(k));
    family(m, "dolly_attempts_ended_total", "counter", "Attempts ended.");
    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++)
        for (int e = FATE_WON; e < FATE_COUNT; e++)
            if (e != FATE_SPARE && e != FATE_WON)
                sample(m, "dolly_attempts_ended_total", (double)f->ended[k][e],
                       ",kind=\"%s\",end=\"%s\"", decision_kind_name(k),
                       followed_run_end_name((enum attempt_fate)e));
            else if (e == FATE_WON) /* an attempt finishes before it wins: both never fall */
                sample(m, "dolly_attempts_ended_total",
                       (double)(f->ended[k][FATE_WON] + f->ended[k][FATE_SPARE]),
                       ",kind=\"%s\",end=\"finished\"", decision_kind_name(k));
    family(m, "dolly_attempts_won_total", "counter", "Attempts whose output was committed.");
    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++)
        sample(m, "dolly_attempts_won_total", (double)f->ended[k][FATE_WON], ",kind=\"%s\"",
               decision_kind_name(k));
    family(m, "dolly_attempts_running", "gauge", "Attempts that are running.");
    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++)
        sample(m, "dolly_attempts_running", (double)s->attempts_running[k], ",kind=\"%s\"",
               decision_kind_name(k));
    counter(m, "dolly_stragglers_total", (double)most->stragglers,
            "Attempts known to have straggled; the most that any scrape has found.");
    counter(m, "dolly_rescued_tasks_total", (double)most->rescued,
            "Tasks that an extra attempt won against a straggler; the most that any scrape has "
            "found.");
    family(m, "dolly_verdicts_total", "counter", "Verdicts by reason.");
    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        if (f->verdicts[code] > 0)
            sample(m, "dolly_verdicts_total", (double)f->verdicts[code], ",code=\"%s\"",
                   reason_name(code));
}

/* ---- the cluster ---- */

/* Attempts of a node that has gone down hold its slots until each is reported lost. */
static void add_slots(struct metrics *m, const struct snapshot *s, const struct followed_run *f,
                      const struct metrics_most *most)
{
    double held = fmin(f->held_slots, f->capacity_slots), extra = fmin(f->extra_slots, held);
    double closed = fmin(s->closed_slots, f->capacity_slots - held);

    family(m, "dolly_slots", "gauge",
           "Slots of nodes that are up: free, held by first and by extra attempts, closed.");
    sample(m, "dolly_slots", f->capacity_slots - held - closed, ",state=\"free\"");
    sample(m, "dolly_slots", held - extra, ",state=\"first\"");
    sample(m, "dolly_slots", extra, ",state=\"extra\"");
    sample(m, "dolly_slots", closed, ",state=\"closed\"");
    gauge(m, "dolly_extra_share", f->extra_share,
          "Share of the capacity that extra attempts hold.");
    double limit = followed_run_extra_limit(f);
    if (limit > 0)
        gauge(m, "dolly_extra_limit_share", limit, "Share that extra attempts may hold.");
    family(m, "dolly_slot_seconds_total", "counter",
           "Slot-seconds: of all attempts so far; vain: of those that are over and have not won.");
    sample(m, "dolly_slot_seconds_total", most->slot_s, ",use=\"all\"");
    sample(m, "dolly_slot_seconds_total", most->vain_slot_s, ",use=\"vain\"");
}

static void add_nodes(struct metrics *m, const struct snapshot *s, const struct followed_run *f)
{
    uint32_t up = 0, down = 0, draining = 0, avoided = 0;

    for (uint32_t i = 0; i < s->nodes.count; i++) {
        uint8_t state = s->nodes.at[i].state;
        bool drains = state == EV_NODE_DRAIN,
             away = state == EV_NODE_DOWN || state == 0 || state == EV_NODE_SUSPECT;
        draining += drains;
        down += away;
        up += !drains && !away;
        avoided += f->input.x.run->nodes.at[i].avoided > 0;
    }
    family(m, "dolly_nodes", "gauge", "Nodes: up, down, draining.");
    sample(m, "dolly_nodes", up, ",state=\"up\"");
    sample(m, "dolly_nodes", down, ",state=\"down\"");
    sample(m, "dolly_nodes", draining, ",state=\"draining\"");
    gauge(m, "dolly_nodes_avoided", avoided, "Nodes that were avoided so far.");
}

/* ---- estimates ---- */

static void add_saved(struct metrics *m, const struct snapshot *s)
{
    const struct story_difference *d = &s->sums.would;

    if (s->sums.unsure > 0)
        return;
    family(m, "dolly_saved_seconds", "gauge", "What extra attempts saved, of jobs that are done.");
    sample(m, "dolly_saved_seconds", (double)d->low_saved_us / 1e6, ",bound=\"low\"");
    sample(m, "dolly_saved_seconds", (double)d->pace_saved_us / 1e6, ",bound=\"about\"");
    sample(m, "dolly_saved_seconds", (double)d->high_saved_us / 1e6, ",bound=\"high\"");
}

static void add_end(struct metrics *m, const struct snapshot *s)
{
    static const char *const bounds[ENDING_BOUNDS] = {"low", "about", "high"};

    if (s->ends_us[ENDING_ABOUT] < 0)
        return;
    family(m, "dolly_expected_end_timestamp_seconds", "gauge", "When the run is expected to end.");
    for (int i = 0; i < ENDING_BOUNDS; i++)
        sample(m, "dolly_expected_end_timestamp_seconds",
               floor((double)time(NULL) + snapshot_left_us(s, i) / 1e6), ",bound=\"%s\"",
               bounds[i]);
}

static void raise_most(struct metrics_most *most, const struct story_run *r)
{
    double vain_s = -r->open_slot_s;

    for (uint8_t k = 0; k < LAUNCH_KIND_END; k++)
        vain_s += r->vain_slot_s[k];
    most->slot_s = fmax(most->slot_s, r->slot_s);
    most->vain_slot_s = fmax(most->vain_slot_s, vain_s);
    if (r->stragglers > most->stragglers)
        most->stragglers = r->stragglers;
    if (r->beat_straggler > most->rescued)
        most->rescued = r->beat_straggler;
}

/* ---- the coordinator ---- */

/* Absent where the run has no folder, or one of a version that did not write them. */
static void add_turns(struct metrics *m, const struct followed_run *f)
{
    struct path folder = explain_folder(f->path);
    struct turn_times_sums t;
    uint64_t count = 0;

    if (!*folder.text || !turn_times_read(folder.text, &t))
        return;
    family(m, "dolly_turn_seconds", "histogram", "Time that the coordinator took for a turn.");
    for (int i = 0; i < TURN_TIMES_BOUNDS; i++) {
        count += t.count[i];
        sample(m, "dolly_turn_seconds_bucket", (double)count, ",le=\"%g\"",
               (double)turn_times_bound_us[i] / 1e6);
    }
    count += t.count[TURN_TIMES_BOUNDS];
    sample(m, "dolly_turn_seconds_bucket", (double)count, ",le=\"+Inf\"");
    sample(m, "dolly_turn_seconds_sum", (double)t.sum_us / 1e6, "%s", "");
    sample(m, "dolly_turn_seconds_count", (double)count, "%s", "");
}

void metrics_write(const struct snapshot *s, const struct followed_run *f,
                   struct metrics_most *most, struct str *out)
{
    struct metrics m = {.out = out};
    char *name = page_run_name(f->path);

    raise_most(most, &s->sums);
    metrics_label(name, &m.run);
    add_run(&m, s, f);
    add_turns(&m, f);
    add_tasks(&m, s);
    add_jobs(&m, f);
    add_attempts(&m, s, f, most);
    add_slots(&m, s, f, most);
    add_nodes(&m, s, f);
    add_saved(&m, s);
    add_end(&m, s);
    str_free(&m.run);
    mem_free(name);
}
