/* plan.c - from arguments to tasks.
 *
 * A task takes one row, or with -n, -m and -X several. Where it begins is worked out from its
 * number; only where lengths decide (-m, -X, -s), where the order is random, or where some tasks
 * are left out is a list of numbers kept, four bytes a task. Commands are made when they are
 * needed: a million tasks cost no more than their arguments. */
#include "jobs/args/plan.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/vec.h"
#include "core/model/job.h"
#include "jobs/args/quote.h"

enum {
    PLAN_CHARS_MAX = 131071, /* what the kernel takes as one argument of a program */
    PLAN_FILL_MAX = 63663,   /* -m, -X, --xargs: where GNU parallel cuts, too */
};

struct plan {
    const struct options *options; /* borrowed */
    struct plan_sources from;
    struct template_options strings; /* how replacement strings are written, */
    const char *braces;              /* {} among them */
    struct template *command, *tag, *results, *workdir;
    unsigned flags;
    uint32_t slots;
    uint64_t rows, all;
    VEC(uint32_t) starts; /* first row of each task, if lengths decide */
    VEC(uint32_t) order;  /* row or group of each task, with --shuf */
    VEC(uint32_t) kept;   /* tasks that are not left out, with --resume */
    bool skips;
    struct str unfit;   /* what is wrong with the row behind the last one */
    VEC(char *) copies; /* arguments of one task with many rows */
};

/* ---- making ---- */

/* The command, with {} behind it if `longer`. */
static struct template *plan_command_template(const struct plan *p, bool longer, struct err *err)
{
    const struct options *o = p->options;
    VEC(const char *) words = {0};
    struct str text = {0};
    struct template *made;

    if (o->quote) {
        for (uint32_t i = 0; i < o->word_count; i++)
            vec_push(&words, o->words[i]);
        if (longer)
            vec_push(&words, p->braces);
        made = template_parse_words((struct fields){words.at, words.count}, &p->strings, err);
    } else {
        str_addf(&text, "%s%s%s", o->command.text, longer ? " " : "", longer ? p->braces : "");
        made = template_parse(text.text, &p->strings, err);
    }
    vec_free(&words);
    str_free(&text);
    return made;
}

/* The arguments go to the end of a command that does not say where. */
static int plan_take_command(struct plan *p, struct err *err)
{
    const struct options *o = p->options;
    bool appends = (p->from.inputs && o->max_args != 0 && !o->tee) || p->from.block_files;

    if (!o->command.text) { /* the arguments are commands, so they are not quoted */
        p->command = template_parse(p->braces, &p->strings, err);
        if (!o->quote)
            p->flags &= ~(unsigned)TEMPLATE_QUOTE;
        return p->command ? 0 : -1;
    }
    p->command = plan_command_template(p, false, err);
    if (p->command && !template_replaces(p->command) && appends) {
        template_destroy(p->command);
        p->command = plan_command_template(p, true, err);
    }
    if (p->command && !o->quote && template_begins(p->command))
        p->flags &= ~(unsigned)TEMPLATE_QUOTE; /* arguments say what is run, and how */
    return p->command ? 0 : -1;
}

static void plan_keep_fields(struct plan *p, struct fields row)
{
    for (uint32_t i = 0; i < row.count; i++)
        vec_push(&p->copies, mem_strdup(row.at[i]));
}

static struct fields plan_kept_fields(const struct plan *p)
{
    return (struct fields){(const char *const *)p->copies.at, p->copies.count};
}

/* The arguments of these rows, until they are asked for again. */
static struct fields plan_rows(struct plan *p, uint64_t from, uint64_t to)
{
    if (to - from == 1)
        return inputs_row(p->from.inputs, from);
    vec_free_each(&p->copies);
    for (; from < to; from++)
        plan_keep_fields(p, inputs_row(p->from.inputs, from));
    return plan_kept_fields(p);
}

/* Rows of a task, where lengths do not decide. */
static uint64_t plan_rows_each(const struct plan *p)
{
    return p->options->max_args > 1 && p->from.inputs ? (uint64_t)p->options->max_args : 1;
}

/* The most characters a command may have. -s counts the zero at its end, as xargs does. */
static size_t plan_limit(const struct options *o)
{
    if (o->max_chars && o->max_chars <= PLAN_CHARS_MAX)
        return (size_t)o->max_chars - 1;
    return o->many && !o->max_chars ? PLAN_FILL_MAX : PLAN_CHARS_MAX;
}

/* Characters of the command for these rows, if it is the next task. */
static size_t plan_length(struct plan *p, uint64_t from, uint64_t to)
{
    struct template_place place = {p->starts.count + 1ULL, p->rows, p->slots, p->slots};
    struct str text = {0};

    template_expand(p->command, plan_rows(p, from, to), &place, p->flags, &text);
    size_t length = text.length;
    str_free(&text);
    return length;
}

