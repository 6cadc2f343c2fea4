/* exec_feed.c - jobs that come while the run goes on. */
#include "exec/exec_feed.h"

#include "exec/exec_fail.h"
#include "exec/exec_job.h"
#include "exec/exec_state.h"
#include "exec/process/sys.h"

void exec_feed_hold(struct exec *x, bool hold)
{
    if (x->feed.open && x->feed.held != hold)
        exec_watch(x, hold ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, x->options.hooks->feed_fd,
                   EXEC_TAG_FEED);
    x->feed.held = hold;
}

void exec_feed_end(struct exec *x)
{
    exec_feed_hold(x, true);
    x->feed.open = false;
}

void exec_feed_read(struct exec *x)
{
    const struct exec_hooks *hooks = x->options.hooks;
    struct err err;

    int more = x->interrupted ? 0 : hooks->feed(hooks->ctx, &err);
    if (more < 0) {
        exec_fail_run(x, "%s", err.text);
        x->aborted.kind = err.kind;
    }
    if (more <= 0)
        exec_feed_end(x);
    if (!x->jobs.next && more >= 0)
        exec_job_draw_more(x);
}
