/* trace_stats.c - what a trace is like.
 *
 * Groups are phases of at least four attempts that were done: fewer have no median worth the name.
 * Tail exponents are Hill's estimator over the largest 5 % of the values, of the ratios over the
 * largest 20 %, of which there are fewer. */
#include "commands/trace/trace_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/text.h"
#include "inputs/workload/workload.h"
#include "ui/json_out.h"
#include "ui/wrap.h"

/* ---- measuring ---- */

struct arrivals {
    uint64_t count;
    double sum, squares; /* of gaps, in s */
    int64_t last_us;
};

static void add_gap(struct arrivals *a, int64_t at_us)
{
    if (a->count++ > 0) {
        double gap = (double)(at_us - a->last_us) / 1e6;
        a->sum += gap;
        a->squares += gap * gap;
    }
    a->last_us = at_us;
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static void add(struct trace_stats *t, const char *id, const char *what, double value)
{
    vec_push(&t->rows, ((struct trace_stat){id, what, value, false}));
}

static void add_whole(struct trace_stats *t, const char *id, const char *what, double value)
{
    vec_push(&t->rows, ((struct trace_stat){id, what, value, true}));
}

static void add_count(struct trace_stats *t, const char *id, const char *what, uint64_t count)
{
    add_whole(t, id, what, (double)count);
}

static void add_counts(struct trace_stats *t, const struct survey *s)
{
    add_count(t, "jobs", "jobs", s->jobs);
    add_count(t, "phases", "phases", s->phases);
    add_count(t, "edges", "edges between phases", s->edges);
    add_count(t, "tasks", "tasks", s->tasks);
    add_count(t, "attempts", "attempts", s->attempts);
    add_count(t, "nodes", "machines named", s->nodes.count);
    add_count(t, "done", "attempts that were done", s->ends[ROW_DONE]);
    add_count(t, "failed", "attempts that failed", s->ends[ROW_FAILED]);
    add_count(t, "killed", "attempts that were killed", s->ends[ROW_KILLED]);
    add_count(t, "evicted", "attempts that were evicted", s->ends[ROW_EVICTED]);
    add_count(t, "lost", "attempts that were lost", s->ends[ROW_LOST]);
    add_count(t, "running", "attempts that still ran at the end", s->ends[ROW_RUNNING]);
    add_count(t, "not_started", "ends of what began before the trace, or never", s->not_started);
    add_count(t, "censored", "attempts whose time was cut short and is drawn", s->censored);
    add_count(t, "phases_drawn", "phases of which the same is true", s->phases_drawn);
    add(t, "censored_work_pct", "share of both in all work, %", share(s->censored_us, s->work_us));
    add_count(t, "tasks_unseen", "tasks of which no attempt is known", s->tasks_unseen);
    add_count(t, "tasks_failed", "tasks of which every attempt failed", s->tasks_failed);
    add_count(t, "phases_cut", "phases that had begun and not come to their end", s->phases_cut);
    add_count(t, "phases_waiting", "phases that never began, and are left out", s->phases_waiting);
    add(t, "phases_timed_pct", "phases with times of their tasks, %",
        share((double)s->phases_timed, (double)s->phases));
}

static void add_sizes(struct trace_stats *t, const struct survey *s)
{
    static const char *const ids[] = {"bin1_jobs", "bin2_jobs", "bin3_jobs", "bin4_jobs",
                                      "bin5_jobs"};
    static const char *const names[] = {"jobs of 1 to 10 tasks", "jobs of 11 to 50 tasks",
                                        "jobs of 51 to 150 tasks", "jobs of 151 to 500 tasks",
                                        "jobs of more than 500 tasks"};
    for (int i = 0; i < SURVEY_BINS; i++)
        add_count(t, ids[i], names[i], s->bins[i]);
    add(t, "single_task_pct", "jobs of one task, %", 100 * survey_share(&s->job_tasks, 1));
    add(t, "small_pct", "jobs of at most 10 tasks, %", 100 * survey_share(&s->job_tasks, 10));
    add(t, "small_work_pct", "their share of all work, %",
        share(s->bin_work_us[0], s->bin_work_us[0] + s->bin_work_us[1] + s->bin_work_us[2] +
                                     s->bin_work_us[3] + s->bin_work_us[4]));
    add_whole(t, "tasks_p50", "tasks of a job, median", survey_quantile(&s->job_tasks, 0.5));
    add_whole(t, "tasks_p99", "tasks of a job, p99", survey_quantile(&s->job_tasks, 0.99));
    add_whole(t, "tasks_max", "tasks of a job, most", survey_quantile(&s->job_tasks, 1));
    add(t, "tasks_hill", "tail exponent of tasks of a job", survey_hill(&s->job_tasks, 0.05));
    add(t, "first_small_pct", "jobs of at most 10 tasks in the first phase, %",
        100 * survey_share(&s->first_tasks, 10));
    add(t, "phases_small_pct", "phases of at most 10 tasks, %",
        100 * survey_share(&s->phase_tasks, 10));
    add_whole(t, "phase_tasks_max", "tasks of a phase, most", survey_quantile(&s->phase_tasks, 1));
    add(t, "phase_tasks_hill", "tail exponent of tasks of a phase",
        survey_hill(&s->phase_tasks, 0.05));
    add_whole(t, "phases_p50", "phases of a job, median", survey_quantile(&s->job_phases, 0.5));
    add_whole(t, "phases_p99", "phases of a job, p99", survey_quantile(&s->job_phases, 0.99));
    add_whole(t, "phases_max", "phases of a job, most", survey_quantile(&s->job_phases, 1));
}

static void add_groups(struct trace_stats *t, const struct survey *s)
{
    add_count(t, "groups", "phases with at least 4 attempts done", s->groups);
    add(t, "ratio_p50", "slowest over median in them, median", survey_quantile(&s->ratios, 0.5));
    add(t, "ratio_p90", "slowest over median, p90", survey_quantile(&s->ratios, 0.9));
    add(t, "ratio_p99", "slowest over median, p99", survey_quantile(&s->ratios, 0.99));
    add(t, "ratio_max", "slowest over median, most", survey_quantile(&s->ratios, 1));
    add(t, "ratio_hill", "tail exponent of slowest over median", survey_hill(&s->ratios, 0.2));
    add_count(t, "straggling", "phases with one over twice the median", s->groups_slow);
    add(t, "straggling_pct", "such phases, %", share((double)s->groups_slow, (double)s->groups));
    add(t, "slow_tasks_pct", "attempts over twice the median of their phase, %",
        share((double)s->group_tasks_slow, (double)s->group_tasks));
}

/* Where a trace knows no times of tasks, this is what it has of how unequal they are. */
static void add_shapes(struct trace_stats *t, const struct survey *s)
{
    add_count(t, "byte_groups", "phases of at least 4 tasks whose bytes are known", s->byte_groups);
    add(t, "byte_skewed_pct", "of them, with a task of over twice the median bytes, %",
        share((double)s->byte_groups_slow, (double)s->byte_groups));
    add(t, "span_ratio_p50", "span of a phase of at least 4 tasks over their mean time, median",
        survey_quantile(&s->span_ratios, 0.5));
    add(t, "span_ratio_p90", "the same, p90", survey_quantile(&s->span_ratios, 0.9));
}

static void add_work(struct trace_stats *t, const struct survey *s, const struct arrivals *a)
{
    double n = (double)a->count - 1, span = (double)(s->last_us - s->first_us) / 1e6;
    double mean = n > 0 ? a->sum / n : NAN;
    add(t, "times_p50_s", "time of a task, median, s", survey_quantile(&s->times, 0.5) / 1e6);
    add(t, "times_p99_s", "time of a task, p99, s", survey_quantile(&s->times, 0.99) / 1e6);
    add(t, "times_hill", "tail exponent of times of tasks", survey_hill(&s->times, 0.05));
    add(t, "arrivals_s", "first to last arrival, s", span);
    add(t, "gap_mean_s", "time between arrivals, mean, s", mean);
    add(t, "gap_cv", "its variation (stdev / mean)",
        n > 0 && mean > 0 ? sqrt(fmax(0, a->squares / n - mean * mean)) / mean : NAN);
    add(t, "cores_mean", "cores in use on average, without queues",
        span > 0 ? s->cpu_us / 1e9 / span : NAN);
    add(t, "mem_mean_gib", "memory in use on average, GiB",
        span > 0 ? s->mem_mib_us / 1e6 / 1024 / span : NAN);
    add(t, "cpu_max", "cores of the largest task", s->cpu_max / 1000);
    add(t, "mem_max_gib", "memory of the largest task, GiB", s->mem_mib_max / 1024);
    add_whole(t, "input_bytes", "bytes read from outside", s->input_bytes);
    add(t, "input_hill", "tail exponent of bytes that jobs read", survey_hill(&s->job_input, 0.05));
    add(t, "shuffle_hill", "tail exponent of bytes that phases read of others, by job",
        survey_hill(&s->job_shuffle, 0.05));
    add(t, "no_shuffle_pct", "jobs that have none, %", 100 * survey_share(&s->job_shuffle, 0));
}

int trace_stats_measure(struct import *m, struct trace_stats *t, struct err *err)
{
    const struct survey *s = m->survey;
    struct workload *w = import_jobs(m, &IMPORT_VIEW_ALL, err);
    struct arrivals a = {0};
    struct str text = {0};
    if (!w)
        return -1;
    t->digest = HASH_START;
    for (struct workload_job *job; (job = w->next(w));) {
        add_gap(&a, job->submit_us);
        str_cut(&text, 0);
        workload_write(job, NULL, &text);
        t->digest = hash_bytes(t->digest, text.text, text.length);
        workload_job_free(job);
    }
    w->destroy(w);
    str_free(&text);
    add_counts(t, s);
    add_sizes(t, s);
    add_groups(t, s);
    add_shapes(t, s);
    add_work(t, s, &a);
    return 0;
}

/* ---- for programs ---- */

json_t *trace_stats_assumptions(struct import *m)
{
    const struct assume *a = &m->options.assume;
    json_t *list = json_array();
    for (enum assume_key k = 0; k < ASSUME_KEYS; k++) {
        struct str value = {0};
        json_t *one = json_out_add(list);
        assume_value(a, k, &value);
        json_out_put(one, "key", assume_table[k].name);
        json_out_put(one, "value", value.text);
        json_out_put(one, "touched", a->touched[k]);
        json_out_put(one, "of", assume_noun(k, 2));
        json_out_put(one, "what", assume_table[k].help);
        str_free(&value);
    }
    return list;
}

json_t *trace_stats_troubles(const struct import *m)
{
    const struct trouble *t = &m->trouble;
    json_t *list = json_array();
    for (enum trouble_kind k = 0; k < TROUBLE_KINDS; k++) {
        if (t->kinds[k].count == 0)
            continue;
        struct trouble_place place = trouble_place(t, t->kinds[k].first);
        json_t *one = json_out_add(list);
        json_out_put(one, "kind", trouble_texts[k].name);
        json_out_put(one, "count", t->kinds[k].count);
        json_out_put(one, "first", place.text);
        json_out_put(one, "what", trouble_texts[k].help);
    }
    return list;
}

void trace_stats_json(struct import *m, const struct trace_stats *t)
{
    json_t *object = json_object(), *stats = json_object();
    for (uint32_t i = 0; i < t->rows.count; i++)
        json_out_set(stats, t->rows.at[i].id,
                     json_out_number(t->rows.at[i].value, t->rows.at[i].is_whole));
    json_out_put(object, "format", m->formats);
    json_out_set(object, "spooled", json_boolean(m->jobs != NULL));
    json_out_members(object, &m->trouble, rows, bad);
    json_out_set(object, "digest", json_out_hex(t->digest));
    json_out_set(object, "stats", stats);
    json_out_set(object, "assumptions", trace_stats_assumptions(m));
    json_out_set(object, "troubles", trace_stats_troubles(m));
    json_out_print(object);
}

/* ---- for people ---- */

/* Prints a note below its heading: in lines of 80 columns, or as a comment of a file in one. */
static void print_note(const char *margin, const struct str *note)
{
    printf("%s  ", margin);
    if (*margin)
        printf("%s\n", note->text);
    else
        wrap_print(note->text, 2, 4);
}

/* Those that touched anything, a line each; the others, so that all are there, on one. */
static void print_assumptions(const struct assume *a, const char *margin)
{
    struct str idle = {0};
    printf("%.1s\n%sAssumed (--assume key=value changes it):\n", margin, margin);
    for (enum assume_key k = 0; k < ASSUME_KEYS; k++) {
        struct str value = {0}, note = {0};
        assume_value(a, k, &value);
        str_addf(&note, "%s=%s: %s (%" PRIu64 " %s)", assume_table[k].name, value.text,
                 assume_table[k].help, a->touched[k], assume_noun(k, a->touched[k]));
        if (a->touched[k] > 0)
            print_note(margin, &note);
        else
            str_addf(&idle, "%s%s=%s", idle.text ? ", " : "", assume_table[k].name, value.text);
        str_free(&value);
        str_free(&note);
    }
    if (idle.text) {
        struct str note = {0};
        str_addf(&note, "touched nothing: %s", idle.text);
        print_note(margin, &note);
        str_free(&note);
    }
    str_free(&idle);
}

static void print_troubles(const struct trouble *t, const char *margin)
{
    bool said = false;
    for (enum trouble_kind k = 0; k < TROUBLE_KINDS; k++) {
        if (t->kinds[k].count == 0)
            continue;
        if (!said)
            printf("%.1s\n%sWrong in the trace (%" PRIu64 " of %" PRIu64 " rows left out):\n",
                   margin, margin, t->bad, t->rows);
        said = true;
        struct str note = {0};
        str_addf(&note, "%s: %s (%" PRIu64 " in all)", trouble_place(t, t->kinds[k].first).text,
                 trouble_texts[k].help, t->kinds[k].count);
        print_note(margin, &note);
        str_free(&note);
    }
}

void trace_stats_print_cut(const struct workload_cut *cut, const char *margin)
{
    struct str text = {0};

    str_addf(&text, "%.1f %% of the work, cut short in the trace, is drawn (%" PRIu64 " %s).",
             cut->work_us > 0 ? 100 * cut->drawn_us / cut->work_us : 0, cut->drawn,
             assume_noun(ASSUME_TAIL, cut->drawn));
    if (*margin)
        printf("%s%s\n", margin, text.text);
    else
        wrap_print(text.text, 0, 0);
    str_free(&text);
}

void trace_stats_print_notes(struct import *m, const char *margin)
{
    print_troubles(&m->trouble, margin);
    print_assumptions(&m->options.assume, margin);
}

void trace_stats_print(struct import *m, const struct trace_stats *t)
{
    printf("%s, %" PRIu64 " rows, digest %016" PRIx64 "\n\n", m->formats, m->trouble.rows,
           t->digest);
    for (uint32_t i = 0; i < t->rows.count; i++) {
        const struct trace_stat *row = &t->rows.at[i];
        if (isnan(row->value))
            printf("  %12s  %s\n", "-", row->what);
        else
            printf("  %12.*f  %s\n", row->is_whole ? 0 : 2, row->value, row->what);
    }
    trace_stats_print_notes(m, "");
}
