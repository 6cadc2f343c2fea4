/* coflow.c - coflow-benchmark: shuffles of Facebook, with racks of mappers and megabytes of
 * reducers. docs/reference/formats/coflow.md */
#include <math.h>

#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"
#include "inputs/trace/number.h"

struct coflow_state {
    bool has_head;
};

/* A whole number that is the next word. */
static bool next_int(struct row_text *line, int64_t *value)
{
    struct row_text word;
    return lines_word(line, &word) && number_int(word, value);
}

/* "rack:MB"; false if it is not. */
static bool read_reducer(struct row_text word, struct row_text *rack, double *mb)
{
    struct row_text words[3];
    if (lines_split(word, ':', words, 3) != 2 || words[0].length == 0)
        return false;
    *rack = words[0];
    return number_real(words[1], mb) && *mb >= 0 && *mb < 1e12;
}

static int detect(const char *at, size_t length, bool is_all)
{
    struct row_text line, word, rack, last = {0};
    int64_t number;
    double mb;
    const char *newline = memchr(at, '\n', length);
    if (!lines_first(at, length, is_all, 0, &line) || !next_int(&line, &number) ||
        !next_int(&line, &number) || lines_word(&line, &word) || !newline)
        return 0;
    size_t used = (size_t)(newline + 1 - at);
    if (!lines_first(newline + 1, length - used, is_all, 0, &line))
        return 0;
    for (int i = 0; i < 3; i++)
        if (!next_int(&line, &number))
            return 0;
    while (lines_word(&line, &word))
        last = word;
    return last.length && read_reducer(last, &rack, &mb) ? 90 : 0;
}

enum { WIDE_MAX = 10 * 1000 * 1000 };

static void give_reducers(struct feed_reader *r, struct row_text job, struct row_text rest)
{
    struct row_text word, rack;
    double mb;
    for (int64_t i = 0; lines_word(&rest, &word) && read_reducer(word, &rack, &mb); i++) {
        struct table_text name;
        struct row task = row_blank(ROW_TASK, job);
        task.phase = ROW_TEXT("reduce");
        task.task = table_number(&name, "", i);
        task.node = rack;
        task.input_bytes = llround(mb * 1e6);
        feed_row(r, &task);
    }
}

/* Checks the rest of a line behind the number of reducers, and adds up what they read. */
static bool has_reducers(struct row_text rest, int64_t count, double *total_mb)
{
    struct row_text word, rack;
    int64_t n = 0;
    double mb;
    for (; lines_word(&rest, &word); n++) {
        if (!read_reducer(word, &rack, &mb))
            return false;
        *total_mb += mb;
    }
    return n == count;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct coflow_state *s = state;
    struct row_text job, word, rest = line;
    int64_t arrival, maps, reduces;
    double total_mb = 0;
    if (line.length == 0)
        return;
    if (!s->has_head) { /* ports and coflows */
        s->has_head = true;
        return;
    }
    if (!feed_check(r, lines_word(&rest, &job) && lines_word(&rest, &word), TROUBLE_COLUMNS) ||
        !feed_time(r, word, FEED_MS, &arrival) || !feed_check(r, arrival >= 0, TROUBLE_NEGATIVE) ||
        !feed_check(r, next_int(&rest, &maps) && maps >= 0 && maps <= WIDE_MAX, TROUBLE_NUMBER))
        return;
    for (int64_t i = 0; i < maps; i++)
        lines_word(&rest, &word); /* racks of mappers */
    if (!feed_check(r, next_int(&rest, &reduces) && has_reducers(rest, reduces, &total_mb),
                    TROUBLE_COLUMNS))
        return;
    struct row map = row_blank(ROW_PHASE, job);
    map.phase = ROW_TEXT("map");
    map.submit_us = arrival;
    map.tasks = maps > 0 ? maps : 1;
    map.output_bytes = llround(fmin(total_mb, 1e12) * 1e6);
    feed_row(r, &map);
    if (reduces == 0)
        return;
    struct row reduce = row_blank(ROW_PHASE, job);
    reduce.phase = ROW_TEXT("reduce");
    reduce.parents = ROW_TEXT("map\n");
    reduce.tasks = reduces;
    feed_row(r, &reduce);
    give_reducers(r, job, rest);
}

const struct import_format coflow_format = {
    .name = "coflow",
    .help = "coflow-benchmark, Facebook 2010: shuffles with the bytes of each reducer",
    .is_whole = true,
    .detect = detect,
    .state = sizeof(struct coflow_state),
    .line = take_line,
};
