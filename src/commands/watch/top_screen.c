/* top_screen.c - what a person wants to know of a run that goes on, the worst news first.
 *
 * The lines are made in full and cut to the terminal: a line that is too long loses its end, and a
 * section that is too long says how much it leaves out. What is left of the screen belongs to the
 * attempts that run. */
#include "commands/watch/top_screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/report/page.h"
#include "ui/words.h"

enum { FAILED_ROWS = 3, PHASE_ROWS = 4, BAR_COLUMNS = 24, NAME_COLUMNS = 18, LEAST_RUNNING = 3 };

/* The lines so far. */
struct screen {
    struct str *out;
    struct top_size size;
    size_t rows;
    struct top_choice *choice;
};

/* Appends as much of a line as fits; a character of UTF-8 is taken as one column. */
static void line(struct screen *c, const char *format, ...)
{
    char text[1024];
    size_t end = 0, columns = 0;
    va_list args;

    if (c->rows == c->size.rows)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' ';)
        text[--n] = '\0';
    while (text[end]) {
        bool begins = ((unsigned char)text[end] & 0xc0) != 0x80;
        if (begins && columns == c->size.columns)
            break;
        columns += begins;
        end++;
    }
    str_add_bytes(c->out, text, end);
    str_add(c->out, "\n");
    c->rows++;
}

static size_t rows_left(const struct screen *c)
{
    return c->size.rows - c->rows;
}

/* ---- what is chosen ---- */

void top_screen_choice_fini(struct top_choice *c)
{
    vec_free(&c->shown);
}

void top_screen_choose(struct top_choice *c, bool up)
{
    uint32_t at = 0, count = c->shown.count;

    if (count == 0)
        return;
    while (c->any && at < count && attempt_compare(c->shown.at[at], c->at) != 0)
        at++;
    if (!c->any || at == count)
        at = 0;
    else if (up)
        at -= at > 0;
    else
        at += at + 1 < count;
    c->any = true;
    c->at = c->shown.at[at];
}

/* Notes that the next line is about this attempt. Returns its mark. */
static char mark(struct screen *c, struct attempt_ref at)
{
    if (rows_left(c) > 0)
        vec_push(&c->choice->shown, at);
    return c->choice->any && attempt_compare(at, c->choice->at) == 0 ? '>' : ' ';
}

/* ---- the head ---- */

static void add_end(const struct snapshot *s, struct str *out)
{
    int64_t low_us = (int64_t)snapshot_left_us(s, ENDING_LOW);
    int64_t high_us = (int64_t)snapshot_left_us(s, ENDING_HIGH);
    int64_t about_us = (int64_t)snapshot_left_us(s, ENDING_ABOUT);

    if (s->running + s->waiting == 0 || s->state == FOLLOWED_INTERRUPTED ||
        s->state == FOLLOWED_READING)
        return;
    if (about_us >= 0) {
        int64_t range_us = high_us - low_us > about_us / 10 ? high_us - low_us : about_us / 10;
        str_addf(out, "ends in about %s", words_guess(about_us, range_us).text);
        if (low_us != high_us)
            str_addf(out, " (%s to %s)", words_guess(low_us, range_us).text,
                     words_guess(high_us, range_us).text);
    } else if (s->ends_unknown)
        str_addf(out, "its end is not known: no task of %.40s has ended", s->ends_unknown);
}

static void add_counts(const struct snapshot *s, struct str *out)
{
    str_addf(out, "%" PRIu64 " of %s done", s->sums.tasks_done,
             words_count(s->sums.tasks, "task").text);
    if (s->sums.tasks_failed > 0)
        str_addf(out, ", %" PRIu64 " FAILED", s->sums.tasks_failed);
    str_addf(out, ", %" PRIu64 " running, %" PRIu64 " waiting", s->running, s->waiting);
}

void top_screen_line(const struct snapshot *s, struct str *out)
{
    struct str end = {0};

    add_counts(s, out);
    add_end(s, &end);
    if (end.length > 0)
        str_addf(out, "; %s", end.text);
    str_free(&end);
}

static void add_head(struct screen *c, const struct snapshot *s, const struct followed_run *f)
{
    char *name = page_run_name(f->path);
    struct str text = {0}, end = {0};

    line(c, "dolly top: %s   %s   %s", name, followed_run_state_name(s->state),
         words_brief(s->now_us).text);
    add_counts(s, &text);
    line(c, "%s", text.text);
    add_end(s, &end);
    if (end.length > 0)
        line(c, "%s", end.text);
    str_free(&text);
    str_free(&end);
    mem_free(name);
}

