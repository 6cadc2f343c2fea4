/* repro_numbers.c - evaluates the formulas of a file, seed by seed.
 *
 * A formula is evaluated once for each seed, over the results of that seed, and only then averaged:
 * luck that two policies share cancels out in whatever compares them. Results are loaded when a
 * formula first asks for them and dropped before the next seed, so that memory follows one seed. */
#include "reproduce/repro_numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/stat.h"
#include "base/text.h"
#include "reproduce/repro_expr.h"

static int *unit_of(const struct repro_numbers *n, const struct repro_run *run, uint32_t seed)
{
    return &n->units[(uint64_t)(run - n->f->runs.at) * n->f->seeds + seed];
}

/* ---- planning ---- */

static char *with_seed(const char *command, uint32_t seed)
{
    struct str out = {0};

    str_add(&out, "");
    for (const char *at = command; *at;) {
        if (strncmp(at, "$seed", 5) == 0) {
            str_addf(&out, "%u", seed + 1);
            at += 5;
        } else {
            str_addf(&out, "%c", *at++);
        }
    }
    return out.text;
}

/* A name in a formula: its run is needed. */
static int need(void *ctx, const char *name, struct err *err)
{
    struct repro_numbers *n = ctx;
    const char *rest;
    const struct repro_run *run = repro_file_run(n->f, name, &rest);

    if (!run)
        return err_set(err, "there is no run '%s'", name);
    for (uint32_t k = 0; k < n->f->seeds; k++) {
        int *unit = unit_of(n, run, k);
        if (*unit >= 0)
            continue;
        char *command = with_seed(run->command, k);
        *unit = repro_work_add(n->w, command, n->f->folder, err);
        mem_free(command);
        if (*unit < 0)
            return -1;
    }
    return 0;
}

/* A formula may ask for the largest value of all seeds instead of the mean. */
#define LARGEST "largest "

static const char *formula_of(const char *text, bool *largest)
{
    *largest = text && strncmp(text, LARGEST, strlen(LARGEST)) == 0;
    return *largest ? text + strlen(LARGEST) : text;
}

static int plan_formula(struct repro_numbers *n, const char *formula, int line, struct err *err)
{
    char why[ERR_TEXT_MAX];
    bool largest;

    formula = formula_of(formula, &largest);
    if (!formula || repro_expr_scan(formula, need, n, err) == 0)
        return 0;
    memcpy(why, err->text, sizeof why);
    return err_set(err, "%s:%d: %.300s", n->f->path, line, why);
}

int repro_numbers_plan(struct repro_numbers *n, const struct repro_file *f, struct repro_work *w,
                       struct err *err)
{
    uint64_t count = (uint64_t)f->runs.count * f->seeds;

    *n = (struct repro_numbers){.f = f, .w = w};
    n->units = mem_zalloc(count ? count : 1, sizeof *n->units);
    for (uint64_t i = 0; i < count; i++)
        n->units[i] = -1;
    n->ours = mem_zalloc(f->rows.count, sizeof *n->ours);
    n->tuned = mem_zalloc(f->rows.count, sizeof *n->tuned);
    n->point = mem_zalloc(f->points.count ? f->points.count : 1, sizeof *n->point);
    for (uint32_t i = 0; i < f->rows.count; i++)
        if (plan_formula(n, f->rows.at[i].ours, f->rows.at[i].line, err) < 0 ||
            plan_formula(n, f->rows.at[i].tuned, f->rows.at[i].line, err) < 0)
            return -1;
    for (uint32_t i = 0; i < f->points.count; i++)
        if (plan_formula(n, f->points.at[i].ours, f->points.at[i].line, err) < 0)
            return -1;
    return 0;
}

/* ---- evaluating ---- */

/* The results of one seed, as far as they were asked for. */
struct seed_results {
    const struct repro_numbers *n;
    uint32_t seed;
    json_t **loaded; /* by run */
};

