/* exec_runner.c - the runners of a run, one for each group of nodes.
 *
 * An order goes to the runner of its attempt's node; reports go to exec_packets.c. How a runner is
 * reached is decided here, when it is opened, and known nowhere else (exec/process/runner_link.h);
 * whether it can be is the business of exec_presence.c. */
#include "exec/exec_runner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "base/check.h"
#include "base/os/clock.h"
#include "base/os/tree.h"
#include "exec/exec_state.h"
#include "exec/folder/ends.h"
#include "exec/process/doubt.h"
#include "exec/process/sys.h"

/* ---- in the process whose children the attempts are ---- */

/* Whether somebody wants us to end. The signals are held back here: the coordinator waits for them,
 * and the guardian began as a copy of it. */
static bool runner_is_signalled(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
            sigismember(&pending, SIGHUP));
}

/* Notes ends that are no longer in doubt. */
static void runner_note(struct exec *x, int64_t until_us)
{
    uint32_t i = 0;

    for (; i < x->runners.unnoted.count && x->runners.unnoted.at[i].at_us <= until_us; i++) {
        struct exec_unnoted *u = &x->runners.unnoted.at[i];
        if (!runner_is_signalled())
            ends_note(u->fd, u->dir, &u->end);
        mem_free(u->dir);
    }
    if (i == 0) /* there may be no array yet */
        return;
    x->runners.unnoted.count -= i;
    memmove(x->runners.unnoted.at, x->runners.unnoted.at + i,
            x->runners.unnoted.count * sizeof *x->runners.unnoted.at);
}

static void runner_ended(void *ctx, int fd, const char *dir, const struct packet_end *end)
{
    struct exec *x = ctx;

    if (!x->runners.doubts) {
        ends_note(fd, dir, end);
        return;
    }
    runner_note(x, clock_now_us() - DOUBT_US);
    vec_push(&x->runners.unnoted,
             ((struct exec_unnoted){mem_strdup(dir), *end, fd, clock_now_us()}));
}

/* The last ones are noted unless we are signalled meanwhile. */
static void runner_ended_last(void *ctx)
{
    struct exec *x = ctx;

    if (x->runners.unnoted.count == 0)
        return;
    int64_t until_us = x->runners.unnoted.at[x->runners.unnoted.count - 1].at_us + DOUBT_US;
    while (clock_now_us() < until_us && !runner_is_signalled())
        poll(NULL, 0, 10);
    runner_note(x, INT64_MAX);
}

static void runner_orphaned(void *ctx, const int fds[2])
{
    const struct exec_hooks *hooks = ((const struct exec *)ctx)->options.hooks;
    hooks->orphaned(hooks->ctx, fds);
}

static void runner_left(void *ctx)
{
    tree_remove(((const struct exec *)ctx)->dir);
}

static int runner_own(void *ctx, char *const *argv)
{
    const struct exec_hooks *hooks = ((const struct exec *)ctx)->options.hooks;
    return hooks->own(hooks->ctx, argv);
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
    if (o->hooks && o->hooks->own)
        hooks->own = runner_own;
    if (o->scratch) {
        hooks->left = runner_left;
        return 0;
    }
    hooks->ended = runner_ended;
    if (x->runners.doubts)
        hooks->left = runner_ended_last;
    hooks->ended_fd = ends_open(x->dir, err);
    return hooks->ended_fd < 0 ? -1 : 0;
}

/* ---- the runners ---- */

static int runner_open(struct exec *x, uint32_t group, const struct runner_options *on,
                       struct err *err)
{
    const struct exec_groups *groups = x->options.groups;
    struct exec_runner *r = &x->runners.at[group];
    struct runner_options options = *on;

    options.epoll_fd = x->epoll_fd;
    options.epoll_tag = EXEC_TAG_RUNNERS * (group + 1);
    options.ctx = r;
    options.lock_fd = x->lock_fd;
    options.shell = x->options.shell;
    options.workdir = x->options.workdir;
    options.nice = x->options.nice;
    *r = (struct exec_runner){.exec = x,
                              .stirred = true,
                              .full_us = -1,
                              .extra_us = -1,
                              .presence = groups ? RUNNER_AWAY : RUNNER_HERE};
    if (groups) {
        r->link = groups->open(groups->ctx, group, &options, err);
        return r->link ? 0 : -1;
    }
    if (runner_set_hooks(x, &options.hooks, err) < 0)
        return -1;
    r->link = (x->runners.doubts ? doubt_link_open : runner_link_open)(&options,
                                                                       x->options.supervised, err);
    if (options.hooks.ended_fd)
        sys_close(&options.hooks.ended_fd);
    return r->link ? 0 : -1;
}

int exec_runner_open(struct exec *x, const struct runner_options *on, struct err *err)
{
    const struct exec_groups *groups = x->options.groups;
    uint32_t count = groups ? groups->count : 1, nodes = x->options.cluster->node_count;

    x->runners.doubts = doubt_is_due();
    x->runners.of = mem_zalloc(nodes, sizeof *x->runners.of);
    for (uint32_t i = 0; groups && i < nodes; i++) {
        check(groups->of[i] < count);
        x->runners.of[i] = groups->of[i];
    }
    x->runners.at = mem_zalloc(count, sizeof *x->runners.at);
    if (groups && groups->fd >= 0 && exec_watch(x, EPOLL_CTL_ADD, groups->fd, EXEC_TAG_GROUPS) < 0)
        return err_system(err, "cannot wait for runners: %s", strerror(errno));
    for (; x->runners.count < count; x->runners.count++)
        if (runner_open(x, x->runners.count, on, err) < 0)
            return -1;
    return 0;
}

int exec_runner_send(struct exec *x, const struct packet *p)
{
    const struct attempt_row *e = exec_row(x, p->handle);
    struct exec_runner *r = exec_runner_of(x, e->node);

    if (r->presence == RUNNER_AWAY || e->owed)
        return 0;
    r->stirred = true;
    return r->link->order(r->link, p);
}

void exec_runner_event(struct exec *x, uint64_t data)
{
    if (data == EXEC_TAG_GROUPS) {
        x->options.groups->event(x->options.groups->ctx);
        return;
    }
    struct exec_runner *r = &x->runners.at[data / EXEC_TAG_RUNNERS - 1];
    r->stirred = true;
    if (!r->lost)
        r->link->event(r->link, (uint32_t)data);
}

int64_t exec_runner_turn(struct exec *x, int64_t until_us)
{
    const struct exec_groups *groups = x->options.groups;
    uint32_t events = x->pending.count;
    int64_t next_us = groups && groups->turn ? groups->turn(groups->ctx) : INT64_MAX;
    int64_t now_us = clock_now_us();

    until_us = next_us < until_us ? next_us : until_us;
    for (uint32_t i = 0; i < x->runners.count; i++) {
        struct exec_runner *r = &x->runners.at[i];
        if (!r->lost && (r->stirred || r->next_us <= now_us)) {
            r->stirred = false;
            r->next_us = r->link->turn(r->link);
        }
        if (!r->lost && r->next_us < until_us)
            until_us = r->next_us;
    }
    return x->pending.count > events ? 0 : until_us;
}

void exec_runner_close(struct exec *x)
{
    for (uint32_t i = 0; i < x->runners.count; i++)
        x->runners.at[i].link->close(x->runners.at[i].link);
    mem_free(x->runners.at);
    mem_free(x->runners.of);
}
