/* compare.c - numbers and words about the same jobs in several runs.
 *
 * Means are over the jobs that are done in all runs, so that a run that loses its longest jobs does
 * not look faster. The headline is about the best of the other runs: who compares wants to know the
 * one to take. */
#include "commands/report/compare.h"

#include <math.h>
#include <string.h>

#include "core/model/job.h"
#include "ui/words.h"

static const struct gather_job *find_job(const struct gather *g, const struct gather_job *like)
{
    const struct gather_job *j = gather_find(g, like->id);
    bool same = j && j->tasks == like->tasks && strcmp(j->name, like->name) == 0;
    return same && j->measured && !j->open && !j->failed ? j : NULL;
}

void compare_match(struct comparison *c)
{
    const struct gather *first = &c->runs[0].gather;

    for (uint32_t i = 0; i < first->jobs.count; i++) {
        struct compared one = {0};
        bool all = true;
        for (uint32_t k = 0; k < c->count; k++) {
            one.job[k] = find_job(&c->runs[k].gather, &first->jobs.at[i]);
            all &= one.job[k] != NULL;
        }
        if (all)
            vec_push(&c->jobs, one);
    }
}

/* ---- numbers ---- */

static bool is_in(const struct compared *j, int bin)
{
    return bin == COMPARE_ALL || job_bin(j->job[0]->tasks) - 1 == bin;
}

uint32_t compare_jobs(const struct comparison *c, int bin)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->jobs.count; i++)
        count += is_in(&c->jobs.at[i], bin);
    return count;
}

double compare_mean_s(const struct comparison *c, uint32_t run, int bin)
{
    double sum = 0;
    uint32_t count = compare_jobs(c, bin);

    for (uint32_t i = 0; i < c->jobs.count; i++)
        if (is_in(&c->jobs.at[i], bin))
            sum += (double)gather_took_us(c->jobs.at[i].job[run]) / 1e6;
    return count ? sum / count : NAN;
}

double compare_change(const struct comparison *c, uint32_t run, int bin)
{
    double base = compare_mean_s(c, 0, bin);
    return base > 0 ? (compare_mean_s(c, run, bin) - base) / base : 0;
}

uint32_t compare_best(const struct comparison *c)
{
    uint32_t best = 1;

    for (uint32_t k = 2; k < c->count; k++)
        if (compare_mean_s(c, k, COMPARE_ALL) < compare_mean_s(c, best, COMPARE_ALL))
            best = k;
    return best;
}

const char *compare_bin_name(int bin)
{
    static const char *const names[COMPARE_BINS] = {"1-10", "11-50", "51-150", "151-500",
                                                    "over 500"};
    return names[bin];
}

/* ---- words ---- */

/* "34 % sooner than", "as soon as": a difference that rounds to nothing is none. */
static void add_change(double change, const char *less, const char *more, const char *same,
                       struct str *out)
{
    if (!(fabs(change) >= 0.0005))
        str_add(out, same);
    else
        str_addf(out, "%s %s", words_share(fabs(change)).text, change < 0 ? less : more);
}

void compare_headline(const struct comparison *c, struct str *text, struct str *range)
{
    uint32_t best = compare_best(c);

    if (c->jobs.count == 0) {
        str_add(text, "The runs have no job in common that is done in all of them");
        return;
    }
    str_addf(text, "%s: %s ", c->runs[best].label,
             c->jobs.count == 1 ? "the job ends" : "jobs end");
    add_change(compare_change(c, best, COMPARE_ALL), "sooner than", "later than", "as soon as",
               text);
    str_addf(text, " with %s", c->runs[0].label);
    str_addf(range, "(%s, not %s)",
             words_brief((int64_t)(1e6 * compare_mean_s(c, best, COMPARE_ALL))).text,
             words_brief((int64_t)(1e6 * compare_mean_s(c, 0, COMPARE_ALL))).text);
}