/* What extra attempts did. */
static void add_saved(struct screen *c, const struct snapshot *s, const struct followed_run *f)
{
    const struct story_run *r = &s->sums;
    uint64_t extra = r->launched[LAUNCH_CLONE] + r->launched[LAUNCH_BACKUP];
    struct words_saved saved = words_saved(&r->would, r->unsure > 0);

    if (extra == 0)
        return;
    struct str text = {0};
    str_addf(&text, "clones and backups: %" PRIu64 ", %" PRIu64 " won, %s rescued", extra,
             r->won[LAUNCH_CLONE] + r->won[LAUNCH_BACKUP],
             words_count(r->beat_straggler, "task").text);
    if (saved.is_known && r->would.pace_saved_us > 0)
        str_addf(&text, "; saved %s", saved.text);
    else if (f->extra_share > 0)
        str_addf(&text, "; they hold %s of the slots", words_share(f->extra_share).text);
    line(c, "%s", text.text);
    str_free(&text);
}

/* ---- sections ---- */

static void add_failures(struct screen *c, const struct snapshot *s, const struct followed_run *f)
{
    uint64_t count = f->failures.count + s->failures.count;
    const struct failure *failed;

    if (count == 0)
        return;
    line(c, "%s", "");
    line(c, "FAILED");
    for (uint32_t i = 0; i < FAILED_ROWS && (failed = snapshot_failure(s, f, i)); i++)
        line(c, "%c %s/%" PRIu64 " on %s: %s", mark(c, failed->at), failed->phase, failed->number,
             failed->node, failed->why);
    if (count > FAILED_ROWS)
        line(c, "  and %" PRIu64 " more", count - FAILED_ROWS);
}

static void add_bar(struct screen *c, const struct snapshot_phase *p)
{
    char bar[BAR_COLUMNS + 1];
    uint64_t over = p->done + p->failed, tasks = p->tasks ? p->tasks : 1;
    int done = (int)(p->done * BAR_COLUMNS / tasks), full = (int)(over * BAR_COLUMNS / tasks);
    int busy = (int)((over + p->running) * BAR_COLUMNS / tasks);

    for (int i = 0; i < BAR_COLUMNS; i++)
        bar[i] = i < done ? '#' : i < full ? 'x' : i < busy ? '+' : '.';
    bar[BAR_COLUMNS] = '\0';
    line(c, "%-*.*s [%s] %3.0f %%  %" PRIu64 " of %" PRIu64 "%s, %" PRIu64 " running", NAME_COLUMNS,
         NAME_COLUMNS, p->name, bar, 100 * (double)p->done / (double)tasks, p->done, p->tasks,
         p->tasks < 10000 ? " done" : "", p->running); /* long numbers take its place */
}

/* Phases that are not over come first: of many these matter. */
static void add_phases(struct screen *c, const struct snapshot *s)
{
    uint32_t shown = 0;

    line(c, "%s", "");
    for (int open = 1; open >= 0; open--)
        for (uint32_t i = 0; i < s->phases.count && shown < PHASE_ROWS; i++) {
            const struct snapshot_phase *p = &s->phases.at[i];
            if ((p->running + p->waiting > 0) == (open == 1)) {
                add_bar(c, p);
                shown++;
            }
        }
    if (s->phases.count > shown)
        line(c, "  and %s more", words_count(s->phases.count - shown, "phase").text);
}

/* To a tenth of a second: digits that change all the time cannot be read. */
static struct words age(double us)
{
    struct words w;

    if (us < 0)
        snprintf(w.text, sizeof w.text, "-");
    else if (us < 100e6)
        snprintf(w.text, sizeof w.text, "%.1f s", us / 1e6);
    else
        w = words_brief((int64_t)us);
    return w;
}

static void add_attempt(struct screen *c, const struct snapshot *s, const struct followed_run *f,
                        const struct snapshot_attempt *a)
{
    char task[64], done[16] = "-", copies[16] = "-";

    snprintf(task, sizeof task, "%.40s/%" PRIu64, s->phases.at[a->phase].name, a->number);
    if (a->done >= 0)
        snprintf(done, sizeof done, "%.0f %%", 100 * a->done);
    if (a->copies > 0)
        snprintf(copies, sizeof copies, "%" PRIu32, a->copies);
    char slow = a->slow ? '!' : ' ', chosen = mark(c, a->at);
    line(c, "%c%c%-18.18s %-12.12s %9s %6s %9s %6s %s%s", slow, chosen, task,
         explain_node(&f->input.x, a->node).text, age((double)a->age_us).text, done,
         a->needed ? age(a->left_us).text : "-", copies, a->needed && a->slow ? "slow " : "",
         !a->needed                ? "not needed"
         : a->kind == LAUNCH_FIRST ? ""
                                   : decision_kind_name(a->kind));
}