/* As many rows from `from` on as fit, `most` at most: where the next task begins; `from` itself if
 * not even one fits. Lengths are added up, so that a row is looked at twice and not once for each
 * that follows; but {2} and the like are not in the sum, so the whole is measured at last. */
static uint64_t plan_next(struct plan *p, uint64_t from, uint64_t most)
{
    struct template_place place = {p->starts.count + 1ULL, p->rows, p->slots, p->slots};
    size_t limit = plan_limit(p->options), length = plan_length(p, from, from + 1);
    uint64_t to = from + 1;

    if (length > limit)
        return from;
    vec_free_each(&p->copies);
    plan_keep_fields(p, inputs_row(p->from.inputs, from));
    struct fields first = plan_kept_fields(p);
    for (; to < p->rows && to - from < most; to++) {
        struct fields row = inputs_row(p->from.inputs, to);
        for (uint32_t i = 0; i < row.count; i++)
            length += template_growth(p->command, first, row.at[i], &place, p->flags);
        if (length > limit)
            break;
    }
    while (to - from > 1 && (length = plan_length(p, from, to)) > limit) {
        uint64_t excess = (to - from) * (length - limit) / length;
        to -= excess ? excess : 1;
    }
    return to;
}

/* Fills tasks with as many rows as fit into a command. What is left for the last one is spread over
 * the slots. Rows end before one that does not fit into any. */
static int plan_fill(struct plan *p, struct err *err)
{
    const struct options *o = p->options;
    uint64_t most = o->max_args > 0 ? (uint64_t)o->max_args : o->many ? UINT64_MAX : 1;
    bool spread = false;

    for (uint64_t from = 0, to; from < p->rows; from = to) {
        to = plan_next(p, from, most);
        if (to == from) {
            str_addf(&p->unfit, "argument %" PRIu64 " makes a command longer than %zu characters",
                     from + 1, plan_limit(o));
            p->rows = from;
            break;
        }
        if (to == p->rows && o->many && !o->xargs && !spread) {
            spread = true;
            most = (to - from + p->slots - 1) / p->slots;
            to = from + most;
        }
        vec_push(&p->starts, (uint32_t)from);
    }
    p->all = p->starts.count;
    return p->unfit.text && p->all == 0 ? err_set(err, "%s", p->unfit.text) : 0;
}

static void plan_shuffle(struct plan *p)
{
    struct rng r = rng_stream((uint64_t)p->options->seed, RNG_WORKLOAD, 0, 0, 0, 0);

    for (uint32_t i = 0; i < p->all; i++)
        vec_push(&p->order, i);
    for (uint32_t i = (uint32_t)p->all; i > 1; i--) {
        uint32_t other = (uint32_t)rng_below(&r, i), swap = p->order.at[i - 1];
        p->order.at[i - 1] = p->order.at[other];
        p->order.at[other] = swap;
    }
}

static int plan_group(struct plan *p, struct err *err)
{
    const struct options *o = p->options;
    uint64_t each = plan_rows_each(p);

    p->all = (p->rows + each - 1) / each;
    if ((o->many || o->max_chars) && p->from.inputs && plan_fill(p, err) < 0)
        return -1;
    if (p->all > JOB_TASKS_MAX)
        return err_set(err, "%" PRIu64 " tasks are too many; at most %d", p->all, JOB_TASKS_MAX);
    return 0;
}

/* \t is a tab in it, as in GNU parallel. */
static int plan_take_tag(struct plan *p, const char *text, struct err *err)
{
    struct str tag = {0};

    for (const char *tab; (tab = strstr(text, "\\t")); text = tab + 2) {
        str_add_bytes(&tag, text, (size_t)(tab - text));
        str_add(&tag, "\t");
    }
    str_add(&tag, text);
    p->tag = template_parse(tag.text, &p->strings, err);
    str_free(&tag);
    return p->tag ? 0 : -1;
}

static int plan_take_outputs(struct plan *p, struct err *err)
{
    const struct options *o = p->options;
    const char *plain = o->array || p->from.inputs ? "{}" : "{#}";

    if ((o->tag || o->tagstring) && plan_take_tag(p, o->tagstring ? o->tagstring : plain, err) < 0)
        return -1;
    if (o->results && !(p->results = template_parse(o->results, &p->strings, err)))
        return -1;
    if (o->workdir && !(p->workdir = template_parse(o->workdir, &p->strings, err)))
        return -1;
    if (p->workdir && template_replaces(p->workdir) && o->resume == RESUME_RETRY)
        return err_set(err,
                       "--retry-failed knows commands, not arguments, so that --wd %s has no "
                       "folders; use --resume-failed with the arguments",
                       o->workdir);
    return 0;
}

