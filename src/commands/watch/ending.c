/* ending.c - two bounds of the time that is left: the work that all slots of the run share, and the
 * task that takes longest. The larger one is the estimate, and why it is so.
 *
 * Rejected: simulating what is left. It would need the policy and the network, and the times of
 * tasks, from which both begin, are the larger part of what is not known. */
#include "commands/watch/ending.h"

#include <inttypes.h>

#include "ui/words.h"

/* Progress below this share says little about the rest. */
#define DONE_LEAST 0.05

/* Takes the most likely time of a task, if it is the longest so far. */
static bool is_longest(struct ending *e, double left_us, const char *phase)
{
    if (e->longest && left_us <= e->longest_us[ENDING_ABOUT])
        return false;
    e->longest = phase;
    return true;
}

void ending_waits(struct ending *e, const struct ending_times *times, const char *phase,
                  uint64_t tasks, uint64_t blocked)
{
    if (tasks == 0)
        return;
    e->waiting += tasks;
    e->blocked += blocked;
    if (!times->known) {
        e->unknown = phase;
        return;
    }
    if (is_longest(e, times->us[ENDING_ABOUT], phase))
        e->longest_runs = false;
    for (int i = 0; i < ENDING_BOUNDS; i++) {
        e->left_us[i] += (double)tasks * times->us[i];
        e->longest_us[i] = times->us[i] > e->longest_us[i] ? times->us[i] : e->longest_us[i];
    }
}

/* By its own pace if it has reported enough, else as others took; one that has run longer than
 * these is expected to need a tenth of its age. */
static double left_of(const struct ending_times *times, int bound, double age_us, double done)
{
    double left_us = times->us[bound] - age_us, least_us = age_us / 10;

    if (done >= DONE_LEAST && done <= 1)
        left_us = age_us * (1 - done) / done;
    else if (left_us < least_us)
        left_us = least_us;
    return left_us > 0 ? left_us : 0;
}

struct ending_left ending_attempt(const struct ending_times *times, double age_us, double done)
{
    struct ending_left left;

    for (int i = 0; i < ENDING_BOUNDS; i++)
        left.us[i] = times->known || done >= DONE_LEAST ? left_of(times, i, age_us, done) : -1;
    return left;
}

struct ending_left ending_first(struct ending_left a, struct ending_left b)
{
    for (int i = 0; i < ENDING_BOUNDS; i++)
        if (b.us[i] >= 0 && (a.us[i] < 0 || b.us[i] < a.us[i]))
            a.us[i] = b.us[i];
    return a;
}

void ending_runs(struct ending *e, struct ending_left left, const char *phase, uint64_t number)
{
    e->running++;
    if (left.us[ENDING_ABOUT] < 0) {
        e->unknown = phase;
        return;
    }
    if (is_longest(e, left.us[ENDING_ABOUT], phase)) {
        e->longest_runs = true;
        e->longest_number = number;
    }
    for (int i = 0; i < ENDING_BOUNDS; i++) {
        e->left_us[i] += left.us[i];
        e->longest_us[i] = left.us[i] > e->longest_us[i] ? left.us[i] : e->longest_us[i];
    }
}

static double shared_us(const struct ending *e, int bound)
{
    return e->left_us[bound] / (double)(e->running > 0 ? e->running : 1);
}

double ending_left_us(const struct ending *e, int bound)
{
    if (e->unknown)
        return -1;
    double us = shared_us(e, bound);
    return us > e->longest_us[bound] ? us : e->longest_us[bound];
}

/* What the tasks wait for, and how many run meanwhile. */
static void add_waiting(const struct ending *e, struct str *out)
{
    str_addf(out, "%s wait%s", words_count(e->waiting, "task").text, e->waiting == 1 ? "s" : "");
    if (e->blocked == 0)
        str_add(out, " for slots");
    else if (e->blocked == e->waiting)
        str_add(out, " for other phases");
    else
        str_addf(out, ", %" PRIu64 " of them for other phases", e->blocked);
    str_addf(out, ", and %" PRIu64 " run%s at a time", e->running, e->running == 1 ? "s" : "");
}

void ending_why(const struct ending *e, struct str *out)
{
    struct words left = words_brief((int64_t)e->longest_us[ENDING_ABOUT]);

    if (e->unknown)
        str_addf(out, "no task of %s has ended, so how long the others take is not known",
                 e->unknown);
    else if (!e->longest)
        str_add(out, "no task is left");
    else if (shared_us(e, ENDING_ABOUT) > e->longest_us[ENDING_ABOUT])
        add_waiting(e, out);
    else if (e->longest_runs)
        str_addf(out, "%s/%" PRIu64 " runs for about %s more", e->longest, e->longest_number,
                 left.text);
    else
        str_addf(out, "a task of %s that waits takes about %s", e->longest, left.text);
}
