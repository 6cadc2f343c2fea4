#include "exec/process/runner_link.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "exec/process/guardian.h"
#include "exec/process/runner.h"
#include "exec/process/sys.h"

/* ---- in this process ---- */

struct runner_here {
    struct runner_link link; /* first */
    struct runner runner;
    struct sigaction old_pipe; /* what becomes of SIGPIPE afterwards */
};

static struct runner *here(struct runner_link *r)
{
    return &((struct runner_here *)(void *)r)->runner;
}

static int here_order(struct runner_link *r, const struct packet *p)
{
    runner_order(here(r), p);
    return 0;
}

static void here_event(struct runner_link *r, uint32_t tag)
{
    runner_event(here(r), tag);
}

static int64_t here_turn(struct runner_link *r)
{
    return runner_turn(here(r));
}

static void here_close(struct runner_link *r)
{
    struct runner_here *h = (struct runner_here *)(void *)r;

    if (h->runner.descendants.self)
        descendants_end_all(&h->runner.descendants);
    runner_fini(&h->runner);
    sigaction(SIGPIPE, &h->old_pipe, NULL);
    mem_free(h);
}

static struct runner_link *here_open(const struct runner_options *options, struct err *err)
{
    struct runner_here *h = mem_zalloc(1, sizeof *h);

    h->link = (struct runner_link){here_order, here_event, here_turn, here_close, NULL};
    sigaction(SIGPIPE, NULL, &h->old_pipe);
    if (runner_init(&h->runner, options) == 0)
        return &h->link;
    err_system(err, "cannot prepare for attempts: %s", strerror(errno));
    here_close(&h->link);
    return NULL;
}

struct runner_link *runner_link_open(const struct runner_options *options, bool supervised,
                                     struct err *err)
{
    return supervised ? here_open(options, err) : guardian_link_open(options, err);
}
