/* swim.c - SWIM's workloads of Facebook: a line for each job, with bytes and no times.
 * docs/reference/formats/swim.md */
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"

enum { JOB, SUBMIT, GAP, INPUT, SHUFFLE, OUTPUT, COLUMNS };

static int detect(const char *at, size_t length, bool is_all)
{
    struct table_row f;
    if (!table_first(at, length, is_all, '\t', 0, &f) || f.count != COLUMNS ||
        table_is_int(f.at[JOB]))
        return 0;
    for (int i = SUBMIT; i < COLUMNS; i++)
        if (!table_is_int(f.at[i]))
            return 0;
    return 80;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct table_row f;
    int64_t submit, input, shuffle, output;
    (void)state;
    if (!table_take(r, line, 0, '\t', COLUMNS, &f))
        return;
    if (!feed_time(r, f.at[SUBMIT], FEED_S, &submit) || !feed_int(r, f.at[INPUT], &input) ||
        !feed_int(r, f.at[SHUFFLE], &shuffle) || !feed_int(r, f.at[OUTPUT], &output) ||
        !feed_check(r, submit >= 0, TROUBLE_NEGATIVE) ||
        !feed_check(r, input >= 0 && shuffle >= 0 && output >= 0, TROUBLE_NUMBER))
        return; /* and no half of the job is left */
    struct row map = row_blank(ROW_PHASE, f.at[JOB]);
    map.phase = ROW_TEXT("map");
    map.submit_us = submit;
    map.input_bytes = input;
    map.output_bytes = shuffle > 0 ? shuffle : output;
    feed_row(r, &map);
    if (shuffle == 0)
        return;
    struct row reduce = row_blank(ROW_PHASE, f.at[JOB]);
    reduce.phase = ROW_TEXT("reduce");
    reduce.parents = ROW_TEXT("map\n");
    reduce.input_bytes = shuffle;
    reduce.output_bytes = output;
    feed_row(r, &reduce);
}

const struct import_format swim_format = {
    .name = "swim",
    .help = "SWIM, Facebook 2009 and 2010: submissions and bytes of map and reduce",
    .is_whole = true,
    .detect = detect,
    .line = take_line,
};
