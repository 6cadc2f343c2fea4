/* nextflow.c - trace.txt of Nextflow: a row for each attempt of a task of one workflow run, with
 * times and sizes as people write them, or raw. docs/reference/formats/nextflow.md
 *
 * A row does not name the task that it is an attempt of. Names end with a tag that users choose,
 * and tasks may share one; a task that is tried again has another task_id. But rows are written
 * when attempts end, and have the number of the attempt. So a row of a second attempt belongs to a
 * task of its name of which the first failed, and a row of a first attempt is a new task. Files
 * that `dolly report` writes have copies, too, which run at the same time: a second attempt may end
 * before the first, or after one that was done. There no two tasks share a name. */
#include <math.h>

#include "base/hash.h"
#include "base/lookup.h"
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"
#include "inputs/trace/number.h"

enum {
    NAME,
    PROCESS,
    STATUS,
    SUBMIT,
    DURATION,
    REALTIME,
    CPUS,
    MEMORY,
    RCHAR,
    WCHAR,
    RSS,
    ATTEMPT,
    TASK_ID,
    FIELDS
};

static const char *const names[FIELDS] = {"name",     "process", "status", "submit", "duration",
                                          "realtime", "cpus",    "memory", "rchar",  "wchar",
                                          "peak_rss", "attempt", "task_id"};

/* Tasks that wait for a row of theirs, by name, attempt and why: it is the last one so far and has
 * failed, or has not, or it is not there yet, but the next one is. */
enum open_kind { OPEN_FAILED, OPEN_ENDED, OPEN_MISSING };

struct nextflow_open {
    uint32_t number; /* of the task among all of its name */
    uint32_t next;   /* LOOKUP_NONE: none */
};

struct nextflow_state {
    bool has_header;
    int columns[FIELDS];  /* -1: not there */
    int last;             /* of those that every row must have */
    int time;             /* REALTIME, or DURATION where that is not there */
    struct lookup counts; /* hash of a name -> tasks of it */
    struct lookup heads;  /* hash of a name, an attempt and a kind -> the first of ... */
    VEC(struct nextflow_open) open;
    struct lookup lines; /* hashes of rows that were there */
    struct row_bytes task;
};

/* Which column has the times; -1: none does, or others are missing that must be there. */
static int time_column(const int *columns)
{
    if (columns[NAME] < 0 || columns[STATUS] < 0)
        return -1;
    return columns[REALTIME] >= 0 ? REALTIME : columns[DURATION] >= 0 ? DURATION : -1;
}

static int detect(const char *at, size_t length, bool is_all)
{
    struct row_text line;
    int columns[FIELDS];
    if (!lines_first(at, length, is_all, 0, &line))
        return 0;
    table_header(line, '\t', names, FIELDS, columns);
    return time_column(columns) >= 0 ? 90 : 0;
}

static struct row_text field(const struct nextflow_state *s, const struct table_row *f, int which)
{
    int at = s->columns[which];
    struct row_text t = at >= 0 && (uint32_t)at < f->count ? f->at[at] : (struct row_text){0};
    return row_text_is(t, "-") ? (struct row_text){0} : t;
}

/* "1h 2m 3.5s", "20ms", or milliseconds. */
static bool read_duration(struct row_text text, int64_t *us)
{
    static const struct {
        const char *unit;
        int64_t us;
    } units[] = {{"ms", 1000},
                 {"s", FEED_S},
                 {"m", 60 * INT64_C(1000000)},
                 {"h", 3600 * INT64_C(1000000)},
                 {"d", 86400 * INT64_C(1000000)}};
    struct row_text word;
    int64_t total = 0, part;
    if (number_time(text, FEED_MS, us))
        return true;
    while (lines_word(&text, &word)) {
        size_t digits = 0, i = 0, all = sizeof units / sizeof units[0];
        while (digits < word.length && strchr("0123456789.", word.at[digits]) && word.at[digits])
            digits++;
        struct row_text unit = {word.at + digits, word.length - digits};
        while (i < all && !row_text_is(unit, units[i].unit))
            i++;
        if (i == all || !number_time((struct row_text){word.at, digits}, units[i].us, &part))
            return false;
        total += part;
        if (total > NUMBER_US_MAX)
            return false;
    }
    *us = total;
    return true;
}

/* "1.5 GB" or bytes. */
static bool read_bytes(struct row_text text, double *bytes)
{
    static const char units[] = "BKMGTP";
    struct row_text number, unit = {0};
    if (!lines_word(&text, &number) || !number_real(number, bytes) || *bytes < 0)
        return false;
    if (lines_word(&text, &unit)) {
        const char *at = memchr(units, unit.at[0], sizeof units - 1);
        bool is_unit = at && (unit.length == 1 ||
                              (unit.length == 2 && at > units && unit.at[1] == 'B'));
        if (!is_unit || lines_word(&text, &unit))
            return false;
        *bytes = ldexp(*bytes, 10 * (int)(at - units));
    }
    return *bytes < 1e15;
}

