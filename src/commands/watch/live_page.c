/* live_page.c - the page is made by the code of `dolly report`, in a child: there the account ends
 * with the turn that was read last, and the jobs that are not over are added as they are. The
 * account of the parent goes on.
 *
 * Rejected: reading the journal anew for each page. It took longer the longer the run went on. And
 * copies of all that was gathered: each of its lists needed code for that. */
#include "commands/watch/live_page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/die_with.h"
#include "base/os/write_all.h"
#include "commands/report/pack.h"
#include "commands/report/page.h"

enum { PERIOD_US = 2000000, COST_FACTOR = 40 };

int64_t live_page_period_us(const struct live_page *p)
{
    int64_t costly_us = COST_FACTOR * p->cost_us;
    return costly_us > PERIOD_US ? costly_us : PERIOD_US;
}

/* ---- in the child ---- */

static void add_job(void *ctx, const struct story_job *j, const struct story_facts *facts)
{
    struct followed_run *f = ctx;
    struct explain x = f->input.x;

    x.job = j;
    x.facts = *facts; /* borrowed */
    explain_failure_first(&x, &f->input.told, &f->input.failures);
    read_run_job(&f->report, &x);
}

/* Writes the page as if the journal ended here. */
_Noreturn static void write_page(struct followed_run *f, int to)
{
    struct str text = {0};

    story_listen(f->input.story, (struct story_listener){f, add_job});
    if (f->account)
        story_end(f->input.story);
    f->report.input.x = f->input.x;
    f->report.input.x.failures = f->input.told ? f->input.failures.text : NULL;
    read_run_settle(&f->report);
    page_write(&f->report, NULL, &text);
    _exit(write_all(to, text.text, text.length) < 0);
}

/* ---- in the parent ---- */

static void read_all(int from, struct str *to)
{
    char piece[1 << 16];
    ssize_t n;

    while ((n = read(from, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            str_add_bytes(to, piece, (size_t)n);
}

static int make(struct live_page *p, struct followed_run *f, struct err *err)
{
    int ends[2], status = -1;
    struct rusage usage;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(err, "cannot make the page: %s", strerror(errno));
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        die_with(parent, SIGKILL);
        write_page(f, ends[1]);
    }
    close(ends[1]);
    str_free(&p->text);
    if (child > 0)
        read_all(ends[0], &p->text);
    close(ends[0]);
    while (child > 0 && wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    if (status != 0) {
        str_free(&p->text);
        return err_system(err, "cannot make the page: the process that makes it has failed");
    }
    p->cost_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000) +
                 usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    return 0;
}

const struct str *live_page_get(struct live_page *p, struct followed_run *f, struct err *err)
{
    bool is_old = clock_now_us() - p->made_us > live_page_period_us(p) / 2;

    if (p->text.text && p->resets == f->resets && (p->turn == f->input.turns || !is_old))
        return &p->text;
    if (pack_load(err) < 0 || make(p, f, err) < 0)
        return NULL;
    p->turn = f->input.turns;
    p->resets = f->resets;
    p->made_us = clock_now_us();
    return &p->text;
}

void live_page_login(struct str *to)
{
    str_add(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<title>dolly</title>\n<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n"
                "<p id=\"ask\">Open the address that <code>dolly watch</code> has printed: it has "
                "the token.</p>\n<script src=\"login.js\"></script>\n</body>\n</html>\n");
}

void live_page_file(const struct web_file *file, struct str *to)
{
    str_add_bytes(to, file->text, (size_t)(file->end - file->text));
    str_add(to, "\n");
}

void live_page_script(struct str *to)
{
    for (int i = 0; i < WEB_SHARED; i++)
        live_page_file(&web_shared[i], to);
    live_page_file(&web_report, to);
    live_page_file(&web_live, to);
}
