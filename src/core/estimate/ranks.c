/* The problem: at each level the jobs that are short enough, smallest volumes first, until their
 * sum is too large. Done literally, that is a sort for each level.
 *
 * The method: a job's volume is the same at every level that it is short enough for, so one sort
 * serves all, and a level is a walk that adds up and stops. With copies, a job enters one level
 * early: h < 2, so r copies can make up for one halving of the time and no more. There it has
 * another volume, as a second entry for that level alone. The walk has no branch but its end:
 * whether a job of some volume is short is as good as random.
 *
 * Rejected: a tree of partial sums, which would find each level's last job in log n steps. There
 * are at most 62 levels, and rarely twenty; the sort takes as long as all the walks. */
#include "core/estimate/ranks.h"

#include <math.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/sort.h"
#include "core/estimate/speedup.h"

static const int64_t most_ns = INT64_C(1) << RANKS_LEVELS; /* no level's limit is above */

struct ranks_entry {
    uint64_t volume_ns;
    uint32_t job, copies;
    uint8_t from, to; /* levels at which it counts */
    uint8_t rank;     /* the first that took it, 0: none yet */
};

int64_t ranks_ns(double seconds)
{
    double ns = seconds * 1e9;
    if (!(ns > 0))
        return 0;
    return ns >= (double)most_ns ? most_ns + 1 : llround(ns);
}

/* Level l's limit in time and in volume. */
static int64_t limit_ns(int64_t slot_us, uint32_t level)
{
    return slot_us * 1000 << level;
}

static uint8_t last_level(int64_t slot_us)
{
    uint8_t last = 0;
    check(slot_us > 0 && slot_us <= most_ns / 2000);
    while (slot_us * 1000 <= most_ns >> (last + 1))
        last++;
    return last;
}

/* The first level that the job is short enough for without copies; above `last`: none. */
static uint8_t level_of(const struct ranks_job *j, int64_t slot_us, uint8_t last)
{
    if (j->time_ns > limit_ns(slot_us, last))
        return (uint8_t)(last + 1);
    int64_t slot_ns = slot_us * 1000, slots = (j->time_ns + slot_ns - 1) / slot_ns;
    return slots <= 2 ? 1 : (uint8_t)(64 - __builtin_clzll((uint64_t)slots - 1));
}

/* As it is from `from` on, and one level earlier if copies can do that. Returns how many. */
static uint32_t enter(struct ranks_entry *to, const struct ranks_job *j, uint32_t job,
                      int64_t slot_us, uint8_t from, uint32_t copies_max)
{
    uint64_t volume = (uint64_t)(j->volume_ns <= most_ns ? j->volume_ns : most_ns + 1);
    uint8_t early = (uint8_t)(from - 1);
    uint32_t r = 0;
    to[0] = (struct ranks_entry){volume, job, 1, from, RANKS_LEVELS, 0};
    if (copies_max > 1 && early > 0)
        r = speedup_copies(j->alpha, (double)j->time_ns, (double)limit_ns(slot_us, early),
                           copies_max);
    if (r == 0)
        return 1;
    check(j->alpha >= 2);
    double all = (double)volume * r / speedup_of(j->alpha, r);
    to[1] = (struct ranks_entry){(uint64_t)ranks_ns(all / 1e9), job, r, early, early, 0};
    return 2;
}

/* The same entries, the smallest volume first. */
static struct ranks_entry *by_volume(const struct ranks_entry *at, uint32_t count)
{
    struct ranks_entry *sorted = mem_resize(NULL, count + 1, sizeof *sorted);
    struct sort_key *keys = mem_resize(NULL, count + 1, sizeof *keys);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct sort_key){at[i].volume_ns, i};
    sort_keys(keys, count);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = at[keys[i].item];
    mem_free(keys);
    return sorted;
}

/* Whether all that counts was taken. */
static bool take_level(struct ranks_entry *at, uint32_t count, uint8_t level, uint64_t limit)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool counts = (level >= at[i].from) & (level <= at[i].to);
        sum += counts ? at[i].volume_ns : 0;
        if (sum > limit)
            return false;
        bool taken = counts & (at[i].rank == 0);
        at[i].rank = taken ? level : at[i].rank;
    }
    return true;
}

/* A job's rank is the least of its entries'. Those that were never taken follow by volume. */
static void tell(struct ranks_job *jobs, const struct ranks_entry *at, uint32_t count)
{
    uint32_t behind = RANKS_LEVELS;
    for (uint32_t i = 0; i < count; i++) {
        struct ranks_job *j = &jobs[at[i].job];
        if (at[i].rank > 0 && (j->rank == 0 || at[i].rank < j->rank)) {
            j->rank = at[i].rank;
            j->copies = at[i].copies;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (jobs[at[i].job].rank == 0)
            jobs[at[i].job].rank = ++behind;
}

void ranks_find(struct ranks_job *jobs, uint32_t count, int64_t slot_us, uint32_t copies_max)
{
    struct ranks_entry *at = mem_resize(NULL, 2 * (size_t)count + 1, sizeof *at);
    uint8_t last = last_level(slot_us), longest = 1;
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        check(jobs[i].volume_ns >= 0 && jobs[i].time_ns >= 0);
        jobs[i].rank = 0;
        jobs[i].copies = 1;
        uint8_t from = level_of(&jobs[i], slot_us, last);
        longest = from > longest ? from : longest;
        n += enter(&at[n], &jobs[i], i, slot_us, from, copies_max);
    }
    struct ranks_entry *sorted = by_volume(at, n);
    for (uint8_t level = 1; level <= last; level++)
        if (take_level(sorted, n, level, (uint64_t)limit_ns(slot_us, level)) && level >= longest)
            break;
    tell(jobs, sorted, n);
    mem_free(sorted);
    mem_free(at);
}
