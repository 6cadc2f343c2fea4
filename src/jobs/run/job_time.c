/* job_time.c - how long tasks of a simulated phase take. See job_time.h. */
#include "jobs/run/job_time.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"

static const char want[] = "4s, 2s-6s, 5s~2s (mean~deviation) or 4s,5s,30s";

/* Cuts the text at each mark; false: a piece is no time. */
static bool take_times(struct job_lengths *t, char *text, const char *mark)
{
    for (char *piece; (piece = strsep(&text, mark));) {
        int64_t us;
        if (!text_duration(piece, &us))
            return false;
        vec_push(&t->us, us);
    }
    return true;
}

int job_time_parse(struct job_lengths *t, const char *text, struct err *err)
{
    const char *mark = strchr(text, '~') ? "~" : strchr(text, '-') ? "-" : ",";
    char *copy = mem_strdup(text);

    t->kind = *mark == '~' ? JOB_TIME_AROUND : *mark == '-' ? JOB_TIME_BETWEEN : JOB_TIME_LIST;
    bool good = take_times(t, copy, mark);
    mem_free(copy);
    if (t->kind == JOB_TIME_LIST)
        for (uint32_t i = 0; i < t->us.count; i++)
            good &= t->us.at[i] > 0;
    else
        good = good && t->us.count == 2;
    if (t->kind == JOB_TIME_BETWEEN)
        good = good && t->us.at[0] <= t->us.at[1];
    if (t->kind == JOB_TIME_AROUND)
        good = good && t->us.at[0] > 0;
    return good ? 0 : err_set(err, "time: '%.40s' is not a time of tasks; expected %s", text, want);
}

/* Of a lognormal number with this mean and deviation. */
static double around(struct rng *r, double mean, double deviation)
{
    double spread = log1p(deviation * deviation / (mean * mean));

    return exp(log(mean) - spread / 2 + sqrt(spread) * rng_normal(r));
}

int64_t job_time_of(const struct job_lengths *t, uint32_t phase, uint32_t task)
{
    struct rng r = rng_stream(1, RNG_WORKLOAD, phase, task, 0, 0);
    double us;

    check(t->us.count > 0);
    if (t->kind == JOB_TIME_LIST)
        return t->us.at[task % t->us.count];
    double first = (double)t->us.at[0], second = (double)t->us.at[1];
    us = t->kind == JOB_TIME_BETWEEN ? first + (second - first) * rng_unit(&r)
                                     : around(&r, first, second);
    return us < 1 ? 1 : llround(us);
}
