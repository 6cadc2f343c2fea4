/* google_attempts.c - Google's trace of 2011 as a table of attempts: each SCHEDULE event joined
 * with the SUBMIT before it and the end after it. docs/reference/formats/google2011.md */
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"

enum { JOB, TASK, ATTEMPT, SUBMIT, SCHEDULE, END, HOW, MACHINE, CLASS, PRIORITY, CPU, RAM, DISK };

enum { COLUMNS = RAM + 1 };

static int detect(const char *at, size_t length, bool is_all)
{
    return table_begins(at, length, is_all, "#job\ttask\tattempt\tsubmit_ms\tschedule_ms\tend_ms")
               ? 100
               : 0;
}

static const struct row_end_word ends[] = {{"FINISH", ROW_DONE},
                                           {"KILL", ROW_KILLED},
                                           {"EVICT", ROW_EVICTED},
                                           {"FAIL", ROW_FAILED},
                                           {"LOST", ROW_LOST},
                                           {"RUNNING", ROW_RUNNING},
                                           {0}};

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct table_row f;
    (void)state;
    if (!table_take(r, line, '#', '\t', COLUMNS, &f))
        return;
    struct row row = row_blank(ROW_ATTEMPT, f.at[JOB]);
    row.task = f.at[TASK];
    row.node = f.at[MACHINE];
    row.is_share = true;
    if (!feed_int_maybe(r, f.at[ATTEMPT], &row.attempt) ||
        !feed_time_maybe(r, f.at[SUBMIT], FEED_MS, &row.submit_us) ||
        !feed_time(r, f.at[SCHEDULE], FEED_MS, &row.start_us) ||
        !feed_time_maybe(r, f.at[END], FEED_MS, &row.end_us) || /* -1: it runs */
        !feed_real_maybe(r, f.at[CPU], &row.cpu) || !feed_real_maybe(r, f.at[RAM], &row.mem) ||
        !feed_check(r, row_end_read(ends, f.at[HOW], &row.end), TROUBLE_WORD))
        return;
    feed_row(r, &row);
}

const struct import_format google_attempts_format = {
    .name = "google2011-attempts",
    .help = "Google 2011, attempts: a row for each, from its submission to its end",
    .detect = detect,
    .line = take_line,
};
