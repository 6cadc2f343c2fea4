/* alibaba2018_dag.c - samples of Alibaba's trace of 2018 with the mean time of each task's
 * instances, as a table with a header. docs/reference/formats/alibaba2018.md */
#include "inputs/formats/alibaba.h"

enum { JOB, TASK, INSTANCES, STATUS, START, END, SPAN, MEAN, CPU, CPU_USED, MEM, COLUMNS };

static int detect(const char *at, size_t length, bool is_all)
{
    return table_begins(at, length, is_all,
                        "#job\ttask\tinstances\tstatus\tstart_s\tend_s\tspan_s\tmean_inst")
               ? 100
               : 0;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct row_bytes *parents = state;
    struct table_row f;
    if (!table_take(r, line, '#', '\t', COLUMNS, &f))
        return;
    struct row row = row_blank(ROW_PHASE, f.at[JOB]);
    if (!alibaba_task(r, f.at[TASK], f.at[STATUS], parents, &row) ||
        !feed_int_maybe(r, f.at[INSTANCES], &row.tasks) ||
        !alibaba_span(r, f.at[START], f.at[END], &row) ||
        !feed_time_maybe(r, f.at[MEAN], FEED_S, &row.mean_us) ||
        !alibaba_plan(r, f.at[CPU], f.at[MEM], 100, &row))
        return;
    /* Where there is no end, the samples have the start for the mean: how far it is from an end at
     * 0. */
    if (row.span_us == ROW_UNKNOWN && row.mean_us == row.submit_us)
        row.mean_us = ROW_UNKNOWN;
    feed_row(r, &row);
}

const struct import_format alibaba2018_dag_format = {
    .name = "alibaba2018-dag",
    .help = "Alibaba 2018, tasks with their graph and the mean time of their instances",
    .detect = detect,
    .state = sizeof(struct row_bytes),
    .line = take_line,
    .end = alibaba_end,
};
