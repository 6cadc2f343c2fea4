#include "commands/watch/ending.h"

/* Progress below this share says little about the rest. */
#define DONE_LEAST 0.05

void ending_waits(struct ending *e, const struct ending_times *times, const char *phase,
                  uint64_t tasks)
{
    if (tasks == 0)
        return;
    if (!times->known) {
        e->unknown = phase;
        return;
    }
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

void ending_runs(struct ending *e, struct ending_left left, const char *phase)
{
    e->running++;
    if (left.us[ENDING_ABOUT] < 0) {
        e->unknown = phase;
        return;
    }
    for (int i = 0; i < ENDING_BOUNDS; i++) {
        e->left_us[i] += left.us[i];
        e->longest_us[i] = left.us[i] > e->longest_us[i] ? left.us[i] : e->longest_us[i];
    }
}

double ending_left_us(const struct ending *e, int bound)
{
    if (e->unknown)
        return -1;
    double shared_us = e->left_us[bound] / (double)(e->running > 0 ? e->running : 1);
    return shared_us > e->longest_us[bound] ? shared_us : e->longest_us[bound];
}