static void add_counts(const struct comparison *c, uint32_t run, struct str *out)
{
    uint32_t faster = 0, slower = 0;

    if (c->jobs.count == 1)
        return;
    for (uint32_t i = 0; i < c->jobs.count; i++) {
        double was = (double)gather_took_us(c->jobs.at[i].job[0]);
        double is = (double)gather_took_us(c->jobs.at[i].job[run]);
        faster += is < was * (1 - COMPARE_SAME);
        slower += is > was * (1 + COMPARE_SAME);
    }
    str_addf(out, "Of %u jobs %u end sooner with %s by more than 1 %%, %u later, and %u as soon.\n",
             c->jobs.count, faster, c->runs[run].label, slower, c->jobs.count - faster - slower);
}

/* The size of jobs that gains most, if there are several. */
static void add_bins(const struct comparison *c, uint32_t run, struct str *out)
{
    int best = -1, sizes = 0;

    for (int b = 0; b < COMPARE_BINS; b++) {
        if (compare_jobs(c, b) == 0)
            continue;
        sizes++;
        if (best < 0 || compare_change(c, run, b) < compare_change(c, run, best))
            best = b;
    }
    if (sizes < 2 || compare_change(c, run, best) > -COMPARE_SAME)
        return;
    str_addf(out, "Jobs of %s tasks (%u of %u) gain most: %s instead of ", compare_bin_name(best),
             compare_jobs(c, best), c->jobs.count,
             words_brief((int64_t)(1e6 * compare_mean_s(c, run, best))).text);
    str_addf(out, "%s on average.\n",
             words_brief((int64_t)(1e6 * compare_mean_s(c, 0, best))).text);
}

static void add_others(const struct comparison *c, uint32_t best, struct str *out)
{
    bool first = true;

    if (c->count < 3)
        return;
    for (uint32_t k = 1; k < c->count; k++) {
        if (k == best)
            continue;
        str_addf(out, first ? "With %s they end " : ", with %s ", c->runs[k].label);
        add_change(compare_change(c, k, COMPARE_ALL), "sooner", "later", "as soon", out);
        first = false;
    }
    str_add(out, ".\n");
}

static void add_cost(const struct comparison *c, uint32_t run, struct str *out)
{
    const struct story_run *r = c->runs[run].input.x.run;
    double vain_s = r->vain_slot_s[LAUNCH_CLONE] + r->vain_slot_s[LAUNCH_BACKUP];

    if (vain_s > 0 && r->slot_s > 0)
        str_addf(out, "With %s extra attempts that did not win held %s of all slot-seconds.\n",
                 c->runs[run].label, words_share(vain_s / r->slot_s).text);
}

/* Of all runs in one sentence: those that are not compared, and those that are not measured. */
static void add_left_out(const struct comparison *c, struct str *out)
{
    uint64_t others = 0, unmeasured = 0;

    for (uint32_t k = 0; k < c->count; k++) {
        const struct gather *g = &c->runs[k].gather;
        uint64_t left = g->measured_count - c->jobs.count;
        others = left > others ? left : others;
        left = g->job_count - g->measured_count;
        unmeasured = left > unmeasured ? left : unmeasured;
    }
    if (others > 0)
        str_addf(out, "%s cannot be compared: not the same in all runs, or not done in all%s",
                 words_count(others, "job").text, unmeasured > 0 ? "; " : ".\n");
    if (unmeasured > 0)
        str_addf(out, "%s before or after the measured ones %s not counted.\n",
                 words_count(unmeasured, "job").text, unmeasured == 1 ? "is" : "are");
}

void compare_sentences(const struct comparison *c, struct str *out)
{
    uint32_t best = compare_best(c);

    if (c->jobs.count > 0) {
        add_bins(c, best, out);
        add_counts(c, best, out);
        add_others(c, best, out);
        add_cost(c, best, out);
    }
    add_left_out(c, out);
}
