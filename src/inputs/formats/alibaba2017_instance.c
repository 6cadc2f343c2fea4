/* alibaba2017_instance.c - batch_instance of Alibaba's trace of 2017: a row for each attempt. It
 * has no name of the instance, so each row is a task of its own.
 * docs/reference/formats/alibaba2017.md */
#include "inputs/formats/alibaba.h"

enum { START, END, JOB, TASK, MACHINE, STATUS, SEQUENCE, SEQUENCES, COLUMNS };
enum { ALL_COLUMNS = 12 };

static int detect(const char *at, size_t length, bool is_all)
{
    return alibaba_detect(at, length, is_all, ALL_COLUMNS, START, STATUS);
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct table_row f;
    struct table_text task;
    uint64_t *number = state;
    ++*number;
    if (!table_take(r, line, '#', ',', COLUMNS, &f))
        return;
    struct row row = row_blank(ROW_ATTEMPT, f.at[JOB]);
    row.phase = f.at[TASK];
    row.task = table_line(&task, line, *number);
    row.node = f.at[MACHINE];
    if (!feed_check(r, alibaba_status(f.at[STATUS], &row.end), TROUBLE_WORD) ||
        row.end == ROW_WAITING || !feed_time(r, f.at[START], FEED_S, &row.start_us) ||
        !feed_time(r, f.at[END], FEED_S, &row.end_us))
        return;
    if (row.end_us == 0)
        row.end_us = ROW_UNKNOWN;
    feed_row(r, &row);
}

const struct import_format alibaba2017_instance_format = {
    .name = "alibaba2017-instance",
    .help = "Alibaba 2017, batch_instance: attempts; with batch_task, or alone",
    .detect = detect,
    .state = sizeof(uint64_t),
    .line = take_line,
};
