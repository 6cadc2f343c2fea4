/* disk_full.c - a disk is full: extra attempts go first, and none comes for a while.
 *
 * Every attempt writes to a place of its own, so cloning multiplies what a phase needs on the disk,
 * and a job that would fit may fail only because it was cloned. Therefore, when an attempt, a
 * launch or a commit has failed of a full disk,
 *
 *   - every clone and backup that is not the last attempt of its task is ended, and so is every
 *     other copy of a whole job (reason disk_full);
 *   - no other is launched within the next minute; policies find no room;
 *   - nothing at all is launched until those that are being ended, for this or for another reason,
 *     are confirmed dead, because only then is their room free;
 *   - a failure of that kind does not count against the task if it was an extra attempt's, or of
 *     an attempt that has run beside extra ones, however those ended.
 *
 * The last point cannot go on for ever: after the first failure there are no extra attempts, and
 * what is launched then has none beside it. From then on tasks fail of a full disk as they do of
 * anything else, and failures_max ends that: there is no storm of retries. */
#include "brain/disk_full.h"

#include "brain/state.h"

enum { DISK_FULL_US = 60 * 1000000 };

static bool is_extra(const struct attempt *a)
{
    return a->kind == LAUNCH_CLONE || a->kind == LAUNCH_BACKUP;
}

bool disk_full_lately(const struct brain *b)
{
    return b->world.now_us < b->disk_full_until_us;
}

/* Where a walk over live extra attempts is: clones, and behind them backups that run, newest first.
 */
struct walk {
    uint32_t clone;
    uint32_t running; /* entries of the list that are left */
};

static struct walk walk_begin(const struct brain *b)
{
    return (struct walk){b->world.newest_clone, b->world.running.count};
}

static struct attempt *walk_next(const struct brain *b, struct walk *w)
{
    struct attempt *a;

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

bool disk_full_forgives(const struct brain *b, const struct attempt *failed)
{
    struct walk w = walk_begin(b);

    if (is_extra(failed))
        return !failed->job->lead; /* a copy of a whole job would try for ever */
    if (failed->launched_us <= b->extra_ended_us)
        return true;
    for (struct attempt *a; (a = walk_next(b, &w)) != NULL;)
        if (a->unwanted ||
            attempt_is_spare(&b->world, a)) /* not a clone that is all its task has */
            return true;
    return false;
}

void disk_full_note_end(struct brain *b, const struct attempt *a)
{
    if (is_extra(a))
        b->extra_ended_us = b->world.now_us;
}

void disk_full_begin(struct brain *b)
{
    b->disk_full_until_us = b->world.now_us + DISK_FULL_US;
    b->disk_full_sheds = true;
}

void disk_full_shed(struct brain *b)
{
    struct walk w = walk_begin(b);

    if (!b->disk_full_sheds)
        return;
    b->disk_full_sheds = false;
    for (struct attempt *a; (a = walk_next(b, &w)) != NULL;) {
        if (a->unwanted)
            continue;
        if (a->job->lead)
            decider_drop_copy(b, a->job, &REASON_PLAIN(WHY_DISK_FULL));
        else if (attempt_is_spare(&b->world, a))
            decider_stop(b, a, &REASON_PLAIN(WHY_DISK_FULL));
    }
}

bool disk_full_waits(const struct brain *b)
{
    struct walk w = walk_begin(b);

    if (!disk_full_lately(b))
        return false;
    for (struct attempt *a; (a = walk_next(b, &w)) != NULL;)
        if (a->unwanted)
            return true;
    return false;
}