static void add_attempts(struct screen *c, const struct snapshot *s, const struct followed_run *f,
                         size_t below)
{
    uint32_t shown = 0;

    if (s->attempts.count == 0 || rows_left(c) < below + LEAST_RUNNING)
        return;
    line(c, "%s", "");
    line(c, "  %-18s %-12s %9s %6s %9s %6s", "RUNNING", "NODE", "AGE", "DONE", "LEFT", "COPIES");
    for (; shown < s->attempts.count && rows_left(c) > below + 1; shown++)
        add_attempt(c, s, f, &s->attempts.at[shown]);
    if (shown + 1 == s->attempts.count)
        add_attempt(c, s, f, &s->attempts.at[shown]);
    else if (shown < s->attempts.count)
        line(c, "  and %s more", words_count(s->attempts.count - shown, "attempt").text);
}

/* Nodes that are worth a look come first; with all well, a count is enough. */
static void add_nodes(struct screen *c, const struct snapshot *s, const struct followed_run *f)
{
    struct str text = {0};
    uint32_t down = 0, busy = 0, slots = 0;

    for (uint32_t i = 0; i < s->nodes.count; i++) {
        const struct snapshot_node *n = &s->nodes.at[i];
        struct explain_name name = explain_node(&f->input.x, (struct node_id){i});
        bool away = n->state == EV_NODE_DOWN || n->state == EV_NODE_SUSPECT;
        down += away;
        busy += n->busy;
        slots += away ? 0 : n->slots;
        if (n->slow > 1 && 2 * n->slow >= n->busy)
            str_addf(&text, "; %s SLOW: %" PRIu32 " of %" PRIu32, name.text, n->slow, n->busy);
    }
    if (s->nodes.count > 0)
        line(c,
             "NODES  %" PRIu32 " up, %" PRIu32 " down; %" PRIu32 " attempts on %" PRIu32 " slots%s",
             s->nodes.count - down, down, busy, slots, text.text ? text.text : "");
    str_free(&text);
}

static bool is_refused(const struct snapshot *s, uint16_t code)
{
    return s->sums.not_cloned[code] > 0 && !story_job_is_cloned(code);
}

static size_t refusals(const struct snapshot *s)
{
    size_t count = 0;

    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        count += is_refused(s, code);
    return count;
}

static void add_refusals(struct screen *c, const struct snapshot *s)
{
    bool over = s->state == FOLLOWED_DONE || s->state == FOLLOWED_FAILED;
    const char *head = "NOT CLONED";

    for (uint16_t code = 0; code < WHY_CODE_END; code++) {
        if (!is_refused(s, code))
            continue;
        line(c, "%-10s  %s: %s", head, words_count(s->sums.not_cloned[code], "phase").text,
             explain_cloning_why_not(code, over));
        head = "";
    }
}

void top_screen(const struct snapshot *s, const struct followed_run *f, struct top_size size,
                struct top_choice *choice, struct str *out)
{
    struct screen c = {out, size, 0, choice};

    choice->shown.count = 0;

    str_add(out, "");
    add_head(&c, s, f);
    add_saved(&c, s, f);
    add_failures(&c, s, f);
    add_phases(&c, s);
    add_attempts(&c, s, f, 2 + (refusals(s) > 1 ? refusals(s) : 1));
    if (rows_left(&c) > 2)
        line(&c, "%s", "");
    add_nodes(&c, s, f);
    add_refusals(&c, s);
}

/* ---- one task ---- */

struct told_task {
    struct attempt_ref at;
    struct str text;
};

static void tell(void *ctx, const struct explain *x)
{
    struct told_task *t = ctx;

    explain_task(x, t->at.phase, t->at.task, &t->text);
}

/* The length of the piece of a line that fits so many columns, which ends between words if one
 * does. */
static size_t piece(const char *text, size_t length, size_t columns)
{
    size_t fits = 0, blank = 0;

    for (size_t used = 0; fits < length; fits++) {
        used += ((unsigned char)text[fits] & 0xc0) != 0x80;
        if (used > columns)
            break;
        if (text[fits] == ' ')
            blank = fits;
    }
    return fits == length || blank == 0 ? fits : blank;
}

/* Adds lines of text but the first `skip`. Returns how many had no room. */
static size_t add_lines(struct screen *c, const char *text, size_t skip)
{
    size_t over = 0;

    while (*text) {
        size_t length = strcspn(text, "\n"), some = piece(text, length, c->size.columns);
        if (skip > 0)
            skip--;
        else if (rows_left(c) > 0)
            line(c, "%.*s", (int)some, text);
        else
            over++;
        text += some;
        text += some < length ? *text == ' ' : *text == '\n';
    }
    return over;
}

size_t top_screen_story(const struct snapshot *s, const struct followed_run *f,
                        struct top_size size, struct attempt_ref at, size_t skip, struct str *out)
{
    struct screen c = {.out = out, .size = size};
    struct told_task t = {.at = at};

    str_add(out, "");
    str_add(&t.text, "");
    add_head(&c, s, f);
    line(&c, "%s", "");
    if (!followed_run_open_job(f, at.job.v, &t, tell))
        str_addf(&t.text, "Its job is over: ask dolly explain for it.\n");
    size_t over = add_lines(&c, t.text.text, skip);
    str_free(&t.text);
    return over;
}
