/* cmd_watch.c - `dolly watch`: the page of a run, for a browser, while it is running.
 *
 * The journal is read, and requests are answered, in one thread: at the end of the journal it waits
 * for requests, and a tenth of a second later looks at the journal again. When the run is over the
 * page remains until ^C, and follows the run again if that is resumed. */
#include "commands/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/fresh_file.h"
#include "commands/watch/open_browser.h"
#include "commands/watch/watch_answers.h"
#include "ui/cli.h"
#include "ui/interrupt.h"
#include "ui/opt.h"

/* While a page is being made it is looked for more often. Streams are woken four times a second.
 * Where that takes more than an eightieth of a core, as with many readers, they are woken less
 * often, but soon enough to be less than a second behind. */
enum {
    WAIT_MS = 100,
    WAIT_FOR_PAGE_MS = 5,
    WAKE_EVERY_US = 250000,
    WAKE_AT_LEAST_US = 600000,
    WAKE_COST_FACTOR = 80,
};

struct watching_run {
    const char *run, *http, *token_file;
    bool open;

    struct followed_run followed;
    struct listen_socket socket;
    struct http_secrets secrets;
    struct watch_answers answers;
    struct http_handler handler;
    struct http_server *server;
    int64_t woken_us, woken_cpu_us; /* when streams were woken last, by both clocks */
    int64_t pause_us;               /* until they are woken again */
    bool making_page;               /* when requests were answered last */
    struct open_browser browser;
};

#define OPTIONS struct watching_run

static const struct field options[] = {
    {OPTION("http", "ADDRESS:PORT", FIELD_TEXT, http,
            "where to serve; default 127.0.0.1 and a free port; unix:PATH is a\n"
            "socket for this user only")},
    {FLAG("open", open, "open the address in a browser (xdg-open)")},
    {OPTION("token-file", "FILE", FIELD_TEXT, token_file,
            "also write the token to a file of mode 0600, for Prometheus and curl\n"
            "(Authorization: Bearer TOKEN)")},
    {0},
};

static const struct opt_command command = {
    .name = "watch",
    .usage = "usage: dolly watch RUN [--http ADDRESS:PORT] [--open] [--token-file FILE]\n"
             "\n"
             "Serves the page of `dolly report` about a run while it is running, and updates it;\n"
             "numbers as JSON under /api/v1, and for Prometheus under /metrics. RUN is the folder\n"
             "of a run or a journal. Only the journal is read; the run does not notice. Prints\n"
             "the address to open, which has a token: without it nothing is served. Serves until\n"
             "it is interrupted (^C).\n",
    .options = options,
    .notes = "\nExit status: 0 interrupted; 1 the address or libmicrohttpd cannot be had; 2 not a\n"
             "journal, damaged, or gone.",
    .has_operand = true,
    .operand_at = offsetof(struct watching_run, run),
};

/* ---- serving ---- */

static void wake(struct watching_run *w, int64_t now_us)
{
    int64_t cpu_us = clock_cpu_us(), costly_us = WAKE_COST_FACTOR * (cpu_us - w->woken_cpu_us);

    w->pause_us = costly_us < WAKE_EVERY_US      ? WAKE_EVERY_US
                  : costly_us > WAKE_AT_LEAST_US ? WAKE_AT_LEAST_US
                                                 : costly_us;
    w->woken_us = now_us;
    w->woken_cpu_us = cpu_us;
    http_server_wake(w->server);
}

static void serve(struct watching_run *w, int wait_ms)
{
    int64_t now_us = clock_now_us();
    bool making = !live_page_look(&w->answers.page);

    if ((w->making_page && !making) || now_us - w->woken_us >= w->pause_us)
        wake(w, now_us);
    if (making && wait_ms > WAIT_FOR_PAGE_MS)
        wait_ms = WAIT_FOR_PAGE_MS;
    http_server_run(w->server, wait_ms);
    w->making_page = w->answers.page.child > 0;
}

static bool pause_reading(void *ctx, bool idle)
{
    struct watching_run *w = ctx;

    if (idle)
        w->answers.seen_us = clock_now_us();
    serve(w, idle ? WAIT_MS : 0);
    return !interrupt_came();
}

static void read_anew(void *ctx, const char *why)
{
    struct watching_run *w = ctx;

    w->answers.most = (struct metrics_most){0};
    fprintf(stderr, "dolly watch: the journal %s: it is read anew\n", why);
}

/* ---- the command ---- */