static const json_t *find(void *ctx, const char *name, const char **rest, struct err *err)
{
    struct seed_results *s = ctx;
    const struct repro_run *run = repro_file_run(s->n->f, name, rest);

    if (!run) {
        err_set(err, "there is no run '%s'", name);
        return NULL;
    }
    json_t **at = &s->loaded[run - s->n->f->runs.at];
    if (!*at)
        *at = repro_work_result(s->n->w, (uint32_t)*unit_of(s->n, run, s->seed), err);
    return *at;
}

/* Values of one formula under each seed. */
struct sample {
    const char *formula; /* without a leading LARGEST */
    int line;
    struct repro_estimate *out;
    double *at;
    bool largest;
};

/* Over the seeds under which there is something to measure. The largest of all seeds has no
 * interval. */
static struct repro_estimate estimate(double *at, uint32_t seeds, bool largest)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < seeds; i++)
        if (!isnan(at[i]))
            at[count++] = at[i];
    if (count == 0)
        return (struct repro_estimate){(double)NAN, (double)NAN, (double)NAN};
    if (largest)
        return (struct repro_estimate){stat_quantile(at, count, 1), (double)NAN, (double)NAN};
    double mean = stat_mean(at, count), half = stat_interval(at, count);

    return (struct repro_estimate){mean, mean - half, mean + half};
}

static int fill_seed(struct repro_numbers *n, struct sample *samples, uint32_t count, uint32_t seed,
                     struct err *err)
{
    struct seed_results results = {n, seed, mem_zalloc(n->f->runs.count, sizeof(json_t *))};
    struct repro_names names = {find, &results};
    int result = 0;

    for (uint32_t i = 0; i < count && result == 0; i++)
        if (repro_expr_eval(samples[i].formula, &names, &samples[i].at[seed], err) < 0) {
            char why[ERR_TEXT_MAX];
            memcpy(why, err->text, sizeof why);
            result = err_set(err, "%s:%d: %.300s", n->f->path, samples[i].line, why);
        }
    for (uint32_t i = 0; i < n->f->runs.count; i++)
        json_decref(results.loaded[i]);
    mem_free(results.loaded);
    return result;
}

int repro_numbers_fill(struct repro_numbers *n, struct err *err)
{
    VEC(struct sample) samples = {0};
    const struct repro_estimate none = {(double)NAN, (double)NAN, (double)NAN};
    int result = 0;

    for (uint32_t i = 0; i < n->f->rows.count; i++) {
        const struct repro_row *r = &n->f->rows.at[i];
        vec_push(&samples, ((struct sample){r->ours, r->line, &n->ours[i], NULL, false}));
        vec_push(&samples, ((struct sample){r->tuned, r->line, &n->tuned[i], NULL, false}));
    }
    for (uint32_t i = 0; i < n->f->points.count; i++) {
        const struct repro_point *p = &n->f->points.at[i];
        vec_push(&samples, ((struct sample){p->ours, p->line, &n->point[i], NULL, false}));
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < samples.count; i++) {
        *samples.at[i].out = none;
        samples.at[i].formula = formula_of(samples.at[i].formula, &samples.at[i].largest);
        if (samples.at[i].formula)
            samples.at[kept++] = samples.at[i];
    }
    for (uint32_t i = 0; i < kept; i++)
        samples.at[i].at = mem_zalloc(n->f->seeds, sizeof(double));
    for (uint32_t k = 0; k < n->f->seeds && result == 0; k++)
        result = fill_seed(n, samples.at, kept, k, err);
    for (uint32_t i = 0; i < kept; i++) {
        if (result == 0)
            *samples.at[i].out = estimate(samples.at[i].at, n->f->seeds, samples.at[i].largest);
        mem_free(samples.at[i].at);
    }
    vec_free(&samples);
    for (uint32_t i = 0; i < n->f->points.count && result == 0; i++)
        if (n->f->points.at[i].row)
            n->point[i] = n->ours[repro_file_row(n->f, n->f->points.at[i].row) - n->f->rows.at];
    return result;
}

void repro_numbers_fini(struct repro_numbers *n)
{
    mem_free(n->units);
    mem_free(n->ours);
    mem_free(n->tuned);
    mem_free(n->point);
}
