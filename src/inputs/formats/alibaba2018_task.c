/* alibaba2018_task.c - batch_task of Alibaba's trace of 2018: a row for each task, which becomes a
 * phase. docs/reference/formats/alibaba2018.md */
#include "inputs/formats/alibaba.h"

enum { TASK, INSTANCES, JOB, TYPE, STATUS, START, END, CPU, MEM, COLUMNS };

static int detect(const char *at, size_t length, bool is_all)
{
    return alibaba_detect(at, length, is_all, COLUMNS, START, STATUS);
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct row_bytes *parents = state;
    struct table_row f;
    if (!table_take(r, line, '#', ',', COLUMNS - 2, &f)) /* the plan may be missing */
        return;
    struct row row = row_blank(ROW_PHASE, f.at[JOB]);
    if (!alibaba_task(r, f.at[TASK], f.at[STATUS], parents, &row) ||
        !feed_int_maybe(r, f.at[INSTANCES], &row.tasks) ||
        !alibaba_span(r, f.at[START], f.at[END], &row) ||
        (f.count == COLUMNS && !alibaba_plan(r, f.at[CPU], f.at[MEM], 100, &row)))
        return;
    feed_row(r, &row);
}

const struct import_format alibaba2018_task_format = {
    .name = "alibaba2018-task",
    .help = "Alibaba 2018, batch_task: tasks with their graph, demands and spans",
    .detect = detect,
    .state = sizeof(struct row_bytes),
    .line = take_line,
    .end = alibaba_end,
};
