/* alibaba.c - words, names and units of Alibaba's traces.
 *
 * The name of a task of 2018 encodes the graph: a letter or more, its number, and the numbers of
 * those that it reads: M1, R2_1, J3_1_2. Other names (task_NzA...) encode nothing and have no
 * parents. */
#include "inputs/formats/alibaba.h"

#include <ctype.h>

bool alibaba_status(struct row_text word, enum row_end *end)
{
    static const struct row_end_word words[] = {
        {"Terminated", ROW_DONE},   {"Failed", ROW_FAILED},    {"Interrupted", ROW_KILLED},
        {"Interupted", ROW_KILLED}, {"Cancelled", ROW_KILLED}, {"Running", ROW_RUNNING},
        {"Waiting", ROW_WAITING},   {"Ready", ROW_WAITING},    {0},
    };
    return row_end_read(words, word, end);
}

int alibaba_detect(const char *at, size_t length, bool is_all, uint32_t columns, uint32_t number,
                   uint32_t status)
{
    struct table_row f;
    enum row_end end;
    bool is = table_first(at, length, is_all, ',', '#', &f) && f.count == columns &&
              table_is_int(f.at[number]) && alibaba_status(f.at[status], &end);
    return is ? 90 : 0;
}

/* Digits from `at` on; moves it behind them. */
static struct row_text digits(const char **at, const char *end)
{
    const char *from = *at;
    while (*at < end && isdigit((unsigned char)**at))
        (*at)++;
    return (struct row_text){from, (size_t)(*at - from)};
}

/* What the name of a task of 2018 says: its key in the job ("3" for R3_1_2, else the name) and the
 * keys of its parents, which are kept in `parents`. */
struct alibaba_name {
    struct row_text key, parents;
};

static struct alibaba_name name_of(struct row_text task, struct row_bytes *parents)
{
    struct alibaba_name plain = {.key = task}, name = {0};
    const char *at = task.at, *end = task.at + task.length;
    vec_clear(&parents->at);
    if (task.length > ROW_NAME_MAX)
        return plain;
    while (at < end && isalpha((unsigned char)*at))
        at++;
    name.key = digits(&at, end);
    if (name.key.length == 0 || at == task.at + name.key.length)
        return plain;
    while (at < end && *at == '_') {
        at++;
        struct row_text parent = digits(&at, end);
        if (parent.length == 0)
            break; /* R2_1_Stg4 and the like: the rest is not a parent */
        row_bytes_put(parents, parent.at, parent.length);
        row_bytes_put(parents, "\n", 1);
    }
    name.parents = (struct row_text){parents->at.at, parents->at.count};
    return name;
}

bool alibaba_task(struct feed_reader *r, struct row_text task, struct row_text status,
                  struct row_bytes *parents, struct row *row)
{
    struct alibaba_name name = name_of(task, parents);
    row->phase = name.key;
    row->name = task;
    row->parents = name.parents;
    return feed_check(r, alibaba_status(status, &row->end), TROUBLE_WORD);
}

void alibaba_end(struct feed_reader *r, void *parents)
{
    struct row_bytes *bytes = parents;
    (void)r;
    vec_free(&bytes->at);
}

bool alibaba_span(struct feed_reader *r, struct row_text start, struct row_text end,
                  struct row *row)
{
    int64_t from = 0, to = 0;
    if ((start.length && !feed_time(r, start, FEED_S, &from)) ||
        (end.length && !feed_time(r, end, FEED_S, &to)))
        return false;
    bool has_start = from != 0 && from != -FEED_S, has_end = to != 0 && to != -FEED_S;
    if (!feed_check(r, !has_start || !has_end || to >= from, TROUBLE_BACKWARDS))
        return false;
    if (has_start)
        row->submit_us = from > 0 ? from : 0;
    if (has_start && has_end && row->end != ROW_WAITING)
        row->span_us = to - from;
    return true;
}

bool alibaba_plan(struct feed_reader *r, struct row_text cpu, struct row_text mem, double whole,
                  struct row *row)
{
    if (!feed_real_maybe(r, cpu, &row->cpu) || !feed_real_maybe(r, mem, &row->mem))
        return false;
    row->cpu = row->cpu >= 0 ? row->cpu / 100 : -1;
    row->mem = row->mem >= 0 ? row->mem / whole : -1;
    row->is_mem_share = true;
    return true;
}
