/* cmd_top.c - `dolly top`: a run that goes on, in a terminal.
 *
 * A picture may cost more than the journal it is made from: the time between two is at least twenty
 * times what the last one took, so that watching takes a twentieth of a core at most. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "commands/commands.h"
#include "commands/watch/snapshot_json.h"
#include "commands/watch/top_screen.h"
#include "ui/cli.h"
#include "ui/interrupt.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/words.h"

enum { WAIT_MS = 100, DRAW_EVERY_US = 250000, COST_FACTOR = 20, ONCE_ROWS = 60 };

struct top {
    const char *run;
    bool once, json;

    struct followed_run followed;
    bool terminal; /* both stdin and stdout are one */
    bool raw;      /* the terminal is ours */
    struct termios before;
    int64_t drawn_us, cost_us;
    uint64_t turn, done, failed; /* as drawn or printed last */
    bool quit;
    struct top_choice choice;
    bool telling;       /* the story of the chosen one */
    size_t skip, over;  /* lines of it above the screen and below */
};

#define OPTIONS struct top

static const struct field options[] = {
    {FLAG("once", once, "print one picture of the run as it is now, and exit")},
    {FLAG("json", json, "with --once: print one JSON object, see docs/reference/json.md")},
    {0},
};

static const struct opt_command command = {
    .name = "top",
    .usage = "usage: dolly top RUN [--once [--json]]\n"
             "\n"
             "Shows a run while it is running: what failed, how far each phase is, its running\n"
             "attempts, slow ones and old ones first, and when the run is expected to end.\n"
             "RUN is the folder of a run or a journal. Only the journal is read; the run\n"
             "does not notice. Ends with the run, or with the key q; j and k or the arrows\n"
             "choose a task, enter shows its story with the end of its stderr, esc closes it.\n"
             "Where the output is not a terminal, it prints a line whenever a task ends.\n",
    .options = options,
    .notes = "\nExit status: 0 the run ended, or q; 2 not a journal, damaged, or gone; 130\n"
             "interrupted.",
    .has_operand = true,
    .operand_at = offsetof(struct top, run),
};

/* ---- the terminal ---- */

static struct top_size size_of_terminal(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
        return (struct top_size){80, 24};
    return (struct top_size){size.ws_col, size.ws_row};
}

static void put(const char *text, size_t length)
{
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

static void terminal_begin(struct top *t)
{
    struct termios raw;

    if (!t->terminal || tcgetattr(STDIN_FILENO, &t->before) < 0)
        return;
    raw = t->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0)
        return;
    t->raw = true;
    put("\033[?1049h\033[?25l", 14); /* another screen, without a cursor */
}

static void terminal_end(struct top *t)
{
    if (!t->raw)
        return;
    put("\033[?25h\033[?1049l", 14);
    tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
    t->raw = false;
}

static void move(struct top *t, bool up)
{
    if (!t->telling)
        top_screen_choose(&t->choice, up);
    else if (up)
        t->skip -= t->skip > 0;
    else
        t->skip += t->over > 0;
}

enum { ESCAPE = 27 };

static void obey(struct top *t, char key)
{
    switch (key) {
    case 'q':
    case 'Q':
        t->quit = true;
        break;
    case 'j':
    case 'k':
        move(t, key == 'k');
        break;
    case '\r':
    case '\n':
        t->telling = t->choice.any;
        t->skip = 0;
        break;
    case ESCAPE:
        t->telling = false;
        break;
    default:
        return;
    }
    t->drawn_us = t->cost_us = 0; /* at once */
}

/* Waits for keys or a moment. Arrows are ESC [ A and ESC [ B. */
static void wait_for_key(struct top *t)
{
    struct pollfd in = {.fd = t->raw ? STDIN_FILENO : -1, .events = POLLIN};
    char keys[16];

    if (poll(&in, 1, WAIT_MS) <= 0 || !(in.revents & (POLLIN | POLLHUP)))
        return;
    ssize_t n = read(STDIN_FILENO, keys, sizeof keys);
    t->quit |= n == 0;
    for (ssize_t i = 0; i < n; i++)
        if (keys[i] != ESCAPE || i + 2 >= n)
            obey(t, keys[i]);
        else
            obey(t, keys[i += 2] == 'A' ? 'k' : keys[i] == 'B' ? 'j' : ' ');
}

/* ---- pictures ---- */

/* Lines over what is there, each cleared to its end. */
static void draw(struct top *t, const struct snapshot *s)
{
    struct top_size size = size_of_terminal();
    struct str text = {0}, out = {0};

    if (size.rows > 1)
        size.rows--;
    if (t->telling)
        t->over = top_screen_story(s, &t->followed, size, t->choice.at, t->skip, &text);
    else
        top_screen(s, &t->followed, size, &t->choice, &text);
    str_add(&out, "\033[H");
    for (char *rest = text.text, *one; (one = strsep(&rest, "\n")) && rest;)
        str_addf(&out, "%s\033[K\n", one);
    str_add(&out, t->telling ? "\033[Jj k scroll  esc close  q quits"
                             : "\033[Jj k choose  enter story  q quits");
    put(out.text, out.length);
    str_free(&text);
    str_free(&out);
}