static int make_secrets(struct watching_run *w, struct err *err)
{
    struct http_secrets *s = &w->secrets;

    if (http_token_init(&s->token, err) < 0 || http_token_init(&s->cookie, err) < 0)
        return -1;
    snprintf(s->cookie_name, sizeof s->cookie_name, "dolly_%u", w->socket.port);
    gethostname(s->machine, sizeof s->machine - 1);
    s->local = w->socket.local;
    if (w->token_file &&
        fresh_file_write(w->token_file, 0600, s->token.text, HTTP_TOKEN_DIGITS) < 0)
        return err_system(err, "cannot write %s: %s", w->token_file, strerror(errno));
    return 0;
}

/* The address with the token. */
static void add_address(const struct watching_run *w, struct str *out)
{
    const struct listen_socket *s = &w->socket;
    bool any = strncmp(s->shown, "0.0.0.0:", 8) == 0 || strncmp(s->shown, "[::]:", 5) == 0;

    if (any)
        str_addf(out, "http://%s:%u/#token=%s", w->secrets.machine, s->port, w->secrets.token.text);
    else
        str_addf(out, "http://%s/#token=%s", s->shown, w->secrets.token.text);
}

/* The address, and how to get there from another machine. */
static void print_address(const struct watching_run *w)
{
    const struct listen_socket *s = &w->socket;
    struct str address = {0};

    add_address(w, &address);
    if (s->local)
        printf("curl --unix-socket %s -H 'Authorization: Bearer %s' http://localhost/api/v1/run\n",
               s->shown, w->secrets.token.text);
    else
        printf("%s\n", address.text);
    if (getenv("SSH_CONNECTION") && s->loopback && !s->local)
        printf("From your own machine: ssh -L %u:%s %s, then open the same address.\n", s->port,
               s->shown, w->secrets.machine);
    fflush(stdout);
    str_free(&address);
    if (!s->loopback)
        fprintf(stderr,
                "dolly watch: other machines can reach %s, and nothing is encrypted on the "
                "way; ssh -L from 127.0.0.1 is safer\n",
                s->shown);
}

/* That no browser can be started is no reason to serve nothing. */
static void start_browser(struct watching_run *w)
{
    struct str address = {0};
    struct err err;

    add_address(w, &address);
    if (open_browser(&w->browser, address.text, &err) < 0)
        fprintf(stderr, "dolly watch: %s\n", err.text);
    str_free(&address);
}

static int follow_run(struct watching_run *w, struct err *err)
{
    struct followed_pause pause = {.ctx = w, .pause = pause_reading, .reset = read_anew};

    while (!interrupt_came()) {
        if (followed_run_read(&w->followed, &pause, err) < 0)
            return interrupt_came() ? 0 : -1;
        do
            serve(w, WAIT_MS);
        while (!interrupt_came() && !followed_run_goes_on(&w->followed));
        if (!interrupt_came())
            read_anew(w, "grows again");
    }
    return 0;
}

/* On the machine of the run its commands come first, however many ask about it. */
enum { BEHIND_THE_RUN = 10 };

static int watch(struct watching_run *w, struct err *err)
{
    if (followed_run_init(&w->followed, w->run, err) < 0 ||
        tail_file_init(&w->followed.file, w->followed.path, err) < 0 ||
        listen_socket_open(&w->socket, w->http ? w->http : "127.0.0.1:0", err) < 0 ||
        make_secrets(w, err) < 0)
        return -1;
    w->followed.keeps = true;
    w->answers = (struct watch_answers){
        .run = &w->followed, .token = &w->secrets.token, .seen_us = clock_now_us()};
    w->handler = watch_answers_handler(&w->answers);
    w->server = http_server_start(&w->socket, &w->secrets, &w->handler, err);
    if (!w->server)
        return -1;
    print_address(w);
    if (w->open)
        start_browser(w);
    (void)!nice(BEHIND_THE_RUN);
    return follow_run(w, err);
}

int cmd_watch(int argc, char **argv)
{
    struct watching_run w = {.socket.fd = -1};
    struct err err;
    int status;

    if (!opt_parse(&command, argc, argv, &w, &status))
        return status;
    if (!w.run)
        return cli_usage("watch", "the run is missing: its folder, or its journal");
    if (w.open && w.http && strncmp(w.http, "unix:", 5) == 0)
        return cli_usage("watch", "--open needs an address: browsers do not open unix:PATH");
    interrupt_catch();
    signal(SIGPIPE, SIG_IGN);
    int rc = watch(&w, &err);
    http_server_stop(w.server);
    open_browser_end(&w.browser);
    listen_socket_close(&w.socket);
    watch_answers_fini(&w.answers);
    followed_run_fini(&w.followed);
    return rc < 0 ? cli_fail(&err) : EXIT_DONE;
}
