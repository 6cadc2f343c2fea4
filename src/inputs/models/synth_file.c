/* synth_file.c - reads the model of a generated workload.
 *
 * A model has some forty numbers, and the published facts about the cluster that it models. All
 * numbers are keys of a few lines; the tables below have the field and the range of each. Every
 * line but `published` occurs once, and every number without a default must be given: a forgotten
 * one would be a silent zero in a result.
 *
 * There are two kinds of model. A flow is numbers alone; a mix writes its jobs out, below all other
 * lines, as a workload file does.
 *
 * Strings of the file end with it, so those that are kept are copied into the model's own memory. A
 * mix keeps the file itself, which its templates borrow from. */
#include "inputs/models/synth_file.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "inputs/config/line.h"
#include "inputs/models/mix_job.h"

/* What lines fill; the model points into it. */
struct synth_file {
    struct synth_model model; /* first: freed by its address */
    struct flow_model flow;
    struct mix_model mix;
    struct line_file *text; /* of a mix: its templates borrow from it */
    char *name, *cluster;   /* borrowed from the file while it is read, then owned */
    uint32_t jobs;
    int then; /* which choice */
    int64_t every_us, overhead_us;
    VEC(struct synth_published) published; /* strings owned */
};

struct published_fields {
    double value;
    char *citation;
};

#define FILE_ROW(name, type, field, min, max)                                                      \
    FIELD_ROW(name, type, struct synth_file, field, min, max)
#define FLOW_ROW(key, type, min, max) FILE_ROW(#key, type, flow.key, min, max)

static const struct field model_keys[] = {
    {FILE_ROW("cluster", FIELD_TEXT, cluster, 1, 1000)},
    {FILE_ROW("jobs", FIELD_COUNT, jobs, 1, 1e9)},
    {FILE_ROW("warmup", FIELD_TIME, model.warmup_us, 0, KEY_TIME_MAX)},
    {FILE_ROW("then", FIELD_CHOICE, then, 0, 0), .choices = "more|nothing"},
    {0},
};
static const struct field arrivals_keys[] = {
    {FILE_ROW("every", FIELD_TIME, every_us, 0.001, KEY_TIME_MAX)},
    {FILE_ROW("surge", FIELD_REAL, model.surge, 0, 3)},
    {FILE_ROW("window", FIELD_TIME, model.surge_window_us, 1, KEY_TIME_MAX)},
    {0},
};
static const struct field jobs_keys[] = {
    {FLOW_ROW(kinds, FIELD_COUNT, 1, 1e9)},
    {FLOW_ROW(width, FIELD_REAL, 1, 1e6)},
    {FLOW_ROW(width_noise, FIELD_REAL, 0, 5)},
    {FLOW_ROW(width_max, FIELD_COUNT, 1, 1e6)},
    {FLOW_ROW(waves, FIELD_REAL, 0.001, 1000)},
    {FLOW_ROW(waves_noise, FIELD_REAL, 0, 5)},
    {FILE_ROW("overhead", FIELD_TIME, overhead_us, 0, KEY_TIME_MAX)},
    {FILE_ROW("overhead_noise", FIELD_REAL, model.overhead_noise, 0, 2)},
    {0},
};
static const struct field phases_keys[] = {
    {FLOW_ROW(phases, FIELD_REAL, 1, FLOW_PHASES_MAX)},
    {FLOW_ROW(phases_noise, FIELD_REAL, 0, 5)},
    {FLOW_ROW(phases_max, FIELD_COUNT, 1, FLOW_PHASES_MAX)},
    {FLOW_ROW(source, FIELD_REAL, 0, 1)},
    {FLOW_ROW(join, FIELD_REAL, 0, 0.99)},
    {FLOW_ROW(barrier, FIELD_REAL, 0, 1)},
    {FLOW_ROW(spread, FIELD_REAL, 0, 5)},
    {0},
};
static const struct field tasks_keys[] = {
    {FILE_ROW("size", FIELD_TIME, flow.size_us, 0.001, KEY_TIME_MAX)},
    {FLOW_ROW(kind_noise, FIELD_REAL, 0, 3)},
    {FLOW_ROW(run_noise, FIELD_REAL, 0, 3)},
    {FLOW_ROW(phase_noise, FIELD_REAL, 0, 3)},
    {0},
};
static const struct field data_keys[] = {
    {FLOW_ROW(skew, FIELD_REAL, 0, 5)},
    {FLOW_ROW(skew_noise, FIELD_REAL, 0, 5)},
    {FLOW_ROW(skew_max, FIELD_REAL, 0, 5)},
    {FLOW_ROW(hot_phases, FIELD_REAL, 0, 1)},
    {FLOW_ROW(hot_tasks, FIELD_REAL, 0, 1)},
    {FLOW_ROW(hot_min, FIELD_REAL, 1, 1e6)},
    {FLOW_ROW(hot_max, FIELD_REAL, 1, 1e6)},
    {FILE_ROW("rate", FIELD_BYTES, flow.bytes_per_s, 1000, 1ll << 40)},
    {FLOW_ROW(output, FIELD_REAL, 0, 1000)},
    {FLOW_ROW(output_noise, FIELD_REAL, 0, 5)},
    {0},
};
static const struct field mix_keys[] = {
    {FILE_ROW("cpu_noise", FIELD_REAL, mix.cpu_noise, 0, 3)},
    {FILE_ROW("mem_noise", FIELD_REAL, mix.mem_noise, 0, 3)},
    {FILE_ROW("size_noise", FIELD_REAL, mix.size_noise, 0, 3)},
    {FILE_ROW("task_noise", FIELD_REAL, mix.task_noise, 0, 3)},
    {0},
};
static const struct field published_keys[] = {
    {FIELD_ROW("value", FIELD_REAL, struct published_fields, value, -1e12, 1e12)},
    {FIELD_ROW("source", FIELD_TEXT, struct published_fields, citation, 1, 200)},
    {0},
};

