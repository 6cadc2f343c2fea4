/* hawk.c - the .tr files of the simulators Hawk, Eagle and others: a line for each job, with the
 * times of its tasks. docs/formats/hawk.md */
#include "formats/formats.h"
#include "formats/table.h"
#include "import/feed.h"
#include "import/number.h"

/* The first three words; false if they are not those of a job. */
static bool read_head(struct row_text *line, int64_t *arrival_us, int64_t *tasks)
{
    struct row_text word;
    int64_t mean_us;
    return lines_word(line, &word) && number_time(word, FEED_S, arrival_us) &&
           lines_word(line, &word) && number_int(word, tasks) && *tasks > 0 &&
           lines_word(line, &word) && number_time(word, FEED_S, &mean_us);
}

static int64_t count_words(struct row_text line)
{
    struct row_text word;
    int64_t n = 0;
    while (lines_word(&line, &word))
        n++;
    return n;
}

/* The first job may be longer than what is seen of it. */
static int detect(const char *at, size_t length, bool is_all)
{
    struct row_text line;
    int64_t arrival, tasks;
    bool whole = lines_first(at, length, is_all, 0, &line);
    if (!whole)
        line = (struct row_text){at, length};
    if (!read_head(&line, &arrival, &tasks))
        return 0;
    int64_t words = count_words(line);
    return (whole ? words == tasks : words > 100 && words <= tasks) ? 70 : 0;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct row_text rest = line, word;
    struct table_text name, number;
    int64_t arrival, tasks, us;
    (void)state;
    if (line.length == 0)
        return;
    if (!read_head(&rest, &arrival, &tasks)) {
        feed_bad(r, TROUBLE_NUMBER);
        return;
    }
    if (count_words(rest) != tasks) {
        feed_bad(r, TROUBLE_COLUMNS);
        return;
    }
    struct row job = row_blank(ROW_JOB, table_line(&name, line, feed_line(r)));
    job.submit_us = arrival;
    feed_row(r, &job);
    for (int64_t i = 0; lines_word(&rest, &word); i++) {
        struct row row = row_blank(ROW_ATTEMPT, job.job);
        if (!feed_time(r, word, FEED_S, &us))
            continue;
        row.task = table_number(&number, "", i);
        row.mean_us = us;
        feed_row(r, &row);
    }
}

const struct import_format hawk_format = {
    .name = "hawk",
    .help = ".tr files of Hawk, Eagle and others: arrivals and the times of all tasks",
    .is_whole = true,
    .detect = detect,
    .line = take_line,
};
