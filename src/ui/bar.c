/* bar.c - how far a simulation is. Looking at the clock costs more than a turn, so it is done only
 * once in many turns; the interrupt flag is looked at in each. Without a terminal nothing is
 * printed at all. */
#include "ui/bar.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "ui/interrupt.h"

enum { TURNS_PER_LOOK = 1024, DRAW_EVERY_US = 100000 };

void bar_init(struct bar *b)
{
    *b = (struct bar){.is_shown = isatty(STDERR_FILENO)};
}

void bar_restart(struct bar *b)
{
    b->turns = 0;
    b->begun_us = b->drawn_us = clock_now_us();
}

/* Columns of the terminal, as wide as it is now. */
static size_t columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* The length of the text without its last piece; pieces end with ", " or "; ". */
static size_t without_last_piece(const char *text, size_t length)
{
    while (length > 0 && (text[length] != ' ' || !strchr(",;", text[length - 1])))
        length--;
    return length > 0 ? length - 1 : 0;
}

/* Appends as many pieces of the text as fit, and the eta. */
static void add_words(struct str *out, size_t columns, const char *text, const char *eta)
{
    size_t kept = strlen(text), tail = eta ? strlen(eta) : 0;
    size_t comma = eta ? 2 : 0, first = kept;

    while (kept > 0 && kept + comma + tail > columns) {
        first = kept;
        kept = without_last_piece(text, kept);
    }
    if (kept == 0 && !eta)
        kept = first < columns ? first : columns; /* of the first piece as much as fits */
    str_addf(out, "%.*s%s%.*s", (int)kept, text, kept && eta ? ", " : "",
             (int)(tail < columns ? tail : columns), eta ? eta : "");
}

void bar_line(struct str *out, size_t columns, double done, const char *text, const char *eta)
{
    enum { LEAST = 4, FRAME = 3 }; /* a shorter bar shows nothing; its brackets and a blank */
    size_t most = columns - 1;     /* a full line would move the cursor to the next one */
    struct str words = {0};

    add_words(&words, most, text, eta);
    size_t left = most > words.length + FRAME ? most - words.length - FRAME : 0;
    size_t width = left < columns / 3 ? left : columns / 3;
    if (width >= LEAST) {
        size_t filled = (size_t)(done * (double)width);
        str_add(out, "[");
        for (size_t i = 0; i < width; i++)
            str_add(out, i < filled ? "#" : ".");
        str_add(out, "] ");
    }
    str_add(out, words.text ? words.text : "");
    str_free(&words);
}

void bar_put(double done, const char *text, const char *eta)
{
    struct str line = {0};

    bar_line(&line, columns(), done, text, eta);
    fprintf(stderr, "\r%s\033[K", line.text);
    str_free(&line);
}

static void draw(struct bar *b, int64_t now_us)
{
    uint64_t jobs = b->jobs_over(b->ctx);
    double took_s = (double)(now_us - b->begun_us) / 1e6;
    double within = b->jobs_total ? (double)jobs / (double)b->jobs_total : 0;
    double done = ((double)b->run + (within < 1 ? within : 1)) / (double)b->run_count;
    struct str text = {0};

    str_addf(&text, "%s (%u of %u): %llu", b->label, b->run + 1, b->run_count,
             (unsigned long long)jobs);
    if (b->jobs_total)
        str_addf(&text, " of %llu", (unsigned long long)b->jobs_total);
    str_addf(&text, " jobs, %.2f million events/s",
             took_s > 0 ? (double)b->events(b->ctx) / took_s / 1e6 : 0);
    bar_put(done, text.text, NULL);
    str_free(&text);
}

__attribute__((noinline)) static void look(struct bar *b)
{
    int64_t now_us = clock_now_us();
    if (b->progress) {
        b->progress[BAR_JOBS] = b->jobs_over(b->ctx);
        b->progress[BAR_EVENTS] = b->events(b->ctx);
    } else if (now_us - b->drawn_us >= DRAW_EVERY_US) {
        b->drawn_us = now_us;
        draw(b, now_us);
    }
}

static int bar_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct bar *b = ctx;

    (void)turn;
    if (interrupt_came())
        return err_set(err, "interrupted");
    if (b->is_shown && ++b->turns % TURNS_PER_LOOK == 0)
        look(b);
    return 0;
}

struct tap bar_tap(struct bar *b)
{
    return (struct tap){.ctx = b, .turn = bar_turn};
}

void bar_wipe(void)
{
    fputs("\r\033[K", stderr);
}

void bar_clear(struct bar *b)
{
    if (b->is_shown && !b->progress)
        bar_wipe();
}
