/* repro_numbers.c - evaluates the formulas of a file, seed by seed.
 *
 * Formulas are jq programs over the results of runs; experiments/formulas.jq holds their functions.
 * One jq process evaluates all formulas of a paper under one seed: the run fb.late is there as
 * $fb.late, and a list of values comes back, in which null stands for nothing to measure and a text
 * for what was wrong. The names of runs are all that is read of a formula here: they say what has
 * to run. Means and intervals are taken last: luck that two policies share cancels out in whatever
 * compares them. */
#include "commands/reproduce/repro_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/stat.h"
#include "base/text.h"
#include "commands/reproduce/repro_jq.h"

static int *unit_of(const struct repro_numbers *n, uint32_t run, uint32_t seed)
{
    return &n->units[(uint64_t)run * n->f->seeds + seed];
}

static int fail(const struct repro_numbers *n, const struct repro_formula *m, const char *why,
                struct err *err)
{
    return err_set(err, "%s:%d: in '%.200s': %.250s", n->f->path, m->line, m->text, why);
}

/* ---- planning ---- */

static char *with_seed(const char *command, uint32_t seed)
{
    struct str out = {0};

    str_add(&out, "");
    for (const char *at; (at = strstr(command, "$seed")); command = at + strlen("$seed")) {
        str_add_bytes(&out, command, (size_t)(at - command));
        str_addf(&out, "%u", seed + 1);
    }
    str_add(&out, command);
    return out.text;
}

/* Adds the run of a name in a formula to the work. */
static int need(struct repro_numbers *n, const char *name, struct err *err)
{
    const struct repro_run *run = repro_file_run(n->f, name);

    if (!run)
        return err_set(err, "run '%s' does not exist", name);
    for (uint32_t k = 0; k < n->f->seeds; k++) {
        int *unit = unit_of(n, (uint32_t)(run - n->f->runs.at), k);
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

/* Takes a formula in, and the runs that it names. */
static int plan_formula(struct repro_numbers *n, const char *text, int line,
                        struct repro_estimate *out, struct err *err)
{
    static const char largest[] = "largest ";
    struct repro_formula m = {.text = text, .line = line, .out = out};
    struct err why;
    char name[200];

    *out = (struct repro_estimate){(double)NAN, (double)NAN, (double)NAN};
    if (!text)
        return 0;
    m.largest = strncmp(text, largest, strlen(largest)) == 0;
    m.text += m.largest ? strlen(largest) : 0;
    for (const char *at = strchr(m.text, '$'); at; at = strchr(at, '$')) {
        at++;
        snprintf(name, sizeof name, "%.*s", (int)strspn(at, REPRO_FILE_NAME), at);
        if (need(n, name, &why) < 0)
            return fail(n, &m, why.text, err);
    }
    m.at = mem_zalloc(n->f->seeds, sizeof *m.at);
    vec_push(&n->formulas, m);
    return 0;
}

/* ---- programs for jq ---- */

/* `. as {$fb, $bing}`: the runs that are needed, by the beginnings of their names. */
static void add_variables(const struct repro_numbers *n, struct str *p)
{
    const struct repro_run *run = n->f->runs.at;

    str_add(p, " | . as {none: $none");
    for (uint32_t i = 0; i < n->f->runs.count; i++) {
        size_t length = strcspn(run[i].name, ".");
        bool seen = *unit_of(n, i, 0) < 0;
        for (uint32_t k = 0; k < i && !seen; k++)
            seen = *unit_of(n, k, 0) >= 0 && strcspn(run[k].name, ".") == length &&
                   strncmp(run[k].name, run[i].name, length) == 0;
        if (!seen)
            str_addf(p, ", $%.*s", (int)length, run[i].name);
    }
    str_add(p, "}\n");
}

static void add_formulas(const struct repro_formula *m, uint32_t count, struct str *p)
{
    str_add(p, "| [");
    for (uint32_t i = 0; i < count; i++)
        str_addf(p, "%svalue(%s\n)", i ? ", " : "", m[i].text);
    str_add(p, "]");
}

/* Whether jq understands the formulas. */
static int compile(const struct repro_numbers *n, const struct repro_formula *m, uint32_t count,
                   struct err *err)
{
    struct str p = {0};

    str_add(&p, "include \"formulas\"; true, (empty");
    add_variables(n, &p);
    add_formulas(m, count, &p);
    str_add(&p, ")");
    json_t *value = repro_jq_run(n->f->library, p.text, NULL, 0, NULL, err);
    str_free(&p);
    json_decref(value);
    return value ? 0 : -1;
}

/* All formulas at once; if that fails, one by one, to know which. */
static int check_formulas(const struct repro_numbers *n, struct err *err)
{
    struct err why;

    if (compile(n, n->formulas.at, n->formulas.count, err) == 0)
        return 0;
    for (uint32_t i = 0; i < n->formulas.count && err->kind == ERR_INPUT; i++)
        if (compile(n, &n->formulas.at[i], 1, &why) < 0)
            return fail(n, &n->formulas.at[i], why.text, err);
    return -1;
}

int repro_numbers_plan(struct repro_numbers *n, const struct repro_file *f, struct repro_work *w,
                       struct err *err)
{
    uint64_t count = (uint64_t)f->runs.count * f->seeds;

    *n = (struct repro_numbers){.f = f, .w = w};
    n->units = mem_zalloc(mem_size(count ? count : 1), sizeof *n->units);
    for (uint64_t i = 0; i < count; i++)
        n->units[i] = -1;
    n->ours = mem_zalloc(f->rows.count, sizeof *n->ours);
    n->tuned = mem_zalloc(f->rows.count, sizeof *n->tuned);
    n->point = mem_zalloc(f->points.count ? f->points.count : 1, sizeof *n->point);
    for (uint32_t i = 0; i < f->rows.count; i++) {
        const struct repro_row *r = &f->rows.at[i];
        if (plan_formula(n, r->ours, r->line, &n->ours[i], err) < 0 ||
            plan_formula(n, r->tuned, r->line, &n->tuned[i], err) < 0)
            return -1;
    }
    for (uint32_t i = 0; i < f->points.count; i++)
        if (plan_formula(n, f->points.at[i].ours, f->points.at[i].line, &n->point[i], err) < 0)
            return -1;
    return check_formulas(n, err);
}

/* ---- evaluating ---- */

/* Over the seeds under which there is something to measure. The largest of all seeds has no
 * interval. */
static void estimate(struct repro_formula *m, uint32_t seeds)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < seeds; i++)
        if (!isnan(m->at[i]))
            m->at[count++] = m->at[i];
    if (count == 0)
        return;
    if (m->largest) {
        m->out->mean = stat_quantile(m->at, count, 1);
        return;
    }
    double mean = stat_mean(m->at, count), half = stat_interval(m->at, count);
    *m->out = (struct repro_estimate){mean, mean - half, mean + half};
}

