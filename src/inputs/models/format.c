/* format.c - the formats of workloads, each with the functions that its row of the table names.
 *
 * A format is recognised by its contents, not by the ending of a file name: a pipe has no name, and
 * files are renamed. */
#include "inputs/models/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "inputs/models/synth_file.h"

/* ---- generated: a model that is built in ---- */

/* A file of the same name stands before it. */
static bool generated_detect(const char *name, const char *first)
{
    return !first && synth_find(name);
}

static int generated_find(struct named_workload *s, struct err *err)
{
    (void)err;
    s->model = synth_find(s->name);
    return 0;
}

static struct workload *generated_open(const struct named_workload *s,
                                       const struct cluster *cluster, uint64_t seed,
                                       struct err *err)
{
    (void)cluster;
    (void)err;
    return synth_create(s->model, seed);
}

/* ---- model: the same from a file ---- */

static bool model_detect(const char *name, const char *first)
{
    (void)name;
    return first && !strncmp(first, "model ", 6);
}

static int model_find(struct named_workload *s, struct err *err)
{
    s->model = s->own = synth_file_read(s->name, err);
    return s->own ? 0 : -1;
}

/* ---- file: jobs one by one ---- */

static bool file_detect(const char *name, const char *first)
{
    (void)name;
    (void)first;
    return true;
}

static struct workload *file_open(const struct named_workload *s, const struct cluster *cluster,
                                  uint64_t seed, struct err *err)
{
    (void)seed;
    return workload_file_read(s->name, cluster, err);
}

/* ---- all of them ---- */

const struct format format_table[] = {
    {"generated", "facebook, bing or google: jobs without end, drawn from a model that is built in",
     generated_detect, generated_find, generated_open},
    {"model", "a file that begins with the word `model`: the same from your own model",
     model_detect, model_find, generated_open},
    {"file", "any other file: a line for each job, phase and special task", file_detect, NULL,
     file_open},
    {NULL, NULL, NULL, NULL, NULL},
};

/* What `detect` gets as `first`; the line is kept in `text`. */
static const char *first_line(const char *name, char *text, int size)
{
    struct stat st;
    const char *first = "";
    if (stat(name, &st) != 0)
        return NULL;
    FILE *f = S_ISREG(st.st_mode) ? fopen(name, "re") : NULL;
    bool inside = false; /* of a line that is longer than the buffer */
    while (f && !*first && fgets(text, size, f)) {
        const char *word = text + strspn(text, " \t\r\n");
        if (!inside && *word && *word != '#')
            first = word;
        inside = !strchr(text, '\n');
    }
    if (f)
        fclose(f);
    return first;
}

int format_find(struct named_workload *s, const char *name, struct err *err)
{
    char text[256];
    const char *first = first_line(name, text, sizeof text);
    *s = (struct named_workload){.name = name, .format = format_table};
    while (!s->format->detect(name, first))
        s->format++;
    return s->format->find ? s->format->find(s, err) : 0;
}

struct named_workload format_model(const struct synth_model *model)
{
    return (struct named_workload){.name = model->name, .format = format_table, .model = model};
}

void format_fini(struct named_workload *s)
{
    synth_file_free(s->own);
    *s = (struct named_workload){0};
}

static int no_such(const char *name, struct err *err)
{
    const char *generated[SYNTH_MODELS];
    for (int i = 0; i < SYNTH_MODELS; i++)
        generated[i] = synth_model_table[i].name;
    const char *near = text_nearest(name, generated, SYNTH_MODELS);
    return err_set(err, "%s: no workload file and no generated workload has this name%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Whether the jobs can be read from there. 0, or -1 with *err. */
static int check_file(const struct named_workload *s, struct err *err)
{
    struct stat st;
    if (stat(s->name, &st) != 0)
        return errno == ENOENT ? no_such(s->name, err)
                               : err_set(err, "%s: %s", s->name, strerror(errno));
    if (s->reopened && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return err_set(err, "%s: several runs read the workload again, so it must be a plain file",
                       s->name);
    return 0;
}

struct workload *format_open(const struct named_workload *s, const struct cluster *cluster,
                             uint64_t seed, struct err *err)
{
    if (s->text)
        return workload_file_read_text(s->name, s->text, cluster, err);
    if (!s->model && check_file(s, err) < 0)
        return NULL;
    return s->format->open(s, cluster, seed, err);
}

void format_scale(struct named_workload *s, double load)
{
    s->scaled = *s->model;
    s->scaled.arrivals_per_s *= load;
    s->model = &s->scaled;
}

int format_take_scale(void *load, const char *text, struct err *err)
{
    static const char key[] = "load=";
    double value;

    if (strncmp(text, key, sizeof key - 1) != 0 || !text_real(text + sizeof key - 1, &value) ||
        value < 0.01 || value > 100)
        return err_set(err, "--scale must be load=F with F from 0.01 to 100, not '%s'", text);
    *(double *)load = value;
    return 0;
}
