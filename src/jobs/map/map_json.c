/* map_json.c - the whole run as one JSON object on stdout: `--json`.
 *
 * Outputs of tasks are part of it, so it may be far larger than memory: it is written piece by
 * piece, a task when it is over, the sums at the end. A run that fails or is interrupted closes the
 * object all the same ("complete": false). A resumed run prints all tasks again, also those of
 * earlier lives: an object can only be had whole.
 *
 * An output is a string where it is text (UTF-8 without NUL), else the member is called
 * `stdout_base64`. */
#include "jobs/map/map_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "jobs/map/map.h"
#include "jobs/streams/bytes.h"
#include "ui/cli.h"
#include "ui/words.h"

/* ---- strings ---- */

/* Bytes of the character of UTF-8 at the beginning; 0: there is none, or it is NUL. */
static size_t character(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t n = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    /* The second byte has bounds that keep out long forms, surrogates and what is above U+10FFFF.
     */
    unsigned low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;

    if (at[0] == 0 || (at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4 || n > length)
        return 0;
    if (n > 1 && (at[1] < low || at[1] > high))
        return 0;
    for (size_t i = 2; i < n; i++)
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    return n;
}

static bool is_text(struct bytes b)
{
    size_t at = 0, n = 1;

    while (at < b.length && n > 0)
        at += n = character(b.at + at, b.length - at);
    return n > 0;
}

/* In a command those bytes that are not text become U+FFFD. */
static void put_text(struct bytes b)
{
    for (size_t at = 0, n; at < b.length; at += n ? n : 1) {
        char c = b.at[at];
        n = character(b.at + at, b.length - at);
        if (n == 0)
            fputs("\xef\xbf\xbd", stdout);
        else if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c == '\n' || c == '\t')
            fputs(c == '\n' ? "\\n" : "\\t", stdout);
        else if (n == 1 && c < 0x20)
            printf("\\u%04x", (unsigned)c);
        else
            fwrite(b.at + at, 1, n, stdout);
    }
}

static void put_base64(struct bytes b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)b.at;

    for (size_t i = 0; i < b.length; i += 3) {
        size_t left = b.length - i;
        unsigned v = (unsigned)at[i] << 16 | (left > 1 ? (unsigned)at[i + 1] << 8 : 0) |
                     (left > 2 ? at[i + 2] : 0u);
        putchar_unlocked(digits[v >> 18]);
        putchar_unlocked(digits[v >> 12 & 63]);
        putchar_unlocked(left > 1 ? digits[v >> 6 & 63] : '=');
        putchar_unlocked(left > 2 ? digits[v & 63] : '=');
    }
}

static void put_string(const char *text)
{
    putchar('"');
    put_text((struct bytes){text, strlen(text)});
    putchar('"');
}

/* A member whose value is the contents of a file; "" where there is none. */
static void put_file(const char *name, const char *path)
{
    struct bytes b = bytes_open(path);
    bool text = is_text(b);

    printf(",\"%s%s\":\"", name, text ? "" : "_base64");
    if (text)
        put_text(b);
    else
        put_base64(b);
    putchar('"');
    bytes_close(b);
}

/* ---- the object ---- */

static void begin(struct map *m)
{
    if (!m->json.open)
        fputs("{\"results\":[", stdout);
    m->json.open = true;
}

void map_json_task(struct map *m, const struct map_output *p)
{
    const struct map_end *end = p->end;
    struct str command = {0};

    begin(m);
    plan_command(m->plan, p->task, end->slot, &command);
    printf("%s\n{\"seq\":%" PRIu64 ",\"command\":", m->json.tasks++ ? "," : "",
           plan_seq(m->plan, p->task));
    put_string(command.text);
    printf(",\"state\":\"%s\",\"exit\":%d,\"signal\":%d,\"start_s\":%.3f,\"runtime_s\":%.6f,"
           "\"cpu_s\":%.6f,\"attempt\":%u,\"clone\":%s",
           end->state == MAP_TASK_DONE ? "done" : "failed", end->exit, end->signal, end->start_s,
           end->runtime_s, end->cpu_s, end->attempt, end->extra ? "true" : "false");
    put_file("stdout", p->out.text);
    put_file("stderr", p->err.text);
    putchar('}');
    str_free(&command);
    if ((errno = cli_stdout_error()) != 0)
        map_fail_unwritable(m, "the output");
}

static void put_seconds(const char *name, int64_t us)
{
    printf(",\"%s\":%" PRId64 ".%06" PRId64, name, us / 1000000, us % 1000000);
}

/* null where it is not known. */
static void put_guess(const char *name, int64_t us, bool is_known)
{
    if (is_known)
        put_seconds(name, us);
    else
        printf(",\"%s\":null", name);
}

void map_json_end(struct map *m, bool complete, int status)
{
    const struct map_counts *c = &m->counts;
    struct map_summary_facts f = map_summary_facts(m);

    begin(m);
    printf("\n],\"tasks\":%u,\"done\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"attempts\":%" PRIu64
           ",\"clones\":%" PRIu64 ",\"clones_won\":%u",
           m->tasks, c->done, c->failed, c->attempts, c->extras, f.phase.won_by_extra);
    put_seconds("took_s", f.took_us);
    bool at_least = f.phase.unsure == 0 || words_saved(&f.would, true).is_known;
    put_guess("saved_about_s", f.would.pace_saved_us, f.phase.unsure == 0);
    put_guess("saved_low_s", f.would.low_saved_us, at_least);
    put_guess("saved_high_s", f.would.high_saved_us, f.phase.unsure == 0);
    put_guess("saved_at_least_s", f.would.saved_us, at_least);
    put_seconds("straggling_s", f.would.straggling_us);
    printf(",\"unsure\":%u,\"stragglers\":%u,\"stragglers_averted\":%u,\"median_s\":%.6f,\"slot_"
           "s\":%.6f,\"vain_slot_s\":%.6f,"
           "\"cpu_s\":%.6f,\"peak_rss_kib\":%" PRId64,
           f.phase.unsure, f.phase.stragglers, f.phase.beat_straggler, f.median_s, f.slot_s,
           f.vain_slot_s, c->cpu_s, c->peak_rss_kib);
    if (f.slowest.task != STORY_NONE)
        printf(",\"slowest\":{\"seq\":%" PRIu64 ",\"took_s\":%.6f,\"runtime_s\":%.6f}",
               plan_seq(m->plan, f.slowest.task), f.slowest.took_s, f.slowest.ran_s);
    else
        fputs(",\"slowest\":null", stdout);
    fputs(",\"dir\":", stdout);
    if (m->dir && !m->dir_private)
        put_string(m->dir);
    else
        fputs("null", stdout);
    printf(",\"complete\":%s,\"status\":%d}\n", complete ? "true" : "false", status);
}