/* Days since 1970 of a date of our calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "2021-03-23 06:25:32.987", or milliseconds since 1970. */
static bool read_date(struct row_text text, int64_t *us)
{
    struct row_text date, clock, d[3], t[3];
    int64_t year, month, day, hour, minute, rest_us;
    if (number_time(text, FEED_MS, us))
        return true;
    if (!lines_word(&text, &date) || !lines_word(&text, &clock) ||
        lines_split(date, '-', d, 3) != 3 || lines_split(clock, ':', t, 3) != 3)
        return false;
    if (!number_int(d[0], &year) || !number_int(d[1], &month) || !number_int(d[2], &day) ||
        !number_int(t[0], &hour) || !number_int(t[1], &minute) ||
        !number_time(t[2], FEED_S, &rest_us))
        return false;
    if (year < 1970 || year > 2069 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 ||
        hour > 23 || minute < 0 || minute > 59 || rest_us < 0 || rest_us > 61 * FEED_S)
        return false;
    *us = ((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 * FEED_S + rest_us;
    return true;
}

/* "COMPLETED" and so on; false: no such word. *ran: there is something to tell. */
static bool read_status(struct row_text word, enum row_end *end, bool *ran)
{
    static const struct row_end_word ends[] = {
        {"COMPLETED", ROW_DONE}, {"FAILED", ROW_FAILED}, {"ABORTED", ROW_KILLED}, {0}};
    *ran = row_end_read(ends, word, end);
    return *ran || row_text_is(word, "CACHED") || row_text_is(word, "SUBMITTED");
}

/* "align" of "align (sample 7)". */
static struct row_text process_of(struct row_text name)
{
    const char *space = name.length ? memchr(name.at, ' ', name.length) : NULL;
    return space ? (struct row_text){name.at, (size_t)(space - name.at)} : name;
}

static void take_header(struct feed_reader *r, struct nextflow_state *s, struct row_text line)
{
    table_header(line, '\t', names, FIELDS, s->columns);
    s->has_header = true;
    s->time = time_column(s->columns);
    if (s->time < 0) {
        feed_bad(r, TROUBLE_COLUMNS);
        s->time = REALTIME;
    }
    s->last = s->columns[NAME] > s->columns[STATUS] ? s->columns[NAME] : s->columns[STATUS];
    s->last = s->last > s->columns[s->time] ? s->last : s->columns[s->time];
    s->last = s->last > 0 ? s->last : 0;
    /* Runs are told apart by the whole path: many files are called trace.txt. */
    struct row row = row_blank(ROW_JOB, feed_path(r));
    row.name = feed_member(r);
    feed_row(r, &row);
}

static uint64_t open_key(uint64_t name, int64_t attempt, enum open_kind kind)
{
    int64_t rest[] = {attempt, kind};
    return hash_bytes(name, rest, sizeof rest);
}

static void push(struct nextflow_state *s, uint64_t key, uint32_t number)
{
    vec_push(&s->open, ((struct nextflow_open){number, lookup_get(&s->heads, key)}));
    lookup_put(&s->heads, key, s->open.count - 1);
}

/* Takes a task out; false: there is none of this key. */
static bool pop(struct nextflow_state *s, uint64_t key, uint32_t *number)
{
    uint32_t at = lookup_get(&s->heads, key);
    if (at == LOOKUP_NONE)
        return false;
    if (s->open.at[at].next == LOOKUP_NONE)
        lookup_remove(&s->heads, key);
    else
        lookup_put(&s->heads, key, s->open.at[at].next);
    *number = s->open.at[at].number;
    return true;
}

enum { COPIES_MAX = 16 }; /* that may end before one that was there first */

/* The number of the task that a row of this name, attempt and end belongs to, among all of that
 * name. Where attempts have no number (ROW_UNKNOWN), those that failed come before the others. */
static uint32_t number_of(struct nextflow_state *s, uint64_t name, int64_t attempt,
                          enum row_end end)
{
    bool is_known = attempt != ROW_UNKNOWN;
    int64_t before = is_known ? attempt - 1 : attempt;
    uint32_t count = lookup_get(&s->counts, name), task = count == LOOKUP_NONE ? 0 : count;
    bool is_late = is_known && pop(s, open_key(name, attempt, OPEN_MISSING), &task);
    bool is_next = !is_late && (!is_known || attempt > 1) &&
                   (pop(s, open_key(name, before, OPEN_FAILED), &task) ||
                    (is_known && pop(s, open_key(name, before, OPEN_ENDED), &task)));
    if (!is_late && !is_next) {
        lookup_put(&s->counts, name, task + 1);
        for (int64_t i = before; is_known && i > 0 && i > before - COPIES_MAX; i--)
            push(s, open_key(name, i, OPEN_MISSING), task);
    }
    if (!is_late && (is_known || end == ROW_FAILED))
        push(s, open_key(name, attempt, end == ROW_FAILED ? OPEN_FAILED : OPEN_ENDED), task);
    return task;
}

/* That task, as a text that no other one has. */
static struct row_text task_of(struct nextflow_state *s, struct row_text name, int64_t attempt,
                               enum row_end end)
{
    struct table_text number;
    uint32_t task = number_of(s, hash_bytes(HASH_START, name.at, name.length), attempt, end);
    vec_clear(&s->task.at);
    row_bytes_put(&s->task, name.at, name.length);
    if (task > 0) { /* no name has a tab */
        struct row_text text = table_number(&number, "\t", task);
        row_bytes_put(&s->task, text.at, text.length);
    }
    return (struct row_text){s->task.at.at, s->task.at.count};
}

/* Whether this very row was there already. Without ids two tasks may well have equal ones. */
static bool is_again(struct nextflow_state *s, struct row_text line)
{
    uint64_t hash = hash_bytes(HASH_START, line.at, line.length);
    if (s->columns[TASK_ID] < 0)
        return false;
    bool is = lookup_get(&s->lines, hash) != LOOKUP_NONE;
    lookup_put(&s->lines, hash, 1);
    return is;
}

/* Times, demands and bytes; false: one of them is not a number. */
static bool take_numbers(const struct nextflow_state *s, const struct table_row *f, struct row *row)
{
    struct row_text cpus = field(s, f, CPUS), memory = field(s, f, MEMORY);
    struct row_text in = field(s, f, RCHAR), out = field(s, f, WCHAR), rss = field(s, f, RSS);
    struct row_text time = field(s, f, s->time), submit = field(s, f, SUBMIT);
    double bytes;
    if ((time.length && !read_duration(time, &row->mean_us)) ||
        (submit.length && !read_date(submit, &row->submit_us)))
        return false;
    if (cpus.length && (!number_real(cpus, &row->cpu) || row->cpu < 0))
        return false;
    if (memory.length == 0)
        memory = rss;
    if (memory.length && !read_bytes(memory, &row->mem))
        return false;
    if (in.length) {
        if (!read_bytes(in, &bytes))
            return false;
        row->input_bytes = (int64_t)bytes;
    }
    if (out.length) {
        if (!read_bytes(out, &bytes))
            return false;
        row->output_bytes = (int64_t)bytes;
    }
    return true;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct nextflow_state *s = state;
    struct table_row f;
    bool ran;
    if (line.length == 0)
        return;
    if (!s->has_header) {
        take_header(r, s, line);
        return;
    }
    table_split(line, '\t', &f);
    struct row_text name = field(s, &f, NAME), tried = field(s, &f, ATTEMPT);
    int64_t attempt = ROW_UNKNOWN;
    struct row row = row_blank(ROW_ATTEMPT, feed_path(r));
    row.phase = field(s, &f, PROCESS);
    if (row.phase.length == 0)
        row.phase = process_of(name);
    if (name.length == 0 || f.count <= (uint32_t)s->last)
        feed_bad(r, TROUBLE_COLUMNS);
    else if (!read_status(field(s, &f, STATUS), &row.end, &ran))
        feed_bad(r, TROUBLE_WORD);
    else if (is_again(s, line))
        feed_bad(r, TROUBLE_DUPLICATE);
    else if (ran && ((tried.length && !number_int(tried, &attempt)) || !take_numbers(s, &f, &row)))
        feed_bad(r, TROUBLE_NUMBER);
    else {
        /* What did not run now is an attempt without times, and counted as such. The number tells
         * equal rows apart. */
        row.task = ran ? task_of(s, name, attempt, row.end) : name;
        row.attempt = attempt == ROW_UNKNOWN ? (int64_t)feed_line(r) : attempt;
        feed_row(r, &row);
    }
}

static void end_part(struct feed_reader *r, void *state)
{
    struct nextflow_state *s = state;
    (void)r;
    lookup_fini(&s->counts);
    lookup_fini(&s->heads);
    lookup_fini(&s->lines);
    vec_free(&s->open);
    vec_free(&s->task.at);
}

const struct import_format nextflow_format = {
    .name = "nextflow",
    .help = "Nextflow's trace.txt: tasks of a workflow run by process, with retries",
    .detect = detect,
    .state = sizeof(struct nextflow_state),
    .line = take_line,
    .end = end_part,
};
