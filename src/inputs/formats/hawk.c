/* hawk.c - the .tr files of the simulators Hawk, Eagle and others: a line for each job, with the
 * times of its tasks. docs/reference/formats/hawk.md */
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"
#include "inputs/trace/number.h"

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

struct hawk_state {
    VEC(int64_t) times; /* of the tasks of a line, us */
};

/* Reads the times of all tasks, so that a line is a whole job or none. */
static bool read_times(struct feed_reader *r, struct hawk_state *s, struct row_text rest)
{
    struct row_text word;
    int64_t us;
    vec_clear(&s->times);
    while (lines_word(&rest, &word)) {
        if (!feed_time(r, word, FEED_S, &us) || !feed_check(r, us >= 0, TROUBLE_NEGATIVE))
            return false;
        vec_push(&s->times, us);
    }
    return true;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct hawk_state *s = state;
    struct row_text rest = line;
    struct table_text name, number;
    int64_t arrival, tasks;
    if (line.length == 0)
        return;
    if (!feed_check(r, read_head(&rest, &arrival, &tasks), TROUBLE_NUMBER) ||
        !feed_check(r, arrival >= 0, TROUBLE_NEGATIVE) || !read_times(r, s, rest) ||
        !feed_check(r, s->times.count == tasks, TROUBLE_COLUMNS))
        return;
    struct row job = row_blank(ROW_JOB, table_line(&name, line, feed_line(r)));
    job.submit_us = arrival;
    feed_row(r, &job);
    for (uint32_t i = 0; i < s->times.count; i++) {
        struct row row = row_blank(ROW_ATTEMPT, job.job);
        row.task = table_number(&number, "", i);
        row.mean_us = s->times.at[i];
        feed_row(r, &row);
    }
}

static void end_part(struct feed_reader *r, void *state)
{
    struct hawk_state *s = state;
    (void)r;
    vec_free(&s->times);
}

const struct import_format hawk_format = {
    .name = "hawk",
    .help = ".tr files of Hawk, Eagle and others: arrivals and the times of all tasks",
    .is_whole = true,
    .detect = detect,
    .state = sizeof(struct hawk_state),
    .line = take_line,
    .end = end_part,
};
