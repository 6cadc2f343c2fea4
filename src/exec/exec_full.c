/* exec_full.c - a disk that is full, or was: which attempts to believe, and when to stop.
 *
 * A command that ignores write errors ends with status 0 and half an output. So an attempt that ran
 * while the disk of the run was full is not believed, whatever its status: it has failed of that. A
 * full disk stays full until something is removed, so we look before we remove anything and when an
 * attempt ends; because others remove things as well, we also look every now and then, the more
 * often the less room there is. Not seen are a disk that is full for less than 20 ms between two
 * looks and is emptied by others, a quota (the command that meets one has to fail), and disks that
 * a command writes to elsewhere. Attempts of `dolly task` know what the system said, and tell
 * (PACKET_NO_SPACE).
 *
 * Where the run can be resumed, a task that would be given up because of a full disk is not: the
 * brain does not learn of the end of its attempt, its launch or its commit. Nothing new is started,
 * what runs comes to its end, and the run stops with a message. When it is resumed, those attempts
 * were lost with their node; a commit is done again from the output, which stays where it is. Extra
 * attempts, and those that ran beside them, are the brain's to judge (core/brain/disk_full.c): they
 * may fit once the extra ones are gone.
 *
 * Runners elsewhere have disks of their own, and tell how much room there is. What fails of a full
 * one may go well elsewhere: that is the brain's to judge, too, as long as there is an elsewhere.
 * So what follows mirrors what the brain makes of it (disks=own). */
#include "exec/exec_full.h"

#include <stdio.h>
#include <string.h>

#include "core/brain/disk_full.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"

enum {
    FULL_LOOK_MIN_US = 20000,
    FULL_LOOK_MAX_US = 1000000,
    FULL_BYTES_PER_US = 1024, /* a disk is not filled faster than this */
};

void exec_full_look(struct exec *x)
{
    int64_t now_us = exec_now_us(x), free_bytes = run_dir_free_bytes(x->dir),
            wait_us = free_bytes / FULL_BYTES_PER_US;

    if (run_dir_is_full(free_bytes))
        x->full.seen_us = now_us;
    wait_us = wait_us < FULL_LOOK_MIN_US ? FULL_LOOK_MIN_US : wait_us;
    x->full.look_us = now_us + (wait_us > FULL_LOOK_MAX_US ? FULL_LOOK_MAX_US : wait_us);
}

int64_t exec_full_due(struct exec *x, int64_t now_us)
{
    if (x->attempts.live == x->queue.count)
        return INT64_MAX;
    if (now_us >= x->full.look_us)
        exec_full_look(x);
    return x->full.look_us;
}

void exec_full_on_free_bytes(void *ctx, int64_t bytes)
{
    struct exec_runner *r = ctx;

    if (run_dir_is_full(bytes))
        r->full_us = exec_now_us(r->exec);
}

bool exec_full_during(struct exec *x, const struct attempt_row *e)
{
    exec_full_look(x);
    return x->full.seen_us >= e->launched_us ||
           exec_runner_of(x, e->node)->full_us >= e->launched_us;
}

void exec_full_note_end(struct exec *x, const struct attempt_row *e)
{
    if (e->extra)
        x->full.extra_us = exec_runner_of(x, e->node)->extra_us = exec_now_us(x);
}

/* Whether an extra attempt that writes to the same disk ran at the same time, or the attempt is
 * one. Where this says so, the brain forgives the failure; so one that is all its task has is no
 * excuse here either. */
static bool full_beside_extras(struct exec *x, const struct attempt_row *e, bool own)
{
    const struct exec_runner *r = exec_runner_of(x, e->node);

    if (e->extra || (own ? r->extra_us : x->full.extra_us) >= e->launched_us)
        return true;
    for (uint32_t i = 0; i < x->attempts.at.count; i++) {
        const struct attempt_row *other = exec_row(x, i);
        if (other->extra && attempt_row_lives(other) &&
            (!own || exec_runner_of(x, other->node) == r) &&
            !attempt_table_is_alone(&x->attempts, i))
            return true;
    }
    return false;
}

/* Whether the runner takes attempts, or may do so soon. */
static bool full_may_take(const struct exec_runner *r, int64_t now_us)
{
    return r->full_until_us <= now_us &&
           (r->presence == RUNNER_HERE || r->presence == RUNNER_SILENT ||
            (r->presence == RUNNER_AWAY && !r->lost && now_us < r->away_us + DISK_FULL_US));
}

static bool full_elsewhere(const struct exec *x, const struct exec_runner *r)
{
    int64_t now_us = exec_now_us(x);

    for (uint32_t i = 0; i < x->runners.count; i++)
        if (&x->runners.at[i] != r && full_may_take(&x->runners.at[i], now_us))
            return true;
    return false;
}

/* Outputs are committed to one disk; else each runner has its own. */
bool exec_full_withholds(struct exec *x, const struct attempt_row *e)
{
    bool own = x->options.groups && e->state != ROW_FINISHED;
    struct exec_runner *r = exec_runner_of(x, e->node);

    if (own)
        r->full_until_us = exec_now_us(x) + DISK_FULL_US;
    if (x->options.failures_max == 0 || full_beside_extras(x, e, own) ||
        (own && full_elsewhere(x, r)))
        return false;
    if (attempt_table_failures(&x->attempts, e->at) + 1 < x->options.failures_max)
        return false; /* it will be tried again */
    x->full.withheld++;
    return true;
}

void exec_full_rest(struct exec *x, const struct attempt_row *e, int error)
{
    const struct exec_hooks *hooks = x->options.hooks;
    struct exec_runner *r = exec_runner_of(x, e->node);
    const char *name = x->options.cluster->nodes[e->node.v].name;
    bool told = r->full_until_us > exec_now_us(x);
    char text[256];

    r->full_until_us = exec_now_us(x) + DISK_FULL_US;
    if (told || !hooks || !hooks->warn)
        return;
    snprintf(text, sizeof text,
             "node %.100s cannot run tasks (%s): dolly sends it none for a minute, then one to try",
             name ? name : "?", strerror(error));
    hooks->warn(hooks->ctx, text);
}

int exec_full_stop(const struct exec *x, struct err *err)
{
    if (!x->full.withheld || x->pending.count > 0 || x->attempts.live > x->queue.count)
        return 0;
    bool theirs = x->options.groups && x->full.seen_us < 0; /* nodes have disks of their own */

    return err_system(err,
                      "the disk of %s was full; %u task%s that met it %s discarded, and no more "
                      "tasks were started; free some space",
                      theirs ? "every node" : x->dir, x->full.withheld,
                      x->full.withheld == 1 ? "" : "s", x->full.withheld == 1 ? "is" : "are");
}
