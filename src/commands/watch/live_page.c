/* live_page.c - the page is made by the code of `dolly report`, of copies: of what was gathered so
 * far, to which the jobs that are not over are added as they are.
 *
 * Rejected: reading the journal anew for each page. It took longer the longer the run went on. */
#include "commands/watch/live_page.h"

#include "base/os/clock.h"
#include "commands/report/pack.h"
#include "commands/report/page.h"

enum { PERIOD_US = 2000000, COST_FACTOR = 40 };

int64_t live_page_period_us(const struct live_page *p)
{
    int64_t costly_us = COST_FACTOR * p->cost_us;
    return costly_us > PERIOD_US ? costly_us : PERIOD_US;
}

static void add_failures(void *ctx, const struct explain *x)
{
    struct explain_input *s = ctx;

    explain_failure_first(x, &s->told, &s->failures);
}

/* As if the journal ended here. */
static void make(struct live_page *p, const struct followed_run *f)
{
    struct read_run now;
    struct story_run sums;

    read_run_peek(&f->report, &now);
    story_peek(f->input.story, &sums);
    now.input.x = f->input.x;
    now.input.x.run = &sums;
    now.input.told = f->input.told;
    str_add(&now.input.failures, f->input.failures.text ? f->input.failures.text : "");
    followed_run_open_jobs(f, &now, read_run_job);
    followed_run_open_jobs(f, &now.input, add_failures);
    now.input.x.failures = now.input.told ? now.input.failures.text : NULL;
    read_run_settle(&now);
    str_free(&p->text);
    page_write(&now, NULL, &p->text);
    str_free(&now.input.failures);
    story_peek_end(&sums);
    read_run_peek_end(&now);
}

const struct str *live_page_get(struct live_page *p, const struct followed_run *f, struct err *err)
{
    int64_t cpu_us = clock_cpu_us();
    bool is_old = clock_now_us() - p->made_us > live_page_period_us(p) / 2;

    if (p->text.text && p->resets == f->resets && (p->turn == f->input.turns || !is_old))
        return &p->text;
    if (pack_load(err) < 0)
        return NULL;
    make(p, f);
    p->turn = f->input.turns;
    p->resets = f->resets;
    p->made_us = clock_now_us();
    p->cost_us = clock_cpu_us() - cpu_us;
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
