/* map_table.c - all outputs in one table: --results FILE.csv, .tsv or .json, as GNU parallel writes
 * them.
 *
 * A task that is over adds a row: the columns of the job log, its arguments (named by --header,
 * else V1, V2, ...), stdout and stderr. Rows of FILE.json are objects, one per line. Bytes of
 * outputs stay what they are, whether or not they are UTF-8. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "map/map_state.h"

enum { LAST_BLANK = ' ', DELETE = 0x7f };

int map_table_open(struct map *m, struct err *err)
{
    const char *path = m->options.results;

    if (m->options.table == TABLE_NONE)
        return 0;
    if (path[0] == '-' && path[1] == '.') {
        int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        m->table = fd < 0 ? NULL : fdopen(fd, "w");
        path = "standard output";
    } else {
        m->table = fopen(path, "we");
    }
    return m->table ? 0 : err_set(err, "%s: %s", path, strerror(errno));
}

/* ---- .csv and .tsv ---- */

static bool needs_quotes(char c, char separator)
{
    return (unsigned char)c <= LAST_BLANK || c == DELETE || c == '"' || c == separator;
}

/* A cell with what the stream holds; in quotes if it needs them. */
static void put_cell(FILE *table, FILE *from, char separator)
{
    bool quotes = false;
    int c;

    while (from && !quotes && (c = getc_unlocked(from)) != EOF)
        quotes = needs_quotes((char)c, separator);
    if (from)
        rewind(from);
    if (quotes)
        putc_unlocked('"', table);
    while (from && (c = getc_unlocked(from)) != EOF) {
        if (c == '"')
            putc_unlocked('"', table);
        putc_unlocked(c, table);
    }
    if (quotes)
        putc_unlocked('"', table);
}

static void put_json_string(FILE *table, FILE *from)
{
    int c;

    putc_unlocked('"', table);
    while (from && (c = getc_unlocked(from)) != EOF)
        if (c < LAST_BLANK)
            fprintf(table, "\\u%04x", (unsigned)c);
        else if (c == '"' || c == '\\')
            fprintf(table, "\\%c", c);
        else
            putc_unlocked(c, table);
    putc_unlocked('"', table);
}

/* A text, or the contents of a file, as the table has it; nothing where there is none. */
static void put(struct map *m, FILE *from)
{
    if (m->options.table == TABLE_JSON)
        put_json_string(m->table, from);
    else
        put_cell(m->table, from, m->options.table == TABLE_CSV ? ',' : '\t');
    if (from)
        fclose(from);
}

static void put_text(struct map *m, const char *text)
{
    put(m, *text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : NULL);
}

/* The names of the columns, once; arguments of later tasks may be fewer. */
static void put_header(struct map *m, struct fields arguments, char separator)
{
    struct fields names = m->inputs ? inputs_names(m->inputs) : (struct fields){NULL, 0};

    if (m->table_columns_known)
        return;
    m->table_columns_known = true;
    m->table_columns = arguments.count;
    for (const char *c = JOBLOG_HEADER; *c; c++)
        putc(*c == '\t' ? separator : *c, m->table);
    for (uint32_t i = 0; i < arguments.count; i++) {
        putc(separator, m->table);
        if (i < names.count)
            put_text(m, names.at[i]);
        else
            fprintf(m->table, "V%u", i + 1);
    }
    fprintf(m->table, "%cStdout%cStderr\n", separator, separator);
}

static void put_row(struct map *m, const struct joblog_entry *e, struct fields arguments,
                    const char *out, const char *err)
{
    const char s = m->options.table == TABLE_CSV ? ',' : '\t';

    put_header(m, arguments, s);
    fprintf(m->table, "%" PRIu64 "%c%s%c%.3f%c%.3f%c%" PRId64 "%c%" PRId64 "%c%d%c%d%c", e->seq, s,
            e->host, s, e->start_s, s, e->runtime_s, s, e->sent, s, e->received, s, e->exit, s,
            e->signal, s);
    put_text(m, e->command);
    for (uint32_t i = 0; i < arguments.count || i < m->table_columns; i++) {
        putc(s, m->table);
        put_text(m, i < arguments.count ? arguments.at[i] : "");
    }
    putc(s, m->table);
    put(m, fopen(out, "re"));
    putc(s, m->table);
    put(m, fopen(err, "re"));
    putc('\n', m->table);
}

/* ---- .json ---- */

static void put_object(struct map *m, const struct joblog_entry *e, struct fields arguments,
                       const char *out, const char *err)
{
    fprintf(m->table,
            "{ \"Seq\": %" PRIu64 ", \"Host\": \"%s\", \"Starttime\": %.3f, \"JobRuntime\": %.3f, "
            "\"Send\": %" PRId64 ", \"Receive\": %" PRId64 ", \"Exitval\": %d, \"Signal\": %d, "
            "\"Command\": ",
            e->seq, e->host, e->start_s, e->runtime_s, e->sent, e->received, e->exit, e->signal);
    put_text(m, e->command);
    fputs(", \"V\": [ ", m->table);
    for (uint32_t i = 0; i < arguments.count; i++) {
        if (i)
            putc(',', m->table);
        put_text(m, arguments.at[i]);
    }
    fputs(" ], \"Stdout\": ", m->table);
    put(m, fopen(out, "re"));
    fputs(", \"Stderr\": ", m->table);
    put(m, fopen(err, "re"));
    fputs(" }\n", m->table);
}

void map_table_add(struct map *m, uint32_t task, const struct joblog_entry *e, const char *out,
                   const char *err)
{
    struct fields arguments = plan_arguments(m->plan, task);

    if (m->options.table == TABLE_JSON)
        put_object(m, e, arguments, out, err);
    else
        put_row(m, e, arguments, out, err);
    if (fflush(m->table) != 0 || ferror(m->table))
        map_broken(m, m->options.results);
}