const struct key_kind synth_file_kinds[MODEL_KINDS] = {
    [MODEL_MODEL] = {"model", "NAME", model_keys},
    [MODEL_ARRIVALS] = {"arrivals", NULL, arrivals_keys},
    [MODEL_JOBS] = {"jobs", NULL, jobs_keys},
    [MODEL_PHASES] = {"phases", NULL, phases_keys},
    [MODEL_TASKS] = {"tasks", NULL, tasks_keys},
    [MODEL_DATA] = {"data", NULL, data_keys},
    [MODEL_MIX] = {"mix", NULL, mix_keys},
    [MODEL_PUBLISHED] = {"published", "ID", published_keys},
};

struct model_reader {
    struct line_file *file;
    struct synth_file *to;
    struct err *err;
    uint64_t given[MODEL_KINDS];
};

/* ---- lines ---- */

static int read_published(struct model_reader *r, const struct line *line)
{
    struct published_fields fields = {0};
    uint64_t given = 0;
    if (key_fill(line, &synth_file_kinds[MODEL_PUBLISHED], &fields, &given, r->err))
        return -1;
    if (given != 3)
        return line_fail(line, r->err, "published without value= or source=; expected both");
    for (uint32_t i = 0; i < r->to->published.count; i++)
        if (!strcmp(r->to->published.at[i].id, line->name))
            return line_fail(line, r->err, "'%s' is published twice; expected one line for each",
                             line_quote(line->name).text);
    struct synth_published p = {mem_strdup(line->name), fields.value, mem_strdup(fields.citation)};
    vec_push(&r->to->published, p);
    return 0;
}

static int read_line(struct model_reader *r, const struct line *line)
{
    const struct key_kind *kind = key_kind(line, synth_file_kinds, MODEL_KINDS, r->err);
    if (!kind)
        return -1;
    uint32_t i = (uint32_t)(kind - synth_file_kinds);
    if (i == MODEL_PUBLISHED)
        return read_published(r, line);
    if (i == MODEL_MODEL && r->to->name)
        return line_fail(line, r->err, "a second line model; expected one");
    if (i != MODEL_MODEL && !r->to->name)
        return line_fail(line, r->err, "'%s' before the model; expected a line model NAME first",
                         line->word);
    if (i == MODEL_MODEL) {
        if (!field_name_ok(line->name) || strlen(line->name) > 20)
            return line_fail(
                line, r->err,
                "'%s' is not a valid name of a model; expected 1 to 20 letters, digits and _.+@:-",
                line_quote(line->name).text);
        r->to->name = line->name;
    }
    if (key_fill(line, kind, r->to, &r->given[i], r->err))
        return -1;
    for (int k = MODEL_JOBS; r->given[MODEL_MIX] && k < MODEL_MIX; k++)
        if (r->given[k])
            return line_fail(line, r->err, "both mix and %s; expected a mix of jobs or a flow",
                             synth_file_kinds[k].word);
    return 0;
}

