#include "commands/watch/live_page.h"

#include "base/os/clock.h"
#include "commands/report/pack.h"
#include "commands/report/page.h"
#include "commands/report/read_run.h"
#include "commands/report/web.h"

enum { PERIOD_US = 2000000, COST_FACTOR = 20 };

static int64_t period_us(const struct live_page *p)
{
    int64_t costly_us = COST_FACTOR * p->cost_us;
    return costly_us > PERIOD_US ? costly_us : PERIOD_US;
}

double live_page_period_s(const struct live_page *p)
{
    return (double)period_us(p) / 1e6;
}

static int make(struct live_page *p, const char *path, bool running, struct err *err)
{
    struct read_run r;
    struct str text = {0};

    if (pack_load(err) < 0)
        return -1;
    int rc = read_run_open(&r, path, false, err);
    if (rc == 0) {
        gather_limit(&r.gather);
        if (running)
            r.source.x.torn_bytes = 0;
        page_write_served(&r, &text);
        str_free(&p->text);
        p->text = text;
    }
    read_run_close(&r);
    return rc;
}

const struct str *live_page_get(struct live_page *p, const char *path, uint64_t turn, bool running,
                                struct err *err)
{
    int64_t now_us = clock_now_us();
    bool is_old = now_us - p->made_us > period_us(p) / 2;

    if (p->text.text && (p->turn == turn || !is_old))
        return &p->text;
    if (make(p, path, running, err) < 0)
        return NULL;
    p->turn = turn;
    p->made_us = clock_now_us();
    p->cost_us = p->made_us - now_us;
    return &p->text;
}

void live_page_fini(struct live_page *p)
{
    str_free(&p->text);
}

void live_page_login(struct str *to)
{
    str_add(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<title>dolly</title>\n<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n"
                "<p id=\"ask\">Open the address that <code>dolly watch</code> has printed: it has "
                "the token.</p>\n<script src=\"login.js\"></script>\n</body>\n</html>\n");
}

static void add(const struct web_file *file, struct str *to)
{
    str_add_bytes(to, file->text, (size_t)(file->end - file->text));
    str_add(to, "\n");
}

void live_page_script(struct str *to)
{
    for (int i = 0; i < WEB_SHARED; i++)
        add(&web_shared[i], to);
    add(&web_report, to);
    add(&web_live, to);
}

void live_page_login_script(struct str *to)
{
    add(&web_login, to);
}

void live_page_style(struct str *to)
{
    add(&web_style, to);
}
