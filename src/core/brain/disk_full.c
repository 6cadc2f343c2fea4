/* disk_full.c - when a disk is full, ends extra attempts and launches none for a while.
 *
 * Every attempt has its own files, so cloning multiplies the disk space that a phase needs, and a
 * job may fail only because it was cloned. Therefore, when an attempt, a launch or a commit has
 * failed because of a full disk,
 *
 *   - every clone and backup that is not the last attempt of its task is ended, and so is every
 *     other copy of a whole job (reason disk_full);
 *   - no other is launched within the next minute; policies find no room;
 *   - nothing at all is launched until those that are being ended, for this or for another reason,
 *     are confirmed dead, because only then is their room free;
 *   - a failure of that kind does not count against the task if it was an extra attempt's, or of
 *     an attempt that has run beside extra ones, however those ended.
 *
 * The last point ends by itself: after the first failure there are no extra attempts, and later
 * attempts run alone. From then on a full disk fails a task like any other cause, and failures_max
 * limits the retries.
 *
 * Where each node has a disk of its own (disks=own), a full one does not concern the others. The
 * node gets no attempts for a minute, and extra attempts that run there are ended. Its tasks run
 * elsewhere, and the failure counts against none of them as long as another node can hold the task:
 * one that takes attempts, or one that may be back soon, because it is suspect or has been down for
 * less than that minute (when a run begins, some nodes join before others). Outputs are still
 * committed to one disk, and if that is full, all nodes are affected.
 *
 * A node that failed an attempt by its own fault (node_fault: it could not make a folder, had no
 * descriptors, lost an output) rests in the same way, because a broken node is the fastest of all
 * and would fail one task after the other. After that it is on trial: it gets one attempt, and more
 * once one has ended normally. */
#include "core/brain/disk_full.h"

#include "core/brain/job.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

/* Whether the disk of the node is its own. */
static bool is_own(const struct brain *b, struct node_id node)
{
    return b->policy->disks == DISKS_OWN && node.v != NODE_NONE.v;
}

/* Where a walk over live extra attempts that share a disk is: those of a node; or all clones, and
 * behind them all backups that run. Newest first. */
struct walk {
    uint32_t extra, clone;
    uint32_t running; /* entries of the list that are left */
};

static struct walk walk_begin(const struct brain *b, struct node_id node)
{
    const struct world *w = &b->world;

    return is_own(b, node) ? (struct walk){w->nodes.at[node.v].newest_extra, ATTEMPT_NONE, 0}
                           : (struct walk){ATTEMPT_NONE, w->newest_clone, w->running.count};
}

static struct attempt *walk_next(const struct brain *b, struct walk *w)
{
    struct attempt *a;

    if (w->extra != ATTEMPT_NONE) {
        a = world_attempt(&b->world, w->extra);
        w->extra = b->world.extras.at[w->extra].older;
        return a;
    }
    if (w->clone != ATTEMPT_NONE) {
        a = world_attempt(&b->world, w->clone);
        w->clone = world_older_clone(&b->world, w->clone);
        return a;
    }
    while (w->running > 0) {
        uint32_t index = b->world.running.at[--w->running];
        if (index != ATTEMPT_NONE && world_attempt(&b->world, index)->kind == LAUNCH_BACKUP)
            return world_attempt(&b->world, index);
    }
    return NULL;
}

static bool rests_now(const struct brain *b, uint32_t node)
{
    for (uint32_t i = 0; i < b->disk_full.rests.count; i++)
        if (b->disk_full.rests.at[i].node.v == node)
            return true;
    return false;
}

/* Whether the node takes attempts, or may do so soon. One that stays down does not put off the end
 * of a task for ever. */
static bool node_may_take(const struct brain *b, uint32_t i)
{
    const struct node *n = &b->world.nodes.at[i];

    return n->avoid_until_us <= b->world.now_us &&
           (n->state == NODE_UP || n->state == NODE_SUSPECT ||
            (n->state == NODE_DOWN && b->world.now_us < n->changed_us + DISK_FULL_US));
}

