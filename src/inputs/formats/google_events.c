/* google_events.c - Google's trace of 2011 as published: task_events, any of its 500 files.
 * docs/reference/formats/google2011.md */
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"

enum { TIME, MISSING, JOB, TASK, MACHINE, EVENT, USER, CLASS, PRIORITY, CPU, RAM, DISK, DIFFERENT };

enum { COLUMNS = EVENT + 1, ALL_COLUMNS = DIFFERENT + 1 };

enum { SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL, LOST, UPDATE_PENDING, UPDATE_RUNNING };

static int detect(const char *at, size_t length, bool is_all)
{
    struct table_row f;
    return table_first(at, length, is_all, ',', 0, &f) && f.count == ALL_COLUMNS &&
                   table_is_int(f.at[TIME]) && table_is_int(f.at[JOB]) &&
                   table_is_int(f.at[TASK]) && f.at[EVENT].length == 1 &&
                   f.at[EVENT].at[0] >= '0' && f.at[EVENT].at[0] <= '8'
               ? 95
               : 0;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    static const enum row_end ends[] = {[EVICT] = ROW_EVICTED,
                                        [FAIL] = ROW_FAILED,
                                        [FINISH] = ROW_DONE,
                                        [KILL] = ROW_KILLED,
                                        [LOST] = ROW_LOST};
    struct table_row f;
    int64_t at_us, event;
    (void)state;
    if (!table_take(r, line, 0, ',', COLUMNS, &f))
        return;
    if (!feed_time(r, f.at[TIME], 1, &at_us) || !feed_int(r, f.at[EVENT], &event) ||
        !feed_check(r, event >= SUBMIT && event <= UPDATE_RUNNING, TROUBLE_WORD) ||
        event >= UPDATE_PENDING)
        return;
    struct row row = row_blank(event == SUBMIT     ? ROW_SUBMIT
                               : event == SCHEDULE ? ROW_START
                                                   : ROW_END,
                               f.at[JOB]);
    row.task = f.at[TASK];
    *(event == SUBMIT ? &row.submit_us : event == SCHEDULE ? &row.start_us : &row.end_us) = at_us;
    row.end = event >= EVICT ? ends[event] : ROW_DONE;
    row.is_share = true;
    if (f.count > RAM &&
        (!feed_real_maybe(r, f.at[CPU], &row.cpu) || !feed_real_maybe(r, f.at[RAM], &row.mem)))
        return;
    if (f.count > USER)
        row.user = f.at[USER];
    row.node = f.at[MACHINE];
    feed_row(r, &row);
}

const struct import_format google_events_format = {
    .name = "google2011",
    .help = "Google 2011, task_events: parts of the original CSV, any number of them",
    .detect = detect,
    .line = take_line,
};
