/* alibaba2018_instance.c - batch_instance of Alibaba's trace of 2018: a row for each attempt.
 * docs/reference/formats/alibaba2018.md */
#include "inputs/formats/alibaba.h"

enum { INSTANCE, TASK, JOB, TYPE, STATUS, START, END, MACHINE, SEQUENCE, COLUMNS };
enum { ALL_COLUMNS = 14 };

static int detect(const char *at, size_t length, bool is_all)
{
    return alibaba_detect(at, length, is_all, ALL_COLUMNS, START, STATUS);
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct row_bytes *parents = state;
    struct table_row f;
    if (!table_take(r, line, '#', ',', COLUMNS, &f))
        return;
    struct row row = row_blank(ROW_ATTEMPT, f.at[JOB]);
    row.task = f.at[INSTANCE];
    row.node = f.at[MACHINE];
    if (!alibaba_task(r, f.at[TASK], f.at[STATUS], parents, &row) || row.end == ROW_WAITING ||
        !feed_int_maybe(r, f.at[SEQUENCE], &row.attempt) ||
        !feed_time(r, f.at[START], FEED_S, &row.start_us) ||
        !feed_time(r, f.at[END], FEED_S, &row.end_us))
        return;
    if (row.end_us == 0) /* not known, as of one that runs */
        row.end_us = ROW_UNKNOWN;
    feed_row(r, &row);
}

const struct import_format alibaba2018_instance_format = {
    .name = "alibaba2018-instance",
    .help = "Alibaba 2018, batch_instance: attempts; with batch_task, or alone",
    .detect = detect,
    .state = sizeof(struct row_bytes),
    .line = take_line,
    .end = alibaba_end,
};
