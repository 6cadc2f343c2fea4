/* bar.c - how far a simulation is. Looking at the clock costs more than a turn, so it is done only
 * once in many turns; the interrupt flag is looked at in each. Without a terminal nothing is
 * printed at all. */
#include "ui/bar.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "ui/interrupt.h"

enum { TURNS_PER_LOOK = 1024, DRAW_EVERY_US = 100000, WIDTH = 24 };

int64_t bar_clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void bar_init(struct bar *b)
{
    *b = (struct bar){.on = isatty(STDERR_FILENO)};
}

void bar_restart(struct bar *b)
{
    b->turns = 0;
    b->begun_us = b->drawn_us = bar_clock_us();
}

/* Columns of the terminal, as wide as it is now. */
static size_t columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void bar_put(double done, const char *text)
{
    size_t room = columns() - 1; /* a full line would move the cursor to the next one */
    int filled = (int)(done * WIDTH);
    struct str line = {0};

    str_add(&line, "[");
    for (int i = 0; i < WIDTH; i++)
        str_add(&line, i < filled ? "#" : ".");
    str_addf(&line, "] %s", text);
    fprintf(stderr, "\r%.*s\033[K", (int)(line.length < room ? line.length : room), line.text);
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
    bar_put(done, text.text);
    str_free(&text);
}

__attribute__((noinline)) static void look(struct bar *b)
{
    int64_t now_us = bar_clock_us();
    if (now_us - b->drawn_us >= DRAW_EVERY_US) {
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
    if (b->on && ++b->turns % TURNS_PER_LOOK == 0)
        look(b);
    return 0;
}

struct tap bar_tap(struct bar *b)
{
    return (struct tap){.ctx = b, .turn = bar_turn};
}

void bar_clear(struct bar *b)
{
    if (b->on)
        fputs("\r\033[K", stderr);
}