static int take_values(struct repro_numbers *n, const json_t *values, uint32_t seed,
                       struct err *err)
{
    for (uint32_t i = 0; i < n->formulas.count; i++) {
        const json_t *value = json_array_get(values, i);
        if (json_is_string(value))
            return fail(n, &n->formulas.at[i], json_string_value(value), err);
        n->formulas.at[i].at[seed] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    return 0;
}

static int fill_seed(struct repro_numbers *n, uint32_t seed, struct err *err)
{
    const struct repro_run *run = n->f->runs.at;
    struct str p = {0}, name = {0};
    VEC(char *) args = {0};

    str_add(&p, "include \"formulas\"; {}\n");
    for (uint32_t i = 0; i < n->f->runs.count; i++) {
        int unit = *unit_of(n, i, seed);
        if (unit < 0)
            continue;
        bool script = strncmp(run[i].command, "script ", 7) == 0;
        str_addf(&name, "r%u", i);
        vec_push(&args, script ? "--rawfile" : "--slurpfile");
        vec_push(&args, mem_strdup(name.text));
        vec_push(&args, n->w->units.at[unit].path);
        str_addf(&p, "| setpath(\"%s\" | split(\".\"); $r%u%s)\n", run[i].name, i,
                 script ? " | script" : "[0] | result");
        str_cut(&name, 0);
    }
    add_variables(n, &p);
    add_formulas(n->formulas.at, n->formulas.count, &p);
    json_t *values = repro_jq_run(n->f->library, p.text, args.at, args.count, NULL, err);
    int result = values ? take_values(n, values, seed, err) : -1;
    json_decref(values);
    for (uint32_t i = 1; i < args.count; i += 3)
        mem_free(args.at[i]);
    vec_free(&args);
    str_free(&p);
    str_free(&name);
    return result;
}

int repro_numbers_fill(struct repro_numbers *n, struct err *err)
{
    for (uint32_t k = 0; k < n->f->seeds; k++)
        if (fill_seed(n, k, err) < 0)
            return -1;
    for (uint32_t i = 0; i < n->formulas.count; i++)
        estimate(&n->formulas.at[i], n->f->seeds);
    for (uint32_t i = 0; i < n->f->points.count; i++)
        if (n->f->points.at[i].row)
            n->point[i] = n->ours[repro_file_row(n->f, n->f->points.at[i].row) - n->f->rows.at];
    return 0;
}

void repro_numbers_fini(struct repro_numbers *n)
{
    for (uint32_t i = 0; i < n->formulas.count; i++)
        mem_free(n->formulas.at[i].at);
    vec_free(&n->formulas);
    mem_free(n->units);
    mem_free(n->ours);
    mem_free(n->tuned);
    mem_free(n->point);
}
