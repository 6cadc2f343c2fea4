/* exec_runner.c - the runners of a run, one for each group of nodes.
 *
 * An order goes to the runner of its attempt's node, and a report is believed only if it fits an
 * attempt of that runner: a runner may be another process, later another machine. One that reports
 * anything else is not listened to any more, and as all nodes are one group so far, the run ends.
 * How a runner is reached is decided here, when it is opened, and known nowhere else
 * (runner/runner_link.h). */
#include <errno.h>
#include <string.h>

#include "exec/exec_state.h"
#include "exec/judge.h"
#include "folder/ends.h"
#include "folder/run_dir.h"
#include "runner/sys.h"

/* ---- in the process whose children the attempts are ---- */

static void runner_ended(void *ctx, int fd, const char *dir, const struct packet_end *end)
{
    (void)ctx;
    ends_note(fd, dir, end);
}

static void runner_orphaned(void *ctx, const int fds[2])
{
    const struct exec_hooks *hooks = ((const struct exec *)ctx)->options.hooks;
    hooks->orphaned(hooks->ctx, fds);
}

static void runner_left(void *ctx)
{
    run_dir_remove(((const struct exec *)ctx)->dir);
}

/* With a supervisor, there is nothing to do but for that one. */
static int runner_set_hooks(struct exec *x, struct runner_hooks *hooks, struct err *err)
{
    const struct exec_options *o = &x->options;

    *hooks = (struct runner_hooks){.ctx = x};
    if (o->supervised)
        return 0;
    if (o->hooks && o->hooks->orphaned) {
        hooks->orphaned = runner_orphaned;
        for (int i = 0; i < 2; i++)
            hooks->orphaned_fds[i] = o->hooks->keep_fds[i];
    }
    if (o->scratch) {
        hooks->left = runner_left;
        return 0;
    }
    hooks->ended = runner_ended;
    hooks->ended_fd = ends_open(x->dir, err);
    return hooks->ended_fd < 0 ? -1 : 0;
}

/* ---- reports ---- */

static void runner_on_lost(void *ctx, const char *why)
{
    struct exec_runner *r = ctx;

    r->lost = true;
    exec_abort_run(r->exec, "%s", why);
}

void exec_runner_on_packet(void *ctx, const struct packet *p)
{
    struct exec_runner *r = ctx;
    struct exec *x = r->exec;
    const struct attempt_row *row =
        p->handle < x->attempts.at.count ? exec_row(x, p->handle) : NULL;
    char text[160];

    if (r->lost)
        return;
    if (row && exec_runner_of(x, row->node) != r)
        row = NULL;
    const char *misfit = judge_packet(p, row);
    if (misfit) {
        snprintf(text, sizeof text, "a runner reported what cannot be (packet %u, attempt %u): %s",
                 p->type, p->handle, misfit);
        runner_on_lost(r, text);
    } else {
        exec_attempt_on_packet(x, p);
    }
}

/* ---- the runners ---- */

struct exec_runner *exec_runner_of(struct exec *x, struct node_id node)
{
    return &x->runners[x->runner_of[node.v]];
}

/* So far all nodes are one group, on this machine. */
int exec_runner_open(struct exec *x, struct err *err)
{
    struct runner_options options = {.epoll_fd = x->epoll_fd,
                                     .source = EXEC_SOURCE_RUNNERS,
                                     .on_packet = exec_runner_on_packet,
                                     .on_lost = runner_on_lost,
                                     .lock_fd = x->lock_fd,
                                     .shell = x->options.shell,
                                     .workdir = x->options.workdir,
                                     .nice = x->options.nice};

    x->runner_of = mem_zalloc(x->options.cluster->node_count, sizeof *x->runner_of);
    x->runners = mem_zalloc(1, sizeof *x->runners);
    options.ctx = &x->runners[0];
    x->runners[0].exec = x;
    if (runner_set_hooks(x, &options.hooks, err) < 0)
        return -1;
    x->runners[0].link = runner_link_open(&options, x->options.supervised, err);
    if (options.hooks.ended_fd)
        sys_close(&options.hooks.ended_fd);
    x->runner_count = x->runners[0].link != NULL;
    return x->runner_count ? 0 : -1;
}

int exec_runner_send(struct exec *x, const struct packet *p)
{
    struct exec_runner *r = exec_runner_of(x, exec_row(x, p->handle)->node);

    return r->lost ? 0 : r->link->order(r->link, p);
}

void exec_runner_event(struct exec *x, uint64_t data)
{
    struct exec_runner *r = &x->runners[data / EXEC_SOURCE_RUNNERS - 1];

    if (!r->lost)
        r->link->event(r->link, (uint32_t)data);
}

int64_t exec_runner_turn(struct exec *x, int64_t until_us)
{
    uint32_t events = x->pending.count + x->began.count;

    for (uint32_t i = 0; i < x->runner_count; i++) {
        struct exec_runner *r = &x->runners[i];
        int64_t next_us = r->lost ? INT64_MAX : r->link->turn(r->link);
        until_us = next_us < until_us ? next_us : until_us;
    }
    return x->pending.count + x->began.count > events ? 0 : until_us;
}

void exec_runner_close(struct exec *x)
{
    for (uint32_t i = 0; i < x->runner_count; i++)
        x->runners[i].link->close(x->runners[i].link);
    mem_free(x->runners);
    mem_free(x->runner_of);
}
