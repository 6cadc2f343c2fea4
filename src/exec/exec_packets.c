/* exec_packets.c - reports of runners: each is judged, and handed to the file that it concerns.
 *
 * A report is believed only if it fits an attempt of its runner: a runner may be another process,
 * or on another machine. One that reports anything else is not listened to any more. */
#include "exec/exec_packets.h"

#include <stdio.h>

#include "exec/exec_attempt.h"
#include "exec/exec_copy.h"
#include "exec/exec_presence.h"
#include "exec/exec_state.h"
#include "exec/judge.h"

/* Judges a report of the runner. Whether it fits an attempt, or a copy, that the runner has (which
 * may have been told to have ended: `again`); if not, the runner is not listened to any more. */
static bool packet_fits(struct exec_runner *r, const struct packet *p, bool again)
{
    struct exec *x = r->exec;
    struct attempt_row copy;
    bool machine = p->type == PACKET_CORES || p->type == PACKET_PRESSURE;
    bool copies = p->handle >= EXEC_COPY_FIRST && !machine;
    const struct attempt_row *row = copies ? exec_copy_row(x, p->handle, &copy)
                                    : p->handle < x->attempts.at.count ? exec_row(x, p->handle)
                                                                       : NULL;
    char text[160];

    if (r->lost || r->presence == RUNNER_AWAY)
        return false;
    if (row && (row->owed || exec_runner_of(x, row->node) != r))
        row = NULL;
    const char *misfit = judge_packet(p, row);
    if (!misfit && !again && row && row->left)
        misfit = "it has ended already";
    if (!misfit)
        return true;
    snprintf(text, sizeof text, "a runner sent an invalid report (packet %u, attempt %u): %s",
             p->type, p->handle, misfit);
    if (r->link->refuse)
        r->link->refuse(r->link, text);
    else
        exec_presence_on_lost(r, text);
    return false;
}

/* A report of the runner `ctx` (struct exec_runner). */
static void on_packet(void *ctx, const struct packet *p)
{
    struct exec_runner *r = ctx;

    if (!packet_fits(r, p, true))
        return;
    if (p->type == PACKET_CORES)
        exec_presence_cores(r, p->u.cores.spare, p->u.cores.each);
    else if (p->type == PACKET_PRESSURE)
        exec_presence_pressure(r, p->u.pressure.disk, p->u.pressure.memory);
    else if (p->handle >= EXEC_COPY_FIRST)
        exec_copy_on_packet(r->exec, p);
    else
        exec_attempt_on_packet(r->exec, p);
}

/* Copies hold no room, and are compared with what they are copies of. */
static void on_ended(void *ctx, const struct packet *exited)
{
    struct exec_runner *r = ctx;

    if (packet_fits(r, exited, false) && exited->handle < EXEC_COPY_FIRST)
        exec_attempt_left(r->exec, exited);
}

const struct runner_options exec_packets = {.on_packet = on_packet,
                                            .on_ended = on_ended,
                                            .on_lost = exec_presence_on_lost,
                                            .on_presence = exec_presence_on,
                                            .on_free_bytes = exec_full_on_free_bytes};