/* A line, if a task has ended since the last one. */
static void print_line(struct top *t, const struct snapshot *s, bool last)
{
    struct str text = {0};

    if (!last && t->turn > 0 && s->sums.tasks_done == t->done && s->sums.tasks_failed == t->failed)
        return;
    top_screen_line(s, &text);
    printf("%s: %s\n", words_time(s->now_us).text, text.text);
    fflush(stdout);
    str_free(&text);
}

static void show(struct top *t, bool last)
{
    struct snapshot s;
    int64_t begun_us = clock_now_us();

    if (!t->followed.open || (!last && begun_us - t->drawn_us < DRAW_EVERY_US) ||
        (!last && begun_us - t->drawn_us < COST_FACTOR * t->cost_us))
        return;
    snapshot_init(&s, &t->followed);
    if (t->raw)
        draw(t, &s);
    else
        print_line(t, &s, last);
    t->turn = s.turn;
    t->done = s.sums.tasks_done;
    t->failed = s.sums.tasks_failed;
    snapshot_fini(&s);
    t->drawn_us = clock_now_us();
    t->cost_us = t->drawn_us - begun_us;
}

static bool pause_reading(void *ctx, bool idle)
{
    struct top *t = ctx;

    show(t, false);
    if (idle)
        wait_for_key(t);
    return !t->quit && !interrupt_came();
}

static void read_anew(void *ctx, const char *why)
{
    struct top *t = ctx;

    if (!t->raw) {
        printf("the journal %s: it is read anew\n", why);
        fflush(stdout);
    }
}

/* ---- the command ---- */

static void print_picture(struct top *t)
{
    struct snapshot s;
    struct str text = {0};

    snapshot_init(&s, &t->followed);
    if (t->json) {
        json_t *o = snapshot_json_run(&s, &t->followed);
        json_out_set(o, "running", snapshot_json_attempts(&s, &t->followed, UINT32_MAX));
        json_out_set(o, "failed", snapshot_json_failures(&s, &t->followed));
        json_out_set(o, "nodes", snapshot_json_nodes(&s, &t->followed));
        json_out_set(o, "verdicts", snapshot_json_verdicts(&t->followed));
        json_out_print(o);
    } else {
        top_screen(&s, &t->followed, (struct top_size){80, ONCE_ROWS}, &t->choice, &text);
        fputs(text.text, stdout);
    }
    snapshot_fini(&s);
    str_free(&text);
}

/* At the end of the journal of a run that goes on, whose account is complete only there. */
static bool print_and_stop(void *ctx, bool idle)
{
    struct top *t = ctx;

    if (!idle)
        return true;
    if (t->followed.open)
        print_picture(t);
    t->quit = t->followed.open;
    return false;
}

static int print_once(struct top *t, struct err *err)
{
    struct followed_pause pause = {.ctx = t, .pause = print_and_stop};
    int rc = followed_run_read(&t->followed, &pause, err);

    if (rc == 0 && !t->quit)
        print_picture(t);
    return rc;
}

/* Says how it ended, on the screen that the user had before. */
static void print_end(const struct top *t)
{
    enum followed_state state = followed_run_state(&t->followed);
    struct str text = {0};

    if (state == FOLLOWED_INTERRUPTED) {
        const struct story_run *r = t->followed.input.x.run;
        explain_headline(&t->followed.input.x, r->tasks_done, r->tasks, &text);
        fputs(text.text, stdout);
    } else {
        printf("The run is over: %s.\n", followed_run_state_name(state));
    }
    str_free(&text);
}

static int follow_run(struct top *t, struct err *err)
{
    struct followed_pause pause = {.ctx = t, .pause = pause_reading, .reset = read_anew};

    interrupt_catch();
    t->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    terminal_begin(t);
    int rc = followed_run_read(&t->followed, &pause, err);
    terminal_end(t);
    if (rc == 0 && !t->quit) {
        show(t, true);
        if (t->followed.over)
            print_end(t);
    }
    return rc;
}

int cmd_top(int argc, char **argv)
{
    struct top t = {0};
    struct err err;
    int status;

    if (!opt_parse(&command, argc, argv, &t, &status))
        return status;
    if (!t.run)
        return cli_usage("top", "the run is missing: its folder, or its journal");
    if (t.json && !t.once)
        return cli_usage("top", "--json needs --once");
    int rc = followed_run_init(&t.followed, t.run, &err);
    if (rc == 0)
        rc = t.once ? print_once(&t, &err) : follow_run(&t, &err);
    followed_run_fini(&t.followed);
    top_screen_choice_fini(&t.choice);
    if (rc < 0 && !t.quit && !interrupt_came())
        return cli_fail(&err);
    return interrupt_came() ? EXIT_INTERRUPTED : EXIT_DONE;
}
