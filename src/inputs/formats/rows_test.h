/* rows_test.h - for tests of formats: text in, rows out. */
#pragma once

#include <inttypes.h>

#include "inputs/formats/sample_test.h"
#include "inputs/trace/feed.h"

static inline void rows_add_text(struct str *to, const char *name, struct row_text t)
{
    if (t.length == 0)
        return;
    str_addf(to, " %s=", name);
    for (size_t i = 0; i < t.length; i++) /* names in a list end with a newline */
        str_addf(to, "%c", t.at[i] == '\n' ? ';' : t.at[i] == '\t' ? '~' : t.at[i]);
}

static inline void rows_add_int(struct str *to, const char *name, int64_t value)
{
    if (value != ROW_UNKNOWN)
        str_addf(to, " %s=%" PRId64, name, value);
}

/* Writes all that differs from a blank row. The name of the scratch file is not known before. */
static inline int rows_add_row(void *ctx, const struct row *r, struct err *err)
{
    static const char *const kinds[] = {"job",    "phase", "task",   "end",
                                        "submit", "start", "attempt"};
    static const char *const ends[] = {"",      " failed",  " killed", " evicted",
                                       " lost", " running", " waiting"};
    struct str *to = ctx;
    bool is_file = r->job.length > 10 && memmem(r->job.at, r->job.length, "dolly-test-", 11);

    (void)err;
    str_add(to, kinds[r->kind]);
    rows_add_text(to, "job", is_file ? ROW_TEXT("FILE") : r->job);
    rows_add_text(to, "phase", r->phase);
    rows_add_text(to, "task", r->task);
    str_add(to, ends[r->end]);
    rows_add_int(to, "attempt", r->attempt);
    rows_add_int(to, "submit", r->submit_us);
    rows_add_int(to, "start", r->start_us);
    rows_add_int(to, "end", r->end_us);
    rows_add_int(to, "mean", r->mean_us);
    rows_add_int(to, "span", r->span_us);
    rows_add_int(to, "limit", r->limit_us);
    rows_add_int(to, "tasks", r->tasks);
    rows_add_int(to, "in", r->input_bytes);
    rows_add_int(to, "out", r->output_bytes);
    if (r->cpu >= 0)
        str_addf(to, " cpu=%g", r->cpu);
    if (r->mem >= 0)
        str_addf(to, " mem=%.10g", r->mem);
    str_add(to, r->is_share ? " share" : r->is_mem_share ? " mem-share" : "");
    str_add(to, r->tasks_are_parents ? " tasks-above" : "");
    str_add(to, r->is_gang ? " gang" : "");
    rows_add_text(to, "parents", r->parents);
    rows_add_text(to, "hosts", r->hosts);
    rows_add_text(to, "user", r->user);
    rows_add_text(to, "queue", r->queue);
    rows_add_text(to, "app", r->app);
    rows_add_text(to, "node", r->node);
    if (!is_file)
        rows_add_text(to, "name", r->name);
    str_addf(to, " @%" PRIu64 "\n", r->where & ((UINT64_C(1) << TROUBLE_LINE_BITS) - 1));
    return 0;
}

/* Returns true if the text, read as this format, becomes these rows, machines and troubles, with
 * the line or byte of each; prints them otherwise. */
static inline bool rows_are(const char *format, const char *text, const char *expected)
{
    struct err err = {0};
    struct scratch file = scratch_write(text, strlen(text));
    const char *path = file.path;
    struct trouble trouble = {0};
    struct machines machines = {0};
    struct str rows = {0};
    struct import_options o = {.formats = formats_table,
                               .format = formats_find(format, &err),
                               .paths = &path,
                               .path_count = 1};
    struct feed *f = feed_create(&o, &trouble, &machines, rows_add_row, &rows);
    int got;

    str_add(&rows, "");
    while ((got = feed_step(f, &err)) > 0)
        ;
    if (got < 0)
        str_addf(&rows, "error: %s\n", err.text);
    for (uint32_t i = 0; i < machines.at.count; i++)
        str_addf(&rows, "machine %s cpu=%g mem=%.10g\n", machines.at.at[i].name,
                 machines.at.at[i].cpu, machines.at.at[i].mem);
    if (machines.racks.count)
        str_addf(&rows, "racks %u\n", machines.racks.count);
    for (int k = 0; k < TROUBLE_KINDS; k++)
        if (trouble.kinds[k].count)
            str_addf(&rows, "%s %" PRIu64 " @%" PRIu64 "\n", trouble_texts[k].name,
                     trouble.kinds[k].count,
                     trouble.kinds[k].first & ((UINT64_C(1) << TROUBLE_LINE_BITS) - 1));
    if (trouble.bad)
        str_addf(&rows, "bad %" PRIu64 " of %" PRIu64 "\n", trouble.bad, trouble.rows);
    feed_destroy(f);
    machines_fini(&machines);
    trouble_fini(&trouble);
    scratch_remove(&file);
    bool same = strcmp(rows.text, expected) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", rows.text, expected);
    str_free(&rows);
    return same;
}
