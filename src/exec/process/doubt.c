/* Ends in doubt: a list of them, and a runner on this machine that keeps one.
 *
 * The runner stands between another one and the owner of that. It lets everything pass but ends,
 * which it keeps for DOUBT_US. The owner catches the signals that end a run, and looks for them
 * after each turn, before it believes what the turn has brought: so an end that it believes is
 * older than DOUBT_US, and no signal has followed it. Agents do the same for themselves
 * (remote/agent/agent_session.c), and their coordinator keeps the list
 * (remote/coordinator/agent_link.c).
 *
 * Rejected: an attempt that waits in its slot until its end is believed. With short commands that
 * costs more than the commands do. */
#include "exec/process/doubt.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"

bool doubt_is_due(void)
{
    const char *job = getenv("SLURM_JOB_ID");
    return job && *job;
}

/* ---- the list ---- */

void doubt_list_add(struct doubt_list *l, const struct packet *end, int64_t since)
{
    vec_push(&l->at, ((struct doubt_end){*end, since}));
}

static void list_remove(struct doubt_list *l, uint32_t i)
{
    l->at.count--;
    memmove(&l->at.at[i], &l->at.at[i + 1], (l->at.count - i) * sizeof *l->at.at);
}

bool doubt_list_take(struct doubt_list *l, int64_t until, struct packet *end)
{
    if (doubt_list_next(l) > until || l->at.count == 0)
        return false;
    *end = l->at.at[0].end;
    list_remove(l, 0);
    return true;
}

bool doubt_list_kill(struct doubt_list *l, uint32_t handle, struct packet *killed)
{
    for (uint32_t i = 0; i < l->at.count; i++)
        if (l->at.at[i].end.handle == handle) {
            *killed = l->at.at[i].end;
            killed->type = PACKET_KILLED;
            list_remove(l, i);
            return true;
        }
    return false;
}

int64_t doubt_list_next(const struct doubt_list *l)
{
    return l->at.count ? l->at.at[0].since : INT64_MAX;
}

/* ---- a runner whose ends are in doubt ---- */

struct doubt_link {
    struct runner_link link; /* first */
    struct runner_options options;
    struct runner_link *inner;
    struct doubt_list held;
};

static struct doubt_link *doubt_of(struct runner_link *r)
{
    return (struct doubt_link *)(void *)r;
}

static void doubt_on_packet(void *ctx, const struct packet *p)
{
    struct doubt_link *d = ctx;

    if (p->type != PACKET_EXITED) {
        d->options.on_packet(d->options.ctx, p);
        return;
    }
    doubt_list_add(&d->held, p, clock_now_us());
    d->options.on_ended(d->options.ctx, p);
}

static void doubt_on_lost(void *ctx, const char *why)
{
    struct doubt_link *d = ctx;
    d->options.on_lost(d->options.ctx, why);
}

static int doubt_order(struct runner_link *r, const struct packet *p)
{
    struct doubt_link *d = doubt_of(r);
    struct packet killed;

    if (p->type != PACKET_KILL || !doubt_list_kill(&d->held, p->handle, &killed))
        return d->inner->order(d->inner, p);
    d->options.on_packet(d->options.ctx, &killed);
    return 0;
}

static void doubt_event(struct runner_link *r, uint32_t tag)
{
    struct doubt_link *d = doubt_of(r);
    d->inner->event(d->inner, tag);
}

/* The owner looks whether it was signalled after this, and before it believes anything. */
static int64_t doubt_turn(struct runner_link *r)
{
    struct doubt_link *d = doubt_of(r);
    int64_t next_us = d->inner->turn(d->inner);
    struct packet end;

    while (doubt_list_take(&d->held, clock_now_us() - DOUBT_US, &end))
        d->options.on_packet(d->options.ctx, &end);
    int64_t oldest_us = doubt_list_next(&d->held);
    if (oldest_us != INT64_MAX && oldest_us + DOUBT_US < next_us)
        next_us = oldest_us + DOUBT_US;
    return next_us;
}

static void doubt_close(struct runner_link *r)
{
    struct doubt_link *d = doubt_of(r);

    if (d->inner)
        d->inner->close(d->inner);
    vec_free(&d->held.at);
    mem_free(d);
}

struct runner_link *doubt_link_open(const struct runner_options *options, bool supervised,
                                    struct err *err)
{
    struct doubt_link *d = mem_zalloc(1, sizeof *d);
    struct runner_options inner = *options;

    d->link = (struct runner_link){doubt_order, doubt_event, doubt_turn, doubt_close, NULL};
    d->options = *options;
    inner.ctx = d;
    inner.on_packet = doubt_on_packet;
    inner.on_lost = doubt_on_lost;
    d->inner = runner_link_open(&inner, supervised, err);
    if (d->inner)
        return &d->link;
    doubt_close(&d->link);
    return NULL;
}
