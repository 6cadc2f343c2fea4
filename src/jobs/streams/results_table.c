/* results_table.c - all outputs in one table, as GNU parallel writes it.
 *
 * A task that is over adds a row: the columns of the job log, its arguments (named by --header,
 * else V1, V2, ...), stdout and stderr. Rows of FILE.json are objects, one per line. Bytes of
 * outputs stay what they are, whether or not they are UTF-8. */
#include "jobs/streams/results_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "jobs/streams/bytes.h"

enum { LAST_BLANK = ' ', DELETE = 0x7f };

int results_table_open(struct results_table *t, const char *path, enum options_table kind,
                       struct err *err)
{
    t->kind = kind;
    if (path[0] == '-' && path[1] == '.') {
        int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        t->file = fd < 0 ? NULL : write_all_stream(&t->stream, fd);
        path = "standard output";
    } else {
        t->file = fopen(path, "we");
    }
    return t->file ? 0 : err_set(err, "%s: %s", path, strerror(errno));
}

/* ---- .csv and .tsv ---- */

static bool needs_quotes(char c, char separator)
{
    return (unsigned char)c <= LAST_BLANK || c == DELETE || c == '"' || c == separator;
}

/* A cell of these bytes; in quotes if it needs them. */
static void put_cell(FILE *to, struct bytes b, char separator)
{
    bool quotes = false;

    for (size_t i = 0; i < b.length && !quotes; i++)
        quotes = needs_quotes(b.at[i], separator);
    if (quotes)
        putc_unlocked('"', to);
    for (size_t i = 0; i < b.length; i++) {
        if (b.at[i] == '"')
            putc_unlocked('"', to);
        putc_unlocked(b.at[i], to);
    }
    if (quotes)
        putc_unlocked('"', to);
}

static void put_json_string(FILE *to, struct bytes b)
{
    putc_unlocked('"', to);
    for (size_t i = 0; i < b.length; i++) {
        unsigned char c = (unsigned char)b.at[i];
        if (c < LAST_BLANK)
            fprintf(to, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else
            putc_unlocked(c, to);
    }
    putc_unlocked('"', to);
}

static void put(const struct results_table *t, struct bytes b)
{
    if (t->kind == TABLE_JSON)
        put_json_string(t->file, b);
    else
        put_cell(t->file, b, t->kind == TABLE_CSV ? ',' : '\t');
}

static void put_text(const struct results_table *t, const char *text)
{
    put(t, (struct bytes){text, strlen(text)});
}

static void put_file(const struct results_table *t, const char *path)
{
    struct bytes b = bytes_open(path);

    put(t, b);
    bytes_close(b);
}

/* The names of the columns, once; arguments of later tasks may be fewer. */
static void put_header(struct results_table *t, uint32_t columns, struct fields names,
                       char separator)
{
    t->has_header = true;
    t->columns = columns;
    for (const char *c = JOBLOG_HEADER; *c; c++)
        putc(*c == '\t' ? separator : *c, t->file);
    for (uint32_t i = 0; i < columns; i++) {
        putc(separator, t->file);
        if (i < names.count)
            put_text(t, names.at[i]);
        else
            fprintf(t->file, "V%u", i + 1);
    }
    fprintf(t->file, "%cStdout%cStderr\n", separator, separator);
}

static void put_row(const struct results_table *t, const struct joblog_entry *e,
                    struct fields arguments, const char *out, const char *err, char s)
{
    FILE *f = t->file;

    fprintf(f, "%" PRIu64 "%c%s%c%.3f%c%.3f%c%" PRId64 "%c%" PRId64 "%c%d%c%d%c", e->seq, s,
            e->host, s, e->start_s, s, e->runtime_s, s, e->sent, s, e->received, s, e->exit, s,
            e->signal, s);
    put_text(t, e->command);
    for (uint32_t i = 0; i < arguments.count || i < t->columns; i++) {
        putc(s, f);
        put_text(t, i < arguments.count ? arguments.at[i] : "");
    }
    putc(s, f);
    put_file(t, out);
    putc(s, f);
    put_file(t, err);
    putc('\n', f);
}

/* ---- .json ---- */

static void put_object(const struct results_table *t, const struct joblog_entry *e,
                       struct fields arguments, const char *out, const char *err)
{
    FILE *f = t->file;

    fprintf(f,
            "{ \"Seq\": %" PRIu64 ", \"Host\": \"%s\", \"Starttime\": %.3f, \"JobRuntime\": %.3f, "
            "\"Send\": %" PRId64 ", \"Receive\": %" PRId64 ", \"Exitval\": %d, \"Signal\": %d, "
            "\"Command\": ",
            e->seq, e->host, e->start_s, e->runtime_s, e->sent, e->received, e->exit, e->signal);
    put_text(t, e->command);
    fputs(", \"V\": [ ", f);
    for (uint32_t i = 0; i < arguments.count; i++) {
        if (i)
            putc(',', f);
        put_text(t, arguments.at[i]);
    }
    fputs(" ], \"Stdout\": ", f);
    put_file(t, out);
    fputs(", \"Stderr\": ", f);
    put_file(t, err);
    fputs(" }\n", f);
}

int results_table_add(struct results_table *t, const struct joblog_entry *e,
                      struct fields arguments, struct fields names, const char *out,
                      const char *err)
{
    char separator = t->kind == TABLE_CSV ? ',' : '\t';

    if (t->kind != TABLE_JSON && !t->has_header)
        put_header(t, arguments.count, names, separator);
    if (t->kind == TABLE_JSON)
        put_object(t, e, arguments, out, err);
    else
        put_row(t, e, arguments, out, err, separator);
    if (fflush(t->file) == 0 && !ferror(t->file))
        return 0;
    if (t->stream.error)
        errno = t->stream.error;
    return -1;
}
