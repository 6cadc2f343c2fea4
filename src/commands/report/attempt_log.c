/* attempt_log.c - see attempt_log.h. The cutoff rises whenever there are too many rows, and never
 * falls: which rows remain depends on the rows, not on the order in which they were closed. */
#include "commands/report/attempt_log.h"

#include "base/mem.h"
#include "core/model/decision.h"
#include "core/model/event.h"

enum attempt_fate attempt_log_fate(uint8_t type)
{
    return type == EV_ATTEMPT_FINISHED        ? FATE_SPARE
           : type == EV_ATTEMPT_KILLED        ? FATE_KILLED
           : type == EV_ATTEMPT_FAILED        ? FATE_FAILED
           : type == EV_ATTEMPT_LAUNCH_FAILED ? FATE_WITHDRAWN
                                              : FATE_LOST;
}

void attempt_log_fini(struct attempt_log *l)
{
    vec_free(&l->open);
    vec_free(&l->closed);
    vec_free(&l->free);
}

uint32_t attempt_log_open(struct attempt_log *l, const struct attempt_row_shown *row)
{
    uint32_t place = vec_take(&l->open, &l->free);

    l->open.at[place] = *row;
    return place;
}

void attempt_log_read(struct attempt_row_shown *r, const struct attempt_read *read)
{
    uint32_t at = r->reads < ATTEMPT_LOG_READS ? r->reads : ATTEMPT_LOG_READS;

    r->reads++;
    if (at == ATTEMPT_LOG_READS && r->longest[at - 1].took_s >= read->took_s)
        return;
    at -= at == ATTEMPT_LOG_READS;
    for (; at > 0 && r->longest[at - 1].took_s < read->took_s; at--)
        r->longest[at] = r->longest[at - 1];
    r->longest[at] = *read;
}

static bool is_telling(const struct attempt_row_shown *r)
{
    return r->kind == LAUNCH_CLONE || r->kind == LAUNCH_BACKUP || r->fate == FATE_FAILED ||
           r->fate == FATE_LOST;
}

static int64_t length_us(const struct attempt_row_shown *r)
{
    return r->ended_us - r->launched_us;
}

static struct cutoff height_of(const struct attempt_row_shown *r)
{
    return cutoff_height(length_us(r), (uint64_t)r->at.job.v << 32 | r->at.task,
                         (uint64_t)r->at.phase << 32 | r->at.attempt);
}

/* Leaves out the shorter half, telling ones only when there is no other way. */
static void thin(struct attempt_log *l)
{
    VEC(struct cutoff) heights = {0};
    uint32_t plain = 0, kept = 0;

    for (uint32_t i = 0; i < l->closed.count; i++)
        plain += !is_telling(&l->closed.at[i]);
    bool all = plain < l->closed.count / 4;
    for (uint32_t i = 0; i < l->closed.count; i++)
        if (all || !is_telling(&l->closed.at[i]))
            vec_push(&heights, height_of(&l->closed.at[i]));
    cutoff_raise(&l->cutoff, heights.at, heights.count);
    vec_free(&heights);
    for (uint32_t i = 0; i < l->closed.count; i++) {
        const struct attempt_row_shown *r = &l->closed.at[i];
        if ((!all && is_telling(r)) || cutoff_reached(&l->cutoff, height_of(r)))
            l->closed.at[kept++] = *r;
    }
    l->closed.count = kept;
}

void attempt_log_close(struct attempt_log *l, uint32_t place)
{
    const struct attempt_row_shown *r = &l->open.at[place];

    l->count++;
    if (is_telling(r) || length_us(r) > l->cutoff.length_us ||
        cutoff_reached(&l->cutoff, height_of(r)))
        vec_push(&l->closed, *r);
    vec_push(&l->free, place);
    if (l->closed.count > (l->max ? l->max : ATTEMPT_LOG_MAX))
        thin(l);
}

void attempt_log_limit(struct attempt_log *l, uint32_t max)
{
    l->max = max;
    while (l->closed.count > max)
        thin(l);
}
