/* phase_facts.c - from records of phases to the numbers that Mantri's authors print about theirs.
 *
 * Weighted percentiles: phases are sorted by what is asked about, and the percentile q is the first
 * at which the weights so far reach the share q of all. Weighing by lifetime is the authors'
 * choice: what is saved in a long phase matters more.
 *
 * Repeated jobs are those of one name, three at least; two say little about a deviation. */
#include "record/stats/phase_facts.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stat.h"

enum { REPEATS_MIN = 3 };

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* ---- one run ---- */

static void outlier_facts(const struct phase_log *log, struct phase_facts *f)
{
    uint32_t many = 0, plural = 0, judged = 0, all = 0, none = 0, below = 0, far = 0;
    float most = 0;
    for (uint32_t i = 0; i < log->phases.count; i++) {
        const struct phase_record *r = &log->phases.at[i];
        many += r->outlier_count > 0.15 * r->tasks; /* never of one task, which is its own median */
        plural += r->tasks >= 2;
        judged += r->outliers != OUTLIERS_NONE;
        all += r->outliers == OUTLIERS_EXPLAINED;
        none += r->outliers == OUTLIERS_UNEXPLAINED;
    }
    for (uint32_t i = 0; i < log->outliers.count; i++) {
        below += log->outliers.at[i] < 2.5F;
        far += log->outliers.at[i] > 10;
        most = log->outliers.at[i] > most ? log->outliers.at[i] : most;
    }
    f->outlier_phases = share(many, log->phases.count);
    f->outlier_plural = share(many, plural);
    f->outliers_max = log->outliers.count > 0 ? (double)most : NAN;
    f->outliers_below = share(below, log->outliers.count);
    f->outliers_far = share(far, log->outliers.count);
    f->explained = share(all, judged);
    f->unexplained = share(none, judged);
}

static int by_count_falling(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

static double lost_on_worst(const struct phase_log *log)
{
    uint32_t n = log->lost.count;
    if (n == 0)
        return NAN;
    uint32_t *lost = mem_copy(log->lost.at, n, sizeof *lost);
    double all = 0, worst = 0;
    qsort(lost, n, sizeof *lost, by_count_falling);
    for (uint32_t i = 0; i < n; i++) {
        all += lost[i];
        worst += i < (uint32_t)ceil(0.05 * n) ? lost[i] : 0;
    }
    mem_free(lost);
    return share(worst, all);
}

static int by_name(const void *a, const void *b)
{
    const struct job_time *x = a, *y = b;
    if (x->name_hash != y->name_hash)
        return x->name_hash < y->name_hash ? -1 : 1;
    return (x->jct_s > y->jct_s) - (x->jct_s < y->jct_s);
}

/* Stdev (of a sample) / mean of n jobs in a row. */
static double variation(const struct job_time *at, uint32_t n)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += at[i].jct_s;
    double mean = sum / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (at[i].jct_s - mean) * (at[i].jct_s - mean);
    return sqrt(squares / (n - 1)) / mean;
}

static double repeat_variation(const struct phase_log *log)
{
    uint32_t n = log->jobs.count;
    struct job_time *jobs = mem_copy(log->jobs.at, n, sizeof *jobs);
    VEC(double) each = {0};
    if (n > 0)
        qsort(jobs, n, sizeof *jobs, by_name);
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && jobs[to].name_hash == jobs[from].name_hash;)
            to++;
        if (to - from >= REPEATS_MIN)
            vec_push(&each, variation(&jobs[from], to - from));
    }
    double median = stat_quantile_or_nan(each.at, each.count, 0.5);
    vec_free(&each);
    mem_free(jobs);
    return median;
}

static double short_jobs(const struct phase_log *log)
{
    uint32_t brief = 0;
    for (uint32_t i = 0; i < log->jobs.count; i++)
        brief += log->jobs.at[i].jct_s < 7200;
    return share(brief, log->jobs.count);
}

struct phase_facts phase_facts(const struct phase_log *log)
{
    struct phase_facts f = {0};
    VEC(double) waves = {0};
    double clean = 0, copies = 0, copies_won = 0, per_task = 0, cross = 0;
    for (uint32_t i = 0; i < log->phases.count; i++) {
        const struct phase_record *r = &log->phases.at[i];
        vec_push(&waves, (double)r->tasks / r->peak);
        clean += r->recomputes == 0;
        per_task += (double)r->copies / r->tasks;
        copies += r->copies;
        copies_won += r->copies_won;
    }
    for (int i = 0; i < READS_END; i++)
        cross += log->cross_bytes[i];
    outlier_facts(log, &f);
    f.waves_p50 = stat_quantile_or_nan(waves.at, waves.count, 0.5);
    f.not_recomputed = share(clean, log->phases.count);
    f.lost_on_worst = lost_on_worst(log);
    f.cross_reduce = share(log->cross_bytes[READS_ALL], cross);
    f.repeat_variation = repeat_variation(log);
    f.short_jobs = short_jobs(log);
    f.copies_per_task = share(per_task, log->phases.count);
    f.copies_won = share(copies_won, copies);
    vec_free(&waves);
    return f;
}

/* ---- two runs ---- */

struct weighted {
    double value, weight;
};

static int by_value(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Of sorted values. */
static double percentile(const struct weighted *at, uint32_t n, double q)
{
    double all = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        all += at[i].weight;
    for (uint32_t i = 0; i < n; i++)
        if ((sum += at[i].weight) >= q * all)
            return at[i].value;
    return n ? at[n - 1].value : NAN;
}

static int by_phase(const void *a, const void *b)
{
    const struct phase_record *x = a, *y = b;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return (x->phase > y->phase) - (x->phase < y->phase);
}

static struct phase_record *sorted(const struct phase_log *log)
{
    struct phase_record *at = mem_copy(log->phases.at, log->phases.count, sizeof *at);
    if (at)
        qsort(at, log->phases.count, sizeof *at, by_phase);
    return at;
}

struct phase_gains phase_facts_gains(const struct phase_log *log, const struct phase_log *other)
{
    struct phase_record *mine = sorted(log), *theirs = sorted(other);
    VEC(struct weighted) life = {0}, slots = {0};
    for (uint32_t i = 0, k = 0; i < log->phases.count && k < other->phases.count;) {
        int order = by_phase(&mine[i], &theirs[k]);
        if (order == 0 && theirs[k].life_s > 0) {
            double weight = theirs[k].life_s;
            struct weighted l = {1 - mine[i].life_s / theirs[k].life_s, weight};
            struct weighted s = {1 - mine[i].slot_s / theirs[k].slot_s, weight};
            vec_push(&life, l);
            vec_push(&slots, s);
        }
        i += order <= 0;
        k += order >= 0;
    }
    vec_sort(&life, by_value);
    vec_sort(&slots, by_value);
    struct phase_gains g = {
        .shorter_p30 = percentile(life.at, life.count, 0.30),
        .shorter_p50 = percentile(life.at, life.count, 0.50),
        .shorter_p75 = percentile(life.at, life.count, 0.75),
        .shorter_p80 = percentile(life.at, life.count, 0.80),
        .saved_p50 = percentile(slots.at, slots.count, 0.50),
        .saved_p75 = percentile(slots.at, slots.count, 0.75),
    };
    vec_free(&life);
    vec_free(&slots);
    mem_free(mine);
    mem_free(theirs);
    return g;
}
