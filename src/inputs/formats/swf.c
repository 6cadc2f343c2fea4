/* swf.c - the Standard Workload Format of the Parallel Workloads Archive: a line for each job.
 * docs/reference/formats/swf.md */
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"
#include "inputs/trace/number.h"

enum {
    NUMBER,
    SUBMIT,
    WAIT,
    RUN,
    PROCESSORS,
    CPU_TIME,
    MEMORY,
    ASKED_PROCESSORS,
    ASKED_TIME,
    ASKED_MEMORY,
    STATUS,
    USER,
    GROUP,
    PROGRAM,
    QUEUE,
    PARTITION,
    BEFORE,
    THINK,
    COLUMNS,
};

/* Status: 2, 3 and 4 are pieces of a job that has a line of its own. */
enum { FAILED = 0, PIECE_FIRST = 2, PIECE_LAST = 4, CANCELLED = 5 };

static uint32_t split(struct row_text line, struct row_text *fields)
{
    uint32_t n = 0;
    while (n < COLUMNS && lines_word(&line, &fields[n]))
        n++;
    struct row_text more;
    return n + (n == COLUMNS && lines_word(&line, &more));
}

static int detect(const char *at, size_t length, bool is_all)
{
    struct row_text line, f[COLUMNS];
    double value;
    if (!lines_first(at, length, is_all, ';', &line) || split(line, f) != COLUMNS)
        return 0;
    for (int i = 0; i < COLUMNS; i++)
        if (!number_real(f[i], &value))
            return 0;
    return at[0] == ';' ? 95 : 85;
}

static struct row_text known(struct row_text f)
{
    return row_text_is(f, "-1") ? (struct row_text){0} : f;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct row_text f[COLUMNS];
    int64_t status, limit_us, asked = ROW_UNKNOWN, kib = ROW_UNKNOWN;
    (void)state;
    while (line.length > 0 && line.at[0] == ' ')
        line = (struct row_text){line.at + 1, line.length - 1};
    if (line.length == 0 || line.at[0] == ';')
        return;
    if (!feed_check(r, split(line, f) == COLUMNS, TROUBLE_COLUMNS))
        return;
    struct row row = row_blank(ROW_PHASE, f[NUMBER]);
    row.phase = ROW_TEXT("run");
    if (!feed_time(r, f[SUBMIT], FEED_S, &row.submit_us) ||
        !feed_time_maybe(r, f[RUN], FEED_S, &row.mean_us) ||
        !feed_int_maybe(r, f[PROCESSORS], &row.tasks) ||
        !feed_int_maybe(r, f[ASKED_PROCESSORS], &asked) || !feed_int_maybe(r, f[MEMORY], &kib) ||
        !feed_int(r, f[STATUS], &status))
        return;
    if (kib == ROW_UNKNOWN && !feed_int_maybe(r, f[ASKED_MEMORY], &kib))
        return;
    if (row.tasks == ROW_UNKNOWN || row.tasks == 0)
        row.tasks = asked;
    if ((status >= PIECE_FIRST && status <= PIECE_LAST) || row.mean_us == ROW_UNKNOWN ||
        row.mean_us == 0)
        return; /* it never ran, or is told of elsewhere */
    if (number_time(f[ASKED_TIME], FEED_S, &limit_us) && limit_us > 0)
        row.limit_us = limit_us;
    row.end = status == FAILED ? ROW_FAILED : status == CANCELLED ? ROW_KILLED : ROW_DONE;
    row.is_gang = true;
    row.cpu = 1;
    row.mem = kib > 0 ? (double)kib * 1024 : -1;
    row.user = known(f[USER]);
    row.queue = known(f[QUEUE]);
    row.app = known(f[PROGRAM]);
    feed_row(r, &row);
}

const struct import_format swf_format = {
    .name = "swf",
    .help = "Standard Workload Format: parallel jobs of supercomputers",
    .is_whole = true,
    .detect = detect,
    .line = take_line,
};