struct plan *plan_create(const struct options *options, const struct plan_sources *from,
                         uint32_t slots, struct err *err)
{
    struct plan *p = mem_zalloc(1, sizeof *p);

    p->options = options;
    p->from = *from;
    p->slots = slots ? slots : 1;
    p->strings = (struct template_options){.replaces = options->replaces, .plus = options->plus};
    if (from->inputs)
        p->strings.names = inputs_names(from->inputs);
    p->braces = options->replaces[REPLACES_WHOLE] ? options->replaces[REPLACES_WHOLE] : "{}";
    p->flags = TEMPLATE_QUOTE | (options->context ? TEMPLATE_CONTEXT : 0u);
    p->rows = from->inputs  ? inputs_rows(from->inputs)
              : from->array ? from->array->count
                            : from->blocks;
    if (plan_take_command(p, err) < 0 || plan_take_outputs(p, err) < 0 || plan_group(p, err) < 0) {
        plan_destroy(p);
        return NULL;
    }
    if (options->shuffle)
        plan_shuffle(p);
    return p;
}

int plan_grow(struct plan *p, uint64_t blocks, struct err *err)
{
    check(!p->skips && p->order.count == 0 && p->starts.count == 0);
    p->rows = p->from.inputs ? inputs_rows(p->from.inputs) : blocks;
    return plan_group(p, err);
}

void plan_destroy(struct plan *p)
{
    if (!p)
        return;
    template_destroy(p->command);
    template_destroy(p->tag);
    template_destroy(p->results);
    template_destroy(p->workdir);
    str_free(&p->unfit);
    vec_free(&p->starts);
    vec_free(&p->order);
    vec_free(&p->kept);
    vec_free_each(&p->copies);
    mem_free(p);
}

void plan_skip(struct plan *p, bool (*done)(void *ctx, uint64_t seq), void *ctx)
{
    check(!p->skips);
    for (uint32_t i = 0; i < p->all; i++)
        if (!done(ctx, plan_seq(p, i)))
            vec_push(&p->kept, i);
    p->skips = true;
}

/* ---- tasks ---- */

uint32_t plan_tasks(const struct plan *p)
{
    return p->skips ? p->kept.count : (uint32_t)p->all;
}

const char *plan_unfit(const struct plan *p)
{
    return p->unfit.text;
}

/* The place of a task among all of them, and which rows, index or block it has. */
static uint32_t plan_place(const struct plan *p, uint32_t task)
{
    return p->skips ? p->kept.at[task] : task;
}

static uint32_t plan_group_of(const struct plan *p, uint32_t task)
{
    uint32_t place = plan_place(p, task);
    return p->order.count ? p->order.at[place] : place;
}

uint64_t plan_seq(const struct plan *p, uint32_t task)
{
    uint32_t place = plan_place(p, task);
    return p->from.seqs ? p->from.seqs[place] : place + 1ULL;
}

static void plan_span(const struct plan *p, uint32_t group, uint64_t *from, uint64_t *to)
{
    uint64_t each = plan_rows_each(p);

    if (p->starts.count) {
        *from = p->starts.at[group];
        *to = group + 1 < p->starts.count ? p->starts.at[group + 1] : p->rows;
    } else {
        *from = group * each;
        *to = *from + each < p->rows ? *from + each : p->rows;
    }
}

struct fields plan_arguments(struct plan *p, uint32_t task)
{
    uint32_t group = plan_group_of(p, task);
    uint64_t from, to;

    if (p->from.array || p->from.block_files) {
        struct str text = {0};
        if (p->from.array)
            str_addf(&text, "%" PRId64, array_spec_at(p->from.array, group));
        else
            str_addf(&text, "%s/%u", p->from.block_files, group);
        vec_free_each(&p->copies);
        vec_push(&p->copies, text.text);
        return plan_kept_fields(p);
    }
    if (!p->from.inputs)
        return (struct fields){NULL, 0};
    plan_span(p, group, &from, &to);
    return plan_rows(p, from, to);
}

static void plan_expand(struct plan *p, const struct template *t, uint32_t task, uint32_t slot,
                        unsigned flags, struct str *out)
{
    struct template_place place = {plan_seq(p, task), p->all, slot, p->slots};
    bool none = p->options->max_args == 0 && t != p->results && t != p->workdir;

    str_add(out, ""); /* so that there is a text, even if nothing is put in */
    template_expand(t, none ? (struct fields){NULL, 0} : plan_arguments(p, task), &place, flags,
                    out);
}

void plan_command(struct plan *p, uint32_t task, uint32_t slot, struct str *out)
{
    plan_expand(p, p->command, task, slot, p->flags, out);
}

bool plan_command_is_steady(const struct plan *p)
{
    return template_is_steady(p->command);
}