/* Whether there is another node for attempts of the phase. */
static bool fits_elsewhere(const struct brain *b, const struct phase *p, struct node_id node)
{
    for (uint32_t i = 0; i < b->world.nodes.count; i++)
        if (i != node.v && node_may_take(b, i) && !rests_now(b, i) &&
            res_fits(&p->demand, &b->world.nodes.at[i].capacity))
            return true;
    return false;
}

bool disk_full_forgives(const struct brain *b, const struct attempt *failed, struct node_id node)
{
    struct walk w = walk_begin(b, node);
    bool own = is_own(b, node);

    if (attempt_is_extra(failed))
        return !failed->job->lead; /* a copy of a whole job would try for ever */
    if (failed->launched_us <=
        (own ? b->world.nodes.at[node.v].extra_ended_us : b->disk_full.extra_ended_us))
        return true;
    for (struct attempt *a; (a = walk_next(b, &w)) != NULL;)
        if (a->unwanted ||
            attempt_is_spare(&b->world, a)) /* not a clone that is all its task has */
            return true;
    return own && fits_elsewhere(b, attempt_phase(failed), node);
}

bool disk_full_forgives_fault(const struct brain *b, const struct attempt *failed)
{
    return is_own(b, failed->node) && fits_elsewhere(b, attempt_phase(failed), failed->node);
}

void disk_full_note_fault(struct brain *b, struct node_id node)
{
    if (is_own(b, node))
        vec_push(&b->disk_full.rests, ((struct node_rest){node, WHY_NODE_FAULT}));
}

void disk_full_note_works(struct brain *b, struct node_id node)
{
    b->world.nodes.at[node.v].trial = false;
    world_refit_node(&b->world, node.v);
}

void disk_full_note_end(struct brain *b, const struct attempt *a)
{
    b->disk_full.extra_ended_us = b->world.now_us;
    b->world.nodes.at[a->node.v].extra_ended_us = b->world.now_us;
}

void disk_full_begin(struct brain *b, struct node_id node)
{
    if (is_own(b, node)) {
        vec_push(&b->disk_full.rests, ((struct node_rest){node, WHY_DISK_FULL}));
        return;
    }
    b->disk_full.until_us = b->world.now_us + DISK_FULL_US;
    b->disk_full.sheds = true;
}

/* Ends the extra attempts that share a disk. */
static void shed_disk(struct brain *b, struct node_id node)
{
    struct walk w = walk_begin(b, node);

    for (struct attempt *a; (a = walk_next(b, &w)) != NULL;) {
        if (a->unwanted || attempt_is_new(&b->world, a))
            continue;
        if (a->job->lead)
            job_drop_copy(b, a->job, &REASON_PLAIN(WHY_DISK_FULL));
        else if (attempt_is_spare(&b->world, a))
            stop_attempt(b, a, &REASON_PLAIN(WHY_DISK_FULL));
    }
}

void disk_full_avoid(struct brain *b)
{
    int64_t until_us = b->world.now_us + DISK_FULL_US;

    for (uint32_t i = 0; i < b->disk_full.rests.count; i++) {
        struct node_rest r = b->disk_full.rests.at[i];
        b->world.nodes.at[r.node.v].trial |= r.why == WHY_NODE_FAULT;
        stop_node(b, r.node, until_us, &REASON_PLAIN(r.why));
        if (r.why == WHY_DISK_FULL)
            shed_disk(b, r.node);
    }
    vec_clear(&b->disk_full.rests);
}

void disk_full_shed(struct brain *b)
{
    b->disk_full.sheds = false;
    shed_disk(b, NODE_NONE);
}

bool disk_full_waits(const struct brain *b)
{
    struct walk w = walk_begin(b, NODE_NONE);

    for (struct attempt *a; (a = walk_next(b, &w)) != NULL;)
        if (a->unwanted)
            return true;
    return false;
}
