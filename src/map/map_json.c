/* map_json.c - the whole run as one JSON object on stdout: `--json`.
 *
 * Outputs of tasks are part of it, so it may be far larger than memory: it is written piece by
 * piece, a task when it is over, the sums at the end. A run that fails or is interrupted closes the
 * object all the same ("complete": false). A resumed run prints all tasks again, also those of
 * earlier lives: an object can only be had whole.
 *
 * An output is a string where it is text (UTF-8 without NUL), else the member is called
 * `stdout_base64`. */
#include "map/map_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "map/map.h"

enum { CHUNK = 3 * 16384 };

/* ---- strings ---- */

/* How far a text is UTF-8: state of a sequence that spans chunks. */
struct utf8 {
    unsigned left, low, high; /* bytes to come, and the bounds of the next */
};

static bool utf8_take(struct utf8 *u, unsigned char c)
{
    if (u->left > 0) {
        if (c < u->low || c > u->high)
            return false;
        *u = (struct utf8){u->left - 1, 0x80, 0xbf};
        return true;
    }
    if (c < 0x80)
        return c != 0;
    if (c < 0xc2 || c > 0xf4)
        return false;
    u->left = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    u->low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    u->high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    return true;
}

static bool is_text(FILE *f)
{
    struct utf8 u = {0};
    int c;

    while ((c = getc_unlocked(f)) != EOF)
        if (!utf8_take(&u, (unsigned char)c))
            return false;
    return u.left == 0;
}

static void put_escaped(unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        printf("\\%c", c);
        break;
    case '\n':
        fputs("\\n", stdout);
        break;
    case '\t':
        fputs("\\t", stdout);
        break;
    default:
        if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar_unlocked(c);
    }
}

static void put_base64(FILE *f)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static unsigned char chunk[CHUNK];
    size_t n;

    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        for (size_t i = 0; i < n; i += 3) {
            unsigned left = n - i > 3 ? 3 : (unsigned)(n - i);
            unsigned v = (unsigned)chunk[i] << 16 | (left > 1 ? (unsigned)chunk[i + 1] << 8 : 0) |
                         (left > 2 ? chunk[i + 2] : 0u);
            putchar_unlocked(digits[v >> 18]);
            putchar_unlocked(digits[v >> 12 & 63]);
            putchar_unlocked(left > 1 ? digits[v >> 6 & 63] : '=');
            putchar_unlocked(left > 2 ? digits[v & 63] : '=');
        }
}

/* A member whose value is the contents of a file; "" where there is none. */
static void put_file(const char *name, const char *path)
{
    FILE *f = fopen(path, "re");
    bool text = !f || is_text(f);
    int c;

    if (f)
        rewind(f);
    printf(",\"%s%s\":\"", name, text ? "" : "_base64");
    if (f && text)
        while ((c = getc_unlocked(f)) != EOF)
            put_escaped((unsigned char)c);
    else if (f)
        put_base64(f);
    putchar('"');
    if (f)
        fclose(f);
}

/* A command may hold any bytes that an argument may: those that are no text become U+FFFD. */
static void put_text(const char *text)
{
    for (const char *at = text; *at;) {
        struct utf8 u = {0};
        size_t n = 0;
        bool ok;
        do
            ok = utf8_take(&u, (unsigned char)at[n]) && ++n;
        while (ok && u.left > 0);
        if (ok)
            for (size_t i = 0; i < n; i++)
                put_escaped((unsigned char)at[i]);
        else
            fputs("\xef\xbf\xbd", stdout);
        at += ok ? n : 1;
    }
}

/* ---- the object ---- */

static void begin(struct map *m)
{
    if (!m->json.open)
        fputs("{\"results\":[", stdout);
    m->json.open = true;
}

void map_json_task(struct map *m, uint32_t task, const struct map_end *end, const char *out,
                   const char *err)
{
    struct str command = {0};

    begin(m);
    plan_command(m->plan, task, 1, &command);
    printf("%s\n{\"seq\":%" PRIu64 ",\"command\":\"", m->json.tasks++ ? "," : "",
           plan_seq(m->plan, task));
    put_text(command.text);
    printf("\",\"state\":\"%s\",\"exit\":%d,\"signal\":%d,\"start_s\":%.3f,\"runtime_s\":%.6f,"
           "\"cpu_s\":%.6f,\"attempt\":%u,\"clone\":%s",
           end->state == MAP_TASK_DONE ? "done" : "failed", end->exit, end->signal, end->start_s,
           end->runtime_s, end->cpu_s, end->attempt, end->extra ? "true" : "false");
    put_file("stdout", out);
    put_file("stderr", err);
    putchar('}');
    str_free(&command);
    if (ferror(stdout))
        map_print_unwritable(m, "the output");
}

static void put_seconds(const char *name, int64_t us)
{
    printf(",\"%s\":%" PRId64 ".%06" PRId64, name, us / 1000000, us % 1000000);
}

void map_json_end(struct map *m, bool complete, int status)
{
    const struct map_counts *c = &m->counts;
    struct map_summary_facts f = map_summary_facts(m);

    begin(m);
    printf("\n],\"tasks\":%u,\"done\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"attempts\":%" PRIu64
           ",\"clones\":%" PRIu64 ",\"clones_won\":%u",
           m->tasks, c->done, c->failed, c->attempts, c->extras, f.won_by_extra);
    put_seconds("took_s", f.took_us);
    put_seconds("saved_about_s", f.would.pace_saved_us);
    put_seconds("saved_low_s", f.would.low_saved_us);
    put_seconds("saved_high_s", f.would.high_saved_us);
    put_seconds("saved_at_least_s", f.would.saved_us);
    put_seconds("straggling_s", f.would.straggling_us);
    printf(
        ",\"unsure\":%u,\"stragglers\":%u,\"median_s\":%.6f,\"slot_s\":%.6f,\"vain_slot_s\":%.6f,"
        "\"cpu_s\":%.6f,\"peak_rss_kib\":%" PRId64,
        f.unsure, f.stragglers, f.median_s, f.slot_s, f.vain_slot_s, c->cpu_s, c->peak_rss_kib);
    if (c->done > 0)
        printf(",\"slowest\":{\"seq\":%" PRIu64 ",\"runtime_s\":%.6f}",
               plan_seq(m->plan, c->slowest), c->slowest_end.runtime_s);
    else
        fputs(",\"slowest\":null", stdout);
    fputs(",\"dir\":", stdout);
    if (m->dir && !m->dir_private) {
        putchar('"');
        put_text(m->dir);
        putchar('"');
    } else {
        fputs("null", stdout);
    }
    printf(",\"complete\":%s,\"status\":%d}\n", complete ? "true" : "false", status);
}