/* The jobs of a mix, which stand below all else; `first` is the first of their lines. */
static int read_mix(struct model_reader *r, const struct line *first)
{
    struct job_templates *t = &r->to->mix.templates;
    if (job_template_read(t, r->file, first, NULL, r->err))
        return -1;
    for (uint32_t i = 0; i < t->jobs.count; i++) {
        const struct job_template *j = &t->jobs.at[i];
        if (j->at_us || j->setup_us || j->repeat > 1)
            return line_error(
                r->file, j->line, r->err,
                "job '%s' of a mix with at=, setup= or repeat=; expected none of them: "
                "arrivals are the model's",
                j->name);
    }
    return 0;
}

/* ---- the whole ---- */

/* Whether a model of this kind has such lines. */
static bool belongs(int line, bool mix)
{
    return line < MODEL_JOBS || (line == MODEL_MIX) == mix;
}

/* Every key of every line is there. */
static int check_given(const struct model_reader *r)
{
    bool mix = r->given[MODEL_MIX] != 0;
    if (mix && r->to->mix.templates.jobs.count == 0)
        return line_error(r->file, line_count(r->file), r->err,
                          "no jobs; expected at least: job NAME, and below it: phase NAME");
    for (int i = 0; i < MODEL_PUBLISHED; i++)
        for (uint32_t k = 0; belongs(i, mix) && synth_file_kinds[i].keys[k].name; k++)
            if (!(r->given[i] >> k & 1))
                return line_error(r->file, line_count(r->file), r->err,
                                  "%s= of %s is missing; expected every key of a model",
                                  synth_file_kinds[i].keys[k].name, synth_file_kinds[i].word);
    if (!mix && r->to->flow.hot_max < r->to->flow.hot_min)
        return line_error(r->file, line_count(r->file), r->err,
                          "hot_max of data is below hot_min; expected at least %g",
                          r->to->flow.hot_min);
    return 0;
}

/* The cluster's path as seen from the folder of the model. */
static char *path_beside(const char *model, const char *cluster)
{
    const char *slash = strrchr(model, '/');
    size_t folder = slash && cluster[0] != '/' ? (size_t)(slash + 1 - model) : 0;
    size_t length = strlen(cluster);
    char *path = mem_zalloc(1, folder + length + 1);
    memcpy(path, model, folder);
    memcpy(path + folder, cluster, length);
    return path;
}

static void finish(struct synth_file *to, const char *path)
{
    struct synth_model *m = &to->model;
    to->name = mem_strdup(to->name);
    to->cluster = path_beside(path, to->cluster);
    m->name = m->prefix = to->name;
    m->cluster_path = to->cluster;
    m->mix = to->mix.templates.jobs.count ? &to->mix : NULL;
    m->flow = m->mix ? NULL : &to->flow;
    m->jobs = to->jobs;
    m->drains = to->then == 1;
    m->arrivals_per_s = 1e6 / (double)to->every_us;
    m->overhead_s = (double)to->overhead_us / 1e6;
    m->published = to->published.at;
    m->published_count = to->published.count;
}

struct synth_model *synth_file_read(const char *path, struct err *err)
{
    struct model_reader r = {.file = line_open(path, err), .err = err};
    if (!r.file)
        return NULL;
    r.to = mem_zalloc(1, sizeof *r.to);
    const struct line *line;
    int rc;
    while ((rc = line_next(r.file, &line, err)) > 0) {
        bool jobs = r.given[MODEL_MIX] && !strcmp(line->word, "job");
        rc = jobs ? read_mix(&r, line) : read_line(&r, line);
        if (jobs || rc < 0)
            break;
    }
    if (rc == 0)
        rc = check_given(&r);
    if (rc == 0) {
        finish(r.to, path);
    } else {
        r.to->name = r.to->cluster = NULL; /* borrowed */
        synth_file_free(&r.to->model);
    }
    if (rc == 0 && r.to->model.mix)
        r.to->text = r.file;
    else
        line_close(r.file);
    return rc == 0 ? &r.to->model : NULL;
}

void synth_file_free(struct synth_model *m)
{
    struct synth_file *f = (struct synth_file *)m;
    if (!f)
        return;
    for (uint32_t i = 0; i < f->published.count; i++) {
        mem_free((char *)f->published.at[i].id);
        mem_free((char *)f->published.at[i].citation);
    }
    vec_free(&f->published);
    job_templates_fini(&f->mix.templates);
    line_close(f->text);
    mem_free(f->name);
    mem_free(f->cluster);
    mem_free(f);
}
