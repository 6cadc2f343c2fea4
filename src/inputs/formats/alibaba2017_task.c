/* alibaba2017_task.c - batch_task of Alibaba's trace of 2017: a row for each task, which becomes a
 * phase; there is no graph. docs/reference/formats/alibaba2017.md */
#include "inputs/formats/alibaba.h"

enum { CREATED, ENDED, JOB, TASK, INSTANCES, STATUS, CPU, MEM, COLUMNS };

static int detect(const char *at, size_t length, bool is_all)
{
    return alibaba_detect(at, length, is_all, COLUMNS, INSTANCES, STATUS);
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct table_row f;
    (void)state;
    if (!table_take(r, line, '#', ',', CPU, &f)) /* the plan may be missing */
        return;
    struct row row = row_blank(ROW_PHASE, f.at[JOB]);
    row.phase = f.at[TASK];
    if (!feed_check(r, alibaba_status(f.at[STATUS], &row.end), TROUBLE_WORD) ||
        !feed_int_maybe(r, f.at[INSTANCES], &row.tasks) ||
        !alibaba_span(r, f.at[CREATED], f.at[ENDED], &row) ||
        (f.count == COLUMNS && !alibaba_plan(r, f.at[CPU], f.at[MEM], 1, &row)))
        return;
    feed_row(r, &row);
}

const struct import_format alibaba2017_task_format = {
    .name = "alibaba2017-task",
    .help = "Alibaba 2017, batch_task: tasks with their demands and spans, no graph",
    .detect = detect,
    .line = take_line,
};