void plan_tag(struct plan *p, uint32_t task, uint32_t slot, struct str *out)
{
    plan_expand(p, p->tag, task, slot, p->flags & TEMPLATE_CONTEXT, out);
}

bool plan_workdir_each(const struct plan *p)
{
    return p->workdir && (template_replaces(p->workdir) || strcmp(p->options->workdir, "...") == 0);
}

void plan_enter(struct plan *p, uint32_t task, uint32_t slot, struct str *out)
{
    struct str path = {0}, word = {0};

    if (!plan_workdir_each(p))
        return;
    if (template_replaces(p->workdir)) {
        plan_expand(p, p->workdir, task, slot, 0, &path);
        quote_add(&word, path.text);
    } else { /* as GNU parallel names it */
        str_add(&word, "\"$HOME/.parallel/tmp/$(uname -n)-$PARALLEL_PID-$PARALLEL_SEQ\"");
    }
    str_addf(out, "mkdir -p -- %s && cd -- %s || exit\n", word.text, word.text);
    str_free(&path);
    str_free(&word);
}

int64_t plan_index(const struct plan *p, uint32_t task)
{
    return p->from.array ? array_spec_at(p->from.array, plan_group_of(p, task))
                         : (int64_t)plan_seq(p, task);
}

/* ---- results ---- */

bool plan_results_plain(const struct plan *p)
{
    return !template_replaces(p->results);
}

/* A name of a file that begins at `from` and is too long for file systems keeps its beginning; the
 * hash of all of it tells it from others that begin alike. */
static void results_shorten(struct str *out, size_t from, size_t most)
{
    enum { HASH = 18 }; /* +h and 16 digits */
    size_t keep = most - HASH;
    const char *name = out->text + from;

    if (out->length - from <= most)
        return;
    uint64_t hash = hash_text(name);
    while (keep > 0 && (name[keep] & 0xc0) == 0x80) /* not within a character of UTF-8 */
        keep--;
    str_cut(out, from + keep);
    str_addf(out, "+h%016" PRIx64, hash);
}

/* One folder name for any text: GNU parallel's +z for /, and nothing that leads elsewhere. */
static void results_name(const char *text, struct str *out)
{
    size_t from = out->length;

    if (!*text || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        str_add(out, "+");
    for (; *text; text++)
        switch (*text) {
        case '/':
            str_add(out, "+z");
            break;
        case '+':
            str_add(out, "++");
            break;
        default:
            str_addf(out, "%c", *text);
        }
    results_shorten(out, from, NAME_MAX);
}

/* The same for each name of a path that arguments were put into; .err and .seq come behind it. */
static void results_shorten_all(const char *path, struct str *out)
{
    while (*path) {
        size_t length = strcspn(path, "/"), from = out->length;
        str_add_bytes(out, path, length);
        results_shorten(out, from, NAME_MAX - 4);
        path += length;
        if (*path)
            str_add_bytes(out, path++, 1);
    }
}

/* Folders of columns with names stand one in the other in the order of the names, as in GNU
 * parallel, whatever the order of the sources; those with numbers in that of the numbers. */
static void results_columns(struct fields values, struct fields names, struct str *out)
{
    VEC(uint32_t) order = {0};

    for (uint32_t i = 0; i < values.count; i++) {
        uint32_t at = i;
        vec_push(&order, i);
        for (; i < names.count && at > 0; at--) {
            if (strcmp(names.at[order.at[at - 1]], names.at[i]) <= 0)
                break;
            order.at[at] = order.at[at - 1];
        }
        order.at[at] = i;
    }
    for (uint32_t k = 0; k < values.count; k++) {
        uint32_t i = order.at[k];
        str_add(out, "/");
        if (i < names.count)
            results_name(names.at[i], out);
        else
            str_addf(out, "%u", i + 1);
        str_add(out, "/");
        results_name(values.at[i], out);
    }
    vec_free(&order);
}

void plan_results(struct plan *p, uint32_t task, uint32_t slot, struct str *out)
{
    size_t begun = out->length;

    if (!plan_results_plain(p)) {
        struct str path = {0};
        plan_expand(p, p->results, task, slot, 0, &path);
        results_shorten_all(path.text, out);
        str_free(&path);
        return;
    }
    str_add(out, p->options->results);
    size_t folder = out->length;
    struct fields f = plan_arguments(p, task);
    struct fields names = p->from.inputs ? inputs_names(p->from.inputs) : (struct fields){NULL, 0};
    if (f.count == 0)
        str_addf(out, "/%" PRIu64, plan_seq(p, task));
    results_columns(f, names, out);
    if (out->length - begun > PATH_MAX - sizeof "/stdout") { /* many long arguments */
        str_cut(out, folder);
        str_addf(out, "/+%" PRIu64, plan_seq(p, task));
    }
}
